//! Timeout mode: pods of a node that was silent or not ready for `--pod-eviction-timeout` are
//! deleted at the zone's rate.
//!
//! `node_lifecycle_controller.go: processNoTaintBaseEviction, evictPods, cancelPodEviction,
//! doEvictionPass` and `util/node: DeletePods`, v1.18; up to 1.26 with
//! `--enable-taint-manager=false`, and without the gate TaintBasedEvictions up to 1.17. Left out:
//! the pod status reason NodeLost, which nothing reads that is modelled here; its write is made.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use super::skip::Skipper;
use crate::controllers::node_lifecycle::prelude::*;

/// Deletes the pods of nodes.
pub(super) struct PodEvictor {
    core: Rc<Core>,
    zones: Rc<Zones>,
    health: Rc<HealthMap>,
    skipper: Rc<Skipper>,
    /// Nodes whose pods were deleted (`nodeEvictionMap`).
    evicted: Shared<BTreeSet<NodeId>>,
}

impl PodEvictor {
    /// One that has deleted no pod.
    pub(super) fn new(
        core: &Rc<Core>,
        zones: &Rc<Zones>,
        health: &Rc<HealthMap>,
        skipper: &Rc<Skipper>,
    ) -> Self {
        PodEvictor {
            evicted: Shared::new(BTreeSet::new()),
            zones: zones.clone(),
            health: health.clone(),
            skipper: skipper.clone(),
            core: core.clone(),
        }
    }

    /// A node is gone.
    pub(super) fn forget(&self, node: NodeId) {
        self.evicted.with(|e| e.remove(&node));
    }

    /// Whether a node's pods are due for eviction. True and past the timeout: the transition counts
    /// for False, the last sign of life for Unknown.
    pub(super) fn eviction_is_due(&self, node: &Node, observed: ConditionStatus) -> bool {
        let Some(health) = self.health.get(node.id) else { return false };
        let since = match observed {
            ConditionStatus::True => return false,
            ConditionStatus::False => health.transition_ns,
            ConditionStatus::Unknown => health.probe_ns,
        };
        self.core.now_ns()
            > since.saturating_add(self.core.flags().pod_eviction_timeout.as_nanos() as i64)
    }

    /// `evictPods`: queues the node, or deletes its pods at once if it was worked on already.
    pub(super) async fn evict_pods(&self, node: &Rc<Node>, pods: &[Rc<Pod>]) {
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
    pub(super) async fn cancel_pod_eviction(&self, node: &Rc<Node>) {
        let _held = self.zones.hold_evictor_lock().await;
        self.evicted.with(|e| e.remove(&node.id));
        self.zones.unqueue(node);
    }

    /// The action of `doEvictionPass`.
    pub(super) async fn evict_queued_node(&self, id: NodeId) -> Result<(), Dur> {
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
        for pod in pods {
            if pod.node != Some(node) {
                continue;
            }
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
            self.core.recorder.event(
                About::Pod(pod.id, Some(pod.uid)),
                EventBody::of_node(EventText::NodeControllerEviction, node),
            );
            match self.core.client.delete_pod(pod.id, None, None).await {
                Ok(()) | Err(ApiError::NotFound) => {}
                Err(_) => return false,
            }
        }
        !conflicts
    }
}
