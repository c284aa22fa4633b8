//! What one entry of the timeline does, as primitive steps with offsets from its beginning.

use super::super::problem::Problem;
use super::super::spec::{
    ConditionKind, Cut, DrainFlags, DurationText, InstanceState, NodeSelector, OneOrMany,
    PodSelector, Resource, Step,
};
use super::super::syntax::{Place, at};
use super::budgets::{self, Budgets};
use super::complaints::Complaints;
use super::nodes::{condition_kind, status, with};
use super::pods::tolerations;
use super::select::{Nodes, Pods};
use super::workloads::Workloads;
use super::{PODS_MAX, checks, maintain, values};
use crate::api::kubectl_taint::TaintEdit;
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::api::workload::WorkloadKind;
use crate::kernel::Dur;
use crate::plan::{
    BudgetIndex, Do, Instance, NodeIndex, Phase, PodIndex, Profile, WatchedResource, WorkloadIndex,
};
use std::collections::BTreeMap;

/// One primitive step: when, from the beginning of its entry; which part of the entry; what.
pub(super) type Primitive = (Dur, Phase, Do);

/// How many partitions one flapping entry may stand for.
const FLAPS_MAX: u32 = 100_000;

/// How many nodes the steps of a timeline may name in all, each time a node is named.
pub(super) const MENTIONS_MAX: u64 = 20_000_000;

/// How many nodes a step names, and the step itself.
pub(super) fn weight(act: &Do) -> u64 {
    1 + act.nodes().map_or(0, |nodes| nodes.len() as u64)
}

const START: Dur = Dur::from_nanos(0);

/// What an entry's steps are looked up in.
pub(super) struct World<'a> {
    pub(super) nodes: &'a Nodes,
    pub(super) pods: &'a Pods,
    pub(super) workloads: &'a Workloads,
    pub(super) budgets: &'a Budgets,
    pub(super) profile: &'a Profile,
    /// The nodes, pods, workloads or budgets that an entry of that number adds.
    pub(super) added: &'a BTreeMap<usize, Vec<u32>>,
}

/// How long an entry lasts, if it ends; complaints about its durations.
pub(super) fn lasts(i: usize, step: &Step, complaints: &mut Complaints) -> Option<Dur> {
    let place = |field: &'static str| at!["timeline", i, "do", field];
    let mut read = |text: &Option<DurationText>, field| {
        text.as_ref()
            .and_then(|t| complaints.take(place(field), values::positive(t.as_str())))
    };
    match step {
        Step::Partition { duration, .. }
        | Step::Crash { duration, .. }
        | Step::SlowHeartbeats { duration, .. }
        | Step::Condition { duration, .. }
        | Step::ApiOutage { duration }
        | Step::WatchLag { duration, .. }
        | Step::ClockSkew { duration, .. } => read(duration, "duration"),
        Step::WatchStall { duration, .. } => read(&Some(duration.clone()), "duration"),
        Step::ControllerRestart { downtime } => {
            complaints.take(place("downtime"), values::span(downtime.as_str()))
        }
        Step::Flap {
            down, up, times, ..
        } => {
            let (down, up) = (
                read(&Some(down.clone()), "down"),
                read(&Some(up.clone()), "up"),
            );
            if *times == 0 || *times > FLAPS_MAX {
                complaints.say(
                    place("times"),
                    format!("a flapping node is cut off between 1 and {FLAPS_MAX} times"),
                );
                return None;
            }
            let (down, up) = (down?, up?);
            Some(
                down.saturating_add(up)
                    .saturating_mul(u64::from(*times))
                    .saturating_sub(up),
            )
        }
        _ => None,
    }
}

/// Whether an entry makes nodes unhealthy, so that people want to know times since.
pub(super) fn is_fault(step: &Step) -> bool {
    matches!(
        step,
        Step::Partition { .. }
            | Step::Crash { .. }
            | Step::Reboot { .. }
            | Step::Flap { .. }
            | Step::SlowHeartbeats { .. }
            | Step::Condition { .. }
            | Step::ApiOutage { .. }
    )
}

/// The steps of an entry; nothing if a complaint is about it.
pub(super) fn primitives(
    i: usize,
    step: &Step,
    lasts: Option<Dur>,
    world: &World<'_>,
    complaints: &mut Complaints,
) -> Option<Vec<Primitive>> {
    let at = |field: &'static str| at!["timeline", i, "do", field];
    // What begins, and what ends it.
    let lasting = |begin: Do, end: Do| {
        let mut steps = vec![(START, Phase::Begin, begin)];
        steps.extend(lasts.map(|d| (d, Phase::End, end)));
        Some(steps)
    };
    let once = |act: Do| Some(vec![(START, Phase::Begin, act)]);
    let nodes =
        |node: &Option<String>, nodes: &Option<NodeSelector>, complaints: &mut Complaints| {
            target_nodes(i, node.as_deref(), nodes.as_ref(), world, complaints)
        };
    match step {
        Step::Partition {
            node,
            nodes: selector,
            cut,
            ..
        } => {
            let n = nodes(node, selector, complaints)?;
            let mut steps = cutting(n.clone(), *cut, START, Phase::Begin);
            steps.extend(
                lasts
                    .into_iter()
                    .flat_map(|d| healing(n.clone(), *cut, d, Phase::End)),
            );
            Some(steps)
        }
        Step::Heal {
            node,
            nodes: selector,
        } => Some(healing(
            nodes(node, selector, complaints)?,
            Cut::Network,
            START,
            Phase::Begin,
        )),
        Step::Crash {
            node,
            nodes: selector,
            ..
        } => {
            let n = nodes(node, selector, complaints)?;
            lasting(Do::Crash(n.clone()), Do::Boot(n))
        }
        Step::Reboot {
            node,
            nodes: selector,
        } => {
            let n = nodes(node, selector, complaints)?;
            Some(vec![
                (START, Phase::Begin, Do::Crash(n.clone())),
                (START, Phase::Step, Do::Boot(n)),
            ])
        }
        Step::Flap {
            node,
            nodes: selector,
            cut,
            down,
            up,
            times,
        } => {
            let n = nodes(node, selector, complaints)?;
            // Both were read with the entry's length.
            let (down, up) = (
                values::positive(down.as_str()).ok()?,
                values::positive(up.as_str()).ok()?,
            );
            lasts?;
            if u64::from(*times).saturating_mul(4 * n.len() as u64) > MENTIONS_MAX {
                complaints.say(
                    at("times"),
                    "so many nodes cannot flap so often: the timeline would be too long",
                );
                return None;
            }
            let mut steps = Vec::with_capacity(4 * *times as usize);
            for k in 0..u64::from(*times) {
                let begin = down.saturating_add(up).saturating_mul(k);
                let first = if k == 0 { Phase::Begin } else { Phase::Step };
                let last = if k + 1 == u64::from(*times) {
                    Phase::End
                } else {
                    Phase::Step
                };
                steps.extend(cutting(n.clone(), *cut, begin, first));
                steps.extend(healing(n.clone(), *cut, begin.saturating_add(down), last));
            }
            Some(steps)
        }
        Step::SlowHeartbeats {
            node,
            nodes: selector,
            period,
            ..
        } => {
            let period = complaints.take(at("period"), values::positive(period.as_str()));
            let n = nodes(node, selector, complaints)?;
            lasting(
                Do::HeartbeatPeriod(n.clone(), Some(period?)),
                Do::HeartbeatPeriod(n, None),
            )
        }
        Step::Condition {
            node,
            nodes: selector,
            kind,
            status: wanted,
            ..
        } => {
            if *kind == ConditionKind::OutOfDisk && !world.profile.node_lifecycle.out_of_disk {
                complaints.say(
                    at("type"),
                    format!(
                        "Kubernetes {} has no condition OutOfDisk; 1.13 was the last",
                        world.profile.release
                    ),
                );
            }
            let (kind, n) = (condition_kind(*kind), nodes(node, selector, complaints)?);
            let healthy = if kind == NodeConditionType::Ready {
                ConditionStatus::True
            } else {
                ConditionStatus::False
            };
            lasting(
                Do::Condition(n.clone(), kind, status(*wanted)),
                Do::Condition(n, kind, healthy),
            )
        }
        Step::ApiOutage { .. } => lasting(Do::ApiDown, Do::ApiUp),
        Step::WatchLag { resource, lag, .. } => {
            let lag = complaints.take(at("lag"), values::positive(lag.as_str()))?;
            lasting(
                Do::WatchLag(watched(*resource), lag),
                Do::WatchLag(watched(*resource), START),
            )
        }
        Step::WatchStall { resource, .. } => {
            lasting(Do::StallWatches(watched(*resource), lasts?), Do::Over)
        }
        Step::ControllerRestart { .. } => once(Do::RestartControllers(lasts?)),
        Step::ClockSkew {
            node,
            nodes: selector,
            skew,
            ..
        } => {
            let skew = complaints.take(at("skew"), values::signed(skew.as_str()));
            let n = nodes(node, selector, complaints)?;
            lasting(Do::ClockSkew(n.clone(), skew?), Do::ClockSkew(n, 0))
        }
        Step::AddNode { .. } => each(world.added.get(&i)?, Do::AddNode),
        Step::DeleteNode {
            node,
            nodes: selector,
        } => once(Do::DeleteNode(nodes(node, selector, complaints)?)),
        Step::Taint {
            node,
            nodes: selector,
            taint,
            overwrite,
        } => {
            let edit = taint_edit(taint.texts(), &at("taint"), complaints);
            let n = nodes(node, selector, complaints)?;
            once(Do::Taint(
                n,
                TaintEdit {
                    overwrite: *overwrite,
                    ..edit?
                },
            ))
        }
        Step::Untaint {
            node,
            nodes: selector,
            taint,
        } => {
            let edit = untaint_edit(taint, &at("taint"), complaints);
            let n = nodes(node, selector, complaints)?;
            once(Do::Taint(n, edit?))
        }
        Step::Cordon {
            node,
            nodes: selector,
        } => once(Do::Cordon(nodes(node, selector, complaints)?, true)),
        Step::Uncordon {
            node,
            nodes: selector,
        } => once(Do::Cordon(nodes(node, selector, complaints)?, false)),
        Step::Label {
            node,
            nodes: selector,
            labels,
        } => {
            for (key, value) in labels {
                let value = value.as_deref().unwrap_or_default();
                if let Err(problem) = checks::label(key, value) {
                    complaints.add(with(&at("labels"), key), problem);
                }
            }
            if labels.is_empty() {
                complaints.say(at("labels"), "no label is given here");
            }
            let n = nodes(node, selector, complaints)?;
            once(Do::Label(
                n,
                labels.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            ))
        }
        Step::CreatePod { .. } => each(world.added.get(&i)?, Do::CreatePod),
        Step::DeletePod {
            pod,
            pods: selector,
            grace_period_seconds,
        } => {
            let grace = *grace_period_seconds;
            if grace.is_some_and(|g| g < 0) {
                complaints.say(
                    at("gracePeriodSeconds"),
                    "must be greater than or equal to 0",
                );
            }
            let pods = target_pods(i, pod.as_deref(), selector.as_ref(), world, complaints)?;
            each(&pods, |p| Do::DeletePod(p, grace))
        }
        Step::BindPod { pod, node } => {
            let pod = world
                .pods
                .named(pod)
                .map_err(|p| p.into_iter().for_each(|p| complaints.add(at("pod"), p)));
            let node = world
                .nodes
                .named(node)
                .map_err(|p| p.into_iter().for_each(|p| complaints.add(at("node"), p)));
            once(Do::BindPod(pod.ok()?, node.ok()?))
        }
        Step::PatchTolerations {
            pod,
            pods: selector,
            tolerations: written,
        } => {
            let read = tolerations(
                written,
                &at("tolerations"),
                world.profile.taint_eviction.comparison_operators,
                complaints,
            );
            let pods = target_pods(i, pod.as_deref(), selector.as_ref(), world, complaints)?;
            each(&pods, |p| Do::PatchTolerations(p, read.clone()))
        }
        Step::Instance {
            node,
            nodes: selector,
            state,
        } => {
            let instance = match state {
                InstanceState::Running => Instance::Running,
                InstanceState::ShutDown => Instance::ShutDown,
                InstanceState::Gone => Instance::Gone,
            };
            once(Do::Instance(nodes(node, selector, complaints)?, instance))
        }
        Step::Drain {
            node,
            nodes: selector,
            force,
            ignore_daemonsets,
            delete_emptydir_data,
            disable_eviction,
            grace_period_seconds,
            timeout,
            skip_wait_for_delete_timeout,
        } => {
            let n = nodes(node, selector, complaints);
            let flags = DrainFlags {
                force: *force,
                ignore_daemonsets: Some(*ignore_daemonsets),
                delete_emptydir_data: *delete_emptydir_data,
                disable_eviction: *disable_eviction,
                grace_period_seconds: *grace_period_seconds,
                timeout: timeout.clone(),
                skip_wait_for_delete_timeout: skip_wait_for_delete_timeout.clone(),
            };
            let options = maintain::drain_options(&flags, &at!["timeline", i, "do"], complaints);
            once(Do::Drain(n?, options))
        }
        Step::Scale { workload, replicas } => {
            let index = target_workload(i, workload, world, complaints)?;
            let kind = world.workloads.plans[index as usize].kind;
            if *replicas < 0 {
                complaints.say(at("replicas"), "must be greater than or equal to 0");
            } else if *replicas as u64 > PODS_MAX {
                complaints.say(
                    at("replicas"),
                    format!("a cluster has at most {PODS_MAX} pods"),
                );
            }
            if matches!(kind, WorkloadKind::DaemonSet | WorkloadKind::Job) {
                complaints.say(
                    at("workload"),
                    format!("a {} cannot be scaled", kind.as_str()),
                );
            }
            once(Do::Scale(index, *replicas))
        }
        Step::CreateWorkload { .. } => each(world.added.get(&i)?, Do::CreateWorkload),
        Step::DeleteWorkload { workload } => once(Do::DeleteWorkload(target_workload(
            i, workload, world, complaints,
        )?)),
        Step::CreateBudget { .. } => each(world.added.get(&i)?, Do::CreateBudget),
        Step::PatchBudget {
            budget,
            min_available,
            max_unavailable,
        } => {
            let rule = budgets::rule(
                min_available.as_ref(),
                max_unavailable.as_ref(),
                &at!["timeline", i, "do"],
                complaints,
            );
            once(Do::PatchBudget(
                target_budget(i, budget, world, complaints)?,
                rule?,
            ))
        }
        Step::DeleteBudget { budget } => once(Do::DeleteBudget(target_budget(
            i, budget, world, complaints,
        )?)),
        Step::Maintain {
            node,
            nodes: selector,
            at_a_time,
            drain,
            off,
            then,
            if_not_drained,
        } => {
            let n = nodes(node, selector, complaints);
            let written = maintain::Written {
                at_a_time: at_a_time.as_ref(),
                drain,
                off,
                then: *then,
                if_not_drained: *if_not_drained,
            };
            let how = written.read(
                n.as_ref().map_or(0, Vec::len),
                &at!["timeline", i, "do"],
                complaints,
            );
            once(Do::Maintain(n?, Box::new(how?)))
        }
    }
}

/// Nodes are cut off.
fn cutting(nodes: Vec<NodeIndex>, cut: Cut, at: Dur, phase: Phase) -> Vec<Primitive> {
    let isolate = (cut == Cut::Network).then(|| (at, Phase::Step, Do::Isolate(nodes.clone())));
    std::iter::once((at, phase, Do::Cut(nodes)))
        .chain(isolate)
        .collect()
}

/// What [`cutting`] did ends.
fn healing(nodes: Vec<NodeIndex>, cut: Cut, at: Dur, phase: Phase) -> Vec<Primitive> {
    let reconnect = (cut == Cut::Network).then(|| (at, Phase::Step, Do::Reconnect(nodes.clone())));
    std::iter::once((at, phase, Do::Heal(nodes)))
        .chain(reconnect)
        .collect()
}

/// The same for each of several: the first begins the entry.
fn each(all: &[u32], act: impl Fn(u32) -> Do) -> Option<Vec<Primitive>> {
    Some(
        all.iter()
            .enumerate()
            .map(|(k, &x)| {
                (
                    START,
                    if k == 0 { Phase::Begin } else { Phase::Step },
                    act(x),
                )
            })
            .collect(),
    )
}

fn watched(resource: Resource) -> WatchedResource {
    match resource {
        Resource::Nodes => WatchedResource::Nodes,
        Resource::Pods => WatchedResource::Pods,
        Resource::Leases => WatchedResource::Leases,
        Resource::Deployments => WatchedResource::Workloads(WorkloadKind::Deployment),
        Resource::ReplicaSets => WatchedResource::Workloads(WorkloadKind::ReplicaSet),
        Resource::StatefulSets => WatchedResource::Workloads(WorkloadKind::StatefulSet),
        Resource::DaemonSets => WatchedResource::Workloads(WorkloadKind::DaemonSet),
        Resource::Jobs => WatchedResource::Workloads(WorkloadKind::Job),
    }
}

fn target_workload(
    i: usize,
    name: &str,
    world: &World<'_>,
    complaints: &mut Complaints,
) -> Option<WorkloadIndex> {
    let place = || at!["timeline", i, "do", "workload"];
    world
        .workloads
        .named(name)
        .map_err(|problem| problem.into_iter().for_each(|p| complaints.add(place(), p)))
        .ok()
}

fn target_budget(
    i: usize,
    name: &str,
    world: &World<'_>,
    complaints: &mut Complaints,
) -> Option<BudgetIndex> {
    let place = || at!["timeline", i, "do", "budget"];
    world
        .budgets
        .named(name)
        .map_err(|problem| problem.into_iter().for_each(|p| complaints.add(place(), p)))
        .ok()
}

fn target_nodes(
    i: usize,
    node: Option<&str>,
    nodes: Option<&NodeSelector>,
    world: &World<'_>,
    complaints: &mut Complaints,
) -> Option<Vec<NodeIndex>> {
    let place: Place = at!["timeline", i, "do"];
    let (place, selected) = match (node, nodes) {
        (Some(name), None) => (
            with(&place, "node"),
            world.nodes.named(name).map(|n| vec![n]),
        ),
        (None, Some(selector)) => (with(&place, "nodes"), world.nodes.select(selector)),
        (Some(_), Some(_)) => {
            complaints.say(
                with(&place, "nodes"),
                "give either `node` or `nodes`, not both",
            );
            return None;
        }
        (None, None) => {
            let help = "`node: \"a-03\"`, or `nodes: Zone(\"b\")`, `Nodes([…])`, `Label(\"k=v\")`, `Share(of: …, fraction: 0.5)`, `All`";
            complaints.add(
                place,
                Problem::new("this needs `node` or `nodes`").help(help),
            );
            return None;
        }
    };
    selected
        .map_err(|problem| {
            problem
                .into_iter()
                .for_each(|p| complaints.add(place.clone(), p))
        })
        .ok()
}

fn target_pods(
    i: usize,
    pod: Option<&str>,
    pods: Option<&PodSelector>,
    world: &World<'_>,
    complaints: &mut Complaints,
) -> Option<Vec<PodIndex>> {
    let place: Place = at!["timeline", i, "do"];
    let (place, selected) = match (pod, pods) {
        (Some(name), None) => (with(&place, "pod"), world.pods.named(name).map(|p| vec![p])),
        (None, Some(selector)) => (with(&place, "pods"), world.pods.select(selector)),
        (Some(_), Some(_)) => {
            complaints.say(
                with(&place, "pods"),
                "give either `pod` or `pods`, not both",
            );
            return None;
        }
        (None, None) => {
            let help =
                "`pod: \"web-0\"`, or `pods: Group(\"web\")`, `Pods([…])`, `Label(\"k=v\")`, `All`";
            complaints.add(place, Problem::new("this needs `pod` or `pods`").help(help));
            return None;
        }
    };
    selected
        .map_err(|problem| {
            problem
                .into_iter()
                .for_each(|p| complaints.add(place.clone(), p))
        })
        .ok()
}

fn taint_edit(texts: &[String], place: &Place, complaints: &mut Complaints) -> Option<TaintEdit> {
    complaints.take(place.clone(), checks::taint_edit(texts))
}

fn untaint_edit(
    texts: &OneOrMany,
    place: &Place,
    complaints: &mut Complaints,
) -> Option<TaintEdit> {
    let removing: Vec<String> = texts
        .texts()
        .iter()
        .map(|t| {
            if t.ends_with('-') {
                t.clone()
            } else {
                format!("{t}-")
            }
        })
        .collect();
    taint_edit(&removing, place, complaints)
}
