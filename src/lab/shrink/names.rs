//! Names with ranges as lists of names, so that single names can be taken away; and back where none
//! was.

use crate::language::names;
use crate::language::text::Tree;
use crate::language::text::tree::Value;

/// The most names that are written out.
const NAMES_MAX: u64 = 20_000;

/// What was written out.
pub(super) struct Names {
    /// The text as it was, and its names.
    ranges: Vec<(String, Vec<String>)>,
}

/// The names that a text with a range stands for.
fn range(tree: &Tree) -> Option<(String, Vec<String>)> {
    let text = tree.text().filter(|t| t.contains('{'))?;
    let all = names::expand(text, NAMES_MAX).ok()?;
    Some((text.to_owned(), all.into_iter().collect()))
}

fn leaf(text: &str) -> Tree {
    Tree::from(Value::text(text))
}

impl Names {
    /// Writes all ranges out: the names of groups and those that lists of names hold.
    pub(super) fn expand(tree: &mut Tree) -> Self {
        let mut names = Names { ranges: Vec::new() };
        names.expand_in(tree);
        names
    }

    fn expand_in(&mut self, tree: &mut Tree) {
        if tree.is_named("names")
            && let Some((text, all)) = range(tree)
        {
            tree.value = Value::brackets('[', all.iter().map(|n| leaf(n)).collect());
            self.ranges.push((text, all));
            return;
        }
        let is_list = tree.open() == Some('[');
        let Some(parts) = tree.parts_mut() else {
            return;
        };
        if is_list {
            let mut items = Vec::with_capacity(parts.len());
            for item in parts.drain(..) {
                match range(&item).filter(|(text, _)| !text.contains(':')) {
                    Some((text, all)) => {
                        items.extend(all.iter().map(|n| leaf(n)));
                        self.ranges.push((text, all));
                    }
                    None => items.push(item),
                }
            }
            *parts = items;
        }
        parts.iter_mut().for_each(|p| self.expand_in(p));
    }

    /// Writes ranges again that are there as a whole; a single name is no list.
    pub(super) fn collapse(&self, tree: &mut Tree) {
        let is_list = tree.open() == Some('[');
        let Some(parts) = tree.parts_mut() else {
            return;
        };
        parts.iter_mut().for_each(|p| self.collapse(p));
        if !is_list {
            return;
        }
        for (text, all) in self.ranges.iter().filter(|(_, all)| all.len() > 1) {
            let same = |window: &[Tree]| {
                let mut pairs = window.iter().zip(all);
                pairs.all(|(part, name)| part.text() == Some(name))
            };
            while let Some(from) = parts.windows(all.len()).position(same) {
                parts.splice(from..from + all.len(), [leaf(text)]);
            }
        }
        if tree.is_named("names")
            && let [only] = tree.parts()
            && let Some(text) = only.text()
        {
            let name = if text.contains('{') { "names" } else { "name" };
            *tree = leaf(text).named(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_come_back_unless_a_name_is_gone() {
        let text = "(nodes: [(names: \"n-{1..3}\"), (names: [\"a-{1..2}\", \"b\"])], on: Nodes([\"n-{1..3}\"]))";
        let written = Tree::read(text).unwrap();
        assert_eq!(written.flat(), text);
        let mut tree = written.clone();
        let names = Names::expand(&mut tree);
        let long = "(nodes: [(names: [\"n-1\", \"n-2\", \"n-3\"]), (names: [\"a-1\", \"a-2\", \"b\"])], on: Nodes([\"n-1\", \"n-2\", \"n-3\"]))";
        assert_eq!(tree.flat(), long);
        let mut back = tree.clone();
        names.collapse(&mut back);
        assert_eq!(back.flat(), text);
        let mut less = Tree::read("(nodes:[(names:[\"n-2\"]),(names:[\"n-1\",\"n-3\"])])").unwrap();
        names.collapse(&mut less);
        assert_eq!(less.flat(), "(nodes: [(name: \"n-2\"), (names: [\"n-1\", \"n-3\"])])");
    }
}
