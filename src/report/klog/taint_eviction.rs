//! What the taint eviction controller says of nodes and pods that it looks at.

use super::format::{Value, taints_fields, taints_plain};
use super::log::{Log, Values, text};
use super::statements::{
    DELETING_POD, MANAGER_DELETING_POD, NODE_UPDATED, NOT_TOLERATED, POD_DELETED, POD_UPDATED,
    Statement, TAINTS_GONE, TAINTS_KNOWN, TOLERATES_FOREVER,
};
use crate::analysis::state::Step;
use crate::api::taint::Taint;
use crate::kernel::Time;
use crate::plan::log_forms::EvictionLog;
use crate::trace::Record;

impl<'a> Log<'a> {
    /// Says something in the form of the release.
    fn eviction(&mut self, at: Time, said: Statement<3>, values: Values<'_>, words: &str) {
        let form = match self.forms.taint_eviction {
            EvictionLog::OwnController => (0, true),
            EvictionLog::Structured => (1, true),
            EvictionLog::Printf => (2, false),
        };
        self.say_or(at, said, form, values, words);
    }

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
        self.eviction(r.at, NODE_UPDATED, &[("node", noticed)], &words);
        let words = format!("Updating known taints on node {node}: {}", taints_plain(&timed));
        let values = [("node", text(node)), ("taints", self.json(&timed, taints_fields))];
        self.eviction(r.at, TAINTS_KNOWN, &values, &words);
    }

    /// A node has no taints any more; its timers are cancelled.
    pub(super) fn taints_gone(&mut self, r: &Record) {
        let node = self.node(r.object);
        let words =
            format!("All taints were removed from the Node {node}. Cancelling all evictions...");
        self.eviction(r.at, TAINTS_GONE, &[("node", text(node))], &words);
    }

    /// A pod does not tolerate the taints of its node.
    pub(super) fn not_tolerated(&mut self, r: &Record, step: &Step) {
        let pod = self.pod(r.object);
        let node =
            step.pod.and_then(|(_, before, _)| before.node_id()).map_or("", |n| self.node(n.0));
        let words = format!("Not all taints are tolerated after update for Pod {pod} on {node}");
        let values = [("pod", text(pod)), ("node", text(node))];
        self.eviction(r.at, NOT_TOLERATED, &values, &words);
    }

    /// A pod tolerates the taints of its node without an end.
    pub(super) fn tolerates_forever(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let words = if self.forms.forever_cancelling {
            format!(
                "Current tolerations for {pod} tolerate forever, cancelling any scheduled deletion."
            )
        } else {
            format!(
                "New tolerations for {pod} tolerate forever. Scheduled deletion won't be cancelled if already scheduled."
            )
        };
        self.eviction(r.at, TOLERATES_FOREVER, &[("pod", text(pod))], &words);
    }

    /// The controller looks at a pod.
    pub(super) fn pod_noticed(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let words = format!("Noticed pod update: types.NamespacedName{{{pod}}}");
        self.eviction(r.at, POD_UPDATED, &[("pod", text(pod))], &words);
    }

    /// The controller sees that a pod is gone.
    pub(super) fn pod_gone(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let words = format!("Noticed pod deletion: types.NamespacedName{{{pod}}}");
        self.eviction(r.at, POD_DELETED, &[("pod", text(pod))], &words);
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
            self.say(at, DELETING_POD, 0, &values);
        } else {
            let words = format!("NoExecuteTaintManager is deleting Pod: {pod}");
            let structured = self.forms.taint_eviction == EvictionLog::Structured;
            let values = [("pod", text(pod))];
            self.say_or(at, MANAGER_DELETING_POD, (0, structured), &values, &words);
        }
    }
}
