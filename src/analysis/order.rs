//! The order of lanes: by zone, and in a zone by name as people count, `n-9` before `n-10`.

use super::setting::Analysis;
use crate::api::names::NodeId;
use std::cmp::Ordering;

/// The nodes that exist at some time, in the order of their lanes.
pub(crate) fn by_zone_and_name(analysis: &Analysis<'_>, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
    nodes.sort_by(|a, b| {
        let zone = |n: &NodeId| analysis.zone_of[n.index()];
        zone(a).cmp(&zone(b)).then_with(|| counted(analysis.node_name(*a), analysis.node_name(*b)))
    });
    nodes
}

/// Compares texts in which numbers count as such.
fn counted(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a, b);
    loop {
        let (text_a, text_b) = (until(a, true), until(b, true));
        let (number_a, number_b) = (until(&a[text_a..], false), until(&b[text_b..], false));
        let digits = |s: &str, from: usize, length: usize| {
            s[from..from + length].trim_start_matches('0').to_owned()
        };
        let (one, other) = (digits(a, text_a, number_a), digits(b, text_b, number_b));
        let order = a[..text_a]
            .cmp(&b[..text_b])
            .then(one.len().cmp(&other.len()))
            .then_with(|| one.cmp(&other))
            .then(number_a.cmp(&number_b));
        if order != Ordering::Equal || text_a + number_a == 0 {
            return order;
        }
        (a, b) = (&a[text_a + number_a..], &b[text_b + number_b..]);
    }
}

/// How many bytes it is to the first digit, or to the first character that is none.
fn until(text: &str, digit: bool) -> usize {
    text.bytes().position(|c| c.is_ascii_digit() == digit).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count() {
        let mut names =
            ["n-10", "n-9", "n-09", "a-1x", "n", "n-9a", "", "ä-2", "n-010-b", "n-10-a"];
        names.sort_by(|a, b| counted(a, b));
        assert_eq!(
            names,
            ["", "a-1x", "n", "n-9", "n-9a", "n-09", "n-10", "n-10-a", "n-010-b", "ä-2"]
        );
    }
}
