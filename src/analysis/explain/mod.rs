//! Why something happened to an object, or did not: the chain of causes with the rule behind each
//! step, and what would have changed it.
//!
//! An explanation is made from the records alone. Steps that no record is about, such as the last
//! heartbeat, come from the notes that controllers leave when they decide. What would have changed
//! the outcome is only said where it follows from the records by arithmetic;
//! `tests/it/cli/explain.rs` runs scenarios again with the change and looks.
//!
//! Trouble of the control plane while something came about, of the API server, of watches and of requests,
//! is among the steps, though none of a chain of causes is about it: each that had to wait came later by it.
//!
//! Left out: what another order of events, another seed or another cluster would have done.

mod drain;
mod explanation;
mod node;
mod object;
mod pending;
mod pod;
mod prelude;
mod rules;
mod workload;
mod zone;

use prelude::*;

pub use explanation::{Explanation, Question, Remedy, Step};
pub(crate) use node::Stories;
pub(crate) use object::names;
pub use object::{Object, ObjectError, find};
pub(super) use pending::is_of_filter;

/// Explains what became of several nodes, whose stories were told.
pub(crate) fn explain_nodes(
    question: Question<'_>,
    nodes: &[NodeId],
    stories: &Stories,
) -> Vec<Explanation> {
    with_troubles(question, node::explain_all(question, nodes, stories))
}

/// Explains what became of several pods, which takes a few walks through the trace in all, and one
/// more for the stories of their nodes unless they are among those that were told.
pub(crate) fn explain_pods(
    question: Question<'_>,
    pods: &[PodId],
    stories: &Stories,
) -> Vec<Explanation> {
    with_troubles(question, pod::explain_all(question, pods, stories))
}

/// Explains what became of every zone, in one walk through the trace.
pub(crate) fn explain_zones(question: Question<'_>) -> Vec<Explanation> {
    let zones = 0..question.analysis.zones.len() as u16;
    with_troubles(question, zone::explain_all(question, zones))
}

/// Explains what became of several workloads, which takes a few walks through the trace in all.
pub(crate) fn explain_workloads(
    question: Question<'_>,
    workloads: &[WorkloadId],
) -> Vec<Explanation> {
    with_troubles(question, workload::explain_all(question, workloads))
}

/// Explains what became of an object.
pub fn explain(question: Question<'_>, object: &Object) -> Explanation {
    let found = match *object {
        Object::Pod(pod) => pod::explain_all(question, &[pod], &Stories::default()),
        Object::Node(node) => {
            node::explain_all(question, &[node], &Stories::new(question, &[node]))
        }
        Object::Workload(workload) => workload::explain_all(question, &[workload]),
        Object::Zone(zone) => zone::explain_all(question, zone..zone + 1),
    };
    let mut explanation = with_troubles(question, found).pop().unwrap_or_default();
    if has_volumes(question, object) {
        explanation.notes.push(
            "Not simulated: volumes. A new pod may have to wait for the one it needs, and then starts later than here".to_owned(),
        );
    }
    explanation
}

/// Whether it is a pod, or a workload of pods, with a volume that outlives the pod.
fn has_volumes(question: Question<'_>, object: &Object) -> bool {
    let analysis = question.analysis;
    let with_volumes = analysis.plan.with_volumes();
    if with_volumes.is_empty() {
        return false;
    }
    let names = &analysis.trace.names;
    let owners = Owners::new(analysis);
    let workload = match object {
        Object::Pod(pod) if with_volumes.contains(names.pod_name(*pod)) => return true,
        Object::Pod(pod) => owners.of(analysis, *pod),
        Object::Workload(workload) => owners.root_of(*workload),
        Object::Node(_) | Object::Zone(_) => None,
    };
    workload.is_some_and(|w| with_volumes.contains(names.workload_name(w)))
}

/// Each with what troubled the control plane meanwhile, for which it takes a walk through the trace for
/// each such entry of the timeline.
fn with_troubles(question: Question<'_>, mut all: Vec<Explanation>) -> Vec<Explanation> {
    let troubling = question.analysis.plan.actions.iter().filter(|a| troubles(&a.act));
    let entries: BTreeSet<u32> = troubling.map(|a| a.entry).collect();
    let troubles: Vec<_> = entries.into_iter().map(|entry| trouble(question, entry)).collect();
    all.iter_mut().for_each(|explanation| add(explanation, &troubles));
    all
}

/// The steps of an entry of the timeline, and when it ends.
fn trouble(question: Question<'_>, entry: u32) -> (Vec<Step>, Time) {
    let (plan, trace) = (question.analysis.plan, question.analysis.trace);
    let mut acts = plan.actions.iter().filter(|a| a.entry == entry);
    let rejects = acts.any(|a| matches!(a.act, Do::RejectRequests(..)));
    let again = "a request that is rejected (429) is sent again a second later, nine or ten times";
    let of_entry =
        |r: &Record| r.object == entry && matches!(r.what, What::FaultBegan | What::FaultEnded);
    let told = (0..).zip(trace.iter()).filter(|(_, r)| of_entry(r) && r.at <= question.until);
    let step = |(id, r): (RecordId, &Record)| {
        let rule = (rejects && r.what == What::FaultBegan).then(|| again.to_owned());
        question.step((id, r), rule)
    };
    let steps: Vec<Step> = told.map(step).collect();
    let ends = plan.timeline.get(entry as usize).and_then(|e| e.ends);
    let ends = ends.or_else(|| steps.last().map(|s| s.at)).unwrap_or_default();
    (steps, ends)
}

/// Puts among the steps of an explanation those of trouble that was amiss between the first and the
/// last of them.
fn add(explanation: &mut Explanation, troubles: &[(Vec<Step>, Time)]) {
    let steps = &mut explanation.steps;
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return };
    let (first, last) = (first.at, last.at);
    let amiss = troubles.iter().filter(|(_, ends)| *ends >= first);
    for new in amiss.flat_map(|(new, _)| new).filter(|s| s.at <= last) {
        if steps.iter().all(|s| s.record != new.record) {
            let place = steps.iter().position(|s| s.at > new.at);
            steps.insert(place.unwrap_or(steps.len()), new.clone());
        }
    }
}

/// Whether others wait for the API server, for watches or for replies by it.
fn troubles(act: &Do) -> bool {
    match act {
        Do::ApiDown
        | Do::ServersDie(..)
        | Do::StallWatches(..)
        | Do::ExpireWatches(_)
        | Do::LoseWatches(_)
        | Do::RejectRequests(..) => true,
        Do::WatchLag(_, lag) => *lag > Dur::ZERO,
        _ => false,
    }
}
