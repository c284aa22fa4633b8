//! Who explains which object.
//!
//! Trouble of the control plane while something came about: of the API server, of watches and of
//! requests. No step of a chain of causes is about it, and each step that had to wait came later by it.

use super::node::Stories;
use super::object::Object;
use super::prelude::*;
use super::{node, pod, workload, zone};

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

/// Each with what troubled the control plane meanwhile.
fn with_troubles(question: Question<'_>, mut all: Vec<Explanation>) -> Vec<Explanation> {
    let troubles = Troubles::of(question);
    for explanation in &mut all {
        troubles.add(explanation);
    }
    all
}

/// The entries of a run's timeline that trouble the control plane, in their order.
struct Troubles(Vec<Trouble>);

struct Trouble {
    steps: Vec<Step>,
    ends: Time,
}

impl Troubles {
    /// Those of a run, which takes a walk through its trace where there are any.
    fn of(question: Question<'_>) -> Self {
        let (plan, trace) = (question.analysis.plan, question.analysis.trace);
        let troubling: BTreeSet<u32> =
            (plan.actions.iter()).filter(|a| troubles(&a.act)).map(|a| a.entry).collect();
        let mut entries = Vec::new();
        for entry in troubling {
            let rejects = (plan.actions.iter())
                .any(|a| a.entry == entry && matches!(a.act, Do::RejectRequests(..)));
            let rule = || {
                "a request that is rejected (429) is sent again a second later, nine or ten times"
                    .to_owned()
            };
            let of_entry = |r: &Record| {
                r.object == entry && matches!(r.what, What::FaultBegan | What::FaultEnded)
            };
            let steps: Vec<Step> = (0..)
                .zip(trace.iter())
                .filter(|(_, r)| of_entry(r) && r.at <= question.until)
                .map(|(id, r)| {
                    let rule = (rejects && r.what == What::FaultBegan).then(rule);
                    question.step((id, r), rule)
                })
                .collect();
            let ends = plan.timeline.get(entry as usize).and_then(|e| e.ends);
            let ends = ends.or_else(|| steps.last().map(|s| s.at)).unwrap_or_default();
            entries.push(Trouble { steps, ends });
        }
        Self(entries)
    }

    /// Puts among the steps of an explanation what was amiss between the first and the last of them.
    fn add(&self, explanation: &mut Explanation) {
        let (Some(first), Some(last)) = (explanation.steps.first(), explanation.steps.last())
        else {
            return;
        };
        let (first, last) = (first.at, last.at);
        let steps = &mut explanation.steps;
        for trouble in self.0.iter().filter(|t| t.ends >= first) {
            for new in trouble.steps.iter().filter(|s| s.at <= last) {
                if steps.iter().any(|s| s.record == new.record) {
                    continue;
                }
                let place = steps.iter().position(|s| s.at > new.at);
                steps.insert(place.unwrap_or(steps.len()), new.clone());
            }
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
