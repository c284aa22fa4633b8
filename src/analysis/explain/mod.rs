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
mod not_ready;
mod noted;
mod object;
mod pending;
mod pod;
mod prelude;
mod rules;
mod workload;
mod zone;

use prelude::*;

pub use explanation::{Explanation, Question, Remedy, Step};
pub(crate) use node::{Stories, explain_nodes};
pub(crate) use object::names;
pub use object::{Object, find};
pub(super) use pending::{gated, is_of_filter};
pub(crate) use pod::explain_pods;
pub(crate) use workload::explain_workloads;
pub(crate) use zone::explain_zones;

/// Explains what became of an object.
pub fn explain(question: Question<'_>, object: &Object) -> Explanation {
    let found = match *object {
        Object::Pod(pod) => explain_pods(question, &[pod], &Stories::default()),
        Object::Node(node) => explain_nodes(question, &[node], &Stories::new(question, &[node])),
        Object::Workload(workload) => explain_workloads(question, &[workload]),
        Object::Zone(zone) => explain_zones(question, zone..zone + 1),
    };
    let mut explanation = found.into_iter().next().unwrap_or_default();
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
