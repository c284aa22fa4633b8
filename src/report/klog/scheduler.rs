//! What the scheduler says of a pod that it bound, or could not place.

use super::log::{Log, text};
use super::statements::Said;
use crate::api::names::TextId;
use crate::trace::{EventText, Record};

impl Log<'_> {
    /// A pod was bound to a node.
    pub(super) fn bound(&mut self, r: &Record, node: u32) {
        let (pod, node) = (self.pod(r.object), self.node(node));
        let values = [("pod", text(pod)), ("node", text(node))];
        self.say(r.at, Said::Bound, &values);
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
        self.say(r.at, Said::Unschedulable, &values);
    }
}
