//! Gathers the nodes, pods and workloads of a recorded scenario.

use super::format::{BudgetSpec, GoDuration, NodeSpec, PodSpec, ResourceClaimSpec, WorkloadSpec};
use super::objects::{
    budget, budget_name, claims_of_set, device_claim, devices, node_labels, pod_name, resources,
    taint_edit, template,
};
use super::plan_error::{PlanError, invalid};
use super::settings::{or, period};
use std::collections::BTreeMap;
use std::rc::Rc;
use taintsim::api::budget::IntOrPercent;
use taintsim::api::device::DeviceClaim;
use taintsim::api::labels::{LabelSelector, Labels};
use taintsim::api::meta::OwnerReference;
use taintsim::api::pod::PodTemplate;
use taintsim::api::volume::{DEFAULT_DRIVER, attach_limit_key};
use taintsim::api::workload::{JobSpec, WorkloadKind, WorkloadSpec as Spec};
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{
    Action, BudgetIndex, BudgetPlan, Do, NodeFault, NodeIndex, NodePlan, NodeStart, Phase,
    PodIndex, PodPlan, PodStart, TimelineEntry, WorkloadIndex, WorkloadPlan,
};

/// What grows as the scenario is read. Of several nodes or pods of one name the latest is meant.
#[derive(Default)]
pub(super) struct Builder {
    /// Kubelets have loops of their own, upstream's.
    pub(super) upstream: bool,
    /// How many disks each node takes.
    pub(super) volume_limit: Option<u32>,
    /// Some node has devices.
    pub(super) has_devices: bool,
    /// The claims on devices that exist by themselves, by `namespace/name`.
    pub(super) claims: BTreeMap<String, DeviceClaim>,
    pub(super) nodes: Vec<NodePlan>,
    pub(super) node_names: BTreeMap<String, NodeIndex>,
    pub(super) templates: Vec<PodTemplate>,
    pub(super) template_texts: BTreeMap<String, u32>,
    pub(super) pods: Vec<PodPlan>,
    pub(super) pod_names: BTreeMap<String, PodIndex>,
    pub(super) workloads: Vec<WorkloadPlan>,
    pub(super) budgets: Vec<BudgetPlan>,
    pub(super) timeline: Vec<TimelineEntry>,
    pub(super) actions: Vec<Action>,
}

impl Builder {
    /// Declares a node that starts like this.
    pub(super) fn node(
        &mut self,
        spec: &NodeSpec,
        start: NodeStart,
    ) -> Result<NodeIndex, PlanError> {
        if spec.name.is_empty() {
            return Err(invalid("a node has no name"));
        }
        if start == NodeStart::Absent && spec.silent {
            return Err(PlanError::NotModelled(vec!["a silent node that joins later".to_owned()]));
        }
        let taints =
            spec.taints.iter().map(|t| taint_edit(t, false)).collect::<Result<Vec<_>, _>>()?;
        let taints = taints.into_iter().flat_map(|edit| edit.add).collect();
        let mut capacity = BTreeMap::from([("cpu", "4"), ("memory", "16Gi"), ("pods", "110")]);
        let limit = self.volume_limit.map(|n| (attach_limit_key(DEFAULT_DRIVER), n.to_string()));
        capacity.extend(limit.iter().map(|(key, n)| (key.as_str(), n.as_str())));
        capacity.extend(spec.capacity.iter().map(|(r, q)| (r.as_str(), q.as_str())));
        let lease_period = period("lease_period", or(spec.lease_period, Dur::from_secs(10)))?;
        let plan = NodePlan {
            images: Rc::default(),
            name: spec.name.clone(),
            labels: Rc::new(node_labels(spec)),
            taints,
            unschedulable: spec.unschedulable,
            allocatable: Rc::new(resources(capacity)?),
            lease_offset: self.offset(spec.lease_offset, lease_period),
            lease_period,
            status_offset: self.offset(spec.status_offset, Dur::from_secs(10)),
            kubelet: None,
            usage: None,
            devices: devices(&spec.devices),
            readiness: None,
            bootstrap_completed: Rc::default(),
            start,
        };
        self.has_devices |= !plan.devices.is_empty();
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

    /// An offset of zero is one period of an imitated kubelet (`kubelet.go: every`), and anywhere in
    /// it of others (`agents.go: boot`).
    fn offset(&self, given: GoDuration, period: Dur) -> Dur {
        if self.upstream { given.0 } else { or(given, period) }
    }

    /// Sets the clocks of nodes that are off from the start.
    pub(super) fn set_clocks(&mut self, nodes: &[NodeSpec]) {
        for n in nodes.iter().filter(|n| n.clock_offset.0 != 0) {
            let Some(&node) = self.node_names.get(&n.name) else {
                continue;
            };
            let entry = self.timeline.len() as u32;
            self.timeline.push(TimelineEntry {
                at: Time::ZERO,
                name: format!("the clock of {}", n.name),
                ends: None,
                is_fault: false,
            });
            self.actions.push(Action {
                at: Time::ZERO,
                entry,
                phase: Phase::Begin,
                act: Do::Fail(vec![node], NodeFault::ClockSkew(n.clock_offset.0)),
            });
        }
    }

    /// The node of that name; one that never joins where the scenario knows none, which the API
    /// server allows.
    pub(super) fn node_of_pod(&mut self, name: &str) -> Result<NodeIndex, PlanError> {
        match self.node_names.get(name) {
            Some(&i) => Ok(i),
            None => self.node(
                &NodeSpec { name: name.to_owned(), ..NodeSpec::default() },
                NodeStart::Absent,
            ),
        }
    }

    /// Declares a pod that starts like this.
    pub(super) fn pod(&mut self, spec: &PodSpec, start: PodStart) -> Result<PodIndex, PlanError> {
        if spec.name.is_empty() {
            return Err(invalid("a pod has no name"));
        }
        let mut template = template(spec)?;
        template.owner = spec.owner.split_once('/').map(|(kind, name)| OwnerReference {
            kind: kind.to_owned(),
            name: name.to_owned(),
            object: None,
        });
        if template.owner.as_ref().is_some_and(|o| o.kind == WorkloadKind::StatefulSet.as_str()) {
            claims_of_set(&mut template.claims, &spec.name);
        }
        let template = self.template(template, &spec.namespace)?;
        let node = if spec.node.is_empty() { None } else { Some(self.node_of_pod(&spec.node)?) };
        let name = pod_name(&spec.namespace, &spec.name);
        let index = self.pods.len() as PodIndex;
        self.pods.push(PodPlan {
            name: name.as_str().into(),
            template,
            node,
            start,
            devices: None,
            restarts: 0,
            stuck: None,
        });
        self.pod_names.insert(name, index);
        Ok(index)
    }

    /// Declares a claim on devices that exists by itself.
    pub(super) fn claim(&mut self, spec: &ResourceClaimSpec) -> Result<(), PlanError> {
        let name = pod_name(&spec.namespace, &spec.name);
        let shared = Some(name.as_str().into());
        let claim = DeviceClaim { shared, ..device_claim(&spec.claim)? };
        self.claims.insert(name, claim);
        Ok(())
    }

    /// The place of a template of a namespace's pods; equal ones share it.
    fn template(&mut self, mut template: PodTemplate, namespace: &str) -> Result<u32, PlanError> {
        for claim in &mut template.devices {
            let Some(name) = &claim.shared else { continue };
            let known = self.claims.get(&pod_name(namespace, name));
            *claim = known.ok_or_else(|| invalid(format!("there is no claim {name:?}")))?.clone();
        }
        let next = self.templates.len() as u32;
        let index = *self.template_texts.entry(format!("{template:?}")).or_insert(next);
        if index == next {
            self.templates.push(template);
        }
        Ok(index)
    }

    /// A workload as the recorder makes it (`objects.go: createWorkload`).
    pub(super) fn workload(&mut self, w: &WorkloadSpec) -> Result<WorkloadIndex, PlanError> {
        let kind = WorkloadKind::parse(&w.kind)
            .ok_or_else(|| invalid(format!("{:?} is no kind of workload", w.kind)))?;
        if w.name.is_empty() || w.replicas < 0 {
            return Err(invalid(format!(
                "a {kind} has no name, or fewer than no pods",
                kind = w.kind
            )));
        }
        let owner = match w.owner.as_str() {
            "" => None,
            owner => Some(self.workload_named(&w.namespace, owner)?),
        };
        let app = w.owner.split_once('/').map_or(&*w.name, |(_, name)| name);
        let (spec, pod) = (workload_spec(kind, w)?, workload_template(kind, w, app)?);
        let by_name = || LabelSelector {
            match_labels: Labels::from([("app".to_owned(), app.to_owned())]),
            ..LabelSelector::default()
        };
        let selector = w.selector.as_ref().map_or_else(|| Ok(by_name()), |s| s.read())?;
        let node = if w.template.node.is_empty() {
            None
        } else {
            Some(self.node_of_pod(&w.template.node)?)
        };
        let template = self.template(pod, &w.namespace)?;
        let in_spec = w.spec.as_ref().and_then(|s| s.min_ready_seconds);
        self.workloads.push(WorkloadPlan {
            name: format!("{}/{}", w.kind, pod_name(&w.namespace, &w.name)),
            kind,
            owner,
            selector: Rc::new(selector),
            template,
            node,
            min_ready_seconds: in_spec.unwrap_or(w.min_ready_seconds),
            needs: None,
            spec,
        });
        Ok(self.workloads.len() as WorkloadIndex - 1)
    }

    /// The workload of that kind and name, `Deployment/web`.
    pub(super) fn workload_named(
        &self,
        namespace: &str,
        text: &str,
    ) -> Result<WorkloadIndex, PlanError> {
        let (kind, name) = text.split_once('/').unwrap_or_default();
        let full = format!("{kind}/{}", pod_name(namespace, name));
        let found = self.workloads.iter().rposition(|w| w.name == full);
        found
            .map(|i| i as WorkloadIndex)
            .ok_or_else(|| invalid(format!("there is no workload {text:?}")))
    }

    /// Declares a disruption budget.
    pub(super) fn budget(&mut self, spec: &BudgetSpec) -> Result<BudgetIndex, PlanError> {
        self.budgets.push(budget(spec)?);
        Ok(self.budgets.len() as BudgetIndex - 1)
    }

    /// The budget of that name.
    pub(super) fn budget_named(&self, spec: &BudgetSpec) -> Result<BudgetIndex, PlanError> {
        let (full, name) = (budget_name(spec), &spec.name);
        let found = self.budgets.iter().rposition(|b| b.name == full);
        found
            .map(|i| i as BudgetIndex)
            .ok_or_else(|| invalid(format!("there is no budget {name:?}")))
    }
}

/// The pods' template of a workload, with the labels that its pods are found by.
fn workload_template(
    kind: WorkloadKind,
    w: &WorkloadSpec,
    app: &str,
) -> Result<PodTemplate, PlanError> {
    let mut pod = template(&w.template)?;
    if w.selector.is_none() {
        pod.labels.insert("app".to_owned(), app.to_owned());
    }
    if kind == WorkloadKind::StatefulSet {
        claims_of_set(&mut pod.claims, "");
    }
    if kind == WorkloadKind::Job {
        pod.labels.insert("controller-uid".to_owned(), w.name.clone());
    }
    Ok(pod)
}

/// What a workload asks for.
fn workload_spec(kind: WorkloadKind, w: &WorkloadSpec) -> Result<Spec, PlanError> {
    let replicas = w.replicas;
    let policy = w.template.spec.as_ref().map_or("", |s| s.restart_policy.as_str());
    let mut spec = match kind {
        // The recorder's Deployments have one ReplicaSet each, so that what is allowed amid a rollout is never asked.
        WorkloadKind::Deployment => {
            Spec::Deployment { replicas, max_surge: IntOrPercent::Percent(25) }
        }
        WorkloadKind::ReplicaSet => Spec::ReplicaSet { replicas, revision: 1, max_replicas: 0 },
        WorkloadKind::StatefulSet => {
            Spec::StatefulSet { replicas, parallel: w.parallel, first_ordinal: 0 }
        }
        WorkloadKind::DaemonSet => Spec::DaemonSet,
        WorkloadKind::Job => Spec::Job(JobSpec {
            parallelism: replicas,
            completions: Some(replicas),
            backoff_limit: 6,
            pod_replacement_policy: None,
            pod_failure_policy: Vec::new(),
            restart_never: policy != "OnFailure",
        }),
    };
    if let Some(rest) = &w.spec {
        rest.lay(kind, &mut spec)?;
    }
    Ok(spec)
}
