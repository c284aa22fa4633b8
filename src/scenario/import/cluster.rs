//! From all objects of all files to one cluster: duplicates, time zero, leases, groups of like
//! nodes and pods.
//!
//! The result is in the types of the scenario language, so that a cluster that a scenario points at
//! and one that is written out are the same thing.

use super::check::Places;
use super::control_plane::{self, ControlPlane};
use super::document::{self, Object};
use super::error::{ImportError, Place};
use super::groups;
use super::input::Input;
use super::namespace::{RawNamespace, namespace};
use super::node::{LeaseSeen, NodeShape, RawNode};
use super::object::{RawLeaseSpec, RawMeta};
use super::pod::{PodShape, RawPod, StartShape};
use super::rfc3339::Stamp;
use super::scheduling::{self, RawBudget};
use super::summary::Summary;
use super::times::{Times, time};
use super::value::{self, Wrong};
use super::workload::{RawPriorityClass, RawWorkload};
use crate::api::workload::WorkloadKind;
use crate::scenario::spec::{
    Namespace, NodeGroup, PodDisruptionBudget, PodGroup, PreemptionPolicy, PriorityClass, Workload,
};
use std::collections::{BTreeMap, BTreeSet};

/// The namespace of the nodes' leases (`v1.NamespaceNodeLease`).
const NODE_LEASES: &str = "kube-node-lease";

/// A cluster as an export shows it, in the words of the scenario language.
#[derive(Clone, Debug)]
pub struct ImportedCluster {
    /// Groups of like nodes, in the order in which the first of each stands in the files.
    pub nodes: Vec<NodeGroup>,
    /// Groups of like pods, in that order.
    pub pods: Vec<PodGroup>,
    /// Priority classes beside Kubernetes' own.
    pub priority_classes: Vec<PriorityClass>,
    /// Disruption budgets.
    pub budgets: Vec<PodDisruptionBudget>,
    /// Namespaces that say something of their pods' tolerations.
    pub namespaces: Vec<Namespace>,
    /// Workloads, Deployments before their ReplicaSets; pods that exist name them as their owners.
    pub workloads: Vec<Workload>,
    /// What the control plane was started with, as far as its pods are in the files.
    pub control_plane: ControlPlane,
    /// What was taken and what was left out.
    pub summary: Summary,
    /// Where all of it stands in the files.
    pub(super) places: Places,
}

impl ImportedCluster {
    /// Makes a cluster of what several inputs hold together.
    ///
    /// # Errors
    /// An input is no export, an object is not as the API would have accepted it, or there is
    /// nothing in them that is modelled.
    pub fn read(inputs: &[Input]) -> Result<Self, ImportError> {
        let mut gathered = Gathered::default();
        for input in inputs {
            gathered.summary.files.push(input.file.clone());
            document::read(input, &mut |place, object| gathered.take(place, object))?;
        }
        let cluster = gathered.finish()?;
        let empty = cluster.workloads.is_empty()
            && cluster.budgets.is_empty()
            && cluster.namespaces.is_empty();
        if empty && cluster.priority_classes.is_empty() {
            cluster.simulable()
        } else {
            Ok(cluster)
        }
    }

    /// Makes sure that there is a node or a pod in it, without which it is no cluster.
    ///
    /// # Errors
    /// There is neither: [`ImportError::Nothing`].
    pub fn simulable(self) -> Result<Self, ImportError> {
        if self.summary.nodes > 0 || self.summary.pods > 0 || !self.summary.orphans.is_empty() {
            return Ok(self);
        }
        Err(ImportError::Nothing {
            files: self.summary.files.clone(),
            found: self.summary.instead(),
        })
    }
}

/// Everything in the files, before times are relative.
#[derive(Default)]
struct Gathered {
    nodes: Vec<RawNode>,
    node_at: BTreeMap<String, usize>,
    pods: Vec<RawPod>,
    pod_at: BTreeMap<(String, String), usize>,
    leases: BTreeMap<String, (Place, RawMeta, RawLeaseSpec)>,
    workloads: Vec<RawWorkload>,
    workload_at: BTreeMap<String, usize>,
    classes: Vec<RawPriorityClass>,
    budgets: Vec<RawBudget>,
    namespaces: Vec<RawNamespace>,
    summary: Summary,
}

fn at(place: &Place) -> impl Fn(Wrong) -> ImportError {
    move |Wrong(message)| ImportError::Object {
        place: Box::new(place.clone()),
        message,
    }
}

impl Gathered {
    fn take(&mut self, place: Place, object: Object) -> Result<(), ImportError> {
        match object {
            Object::Other(kind) => *self.summary.kinds.entry(kind).or_default() += 1,
            Object::Node(meta, spec, status) => {
                let name = value::name("metadata.name", meta.name.as_deref())
                    .map_err(at(&place))?
                    .to_owned();
                let node = RawNode {
                    place,
                    name,
                    meta,
                    spec,
                    status,
                };
                match self.node_at.get(&node.name) {
                    None => {
                        self.node_at.insert(node.name.clone(), self.nodes.len());
                        self.nodes.push(node);
                    }
                    Some(&i) => {
                        let first = &self.nodes[i];
                        let same = (&first.meta, &first.spec, &first.status)
                            == (&node.meta, &node.spec, &node.status);
                        self.again(same, "Node", &first.place.clone(), node.place, &node.name)?;
                    }
                }
            }
            Object::Pod(meta, spec, status) => {
                let name = value::name("metadata.name", meta.name.as_deref())
                    .map_err(at(&place))?
                    .to_owned();
                // kubectl puts objects without a namespace into this one, unless told otherwise.
                let namespace = value::namespace(
                    "metadata.namespace",
                    meta.namespace.as_deref().or(Some("default")),
                )
                .map_err(at(&place))?
                .to_owned();
                let pod = RawPod {
                    place,
                    namespace,
                    name,
                    meta,
                    spec,
                    status,
                };
                let key = (pod.namespace.clone(), pod.name.clone());
                match self.pod_at.get(&key) {
                    None => {
                        self.pod_at.insert(key, self.pods.len());
                        self.pods.push(pod);
                    }
                    Some(&i) => {
                        let first = &self.pods[i];
                        let same = (&first.meta, &first.spec, &first.status)
                            == (&pod.meta, &pod.spec, &pod.status);
                        self.again(
                            same,
                            "Pod",
                            &first.place.clone(),
                            pod.place.clone(),
                            &pod.full_name(),
                        )?;
                    }
                }
            }
            Object::Workload(kind, meta, spec, status) => {
                let name = value::name("metadata.name", meta.name.as_deref())
                    .map_err(at(&place))?
                    .to_owned();
                let namespace = value::namespace(
                    "metadata.namespace",
                    meta.namespace.as_deref().or(Some("default")),
                )
                .map_err(at(&place))?
                .to_owned();
                let workload = RawWorkload {
                    place,
                    kind,
                    namespace,
                    name,
                    meta,
                    spec,
                    status,
                };
                match self.workload_at.get(&workload.full_name()) {
                    None => {
                        self.workload_at
                            .insert(workload.full_name(), self.workloads.len());
                        self.workloads.push(workload);
                    }
                    Some(&i) => {
                        let first = &self.workloads[i];
                        let same = (&first.meta, &first.spec, &first.status)
                            == (&workload.meta, &workload.spec, &workload.status);
                        let name = format!("{}/{}", workload.namespace, workload.name);
                        self.again(
                            same,
                            kind.as_str(),
                            &first.place.clone(),
                            workload.place.clone(),
                            &name,
                        )?;
                    }
                }
            }
            Object::PriorityClass(meta, found) => {
                let name = value::name("metadata.name", meta.name.as_deref())
                    .map_err(at(&place))?
                    .to_owned();
                let never = found.preemption_policy.as_deref() == Some("Never");
                let class = RawPriorityClass {
                    place,
                    name,
                    value: found.value,
                    global_default: found.global_default,
                    never,
                };
                match self.classes.iter().find(|c| c.name == class.name) {
                    None => self.classes.push(class),
                    Some(first) => {
                        let same = (first.value, first.global_default, first.never)
                            == (class.value, class.global_default, class.never);
                        self.again(
                            same,
                            "PriorityClass",
                            &first.place.clone(),
                            class.place.clone(),
                            &class.name,
                        )?;
                    }
                }
            }
            Object::Budget(meta, spec) => {
                let name = value::name("metadata.name", meta.name.as_deref())
                    .map_err(at(&place))?
                    .to_owned();
                let namespace = value::namespace(
                    "metadata.namespace",
                    meta.namespace.as_deref().or(Some("default")),
                )
                .map_err(at(&place))?
                .to_owned();
                let budget = RawBudget {
                    place,
                    namespace,
                    name,
                    meta,
                    spec,
                };
                match self
                    .budgets
                    .iter()
                    .find(|b| (&b.namespace, &b.name) == (&budget.namespace, &budget.name))
                {
                    None => self.budgets.push(budget),
                    Some(first) => {
                        let same = (&first.meta, &first.spec) == (&budget.meta, &budget.spec);
                        let name = format!("{}/{}", budget.namespace, budget.name);
                        self.again(
                            same,
                            "PodDisruptionBudget",
                            &first.place.clone(),
                            budget.place.clone(),
                            &name,
                        )?;
                    }
                }
            }
            Object::Namespace(meta) => {
                let Some(said) = namespace(&meta).map_err(at(&place))? else {
                    *self
                        .summary
                        .kinds
                        .entry("Namespace".to_owned())
                        .or_default() += 1;
                    return Ok(());
                };
                match self.namespaces.iter().find(|n| n.said.name == said.name) {
                    None => self.namespaces.push(RawNamespace { place, said }),
                    Some(first) => {
                        let name = said.name.clone().unwrap_or_default();
                        self.again(
                            first.said == said,
                            "Namespace",
                            &first.place.clone(),
                            place,
                            &name,
                        )?;
                    }
                }
            }
            Object::Lease(meta, spec) => {
                if meta.namespace.as_deref() != Some(NODE_LEASES) {
                    *self.summary.kinds.entry("Lease".to_owned()).or_default() += 1;
                    return Ok(());
                }
                let name = value::name("metadata.name", meta.name.as_deref())
                    .map_err(at(&place))?
                    .to_owned();
                if let Some((first, other_meta, other_spec)) = self.leases.get(&name) {
                    let same = (other_meta, other_spec) == (&meta, &spec);
                    return self.again(same, "Lease", &first.clone(), place, &name);
                }
                self.leases.insert(name, (place, meta, spec));
            }
        }
        Ok(())
    }

    /// An object of a name that was there before.
    fn again(
        &mut self,
        same: bool,
        kind: &'static str,
        first: &Place,
        second: Place,
        name: &str,
    ) -> Result<(), ImportError> {
        if !same {
            let (first, second) = (Box::new(bare(first)), Box::new(bare(&second)));
            return Err(ImportError::Conflict {
                kind,
                name: name.to_owned(),
                first,
                second,
            });
        }
        self.summary.repeated += 1;
        Ok(())
    }

    /// The newest heartbeat, and when each node's lease was renewed.
    fn times(&mut self) -> Result<(Stamp, BTreeMap<String, Stamp>), ImportError> {
        let mut times = Times::default();
        let mut renewed = BTreeMap::new();
        for node in &self.nodes {
            node.note_times(&mut times).map_err(at(&node.place))?;
        }
        for pod in &self.pods {
            pod.note_times(&mut times).map_err(at(&pod.place))?;
        }
        for (name, (place, _, spec)) in &self.leases {
            if !self.node_at.contains_key(name) {
                self.summary.stray_leases += 1;
                continue;
            }
            // A lease that was never renewed says nothing.
            if let Some(t) = time("renewTime", spec.renew_time.as_deref()).map_err(at(place))? {
                times.heartbeat(t);
                renewed.insert(name.clone(), t);
            }
        }
        self.summary.leases = renewed.len();
        self.summary.time_zero = times.zero();
        self.summary.zero_is_heartbeat = times.has_heartbeat();
        Ok((times.zero().unwrap_or_default(), renewed))
    }

    fn finish(mut self) -> Result<ImportedCluster, ImportError> {
        let (zero, renewed) = self.times()?;
        let places = self.places();
        let Gathered {
            nodes,
            mut node_at,
            pods,
            workloads,
            workload_at,
            classes,
            budgets,
            namespaces,
            mut summary,
            ..
        } = self;
        let mut shapes = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let lease = match renewed.get(&node.name) {
                Some(t) => LeaseSeen::Renewed(*t),
                None if renewed.is_empty() => LeaseSeen::NotExported,
                None => LeaseSeen::Missing,
            };
            let mut unmodelled =
                |kind: &str| *summary.conditions.entry(kind.to_owned()).or_default() += 1;
            let shape = node
                .shape(zero, lease, &mut unmodelled)
                .map_err(at(&node.place))?;
            if shape.state.as_ref().is_some_and(|s| s.cut) {
                summary.cut_off.push(node.name.clone());
            }
            let version = node
                .status
                .node_info
                .as_ref()
                .and_then(|i| i.kubelet_version.as_deref());
            summary.kubelets.extend(version.and_then(minor_release));
            shapes.push((node.name.clone(), shape));
        }
        if nodes.is_empty() {
            summary.made_up = pods
                .iter()
                .filter_map(RawPod::node)
                .collect::<BTreeSet<_>>()
                .into_iter()
                .map(str::to_owned)
                .collect();
            for name in &summary.made_up {
                value::name("spec.nodeName", Some(name))
                    .map_err(|wrong| of_pod_on(&pods, name, wrong))?;
                node_at.insert(name.clone(), shapes.len());
                shapes.push((name.clone(), NodeShape::default()));
            }
        }
        summary.nodes = shapes.len();

        let mut bound = Vec::with_capacity(pods.len());
        for pod in &pods {
            let node = match pod.node() {
                Some(node) if !node_at.contains_key(node) => {
                    summary.orphans.push(pod.full_name());
                    continue;
                }
                node => node,
            };
            let shape = pod.shape(zero).map_err(at(&pod.place))?;
            pod.unmodelled(&mut |field| {
                *summary.pod_fields.entry(field.to_owned()).or_default() += 1
            });
            if node.is_none() {
                summary.unbound.push(pod.full_name());
            }
            if let Some((kind, name)) = &shape.owner {
                let missing = WorkloadKind::parse(kind).is_some()
                    && pod.has_status()
                    && !shape.start.is_terminal()
                    && !workload_at.contains_key(&format!("{kind}/{}/{name}", pod.namespace));
                summary.ownerless += usize::from(missing);
            }
            summary.unadmitted +=
                usize::from(node.is_some() && pod.has_status() && !shape.has_default_tolerations());
            summary.terminating += usize::from(matches!(
                shape.start,
                StartShape::State {
                    deletion: Some(_),
                    ..
                }
            ));
            bound.push((pod.name.clone(), node.map(str::to_owned), shape));
        }
        summary.pods = bound.len();
        let priorities = priorities(&classes, &bound);
        let workloads = convert(workloads, &workload_at, &priorities, &mut summary)?;
        let class = |c: RawPriorityClass| PriorityClass {
            name: c.name,
            value: c.value,
            global_default: c.global_default,
            preemption_policy: c.never.then_some(PreemptionPolicy::Never),
        };
        let own = |c: &RawPriorityClass| !c.name.starts_with("system-");
        let mut priority_classes: Vec<PriorityClass> =
            classes.into_iter().filter(own).map(class).collect();
        // Classes that only pods tell of: their templates name them.
        let named = |name: &str| {
            workloads
                .iter()
                .any(|w| w.group().template.priority_class_name.as_deref() == Some(name))
        };
        for (name, value) in priorities {
            if !name.starts_with("system-")
                && named(&name)
                && !priority_classes.iter().any(|c| c.name == name)
            {
                priority_classes.push(PriorityClass {
                    name,
                    value,
                    global_default: false,
                    preemption_policy: None,
                });
            }
        }
        let budget = |b: &RawBudget| {
            scheduling::budget(&b.namespace, &b.name, &b.spec).map_err(at(&b.place))
        };
        let budgets = budgets.iter().map(budget).collect::<Result<Vec<_>, _>>()?;
        if !budgets.is_empty() {
            summary
                .workloads
                .insert("PodDisruptionBudget".to_owned(), budgets.len());
        }
        if !namespaces.is_empty() {
            summary
                .workloads
                .insert("Namespace".to_owned(), namespaces.len());
        }
        let namespaces = namespaces.into_iter().map(|n| n.said).collect();
        let control_plane = control_plane::read(&pods, &mut summary);
        let (nodes, pods) = (groups::nodes(shapes), groups::pods(bound));
        Ok(ImportedCluster {
            nodes,
            pods,
            priority_classes,
            budgets,
            namespaces,
            workloads,
            control_plane,
            summary,
            places,
        })
    }

    /// Where everything stands.
    fn places(&self) -> Places {
        let full = |namespace: &str, name: &str| format!("{namespace}/{name}");
        let mut places = Places::new();
        let mut add =
            |list, name: String, place: &Place| drop(places.insert((list, name), place.clone()));
        self.nodes
            .iter()
            .for_each(|n| add("nodes", n.name.clone(), &n.place));
        self.pods
            .iter()
            .for_each(|p| add("pods", p.full_name(), &p.place));
        self.workloads
            .iter()
            .for_each(|w| add("workloads", w.full_name(), &w.place));
        self.budgets.iter().for_each(|b| {
            add(
                "podDisruptionBudgets",
                full(&b.namespace, &b.name),
                &b.place,
            )
        });
        self.classes
            .iter()
            .for_each(|c| add("priorityClasses", c.name.clone(), &c.place));
        self.namespaces.iter().for_each(|n| {
            add(
                "namespaces",
                n.said.name.clone().unwrap_or_default(),
                &n.place,
            )
        });
        places
    }
}

/// The priorities of Kubernetes' own classes, of those in the files, and of those that pods were
/// admitted with.
fn priorities(classes: &[RawPriorityClass], pods: &[NamedPod]) -> BTreeMap<String, i32> {
    let mut all = BTreeMap::from([
        ("system-cluster-critical".to_owned(), 2_000_000_000),
        ("system-node-critical".to_owned(), 2_000_001_000),
    ]);
    all.extend(classes.iter().map(|c| (c.name.clone(), c.value)));
    for (.., shape) in pods.iter().filter(|(.., s)| !s.priority_class.is_empty()) {
        if let Some(priority) = shape.priority {
            all.entry(shape.priority_class.clone()).or_insert(priority);
        }
    }
    all
}

/// Workloads as a scenario has them, Deployments first.
fn convert(
    mut raw: Vec<RawWorkload>,
    at_name: &BTreeMap<String, usize>,
    priorities: &BTreeMap<String, i32>,
    summary: &mut Summary,
) -> Result<Vec<Workload>, ImportError> {
    raw.sort_by_key(|w| w.kind != WorkloadKind::Deployment);
    let mut all = Vec::new();
    for workload in raw {
        if let Some(why) = workload.is_over() {
            *summary.over.entry(why.to_owned()).or_default() += 1;
            continue;
        }
        let mut left_out =
            |what: &'static str| *summary.pod_fields.entry(what.to_owned()).or_default() += 1;
        let known = |name: &str| at_name.contains_key(name);
        all.push(
            workload
                .convert(&known, priorities, &mut left_out)
                .map_err(at(&workload.place))?,
        );
        *summary
            .workloads
            .entry(workload.kind.as_str().to_owned())
            .or_default() += 1;
    }
    Ok(all)
}

/// The place of an object whose kind and name stand elsewhere in the message.
fn bare(place: &Place) -> Place {
    Place {
        kind: String::new(),
        name: String::new(),
        ..place.clone()
    }
}

/// An error of the first pod that names this node.
fn of_pod_on(pods: &[RawPod], node: &str, wrong: Wrong) -> ImportError {
    let place = pods
        .iter()
        .find(|p| p.node() == Some(node))
        .map(|p| p.place.clone())
        .unwrap_or_default();
    at(&place)(wrong)
}

/// `v1.34.2+k3s1` is 1.34.
fn minor_release(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix('v')?.split('.');
    let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next()?;
    Some((major, minor))
}

/// A named node and its shape.
pub(super) type NamedNode = (String, NodeShape);
/// A pod's name, its node, and its shape.
pub(super) type NamedPod = (String, Option<String>, PodShape);
