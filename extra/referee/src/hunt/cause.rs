//! The cause of a violation: what two of them have in common that are one find, whatever the cluster, the
//! release and the times.

use std::collections::BTreeSet;
use taintsim::analysis::properties::Violation;
use taintsim::kernel::choice::Deviation;
use taintsim::lab::explore::{Change, Of};
use taintsim::trace::{Actor, Record, Trace};

/// Points at which a search leaves trouble to the choices. All others are the order of things, and how long they take.
const TROUBLE: [&str; 7] = [
    "request-fails",
    "request-conflicts",
    "request-late",
    "watch-held",
    "watch-broken",
    "list-old",
    "crash",
];

/// What may come between the beginning of a violation and the step at fault, and makes another one of it.
const TURNS: [&str; 7] = [
    "pod-tolerations",
    "pod-created",
    "pod-bound",
    "pod-gone",
    "node-created",
    "node-deleted",
    "controllers-stopped",
];
/// And what may where something was not done: then it is what was done instead.
const INSTEAD: [&str; 3] = ["timer-set", "timer-cancelled", "eviction-failed"];

/// What happened, without its names and times: the property, the step at fault and who took it, the other steps
/// that the violation depends on, and what came between to its pod and its node.
pub(super) fn core(violation: &Violation, trace: &Trace) -> String {
    let records = &violation.records;
    let fault = records.last().and_then(|id| trace.get(*id));
    let on: BTreeSet<String> = records
        .iter()
        .rev()
        .skip(1)
        .filter_map(|id| trace.get(*id))
        .map(|r| deed(trace, r))
        .collect();
    let about = |r: &Record| match (r.pod(), r.node()) {
        (Some(pod), _) => violation.pod == Some(pod),
        (_, Some(node)) => violation.node == Some(node),
        _ => true,
    };
    // Where nothing was done that should have been, there is no step at fault: then what came until it was certain.
    let is_done = fault.is_some_and(|r| r.at == violation.at);
    let (from, to) = match (records.first(), records.last()) {
        (Some(from), Some(to)) if is_done => (*from, *to),
        (Some(from), _) => (*from, u32::MAX),
        _ => (u32::MAX, 0),
    };
    let between: BTreeSet<String> = (0..)
        .zip(trace.iter())
        .skip_while(|(id, _)| *id <= from)
        .take_while(|(id, r)| *id < to && r.at <= violation.at)
        .filter(|(_, r)| about(r))
        .map(|(_, r)| step(trace, r))
        .filter(|step| {
            let what = step.split(' ').next().unwrap_or_default();
            TURNS.contains(&what) || !is_done && INSTEAD.contains(&what)
        })
        .collect();
    let list = |steps: BTreeSet<String>| steps.into_iter().collect::<Vec<_>>().join(", ");
    let mut text = format!("{}: ", violation.property.name());
    text += &fault.map_or_else(|| "nothing".to_owned(), |r| deed(trace, r));
    for (word, steps) in [(" on ", on), ("; between ", between)] {
        if !steps.is_empty() {
            text += word;
            text += &list(steps);
        }
    }
    text
}

/// A record, by what it says of any object, and by whom.
fn step(trace: &Trace, record: &Record) -> String {
    let fields = trace.fields(record);
    let mut words = vec![fields.what.to_owned()];
    words.extend([fields.kind, fields.status].into_iter().flatten().map(str::to_owned));
    words.push(format!("by {}", record.actor.as_str()));
    words.join(" ")
}

/// The same of what somebody did: a pod that is gone at once was deleted by whoever did it, as others are with a grace period.
fn deed(trace: &Trace, record: &Record) -> String {
    let step = step(trace, record);
    match step.strip_prefix("pod-gone by ") {
        Some(who) if record.actor != Actor::Kubelet => format!("pod-deleting by {who}"),
        _ => step,
    }
}

/// Whether a choice is trouble that a search left to it.
pub(super) fn is_trouble(deviation: &Deviation) -> bool {
    TROUBLE.contains(&&*deviation.point)
}

/// Kinds of what a violation takes: faults as a file writes them, and points at which trouble is left to the choices.
const KINDS: [(&str, &[&str]); 8] = [
    ("controllers restart", &["ControllerRestart", "crash"]),
    ("requests fail", &["TooManyRequests", "request-fails", "request-conflicts", "request-late"]),
    ("watches late", &["WatchStall", "WatchLag", "watch-held", "watch-broken", "list-old"]),
    ("API away", &["ApiOutage"]),
    (
        "nodes away",
        &["Partition", "Crash", "Reboot", "KubeletRestart", "Flap", "Shutdown", "SlowHeartbeats"],
    ),
    ("clock skew", &["ClockSkew"]),
    ("drain", &["Drain", "Maintain"]),
    ("node deleted", &["DeleteNode"]),
];

/// Faults in which controllers cannot do what they have to, or do not hear of it.
const HOLD_UP: [&str; 4] = ["ApiOutage(", "TooManyRequests(", "WatchStall(", "ControllerRestart("];
/// As long as that the bounds of most properties are.
const LONG: [&str; 3] = ["\"45s\"", "\"60s\"", "\"2m\""];
/// What is said of a violation that takes such a fault for so long.
pub(super) const HELD_UP: &str = "held up for most of a minute";

/// The kind of a fault or a point; none of what is no trouble.
fn kind(word: &str) -> Option<&'static str> {
    KINDS.iter().find(|(_, words)| words.contains(&word)).map(|(kind, _)| *kind)
}

/// The kinds of faults, as a file writes them, and of trouble that is left to choices.
pub(super) fn kinds<'a>(
    faults: impl Iterator<Item = &'a str>,
    tape: &'a [Deviation],
) -> BTreeSet<String> {
    let points = tape.iter().map(|d| &*d.point);
    faults.chain(points).filter_map(kind).map(str::to_owned).collect()
}

/// What a violation takes beside its cluster: faults in the timeline, and trouble.
pub(super) fn takes(changes: &[Change], tape: &[Deviation]) -> BTreeSet<String> {
    let faults = changes.iter().filter_map(|change| match &change.of {
        Of::Fault(text) => Some(text.as_str()),
        Of::Entry(_) => None,
    });
    let words = faults.clone().filter_map(|text| text.split('(').next());
    let mut takes = kinds(words, tape);
    let is_long = |text: &str| {
        HOLD_UP.iter().any(|fault| text.starts_with(fault))
            && LONG.iter().any(|time| text.contains(time))
    };
    if faults.clone().any(is_long) {
        takes.insert(HELD_UP.to_owned());
    }
    takes
}
