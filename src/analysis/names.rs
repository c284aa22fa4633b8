//! Actors, lists of names, and the size of a cluster in words.

use super::prelude::*;
use crate::plan::Size;

/// A taint without the prefix that all of Kubernetes' own keys share.
pub(crate) fn short_taint(taint: &Taint) -> String {
    Taint { key: short_key(&taint.key).to_owned(), ..taint.clone() }.to_string()
}

/// How many names or ranges of names are written out; of more only the first and last ones are.
const PARTS: usize = 4;

/// Names as ranges: `a-1, b-00..b-08`; where not all are written out, with how many they are. The names need not be sorted.
pub(crate) fn ranges(names: &[impl AsRef<str>]) -> String {
    match shortened(names) {
        (said, true) => said,
        (said, false) => format!("{said} ({} in all)", grouped(names.len() as u64)),
    }
}

/// The same without how many they are, and whether all are written out.
pub(crate) fn shortened(names: &[impl AsRef<str>]) -> (String, bool) {
    let all: BTreeSet<_> = names.iter().map(|n| numbered(n.as_ref())).collect();
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let mut last: Option<(&str, Option<u64>)> = None;
    for (stem, number, full) in all {
        let follows =
            last.is_some_and(|(s, n)| s == stem && n.zip(number).is_some_and(|(a, b)| b == a + 1));
        match parts.last_mut() {
            Some(part) if follows => part.1 = full,
            _ => parts.push((full, full)),
        }
        last = Some((stem, number));
    }
    let said = |&(first, end): &(&str, &str)| {
        if first == end { first.to_owned() } else { format!("{first}..{end}") }
    };
    if parts.len() <= PARTS {
        return (parts.iter().map(said).collect::<Vec<_>>().join(", "), true);
    }
    let (first, second) = (said(&parts[0]), said(&parts[1]));
    let end = parts.last().map(said).unwrap_or_default();
    (format!("{first}, {second}, … {end}"), false)
}

/// A name's text before its number at the end, and that number.
fn numbered(name: &str) -> (&str, Option<u64>, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().ok(), name)
}

/// What pods of one group have in common where no workload says it: their name without the number
/// at its end.
pub(crate) fn stem(name: &str) -> &str {
    let is_number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    name.rsplit_once('-').filter(|(_, number)| is_number(number)).map_or(name, |(stem, _)| stem)
}

/// `3 nodes, 6 pods, 20 more that workloads make`
pub(crate) fn size_in_words(size: &Size) -> String {
    let mut all = vec![counted(size.nodes, "node"), counted(size.pods, "pod")];
    if size.to_make > 0 {
        all.push(format!("{} more that workloads make", grouped(size.to_make)));
    }
    if size.daemon_sets > 0 {
        all.push(match size.daemon_sets {
            1 => "and those that a DaemonSet makes".to_owned(),
            n => format!("and those that {} DaemonSets make", grouped(n)),
        });
    }
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Overrides, drawn, parse};
    use std::path::Path;

    #[test]
    fn names_in_a_row_are_a_range() {
        for (names, said) in [
            (&["a"][..], "a"),
            (&["b-2", "b-0", "b-1"], "b-0..b-2"),
            (&["b-09", "b-10", "a-1"], "a-1, b-09..b-10"),
            (&["a-1", "a-3", "a-5"], "a-1, a-3, a-5"),
            (&["a-1", "a-3", "a-5", "a-7", "a-9"], "a-1, a-3, … a-9 (5 in all)"),
            (&["x", "x"], "x"),
            (&[], ""),
        ] {
            assert_eq!(ranges(names), said);
        }
        assert_eq!(
            (stem("default/web-12"), stem("default/web"), stem("a-b")),
            ("default/web", "default/web", "a-b")
        );
    }

    /// A pod by itself and the four of `web` are there. `db` asks for two more; the Job runs two at a
    /// time, but needs one; `logs` has one for each node, of which there are three.
    #[test]
    fn pods_that_are_to_be_made_are_counted() {
        let of = |more: &str| {
            let text = format!(
                r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{{0..2}}")],
                pods: [(name: "alone", on: Node("n-0"))],
                workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All)){more}])"#
            );
            let loaded = parse("p.ron", text.clone().into_bytes(), Path::new(""));
            let loaded = loaded.unwrap_or_else(|e| panic!("{e}\n{text}"));
            let drawn = drawn(&loaded, &Overrides::default());
            let plan = drawn.unwrap_or_else(|e| panic!("{e}\n{text}")).plan;
            size_in_words(&plan.size())
        };
        assert_eq!(of(""), "3 nodes, 5 pods");
        let more = r#", StatefulSet(name: "db", replicas: 2), Job(name: "once", parallelism: 2, completions: 1)"#;
        assert_eq!(of(more), "3 nodes, 5 pods, 3 more that workloads make");
        let more = r#", DaemonSet(name: "logs")"#;
        assert_eq!(of(more), "3 nodes, 5 pods, and those that a DaemonSet makes");
        let more = r#", DaemonSet(name: "logs", placement: Each(All))"#;
        assert_eq!(of(more), "3 nodes, 8 pods");
    }
}
