//! Timeout mode: pods of a node that was silent or not ready for `--pod-eviction-timeout` are
//! deleted at the zone's rate.
//!
//! `node_lifecycle_controller.go: processNoTaintBaseEviction, evictPods, cancelPodEviction,
//! doEvictionPass` and `util/node: DeletePods`, v1.18; up to 1.26 with
//! `--enable-taint-manager=false`, and without the gate TaintBasedEvictions up to 1.17. Left out:
//! the pod status reason NodeLost, which nothing reads that is modelled here; its write is made.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

use super::controller::Controller;
use super::notices::Notices;
use crate::api::meta::{ConditionStatus, Uid};
use crate::api::names::NodeId;
use crate::api::node::Node;
use crate::api::pod::Pod;
use crate::apiserver::ApiError;
use crate::client::About;
use crate::kernel::Dur;
use crate::trace::{Actor, EventBody, EventText, What};
use std::rc::Rc;

impl Controller {
    /// Whether a node's pods are due for eviction. True and past the timeout: the transition counts
    /// for False, the last sign of life for Unknown.
    pub(super) fn eviction_is_due(&self, node: &Node, observed: ConditionStatus) -> bool {
        let Some(health) = self
            .state
            .with(|s| s.health.get(node.id.index()).copied().flatten())
        else {
            return false;
        };
        let since = match observed {
            ConditionStatus::True => return false,
            ConditionStatus::False => health.transition_ns,
            ConditionStatus::Unknown => health.probe_ns,
        };
        self.now_ns() > since.saturating_add(self.config.pod_eviction_timeout.as_nanos() as i64)
    }

    /// `evictPods`: queues the node, or deletes its pods at once if it was worked on already.
    pub(super) async fn evict_pods(&self, node: &Rc<Node>, pods: &[Rc<Pod>]) {
        let _held = self.hold_evictor_lock().await;
        if self.config.switches.evicted_node_sheds_new_pods
            && self.state.with(|s| s.evicted.contains(&node.id))
        {
            self.tainting_is_due(false);
            self.delete_pods(pods, node.id, Some(node.uid)).await;
            return;
        }
        if let Some(queue) = self.tainter_of(node)
            && queue.add(node.id)
        {
            self.client
                .api()
                .record_node(Actor::NodeLifecycle, node.id, What::NodeQueued);
            self.tainting_is_due(true);
        }
    }

    /// `cancelPodEviction`
    pub(super) async fn cancel_pod_eviction(&self, node: &Rc<Node>) {
        let _held = self.hold_evictor_lock().await;
        self.state.with(|s| s.evicted.remove(&node.id));
        self.unqueue(node);
    }

    /// The action of `doEvictionPass`.
    pub(super) async fn evict_queued_node(&self, id: NodeId) -> Result<(), Dur> {
        let node = self.informers.node(id);
        let pods = self.pods_in_some_order(id);
        if !self
            .delete_pods(&pods, id, node.as_ref().map(|n| n.uid))
            .await
        {
            return Err(Dur::ZERO);
        }
        if node.is_some() {
            self.state.with(|s| s.evicted.insert(id));
        }
        Ok(())
    }

    /// `DeletePods`: events, a status write with the reason, and a DELETE for each pod that
    /// is not being deleted and not a DaemonSet's. False if any failed.
    async fn delete_pods(&self, pods: &[Rc<Pod>], node: NodeId, uid: Option<Uid>) -> bool {
        if !pods.is_empty() {
            self.recorder
                .event(About::Node(node, uid), EventText::DeletingAllPods);
        }
        let mut conflicts = false;
        for pod in pods {
            if pod.node != Some(node) {
                continue;
            }
            let (body, object) = (pod.clone(), self.pod_object(pod.id));
            self.ctx.set_saw(pod.record);
            let marked = self
                .client
                .call(object, move |api, actor| {
                    api.update_pod_status(actor, &body)
                })
                .await;
            if matches!(marked, Err(ApiError::Conflict)) {
                conflicts = true;
                continue;
            }
            let of_daemon_set = pod
                .template
                .owner
                .as_ref()
                .is_some_and(|o| o.kind == "DaemonSet");
            if pod.is_terminating() || of_daemon_set {
                continue;
            }
            self.recorder.event(
                About::Pod(pod.id, Some(pod.uid)),
                EventBody::of_node(EventText::NodeControllerEviction, node),
            );
            let id = pod.id;
            match self
                .client
                .call(object, move |api, actor| {
                    api.delete_pod(actor, id, None, None)
                })
                .await
            {
                Ok(()) | Err(ApiError::NotFound) => {}
                Err(_) => return false,
            }
        }
        !conflicts
    }
}
