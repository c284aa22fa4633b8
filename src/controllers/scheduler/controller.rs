//! The loop that tries one pod after the other, bindings, and what becomes of pods that fit nowhere
//! (`scheduler.go: Run`, `schedule_one.go: ScheduleOne`, `handleSchedulingFailure`).

use super::algorithm::{Algorithm, Choice, Diagnosis, Incoming, Outcome, Tied};
use super::framework::Rejection;
use super::hints::{Change, ClusterEvent, PodAndShape};
use super::nominator::Nominator;
use super::preemption::{Attempt, Chances, preempt};
use super::queue::{Queue, QueuedPod};
use super::shape::Shape;
use super::text::{Failure, NO_NODES, note};
use crate::api::labels::{LabelSelector, Selector};
use crate::api::names::{NodeId, PodId};
use crate::api::pod::Pod;
use crate::api::workload::{WorkloadKind, short_name};
use crate::apiserver::ApiError;
use crate::client::{About, Client, InformerFactory, SeriesRecorder};
use crate::kernel::{Ctx, Dur, Group, Object, PointId, Shared, Ticket, Time};
use crate::plan::switches::scheduler::PreemptionWrites;
use crate::trace::{self, Actor, EventBody, EventText, What};
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};

/// How often pods whose back-off is over are looked for, and pods that have waited for too long.
const BACKOFF_FLUSH: Dur = Dur::from_secs(1);
const LEFTOVER_FLUSH: Dur = Dur::from_secs(30);

/// Reasons of the condition PodScheduled.
const UNSCHEDULABLE: &str = "Unschedulable";
const SCHEDULER_ERROR: &str = "SchedulerError";

/// How the scheduler is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// How it chooses nodes.
    pub choice: Choice,
    /// It evicts pods of lower priority where that helps (the plugin DefaultPreemption).
    pub preemption: bool,
}

/// What becomes of a pod's nomination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nomination {
    /// It stays.
    Keep,
    /// It becomes this one, or none.
    Set(Option<NodeId>),
}

/// A workload's selector as it is written and as it was read.
type Owner = (Rc<LabelSelector>, Option<Rc<Selector>>);

/// What the scheduler knows.
pub(super) struct State {
    pub(super) algorithm: Algorithm,
    pub(super) queue: Queue,
    pub(super) nominator: Nominator,
}

/// A pod on a node before and after a change.
type BoundChange = (Option<PodAndShape>, Option<PodAndShape>);

/// The scheduler.
pub struct Controller {
    pub(super) me: Weak<Controller>,
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) config: Config,
    pub(super) client: Client,
    pub(super) recorder: SeriesRecorder,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) state: Shared<State>,
    /// By workload.
    owners: Shared<Vec<Option<Owner>>>,
    /// A tick of both flushers; all others lie a multiple of their period before or after it.
    ticks_at: Cell<Time>,
    idle: Cell<Option<Ticket>>,
    no_backoff: Cell<Option<Ticket>>,
    no_leftover: Cell<Option<Ticket>>,
    tie_point: PointId,
    /// The order in which goroutines that look at nodes are done with them.
    feasible_point: PointId,
    offset_point: PointId,
    phase_point: PointId,
    candidate_point: PointId,
    /// Informers deliver while a pod is being scheduled: before it is taken from the queue, before
    /// nodes are looked at, and before a pod that no node takes is given back.
    cycle_points: [PointId; 3],
    /// Changes of pods on nodes that the cache has not heard of yet.
    pub(super) behind: Shared<VecDeque<BoundChange>>,
    pub(super) behind_point: PointId,
}

impl Controller {
    /// A scheduler that hears of nodes and pods but does not run yet.
    pub fn new(
        config: Config,
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: SeriesRecorder,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let state = State {
            algorithm: Algorithm::new(config.choice),
            queue: Queue::new(config.choice.switches),
            nominator: Nominator::default(),
        };
        let controller = Rc::new_cyclic(|me| Controller {
            me: me.clone(),
            state: Shared::new(state),
            owners: Shared::new(Vec::new()),
            ticks_at: Cell::new(ctx.now()),
            idle: Cell::new(None),
            no_backoff: Cell::new(None),
            no_leftover: Cell::new(None),
            tie_point: ctx.point("equal-nodes"),
            feasible_point: ctx.point("feasible-nodes"),
            offset_point: ctx.point("preemption-offset"),
            phase_point: ctx.point("scheduler-flush-phase"),
            candidate_point: ctx.point("equal-candidates"),
            cycle_points: ["scheduling-pop", "scheduling-cycle", "scheduling-failure"]
                .map(|name| ctx.point(name)),
            behind: Shared::new(VecDeque::new()),
            behind_point: ctx.point("scheduler-cache-behind"),
            informers: informers.clone(),
            config,
            client,
            recorder,
            group,
            ctx,
        });
        informers.on_node(controller.clone());
        informers.on_pod(controller.clone());
        controller
    }

    /// Starts the loop and the two flushers (`Run`); the caches are filled. `warm`: they have been
    /// running for long, so that their next ticks come some time within a period.
    pub fn run(self: &Rc<Self>, warm: bool) {
        // One phase of the longer period is one of the shorter too, as both began at one time.
        let phase = if warm {
            self.ctx.phase(self.phase_point, LEFTOVER_FLUSH)
        } else {
            Dur::ZERO
        };
        self.ticks_at.set(self.ctx.now() + phase);
        let c = self.clone();
        self.ctx.spawn(self.group, async move {
            loop {
                if c.ctx.is_choosing() && c.state.with(|s| s.queue.is_ready()) {
                    c.ctx.yield_point(c.cycle_points[0]).await;
                }
                let next = c.state.with(|s| s.queue.pop());
                match next {
                    Some(entry) => c.attempt(entry).await,
                    None => c.ctx.parked(|t| c.idle.set(Some(t))).await,
                }
            }
        });
        let c = self.clone();
        self.ctx
            .spawn(self.group, async move { c.flush_backoff().await });
        let c = self.clone();
        self.ctx
            .spawn(self.group, async move { c.flush_leftover().await });
    }

    /// Wakes whoever has something to do since the queue changed.
    pub(super) fn kick(&self) {
        let (ready, backoff, waiting) = self.state.with(|s| {
            (
                s.queue.is_ready(),
                s.queue.has_backoff(),
                s.queue.has_unschedulable(),
            )
        });
        for (due, parked) in [
            (ready, &self.idle),
            (backoff, &self.no_backoff),
            (waiting, &self.no_leftover),
        ] {
            if due
                && let Some(ticket) = parked.take()
                && self.ctx.claim(ticket)
            {
                self.ctx.wake(ticket);
            }
        }
    }

    /// The back-off queue is looked at every second, from the start on or, where it gives pods to
    /// an idle scheduler, at whole seconds. A look at an empty queue is left away.
    async fn flush_backoff(&self) {
        loop {
            if !self.state.with(|s| s.queue.has_backoff()) {
                self.ctx.parked(|t| self.no_backoff.set(Some(t))).await;
                continue;
            }
            let from = if self.config.choice.switches.pops_from_backoff {
                Time::ZERO
            } else {
                self.ticks_at.get()
            };
            self.sleep_to_tick(from, BACKOFF_FLUSH).await;
            self.state.with(|s| s.queue.flush_backoff(self.ctx.now()));
            self.kick();
        }
    }

    async fn flush_leftover(&self) {
        loop {
            if !self.state.with(|s| s.queue.has_unschedulable()) {
                self.ctx.parked(|t| self.no_leftover.set(Some(t))).await;
                continue;
            }
            self.sleep_to_tick(self.ticks_at.get(), LEFTOVER_FLUSH)
                .await;
            self.state
                .with(|s| s.queue.flush_leftover(self.ctx.now(), self.ctx.cause()));
            self.kick();
        }
    }

    /// Sleeps until the next of the ticks that come every `period`, one of them at `tick`.
    async fn sleep_to_tick(&self, tick: Time, period: Dur) {
        let (now, of) = (self.ctx.now(), |t: Time| t.as_nanos() % period.as_nanos());
        let since_last = (of(now) + period.as_nanos() - of(tick)) % period.as_nanos();
        self.ctx
            .sleep_until(now + Dur::from_nanos(period.as_nanos() - since_last))
            .await;
    }

    /// Which of equal nodes a pod gets.
    fn first_of(&self, pod: Object, tied: Tied) -> u32 {
        match tied {
            Tied::ByLot(nodes) => self.ctx.choose(self.tie_point, pod, nodes),
            Tied::InHeap(_) if !self.ctx.is_choosing() => 0,
            Tied::InHeap(nodes) => {
                let mut places: Vec<u32> = (0..nodes).collect();
                self.ctx
                    .order_ties(self.feasible_point, &mut places, |place| Object {
                        id: *place,
                        hash: u64::from(*place) + 1,
                    });
                places[0]
            }
        }
    }

    /// One pod's attempt (`ScheduleOne`).
    async fn attempt(&self, entry: QueuedPod) {
        let pod = entry.pod.clone();
        self.ctx.yield_point(self.cycle_points[1]).await;
        self.ctx.set_cause(entry.cause);
        self.ctx.set_saw(pod.record);
        if pod.is_terminating() {
            let name = self.client.api().names(|n| n.pod_name(pod.id).to_owned());
            self.tell(
                &pod,
                EventText::FailedScheduling,
                &format!("skip schedule deleting pod: {name}"),
            );
            self.state.with(|s| s.queue.done(pod.id));
            return;
        }
        if self.state.with(|s| s.algorithm.cache.is_assumed(pod.id)) {
            self.state.with(|s| s.queue.done(pod.id));
            return;
        }
        let owners = self.owners_selector(&pod);
        let object = self.pod_object(pod.id);
        let outcome = self.state.with(|s| {
            let of = Incoming {
                pod: &pod,
                shape: &entry.shape,
                owners: owners.as_ref(),
            };
            s.algorithm
                .schedule(of, &s.nominator, &mut |tied| self.first_of(object, tied))
        });
        match outcome {
            Outcome::Fits(node) => {
                // A pod and its successor go by one number here, so that the one has to leave the
                // cache before the other enters.
                self.catch_up();
                self.state.with(|s| {
                    s.algorithm.cache.assume(&pod, &entry.shape, node);
                    s.nominator.remove(pod.id);
                    s.queue.done(pod.id);
                });
                if let Some(c) = self.me.upgrade() {
                    self.ctx
                        .spawn(self.group, async move { c.bind(entry, node).await });
                }
            }
            Outcome::NoNodes => {
                self.fail(
                    entry,
                    UNSCHEDULABLE,
                    NO_NODES.to_owned(),
                    Nomination::Set(None),
                )
                .await
            }
            Outcome::Unfit(diagnosis) => self.unfit(entry, *diagnosis, owners).await,
        }
    }

    /// `bindingCycle`
    async fn bind(&self, entry: QueuedPod, node: NodeId) {
        let (id, uid) = (entry.pod.id, entry.pod.uid);
        let asked = self.config.choice.switches.binds_by_uid.then_some(uid);
        let bound = self
            .client
            .call(self.pod_object(id), move |api, actor| {
                api.bind_pod(actor, id, asked, node)
            })
            .await;
        let Err(error) = bound else {
            let about = About::Pod(id, Some(entry.pod.uid));
            self.recorder.event(
                about,
                entry.pod.resource_version,
                EventBody::of_node(EventText::Scheduled, node),
            );
            return;
        };
        let forgotten = (entry.pod.clone(), entry.shape.clone());
        self.state.with(|s| {
            s.algorithm.cache.forget(&forgotten.0);
            let change = Change::of_pod(ClusterEvent::PodDelete, Some(forgotten), None);
            s.queue.move_all(
                &change,
                &|e| e.pod.id != id,
                (self.ctx.now(), self.ctx.cause()),
                &s.algorithm.cache,
            );
        });
        self.kick();
        let name = self
            .client
            .api()
            .names(|n| short_name(n.pod_name(id)).to_owned());
        let why = match error {
            ApiError::NotFound => format!("pods {name:?} not found"),
            ApiError::Unavailable => {
                "the server is currently unable to handle the request".to_owned()
            }
            _ => {
                let (kind, why) = match self.client.api().pod(id) {
                    Some(p) if asked.is_some_and(|uid| uid != p.uid) => {
                        let key = self
                            .client
                            .api()
                            .names(|n| format!("/registry/pods/{}", n.pod_name(id)));
                        let mismatch = format!(
                            "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                            p.uid
                        );
                        let why = format!(
                            "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {mismatch}"
                        );
                        ("pods", why)
                    }
                    Some(p) if p.is_terminating() => (
                        "pods/binding",
                        format!("pod {name} is being deleted, cannot be assigned to a host"),
                    ),
                    _ => (
                        "pods/binding",
                        format!("pod {name} is already assigned to a node"),
                    ),
                };
                format!("Operation cannot be fulfilled on {kind} {name:?}: {why}")
            }
        };
        let message = format!("binding rejected: running Bind plugin \"DefaultBinder\": {why}");
        self.fail(entry, SCHEDULER_ERROR, message, Nomination::Set(None))
            .await;
    }

    /// A pod that no node takes: perhaps others make room for it.
    async fn unfit(
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
        let mut pod = Some(entry.pod.clone());
        if self.config.preemption {
            if switches.preemption_gets_pod {
                let id = entry.pod.id;
                let got = self
                    .client
                    .call(self.pod_object(id), move |api, _| {
                        api.pod(id).ok_or(ApiError::NotFound)
                    })
                    .await;
                pod = got.ok();
            } else {
                pod = self.informers.pod(entry.pod.id);
            }
        }
        if let Some(pod) = pod.filter(|_| self.config.preemption) {
            let (object, budgets) = (self.pod_object(pod.id), self.informers.budgets());
            let attempt = self.state.with(|s| {
                let of = Incoming {
                    pod: &pod,
                    shape: &entry.shape,
                    owners: owners.as_ref(),
                };
                let now = self.client.api().timestamp();
                preempt(
                    &s.algorithm,
                    of,
                    &diagnosis,
                    &s.nominator,
                    &budgets,
                    now,
                    &mut Drawn {
                        controller: self,
                        object,
                    },
                )
            });
            let nominated = pod
                .unscheduled
                .as_ref()
                .is_some_and(|u| u.nominated.is_some());
            if matches!(attempt, Attempt::Hopeless(_))
                && nominated
                && switches.clears_hopeless_nomination
            {
                self.clear_nomination(pod.id).await;
            }
            let told = match attempt {
                Attempt::NotEligible(why) => format!("preemption: {why}"),
                Attempt::Hopeless(why) | Attempt::NoVictims(why) => {
                    if switches.clears_useless_nomination {
                        nomination = Nomination::Set(None);
                    }
                    format!("preemption: {why}")
                }
                Attempt::Found(candidate) => {
                    let node = candidate.node;
                    let (name, victims) = (
                        self.client.api().names(|n| n.node_name(node).to_owned()),
                        candidate.victims.len(),
                    );
                    nomination = self.make_room(&pod, &entry.shape, candidate).await;
                    let told = switches.preemption_told && nomination != Nomination::Keep;
                    post_filter = if told {
                        format!(
                            "preemption: found a potential placement for pod on node {name}, preempting {victims} victims"
                        )
                    } else {
                        String::new()
                    };
                    String::new()
                }
            };
            if !told.is_empty() {
                post_filter = if switches.claims_text {
                    format!("no new claims to deallocate, {told}")
                } else {
                    told
                };
            }
        }
        self.ctx.yield_point(self.cycle_points[2]).await;
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
        self.fail(entry, UNSCHEDULABLE, message, nomination).await;
    }

    /// Records what filters said, for whoever asks why a pod is where it is not.
    fn record_verdicts(&self, pod: PodId, diagnosis: &Diagnosis) {
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
    async fn fail(
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
        if self.config.choice.switches.requeue_after_get {
            if let Some(c) = self.me.upgrade() {
                self.ctx.spawn(self.group, async move {
                    let cycle = c.state.with(|s| s.queue.cycle());
                    let live = c
                        .client
                        .call(c.pod_object(id), move |api, _| {
                            api.pod(id).ok_or(ApiError::NotFound)
                        })
                        .await;
                    c.give_back(entry, live.ok(), cycle);
                });
            }
        } else {
            let cycle = self.state.with(|s| s.queue.cycle());
            self.give_back(entry, self.informers.pod(id), cycle);
        }
        let old = pod.unscheduled.as_deref();
        let shown = old.and_then(|u| u.nominated);
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
        self.tell(&pod, EventText::FailedScheduling, &note(&message));
        let same = old.is_some_and(|u| u.reason == reason && u.message == message);
        let nominated = match nomination {
            Nomination::Set(node) if node != shown => Some(node),
            _ => None,
        };
        if same && nominated.is_none() {
            return;
        }
        let condition = (!same).then_some((reason, message));
        // A pod that is gone needs no condition, and a server that does not answer is not asked
        // again.
        let _ = self
            .client
            .call(self.pod_object(id), move |api, actor| {
                api.patch_unscheduled(actor, id, condition, nominated)
            })
            .await;
    }

    /// Puts a pod back into the queue as it is by now, unless it is gone or bound.
    fn give_back(&self, mut entry: QueuedPod, now: Option<Rc<Pod>>, cycle: u64) {
        let id = entry.pod.id;
        match now.filter(|p| p.node.is_none() && !p.phase.is_terminal()) {
            None => self.state.with(|s| s.queue.done(id)),
            Some(pod) => {
                entry.shape = self.shape_of(&pod);
                entry.pod = pod;
                self.state.with(|s| {
                    s.queue
                        .give_back(entry, cycle, self.ctx.now(), &s.algorithm.cache)
                });
            }
        }
        self.kick();
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

    /// What the scheduler makes of a pod's template.
    pub(super) fn shape_of(&self, pod: &Pod) -> Rc<Shape> {
        let api = self.client.api();
        api.names(|n| {
            self.state
                .with(|s| s.algorithm.cache.shape_of(pod, || n.pod_name(pod.id)))
        })
    }

    /// The selector of the ReplicaSet or StatefulSet that owns a pod (`helper.DefaultSelector`).
    fn owners_selector(&self, pod: &Pod) -> Option<Rc<Selector>> {
        let (owner, _) = pod.controller()?;
        let workload = self.informers.workload(owner)?;
        if !matches!(
            workload.kind,
            WorkloadKind::ReplicaSet | WorkloadKind::StatefulSet
        ) {
            return None;
        }
        self.owners.with(|owners| match owners.get(owner.index()) {
            Some(Some((source, selector))) if Rc::ptr_eq(source, &workload.selector) => {
                selector.clone()
            }
            _ => {
                let selector = workload.selector.as_selector().ok().map(Rc::new);
                if owners.len() <= owner.index() {
                    owners.resize(owner.index() + 1, None);
                }
                owners[owner.index()] = Some((workload.selector.clone(), selector.clone()));
                selector
            }
        })
    }

    /// A pod as an object of chance.
    pub(super) fn pod_object(&self, pod: PodId) -> Object {
        Object {
            id: pod.0,
            hash: self.client.api().names(|n| n.pod_hash(pod)),
        }
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
