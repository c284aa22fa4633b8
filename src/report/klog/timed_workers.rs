//! What the timed workers of the taint eviction controller say, which wait until a pod is to be
//! deleted.

use super::format::{Value, go_time};
use super::log::{Log, text};
use super::statements::Said;
use crate::kernel::{Dur, Time};
use crate::plan::log_forms::WorkerLog;
use crate::plan::switches::taint_eviction::FinishedEntry;
use crate::trace::Record;

impl Log<'_> {
    /// A timer is set for a pod.
    pub(super) fn timer_set(&mut self, r: &Record, seconds: u32) {
        let pod = self.pod(r.object);
        let (from, to) =
            (go_time(r.at), go_time(r.at.saturating_add(Dur::from_secs(seconds.into()))));
        let values = [("item", text(pod)), ("createTime", text(from)), ("firedTime", text(to))];
        self.say(r.at, Said::AddingItem, &values);
    }

    /// A pod's timer is cancelled.
    pub(super) fn timer_cancelled(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let values = [("item", text(pod)), ("time", text(go_time(r.at)))];
        self.say(r.at, Said::CancellingItem, &values);
    }

    /// A pod has a timer already.
    pub(super) fn work_exists(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let (namespace, name) = pod.split_once('/').unwrap_or(("", pod));
        match self.forms.timed_workers {
            WorkerLog::EachStep => {
                let values = [("item", text(pod)), ("createTime", text(go_time(r.at)))];
                self.say(r.at, Said::WorkExists, &values);
            }
            WorkerLog::Structured => {
                let args = format!(
                    "{{\"NamespacedName\":{{\"Namespace\":{namespace:?},\"Name\":{name:?}}}}}"
                );
                let values = [("args", Value::Raw(args))];
                self.say(r.at, Said::WorkExistsOfArgs, &values);
            }
            WorkerLog::Printf => self.say(r.at, Said::WorkExistsWarning, &[("item", text(pod))]),
        }
    }

    /// A worker begins, because its time has come.
    pub(super) fn firing(&mut self, at: Time, pod: &str) {
        if self.forms.timed_workers == WorkerLog::EachStep {
            let values = [("item", text(pod)), ("firedTime", text(go_time(at)))];
            self.say(at, Said::Firing, &values);
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
            self.say(r.at, Said::Finished, &values);
        }
    }

    /// A worker could not delete its pod.
    pub(super) fn worker_failed(&mut self, r: &Record) {
        if self.forms.timed_workers != WorkerLog::Printf {
            self.say(r.at, Said::Failed, &[("err", text("the server did not answer"))]);
        }
    }
}
