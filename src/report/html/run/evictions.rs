//! Evictions, what came after each, and timers that led to none.
//!
//! Who waits: nodes in the queues of their zones, evictions for their client; and how many requests each client
//! sends.

use super::names::{Nodes, Pods};
use crate::analysis::Eviction;
use crate::analysis::curves::{set_over, waited_for, waiting};
use crate::analysis::state::{Follow, NO_NODE};
use crate::analysis::words::short_taint;
use crate::analysis::workloads::Replacement;
use crate::report::Report;
use crate::report::html::columns::Columns;
use crate::report::prelude::*;
use crate::trace::{Actor, EvictionCause, NO_RECORD};

/// An eviction timer that ran for some time.
struct Timer {
    pod: PodId,
    node: u32,
    seconds: u32,
    set: Time,
    end: Time,
    how: Ended,
}

/// How a timer ended.
#[derive(Clone, Copy)]
enum Ended {
    /// Its pod was evicted.
    Evicted = 0,
    Cancelled = 1,
    /// It died with the controllers' process.
    Lost = 2,
    /// Its pod was deleted by somebody else, or it was set anew.
    Over = 3,
    /// It runs at the end of the run.
    Runs = 4,
}

/// Evictions and timers of a run.
pub(super) struct Evicted<'a> {
    pub(super) evictions: &'a [Eviction<'a>],
    /// Pods that left their nodes without being evicted.
    pub(super) left: Vec<Left>,
    replacements: &'a BTreeMap<RecordId, Replacement>,
    timers: Vec<Timer>,
}

/// A pod that leaves its node without being evicted.
pub(super) struct Left {
    pub(super) at: Time,
    pub(super) pod: PodId,
    pub(super) node: Option<NodeId>,
    pub(super) how: Leaves,
}

/// How a pod leaves its node without being evicted.
#[derive(Clone, Copy)]
pub(super) enum Leaves {
    /// The scheduler deletes it for another one.
    Preempted = 0,
    /// It ends, as its node was told to go off.
    ShutDown = 1,
    /// Its kubelet does not admit it.
    TurnedAway = 2,
}

impl<'a> Evicted<'a> {
    pub(super) fn new(report: &'a Report<'a>) -> Self {
        let (left, timers) = followed(report.analysis);
        let replacements = &report.workloads.replacements;
        Evicted { evictions: &report.evictions, left, replacements, timers }
    }

    /// The pods that something is told of.
    pub(super) fn pods(&self) -> impl Iterator<Item = PodId> {
        let evicted = self.evictions.iter().map(|e| e.pod).chain(self.left.iter().map(|p| p.pod));
        let replaced = self.replacements.values().map(|r| r.pod);
        evicted.chain(replaced).chain(self.timers.iter().map(|t| t.pod))
    }

    pub(super) fn write(&self, (nodes, pods): (&Nodes, &Pods), columns: &mut Columns) {
        let all = || self.evictions.iter();
        let replaced = || all().map(|e| self.replacements.get(&e.record));
        columns.near("evicted.at", all().map(|e| e.at.as_millis()));
        columns.near("evicted.pod", all().map(|e| pods.place(e.pod)));
        columns.near("evicted.node", all().map(|e| nodes.or_none(e.node)));
        columns.codes("evicted.cause", all().map(|e| e.cause as u32));
        let taints: BTreeSet<String> = all().filter_map(|e| e.taint.map(short_taint)).collect();
        let taints: BTreeMap<String, u32> = taints.into_iter().zip(1..).collect();
        let taint = |e: &Eviction<'_>| e.taint.map_or(0, |t| taints[&short_taint(t)]);
        columns.codes("evicted.taint", all().map(taint));
        columns.set("taints", taints.into_keys().map(Value::from).collect());
        columns.set("causes", EvictionCause::ALL.iter().map(|c| Value::from(c.as_str())).collect());
        // Before the eviction or after it: near zero, where times themselves are far apart.
        let seconds = |e: &Eviction<'_>| e.timer_seconds.map_or(0, |s| s.saturating_add(1));
        columns.codes("evicted.seconds", all().map(seconds));
        let between = |at: Time, then: Time| 1 + then.as_millis().saturating_sub(at.as_millis());
        columns.near("evicted.set", all().map(|e| e.timer_set_at.map_or(0, |t| between(t, e.at))));
        columns.near("evicted.back", all().map(|e| or_never(e.node_back_at)));
        columns.near("evicted.since", all().map(|e| or_never(e.fault.map(|f| f.at))));
        columns.near("evicted.replacement", replaced().map(|r| pods.or_none(r.map(|r| r.pod))));
        let ready = all().zip(replaced()).map(|(e, r)| Some((e.at, r?.ready_at?)));
        columns.near("evicted.ready", ready.map(|r| r.map_or(0, |(at, then)| between(at, then))));
        self.write_replaced((nodes, pods), columns);
        self.write_timers((nodes, pods), columns);
    }

    /// The pods that became ready in the place of lost ones, in order of time: of those that ended
    /// with their node, or were deleted, as well as of evicted ones.
    fn write_replaced(&self, (nodes, pods): (&Nodes, &Pods), columns: &mut Columns) {
        let placed = |r: &Replacement| Some((r.ready_at?, r.pod, r.node?));
        let mut ready: Vec<(Time, PodId, NodeId)> =
            self.replacements.values().filter_map(placed).collect();
        ready.sort_unstable();
        columns.near("replaced.at", ready.iter().map(|r| r.0.as_millis()));
        columns.near("replaced.pod", ready.iter().map(|r| pods.place(r.1)));
        columns.near("replaced.node", ready.iter().map(|r| nodes.or_none(Some(r.2))));
    }

    /// The timers that led to no eviction; the others are told with theirs.
    fn write_timers(&self, (nodes, pods): (&Nodes, &Pods), columns: &mut Columns) {
        let all = || self.timers.iter().filter(|t| !matches!(t.how, Ended::Evicted));
        let node = |t: &Timer| (t.node != NO_NODE).then_some(NodeId(t.node));
        columns.near("timer.pod", all().map(|t| pods.place(t.pod)));
        columns.near("timer.node", all().map(|t| nodes.or_none(node(t))));
        columns.near("timer.set", all().map(|t| t.set.as_millis()));
        columns.near("timer.end", all().map(|t| t.end.as_millis()));
        columns.codes("timer.seconds", all().map(|t| t.seconds));
        columns.codes("timer.how", all().map(|t| t.how as u32));
    }
}

/// The pods that leave without being evicted, and the timers of a run. One that is set while another of the same pod runs ends that; none runs any
/// more once its pod's deletion has begun.
fn followed(analysis: &Analysis<'_>) -> (Vec<Left>, Vec<Timer>) {
    let mut follow = Follow::new(analysis);
    let mut left = Vec::new();
    let mut open: BTreeMap<PodId, RecordId> = BTreeMap::new();
    let mut found: Vec<Timer> = Vec::new();
    let mut end = |pod: PodId, set: RecordId, node: u32, at: Time, how: Ended| {
        if let Some(r) = analysis.trace.get(set)
            && let What::TimerSet(seconds) = r.what
        {
            found.push(Timer { pod, node, seconds, set: r.at, end: at, how });
        }
    };
    for (id, r) in analysis.trace.iter().enumerate() {
        let id = id as RecordId;
        let step = follow.apply(id, r);
        let leaves = [
            (Leaves::ShutDown, step.shut_down(analysis, id, r)),
            (Leaves::Preempted, step.preemption(r)),
            (Leaves::TurnedAway, follow.turned_away(r)),
        ];
        let leaves = leaves.into_iter().filter_map(|(how, pod)| Some((how, pod?)));
        left.extend(leaves.map(|(how, (pod, p))| Left { at: r.at, pod, node: p.node_id(), how }));
        if r.what == What::ControllersStopped {
            for (pod, set) in std::mem::take(&mut open) {
                end(pod, set, follow.pod(pod).node, r.at, Ended::Lost);
            }
        }
        let Some((pod, before, after)) = step.pod else { continue };
        let now = follow.timer(&after).unwrap_or(NO_RECORD);
        let was = open.get(&pod).copied().unwrap_or(NO_RECORD);
        if now == was {
            continue;
        }
        let how = match r.what {
            What::TimerCancelled => Ended::Cancelled,
            _ if step.eviction(r).is_some() => Ended::Evicted,
            _ => Ended::Over,
        };
        end(pod, was, before.node, r.at, how);
        match now {
            NO_RECORD => open.remove(&pod),
            set => open.insert(pod, set),
        };
    }
    for (pod, set) in open {
        end(pod, set, follow.pod(pod).node, analysis.horizon(), Ended::Runs);
    }
    (left, found)
}

pub(super) fn write(analysis: &Analysis<'_>, evicted: &Evicted<'_>, columns: &mut Columns) {
    let waits = format!("nodes that wait for their {}", waited_for(analysis.plan));
    let nodes = json!({ "name": waits, "unit": "nodes" });
    let pods =
        json!({ "name": "evictions that are due and wait for their client", "unit": "pods" });
    let mut series = vec![(nodes, waiting(analysis)), (pods, late(evicted.evictions))];
    let timing = &analysis.plan.timing;
    for (actor, seconds) in &analysis.trace.requests {
        let limits = match actor {
            Actor::NodeLifecycle => timing.node_lifecycle_client,
            Actor::TaintEviction => timing.taint_eviction_client.or(timing.node_lifecycle_client),
            _ => None,
        };
        let name = format!("requests of {}", actor.by());
        let limit = limits.map(|l| json!({ "qps": l.qps, "burst": l.burst }));
        let what = json!({ "name": name, "unit": "per second", "limit": limit });
        series.push((what, rates(seconds)));
    }
    series.retain(|(_, steps)| steps.iter().any(|s| s.1 > 0));
    columns.codes("queue.count", series.iter().map(|s| s.1.len() as u32));
    columns.near("queue.at", series.iter().flat_map(|s| &s.1).map(|s| s.0.as_millis()));
    columns.near("queue.length", series.iter().flat_map(|s| &s.1).map(|s| s.1));
    columns.set("queues", series.into_iter().map(|s| s.0).collect());
}

/// One higher than the time in milliseconds, so that never is 0.
fn or_never(at: Option<Time>) -> u64 {
    at.map_or(0, |at| at.as_millis() + 1)
}

/// How many evictions whose timers have run out have not come yet.
fn late(evictions: &[Eviction<'_>]) -> Vec<(Time, u32)> {
    let late = evictions.iter().filter_map(|e| {
        let due = e.timer_set_at?.saturating_add(Dur::from_secs(e.timer_seconds?.into()));
        (due < e.at).then_some([(due, 1), (e.at, -1)])
    });
    let mut changes: Vec<(Time, i32)> = late.flatten().collect();
    changes.sort_unstable();
    let (mut steps, mut now) = (vec![(Time::ZERO, 0)], 0_u32);
    for (at, by) in changes {
        now = now.wrapping_add_signed(by);
        set_over(&mut steps, at, now);
    }
    steps
}

/// Requests in each second, from how many there were up to each one's end.
fn rates(seconds: &[(u64, u64)]) -> Vec<(Time, u32)> {
    let mut steps = vec![(Time::ZERO, 0)];
    let mut before = 0;
    for &(second, so_far) in seconds {
        let rate = u32::try_from(so_far - before).unwrap_or(u32::MAX);
        set_over(&mut steps, Time::from_secs(second), rate);
        set_over(&mut steps, Time::from_secs(second + 1), 0);
        before = so_far;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three requests in second 2, one in second 3, two in second 9.
    #[test]
    fn rates_are_differences_of_sums() {
        let s = Time::from_secs;
        assert_eq!(
            rates(&[(2, 3), (3, 4), (9, 6)]),
            [(s(0), 0), (s(2), 3), (s(3), 1), (s(4), 0), (s(9), 2), (s(10), 0)]
        );
    }
}
