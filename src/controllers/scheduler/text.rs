//! The text of a failed attempt (`framework/types.go: FitError.Error`).

use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::FitWords;

/// What the event of a pod says when there are no nodes.
pub(crate) const NO_NODES: &str = "no nodes available to schedule pods";
/// What preemption says of nodes that it cannot help with.
const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";
/// An event's note is not longer (`NoteLengthLimit`).
const NOTE_LENGTH_LIMIT: usize = 1024;

/// Counts of nodes by reason.
#[derive(Default)]
pub(super) struct Histogram<'a>(BTreeMap<&'a str, usize>);

impl<'a> Histogram<'a> {
    /// Whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts nodes in that have these reasons.
    pub(super) fn add(&mut self, reasons: impl Iterator<Item = &'a str>, nodes: usize) {
        for reason in reasons {
            *self.0.entry(reason).or_insert(0) += nodes;
        }
    }

    /// "2 this, 1 that", sorted as text; up to 1.8 "that (1), this (2)".
    pub(super) fn text(&self, words: FitWords) -> String {
        let part = |(reason, nodes): (&&str, &usize)| match words {
            FitWords::Following | FitWords::Predicates => format!("{reason} ({nodes})"),
            FitWords::Names | FitWords::Described => format!("{nodes} {reason}"),
        };
        let mut parts: Vec<String> = self.0.iter().map(part).collect();
        parts.sort_unstable();
        parts.join(", ")
    }
}

/// Each reason of a rejection, as the release words it.
pub(super) fn reasons(r: &Rejection, words: FitWords) -> impl Iterator<Item = &str> {
    r.reasons.iter().filter_map(move |reason| match words {
        FitWords::Described => Some(&**reason),
        _ => predicate(reason, words),
    })
}

/// The name that stood for a reason up to 1.9 (`plugin/pkg/scheduler/algorithm/predicates/error.go`); none where there was none.
fn predicate(reason: &str, words: FitWords) -> Option<&str> {
    let is_1_9 = words == FitWords::Names;
    Some(match reason {
        "node(s) didn't match node selector" => "MatchNodeSelector",
        "node(s) had taints that the pod didn't tolerate" => "PodToleratesNodeTaints",
        "node(s) didn't have free ports for the requested pod ports" => "PodFitsHostPorts",
        "node(s) didn't match pod affinity/anti-affinity" => "MatchInterPodAffinity",
        "node(s) didn't match pod affinity rules" if is_1_9 => "PodAffinityRulesNotMatch",
        "node(s) didn't match pod anti-affinity rules" if is_1_9 => "PodAntiAffinityRulesNotMatch",
        "node(s) didn't satisfy existing pods anti-affinity rules" if is_1_9 => {
            "ExistingPodsAntiAffinityRulesNotMatch"
        }
        "node(s) didn't match pod affinity rules"
        | "node(s) didn't match pod anti-affinity rules"
        | "node(s) didn't satisfy existing pods anti-affinity rules" => return None,
        "node(s) had memory pressure" => "NodeUnderMemoryPressure",
        "node(s) had disk pressure" => "NodeUnderDiskPressure",
        "node(s) were out of disk space" => "NodeOutOfDisk",
        "node(s) were not ready" => "NodeNotReady",
        "node(s) had unavailable network" => "NodeNetworkUnavailable",
        "node(s) were unschedulable" => "NodeUnschedulable",
        "node(s) exceed max volume count" => "MaxVolumeCount",
        "node(s) had volume node affinity conflict" if is_1_9 => "VolumeNodeAffinityConflict",
        "node(s) had volume node affinity conflict" => "NoVolumeNodeConflict",
        "node(s) didn't find available persistent volumes to bind" => "VolumeBindingNoMatch",
        other => other,
    })
}

/// What preemption says where it helps on no node: the reasons of the dry runs, and of `nodes`
/// those that were not tried are beyond help.
pub(crate) fn no_candidates<'a>(
    nodes: usize,
    dry_runs: impl Iterator<Item = &'a Rejection>,
) -> String {
    let mut histogram = Histogram::default();
    let mut beyond_help = nodes;
    for r in dry_runs {
        histogram.add(reasons(r, FitWords::Described), 1);
        beyond_help -= 1;
    }
    if beyond_help > 0 {
        histogram.add([NOT_HELPFUL].into_iter(), beyond_help);
    }
    format!("0/{nodes} nodes are available: {}.", histogram.text(FitWords::Described))
}

/// A text as it fits an event (`truncateMessage`).
pub(crate) fn note(text: &str) -> String {
    const SUFFIX: &str = " ...";
    if text.len() <= NOTE_LENGTH_LIMIT {
        return text.to_owned();
    }
    let mut end = NOTE_LENGTH_LIMIT - SUFFIX.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{SUFFIX}", &text[..end])
}
