//! NoExecute taints, at the zones' rates.

use super::skip::Skipper;
use crate::controllers::node_lifecycle::prelude::*;
use crate::plan::switches::node_lifecycle::Requeue;

/// How long a node that can't be judged waits in the queue.
const RETRY: Dur = Dur::from_millis(50);

/// Sets and takes off NoExecute taints.
pub(super) struct NoExecuteTainter {
    core: Rc<Core>,
    zones: Rc<Zones>,
    skipper: Rc<Skipper>,
    writer: Rc<Writer>,
}

impl NoExecuteTainter {
    /// One that has tainted no node.
    pub(super) fn new(
        core: &Rc<Core>,
        zones: &Rc<Zones>,
        skipper: &Rc<Skipper>,
        writer: &Rc<Writer>,
    ) -> Self {
        NoExecuteTainter {
            zones: zones.clone(),
            skipper: skipper.clone(),
            writer: writer.clone(),
            core: core.clone(),
        }
    }

    /// The action of the NoExecute pass: `Err` is how long the node has to wait for another try.
    pub(super) async fn taint_queued_node(&self, id: NodeId) -> Result<(), Dur> {
        let Some(node) = self.core.informers.node(id) else { return Ok(()) };
        let Some(ready) = node.ready() else {
            if !self.core.switches().retry_without_ready {
                // Before 1.30 the missing condition is dereferenced: the process crashes, and
                // nobody here starts it again.
                self.core.api().record_node(Actor::NodeLifecycle, id, What::ControllersStopped);
                self.core.ctx.kill(self.core.group);
            }
            return Err(RETRY);
        };
        if ready.status == ConditionStatus::True {
            return Ok(());
        }
        self.core.ctx.set_cause(node.record);
        self.core.ctx.set_saw(node.record);
        self.zones.untell_queued(id);
        if self.swap_taint(&node, ready.status).await { Ok(()) } else { Err(Dur::ZERO) }
    }

    /// Has the taint for that status take the place of the opposite one. False if a write failed.
    pub(super) async fn swap_taint(&self, node: &Rc<Node>, status: ConditionStatus) -> bool {
        let Some((add, opposite)) = self.core.templates.of(status) else { return true };
        self.writer
            .swap_node_controller_taint(node, vec![add.clone()], vec![opposite.clone()])
            .await
    }

    /// `markNodeForTainting`: queues a node; one whose taint is missing is taken out first, so that
    /// it is stamped anew.
    pub(super) fn mark_node_for_tainting(
        &self,
        node: &Node,
        status: ConditionStatus,
        by_worker: bool,
    ) {
        let Some(queue) = self.zones.tainter_of(node) else { return };
        let Some((wanted, _)) = self.core.templates.of(status) else { return };
        if !node.has_taint(wanted) {
            match self.core.switches().requeue {
                Requeue::Correct => {
                    queue.remove(node.id);
                }
                Requeue::HeapDuplicates => queue.forget(node.id),
                Requeue::Never => {}
            }
        }
        if queue.add(node.id) {
            if self.zones.tell_queued(node.id) {
                self.core.ctx.set_cause(node.record);
                self.core.api().record_node(Actor::NodeLifecycle, node.id, What::NodeQueued);
            }
            self.skipper.tainting_is_due(by_worker);
        }
    }

    /// `markNodeAsReachable`: removes both NoExecute taints, where the snapshot has them, and takes
    /// the node out of the queue.
    pub(super) async fn mark_node_as_reachable(&self, node: &Rc<Node>) -> bool {
        let held = self.zones.hold_evictor_lock().await;
        for taint in [&self.core.templates.unreachable, &self.core.templates.not_ready] {
            if !node.has_taint(taint) {
                continue;
            }
            if held.is_some() {
                self.skipper.tainting_is_due(false);
            }
            if !self.writer.remove_taints_off_node(node, vec![taint.clone()]).await {
                return false;
            }
        }
        self.zones.unqueue(node);
        true
    }
}
