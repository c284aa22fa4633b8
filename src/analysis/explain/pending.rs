//! Why a pod has no node: which filter said no, on which nodes.

use super::prelude::*;

/// A reason with the number of nodes it holds for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rejection {
    pub(super) nodes: u64,
    pub(super) filter: &'static str,
    reason: String,
    /// The nodes, where they are known.
    names: String,
}

/// The filters by words of their messages (`pkg/scheduler/framework/plugins/*`), the first that
/// fits.
const FILTERS: [(&str, &str); 39] = [
    ("PersistentVolume's node affinity", "VolumeBinding"),
    ("volume node affinity", "VolumeBinding"),
    ("persistent volumes to bind", "VolumeBinding"),
    ("unbound immediate", "VolumeBinding"),
    ("enough free storage", "VolumeBinding"),
    ("ReadWriteOncePod", "VolumeRestrictions"),
    ("max volume count", "NodeVolumeLimits"),
    ("allocate all claims", "DynamicResources"),
    ("resource claim", "DynamicResources"),
    ("resourceclaim", "DynamicResources"),
    ("pod topology spread", "PodTopologySpread"),
    ("pod affinity", "InterPodAffinity"),
    ("pod anti-affinity", "InterPodAffinity"),
    ("existing pods anti-affinity", "InterPodAffinity"),
    ("affinity/selector", "NodeAffinity"),
    ("node selector", "NodeAffinity"),
    ("[NodeAffinity]", "NodeAffinity"),
    ("taint", "TaintToleration"),
    ("unschedulable", "NodeUnschedulable"),
    ("were not ready", "CheckNodeCondition"),
    ("out of disk space", "CheckNodeCondition"),
    ("unavailable network", "CheckNodeCondition"),
    ("memory pressure", "CheckNodeMemoryPressure"),
    ("pid pressure", "CheckNodePIDPressure"),
    ("disk pressure", "CheckNodeDiskPressure"),
    ("ports", "NodePorts"),
    ("Insufficient", "NodeResourcesFit"),
    ("Too many pods", "NodeResourcesFit"),
    // Up to 1.9
    ("MatchNodeSelector", "NodeAffinity"),
    ("PodToleratesNodeTaints", "TaintToleration"),
    ("PodFitsHostPorts", "NodePorts"),
    ("AffinityRulesNotMatch", "InterPodAffinity"),
    ("MatchInterPodAffinity", "InterPodAffinity"),
    ("NodeNotReady", "CheckNodeCondition"),
    ("NodeUnschedulable", "CheckNodeCondition"),
    ("NodeOutOfDisk", "CheckNodeCondition"),
    ("NodeNetworkUnavailable", "CheckNodeCondition"),
    ("NodeUnderMemoryPressure", "CheckNodeMemoryPressure"),
    ("NodeUnderDiskPressure", "CheckNodeDiskPressure"),
];

/// Whether the scheduler can say this of a node, as far as filters are known by their words.
pub(in crate::analysis) fn is_of_filter(reason: &str) -> bool {
    FILTERS.iter().any(|(word, _)| reason.contains(word) || word.contains(reason))
}

/// That the scheduler does not try a pod before its gates are taken away (`SchedulingGates.PreEnqueue`).
pub(in crate::analysis) fn gated(gates: &[String]) -> String {
    format!("not to be scheduled before its schedulingGates are removed: {}", gates.join(", "))
}

/// Reads `0/5 nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated taint {a: b}.
/// preemption: …`.
pub(super) fn rejections(message: &str) -> Vec<Rejection> {
    let Some((_, list)) = message.split_once("nodes are available: ") else { return Vec::new() };
    let list = list.split(". ").next().unwrap_or(list).trim_end_matches('.');
    let one = |part: &str| {
        let (nodes, reason) = part.split_once(' ')?;
        let (nodes, known) = (nodes.parse().ok()?, FILTERS.iter().find(|f| reason.contains(f.0)));
        let (filter, names) = (known.map_or("a filter", |f| f.1), String::new());
        Some(Rejection { nodes, filter, reason: reason.to_owned(), names })
    };
    list.split(", ").filter_map(one).collect()
}

/// The result of the scheduler, in one attempt or in several alike ones.
pub(super) struct Attempt {
    at: Time,
    pub(super) record: RecordId,
    pub(super) rejections: Vec<Rejection>,
}

impl Attempt {
    /// From the record of an attempt that found no node.
    pub(super) fn new(analysis: &Analysis<'_>, id: RecordId, r: &Record) -> Self {
        let mut by_reason: BTreeMap<(&'static str, &str), Vec<&str>> = BTreeMap::new();
        for (node, rejection) in analysis.trace.verdicts(r) {
            let names = by_reason.entry((rejection.plugin, &rejection.reason)).or_default();
            names.extend(node.map(|n| analysis.node_name(n)));
        }
        let one = |((filter, reason), names): ((&'static str, &str), Vec<&str>)| Rejection {
            nodes: names.len() as u64,
            filter,
            reason: reason.to_owned(),
            names: ranges(&names),
        };
        Attempt { at: r.at, record: id, rejections: by_reason.into_iter().map(one).collect() }
    }
}

/// The steps of a pod that the scheduler could not place: each result, when it first came.
pub(super) fn steps(attempts: &[Attempt]) -> Vec<Step> {
    let step = |a: &Attempt| {
        let said = |Rejection { nodes, filter, reason, names }: &Rejection| match *nodes {
            0 => format!("{filter} refuses the pod ({reason})"),
            n => format!("{filter} says no to {}: {names} ({reason})", counted(n, "node")),
        };
        let rule = a.rejections.iter().map(said).collect::<Vec<_>>().join("; ");
        let text = "the scheduler finds no node for it".to_owned();
        Step { at: a.at, text, rule: Some(rule).filter(|r| !r.is_empty()), record: Some(a.record) }
    };
    attempts.iter().map(step).collect()
}

/// The answer in one line, of a pod with these scheduling gates.
pub(super) fn verdict(attempts: &[Attempt], gates: &[String], until: Time) -> String {
    let Some(last) = attempts.last() else {
        let why = match gates {
            [] => "the scheduler has not looked at it yet".to_owned(),
            gates => gated(gates),
        };
        return format!("pending at {}: {why}", absolute(until));
    };
    let mut by_filter: BTreeMap<&str, u64> = BTreeMap::new();
    for r in &last.rejections {
        *by_filter.entry(r.filter).or_default() += r.nodes;
    }
    let mut by_filter: Vec<(&str, u64)> = by_filter.into_iter().collect();
    by_filter.sort_by_key(|(_, n)| Reverse(*n));
    let said = |(filter, n): &(&str, u64)| {
        if *n == 0 { (*filter).to_owned() } else { format!("{filter} on {}", counted(*n, "node")) }
    };
    let pending = format!("pending at {}: no node suits", absolute(until));
    if by_filter.is_empty() {
        return pending;
    }
    format!("{pending}; {}", by_filter.iter().map(said).collect::<Vec<_>>().join(", "))
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
        assert_eq!(
            short,
            [(1, "NodeUnschedulable"), (2, "NodeResourcesFit"), (3, "TaintToleration")]
        );
        assert_eq!(rejections("no nodes available to schedule pods"), []);
        let of_devices = "0/3 nodes are available: 2 cannot allocate all claims, 1 resourceclaim not available on the node.";
        let filters: Vec<_> = rejections(of_devices).iter().map(|r| r.filter).collect();
        assert_eq!(filters, ["DynamicResources"; 2]);
    }
}
