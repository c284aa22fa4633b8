//! The eviction timers of an export of which nobody knows when they end, in words: a run draws it.
//!
//! It is what the taint eviction controller of a run recalls (`controllers/taint_eviction/memory.rs`).

use crate::analysis::ranges;
use crate::api::meta::ConditionStatus;
use crate::api::pod::{PodCondition, PodReason};
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::matching_tolerations;
use crate::cli::prelude::*;
use crate::plan::{Memory, PodPlan, PodStart};

/// A sentence on the pods whose taints tell no time, and one on those that should be gone by it.
pub(super) fn unknown(plan: &Plan, clock: WallClock) -> Vec<String> {
    let Some(memory) = plan.memory.as_ref().filter(|_| plan.flags.enable_taint_manager) else {
        return Vec::new();
    };
    let at_work = |pod: &PodPlan| evicted_at(pod).is_some_and(|at| at >= -Memory::AT_WORK_S);
    if plan.pods.iter().any(at_work) {
        return Vec::new();
    }
    let office_s = memory.office_us.map_or(i64::MIN, |us| us.div_euclid(1_000_000));
    let there = plan.pods.iter().filter(|p| !p.start.is_deleting() && evicted_at(p).is_none());
    let timers = there.filter_map(|pod| Some((pod, timer(plan, pod)?)));
    let mut pods: [(Vec<&str>, i64); 2] = Default::default();
    for (pod, (added, stay)) in timers {
        let due = added.unwrap_or(i64::MIN).max(office_s).saturating_add(stay);
        if due < -Memory::NEVER_DUE_S {
            let (names, longest) = &mut pods[usize::from(added.is_some())];
            names.push(&pod.name);
            *longest = (*longest).max(stay);
        }
    }
    let whys = [
        "their nodes' taints have no `timeAdded`",
        "by the `timeAdded` of their nodes' taints they should be",
    ];
    let said = pods.iter().zip(whys).filter(|((names, _), _)| !names.is_empty());
    said.map(|((names, longest), why)| {
        let last = clock.clock(Time::from_secs(longest.unsigned_abs()));
        let names = ranges(names);
        format!("Assumed: eviction timers of {names} are not over yet; {why}. When they end is drawn, by {last} at the latest.")
    })
    .collect()
}

/// When the taint was added that set a pod's timer, in seconds from the start, and how many seconds
/// the pod tolerates it; none of a pod that has no timer, or goes at once.
fn timer(plan: &Plan, pod: &PodPlan) -> Option<(Option<i64>, i64)> {
    let node = plan.nodes.get(pod.node? as usize)?;
    let no_execute = node.taints.iter().filter(|t| t.effect == Effect::NoExecute);
    let mut taints: Vec<Taint> = no_execute.cloned().collect();
    taints.sort_by_key(|t| t.time_added.map_or(i64::MIN, |at| at.0));
    let tolerations = &plan.templates[pod.template as usize].tolerations;
    let operators = plan.profile.taint_eviction.comparison_operators;
    let stay = |taints: &[Taint]| match matching_tolerations(taints, tolerations, operators) {
        Some(used) => used.iter().filter_map(|t| t.toleration_seconds).min(),
        None => Some(0),
    };
    if stay(&taints).is_some_and(|seconds| seconds <= 0) {
        return None;
    }
    (1..=taints.len())
        .find_map(|n| Some((taints[n - 1].time_added.map(|at| at.0), stay(&taints[..n])?)))
}

/// When the controller began to evict a pod, in seconds from the start.
fn evicted_at(pod: &PodPlan) -> Option<i64> {
    let PodStart::Imported { disruption_target: Some(target), .. } = &pod.start else {
        return None;
    };
    let is_own = |c: &&PodCondition| {
        c.status == ConditionStatus::True && c.reason == PodReason::DeletionByTaintManager
    };
    Some(target).filter(is_own).map(|c| c.last_transition_time.0)
}
