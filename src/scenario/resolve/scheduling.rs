//! What pods say about where they may be placed, and label selectors: what the API accepts, complaints
//! about the rest (`pkg/apis/core/validation: validateAffinity, validateTopologySpreadConstraints`,
//! v1.34).

use super::checks::resources;
use super::prelude::*;
use crate::api::labels::Requirement;
use crate::api::scheduling::{
    HostPort, NodeNameRequirement, NodeSelectorTerm, PodAffinity, PodAffinityTerm, SchedulingSpec,
    TopologySpreadConstraint,
};

/// What only the scheduler reads of a template, if there is any of it. `never` is what its priority
/// class says of preemption.
pub(super) fn scheduling(
    written: &language::PodTemplate,
    never: bool,
    place: &Spot,
) -> Option<Rc<SchedulingSpec>> {
    let mut all = SchedulingSpec {
        never_preempts: written.preemption_policy.map_or(never, |p| p == PreemptionPolicy::Never),
        another_scheduler: written
            .scheduler_name
            .as_ref()
            .is_some_and(|n| n != "default-scheduler"),
        gates: written.scheduling_gates.iter().map(|g| g.name.clone()).collect(),
        ..SchedulingSpec::default()
    };
    if let Some(affinity) = &written.affinity {
        read_affinity(affinity, &mut all, &place.part("affinity"));
    }
    let constraints = place.part("topologySpreadConstraints");
    let read = constraints.each(&written.topology_spread_constraints);
    all.topology_spread.extend(read.map(|(place, c)| spread(c, &place)));
    all.host_ports.extend(written.ports.iter().map(|p| HostPort {
        protocol: format!("{:?}", p.protocol.unwrap_or(Protocol::TCP)),
        host_ip: p.host_ip.clone(),
        port: i32::from(p.host_port),
    }));
    for (place, requests) in place.part("container_requests").each(&written.container_requests) {
        all.container_requests.extend(resources(requests, &place));
    }
    (all != SchedulingSpec::default()).then(|| Rc::new(all))
}

/// What a pod says of the nodes and of the other pods that it wants to be near to.
fn read_affinity(affinity: &language::Affinity, all: &mut SchedulingSpec, place: &Spot) {
    let nodes = place.part("nodeAffinity");
    let required =
        nodes.part("requiredDuringSchedulingIgnoredDuringExecution").part("nodeSelectorTerms");
    all.required_nodes = affinity.node_affinity.required.as_ref().map(|r| {
        if r.terms.is_empty() {
            required.say("must have at least one node selector term");
        }
        required.each(&r.terms).map(|(place, t)| term(t, &place)).collect()
    });
    let preferred = nodes.part("preferredDuringSchedulingIgnoredDuringExecution");
    for (place, p) in preferred.each(&affinity.node_affinity.preferred) {
        weight(p.weight, &place);
        all.preferred_nodes.push((p.weight, term(&p.preference, &place.part("preference"))));
    }
    all.pod_affinity = pods(&affinity.pod_affinity, &place.part("podAffinity"));
    all.pod_anti_affinity = pods(&affinity.pod_anti_affinity, &place.part("podAntiAffinity"));
}

fn spread(c: &language::TopologySpreadConstraint, place: &Spot) -> TopologySpreadConstraint {
    if c.max_skew <= 0 {
        place.part("maxSkew").say("must be greater than zero");
    }
    if c.min_domains.is_some() && c.when_unsatisfiable == WhenUnsatisfiable::ScheduleAnyway {
        place.part("minDomains").say("can only use minDomains if whenUnsatisfiable=DoNotSchedule");
    }
    if c.min_domains.is_some_and(|n| n <= 0) {
        place.part("minDomains").say("must be greater than 0");
    }
    topology_key(&c.topology_key, place);
    TopologySpreadConstraint {
        max_skew: c.max_skew,
        topology_key: c.topology_key.clone(),
        hard: c.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule,
        selector: maybe_selector(c.label_selector.as_ref(), place),
        min_domains: c.min_domains.unwrap_or(1),
        honor_affinity: c.node_affinity_policy != Some(InclusionPolicy::Ignore),
        honor_taints: c.node_taints_policy == Some(InclusionPolicy::Honor),
        match_label_keys: c.match_label_keys.clone(),
    }
}

fn weight(weight: i32, place: &Spot) {
    if !(1..=100).contains(&weight) {
        place.part("weight").say("must be in the range 1-100");
    }
}

fn topology_key(key: &str, place: &Spot) {
    place.part("topologyKey").take(checks::label(key, ""));
}

fn term(written: &NodeTerm, place: &Spot) -> NodeSelectorTerm {
    let mut read = NodeSelectorTerm::default();
    for (place, e) in place.part("matchExpressions").each(&written.match_expressions) {
        let requirement =
            Requirement::new(&e.key, e.operator.of_labels(), e.values.iter().cloned())
                .map_err(Problem::new);
        read.match_expressions.extend(place.take(requirement));
    }
    for (place, e) in place.part("matchFields").each(&written.match_fields) {
        match e {
            NodeRequirement { key, operator: NodeOperator::In | NodeOperator::NotIn, values }
                if key == "metadata.name" && values.len() == 1 =>
            {
                read.match_fields.push(NodeNameRequirement {
                    name: values[0].clone(),
                    is: e.operator == NodeOperator::In,
                });
            }
            _ => place.say(
                "only `metadata.name`, with `In` or `NotIn` and one value, can be matched here",
            ),
        }
    }
    read
}

fn pods(written: &language::PodAffinity, place: &Spot) -> PodAffinity {
    let required = place.part("requiredDuringSchedulingIgnoredDuringExecution");
    let preferred = place.part("preferredDuringSchedulingIgnoredDuringExecution");
    let term = |(i, t)| pod_term(t, &required.part(i));
    let weighted = |(i, p): (usize, &WeightedPods)| {
        let place = preferred.part(i);
        weight(p.weight, &place);
        (p.weight, pod_term(&p.term, &place.part("podAffinityTerm")))
    };
    PodAffinity {
        required: (0..).zip(&written.required).map(term).collect(),
        preferred: (0..).zip(&written.preferred).map(weighted).collect(),
    }
}

fn pod_term(written: &language::PodAffinityTerm, place: &Spot) -> PodAffinityTerm {
    topology_key(&written.topology_key, place);
    PodAffinityTerm {
        selector: maybe_selector(written.label_selector.as_ref(), place),
        namespaces: written.namespaces.clone(),
        all_namespaces: written.namespace_selector.is_some(),
        topology_key: written.topology_key.clone(),
    }
}

/// The scheduler's configuration.
pub(super) fn settings(
    written: &SchedulerConfiguration,
    complaints: &Complaints,
) -> SchedulerSettings {
    let defaults = SchedulerSettings::default();
    if written.percentage_of_nodes_to_score.is_some_and(|p| p > 100) {
        let place = complaints.at(at!["scheduler", "percentageOfNodesToScore"]);
        place.say("must be in the range [0, 100]");
    }
    SchedulerSettings {
        percentage_of_nodes_to_score: written
            .percentage_of_nodes_to_score
            .unwrap_or(defaults.percentage_of_nodes_to_score),
        strategy: written.scoring_strategy.unwrap_or(defaults.strategy),
        preemption: written.preemption.unwrap_or(defaults.preemption),
    }
}

/// The selector `labelSelector`, where there is one.
fn maybe_selector(written: Option<&LabelSelector>, place: &Spot) -> Option<Selector> {
    selector(written?, &place.part("labelSelector"))
}

/// A selector that the API accepts, or else a complaint.
pub(super) fn selector(written: &LabelSelector, place: &Spot) -> Option<Selector> {
    place.take(written.as_selector().map_err(Problem::new))
}
