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

/// Words of the filters' messages (`pkg/scheduler/framework/plugins/*`), a line each; the last two lines are of releases up to 1.9.
const WORDS: &str = "PersistentVolume's node affinity|volume node affinity|persistent volumes to bind|unbound immediate
enough free storage|ReadWriteOncePod|max volume count|CSI driver is not installed|allocate all claims|resource claim|resourceclaim
pod topology spread|pod affinity|pod anti-affinity|existing pods anti-affinity|affinity/selector|node selector|[NodeAffinity]
taint|unschedulable|were not ready|out of disk space|unavailable network|memory pressure|pid pressure|disk pressure
ports|Insufficient|Too many pods
MatchNodeSelector|PodToleratesNodeTaints|PodFitsHostPorts|AffinityRulesNotMatch|MatchInterPodAffinity|NodeNotReady
NodeUnschedulable|NodeOutOfDisk|NodeNetworkUnavailable|NodeUnderMemoryPressure|NodeUnderDiskPressure";

/// Whether the scheduler can say this of a node, as far as filters are known by their words.
pub(in crate::analysis) fn is_of_filter(reason: &str) -> bool {
    WORDS.split(['|', '\n']).any(|word| reason.contains(word) || word.contains(reason))
}

/// That the scheduler does not try a pod before its gates are taken away (`SchedulingGates.PreEnqueue`).
pub(in crate::analysis) fn gated(gates: &[String]) -> String {
    format!("not to be scheduled before its schedulingGates are removed: {}", gates.join(", "))
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
