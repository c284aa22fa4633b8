//! Names of entries that have none: what they do, in a few words.

use crate::scenario::prelude::*;

/// Whose requests are rejected.
fn rejected(clients: Option<&[ApiClient]>) -> String {
    let Some(clients) = clients else { return "too many requests".to_owned() };
    let names: Vec<String> = clients.iter().map(|c| format!("{c:?}")).collect();
    format!("too many requests of {}", names.join(", "))
}

/// What an entry does, in a few words.
pub(super) fn describe(step: &Step) -> String {
    let (node, nodes) = step.nodes();
    let on = node.map(str::to_owned).or_else(|| nodes.map(selected)).unwrap_or_default();
    match step {
        Step::Partition { .. } => format!("partition of {on}"),
        Step::Heal { .. } => format!("heal {on}"),
        Step::Crash { .. } => format!("crash of {on}"),
        Step::Shutdown { .. } => format!("shutdown of {on}"),
        Step::Reboot { .. } => format!("reboot of {on}"),
        Step::KubeletRestart { .. } => format!("kubelet restart on {on}"),
        Step::Flap { .. } => format!("flapping of {on}"),
        Step::SlowHeartbeats { period, .. } => format!("slow heartbeats of {on} ({period})"),
        Step::Condition { kind, status, .. } => format!("{kind:?}={} on {on}", status.as_str()),
        Step::RuntimeFailure { .. } => format!("runtime failure of {on}"),
        Step::ApiOutage { of: Some(share), .. } => format!("outage of {share} API servers"),
        Step::ApiOutage { of: None, .. } => "API server outage".to_owned(),
        Step::RegistryOutage { .. } => "registry outage".to_owned(),
        Step::ProvisioningOutage { driver, zone, .. } => {
            let of = driver.as_ref().map_or(String::new(), |driver| format!(" of {driver}"));
            let within = zone.as_ref().map_or(String::new(), |zone| format!(" in zone {zone}"));
            format!("provisioning outage{of}{within}")
        }
        Step::TooManyRequests { clients, .. } => rejected(clients.as_deref()),
        Step::WatchLag { resource, lag, .. } => {
            format!("watch lag of {} ({lag})", resource_word(*resource))
        }
        Step::WatchStall { resource, .. } => format!("watch stall of {}", resource_word(*resource)),
        Step::ControllerRestart { .. } => "controller restart".to_owned(),
        Step::ClockSkew { skew, .. } => format!("clock skew of {on} ({skew})"),
        Step::AddNode { node } => {
            format!("add {}", node.names_texts().map_or_else(String::new, |n| listed(&n)))
        }
        Step::DeleteNode { .. } => format!("delete {on}"),
        Step::Taint { taint, .. } => format!("taint {on} {}", listed(taint)),
        Step::Untaint { taint, .. } => format!("untaint {on} {}", listed(taint)),
        Step::Cordon { .. } => format!("cordon {on}"),
        Step::Uncordon { .. } => format!("uncordon {on}"),
        Step::Label { labels, .. } => format!("label {on} {}", labelled(labels)),
        Step::CreatePod { pod } => format!("create pod {}", called(&pod.name, pod.names.as_ref())),
        Step::DeletePod { .. } => format!("delete pod {}", chosen(step)),
        Step::BindPod { pod, node } => format!("bind {pod} to {node}"),
        Step::PatchTolerations { .. } => format!("patch tolerations of {}", chosen(step)),
        Step::Instance { state, .. } => {
            let said = match state {
                Instance::Running => "runs",
                Instance::ShutDown => "is shut down",
                Instance::Gone => "is gone",
            };
            format!("instance of {on} {said}")
        }
        Step::Drain { .. } => format!("drain {on}"),
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
        Step::CreateDeviceTaintRule { rule } => ruled("create", &rule.name, &rule.taint),
        Step::UpdateDeviceTaintRule { rule } => ruled("change", &rule.name, &rule.taint),
        Step::DeleteDeviceTaintRule { rule } => format!("delete rule {rule}"),
        Step::TaintDevices { device, taint, .. } => {
            format!("taint {} of {on} {taint}", device.as_deref().unwrap_or("devices"))
        }
        Step::UntaintDevices { device, taint, .. } => {
            format!("untaint {} of {on} {taint}", device.as_deref().unwrap_or("devices"))
        }
        Step::CreateNodeReadinessRule { rule } => ruled("create", &rule.name, &rule.taint),
        Step::DeleteNodeReadinessRule { rule } => format!("delete rule {rule}"),
        Step::SetCondition { kind, status, .. } => format!("{kind}={} at {on}", status.as_str()),
        Step::Maintain { .. } => format!("maintenance of {on}"),
    }
}

/// What is done to a rule, and its taint.
fn ruled(done: &str, name: &str, taint: &str) -> String {
    format!("{done} rule {name}: {taint}")
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

fn chosen(step: &Step) -> String {
    match step.pods() {
        (Some(name), _) => name.to_owned(),
        (None, Some(PodSelector::Pod(name))) => name.clone(),
        (None, Some(PodSelector::All)) => "all pods".to_owned(),
        (None, Some(PodSelector::Pods(names))) => listed(&OneOrMany::Many(names.clone())),
        (None, Some(PodSelector::Group(name))) => format!("group {name}"),
        (None, Some(PodSelector::Label(text))) => format!("pods with {text}"),
        (None, None) => String::new(),
    }
}

/// A watched resource in words: "replica sets".
fn resource_word(resource: Resource) -> String {
    names::apart(&format!("{resource:?}"), ' ')
}
