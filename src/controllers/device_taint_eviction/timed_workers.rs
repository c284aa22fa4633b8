//! The timed workers of 1.33 and 1.34 (`tainteviction.TimedWorkerQueue`, with `UpdateWork`): an entry by pod name, and
//! deletions that are tried five times.

use crate::controllers::prelude::*;

/// `retries`, and the sleep after each failure, the last one included.
pub(super) const RETRIES: u32 = 5;
pub(super) const RETRY_SLEEP: Dur = Dur::from_millis(10);

/// An entry of `workers`.
struct TimedWorker {
    /// When it begins.
    fire_at: Timestamp,
    /// Tells it from others of the same pod.
    number: u32,
    /// It had no timer, as its work began at once; then the entry is nil.
    is_nil: bool,
    /// Its work has begun.
    has_begun: bool,
}

/// The queue of timed workers.
#[derive(Default)]
pub(super) struct TimedWorkerQueue {
    workers: BTreeMap<PodId, TimedWorker>,
    number: u32,
    /// Those whose timers were stopped.
    stopped: BTreeSet<u32>,
}

impl TimedWorkerQueue {
    /// `UpdateWork`: the number of the worker that is to be started, unless there is one for that time, or one that had
    /// no timer.
    pub(super) fn update_work(&mut self, pod: PodId, fire_at: Timestamp, left: Dur) -> Option<u32> {
        if let Some(worker) = self.workers.get(&pod) {
            if worker.is_nil || worker.fire_at == fire_at {
                return None;
            }
            self.stop(pod);
        }
        self.number += 1;
        let (number, is_nil) = (self.number, left.is_zero());
        self.workers.insert(pod, TimedWorker { fire_at, number, is_nil, has_begun: is_nil });
        Some(number)
    }

    /// `CancelWork`: removes the entry; whether it had a timer. Work that has begun goes on all the same.
    pub(super) fn cancel_work(&mut self, pod: PodId) -> bool {
        self.stop(pod).is_some_and(|worker| !worker.is_nil)
    }

    fn stop(&mut self, pod: PodId) -> Option<TimedWorker> {
        let worker = self.workers.remove(&pod)?;
        if !worker.has_begun {
            self.stopped.insert(worker.number);
        }
        Some(worker)
    }

    /// The time of a worker has come: whether its timer was not stopped.
    pub(super) fn begins(&mut self, pod: PodId, number: u32) -> bool {
        let its = self.workers.get_mut(&pod).filter(|worker| worker.number == number);
        its.into_iter().for_each(|worker| worker.has_begun = true);
        !self.stopped.remove(&number)
    }

    /// The end of the work (`getWrappedWorkerFunc`): whatever entry the pod has by then goes.
    pub(super) fn finished(&mut self, pod: PodId) {
        self.workers.remove(&pod);
    }
}
