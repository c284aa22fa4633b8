//! What pods and templates say about where they may be placed, and disruption budgets.
//!
//! `k8s.io/api/core/v1` and `policy/v1`, v1.34. Left out, with a word: namespace selectors with
//! conditions (namespaces have no labels here), and `mismatchLabelKeys`.

use super::object::{Object, RawContainer, RawPodSpec, RawVolume};
use super::quantities::container_requests;
use super::raw_scheduling::{
    RawAffinity, RawNodeRequirement, RawNodeTerm, RawNodeTerms, RawPodAffinity, RawPodAffinityTerm,
    RawPreferredNodes, RawSelector, RawSpread, selector,
};
use crate::import::prelude::*;
use crate::language::{
    Affinity, EveryNamespace, FlagValue, HostPort, InclusionPolicy, NodeAffinity, NodeRequirement,
    NodeTerm, NodeTerms, PodAffinity, PodAffinityTerm, PodDisruptionBudget, PodTemplate,
    PreemptionPolicy, PreferredNodes, Protocol, SchedulingGate, TopologySpreadConstraint,
    UnhealthyPodEvictionPolicy, WeightedPods,
};

/// `policy/v1 PodDisruptionBudgetSpec`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawBudgetSpec {
    min_available: Option<FlagValue>,
    max_unavailable: Option<FlagValue>,
    selector: Option<RawSelector>,
    unhealthy_pod_eviction_policy: Option<String>,
}

/// `policy/v1 PodDisruptionBudgetStatus`
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct RawBudgetStatus {
    pub(crate) observed_generation: Option<i64>,
    pub(crate) disruptions_allowed: i32,
    pub(crate) current_healthy: i32,
    pub(crate) desired_healthy: i32,
    pub(crate) expected_pods: i32,
    /// By the pods' names, when an eviction was granted.
    pub(crate) disrupted_pods: Option<BTreeMap<String, String>>,
}

/// A template of what a pod or a template says of it. `left_out` is called with the name of what is not modelled.
pub(super) fn scheduling(
    spec: &RawPodSpec,
    left_out: &mut dyn FnMut(&'static str),
) -> Result<PodTemplate, Wrong> {
    let containers = spec.containers.as_deref().unwrap_or_default();
    let several = containers.len() > 1;
    Ok(PodTemplate {
        affinity: spec
            .affinity
            .as_ref()
            .map(|a| affinity(a, left_out))
            .transpose()?
            .filter(|a| *a != Affinity::default()),
        topology_spread_constraints: spec
            .topology_spread_constraints
            .iter()
            .flatten()
            .map(spread)
            .collect::<Result<_, _>>()?,
        ports: ports(containers)?,
        scheduling_gates: spec
            .scheduling_gates
            .iter()
            .flatten()
            .map(|g| SchedulingGate { name: g.name.clone() })
            .collect(),
        preemption_policy: (spec.preemption_policy.as_deref() == Some("Never"))
            .then_some(PreemptionPolicy::Never),
        container_requests: if several {
            containers.iter().map(container_requests).collect::<Result<_, _>>()?
        } else {
            Vec::new()
        },
        empty_dir: spec.volumes.iter().flatten().any(|v| v.empty_dir.is_some()),
        persistent_volumes: spec.volumes.iter().flatten().any(RawVolume::is_persistent),
        ..PodTemplate::default()
    })
}

fn affinity(raw: &RawAffinity, left_out: &mut dyn FnMut(&'static str)) -> Result<Affinity, Wrong> {
    let mut pods = |raw: &Option<RawPodAffinity>| match raw {
        None => Ok(PodAffinity::default()),
        Some(raw) => {
            let required = raw.required_during_scheduling_ignored_during_execution.iter().flatten();
            let preferred =
                raw.preferred_during_scheduling_ignored_during_execution.iter().flatten();
            Ok::<_, Wrong>(PodAffinity {
                required: required.map(|t| pod_term(t, left_out)).collect::<Result<_, _>>()?,
                preferred: preferred
                    .map(|p| {
                        Ok(WeightedPods {
                            weight: p.weight,
                            term: pod_term(&p.pod_affinity_term, left_out)?,
                        })
                    })
                    .collect::<Result<_, Wrong>>()?,
            })
        }
    };
    let (pod_affinity, pod_anti_affinity) =
        (pods(&raw.pod_affinity)?, pods(&raw.pod_anti_affinity)?);
    let nodes = raw.node_affinity.as_ref();
    let required =
        nodes.and_then(|n| n.required_during_scheduling_ignored_during_execution.as_ref());
    let preferred =
        nodes.and_then(|n| n.preferred_during_scheduling_ignored_during_execution.as_ref());
    let terms = |t: &RawNodeTerms| {
        t.node_selector_terms.iter().flatten().map(node_term).collect::<Result<Vec<_>, _>>()
    };
    let prefer = |p: &RawPreferredNodes| {
        Ok::<_, Wrong>(PreferredNodes { weight: p.weight, preference: node_term(&p.preference)? })
    };
    let node_affinity = NodeAffinity {
        required: required.map(|t| Ok::<_, Wrong>(NodeTerms { terms: terms(t)? })).transpose()?,
        preferred: preferred.into_iter().flatten().map(prefer).collect::<Result<_, _>>()?,
    };
    Ok(Affinity { node_affinity, pod_affinity, pod_anti_affinity })
}

fn node_term(raw: &RawNodeTerm) -> Result<NodeTerm, Wrong> {
    let requirement = |r: &RawNodeRequirement| {
        let unknown =
            || format!("affinity.nodeAffinity: {:?} is not a valid selector operator", r.operator);
        Ok::<_, Wrong>(NodeRequirement {
            key: r.key.clone(),
            operator: fields::shared(&r.operator).ok_or_else(|| Wrong(unknown()))?,
            values: r.values.clone().unwrap_or_default(),
        })
    };
    let all = |list: &Option<Vec<RawNodeRequirement>>| {
        list.iter().flatten().map(requirement).collect::<Result<_, _>>()
    };
    Ok(NodeTerm {
        match_expressions: all(&raw.match_expressions)?,
        match_fields: all(&raw.match_fields)?,
    })
}

fn pod_term(
    raw: &RawPodAffinityTerm,
    left_out: &mut dyn FnMut(&'static str),
) -> Result<PodAffinityTerm, Wrong> {
    let filled = |f: Option<Filled>| f.is_some_and(|f| f.0);
    if filled(raw.mismatch_label_keys) || filled(raw.match_label_keys) {
        left_out("matchLabelKeys of affinity");
    }
    if filled(raw.namespace_selector) {
        left_out("namespaceSelector with conditions");
    }
    Ok(PodAffinityTerm {
        label_selector: raw.label_selector.as_ref().map(selector).transpose()?,
        namespaces: raw.namespaces.clone().unwrap_or_default(),
        namespace_selector: raw
            .namespace_selector
            .is_some_and(|f| !f.0)
            .then_some(EveryNamespace {}),
        topology_key: raw.topology_key.clone(),
    })
}

fn spread(raw: &RawSpread) -> Result<TopologySpreadConstraint, Wrong> {
    let policy = |text: &Option<String>, default: InclusionPolicy| {
        text.as_deref().and_then(fields::shared).filter(|policy| *policy != default)
    };
    let unknown = || {
        format!(
            "topologySpreadConstraints: whenUnsatisfiable {:?} is not known to the API",
            raw.when_unsatisfiable
        )
    };
    Ok(TopologySpreadConstraint {
        max_skew: raw.max_skew,
        topology_key: raw.topology_key.clone(),
        when_unsatisfiable: fields::shared(&raw.when_unsatisfiable)
            .ok_or_else(|| Wrong(unknown()))?,
        label_selector: raw.label_selector.as_ref().map(selector).transpose()?,
        min_domains: raw.min_domains,
        node_affinity_policy: policy(&raw.node_affinity_policy, InclusionPolicy::Honor),
        node_taints_policy: policy(&raw.node_taints_policy, InclusionPolicy::Ignore),
        match_label_keys: raw.match_label_keys.clone().unwrap_or_default(),
    })
}

fn ports(containers: &[RawContainer]) -> Result<Vec<HostPort>, Wrong> {
    let mut all = Vec::new();
    for port in containers.iter().flat_map(|c| c.ports.iter().flatten()) {
        let Some(number) = port.host_port.filter(|n| *n != 0) else {
            continue;
        };
        let host_port = u16::try_from(number)
            .map_err(|_| Wrong(format!("hostPort {number} is not between 1 and 65535")))?;
        let word = port.protocol.as_deref().filter(|p| !p.is_empty()).unwrap_or("TCP");
        let protocol: Protocol = fields::shared(word)
            .ok_or_else(|| Wrong(format!("protocol {word:?} of a port is not known to the API")))?;
        all.push(HostPort {
            host_port,
            protocol: (protocol != Protocol::TCP).then_some(protocol),
            host_ip: port.host_ip.clone().unwrap_or_default(),
        });
    }
    Ok(all)
}

/// A disruption budget as a scenario has it.
pub(super) fn budget(
    namespace: &str,
    name: &str,
    spec: &RawBudgetSpec,
) -> Result<PodDisruptionBudget, Wrong> {
    if spec.min_available.is_some() == spec.max_unavailable.is_some() {
        return Err(Wrong("has either spec.minAvailable or spec.maxUnavailable".to_owned()));
    }
    let always = spec.unhealthy_pod_eviction_policy.as_deref() == Some("AlwaysAllow");
    Ok(PodDisruptionBudget {
        name: name.to_owned(),
        namespace: (namespace != "default").then(|| namespace.to_owned()),
        selector: spec.selector.as_ref().map(selector).transpose()?.unwrap_or_default(),
        min_available: spec.min_available.clone(),
        max_unavailable: spec.max_unavailable.clone(),
        unhealthy_pod_eviction_policy: always.then_some(UnhealthyPodEvictionPolicy::AlwaysAllow),
    })
}

/// An exported disruption budget.
pub(super) type RawBudget = Object<RawBudgetSpec, RawBudgetStatus>;
