//! When the passes of a controller that has been running for long came, and when the next one does, as
//! far as an export tells.
//!
//! One pass begins a period after the end of the one before. A real control plane of 24 nodes shows
//! how long passes over nodes that are well take: its events tell three of them, six and sixteen
//! passes apart, to the microsecond. Since when its leader holds office tells nothing of it: its
//! controllers take between one second and nearly five to start.

use crate::client::{Asked, Recalled, unknown_since};
use crate::controllers::node_lifecycle::prelude::*;

/// Within a pass something is written at least this often, in seconds; between two passes nothing
/// is for a whole period, which is longer.
const PAUSE_IN_PASS_S: i64 = 3;
/// A node that is silent for so many periods longer than its grace is given up.
const REACH_PERIODS: u64 = 4;
/// No more passes than this are reckoned back, however short their period is.
const PASSES_MAX: usize = 10_000;
/// What a pass over nodes that are well takes is between this part of the overhead that runs have and,
/// with so many nodes, twice of it. A real cluster of 12 to 24 nodes took 1.0 to 1.25 ms.
const OVERHEAD_APART: i64 = 5;
const OVERHEAD_DOUBLES_AT: i64 = 250;
/// What one request takes behind a limiter that has nothing left: 20 a second.
const HELD_UP_BY_REQUEST: Dur = Dur::from_millis(50);

pub(super) const SECOND: Dur = Dur::from_secs(1);

/// The last pass of which there are traces.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastPass {
    /// The second in which it first wrote something, and the last.
    pub(super) first: i64,
    pub(super) last: i64,
    /// It is under way.
    pub(super) goes_on: bool,
}

/// Finds out when passes were.
pub(super) struct PastPasses<'a> {
    pub(super) core: &'a Core,
    pub(super) point: PointId,
}

impl PastPasses<'_> {
    /// The last pass that wrote something. It goes on if it wrote until now and has something left
    /// to do: silent nodes that are long past their grace, or pods to mark.
    pub(super) fn last_pass(&self, nodes: &[Rc<Node>], asked: &Asked) -> Option<LastPass> {
        let (first, last) = asked.last_stretch(PAUSE_IN_PASS_S)?;
        let late = self.core.flags().node_monitor_grace_period + self.core.pass_period() * 2;
        let overdue = |node: &Rc<Node>| {
            let lease = self.core.informers.lease(node.id);
            let age = lease.map_or(0, |l| self.core.now_ns() / 1_000 - l.0);
            unknown_since(node).is_none() && age > (late.as_nanos() / 1_000) as i64
        };
        Some(LastPass {
            first,
            last,
            goes_on: last + PAUSE_IN_PASS_S >= 0
                && nodes.iter().any(|n| overdue(n) || self.has_unmarked(n)),
        })
    }

    /// Whether a node is Unknown, and a pod on it is not marked NotReady yet.
    pub(super) fn has_unmarked(&self, node: &Node) -> bool {
        let is_ready = |p: &Rc<Pod>| p.ready.is_some_and(|c| c.status == ConditionStatus::True);
        unknown_since(node).is_some() && self.core.informers.pods_on(node.id).iter().any(is_ready)
    }

    /// A draw of when the next pass comes, within what is known of it: a silent node that has not been
    /// given up yet will be before it is overdue. The first pass after its last renewal heard of it,
    /// which was within a period; the first pass of more than its grace after that gives it up.
    fn before_overdue(&self, drawn: Dur) -> Dur {
        let period = (self.core.pass_period().as_nanos() as i64).max(1);
        let spared = self.core.flags().node_monitor_grace_period.as_nanos() as i64 / period;
        let until = |heard_ns: i64| {
            let until = heard_ns.saturating_add(period.saturating_mul(spared + 2));
            until.saturating_sub(self.core.now_ns())
        };
        let nodes = self.core.informers.nodes();
        let heard = nodes.iter().filter(|n| unknown_since(n).is_none());
        // Who is overdue for long is held up by something else.
        let soon = heard
            .filter_map(|n| Some(until(self.heard_at_the_latest(n)?)))
            .filter(|ns| *ns > -period);
        match soon.min().filter(|ns| *ns < period) {
            Some(ns) => {
                let scaled = i128::from(drawn.as_nanos()) * i128::from(ns.max(0));
                Dur::from_nanos((scaled / i128::from(period)) as u64)
            }
            None => drawn,
        }
    }

    /// From when on the first pass has heard of a node for the last time, at the latest: since its
    /// lease was renewed or, of a status that was posted after that, since the pass that saw it.
    fn heard_at_the_latest(&self, node: &Node) -> Option<i64> {
        let renewed = self.core.informers.lease(node.id)?.0.saturating_mul(1_000);
        let second = SECOND.as_nanos() as i64;
        let posted =
            node.ready().map(|c| c.last_heartbeat_time.0.saturating_add(1).saturating_mul(second));
        let later = posted.filter(|at| *at > renewed);
        let period = self.core.pass_period().as_nanos() as i64;
        Some(later.map_or(renewed, |at| at.saturating_add(period)))
    }

    /// When the last pass of which something is known ended, ns from the start: an event tells it to
    /// the moment, a condition to its second.
    pub(super) fn pass_ended(
        &self,
        recalled: Recalled,
        last: Option<LastPass>,
        within: i64,
    ) -> Option<i64> {
        let wrote = last.map(|pass| pass.last.saturating_mul(SECOND.as_nanos() as i64));
        let told = recalled.passed_ns;
        let later = wrote.filter(|wrote| told.is_none_or(|told| told < *wrote));
        later.map_or(told, |wrote| Some(wrote.saturating_add(within)))
    }

    /// How long it is to the next pass, `ended` being when one ended. The more passes have come since,
    /// the less is known: each took a little time, and one that gave up a node that is back took as
    /// long as that needed.
    pub(super) fn next_pass(&self, last: Option<LastPass>, ended: Option<i64>, drawn: Dur) -> Dur {
        let Some(ended) = ended else { return self.before_overdue(drawn) };
        if last.is_some_and(|pass| pass.goes_on) {
            return Dur::ZERO;
        }
        let since = self.core.now_ns().saturating_sub(ended).max(0);
        let monitor = (self.core.flags().node_monitor_period.as_nanos() as i64).max(1);
        let nodes = self.core.informers.nodes();
        let overhead = self.core.config.pass_overhead.as_nanos() as i64;
        let least = overhead / OVERHEAD_APART;
        let most = overhead
            .saturating_add(overhead.saturating_mul(nodes.len() as i64) / OVERHEAD_DOUBLES_AT);
        let period = monitor.saturating_add(least);
        let passes = since / period;
        let held_up = nodes.iter().map(|n| self.may_have_held_up(n, ended)).sum::<i64>();
        let unsure = passes.saturating_mul(most - least).saturating_add(held_up);
        if unsure >= period {
            return self.before_overdue(drawn);
        }
        let point = self.point;
        let late = self.core.ctx.uniform(point, Object::NONE, 0, unsure.max(0) as u64);
        let ended = ended.saturating_add(late as i64);
        let next = ended.saturating_sub(self.core.now_ns()).rem_euclid(period);
        Dur::from_nanos(next as u64)
    }

    /// How long a pass may have taken over a node that was given up after that time and is back: a
    /// request for it and one for each of its pods, behind the client's limiter.
    fn may_have_held_up(&self, node: &Node, ended: i64) -> i64 {
        let second = SECOND.as_nanos() as i64;
        let is_back = node.ready().is_some_and(|c| {
            c.status == ConditionStatus::True
                && c.last_transition_time.0.saturating_mul(second) > ended
        });
        if !is_back || node.creation_timestamp.0.saturating_mul(second) > ended {
            return 0;
        }
        (1 + self.core.informers.pods_on(node.id).len() as i64)
            * HELD_UP_BY_REQUEST.as_nanos() as i64
    }

    /// When passes began, ns from the start, the latest first: the next one, and those before it
    /// for as long as nodes may have been silent without being given up. One pass begins a period
    /// after the end of the one before, which some took long to reach.
    pub(super) fn passes_before(&self, asked: &Asked, within: i64, next: Dur) -> Vec<i64> {
        let period = (self.core.pass_period().as_nanos() as i64).max(1);
        let second = SECOND.as_nanos() as i64;
        let reach =
            self.core.flags().node_monitor_grace_period + self.core.pass_period() * REACH_PERIODS;
        let until = self.core.now_ns() - reach.as_nanos() as i64;
        let mut passes = vec![self.core.now_ns() + next.as_nanos() as i64];
        let back_to = |passes: &mut Vec<i64>, end: i64| {
            let mut begins = passes.last().copied().unwrap_or_default() - period;
            while begins >= end + period / 2 && passes.len() < PASSES_MAX {
                passes.push(begins);
                begins -= period;
            }
        };
        for (first, last) in asked.stretches(PAUSE_IN_PASS_S).into_iter().rev() {
            if last * second < until {
                break;
            }
            back_to(&mut passes, last * second + within);
            passes.push((first * second + within).min(passes.last().copied().unwrap_or(0)));
        }
        back_to(&mut passes, until);
        passes
    }
}
