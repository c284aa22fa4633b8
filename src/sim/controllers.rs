//! The controllers of a process, one after the other: how each is configured and made.
//!
//! What the flags of a plan come to for each controller.

use super::world::World;
use crate::client::{
    Client, ControllerContext, EventRecorder, InformerFactory, Meets, Recalled, SeriesRecorder,
    TokenBucket,
};
use crate::controllers::{
    attach_detach, cloud, device_taint_eviction, disruption, garbage_collector, node_lifecycle,
    node_readiness, pod_gc, resource_claim, scheduler, taint_eviction, workload,
};
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::plan::{FailedBefore, Limits, Memory, PodIndex};
use crate::sim::prelude::*;

/// From the time at which a leader acquired its lease to the start of its controllers, of real ones.
const TAKING_OFFICE_NS: (u64, u64) = (1_200_000_000, 4_500_000_000);

/// Starts the loops and workers of a controller. The argument: it has been running for long.
type Run = Box<dyn FnOnce(bool)>;

/// A controller of the process that has been made, and the name under which it starts once the caches
/// are filled.
pub(super) type Part = (Option<Name>, Run);

/// Makes the controllers of one process.
pub(super) struct Maker<'a> {
    world: &'a World,
    clients: &'a Meets,
    group: Group,
    /// The first are those of the controllers, the last those of the scheduler.
    informers: &'a [Rc<InformerFactory>],
    /// What they remember, if they have been running for long.
    memory: Option<Recalled>,
    /// What leases said when the run began.
    leases: &'a Rc<BTreeMap<NodeId, (i64, u64)>>,
    /// In the order in which they start.
    parts: Vec<Part>,
}

impl<'a> Maker<'a> {
    /// For a process of that group with these caches; `warm` if it has been running for long.
    pub(super) fn new(
        world: &'a World,
        clients: &'a Meets,
        group: Group,
        informers: &'a [Rc<InformerFactory>],
        leases: &'a Rc<BTreeMap<NodeId, (i64, u64)>>,
        warm: bool,
    ) -> Self {
        let memory = world.plan.memory.as_ref().filter(|_| warm);
        let recalled = |m: &Memory| {
            let [passed_ns, acquired_ns] =
                [m.passed_us, m.office_us].map(|us| us.map(|us| us.saturating_mul(1_000)));
            let started = |acquired: i64| {
                let (point, (least, most)) = (world.ctx.point("office-recalled"), TAKING_OFFICE_NS);
                let took = world.ctx.uniform(point, Object::NONE, least, most);
                acquired.saturating_add(took as i64).min(passed_ns.unwrap_or(0))
            };
            Recalled { office_ns: acquired_ns.map(started), pass: m.pass, passed_ns }
        };
        Maker {
            memory: memory.map(recalled),
            world,
            clients,
            group,
            informers,
            leases,
            parts: Vec::new(),
        }
    }

    /// All that the plan has.
    pub(super) fn all(mut self) -> Vec<Part> {
        self.node_controllers();
        self.workload_controllers();
        let (plan, has) = (self.plan(), self.world.plan.controllers);
        self.add(has.cloud, Actor::Cloud, |m, context| {
            let c = cloud::Controller::new(plan.profile.cloud, context, &m.world.provider);
            Box::new(move |warm| c.run(warm))
        });
        self.add(has.disruption, Actor::Disruption, |m, context| {
            let scales = m.own_client(Actor::Disruption);
            let c = disruption::Controller::new(plan.profile.disruption, context, scales);
            Box::new(move |warm| c.run(warm))
        });
        if has.scheduler {
            self.scheduler();
        }
        self.add(has.attach_detach, Actor::AttachDetach, |m, context| {
            let c = attach_detach::Controller::new(attach_detach_config(plan), context);
            let before = m.detach_requests();
            Box::new(move |warm| c.run(warm, before))
        });
        self.add_silent(has.resource_claim, Actor::ResourceClaim, |context| {
            let c = resource_claim::Controller::new(context);
            Box::new(move |_| c.run())
        });
        self.add(has.device_taint_eviction, Actor::DeviceTaintEviction, |_, context| {
            let c =
                device_taint_eviction::Controller::new(plan.profile.device_taint_eviction, context);
            Box::new(move |_| c.run())
        });
        if has.node_readiness {
            self.node_readiness();
        }
        let memory = self.memory;
        self.add_silent(has.pod_gc, Actor::PodGc, |context| {
            let c = pod_gc::Controller::new(pod_gc_config(plan, memory), context);
            Box::new(move |warm| c.run(warm))
        });
        self.add_silent(has.garbage_collector, Actor::GarbageCollector, |context| {
            let c = garbage_collector::Controller::new(context);
            Box::new(move |warm| c.run(warm))
        });
        self.parts
    }

    fn plan(&self) -> &'a Plan {
        &self.world.plan
    }

    /// What the plan says that is remembered beside that.
    fn remembered(&self) -> Option<&'a Memory> {
        (self.plan().memory.as_ref()).filter(|_| self.memory.is_some())
    }

    /// The Jobs whose pods failed before the start.
    fn failures(&self) -> BTreeMap<WorkloadId, FailedBefore> {
        let all = self.remembered().into_iter().flat_map(|m| &m.failures);
        all.filter_map(|(job, failed)| Some((self.world.workload_id(*job)?, *failed))).collect()
    }

    /// For how long nobody has wanted the volumes of pods on the nodes that still have them.
    fn detach_requests(&self) -> Vec<(PodId, NodeId, Dur)> {
        let Some((m, recalled)) = self.remembered().zip(self.memory) else { return Vec::new() };
        let ago = |us: i64| recalled.since_office(us.saturating_mul(1_000)).unsigned_abs();
        let of = |(pod, (from, until)): (&PodIndex, &(i64, i64))| {
            let point = self.world.ctx.point("detach-request-recalled");
            let ns = self.world.ctx.uniform(point, Object::NONE, ago(*until), ago(*from));
            let node = self.world.node_id(*m.attached.get(pod)?);
            Some((self.world.pod_id(*pod), node, Dur::from_nanos(ns)))
        };
        m.detach_requested_us.iter().filter_map(of).collect()
    }

    /// What is remembered of pods.
    fn of_pods<T: Copy>(
        &self,
        what: impl Fn(&Memory) -> &BTreeMap<PodIndex, T>,
    ) -> BTreeMap<PodId, T> {
        let all = self.remembered().into_iter().flat_map(what);
        all.map(|(pod, known)| (self.world.pod_id(*pod), *known)).collect()
    }

    /// What a search calls the steps of a controller. The state of some is that of their queues, or
    /// belongs to one item of theirs at a time.
    fn name(&self, actor: Actor) -> Name {
        let name = actor.as_str();
        match actor {
            Actor::Cloud => Name::NONE,
            Actor::StatefulSet | Actor::Deployment | Actor::TaintEviction => {
                Name::of(name, Keys::NOTHING)
            }
            _ => Name::of(name, self.world.ctx.keys(name)),
        }
    }

    fn client(&self, actor: Actor, limits: Option<Limits>) -> Client {
        let (limiter, timing) = (limits.map(TokenBucket::new), self.world.client_timing());
        Client::new(&self.world.api, actor, limiter, timing, self.clients.clone())
    }

    /// A client with the limits that the plan gives to its controller.
    fn own_client(&self, actor: Actor) -> Client {
        self.client(actor, self.plan().timing.clients.get(&actor).copied())
    }

    fn recorder(&self, client: &Client) -> EventRecorder {
        let plan = self.plan();
        let (advances, goroutines) = (plan.timing.clock_advances, plan.profile.event_goroutines);
        self.under(Name::of("event-recorder", Keys::NOTHING), || {
            EventRecorder::start(client, self.group, advances, goroutines)
        })
    }

    fn under<R>(&self, name: Name, make: impl FnOnce() -> R) -> R {
        self.world.ctx.under(name, make)
    }

    fn context<R>(&self, client: Client, recorder: R) -> ControllerContext<R> {
        let (ctx, informers) = (self.world.ctx.clone(), self.informers[0].clone());
        ControllerContext { ctx, group: self.group, client, informers, recorder }
    }

    /// A controller with a client and a recorder of its own, if the plan has it.
    fn add(&mut self, has: bool, actor: Actor, make: impl FnOnce(&Self, ControllerContext) -> Run) {
        if !has {
            return;
        }
        let client = self.own_client(actor);
        let recorder = self.recorder(&client);
        let name = self.name(actor);
        let run = self.under(name, || make(self, self.context(client, recorder)));
        self.parts.push((Some(name), run));
    }

    /// A controller with a client of its own that records no events, if the plan has it.
    fn add_silent(
        &mut self,
        has: bool,
        actor: Actor,
        make: impl FnOnce(ControllerContext<()>) -> Run,
    ) {
        if has {
            let name = self.name(actor);
            let run = self.under(name, || make(self.context(self.own_client(actor), ())));
            self.parts.push((Some(name), run));
        }
    }

    /// The node lifecycle controller and the taint eviction controller, which is a part of it up to
    /// 1.28.
    fn node_controllers(&mut self) {
        let plan = self.plan();
        let timing = &plan.timing;
        let nlc_client = self.client(Actor::NodeLifecycle, timing.node_lifecycle_client);
        let tec_client = if plan.profile.taint_eviction.separate_controller {
            self.client(Actor::TaintEviction, timing.taint_eviction_client)
        } else {
            nlc_client.acting_as(Actor::TaintEviction)
        };
        let (nlc_recorder, tec_recorder) = (self.recorder(&nlc_client), self.recorder(&tec_client));
        let name = self.name(Actor::NodeLifecycle);
        let nlc = self.under(name, || {
            let config = node_lifecycle_config(plan, self.memory, self.leases);
            node_lifecycle::Controller::new(config, self.context(nlc_client, nlc_recorder))
        });
        self.parts.push((Some(name), Box::new(move |warm| nlc.run(warm))));
        if !plan.flags.enable_taint_manager {
            return;
        }
        let config = taint_eviction::Config {
            switches: plan.profile.taint_eviction,
            clock_advances: timing.clock_advances,
            memory: self.memory,
        };
        let tec = self.under(self.name(Actor::TaintEviction), || {
            taint_eviction::Controller::new(config, self.context(tec_client, tec_recorder))
        });
        // Its processes have names of their own, and whether it has been running for long is in its
        // configuration: what it remembers.
        let bound = self.of_pods(|m| &m.bound_us);
        self.parts.push((None, Box::new(move |_| tec.run(&bound))));
    }

    fn workload_controllers(&mut self) {
        let (has, of) = (self.world.plan.controllers, self.plan().profile.workload);
        let numbered_uids = self.plan().timing.numbered_uids;
        self.add(has.replica_set, Actor::ReplicaSet, |_, context| {
            let c = workload::ReplicaSetController::new(of, numbered_uids, context);
            Box::new(move |_| c.run())
        });
        self.add(has.deployment, Actor::Deployment, |_, context| {
            let c = workload::DeploymentController::new(of, context);
            Box::new(move |_| c.run())
        });
        self.add(has.job, Actor::Job, |m, context| {
            let c = workload::JobController::new(of.job, context);
            c.recall(m.failures());
            Box::new(move |_| c.run())
        });
        self.add(has.daemon_set, Actor::DaemonSet, |_, context| {
            let c = workload::DaemonSetController::new(of.daemon_set, context);
            Box::new(move |warm| c.run(warm))
        });
        self.add(has.stateful_set, Actor::StatefulSet, |_, context| {
            let c = workload::StatefulSetController::new(of.stateful_set, context);
            Box::new(move |warm| c.run(warm))
        });
    }

    /// The node readiness controller.
    fn node_readiness(&mut self) {
        let (plan, name) = (self.plan(), self.name(Actor::NodeReadiness));
        let count = plan.profile.scheduler.first_series_count;
        let controller = self.under(name, || {
            let client = self.own_client(Actor::NodeReadiness);
            let advances = plan.timing.clock_advances;
            let recorder = SeriesRecorder::start(client.clone(), self.group, count, advances);
            let context = self.context(client, recorder);
            node_readiness::Controller::new(context, !plan.readiness.before_0_5)
        });
        self.parts.push((Some(name), Box::new(move |_| controller.run())));
    }

    /// The scheduler, whose events go through a client of their own.
    fn scheduler(&mut self) {
        let config = scheduler_config(self.plan());
        let count = config.choice.switches.first_series_count;
        let advances = self.plan().timing.clock_advances;
        let name = self.name(Actor::Scheduler);
        let recorder = self.under(name, || {
            SeriesRecorder::start(self.own_client(Actor::Scheduler), self.group, count, advances)
        });
        let controller = self.under(name, || {
            let client = self.own_client(Actor::Scheduler);
            let informers = self.informers[self.informers.len() - 1].clone();
            let context = ControllerContext { informers, ..self.context(client, recorder) };
            scheduler::Controller::new(config, context)
        });
        controller.recall(self.of_pods(|m| &m.waiting));
        self.parts.push((Some(name), Box::new(move |warm| controller.run(warm))));
    }
}

/// What the node lifecycle controller is told, and what it remembers.
fn node_lifecycle_config(
    plan: &Plan,
    memory: Option<Recalled>,
    leases: &Rc<BTreeMap<NodeId, (i64, u64)>>,
) -> node_lifecycle::Config {
    let mut switches = plan.profile.node_lifecycle;
    if !plan.flags.enable_taint_manager {
        switches.eviction_mode = EvictionMode::Timeout;
    }
    let (flags, pass_overhead) = (plan.flags.clone(), plan.timing.pass_overhead);
    node_lifecycle::Config { flags, pass_overhead, memory, leases: leases.clone(), switches }
}

/// What the scheduler is told.
fn scheduler_config(plan: &Plan) -> scheduler::Config {
    let choice = scheduler::Choice {
        switches: plan.profile.scheduler,
        percentage_of_nodes_to_score: plan.scheduler.percentage_of_nodes_to_score,
        strategy: plan.scheduler.strategy,
        indexed: true,
    };
    scheduler::Config {
        choice,
        preemption: plan.scheduler.preemption,
        devices: plan.has_devices,
        provisions: plan.provisions,
    }
}

/// What the attach/detach controller is told.
fn attach_detach_config(plan: &Plan) -> attach_detach::Config {
    let switches = plan.profile.attach_detach;
    attach_detach::Config {
        // A release without the flag is not given it.
        disable_force_detach_on_timeout: switches.force_detach_flag
            && plan.flags.disable_force_detach_on_timeout,
        switches,
    }
}

/// What the pod garbage collector is told.
fn pod_gc_config(plan: &Plan, memory: Option<Recalled>) -> pod_gc::Config {
    let counts = plan.timing.clock_advances || plan.profile.pod_gc.settable_period;
    pod_gc::Config {
        terminated_pod_threshold: plan.flags.terminated_pod_gc_threshold,
        pass_overhead: if counts { plan.timing.pod_gc_overhead } else { Dur::ZERO },
        memory,
        switches: plan.profile.pod_gc,
    }
}
