//! Runs all checkers over a trace.

use super::capacity::Capacity;
use super::objects::Objects;
use super::tainting::Tainting;
use std::collections::BTreeMap;
use taintsim::api::names::PodId;
use taintsim::kernel::{Dur, Time};
use taintsim::plan::Plan;
use taintsim::trace::{Actor, NO_RECORD, Record, RecordId, Trace, What};

/// What a run does that no run may do, and in which record; nothing if all is well.
pub fn first_broken(plan: &Plan, trace: &Trace) -> Option<String> {
    let mut causality = Causality::new(trace);
    let mut objects = Objects::new(plan, trace);
    let mut timers = Timers::default();
    let mut tainting = Tainting::new(plan, trace);
    let mut capacity = Capacity::new(plan, trace);
    (0..).zip(trace.iter()).find_map(|(id, record)| {
        let broken = (causality.see(id, record))
            .or_else(|| objects.see(record))
            .or_else(|| timers.see(record))
            .or_else(|| tainting.see(record))
            .or_else(|| capacity.see(id, record))?;
        Some(format!(
            "record {id} at {} ({} {:?}): {broken}",
            record.at,
            record.actor.as_str(),
            record.what
        ))
    })
}

/// Time does not go back, nothing leads to what was before it, and nobody acts on a version that
/// does not exist yet.
struct Causality<'a> {
    trace: &'a Trace,
    now: Time,
}

impl<'a> Causality<'a> {
    fn new(trace: &'a Trace) -> Self {
        Causality { trace, now: Time::ZERO }
    }

    fn see(&mut self, id: RecordId, record: &Record) -> Option<String> {
        if record.at < self.now {
            return Some(format!("it is earlier than the one before it, {}", self.now));
        }
        self.now = record.at;
        if record.at > self.trace.horizon {
            return Some(format!("the run ends at {}", self.trace.horizon));
        }
        [("cause", record.cause), ("saw", record.saw)].into_iter().find_map(|(field, other)| {
            (other != NO_RECORD && other >= id)
                .then(|| format!("its {field} is {other}, which was not yet there"))
        })
    }
}

/// A pod has one eviction timer at most (`timed_workers.go: AddWork` refuses a second), and one
/// that a process had dies with it.
#[derive(Default)]
struct Timers {
    /// When the timer of a pod runs out.
    running: BTreeMap<PodId, Time>,
}

impl Timers {
    fn see(&mut self, record: &Record) -> Option<String> {
        match record.what {
            What::ControllersStopped => self.running.clear(),
            What::TimerCancelled => {
                self.running.remove(&PodId(record.object));
            }
            // The end of an eviction takes away whatever entry its pod's name has by then (a race
            // of the catalogue).
            What::PodDeleting(_) | What::PodGone | What::EvictionFailed
                if record.actor == Actor::TaintEviction =>
            {
                self.running.remove(&PodId(record.object));
            }
            What::TimerSet(seconds) => {
                let ends = record.at + Dur::from_secs(u64::from(seconds));
                if let Some(first) = self
                    .running
                    .insert(PodId(record.object), ends)
                    .filter(|first| *first > record.at)
                {
                    return Some(format!("it has a timer that runs out at {first}"));
                }
            }
            _ => {}
        }
        None
    }
}
