//! A recorded scenario as a plan, with exactly the delays it states and the recorder's defaults for
//! the rest.
//!
//! The recorder's `kubelet.go` (`join`), `scenario.go` and `oracle_test.go` (`play`,
//! `startControllers`, `act`) are the reference. Where the recorder would do nothing (deleting a
//! pod that never existed), nothing is planned; where it would have crashed (cutting a node that
//! never existed), the scenario is refused.

use super::file::Recorded;
use super::format::{
    ActionSpec, BudgetSpec, GoDuration, LimitsSpec, NodeSpec, PodSpec, RecordedScenario,
    TolerationSpec, WorkloadSpec,
};
use crate::api::budget::{BudgetRule, IntOrPercent};
use crate::api::kubectl_taint::{self, TaintEdit};
use crate::api::labels::{LabelSelector, Labels};
use crate::api::meta::ConditionStatus;
use crate::api::node::{
    LABEL_REGION, LABEL_REGION_BETA, LABEL_ZONE, LABEL_ZONE_BETA, NodeConditionType,
};
use crate::api::pod::PodTemplate;
use crate::api::quantity::{Quantity, Resources};
use crate::api::scheduling::SchedulingSpec;
use crate::api::taint::{Effect, Taint};
use crate::api::toleration::{Operator, Toleration};
use crate::api::workload::{JobSpec, WorkloadKind, WorkloadSpec as Spec};
use crate::kernel::{Dur, Time};
use crate::plan::{
    Action, Admission, BudgetPlan, Controllers, Delay, Do, Flags, Imitated, KubeletMode, Limits,
    NodeIndex, NodePlan, NodeStart, Perturb, Phase, Plan, PodIndex, PodPlan, PodStart, Profile,
    SchedulerSettings, TimelineEntry, Timing, UserMode, WatchedResource, WorkloadPlan,
};
use crate::scenario::profiles;
use crate::trace::Actor;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The longest horizon that is taken, 366 days; a longer one is a mistake, and would run for as
/// good as ever.
const LONGEST_HORIZON: Dur = Dur::from_secs(366 * 24 * 3600);
/// The shortest period of anything that recurs; a shorter one would be all that a run is busy with.
const SHORTEST_PERIOD: Dur = Dur::from_millis(1);
/// client-go's default limits (`rest/config.go: DefaultQPS, DefaultBurst`), which stand where a
/// limit is given as zero.
const DEFAULT_LIMITS: Limits = Limits {
    qps: 5.0,
    burst: 10,
};

/// Why a recorded scenario makes no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// It needs what is not modelled: controllers, kinds of objects.
    #[error("not modelled: {}", .0.join(", "))]
    NotModelled(Vec<String>),
    /// It says what cannot be.
    #[error("{0}")]
    Invalid(String),
}

fn invalid(text: impl Into<String>) -> PlanError {
    PlanError::Invalid(text.into())
}

impl Recorded {
    /// The plan that replays this recording: its scenario under the profile of its release.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let profile = profiles::profile(&self.release).map_err(|e| invalid(e.to_string()))?;
        build(&self.scenario, profile)
    }
}

/// The controllers that are modelled, under the recorder's names.
const MODELLED: [&str; 10] = [
    "node-lifecycle",
    "taint-eviction",
    "pod-gc",
    "replicaset",
    "statefulset",
    "daemonset",
    "deployment",
    "job",
    "disruption",
    "scheduler",
];

/// What of a scenario the model has not.
fn not_modelled(sc: &RecordedScenario, separate: bool) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(wanted) = &sc.controllers {
        out.extend(
            wanted
                .iter()
                .filter(|c| !MODELLED.contains(&c.as_str()))
                .cloned(),
        );
        let missing = |name: &str| !wanted.iter().any(|c| c == name);
        // Up to 1.28 the taint manager is a part of the node lifecycle controller, and comes with
        // it.
        if missing("node-lifecycle") || separate && missing("taint-eviction") {
            out.push("a run without node-lifecycle or taint-eviction".to_owned());
        }
    }
    out
}

fn controllers(sc: &RecordedScenario) -> Controllers {
    let wanted = |name: &str| {
        sc.controllers
            .as_ref()
            .is_some_and(|all| all.iter().any(|c| c == name))
    };
    Controllers {
        pod_gc: wanted("pod-gc"),
        deployment: wanted("deployment"),
        replica_set: wanted("replicaset"),
        stateful_set: wanted("statefulset"),
        daemon_set: wanted("daemonset"),
        job: wanted("job"),
        cloud: false,
        disruption: wanted("disruption"),
        scheduler: wanted("scheduler"),
    }
}

pub(super) fn build(sc: &RecordedScenario, profile: Profile) -> Result<Plan, PlanError> {
    let missing = not_modelled(sc, profile.taint_eviction.separate_controller);
    if !missing.is_empty() {
        return Err(PlanError::NotModelled(missing));
    }
    let mut b = Builder::default();
    for n in &sc.nodes {
        b.node(
            n,
            if n.silent {
                NodeStart::Silent
            } else {
                NodeStart::Ready
            },
        )?;
    }
    for p in &sc.pods {
        b.pod(p, PodStart::Pending)?;
    }
    for w in &sc.workloads {
        b.workload(w)?;
    }
    let mut last = Time::ZERO;
    for a in &sc.actions {
        // The recorder works through the list; an action that comes too early in it is done when
        // its turn comes.
        last = last.max(Time::ZERO + a.at.0);
        b.action(last, a)?;
    }
    // The recorder works through all actions, even those beyond the horizon.
    let horizon = (Time::ZERO + sc.horizon.0).max(last);
    if horizon.since(Time::ZERO) > LONGEST_HORIZON {
        return Err(invalid(format!(
            "a horizon of {horizon} is longer than {LONGEST_HORIZON}"
        )));
    }
    let flags = flags(sc, &profile)?;
    Ok(Plan {
        name: sc.name.clone(),
        doc: sc.doc.clone(),
        notes: Vec::new(),
        horizon,
        flags,
        timing: timing(sc)?,
        admission: Admission {
            default_toleration_seconds: sc
                .admission
                .as_ref()
                .is_none_or(|a| a.join(",").contains("DefaultTolerationSeconds")),
            taint_nodes_by_condition: true,
            pod_toleration_restriction: false,
            extended_resource_toleration: false,
        },
        warm_start: false,
        controllers_start: Time::ZERO + sc.controllers_start.0,
        profile,
        nodes: b.nodes,
        templates: b.templates,
        pods: b.pods,
        controllers: controllers(sc),
        scheduler: SchedulerSettings::default(),
        workloads: b.workloads,
        budgets: sc.budgets.iter().map(budget).collect::<Result<_, _>>()?,
        namespaces: BTreeMap::new(),
        timeline: b.timeline,
        actions: b.actions,
        perturb: Perturb::default(),
        tape: None,
    })
}

/// A duration, or the default where it is zero (`scenario.go: or`).
fn or(given: GoDuration, default: Dur) -> Dur {
    if given.0.is_zero() { default } else { given.0 }
}

fn period(what: &str, d: Dur) -> Result<Dur, PlanError> {
    if d < SHORTEST_PERIOD {
        Err(invalid(format!(
            "{what} of {d} is shorter than {SHORTEST_PERIOD}"
        )))
    } else {
        Ok(d)
    }
}

fn flags(sc: &RecordedScenario, profile: &Profile) -> Result<Flags, PlanError> {
    let f = &sc.flags;
    Ok(Flags {
        node_monitor_period: period(
            "node-monitor-period",
            or(f.node_monitor_period, Dur::from_secs(5)),
        )?,
        node_monitor_grace_period: or(
            f.node_monitor_grace_period,
            profile.node_monitor_grace_period,
        ),
        node_startup_grace_period: or(f.node_startup_grace_period, Dur::from_secs(60)),
        node_eviction_rate: f.node_eviction_rate.unwrap_or(0.1),
        secondary_node_eviction_rate: f.secondary_node_eviction_rate.unwrap_or(0.01),
        large_cluster_size_threshold: f.large_cluster_size_threshold.unwrap_or(50),
        unhealthy_zone_threshold: f.unhealthy_zone_threshold.unwrap_or(0.55),
        pod_eviction_timeout: Dur::from_secs(300),
        enable_taint_manager: true,
        terminated_pod_gc_threshold: 12_500,
        default_not_ready_toleration_seconds: 300,
        default_unreachable_toleration_seconds: 300,
    })
}

/// The controllers beside those of node failure handling, each with a client of its own.
const OTHERS: [Actor; 8] = [
    Actor::PodGc,
    Actor::Deployment,
    Actor::ReplicaSet,
    Actor::StatefulSet,
    Actor::DaemonSet,
    Actor::Job,
    Actor::Disruption,
    Actor::Scheduler,
];

fn timing(sc: &RecordedScenario) -> Result<Timing, PlanError> {
    let constant = |d: Dur| Delay { min: d, max: d };
    let limits = |actor: &str| {
        sc.clients
            .get(actor)
            .or_else(|| sc.clients.get("*"))
            .and_then(client_limits)
    };
    let second = Dur::from_secs(1);
    let k = &sc.kubelet;
    Ok(Timing {
        name: "Recorded".to_owned(),
        request: constant(sc.api.request.0),
        response: constant(sc.api.response.map_or(Dur::from_nanos(1), |d| d.0)),
        watch: constant(sc.api.watch.0),
        pass_overhead: sc.pass_overhead.map_or(Dur::from_micros(1), |d| d.0),
        // The recorder's own, whatever the scenario has for the monitor (`adapter.go`).
        pod_gc_overhead: Dur::from_micros(1),
        clock_advances: false,
        node_lifecycle_client: limits("node-lifecycle"),
        taint_eviction_client: limits("taint-eviction"),
        clients: OTHERS
            .into_iter()
            .filter_map(|actor| Some((actor, limits(actor.as_str())?)))
            .collect(),
        kubelet: KubeletMode::Imitated(Imitated {
            start: k.start.map_or(second, |d| d.0),
            stop: k.stop.map_or(second, |d| d.0),
            status_report: or(k.status_report, Dur::from_secs(300)),
            repost_pod_ready: k.repost_pod_ready.unwrap_or(true),
        }),
        user: UserMode::Raw,
    })
}

/// The limits as client-go takes them: zero is its default, a negative rate is unlimited.
fn client_limits(l: &LimitsSpec) -> Option<Limits> {
    let qps = if l.qps == 0.0 {
        DEFAULT_LIMITS.qps
    } else {
        l.qps
    };
    let burst = if l.burst == 0 {
        DEFAULT_LIMITS.burst
    } else {
        l.burst
    };
    (qps > 0.0).then_some(Limits { qps, burst })
}

/// What grows as the scenario is read. Of several nodes or pods of one name the latest is meant.
#[derive(Default)]
struct Builder {
    nodes: Vec<NodePlan>,
    node_names: BTreeMap<String, NodeIndex>,
    templates: Vec<PodTemplate>,
    template_texts: BTreeMap<String, u32>,
    pods: Vec<PodPlan>,
    pod_names: BTreeMap<String, PodIndex>,
    workloads: Vec<WorkloadPlan>,
    timeline: Vec<TimelineEntry>,
    actions: Vec<Action>,
}

impl Builder {
    fn node(&mut self, spec: &NodeSpec, start: NodeStart) -> Result<NodeIndex, PlanError> {
        if spec.name.is_empty() {
            return Err(invalid("a node has no name"));
        }
        if start == NodeStart::Absent && spec.silent {
            return Err(PlanError::NotModelled(vec![
                "a silent node that joins later".to_owned(),
            ]));
        }
        let taints = spec
            .taints
            .iter()
            .map(|t| taint_edit(t, false))
            .collect::<Result<Vec<_>, _>>()?;
        let taints = taints.into_iter().flat_map(|edit| edit.add).collect();
        let mut capacity = BTreeMap::from([("cpu", "4"), ("memory", "16Gi"), ("pods", "110")]);
        capacity.extend(spec.capacity.iter().map(|(r, q)| (r.as_str(), q.as_str())));
        let lease_period = period("lease_period", or(spec.lease_period, Dur::from_secs(10)))?;
        let plan = NodePlan {
            name: spec.name.clone(),
            labels: Rc::new(node_labels(spec)),
            taints,
            unschedulable: spec.unschedulable,
            allocatable: Rc::new(resources(capacity)?),
            // An offset of zero is one period (`kubelet.go: every`).
            lease_offset: or(spec.lease_offset, lease_period),
            lease_period,
            status_offset: or(spec.status_offset, Dur::from_secs(10)),
            start,
        };
        // A pod may be bound to a node before that joins; the node then keeps the index the pod
        // refers to.
        if let (NodeStart::Absent, Some(&i)) = (&plan.start, self.node_names.get(&spec.name))
            && self.nodes[i as usize].start == NodeStart::Absent
            && !self.actions.iter().any(|a| a.act == Do::AddNode(i))
        {
            self.nodes[i as usize] = plan;
            return Ok(i);
        }
        let index = self.nodes.len() as NodeIndex;
        self.nodes.push(plan);
        self.node_names.insert(spec.name.clone(), index);
        Ok(index)
    }

    /// The node of that name; one that never joins where the scenario knows none, which the API
    /// server allows.
    fn node_of_pod(&mut self, name: &str) -> Result<NodeIndex, PlanError> {
        match self.node_names.get(name) {
            Some(&i) => Ok(i),
            None => self.node(
                &NodeSpec {
                    name: name.to_owned(),
                    ..NodeSpec::default()
                },
                NodeStart::Absent,
            ),
        }
    }

    fn pod(&mut self, spec: &PodSpec, start: PodStart) -> Result<PodIndex, PlanError> {
        if spec.name.is_empty() {
            return Err(invalid("a pod has no name"));
        }
        let template = self.template(template(spec)?);
        let node = if spec.node.is_empty() {
            None
        } else {
            Some(self.node_of_pod(&spec.node)?)
        };
        let name = pod_name(&spec.namespace, &spec.name);
        let index = self.pods.len() as PodIndex;
        self.pods.push(PodPlan {
            name: name.as_str().into(),
            template,
            node,
            start,
        });
        self.pod_names.insert(name, index);
        Ok(index)
    }

    /// The place of a template; equal ones share it.
    fn template(&mut self, template: PodTemplate) -> u32 {
        let next = self.templates.len() as u32;
        let index = *self
            .template_texts
            .entry(format!("{template:?}"))
            .or_insert(next);
        if index == next {
            self.templates.push(template);
        }
        index
    }

    /// A workload as the recorder makes it (`workloads.go: createWorkload`).
    fn workload(&mut self, w: &WorkloadSpec) -> Result<(), PlanError> {
        let kind = WorkloadKind::parse(&w.kind)
            .ok_or_else(|| invalid(format!("{:?} is no kind of workload", w.kind)))?;
        if w.name.is_empty() || w.replicas < 0 {
            return Err(invalid(format!(
                "a {kind} has no name, or fewer than no pods",
                kind = w.kind
            )));
        }
        let mut pod = template(&w.template)?;
        pod.labels.insert("app".to_owned(), w.name.clone());
        let spec = match kind {
            WorkloadKind::Deployment => Spec::Deployment {
                replicas: w.replicas,
            },
            WorkloadKind::ReplicaSet => Spec::ReplicaSet {
                replicas: w.replicas,
            },
            WorkloadKind::StatefulSet => Spec::StatefulSet {
                replicas: w.replicas,
                parallel: w.parallel,
                first_ordinal: 0,
            },
            WorkloadKind::DaemonSet => Spec::DaemonSet,
            WorkloadKind::Job => {
                pod.labels
                    .insert("controller-uid".to_owned(), w.name.clone());
                Spec::Job(JobSpec {
                    parallelism: w.replicas,
                    completions: Some(w.replicas),
                    backoff_limit: 6,
                    pod_replacement_policy: None,
                    pod_failure_policy: Vec::new(),
                    restart_never: true,
                })
            }
        };
        let selector = LabelSelector {
            match_labels: Labels::from([("app".to_owned(), w.name.clone())]),
            ..LabelSelector::default()
        };
        let node = if w.template.node.is_empty() {
            None
        } else {
            Some(self.node_of_pod(&w.template.node)?)
        };
        let template = self.template(pod);
        self.workloads.push(WorkloadPlan {
            name: format!("{}/default/{}", w.kind, w.name),
            kind,
            owner: None,
            selector: Rc::new(selector),
            template,
            node,
            min_ready_seconds: 0,
            needs: None,
            spec,
        });
        Ok(())
    }

    /// The nodes of an action whose write finds no node where there is none, and so does nothing.
    fn known_nodes(&self, a: &ActionSpec) -> Vec<NodeIndex> {
        a.node_names()
            .filter_map(|n| self.node_names.get(n).copied())
            .collect()
    }

    /// The nodes of an action that needs their kubelets.
    fn kubelets(&self, a: &ActionSpec) -> Result<Vec<NodeIndex>, PlanError> {
        let of = |n| {
            self.node_names.get(n).copied().ok_or_else(|| {
                invalid(format!(
                    "{:?} names the node {n:?}, which is not there",
                    a.act
                ))
            })
        };
        a.node_names().map(of).collect()
    }

    fn action(&mut self, at: Time, a: &ActionSpec) -> Result<(), PlanError> {
        let mut ends = None;
        let act = match a.act.as_str() {
            "cut" => Do::Cut(self.kubelets(a)?),
            "heal" => Do::Heal(self.kubelets(a)?),
            "taint" | "untaint" => Do::Taint(
                self.known_nodes(a),
                taint_edit(&a.taint, a.act == "untaint")?,
            ),
            "cordon" | "uncordon" => Do::Cordon(self.known_nodes(a), a.act == "cordon"),
            "label-node" => Do::Label(self.known_nodes(a), a.labels.clone().into_iter().collect()),
            "condition" => {
                let kind = NodeConditionType::parse(&a.kind).ok_or_else(|| {
                    PlanError::NotModelled(vec![format!("the node condition {:?}", a.kind)])
                })?;
                let status = ConditionStatus::parse(&a.status).ok_or_else(|| {
                    invalid(format!("{:?} is no status of a condition", a.status))
                })?;
                Do::Condition(self.kubelets(a)?, kind, status)
            }
            "create-node" => {
                let spec = a
                    .spec
                    .as_ref()
                    .ok_or_else(|| invalid("create-node has no \"spec\""))?;
                Do::AddNode(self.node(spec, NodeStart::Absent)?)
            }
            "delete-node" => Do::DeleteNode(self.kubelets(a)?),
            "create-pod" => {
                let spec = a
                    .pod_spec
                    .as_ref()
                    .ok_or_else(|| invalid("create-pod has no \"pod_spec\""))?;
                Do::CreatePod(self.pod(spec, PodStart::Absent)?)
            }
            "delete-pod" | "bind-pod" | "patch-pod-tolerations" => {
                let pod = match self.pod_names.get(&pod_name(&a.namespace, &a.pod)) {
                    Some(&pod) => pod,
                    // It may be a pod of a workload.
                    None if !self.workloads.is_empty() && !a.pod.is_empty() => {
                        let named = PodSpec {
                            name: a.pod.clone(),
                            namespace: a.namespace.clone(),
                            ..PodSpec::default()
                        };
                        self.pod(&named, PodStart::Absent)?
                    }
                    // The API server answers "not found" for a pod that never existed, and nothing
                    // comes of it.
                    None => return Ok(()),
                };
                match a.act.as_str() {
                    "delete-pod" => {
                        Do::DeletePod(pod, a.grace.map(|g| g.clamp(0, i64::from(i32::MAX))))
                    }
                    "bind-pod" => Do::BindPod(pod, self.node_of_pod(&a.node)?),
                    _ => Do::PatchTolerations(pod, tolerations(&a.tolerations)?),
                }
            }
            "restart-controllers" => Do::RestartControllers(a.downtime.0),
            "stall-watches" => {
                let resource = match a.resource.as_str() {
                    "nodes" => WatchedResource::Nodes,
                    "pods" => WatchedResource::Pods,
                    "leases" => WatchedResource::Leases,
                    "deployments" => WatchedResource::Workloads(WorkloadKind::Deployment),
                    "replicasets" => WatchedResource::Workloads(WorkloadKind::ReplicaSet),
                    "statefulsets" => WatchedResource::Workloads(WorkloadKind::StatefulSet),
                    "daemonsets" => WatchedResource::Workloads(WorkloadKind::DaemonSet),
                    "jobs" => WatchedResource::Workloads(WorkloadKind::Job),
                    // Nobody among the modelled controllers acts on other watches.
                    _ => return Ok(()),
                };
                ends = at.checked_add(a.downtime.0);
                Do::StallWatches(resource, a.downtime.0)
            }
            other => return Err(invalid(format!("the recorder knows no action {other:?}"))),
        };
        let entry = self.timeline.len() as u32;
        self.timeline.push(TimelineEntry {
            at,
            name: entry_name(a),
            ends,
            is_fault: a.act == "cut",
        });
        self.actions.push(Action {
            at,
            entry,
            phase: Phase::Begin,
            act,
        });
        Ok(())
    }
}

/// What a pod's spec comes down to.
fn template(spec: &PodSpec) -> Result<PodTemplate, PlanError> {
    if spec
        .grace
        .is_some_and(|g| !(0..=i64::from(i32::MAX)).contains(&g))
    {
        return Err(invalid(format!(
            "pod {:?} has a grace period of {} s",
            spec.name,
            spec.grace.unwrap_or_default()
        )));
    }
    let never_preempts = spec.preemption_policy.as_deref() == Some("Never");
    Ok(PodTemplate {
        labels: spec.labels.clone(),
        tolerations: tolerations(&spec.tolerations)?,
        termination_grace_period_seconds: spec.grace,
        node_selector: spec.node_selector.clone(),
        priority: spec.priority,
        scheduling: never_preempts.then(|| {
            Rc::new(SchedulingSpec {
                never_preempts,
                ..SchedulingSpec::default()
            })
        }),
        requests: resources(
            spec.requests
                .iter()
                .map(|(r, q)| (r.as_str(), q.as_str()))
                .collect(),
        )?,
        ..PodTemplate::default()
    })
}

fn budget(spec: &BudgetSpec) -> Result<BudgetPlan, PlanError> {
    let rule = match (spec.min_available, spec.max_unavailable) {
        (Some(min), None) => BudgetRule::MinAvailable(IntOrPercent::Int(min)),
        (None, Some(max)) => BudgetRule::MaxUnavailable(IntOrPercent::Int(max)),
        _ => {
            return Err(invalid(format!(
                "budget {:?} asks for nothing, or for two things",
                spec.name
            )));
        }
    };
    let selector = LabelSelector {
        match_labels: spec.labels.clone(),
        ..LabelSelector::default()
    };
    let selector = selector
        .as_selector()
        .map_err(|e| invalid(format!("budget {:?}: {e}", spec.name)))?;
    Ok(BudgetPlan {
        name: format!("PodDisruptionBudget/default/{}", spec.name),
        selector,
        rule,
        always_allow_unhealthy: false,
    })
}

/// What an action does in a few words, for people.
fn entry_name(a: &ActionSpec) -> String {
    let of_spec = a
        .spec
        .as_ref()
        .map(|s| s.name.as_str())
        .or(a.pod_spec.as_ref().map(|p| p.name.as_str()));
    let mut parts: Vec<&str> = vec![&a.act];
    parts.extend(a.node_names());
    parts.extend(
        [
            of_spec.unwrap_or_default(),
            &a.pod,
            &a.taint,
            &a.kind,
            &a.status,
            &a.resource,
        ]
        .into_iter()
        .filter(|p| !p.is_empty()),
    );
    parts.join(" ")
}

fn pod_name(namespace: &str, name: &str) -> String {
    format!(
        "{}/{name}",
        if namespace.is_empty() {
            "default"
        } else {
            namespace
        }
    )
}

/// The labels a node gets (`kubelet.go: join`).
fn node_labels(spec: &NodeSpec) -> Labels {
    let mut labels = Labels::new();
    let mut set = |key: &str, value: &str| labels.insert(key.to_owned(), value.to_owned());
    set("kubernetes.io/hostname", &spec.name);
    for key in ["kubernetes.io/os", "beta.kubernetes.io/os"] {
        set(key, "linux");
    }
    for key in ["kubernetes.io/arch", "beta.kubernetes.io/arch"] {
        set(key, "amd64");
    }
    for (value, stable, beta) in [
        (&spec.region, LABEL_REGION, LABEL_REGION_BETA),
        (&spec.zone, LABEL_ZONE, LABEL_ZONE_BETA),
    ] {
        if !value.is_empty() {
            set(stable, value);
            set(beta, value);
        }
    }
    labels.extend(spec.labels.clone());
    labels
}

fn resources(given: BTreeMap<&str, &str>) -> Result<Resources, PlanError> {
    let parse = |(name, text): (&str, &str)| {
        let amount = Quantity::parse(text).map_err(|e| invalid(format!("{name}: {e}")))?;
        Ok((name.to_owned(), amount))
    };
    given.into_iter().map(parse).collect()
}

/// The taints of one write. Of two with the same key and effect the last one stands, in its place.
fn taint_edit(text: &str, removes: bool) -> Result<TaintEdit, PlanError> {
    let mut edit = kubectl_taint::parse_recorded(text, removes)
        .map_err(|e| invalid(format!("{text:?}: {e}")))?;
    let mut add: Vec<Taint> = Vec::new();
    for taint in edit.add {
        add.retain(|t| !t.matches(&taint));
        add.push(taint);
    }
    (edit.add, edit.overwrite) = (add, true);
    Ok(edit)
}

fn tolerations(given: &[TolerationSpec]) -> Result<Vec<Toleration>, PlanError> {
    given.iter().map(toleration).collect()
}

fn toleration(t: &TolerationSpec) -> Result<Toleration, PlanError> {
    let operator = match t.operator.as_str() {
        "" | "Equal" => Operator::Equal,
        "Exists" => Operator::Exists,
        "Lt" => Operator::Lt,
        "Gt" => Operator::Gt,
        other => return Err(invalid(format!("{other:?} is no operator of a toleration"))),
    };
    let effect = if t.effect.is_empty() {
        None
    } else {
        Some(
            Effect::parse(&t.effect)
                .ok_or_else(|| invalid(format!("{:?} is no effect of a taint", t.effect)))?,
        )
    };
    Ok(Toleration {
        key: t.key.clone(),
        operator,
        value: t.value.clone(),
        effect,
        toleration_seconds: t.toleration_seconds,
    })
}
