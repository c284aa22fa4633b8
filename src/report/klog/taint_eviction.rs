//! What the taint eviction controller says of nodes and pods that it looks at.

use super::format::{Value, taints_fields, taints_plain};
use super::log::{Log, text};
use super::statements::Said;
use crate::analysis::state::Step;
use crate::api::taint::Taint;
use crate::kernel::Time;
use crate::plan::log_forms::EvictionLog;
use crate::trace::Record;

impl<'a> Log<'a> {
    /// A node has these taints now.
    pub(super) fn known(&mut self, r: &Record, taints: &'a [Taint]) {
        let node = self.node(r.object);
        let timed = self.timed(r.object, taints);
        let words = format!("Noticed node update: scheduler.nodeUpdateItem{{nodeName:{node:?}}}");
        let noticed = if self.forms.node_lifecycle {
            text(node)
        } else {
            Value::Raw(format!("{{nodeName:{node}}}"))
        };
        self.say_in_words(r.at, Said::NodeUpdated, &[("node", noticed)], &words);
        let words = format!("Updating known taints on node {node}: {}", taints_plain(&timed));
        let values = [("node", text(node)), ("taints", self.json(&timed, taints_fields))];
        self.say_in_words(r.at, Said::TaintsKnown, &values, &words);
    }

    /// A node has no taints any more; its timers are cancelled.
    pub(super) fn taints_gone(&mut self, r: &Record) {
        self.say(r.at, Said::TaintsGone, &[("node", text(self.node(r.object)))]);
    }

    /// A pod does not tolerate the taints of its node.
    pub(super) fn not_tolerated(&mut self, r: &Record, step: &Step) {
        let pod = self.pod(r.object);
        let node =
            step.pod.and_then(|(_, before, _)| before.node_id()).map_or("", |n| self.node(n.0));
        let values = [("pod", text(pod)), ("node", text(node))];
        self.say(r.at, Said::NotTolerated, &values);
    }

    /// A pod tolerates the taints of its node without an end.
    pub(super) fn tolerates_forever(&mut self, r: &Record) {
        let said = match self.forms.forever_cancelling {
            true => Said::ToleratesForever,
            false => Said::ToleratesForeverAlready,
        };
        self.say(r.at, said, &[("pod", text(self.pod(r.object)))]);
    }

    /// The controller looks at a pod.
    pub(super) fn pod_noticed(&mut self, r: &Record) {
        self.say(r.at, Said::PodUpdated, &[("pod", text(self.pod(r.object)))]);
    }

    /// The controller sees that a pod is gone.
    pub(super) fn pod_gone(&mut self, r: &Record) {
        self.say(r.at, Said::PodDeleted, &[("pod", text(self.pod(r.object)))]);
        if self.entries.remove(&r.object) {
            self.timer_cancelled(r);
        }
    }

    /// A timer ran out, and its pod's deletion begins.
    pub(super) fn fired(&mut self, at: Time, id: u32) {
        let pod = self.pod(id);
        self.firing(at, pod);
        if self.forms.taint_eviction == EvictionLog::OwnController {
            let values = [("controller", text("taint-eviction-controller")), ("pod", text(pod))];
            self.say(at, Said::DeletingPod, &values);
        } else {
            self.say(at, Said::ManagerDeletingPod, &[("pod", text(pod))]);
        }
    }
}
