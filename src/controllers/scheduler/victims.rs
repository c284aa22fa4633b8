//! Evicting the pods that have to make room (`framework/preemption: prepareCandidate`,
//! `prepareCandidateAsync`; in 1.18 `scheduler.go: preempt`).

use super::controller::{Controller, Nomination};
use super::node_info::Placed;
use super::preemption::Candidate;
use super::shape::Shape;
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId};
use crate::api::pod::{Pod, PodCondition, PodReason};
use crate::apiserver::{ApiError, ApiServer};
use crate::client::parallelize;
use crate::plan::switches::scheduler::{PreemptedText, PreemptionWrites};
use crate::trace::EventText;
use std::cell::Cell;
use std::rc::Rc;

/// How many victims are evicted at once (`parallelism`).
const PARALLELISM: usize = 16;

impl Controller {
    /// Evicts a candidate's victims, now or beside the next attempts; what becomes of the pod's
    /// nomination.
    pub(super) async fn make_room(
        &self,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        mut candidate: Candidate,
    ) -> Nomination {
        let node = candidate.node;
        if self.config.choice.switches.spares_terminating {
            candidate.victims.retain(|v| !v.pod.is_terminating());
        }
        let Some(c) = self.me.upgrade() else {
            return Nomination::Keep;
        };
        match self.config.choice.switches.preemption_writes {
            PreemptionWrites::NominationFirst => {
                self.state
                    .with(|s| s.nominator.add((pod.clone(), shape.clone()), node));
                let id = pod.id;
                let set = move |api: &crate::apiserver::ApiServer, actor| {
                    api.patch_unscheduled(actor, id, None, Some(Some(node)))
                };
                if self.client.call(self.pod_object(id), set).await.is_err() {
                    self.state.with(|s| s.nominator.remove(id));
                    return Nomination::Keep;
                }
                if !self.evict_in_turn(pod, &candidate.victims, node).await {
                    return Nomination::Keep;
                }
                self.clear_weaker_nominations(shape.priority, node).await;
                Nomination::Keep
            }
            PreemptionWrites::DeletionsFirst => {
                let ok = if self.config.choice.switches.victims_in_parallel {
                    c.evict_all(pod.clone(), candidate.victims, node).await
                } else {
                    self.evict_in_turn(pod, &candidate.victims, node).await
                };
                if !ok {
                    return Nomination::Keep;
                }
                self.clear_weaker_nominations(shape.priority, node).await;
                Nomination::Set(Some(node))
            }
            // All victims are on their way already.
            PreemptionWrites::Async if candidate.victims.is_empty() => Nomination::Set(Some(node)),
            PreemptionWrites::Async => {
                self.state.with(|s| s.queue.preempting.insert(pod.id));
                let (pod, priority) = (pod.clone(), shape.priority);
                self.ctx.spawn(self.group, async move {
                    c.make_room_beside(pod, priority, candidate).await
                });
                Nomination::Set(Some(node))
            }
        }
    }

    /// The pod stays out of the queue until all victims but one are evicted: the last one's end has
    /// to find it there.
    async fn make_room_beside(
        self: Rc<Self>,
        pod: Rc<Pod>,
        priority: i32,
        mut candidate: Candidate,
    ) {
        let node = candidate.node;
        let mut ok = self.clear_weaker_nominations(priority, node).await;
        let last = candidate.victims.pop();
        ok &= self
            .clone()
            .evict_all(pod.clone(), candidate.victims, node)
            .await;
        self.state.with(|s| s.queue.preempting.remove(&pod.id));
        if let Some(last) = last {
            ok &= self.evict(&pod, &last, node).await.is_ok();
        }
        if !ok {
            self.state.with(|s| s.queue.activate(pod.id));
            self.broadcast();
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
    async fn evict_all(self: Rc<Self>, pod: Rc<Pod>, victims: Vec<Placed>, node: NodeId) -> bool {
        let ok = Rc::new(Cell::new(true));
        let (ctx, group, pieces) = (self.ctx.clone(), self.group, victims.len());
        let (victims, all_ok) = (Rc::new(victims), ok.clone());
        let start = move |i: usize| {
            let (c, pod, victims, ok) =
                (self.clone(), pod.clone(), victims.clone(), all_ok.clone());
            Some(async move {
                let evicted = c.evict(&pod, &victims[i], node).await;
                ok.set(ok.get() && evicted.is_ok());
            })
        };
        parallelize(&ctx, group, PARALLELISM, pieces, start).await;
        ok.get()
    }

    /// Marks a pod, deletes it with its own grace period, and records it (`PreemptPod`).
    async fn evict(&self, pod: &Pod, victim: &Placed, node: NodeId) -> Result<(), ApiError> {
        let switches = &self.config.choice.switches;
        let (id, uid) = (victim.pod.id, victim.pod.uid);
        let object = self.pod_object(id);
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
            let at = self.client.api().timestamp();
            let condition = PodCondition {
                status: ConditionStatus::True,
                reason,
                last_transition_time: at,
            };
            if switches.victims_get_preemptors_status {
                let with = pod.clone();
                self.client
                    .call(object, move |api, actor| {
                        api.replace_status(actor, id, uid, &with, condition)
                    })
                    .await?;
            } else if !marked {
                self.client
                    .call(object, move |api, actor| {
                        api.patch_disruption_target(actor, id, uid, condition)
                    })
                    .await?;
            }
        }
        match self
            .client
            .call(object, move |api, actor| {
                api.delete_pod(actor, id, None, None)
            })
            .await
        {
            Ok(()) => {}
            Err(ApiError::NotFound) => return Ok(()),
            Err(e) => return Err(e),
        }
        let text = self.client.api().names(|n| {
            let on = n.node_name(node);
            match switches.preempted_text {
                PreemptedText::ByName => {
                    format!("Preempted by {} on node {on}", n.pod_name(pod.id))
                }
                PreemptedText::ByAPod => format!("Preempted by a pod on node {on}"),
                PreemptedText::ByUid => format!("Preempted by pod {} on node {on}", pod.uid),
            }
        });
        self.tell(&victim.pod, EventText::Preempted, &text);
        Ok(())
    }

    /// Pods of lower priority that were to get the node have to look elsewhere; false if one could
    /// not be told.
    async fn clear_weaker_nominations(&self, priority: i32, node: NodeId) -> bool {
        let weaker: Vec<Rc<Pod>> = self.state.with(|s| {
            s.nominator
                .on(node)
                .iter()
                .filter(|(_, shape)| shape.priority < priority)
                .map(|(pod, _)| pod.clone())
                .collect()
        });
        let mut ok = true;
        for id in weaker.iter().map(|p| p.id) {
            let shown = self
                .informers
                .pod(id)
                .and_then(|p| p.unscheduled.as_ref().and_then(|u| u.nominated));
            if shown.is_some() {
                ok &= self.clear_nomination(id).await;
            }
        }
        ok
    }

    /// `ClearNominatedNodeName`, of one pod; false if it could not be told.
    pub(super) async fn clear_nomination(&self, id: PodId) -> bool {
        let clear =
            move |api: &ApiServer, actor| api.patch_unscheduled(actor, id, None, Some(None));
        self.client.call(self.pod_object(id), clear).await.is_ok()
    }
}
