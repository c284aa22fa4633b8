//! All kubelets of a cluster: their state, the writes both modes share, and the API server's
//! changes that concern them.

use super::asleep::Asleep;
use crate::api::budget::Budget;
use crate::api::lease::Lease;
use crate::api::meta::{ConditionStatus, Timestamp, Uid};
use crate::api::names::{NodeId, PodId};
use crate::api::node::{Node, NodeCondition, NodeConditionType, NodeReason};
use crate::api::pod::{Pod, PodPhase};
use crate::api::workload::Workload;
use crate::apiserver::{ApiServer, Watcher};
use crate::kernel::{
    Class, Ctx, Dur, EventKey, Handler, HandlerId, Keys, Name, Object, PointId, Shared, Time,
};
use crate::plan::KubeletMode;
use crate::plan::switches::kubelet::Switches;
use crate::trace::{Actor, What};
use std::cell::Cell;
use std::rc::{Rc, Weak};

/// What is particular to a node's kubelet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeSettings {
    /// When the lease is first renewed, from the kubelet's start; zero is one period.
    pub lease_offset: Dur,
    /// The period of lease renewals.
    pub lease_period: Dur,
    /// When the status is first checked, from the kubelet's start; zero is one period.
    pub status_offset: Dur,
}

/// Conditions as a kubelet sees them itself, in the order in which it writes them; `None` is not
/// its business.
pub(super) type View = [(NodeConditionType, Option<ConditionStatus>); 6];

/// One kubelet.
#[derive(Clone, Debug)]
pub(super) struct Kubelet {
    pub(super) settings: NodeSettings,
    /// It can't reach the API server.
    pub(super) cut: bool,
    /// When it was cut off.
    pub(super) cut_at: Time,
    /// The machine is off, or boots.
    pub(super) crashed: bool,
    /// When it has booted, while it does.
    pub(super) boots_until: Option<Time>,
    /// It ended: its node was deleted.
    pub(super) gone: bool,
    /// Its own view of its conditions.
    pub(super) view: View,
    /// When it last posted its status, or would have: what the next report counts from.
    pub(super) last_post: Time,
    /// When it last posted its status, with which heartbeat, and when it renewed its lease, and
    /// before that.
    pub(super) posts: [Option<(Time, Timestamp)>; 2],
    pub(super) renewals: [Option<Time>; 2],
    /// Its heartbeats are computed.
    pub(super) asleep: Option<Asleep>,
    /// When something last happened to its node.
    pub(super) woken_at: Option<Time>,
    /// When its heartbeats were computed last, before they are simulated.
    pub(super) computed_until: Option<Time>,
    /// Its heartbeats are simulated to the end of the run.
    pub(super) sleepless: bool,
    /// The numbers of the next ticks of its loops.
    pub(super) ticks: [u32; 2],
    /// Its clock is off by so many nanoseconds.
    pub(super) skew_ns: i64,
    /// Heartbeats come only every so often.
    pub(super) slow: Option<Dur>,
    /// The offset of the next periodic report, ns (S23).
    pub(super) report_offset_ns: i64,
    /// Its watch of its own node delivers again from then on.
    pub(super) watch_back: Time,
    /// Its next lease renewal and status check.
    pub(super) next: [Next; 2],
}

/// The next run of a loop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Next {
    pub(super) at: Time,
    pub(super) key: Option<EventKey>,
}

/// Which of a kubelet's loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Loop {
    Lease = 0,
    Status = 1,
}

/// What a kubelet has to do for one life of a pod.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) pod: PodId,
    pub(super) node: NodeId,
    pub(super) start: Time,
    /// When it is to have stopped; the end of time while it is not to stop.
    pub(super) stop: Time,
    pub(super) started: bool,
    /// Its containers run.
    pub(super) up: bool,
    /// Its kubelet heard of it before it was cut off, so that it starts its containers even so; the
    /// same of its end.
    pub(super) start_known: bool,
    pub(super) stop_known: bool,
    /// The object is gone, and containers of it still run: for how long they take to stop once
    /// their kubelet hears of it.
    pub(super) orphaned: Option<Dur>,
}

impl Due {
    /// Moves the end of a pod that is to stop.
    pub(super) fn stop_at(&mut self, at: Time) {
        if self.stop != Time::MAX {
            self.stop = at;
        }
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) nodes: Vec<Option<Kubelet>>,
    /// By uid.
    pub(super) due: Vec<Option<Due>>,
    /// Uids of the pods of each node, in order of arrival.
    pub(super) pods_of: Vec<Vec<Uid>>,
}

/// The points of chance of kubelets.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub(super) phase: PointId,
    pub(super) lease_jitter: PointId,
    pub(super) status_jitter: PointId,
    pub(super) report_offset: PointId,
    pub(super) watch_back: PointId,
    pub(super) pod_status: PointId,
    /// Whether a computed heartbeat comes before what silences its kubelet in the same instant.
    pub(super) heartbeat_first: PointId,
}

/// All kubelets of a cluster.
pub struct Kubelets {
    me: Weak<Kubelets>,
    pub(super) ctx: Ctx,
    pub(super) api: Rc<ApiServer>,
    pub(super) mode: KubeletMode,
    pub(super) switches: Switches,
    /// Heartbeats that can't make a difference are computed.
    pub(super) lazy: bool,
    /// Until then all are simulated even so.
    pub(super) awake_until: Cell<Time>,
    pub(super) state: Shared<State>,
    pub(super) points: Points,
    loops: Cell<Option<HandlerId>>,
    pods: Cell<Option<HandlerId>>,
    boots: Cell<Option<HandlerId>>,
}

/// A tick of a loop. Those of one loop of one node depend on each other, and all on what happens to
/// kubelets otherwise; that a kubelet falls asleep, and computes what it would have simulated,
/// nobody sees.
struct LoopTick(Weak<Kubelets>, Keys);

impl Handler for LoopTick {
    fn handle(&self, arg: u64) {
        if let Some(k) = self.0.upgrade() {
            let which = if arg >> 32 == 0 {
                Loop::Lease
            } else {
                Loop::Status
            };
            k.ctx.reads(self.1.of(0));
            k.ctx.writes(self.1.of(1 + 2 * arg as u32 + which as u32));
            k.tick(NodeId(arg as u32), which);
        }
    }

    fn name(&self, _: u64) -> Name {
        Name::of("heartbeat", Keys::NOTHING)
    }
}

/// A machine has booted.
struct Booted(Weak<Kubelets>, Name);

impl Handler for Booted {
    fn handle(&self, arg: u64) {
        if let Some(k) = self.0.upgrade() {
            k.booted(NodeId(arg as u32));
        }
    }

    fn name(&self, _: u64) -> Name {
        self.1
    }
}

struct PodWork(Weak<Kubelets>, Name);

impl Handler for PodWork {
    fn handle(&self, arg: u64) {
        if let Some(k) = self.0.upgrade() {
            k.work(Uid(arg));
        }
    }

    fn name(&self, _: u64) -> Name {
        self.1
    }
}

impl Kubelets {
    /// No kubelets yet; they hear of pods from now on. `lazy`: heartbeats that can't make a
    /// difference are computed.
    pub fn new(api: &Rc<ApiServer>, mode: KubeletMode, switches: Switches, lazy: bool) -> Rc<Self> {
        let ctx = api.ctx().clone();
        let kubelets = Rc::new_cyclic(|me: &Weak<Kubelets>| Kubelets {
            me: me.clone(),
            api: api.clone(),
            mode,
            switches,
            lazy,
            awake_until: Cell::new(Time::ZERO),
            state: Shared::new(State::default()),
            points: Points {
                phase: ctx.point("kubelet-phase"),
                lease_jitter: ctx.point("lease-jitter"),
                status_jitter: ctx.point("status-jitter"),
                report_offset: ctx.point("status-report-offset"),
                watch_back: ctx.point("kubelet-watch-reconnect"),
                pod_status: ctx.point("pod-status-sync"),
                heartbeat_first: ctx.point("heartbeat-first"),
            },
            loops: Cell::new(None),
            pods: Cell::new(None),
            boots: Cell::new(None),
            ctx,
        });
        let home = kubelets.ctx.keys("kubelets");
        kubelets.loops.set(Some(
            kubelets
                .ctx
                .register(Rc::new(LoopTick(kubelets.me.clone(), home))),
        ));
        kubelets
            .pods
            .set(Some(kubelets.ctx.register(Rc::new(PodWork(
                kubelets.me.clone(),
                Name::of("kubelet", home),
            )))));
        kubelets.boots.set(Some(
            kubelets
                .ctx
                .register(Rc::new(Booted(kubelets.me.clone(), Name::of("boot", home)))),
        ));
        api.watch(kubelets.clone());
        if lazy {
            api.compute_heartbeats(kubelets.clone());
        }
        kubelets
    }

    /// The view of a healthy node.
    fn healthy() -> View {
        NodeConditionType::ALL.map(|kind| {
            let status = match kind {
                NodeConditionType::Ready => Some(ConditionStatus::True),
                NodeConditionType::MemoryPressure
                | NodeConditionType::DiskPressure
                | NodeConditionType::PidPressure => Some(ConditionStatus::False),
                NodeConditionType::NetworkUnavailable | NodeConditionType::OutOfDisk => None,
            };
            (kind, status)
        })
    }

    /// The conditions that a healthy kubelet posts now.
    pub fn healthy_conditions(at: Timestamp) -> Vec<NodeCondition> {
        let mut conditions = Vec::with_capacity(4);
        fill(&mut conditions, &Self::healthy(), at);
        conditions
    }

    /// Starts a node's kubelet; the node exists. `cut`: it does not reach the API server. A machine
    /// that was taken away is back.
    pub fn join(&self, node: NodeId, settings: NodeSettings, cut: bool) {
        let now = self.ctx.now();
        let is_back = self.with(node, |k| k.gone) == Some(true);
        if is_back {
            let on = self.api.record_node(Actor::User, node, What::MachineOn);
            self.ctx.set_cause(on);
        }
        let kubelet = Kubelet {
            settings,
            cut,
            cut_at: now,
            crashed: false,
            boots_until: None,
            gone: false,
            view: Self::healthy(),
            last_post: now,
            posts: [None; 2],
            renewals: [None; 2],
            asleep: None,
            woken_at: None,
            computed_until: None,
            sleepless: false,
            ticks: [0; 2],
            skew_ns: 0,
            slow: None,
            report_offset_ns: 0,
            watch_back: now,
            next: [Next::default(); 2],
        };
        self.state.with(|s| {
            if s.nodes.len() <= node.index() {
                s.nodes.resize(node.index() + 1, None);
            }
            s.nodes[node.index()] = Some(kubelet);
        });
        self.api.waking(node);
        match self.mode {
            KubeletMode::Imitated(_) => self.begin_imitated(node),
            KubeletMode::Real(_) => self.begin_real(node),
        }
        match self.mode {
            KubeletMode::Imitated(_) if is_back => self.overdue(node),
            KubeletMode::Real(real) if is_back => self.start_anew(node, real),
            _ => {}
        }
    }

    /// How long ago a kubelet that starts now would have renewed its lease, had it been running for
    /// long: one period before it does so next.
    pub fn lease_age(&self, node: NodeId) -> Dur {
        let Some(next) = self.with(node, |k| k.next[Loop::Lease as usize].at) else {
            return Dur::ZERO;
        };
        let period = match self.mode {
            KubeletMode::Imitated(_) => self.imitated_period(node, Loop::Lease),
            KubeletMode::Real(r) => r.period_of(Loop::Lease),
        };
        period.saturating_sub(next.since(self.ctx.now()))
    }

    /// Ends a node's kubelet with its machine; its pods stay until someone else removes them.
    pub fn leave(&self, node: NodeId) {
        self.wake_up(node);
        if self.with(node, |k| {
            !std::mem::replace(&mut k.gone, true) && !k.crashed
        }) == Some(true)
        {
            self.machine_off(node);
        }
        self.unschedule(node);
    }

    /// Cuts a kubelet off from the API server, or lets it reach it again.
    pub fn cut(&self, node: NodeId, cut: bool) {
        self.wake_to_silence(node);
        let now = self.ctx.now();
        let Some((was, off)) = self.with(node, |k| {
            let was = k.cut;
            k.cut = cut;
            if cut && !was {
                k.cut_at = now;
            }
            (was, k.crashed || k.gone)
        }) else {
            return;
        };
        if was == cut {
            return;
        }
        self.api.waking(node);
        // A machine that is off was silent before, and stays it.
        if !off {
            let record = self.api.record_node(
                Actor::User,
                node,
                if cut {
                    What::NodeSilent
                } else {
                    What::NodeHeard
                },
            );
            self.ctx.set_cause(record);
        }
        match self.mode {
            KubeletMode::Imitated(_) if cut => self.pause_imitated(node),
            KubeletMode::Imitated(_) => self.resume_imitated(node),
            KubeletMode::Real(_) if cut => self.cut_real(node),
            KubeletMode::Real(_) => self.heal_real(node),
        }
    }

    /// Sets a kubelet's own view of a condition; it posts at once unless it is cut off.
    pub fn set_condition(&self, node: NodeId, kind: NodeConditionType, status: ConditionStatus) {
        self.wake_up(node);
        let reaches = self.with(node, |k| {
            if let Some(c) = k.view.iter_mut().find(|c| c.0 == kind) {
                c.1 = Some(status);
            }
            !k.cut && !k.crashed && !k.gone
        });
        if reaches == Some(true) {
            self.post(node);
        }
    }

    /// Sets how far a kubelet's clock is off.
    pub fn set_skew(&self, node: NodeId, skew_ns: i64) {
        self.sleep_no_more(node);
        self.with(node, |k| k.skew_ns = skew_ns);
    }

    /// Makes heartbeats come only every so often, or as configured.
    pub fn set_heartbeat_period(&self, node: NodeId, period: Option<Dur>) {
        self.sleep_no_more(node);
        self.with(node, |k| k.slow = period);
    }

    /// Works on one kubelet's state.
    pub(super) fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut Kubelet) -> R) -> Option<R> {
        self.state.with(|s| {
            s.nodes
                .get_mut(node.index())
                .and_then(Option::as_mut)
                .map(f)
        })
    }

    /// A node as an object of chance.
    pub(super) fn object(&self, node: NodeId) -> Object {
        Object {
            id: node.0,
            hash: self.api.names(|n| n.node_hash(node)),
        }
    }

    /// Schedules the next run of a loop, in place of one that was scheduled before.
    pub(super) fn schedule(&self, node: NodeId, which: Loop, at: Time) {
        let Some(handler) = self.loops.get() else {
            return;
        };
        let old = self
            .with(node, |k| k.next[which as usize].key.take())
            .flatten();
        if let Some(key) = old {
            self.ctx.cancel(key);
        }
        // A loop runs by the clock, whatever had it scheduled.
        let cause = self.ctx.cause();
        self.ctx.set_cause(u32::MAX);
        // In the order of nodes, whenever they were scheduled: a loop that was computed for a while
        // is scheduled later than one that was not.
        let rank = u64::from(node.0) << 1 | which as u64;
        let key = self.ctx.post_ranked(
            at,
            Class::Source,
            rank,
            handler,
            u64::from(node.0) | (which as u64) << 32,
        );
        self.ctx.set_cause(cause);
        self.with(node, |k| {
            k.next[which as usize] = Next { at, key: Some(key) }
        });
    }

    /// Takes both loops of a kubelet off the queue; when they would have run stays known.
    pub(super) fn unschedule(&self, node: NodeId) {
        let keys = self.with(node, |k| [k.next[0].key.take(), k.next[1].key.take()]);
        for key in keys.into_iter().flatten().flatten() {
            self.ctx.cancel(key);
        }
    }

    fn tick(&self, node: NodeId, which: Loop) {
        match self.mode {
            KubeletMode::Imitated(_) => self.tick_imitated(node, which),
            KubeletMode::Real(_) => self.tick_real(node, which),
        }
    }

    /// The present by a kubelet's clock, ns from the start.
    fn clock_ns(&self, node: NodeId) -> i64 {
        self.ctx.now().as_nanos() as i64 + self.with(node, |k| k.skew_ns).unwrap_or(0)
    }

    /// Renews a node's lease. A kubelet makes the lease of a node that is there and has none
    /// (`component-helpers/apimachinery/lease/controller.go`, `ensureLease`); the recorder's do
    /// not.
    pub(super) fn renew(&self, node: NodeId) {
        let makes = || matches!(self.mode, KubeletMode::Real(_)) && self.api.node(node).is_some();
        if !self.api.is_down() && (self.api.lease(node).is_some() || makes()) {
            // renewTime is in microseconds; a lease cannot refuse.
            let _ = self
                .api
                .renew_lease(node, self.clock_ns(node).div_euclid(1_000));
            let now = self.ctx.now();
            self.with(node, |k| k.renewals = [Some(now), k.renewals[0]]);
        }
    }

    /// Posts a node's status: all conditions with a new heartbeat.
    pub(super) fn post(&self, node: NodeId) {
        if self.api.is_down() {
            return;
        }
        let at = Timestamp(self.clock_ns(node).div_euclid(1_000_000_000));
        let now = self.ctx.now();
        let Some(view) = self.with(node, |k| {
            k.last_post = now;
            k.posts = [Some((now, at)), k.posts[0]];
            k.view
        }) else {
            return;
        };
        // The node may have been deleted; then there is nothing to post to.
        let _ = self
            .api
            .mutate_node(Actor::Kubelet, node, |n| fill(&mut n.conditions, &view, at));
    }

    /// Whether the API has another status for any condition than the kubelet.
    pub(super) fn differs(&self, node: &Node) -> bool {
        self.with(node.id, |k| {
            k.view.iter().any(|(kind, status)| {
                status.is_some_and(|s| node.condition(*kind).is_none_or(|c| c.status != s))
            })
        })
        .unwrap_or(false)
    }

    /// Sets pods that were marked NotReady back to Ready.
    pub(super) fn repost_ready(&self, node: NodeId) {
        let uids = self
            .state
            .with(|s| s.pods_of.get(node.index()).cloned().unwrap_or_default());
        for uid in uids {
            let Some(due) = self.due(uid) else { continue };
            let Some(pod) = self.api.pod(due.pod).filter(|p| p.uid == uid) else {
                continue;
            };
            if !pod.is_terminating()
                && !pod.phase.is_terminal()
                && pod
                    .ready
                    .is_some_and(|c| c.status == ConditionStatus::False)
            {
                // It exists, so this can't fail.
                let _ = self
                    .api
                    .set_pod_ready(Actor::Kubelet, pod.id, uid, ConditionStatus::True);
            }
        }
    }

    /// What is due for one life of a pod.
    pub(super) fn due(&self, uid: Uid) -> Option<Due> {
        self.state
            .with(|s| s.due.get(uid.0 as usize).copied().flatten())
    }

    /// Changes what is due for one life of a pod.
    pub(super) fn with_due(&self, uid: Uid, f: impl FnOnce(&mut Due)) {
        self.state.with(|s| {
            if let Some(Some(d)) = s.due.get_mut(uid.0 as usize) {
                f(d);
            }
        });
    }

    /// Does at once what came due while a kubelet was cut off.
    pub(super) fn overdue(&self, node: NodeId) {
        for uid in self.pods_of(node) {
            self.work(uid);
        }
    }

    /// Has a pod worked on after a delay.
    pub(super) fn work_in(&self, uid: Uid, delay: Dur) {
        if let Some(handler) = self.pods.get() {
            self.ctx
                .post_in(self.ctx.lane(delay, Class::Source), handler, uid.0);
        }
    }

    /// Has a pod worked on at a time that no constant delay gives.
    pub(super) fn work_at(&self, uid: Uid, at: Time) {
        if let Some(handler) = self.pods.get() {
            self.ctx.post_at(at, Class::Source, handler, uid.0);
        }
    }

    /// Has a machine be up at a time.
    pub(super) fn booted_at(&self, node: NodeId, at: Time) {
        if let Some(handler) = self.boots.get() {
            self.ctx.post_at(at, Class::Source, handler, node.0.into());
        }
    }

    fn work(&self, uid: Uid) {
        match self.mode {
            KubeletMode::Imitated(_) => self.work_imitated(uid),
            KubeletMode::Real(_) => self.work_real(uid),
        }
    }

    fn observe(&self, old: Option<&Pod>, new: &Pod) {
        let Some(node) = new.node else { return };
        if old.is_some_and(|o| {
            (o.uid, o.node, o.is_terminating()) == (new.uid, new.node, new.is_terminating())
        }) {
            // It was seen to be there, and to stop where it is to.
            return;
        }
        let now = self.ctx.now();
        let start = match self.mode {
            KubeletMode::Imitated(i) => i.start,
            KubeletMode::Real(r) => r.pod_start,
        };
        let stop = self.stop_of(new);
        let slot = new.uid.0 as usize;
        let hears = self
            .with(node, |k| !k.cut && !k.crashed && !k.gone)
            .unwrap_or(false);
        let is_new = self.state.with(|s| {
            if s.due.len() <= slot {
                s.due.resize(slot + 1, None);
            }
            let is_new = s.due[slot].is_none();
            if is_new {
                s.due[slot] = Some(Due {
                    pod: new.id,
                    node,
                    start: now + start,
                    stop: Time::MAX,
                    started: new.phase != PodPhase::Pending,
                    up: new.phase == PodPhase::Running,
                    start_known: hears,
                    stop_known: false,
                    orphaned: None,
                });
                if s.pods_of.len() <= node.index() {
                    s.pods_of.resize(node.index() + 1, Vec::new());
                }
                s.pods_of[node.index()].push(new.uid);
            }
            is_new
        });
        if is_new && new.phase == PodPhase::Pending {
            self.work_in(new.uid, start);
        }
        if new.is_terminating() && self.due(new.uid).is_some_and(|d| d.stop == Time::MAX) {
            self.with_due(new.uid, |d| (d.stop, d.stop_known) = (now + stop, hears));
            self.work_in(new.uid, stop);
        }
    }
}

impl Watcher for Kubelets {
    fn node(&self, _: Option<&Rc<Node>>, _: Option<&Rc<Node>>) {}

    fn heartbeat(&self, _: &Rc<Node>, _: &Rc<Node>, _: Time) {}

    fn stirred(&self) {}

    fn waking(&self, _: NodeId) {}

    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        if let Some(p) = new
            && let Some(node) = p.node
            && p.ready.is_some_and(|c| c.status == ConditionStatus::False)
            && self.with(node, |k| !k.cut && !k.crashed && !k.gone) == Some(true)
        {
            // The next status check sets it back, or the next sync of pod statuses.
            self.wake_up(node);
            let was_ready =
                old.is_some_and(|o| o.ready.is_some_and(|c| c.status == ConditionStatus::True));
            if let (KubeletMode::Real(_), true) = (self.mode, was_ready) {
                self.sync_pod(node, p.uid);
            }
        }
        match (old, new) {
            (old, Some(new)) => self.observe(old.map(|o| &**o), new),
            (Some(old), None) => self.gone(old),
            (None, None) => {}
        }
    }

    fn lease(&self, _: NodeId, _: Option<&Lease>, _: Time) {}

    fn workload(&self, _: Option<&Rc<Workload>>, _: Option<&Rc<Workload>>) {}

    fn budget(&self, _: Option<&Rc<Budget>>, _: Option<&Rc<Budget>>) {}
}

/// Writes a kubelet's view into a node's conditions, with a new heartbeat on all of its own.
fn fill(conditions: &mut Vec<NodeCondition>, view: &View, at: Timestamp) {
    for &(kind, status) in view {
        let Some(status) = status else { continue };
        let reason = NodeReason::of_kubelet(kind, status);
        match conditions.iter_mut().find(|c| c.kind == kind) {
            None => conditions.push(NodeCondition {
                kind,
                status,
                reason,
                last_heartbeat_time: at,
                last_transition_time: at,
            }),
            Some(c) => {
                if c.status != status {
                    c.last_transition_time = at;
                }
                c.status = status;
                c.reason = reason;
                c.last_heartbeat_time = at;
            }
        }
    }
}
