//! Names with ranges as lists of names, so that single names can be taken away; and back where none
//! was.

use crate::language::names;
use crate::language::text::layout::Piece;

/// The most names that are written out.
const NAMES_MAX: u64 = 20_000;

/// What was written out.
pub(super) struct Names {
    /// The text as it was, and its names.
    ranges: Vec<(String, Vec<String>)>,
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

/// The names that a text in quotes with a range stands for.
fn range(text: &str) -> Option<Vec<String>> {
    let text = quoted(text).filter(|t| t.contains('{'))?;
    let all = names::expand(text, NAMES_MAX).ok()?;
    Some(all.into_iter().map(|name| format!("\"{name}\"")).collect())
}

fn leaf(head: &str) -> Piece {
    Piece {
        head: head.to_owned(),
        body: None,
    }
}

impl Names {
    /// Writes all ranges out: the names of groups and those that lists of names hold.
    pub(super) fn expand(tree: &mut Piece) -> Self {
        let mut names = Names { ranges: Vec::new() };
        names.expand_in(tree);
        names
    }

    fn expand_in(&mut self, piece: &mut Piece) {
        if piece.body.is_none()
            && let Some(all) = piece.head.strip_prefix("names: ").and_then(range)
        {
            let text = std::mem::replace(&mut piece.head, "names: ".to_owned());
            piece.body = Some(('[', ']', all.iter().map(|n| leaf(n)).collect()));
            self.ranges
                .push((text.trim_start_matches("names: ").to_owned(), all));
            return;
        }
        let Some((open, _, body)) = &mut piece.body else {
            return;
        };
        if *open == '[' {
            let mut items = Vec::with_capacity(body.len());
            for item in body.drain(..) {
                match range(&item.head).filter(|_| item.body.is_none() && !item.head.contains(':'))
                {
                    Some(all) => {
                        items.extend(all.iter().map(|n| leaf(n)));
                        self.ranges.push((item.head, all));
                    }
                    None => items.push(item),
                }
            }
            *body = items;
        }
        body.iter_mut().for_each(|p| self.expand_in(p));
    }

    /// Writes ranges again that are there as a whole; a single name is no list.
    pub(super) fn collapse(&self, piece: &mut Piece) {
        let Some((open, _, body)) = &mut piece.body else {
            return;
        };
        body.iter_mut().for_each(|p| self.collapse(p));
        if *open != '[' {
            return;
        }
        for (text, all) in self.ranges.iter().filter(|(_, all)| all.len() > 1) {
            let same = |window: &[Piece]| {
                window
                    .iter()
                    .zip(all)
                    .all(|(p, name)| p.body.is_none() && p.head == *name)
            };
            while let Some(from) = body.windows(all.len()).position(same) {
                body.splice(from..from + all.len(), [leaf(text)]);
            }
        }
        if let ("names: ", [only]) = (piece.head.as_str(), body.as_slice())
            && only.body.is_none()
        {
            let name = if only.head.contains('{') {
                "names"
            } else {
                "name"
            };
            *piece = leaf(&format!("{name}: {}", only.head));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_back_unless_a_name_is_gone() {
        let text = "(nodes: [(names: \"n-{1..3}\"), (names: [\"a-{1..2}\", \"b\"])], on: Nodes([\"n-{1..3}\"]))";
        let written = Piece::read(&text.replace(", ", ",").replace(": ", ":"));
        assert_eq!(written.flat(), text);
        let mut tree = written.clone();
        let names = Names::expand(&mut tree);
        let long = "(nodes: [(names: [\"n-1\", \"n-2\", \"n-3\"]), (names: [\"a-1\", \"a-2\", \"b\"])], on: Nodes([\"n-1\", \"n-2\", \"n-3\"]))";
        assert_eq!(tree.flat(), long);
        let mut back = tree.clone();
        names.collapse(&mut back);
        assert_eq!(back.flat(), text);
        let mut less = Piece::read("(nodes:[(names:[\"n-2\"]),(names:[\"n-1\",\"n-3\"])])");
        names.collapse(&mut less);
        assert_eq!(
            less.flat(),
            "(nodes: [(name: \"n-2\"), (names: [\"n-1\", \"n-3\"])])"
        );
    }
}
