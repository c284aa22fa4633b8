//! What the node lifecycle controller says, and what node controllers share.

use super::format::{Timed, Value, taints_json, taints_pointers};
use super::log::{Log, text};
use super::prelude::*;
use super::statements::Said;
use crate::api::pod::PodConditionType;
use crate::api::taint::{NOT_READY, UNREACHABLE};
use crate::api::workload::short_name;

impl<'a> Log<'a> {
    /// Taints with the times at which they were written to a node.
    pub(super) fn timed(&self, node: u32, taints: &'a [Taint]) -> Vec<Timed<'a>> {
        let written = |t: &Taint| self.written.get(&(node, t.key.clone(), t.effect)).copied();
        taints.iter().map(|t| (t, written(t).map(|at| self.clock(at)))).collect()
    }

    /// Taints as JSON where objects are, and otherwise in another form.
    pub(super) fn json(&self, taints: &[Timed<'_>], older: fn(&[Timed<'_>]) -> String) -> Value {
        Value::Raw(if self.forms.node_lifecycle { taints_json(taints) } else { older(taints) })
    }

    /// A list of taints that nobody made if it is empty.
    fn pointers(&self, taints: &[Timed<'_>]) -> Value {
        match taints {
            [] if self.forms.node_lifecycle => Value::Raw("null".to_owned()),
            _ => self.json(taints, taints_pointers),
        }
    }

    /// The conditions that are set to Unknown, each with how long the node was silent.
    pub(super) fn expired(&mut self, r: &Record, ms: u32) {
        let switches = &self.analysis.plan.profile.node_lifecycle;
        let node = self.node(r.object);
        let duration = Dur::from_millis(ms.into()).to_string();
        for kind in switches.silenced() {
            let healthy = || (kind.healthy(), NodeReason::of_kubelet(kind, kind.healthy()));
            let (status, reason) = self.condition(r, kind).unwrap_or_else(healthy);
            let (kind, reason) = (kind.as_str(), reason.as_str());
            let condition =
                format!("&NodeCondition{{Type:{kind},Status:{status},Reason:{reason},}}");
            let values = [
                ("node", text(node)),
                ("duration", text(duration.clone())),
                ("nodeConditionType", text(kind)),
                ("currentCondition", text(condition)),
            ];
            self.say(r.at, Said::NotUpdated, &values);
        }
    }

    /// A node is put into the queue of those to taint.
    pub(super) fn queued(&mut self, r: &Record) {
        let node = self.node(r.object);
        let ready = self.condition(r, NodeConditionType::Ready);
        let not_ready = ready.is_some_and(|c| c.0 == ConditionStatus::False);
        let said = if not_ready { Said::QueuedNotReady } else { Said::QueuedUnresponsive };
        self.say(r.at, said, &[("node", text(node)), ("timeStamp", self.time(r.at))]);
    }

    /// The controller changed the taints of a node.
    pub(super) fn tainted(&mut self, r: &Record, change: u32) {
        let analysis = self.analysis;
        let Some(change) = analysis.trace.taints.get(change as usize) else { return };
        for t in &change.added {
            self.written.insert((r.object, t.key.clone(), t.effect), r.at);
        }
        let (added, mut removed) =
            (self.timed(r.object, &change.added), self.timed(r.object, &change.removed));
        // What was read from the API has no fraction of a second.
        removed.iter_mut().for_each(|t| t.1 = t.1.map(|at| Time::from_secs(at.as_secs())));
        let no_execute =
            |taints: &[Timed<'_>]| taints.iter().any(|t| t.0.effect == Effect::NoExecute);
        if added.is_empty() && no_execute(&removed) {
            let ready = self.condition(r, NodeConditionType::Ready);
            // Taints also come off when all zones are dark, which is not logged for each node.
            if ready.is_some_and(|c| c.0 != ConditionStatus::True) {
                return;
            }
            let has = self.forms.healthy_removed;
            self.say_of_node(r, if has { Said::HealthyRemoved } else { Said::HealthyRemoving });
        } else {
            // The opposite taint is taken off whether it is there or not.
            let opposite = opposite(&change.added);
            if let Some(opposite) = opposite.as_ref().filter(|_| removed.is_empty()) {
                removed.push((opposite, None));
            }
            self.swapped(r, &added, &removed);
        }
        for t in &change.removed {
            self.written.remove(&(r.object, t.key.clone(), t.effect));
        }
    }

    /// A node got a taint, and lost the opposite one.
    fn swapped(&mut self, r: &Record, added: &[Timed<'_>], removed: &[Timed<'_>]) {
        let node = self.node(r.object);
        let words = format!("Added {} Taint to Node {node}", taints_pointers(added));
        let values = [("taint", self.pointers(added)), ("node", text(node))];
        self.say_in_words(r.at, Said::TaintAdded, &values, &words);
        let words = format!("Made sure that Node {node} has no {} Taint", taints_pointers(removed));
        let values = [("node", text(node)), ("taint", self.pointers(removed))];
        self.say_in_words(r.at, Said::TaintAbsent, &values, &words);
    }

    /// The pods of a node are about to be set to not Ready: at the first pod, or at the event of the
    /// node, which stands alone where there is no pod.
    pub(super) fn marking(&mut self, r: &Record, follow: &Follow<'_>) {
        let node = match r.what {
            What::NodeCondition(NodeConditionType::Ready, ConditionStatus::True, _) => {
                self.marked.remove(&r.object);
                return;
            }
            What::NodeEvent(EventText::NodeNotReady, ..) => r.object,
            What::PodCondition(PodConditionType::Ready, ConditionStatus::False, _) => {
                follow.pod(PodId(r.object)).node
            }
            _ => return,
        };
        if r.actor == Actor::NodeLifecycle && self.marked.insert(node) && node != NO_NODE {
            self.say(r.at, Said::PodsOfNode, &[("node", text(self.node(node)))]);
        }
    }

    /// A pod is set to not Ready.
    pub(super) fn pod_not_ready(&mut self, r: &Record) {
        let pod = self.pod(r.object);
        let name = if self.forms.node_lifecycle { pod } else { short_name(pod) };
        self.say(r.at, Said::PodNotReady, &[("pod", text(name))]);
    }

    /// A zone has another state. What zones become with the beginning and the end of master
    /// disruption is not logged.
    pub(super) fn zone(&mut self, r: &Record, state: ZoneState) {
        let just_over = |at: Time| r.at.since(at) < Dur::from_secs(1);
        if self.dark || self.light_since.is_some_and(just_over) {
            return;
        }
        let zone = self.analysis.trace.names.text_of(TextId(r.object));
        let values = [("zone", text(zone)), ("newState", text(state.as_str()))];
        self.say(r.at, Said::ZoneInState, &values);
    }

    /// The controller records an event of a node.
    pub(super) fn node_event(&mut self, r: &Record, event: EventText) {
        let node = self.node(r.object);
        match event {
            EventText::RegisteredNode => self.say_of_node(r, Said::NodeCreated),
            EventText::RemovingNode => self.say_of_node(r, Said::NodeDeleted),
            _ => {}
        }
        if event == EventText::NodeNotReady {
            let values = [("status", text("NodeNotReady")), ("node", text(node))];
            self.say(r.at, Said::StatusChange, &values);
        } else {
            let fields = self.analysis.trace.fields(r);
            let message = fields.message.unwrap_or_default();
            let event = message.strip_prefix(&format!("Node {node} event: ")).unwrap_or(&message);
            let values = [("event", text(event)), ("node", text(node))];
            self.say(r.at, Said::NodeEvent, &values);
        }
    }
}

/// The taint that is taken off with one of these added.
fn opposite(added: &[Taint]) -> Option<Taint> {
    match added.iter().find(|t| t.effect == Effect::NoExecute).map(|t| t.key.as_str()) {
        Some(UNREACHABLE) => Some(Taint::new(NOT_READY, Effect::NoExecute)),
        Some(NOT_READY) => Some(Taint::new(UNREACHABLE, Effect::NoExecute)),
        _ => None,
    }
}
