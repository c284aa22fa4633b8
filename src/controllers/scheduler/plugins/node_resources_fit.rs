//! NodeResourcesFit (`plugins/noderesources/fit.go`, `least_allocated.go`, `most_allocated.go`): a
//! pod's requests have to be free, and emptier (or fuller) nodes are liked better.

use super::super::resources::Amounts;
use crate::controllers::scheduler::prelude::*;
use crate::plan::Strategy;
use std::borrow::Cow;

/// Rejects a node on which any requested resource, or the number of pods, is used up
/// (`fitsRequest`).
pub(crate) fn filter(shape: &Shape, node: &NodeInfo, switches: &Switches) -> Verdict {
    if fits(&shape.requests, node, switches) { Ok(()) } else { Err(reasons(shape, node, switches)) }
}

fn fits(request: &Amounts, node: &NodeInfo, switches: &Switches) -> bool {
    if node.pods.len() as i64 + 1 > node.allowed_pods {
        return false;
    }
    let lacks = |wanted: i64, allocatable: i64, requested: i64| {
        (wanted > 0 || !switches.fit_ignores_unrequested)
            && wanted > allocatable.wrapping_sub(requested)
    };
    let (a, r) = (&node.allocatable, &node.requested);
    request.is_nothing()
        || !(lacks(request.cpu, a.cpu, r.cpu)
            || lacks(request.memory, a.memory, r.memory)
            || lacks(request.ephemeral, a.ephemeral, r.ephemeral)
            || request
                .scalars
                .iter()
                .any(|(n, wanted)| *wanted > 0 && *wanted > a.scalar(n).wrapping_sub(r.scalar(n))))
}

fn reasons(shape: &Shape, node: &NodeInfo, switches: &Switches) -> Rejection {
    let mut reasons: Vec<Cow<'static, str>> = Vec::new();
    let mut too_large = false;
    if node.pods.len() as i64 + 1 > node.allowed_pods {
        reasons.push("Too many pods".into());
    }
    let (request, a, r) = (&shape.requests, &node.allocatable, &node.requested);
    if !request.is_nothing() {
        let mut check = |name: Cow<'static, str>, wanted: i64, allocatable: i64, requested: i64| {
            if (wanted > 0 || !switches.fit_ignores_unrequested)
                && wanted > allocatable.wrapping_sub(requested)
            {
                reasons.push(name);
                too_large |= wanted > allocatable;
            }
        };
        check("Insufficient cpu".into(), request.cpu, a.cpu, r.cpu);
        check("Insufficient memory".into(), request.memory, a.memory, r.memory);
        check("Insufficient ephemeral-storage".into(), request.ephemeral, a.ephemeral, r.ephemeral);
        for (name, wanted) in request.scalars.iter().filter(|(_, wanted)| *wanted > 0) {
            check(format!("Insufficient {name}").into(), *wanted, a.scalar(name), r.scalar(name));
        }
    }
    Rejection {
        plugin: Plugin::NodeResourcesFit,
        unresolvable: too_large && switches.fit_knows_too_large,
        reasons,
    }
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
pub(crate) fn hint(
    shape: &Shape,
    old: Option<&Node>,
    new: Option<&Node>,
    switches: &Switches,
) -> bool {
    let Some(new) = new else { return false };
    let new = NodeInfo::empty(new);
    if !fits(&shape.requests, &new, switches) {
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
