//! `never-tainted`: a node is dead for long and has no NoExecute taint.
//!
//! Nodes of a zone are tainted one after another at a rate, so the time runs anew with each that
//! is, and only from when its limiter has its next token (`RateLimitedTimedQueue.Try`). One that takes the place of another
//! after a disruption may begin without a token (`SwapLimiter`). The time does not run in a zone that is partly
//! disrupted, nor in master disruption, nor where tainting is switched off by flags or belongs to a release of its
//! own.

use super::prelude::*;

/// A zone whose nodes are tainted at a rate.
#[derive(Clone, Copy)]
struct Zone {
    /// When the limiter has a token again, at the latest, after a node was tainted or tainting began anew.
    token_at: Time,
    partial: bool,
}

struct Search<'a> {
    walk: Walk<'a>,
    bound: Bound<'a>,
    /// From one token to the next.
    interval: Dur,
    zones: Vec<Zone>,
    master_disruption: bool,
    /// Nodes that are dead and without the taint: since when, by which record.
    waiting: BTreeMap<NodeId, (Time, RecordId)>,
    found: &'a mut Found,
}

pub(super) fn check<'a>(analysis: &'a Analysis<'a>, found: &'a mut Found, within: Dur) {
    let flags = &analysis.plan.flags;
    if analysis.plan.evicts_by_timeout() || flags.node_eviction_rate <= 0.0 {
        return;
    }
    let interval = Dur::from_nanos((f64::from(1.0 / flags.node_eviction_rate) * 1e9) as u64);
    // What went before the start of an imported cluster may have left its limiters without a token.
    let token_at = match analysis.plan.memory {
        Some(_) => Time::ZERO.saturating_add(interval),
        None => Time::ZERO,
    };
    let zones = vec![Zone { token_at, partial: false }; analysis.zones.len().max(1)];
    let (walk, waiting) = (Walk::new(analysis), BTreeMap::new());
    let bound = Bound::new(analysis, within);
    let mut search =
        Search { walk, bound, interval, zones, master_disruption: false, waiting, found };
    for node in 0..analysis.node_count() as u32 {
        search.look(NodeId(node), Time::ZERO, NO_RECORD);
    }
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        search.record(id, r);
    }
    search.end(analysis.horizon());
}

impl<'a> Search<'a> {
    fn record(&mut self, id: RecordId, r: &Record) {
        // When a limiter that has no token now has the next.
        let next = r.at.saturating_add(self.interval);
        if let Some(node) = r.node() {
            let (before, zone) = (self.is_tainted(node), self.zone_of(node));
            self.walk.apply(id, r);
            if self.is_tainted(node) && !before {
                self.overdue(Some(zone), r.at, false);
                self.zones[zone].token_at = next;
            }
            return self.look(node, r.at, id);
        }
        self.walk.apply(id, r);
        match r.what {
            What::Zone(state) => {
                let analysis = self.walk.analysis;
                let Some(zone) = analysis.find_zone(&analysis.zone_told(r)) else { return };
                let zone = usize::from(zone);
                let partial = state == ZoneState::PartialDisruption;
                if partial != self.zones[zone].partial {
                    self.overdue(Some(zone), r.at, false);
                    self.zones[zone] = Zone { token_at: next, partial };
                }
            }
            What::MasterDisruptionEntered
            | What::MasterDisruptionLeft
            | What::ControllersStopped
            | What::ControllersStarted => {
                self.overdue(None, r.at, false);
                self.master_disruption = r.what == What::MasterDisruptionEntered;
                // A new process has new limiters, which are full.
                let is_new = matches!(r.what, What::ControllersStopped | What::ControllersStarted);
                let token_at = if is_new { r.at } else { next };
                self.zones.iter_mut().for_each(|z| z.token_at = token_at);
            }
            _ => {}
        }
    }

    fn is_tainted(&self, node: NodeId) -> bool {
        self.walk.follow.taints(node).iter().any(|h| h.is_for_failure())
    }

    fn zone_of(&self, node: NodeId) -> usize {
        usize::from(self.walk.analysis.zone_of[node.index()])
    }

    /// Something about a node has changed.
    fn look(&mut self, node: NodeId, at: Time, record: RecordId) {
        let flags = self.walk.follow.node(node);
        let dead = flags.exists
            && matches!(flags.ready, Some(ConditionStatus::False | ConditionStatus::Unknown));
        if dead && !self.is_tainted(node) {
            self.waiting.entry(node).or_insert((at, record));
        } else if let Some((since, record)) = self.waiting.remove(&node)
            && (since == Time::MAX || self.tell(node, since, record, at, false))
        {
            self.found.lasts((None, Some(node)), at);
        }
    }

    /// Reports the nodes of a zone, or of all, that have waited too long by now.
    fn overdue(&mut self, zone: Option<usize>, now: Time, end: bool) {
        // Where a zone's last turn was not long ago, nobody has waited too long.
        let due = |z: &Zone| self.bound.due(z.token_at);
        let early = |z: &Zone| due(z).is_none_or(|at| at > now || at == now && !end);
        if zone.map_or(self.zones.iter().all(early), |z| early(&self.zones[z])) {
            return;
        }
        let waiting: Vec<_> = self.waiting.iter().map(|(n, w)| (*n, *w)).collect();
        for (node, (since, record)) in waiting {
            if zone.is_none_or(|z| z == self.zone_of(node))
                && self.tell(node, since, record, now, end)
            {
                // It goes on waiting, but it has been reported.
                self.waiting.insert(node, (Time::MAX, record));
            }
        }
    }

    fn end(&mut self, horizon: Time) {
        self.overdue(None, horizon, true);
        let is_open = |(node, (since, _)): (&NodeId, &(Time, RecordId))| {
            let zone = &self.zones[self.zone_of(*node)];
            let due = self.bound.due((*since).max(zone.token_at));
            !zone.partial && !self.master_disruption && due.is_some_and(|at| at > horizon)
        };
        self.found.is_open = self.waiting.iter().any(is_open);
    }

    fn tell(&mut self, node: NodeId, since: Time, record: RecordId, now: Time, end: bool) -> bool {
        let zone = self.zones[self.zone_of(node)];
        let Some(at) = self.bound.due(since.max(zone.token_at)) else {
            return false;
        };
        if zone.partial || self.master_disruption || at > now || at == now && !end {
            return false;
        }
        let name = self.walk.analysis.node_name(node);
        let text = format!(
            "{name} has no NoExecute taint at {at:#} although it has been dead, and without one, since {since:#}"
        );
        self.found.add(at, (None, Some(node)), text, &[record]);
        self.found.lasts((None, Some(node)), Time::MAX);
        true
    }
}
