//! One workload of a group, and the pods of it that run when the run starts.
//!
//! Names of pods are what their controllers would call them where that is known: `db-0` of a
//! StatefulSet. Others are numbered, `web-0`, where upstream makes up letters; those of a DaemonSet
//! carry their node's name.

use super::pod_names::placed;
use super::pods::Lookup;
use super::prelude::*;
use super::volumes::name_claims;
use super::workload_fields::called;
use crate::api::toleration::add_daemon_tolerations;
use crate::api::workload::pod_template_hash;
use crate::plan::PodStart;
use std::cell::OnceCell;

/// A group whose workloads are declared one by one.
pub(super) struct Set<'a> {
    pub(super) group: &'a WorkloadGroup,
    pub(super) place: &'a Spot<'a>,
    /// An entry of the timeline creates them.
    pub(super) created_later: bool,
    pub(super) namespace: &'a str,
    /// What they are made from, but for what their names decide.
    pub(super) template: PodTemplate,
    /// Each of them, but for what its name decides.
    pub(super) like: WorkloadPlan,
    /// The nodes that their pods are placed on, one after the other; found out for the first of
    /// several.
    pub(super) on: OnceCell<Option<Vec<NodeIndex>>>,
    pub(super) pods: &'a mut Pods,
    pub(super) lookup: &'a Lookup<'a>,
}

impl Set<'_> {
    /// Declares the workload of that name, with the pods that it starts with.
    pub(super) fn one(&mut self, workloads: &mut Workloads, name: &str) -> Option<WorkloadIndex> {
        let (kind, namespace) = (self.like.kind, self.namespace);
        if let Err(problem) = checks::object_name(kind.as_str(), name) {
            called(self.group, self.place).at().add(problem);
            workloads.incomplete = true;
            return None;
        }
        let full = format!("{}/{namespace}/{name}", kind.as_str());
        let index = workloads.plans.len() as WorkloadIndex;
        if workloads.by_name.contains_key(&full) && !self.created_later {
            let message = format!("{} `{namespace}/{name}` is declared twice", kind.as_str());
            called(self.group, self.place).at().say(message);
            return None;
        }
        let mut template = self.template.clone();
        name_claims(&mut template.claims, Some((kind.as_str(), name)));
        let mut plan = WorkloadPlan { name: full, ..self.like.clone() };
        if self.group.selector.is_none() {
            plan.selector = Rc::new(self.selected_by_name(name, &mut template));
        }
        plan.template = self.pods.template(template.clone());
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
            let what = "without a `selector` its pods have its name as label `app`";
            let help =
                "a shorter name, or `selector: (matchLabels: { … })` with labels of the template";
            called(self.group, self.place).at().add(problem.about(what).help(help));
        }
        let label = ("app".to_owned(), name.to_owned());
        if template.labels.insert(label.0.clone(), label.1.clone()).is_some_and(|old| old != name) {
            let text = format!("without a `selector` the pods are those with app={name}");
            let help = "`selector: (matchLabels: { … })` with labels of the template";
            let place = self.place.part("template").part("labels").part("app");
            place.add(Problem::new(text).help(help));
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
        let (kind, namespace) = (self.like.kind, self.namespace);
        let first = self.pods.plans.len() as u32;
        if let Some(on) = &self.group.placement {
            if self.created_later {
                let text = "the pods of a workload that is created later come from its controller";
                self.place.part("placement").say(text);
            } else {
                self.put(workloads, index, name, on, template.clone());
            }
        }
        let of = format!("{}/{namespace}", kind.as_str());
        let pods = first..self.pods.plans.len() as u32;
        if !pods.is_empty() {
            self.pods.groups.push(PodsOf { name: name.to_owned(), of, pods });
        } else if let WorkloadSpec::StatefulSet { replicas, first_ordinal, .. } = self.like.spec {
            let number = |i| first_ordinal.saturating_add(i);
            let names =
                (0..replicas).map(|i| format!("{namespace}/{name}-{}", number(i))).collect();
            template.owner = owner_of(kind, name);
            let template = self.pods.template(template);
            workloads.numbered.push(Numbered { set: name.to_owned(), of, names, template });
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
        let kind = self.like.kind;
        let at = self.place.part("placement");
        let Some(nodes) = self.nodes(on, &at) else { return };
        let (mut owner, mut owner_kind) = (name.to_owned(), kind);
        if kind == WorkloadKind::Deployment {
            owner_kind = WorkloadKind::ReplicaSet;
            owner = replica_set_of(self.namespace, name);
            workloads.imply(index, self.namespace, &owner);
        }
        let count = workloads.plans[index as usize].spec.replicas().max(0) as usize;
        let placed = self.names(name, &owner, count, nodes);
        if placed.len() as u64 > self.pods.left() {
            self.too_many_pods(at);
            return;
        }
        if kind == WorkloadKind::DaemonSet {
            add_daemon_tolerations(&mut template.tolerations);
        }
        template.owner = owner_of(owner_kind, &owner);
        let template = self.pods.template(template);
        let names = called(self.group, self.place).at();
        self.pods.add(self.namespace, placed, template, PodStart::Running, false, &names);
    }

    /// The nodes that pods are put on, one after the other; nothing if pods of this kind are not
    /// put like this, or nowhere.
    fn nodes(&self, on: &Placement, at: &Spot) -> Option<&[NodeIndex]> {
        let daemon = self.like.kind == WorkloadKind::DaemonSet;
        let fits = match on {
            Placement::Each(_) => daemon,
            Placement::Node(_) | Placement::Nodes(_) | Placement::Spread(_) => !daemon,
            Placement::PerNode { .. } | Placement::Unbound => false,
        };
        if !fits {
            let help =
                if daemon { "`placement: Each(All)`" } else { "one of `Node`, `Nodes`, `Spread`" };
            let text = format!("pods of a {} are not placed like this", self.like.kind.as_str());
            return at.refuse(Problem::new(text).help(help));
        }
        let nodes = self.on.get_or_init(|| placed(on, at, self.lookup.nodes)).as_deref()?;
        if nodes.is_empty() { at.deny("no node is named here") } else { Some(nodes) }
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
        match self.like.spec {
            WorkloadSpec::DaemonSet => {
                let of = |n: NodeIndex| &self.lookup.nodes.plans[n as usize].name;
                nodes.iter().map(|&n| (format!("{name}-{}", of(n)), Some(n))).collect()
            }
            WorkloadSpec::StatefulSet { first_ordinal, .. } => {
                let number = |i: usize| i64::from(first_ordinal) + i as i64;
                (0..count).map(|i| (format!("{name}-{}", number(i)), node(i))).collect()
            }
            _ => (0..count).map(|i| (format!("{owner}-{i}"), node(i))).collect(),
        }
    }

    fn too_many_pods(&self, place: Spot) {
        place.say(format!("there would be more than {PODS_MAX} pods, the limit of a cluster"));
    }
}

impl Workloads {
    /// Declares the ReplicaSet of a Deployment whose pods run already.
    fn imply(&mut self, deployment: WorkloadIndex, namespace: &str, name: &str) {
        let plan = &self.plans[deployment as usize];
        let set = WorkloadPlan {
            name: format!("ReplicaSet/{namespace}/{name}"),
            kind: WorkloadKind::ReplicaSet,
            owner: Some(deployment),
            spec: WorkloadSpec::ReplicaSet {
                replicas: plan.spec.replicas(),
                revision: 1,
                max_replicas: 0,
            },
            ..plan.clone()
        };
        self.implied.insert(deployment, self.plans.len() as WorkloadIndex);
        self.plans.push(set);
    }
}

fn owner_of(kind: WorkloadKind, name: &str) -> Option<OwnerReference> {
    Some(OwnerReference { kind: kind.as_str().to_owned(), name: name.to_owned(), object: None })
}

/// The name of a Deployment's ReplicaSet, as its controller would make it up
/// (`controllers/workload/deployment.rs`).
fn replica_set_of(namespace: &str, deployment: &str) -> String {
    format!("{deployment}-{}", pod_template_hash(&format!("Deployment/{namespace}/{deployment}")))
}
