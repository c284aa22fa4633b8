//! Who explains which object.

use super::super::owners::Owners;
use super::control_plane::Troubles;
use super::explanation::{Explanation, Question};
use super::node::Stories;
use super::object::Object;
use super::{node, pod, workload, zone};
use crate::api::names::{NodeId, PodId, WorkloadId};

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
    with_troubles(question, zone::explain_all(question))
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
    let mut explanation = match object {
        Object::Pod(pod) => pod::explain(question, *pod),
        Object::Node(node) => node::explain(question, *node),
        Object::Workload(workload) => workload::explain(question, *workload),
        Object::Zone(zone) => zone::explain(question, *zone),
    };
    Troubles::of(question).add(&mut explanation);
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
