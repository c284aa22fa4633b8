//! What is to be done about a node's pods, decided once for nodes that are dealt with at once and
//! for those that have to wait (`processTaintBaseEviction`; `processNoTaintBaseEviction` in timeout
//! mode).
//!
//! Timeout mode: pods of a node that was silent or not ready for `--pod-eviction-timeout` are
//! deleted at the zone's rate (`node_lifecycle_controller.go: processNoTaintBaseEviction, evictPods,
//! cancelPodEviction, doEvictionPass` and `util/node: DeletePods`, v1.18; up to 1.26 with
//! `--enable-taint-manager=false`, and without the gate TaintBasedEvictions up to 1.17). Left out:
//! the pod status reason NodeLost, which nothing reads that is modelled here; its write is made.
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use super::skip::Skipper;
use crate::controllers::node_lifecycle::prelude::*;
use crate::plan::switches::node_lifecycle::{EvictionMode, Requeue};

/// How long a node that can't be judged waits in the queue.
const RETRY: Dur = Dur::from_millis(50);

/// The branches of `processTaintBaseEviction` and `processNoTaintBaseEviction`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Decision {
    /// `markNodeAsReachable`
    MarkNodeAsReachable,
    /// `SwapNodeControllerTaint`: the node has the opposite taint, so that the one for this status
    /// takes its place at once, without the limiter.
    SwapTaint(ConditionStatus),
    /// `markNodeForTainting`, with the taint for this status.
    MarkNodeForTainting(ConditionStatus),
    /// `cancelPodEviction`
    CancelPodEviction,
    /// `evictPods`
    EvictPods,
    /// Timeout mode: the timeout is not over.
    Nothing,
}

/// Decides about nodes, and carries that out: sets and takes off NoExecute taints, or deletes pods.
pub(super) struct Eviction {
    core: Rc<Core>,
    zones: Rc<Zones>,
    health: Rc<HealthMap>,
    skipper: Rc<Skipper>,
    writer: Rc<Writer>,
    /// Nodes whose pods were deleted (`nodeEvictionMap`).
    evicted: Shared<BTreeSet<NodeId>>,
}

impl Eviction {
    /// Nothing was decided yet.
    pub(super) fn new(
        (core, zones, health): Base,
        skipper: Rc<Skipper>,
        writer: Rc<Writer>,
    ) -> Rc<Self> {
        Rc::new(Self { core, zones, health, skipper, writer, evicted: Shared::default() })
    }

    /// A node is gone.
    pub(super) fn forget(&self, node: NodeId) {
        self.evicted.with(|e| e.remove(&node));
    }

    /// What is to be done about a node; none while it never had a Ready condition and is within its
    /// grace.
    pub(super) fn decide(&self, node: &Node, tried: &Tried) -> Option<Decision> {
        let status = tried.decisive(self.core.switches())?;
        Some(match self.core.switches().eviction_mode {
            EvictionMode::Taints => self.decide_taint_base_eviction(node, status),
            EvictionMode::Timeout => self.decide_no_taint_base_eviction(node, tried.observed),
        })
    }

    fn decide_taint_base_eviction(&self, node: &Node, status: ConditionStatus) -> Decision {
        let Some((_, opposite)) = self.core.templates.of(status) else {
            return Decision::MarkNodeAsReachable;
        };
        if self.core.switches().swap_without_limiter && node.has_taint(opposite) {
            Decision::SwapTaint(status)
        } else {
            Decision::MarkNodeForTainting(status)
        }
    }

    /// What timeout mode does about a node with that status.
    pub(super) fn decide_no_taint_base_eviction(
        &self,
        node: &Node,
        observed: ConditionStatus,
    ) -> Decision {
        if observed == ConditionStatus::True {
            Decision::CancelPodEviction
        } else if self.eviction_is_due(node, observed) {
            Decision::EvictPods
        } else {
            Decision::Nothing
        }
    }

    /// Whether anything about a node needs a request or a lock. `marks_pods_again`: the last try to
    /// mark its pods failed.
    pub(super) fn has_to_wait(
        &self,
        node: &Node,
        tried: &Tried,
        decision: Option<Decision>,
        marks_pods_again: bool,
    ) -> bool {
        let s = self.core.switches();
        if tried.write.is_some()
            || tried.expired && s.lease_circuit_breaker
            || self.zones.is_locked()
        {
            return true;
        }
        let Some(decision) = decision else { return false };
        marks_pods_again && tried.observed != ConditionStatus::True
            || match decision {
                Decision::MarkNodeAsReachable => self.waits_to_spare(node),
                Decision::SwapTaint(_) | Decision::EvictPods => true,
                Decision::MarkNodeForTainting(_)
                | Decision::CancelPodEviction
                | Decision::Nothing => false,
            }
    }

    /// Whether `markNodeAsReachable` has taints to take off.
    pub(super) fn waits_to_spare(&self, node: &Node) -> bool {
        node.has_taint(&self.core.templates.not_ready)
            || node.has_taint(&self.core.templates.unreachable)
    }

    /// Carries out a decision for which nothing has to wait.
    pub(super) fn process_at_once(&self, node: &Node, decision: Decision) {
        match decision {
            Decision::MarkNodeAsReachable | Decision::CancelPodEviction => self.zones.unqueue(node),
            Decision::MarkNodeForTainting(status) => {
                self.mark_node_for_tainting(node, status, false)
            }
            Decision::SwapTaint(_) | Decision::EvictPods | Decision::Nothing => {}
        }
    }

    /// Carries out a decision with the requests and the lock that it needs
    /// (`processTaintBaseEviction`; in timeout mode `processNoTaintBaseEviction`).
    pub(super) async fn process_taint_base_eviction(
        &self,
        node: &Rc<Node>,
        decision: Decision,
        pods: &[Rc<Pod>],
    ) {
        match decision {
            Decision::MarkNodeAsReachable => self.mark_node_as_reachable(node).await,
            Decision::SwapTaint(status) => drop(self.swap_taint(node, status).await),
            Decision::MarkNodeForTainting(status) => {
                let _held = self.zones.hold_evictor_lock().await;
                self.mark_node_for_tainting(node, status, true);
            }
            Decision::CancelPodEviction => self.cancel_pod_eviction(node).await,
            Decision::EvictPods => self.evict_pods(node, pods).await,
            Decision::Nothing => {}
        }
    }

    /// `markNodeAsReachable`; in timeout mode `cancelPodEviction`.
    pub(super) async fn spare(&self, node: &Rc<Node>) {
        match self.core.switches().eviction_mode {
            // The cause of what is written about a node is the version that was read.
            EvictionMode::Taints => self.mark_node_as_reachable(node).await,
            EvictionMode::Timeout => self.cancel_pod_eviction(node).await,
        }
    }

    /// `doNoExecuteTaintingPass`, or `doEvictionPass` in timeout mode.
    pub(super) async fn do_no_execute_tainting_pass(&self) {
        if self.zones.queues_are_empty() && !self.zones.is_locked() {
            return;
        }
        let _held = self.zones.hold_evictor_lock().await;
        if self.zones.queues_are_empty() {
            return;
        }
        let object = |node| self.core.client.node_object(node);
        for zone in self.zones.zones_with_tainters() {
            let Some(queue) = self.zones.tainter(zone) else { continue };
            match self.core.switches().eviction_mode {
                EvictionMode::Taints => queue.try_each(object, |n| self.taint_queued_node(n)).await,
                EvictionMode::Timeout => {
                    queue.try_each(object, |n| self.evict_queued_node(n)).await
                }
            }
        }
    }

    /// The action of the NoExecute pass: `Err` is how long the node has to wait for another try.
    async fn taint_queued_node(&self, id: NodeId) -> Result<(), Dur> {
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
    async fn swap_taint(&self, node: &Rc<Node>, status: ConditionStatus) -> bool {
        let Some((add, opposite)) = self.core.templates.of(status) else { return true };
        let (add, remove) = (vec![add.clone()], vec![opposite.clone()]);
        self.writer.swap_node_controller_taint(node, add, remove).await
    }

    /// `markNodeForTainting`: queues a node; one whose taint is missing is taken out first, so that
    /// it is stamped anew.
    fn mark_node_for_tainting(&self, node: &Node, status: ConditionStatus, by_worker: bool) {
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
    async fn mark_node_as_reachable(&self, node: &Rc<Node>) {
        let held = self.zones.hold_evictor_lock().await;
        for taint in [&self.core.templates.unreachable, &self.core.templates.not_ready] {
            if !node.has_taint(taint) {
                continue;
            }
            if held.is_some() {
                self.skipper.tainting_is_due(false);
            }
            if !self.writer.remove_taints_off_node(node, vec![taint.clone()]).await {
                return;
            }
        }
        self.zones.unqueue(node);
    }

    /// Whether a node's pods are due for eviction. True and past the timeout: the transition counts
    /// for False, the last sign of life for Unknown.
    fn eviction_is_due(&self, node: &Node, observed: ConditionStatus) -> bool {
        let Some(health) = self.health.get(node.id) else { return false };
        let since = match observed {
            ConditionStatus::True => return false,
            ConditionStatus::False => health.transition_ns,
            ConditionStatus::Unknown => health.probe_ns,
        };
        let timeout = self.core.flags().pod_eviction_timeout.as_nanos() as i64;
        self.core.now_ns() > since.saturating_add(timeout)
    }

    /// `evictPods`: queues the node, or deletes its pods at once if it was worked on already.
    async fn evict_pods(&self, node: &Rc<Node>, pods: &[Rc<Pod>]) {
        let _held = self.zones.hold_evictor_lock().await;
        if self.core.switches().evicted_node_sheds_new_pods
            && self.evicted.with(|e| e.contains(&node.id))
        {
            self.skipper.tainting_is_due(false);
            self.delete_pods(pods, node.id, Some(node.uid)).await;
            return;
        }
        if let Some(queue) = self.zones.tainter_of(node)
            && queue.add(node.id)
        {
            self.core.api().record_node(Actor::NodeLifecycle, node.id, What::NodeQueued);
            self.skipper.tainting_is_due(true);
        }
    }

    /// `cancelPodEviction`
    async fn cancel_pod_eviction(&self, node: &Rc<Node>) {
        let _held = self.zones.hold_evictor_lock().await;
        self.evicted.with(|e| e.remove(&node.id));
        self.zones.unqueue(node);
    }

    /// The action of `doEvictionPass`.
    async fn evict_queued_node(&self, id: NodeId) -> Result<(), Dur> {
        let node = self.core.informers.node(id);
        let pods = self.core.pods_in_some_order(id);
        if !self.delete_pods(&pods, id, node.as_ref().map(|n| n.uid)).await {
            return Err(Dur::ZERO);
        }
        if node.is_some() {
            self.evicted.with(|e| e.insert(id));
        }
        Ok(())
    }

    /// `DeletePods`: events, a status write with the reason, and a DELETE for each pod that
    /// is not being deleted and not a DaemonSet's. False if any failed.
    async fn delete_pods(&self, pods: &[Rc<Pod>], node: NodeId, uid: Option<Uid>) -> bool {
        if !pods.is_empty() {
            self.core.recorder.event(About::Node(node, uid), EventText::DeletingAllPods);
        }
        let mut conflicts = false;
        for pod in pods.iter().filter(|p| p.node == Some(node)) {
            self.core.ctx.set_saw(pod.record);
            let marked = self.core.client.update_pod_status(pod.clone()).await;
            if matches!(marked, Err(ApiError::Conflict)) {
                conflicts = true;
                continue;
            }
            let of_daemon_set = pod.template.owner.as_ref().is_some_and(|o| o.kind == "DaemonSet");
            if pod.is_terminating() || of_daemon_set {
                continue;
            }
            let body = EventBody::of_node(EventText::NodeControllerEviction, node);
            self.core.recorder.event(About::Pod(pod.id, Some(pod.uid)), body);
            match self.core.client.delete_pod(pod.id, None, None).await {
                Ok(()) | Err(ApiError::NotFound) => {}
                Err(_) => return false,
            }
        }
        !conflicts
    }
}
