//! What the scheduler says of a pod that it bound, or could not place.

use super::log::{Log, text};
use super::statements::{BOUND, UNSCHEDULABLE};
use crate::api::names::TextId;
use crate::trace::{EventText, Record};

impl Log<'_> {
    /// Which form the scheduler's messages have, and whether that is structured.
    fn scheduler_form(&self) -> (usize, bool) {
        match (self.forms.events, self.forms.bound_at_2) {
            (true, true) => (0, true),
            (true, false) => (1, true),
            (false, _) => (2, false),
        }
    }

    /// A pod was bound to a node.
    pub(super) fn bound(&mut self, r: &Record, node: u32) {
        let (pod, node) = (self.pod(r.object), self.node(node));
        let values = [("pod", text(pod)), ("node", text(node))];
        let words = format!("pod {pod} is bound successfully on node {node:?}");
        let said = BOUND.at_level(if self.forms.bound_at_2 { 2 } else { 0 });
        self.say_or(r.at, said, self.scheduler_form(), &values, &words);
    }

    /// A pod finds no node.
    pub(super) fn unschedulable(&mut self, r: &Record, message: u32) {
        let trace = self.analysis.trace;
        let Some(m) = trace
            .messages
            .get(message as usize)
            .filter(|m| m.body.text == EventText::FailedScheduling)
        else {
            return;
        };
        let (pod, why) = (self.pod(r.object), trace.names.text_of(TextId(m.body.arg)));
        let values = [("pod", text(pod)), ("err", text(why))];
        let words = format!("Unable to schedule {pod}: no fit: {why}; waiting");
        self.say_or(r.at, UNSCHEDULABLE, self.scheduler_form(), &values, &words);
    }
}
