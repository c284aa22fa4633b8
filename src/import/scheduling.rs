//! What pods and templates say about where they may be placed, and disruption budgets.
//!
//! `k8s.io/api/core/v1` and `policy/v1`, v1.34. Left out, with a word: namespace selectors with
//! conditions (namespaces have no labels here), and `mismatchLabelKeys`.

use super::containers::tell_of_probes;
use super::quantities::container_requests;
use crate::import::prelude::*;

raw! {
    /// `policy/v1 PodDisruptionBudgetSpec`
    struct RawBudgetSpec {
        min_available: Option<FlagValue>,
        max_unavailable: Option<FlagValue>,
        selector: Option<RawSelector>,
        unhealthy_pod_eviction_policy: String,
    }

    /// `policy/v1 PodDisruptionBudgetStatus`
    struct RawBudgetStatus {
        observed_generation: i64,
        disruptions_allowed: i32,
        current_healthy: i32,
        desired_healthy: i32,
        expected_pods: i32,
        /// By the pods' names, when an eviction was granted.
        disrupted_pods: BTreeMap<String, String>,
    }
}

/// A template of what a pod or a template says of it. `left_out` is called with the name of what is not modelled.
pub(super) fn scheduling(
    spec: &RawPodSpec,
    left_out: &mut dyn FnMut(&'static str),
) -> Result<PodTemplate, Wrong> {
    let containers = &spec.containers;
    let several = containers.len() > 1;
    let affinity = spec.affinity.as_ref().map(|a| affinity(a, left_out)).transpose()?;
    let gate = |g: &NameOnly| SchedulingGate { name: g.name.clone() };
    let mut template = PodTemplate {
        affinity: affinity.filter(|a| *a != Affinity::default()),
        topology_spread_constraints: all(&spec.topology_spread_constraints, spread)?,
        ports: ports(containers)?,
        scheduling_gates: spec.scheduling_gates.iter().map(gate).collect(),
        scheduler_name: Some(spec.scheduler_name.clone())
            .filter(|name| !["", "default-scheduler"].contains(&&**name)),
        preemption_policy: (spec.preemption_policy == "Never").then_some(PreemptionPolicy::Never),
        container_requests: if several { all(containers, container_requests)? } else { Vec::new() },
        empty_dir: spec.volumes.iter().any(|v| v.empty_dir.is_some()),
        persistent_volumes: spec.volumes.iter().any(RawVolume::is_persistent),
        ..PodTemplate::default()
    };
    tell_of_probes(spec, &mut template);
    Ok(template)
}

/// Whether a probe of a pod may take more than the second that it has where nothing else is said.
pub(super) fn is_patient(spec: &RawPodSpec) -> bool {
    let probes = |c: &RawContainer| {
        let all = [&c.readiness_probe, &c.liveness_probe, &c.startup_probe];
        all.into_iter().flatten().any(|p| p.timeout_seconds > 1)
    };
    spec.containers.iter().chain(&spec.init_containers).any(probes)
}

/// All of a list, each as it is converted.
fn all<Raw, T>(
    list: &[Raw],
    convert: impl FnMut(&Raw) -> Result<T, Wrong>,
) -> Result<Vec<T>, Wrong> {
    list.iter().map(convert).collect()
}

fn affinity(raw: &RawAffinity, left_out: &mut dyn FnMut(&'static str)) -> Result<Affinity, Wrong> {
    let mut pods = |raw: &RawPodAffinity| {
        let required = &raw.required_during_scheduling_ignored_during_execution;
        let preferred = &raw.preferred_during_scheduling_ignored_during_execution;
        let required = all(required, |t| pod_term(t, left_out))?;
        let preferred = all(preferred, |p: &RawWeightedPods| {
            Ok(WeightedPods { weight: p.weight, term: pod_term(&p.pod_affinity_term, left_out)? })
        })?;
        Ok::<_, Wrong>(PodAffinity { required, preferred })
    };
    let (pod_affinity, pod_anti_affinity) =
        (pods(&raw.pod_affinity)?, pods(&raw.pod_anti_affinity)?);
    let nodes = &raw.node_affinity;
    let terms = |t: &RawNodeTerms| {
        Ok::<_, Wrong>(NodeTerms { terms: all(&t.node_selector_terms, node_term)? })
    };
    let prefer = |p: &RawPreferredNodes| {
        Ok(PreferredNodes { weight: p.weight, preference: node_term(&p.preference)? })
    };
    let required = &nodes.required_during_scheduling_ignored_during_execution;
    let node_affinity = NodeAffinity {
        required: required.as_ref().map(terms).transpose()?,
        preferred: all(&nodes.preferred_during_scheduling_ignored_during_execution, prefer)?,
    };
    Ok(Affinity { node_affinity, pod_affinity, pod_anti_affinity })
}

fn node_term(raw: &RawNodeTerm) -> Result<NodeTerm, Wrong> {
    let requirement = |r: &RawRequirement| {
        Ok(NodeRequirement {
            key: r.key.clone(),
            operator: fields::word("affinity.nodeAffinity: operator", &r.operator)?,
            values: r.values.clone(),
        })
    };
    Ok(NodeTerm {
        match_expressions: all(&raw.match_expressions, requirement)?,
        match_fields: all(&raw.match_fields, requirement)?,
    })
}

fn pod_term(
    raw: &RawPodAffinityTerm,
    left_out: &mut dyn FnMut(&'static str),
) -> Result<PodAffinityTerm, Wrong> {
    if raw.mismatch_label_keys.0 || raw.match_label_keys.0 {
        left_out("matchLabelKeys of affinity");
    }
    if raw.namespace_selector.is_some_and(|f| f.0) {
        left_out("namespaceSelector with conditions");
    }
    let selector = |raw| selector("affinity: labelSelector", raw);
    let is_of_all = raw.namespace_selector.is_some_and(|f| !f.0);
    Ok(PodAffinityTerm {
        label_selector: raw.label_selector.as_ref().map(selector).transpose()?,
        namespaces: raw.namespaces.clone(),
        namespace_selector: is_of_all.then_some(EveryNamespace {}),
        topology_key: raw.topology_key.clone(),
    })
}

fn spread(raw: &RawSpread) -> Result<TopologySpreadConstraint, Wrong> {
    let policy = |text: &str, default: InclusionPolicy| {
        fields::shared(text).filter(|policy| *policy != default)
    };
    let selector = |raw| selector("topologySpreadConstraints: labelSelector", raw);
    Ok(TopologySpreadConstraint {
        max_skew: raw.max_skew,
        topology_key: raw.topology_key.clone(),
        when_unsatisfiable: fields::word(
            "topologySpreadConstraints: whenUnsatisfiable",
            &raw.when_unsatisfiable,
        )?,
        label_selector: raw.label_selector.as_ref().map(selector).transpose()?,
        min_domains: raw.min_domains,
        node_affinity_policy: policy(&raw.node_affinity_policy, InclusionPolicy::Honor),
        node_taints_policy: policy(&raw.node_taints_policy, InclusionPolicy::Ignore),
        match_label_keys: raw.match_label_keys.clone(),
    })
}

fn ports(containers: &[RawContainer]) -> Result<Vec<HostPort>, Wrong> {
    let mut all = Vec::new();
    for port in containers.iter().flat_map(|c| &c.ports).filter(|p| p.host_port != 0) {
        let number = port.host_port;
        let host_port = u16::try_from(number)
            .map_err(|_| Wrong(format!("hostPort {number} is not between 1 and 65535")))?;
        let word = if port.protocol.is_empty() { "TCP" } else { &port.protocol };
        let protocol: Protocol = fields::word("ports: protocol", word)?;
        let protocol = (protocol != Protocol::TCP).then_some(protocol);
        all.push(HostPort { host_port, protocol, host_ip: port.host_ip.clone() });
    }
    Ok(all)
}

/// A disruption budget as a scenario has it.
pub(super) fn budget(raw: &RawBudget) -> Result<PodDisruptionBudget, Wrong> {
    let spec = &raw.spec;
    if spec.min_available.is_some() && spec.max_unavailable.is_some() {
        return Err(Wrong("has either spec.minAvailable or spec.maxUnavailable".to_owned()));
    }
    let selected = spec.selector.as_ref().map(|raw| selector("spec.selector", raw)).transpose()?;
    let always = spec.unhealthy_pod_eviction_policy == "AlwaysAllow";
    Ok(PodDisruptionBudget {
        name: raw.name.clone(),
        namespace: (raw.namespace != "default").then(|| raw.namespace.clone()),
        selector: selected,
        min_available: spec.min_available.clone(),
        max_unavailable: spec.max_unavailable.clone(),
        unhealthy_pod_eviction_policy: always.then_some(UnhealthyPodEvictionPolicy::AlwaysAllow),
    })
}

/// An exported disruption budget.
pub(super) type RawBudget = Object<RawBudgetSpec, RawBudgetStatus>;
