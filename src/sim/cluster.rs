//! A running cluster: its assembly, and what a timeline does to it.
//!
//! It owns its parts and calls down into them: the machines, the controllers' process and who leads,
//! users and maintenances. They know the world that they work on, and nothing of the cluster.
//!
//! Here is also the timeline of a run: when each fault and each action of a user begins.

use super::attacher::Attacher;
use super::awake::Awake;
use super::bounds::{most_steps, signs_that_keep_up};
use super::claims::Claims;
use super::controller_manager::ControllerManager;
use super::leader::Leader;
use super::maintenance::{Machines, Maintainer, OffBy};
use super::objects::Objects;
use super::remakes::Remakes;
use super::shared_plan::{Common, admission};
use super::user::User;
use super::world::{Turn, Turns, World};
use crate::apiserver::{ApiError, ApiResult};
use crate::client::{Past, WatchLags};
use crate::controllers::cloud::Provider;
use crate::kernel::Handler;
use crate::plan::{Action, NodeFault, Phase, Resource, WatchCache, Whom};
use crate::sim::prelude::*;
use crate::trace::{NO_RECORD, Trace};
use std::rc::Weak;

/// How many times in a thousand an action comes after all that those before it at its time have set off, a
/// nanosecond later, and not before it: with that the second of two has the first behind it in 515 of 540 runs of
/// upstream's controllers from 1.29 on (`taint-readd-same-instant`, recorded on an idle machine).
const APART: u32 = 930;

/// The same up to 1.28, where the node lifecycle controller hands nodes over to the taint manager: in 536 of 660 runs of
/// eleven releases. What of that makes the difference is not known.
const APART_OF_ONE: u32 = 725;

/// A running cluster.
pub(super) struct Cluster {
    pub(super) world: Rc<World>,
    pub(super) leader: Leader,
    manager: Rc<ControllerManager>,
    awake: Rc<Awake>,
    machines: Rc<Machines>,
    user: User,
    maintainer: Rc<Maintainer>,
}

impl Cluster {
    /// Makes everything that exists at time zero.
    ///
    /// `trace` is an empty one.
    pub(super) fn new(
        plan: &Plan,
        common: &Common,
        ctx: &Ctx,
        eager: bool,
        mut trace: Trace,
    ) -> Rc<Self> {
        let computed = signs_that_keep_up(plan).filter(|_| !eager && !plan.lease_records);
        let names = &mut trace.names;
        names.reserve_pods(plan.pods.len(), plan.pods.iter().map(|p| p.name.len()).sum());
        let node_ids = plan.nodes.iter().map(|n| names.node(&n.name)).collect();
        let pod_ids = plan.pods.iter().map(|p| names.pod(&p.name)).collect();
        let api = ApiServer::new(ctx, admission(plan), trace);
        ctx.limit_instant(most_steps(plan));
        let past = (plan.perturb.stale != Whom::NOBODY).then(|| Past::of(&api));
        let world = Rc::new(World {
            ctx: ctx.clone(),
            kubelets: Kubelets::new(
                &api,
                plan.kubelet(),
                (
                    plan.profile.kubelet,
                    plan.profile.watch_retry,
                    plan.timing.request.min + plan.timing.response.min,
                ),
                (
                    plan.states_usage() || plan.collects_images(),
                    plan.collects_images(),
                    plan.image_sizes(),
                ),
                computed,
                plan.lease_records,
            ),
            lags: Rc::new(WatchLags::new(past)),
            provider: Rc::new(Provider::default()),
            attacher: (plan.controllers.attach_detach || plan.provisions).then(|| {
                let claims = Claims::start(&api, plan);
                Attacher::start(&api, plan.timing.attacher, claims)
            }),
            plan: common.plan.clone(),
            turns: Turns::new(ctx),
            node_ids,
            pod_ids,
            api,
        });
        let objects = Objects::new(&world, plan, common);
        objects.create_what_is_there(plan);
        Remakes::watch(&world.api, plan);
        let manager = ControllerManager::new(&world);
        let awake = Rc::new(Awake::new(&world.kubelets));
        let machines = Rc::new(Machines::new(&world));
        Rc::new(Self {
            leader: Leader::new(&world, &manager, &awake),
            user: User::new(&world, objects),
            maintainer: Maintainer::new(&world, &machines),
            manager,
            awake,
            machines,
            world,
        })
    }

    /// Ends the run and hands out its trace.
    pub(super) fn finish(&self, end: Time) -> Trace {
        self.manager.stop();
        self.world.api.finish(end)
    }

    /// Does an action of the timeline.
    pub(super) fn act(&self, action: &Action) {
        let World { ctx, api, lags, provider, attacher, .. } = &*self.world;
        let (entry, user) = (action.entry, &self.user);
        let after = |lasts: &Dur| ctx.now().saturating_add(*lasts);
        let cause = self.record_phase(action);
        self.awake.before(&action.act, ctx.now());
        ctx.set_cause(cause);
        let each = |nodes: &[NodeIndex], f: &dyn Fn(NodeId)| {
            for &n in nodes {
                ctx.set_cause(cause);
                f(self.world.node_id(n));
            }
        };
        self.declare(&action.act);
        match &action.act {
            Do::Fail(nodes, fault) => each(nodes, &|n| self.fault(n, *fault, true)),
            Do::Recover(nodes, fault) => each(nodes, &|n| self.fault(n, *fault, false)),
            Do::ApiDown => self.leader.api_goes_down(entry),
            Do::ApiUp(cache) => self.leader.api_comes_up(*cache),
            Do::ServersDie(gone, all) => self.leader.servers_die(entry, (*gone, *all)),
            Do::WatchLag(r, lag) => lags.set_lag(*r, *lag),
            Do::StallWatches(r, lasts) => lags.stall(*r, after(lasts)),
            Do::ExpireWatches(of) => self.watches_end(*of, WatchCache::Lost),
            Do::LoseWatches(of) => self.watches_end(*of, WatchCache::Kept),
            Do::RejectRequests(clients, lasts) => api.rejections().begin(clients, after(lasts)),
            Do::Registry(fails) => self.world.kubelets.registry(*fails),
            Do::RefuseVolumes(who) => attacher.iter().for_each(|a| a.refuse_volumes(who)),
            Do::RestartControllers(downtime) => {
                let back = self.manager.die(*downtime, entry);
                // One that let others go before it is over later than it was to be.
                if back > action.at.saturating_add(*downtime) {
                    self.world.turns.post(back, Turn::Start);
                }
            }
            Do::ReplaceLeader(successor) => self.leader.replace_leader(*successor, entry),
            Do::Over => {}
            Do::AddNode(node) => user.add_node(entry, *node),
            Do::DeleteNode(nodes) => {
                each(nodes, &|n| user.answer_about_node(entry, n, self.delete_node(n)))
            }
            Do::Taint(nodes, edit) => each(nodes, &|n| user.taint(entry, n, edit)),
            Do::Cordon(nodes, value) => match user.missing(nodes) {
                Some(gone) => user.answer_about_node(entry, gone, Err(ApiError::NotFound)),
                None => each(nodes, &|n| user.cordon(n, *value)),
            },
            Do::Label(nodes, labels) => each(nodes, &|n| user.label(entry, n, labels)),
            Do::CreatePod(pod) => user.create_pod(entry, *pod),
            Do::DeletePod(pod, grace) => user.delete_pod(entry, *pod, *grace),
            Do::BindPod(pod, node) => user.bind_pod(entry, *pod, *node),
            Do::Instance(nodes, instance) => each(nodes, &|n| provider.set(n, *instance)),
            Do::Drain(nodes, options) => self.maintainer.drain(entry, nodes, options),
            Do::Scale(workload, replicas) => user.scale(entry, *workload, *replicas),
            Do::CreateWorkload(workload) => user.create_workload(entry, *workload),
            Do::DeleteWorkload(workload, how) => user.delete_workload(entry, *workload, *how),
            Do::CreateBudget(budget) => user.create_budget(entry, *budget),
            Do::PatchBudget(budget, rule) => user.patch_budget(entry, *budget, *rule),
            Do::DeleteBudget(budget) => user.delete_budget(entry, *budget),
            Do::CreateDeviceTaintRule(rule) => user.create_rule(entry, rule),
            Do::UpdateDeviceTaintRule(rule) => user.update_rule(entry, rule),
            Do::DeleteDeviceTaintRule(rule) => user.delete_rule(entry, rule),
            Do::TaintDevices(nodes, edit) => each(nodes, &|n| user.taint_devices(n, edit)),
            Do::CreateReadinessRule(rule) => user.create_readiness_rule(entry, rule),
            Do::DeleteReadinessRule(rule) => user.delete_readiness_rule(entry, rule),
            Do::SetCondition(nodes, kind, is) => each(nodes, &|n| api.set_condition(n, kind, *is)),
            Do::Maintain(nodes, how) => self.maintainer.maintain(entry, nodes, how),
            Do::PatchTolerations(pod, wanted) => user.patch_tolerations(entry, *pod, wanted),
        }
    }

    /// A fault begins at a node, or it is over.
    fn fault(&self, node: NodeId, fault: NodeFault, holds: bool) {
        let World { api, kubelets, .. } = &*self.world;
        match fault {
            NodeFault::Cut(how) => kubelets.cut(node, holds.then_some(how)),
            NodeFault::Isolated => {
                let what = if holds { What::NetworkLost } else { What::NetworkBack };
                api.record_node(Actor::User, node, what);
            }
            NodeFault::Off if holds => self.machines.switch_off(node, OffBy::Fault),
            NodeFault::Off => self.machines.switch_on(node, OffBy::Fault),
            NodeFault::Shutdown(at_most) if holds => {
                self.machines.shut_down(node, at_most, OffBy::Shutdown)
            }
            NodeFault::Shutdown(_) => self.machines.switch_on(node, OffBy::Shutdown),
            NodeFault::NoKubelet if holds => kubelets.stop(node),
            NodeFault::NoKubelet => kubelets.start(node),
            NodeFault::SlowHeartbeats(d) => kubelets.set_heartbeat_period(node, holds.then_some(d)),
            NodeFault::Condition(kind, status) => {
                kubelets.set_condition(node, kind, if holds { status } else { kind.healthy() })
            }
            NodeFault::Runtime(fails) => kubelets.runtime(node, holds.then_some(fails)),
            NodeFault::ClockSkew(skew) => kubelets.set_skew(node, if holds { skew } else { 0 }),
        }
    }

    /// Records that an entry of the timeline begins or ends, if this action says so; the cause of
    /// what follows.
    fn record_phase(&self, action: &Action) -> u32 {
        let World { ctx, api, .. } = &*self.world;
        let what = match action.phase {
            Phase::Begin => Some(What::FaultBegan),
            Phase::End => Some(What::FaultEnded),
            Phase::Step => None,
        };
        if let Some(what) = what {
            ctx.set_cause(api.record(Actor::User, action.entry, what));
        }
        ctx.cause()
    }

    /// The watches of a resource, or of all, end.
    fn watches_end(&self, of: Option<Resource>, cache: WatchCache) {
        for informers in self.manager.informers() {
            let back = informers.watches_end(of, cache);
            if back > self.world.ctx.now() {
                self.awake.until_watches_are_back(back);
            }
        }
    }

    fn delete_node(&self, node: NodeId) -> ApiResult {
        self.world.kubelets.leave(node);
        self.machines.forget(node);
        let result = self.world.api.delete_node(Actor::User, node);
        let _ = self.world.api.delete_lease(node);
        result
    }

    /// What an action touches beside the store, for searches.
    fn declare(&self, act: &Do) {
        let family = match act {
            Do::WatchLag(..) | Do::StallWatches(..) | Do::ExpireWatches(_) | Do::LoseWatches(_) => {
                "watch-lags"
            }
            Do::ApiDown | Do::ApiUp(_) | Do::ServersDie(..) | Do::RejectRequests(..) => {
                "api-server-down"
            }
            Do::Fail(_, fault) | Do::Recover(_, fault) if *fault == NodeFault::Isolated => return,
            Do::Fail(..)
            | Do::Recover(..)
            | Do::AddNode(_)
            | Do::DeleteNode(_)
            | Do::Registry(_) => "kubelets",
            _ => return,
        };
        self.world.ctx.writes(self.world.ctx.keys(family).of(0));
    }
}

/// Runs the actions of a plan, each at its time. Of several at one instant, a later one may come
/// before or after what the earlier ones set off in that instant; that is chance.
pub(super) struct Timeline {
    cluster: Weak<Cluster>,
    /// The instant whose actions are held, and until when the last of them is.
    held: Cell<Option<(Time, Time)>>,
}

impl Handler for Timeline {
    type Argument = Turn;

    fn handle(&self, turn: Turn) {
        let Some(cluster) = self.cluster.upgrade() else { return };
        let World { ctx, plan, turns, .. } = &*cluster.world;
        ctx.set_cause(NO_RECORD);
        let (index, waited) = match turn {
            Turn::Action { index, waited } => (index as usize, waited),
            Turn::Start => return cluster.leader.start(None),
            Turn::RenewDeadline(outage) => return cluster.leader.renew_deadline(outage),
            Turn::Restarted(n) => return cluster.leader.start(plan.actions.get(n as usize)),
        };
        let together = index > 0 && plan.actions[index - 1].at == plan.actions[index].at;
        if together && !waited {
            let about = Object { id: index as u32, hash: index as u64 };
            let held = self.held.get().filter(|(since, _)| *since == ctx.now());
            let mut until = held.map_or(ctx.now(), |(_, until)| until);
            let is_apart = plan.profile.taint_eviction.separate_controller;
            let apart = if is_apart { APART } else { APART_OF_ONE };
            if ctx.chance(ctx.point("actions-of-one-instant"), about, apart) {
                until += Dur::from_nanos(1);
            }
            if until > ctx.now() {
                self.held.set(Some((ctx.now(), until)));
                return turns.post(until, Turn::Action { index: index as u32, waited: true });
            }
        }
        cluster.act(&plan.actions[index]);
        for attached in plan.actions[index + 1..].iter().take_while(|a| is_attached(a)) {
            cluster.act(attached);
        }
    }

    /// The entries of a timeline keep their order; what they do besides writing to the store is
    /// declared where they do it.
    fn name(&self, _: Turn) -> Name {
        Name::of("timeline", Keys::UNDECLARED).goroutine()
    }
}

impl Timeline {
    /// Schedules the start of the controllers and all actions, in the plan's order where times are
    /// equal.
    pub(super) fn schedule(cluster: &Rc<Cluster>) {
        let World { ctx, plan, turns, .. } = &*cluster.world;
        let timeline = Timeline { cluster: Rc::downgrade(cluster), held: Cell::new(None) };
        turns.go_to(ctx.register(Rc::new(timeline)));
        turns.post(plan.controllers_start, Turn::Start);
        for (index, action) in (0..).zip(&plan.actions).filter(|(_, a)| !is_attached(a)) {
            turns.post(action.at, Turn::Action { index, waited: false });
            if let Do::RestartControllers(downtime) = action.act {
                turns.post(action.at.saturating_add(downtime), Turn::Restarted(index));
            }
        }
    }
}

/// Whether an action is done in one with the one before it: what a partition means to clients,
/// which no controller sees, is no step that something else could come before.
fn is_attached(action: &Action) -> bool {
    matches!(action.act, Do::Fail(_, fault) | Do::Recover(_, fault) if fault == NodeFault::Isolated)
}
