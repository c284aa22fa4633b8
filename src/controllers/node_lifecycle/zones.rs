//! Zones: which one a node is in, the states of zones (`zoneStates`), and their queues of nodes to
//! be tainted or rid of their pods (`zoneNoExecuteTainter`).

use super::core::Core;
use super::ids::Ids;
use super::queue::RateLimitedTimedQueue;
use super::zone_states::{Counted, ZoneConditions, ZoneStates};
use crate::api::names::stable_hash;
use crate::api::node::{LABEL_EXCLUDE_DISRUPTION, zone_key};
use crate::controllers::prelude::*;
use crate::kernel::{Held, Lock};
use crate::trace::ZoneState;

/// A node's zone, and whether it is left out of zone counts.
type Facts = (TextId, bool);

/// What is known of zones.
#[derive(Default)]
struct State {
    zone_states: ZoneStates,
    tainters: BTreeMap<TextId, Rc<RateLimitedTimedQueue>>,
    /// Nodes that wait in a queue, so that the trace records each wait once.
    told_queued: Ids,
    /// What every pass asks of a node's labels, by the version it was read from.
    facts: Vec<Option<(Rc<Labels>, Facts)>>,
}

/// The zones.
pub(super) struct Zones {
    core: Rc<Core>,
    state: Shared<State>,
    /// `evictorLock`; it matters only where it is held across requests.
    evictor_lock: Lock,
}

impl Zones {
    /// No zone is known.
    pub(super) fn new(core: Rc<Core>) -> Rc<Self> {
        let evictor_lock = Lock::new(&core.ctx);
        Rc::new(Self { core, state: Shared::default(), evictor_lock })
    }

    /// The zone of a node and whether it is left out of zone counts, read anew only when its labels
    /// changed.
    pub(super) fn zone_of(&self, node: &Node) -> Facts {
        let known = self.state.with(|s| match s.facts.get(node.id.index()) {
            Some(Some((labels, facts))) if Rc::ptr_eq(labels, &node.labels) => Some(*facts),
            _ => None,
        });
        if let Some(known) = known {
            return known;
        }
        let switches = self.core.switches();
        let key = zone_key(&node.labels, switches.beta_zone_labels);
        let by_label = switches.exclude_label && node.labels.contains_key(LABEL_EXCLUDE_DISRUPTION);
        let facts = self.core.api().names(|n| {
            let by_name = switches.exclude_master_names && is_master(n.node_name(node.id));
            (n.text(&key), by_label || by_name)
        });
        let known = Some((node.labels.clone(), facts));
        self.state.with(|s| *slot(&mut s.facts, node.id.index()) = known);
        facts
    }

    /// The state of a zone, if it has one.
    pub(super) fn zone_state(&self, zone: TextId) -> Option<ZoneState> {
        self.state.with(|s| s.zone_states.get(zone))
    }

    /// Whether that holds for the state of each zone that has one.
    pub(super) fn all_states(&self, holds: impl Fn(TextId, ZoneState) -> bool) -> bool {
        self.state.with(|s| s.zone_states.iter().all(|(zone, state)| holds(zone, state)))
    }

    /// A zone that has no state yet gets the first one.
    pub(super) fn init_zone_state(&self, zone: TextId) {
        self.state.with(|s| {
            if s.zone_states.get(zone).is_none() {
                s.zone_states.insert(zone, ZoneState::Initial);
            }
        });
    }

    /// A zone loses its state.
    pub(super) fn remove_zone_state(&self, zone: TextId) {
        self.state.with(|s| s.zone_states.remove(zone));
    }

    /// The queue of a zone.
    pub(super) fn tainter(&self, zone: TextId) -> Option<Rc<RateLimitedTimedQueue>> {
        self.state.with(|s| s.tainters.get(&zone).cloned())
    }

    /// The queue of a node's present zone.
    pub(super) fn tainter_of(&self, node: &Node) -> Option<Rc<RateLimitedTimedQueue>> {
        self.tainter(self.zone_of(node).0)
    }

    /// Records a zone's new state.
    fn record_zone(&self, zone: TextId, state: ZoneState) {
        self.core.api().record_text(Actor::NodeLifecycle, zone, What::Zone(state));
    }

    /// Whether no node waits in any zone.
    pub(super) fn queues_are_empty(&self) -> bool {
        self.state.with(|s| s.tainters.values().all(|q| q.is_empty()))
    }

    /// Holds `evictorLock` where the release holds it across requests.
    pub(super) async fn hold_evictor_lock(&self) -> Option<Held> {
        if self.core.switches().lock_across_calls {
            Some(self.evictor_lock.lock().await)
        } else {
            None
        }
    }

    /// Whether somebody holds `evictorLock` across requests.
    pub(super) fn is_locked(&self) -> bool {
        self.core.switches().lock_across_calls && self.evictor_lock.is_held()
    }

    /// Takes a node out of its zone's queue.
    pub(super) fn unqueue(&self, node: &Node) {
        if let Some(queue) = self.tainter_of(node) {
            queue.remove(node.id);
        }
        self.untell_queued(node.id);
    }

    /// Notes that a node waits in a queue; false if that is known.
    pub(super) fn tell_queued(&self, node: NodeId) -> bool {
        self.state.with(|s| s.told_queued.insert(node))
    }

    /// A node waits no longer.
    pub(super) fn untell_queued(&self, node: NodeId) {
        self.state.with(|s| s.told_queued.remove(node));
    }

    /// `addPodEvictorForNewZone`: a zone without state gets one, and a new queue with a full
    /// bucket. True if it had none.
    pub(super) async fn add_pod_evictor_for_new_zone(&self, node: &Node) -> bool {
        let (zone, _) = self.zone_of(node);
        if self.zone_state(zone).is_some() {
            return false;
        }
        let _held = self.hold_evictor_lock().await;
        let (ctx, qps) = (&self.core.ctx, self.core.flags().node_eviction_rate);
        let queue = Rc::new(RateLimitedTimedQueue::new(ctx, qps));
        self.state.with(|s| {
            s.zone_states.insert(zone, ZoneState::Initial);
            s.tainters.insert(zone, queue);
        });
        self.core.api().record_text(Actor::NodeLifecycle, zone, What::Noted(Note::ZoneQueue, 0));
        true
    }

    /// Whether a node's zone has a state.
    pub(super) fn zone_has_state(&self, node: &Node) -> bool {
        self.zone_state(self.zone_of(node).0).is_some()
    }

    /// `ComputeZoneState`
    pub(super) fn compute_zone_state(&self, z: ZoneConditions) -> ZoneState {
        // As upstream: the share is a float32 division, and the threshold a float32.
        let share = z.not_ready as f32 / z.size() as f32;
        if z.ready == 0 && z.not_ready > 0 {
            ZoneState::FullDisruption
        } else if z.not_ready > 2 && share >= self.core.flags().unhealthy_zone_threshold {
            ZoneState::PartialDisruption
        } else {
            ZoneState::Normal
        }
    }

    /// The state that a zone ought to have; that of one without counted nodes is empty.
    pub(super) fn new_zone_state(&self, zone: TextId, counted: &Counted) -> ZoneState {
        counted.get(&zone).map_or(ZoneState::Empty, |z| self.compute_zone_state(*z))
    }

    /// Whether every zone has the state that it ought to have.
    pub(super) fn no_zone_changes(&self, counted: &Counted) -> bool {
        self.all_states(|z, state| self.new_zone_state(z, counted) == state)
    }

    /// Zones in the order of Go's map, which is chance.
    pub(super) fn zones_with_states(&self) -> Vec<TextId> {
        let ctx = &self.core.ctx;
        let (point, object) = (ctx.point("zone-map-order"), |z| self.zone_object(z));
        self.state.with_ref(|s| s.zone_states.walk(ctx, point, object))
    }

    /// The zones that have a queue, in the order of Go's map, which is chance.
    pub(super) fn zones_with_tainters(&self) -> Vec<TextId> {
        let mut zones: Vec<TextId> = self.state.with(|s| s.tainters.keys().copied().collect());
        let ctx = &self.core.ctx;
        ctx.order(ctx.point("zone-map-order"), &mut zones, |z| self.zone_object(*z));
        zones
    }

    /// A zone as an object of chance.
    pub(super) fn zone_object(&self, zone: TextId) -> Object {
        let hash = self.core.api().names(|n| stable_hash(n.text_of(zone)));
        Object { id: zone.0, hash }
    }

    /// A zone gets its new state and the limiter that goes with it. One that lost its nodes between
    /// the loops gets the empty state, and keeps its limiter.
    pub(super) async fn enter(&self, zone: TextId, counted: &Counted) {
        let state = self.new_zone_state(zone, counted);
        let size = counted.get(&zone).map_or(0, |z| z.size());
        if let Some(qps) = self.rate_of(state, size) {
            self.swap_limiter(zone, qps).await;
        }
        self.set_zone_state(zone, state);
    }

    /// The rate at which nodes of a zone of that size are tainted in that state (`HealthyQPSFunc`,
    /// `ReducedQPSFunc`; `setLimiterInZone`); none where the limiter stays as it is.
    pub(super) fn rate_of(&self, state: ZoneState, size: u32) -> Option<f32> {
        let flags = self.core.flags();
        match state {
            // The full-disruption rate of a zone is the normal one (`HealthyQPSFunc`).
            ZoneState::Normal | ZoneState::FullDisruption => Some(flags.node_eviction_rate),
            ZoneState::PartialDisruption => {
                let large = i64::from(size) > i64::from(flags.large_cluster_size_threshold);
                Some(if large { flags.secondary_node_eviction_rate } else { 0.0 })
            }
            ZoneState::Initial | ZoneState::Empty => None,
        }
    }

    /// Has the nodes of a zone tainted at another rate.
    pub(super) async fn swap_limiter(&self, zone: TextId, qps: f32) {
        if let Some(queue) = self.tainter(zone) {
            queue.swap_limiter(qps).await;
        }
    }

    /// Gives a zone another state.
    pub(super) fn set_zone_state(&self, zone: TextId, state: ZoneState) {
        let was = self.state.with(|s| s.zone_states.insert(zone, state));
        if was != Some(state) {
            self.record_zone(zone, state);
        }
    }

    /// Takes a zone over as it was before the start, with its queue.
    pub(super) fn recall_zone(&self, zone: TextId, state: ZoneState, queue: RateLimitedTimedQueue) {
        self.state.with(|s| {
            s.zone_states.insert(zone, state);
            s.tainters.insert(zone, Rc::new(queue));
        });
        if state != ZoneState::Normal {
            self.record_zone(zone, state);
        }
    }

    /// Takes over a zone in which nothing was amiss before the start.
    pub(super) fn assume_normal(&self, zone: TextId) {
        let (ctx, qps) = (&self.core.ctx, self.core.flags().node_eviction_rate);
        self.state.with(|s| {
            s.zone_states.insert(zone, ZoneState::Normal);
            s.tainters.entry(zone).or_insert_with(|| Rc::new(RateLimitedTimedQueue::new(ctx, qps)));
        });
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
