//! The objects of a plan as the recorder's scenarios have them.

use super::missing::{Missing, unless};
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::labels::{LabelSelector, Labels};
use crate::api::pod::{PodSource, PodTemplate};
use crate::api::quantity::Resources;
use crate::api::scheduling::SchedulingSpec;
use crate::api::toleration::Toleration;
use crate::api::workload::{WorkloadKind, WorkloadSpec};
use crate::plan::{
    BudgetPlan, Do, NodePlan, NodeStart, Plan, PodPlan, PodStart, WorkloadIndex, WorkloadPlan,
};
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
        let there = plan.workloads.iter().any(|w| w.name == made);
        unless(
            owner.kind != "Job" || !there,
            "pods that belong to a Job of the scenario from the start",
            missing,
        );
        // The recorder's API server does not have that DaemonSet, the model takes it as there.
        unless(
            owner.kind != "DaemonSet" || there || !drains(plan),
            "drains of pods whose DaemonSet is not in the scenario",
            missing,
        );
        let owner = format!("{}/{}", owner.kind, owner.name);
        out.insert("owner".to_owned(), json!(owner));
    }
    Value::Object(out)
}

fn drains(plan: &Plan) -> bool {
    plan.actions
        .iter()
        .any(|a| matches!(a.act, Do::Drain(..) | Do::Maintain(..)))
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
    let there = plan.workloads.iter().enumerate();
    let there = there.filter(|(i, _)| !later(*i));
    there.map(|(_, w)| workload(plan, w, missing)).collect()
}

pub(super) fn workload(plan: &Plan, w: &WorkloadPlan, missing: &mut Missing) -> Value {
    let mut parts = w.name.splitn(3, '/').skip(1);
    let (namespace, name) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let owner = w.owner.map(|o| short_name(plan, o));
    let app = owner.as_deref().and_then(|o| o.split_once('/'));
    let app = app.map_or(name, |(_, deployment)| deployment);
    let by_name = LabelSelector {
        match_labels: Labels::from([("app".to_owned(), app.to_owned())]),
        ..LabelSelector::default()
    };
    unless(
        namespace == "default",
        "workloads of other namespaces than `default`",
        missing,
    );
    unless(
        *w.selector == by_name,
        "workloads with another selector than app=NAME",
        missing,
    );
    unless(
        w.min_ready_seconds == 0 || w.kind != WorkloadKind::StatefulSet,
        "StatefulSets with minReadySeconds",
        missing,
    );
    let template = &plan.templates[w.template as usize];
    let parallel = matches!(w.spec, WorkloadSpec::StatefulSet { parallel: true, .. });
    unless(
        is_plain(&w.spec),
        "ordinals, and Jobs with rules or other completions than pods",
        missing,
    );
    json!({
        "kind": w.kind.as_str(),
        "name": name,
        "replicas": w.spec.replicas(),
        "parallel": parallel,
        "minReadySeconds": w.min_ready_seconds,
        "owner": owner.unwrap_or_default(),
        "template": template_of(plan, template, w.node, missing),
    })
}

/// A workload's kind and name, `Deployment/web`.
pub(super) fn short_name(plan: &Plan, index: WorkloadIndex) -> String {
    let w = &plan.workloads[index as usize];
    let name = w.name.rsplit('/').next().unwrap_or_default();
    format!("{}/{name}", w.kind.as_str())
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
    let later = |i: usize| {
        plan.actions
            .iter()
            .any(|a| a.act == Do::CreateBudget(i as u32))
    };
    let there = plan.budgets.iter().enumerate();
    let there = there.filter(|(i, _)| !later(*i));
    there
        .filter_map(|(_, b)| budget(b, &b.rule, missing))
        .collect()
}

/// A budget that asks for that; nothing where it cannot be said.
pub(super) fn budget(b: &BudgetPlan, rule: &BudgetRule, missing: &mut Missing) -> Option<Value> {
    let labels: Option<Map<String, Value>> = b
        .selector
        .requirements()
        .iter()
        .map(|r| match r.one_of() {
            Some((key, [value])) => Some((key.to_owned(), json!(value))),
            _ => None,
        })
        .collect();
    let (field, amount) = match rule {
        BudgetRule::MinAvailable(n) => ("minAvailable", n),
        BudgetRule::MaxUnavailable(n) => ("maxUnavailable", n),
    };
    let amount = match amount {
        IntOrPercent::Int(n) => json!(n),
        IntOrPercent::Percent(share) => json!(format!("{share}%")),
    };
    let name = b.name.strip_prefix("PodDisruptionBudget/default/");
    unless(
        labels.is_some(),
        "budgets with other selectors than labels",
        missing,
    );
    unless(
        name.is_some(),
        "budgets of other namespaces than `default`",
        missing,
    );
    let policy = if b.always_allow_unhealthy {
        "AlwaysAllow"
    } else {
        ""
    };
    Some(json!({
        "name": name?, "labels": labels?, field: amount, "unhealthyPodEvictionPolicy": policy,
    }))
}

/// The name of a kind's resource.
pub(super) fn resource(kind: WorkloadKind) -> String {
    format!("{}s", kind.as_str().to_lowercase())
}
