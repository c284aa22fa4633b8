//! Pods of silent nodes: `MarkPodsNotReady`, and the workers for pods that come to such a node
//! later.

use super::decision::Eviction;
use crate::controllers::node_lifecycle::prelude::*;
use crate::plan::switches::node_lifecycle::EvictionMode;

/// Marks the pods of silent nodes.
pub(super) struct PodMarker {
    core: Rc<Core>,
    health: Rc<HealthMap>,
    eviction: Rc<Eviction>,
    pub(super) pod_queue: WorkQueue<PodId>,
}

impl PodMarker {
    /// One whose queue is empty.
    pub(super) fn new(core: Rc<Core>, health: Rc<HealthMap>, eviction: Rc<Eviction>) -> Rc<Self> {
        let pod_queue = WorkQueue::new(&core.ctx, core.group);
        Rc::new(Self { core, health, eviction, pod_queue })
    }

    /// `MarkPodsNotReady`, one pod after the other, with the versions that the cache had. False if
    /// any write failed, other than for a pod that is gone; the event is emitted all the same.
    pub(super) async fn mark_pods_not_ready(&self, pods: Vec<Rc<Pod>>, node: NodeId) -> bool {
        let mut all_marked = true;
        for pod in pods {
            let ready = pod.ready.filter(|c| c.status != ConditionStatus::False);
            let Some(ready) = ready.filter(|_| pod.node == Some(node)) else { continue };
            let at = self.core.api().timestamp();
            let not_ready = PodCondition::new(ConditionStatus::False, ready.reason, at);
            let marked = Pod { ready: Some(not_ready), ..(*pod).clone() };
            self.core.ctx.set_saw(pod.record);
            match self.core.client.update_pod_status(Rc::new(marked)).await {
                Ok(_) => {}
                Err(ApiError::NotFound) => continue,
                Err(_) => all_marked = false,
            }
            if self.core.switches().pod_event {
                let about = About::Pod(pod.id, Some(pod.uid));
                self.core.recorder.event(about, EventText::PodNodeNotReady);
                // The writer of events may get its token before the next request here.
                let event_first = self.core.ctx.point("pod-event-first");
                self.core.ctx.yield_point(event_first, 0).await;
            }
        }
        all_marked
    }

    /// `doPodProcessingWorker`
    pub(super) async fn do_pod_processing_worker(&self, busy: Name) {
        loop {
            let id = self.pod_queue.get().await;
            self.process_pod(id, busy).await;
            self.pod_queue.done(id);
        }
    }

    /// `processPod`: a pod that came to a node whose saved Ready is not True is marked NotReady.
    async fn process_pod(&self, id: PodId, busy: Name) {
        let Some(pod) = self.core.informers.pod(id) else { return };
        let Some(node) = pod.node else { return };
        let Some(health) = self.health.get(node) else { return };
        let Some(present) = self.core.informers.node(node) else {
            self.pod_queue.add_rate_limited(id);
            return;
        };
        let Some(ready) = health.ready else { return };
        if self.core.switches().eviction_mode == EvictionMode::Timeout {
            self.core.ctx.becomes(busy);
            let decision = self.eviction.decide_no_taint_base_eviction(&present, ready.status);
            let pods = std::slice::from_ref(&pod);
            self.eviction.process_taint_base_eviction(&present, decision, pods).await;
            self.core.ctx.becomes(busy.at_rest());
        }
        if ready.status != ConditionStatus::True && !self.mark_pods_not_ready(vec![pod], node).await
        {
            self.pod_queue.add_rate_limited(id);
        }
    }
}
