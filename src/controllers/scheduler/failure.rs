//! What becomes of a pod that no node takes, or whose binding fails
//! (`schedule_one.go: handleSchedulingFailure`); with the eviction of the pods that have to make room
//! (`framework/preemption: Executor`, `prepareCandidate`, `prepareCandidateAsync`; in 1.18
//! `scheduler.go: preempt`).

use super::algorithm::{Diagnosis, Incoming};
use super::core::Core;
use super::nominator::{Nomination, nominated};
use super::preemption::{Attempt, Candidate, Draw, Evaluator};
use super::text::note;
use crate::client::parallelize;
use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::{PreemptedText, PreemptionWrites};

/// How many times in a thousand others come between a failed attempt and the pod's way back up to 1.34, where devices were
/// tried, which takes long. Fitted: in 41 of 54 runs of `device-rule-all`.
const DEVICES_TRIED: u32 = 750;

/// A reason of the condition PodScheduled.
pub(super) const UNSCHEDULABLE: &str = "Unschedulable";

/// The pauses of 1.18 between its tries to read a pod that failed.
const FIRST_GET_PAUSE: Dur = Dur::from_millis(200);
const LONGEST_GET_PAUSE: Dur = Dur::from_secs(60);

/// How many victims are evicted at once (`parallelism`).
const PARALLELISM: usize = 16;

/// What the plugin DynamicResources says, which is asked to make room before preemption is: of a pod without claims
/// on devices, of one with some, and where it deallocated one. Its state has none where it rejected a pod before nodes were
/// looked at, and is missing where another plugin did: then preemption is not tried.
const NOT_FOUND: &str = "not found";
const NO_CLAIMS: &str = "no new claims to deallocate";
const STILL_NOT_SCHEDULABLE: &str = "still not schedulable";
const DEALLOCATED: &str = "deallocation of ResourceClaim completed";

/// Deals with pods that could not be placed, and makes room for them.
pub(super) struct FailureHandler {
    core: Rc<Core>,
}

impl FailureHandler {
    /// One that has no pod to deal with.
    pub(super) fn new(core: &Rc<Core>) -> Rc<Self> {
        Rc::new(FailureHandler { core: core.clone() })
    }

    /// A pod that no node takes: perhaps others make room for it (`RunPostFilterPlugins`).
    pub(super) async fn run_post_filter(
        self: &Rc<Self>,
        mut entry: QueuedPod,
        diagnosis: Diagnosis,
        owners: Option<Rc<Selector>>,
    ) {
        entry.rejected_by = diagnosis.plugins;
        self.core.record_verdicts(entry.pod.id, &diagnosis);
        let switches = self.core.switches();
        let mut nomination = Nomination::Keep;
        let mut post_filter = String::new();
        let of_claims = Some(self.deallocate_idle(&entry.pod, &diagnosis).await)
            .filter(|said| switches.claims_text || *said == DEALLOCATED);
        let at_once = diagnosis.at_once.as_ref().filter(|_| switches.dynamic_resources);
        if at_once.is_some_and(|r| r.plugin != Plugin::DynamicResources) {
            post_filter = NOT_FOUND.to_owned();
        } else if self.core.config.preemption
            && let Some(pod) = self.newest(&entry.pod).await
        {
            let attempt = self.preempt(&pod, &entry.shape, &diagnosis, owners.as_ref());
            (nomination, post_filter) =
                self.follow_up(&pod, &entry.shape, attempt, of_claims).await;
        } else if !self.core.config.preemption {
            post_filter = of_claims.unwrap_or_default().to_owned();
        }
        // Informers deliver before a pod that no node takes is given back.
        let point = self.core.ctx.point("scheduling-failure");
        let long = switches.lets_in > 0 && !entry.pod.template.devices.is_empty();
        let odds = if long { DEVICES_TRIED } else { switches.lets_in_after_failure };
        self.core.ctx.yield_point(point, odds).await;
        let message = self
            .core
            .state
            .with(|s| diagnosis.text(&post_filter, &s.algorithm.rejections, switches));
        self.handle_scheduling_failure(entry, UNSCHEDULABLE, message, nomination).await;
    }

    /// Deallocates a claim that keeps a pod from nodes and that nobody else has (`DynamicResources.PostFilter`), if there is
    /// one; what the plugin says.
    async fn deallocate_idle(&self, pod: &Rc<Pod>, diagnosis: &Diagnosis) -> &'static str {
        let devices = self.core.devices_of(pod).filter(|_| diagnosis.at_once.is_none());
        let Some(devices) = devices else { return NO_CLAIMS };
        let idle = self.core.state.with(|s| {
            let rejections = &s.algorithm.rejections;
            let all = diagnosis.rejected.iter();
            devices.idle(pod, all.filter_map(|(node, of)| Some((*node, rejections.get(*of)?))))
        });
        let (ctx, about) = (&self.core.ctx, self.core.client.pod_object(pod.id));
        let place = match idle.len() {
            0 => return STILL_NOT_SCHEDULABLE,
            1 => 0,
            // A walk over a map.
            several => ctx.choose(ctx.point("claim-to-deallocate"), about, several as u32) as usize,
        };
        let (claim, uid) = (idle[place], pod.uid);
        let read = devices.shared[claim].clone();
        let update = move |api: &ApiServer, by| match &read {
            None => api.deallocate(by, (uid, claim as u32), None),
            Some(read) => api.release_claim(by, read, &[uid]).map(drop),
        };
        match self.core.client.call(about, update).await {
            Ok(()) => DEALLOCATED,
            Err(_) => STILL_NOT_SCHEDULABLE,
        }
    }

    /// The pod as the API server has it by now, or as the cache has it; none if it is gone.
    async fn newest(&self, pod: &Pod) -> Option<Rc<Pod>> {
        if !self.core.switches().preemption_gets_pod {
            return self.core.informers.pod(pod.id);
        }
        self.core.client.get_pod(pod.id).await.ok()
    }

    /// Looks for pods whose eviction makes room.
    fn preempt(
        &self,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        diagnosis: &Diagnosis,
        owners: Option<&Rc<Selector>>,
    ) -> Attempt {
        let ctx = &self.core.ctx;
        let (object, budgets) =
            (self.core.client.pod_object(pod.id), self.core.informers.budgets());
        let (volumes, devices) = (self.core.volumes_of(pod), self.core.devices_of(pod));
        self.core.state.with(|s| {
            let (volumes, devices) = (volumes.as_ref(), devices.as_ref());
            let evaluator = Evaluator {
                algorithm: &s.algorithm,
                of: Incoming { pod, shape, owners, volumes, devices },
                diagnosis,
                nominator: &s.nominator,
                budgets: &budgets,
                now: self.core.api().timestamp(),
            };
            evaluator.preempt(&mut |draw| match draw {
                Draw::Offset(nodes) => ctx.choose(ctx.point("preemption-offset"), object, nodes),
                Draw::Candidate(ties) => ctx.choose(ctx.point("equal-candidates"), object, ties),
            })
        })
    }

    /// Makes room, or gives up a nomination in vain: what becomes of the pod's nomination, and what
    /// its event says of it.
    async fn follow_up(
        self: &Rc<Self>,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        attempt: Attempt,
        of_claims: Option<&str>,
    ) -> (Nomination, String) {
        let switches = self.core.switches();
        if matches!(attempt, Attempt::Hopeless(_))
            && nominated(pod).is_some()
            && switches.clears_hopeless_nomination
        {
            self.clear_nomination(pod).await;
        }
        let mut nomination = Nomination::Keep;
        let why = match attempt {
            Attempt::NotEligible(why) => why.to_owned(),
            Attempt::Hopeless(why) | Attempt::NoVictims(why) => {
                if switches.clears_useless_nomination {
                    nomination = Nomination::Set(None);
                }
                why
            }
            Attempt::Found(candidate) => return self.nominate(pod, shape, candidate).await,
        };
        let text = match of_claims {
            Some(said) => format!("{said}, preemption: {why}"),
            None => format!("preemption: {why}"),
        };
        (nomination, text)
    }

    /// Makes room on a node that was found, and says so where the release does.
    async fn nominate(
        self: &Rc<Self>,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        candidate: Candidate,
    ) -> (Nomination, String) {
        let node = candidate.node;
        let name = self.core.api().names(|n| n.node_name(node).to_owned());
        let victims = candidate.victims.len();
        let nomination = self.make_room(pod, shape, candidate).await;
        if !self.core.switches().preemption_told || nomination == Nomination::Keep {
            return (nomination, String::new());
        }
        let text = format!(
            "preemption: found a potential placement for pod on node {name}, preempting {victims} victims"
        );
        (nomination, text)
    }

    /// `handleSchedulingFailure`: back into the queue, an event, and the condition, if it changed.
    pub(super) async fn handle_scheduling_failure(
        self: &Rc<Self>,
        entry: QueuedPod,
        reason: &'static str,
        message: String,
        nomination: Nomination,
    ) {
        let (mut pod, shape) = (entry.pod.clone(), entry.shape.clone());
        if self.core.switches().failure_is_of_newest {
            pod = self.core.informers.pod(pod.id).filter(|p| p.node.is_none()).unwrap_or(pod);
        }
        self.requeue(entry);
        self.remember_nomination(&pod, shape, nomination);
        self.core.tell(&pod, EventText::FailedScheduling, &note(&message));
        let shown = pod.unscheduled.as_deref();
        let same = shown.is_some_and(|u| u.reason == reason && u.message == message);
        let nominated = match nomination {
            Nomination::Set(node) if node != nominated(&pod) => Some(node),
            _ => None,
        };
        if same && nominated.is_none() {
            return;
        }
        if self.core.switches().requeue_after_get {
            // It is read again before its condition is written, not after it.
            let point = self.core.ctx.point("scheduling-requeue");
            self.core.ctx.yield_point(point, self.core.switches().lets_in).await;
        }
        let condition = (!same).then_some((reason, message));
        self.core.write_status(&pod, condition, nominated).await;
    }

    /// Gives a pod back to the queue, with what is known of it now or, in older releases, with what
    /// the API server answers.
    fn requeue(self: &Rc<Self>, entry: QueuedPod) {
        let id = entry.pod.id;
        let cycle = self.core.state.with(|s| s.queue.cycle());
        if self.core.switches().requeue_after_get {
            let c = self.clone();
            self.core.ctx.spawn(self.core.group, async move {
                let live = c.read_to_requeue(id).await;
                c.add_unschedulable_if_not_present(entry, live, cycle);
            });
        } else {
            self.add_unschedulable_if_not_present(entry, self.core.informers.pod(id), cycle);
        }
    }

    /// The pod as the API server has it, which is asked until it answers (`MakeDefaultErrorFunc`,
    /// v1.18); none if it is gone.
    async fn read_to_requeue(&self, id: PodId) -> Option<Rc<Pod>> {
        let mut pause = FIRST_GET_PAUSE;
        loop {
            match self.core.client.get_pod(id).await {
                Ok(pod) => return Some(pod),
                Err(ApiError::NotFound) => return None,
                Err(_) => {}
            }
            self.core.ctx.sleep(pause).await;
            pause = (pause * 2).min(LONGEST_GET_PAUSE);
        }
    }

    /// Notes what became of a pod's nomination (`addNominatedPod`).
    fn remember_nomination(&self, pod: &Rc<Pod>, shape: Rc<Shape>, nomination: Nomination) {
        let node = match nomination {
            Nomination::Set(node) => node,
            // The one that was set is the scheduler's own and stays.
            Nomination::Keep
                if self.core.switches().preemption_writes == PreemptionWrites::NominationFirst =>
            {
                return;
            }
            Nomination::Keep => nominated(pod),
        };
        self.core.state.with(|s| match node {
            Some(node) => s.nominator.add((pod.clone(), shape), node),
            None => s.nominator.remove(pod.id),
        });
    }

    /// Puts a pod back into the queue as it is by now, unless it is gone or bound.
    fn add_unschedulable_if_not_present(
        &self,
        mut entry: QueuedPod,
        now: Option<Rc<Pod>>,
        cycle: u64,
    ) {
        match now.filter(|p| p.node.is_none() && !p.phase.is_terminal()) {
            None => self.core.state.with(|s| s.queue.done(entry.pod.id)),
            Some(pod) => {
                entry.shape = self.core.shape_of(&pod);
                entry.pod = pod;
                let now = self.core.ctx.now();
                self.core.state.with(|s| {
                    let cache = &s.algorithm.cache;
                    s.queue.add_unschedulable_if_not_present(entry, cycle, now, cache)
                });
            }
        }
        self.core.broadcast();
    }

    /// Evicts a candidate's victims, now or beside the next attempts; what becomes of the pod's
    /// nomination.
    async fn make_room(
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
    async fn clear_nomination(&self, pod: &Pod) -> bool {
        self.core.write_status(pod, None, Some(None)).await
    }
}
