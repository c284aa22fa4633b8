//! What becomes of a pod that no node takes, or whose binding fails
//! (`schedule_one.go: handleSchedulingFailure`).

use super::algorithm::{Diagnosis, Incoming};
use super::controller::{Controller, Nomination};
use super::framework::Rejection;
use super::preemption::{Attempt, Candidate, Chances, preempt};
use super::queued_pod::QueuedPod;
use super::run::LET_IN;
use super::shape::Shape;
use super::text::{Failure, note};
use crate::api::labels::Selector;
use crate::api::names::PodId;
use crate::api::pod::Pod;
use crate::apiserver::ApiError;
use crate::client::About;
use crate::kernel::{Dur, Object};
use crate::plan::switches::scheduler::PreemptionWrites;
use crate::trace::{self, Actor, EventBody, EventText, What};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A reason of the condition PodScheduled.
pub(super) const UNSCHEDULABLE: &str = "Unschedulable";

/// The pauses of 1.18 between its tries to read a pod that failed.
const FIRST_GET_PAUSE: Dur = Dur::from_millis(200);
const LONGEST_GET_PAUSE: Dur = Dur::from_secs(60);

/// What the plugin DynamicResources says, which is asked to make room as preemption is.
const NO_CLAIMS: &str = "no new claims to deallocate";

impl Controller {
    /// A pod that no node takes: perhaps others make room for it (`RunPostFilterPlugins`).
    pub(super) async fn run_post_filter(
        &self,
        mut entry: QueuedPod,
        diagnosis: Diagnosis,
        owners: Option<Rc<Selector>>,
    ) {
        entry.rejected_by = diagnosis.plugins;
        self.record_verdicts(entry.pod.id, &diagnosis);
        let switches = self.config.choice.switches;
        let mut nomination = Nomination::Keep;
        let mut post_filter = String::new();
        if self.config.preemption
            && let Some(pod) = self.newest(&entry.pod).await
        {
            let attempt = self.preempt(&pod, &entry.shape, &diagnosis, owners.as_ref());
            (nomination, post_filter) = self.follow_up(&pod, &entry.shape, attempt).await;
        } else if !self.config.preemption && switches.claims_text {
            post_filter = NO_CLAIMS.to_owned();
        }
        self.ctx.yield_point(self.cycle_points[2], LET_IN).await;
        let message = self.state.with(|s| {
            let failure = Failure {
                nodes: diagnosis.nodes,
                rejected: &diagnosis.rejected,
                left_out: diagnosis.left_out,
                at_once: diagnosis.at_once.as_ref(),
                post_filter: &post_filter,
            };
            failure.text(&s.algorithm.rejections, &switches)
        });
        self.handle_scheduling_failure(entry, UNSCHEDULABLE, message, nomination)
            .await;
    }

    /// The pod as the API server has it by now, or as the cache has it; none if it is gone.
    async fn newest(&self, pod: &Pod) -> Option<Rc<Pod>> {
        let id = pod.id;
        if !self.config.choice.switches.preemption_gets_pod {
            return self.informers.pod(id);
        }
        let got = self
            .client
            .get(self.pod_object(id), move |api, _| {
                api.pod(id).ok_or(ApiError::NotFound)
            })
            .await;
        got.ok()
    }

    /// Looks for pods whose eviction makes room.
    fn preempt(
        &self,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        diagnosis: &Diagnosis,
        owners: Option<&Rc<Selector>>,
    ) -> Attempt {
        let (object, budgets) = (self.pod_object(pod.id), self.informers.budgets());
        self.state.with(|s| {
            let of = Incoming { pod, shape, owners };
            let now = self.client.api().timestamp();
            preempt(
                &s.algorithm,
                of,
                diagnosis,
                &s.nominator,
                &budgets,
                now,
                &mut Drawn {
                    controller: self,
                    object,
                },
            )
        })
    }

    /// Makes room, or gives up a nomination in vain: what becomes of the pod's nomination, and what
    /// its event says of it.
    async fn follow_up(
        &self,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        attempt: Attempt,
    ) -> (Nomination, String) {
        let switches = self.config.choice.switches;
        let nominated = pod
            .unscheduled
            .as_ref()
            .is_some_and(|u| u.nominated.is_some());
        if matches!(attempt, Attempt::Hopeless(_))
            && nominated
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
        let text = if switches.claims_text {
            format!("{NO_CLAIMS}, preemption: {why}")
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
        let (name, victims) = (
            self.client.api().names(|n| n.node_name(node).to_owned()),
            candidate.victims.len(),
        );
        let nomination = self.make_room(pod, shape, candidate).await;
        let says = self.config.choice.switches.preemption_told && nomination != Nomination::Keep;
        let text = if says {
            format!(
                "preemption: found a potential placement for pod on node {name}, preempting {victims} victims"
            )
        } else {
            String::new()
        };
        (nomination, text)
    }

    /// Records what filters said, for whoever asks why a pod is where it is not.
    pub(super) fn record_verdicts(&self, pod: PodId, diagnosis: &Diagnosis) {
        let number = self.state.with(|s| {
            let told = |r: &Rejection| trace::Rejection {
                plugin: r.plugin.name(),
                reason: r.reasons.join(", ").into(),
            };
            self.client.api().verdicts(|v| match &diagnosis.at_once {
                Some(r) => {
                    let number = v.rejection(told(r));
                    v.of_pod(number)
                }
                None => {
                    let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
                    let mut number = |of: u32| {
                        *numbers.entry(of).or_insert_with(|| {
                            s.algorithm
                                .rejections
                                .get(of)
                                .map_or(0, |r| v.rejection(told(r)))
                        })
                    };
                    let nodes = diagnosis
                        .rejected
                        .iter()
                        .map(|(node, of)| (*node, number(*of)))
                        .collect();
                    v.of_nodes(nodes)
                }
            })
        });
        self.client
            .api()
            .record_pod(Actor::Scheduler, pod, What::PodUnplaced(number));
    }

    /// `handleSchedulingFailure`: back into the queue, an event, and the condition, if it changed.
    pub(super) async fn handle_scheduling_failure(
        &self,
        entry: QueuedPod,
        reason: &'static str,
        message: String,
        nomination: Nomination,
    ) {
        let (mut pod, shape) = (entry.pod.clone(), entry.shape.clone());
        let id = pod.id;
        if self.config.choice.switches.failure_is_of_newest {
            pod = self
                .informers
                .pod(id)
                .filter(|p| p.node.is_none())
                .unwrap_or(pod);
        }
        self.requeue(entry);
        let old = pod.unscheduled.as_deref();
        let shown = old.and_then(|u| u.nominated);
        self.remember_nomination(&pod, shape, nomination);
        self.tell(&pod, EventText::FailedScheduling, &note(&message));
        let same = old.is_some_and(|u| u.reason == reason && u.message == message);
        let nominated = match nomination {
            Nomination::Set(node) if node != shown => Some(node),
            _ => None,
        };
        if same && nominated.is_none() {
            return;
        }
        if self.config.choice.switches.requeue_after_get {
            self.ctx.yield_point(self.requeue_point, LET_IN).await;
        }
        let condition = (!same).then_some((reason, message));
        self.write_status(&pod, condition, nominated).await;
    }

    /// Gives a pod back to the queue, with what is known of it now or, in older releases, with what
    /// the API server answers.
    fn requeue(&self, entry: QueuedPod) {
        let id = entry.pod.id;
        if self.config.choice.switches.requeue_after_get {
            if let Some(c) = self.me.upgrade() {
                let cycle = self.state.with(|s| s.queue.cycle());
                self.ctx.spawn(self.group, async move {
                    let live = c.read_to_requeue(id).await;
                    c.add_unschedulable_if_not_present(entry, live, cycle);
                });
            }
        } else {
            let cycle = self.state.with(|s| s.queue.cycle());
            self.add_unschedulable_if_not_present(entry, self.informers.pod(id), cycle);
        }
    }

    /// The pod as the API server has it, which is asked until it answers (`MakeDefaultErrorFunc`,
    /// v1.18); none if it is gone.
    async fn read_to_requeue(&self, id: PodId) -> Option<Rc<Pod>> {
        let mut pause = FIRST_GET_PAUSE;
        loop {
            let read = self.client.get(self.pod_object(id), move |api, _| {
                api.pod(id).ok_or(ApiError::NotFound)
            });
            match read.await {
                Ok(pod) => return Some(pod),
                Err(ApiError::NotFound) => return None,
                Err(_) => {}
            }
            self.ctx.sleep(pause).await;
            pause = (pause * 2).min(LONGEST_GET_PAUSE);
        }
    }

    /// Notes what became of a pod's nomination (`addNominatedPod`).
    fn remember_nomination(&self, pod: &Rc<Pod>, shape: Rc<Shape>, nomination: Nomination) {
        let id = pod.id;
        let shown = pod.unscheduled.as_deref().and_then(|u| u.nominated);
        let writes_nomination_first =
            self.config.choice.switches.preemption_writes == PreemptionWrites::NominationFirst;
        self.state.with(|s| match nomination {
            Nomination::Set(Some(node)) => s.nominator.add((pod.clone(), shape), node),
            Nomination::Set(None) => s.nominator.remove(id),
            // The one that was set is the scheduler's own and stays.
            Nomination::Keep if writes_nomination_first => {}
            Nomination::Keep => match shown {
                Some(node) => s.nominator.add((pod.clone(), shape), node),
                None => s.nominator.remove(id),
            },
        });
    }

    /// Puts a pod back into the queue as it is by now, unless it is gone or bound.
    fn add_unschedulable_if_not_present(
        &self,
        mut entry: QueuedPod,
        now: Option<Rc<Pod>>,
        cycle: u64,
    ) {
        let id = entry.pod.id;
        match now.filter(|p| p.node.is_none() && !p.phase.is_terminal()) {
            None => self.state.with(|s| s.queue.done(id)),
            Some(pod) => {
                entry.shape = self.shape_of(&pod);
                entry.pod = pod;
                self.state.with(|s| {
                    s.queue.add_unschedulable_if_not_present(
                        entry,
                        cycle,
                        self.ctx.now(),
                        &s.algorithm.cache,
                    )
                });
            }
        }
        self.broadcast();
    }

    /// Records an event about a pod in free words.
    pub(super) fn tell(&self, pod: &Pod, text: EventText, words: &str) {
        let words = self.client.api().names(|n| n.text(words));
        self.recorder.event(
            About::Pod(pod.id, Some(pod.uid)),
            pod.resource_version,
            EventBody::of_words(text, words),
        );
    }
}

/// The chances in preemption, about one pod.
struct Drawn<'a> {
    controller: &'a Controller,
    object: Object,
}

impl Chances for Drawn<'_> {
    fn offset(&mut self, nodes: u32) -> u32 {
        self.controller
            .ctx
            .choose(self.controller.offset_point, self.object, nodes)
    }

    fn pick(&mut self, candidates: u32) -> u32 {
        self.controller
            .ctx
            .choose(self.controller.candidate_point, self.object, candidates)
    }
}
