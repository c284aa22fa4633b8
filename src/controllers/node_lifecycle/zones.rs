//! Zones: queues for new zones, zone states, and master disruption (`handleDisruption`).

use super::controller::Controller;
use super::notices::Notices;
use super::queue::RateLimitedTimedQueue;
use super::zone_conditions::{Counted, ZoneConditions};
use crate::api::names::TextId;
use crate::api::node::Node;
use crate::kernel::Object;
use crate::plan::switches::node_lifecycle::EvictionMode;
use crate::trace::{Actor, Note, What, ZoneState};
use std::rc::Rc;

impl Controller {
    /// `addPodEvictorForNewZone`: a zone without state gets one, and a new queue with a full
    /// bucket.
    pub(super) async fn add_pod_evictor_for_new_zone(&self, node: &Node) {
        let (zone, _) = self.zone_of(node);
        if self.state.with(|s| s.zone_states.get(zone).is_some()) {
            return;
        }
        let _held = self.hold_evictor_lock().await;
        let queue = Rc::new(RateLimitedTimedQueue::new(
            &self.ctx,
            self.config.eviction_rate,
        ));
        self.state.with(|s| {
            s.zone_states.insert(zone, ZoneState::Initial);
            s.tainters.insert(zone, queue);
        });
        self.client
            .api()
            .record_text(Actor::NodeLifecycle, zone, What::Noted(Note::ZoneQueue, 0));
        // A node that the zone's old queue knew is put into the new one, tainted as it may be.
        self.rouse_all();
    }

    /// Whether a node's zone has a state.
    pub(super) fn zone_has_state(&self, node: &Node) -> bool {
        let (zone, _) = self.zone_of(node);
        self.state.with(|s| s.zone_states.get(zone).is_some())
    }

    /// `ComputeZoneState`
    pub(super) fn compute_zone_state(&self, z: ZoneConditions) -> ZoneState {
        // As upstream: the share is a float32 division, and the threshold a float32.
        let share = z.not_ready as f32 / z.size() as f32;
        if z.ready == 0 && z.not_ready > 0 {
            ZoneState::FullDisruption
        } else if z.not_ready > 2 && share >= self.config.unhealthy_zone_threshold {
            ZoneState::PartialDisruption
        } else {
            ZoneState::Normal
        }
    }

    /// `handleDisruption`
    pub(super) async fn handle_disruption(&self, counted: &Counted) {
        let amid = self.state.with(|s| std::mem::take(&mut s.round_amid_pass));
        for (zone, _) in counted.iter() {
            self.state.with(|s| {
                if s.zone_states.get(zone).is_none() {
                    s.zone_states.insert(zone, ZoneState::Initial);
                }
            });
        }
        let all_are = counted
            .iter()
            .all(|(_, z)| self.compute_zone_state(z) == ZoneState::FullDisruption);
        let all_was = self.forget_zones_without_nodes(counted);
        if all_are && all_was || !all_are && !all_was && self.no_zone_changes(counted) {
            return;
        }
        self.restless();
        // A round of the NoExecute loop may come between the `Add` of a node's update and the
        // `SwapLimiter` below: each is a goroutine.
        if !self.queues_are_empty() {
            if amid {
                self.ctx.after_others().await;
            } else {
                self.ctx.yield_point(self.points.disruption, 0).await;
            }
        }
        if all_are {
            self.enter_master_disruption().await;
            return;
        }
        if all_was {
            self.leave_master_disruption(counted).await;
            return;
        }
        for zone in self.zones_with_states() {
            let was = self.state.with(|s| s.zone_states.get(zone));
            if was.unwrap_or(ZoneState::Empty) != self.new_zone_state(zone, counted) {
                self.enter(zone, counted).await;
            }
        }
    }

    /// All zones became fully disrupted: nodes lose their NoExecute taints, and nothing is tainted.
    async fn enter_master_disruption(&self) {
        self.client
            .api()
            .record(Actor::NodeLifecycle, 0, What::MasterDisruptionEntered);
        // The next pass queues those again that are taken out here and that its cache still has
        // as Unknown.
        self.rouse_all();
        for node in &self.every_node() {
            match self.config.switches.eviction_mode {
                EvictionMode::Taints => {
                    self.mark_node_as_reachable(node).await;
                }
                EvictionMode::Timeout => self.cancel_pod_eviction(node).await,
            }
        }
        for zone in self.zones_with_states() {
            self.swap_limiter(zone, 0.0).await;
            self.set_zone_state(zone, ZoneState::FullDisruption);
        }
    }

    /// Some zone is no longer fully disrupted: every node counts as heard of now.
    async fn leave_master_disruption(&self, counted: &Counted) {
        self.client
            .api()
            .record(Actor::NodeLifecycle, 0, What::MasterDisruptionLeft);
        let now = self.now_ns();
        self.rouse_all();
        let nodes = self.every_node();
        self.state.with(|s| {
            for node in nodes {
                // Where the lease circuit breaker kept a node from getting a record, upstream
                // crashes here.
                if let Some(Some(h)) = s.health.get_mut(node.id.index()) {
                    h.probe_ns = now;
                    h.transition_ns = now;
                }
            }
        });
        for zone in self.zones_with_states() {
            self.enter(zone, counted).await;
        }
    }

    /// The state that a zone ought to have; that of one without counted nodes is empty.
    fn new_zone_state(&self, zone: TextId, counted: &Counted) -> ZoneState {
        counted
            .get(zone)
            .map_or(ZoneState::Empty, |z| self.compute_zone_state(z))
    }

    fn no_zone_changes(&self, counted: &Counted) -> bool {
        self.state.with(|s| {
            s.zone_states
                .iter()
                .all(|(z, state)| self.new_zone_state(z, counted) == state)
        })
    }

    /// Zones in the order of Go's map, which is chance.
    fn zones_with_states(&self) -> Vec<TextId> {
        self.state.with_ref(|s| {
            s.zone_states
                .walk(&self.ctx, self.points.zones, |z| self.zone_object(z))
        })
    }

    pub(super) fn zone_object(&self, zone: TextId) -> Object {
        let hash = self
            .client
            .api()
            .names(|n| crate::api::names::stable_hash(n.text_of(zone)));
        Object { id: zone.0, hash }
    }

    /// The second loop of `handleDisruption`: zones without counted nodes lose their state, until
    /// the first zone that was not fully disrupted ends the loop. Returns whether all zones were
    /// fully disrupted.
    fn forget_zones_without_nodes(&self, counted: &Counted) -> bool {
        if self
            .state
            .with(|s| s.zone_states.iter().all(|(z, _)| counted.get(z).is_some()))
        {
            // Every zone has counted nodes, so the walk's order does not matter.
            return self.state.with(|s| {
                s.zone_states
                    .iter()
                    .all(|(_, state)| state == ZoneState::FullDisruption)
            });
        }
        self.restless();
        for zone in self.zones_with_states() {
            if counted.get(zone).is_none() {
                self.state.with(|s| s.zone_states.remove(zone));
                continue;
            }
            if self
                .state
                .with(|s| s.zone_states.get(zone) != Some(ZoneState::FullDisruption))
            {
                return false;
            }
        }
        true
    }

    /// A zone gets its new state and the limiter that goes with it. One that lost its nodes between
    /// the loops gets the empty state, and keeps its limiter.
    async fn enter(&self, zone: TextId, counted: &Counted) {
        let state = self.new_zone_state(zone, counted);
        let size = counted.get(zone).map_or(0, ZoneConditions::size);
        if let Some(qps) = self.rate_of(state, size) {
            self.swap_limiter(zone, qps).await;
        }
        self.set_zone_state(zone, state);
    }

    /// The rate at which nodes of a zone of that size are tainted in that state (`HealthyQPSFunc`,
    /// `ReducedQPSFunc`; `setLimiterInZone`); none where the limiter stays as it is.
    pub(super) fn rate_of(&self, state: ZoneState, size: u32) -> Option<f32> {
        match state {
            // The full-disruption rate of a zone is the normal one (`HealthyQPSFunc`).
            ZoneState::Normal | ZoneState::FullDisruption => Some(self.config.eviction_rate),
            ZoneState::PartialDisruption => {
                let large = i64::from(size) > i64::from(self.config.large_cluster_threshold);
                Some(if large {
                    self.config.secondary_eviction_rate
                } else {
                    0.0
                })
            }
            ZoneState::Initial | ZoneState::Empty => None,
        }
    }

    async fn swap_limiter(&self, zone: TextId, qps: f32) {
        if let Some(queue) = self.state.with(|s| s.tainters.get(&zone).cloned()) {
            queue.swap_limiter(qps).await;
        }
    }

    fn set_zone_state(&self, zone: TextId, state: ZoneState) {
        let was = self.state.with(|s| s.zone_states.insert(zone, state));
        if was != Some(state) {
            self.record_zone(zone, state);
        }
    }
}
