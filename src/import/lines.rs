//! Lines of a summary: what is counted, and lists that are cut where they are long.

use std::collections::BTreeMap;

use crate::language::{counted, few};

/// Lines of which those that are about nothing are left out.
pub(super) struct Lines(pub(super) Vec<String>);

impl Lines {
    /// Adds a line that is about `n` things.
    pub(super) fn add(&mut self, n: usize, line: String) {
        if n > 0 {
            self.0.push(line);
        }
    }

    /// `3 pods Terminating, which …`
    pub(super) fn counted(&mut self, noun: &str, n: usize, what: &str) {
        self.add(n, format!("{} {what}", counted(n, noun)));
    }

    /// `containers end by themselves, of 2 workloads: shop/web, shop/db`
    pub(super) fn of_workloads(&mut self, what: &str, all: &[String]) {
        let n = all.len();
        self.add(n, format!("{what}, of {}: {}", counted(n, "workload"), some(all)));
    }

    /// `2 nodes silent: a-00, a-01`
    pub(super) fn listed(&mut self, noun: &str, names: &[String], what: &str) {
        self.counted(noun, names.len(), &format!("{what}: {}", some(names)));
    }
}

/// The first few of a list, whose order in the files does not matter.
pub(super) fn some<'n>(names: impl IntoIterator<Item = &'n String>) -> String {
    let mut names: Vec<&str> = names.into_iter().map(String::as_str).collect();
    names.sort_unstable();
    few(5, names)
}

pub(super) fn counts(all: &BTreeMap<String, usize>) -> String {
    all.iter().map(|(kind, n)| counted(*n, kind)).collect::<Vec<_>>().join(", ")
}

pub(super) fn tally(counts: &BTreeMap<String, usize>) -> String {
    counts.iter().map(|(name, n)| format!("{name} ({n})")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (0..7).rev().map(|i| format!("n{i}")).collect();
        assert_eq!(some(&names), "n0, n1, n2, n3, n4 and 2 more");
        assert_eq!(some(&names[5..]), "n0, n1");
    }
}
