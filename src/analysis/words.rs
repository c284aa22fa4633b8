//! Records and lists of names in words.

use super::clock::short;
use super::rows::{by, grouped};
use super::setting::{Analysis, short_key, zone_name};
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::names::{NodeId, TextId, WorkloadId};
use crate::api::taint::Taint;
use crate::kernel::Dur;
use crate::trace::{
    Actor, BudgetState, DrainEnd, DrainOutcome, Note, Record, Refusal, What, ZoneState,
};

/// What a record says, with its object: "b-03 tainted unreachable:NoExecute".
pub fn record(analysis: &Analysis<'_>, r: &Record) -> String {
    let trace = analysis.trace;
    let entry = || {
        analysis
            .plan
            .timeline
            .get(r.object as usize)
            .map_or("an entry of the timeline", |e| e.name.as_str())
    };
    let node = || analysis.node_name(NodeId(r.object));
    let pod = || r.pod().map_or("", |p| analysis.pod_name(p));
    let workload = || {
        r.workload().map_or_else(String::new, |w| {
            trace.names.workload_name(w).replacen('/', " ", 1)
        })
    };
    match r.what {
        What::NodeCreated => format!("{} exists", node()),
        What::NodeDeleted => format!("{} deleted", node()),
        What::NodeCondition(kind, status, _) => {
            format!("{}: {} is {}", node(), kind.as_str(), status.as_str())
        }
        What::NodeTaints(change) => {
            let list = |taints: &[Taint]| {
                taints
                    .iter()
                    .map(short_taint)
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let said = match trace.taints.get(change as usize) {
                Some(c) if c.removed.is_empty() => format!("tainted {}", list(&c.added)),
                Some(c) if c.added.is_empty() => format!("untainted {}", list(&c.removed)),
                Some(c) => format!("tainted {}, untainted {}", list(&c.added), list(&c.removed)),
                None => "taints changed".to_owned(),
            };
            format!("{} {said}", node())
        }
        What::NodeUnschedulable(value) => format!(
            "{} {}",
            node(),
            if value { "cordoned" } else { "uncordoned" }
        ),
        What::NodeSilent => format!(
            "{} falls silent: its kubelet no longer reaches the API server",
            node()
        ),
        What::NodeHeard => format!("{} is heard again", node()),
        What::MachineOff => format!(
            "the machine of {} stops, and its containers with it",
            node()
        ),
        What::MachineOn => format!("the machine of {} has booted", node()),
        What::NetworkLost => format!("clients no longer reach the pods of {}", node()),
        What::NetworkBack => format!("clients reach the pods of {} again", node()),
        What::ContainersStarted(n) => format!(
            "{}: its containers run on {}",
            pod(),
            analysis.node_name(NodeId(n))
        ),
        What::ContainersStopped(n) => format!(
            "{}: its containers on {} have ended",
            pod(),
            analysis.node_name(NodeId(n))
        ),
        What::NodeQueued => format!(
            "{} waits in its zone's queue for the NoExecute taint",
            node()
        ),
        What::PodCreated(on) => match What::created_on(on) {
            Some(n) => format!("{} created on {}", pod(), analysis.node_name(n)),
            None => format!("{} created", pod()),
        },
        What::PodBound(n) => format!("{} bound to {}", pod(), analysis.node_name(NodeId(n))),
        What::PodTolerations => format!("{}: its tolerations change", pod()),
        What::PodPhase(phase) => format!("{} is {}", pod(), phase.as_str()),
        What::PodCondition(kind, status, _) => {
            format!("{}: {} is {}", pod(), kind.as_str(), status.as_str())
        }
        What::PodDeleting(grace) => format!(
            "{} deleted by {}, with a grace period of {grace} s",
            pod(),
            by(r.actor)
        ),
        What::PodGone if matches!(r.actor, Actor::Kubelet) => format!("{} gone", pod()),
        What::PodGone => format!("{} gone, deleted by {}", pod(), by(r.actor)),
        What::NodeEvent(..)
        | What::PodEvent(..)
        | What::PodMessage(_)
        | What::WorkloadMessage(_) => {
            let f = trace.fields(r);
            let object = f.object.unwrap_or_default().replacen('/', " ", 1);
            format!(
                "event {} about {object}: {}",
                f.reason.unwrap_or(""),
                f.message.unwrap_or_default()
            )
        }
        What::WorkloadCreated(n) => format!("{} created, asks for {n} pods", workload()),
        What::WorkloadScaled(n) => format!("{} scaled to {n} pods", workload()),
        What::WorkloadDeleted => format!("{} deleted", workload()),
        // What does not last neither begins nor ends.
        What::FaultBegan
            if (r.object as usize) < analysis.plan.timeline.len()
                && !analysis.plan.lasts(r.object) =>
        {
            entry().to_owned()
        }
        What::FaultBegan => format!("{} begins", entry()),
        What::FaultEnded => format!("{} ends", entry()),
        What::Refused(text) => {
            format!("refused {}: {}", entry(), trace.names.text_of(TextId(text)))
        }
        What::Zone(state) => {
            let name = zone_name(trace.names.text_of(TextId(r.object)));
            let zone = if name.is_empty() {
                "nodes without a zone".to_owned()
            } else {
                format!("zone {name}")
            };
            format!(
                "{zone}: {}",
                if state == ZoneState::Empty {
                    "no state"
                } else {
                    state.as_str()
                }
            )
        }
        What::MasterDisruptionEntered => {
            "master disruption: every zone is fully disrupted, tainting stops".to_owned()
        }
        What::MasterDisruptionLeft => "master disruption is over: tainting resumes".to_owned(),
        What::TimerSet(0) => format!("{}: to be evicted at once", pod()),
        What::TimerSet(s) => format!("{}: eviction timer of {} s set", pod(), grouped(s.into())),
        What::TimerCancelled => format!("{}: eviction timer cancelled", pod()),
        What::PodUnplaced(_) => {
            let told = trace.fields(r).filters.into_iter().map(|t| match t.count {
                0 => format!("{}: {}", t.rejection.plugin, t.rejection.reason),
                n => format!(
                    "{} on {}: {}",
                    t.rejection.plugin,
                    nodes_told(n, &t.nodes),
                    t.rejection.reason
                ),
            });
            format!(
                "{} fits no node; {}",
                pod(),
                told.collect::<Vec<_>>().join("; ")
            )
        }
        What::EvictionFailed => format!("{} not evicted: five tries failed", pod()),
        What::EvictionGranted(state) => match trace.budgets.get(state as usize) {
            Some(b) => format!("the eviction of {} granted: {}", pod(), stand(analysis, b)),
            None => format!("the eviction of {} granted", pod()),
        },
        What::EvictionRefused(state) => match trace.budgets.get(state as usize) {
            Some(b) => format!(
                "the eviction of {} refused ({}): {}",
                pod(),
                b.refusal.as_str(),
                stand(analysis, b)
            ),
            None => format!("the eviction of {} refused", pod()),
        },
        What::DrainDeletes => format!("kubectl drain --disable-eviction deletes {}", pod()),
        What::DrainEnded(end) => trace
            .drains
            .get(end as usize)
            .map_or_else(String::new, |e| drain_ended(analysis, node(), e)),
        What::BudgetCreated(state) | What::BudgetChanged(state) => {
            let verb = if matches!(r.what, What::BudgetCreated(_)) {
                "created"
            } else {
                "changed"
            };
            trace
                .budgets
                .get(state as usize)
                .map_or_else(String::new, |b| {
                    format!(
                        "{} {verb}: {}",
                        budget_name(analysis, b.budget),
                        asks(b.rule)
                    )
                })
        }
        What::BudgetDeleted => format!("{} deleted", budget_name(analysis, WorkloadId(r.object))),
        What::CutShort(text) => format!("{} stops: {}", entry(), trace.names.text_of(TextId(text))),
        What::Noted(note, arg) => noted(analysis, r, note, arg),
        What::ControllersStarted => "controllers started".to_owned(),
        What::ControllersStopped => "controllers stopped; their timers are lost".to_owned(),
    }
}

/// A budget's name: `budget default/web`.
pub(super) fn budget_name(analysis: &Analysis<'_>, budget: WorkloadId) -> String {
    let full = analysis.trace.names.workload_name(budget);
    format!(
        "budget {}",
        full.split_once('/').map_or(full, |(_, name)| name)
    )
}

/// What a budget asks for: `minAvailable 80%`.
pub(super) fn asks(rule: BudgetRule) -> String {
    format!("{} {}", rule.field(), rule.amount())
}

/// Why a budget allows what it allows: `budget default/web (minAvailable 80%: 4 of 4, rounded up)
/// has 4 healthy pods and allows none to go`.
pub(super) fn stand(analysis: &Analysis<'_>, b: &BudgetState) -> String {
    let name = budget_name(analysis, b.budget);
    match b.refusal {
        Refusal::Several => {
            return "several disruption budgets select it, which the eviction API does not support"
                .to_owned();
        }
        Refusal::NotObserved => {
            return format!(
                "{name} ({}) has not been looked at since it changed",
                asks(b.rule)
            );
        }
        Refusal::NotKept => return format!("{name} has too many evictions that do not show yet"),
        Refusal::None | Refusal::NotAllowed => {}
    }
    if b.never_allows() {
        return format!("{name} {}, and so never allows one", needs(b));
    }
    let spent = if b.refusal == Refusal::NotAllowed && b.healthy > b.desired {
        ", and others are on their way out"
    } else {
        ""
    };
    format!(
        "{name} {}; {} of {} healthy{spent}",
        needs(b),
        b.healthy,
        b.expected
    )
}

/// How many healthy pods a budget needs, and how that follows: `needs 4 of 4 (minAvailable 80% =
/// 3.2, rounded up)`.
pub(super) fn needs(b: &BudgetState) -> String {
    let (rule, expected) = (asks(b.rule), b.expected);
    let how = match b.rule.amount() {
        IntOrPercent::Int(_) => String::new(),
        IntOrPercent::Percent(share) => {
            let hundredths = i64::from(share) * i64::from(expected);
            let rounded = if hundredths % 100 == 0 {
                ""
            } else {
                ", rounded up"
            };
            let exact = format!("{}.{:02}", hundredths / 100, hundredths % 100);
            format!(
                " = {}{rounded}",
                exact.trim_end_matches('0').trim_end_matches('.')
            )
        }
    };
    format!("needs {} of {expected} ({rule}{how})", b.desired)
}

/// How the drain of a node ended.
pub(super) fn drain_ended(analysis: &Analysis<'_>, node: &str, end: &DrainEnd) -> String {
    let pods = |n: usize| {
        if n == 1 {
            "1 pod".to_owned()
        } else {
            format!("{} pods", grouped(n as u64))
        }
    };
    let left = || {
        let names: Vec<&str> = end
            .left
            .iter()
            .take(LEFT)
            .map(|p| analysis.pod_name(*p))
            .collect();
        let more = if end.left.len() > LEFT { ", …" } else { "" };
        format!("{} left: {}{more}", pods(end.left.len()), names.join(", "))
    };
    match end.outcome {
        DrainOutcome::Drained => format!(
            "{node} drained, {} gone in {}",
            pods(end.gone as usize),
            short(whole(end.took))
        ),
        DrainOutcome::TimedOut => format!(
            "{node} not drained: timed out after {}, {}",
            short(whole(end.took)),
            left()
        ),
        DrainOutcome::Refused => {
            let words = analysis.trace.names.text_of(end.words);
            let reason = words
                .split_once("due to error: ")
                .map_or(words, |(_, why)| why);
            format!(
                "{node} not drained: {}",
                reason
                    .strip_suffix(", continuing command...")
                    .unwrap_or(reason)
            )
        }
    }
}

/// A span without what is below a second, as people time drains; short ones to the millisecond.
fn whole(took: Dur) -> Dur {
    if took < Dur::from_secs(10) {
        Dur::from_millis(took.as_millis())
    } else {
        Dur::from_secs(took.as_millis() / 1_000)
    }
}

/// Up to so many pods that a drain left behind are named.
const LEFT: usize = 4;

/// How many nodes, and the names of the first of them.
fn nodes_told(count: usize, names: &[String]) -> String {
    const MOST: usize = 3;
    let more = if names.len() > MOST { ", …" } else { "" };
    format!(
        "{count} ({}{more})",
        names[..names.len().min(MOST)].join(", ")
    )
}

fn noted(analysis: &Analysis<'_>, r: &Record, note: Note, arg: u32) -> String {
    let node = || analysis.node_name(NodeId(r.object));
    let pod = || r.pod().map_or("", |p| analysis.pod_name(p));
    let ms = || Dur::from_millis(arg.into());
    match note {
        Note::NodeExpired => format!("{} was not heard of for {}", node(), ms()),
        Note::LastHeartbeat => format!("{}: the last known heartbeat is {} old", node(), ms()),
        Note::ZoneQueue => format!(
            "zone {} gets its queue",
            zone_name(analysis.trace.names.text_of(TextId(r.object)))
        ),
        Note::TaintsKnown => {
            let taints = analysis
                .trace
                .taints
                .get(arg as usize)
                .map_or(&[][..], |c| &c.added);
            let taints: Vec<String> = taints.iter().map(short_taint).collect();
            format!(
                "{}: the taint eviction controller knows of {}",
                node(),
                taints.join(", ")
            )
        }
        Note::TaintsGone => format!(
            "{}: the taint eviction controller knows of no NoExecute taint any more",
            node()
        ),
        Note::NotTolerated => format!("{} does not tolerate all taints of its node", pod()),
        Note::ToleratesForever => format!("{} tolerates all taints of its node for ever", pod()),
        Note::WorkExists => format!("{}: an eviction was scheduled before", pod()),
    }
}

/// A taint without the prefix that all of Kubernetes' own keys share.
pub fn short_taint(taint: &Taint) -> String {
    Taint {
        key: short_key(&taint.key).to_owned(),
        ..taint.clone()
    }
    .to_string()
}

/// So many names are told one by one, or as ranges; of more only the first and last ones.
const PARTS: usize = 4;

/// Names as ranges: `a-1, b-00..b-08`. The names need not be sorted.
pub fn ranges(names: &[&str]) -> String {
    let mut all: Vec<(&str, Option<u64>, &str)> = names.iter().map(|n| numbered(n)).collect();
    all.sort();
    all.dedup();
    let mut parts: Vec<(&str, &str)> = Vec::new();
    let mut last: Option<(&str, Option<u64>)> = None;
    for (stem, number, full) in all {
        let follows =
            last.is_some_and(|(s, n)| s == stem && n.zip(number).is_some_and(|(a, b)| b == a + 1));
        match parts.last_mut() {
            Some(part) if follows => part.1 = full,
            _ => parts.push((full, full)),
        }
        last = Some((stem, number));
    }
    let said = |&(first, end): &(&str, &str)| {
        if first == end {
            first.to_owned()
        } else {
            format!("{first}..{end}")
        }
    };
    if parts.len() <= PARTS {
        return parts.iter().map(said).collect::<Vec<_>>().join(", ");
    }
    let end = parts.last().map(said).unwrap_or_default();
    format!(
        "{}, {}, … {end} ({} in all)",
        said(&parts[0]),
        said(&parts[1]),
        grouped(names.len() as u64)
    )
}

/// A name's text before its number at the end, and that number.
fn numbered(name: &str) -> (&str, Option<u64>, &str) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().ok(), name)
}

/// What pods of one group have in common where no workload says it: their name without the number
/// at its end.
pub fn stem(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((stem, number))
            if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) =>
        {
            stem
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_row_are_a_range() {
        for (names, said) in [
            (&["a"][..], "a"),
            (&["b-2", "b-0", "b-1"], "b-0..b-2"),
            (&["b-09", "b-10", "a-1"], "a-1, b-09..b-10"),
            (&["a-1", "a-3", "a-5"], "a-1, a-3, a-5"),
            (
                &["a-1", "a-3", "a-5", "a-7", "a-9"],
                "a-1, a-3, … a-9 (5 in all)",
            ),
            (&["x", "x"], "x"),
            (&[], ""),
        ] {
            assert_eq!(ranges(names), said);
        }
        assert_eq!(
            (stem("default/web-12"), stem("default/web"), stem("a-b")),
            ("default/web", "default/web", "a-b")
        );
    }
}
