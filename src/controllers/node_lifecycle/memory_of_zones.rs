//! What zones were like when the last pass of a controller that has been running for long ended: their
//! states, and what their limiters had left.

use super::health::seconds;
use super::no_schedule::is_condition_taint;
use super::queue::RateLimitedTimedQueue;
use crate::client::{Asked, TAINT_LATE_S};
use crate::controllers::node_lifecycle::prelude::*;

/// A node that has waited for its taint since so many seconds ago was tried before the start: its
/// zone's queue is looked at ten times a second.
const TRIED_FOR_S: i64 = 2;

pub(super) const SECOND_NS: i64 = 1_000_000_000;

/// Finds out what zones were like.
pub(super) struct PastZones<'a> {
    pub(super) core: &'a Core,
    pub(super) zones: &'a Zones,
}

impl PastZones<'_> {
    /// Whether a taint is one that follows conditions.
    pub(super) fn is_own(&self, taint: &Taint) -> bool {
        match taint.effect {
            Effect::NoExecute => {
                taint.matches(&self.core.templates.not_ready)
                    || taint.matches(&self.core.templates.unreachable)
            }
            Effect::NoSchedule => is_condition_taint(self.core.switches(), &taint.key),
            Effect::PreferNoSchedule => false,
        }
    }

    /// The zones' states and their limiters, as the last pass that ended has left them; `passes` are when those began
    /// that come after it, it, and those before it, the latest first.
    pub(super) fn recall_zones(
        &self,
        nodes: &[Rc<Node>],
        passes: &[i64],
        within: i64,
        asked: &Asked,
    ) {
        let counted = self.counted_before(nodes, passes[0], within);
        let rates = self.rates(&counted);
        let started = self.started(nodes, &rates, passes, within);
        let taken = self.last_tokens(nodes);
        let waits = self.waits_since(nodes);
        for (&zone, &conditions) in &counted {
            let state = self.zones.compute_zone_state(conditions);
            let rate = rates[&zone];
            let (taken, waits) = (taken.get(&zone).copied(), waits.get(&zone).copied());
            let tried = waits.filter(|since| *since <= -self.tried_within(*since, asked));
            let started = started.get(&zone).copied();
            let begins = started.map(|ns| ns.div_euclid(SECOND_NS));
            let tokens = last_token(taken.max(begins), tried, rate).map_or(1.0, |at| {
                let within = self.within_second(self.zones.zone_object(zone));
                let drawn = at.saturating_mul(SECOND_NS).saturating_add(within);
                let at = started.filter(|_| begins == Some(at)).unwrap_or(drawn);
                let tokens = at.saturating_neg().max(0) as f64 / 1e9 * f64::from(rate);
                // Where nodes wait no token is left standing: those since then went for nodes that
                // were tainted already.
                if waits.is_some() { tokens.fract() } else { tokens }
            });
            let queue = RateLimitedTimedQueue::recalled(&self.core.ctx, rate, tokens);
            self.zones.recall_zone(zone, state, queue);
        }
    }

    /// At which rate each zone's nodes are tainted.
    fn rates(&self, counted: &Counted) -> BTreeMap<TextId, f32> {
        let of = |z| self.zones.compute_zone_state(z);
        let all_full = counted.values().all(|z| of(*z) == ZoneState::FullDisruption);
        let rate = |z: ZoneConditions| match self.zones.rate_of(of(z), z.size()) {
            _ if all_full => 0.0,
            rate => rate.unwrap_or(self.core.flags().node_eviction_rate),
        };
        counted.iter().map(|(zone, z)| (*zone, rate(*z))).collect()
    }

    /// When those zones got their rate, ns from the start, that had none before: a limiter that takes the
    /// place of one that never lets through begins without a token (`SwapLimiter`).
    fn started(
        &self,
        nodes: &[Rc<Node>],
        rates: &BTreeMap<TextId, f32>,
        passes: &[i64],
        within: i64,
    ) -> BTreeMap<TextId, i64> {
        let mut started = BTreeMap::new();
        let mut left: Vec<TextId> = rates.keys().copied().collect();
        for pass in passes.iter().skip(1) {
            if left.is_empty() {
                break;
            }
            let before = self.rates(&self.counted_before(nodes, *pass, within));
            left.retain(|zone| {
                let (was, is) = (before.get(zone).copied(), rates[zone]);
                if was == Some(0.0) && is > 0.0 {
                    started.insert(*zone, *pass);
                }
                was == Some(is)
            });
        }
        started
    }

    /// How many seconds ago a node has to have come into its zone's queue, in that second, for its
    /// taint to be there if it was found.
    fn tried_within(&self, since: i64, asked: &Asked) -> i64 {
        match self.core.client.limits() {
            Some(limits) if asked.drained(since, limits) => TRIED_FOR_S + TAINT_LATE_S,
            _ => TRIED_FOR_S,
        }
    }

    /// Since which second a node of each zone has waited for its NoExecute taint.
    fn waits_since(&self, nodes: &[Rc<Node>]) -> BTreeMap<TextId, i64> {
        let mut waits = BTreeMap::new();
        for node in nodes.iter().filter(|n| self.waits_for_taint(n)) {
            let since = node.ready().map_or(0, |c| c.last_transition_time.0);
            let first = waits.entry(self.zones.zone_of(node).0).or_insert(since);
            *first = since.min(*first);
        }
        waits
    }

    /// Whether a node lacks the NoExecute taint that its condition asks for.
    fn waits_for_taint(&self, node: &Node) -> bool {
        let status = node.ready().map_or(ConditionStatus::True, |c| c.status);
        self.core.templates.lacks(node, status)
    }

    /// When within its second something came that was before the run, in ns: a draw.
    pub(super) fn within_second(&self, about: Object) -> i64 {
        let ctx = &self.core.ctx;
        ctx.uniform(ctx.point("node-recalled"), about, 0, SECOND_NS as u64 - 1) as i64
    }

    /// The nodes of each zone by their conditions before a pass that began at `pass`, ns from the start;
    /// `within` is what of a second had passed when it wrote.
    fn counted_before(&self, nodes: &[Rc<Node>], pass: i64, within: i64) -> Counted {
        let mut counted = Counted::default();
        for node in nodes {
            let (zone, excluded) = self.zones.zone_of(node);
            let Some(ready) = node.ready().filter(|_| !excluded) else { continue };
            // Conditions without a time are as old as the run.
            let since = seconds(ready.last_transition_time);
            let changed = since < 0 && since.saturating_add(within) >= pass;
            let ready = (ready.status == ConditionStatus::True) != changed;
            counted.entry(zone).or_default().add(ZoneConditions::of_one(ready));
        }
        counted
    }

    /// The second in which each zone's last token was taken, as its nodes' taints tell.
    fn last_tokens(&self, nodes: &[Rc<Node>]) -> BTreeMap<TextId, i64> {
        let mut taken = BTreeMap::new();
        for node in nodes {
            let own =
                node.taints.iter().filter(|t| t.effect == Effect::NoExecute && self.is_own(t));
            if let Some(at) = own.filter_map(|t| Some(t.time_added?.0)).max() {
                let last = taken.entry(self.zones.zone_of(node).0).or_insert(at);
                *last = at.max(*last);
            }
        }
        taken
    }
}

/// The second in which a zone's last token was taken: when it last tainted a node, or when the first
/// of those that were tried came into its queue. That one found a token, if any was left, and it went
/// for nothing, as the taint is not there: the controller's cache did not know its condition yet.
fn last_token(tainted: Option<i64>, tried: Option<i64>, rate: f32) -> Option<i64> {
    let in_vain = tried.filter(|since| {
        let was_left = |at: i64| (since - at) as f64 * f64::from(rate) >= 1.0;
        tainted.is_none_or(was_left)
    });
    in_vain.or(tainted)
}
