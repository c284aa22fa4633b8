//! The objects of a plan as the recorder's scenarios have them.

use super::exported::{say_node, say_pod};
use super::missing::{Missing, unless};
use super::objects::DELETION_COST;
use super::{pod_spec, workload_spec};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use taintsim::api::budget::{BudgetRule, IntOrPercent};
use taintsim::api::device::{Device, DeviceClaim, DeviceRequest, ExactDeviceRequest};
use taintsim::api::labels::{LabelSelector, Labels};
use taintsim::api::pod::{PodSource, PodTemplate};
use taintsim::api::quantity::Resources;
use taintsim::api::toleration::Toleration;
use taintsim::api::volume::{Claim, DEFAULT_DRIVER, Reach, attach_limit_key};
use taintsim::api::workload::WorkloadSpec;
use taintsim::plan::{
    BudgetPlan, Do, NodePlan, NodeStart, Plan, PodPlan, PodStart, WorkloadIndex, WorkloadPlan,
};

pub(super) fn nodes(plan: &Plan) -> Value {
    let there = plan.nodes.iter().filter(|n| n.start != NodeStart::Absent);
    there.map(node).collect()
}

pub(super) fn node(n: &NodePlan) -> Value {
    let mut out = json!({
        "name": n.name,
        "labels": *n.labels,
        "taints": n.taints.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "unschedulable": n.unschedulable,
        "capacity": capacity(&n.allocatable),
        "lease_offset": n.lease_offset.to_string(),
        "lease_period": n.lease_period.to_string(),
        "status_offset": n.status_offset.to_string(),
        "silent": n.start == NodeStart::Silent,
    });
    if !n.devices.is_empty() {
        let device = |d: &Device| json!({"driver": d.driver, "names": [d.name]});
        out["devices"] = n.devices.iter().map(device).collect();
    }
    say_node(&n.start, &mut out);
    out
}

/// All but how many disks it takes, which is said of all nodes at once.
fn capacity(resources: &Resources) -> Value {
    let mut all = resources.clone();
    all.remove(&attach_limit_key(DEFAULT_DRIVER));
    amounts(&all)
}

fn amounts(resources: &Resources) -> Value {
    let texts = resources.iter().map(|(r, q)| (r.clone(), json!(q.to_string())));
    Value::Object(texts.collect())
}

pub(super) fn pods(plan: &Plan, missing: &mut Missing) -> Value {
    let there = plan.pods.iter().filter(|p| p.start != PodStart::Absent);
    there.map(|p| pod(plan, p, missing)).collect()
}

pub(super) fn pod(plan: &Plan, p: &PodPlan, missing: &mut Missing) -> Value {
    let template = &plan.templates[p.template as usize];
    let mut out = template_of(plan, template, p.node);
    let (namespace, name) = p.name.split_once('/').unwrap_or(("default", &p.name));
    out.insert("namespace".to_owned(), json!(namespace));
    out.insert("name".to_owned(), json!(name));
    out.insert("running".to_owned(), json!(p.start == PodStart::Running));
    say_pod(&p.start, &mut out);
    let is_there = |n: u32| plan.nodes[n as usize].start != NodeStart::Absent;
    let later = p.start == PodStart::Absent;
    unless(later || p.node.is_none_or(is_there), "pods of nodes that were deleted before", missing);
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
    plan.actions.iter().any(|a| matches!(a.act, Do::Drain(..) | Do::Maintain(..)))
}

fn claim(c: &Claim) -> Value {
    let mut out = json!({"claim": c.name, "access": c.access.as_str()});
    match &c.reach {
        Reach::Everywhere => {}
        // The recorder knows it by its label, without its region.
        Reach::Zone(zone) => out["zone"] = json!(zone.as_ref().and_then(|z| z.rsplit('/').next())),
        Reach::Node(node) => out["host"] = json!(node),
    }
    out
}

/// What a claim asks for.
fn device_claim(c: &DeviceClaim) -> Value {
    let exactly = |r: &ExactDeviceRequest| {
        let (field, how) = match r.count {
            Some(count) => ("count", json!(count)),
            None => ("allocationMode", json!("All")),
        };
        json!({"driver": r.driver, field: how, "tolerations": tolerations(&r.tolerations)})
    };
    let request = |r: &DeviceRequest| match r {
        DeviceRequest::Exactly(only) => exactly(only),
        DeviceRequest::FirstAvailable(list) => {
            json!({"firstAvailable": list.iter().map(exactly).collect::<Vec<_>>()})
        }
    };
    match &c.requests[..] {
        [DeviceRequest::Exactly(only)] => exactly(only),
        several => json!({"requests": several.iter().map(request).collect::<Vec<_>>()}),
    }
}

/// The claims on devices that exist by themselves, as far as pods name them.
pub(super) fn resource_claims(plan: &Plan) -> Vec<Value> {
    let all = plan.templates.iter().flat_map(|t| &t.devices);
    let shared: BTreeMap<_, _> = all.filter_map(|c| Some((c.shared.clone()?, c))).collect();
    let said = shared.into_iter().map(|(full, claim)| {
        let (namespace, name) = full.split_once('/').unwrap_or(("default", &*full));
        let mut said = device_claim(claim);
        (said["namespace"], said["name"]) = (json!(namespace), json!(name));
        said
    });
    said.collect()
}

/// What pods and templates have in common.
fn template_of(plan: &Plan, t: &PodTemplate, node: Option<u32>) -> Map<String, Value> {
    let mut out = Map::new();
    let mut set = |name: &str, value: Value| out.insert(name.to_owned(), value);
    match t.source {
        PodSource::Api => None,
        PodSource::File => set("static", json!("file")),
        PodSource::Url => set("static", json!("url")),
    };
    if !t.claims.is_empty() {
        set("volumes", t.claims.iter().map(claim).collect());
    }
    if !t.devices.is_empty() {
        let claim = |c: &DeviceClaim| match &c.shared {
            Some(name) => json!({"resourceClaimName": name.rsplit('/').next()}),
            None => device_claim(c),
        };
        set("deviceClaims", t.devices.iter().map(claim).collect());
    }
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
    if t.scheduling.as_ref().is_some_and(|s| s.never_preempts) {
        set("preemptionPolicy", json!("Never"));
    }
    if t.deletion_cost != 0 {
        set("annotations", json!({DELETION_COST: t.deletion_cost.to_string()}));
    }
    if let Some(rest) = pod_spec::rest_of(t) {
        set("spec", json!(rest));
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

pub(super) fn workloads(plan: &Plan) -> Value {
    let later = |i: usize| plan.actions.iter().any(|a| a.act == Do::CreateWorkload(i as u32));
    let there = plan.workloads.iter().enumerate();
    let there = there.filter(|(i, _)| !later(*i));
    there.map(|(_, w)| workload(plan, w)).collect()
}

pub(super) fn workload(plan: &Plan, w: &WorkloadPlan) -> Value {
    let mut parts = w.name.splitn(3, '/').skip(1);
    let (namespace, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let owner = w.owner.map(|o| short_name(plan, o));
    let app = owner.as_deref().and_then(|o| o.split_once('/'));
    let app = app.map_or(name, |(_, deployment)| deployment);
    let by_name = LabelSelector {
        match_labels: Labels::from([("app".to_owned(), app.to_owned())]),
        ..LabelSelector::default()
    };
    let template = &plan.templates[w.template as usize];
    let parallel = matches!(w.spec, WorkloadSpec::StatefulSet { parallel: true, .. });
    let mut pods = template_of(plan, template, w.node);
    if matches!(&w.spec, WorkloadSpec::Job(job) if !job.restart_never) {
        let mut spec = pods.remove("spec").unwrap_or_else(|| json!({}));
        spec["restartPolicy"] = json!("OnFailure");
        pods.insert("spec".to_owned(), spec);
    }
    let mut said = json!({
        "kind": w.kind.as_str(),
        "namespace": namespace,
        "name": name,
        "replicas": w.spec.replicas(),
        "parallel": parallel,
        "minReadySeconds": w.min_ready_seconds,
        "owner": owner.unwrap_or_default(),
        "template": pods,
    });
    if *w.selector != by_name {
        said["selector"] = json!(pod_spec::label_selector_of(&w.selector));
    }
    if let Some(rest) = workload_spec::rest_of(&w.spec, w.min_ready_seconds) {
        said["spec"] = json!(rest);
    }
    said
}

/// A workload's namespace.
pub(super) fn namespace_of(plan: &Plan, index: WorkloadIndex) -> &str {
    let w = &plan.workloads[index as usize];
    w.name.split('/').nth(1).unwrap_or_default()
}

/// A workload's kind and name, `Deployment/web`.
pub(super) fn short_name(plan: &Plan, index: WorkloadIndex) -> String {
    let w = &plan.workloads[index as usize];
    let name = w.name.rsplit('/').next().unwrap_or_default();
    format!("{}/{name}", w.kind.as_str())
}

pub(super) fn budgets(plan: &Plan) -> Value {
    let later = |i: usize| plan.actions.iter().any(|a| a.act == Do::CreateBudget(i as u32));
    let there = plan.budgets.iter().enumerate();
    let there = there.filter(|(i, _)| !later(*i));
    there.map(|(_, b)| budget(b, &b.rule)).collect()
}

/// A budget that asks for that.
pub(super) fn budget(b: &BudgetPlan, rule: &BudgetRule) -> Value {
    let amount = |amount: &IntOrPercent| match amount {
        IntOrPercent::Int(n) => json!(n),
        IntOrPercent::Percent(share) => json!(format!("{share}%")),
    };
    let (field, amount) = match rule {
        BudgetRule::MinAvailable(n) => ("minAvailable", amount(n)),
        BudgetRule::MaxUnavailable(n) => ("maxUnavailable", amount(n)),
        BudgetRule::Neither => ("minAvailable", Value::Null),
    };
    let mut parts = b.name.splitn(3, '/').skip(1);
    let (namespace, name) = (parts.next(), parts.next());
    let policy = if b.always_allow_unhealthy { "AlwaysAllow" } else { "" };
    json!({
        "namespace": namespace, "name": name, "selector": pod_spec::selector_of(&b.selector), field: amount,
        "unhealthyPodEvictionPolicy": policy,
    })
}
