//! A scenario's tree with one of its parts taken away.

use crate::language::text::Tree;

/// Fields of the scenario that say what it is a scenario of, and are not taken away.
const KEPT: [&str; 6] = ["version", "doc", "kubernetes", "horizon", "seed", "expect"];

/// Every scenario that is the given one without one item, field or entry; each as a tree.
pub fn single_removals(tree: &Tree) -> Vec<Tree> {
    let mut all = Vec::new();
    let mut paths = vec![Vec::new()];
    while let Some(path) = paths.pop() {
        for (i, part) in tree.at(&path).parts().iter().enumerate() {
            if path.is_empty() && is_kept(part) {
                continue;
            }
            let inner = [path.as_slice(), &[i]].concat();
            let mut without = tree.clone();
            without.remove(&inner);
            all.push(without);
            paths.push(inner);
        }
    }
    all
}

pub(super) fn is_kept(field: &Tree) -> bool {
    field.name().is_some_and(|name| KEPT.contains(&name))
}
