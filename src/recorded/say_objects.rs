//! The objects of a plan as the recorder's scenarios have them.

use super::missing::{Missing, unless};
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::labels::{LabelSelector, Labels};
use crate::api::pod::{PodSource, PodTemplate};
use crate::api::quantity::Resources;
use crate::api::scheduling::SchedulingSpec;
use crate::api::toleration::Toleration;
use crate::api::workload::{WorkloadKind, WorkloadSpec};
use crate::plan::{Do, NodePlan, NodeStart, Plan, PodPlan, PodStart};
use serde_json::{Map, Value, json};

pub(super) fn nodes(plan: &Plan, missing: &mut Missing) -> Value {
    let there = plan.nodes.iter().filter(|n| n.start != NodeStart::Absent);
    there.map(|n| node(n, missing)).collect()
}

pub(super) fn node(n: &NodePlan, missing: &mut Missing) -> Value {
    unless(
        !matches!(n.start, NodeStart::Imported { .. }),
        "nodes as an export shows them",
        missing,
    );
    json!({
        "name": n.name,
        "labels": *n.labels,
        "taints": n.taints.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "unschedulable": n.unschedulable,
        "capacity": amounts(&n.allocatable),
        "lease_offset": n.lease_offset.to_string(),
        "lease_period": n.lease_period.to_string(),
        "status_offset": n.status_offset.to_string(),
        "silent": n.start == NodeStart::Silent,
    })
}

fn amounts(resources: &Resources) -> Value {
    let texts = resources
        .iter()
        .map(|(r, q)| (r.clone(), json!(q.to_string())));
    Value::Object(texts.collect())
}

pub(super) fn pods(plan: &Plan, missing: &mut Missing) -> Value {
    let there = plan.pods.iter().filter(|p| p.start != PodStart::Absent);
    there.map(|p| pod(plan, p, missing)).collect()
}

pub(super) fn pod(plan: &Plan, p: &PodPlan, missing: &mut Missing) -> Value {
    let template = &plan.templates[p.template as usize];
    let mut out = template_of(plan, template, p.node, missing);
    let (namespace, name) = p.name.split_once('/').unwrap_or(("default", &p.name));
    out.insert("namespace".to_owned(), json!(namespace));
    out.insert("name".to_owned(), json!(name));
    out.insert("running".to_owned(), json!(p.start == PodStart::Running));
    unless(
        !matches!(p.start, PodStart::Imported { .. }),
        "pods as an export shows them",
        missing,
    );
    if let Some(owner) = &template.owner {
        let made = format!("{}/{namespace}/{}", owner.kind, owner.name);
        unless(
            owner.kind == "ReplicaSet" && plan.workloads.iter().any(|w| w.name == made),
            "pods that belong to anything but a ReplicaSet of the scenario from the start",
            missing,
        );
        let owner = format!("{}/{}", owner.kind, owner.name);
        out.insert("owner".to_owned(), json!(owner));
    }
    Value::Object(out)
}

/// What pods and templates have in common.
fn template_of(
    plan: &Plan,
    t: &PodTemplate,
    node: Option<u32>,
    missing: &mut Missing,
) -> Map<String, Value> {
    let scheduling = t.scheduling.as_deref().cloned().unwrap_or_default();
    let never = SchedulingSpec {
        never_preempts: scheduling.never_preempts,
        ..SchedulingSpec::default()
    };
    unless(
        scheduling == never,
        "affinity, topology spread, host ports, gates, and requests of single containers",
        missing,
    );
    unless(t.source == PodSource::Api, "static pods", missing);
    unless(!t.empty_dir, "volumes", missing);
    unless(t.deletion_cost == 0, "pod-deletion-cost", missing);
    let mut out = Map::new();
    let mut set = |name: &str, value: Value| out.insert(name.to_owned(), value);
    set("labels", json!(t.labels));
    set("tolerations", tolerations(&t.tolerations));
    set("nodeSelector", json!(t.node_selector));
    set("requests", amounts(&t.requests));
    if let Some(node) = node {
        set("node", json!(plan.nodes[node as usize].name));
    }
    if let Some(grace) = t.termination_grace_period_seconds {
        set("grace", json!(grace));
    }
    if let Some(priority) = t.priority {
        set("priority", json!(priority));
    }
    if never.never_preempts {
        set("preemptionPolicy", json!("Never"));
    }
    out
}

pub(super) fn tolerations(all: &[Toleration]) -> Value {
    let one = |t: &Toleration| {
        let mut out = Map::new();
        let mut set = |name: &str, value: Value| out.insert(name.to_owned(), value);
        set("key", json!(t.key));
        set("operator", json!(t.operator.as_str()));
        set("value", json!(t.value));
        set("effect", json!(t.effect.map_or("", |e| e.as_str())));
        if let Some(seconds) = t.toleration_seconds {
            set("tolerationSeconds", json!(seconds));
        }
        Value::Object(out)
    };
    all.iter().map(one).collect()
}

pub(super) fn workloads(plan: &Plan, missing: &mut Missing) -> Value {
    let later = |i: usize| {
        plan.actions
            .iter()
            .any(|a| a.act == Do::CreateWorkload(i as u32))
    };
    let there = plan
        .workloads
        .iter()
        .enumerate()
        .filter(|(i, _)| !later(*i));
    let mut out = Vec::new();
    for (_, w) in there {
        let mut parts = w.name.splitn(3, '/').skip(1);
        let (namespace, name) = (
            parts.next().unwrap_or_default(),
            parts.next().unwrap_or_default(),
        );
        let by_name = LabelSelector {
            match_labels: Labels::from([("app".to_owned(), name.to_owned())]),
            ..LabelSelector::default()
        };
        unless(
            namespace == "default" && *w.selector == by_name,
            "workloads of other namespaces than `default`, or with another selector than app=NAME",
            missing,
        );
        unless(
            w.owner.is_none() && w.min_ready_seconds == 0,
            "workloads with an owner, or with minReadySeconds",
            missing,
        );
        let template = &plan.templates[w.template as usize];
        let parallel = matches!(w.spec, WorkloadSpec::StatefulSet { parallel: true, .. });
        unless(
            is_plain(&w.spec),
            "ordinals, and Jobs with rules or other completions than pods",
            missing,
        );
        out.push(json!({
            "kind": w.kind.as_str(),
            "name": name,
            "replicas": w.spec.replicas(),
            "parallel": parallel,
            "template": template_of(plan, template, w.node, missing),
        }));
    }
    Value::Array(out)
}

/// Whether the recorder makes a workload of this spec.
fn is_plain(spec: &WorkloadSpec) -> bool {
    match spec {
        WorkloadSpec::StatefulSet { first_ordinal, .. } => *first_ordinal == 0,
        WorkloadSpec::Job(job) => {
            job.completions == Some(job.parallelism)
                && job.backoff_limit == 6
                && job.pod_replacement_policy.is_none()
                && job.pod_failure_policy.is_empty()
                && job.restart_never
        }
        WorkloadSpec::Deployment { .. }
        | WorkloadSpec::ReplicaSet { .. }
        | WorkloadSpec::DaemonSet => true,
    }
}

pub(super) fn budgets(plan: &Plan, missing: &mut Missing) -> Value {
    let mut out = Vec::new();
    for b in &plan.budgets {
        let labels: Option<Map<String, Value>> = b
            .selector
            .requirements()
            .iter()
            .map(|r| match r.one_of() {
                Some((key, [value])) => Some((key.to_owned(), json!(value))),
                _ => None,
            })
            .collect();
        let (field, amount) = match &b.rule {
            BudgetRule::MinAvailable(n) => ("minAvailable", n),
            BudgetRule::MaxUnavailable(n) => ("maxUnavailable", n),
        };
        let (Some(labels), IntOrPercent::Int(amount)) = (labels, amount) else {
            missing.insert("budgets with percentages or other selectors than labels".to_owned());
            continue;
        };
        let Some(name) = b.name.strip_prefix("PodDisruptionBudget/default/") else {
            missing.insert("budgets of other namespaces than `default`".to_owned());
            continue;
        };
        let policy = if b.always_allow_unhealthy {
            "AlwaysAllow"
        } else {
            ""
        };
        out.push(json!({
            "name": name, "labels": labels, field: amount, "unhealthyPodEvictionPolicy": policy,
        }));
    }
    Value::Array(out)
}

/// The name of a kind's resource.
pub(super) fn resource(kind: WorkloadKind) -> String {
    format!("{}s", kind.as_str().to_lowercase())
}
