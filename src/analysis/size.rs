//! How large a cluster is, in words.

use super::{counted, grouped};
use crate::plan::Size;

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
