//! Why a pod has no node: which filter said no, on how many nodes, as the scheduler's own message counts them.

use super::super::clock::absolute;
use super::super::rows::grouped;
use super::Step;
use crate::kernel::Time;
use crate::trace::RecordId;

/// A reason with the number of nodes it holds for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rejection {
    pub(super) nodes: u64,
    pub(super) filter: &'static str,
    pub(super) reason: String,
}

/// The filters by words of their messages (`pkg/scheduler/framework/plugins/*`), the first that fits.
const FILTERS: [(&str, &str); 11] = [
    ("pod topology spread", "PodTopologySpread"),
    ("pod affinity", "InterPodAffinity"),
    ("pod anti-affinity", "InterPodAffinity"),
    ("existing pods anti-affinity", "InterPodAffinity"),
    ("affinity/selector", "NodeAffinity"),
    ("node selector", "NodeAffinity"),
    ("taint", "TaintToleration"),
    ("unschedulable", "NodeUnschedulable"),
    ("ports", "NodePorts"),
    ("Insufficient", "NodeResourcesFit"),
    ("Too many pods", "NodeResourcesFit"),
];

/// Reads `0/5 nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated taint {a: b}. preemption: …`.
pub(super) fn rejections(message: &str) -> Vec<Rejection> {
    let Some((_, list)) = message.split_once("nodes are available: ") else { return Vec::new() };
    let list = list.split(". ").next().unwrap_or(list).trim_end_matches('.');
    let mut found = Vec::new();
    for part in list.split(", ") {
        let Some((nodes, reason)) = part.split_once(' ').and_then(|(n, r)| Some((n.parse().ok()?, r))) else { continue };
        let filter = FILTERS.iter().find(|(word, _)| reason.contains(word)).map_or("a filter", |f| f.1);
        found.push(Rejection { nodes, filter, reason: reason.to_owned() });
    }
    found
}

/// The steps of a pod that the scheduler could not place: each message when it was first said.
pub(super) fn steps(told: &[(Time, RecordId, String)]) -> Vec<Step> {
    let step = |(at, record, message): &(Time, RecordId, String)| {
        let rejections = rejections(message);
        let said: Vec<String> = rejections.iter().map(|r| format!("{} says no to {} ({})", r.filter, nodes(r.nodes), r.reason)).collect();
        let rule = (!said.is_empty()).then(|| said.join("; "));
        Step { at: *at, text: format!("not scheduled: {message}"), rule, record: Some(*record) }
    };
    told.iter().map(step).collect()
}

/// The answer in one line.
pub(super) fn verdict(told: &[(Time, RecordId, String)], until: Time) -> String {
    let Some((_, _, message)) = told.last() else {
        return format!("pending at {}: the scheduler has not looked at it yet", absolute(until));
    };
    let mut rejections = rejections(message);
    rejections.sort_by_key(|r| std::cmp::Reverse(r.nodes));
    match &rejections[..] {
        [] => format!("pending at {}: {message}", absolute(until)),
        all => {
            let said: Vec<String> = all.iter().map(|r| format!("{} on {}", r.filter, nodes(r.nodes))).collect();
            format!("pending at {}: no node suits; {}", absolute(until), said.join(", "))
        }
    }
}

fn nodes(n: u64) -> String {
    if n == 1 { "1 node".to_owned() } else { format!("{} nodes", grouped(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedulers_message_is_read() {
        let found = rejections(
            "0/6 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, 3 node(s) had untolerated taint \
             {node.kubernetes.io/unreachable: }. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.",
        );
        let short: Vec<(u64, &str)> = found.iter().map(|r| (r.nodes, r.filter)).collect();
        assert_eq!(short, [(1, "NodeUnschedulable"), (2, "NodeResourcesFit"), (3, "TaintToleration")]);
        assert_eq!(rejections("no nodes available to schedule pods"), []);
    }
}
