//! What the pod garbage collector says of a pod that it deletes.

use super::log::{Log, Values, text};
use super::statements::{
    FORCE_DELETING, ORPHANED, ORPHANED_DELETED, Statement, UNSCHEDULED, UNSCHEDULED_DELETED,
};
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
        let form = (0, self.forms.pod_gc);
        let mut say = |said: Statement<1>, values: Values<'_>, words: String| {
            self.say_or(r.at, said, form, values, &words);
        };
        let (what, deleted) = if before.node != NO_NODE {
            say(
                ORPHANED,
                &[("pod", text(pod)), ("node", text(node))],
                format!("Found orphaned Pod {pod} assigned to the Node {node}. Deleting."),
            );
            ("orphaned", ORPHANED_DELETED)
        } else {
            say(
                UNSCHEDULED,
                &[("pod", text(pod))],
                format!(
                    "Found unscheduled terminating Pod {pod} not assigned to any Node. Deleting."
                ),
            );
            ("unscheduled terminating", UNSCHEDULED_DELETED)
        };
        say(FORCE_DELETING, &[("pod", text(pod))], format!("PodGC is force deleting Pod: {pod}"));
        say(
            deleted,
            &[("pod", text(pod))],
            format!("Forced deletion of {what} Pod {pod} succeeded"),
        );
    }
}
