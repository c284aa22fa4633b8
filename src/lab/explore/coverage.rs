//! Orders of things that no run had before: what a search goes on from.
//!
//! Where much goes on every run has an outcome of its own, and outcomes say nothing of what is near a race.
//! So it counts what comes after what at one node, or to one pod, and how soon.

use crate::lab::prelude::*;

/// How soon one thing comes after the other is told up to ten to this microseconds.
const TENS: u32 = 6;

/// Nodes by their numbers in a run; where there are none, all of them.
pub(super) type Nodes = BTreeSet<u32>;

/// The records of a run, each with the node that it is about, or that its pod is on.
pub(super) fn by_node(trace: &Trace) -> impl Iterator<Item = (&Record, Option<u32>)> {
    let mut node_of: BTreeMap<u32, u32> = BTreeMap::new();
    trace.iter().map(move |r| {
        let Some(pod) = r.pod() else { return (r, r.node().map(|node| node.0)) };
        let node = match r.what {
            What::PodBound(node) => Some(node),
            What::PodCreated(node) => What::created_on(node).map(|node| node.0),
            _ => return (r, node_of.get(&pod.0).copied()),
        };
        node_of.extend(node.map(|node| (pod.0, node)));
        (r, node)
    })
}

/// What happens in a record: its kind and who made it, whatever the names and the times.
pub(super) fn kind(r: &Record, trace: &Trace) -> u64 {
    let gains = match r.what {
        What::NodeTaints(change) => !trace.taints[change as usize].added.is_empty(),
        What::NodeCondition(_, status, _) | What::PodCondition(_, status, _) => {
            status == ConditionStatus::True
        }
        _ => false,
    };
    fold(hash_name(r.what.kind().0), (r.actor as u64) << 1 | u64::from(gains))
}

/// What followed what in a run at some nodes, each as a number.
pub(super) fn orders(trace: &Trace, at: &Nodes) -> BTreeSet<u64> {
    let mut orders = BTreeSet::new();
    let mut last: BTreeMap<(bool, u32), (u64, Time)> = BTreeMap::new();
    for (r, node) in by_node(trace) {
        if !at.is_empty() && node.is_none_or(|node| !at.contains(&node)) {
            continue;
        }
        let what = kind(r, trace);
        let places = [node.map(|node| (true, node)), r.pod().map(|pod| (false, pod.0))];
        for place in places.into_iter().flatten() {
            if let Some((before, then)) = last.insert(place, (what, r.at)) {
                let micros = r.at.since(then).as_nanos() / 1_000;
                let near = micros.checked_ilog10().map_or(0, |tens| (tens + 1).min(TENS + 1));
                orders.insert(fold(fold(before, what), u64::from(near)));
            }
        }
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The untaint comes 4 s, 4.3 s and 50 ms after the taint, and 1 s and 2 s before the countdown of 5 s ends, or after.
    #[test]
    fn what_follows_what_and_how_soon_counts_and_not_names_and_times() {
        let of = |node: &str, untaint: &str| {
            let text = format!(
                r#"(
                    version: 1, kubernetes: "1.34", horizon: "20s", timing: Custom(user: Raw),
                    nodes: [(name: "{node}")],
                    pods: [(name: "web", on: Node("{node}"), tolerations: [(
                        key: "maintenance", operator: Exists, effect: NoExecute, tolerationSeconds: 5,
                    )])],
                    timeline: [
                        (at: "2s", do: Taint(node: "{node}", taint: "maintenance:NoExecute")),
                        (at: "{untaint}", do: Untaint(node: "{node}", taint: "maintenance:NoExecute")),
                    ],
                )"#
            );
            let loaded = scenario::parse("s.ron", text.into_bytes(), Path::new("")).unwrap();
            let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
            orders(&sim::search(&plan, Choices::default_order()).trace, &Nodes::new())
        };
        assert_eq!(of("a", "6s"), of("b", "6.3s"));
        assert_ne!(of("a", "6s"), of("a", "2.05s"));
        assert_ne!(of("a", "6s"), of("a", "8s"));
    }
}
