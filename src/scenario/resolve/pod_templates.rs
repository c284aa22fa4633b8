//! Templates of pods, as the API accepts them.

use super::checks::{self, checked_labels, resources};
use super::priorities::Priorities;
use super::scheduling::scheduling;
use super::select::Nodes;
use crate::api::meta::OwnerReference;
use crate::api::pod::{PodSource, PodTemplate};
use crate::api::taint::Effect;
use crate::api::toleration::{Operator, Toleration};
use crate::language::complaints::Complaints;
use crate::language::text::place::{Place, with};
use crate::language::values;
use crate::language::{self, DurationText, PodGroup};

/// Whether the gate TaintTolerationComparisonOperators is on: `Lt` and `Gt` are valid.
type ComparisonOperators = bool;

/// What pods and workloads are looked up in.
pub(super) struct Lookup<'a> {
    pub(super) nodes: &'a Nodes,
    pub(super) priorities: &'a Priorities,
    pub(super) operators: ComparisonOperators,
}

/// The template of a group of pods.
pub(super) fn template(
    group: &PodGroup,
    place: &Place,
    created_later: bool,
    lookup: &Lookup<'_>,
    complaints: &mut Complaints,
) -> PodTemplate {
    let source = group.static_pod.unwrap_or_default();
    let written = language::PodTemplate {
        labels: group.labels.clone(),
        tolerations: group.tolerations.clone(),
        termination_grace_period_seconds: group.termination_grace_period_seconds,
        node_selector: group.node_selector.clone(),
        requests: group.requests.clone(),
        priority: group.priority,
        priority_class_name: group.priority_class_name.clone(),
        affinity: group.affinity.clone(),
        topology_spread_constraints: group.topology_spread_constraints.clone(),
        ports: group.ports.clone(),
        scheduling_gates: group.scheduling_gates.clone(),
        preemption_policy: group.preemption_policy,
        container_requests: group.container_requests.clone(),
        empty_dir: group.empty_dir,
        persistent_volumes: group.persistent_volumes,
        pod_deletion_cost: group.pod_deletion_cost,
        pod_start: group.pod_start.clone(),
        pod_stop: group.pod_stop.clone(),
        exit_code: group.exit_code,
        ..language::PodTemplate::default()
    };
    let mut template = pod_template(&written, place, !created_later, lookup, complaints);
    template.owner = group.owner.as_ref().map(|o| OwnerReference {
        kind: o.kind.clone(),
        name: o.name.clone(),
        object: None,
    });
    template.source = source;
    if source == PodSource::File {
        // The kubelet appends it to what it reads from a file (`pkg/kubelet/config/common.go:
        // applyDefaults`), and the mirror in the API has it.
        let all = Toleration {
            operator: Operator::Exists,
            effect: Some(Effect::NoExecute),
            ..Toleration::default()
        };
        template.tolerations.push(all);
    }
    template
}

/// A template of pods without its owner. Pods that are there have the priority they were admitted
/// with, whatever their class says now.
pub(super) fn pod_template(
    written: &language::PodTemplate,
    place: &Place,
    admitted: bool,
    lookup: &Lookup<'_>,
    complaints: &mut Complaints,
) -> PodTemplate {
    if written.termination_grace_period_seconds.is_some_and(|s| s < 0) {
        complaints.say(
            with(place, "terminationGracePeriodSeconds"),
            "must be greater than or equal to 0",
        );
    }
    let mut span = |field: &'static str, text: &Option<DurationText>| {
        let text = text.as_ref()?;
        complaints.take(with(place, field), values::span(text.as_str()))
    };
    let (start, stop) =
        (span("pod_start", &written.pod_start), span("pod_stop", &written.pod_stop));
    PodTemplate {
        labels: checked_labels(&written.labels, &with(place, "labels"), complaints),
        owner: None,
        source: PodSource::Api,
        tolerations: tolerations(
            &written.tolerations,
            &with(place, "tolerations"),
            lookup.operators,
            complaints,
        ),
        termination_grace_period_seconds: written.termination_grace_period_seconds,
        node_selector: checked_labels(
            &written.node_selector,
            &with(place, "nodeSelector"),
            complaints,
        ),
        requests: resources(&written.requests, &with(place, "requests"), complaints)
            .unwrap_or_default(),
        empty_dir: written.empty_dir,
        persistent_volumes: written.persistent_volumes,
        deletion_cost: written.pod_deletion_cost.unwrap_or(0),
        start,
        stop,
        exit_code: written.exit_code.unwrap_or(0),
        priority: lookup.priorities.of(written, place, admitted, complaints),
        priority_class_name: written.priority_class_name.clone().unwrap_or_default(),
        scheduling: scheduling(
            written,
            lookup.priorities.never_preempts(written),
            place,
            complaints,
        ),
    }
}

/// Tolerations that the API accepts; complaints about the others.
pub(super) fn tolerations(
    written: &[language::Toleration],
    place: &Place,
    operators: ComparisonOperators,
    complaints: &mut Complaints,
) -> Vec<Toleration> {
    let read = |written: &language::Toleration| Toleration {
        key: written.key.clone(),
        operator: written.operator.unwrap_or_default(),
        value: written.value.clone(),
        effect: written.effect,
        toleration_seconds: written.toleration_seconds,
    };
    let all: Vec<Toleration> = written.iter().map(read).collect();
    checks::tolerations(&all, place, operators, complaints);
    all
}
