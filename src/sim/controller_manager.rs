//! The process of the controllers (kube-controller-manager), and kube-scheduler, which starts and dies
//! with it: their start, and their death.

use super::controllers::{Maker, Part};
use super::world::{Turn, World};
use crate::client::{Fate, Fates, Hold, InformerFactory, InformerTiming, Meets, Wrote};
use crate::kernel::PointId;
use crate::plan::Whom;
use crate::sim::prelude::*;
use std::rc::Weak;

/// A new process looks this soon after its start whether its caches are filled, and then this
/// often.
const FIRST_LOOK: Dur = Dur::from_micros(1);
const SYNC_POLL: Dur = Dur::from_millis(100);

/// How soon a process that died is back: started again where it was, or, once its lease has run
/// out, on another machine.
const SAME_MACHINE: Dur = Dur::from_secs(1);
const ANOTHER_MACHINE: Dur = Dur::from_secs(20);

/// The process dies at most this often in a run where that is left to the choices.
const CRASHES_MOST: u32 = 3;
/// No more of its requests fail or are late than these in a run where that is left to the choices.
const FAILED_MOST: u32 = 3;
/// How long a request may wait before the API server takes it, in a queue of priority and fairness or for etcd.
const LATE: [Dur; 3] = [Dur::ZERO, Dur::from_secs(1), Dur::from_secs(10)];

/// One life of the process.
struct Process {
    group: Group,
    /// Those of kube-controller-manager, and those of kube-scheduler where they are told apart.
    informers: Vec<Rc<InformerFactory>>,
}

/// The process of the controllers, whether it runs or not.
pub(super) struct ControllerManager {
    me: Weak<Self>,
    world: Rc<World>,
    process: Shared<Option<Process>>,
    /// What leases said when the run began, where it had been running for long then.
    leases: Rc<BTreeMap<NodeId, (i64, u64)>>,
    /// It does not run before this.
    down_until: Cell<Time>,
    /// How often it has died where that is left to the choices.
    crashes: Cell<u32>,
    /// How many of its requests have failed where that is left to the choices.
    failed: Cell<u32>,
    /// Until then its requests hang.
    hangs_until: Rc<Cell<Time>>,
}

impl ControllerManager {
    /// One that has not been started.
    pub(super) fn new(world: &Rc<World>) -> Rc<Self> {
        let leases = if world.plan.warm_start { world.api.leases() } else { Vec::new() };
        let said = leases.iter().map(|l| (l.node, (l.renew_time_us, l.resource_version)));
        let leases = Rc::new(said.collect());
        Rc::new_cyclic(|me| Self {
            me: me.clone(),
            world: world.clone(),
            process: Shared::new(None),
            leases,
            down_until: Cell::new(world.plan.controllers_start),
            crashes: Cell::new(0),
            failed: Cell::new(0),
            hangs_until: Rc::default(),
        })
    }

    /// The caches of the process; none while it does not run.
    pub(super) fn informers(&self) -> Vec<Rc<InformerFactory>> {
        self.process.with(|p| p.as_ref().map(|p| p.informers.clone()).unwrap_or_default())
    }

    /// Whether it runs.
    pub(super) fn runs(&self) -> bool {
        self.process.with(|p| p.is_some())
    }

    /// Whether something else than an earlier death keeps it from running now.
    pub(super) fn may_start(&self) -> bool {
        self.world.ctx.now() >= self.down_until.get() && !self.runs()
    }

    /// It is not to run before that time.
    pub(super) fn stay_down(&self, until: Time) {
        self.down_until.set(self.down_until.get().max(until));
    }

    /// Its requests hang until then.
    pub(super) fn hang(&self, until: Time) {
        self.hangs_until.set(until);
    }

    /// Starts a fresh process: new clients, new caches, new controllers.
    pub(super) fn start(&self) {
        let World { ctx, plan, api, attacher, .. } = &*self.world;
        ctx.set_cause(api.record(Actor::User, 0, What::ControllersStarted));
        let group = ctx.group();
        let warm = plan.warm_start && ctx.now() == plan.controllers_start;
        let informers: Vec<_> =
            (0..self.processes()).map(|process| self.new_informers(process, group, warm)).collect();
        let (wrote, fates) = (self.may_crash(), self.may_fail());
        let clients = Meets { wrote, fates, hangs_until: self.hangs_until.clone() };
        let parts = Maker::new(&self.world, &clients, group, &informers, &self.leases, warm).all();
        let process = Process { group, informers: informers.clone() };
        self.process.with(|p| *p = Some(process));
        let (own, attacher) = (ctx.clone(), attacher.clone());
        ctx.spawn(group, async move {
            let look = own.now() + FIRST_LOOK;
            for others in &informers[1..] {
                let others = others.clone();
                own.spawn(group, async move { others.start().await });
            }
            informers[0].start().await;
            let late = own.now().since(look).as_nanos();
            let polls = late.div_ceil(SYNC_POLL.as_nanos());
            own.sleep_until(look + SYNC_POLL * polls).await;
            attacher.iter().for_each(|a| a.controllers_run(true));
            start_all(&own, group, parts, warm);
        });
    }

    /// How many processes watch for themselves. kube-scheduler does, but nobody can tell unless watches
    /// end, and come back to each in its own time, or those of one process have trouble.
    fn processes(&self) -> u32 {
        let plan = &self.world.plan;
        let is_told_apart = plan.controllers.scheduler
            && (plan.timing.reconnects && plan.actions.iter().any(|a| a.act.ends_watches())
                || plan.perturb.stale.is_partial()
                || plan.perturb.coalesce.is_partial());
        if is_told_apart { 2 } else { 1 }
    }

    fn new_informers(&self, process: u32, group: Group, warm: bool) -> Rc<InformerFactory> {
        let World { ctx, plan, .. } = &*self.world;
        let (timing, perturb) = (&plan.timing, &plan.perturb);
        let (of, streams) = match process {
            0 => (Actor::NodeLifecycle, plan.profile.streams_first_lists),
            _ => (Actor::Scheduler, plan.profile.scheduler.streams_first_lists),
        };
        let stale = perturb.stale.has(of);
        InformerFactory::new(
            &self.world.api,
            group,
            InformerTiming {
                request: timing.request.max,
                response: timing.response.max,
                watch: timing.watch,
                reconnects: timing.reconnects,
                watch_retry: plan.profile.watch_retry,
                retries: (plan.profile.request_retries, plan.profile.retries_watches),
                made: (!warm).then(|| ctx.now()),
                process,
            },
            &self.world.lags,
            Hold { stale, old_lists: stale && !streams, broken: perturb.coalesce.has(of) },
        )
    }

    /// What a write of the controllers may set off where a crash is left to the choices: the
    /// process dies, and a new one starts.
    fn may_crash(&self) -> Option<Wrote> {
        let whom = self.world.plan.perturb.crash;
        if whom == Whom::NOBODY {
            return None;
        }
        let (me, point) = (self.me.clone(), self.world.ctx.point("crash"));
        Some(Rc::new(move |actor, about| {
            let may_die = |m: &Rc<Self>| whom.has(actor) && m.crashes.get() < CRASHES_MOST;
            let Some(manager) = me.upgrade().filter(may_die) else { return };
            let World { ctx, turns, .. } = &*manager.world;
            let after = match ctx.trouble(point, about, 3) {
                0 => return,
                1 => SAME_MACHINE,
                _ => ANOTHER_MACHINE,
            };
            manager.crashes.set(manager.crashes.get() + 1);
            ctx.writes(ctx.keys("crashes").of(0));
            turns.post(manager.die(after, 0), Turn::Start);
        }))
    }

    /// What becomes of the controllers' requests where that is left to the choices.
    fn may_fail(&self) -> Option<Fates> {
        let whom = self.world.plan.perturb.request;
        if whom == Whom::NOBODY {
            return None;
        }
        let ctx = &self.world.ctx;
        Some(Fates {
            arrives: self.chooses(whom, ctx.point("request-fails"), &Fate::ALL),
            late: self.chooses(whom, ctx.point("request-late"), &LATE),
            conflicts: self.chooses(whom, ctx.point("request-conflicts"), &[false, true]),
        })
    }

    /// What becomes of somebody's request about an object: the first, which is no trouble, unless the choices say otherwise
    /// and this is not one too many.
    fn chooses<T: Copy + 'static>(
        &self,
        whom: Whom,
        point: PointId,
        ways: &'static [T],
    ) -> Rc<dyn Fn(Actor, Object) -> T> {
        let me = self.me.clone();
        Rc::new(move |actor, about| {
            let may_fail = |m: &Rc<Self>| whom.has(actor) && m.failed.get() < FAILED_MOST;
            let Some(manager) = me.upgrade().filter(may_fail) else { return ways[0] };
            let ctx = &manager.world.ctx;
            let way = ctx.trouble(point, about, ways.len() as u32) as usize;
            if way > 0 {
                manager.failed.set(manager.failed.get() + 1);
                ctx.writes(ctx.keys("failed-requests").of(0));
            }
            ways[way]
        })
    }

    /// The process dies, because of that entry of the timeline, and is not to come back for a while;
    /// when that is over.
    pub(super) fn die(&self, downtime: Dur, entry: u32) -> Time {
        let World { ctx, api, .. } = &*self.world;
        let back = ctx.now().saturating_add(downtime);
        self.stay_down(back);
        api.record(Actor::User, entry, What::ControllersStopped);
        self.stop();
        back
    }

    /// Kills the process: requests already sent are applied, nothing else happens.
    pub(super) fn stop(&self) {
        if let Some(p) = self.process.with(Option::take) {
            p.informers.iter().for_each(|i| i.stop());
            self.world.attacher.iter().for_each(|a| a.controllers_run(false));
            self.world.ctx.kill(p.group);
        }
    }
}

/// Starts the loops and workers of controllers, one controller after the other; where turns are drawn, each
/// on a goroutine of its own, all in one step (`controllermanager.go: StartControllers`).
fn start_all(ctx: &Ctx, group: Group, parts: Vec<Part>, warm: bool) {
    for (name, run) in parts {
        let own = move |ctx: &Ctx| match name {
            Some(name) => ctx.under(name, || run(warm)),
            None => run(warm),
        };
        if ctx.draws_turns() {
            let goroutine = ctx.clone();
            ctx.spawn(group, async move { own(&goroutine) });
        } else {
            own(ctx);
        }
    }
}
