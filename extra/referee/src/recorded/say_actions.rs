//! The timeline of a plan as the recorder's actions.

use super::missing::Missing;
use super::say_objects::{budget, namespace_of, node, pod, short_name, tolerations, workload};
use serde_json::{Map, Value, json};
use taintsim::api::device::DeviceSelector;
use taintsim::api::kubectl_taint::TaintEdit;
use taintsim::api::taint::Taint;
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{
    Action, Clients, Do, DrainOptions, IfNotDrained, Instance, Maintenance, NewRule, NodeFault,
    NodeIndex, Plan, Resource, WatchCache,
};

pub(super) fn actions(plan: &Plan, missing: &mut Missing) -> Value {
    let mut out = Vec::new();
    for action in &plan.actions {
        if let Do::RejectRequests(clients, lasts) = &action.act {
            let lasts = (*lasts).min(plan.horizon.since(action.at));
            out.extend(rejections(clients, action.at, lasts));
            continue;
        }
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
        nodes.iter().map(|&n| plan.nodes[n as usize].name.as_str()).collect()
    };
    let about = |act: &str, nodes: &[NodeIndex]| json!({"do": act, "nodes": names(nodes)});
    Ok(Some(match &action.act {
        Do::Fail(_, NodeFault::Isolated)
        | Do::Recover(_, NodeFault::Isolated)
        | Do::ApiUp(_)
        | Do::Over => return Ok(None),
        Do::Fail(nodes, fault) => {
            fails(names(nodes), *fault, true).ok_or_else(|| unsaid(&action.act))?
        }
        Do::Recover(nodes, fault) => {
            fails(names(nodes), *fault, false).ok_or_else(|| unsaid(&action.act))?
        }
        Do::DeleteNode(nodes) => about("delete-node", nodes),
        Do::Cordon(nodes, on) => about(if *on { "cordon" } else { "uncordon" }, nodes),
        Do::Taint(nodes, edit) => {
            let mut said = taints(edit);
            said["nodes"] = json!(names(nodes));
            said
        }
        Do::Label(nodes, labels) => {
            let labels: Map<String, Value> =
                labels.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
            json!({"do": "label-node", "nodes": names(nodes), "labels": labels})
        }
        Do::AddNode(n) => {
            json!({"do": "create-node", "spec": node(&plan.nodes[*n as usize])})
        }
        Do::Drain(nodes, options) => {
            json!({"do": "drain", "nodes": names(nodes), "drain": drain(options)})
        }
        Do::Maintain(nodes, how) => maintain(&names(nodes), how),
        Do::Instance(nodes, state) => {
            json!({"do": "instance", "nodes": names(nodes), "state": word(*state)})
        }
        Do::ApiDown => outage(plan, action),
        Do::WatchLag(what, lag) => {
            json!({"do": "lag-watches", "resource": what.as_str(), "lag": lag.to_string()})
        }
        Do::StallWatches(what, d) => {
            json!({"do": "stall-watches", "resource": what.as_str(), "downtime": d.to_string()})
        }
        Do::ExpireWatches(what) => {
            json!({"do": "expire-watches", "resource": what.map_or("", Resource::as_str)})
        }
        Do::LoseWatches(what) => {
            json!({"do": "lose-watches", "resource": what.map_or("", Resource::as_str)})
        }
        Do::RestartControllers(d) => {
            json!({"do": "restart-controllers", "downtime": d.to_string()})
        }
        Do::CreatePod(_) | Do::DeletePod(..) | Do::BindPod(..) | Do::PatchTolerations(..) => {
            of_pod(plan, &action.act, missing)
        }
        Do::Scale(w, replicas) => {
            let (namespace, workload) = (namespace_of(plan, *w), short_name(plan, *w));
            json!({"do": "scale", "namespace": namespace, "workload": workload, "replicas": replicas})
        }
        Do::CreateWorkload(w) => {
            let spec = workload(plan, &plan.workloads[*w as usize]);
            json!({"do": "create-workload", "workload_spec": spec})
        }
        Do::DeleteWorkload(w, how) => {
            let (namespace, workload) = (namespace_of(plan, *w), short_name(plan, *w));
            json!({"do": "delete-workload", "namespace": namespace, "workload": workload, "propagation": how.as_str()})
        }
        Do::CreateBudget(b) => {
            let b = &plan.budgets[*b as usize];
            json!({"do": "create-budget", "budget": budget(b, &b.rule)})
        }
        Do::PatchBudget(b, rule) => {
            let b = &plan.budgets[*b as usize];
            json!({"do": "change-budget", "budget": budget(b, rule)})
        }
        Do::DeleteBudget(b) => {
            let b = &plan.budgets[*b as usize];
            json!({"do": "delete-budget", "budget": budget(b, &b.rule)})
        }
        Do::TaintDevices(nodes, edit) => {
            let act = if edit.adds { "taint-device" } else { "untaint-device" };
            let taint = device_taint(&edit.selector, &edit.taint, false);
            json!({"do": act, "nodes": names(nodes), "device_taint": taint})
        }
        Do::CreateDeviceTaintRule(rule) => device_rule("create-device-rule", rule),
        Do::UpdateDeviceTaintRule(rule) => device_rule("update-device-rule", rule),
        Do::DeleteDeviceTaintRule(name) => {
            json!({"do": "delete-device-rule", "rule": {"name": name}})
        }
        other => return Err(unsaid(other)),
    }))
}

/// A rejection of requests, of one client each.
fn rejections(clients: &Clients, at: Time, lasts: Dur) -> Vec<Value> {
    let actors = match clients {
        Clients::All => vec![""],
        Clients::Of(actors) => actors.iter().map(|a| a.as_str()).collect(),
    };
    let (at, lasts) = (at.to_string(), lasts.to_string());
    let of = |actor| json!({"at": at, "do": "reject", "actor": actor, "downtime": lasts});
    actors.into_iter().map(of).collect()
}

fn device_rule(act: &str, rule: &NewRule) -> Value {
    let mut said = device_taint(&rule.selector, &rule.taint, rule.previews);
    said["name"] = json!(rule.name);
    json!({"do": act, "rule": said})
}

/// Which devices a taint is of, and the taint.
fn device_taint(of: &DeviceSelector, taint: &Taint, previews: bool) -> Value {
    json!({
        "driver": of.driver.as_deref().unwrap_or_default(),
        "pool": of.pool.as_deref().unwrap_or_default(),
        "device": of.device.as_deref().unwrap_or_default(),
        "key": taint.key,
        "value": taint.value,
        "effect": if previews { "None" } else { taint.effect.as_str() },
    })
}

/// A rolling maintenance.
fn maintain(nodes: &[&str], how: &Maintenance) -> Value {
    let if_not_drained = match how.if_not_drained {
        IfNotDrained::Stop => "stop",
        IfNotDrained::Skip => "skip",
        IfNotDrained::GoOn => "go-on",
    };
    json!({
        "do": "maintain",
        "nodes": nodes,
        "at-a-time": how.at_a_time,
        "drain": drain(&how.drain),
        "off": how.off.to_string(),
        "uncordon": how.uncordon,
        "if-not-drained": if_not_drained,
    })
}

/// What the cloud says of an instance.
fn word(instance: Instance) -> &'static str {
    match instance {
        Instance::Running => "running",
        Instance::ShutDown => "shut-down",
        Instance::Gone => "gone",
    }
}

/// An outage of the API server, which ends with its entry or not at all.
fn outage(plan: &Plan, action: &Action) -> Value {
    let over =
        plan.actions.iter().find(|a| a.entry == action.entry && matches!(a.act, Do::ApiUp(_)));
    let end = over.map_or(plan.horizon, |a| a.at);
    let lost = over.is_some_and(|a| a.act == Do::ApiUp(WatchCache::Lost));
    let cache = if lost { "lost" } else { "" };
    json!({"do": "api-outage", "downtime": end.since(action.at).to_string(), "watch-cache": cache})
}

/// An action on a pod.
fn of_pod(plan: &Plan, act: &Do, missing: &mut Missing) -> Value {
    let named = |act: &str, p: u32| {
        let full = &plan.pods[p as usize].name;
        let (namespace, name) = full.split_once('/').unwrap_or(("default", full));
        let fields = [("do", act), ("namespace", namespace), ("pod", name)];
        fields.into_iter().map(|(k, v)| (k.to_owned(), json!(v))).collect::<Map<String, Value>>()
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

/// A fault of nodes, or its end; nothing where the recorder has no such action.
fn fails(nodes: Vec<&str>, fault: NodeFault, holds: bool) -> Option<Value> {
    Some(match fault {
        NodeFault::Cut(_) => json!({"do": if holds { "cut" } else { "heal" }, "nodes": nodes}),
        NodeFault::Off => json!({"do": if holds { "crash" } else { "boot" }, "nodes": nodes}),
        NodeFault::Condition(kind, status) => {
            let status = if holds { status } else { kind.healthy() };
            json!({
                "do": "condition", "nodes": nodes, "type": kind.as_str(), "status": status.as_str(),
            })
        }
        NodeFault::ClockSkew(ns) => {
            let ns = if holds { ns } else { 0 };
            let size = Dur::from_nanos(ns.unsigned_abs());
            let sign = if ns < 0 { "-" } else { "" };
            json!({"do": "clock", "nodes": nodes, "ahead": format!("{sign}{size}")})
        }
        NodeFault::SlowHeartbeats(period) => {
            let period = if holds { period } else { Dur::ZERO }.to_string();
            json!({"do": "slow-heartbeats", "nodes": nodes, "period": period})
        }
        NodeFault::Isolated
        | NodeFault::NoKubelet
        | NodeFault::Runtime(_)
        | NodeFault::Shutdown(_) => return None,
    })
}

/// The recorder has no node readiness controller.
pub(super) const READINESS: &str = "node readiness rules";

/// What the recorder has no action for.
fn unsaid(act: &Do) -> &'static str {
    match act {
        Do::Fail(_, NodeFault::NoKubelet) | Do::Recover(_, NodeFault::NoKubelet) => {
            "kubelets that restart, which imitated ones do not"
        }
        Do::Fail(_, NodeFault::Shutdown(_)) | Do::Recover(_, NodeFault::Shutdown(_)) => {
            "machines that are told to go off"
        }
        Do::CreateReadinessRule(_) | Do::DeleteReadinessRule(_) | Do::SetCondition(..) => READINESS,
        _ => "an action that it does not have",
    }
}

/// An edit of taints; one that only removes has an action of its own.
fn taints(edit: &TaintEdit) -> Value {
    let add: Vec<String> = edit.add.iter().map(ToString::to_string).collect();
    let remove: Vec<String> = edit
        .remove
        .iter()
        .map(|(key, effect)| match effect {
            Some(effect) => format!("{key}:{effect}"),
            None => key.clone(),
        })
        .collect();
    if add.is_empty() {
        json!({"do": "untaint", "taint": remove.join(",")})
    } else {
        json!({"do": "taint", "taint": add.join(","), "untaint": remove.join(",")})
    }
}

fn drain(o: &DrainOptions) -> Value {
    json!({
        "force": o.force,
        "delete-emptydir-data": o.delete_emptydir_data,
        "ignore-daemonsets": o.ignore_daemonsets,
        "grace-period": o.grace_period.unwrap_or(-1),
        "timeout": o.timeout.unwrap_or(Dur::ZERO).to_string(),
        "disable-eviction": o.disable_eviction,
        "skip-wait-for-delete-timeout": o.skip_wait_for_delete_timeout.map_or(0, Dur::as_secs),
    })
}
