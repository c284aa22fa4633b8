//! One workload of a group, and the pods of it that run when the run starts.
//!
//! Names of pods are what their controllers would call them where that is known: `db-0` of a
//! StatefulSet. Others are numbered, `web-0`, where upstream makes up letters; those of a DaemonSet
//! carry their node's name.

use super::checks;
use super::group_names::PODS_MAX;
use super::pod_names::placed;
use super::pods::Lookup;
use super::select::{Numbered, Pods, PodsOf, Workloads};
use super::volumes::name_claims;
use super::workload_fields::called;
use crate::api::budget::IntOrPercent;
use crate::api::labels::LabelSelector;
use crate::api::meta::OwnerReference;
use crate::api::taint;
use crate::api::toleration::Toleration;
use crate::api::workload::{WorkloadSpec, pod_template_hash};
use crate::plan::{PodStart, WorkloadPlan};
use crate::scenario::prelude::*;
use std::cell::OnceCell;

/// What is the same for all workloads of a group.
pub(super) struct Declared<'a> {
    pub(super) kind: WorkloadKind,
    pub(super) namespace: &'a str,
    pub(super) template: PodTemplate,
    pub(super) spec: WorkloadSpec,
    pub(super) min_ready_seconds: i32,
    pub(super) needs: Option<IntOrPercent>,
    pub(super) node: Option<NodeIndex>,
    pub(super) owner: Option<WorkloadIndex>,
    /// The nodes that its pods are placed on, one after the other; found out for the first of
    /// several that are alike.
    pub(super) on: OnceCell<Option<Vec<NodeIndex>>>,
}

/// A group whose workloads are declared one by one.
pub(super) struct Set<'a> {
    pub(super) group: &'a WorkloadGroup,
    pub(super) place: &'a Spot<'a>,
    /// An entry of the timeline creates them.
    pub(super) created_later: bool,
    pub(super) made: &'a Declared<'a>,
    pub(super) pods: &'a mut Pods,
    pub(super) lookup: &'a Lookup<'a>,
}

impl<'a> Set<'a> {
    /// Declares the workload of that name, with the pods that it starts with.
    pub(super) fn one(&mut self, workloads: &mut Workloads, name: &str) -> Option<WorkloadIndex> {
        let made = self.made;
        let kind = made.kind;
        if let Err(problem) = checks::object_name(kind.as_str(), name) {
            called(self.group, self.place).at().add(problem);
            workloads.incomplete = true;
            return None;
        }
        let full = format!("{}/{}/{name}", kind.as_str(), made.namespace);
        let index = workloads.plans.len() as WorkloadIndex;
        if workloads.by_name.contains_key(&full) && !self.created_later {
            let message =
                format!("{} `{}/{name}` is declared twice", kind.as_str(), made.namespace);
            called(self.group, self.place).at().say(message);
            return None;
        }
        let mut template = made.template.clone();
        name_claims(&mut template.claims, Some((made.kind.as_str(), name)));
        let selector = match &self.group.selector {
            Some(selector) => selector.clone(),
            None => self.selected_by_name(name, &mut template),
        };
        let plan = WorkloadPlan {
            name: full,
            kind,
            owner: made.owner,
            selector: Rc::new(selector),
            template: self.pods.template(template.clone()),
            node: made.node,
            min_ready_seconds: made.min_ready_seconds,
            needs: made.needs,
            spec: made.spec.clone(),
        };
        let fits = plan.spec.replicas() as u64 <= self.pods.left();
        // Entries can still name it, so that no further complaints follow.
        workloads.by_name.entry(plan.name.clone()).or_insert(index);
        workloads.plans.push(plan);
        if !fits {
            self.too_many_pods(self.place.clone());
            return None;
        }
        self.pods_of(workloads, index, name, template);
        Some(index)
    }

    /// The selector of a workload that has none: the label `app` with its name, which its template
    /// then has too.
    fn selected_by_name(&mut self, name: &str, template: &mut PodTemplate) -> LabelSelector {
        if let Err(problem) = checks::label_value(name) {
            let problem = problem
                .about("without a `selector` its pods have its name as label `app`")
                .help("a shorter name, or `selector: (matchLabels: { … })` with labels of the template");
            called(self.group, self.place).at().add(problem);
        }
        let label = ("app".to_owned(), name.to_owned());
        if template.labels.insert(label.0.clone(), label.1.clone()).is_some_and(|old| old != name) {
            let help = "`selector: (matchLabels: { … })` with labels of the template";
            let problem =
                Problem::new(format!("without a `selector` the pods are those with app={name}"))
                    .help(help);
            let place = self.place.part("template").part("labels").part("app");
            place.add(problem);
        }
        LabelSelector { match_labels: BTreeMap::from([label]), ..LabelSelector::default() }
    }

    /// Declares the pods of a workload that are there, or notes the names of those that a
    /// StatefulSet will make.
    fn pods_of(
        &mut self,
        workloads: &mut Workloads,
        index: WorkloadIndex,
        name: &str,
        mut template: PodTemplate,
    ) {
        let made = self.made;
        let first = self.pods.plans.len() as u32;
        if let Some(on) = &self.group.placement {
            if self.created_later {
                self.place
                    .part("placement")
                    .say("the pods of a workload that is created later come from its controller");
            } else {
                self.put(workloads, index, name, on, template.clone());
            }
        }
        let of = pods_of(made.kind, made.namespace);
        if first < self.pods.plans.len() as u32 {
            self.pods.groups.push(PodsOf {
                name: name.to_owned(),
                of,
                pods: first..self.pods.plans.len() as u32,
            });
        } else if let WorkloadSpec::StatefulSet { replicas, first_ordinal, .. } = made.spec {
            let number = |i| first_ordinal.saturating_add(i);
            let names =
                (0..replicas).map(|i| format!("{}/{name}-{}", made.namespace, number(i))).collect();
            template.owner = owner_of(made.kind, name);
            workloads.numbered.push(Numbered {
                set: name.to_owned(),
                of,
                names,
                template: self.pods.template(template),
            });
        }
    }

    /// Declares the pods of a workload that run from the start, and the ReplicaSet of a Deployment
    /// in between.
    fn put(
        &mut self,
        workloads: &mut Workloads,
        index: WorkloadIndex,
        name: &str,
        on: &Placement,
        mut template: PodTemplate,
    ) {
        let made = self.made;
        let at = self.place.part("placement");
        let Some(nodes) = self.nodes(on, &at) else { return };
        let (mut owner, mut owner_kind) = (name.to_owned(), made.kind);
        if made.kind == WorkloadKind::Deployment {
            owner_kind = WorkloadKind::ReplicaSet;
            owner = replica_set_of(made.namespace, name);
            workloads.imply(index, made, &owner);
        }
        let count = workloads.plans[index as usize].spec.replicas().max(0) as usize;
        let placed = self.names(name, &owner, count, nodes);
        if placed.len() as u64 > self.pods.left() {
            self.too_many_pods(at);
            return;
        }
        if made.kind == WorkloadKind::DaemonSet {
            daemon_tolerations(&mut template.tolerations);
        }
        template.owner = owner_of(owner_kind, &owner);
        let template = self.pods.template(template);
        let names = called(self.group, self.place).at();
        self.pods.add(made.namespace, placed, template, PodStart::Running, false, &names);
    }

    /// The nodes that pods are put on, one after the other; nothing if pods of this kind are not
    /// put like this, or nowhere.
    fn nodes(&mut self, on: &Placement, at: &Spot<'_>) -> Option<&'a [NodeIndex]> {
        let made = self.made;
        let daemon = made.kind == WorkloadKind::DaemonSet;
        let fits = match on {
            Placement::Each(_) => daemon,
            Placement::Node(_) | Placement::Nodes(_) | Placement::Spread(_) => !daemon,
            Placement::PerNode { .. } | Placement::Unbound => false,
        };
        if !fits {
            let help =
                if daemon { "`placement: Each(All)`" } else { "one of `Node`, `Nodes`, `Spread`" };
            let problem =
                Problem::new(format!("pods of a {} are not placed like this", made.kind.as_str()));
            at.add(problem.help(help));
            return None;
        }
        let nodes = made.on.get_or_init(|| placed(on, at, self.lookup.nodes)).as_deref()?;
        if nodes.is_empty() {
            at.say("no node is named here");
            return None;
        }
        Some(nodes)
    }

    /// The names of the pods, each with its node.
    fn names(
        &self,
        name: &str,
        owner: &str,
        count: usize,
        nodes: &[NodeIndex],
    ) -> Vec<(String, Option<NodeIndex>)> {
        let node = |i: usize| Some(nodes[i % nodes.len()]);
        match self.made.spec {
            WorkloadSpec::DaemonSet => nodes
                .iter()
                .map(|&n| {
                    let of = &self.lookup.nodes.plans[n as usize].name;
                    (format!("{name}-{of}"), Some(n))
                })
                .collect(),
            WorkloadSpec::StatefulSet { first_ordinal, .. } => (0..count)
                .map(|i| {
                    let number = i64::from(first_ordinal) + i as i64;
                    (format!("{name}-{number}"), node(i))
                })
                .collect(),
            _ => (0..count).map(|i| (format!("{owner}-{i}"), node(i))).collect(),
        }
    }

    fn too_many_pods(&mut self, place: Spot<'_>) {
        place.say(format!("there would be more than {PODS_MAX} pods, the limit of a cluster"));
    }
}

impl Workloads {
    /// Declares the ReplicaSet of a Deployment whose pods run already.
    fn imply(&mut self, deployment: WorkloadIndex, made: &Declared<'_>, name: &str) {
        let plan = &self.plans[deployment as usize];
        let set = WorkloadPlan {
            name: format!("ReplicaSet/{}/{name}", made.namespace),
            kind: WorkloadKind::ReplicaSet,
            owner: Some(deployment),
            spec: WorkloadSpec::ReplicaSet { replicas: plan.spec.replicas() },
            ..plan.clone()
        };
        self.implied.insert(deployment, self.plans.len() as WorkloadIndex);
        self.plans.push(set);
    }
}

/// What comes before the name of a workload's pods as a group.
fn pods_of(kind: WorkloadKind, namespace: &str) -> String {
    format!("{}/{namespace}", kind.as_str())
}

fn owner_of(kind: WorkloadKind, name: &str) -> Option<OwnerReference> {
    Some(OwnerReference { kind: kind.as_str().to_owned(), name: name.to_owned(), object: None })
}

/// The name of a Deployment's ReplicaSet, as its controller would make it up
/// (`controllers/workload/deployment.rs`).
fn replica_set_of(namespace: &str, deployment: &str) -> String {
    format!("{deployment}-{}", pod_template_hash(&format!("Deployment/{namespace}/{deployment}")))
}

/// What the controller gives to each pod of a DaemonSet
/// (`pkg/controller/daemon/util/daemonset_util.go: AddOrUpdateDaemonPodTolerations`).
fn daemon_tolerations(tolerations: &mut Vec<Toleration>) {
    let always = [
        (taint::NOT_READY, Effect::NoExecute),
        (taint::UNREACHABLE, Effect::NoExecute),
        (taint::DISK_PRESSURE, Effect::NoSchedule),
        (taint::MEMORY_PRESSURE, Effect::NoSchedule),
        (taint::PID_PRESSURE, Effect::NoSchedule),
        (taint::UNSCHEDULABLE, Effect::NoSchedule),
    ];
    for (key, effect) in always {
        let added = Toleration {
            key: key.to_owned(),
            operator: Operator::Exists,
            effect: Some(effect),
            ..Toleration::default()
        };
        match tolerations.iter_mut().find(|t| {
            t.key == added.key && t.operator == added.operator && t.effect == added.effect
        }) {
            Some(there) => *there = added,
            None => tolerations.push(added),
        }
    }
}
