//! What becomes of zones at the end of a pass (`handleDisruption`): their states, the rates of their
//! queues, and master disruption.

use super::decision::Eviction;
use super::skip::Skipper;
use crate::controllers::node_lifecycle::prelude::*;

/// Follows disruptions of zones.
pub(super) struct Disruption {
    core: Rc<Core>,
    zones: Rc<Zones>,
    health: Rc<HealthMap>,
    skipper: Rc<Skipper>,
    eviction: Rc<Eviction>,
    /// Whether the first round of the NoExecute loop comes amid the first pass, and is still to
    /// come.
    pub(super) round_amid_pass: Cell<bool>,
    /// That loop, while it waits for the pass to come so far.
    round_waits: Cell<Option<Ticket>>,
    /// Whether a round of the NoExecute loop comes before the limiters of a pass are changed.
    disruption_point: PointId,
}

impl Disruption {
    /// There was none.
    pub(super) fn new(
        core: &Rc<Core>,
        zones: &Rc<Zones>,
        health: &Rc<HealthMap>,
        skipper: &Rc<Skipper>,
        eviction: &Rc<Eviction>,
    ) -> Self {
        Disruption {
            round_amid_pass: Cell::new(false),
            round_waits: Cell::new(None),
            disruption_point: core.ctx.point("node-disruption"),
            zones: zones.clone(),
            health: health.clone(),
            skipper: skipper.clone(),
            eviction: eviction.clone(),
            core: core.clone(),
        }
    }

    /// Where the first round of the NoExecute loop comes amid the first pass and turns are drawn:
    /// waits until it is due.
    pub(super) async fn until_amid_pass(&self) {
        if self.core.ctx.draws_turns() && self.round_amid_pass.get() {
            self.core.ctx.parked(|ticket| self.round_waits.set(Some(ticket))).await;
        }
    }

    /// The first round of the NoExecute loop comes now, if it was to come amid this pass: the pass
    /// has come to the limiters, or waits before that, which is when that loop looks at the latest.
    /// Returns whether it was to come amid this pass.
    pub(super) fn round_is_due(&self) -> bool {
        if let Some(ticket) = self.round_waits.take()
            && self.core.ctx.claim(ticket)
        {
            self.core.ctx.wake(ticket);
        }
        self.round_amid_pass.take()
    }

    /// `handleDisruption`
    pub(super) async fn handle_disruption(&self, counted: &Counted) {
        let amid = self.round_is_due();
        for (zone, _) in counted.iter() {
            self.zones.init_zone_state(zone);
        }
        let all_are = counted
            .iter()
            .all(|(_, z)| self.zones.compute_zone_state(z) == ZoneState::FullDisruption);
        let all_was = self.forget_zones_without_nodes(counted);
        if all_are && all_was || !all_are && !all_was && self.zones.no_zone_changes(counted) {
            return;
        }
        self.skipper.restless();
        // A round of the NoExecute loop may come between the `Add` of a node's update and the
        // `SwapLimiter` below: each is a goroutine.
        if !self.zones.queues_are_empty() {
            if amid {
                self.core.ctx.after_others().await;
            } else {
                self.core.ctx.yield_point(self.disruption_point, 0).await;
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
        for zone in self.zones.zones_with_states() {
            let was = self.zones.zone_state(zone);
            if was.unwrap_or(ZoneState::Empty) != self.zones.new_zone_state(zone, counted) {
                self.zones.enter(zone, counted).await;
            }
        }
    }

    /// All zones became fully disrupted: nodes lose their NoExecute taints, and nothing is tainted.
    async fn enter_master_disruption(&self) {
        self.core.api().record(Actor::NodeLifecycle, 0, What::MasterDisruptionEntered);
        // The next pass queues those again that are taken out here and that its cache still has
        // as Unknown.
        self.skipper.rouse_all();
        for node in &self.skipper.every_node() {
            self.eviction.spare(node).await;
        }
        for zone in self.zones.zones_with_states() {
            self.zones.swap_limiter(zone, 0.0).await;
            self.zones.set_zone_state(zone, ZoneState::FullDisruption);
        }
    }

    /// Some zone is no longer fully disrupted: every node counts as heard of now.
    async fn leave_master_disruption(&self, counted: &Counted) {
        self.core.api().record(Actor::NodeLifecycle, 0, What::MasterDisruptionLeft);
        let now = self.core.now_ns();
        self.skipper.rouse_all();
        for node in self.skipper.every_node() {
            self.health.count_as_heard(node.id, now);
        }
        for zone in self.zones.zones_with_states() {
            self.zones.enter(zone, counted).await;
        }
    }

    /// The second loop of `handleDisruption`: zones without counted nodes lose their state, until
    /// the first zone that was not fully disrupted ends the loop. Returns whether all zones were
    /// fully disrupted.
    fn forget_zones_without_nodes(&self, counted: &Counted) -> bool {
        if self.zones.all_states(|z, _| counted.get(z).is_some()) {
            // Every zone has counted nodes, so the walk's order does not matter.
            return self.zones.all_states(|_, state| state == ZoneState::FullDisruption);
        }
        self.skipper.restless();
        for zone in self.zones.zones_with_states() {
            if counted.get(zone).is_none() {
                self.zones.remove_zone_state(zone);
                continue;
            }
            if self.zones.zone_state(zone) != Some(ZoneState::FullDisruption) {
                return false;
            }
        }
        true
    }
}
