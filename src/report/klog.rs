//! A run as the lines that the release's own controllers write to their logs, in klog's format.
//!
//! Time is the recorder's: the run starts at 2000-01-01T00:00:00Z, of which klog's header shows
//! month, day and time of day; the process is number 1. Messages, files and levels are those of
//! upstream's source at the last patch of each minor release where a form begins
//! ([`LogForms`](crate::plan::log_forms::LogForms)); the numbers of lines are those of one release
//! of each form (of 1.34.4 for today's), so that a line can be found, and not compared.
//!
//! All processes are in one log, as if kube-controller-manager and kube-scheduler wrote to one
//! file; a line stands where its record stands, so that a controller seems to notice a change of a
//! pod when it is made. The words are laid beside logs of the recorder in `tests/logs`. Left out:
//! what no record tells of, among it heartbeats that arrive, passes that find a silent node still
//! silent, keys with the number of nodes that the scheduler looked at, times in conditions, uids,
//! resource versions, what is logged when a process starts, and what StatefulSets, DaemonSets and
//! Jobs tell of each sync. Events are told when they are stored; those that the correlator drops
//! are not told. That a node "is healthy again" is told of nodes that had a taint, not of those
//! that only waited for one. `timeAdded` of a taint is the time at which it was written; durations
//! are to the millisecond.

mod format;
mod messages;

use crate::analysis::Analysis;
use crate::analysis::state::Follow;
use crate::kernel::{Dur, Time};
use crate::trace::{Actor, EventText, Record, RecordId, What};
use messages::Log;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Writes the log up to that level.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, analysis: &Analysis<'_>, level: u8) -> io::Result<()> {
    let mut log = Log::new(analysis, level);
    let mut follow = Follow::new(analysis);
    let mut timers = Timers::default();
    let (batches, marked) = (creations(analysis), markings(analysis));
    for (r, id) in analysis.trace.iter().zip(0..) {
        timers.due(r, |at, pod| log.fired(at, pod));
        if let Some(batch) = batches.get(&id) {
            log.too_few(r.at, batch);
        }
        if marked.contains(&id) {
            log.marking(r, &follow);
        }
        let step = follow.apply(id, r);
        log.record(r, &step);
        timers.record(r);
        if log.text.len() > 1 << 16 {
            out.write_all(log.text.as_bytes())?;
            log.text.clear();
        }
    }
    out.write_all(log.text.as_bytes())
}

/// The eviction timers that run, by when they run out.
#[derive(Default)]
struct Timers {
    due: BTreeSet<(Time, u32)>,
    of_pod: BTreeMap<u32, Time>,
}

impl Timers {
    /// Those that ran out before a record.
    fn due(&mut self, r: &Record, mut fired: impl FnMut(Time, u32)) {
        let ends_it = |pod: u32| matches!(r.what, What::TimerCancelled) && r.object == pod;
        while let Some(&(at, pod)) = self.due.first() {
            // A cancellation in the instant in which a timer would fire comes before it.
            if at > r.at || at == r.at && ends_it(pod) {
                break;
            }
            self.remove(pod);
            fired(at, pod);
        }
    }

    fn record(&mut self, r: &Record) {
        match r.what {
            What::TimerSet(seconds) => {
                let at = r.at.saturating_add(Dur::from_secs(seconds.into()));
                self.remove(r.object);
                self.due.insert((at, r.object));
                self.of_pod.insert(r.object, at);
            }
            What::TimerCancelled => self.remove(r.object),
            What::ControllersStopped => *self = Self::default(),
            _ => {}
        }
    }

    fn remove(&mut self, pod: u32) {
        if let Some(at) = self.of_pod.remove(&pod) {
            self.due.remove(&(at, pod));
        }
    }
}

/// Pods that a ReplicaSet makes in one go.
struct Batch {
    workload: u32,
    wanted: i32,
    creating: u32,
}

/// By the record of the first pod: the pods that a ReplicaSet makes in one sync, which all have one
/// cause.
fn creations(analysis: &Analysis<'_>) -> BTreeMap<RecordId, Batch> {
    let trace = analysis.trace;
    let mut batches: BTreeMap<RecordId, Batch> = BTreeMap::new();
    let mut latest: BTreeMap<u32, (RecordId, Time, RecordId)> = BTreeMap::new();
    let mut wanted: BTreeMap<u32, i32> = BTreeMap::new();
    for (r, id) in trace.iter().zip(0..) {
        match r.what {
            What::WorkloadCreated(n) | What::WorkloadScaled(n) => drop(wanted.insert(r.object, n)),
            What::PodCreated(_) if r.actor == Actor::ReplicaSet => {
                let Some(owner) = r.pod().and_then(|p| trace.names.owner_of(p)) else {
                    continue;
                };
                let first = latest.get(&owner.0).filter(|(_, at, cause)| {
                    *cause == r.cause && r.at.since(*at) < Dur::from_secs(1)
                });
                let first = first.map_or(id, |f| f.0);
                latest.insert(owner.0, (first, r.at, r.cause));
                let batch = || Batch {
                    workload: owner.0,
                    wanted: wanted.get(&owner.0).copied().unwrap_or(0),
                    creating: 0,
                };
                batches.entry(first).or_insert_with(batch).creating += 1;
            }
            _ => {}
        }
    }
    batches
}

/// Where the node lifecycle controller begins to set the pods of a node to not Ready: at the first
/// pod, or at the event of the node, which stands alone where there is no pod.
fn markings(analysis: &Analysis<'_>) -> BTreeSet<RecordId> {
    use crate::api::meta::ConditionStatus;
    use crate::api::node::NodeConditionType;
    use crate::api::pod::PodConditionType;
    let mut marked = BTreeSet::new();
    let mut done: BTreeSet<u32> = BTreeSet::new();
    let mut follow = Follow::new(analysis);
    for (r, id) in analysis.trace.iter().zip(0..) {
        let step = follow.apply(id, r);
        match r.what {
            What::NodeCondition(NodeConditionType::Ready, ConditionStatus::True, _) => {
                done.remove(&r.object);
            }
            What::NodeEvent(EventText::NodeNotReady, ..)
                if r.actor == Actor::NodeLifecycle && done.insert(r.object) =>
            {
                marked.insert(id);
            }
            What::PodCondition(PodConditionType::Ready, ConditionStatus::False, _)
                if r.actor == Actor::NodeLifecycle =>
            {
                if let Some((_, _, pod)) = step.pod
                    && done.insert(pod.node)
                {
                    marked.insert(id);
                }
            }
            _ => {}
        }
    }
    marked
}
