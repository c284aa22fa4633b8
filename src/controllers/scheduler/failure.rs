//! What becomes of a pod that no node takes, or whose binding fails
//! (`schedule_one.go: handleSchedulingFailure`).

use super::algorithm::{Diagnosis, Incoming};
use super::core::Core;
use super::nominator::{Nomination, nominated};
use super::preemption::{Attempt, Candidate, Draw, Evaluator};
use super::text::note;
use super::victims::Executor;
use crate::controllers::scheduler::prelude::*;
use crate::plan::switches::scheduler::PreemptionWrites;

/// A reason of the condition PodScheduled.
pub(super) const UNSCHEDULABLE: &str = "Unschedulable";

/// The pauses of 1.18 between its tries to read a pod that failed.
const FIRST_GET_PAUSE: Dur = Dur::from_millis(200);
const LONGEST_GET_PAUSE: Dur = Dur::from_secs(60);

/// What the plugin DynamicResources says, which is asked to make room as preemption is: of a pod without claims
/// on devices, and of one with some. Its state has none where a pod was rejected before nodes were looked at.
const NO_CLAIMS: &str = "no new claims to deallocate";
const STILL_NOT_SCHEDULABLE: &str = "still not schedulable";

fn of_claims(pod: &Pod, diagnosis: &Diagnosis) -> &'static str {
    let has_none = pod.template.devices.is_empty() || diagnosis.at_once.is_some();
    if has_none { NO_CLAIMS } else { STILL_NOT_SCHEDULABLE }
}

/// Deals with pods that could not be placed.
pub(super) struct FailureHandler {
    core: Rc<Core>,
    executor: Rc<Executor>,
    offset_point: PointId,
    candidate_point: PointId,
    /// Informers deliver before a pod that no node takes is given back.
    failure_point: PointId,
    /// A failed pod is read again before its condition is written, not after it.
    requeue_point: PointId,
}

impl FailureHandler {
    /// One that has no pod to deal with.
    pub(super) fn new(core: &Rc<Core>) -> Rc<Self> {
        let ctx = &core.ctx;
        Rc::new(FailureHandler {
            executor: Executor::new(core),
            offset_point: ctx.point("preemption-offset"),
            candidate_point: ctx.point("equal-candidates"),
            failure_point: ctx.point("scheduling-failure"),
            requeue_point: ctx.point("scheduling-requeue"),
            core: core.clone(),
        })
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
        if self.core.config.preemption
            && let Some(pod) = self.newest(&entry.pod).await
        {
            let attempt = self.preempt(&pod, &entry.shape, &diagnosis, owners.as_ref());
            (nomination, post_filter) =
                self.follow_up(&pod, &entry.shape, attempt, &diagnosis).await;
        } else if !self.core.config.preemption && switches.claims_text {
            post_filter = of_claims(&entry.pod, &diagnosis).to_owned();
        }
        self.core.ctx.yield_point(self.failure_point, switches.lets_in_after_failure).await;
        let message = self
            .core
            .state
            .with(|s| diagnosis.text(&post_filter, &s.algorithm.rejections, switches));
        self.handle_scheduling_failure(entry, UNSCHEDULABLE, message, nomination).await;
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
                Draw::Offset(nodes) => self.core.ctx.choose(self.offset_point, object, nodes),
                Draw::Candidate(ties) => self.core.ctx.choose(self.candidate_point, object, ties),
            })
        })
    }

    /// Makes room, or gives up a nomination in vain: what becomes of the pod's nomination, and what
    /// its event says of it.
    async fn follow_up(
        &self,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        attempt: Attempt,
        diagnosis: &Diagnosis,
    ) -> (Nomination, String) {
        let switches = self.core.switches();
        if matches!(attempt, Attempt::Hopeless(_))
            && nominated(pod).is_some()
            && switches.clears_hopeless_nomination
        {
            self.executor.clear_nomination(pod).await;
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
        let text = if switches.claims_text {
            format!("{}, preemption: {why}", of_claims(pod, diagnosis))
        } else {
            format!("preemption: {why}")
        };
        (nomination, text)
    }

    /// Makes room on a node that was found, and says so where the release does.
    async fn nominate(
        &self,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        candidate: Candidate,
    ) -> (Nomination, String) {
        let node = candidate.node;
        let name = self.core.api().names(|n| n.node_name(node).to_owned());
        let victims = candidate.victims.len();
        let nomination = self.executor.make_room(pod, shape, candidate).await;
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
            self.core.ctx.yield_point(self.requeue_point, self.core.switches().lets_in).await;
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
}
