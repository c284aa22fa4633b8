//! Properties: what must never happen, named, and found in a trace.
//!
//! A property is a function of the trace (and of the plan that it refers to) and of nothing else;
//! [`check`] walks through the records once. What the API's words leave open is read in the
//! controllers' favour: a violation is one under every reading. Bounds stand behind a name in
//! brackets, `pod-stuck(10s)`, and have defaults.
//!
//! Left out: [`Property::Deterministic`] is about two runs, which only those who run them can
//! compare, and [`Property::Expect`] about what a scenario expects
//! ([`expect::violations`](super::expect::violations)); [`check`] finds nothing there.

mod bound;
mod budgets;
mod evictions;
mod false_unknown;
mod never_tainted;
mod overdue;
mod placed;
mod prelude;
mod readiness;
mod replaced;
mod taints;
#[cfg(test)]
mod tests;
mod violation;
mod walk;

use super::explain::Object;
use super::names::stem;
use super::prelude::*;
use violation::Found;

pub use crate::language::{Property, PropertyError};
pub use violation::Violation;

/// The places in a run where a property does not hold, in order of time.
pub fn check(property: &Property, analysis: &Analysis<'_>) -> Vec<Violation> {
    decided(property, analysis).0
}

/// The same, and whether more may be undecided: the run ended before a bound was over within which something had to happen
/// that had not.
pub(crate) fn decided(property: &Property, analysis: &Analysis<'_>) -> (Vec<Violation>, bool) {
    let mut found = Found { property: *property, all: Vec::new(), is_open: false };
    let of = &mut found;
    match *property {
        Property::PodStuck(within) => overdue::pod_stuck(analysis, of, within),
        Property::NeedlessEviction => evictions::needless_eviction(analysis, of),
        Property::WrongPod => evictions::wrong_pod(analysis, of),
        Property::TimerReset => evictions::timer_reset(analysis, of),
        Property::TaintLost => taints::taint_lost(analysis, of),
        Property::TaintStale(within) => {
            taints::taint_stale(analysis, of, within);
            readiness::taint_stale(analysis, of, within);
        }
        Property::NeverReady(within) => overdue::never_ready(analysis, of, within),
        Property::NeverTainted(within) => never_tainted::check(analysis, of, within),
        Property::EvictLoop(more_than) => evictions::evict_loop(analysis, of, more_than),
        Property::FalseUnknown(silent) => false_unknown::check(analysis, of, silent),
        Property::StaleReady(within) => overdue::stale_ready(analysis, of, within),
        Property::RunsTwice => placed::runs_twice(analysis, of),
        Property::BudgetOverdrawn(within) => budgets::overdrawn(analysis, of, within),
        Property::BoundToCordoned(within) => placed::bound_to_cordoned(analysis, of, within),
        Property::JobStalled(within) => replaced::lacking(analysis, of, within, true),
        Property::NotReplaced(within) => replaced::lacking(analysis, of, within, false),
        Property::TimerStale(within) => overdue::timer_stale(analysis, of, within),
        Property::Deterministic | Property::Expect => {}
    }
    let Found { mut all, is_open, .. } = found;
    all.sort_by_key(|v| (v.at, v.node, v.pod));
    (all, is_open)
}

/// What a violation is about, as it was right before.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Harm {
    /// Whose: the workload of the pod, or where it has none its name without a number, and the node of a loop; or the
    /// node where it is about no pod.
    whose: String,
    /// It is about a pod.
    pod: bool,
    /// The pod was bound to a node, or the violation is about a node alone.
    node: bool,
    /// It deletes a pod that was Running, or about to be: it was on a node that was Ready and in touch.
    lives: bool,
    /// It deletes a pod that was Ready.
    ready: bool,
    /// Of an expectation that is not met, whether what came is less or more than that.
    way: Option<Ordering>,
    /// Whether a record decided that, or, where there is none, what it is about was in trouble.
    came: (bool, bool),
}

impl Harm {
    /// That of a violation.
    pub fn of(violation: &Violation, analysis: &Analysis<'_>) -> Self {
        if let Some((way, about)) = violation.missed {
            let is_by_record = !violation.records.is_empty();
            let came = (is_by_record, !is_by_record && was_in_trouble(about, analysis));
            return Self { way: Some(way), came, ..Self::default() };
        }
        let mut follow = Follow::new(analysis);
        let last = violation.records.last().copied();
        let is_before = |(id, r): &Told<'_>| Some(*id) != last && r.at <= violation.at;
        for (id, r) in (0..).zip(analysis.trace.iter()).take_while(is_before) {
            follow.apply(id, r);
        }
        let Some((id, pod)) = violation.pod.map(|p| (p, follow.pod(p))) else {
            let node = violation.node.map(|n| analysis.node_name(n));
            let whose = node.unwrap_or_default().to_owned();
            return Self { whose, node: node.is_some(), ..Self::default() };
        };
        let back = pod.node_id().is_some_and(|n| follow.node(n).is_back());
        let deletes =
            [Property::NeedlessEviction, Property::WrongPod].contains(&violation.property);
        let mut whose = whose(id, analysis).to_owned();
        // One loop is that of one node.
        if let (Property::EvictLoop(_), Some(node)) = (violation.property, pod.node_id()) {
            whose = format!("{whose} on {}", analysis.node_name(node));
        }
        Self {
            whose,
            pod: true,
            node: pod.node_id().is_some(),
            lives: deletes && (pod.phase == PodPhase::Running || back),
            ready: deletes && pod.ready,
            ..Self::default()
        }
    }

    /// Whether it is as bad as another, and the same one's.
    pub fn is_as_bad(&self, other: &Self) -> bool {
        (&self.whose, self.pod) == (&other.whose, other.pod)
            && self.node >= other.node
            && self.lives >= other.lives
            && self.ready >= other.ready
            && (self.way == other.way && self.came >= other.came)
    }
}

/// Whether a node, or that of a pod, was not well at some time of the run, or had a NoExecute taint.
fn was_in_trouble(about: Option<Object>, analysis: &Analysis<'_>) -> bool {
    let mut follow = Follow::new(analysis);
    while follow.step().is_some() {
        let node = match about {
            Some(Object::Pod(pod)) => follow.pod(pod).node_id(),
            Some(Object::Node(node)) => Some(node),
            _ => return false,
        };
        let flags = node.map(|node| follow.node(node));
        if flags.is_some_and(|f| f.no_execute > 0 || f.exists && !f.is_back()) {
            return true;
        }
    }
    false
}

/// The workload of a pod, or the pod's name without its number: one of several may be called otherwise where there are
/// fewer.
fn whose<'a>(pod: PodId, analysis: &'a Analysis<'_>) -> &'a str {
    if let Some(workload) = Owners::new(analysis).of(analysis, pod) {
        return analysis.trace.names.workload_name(workload);
    }
    stem(analysis.pod_name(pod))
}
