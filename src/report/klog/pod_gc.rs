//! What the pod garbage collector says of a pod that it deletes.

use super::log::{Log, text};
use super::statements::Said;
use crate::analysis::state::{NO_NODE, Step};
use crate::trace::Record;

impl Log<'_> {
    /// A pod whose node is gone, or that has none and is Terminating, is deleted.
    pub(super) fn collected(&mut self, r: &Record, step: &Step) {
        let Some((_, before, _)) = step.pod else {
            return;
        };
        let pod = self.pod(r.object);
        let node = before.node_id().map_or("", |n| self.node(n.0));
        let of_pod = [("pod", text(pod))];
        let deleted = if before.node != NO_NODE {
            let values = [("pod", text(pod)), ("node", text(node))];
            self.say(r.at, Said::Orphaned, &values);
            Said::OrphanedDeleted
        } else {
            self.say(r.at, Said::Unscheduled, &of_pod);
            Said::UnscheduledDeleted
        };
        self.say(r.at, Said::ForceDeleting, &of_pod);
        self.say(r.at, deleted, &of_pod);
    }
}
