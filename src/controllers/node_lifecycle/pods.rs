//! Pods of silent nodes: `MarkPodsNotReady`, and the workers for pods that come to such a node
//! later.

use super::controller::Controller;
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::pod::{Pod, PodCondition};
use crate::apiserver::{ApiError, ApiServer};
use crate::client::About;
use crate::kernel::Name;
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::trace::EventText;
use std::rc::Rc;

impl Controller {
    /// `MarkPodsNotReady`, one pod after the other, with the versions that the cache had. False if
    /// any write failed, other than for a pod that is gone; the event is emitted all the same.
    pub(super) async fn mark_pods_not_ready(&self, pods: Vec<Rc<Pod>>, node: NodeId) -> bool {
        let mut all_marked = true;
        for pod in pods {
            let Some(ready) = pod
                .ready
                .filter(|c| c.status != ConditionStatus::False && pod.node == Some(node))
            else {
                continue;
            };
            let (read, at) = (pod.clone(), self.client.api().timestamp());
            let mark = move |api: &ApiServer, actor| {
                let not_ready = PodCondition {
                    status: ConditionStatus::False,
                    reason: ready.reason,
                    last_transition_time: at,
                };
                api.update_pod_status(
                    actor,
                    &Pod {
                        ready: Some(not_ready),
                        ..(*read).clone()
                    },
                )
            };
            self.ctx.set_saw(pod.record);
            match self.client.call(self.pod_object(pod.id), mark).await {
                Ok(_) => {}
                Err(ApiError::NotFound) => continue,
                Err(_) => all_marked = false,
            }
            if self.config.switches.pod_event {
                self.recorder.event(
                    About::Pod(pod.id, Some(pod.uid)),
                    EventText::PodNodeNotReady,
                );
                self.ctx.yield_point(self.points.event_first, 0).await;
            }
        }
        all_marked
    }

    /// `doPodProcessingWorker`
    pub(super) async fn do_pod_processing_worker(&self, busy: Name) {
        loop {
            let id = self.pod_queue.get().await;
            self.ctx.becomes(busy);
            self.process_pod(id).await;
            self.pod_queue.done(id);
            self.ctx.becomes(busy.at_rest());
        }
    }

    /// `processPod`: a pod that came to a node whose saved Ready is not True is marked NotReady.
    async fn process_pod(&self, id: PodId) {
        let Some(pod) = self.informers.pod(id) else {
            return;
        };
        let Some(node) = pod.node else { return };
        let Some(health) = self
            .state
            .with(|s| s.health.get(node.index()).copied().flatten())
        else {
            return;
        };
        let Some(present) = self.informers.node(node) else {
            self.pod_queue
                .add_rate_limited(self.group, &self.pod_limiter, id);
            return;
        };
        let Some(ready) = health.ready else { return };
        if self.config.switches.eviction_mode == EvictionMode::Timeout {
            let decision = self.decide_no_taint_base_eviction(&present, ready.status);
            self.process_taint_base_eviction(&present, decision, std::slice::from_ref(&pod))
                .await;
        }
        if ready.status == ConditionStatus::True {
            return;
        }
        if !self.mark_pods_not_ready(vec![pod], node).await {
            self.pod_queue
                .add_rate_limited(self.group, &self.pod_limiter, id);
        }
    }
}
