//! Names of entries that have none: what they do, in a few words.

use crate::language::{ApiClient, FlagValue, NodeSelector, OneOrMany, PodSelector, Step};
use crate::plan::{Instance, Resource};
use std::collections::BTreeMap;

/// Whose requests are rejected.
fn rejected(clients: Option<&[ApiClient]>) -> String {
    let Some(clients) = clients else {
        return "too many requests".to_owned();
    };
    let names: Vec<String> = clients.iter().map(|c| format!("{c:?}")).collect();
    format!("too many requests of {}", names.join(", "))
}

/// What an entry does, in a few words.
pub(super) fn describe(step: &Step) -> String {
    let on = |node: &Option<String>, nodes: &Option<NodeSelector>| match (node, nodes) {
        (Some(node), _) => node.clone(),
        (None, Some(nodes)) => selected(nodes),
        (None, None) => String::new(),
    };
    match step {
        Step::Partition { node, nodes, .. } => format!("partition of {}", on(node, nodes)),
        Step::Heal { node, nodes } => format!("heal {}", on(node, nodes)),
        Step::Crash { node, nodes, .. } => format!("crash of {}", on(node, nodes)),
        Step::Reboot { node, nodes } => format!("reboot of {}", on(node, nodes)),
        Step::KubeletRestart { node, nodes, .. } => {
            format!("kubelet restart on {}", on(node, nodes))
        }
        Step::Flap { node, nodes, .. } => format!("flapping of {}", on(node, nodes)),
        Step::SlowHeartbeats { node, nodes, period, .. } => {
            format!("slow heartbeats of {} ({period})", on(node, nodes))
        }
        Step::Condition { node, nodes, kind, status, .. } => {
            let said = format!("{}={}", kind.of_api().as_str(), status.as_str());
            format!("{said} on {}", on(node, nodes))
        }
        Step::RuntimeFailure { node, nodes, .. } => {
            format!("runtime failure of {}", on(node, nodes))
        }
        Step::ApiOutage { of, .. } => outage(of.as_deref()),
        Step::TooManyRequests { clients, .. } => rejected(clients.as_deref()),
        Step::WatchLag { resource, lag, .. } => {
            format!("watch lag of {} ({lag})", resource_word(*resource))
        }
        Step::WatchStall { resource, .. } => format!("watch stall of {}", resource_word(*resource)),
        Step::ControllerRestart { .. } => "controller restart".to_owned(),
        Step::ClockSkew { node, nodes, skew, .. } => {
            format!("clock skew of {} ({skew})", on(node, nodes))
        }
        Step::AddNode { node } => {
            format!("add {}", node.names_texts().map_or_else(String::new, |n| listed(&n)))
        }
        Step::DeleteNode { node, nodes } => format!("delete {}", on(node, nodes)),
        Step::Taint { node, nodes, taint, .. } => {
            format!("taint {} {}", on(node, nodes), listed(taint))
        }
        Step::Untaint { node, nodes, taint } => {
            format!("untaint {} {}", on(node, nodes), listed(taint))
        }
        Step::Cordon { node, nodes } => format!("cordon {}", on(node, nodes)),
        Step::Uncordon { node, nodes } => format!("uncordon {}", on(node, nodes)),
        Step::Label { node, nodes, labels } => {
            format!("label {} {}", on(node, nodes), labelled(labels))
        }
        Step::CreatePod { pod } => {
            format!("create pod {}", called(&pod.name, pod.names.as_ref()))
        }
        Step::DeletePod { pod, pods, .. } => format!("delete pod {}", chosen(pod, pods)),
        Step::BindPod { pod, node } => format!("bind {pod} to {node}"),
        Step::PatchTolerations { pod, pods, .. } => {
            format!("patch tolerations of {}", chosen(pod, pods))
        }
        Step::Instance { node, nodes, state } => {
            let said = match state {
                Instance::Running => "runs",
                Instance::ShutDown => "is shut down",
                Instance::Gone => "is gone",
            };
            format!("instance of {} {said}", on(node, nodes))
        }
        Step::Drain { node, nodes, .. } => format!("drain {}", on(node, nodes)),
        Step::Scale { workload, replicas } => format!("scale {workload} to {replicas}"),
        Step::CreateWorkload { workload } => {
            let group = workload.group();
            format!("create {}", called(&group.name, group.names.as_ref()))
        }
        Step::DeleteWorkload { workload, .. } => format!("delete {workload}"),
        Step::CreateBudget { budget } => format!("create budget {}", budget.name),
        Step::PatchBudget { budget, min_available, max_unavailable } => {
            let asks = asks(min_available, max_unavailable);
            format!("patch budget {budget}{}", asks.unwrap_or_default())
        }
        Step::DeleteBudget { budget } => format!("delete budget {budget}"),
        Step::Maintain { node, nodes, .. } => format!("maintenance of {}", on(node, nodes)),
    }
}

/// Labels as `kubectl label` takes them.
fn labelled(labels: &BTreeMap<String, Option<String>>) -> String {
    let one = |(k, v): (&String, &Option<String>)| {
        v.as_ref().map_or_else(|| format!("{k}-"), |v| format!("{k}={v}"))
    };
    labels.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// The name of a group, or its names.
fn called(name: &Option<String>, names: Option<&OneOrMany>) -> String {
    name.clone().or_else(|| names.map(listed)).unwrap_or_default()
}

/// What a budget asks for, with a space before it.
fn asks(min_available: &Option<FlagValue>, max_unavailable: &Option<FlagValue>) -> Option<String> {
    let amount = |field, value: &Option<FlagValue>| value.as_ref().map(|v| format!(" {field} {v}"));
    amount("minAvailable", min_available).or_else(|| amount("maxUnavailable", max_unavailable))
}

fn listed(texts: &OneOrMany) -> String {
    let texts = texts.texts();
    match texts {
        [] => String::new(),
        [one] => one.clone(),
        [first, .., last] if texts.len() > 4 => format!("{first} to {last}"),
        _ => texts.join(" "),
    }
}

fn selected(selector: &NodeSelector) -> String {
    match selector {
        NodeSelector::All => "all nodes".to_owned(),
        NodeSelector::Node(name) => name.clone(),
        NodeSelector::Nodes(names) => listed(&OneOrMany::Many(names.clone())),
        NodeSelector::Zone(zone) => format!("zone {zone}"),
        NodeSelector::Region(region) => format!("region {region}"),
        NodeSelector::Label(text) => format!("nodes with {text}"),
        NodeSelector::Share { of, fraction, .. } => {
            format!("{} % of {}", (fraction * 1000.0).round() / 10.0, selected(of))
        }
    }
}

fn chosen(pod: &Option<String>, pods: &Option<PodSelector>) -> String {
    match (pod, pods) {
        (Some(name), _) | (None, Some(PodSelector::Pod(name))) => name.clone(),
        (None, Some(PodSelector::All)) => "all pods".to_owned(),
        (None, Some(PodSelector::Pods(names))) => listed(&OneOrMany::Many(names.clone())),
        (None, Some(PodSelector::Group(name))) => format!("group {name}"),
        (None, Some(PodSelector::Label(text))) => format!("pods with {text}"),
        (None, None) => String::new(),
    }
}

fn resource_word(resource: Resource) -> &'static str {
    match resource {
        Resource::Nodes => "nodes",
        Resource::Pods => "pods",
        Resource::Leases => "leases",
        Resource::Deployments => "deployments",
        Resource::ReplicaSets => "replica sets",
        Resource::StatefulSets => "stateful sets",
        Resource::DaemonSets => "daemon sets",
        Resource::Jobs => "jobs",
        Resource::Budgets => "disruption budgets",
    }
}

/// An outage of the API server, or of some of several.
fn outage(of: Option<&str>) -> String {
    of.map_or_else(
        || "API server outage".to_owned(),
        |share| format!("outage of {share} API servers"),
    )
}
