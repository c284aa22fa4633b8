//! NodeResourcesFit (`plugins/noderesources/fit.go`, `least_allocated.go`, `most_allocated.go`): a
//! pod's requests have to be free, and emptier (or fuller) nodes are liked better.

use crate::controllers::scheduler::prelude::*;
use crate::plan::Strategy;
use std::borrow::Cow;

/// Rejects a node on which any requested resource, or the number of pods, is used up
/// (`fitsRequest`).
pub(crate) fn filter(shape: &Shape, node: &NodeInfo, switches: &Switches) -> Verdict {
    let mut reasons: Vec<Cow<'static, str>> = Vec::new();
    let mut too_large = false;
    if node.pods.len() as i64 + 1 > node.allowed_pods {
        let words = if switches.too_many_pods { "Too many pods" } else { "Insufficient pods" };
        reasons.push(words.into());
    }
    let (request, a, r) = (&shape.requests, &node.allocatable, &node.requested);
    if !request.is_nothing() {
        for (reason, wanted, allocatable, requested) in [
            ("Insufficient cpu", request.cpu, a.cpu, r.cpu),
            ("Insufficient memory", request.memory, a.memory, r.memory),
            ("Insufficient ephemeral-storage", request.ephemeral, a.ephemeral, r.ephemeral),
        ] {
            if (wanted > 0 || !switches.fit_ignores_unrequested)
                && wanted > allocatable.wrapping_sub(requested)
            {
                reasons.push(reason.into());
                too_large |= wanted > allocatable;
            }
        }
        for (name, wanted) in request.scalars.iter().filter(|(_, wanted)| *wanted > 0) {
            let allocatable = a.scalar(name);
            if *wanted > allocatable.wrapping_sub(r.scalar(name)) {
                reasons.push(format!("Insufficient {name}").into());
                too_large |= *wanted > allocatable;
            }
        }
    }
    if reasons.is_empty() {
        return Ok(());
    }
    let unresolvable = too_large && switches.fit_knows_too_large;
    Err(Rejection { plugin: Plugin::NodeResourcesFit, unresolvable, reasons })
}

/// The score of a node with the pod on it, by requests with defaults (`leastResourceScorer`,
/// `mostResourceScorer`).
pub fn score(shape: &Shape, node: &NodeInfo, strategy: Strategy) -> i64 {
    let parts = [
        (node.non_zero.0.wrapping_add(shape.non_zero.0), node.allocatable.cpu),
        (node.non_zero.1.wrapping_add(shape.non_zero.1), node.allocatable.memory),
    ];
    let (mut sum, mut weights) = (0_i64, 0);
    for (requested, capacity) in parts.into_iter().filter(|(_, capacity)| *capacity != 0) {
        // All of it wraps, as Go's int64 do.
        sum = sum.wrapping_add(match strategy {
            Strategy::LeastAllocated if requested > capacity => 0,
            Strategy::LeastAllocated => {
                capacity.wrapping_sub(requested).wrapping_mul(MAX_NODE_SCORE).wrapping_div(capacity)
            }
            Strategy::MostAllocated => {
                requested.min(capacity).wrapping_mul(MAX_NODE_SCORE).wrapping_div(capacity)
            }
        });
        weights += 1;
    }
    if weights == 0 { 0 } else { sum / weights }
}

/// Whether a node that was added, or whose allocatable resources changed, may help a pod that this
/// plugin rejected (`isSchedulableAfterNodeChange`): the empty node fits it, and something it asks
/// for grew.
pub(crate) fn hint(shape: &Shape, (old, new): Nodes<'_>, switches: &Switches) -> bool {
    let Some(new) = new else { return false };
    let new = NodeInfo::empty(new);
    if filter(shape, &new, switches).is_err() {
        return false;
    }
    let Some(old) = old.map(NodeInfo::empty) else { return true };
    let (wanted, a, b) = (&shape.requests, &old.allocatable, &new.allocatable);
    new.allowed_pods > old.allowed_pods
        || wanted.cpu > 0 && b.cpu > a.cpu
        || wanted.memory > 0 && b.memory > a.memory
        || wanted.ephemeral > 0 && b.ephemeral > a.ephemeral
        || wanted.scalars.iter().any(|(n, w)| *w > 0 && b.scalar(n) > a.scalar(n))
}
