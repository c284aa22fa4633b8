//! Where pods are placed and run.
//!
//! `runs-twice`: containers of two pods of one name of a StatefulSet run at one time.
//!
//! Judged by what runs, not by what the API says: a pod that was deleted by force, or as out of
//! service, may run on. With its node it does where that is cut off: otherwise `DeleteNode` takes the
//! machine, too. Whether clients reach both does not matter, as both may write to what they share.
//!
//! `bound-to-cordoned`: the scheduler binds a pod to a node that has been cordoned for long.
//!
//! The scheduler decides by its cache, so that the API server takes a binding to a node that was
//! cordoned a moment before. The default bound is what its watch may be behind: a reflector pauses
//! for 30 s at the longest, and by jitter for twice that. Left out: pods that tolerate the taint of
//! cordoned nodes, as those of DaemonSets do.

use super::super::truth::Truth;
use super::prelude::*;
use crate::api::taint::UNSCHEDULABLE;

pub(super) fn runs_twice<'a>(analysis: &'a Analysis<'a>, found: &mut Found) {
    let names = &analysis.trace.names;
    let is_of_set = |pod| {
        let owner = names.owner_of(pod).map(|w| names.workload_name(w));
        owner.is_some_and(|name| name.starts_with(WorkloadKind::StatefulSet.as_str()))
    };
    let mut truth = Truth::new(analysis);
    let mut began: BTreeMap<PodId, RecordId> = BTreeMap::new();
    let mut twice: BTreeSet<PodId> = BTreeSet::new();
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        truth.apply(id, r, &mut |_, _, _| {});
        for pod in twice.extract_if(.., |pod| truth.running(*pod) < 2) {
            found.lasts((Some(pod), None), r.at);
        }
        let (What::ContainersStarted(node), Some(pod)) = (r.what, r.pod()) else { continue };
        let first = began.insert(pod, id);
        if truth.running(pod) < 2 || !is_of_set(pod) {
            continue;
        }
        let (name, node) = (analysis.pod_name(pod), NodeId(node));
        let others: Vec<&str> = truth.earlier(pod).map(|n| analysis.node_name(n)).collect();
        let text = format!(
            "{name} runs on {} from {:#} on while containers of an earlier pod of that name still run on {}",
            analysis.node_name(node),
            r.at,
            others.join(", ")
        );
        found.add(r.at, (Some(pod), Some(node)), text, &[first.unwrap_or(NO_RECORD), id]);
        found.lasts((Some(pod), None), Time::MAX);
        twice.insert(pod);
    }
    for v in found.all.iter_mut().filter(|v| v.until < Time::MAX) {
        v.text = format!("{}, until {:#}", v.text, v.until);
    }
}

pub(super) fn bound_to_cordoned<'a>(analysis: &'a Analysis<'a>, found: &mut Found, within: Dur) {
    let operators = analysis.plan.profile.taint_eviction.comparison_operators;
    let cordoned = Taint::new(UNSCHEDULABLE, Effect::NoSchedule);
    let mut since: BTreeMap<NodeId, (Time, RecordId)> = (0..)
        .zip(&analysis.plan.nodes)
        .filter(|(_, node)| node.unschedulable)
        .map(|(i, _)| (analysis.node_id(i), (Time::ZERO, NO_RECORD)))
        .collect();
    let mut follow = Follow::new(analysis);
    while let Some((id, r, _)) = follow.step() {
        match (r.what, r.node(), r.pod()) {
            (What::NodeUnschedulable(true), Some(node), _) => _ = since.insert(node, (r.at, id)),
            (What::NodeUnschedulable(false) | What::NodeDeleted, Some(node), _) => {
                since.remove(&node);
            }
            (What::PodBound(node), _, Some(pod)) if r.actor == Actor::Scheduler => {
                let node = NodeId(node);
                let Some((at, record)) = since.get(&node) else { continue };
                let seen = analysis.due(*at, within).is_some_and(|seen| seen < r.at);
                let tolerates = |t: &Toleration| t.tolerates(&cordoned, operators);
                if !seen || follow.tolerations(pod).iter().any(tolerates) {
                    continue;
                }
                let (name, on) = (analysis.pod_name(pod), analysis.node_name(node));
                let text = format!(
                    "{name} was bound to {on} at {:#}, which has been cordoned since {at:#}",
                    r.at
                );
                found.add(r.at, (Some(pod), Some(node)), text, &[*record, id]);
            }
            _ => {}
        }
    }
}
