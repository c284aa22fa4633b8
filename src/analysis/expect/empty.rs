//! Why it says nothing that an expectation is met: it is so whatever happens, or there is nothing in the run that it is
//! about. One rule for each reason, whichever kind of expectation it is.

use super::super::properties::Property;
use super::claims;
use super::never::{never, preempts, without_pods};
use super::objects::{Hit, never_for};
use super::prelude::*;

/// Why it says nothing that there are none, or some.
const ANY_NUMBER: &str = "none or more of them is so whatever happens";

/// Why it says nothing that this was met; `hits` are the records of each of its parts.
pub(super) fn says_nothing(run: &Run<'_>, what: &Expected, hits: &[Vec<Hit>]) -> Option<String> {
    let fixed = |claim: &Claim, wanted: bool| {
        claims::fixed(run, claim).filter(|(is_so, _)| *is_so == wanted).map(|(_, why)| why)
    };
    let why = match what {
        Expected::Seen(sought) if sought.is_always_so() => Some(ANY_NUMBER.to_owned()),
        Expected::Seen(sought) if sought.count.least > 0 => None,
        Expected::Seen(sought) => never(run, sought),
        Expected::Order(_) => None,
        Expected::Whenever { parts, .. } => {
            let none = || {
                hits[0].is_empty().then(|| "nothing came that something had to follow".to_owned())
            };
            parts.iter().find_map(|part| never(run, part)).or_else(none)
        }
        Expected::Pending { count, .. } if count.is_any_number() => Some(ANY_NUMBER.to_owned()),
        Expected::Pending { count, .. } if count.least > 0 => None,
        Expected::Pending { pods, reason, .. } => {
            let of = || reason.as_deref().and_then(|reason| never_for(run, reason));
            without_pods(run, pods).or_else(of)
        }
        Expected::Figure { comparison, longest, .. } => {
            // What is limited in time, too, may be broken wherever it is not always nothing.
            let limit = if longest.is_some() { 0 } else { comparison.limit };
            fixed(&Claim::Compare(Comparison { limit, ..comparison.clone() }), true)
        }
        Expected::Throughout { claim, wanted, .. } => fixed(claim, *wanted),
        Expected::Eventually(claim, stretch) => claims::at_once(run, claim, *stretch),
        Expected::Until(that, until, from) => claims::over_at_once(run, until, *from)
            .or_else(|| claims::fixed(run, that).map(|(_, why)| why)),
        Expected::Property { wanted: true, .. } => None,
        Expected::Property { property, .. } => about_nothing(run.analysis.plan, property),
    };
    why.or_else(|| before_all(run, what))
}

/// Whether a figure is nothing before anything happens.
fn is_of_harm(run: &Run<'_>, c: &Comparison) -> bool {
    use Quantity as Q;
    let of_nodes = matches!(c.quantity, Q::NotReadyNodes(_) | Q::Timers(_) | Q::Evicted(_));
    of_nodes || matches!(c.quantity, Q::Terminating(_)) && !preempts(run.analysis.plan)
}

/// Whether figures are until then what they are where nothing happens.
fn is_idle(run: &Run<'_>, all: &[&Comparison], until: Time) -> bool {
    let is_asked = |c: &&Comparison| matches!(c.quantity, Quantity::Requests(_));
    all.iter().all(|c| is_of_harm(run, c))
        || !all.iter().any(is_asked) && is_still(run, until, true)
}

/// Whether this, which was met, is so wherever no node fails and nobody takes pods away by then. What goes by what is asked of
/// the API server is not, and what nodes and pods do by themselves only where they do nothing.
pub(super) fn is_met_idly(run: &Run<'_>, what: &Expected, until: Time) -> bool {
    let is_still = |of_pods| is_still(run, until, of_pods);
    match what {
        Expected::Seen(Sought { what, count, .. }) => {
            count.least == 0 && (comes_of_harm(what) || is_still(what.is_about_pods()))
        }
        Expected::Pending { count, .. } => count.least == 0 && is_still(true),
        Expected::Figure { comparison, .. } => is_idle(run, &[comparison], until),
        Expected::Throughout { claim, .. } => is_idle(run, &claims::comparisons(claim), until),
        Expected::Property { property, wanted: false, .. } => {
            takes_harm(property) || is_still(true)
        }
        _ => false,
    }
}

/// Whether a property is violated only where a node fails, or something is tainted or drained.
pub(crate) fn takes_harm(property: &Property) -> bool {
    use Property as P;
    !matches!(
        property,
        P::NeverReady(_)
            | P::NotReplaced(_)
            | P::JobStalled(_)
            | P::BoundToCordoned(_)
            | P::FalseUnknown(_)
            | P::WrongPod
            | P::RunsTwice
            | P::Deterministic
            | P::Expect
    )
}

/// Whether nothing is done in a run until then, and nothing happens to any node, or pod.
fn is_still(run: &Run<'_>, until: Time, of_pods: bool) -> bool {
    let mut follow = Follow::new(run.analysis);
    while let Some((_, _, step)) = follow.step_until(until) {
        let is_other = step.pod.is_some_and(|(_, was, is)| was != is);
        if step.changed_node().is_some() || of_pods && is_other {
            return false;
        }
    }
    run.analysis.plan.actions.iter().all(|a| a.at > until)
}

/// Whether there is no such record before anything happens.
fn comes_of_harm(what: &Kind) -> bool {
    match what {
        Kind::Evicted { .. } | Kind::TimerSet | Kind::TimerCancelled | Kind::EvictionFailed => true,
        Kind::Deleted { by: Some(by) } => EvictionCause::parse(by).is_some(),
        _ => false,
    }
}

/// That nothing that could take a pod from a node has happened by the time until which this, which was met, is looked at, and
/// that it is met where that is so.
fn before_all(run: &Run<'_>, what: &Expected) -> Option<String> {
    let plan = run.analysis.plan;
    let to = match what {
        Expected::Seen(sought) => sought.times.during.1,
        Expected::Pending { at, .. } => *at,
        Expected::Figure { during: (_, to), .. }
        | Expected::Throughout { stretch: (_, to), .. }
        | Expected::Property { stretch: (_, to), .. } => *to,
        _ => return None,
    };
    // Of a node that is tainted from the start pods may be evicted before anything else happens.
    let is_calm = |n: &NodePlan| {
        matches!(n.start, NodeStart::Ready | NodeStart::Absent)
            && n.taints.iter().all(|t| t.effect != Effect::NoExecute)
    };
    let is_short = plan.states_usage() || plan.collects_images();
    let is_ruled = !plan.device_taint_rules.is_empty() || !plan.readiness.rules.is_empty();
    if is_short || is_ruled || !plan.nodes.iter().all(is_calm) {
        return None;
    }
    // What comes as the stretch ends has no time to do anything in it.
    let is_late = |harm: &Since| harm.at >= to.whole_millis().min(run.analysis.horizon());
    let harm = run.analysis.first_harm(Time::ZERO, Time::MAX).filter(is_late)?;
    if !is_met_idly(run, what, to) {
        return None;
    }
    let (name, to, at) = (run.analysis.entry_name(harm.entry)?, time(to), time(harm.at));
    Some(format!("it is looked at until {to} only, and the first that happens is {name}, at {at}"))
}

/// Why it says nothing that a property is never violated: there is nothing that it is about.
pub(crate) fn about_nothing(plan: &Plan, property: &Property) -> Option<String> {
    let has_none = |kind| plan.workloads.iter().all(|w| w.kind != kind);
    let why = match property {
        Property::BudgetOverdrawn(_) if plan.budgets.is_empty() => "there is no disruption budget",
        Property::JobStalled(_) if has_none(WorkloadKind::Job) => "there is no Job",
        Property::RunsTwice if has_none(WorkloadKind::StatefulSet) => "there is no StatefulSet",
        Property::NeverReady(_) if plan.templates.iter().all(|t| t.probed().is_none()) => {
            "containers of each pod may have it be not ready by themselves"
        }
        _ => return None,
    };
    Some(why.to_owned())
}
