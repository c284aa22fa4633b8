//! Places in a scenario's tree, and the tree with one of them taken away.

use crate::language::text::layout::Piece;

/// Fields of the scenario that say what it is a scenario of, and are not taken away.
const KEPT: [&str; 5] = ["version", "doc", "kubernetes", "horizon", "seed"];

/// Every scenario that is the given one without one item, field or entry; each as a tree.
pub fn single_removals(tree: &Piece) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut paths = vec![Vec::new()];
    while let Some(path) = paths.pop() {
        let Some((.., body)) = &at(tree, &path).body else {
            continue;
        };
        for i in 0..body.len() {
            if path.is_empty() && is_kept(&body[i]) {
                continue;
            }
            let mut without = tree.clone();
            if let Some(body) = body_mut(&mut without, &path) {
                body.remove(i);
            }
            all.push(without);
            paths.push([path.as_slice(), &[i]].concat());
        }
    }
    all
}

pub(super) fn is_kept(field: &Piece) -> bool {
    field
        .head
        .split_once(':')
        .is_some_and(|(name, _)| KEPT.contains(&name))
}

pub(super) fn at<'a>(tree: &'a Piece, path: &[usize]) -> &'a Piece {
    path.iter().fold(tree, |p, i| {
        p.body.as_ref().map_or(p, |(.., body)| &body[*i])
    })
}

pub(super) fn at_mut<'a>(tree: &'a mut Piece, path: &[usize]) -> Option<&'a mut Piece> {
    let mut piece = tree;
    for i in path {
        piece = piece.body.as_mut()?.2.get_mut(*i)?;
    }
    Some(piece)
}

pub(super) fn body_mut<'a>(tree: &'a mut Piece, path: &[usize]) -> Option<&'a mut Vec<Piece>> {
    at_mut(tree, path)?.body.as_mut().map(|(.., body)| body)
}
