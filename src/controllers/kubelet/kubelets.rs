//! All kubelets of a cluster: their state, the writes both modes share, and the API server's
//! changes that concern them.

use super::node_state::{Kubelet, State, Tick};
use crate::api::meta::Uid;
use crate::api::names::NodeId;
use crate::apiserver::ApiServer;
use crate::kernel::{
    Class, Ctx, Dur, Handler, HandlerId, Keys, Name, Object, PointId, Shared, Time,
};
use crate::plan::switches::kubelet::Switches;
use crate::plan::{KubeletMode, WatchRetry};
use std::cell::Cell;
use std::rc::{Rc, Weak};

/// The points of chance of kubelets.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub(super) phase: PointId,
    pub(super) lease_jitter: PointId,
    pub(super) status_jitter: PointId,
    /// What two jitters come to in a long run.
    pub(super) lease_stretch: PointId,
    pub(super) status_stretch: PointId,
    pub(super) report_offset: PointId,
    pub(super) watch_back: PointId,
    pub(super) bookmark: PointId,
    pub(super) pod_status: PointId,
    pub(super) relist: PointId,
    pub(super) start: PointId,
    pub(super) runtime: PointId,
    pub(super) server: PointId,
    /// Whether a computed heartbeat comes before what silences its kubelet in the same instant.
    pub(super) heartbeat_first: PointId,
    /// Whether the event of a pod that is refused comes after what others do in this instant.
    pub(super) refusal_told: PointId,
}

/// By what the node lifecycle controller goes that tells it that nodes live.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signs {
    /// Renewals of leases.
    Renewals,
    /// Posts of the status.
    Posts,
}

/// All kubelets of a cluster.
pub(crate) struct Kubelets {
    me: Weak<Kubelets>,
    pub(super) ctx: Ctx,
    pub(super) api: Rc<ApiServer>,
    pub(super) mode: KubeletMode,
    pub(super) switches: Switches,
    /// How long a watch that was refused pauses.
    pub(super) watch_retry: WatchRetry,
    /// How long it takes them to read what they then write.
    pub(super) reads: Dur,
    /// Heartbeats that can't make a difference are computed.
    pub(super) lazy: bool,
    /// Those that make one if they are too far apart, where others are computed.
    pub(super) signs: Option<Signs>,
    /// Each renewal of a lease is written down.
    pub(super) records_renewals: bool,
    /// Until then all are simulated even so.
    pub(super) awake_until: Cell<Time>,
    pub(super) state: Shared<State>,
    pub(super) points: Points,
    pub(super) loops: Cell<Option<HandlerId<Tick>>>,
    pub(super) pods: Cell<Option<HandlerId<Uid>>>,
    boots: Cell<Option<HandlerId<NodeId>>>,
    pub(super) runtimes: Cell<Option<HandlerId<NodeId>>>,
}

/// A tick of a loop. Those of one loop of one node depend on each other, and all on what happens to
/// kubelets otherwise; that a kubelet falls asleep, and computes what it would have simulated,
/// nobody sees.
struct LoopTick(Weak<Kubelets>, Keys);

impl Handler for LoopTick {
    type Argument = Tick;

    fn handle(&self, Tick { node, which }: Tick) {
        if let Some(k) = self.0.upgrade() {
            k.ctx.reads(self.1.of(0));
            k.ctx.writes(self.1.of(1 + 2 * node.0 + which as u32));
            k.tick(node, which);
        }
    }

    fn name(&self, _: Tick) -> Name {
        Name::of("heartbeat", Keys::NOTHING)
    }
}

/// A machine has booted.
struct Booted(Weak<Kubelets>, Name);

impl Handler for Booted {
    type Argument = NodeId;

    fn handle(&self, node: NodeId) {
        if let Some(k) = self.0.upgrade() {
            k.booted(node);
        }
    }

    fn name(&self, _: NodeId) -> Name {
        self.1
    }
}

/// A kubelet looks at its runtime.
struct RuntimeCheck(Weak<Kubelets>, Name);

impl Handler for RuntimeCheck {
    type Argument = NodeId;

    fn handle(&self, node: NodeId) {
        if let Some(k) = self.0.upgrade() {
            k.notices_runtime(node);
        }
    }

    fn name(&self, _: NodeId) -> Name {
        self.1
    }
}

struct PodWork(Weak<Kubelets>, Name);

impl Handler for PodWork {
    type Argument = Uid;

    fn handle(&self, pod: Uid) {
        if let Some(k) = self.0.upgrade() {
            k.work(pod);
        }
    }

    fn name(&self, _: Uid) -> Name {
        self.1
    }
}

impl Kubelets {
    /// No kubelets yet; they hear of pods from now on. With `signs`, heartbeats that can't make a
    /// difference are computed.
    pub(crate) fn new(
        api: &Rc<ApiServer>,
        mode: KubeletMode,
        (switches, watch_retry, reads): (Switches, WatchRetry, Dur),
        signs: Option<Signs>,
        records_renewals: bool,
    ) -> Rc<Self> {
        let lazy = signs.is_some();
        let ctx = api.ctx().clone();
        let kubelets = Rc::new_cyclic(|me: &Weak<Kubelets>| Kubelets {
            me: me.clone(),
            api: api.clone(),
            mode,
            switches,
            watch_retry,
            reads,
            lazy,
            signs,
            records_renewals,
            awake_until: Cell::new(Time::ZERO),
            state: Shared::new(State::default()),
            points: Points {
                phase: ctx.point("kubelet-phase"),
                lease_jitter: ctx.point("lease-jitter"),
                status_jitter: ctx.point("status-jitter"),
                lease_stretch: ctx.point("lease-jitter-stretch"),
                status_stretch: ctx.point("status-jitter-stretch"),
                report_offset: ctx.point("status-report-offset"),
                watch_back: ctx.point("kubelet-watch-reconnect"),
                bookmark: ctx.point("kubelet-bookmark"),
                refusal_told: ctx.point("kubelet-refusal-told"),
                pod_status: ctx.point("pod-status-sync"),
                relist: ctx.point("pod-relist"),
                start: ctx.point("kubelet-start"),
                runtime: ctx.point("runtime-check"),
                server: ctx.point("server-of-a-connection"),
                heartbeat_first: ctx.point("heartbeat-first"),
            },
            loops: Cell::new(None),
            pods: Cell::new(None),
            boots: Cell::new(None),
            runtimes: Cell::new(None),
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
        kubelets
            .runtimes
            .set(Some(kubelets.ctx.register(Rc::new(RuntimeCheck(
                kubelets.me.clone(),
                Name::of("runtime-check", home),
            )))));
        api.watch(kubelets.clone());
        if lazy {
            api.compute_heartbeats(kubelets.clone());
        }
        kubelets
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

    /// Has a machine be up at a time.
    pub(super) fn booted_at(&self, node: NodeId, at: Time) {
        if let Some(handler) = self.boots.get() {
            self.ctx.post_at(at, Class::Source, handler, node);
        }
    }
}
