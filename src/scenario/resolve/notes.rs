//! What a person should know of a run before its figures are believed: the notes of a
//! [`Plan`].
//!
//! Whatever is not simulated, is assumed, or was unusual in an export becomes one sentence here,
//! from the plan alone. Every command that gives a figure of the plan prints its notes where the
//! figure stands, in text, JSON and page. A sentence begins with its kind, `Not simulated:`,
//! `Assumed:`, `The export:`, and names a few objects; [`listed()`] leaves out the others. What only
//! a run can show belongs to the summary of the run instead.

use super::declared::Declared;
use super::device_claims;
use super::listed::{in_short, listed, owners};
use super::overrides::Changed;
use super::timeline::Written;
use crate::api::node::{allows, reaches};
use crate::api::quantity::{Quantity, add_resources};
use crate::api::taint::{OUT_OF_SERVICE, SET_BY_KUBERNETES};
use crate::api::usage::{Usages, Used};
use crate::api::volume::{Claim, attachable};
use crate::language::duration::format as seconds;
use crate::plan::{NodeStart, Timing};
use crate::scenario::prelude::*;

/// The sentences about a plan as it was built, which has its steps beside it yet.
pub(super) fn of_plan(plan: &Plan, written: &Written) -> Vec<String> {
    let Written { entries, actions, .. } = written;
    let all = [
        pre_release(plan),
        volumes(plan),
        assumed_volumes(plan),
        shutdown(plan, actions),
        ends_unseen(plan),
        pressure(plan),
        readiness(plan),
        rate_of_one(plan),
        impatient(plan),
        too_full(plan),
        out_of_reach(plan),
        on_several_nodes(plan),
        too_large(plan),
        too_few(plan),
        amid_rollout(plan),
        nowhere(plan, actions),
        another_scheduler(plan),
        made_nowhere(plan),
        storage(plan),
        misspelt(plan, actions),
        selects_nothing(plan),
        without_selector(plan),
        asks_nothing(plan),
        cut_short(plan, entries),
        written.too_late(plan.horizon),
    ];
    all.into_iter().flatten().collect()
}

/// Entries that last for longer than the run does: an outage costs more than its figures say then.
fn cut_short(plan: &Plan, entries: &[TimelineEntry]) -> Option<String> {
    let late = || entries.iter().filter(|e| e.ends.is_some_and(|end| end > plan.horizon));
    let names = listed(late().map(|e| &*e.name))?;
    let [run, last] = [plan.horizon, late().filter_map(|e| e.ends).max()?]
        .map(|at| seconds(at.since(Time::ZERO)));
    Some(format!(
        "The run ends at {run}, and {names} would end at {last}: what comes after the run is in no figure. A longer `horizon` has it."
    ))
}

/// A release that is not out yet.
fn pre_release(plan: &Plan) -> Option<String> {
    let release = Release::parse(&plan.profile.release).ok().filter(|r| r.stage.is_some())?;
    Some(format!(
        "{} is a pre-release ({release}): what it does may change before it ships.",
        release.short()
    ))
}

/// Workloads whose volumes are not simulated. An attached volume that only one node may use comes
/// free when its pod is gone from the API, which a lost node does not confirm
/// (`pkg/controller/volume/attachdetach`), so that a run without volumes replaces its pods too soon.
fn volumes(plan: &Plan) -> Option<String> {
    let names = owners(plan, |template| template.persistent_volumes)?;
    Some(format!(
        "Not simulated: volumes of {names}. A new pod may have to wait for its volume, which stays attached to a lost node or lies in a lost zone: pods missing and times below need are the least that it can be."
    ))
}

/// Workloads of whose claims nothing is known but their names.
fn assumed_volumes(plan: &Plan) -> Option<String> {
    let names = owners(plan, |t| t.claims.iter().any(|c| c.assumed))?;
    Some(format!(
        "Assumed: volumes of {names} are a cloud's disks, for one node at a time (ReadWriteOnce) and reached from one zone, as nothing is known of them. An export with pv,pvc,storageclasses,csidrivers says what they are."
    ))
}

/// Machines that are told to go off while nothing keeps them from doing so at once, and what is taken
/// to be so where something does.
fn shutdown(plan: &Plan, actions: &[Action]) -> Option<String> {
    let told = |a: &Action| match &a.act {
        Do::Fail(nodes, NodeFault::Shutdown(_)) => nodes.to_vec(),
        _ => Vec::new(),
    };
    let told: BTreeSet<NodeIndex> = actions.iter().flat_map(told).collect();
    let maintained = actions.iter().flat_map(|a| match &a.act {
        Do::Maintain(nodes, _) => nodes.to_vec(),
        _ => Vec::new(),
    });
    let is_graceful = |node: &&NodePlan| {
        let own = node.kubelet.as_ref().map(|own| &own.settings);
        own.unwrap_or(&plan.flags.kubelet).has_shutdown_periods()
    };
    let of = |nodes: BTreeSet<NodeIndex>| -> Vec<&NodePlan> {
        nodes.iter().filter_map(|n| plan.nodes.get(*n as usize)).collect()
    };
    // A maintenance of others is what it is everywhere: nobody expects more of it.
    let maintained = of(maintained.collect()).into_iter().filter(is_graceful);
    let told = of(told).into_iter().chain(maintained);
    let (graceful, others): (Vec<&NodePlan>, Vec<&NodePlan>) = told.partition(is_graceful);
    let imitated = matches!(plan.timing.kubelet, KubeletMode::Imitated(_));
    let none = "so that a machine that is told to go off does so at once";
    match (listed(others.iter().map(|n| &*n.name)), graceful.is_empty()) {
        (None, true) => None,
        (_, false) if imitated => Some(format!(
            "Not simulated: the kubelets' grace periods of a shutdown. Imitated kubelets (`timing: Ideal`) have none, {none}."
        )),
        (others, false) => {
            let others = others.map(|names| format!(" Those of {names} have none, {none}."));
            Some("Assumed: logind grants the kubelets all of their grace periods, a machine is off as soon as they are over, and what a kubelet says last of its pods arrives.".to_owned() + &others.unwrap_or_default())
        }
        (Some(names), true) => {
            let (who, of) = match plan.flags.kubelet.has_shutdown_periods() {
                true => (
                    format!("of {names} have no grace periods, as their own flags have it"),
                    "nodes[…]",
                ),
                false => {
                    ("have no grace periods, as upstream's default has it".to_owned(), "flags")
                }
            };
            Some(format!(
                "Assumed: the kubelets {who}, {none} with all that runs on it. `{of}.kubelet.shutdown-grace-period` says otherwise."
            ))
        }
    }
}

/// Jobs that wait for the phase of pods that are deleted (`onlyReplaceFailedPods`), with kubelets that post none.
fn ends_unseen(plan: &Plan) -> Option<String> {
    let imitated = matches!(plan.timing.kubelet, KubeletMode::Imitated(_));
    let of = &plan.profile.workload.job;
    let waits =
        |w: &&WorkloadPlan| matches!(&w.spec, WorkloadSpec::Job(job) if of.fail_by_phase(job));
    let jobs = plan.workloads.iter().filter(|w| imitated && waits(w));
    let names = listed(jobs.map(|w| in_short(&w.name)))?;
    Some(format!(
        "Not simulated: in which phase pods of {names} end. Imitated kubelets (`timing: Ideal`) post none, and a Job that replaces failed pods only waits for it: those that are deleted stay Terminating, and drains wait for them."
    ))
}

/// What is stated of usage: what a kubelet sees every ten seconds, the kernel may see sooner.
fn pressure(plan: &Plan) -> Option<String> {
    let memory = |u: &Usages| u.of(Used::Memory).is_some();
    let of_pods = owners(plan, |t| t.usage.as_deref().is_some_and(memory));
    let of_nodes = plan.nodes.iter().filter_map(|n| n.usage.as_ref()).any(|u| memory(&u.own));
    let who = match (of_pods, of_nodes) {
        (None, false) => return None,
        (None, true) => "nodes".to_owned(),
        (Some(names), true) => format!("nodes and of {names}"),
        (Some(names), false) => names,
    };
    Some(format!(
        "Not simulated: the kernel's OOM killer, and limits. The memory of {who} is used as stated; where it comes up to the node's memory between two looks of a kubelet, every 10 s, the kernel kills first."
    ))
}

/// The node readiness controller, of which there are no recordings.
fn readiness(plan: &Plan) -> Option<String> {
    let version = if plan.readiness.before_0_5 { "0.4.1" } else { "0.5.0" };
    plan.controllers.node_readiness.then(|| {
        format!(
            "Assumed: the node readiness controller does what the source of {version} says. It was not checked against recordings."
        )
    })
}

/// A rate of exactly 1. `SwapLimiter` (`pkg/controller/nodelifecycle/scheduler`) leaves the limiter
/// alone if its rate is the same, and the one that lets nothing through says that its rate is 1
/// (`client-go/util/flowcontrol: fakeNeverRateLimiter`), in every release.
fn rate_of_one(plan: &Plan) -> Option<String> {
    let f = &plan.flags;
    let rates = [
        ("--node-eviction-rate", f.node_eviction_rate),
        ("--secondary-node-eviction-rate", f.secondary_node_eviction_rate),
    ];
    let (flag, _) = rates.into_iter().find(|(_, rate)| *rate == 1.0)?;
    Some(format!(
        "{flag} is exactly 1, in every release a trap: a zone in which tainting was stopped, as it is while a small zone is partly down, is not tainted again until the controllers restart. 0.99 or 1.01 have no such trap."
    ))
}

/// A grace period that may be over before a healthy kubelet renews its lease again, which it does every
/// quarter of the lease's duration and up to 4 % later (`pkg/kubelet/kubelet.go: newNodeLeaseController`,
/// `component-helpers/apimachinery/lease: sync`), or where leases do not count, before it posts its status again.
fn impatient(plan: &Plan) -> Option<String> {
    let leases = plan.profile.kubelet.leases && plan.profile.node_lifecycle.leases;
    let heard = |mode: KubeletMode| match mode {
        KubeletMode::Real(real) if leases => real.node_lease_duration.as_nanos() / 4,
        KubeletMode::Real(real) => real.node_status_update_frequency.as_nanos(),
        KubeletMode::Imitated(_) => 0,
    };
    let of_all = plan.nodes.is_empty().then_some(plan.timing.kubelet);
    let modes = plan.nodes.iter().map(|n| plan.kubelet_mode(n)).chain(of_all);
    let (grace, period) = (plan.flags.node_monitor_grace_period, modes.map(heard).max()?);
    let (later, does) = match leases {
        true => (period / 25, "renews its lease every {} and up to 4 % later"),
        false => (0, "posts its status every {} (--node-status-update-frequency)"),
    };
    (grace.as_nanos() < period + later).then(|| {
        let [grace, period] = [grace, Dur::from_nanos(period)].map(duration::format);
        let does = does.replace("{}", &period);
        format!(
            "Healthy nodes may become Unknown: --node-monitor-grace-period is {grace}, and a kubelet {does}."
        )
    })
}

/// Nodes whose pods ask for more than they have when the run begins.
fn too_full(plan: &Plan) -> Option<String> {
    let mut used: Vec<Resources> = vec![Resources::new(); plan.nodes.len()];
    for (_, node, t) in running(plan) {
        if let Some(used) = used.get_mut(node as usize) {
            add_resources(used, &t.requests);
        }
    }
    let over = |(node, used): &(&NodePlan, &Resources)| exceeds(used, &node.allocatable).is_some();
    let full = plan.nodes.iter().zip(&used).filter(over).map(|(node, _)| node.name.as_str());
    let full = listed(full)?;
    Some(format!(
        "Pods that run at the start request more than there is on {full}: no scheduler would have put them there, and their replacements may not fit."
    ))
}

/// Nodes with pods whose volumes they do not reach when the run begins. Of one that was deleted nothing tells what it reached.
fn out_of_reach(plan: &Plan) -> Option<String> {
    let mut seen = BTreeSet::new();
    let nodes = running(plan).filter_map(|(_, node, t)| {
        let node = plan.nodes.get(node as usize).filter(|n| n.start != NodeStart::Absent)?;
        let is_out = !t.claims.iter().all(|c| reaches(&node.labels, &c.reach));
        (is_out && seen.insert(&node.name)).then_some(node.name.as_str())
    });
    let nodes = listed(nodes)?;
    Some(format!(
        "Pods that run at the start on {nodes} have volumes that are not reached from there: no scheduler would have put them there, and their replacements go elsewhere."
    ))
}

/// Claims of pods on several nodes when the run begins, whose volumes one node at a time may have. A pod that is bound
/// and has not started may wait for its volume.
fn on_several_nodes(plan: &Plan) -> Option<String> {
    let mut nodes: BTreeMap<String, BTreeSet<NodeIndex>> = BTreeMap::new();
    let started = running(plan).filter(|(p, ..)| p.start.phase() == Some(PodPhase::Running));
    for (p, node, t) in started {
        let of_one = |c: &&Claim| c.attach && !c.assumed && !c.access.is_multi_attach_allowed();
        for claim in t.claims.iter().filter(of_one) {
            let name = claim.name_for(short_name(&p.name));
            nodes.entry(format!("{}/{name}", namespace_of(&p.name))).or_default().insert(node);
        }
    }
    let claims = nodes.iter().filter(|(_, nodes)| nodes.len() > 1).map(|(claim, _)| claim.as_str());
    let claims = listed(claims)?;
    Some(format!(
        "Pods that run at the start on several nodes share a volume that one node at a time may have, of {claims}: it would not have been attached to the others. `access: RWX` is for several."
    ))
}

/// Workloads whose pods are larger than each node.
fn too_large(plan: &Plan) -> Option<String> {
    let of = |w: &&WorkloadPlan| plan.templates.get(w.template as usize);
    let too_large = |w: &&WorkloadPlan| {
        of(w).is_some_and(|t| {
            let fits = |n: &NodePlan| {
                exceeds(&t.requests, &n.allocatable).is_none()
                    && device_claims::fit(&t.devices, n)
                    && attachable(&t.claims, &n.allocatable)
            };
            !plan.nodes.is_empty() && !plan.nodes.iter().any(fits)
        })
    };
    let own = plan.workloads.iter().filter(|w| w.owner.is_none());
    let all: Vec<&WorkloadPlan> = own.filter(too_large).collect();
    let names = listed(all.iter().map(|w| in_short(&w.name)))?;
    let mut templates = all.iter().filter_map(of);
    let limit = templates.find_map(|t| device_claims::too_many(&t.devices, &plan.nodes));
    Some(format!(
        "No node is large enough for a pod of {names}: what is lost of them stays Pending.{}",
        limit.unwrap_or_default()
    ))
}

/// Workloads that ask for fewer pods than they need.
fn too_few(plan: &Plan) -> Option<String> {
    let is_short = |w: &&WorkloadPlan| {
        let asked = w.spec.replicas();
        w.kind != WorkloadKind::DaemonSet
            && matches!(w.needs, Some(IntOrPercent::Int(needs)) if needs > asked)
    };
    let names = listed(plan.workloads.iter().filter(is_short).map(|w| in_short(&w.name)))?;
    Some(format!("{names}: below what it needs all the time, as it asks for fewer pods than that."))
}

/// Deployments with several ReplicaSets that have pods.
fn amid_rollout(plan: &Plan) -> Option<String> {
    let mut sets: BTreeMap<WorkloadIndex, usize> = BTreeMap::new();
    let with_pods = plan.workloads.iter().filter(|w| w.spec.replicas() > 0);
    for deployment in with_pods.filter_map(|w| w.owner) {
        *sets.entry(deployment).or_default() += 1;
    }
    let several = sets.into_iter().filter(|(_, n)| *n > 1);
    let deployments = several.filter_map(|(of, _)| plan.workloads.get(of as usize));
    let names = listed(deployments.map(|w| in_short(&w.name)))?;
    Some(format!(
        "Not simulated: the rollout that {names} is amid. Its ReplicaSets keep the pods that they have, as if it were paused; the old ones go once the new one has all that are asked for, available."
    ))
}

/// Workloads whose pods no node may have by its labels. A DaemonSet without nodes is in order.
fn nowhere(plan: &Plan, actions: &[Action]) -> Option<String> {
    if plan.nodes.is_empty() || actions.iter().any(|a| matches!(a.act, Do::Label(..))) {
        return None;
    }
    let is_so = |w: &&WorkloadPlan| {
        let admits = |t: &PodTemplate| plan.nodes.iter().any(|n| t.admits_node(&n.name, &n.labels));
        let template = plan.templates.get(w.template as usize);
        w.owner.is_none() && w.kind != WorkloadKind::DaemonSet && !template.is_none_or(admits)
    };
    let names = listed(plan.workloads.iter().filter(is_so).map(|w| in_short(&w.name)))?;
    Some(format!(
        "No node has the labels that nodeSelector or node affinity of {names} asks for: what is lost of them stays Pending."
    ))
}

/// Workloads whose pods the scheduler leaves to another.
fn another_scheduler(plan: &Plan) -> Option<String> {
    let names = owners(plan, |t| t.scheduling.as_ref().is_some_and(|s| s.another_scheduler))?;
    Some(format!(
        "Not simulated: the scheduler that `schedulerName` of {names} names, so that pods of theirs that have no node stay Pending."
    ))
}

/// Claims whose volumes are made only in zones that no node is in, or for which no node has the storage.
fn made_nowhere(plan: &Plan) -> Option<String> {
    let asked = plan.profile.scheduler.storage_capacity;
    let is_so = |c: &Claim| {
        let has_enough = |n: &NodePlan| !asked || c.has_enough(&n.allocatable);
        let is_made = |n: &NodePlan| allows(&n.labels, c) && has_enough(n);
        let asks = !c.allowed_topologies.is_empty() || c.storage.is_some();
        asks && !plan.nodes.iter().any(is_made)
    };
    let names = owners(plan, |t| t.claims.iter().any(is_so))?;
    Some(format!(
        "No node is in a zone that `allowedTopologies` of {names} names, with as much storage as they ask for: pods whose volumes are still to be made stay Pending."
    ))
}

/// Claims that ask how much storage nodes have.
fn storage(plan: &Plan) -> Option<String> {
    let asked = plan.profile.scheduler.storage_capacity;
    let names = owners(plan, |t| asked && t.claims.iter().any(|c| c.storage.is_some()))?;
    Some(format!(
        "Not simulated: what volumes that are made take of the storage that nodes have. What CSIStorageCapacities say for {names} holds all the time."
    ))
}

/// Tolerations of taints that nobody sets, under names that look like those of Kubernetes' own.
fn misspelt(plan: &Plan, actions: &[Action]) -> Option<String> {
    let edits = actions.iter().filter_map(|a| match &a.act {
        Do::Taint(_, edit) => Some(&edit.add),
        _ => None,
    });
    let there = plan.nodes.iter().map(|n| &n.taints).chain(edits).flatten();
    let there: BTreeSet<&str> = there.map(|t| t.key.as_str()).collect();
    let own = || SET_BY_KUBERNETES.into_iter().chain([OUT_OF_SERVICE]);
    let meant = |key: &str| {
        let (domain, name) = key.split_once('/')?;
        let near = own().filter_map(|known| known.split_once('/')).find(|known| {
            let domains = known.0 == domain || did_you_mean(domain, [known.0]).is_some();
            domains
                && (known.1 == name || known.0 == domain && did_you_mean(name, [known.1]).is_some())
        });
        near.map(|(domain, name)| format!("{domain}/{name}"))
    };
    let keys = plan.templates.iter().flat_map(|t| &t.tolerations).map(|t| t.key.as_str());
    let unknown: BTreeSet<&str> =
        keys.filter(|key| !there.contains(key) && own().all(|known| known != *key)).collect();
    let (key, meant) = unknown.into_iter().find_map(|key| Some((key, meant(key)?)))?;
    let whose = owners(plan, |t| t.tolerations.iter().any(|t| t.key == key))?;
    Some(format!("{whose} tolerates `{key}`, a taint that nobody sets: is `{meant}` meant?"))
}

/// Budgets that are about no pod.
fn selects_nothing(plan: &Plan) -> Option<String> {
    let pods = plan.pods.iter().filter_map(|p| Some((p.name.split('/').next()?, p.template)));
    let made = plan.workloads.iter().map(|w| (namespace_of(&w.name), w.template));
    let all: BTreeSet<(&str, u32)> = pods.chain(made).collect();
    let selects = |b: &BudgetPlan| {
        all.iter().filter(|(of, _)| *of == namespace_of(&b.name)).any(|(_, template)| {
            let template = plan.templates.get(*template as usize);
            template.is_some_and(|t| b.selector.matches(&t.labels))
        })
    };
    let none = plan.budgets.iter().filter(|b| !selects(b) && b.selector != Selector::nothing());
    let names = listed(none.map(|b| in_short(&b.name)))?;
    Some(format!(
        "No pod has the labels that the selector of budget {names} asks for: it protects nothing."
    ))
}

/// Budgets that select no pod by what they are.
fn without_selector(plan: &Plan) -> Option<String> {
    let none = plan.budgets.iter().filter(|b| b.selector == Selector::nothing());
    let names = listed(none.map(|b| in_short(&b.name)))?;
    Some(match plan.profile.disruption.empty_selects_all {
        true => format!(
            "Budget {names} has no selector, so that it is about no pod. One that is empty, `selector: ()`, is every pod of the namespace."
        ),
        false => format!(
            "Budget {names} has no selector or an empty one, so that it is about no pod: up to 1.20 (policy/v1beta1) an empty one selects none, either."
        ),
    })
}

/// Budgets with neither of the two fields.
fn asks_nothing(plan: &Plan) -> Option<String> {
    let neither = plan.budgets.iter().filter(|b| b.rule == BudgetRule::Neither);
    let names = listed(neither.map(|b| in_short(&b.name)))?;
    Some(format!(
        "Budget {names} has neither minAvailable nor maxUnavailable. The API takes it, and the disruption controller expects no pods of it, so that none of them is ever evicted."
    ))
}

/// The resource of which more is asked for than there is.
fn exceeds<'a>(asked: &'a Resources, there: &Resources) -> Option<&'a str> {
    let more = |(name, amount): &(&String, &Quantity)| {
        there.get(*name).copied().unwrap_or_default() < **amount
    };
    let nothing = Quantity::default();
    asked.iter().filter(|(_, amount)| **amount > nothing).find(more).map(|(name, _)| name.as_str())
}

/// The pods that run from the start, with their nodes and templates.
fn running(plan: &Plan) -> impl Iterator<Item = (&PodPlan, NodeIndex, &PodTemplate)> {
    let there = plan.pods.iter().filter(|p| p.start.runs());
    there.filter_map(move |p| Some((p, p.node?, plan.templates.get(p.template as usize)?)))
}

/// The sentences about how a scenario became a plan: settings of an exported control plane that
/// count for nothing, and pods that the changes reach.
pub(super) fn of_changes(
    changed: &Changed,
    declared: &Declared,
    settings: &flags::Settings,
    timing: &Timing,
) -> Vec<String> {
    let pods_of = |i: usize| declared.pods_of_groups.get(i).copied().unwrap_or(0);
    let reached = changed.reached.iter().filter_map(|r| r.sentence(&pods_of));
    let own = changed.notes.iter().cloned();
    let idle = [without_leader_election(settings, timing), of_imitated(&changed.spec, timing)];
    own.chain(reached).chain(idle.into_iter().flatten()).collect()
}

/// Fields of nodes that only imitated kubelets have, where the kubelets are others.
fn of_imitated(spec: &Scenario, timing: &Timing) -> Option<String> {
    if !matches!(timing.kubelet, KubeletMode::Real(real) if !real.recorded) {
        return None;
    }
    let is_given = |of: fn(&NodeGroup) -> bool| spec.nodes.iter().any(of);
    let all = [
        ("`lease_offset`", is_given(|n| n.lease_offset.is_some())),
        ("`lease_period`", is_given(|n| n.lease_period.is_some())),
        ("`status_offset`", is_given(|n| n.status_offset.is_some())),
    ];
    let fields = listed(all.into_iter().filter(|(_, given)| *given).map(|(field, _)| field))?;
    Some(format!(
        "Only imitated kubelets (`timing: Ideal`) go by nodes' {fields}: here that changes nothing. `flags.kubelet.node-lease-duration-seconds` says how often real ones renew their leases."
    ))
}

/// A flag of leader election where there is none.
fn without_leader_election(settings: &flags::Settings, timing: &Timing) -> Option<String> {
    let flag = settings.leader.given.filter(|_| !timing.reconnects)?;
    Some(format!("There is no leader election with `timing: Ideal`: `{flag}` changes nothing."))
}
