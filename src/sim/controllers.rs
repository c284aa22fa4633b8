//! The controllers of a process, one after the other: how each is configured and made.

use super::config;
use super::world::World;
use crate::client::{
    Client, ControllerContext, EventRecorder, Fates, InformerFactory, Recalled, SeriesRecorder,
    TokenBucket, Wrote,
};
use crate::controllers::{
    attach_detach, cloud, device_taint_eviction, disruption, garbage_collector, node_lifecycle,
    node_readiness, pod_gc, resource_claim, scheduler, taint_eviction, workload,
};
use crate::kernel::{Group, Keys, Name};
use crate::plan::{FailedBefore, Limits, Memory, Waited};
use crate::sim::prelude::*;

/// Starts the loops and workers of a controller. The argument: it has been running for long.
type Run = Box<dyn FnOnce(bool)>;

/// A controller of the process that has been made, and the name under which it starts once the caches
/// are filled.
pub(super) struct Part {
    pub(super) name: Option<Name>,
    pub(super) run: Run,
}

/// What the clients of all controllers have in common.
pub(super) struct Clients {
    /// What a write of theirs may set off.
    pub(super) wrote: Option<Wrote>,
    /// What becomes of their requests.
    pub(super) fates: Option<Fates>,
    /// Until then their requests hang.
    pub(super) hang_until: Rc<Cell<Time>>,
}

/// Makes the controllers of one process.
pub(super) struct Maker<'a> {
    world: &'a World,
    clients: &'a Clients,
    group: Group,
    /// The first are those of the controllers, the last those of the scheduler.
    informers: &'a [Rc<InformerFactory>],
    /// What they remember, if they have been running for long.
    memory: Option<Recalled>,
    /// In the order in which they start.
    parts: Vec<Part>,
}

impl<'a> Maker<'a> {
    /// For a process of that group with these caches; `warm` if it has been running for long.
    pub(super) fn new(
        world: &'a World,
        clients: &'a Clients,
        group: Group,
        informers: &'a [Rc<InformerFactory>],
        warm: bool,
    ) -> Self {
        let memory = world.plan.memory.as_ref().filter(|_| warm);
        Maker {
            memory: memory.map(|m| Recalled {
                office_ns: m.office_us.map(|us| us.saturating_mul(1_000)),
                pass: m.pass,
                passed_ns: m.passed_us.map(|us| us.saturating_mul(1_000)),
            }),
            world,
            clients,
            group,
            informers,
            parts: Vec::new(),
        }
    }

    /// All that the plan has.
    pub(super) fn all(mut self) -> Vec<Part> {
        self.node_controllers();
        self.workload_controllers();
        let has = self.world.plan.controllers;
        if has.cloud {
            self.add(Actor::Cloud, |m, context| {
                let provider = &m.world.provider;
                let c = cloud::Controller::new(m.plan().profile.cloud, context, provider);
                Box::new(move |warm| c.run(warm))
            });
        }
        if has.disruption {
            self.add(Actor::Disruption, |m, context| {
                let (switches, scales) =
                    (m.plan().profile.disruption, m.own_client(Actor::Disruption));
                let c = disruption::Controller::new(switches, context, scales);
                Box::new(move |warm| c.run(warm))
            });
        }
        if has.scheduler {
            self.scheduler();
        }
        if has.attach_detach {
            self.add(Actor::AttachDetach, |m, context| {
                let c = attach_detach::Controller::new(config::attach_detach(m.plan()), context);
                Box::new(move |warm| c.run(warm))
            });
        }
        if has.resource_claim {
            self.add_silent(Actor::ResourceClaim, |_, context| {
                let c = resource_claim::Controller::new(context);
                Box::new(move |_| c.run())
            });
        }
        if has.device_taint_eviction {
            self.add(Actor::DeviceTaintEviction, |_, context| {
                let c = device_taint_eviction::Controller::new(context);
                Box::new(move |_| c.run())
            });
        }
        if has.node_readiness {
            self.node_readiness();
        }
        if has.pod_gc {
            self.add_silent(Actor::PodGc, |m, context| {
                let c = pod_gc::Controller::new(config::pod_gc(m.plan()), context);
                Box::new(move |warm| c.run(warm))
            });
        }
        if has.garbage_collector {
            self.add_silent(Actor::GarbageCollector, |_, context| {
                let c = garbage_collector::Controller::new(context);
                Box::new(move |warm| c.run(warm))
            });
        }
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

    /// The pods that the scheduler tried before the start.
    fn waiting(&self) -> BTreeMap<PodId, Waited> {
        let all = self.remembered().into_iter().flat_map(|m| &m.waiting);
        all.map(|(pod, waited)| (self.world.pod_id(*pod), *waited)).collect()
    }

    /// What a search calls the steps of a controller. The state of some is that of their queues, or
    /// belongs to one item of theirs at a time.
    fn name(&self, actor: Actor) -> Name {
        let keys = || self.world.ctx.keys(actor.as_str());
        match actor {
            Actor::Cloud => Name::NONE,
            Actor::StatefulSet | Actor::Deployment | Actor::TaintEviction => {
                Name::of(actor.as_str(), Keys::NOTHING)
            }
            _ => Name::of(actor.as_str(), keys()),
        }
    }

    fn client(&self, actor: Actor, limits: Option<Limits>) -> Client {
        Client::new(
            &self.world.api,
            actor,
            limits.map(TokenBucket::new),
            self.world.client_timing(),
            self.clients.wrote.clone(),
        )
        .that_hangs(&self.clients.hang_until)
        .that_may_fail(self.clients.fates.clone())
    }

    /// A client with the limits that the plan gives to its controller.
    fn own_client(&self, actor: Actor) -> Client {
        self.client(actor, self.plan().timing.clients.get(&actor).copied())
    }

    fn recorder(&self, client: &Client) -> EventRecorder {
        let plan = self.plan();
        let name = Name::of("event-recorder", Keys::NOTHING);
        self.world.ctx.under(name, || {
            EventRecorder::start(
                client,
                self.group,
                plan.timing.clock_advances,
                plan.profile.event_goroutines,
            )
        })
    }

    fn under<R>(&self, name: Name, make: impl FnOnce() -> R) -> R {
        self.world.ctx.under(name, make)
    }

    fn context<R>(&self, client: Client, recorder: R) -> ControllerContext<R> {
        let ctx = self.world.ctx.clone();
        ControllerContext {
            ctx,
            group: self.group,
            client,
            informers: self.informers[0].clone(),
            recorder,
        }
    }

    fn push(&mut self, name: Option<Name>, run: Run) {
        self.parts.push(Part { name, run });
    }

    /// A controller with a client and a recorder of its own.
    fn add(&mut self, actor: Actor, make: impl FnOnce(&Self, ControllerContext) -> Run) {
        let client = self.own_client(actor);
        let recorder = self.recorder(&client);
        let name = self.name(actor);
        let run = self.under(name, || make(self, self.context(client, recorder)));
        self.push(Some(name), run);
    }

    /// A controller with a client of its own that records no events.
    fn add_silent(&mut self, actor: Actor, make: impl FnOnce(&Self, ControllerContext<()>) -> Run) {
        let name = self.name(actor);
        let run = self.under(name, || make(self, self.context(self.own_client(actor), ())));
        self.push(Some(name), run);
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
            let config = config::node_lifecycle(plan, self.memory);
            node_lifecycle::Controller::new(config, self.context(nlc_client, nlc_recorder))
        });
        self.push(Some(name), Box::new(move |warm| nlc.run(warm)));
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
        self.push(None, Box::new(move |_| tec.run()));
    }

    fn workload_controllers(&mut self) {
        let (has, of) = (self.world.plan.controllers, self.plan().profile.workload);
        if has.replica_set {
            self.add(Actor::ReplicaSet, |_, context| {
                let c = workload::ReplicaSetController::new(of, context);
                Box::new(move |_| c.run())
            });
        }
        if has.deployment {
            self.add(Actor::Deployment, |_, context| {
                let c = workload::DeploymentController::new(of, context);
                Box::new(move |_| c.run())
            });
        }
        if has.job {
            self.add(Actor::Job, |m, context| {
                let c = workload::JobController::new(of.job, context);
                c.recall(m.failures());
                Box::new(move |_| c.run())
            });
        }
        if has.daemon_set {
            self.add(Actor::DaemonSet, |_, context| {
                let c = workload::DaemonSetController::new(of.daemon_set, context);
                Box::new(move |warm| c.run(warm))
            });
        }
        if has.stateful_set {
            self.add(Actor::StatefulSet, |_, context| {
                let c = workload::StatefulSetController::new(of.stateful_set, context);
                Box::new(move |warm| c.run(warm))
            });
        }
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
        self.push(Some(name), Box::new(move |_| controller.run()));
    }

    /// The scheduler, whose events go through a client of their own.
    fn scheduler(&mut self) {
        let config = config::scheduler(self.plan());
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
        controller.recall(self.waiting());
        self.push(Some(name), Box::new(move |warm| controller.run(warm)));
    }
}
