//! `needless-eviction`: taint eviction deletes a pod that could have stayed.
//!
//! Judged by the API at the moment at which the deletion is applied, not by what the controller
//! could know.
//!
//! `wrong-pod`: a deletion meant for one pod hits its successor of the same name.
//!
//! A deletion is meant for the life of the name in which its timer was set, or which its author had
//! read when it decided. `kubectl drain` means pods of nodes that it has cordoned, also where somebody uncordons
//! them meanwhile, but asks by name: it hits a successor on another node. Left out: other deletions by people, who mean
//! whoever has the name.
//!
//! `timer-reset`: a countdown begins anew, and ends later, although the taint never left.
//!
//! Counted within one life of a pod, with the same tolerations, for a taint that was there when the
//! first countdown began and still is when the next one does.
//!
//! `evict-loop`: a workload's pods are placed on a node and evicted from it, again and again.
//!
//! Rounds are counted: an eviction counts when its pod was created after the eviction that counted
//! last, so that several pods that leave a node together are one. Pods without a workload are
//! counted by name. Counting begins anew with an outage of its own: the node had no NoExecute taint for an hour, and
//! then gets one. A taint that stays, or comes and goes more often, is one loop. What a device's taint evicts counts
//! as well, and begins anew where an hour went by without.

use super::prelude::*;
use super::walk::{Due, evicted, short};

pub(super) fn needless_eviction<'a>(analysis: &'a Analysis<'a>, found: &mut Found) {
    let mut walk = Walk::new(analysis);
    while let Some((id, r, step)) = walk.step() {
        let Some((pod, before)) = evicted(&step, r) else { continue };
        let due = walk.due(pod, &before, true);
        if due.is_some_and(|d| d.at <= r.at) {
            continue;
        }
        let (name, node) = (walk.analysis.pod_name(pod), walk.node_of(&before));
        let why = match due {
            None if before.node_id().is_none() => "it was on no node".to_owned(),
            None => format!("no NoExecute taint of {node} required it"),
            Some(Due { at, taint, seconds }) => {
                format!("it tolerates {} of {node} for {seconds}s, until {at:#}", short(&taint))
            }
        };
        let timer = within_life(walk.analysis.trace, id)
            .find(|(_, r)| matches!(r.what, What::TimerSet(_)))
            .map_or(NO_RECORD, |(id, _)| id);
        let text = format!("{name} was deleted by taint eviction at {:#} although {why}", r.at);
        let tainted = due.map_or(NO_RECORD, |d| d.taint.record);
        found.add(r.at, (Some(pod), before.node_id()), text, &[timer, tainted, id]);
    }
}

pub(super) fn wrong_pod<'a>(analysis: &'a Analysis<'a>, found: &mut Found) {
    let mut walk = Walk::new(analysis);
    let nodes = (0..).zip(&analysis.plan.nodes).filter(|(_, node)| node.unschedulable);
    // By node with which record it was cordoned no longer, and by whose call.
    let mut cordoned: BTreeMap<NodeId, [RecordId; 2]> =
        nodes.map(|(i, _)| (analysis.node_id(i), [NO_RECORD; 2])).collect();
    while let Some((id, r, step)) = walk.step() {
        if let (What::NodeUnschedulable(is_cordoned), Some(node)) = (r.what, r.node()) {
            cordoned.insert(node, if is_cordoned { [NO_RECORD; 2] } else { [id, r.cause] });
        }
        let Some((pod, before)) = step.deletion_begins() else { continue };
        // One from the start has no predecessor.
        let created = Some(walk.life(pod).created).filter(|created| *created != NO_RECORD);
        let Some(created) = created else { continue };
        let (trace, is_by_user) = (walk.analysis.trace, r.actor == Actor::User);
        let until = before.node_id().and_then(|node| cordoned.get(&node));
        let is_drained = |began| until.is_some_and(|[at, by]| *at > began && *by != began);
        let meant = match is_by_user {
            true => drained(trace, r, pod, created)
                .and_then(|(began, meant)| (!is_drained(began)).then_some(meant)),
            false => meant(trace, id, r, pod),
        };
        let Some(meant) = meant.filter(|meant| *meant < created) else { continue };
        let since = trace.get(created).map_or(r.at, |c| c.at);
        let decided = trace.get(meant).map_or(r.at, |m| m.at);
        let name = walk.analysis.pod_name(pod);
        let actor = if is_by_user { "kubectl drain" } else { r.actor.as_str() };
        let text = format!(
            "{actor} deleted {name}, which exists since {since:#}, at {:#} as it meant to delete its predecessor at {decided:#}",
            r.at
        );
        found.add(r.at, (Some(pod), before.node_id()), text, &[meant, created, id]);
    }
}

/// The record that says which life of the pod a deletion was meant for.
fn meant(trace: &Trace, id: RecordId, r: &Record, pod: PodId) -> Option<RecordId> {
    match r.actor {
        Actor::TaintEviction => chain(trace, id)
            .find(|(_, r)| matches!(r.what, What::TimerSet(_)) && r.pod() == Some(pod))
            .map(|(timer, _)| timer),
        // Events say nothing of a version; everything else that a version rests on is about the pod
        // itself.
        _ => trace.get(r.saw).filter(|saw| saw.pod() == Some(pod)).map(|_| r.saw),
    }
}

/// When a drain began, and the same of it, which says no version: when it was refused the pod that was there before this one was
/// created, or else began. None of what people delete otherwise.
fn drained(
    trace: &Trace,
    r: &Record,
    pod: PodId,
    created: RecordId,
) -> Option<(RecordId, RecordId)> {
    let is_drain = |a: &&Record| matches!(a.what, What::EvictionGranted(_) | What::DrainDeletes);
    let began = trace.get(r.cause).filter(is_drain)?.cause;
    let is_refusal = |r: &Record| {
        matches!(r.what, What::EvictionRefused(_)) && (r.cause, r.pod()) == (began, Some(pod))
    };
    let refused = (began..created).rev().find(|id| trace.get(*id).is_some_and(is_refusal));
    Some((began, refused.unwrap_or(began)))
}

/// A node without a NoExecute taint for this long is well. Taints that come and go by themselves do so within minutes:
/// `--eviction-pressure-transition-period` is 5m, and a pod tolerates a failing node for 5m.
const WELL: Dur = Dur::from_secs(3_600);

/// A countdown that began.
#[derive(Clone, Copy)]
struct Countdown {
    record: RecordId,
    began: Time,
    ends: Time,
}

pub(super) fn timer_reset<'a>(analysis: &'a Analysis<'a>, found: &mut Found) {
    let mut walk = Walk::new(analysis);
    let mut latest: Vec<Option<Countdown>> = vec![None; analysis.pods.len()];
    while let Some((id, r, step)) = walk.step() {
        let Some((pod, _, now)) = step.pod else { continue };
        match r.what {
            What::PodCreated(_) | What::PodGone | What::PodTolerations | What::PodBound(_) => {
                latest[pod.index()] = None
            }
            What::TimerSet(seconds) if !now.deleting => {
                let ends = r.at.checked_add(Dur::from_secs(seconds.into())).unwrap_or(Time::MAX);
                let next = Countdown { record: id, began: r.at, ends };
                let before = latest[pod.index()].replace(next);
                let is_anew = |b: &Countdown| b.began < r.at && next.ends > b.ends;
                let Some(first) = before.filter(is_anew) else { continue };
                let stayed = |d: &Due<'_>| d.seconds > 0 && d.taint.since <= first.began;
                let Some(due) = walk.due(pod, &now, false).filter(stayed) else { continue };
                let (name, node) = (walk.analysis.pod_name(pod), walk.node_of(&now));
                let (began, since, taint) = (first.began, due.taint.since, short(&due.taint));
                let text = format!(
                    "the {seconds}s of {name} began anew at {:#} instead of {began:#} although {node} has had {taint} since {since:#}",
                    r.at
                );
                let records = [due.taint.record, first.record, id];
                found.add(r.at, (Some(pod), now.node_id()), text, &records);
            }
            _ => {}
        }
    }
}

pub(super) fn evict_loop<'a>(analysis: &'a Analysis<'a>, found: &mut Found, more_than: u32) {
    let mut walk = Walk::new(analysis);
    let owners = Owners::new(analysis);
    let workload = |pod| Some(analysis.trace.names.workload_name(owners.of(analysis, pod)?));
    // By the name of whose pods are counted together, and the node.
    let mut rounds: BTreeMap<(&str, NodeId), (u32, RecordId, RecordId)> = BTreeMap::new();
    // By node: when its last NoExecute taint went, and with which record its present outage began.
    let mut free_since = vec![Time::ZERO; analysis.node_count()];
    let mut outages: Vec<RecordId> = vec![0; free_since.len()];
    while let Some((id, r, step)) = walk.step() {
        if let Some((node, before, after)) = step.node {
            let free_since = &mut free_since[node.index()];
            match [before, after].map(|n| n.no_execute > 0) {
                [true, false] => *free_since = r.at,
                [false, true] if r.at.since(*free_since) >= WELL => outages[node.index()] = id,
                _ => {}
            }
        }
        let by_device = r.actor == Actor::DeviceTaintEviction;
        let device = step.deletion_begins().filter(|_| by_device);
        let Some((pod, before)) = evicted(&step, r).or(device) else { continue };
        let created = walk.life(pod).created;
        let Some(node) = before.node_id() else { continue };
        let name = workload(pod).unwrap_or_else(|| analysis.pod_name(pod));
        let (count, first, last) = rounds.entry((name, node)).or_insert((0, id, NO_RECORD));
        let at_last = analysis.trace.get(*last).map_or(r.at, |last| last.at);
        let is_well = by_device && r.at.since(at_last) >= WELL;
        if *last != NO_RECORD && (*last < outages[node.index()] || is_well) {
            (*count, *first, *last) = (0, id, NO_RECORD);
        }
        let is_next = *last == NO_RECORD || created != NO_RECORD && created > *last;
        if !is_next {
            continue;
        }
        (*count, *last) = (*count + 1, id);
        if *count != more_than.saturating_add(1) {
            continue;
        }
        let from = walk.analysis.node_name(node);
        let text = format!("{name} was evicted from {from} for the {count}th time at {:#}", r.at);
        found.add(r.at, (Some(pod), Some(node)), text, &[*first, created, id]);
    }
}
