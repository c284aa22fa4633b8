//! A pod has one eviction timer at most (`timed_workers.go: AddWork` refuses a second), and one
//! that a process had dies with it.

use super::checker::Checker;
use crate::api::names::PodId;
use crate::kernel::{Dur, Time};
use crate::trace::{Actor, Record, RecordId, What};
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Timers {
    /// When the timer of a pod runs out.
    running: BTreeMap<PodId, Time>,
}

impl Checker for Timers {
    fn see(&mut self, _: RecordId, record: &Record) -> Option<String> {
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
