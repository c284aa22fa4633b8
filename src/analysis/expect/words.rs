//! Times, counts and selections in the words of a failure's message.

pub(super) use super::super::clock::to_the_millisecond as span;
use crate::analysis::prelude::*;
use crate::scenario::expectations::{Count, Kind, Pods, Sought, Stretch, TaintSought};

/// A time from the start of the run, to the millisecond: `10m50.5s`.
pub(super) fn time(at: Time) -> String {
    span(Dur::from_nanos(at.as_nanos()))
}

/// `, 0.5s too late`; nothing where it comes by then.
pub(super) fn late(at: Time, by: Time) -> String {
    if at > by { format!(", {} too late", span(lasted((by, at)))) } else { String::new() }
}

/// `from 10m50.5s to 20m`
pub(super) fn stretch((from, to): Stretch) -> String {
    format!("from {} to {}", time(from), time(to))
}

/// What is looked for, in the plural: `evictions`.
fn noun(what: &Kind) -> String {
    let taint = |t: &TaintSought| {
        let value = t.value.as_ref().map(|v| format!("={v}")).unwrap_or_default();
        let effect = t.effect.map(|e| format!(":{e}")).unwrap_or_default();
        format!("{}{value}{effect}", t.key)
    };
    let changes = |kind: &str, to: &ConditionStatus| format!("changes to {kind} {}", to.as_str());
    match what {
        Kind::Evicted { by: None } => "evictions".to_owned(),
        Kind::Evicted { by: Some(by) } => format!("evictions by {}", by.as_str()),
        Kind::Deleted { by: None } => "deletions".to_owned(),
        Kind::Deleted { by: Some(by) } => format!("deletions by {by}"),
        Kind::Gone => "pods gone".to_owned(),
        Kind::Created => "creations".to_owned(),
        Kind::Bound => "bindings".to_owned(),
        Kind::Phase(phase) => format!("changes to phase {}", phase.as_str()),
        Kind::PodCondition(kind, status) => changes(kind.as_str(), status),
        Kind::TimerSet => "eviction timers".to_owned(),
        Kind::TimerCancelled => "cancelled eviction timers".to_owned(),
        Kind::EvictionFailed => "failed evictions".to_owned(),
        Kind::Tainted(t) => format!("taints {} added", taint(t)),
        Kind::Untainted(t) => format!("taints {} removed", taint(t)),
        Kind::Condition(kind, status) => changes(kind.as_str(), status),
        Kind::Unschedulable(true) => "cordons".to_owned(),
        Kind::Unschedulable(false) => "uncordons".to_owned(),
        Kind::Zone(state, zone) => {
            let zone = zone.as_ref().map_or("a zone".to_owned(), |z| format!("zone {z}"));
            format!("changes of {zone} to {}", state.as_str())
        }
        Kind::MasterDisruption { entered: true } => "beginnings of master disruption".to_owned(),
        Kind::MasterDisruption { entered: false } => "ends of master disruption".to_owned(),
        Kind::Event { reason, message, object } => {
            let about = object.as_ref().map(|o| format!(" about {o}")).unwrap_or_default();
            let with = message.as_ref().map(|m| format!(" with {m:?}")).unwrap_or_default();
            format!("events {reason}{about}{with}")
        }
    }
}

/// How many: `none`, `1 or more`, `2 to 5`.
pub(super) fn count(count: Count) -> String {
    match (count.least, count.most) {
        _ if count.each => "1 or more of each".to_owned(),
        (0, 0) => "none".to_owned(),
        (least, u64::MAX) => format!("{least} or more"),
        (0, most) => format!("at most {most}"),
        (least, most) if least == most => least.to_string(),
        (least, most) => format!("{least} to {most}"),
    }
}

/// What is looked for, without how many and when.
pub(super) fn subject(sought: &Sought, on: Option<&str>) -> String {
    let of = sought.pods.as_ref().map(of_pods).unwrap_or_default();
    let on = on.map(|on| format!(" on {on}")).unwrap_or_default();
    format!("{}{of}{on}", noun(&sought.what))
}

/// ` of default/web-*`: the pods that are meant; nothing where that is all of them.
pub(super) fn of_pods(pods: &Pods) -> String {
    if pods.written.is_empty() {
        return String::new();
    }
    format!(" of {}", pods.written.strip_prefix("pods of ").unwrap_or(&pods.written))
}

/// That after the first of some stretches there are others.
pub(super) fn further(stretches: &[Stretch]) -> String {
    match stretches.len() {
        0 | 1 => String::new(),
        2 => " and once more".to_owned(),
        n => format!(" and {} times more", n - 1),
    }
}
