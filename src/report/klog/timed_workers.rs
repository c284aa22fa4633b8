//! What the timed workers of the taint eviction controller say, which wait until a pod is to be
//! deleted.

use super::format::{Severity, Value, go_time};
use super::log::{Log, Values, text};
use super::statements::{
    ADDING_ITEM, CANCELLING_ITEM, FAILED, FINISHED, FIRING, Statement, WORK_EXISTS,
};
use crate::kernel::{Dur, Time};
use crate::plan::log_forms::WorkerLog;
use crate::plan::switches::taint_eviction::FinishedEntry;
use crate::trace::Record;

impl Log<'_> {
    /// Says something in the form of the release.
    fn worker(&mut self, at: Time, said: Statement<3>, values: Values<'_>, words: &str) {
        let form = match self.forms.timed_workers {
            WorkerLog::EachStep => (0, true),
            WorkerLog::Structured => (1, true),
            WorkerLog::Printf => (2, false),
        };
        self.say_or(at, said, form, values, words);
    }

    /// A timer is set for a pod.
    pub(super) fn timer_set(&mut self, r: &Record, seconds: u32) {
        let pod = self.pod(r.object);
        let (from, to) =
            (go_time(r.at), go_time(r.at.saturating_add(Dur::from_secs(seconds.into()))));
        let words = format!("Adding TimedWorkerQueue item {pod} at {from} to be fired at {to}");
        let values = [("item", text(pod)), ("createTime", text(from)), ("firedTime", text(to))];
        self.worker(r.at, ADDING_ITEM, &values, &words);
    }

    /// A pod's timer is cancelled.
    pub(super) fn timer_cancelled(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let now = go_time(r.at);
        let words = format!("Cancelling TimedWorkerQueue item {pod} at {now}");
        let values = [("item", text(pod)), ("time", text(now))];
        self.worker(r.at, CANCELLING_ITEM, &values, &words);
    }

    /// A pod has a timer already.
    pub(super) fn work_exists(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let (namespace, name) = pod.split_once('/').unwrap_or(("", pod));
        match self.forms.timed_workers {
            WorkerLog::EachStep => {
                let values = [("item", text(pod)), ("createTime", text(go_time(r.at)))];
                self.say(r.at, WORK_EXISTS, 0, &values);
            }
            WorkerLog::Structured => {
                let args = format!(
                    "{{\"NamespacedName\":{{\"Namespace\":{namespace:?},\"Name\":{name:?}}}}}"
                );
                let values = [("args", Value::Raw(args))];
                self.say(r.at, WORK_EXISTS.at_level(0), 1, &values);
            }
            WorkerLog::Printf => {
                let words = format!(
                    "Trying to add already existing work for &{{NamespacedName:{pod}}}. Skipping."
                );
                let place = WORK_EXISTS.places[2];
                self.line(r.at, 0, Severity::Warning, place, &words);
            }
        }
    }

    /// A worker begins, because its time has come.
    pub(super) fn firing(&mut self, at: Time, pod: &str) {
        if self.forms.timed_workers == WorkerLog::EachStep {
            let values = [("item", text(pod)), ("firedTime", text(go_time(at)))];
            self.say(at, FIRING, 0, &values);
        }
    }

    /// A worker has deleted its pod.
    pub(super) fn worker_finished(&mut self, r: &Record) {
        if self.analysis.plan.profile.taint_eviction.finished_entry == FinishedEntry::Nil {
            self.entries.insert(r.object);
        }
        if self.forms.timed_workers == WorkerLog::EachStep {
            let values =
                [("item", text(self.pod(r.object))), ("err", Value::Raw("null".to_owned()))];
            self.say(r.at, FINISHED, 0, &values);
        }
    }

    /// A worker could not delete its pod.
    pub(super) fn worker_failed(&mut self, r: &Record) {
        if self.forms.timed_workers != WorkerLog::Printf {
            let line = format!("{:?} err=\"the server did not answer\"", FAILED.message);
            self.line(r.at, FAILED.level, Severity::Error, FAILED.places[0], &line);
        }
    }
}
