//! Cases of upstream's own tests of controllers, as small scenarios in the recorder's form.
//!
//! What is expected is what upstream's test asserts, with times worked out by hand beside it.

mod cloud;
mod creation;
mod daemon_set;
mod disruption;
mod dropped_fields;
mod garbage_collector;
mod job;
mod own_writes;
mod pod_gc;
mod replica_set;
mod scheduling;
mod stateful_set;

use crate::plans;
use taintsim::api::meta::{ConditionStatus, OwnerReference, Timestamp};
use taintsim::api::pod::{Deletion, PodCondition, PodPhase, PodReason};
use taintsim::kernel::Choices;
use taintsim::plan::{Plan, PodStart};
use taintsim::sim::run;
use taintsim_referee::conformance::lines;
use taintsim_referee::recorded::{Line, parse};

/// The plan of a scenario with these fields under a release.
fn plan(release: &str, fields: &str) -> Plan {
    let text = format!(
        r#"{{"kubernetes": "{release}", "runs": 1, "distinct": 1, "outcomes": [{{"count": 1, "events": []}}],
            "scenario": {{"name": "case", {fields}}}}}"#
    );
    parse(text.as_bytes()).unwrap().remove(0).plan().unwrap_or_else(|e| panic!("{fields}: {e}"))
}

/// The plan of a scenario in the scenario language with these fields under a release, without
/// delays.
fn ron(release: &str, fields: &str) -> Plan {
    scenario_of(release, "Ideal", fields)
}

/// The plan of a scenario in the scenario language with these fields under a release and a timing.
fn scenario_of(release: &str, timing: &str, fields: &str) -> Plan {
    let text =
        format!("Scenario(version: 1, kubernetes: \"{release}\", timing: {timing}, {fields})");
    plans::plan(&text)
}

/// The pods that are there from the start belong to a workload.
fn owned(plan: &mut Plan, kind: &str, name: &str) {
    for template in &mut plan.templates {
        template.owner =
            Some(OwnerReference { kind: kind.to_owned(), name: name.to_owned(), object: None });
    }
}

/// A pod that is there from the start, in a state that no kubelet of a scenario has brought about.
fn imported(phase: PodPhase, ready: bool, deleting: bool) -> PodStart {
    let status = if ready { ConditionStatus::True } else { ConditionStatus::False };
    PodStart::Imported {
        phase,
        ready: Some(PodCondition {
            status,
            reason: PodReason::None,
            last_transition_time: Timestamp(0),
        }),
        disruption_target: None,
        deletion: deleting
            .then_some(Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 }),
    }
}

/// What one actor did in a run: time in milliseconds, what, about which object, and how.
fn done_by(actor: &str, plan: &Plan) -> Vec<String> {
    let text = |l: &Line| {
        let about = format!("{}{}", l.pod, l.object);
        let mut parts = vec![
            l.ms().to_string(),
            l.what.clone(),
            about,
            l.kind.clone(),
            l.status.clone(),
            l.reason.clone(),
            l.node.clone(),
        ];
        parts.extend(l.grace.map(|g| format!("grace {g}")));
        parts.extend(
            l.added
                .iter()
                .map(|t| format!("+{t}"))
                .chain(l.removed.iter().map(|t| format!("-{t}"))),
        );
        parts.push(l.message.clone());
        parts.retain(|p| !p.is_empty());
        parts.join(" ")
    };
    lines(&run(plan, Choices::default_order()))
        .iter()
        .filter(|l| l.actor == actor)
        .map(text)
        .collect()
}
