//! Evicting the pods that have to make room (`framework/preemption: prepareCandidate`,
//! `prepareCandidateAsync`; in 1.18 `scheduler.go: preempt`).

use super::core::Core;
use super::nominator::{Nomination, nominated};
use super::preemption::Candidate;
use crate::client::parallelize;
use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::{PreemptedText, PreemptionWrites};

/// How many victims are evicted at once (`parallelism`).
const PARALLELISM: usize = 16;

/// Makes room for pods (`preemption.Executor`).
pub(super) struct Executor {
    core: Rc<Core>,
}

impl Executor {
    /// One that has no pod to make room for.
    pub(super) fn new(core: &Rc<Core>) -> Rc<Self> {
        Rc::new(Executor { core: core.clone() })
    }

    /// Evicts a candidate's victims, now or beside the next attempts; what becomes of the pod's
    /// nomination.
    pub(super) async fn make_room(
        self: &Rc<Self>,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        mut candidate: Candidate,
    ) -> Nomination {
        let node = candidate.node;
        if self.core.switches().spares_terminating {
            candidate.victims.retain(|v| !v.pod.is_terminating());
        }
        match self.core.switches().preemption_writes {
            PreemptionWrites::NominationFirst => {
                let weaker = self.lower_priority_nominated_pods(shape.priority, node);
                self.core.state.with(|s| s.nominator.add((pod.clone(), shape.clone()), node));
                if !self.core.write_status(pod, None, Some(Some(node))).await {
                    self.core.state.with(|s| s.nominator.remove(pod.id));
                    return Nomination::Keep;
                }
                if self.evict_in_turn(pod, &candidate.victims, node).await {
                    self.clear_nominations(&weaker).await;
                }
                Nomination::Keep
            }
            PreemptionWrites::DeletionsFirst => {
                let ok = if self.core.switches().victims_in_parallel {
                    self.evict_all(pod, candidate.victims, node).await
                } else {
                    self.evict_in_turn(pod, &candidate.victims, node).await
                };
                if !ok {
                    return Nomination::Keep;
                }
                let weaker = self.lower_priority_nominated_pods(shape.priority, node);
                self.clear_nominations(&weaker).await;
                Nomination::Set(Some(node))
            }
            // All victims are on their way already.
            PreemptionWrites::Async if candidate.victims.is_empty() => Nomination::Set(Some(node)),
            PreemptionWrites::Async => {
                self.core.state.with(|s| s.queue.preempting.insert(pod.id));
                let (c, pod, priority) = (self.clone(), pod.clone(), shape.priority);
                self.core.ctx.spawn(self.core.group, async move {
                    c.make_room_beside(&pod, priority, candidate).await
                });
                Nomination::Set(Some(node))
            }
        }
    }

    /// The pod stays out of the queue until all victims but one are evicted: the last one's end has
    /// to find it there.
    async fn make_room_beside(
        self: &Rc<Self>,
        pod: &Rc<Pod>,
        priority: i32,
        mut candidate: Candidate,
    ) {
        let node = candidate.node;
        let weaker = self.lower_priority_nominated_pods(priority, node);
        let mut ok = self.clear_nominations(&weaker).await;
        let last = candidate.victims.pop();
        ok &= self.evict_all(pod, candidate.victims, node).await;
        self.core.state.with(|s| s.queue.preempting.remove(&pod.id));
        if let Some(last) = last {
            ok &= self.evict(pod, &last, node).await.is_ok();
        }
        if !ok {
            self.core.state.with(|s| s.queue.activate(pod.id));
            self.core.broadcast();
        }
    }

    /// Evicts pods one after the other, up to the first that could not be; false if there is one.
    async fn evict_in_turn(&self, pod: &Pod, victims: &[Placed], node: NodeId) -> bool {
        for victim in victims {
            if self.evict(pod, victim, node).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Evicts pods in parallel; false if any could not be.
    async fn evict_all(self: &Rc<Self>, pod: &Rc<Pod>, victims: Vec<Placed>, node: NodeId) -> bool {
        let ok = Rc::new(Cell::new(true));
        let (me, pod, pieces) = (self.clone(), pod.clone(), victims.len());
        let (victims, all_ok) = (Rc::new(victims), ok.clone());
        let start = move |i: usize| {
            let (c, pod, victims, ok) = (me.clone(), pod.clone(), victims.clone(), all_ok.clone());
            Some(async move {
                let evicted = c.evict(&pod, &victims[i], node).await;
                ok.set(ok.get() && evicted.is_ok());
            })
        };
        parallelize(&self.core.ctx, self.core.group, PARALLELISM, pieces, start).await;
        ok.get()
    }

    /// Marks a pod, deletes it with its own grace period, and records it (`PreemptPod`).
    async fn evict(&self, pod: &Pod, victim: &Placed, node: NodeId) -> ApiResult {
        let switches = self.core.switches();
        let (id, uid) = (victim.pod.id, victim.pod.uid);
        let reason = if switches.old_victim_reason {
            PodReason::PreemptionByKubeScheduler
        } else {
            PodReason::PreemptionByScheduler
        };
        let marked = victim
            .pod
            .disruption_target
            .is_some_and(|c| c.status == ConditionStatus::True && c.reason == reason);
        if switches.marks_victims {
            let at = self.core.api().timestamp();
            let condition = PodCondition::new(ConditionStatus::True, reason, at);
            if switches.victims_get_preemptors_status {
                let with = pod.clone();
                let write = move |api: &ApiServer, actor| {
                    api.replace_status(actor, id, uid, &with, condition)
                };
                self.core.write_retried(id, InternalErrors::StatusRetried, write).await?;
            } else if !marked {
                let write = move |api: &ApiServer, actor| {
                    api.patch_disruption_target(actor, id, uid, condition)
                };
                self.core.write_retried(id, InternalErrors::StatusRetried, write).await?;
            }
        }
        match self.core.client.delete_pod(id, None, None).await {
            Ok(()) => {}
            Err(ApiError::NotFound) => return Ok(()),
            Err(e) => return Err(e),
        }
        let text = self.core.api().names(|n| {
            let on = n.node_name(node);
            match switches.preempted_text {
                PreemptedText::ByName => {
                    format!("Preempted by {} on node {on}", n.pod_name(pod.id))
                }
                PreemptedText::ByAPod => format!("Preempted by a pod on node {on}"),
                PreemptedText::ByUid => format!("Preempted by pod {} on node {on}", pod.uid),
            }
        });
        self.core.tell(&victim.pod, EventText::Preempted, &text);
        Ok(())
    }

    /// Pods of lower priority that were to get a node and have to look elsewhere
    /// (`getLowerPriorityNominatedPods`).
    fn lower_priority_nominated_pods(&self, priority: i32, node: NodeId) -> Vec<Rc<Pod>> {
        self.core.state.with(|s| {
            let weaker = s.nominator.on(node).iter().filter(|(_, shape)| shape.priority < priority);
            weaker.map(|(pod, _)| pod.clone()).collect()
        })
    }

    /// Takes pods' nominations away; false if one could not be told.
    async fn clear_nominations(&self, pods: &[Rc<Pod>]) -> bool {
        let mut ok = true;
        for pod in pods {
            if self.core.informers.pod(pod.id).is_some_and(|p| nominated(&p).is_some()) {
                ok &= self.clear_nomination(pod).await;
            }
        }
        ok
    }

    /// `ClearNominatedNodeName`, in 1.18 `removeNominatedNodeName`, of one pod; false if it could
    /// not be told.
    pub(super) async fn clear_nomination(&self, pod: &Pod) -> bool {
        self.core.write_status(pod, None, Some(None)).await
    }
}
