//! The timeline of a plan as the recorder's actions.

use super::missing::Missing;
use super::say_objects::{budget, node, pod, resource, short_name, tolerations, workload};
use crate::api::kubectl_taint::TaintEdit;
use crate::kernel::Dur;
use crate::plan::{Action, Do, DrainOptions, NodeIndex, Plan, WatchedResource};
use serde_json::{Map, Value, json};

pub(super) fn actions(plan: &Plan, missing: &mut Missing) -> Value {
    let mut out = Vec::new();
    for action in &plan.actions {
        match said(plan, action, missing) {
            Ok(Some(Value::Object(mut said))) => {
                said.insert("at".to_owned(), json!(action.at.to_string()));
                out.push(Value::Object(said));
            }
            // The end of something that its beginning says, or what is of no concern to the API.
            Ok(_) => {}
            Err(what) => {
                missing.insert(what.to_owned());
            }
        }
    }
    Value::Array(out)
}

/// An action without its time; nothing where there is nothing to say, else what cannot be said.
fn said(
    plan: &Plan,
    action: &Action,
    missing: &mut Missing,
) -> Result<Option<Value>, &'static str> {
    let names = |nodes: &[NodeIndex]| -> Vec<&str> {
        nodes
            .iter()
            .map(|&n| plan.nodes[n as usize].name.as_str())
            .collect()
    };
    let about = |act: &str, nodes: &[NodeIndex]| json!({"do": act, "nodes": names(nodes)});
    Ok(Some(match &action.act {
        // What a machine without power does, a kubelet without a network does, too, as far as the
        // API server can see: the imitated ones write what they owe when they are back.
        Do::Crash(_) | Do::Boot(_) if is_cut_too(plan) => return Err(unsaid(&action.act)),
        Do::Cut(nodes, _) | Do::Crash(nodes) => about("cut", nodes),
        Do::Heal(nodes) | Do::Boot(nodes) => about("heal", nodes),
        Do::DeleteNode(nodes) => about("delete-node", nodes),
        Do::Cordon(nodes, on) => about(if *on { "cordon" } else { "uncordon" }, nodes),
        Do::Isolate(_) | Do::Reconnect(_) | Do::ApiUp(_) | Do::Over => return Ok(None),
        Do::Condition(nodes, kind, status) => json!({
            "do": "condition", "nodes": names(nodes), "type": kind.as_str(), "status": status.as_str(),
        }),
        Do::ClockSkew(nodes, ns) => {
            let size = Dur::from_nanos(ns.unsigned_abs());
            let sign = if *ns < 0 { "-" } else { "" };
            json!({"do": "clock", "nodes": names(nodes), "ahead": format!("{sign}{size}")})
        }
        Do::Taint(nodes, edit) => {
            let (act, taint) = taints(edit)?;
            json!({"do": act, "nodes": names(nodes), "taint": taint})
        }
        Do::Label(nodes, labels) => {
            let labels: Map<String, Value> =
                labels.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
            json!({"do": "label-node", "nodes": names(nodes), "labels": labels})
        }
        Do::AddNode(n) => {
            json!({"do": "create-node", "spec": node(&plan.nodes[*n as usize], missing)})
        }
        Do::Drain(nodes, options) => {
            json!({"do": "drain", "nodes": names(nodes), "drain": drain(options)?})
        }
        Do::ApiDown => outage(plan, action),
        Do::StallWatches(what, d) => {
            json!({"do": "stall-watches", "resource": watched(*what), "downtime": d.to_string()})
        }
        Do::ExpireWatches(what) => {
            json!({"do": "expire-watches", "resource": what.map(watched).unwrap_or_default()})
        }
        Do::RestartControllers(d) => {
            json!({"do": "restart-controllers", "downtime": d.to_string()})
        }
        Do::CreatePod(_) | Do::DeletePod(..) | Do::BindPod(..) | Do::PatchTolerations(..) => {
            of_pod(plan, &action.act, missing)
        }
        Do::Scale(w, replicas) => {
            json!({"do": "scale", "workload": short_name(plan, *w), "replicas": replicas})
        }
        Do::CreateWorkload(w) => {
            let spec = workload(plan, &plan.workloads[*w as usize], missing);
            json!({"do": "create-workload", "workload_spec": spec})
        }
        Do::DeleteWorkload(w, how) => {
            let workload = short_name(plan, *w);
            json!({"do": "delete-workload", "workload": workload, "propagation": how.as_str()})
        }
        Do::CreateBudget(b) => {
            let b = &plan.budgets[*b as usize];
            json!({"do": "create-budget", "budget": budget(b, &b.rule, missing)})
        }
        Do::PatchBudget(b, rule) => {
            let b = &plan.budgets[*b as usize];
            json!({"do": "change-budget", "budget": budget(b, rule, missing)})
        }
        Do::DeleteBudget(b) => {
            let b = &plan.budgets[*b as usize];
            json!({"do": "delete-budget", "budget": budget(b, &b.rule, missing)})
        }
        other => return Err(unsaid(other)),
    }))
}

/// Whether nodes are cut off in the run as well; a heal would then end a crash.
fn is_cut_too(plan: &Plan) -> bool {
    plan.actions.iter().any(|a| matches!(a.act, Do::Cut(..)))
}

/// An outage of the API server, which ends with its entry or not at all.
fn outage(plan: &Plan, action: &Action) -> Value {
    let over = plan
        .actions
        .iter()
        .find(|a| a.entry == action.entry && matches!(a.act, Do::ApiUp(_)));
    let end = over.map_or(plan.horizon, |a| a.at);
    json!({"do": "api-outage", "downtime": end.since(action.at).to_string()})
}

/// An action on a pod.
fn of_pod(plan: &Plan, act: &Do, missing: &mut Missing) -> Value {
    let named = |act: &str, p: u32| {
        let full = &plan.pods[p as usize].name;
        let (namespace, name) = full.split_once('/').unwrap_or(("default", full));
        let fields = [("do", act), ("namespace", namespace), ("pod", name)];
        fields
            .into_iter()
            .map(|(k, v)| (k.to_owned(), json!(v)))
            .collect::<Map<String, Value>>()
    };
    let with = |mut fields: Map<String, Value>, name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
        Value::Object(fields)
    };
    match act {
        Do::DeletePod(p, grace) => with(named("delete-pod", *p), "grace", json!(grace)),
        Do::BindPod(p, n) => {
            let node = json!(plan.nodes[*n as usize].name);
            with(named("bind-pod", *p), "node", node)
        }
        Do::PatchTolerations(p, all) => {
            let fields = named("patch-pod-tolerations", *p);
            with(fields, "tolerations", tolerations(all))
        }
        Do::CreatePod(p) => {
            json!({"do": "create-pod", "pod_spec": pod(plan, &plan.pods[*p as usize], missing)})
        }
        _ => Value::Null,
    }
}

/// What the recorder has no action for.
fn unsaid(act: &Do) -> &'static str {
    match act {
        Do::Crash(_) | Do::Boot(_) => {
            "machines that crash in a run in which nodes are cut off, too"
        }
        Do::HeartbeatPeriod(..) => "heartbeats whose period changes",
        Do::WatchLag(..) => "watches that lag",
        Do::Instance(..) => "what a cloud provider says",
        Do::Maintain(..) => "maintenance of nodes",
        _ => "an action that it does not have",
    }
}

/// An edit of taints, which is either one that adds or one that removes.
fn taints(edit: &TaintEdit) -> Result<(&'static str, String), &'static str> {
    let add: Vec<String> = edit.add.iter().map(ToString::to_string).collect();
    let remove: Vec<String> = edit
        .remove
        .iter()
        .map(|(key, effect)| match effect {
            Some(effect) => format!("{key}:{effect}"),
            None => key.clone(),
        })
        .collect();
    match (add.is_empty(), remove.is_empty()) {
        (false, true) => Ok(("taint", add.join(","))),
        (true, false) => Ok(("untaint", remove.join(","))),
        _ => Err("a write that adds and removes taints"),
    }
}

fn drain(o: &DrainOptions) -> Result<Value, &'static str> {
    // Pods have no volumes there, so that --delete-emptydir-data is of no concern.
    if o.skip_wait_for_delete_timeout.is_some() {
        return Err("drains with --skip-wait-for-delete-timeout");
    }
    Ok(json!({
        "force": o.force,
        "ignore-daemonsets": o.ignore_daemonsets,
        "grace-period": o.grace_period.unwrap_or(-1),
        "timeout": o.timeout.unwrap_or(Dur::ZERO).to_string(),
        "disable-eviction": o.disable_eviction,
    }))
}

fn watched(what: WatchedResource) -> String {
    match what {
        WatchedResource::Nodes => "nodes".to_owned(),
        WatchedResource::Pods => "pods".to_owned(),
        WatchedResource::Leases => "leases".to_owned(),
        WatchedResource::Workloads(kind) => resource(kind),
    }
}
