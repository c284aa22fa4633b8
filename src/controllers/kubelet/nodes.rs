//! The kubelets of a cluster, node by node: what all their parts work on.
//!
//! They all know of one kubelet what stands here, its node's conditions among that, as it sees them
//! and as it writes them; what only one of them needs, it keeps itself.

use super::uplink::Back;
use crate::api::node::NodeReason;
use crate::client::connection::Link;
use crate::controllers::prelude::*;
use crate::kernel::Argument;
use crate::plan::switches::kubelet::{NoSeconds, Switches};
use crate::plan::{Connections, KubeletConfig, KubeletMode, Real};

/// `minimumGracePeriodInSeconds` (`pkg/kubelet/kuberuntime/kuberuntime_manager.go`)
pub(super) const MINIMUM_GRACE_PERIOD: i64 = 2;

/// What a part keeps of each node's kubelet; nothing where there is none.
#[derive(Default)]
pub(super) struct ByNode<T>(Shared<Vec<Option<T>>>);

impl<T> ByNode<T> {
    /// A node has a kubelet from now on, of which that is known.
    pub(super) fn join(&self, node: NodeId, known: T) {
        self.0.with(|all| {
            *slot(all, node.index()) = Some(known);
        });
    }

    /// Works on what is known of one.
    pub(super) fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.with(|all| all.get_mut(node.index()).and_then(Option::as_mut).map(f))
    }
}

/// What all parts know of the kubelet of each node, and how all of them behave.
pub(super) struct Nodes {
    pub(super) ctx: Ctx,
    pub(super) api: Rc<ApiServer>,
    /// How they all behave; how often each is heard is its own ([`Nodes::mode`]).
    pub(super) mode: KubeletMode,
    /// The configuration of those that have none of their own.
    config: Rc<KubeletConfig>,
    /// Some have one of their own.
    differ: Cell<bool>,
    pub(super) switches: Switches,
    /// Heartbeats that can't make a difference are computed.
    pub(super) lazy: bool,
    kubelets: ByNode<Kubelet>,
}

impl Nodes {
    /// No node has a kubelet yet.
    pub(super) fn new(
        api: &Rc<ApiServer>,
        config: KubeletConfig,
        switches: Switches,
        lazy: bool,
    ) -> Self {
        Self {
            ctx: api.ctx().clone(),
            api: api.clone(),
            mode: config.mode,
            config: Rc::new(config),
            differ: Cell::new(false),
            switches,
            lazy,
            kubelets: ByNode::default(),
        }
    }

    pub(super) fn now(&self) -> Time {
        self.ctx.now()
    }

    /// A node has that kubelet from now on.
    pub(super) fn join(&self, node: NodeId, kubelet: Kubelet) {
        self.differ.set(self.differ.get() || kubelet.config.is_some());
        self.kubelets.join(node, kubelet);
    }

    /// Works on one kubelet's state.
    pub(super) fn with<R>(&self, node: NodeId, f: impl FnOnce(&mut Kubelet) -> R) -> Option<R> {
        self.kubelets.with(node, f)
    }

    /// The configuration of a node's kubelet.
    pub(super) fn config(&self, node: NodeId) -> Rc<KubeletConfig> {
        let own = self.with(node, |k| k.config.clone()).flatten();
        own.unwrap_or_else(|| self.config.clone())
    }

    /// How a node's kubelet behaves.
    pub(super) fn mode(&self, node: NodeId) -> KubeletMode {
        if self.differ.get() { self.config(node).mode } else { self.mode }
    }

    /// The nodes that may have one.
    pub(super) fn ids(&self) -> impl Iterator<Item = NodeId> {
        (0..self.kubelets.0.with(|all| all.len()) as u32).map(NodeId)
    }

    /// Whether a node has a kubelet of which that is so.
    pub(super) fn is(&self, node: NodeId, so: impl FnOnce(&mut Kubelet) -> bool) -> bool {
        self.with(node, so) == Some(true)
    }

    /// Whether a node's machine runs, and its kubelet.
    pub(super) fn runs(&self, node: NodeId) -> bool {
        self.is(node, |k| k.runs())
    }

    /// The next status of a node has something new to say.
    pub(super) fn view_changes(&self, node: NodeId) {
        let now = self.now();
        self.with(node, |k| {
            k.view_changed.get_or_insert(now);
        });
    }

    /// Whether a kubelet runs, and can have something done by its container runtime.
    pub(super) fn works(&self, node: NodeId) -> bool {
        self.is(node, |k| k.runs() && !k.runtime_fails)
    }

    /// The settings of real kubelets; none of those that are imitated.
    pub(super) fn real(&self) -> Option<Real> {
        match self.mode {
            KubeletMode::Imitated(_) => None,
            KubeletMode::Real(real) => Some(real),
        }
    }

    /// Writes down what somebody did to a node or its kubelet, and what follows from it follows from that.
    pub(super) fn record(&self, node: NodeId, what: What) {
        self.ctx.set_cause(self.api.record_node(Actor::User, node, what));
    }

    /// Writes an event. A kubelet's recorder is its own, and its rate does not matter here. One that does not arrive is lost;
    /// upstream tries again for two minutes.
    pub(super) fn say(&self, name: EventName, body: EventBody) {
        let _ = self.api.create_event(
            Actor::Kubelet,
            name,
            Message { body, combined: false, count: 1 },
        );
    }

    /// The same of an event that may be there already.
    pub(super) fn say_again(&self, name: EventName, event: Message) {
        let patched = event.count > 1 && self.api.patch_event(Actor::Kubelet, name, event).is_ok();
        if !patched {
            let _ = self.api.create_event(Actor::Kubelet, name, event);
        }
    }

    /// Says something of a node; of an event that is there already, that it happened once more.
    pub(super) fn say_of(&self, node: NodeId, text: EventText) {
        // Others may say something of the node in this instant, too.
        let name = EventName::Node(node, self.now() + Dur::from_nanos(1));
        let said = self.with(node, |k| {
            let said = k.said.entry(text).or_insert((name, 0));
            said.1 += 1;
            *said
        });
        let (name, count) = said.unwrap_or((name, 1));
        self.say_again(name, Message { body: text.into(), combined: false, count });
    }

    /// How long containers have where their kubelet asks for so many seconds, of a pod with that grace period of its own
    /// (`pod_workers.go`, `calculateEffectiveGracePeriod`; `kuberuntime_container.go`, `killContainer`).
    pub(super) fn effective_grace_period(&self, given: i64, own: i64) -> Dur {
        let seconds = match self.switches.no_seconds {
            NoSeconds::IsPodsOwn if given <= 0 => own.max(1),
            NoSeconds::Kills => given.max(0),
            NoSeconds::IsPodsOwn | NoSeconds::IsOne => given.max(1),
        };
        let least = if self.switches.two_seconds { MINIMUM_GRACE_PERIOD } else { 0 };
        Dur::from_secs(seconds.max(least).unsigned_abs())
    }

    /// The same of a pod that is deleted: up to 1.21 that is no override, and has the least of all (`killContainer`).
    pub(super) fn deletion_grace_period(&self, given: i64, own: i64) -> Dur {
        let least = self.switches.no_seconds == NoSeconds::Kills;
        let given = if least { given.max(MINIMUM_GRACE_PERIOD) } else { given };
        self.effective_grace_period(given, own)
    }

    /// A time that is drawn for a node, from nothing to the most.
    pub(super) fn draw(&self, point: &'static str, node: NodeId, most: Dur) -> Dur {
        let point = self.ctx.point(point);
        Dur::from_nanos(self.ctx.uniform(point, self.object(node), 0, most.as_nanos()))
    }

    /// From when on a kubelet hears of what becomes of pods now; none while nothing gets through.
    pub(super) fn hears_from(&self, node: NodeId) -> Option<Time> {
        let now = self.now();
        self.with(node, |k| k.hears_from(now)).flatten()
    }

    /// Whether what a kubelet sends now arrives.
    pub(super) fn gets_through(&self, node: NodeId) -> bool {
        let now = self.now();
        self.is(node, |k| k.gets_through(now))
    }

    /// Whether what a kubelet says now is heard.
    pub(super) fn is_heard(&self, node: NodeId) -> bool {
        self.gets_through(node) && !self.api.is_down()
    }

    /// A node as an object of chance.
    pub(super) fn object(&self, node: NodeId) -> Object {
        Object { id: node.0, hash: self.api.names(|n| n.node_hash(node)) }
    }
}

/// What is particular to a node's kubelet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NodeSettings {
    /// When the lease is first renewed, from the kubelet's start; zero is one period.
    pub(crate) lease_offset: Dur,
    /// The period of lease renewals.
    pub(crate) lease_period: Dur,
    /// When the status is first checked, from the kubelet's start; zero is one period.
    pub(crate) status_offset: Dur,
}

/// One kubelet.
#[derive(Clone, Debug, Default)]
pub(super) struct Kubelet {
    pub(super) settings: NodeSettings,
    /// Its configuration, where that is not the cluster's.
    pub(super) config: Option<Rc<KubeletConfig>>,
    /// It is cut off from the API server, and what becomes of its connections.
    pub(super) cut: Option<Connections>,
    /// What its way to the API server is like, outages included. That of kubelets that are imitated is
    /// open.
    pub(super) link: Link,
    /// When it gets through again, once its way is open.
    pub(super) back: Option<Back>,
    /// Its view of a condition changed and was not posted yet.
    pub(super) view_changed: Option<Time>,
    /// The machine is off, or boots.
    pub(super) crashed: bool,
    /// Its process is dead while its machine runs on, or would.
    pub(super) stopped: bool,
    /// It ended: its node was deleted.
    pub(super) gone: bool,
    /// Its machine was told to go off, and it ends its pods before.
    pub(super) shutting_down: bool,
    /// Its own view of its conditions, but for what comes of that.
    pub(super) view: View,
    /// When it last posted its status, or would have: what the next report counts from.
    pub(super) last_post: Time,
    /// When it last posted its status, with which heartbeat, and when it renewed its lease, and
    /// before that.
    pub(super) posts: [Option<(Time, Timestamp)>; 2],
    pub(super) renewals: [Option<Time>; 2],
    /// Its heartbeats are simulated to the end of the run.
    pub(super) sleepless: bool,
    /// The numbers of the next ticks of its loops.
    pub(super) ticks: [u32; 2],
    /// When its machine has booted, while it does.
    pub(super) boots_until: Option<Time>,
    /// When it first asked for something, if it has started in this run.
    pub(super) began: Option<Time>,
    /// Where in their period its syncs of pod statuses are, once that matters.
    pub(super) syncs_at: Option<Dur>,
    /// Its container runtime does nothing, or did until now.
    pub(super) runtime_fails: bool,
    /// What its container runtime has come to, and when it will notice; or when it syncs its pods again.
    pub(super) runtime_news: Option<(Time, Option<ConditionStatus>)>,
    /// By how many nanoseconds its clock is off.
    pub(super) skew_ns: i64,
    /// Heartbeats come only once in this time.
    pub(super) slow: Option<Dur>,
    /// The offset of the next periodic report, ns (S23).
    pub(super) report_offset_ns: i64,
    /// What it said last of its node, in which event and how often.
    pub(super) said: BTreeMap<EventText, (EventName, u32)>,
}

impl Kubelet {
    /// Its conditions as it posts them: a node that goes off is not ready.
    pub(super) fn posted_view(&self) -> View {
        let mut view = self.view;
        if self.shutting_down {
            view[NodeConditionType::Ready as usize] = Some(ConditionStatus::False);
        }
        view
    }

    /// Whether its machine runs.
    pub(super) fn is_on(&self) -> bool {
        !self.crashed && !self.gone
    }

    /// Whether its machine runs, and it.
    pub(super) fn runs(&self) -> bool {
        self.is_on() && !self.stopped
    }

    /// Whether what it sends now arrives.
    pub(super) fn gets_through(&self, now: Time) -> bool {
        self.runs()
            && self.cut.is_none()
            && self.link == Link::Open
            && self.back.is_none_or(|b| b.connection <= now)
    }

    /// From when on it hears of what becomes of pods now; none while nothing gets through, or its loop skips them.
    pub(super) fn hears_from(&self, now: Time) -> Option<Time> {
        let open = self.runs() && self.cut.is_none() && self.link == Link::Open;
        let open = open && !self.runtime_fails;
        open.then(|| self.back.map_or(now, |b| b.pods.max(now)))
    }

    /// Whether it knows what has become of its node.
    pub(super) fn knows_its_node(&self, now: Time) -> bool {
        self.back.is_none_or(|b| b.node <= now || b.live && b.status == now)
    }
}

/// Which of a kubelet's loops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loop {
    /// It renews the lease.
    Lease = 0,
    /// It checks the status, and posts it.
    Status = 1,
}

/// A tick of a loop of a node's kubelet.
#[derive(Clone, Copy)]
pub(super) struct Tick {
    pub(super) node: NodeId,
    pub(super) which: Loop,
}

impl Argument for Tick {
    fn pack(self) -> u64 {
        u64::from(self.node.0) | (self.which as u64) << 32
    }

    fn unpack(bits: u64) -> Self {
        let which = match bits >> 32 {
            0 => Loop::Lease,
            _ => Loop::Status,
        };
        Self { node: NodeId(bits as u32), which }
    }
}

/// Conditions as a kubelet sees them itself, by their types, in whose order it writes them; `None` is not
/// its business.
pub(super) type View = [Option<ConditionStatus>; NodeConditionType::ALL.len()];

/// The view of a healthy node.
pub(super) fn healthy() -> View {
    NodeConditionType::ALL.map(|kind| match kind {
        NodeConditionType::NetworkUnavailable | NodeConditionType::OutOfDisk => None,
        _ => Some(kind.healthy()),
    })
}

/// The conditions that a healthy kubelet posts now.
pub(crate) fn healthy_conditions(at: Timestamp) -> Vec<NodeCondition> {
    let mut conditions = Vec::with_capacity(4);
    fill(&mut conditions, &healthy(), at);
    conditions
}

/// Writes a kubelet's view into a node's conditions, with a new heartbeat on all of its own.
pub(super) fn fill(conditions: &mut Vec<NodeCondition>, view: &View, at: Timestamp) {
    for (kind, status) in NodeConditionType::ALL.into_iter().zip(*view) {
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
