//! What the taint eviction controller says of nodes and pods that it looks at, and its timed
//! workers, which wait until a pod is to be deleted.

use super::format::{Value, taints_fields, taints_plain};
use super::log::{Log, text};
use super::prelude::*;
use super::statements::Said;
use crate::plan::switches::taint_eviction::FinishedEntry;

impl<'a> Log<'a> {
    /// A node has these taints now.
    pub(super) fn known(&mut self, r: &Record, taints: &'a [Taint]) {
        let node = self.node(r.object);
        let timed = self.timed(r.object, taints);
        let words = format!("Noticed node update: scheduler.nodeUpdateItem{{nodeName:{node:?}}}");
        let noticed = match self.forms.node_lifecycle {
            true => text(node),
            false => Value::Raw(format!("{{nodeName:{node}}}")),
        };
        self.say_in_words(r.at, Said::NodeUpdated, &[("node", noticed)], &words);
        let words = format!("Updating known taints on node {node}: {}", taints_plain(&timed));
        let values = [("node", text(node)), ("taints", self.json(&timed, taints_fields))];
        self.say_in_words(r.at, Said::TaintsKnown, &values, &words);
    }

    /// A pod does not tolerate the taints of its node.
    pub(super) fn not_tolerated(&mut self, r: &Record, step: &Step) {
        let node = step.pod.and_then(|(_, before, _)| before.node_id());
        self.say_of_both(r, Said::NotTolerated, node.map_or("", |n| self.node(n.0)));
    }

    /// A pod tolerates the taints of its node without an end.
    pub(super) fn tolerates_forever(&mut self, r: &Record) {
        let said = match self.forms.forever_cancelling {
            true => Said::ToleratesForever,
            false => Said::ToleratesForeverAlready,
        };
        self.say_of_pod(r, said);
    }

    /// The controller sees that a pod is gone.
    pub(super) fn pod_gone(&mut self, r: &Record) {
        self.say_of_pod(r, Said::PodDeleted);
        if self.entries.remove(&r.object) {
            self.timer_cancelled(r);
        }
    }

    /// A timer ran out, and its pod's deletion begins.
    pub(super) fn fired(&mut self, at: Time, id: u32) {
        let pod = self.pod(id);
        if self.forms.timed_workers == WorkerLog::EachStep {
            let values = [("item", text(pod)), ("firedTime", self.time(at))];
            self.say(at, Said::Firing, &values);
        }
        if self.has_own_controller() {
            let values = [("controller", text("taint-eviction-controller")), ("pod", text(pod))];
            self.say(at, Said::DeletingPod, &values);
        } else {
            self.say(at, Said::ManagerDeletingPod, &[("pod", text(pod))]);
        }
    }

    /// A timer is set for a pod.
    pub(super) fn timer_set(&mut self, r: &Record, seconds: u32) {
        let (pod, from) = (text(self.pod(r.object)), self.time(r.at));
        let to = self.time(r.at + Dur::from_secs(seconds.into()));
        self.say(r.at, Said::AddingItem, &[("item", pod), ("createTime", from), ("firedTime", to)]);
    }

    /// A pod's timer is cancelled.
    pub(super) fn timer_cancelled(&mut self, r: &Record) {
        let values = [("item", text(self.pod(r.object))), ("time", self.time(r.at))];
        self.say(r.at, Said::CancellingItem, &values);
    }

    /// A pod has a timer already.
    pub(super) fn work_exists(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let (namespace, name) = pod.split_once('/').unwrap_or(("", pod));
        match self.forms.timed_workers {
            WorkerLog::EachStep => {
                let values = [("item", text(pod)), ("createTime", self.time(r.at))];
                self.say(r.at, Said::WorkExists, &values);
            }
            WorkerLog::Structured => {
                let name = format!("{{\"Namespace\":{namespace:?},\"Name\":{name:?}}}");
                let args = Value::Raw(format!("{{\"NamespacedName\":{name}}}"));
                self.say(r.at, Said::WorkExistsOfArgs, &[("args", args)]);
            }
            WorkerLog::Printf => self.say(r.at, Said::WorkExistsWarning, &[("item", text(pod))]),
        }
    }

    /// A worker has deleted its pod.
    pub(super) fn worker_finished(&mut self, r: &Record) {
        if self.analysis.plan.profile.taint_eviction.finished_entry == FinishedEntry::Nil {
            self.entries.insert(r.object);
        }
        if self.forms.timed_workers == WorkerLog::EachStep {
            let (pod, none) = (text(self.pod(r.object)), Value::Raw("null".to_owned()));
            self.say(r.at, Said::Finished, &[("item", pod), ("err", none)]);
        }
    }
}
