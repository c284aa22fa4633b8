//! The controller's configuration and state, and what it hears of.

use super::breaker::Breaker;
use super::ids::Ids;
use super::node_health::Health;
use super::notices::Notices;
use super::queue::RateLimitedTimedQueue;
use super::roster::Roster;
use super::round::Round;
use super::skipped::Rest;
use super::templates::Templates;
use super::zone_states::ZoneStates;
use crate::api::labels::Labels;
use crate::api::meta::Uid;
use crate::api::names::{NodeId, PodId, TextId};
use crate::api::node::{LABEL_EXCLUDE_DISRUPTION, Node, zone_key};
use crate::api::pod::Pod;
use crate::client::{
    Client, EventRecorder, InformerFactory, NodeHandler, PodHandler, QueueKey, RateLimiter,
    Recalled, WorkQueue,
};
use crate::kernel::{Ctx, Dur, Group, Idler, Lock, Object, PointId, Shared};
use crate::plan::switches::node_lifecycle::{ConditionTaints, Switches};
use crate::trace::{Actor, What, ZoneState};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::{Rc, Weak};

/// `nodeEvictionPeriod`: how often the NoExecute pass runs.
pub(super) const NODE_EVICTION_PERIOD: Dur = Dur::from_millis(100);
/// The controller's flags and what its release does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Config {
    /// `--node-monitor-period`
    pub monitor_period: Dur,
    /// Added to the period, for the time a pass takes.
    pub pass_overhead: Dur,
    /// `--node-monitor-grace-period`
    pub grace_period: Dur,
    /// `--node-startup-grace-period`
    pub startup_grace_period: Dur,
    /// `--node-eviction-rate`
    pub eviction_rate: f32,
    /// `--secondary-node-eviction-rate`
    pub secondary_eviction_rate: f32,
    /// `--large-cluster-size-threshold`
    pub large_cluster_threshold: i32,
    /// `--unhealthy-zone-threshold`
    pub unhealthy_zone_threshold: f32,
    /// `--pod-eviction-timeout`, in releases that have it.
    pub pod_eviction_timeout: Dur,
    /// What it remembers, if it has been running for long and the objects are an export's.
    pub memory: Option<Recalled>,
    /// What the release does.
    pub switches: Switches,
}

impl QueueKey for NodeId {
    fn slot(self) -> usize {
        self.index()
    }
}

impl QueueKey for PodId {
    fn slot(self) -> usize {
        self.index()
    }
}

/// What the controller keeps in memory.
#[derive(Default)]
pub(super) struct State {
    /// `knownNodeSet`
    pub(super) known: Vec<Option<Uid>>,
    /// `nodeHealthMap`; a record survives its node.
    pub(super) health: Vec<Option<Health>>,
    /// `zoneStates`
    pub(super) zone_states: ZoneStates,
    /// `zoneNoExecuteTainter`
    pub(super) tainters: BTreeMap<TextId, Rc<RateLimitedTimedQueue>>,
    /// `nodesToRetry`
    pub(super) nodes_to_retry: BTreeSet<NodeId>,
    /// Nodes whose pods were deleted in timeout mode (`nodeEvictionMap`).
    pub(super) evicted: BTreeSet<NodeId>,
    /// Nodes that wait in a queue, so that the trace records each wait once.
    pub(super) told_queued: Ids,
    /// Whether the first round of the NoExecute loop comes amid the first pass, which is still to
    /// come.
    pub(super) round_amid_pass: bool,
    /// What is read of a node, by the version it was read from.
    facts: Vec<Option<(Rc<Labels>, Facts)>>,
}

impl State {
    /// Makes a node known under its uid, or unknown.
    pub(super) fn know(&mut self, node: NodeId, uid: Option<Uid>) {
        if self.known.len() <= node.index() {
            self.known.resize(node.index() + 1, None);
        }
        self.known[node.index()] = uid;
    }
}

/// What every pass asks of a node's labels.
#[derive(Clone, Copy)]
struct Facts {
    zone: TextId,
    excluded: bool,
}

/// The points of chance of this controller.
#[derive(Clone, Copy)]
pub(super) struct Points {
    pub(super) list: PointId,
    pub(super) pods: PointId,
    pub(super) zones: PointId,
    pub(super) patch_backoff: PointId,
    /// Whether the first pass comes before the workers and the first round of the NoExecute loop,
    /// all of which start at once.
    pub(super) start: PointId,
    /// Whether that first round comes amid the first pass.
    pub(super) start_amid: PointId,
    /// How long the next pass of a process that has been running for long is away, and the next
    /// round of its NoExecute loop.
    pub(super) pass_phase: PointId,
    pub(super) eviction_phase: PointId,
    /// When in its second something came that was before the run, and the order in which nodes
    /// wait.
    pub(super) recalled: PointId,
    pub(super) recalled_queue: PointId,
    pub(super) recalled_pass: PointId,
    /// Whether a round of the NoExecute loop comes before the limiters of a pass are changed.
    pub(super) disruption: PointId,
    /// Whether the writer of events gets its token before the next request of who told it one.
    pub(super) event_first: PointId,
}

/// The node lifecycle controller.
pub(crate) struct Controller {
    me: Weak<Controller>,
    pub(super) ctx: Ctx,
    pub(super) group: Group,
    pub(super) config: Config,
    pub(super) client: Client,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) recorder: EventRecorder,
    pub(super) templates: Templates,
    pub(super) state: Shared<State>,
    pub(super) breaker: Breaker,
    /// `evictorLock`; it matters only where it is held across requests.
    pub(super) evictor_lock: Lock,
    pub(super) node_queue: WorkQueue<NodeId>,
    pub(super) pod_queue: WorkQueue<PodId>,
    pub(super) pod_limiter: Shared<RateLimiter<PodId>>,
    pub(super) points: Points,
    /// Passes that cannot change anything are skipped.
    pub(super) lazy: bool,
    /// The eviction loop, while all queues are empty.
    pub(super) idler: Idler,
    pub(super) rest: Shared<Rest>,
    pub(super) roster: Shared<Roster>,
    /// The pass that is under way, if one is.
    pub(super) round: Shared<Round>,
}

impl Controller {
    /// A controller that hears of nodes and pods but does not run yet
    /// (`NewNodeLifecycleController`).
    pub(crate) fn new(
        config: Config,
        client: Client,
        informers: &Rc<InformerFactory>,
        group: Group,
        recorder: EventRecorder,
    ) -> Rc<Self> {
        let ctx = client.api().ctx().clone();
        let controller = Rc::new_cyclic(|me| Controller {
            me: me.clone(),
            templates: Templates::new(config.switches.alpha_taint_keys),
            evictor_lock: Lock::new(&ctx),
            node_queue: WorkQueue::new(&ctx),
            pod_queue: WorkQueue::new(&ctx),
            pod_limiter: Shared::new(RateLimiter::default()),
            state: Shared::new(State::default()),
            breaker: Breaker::default(),
            lazy: client.api().source_of_heartbeats().is_some(),
            idler: ctx.idler(),
            rest: Shared::new(Rest::default()),
            roster: Shared::new(Roster::default()),
            round: Shared::new(Round::default()),
            points: Points {
                list: ctx.point("node-lister-order"),
                pods: ctx.point("pod-index-order"),
                zones: ctx.point("zone-map-order"),
                patch_backoff: ctx.point("taint-patch-backoff"),
                start: ctx.point("node-lifecycle-start-order"),
                start_amid: ctx.point("node-lifecycle-start-amid-pass"),
                pass_phase: ctx.point("node-monitor-phase"),
                eviction_phase: ctx.point("node-eviction-phase"),
                recalled: ctx.point("node-recalled"),
                recalled_queue: ctx.point("node-recalled-queue"),
                recalled_pass: ctx.point("node-recalled-pass"),
                disruption: ctx.point("node-disruption"),
                event_first: ctx.point("pod-event-first"),
            },
            informers: informers.clone(),
            config,
            client,
            recorder,
            group,
            ctx,
        });
        informers.on_node(controller.clone());
        informers.on_pod(controller.clone());
        let weak = Rc::downgrade(&controller);
        informers.on_stir(Rc::new(move || {
            if let Some(c) = weak.upgrade() {
                c.stirred();
            }
        }));
        let weak = Rc::downgrade(&controller);
        informers.on_waking(Rc::new(move |node| {
            if let Some(c) = weak.upgrade() {
                c.wakes(node);
            }
        }));
        controller
    }

    /// From one pass to the next, where neither has to wait.
    pub(super) fn pass_period(&self) -> Dur {
        self.config.monitor_period + self.config.pass_overhead
    }

    /// The zone of a node and whether it is left out of zone counts, read anew only when its labels
    /// changed.
    pub(super) fn zone_of(&self, node: &Node) -> (TextId, bool) {
        let known = self.state.with(|s| match s.facts.get(node.id.index()) {
            Some(Some((labels, f))) if Rc::ptr_eq(labels, &node.labels) => {
                Some((f.zone, f.excluded))
            }
            _ => None,
        });
        if let Some(known) = known {
            return known;
        }
        let key = zone_key(&node.labels, self.config.switches.beta_zone_labels);
        let (zone, by_name) = self.client.api().names(|n| {
            (
                n.text(&key),
                self.config.switches.exclude_master_names && is_master(n.node_name(node.id)),
            )
        });
        let excluded = by_name
            || self.config.switches.exclude_label
                && node.labels.contains_key(LABEL_EXCLUDE_DISRUPTION);
        self.state.with(|s| {
            if s.facts.len() <= node.id.index() {
                s.facts.resize(node.id.index() + 1, None);
            }
            s.facts[node.id.index()] = Some((node.labels.clone(), Facts { zone, excluded }));
        });
        (zone, excluded)
    }

    /// The queue of a node's present zone.
    pub(super) fn tainter_of(&self, node: &Node) -> Option<Rc<RateLimitedTimedQueue>> {
        let (zone, _) = self.zone_of(node);
        self.state.with(|s| s.tainters.get(&zone).cloned())
    }

    /// A handle for a process that this controller starts itself; it is alive while it runs.
    pub(super) fn handle(&self) -> Option<Rc<Controller>> {
        self.me.upgrade()
    }

    /// A node as an object of chance.
    pub(super) fn object(&self, node: NodeId) -> Object {
        Object {
            id: node.0,
            hash: self.client.api().names(|n| n.node_hash(node)),
        }
    }

    /// A pod as an object of chance.
    pub(super) fn pod_object(&self, pod: PodId) -> Object {
        Object {
            id: pod.0,
            hash: self.client.api().names(|n| n.pod_hash(pod)),
        }
    }

    /// Records a zone's new state.
    pub(super) fn record_zone(&self, zone: TextId, state: ZoneState) {
        self.client
            .api()
            .record_text(Actor::NodeLifecycle, zone, What::Zone(state));
    }
}

/// `pkg/util/system/system_utils.go: IsMasterNode`: a name that ends in "master", or in "master-"
/// and three characters.
fn is_master(name: &str) -> bool {
    name.ends_with("master")
        || name.len() >= 10
            && name.is_char_boundary(name.len() - 3)
            && name[..name.len() - 3].ends_with("master-")
}

impl NodeHandler for Controller {
    fn node(&self, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) {
        if let Some(n) = new.or(old) {
            self.node_changed(n.id, old.is_some(), new.is_some());
        }
        if let Some(n) = new
            && self.config.switches.rename_alpha_taints
        {
            self.rename_alpha_taints(n);
        }
        match new {
            Some(n) => match self.config.switches.condition_taints {
                ConditionTaints::Mapped => self.node_queue.add(n.id),
                ConditionTaints::TrueOnly => self.taint_by_true_conditions(n),
                ConditionTaints::Off => {}
            },
            None => {
                if let Some(o) = old {
                    self.state.with(|s| {
                        s.nodes_to_retry.remove(&o.id);
                        s.evicted.remove(&o.id);
                    });
                }
            }
        }
    }
}

impl PodHandler for Controller {
    /// `podUpdated`: a pod that came to a node.
    fn pod(&self, old: Option<&Rc<Pod>>, new: Option<&Rc<Pod>>) {
        if let Some(p) = new
            && p.node.is_some()
            && self.config.switches.pod_workers
            && old.is_none_or(|o| o.node != p.node)
        {
            self.pod_queue.add(p.id);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn masters_by_name() {
        for (name, is) in [
            ("master", true),
            ("kube-master", true),
            ("x-master-abc", true),
            ("x-master-ab", false),
            ("masters", false),
        ] {
            assert_eq!(super::is_master(name), is, "{name}");
        }
    }
}
