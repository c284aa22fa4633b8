//! All objects of all files, before times are relative: duplicates, and where each stands.

use super::error::{ImportError, Place, Places};
use super::event::{PodStep, RawEvent};
use super::namespace::{RawNamespace, namespace};
use super::node::RawNode;
use super::object::{RawLeaseSpec, RawMeta, RawNodeSpec, RawNodeStatus, RawPodSpec, RawPodStatus};
use super::pod::RawPod;
use super::raw::{Object, RawClass};
use super::rfc3339::Stamp;
use super::scheduling::{RawBudget, RawBudgetSpec, RawBudgetStatus};
use super::summary::Summary;
use super::value::{self, Wrong};
use super::workload::{RawPriorityClass, RawWorkload, RawWorkloadSpec, RawWorkloadStatus};
use crate::api::workload::WorkloadKind;
use std::collections::{BTreeMap, BTreeSet};

/// The namespace of the nodes' leases (`v1.NamespaceNodeLease`).
const NODE_LEASES: &str = "kube-node-lease";

/// That of the leases of the control plane's leaders and API servers.
const CONTROL_LEASES: &str = "kube-system";

/// Everything in the files, before times are relative.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) nodes: Vec<RawNode>,
    pub(super) node_at: BTreeMap<String, usize>,
    pub(super) pods: Vec<RawPod>,
    pub(super) pod_at: BTreeMap<(String, String), usize>,
    pub(super) leases: BTreeMap<String, (Place, RawMeta, RawLeaseSpec)>,
    /// The leases of the control plane, in `kube-system`.
    pub(super) control: BTreeMap<String, (Place, RawMeta, RawLeaseSpec)>,
    pub(super) workloads: Vec<RawWorkload>,
    pub(super) workload_at: BTreeMap<String, usize>,
    pub(super) classes: Vec<RawPriorityClass>,
    pub(super) budgets: Vec<RawBudget>,
    pub(super) namespaces: Vec<RawNamespace>,
    /// Events that tell of the scheduler's tries.
    pub(super) events: Vec<RawEvent>,
    /// What events tell of the lives of pods, by `namespace/name`.
    pub(super) lives: BTreeMap<String, Vec<(Stamp, PodStep)>>,
    /// When events say that the node lifecycle controller passed over its nodes.
    pub(super) passes: BTreeSet<Stamp>,
    pub(super) summary: Summary,
}

/// What is wrong with the object at that place.
pub(super) fn at(place: &Place) -> impl Fn(Wrong) -> ImportError {
    move |Wrong(message)| ImportError::Object { place: Box::new(place.clone()), message }
}

/// The name of the object at that place.
fn name_of(meta: &RawMeta, place: &Place) -> Result<String, ImportError> {
    let name = value::name("metadata.name", meta.name.as_deref()).map_err(at(place))?;
    Ok(name.to_owned())
}

/// The namespace of the object at that place. kubectl puts objects without a namespace into
/// `default`, unless a command says otherwise.
fn namespace_of(meta: &RawMeta, place: &Place) -> Result<String, ImportError> {
    let written = meta.namespace.as_deref().or(Some("default"));
    let namespace = value::namespace("metadata.namespace", written).map_err(at(place))?;
    Ok(namespace.to_owned())
}

impl Gathered {
    /// Takes in one object.
    pub(super) fn take(&mut self, place: Place, object: Object) -> Result<(), ImportError> {
        match object {
            Object::Other(kind) => {
                self.count(kind);
                Ok(())
            }
            Object::Node(meta, spec, status) => self.node(place, meta, spec, status),
            Object::Pod(meta, spec, status) => self.pod(place, meta, spec, status),
            Object::Workload(kind, meta, spec, status) => {
                self.workload(place, kind, meta, spec, status)
            }
            Object::PriorityClass(meta, class) => self.priority_class(place, &meta, &class),
            Object::Budget(meta, spec, status) => self.budget(place, meta, spec, status),
            Object::Event(event) => {
                if event.failed_scheduling().is_some() {
                    self.events.push(event);
                } else if let Some(at) = event.passed() {
                    self.passes.insert(at);
                } else if let Some((pod, step, at)) = event.of_life() {
                    self.lives.entry(pod).or_default().push((at, step));
                }
                self.count("Event".to_owned());
                Ok(())
            }
            Object::Namespace(meta) => self.namespace(place, &meta),
            Object::Lease(meta, spec) => self.lease(place, meta, spec),
        }
    }

    /// Counts an object that is left out.
    fn count(&mut self, kind: String) {
        *self.summary.kinds.entry(kind).or_default() += 1;
    }

    fn node(
        &mut self,
        place: Place,
        meta: RawMeta,
        spec: RawNodeSpec,
        status: RawNodeStatus,
    ) -> Result<(), ImportError> {
        let node = RawNode { name: name_of(&meta, &place)?, place, meta, spec, status };
        let Some(&i) = self.node_at.get(&node.name) else {
            self.node_at.insert(node.name.clone(), self.nodes.len());
            self.nodes.push(node);
            return Ok(());
        };
        let first = &self.nodes[i];
        let same =
            (&first.meta, &first.spec, &first.status) == (&node.meta, &node.spec, &node.status);
        self.again(same, "Node", &first.place.clone(), node.place, &node.name)
    }

    fn pod(
        &mut self,
        place: Place,
        meta: RawMeta,
        spec: RawPodSpec,
        status: RawPodStatus,
    ) -> Result<(), ImportError> {
        let name = name_of(&meta, &place)?;
        let pod =
            RawPod { namespace: namespace_of(&meta, &place)?, place, name, meta, spec, status };
        let key = (pod.namespace.clone(), pod.name.clone());
        let Some(&i) = self.pod_at.get(&key) else {
            self.pod_at.insert(key, self.pods.len());
            self.pods.push(pod);
            return Ok(());
        };
        let first = &self.pods[i];
        let same = (&first.meta, &first.spec, &first.status) == (&pod.meta, &pod.spec, &pod.status);
        let full = pod.full_name();
        self.again(same, "Pod", &first.place.clone(), pod.place, &full)
    }

    fn workload(
        &mut self,
        place: Place,
        kind: WorkloadKind,
        meta: RawMeta,
        spec: RawWorkloadSpec,
        status: RawWorkloadStatus,
    ) -> Result<(), ImportError> {
        let name = name_of(&meta, &place)?;
        let workload = RawWorkload {
            namespace: namespace_of(&meta, &place)?,
            place,
            kind,
            name,
            meta,
            spec,
            status,
        };
        let full = workload.full_name();
        let Some(&i) = self.workload_at.get(&full) else {
            self.workload_at.insert(full, self.workloads.len());
            self.workloads.push(workload);
            return Ok(());
        };
        let first = &self.workloads[i];
        let same = (&first.meta, &first.spec, &first.status)
            == (&workload.meta, &workload.spec, &workload.status);
        let name = format!("{}/{}", workload.namespace, workload.name);
        let first = first.place.clone();
        self.again(same, kind.as_str(), &first, workload.place, &name)
    }

    fn priority_class(
        &mut self,
        place: Place,
        meta: &RawMeta,
        found: &RawClass,
    ) -> Result<(), ImportError> {
        let class = RawPriorityClass {
            name: name_of(meta, &place)?,
            place,
            value: found.value,
            global_default: found.global_default,
            never: found.preemption_policy.as_deref() == Some("Never"),
        };
        let Some(first) = self.classes.iter().find(|c| c.name == class.name) else {
            self.classes.push(class);
            return Ok(());
        };
        let same = (first.value, first.global_default, first.never)
            == (class.value, class.global_default, class.never);
        let first = first.place.clone();
        self.again(same, "PriorityClass", &first, class.place, &class.name)
    }

    fn budget(
        &mut self,
        place: Place,
        meta: RawMeta,
        spec: RawBudgetSpec,
        status: RawBudgetStatus,
    ) -> Result<(), ImportError> {
        let name = name_of(&meta, &place)?;
        let budget =
            RawBudget { namespace: namespace_of(&meta, &place)?, place, name, meta, spec, status };
        let is_it = |b: &&RawBudget| (&b.namespace, &b.name) == (&budget.namespace, &budget.name);
        let Some(first) = self.budgets.iter().find(is_it) else {
            self.budgets.push(budget);
            return Ok(());
        };
        let same = (&first.meta, &first.spec, &first.status)
            == (&budget.meta, &budget.spec, &budget.status);
        let name = format!("{}/{}", budget.namespace, budget.name);
        let first = first.place.clone();
        self.again(same, "PodDisruptionBudget", &first, budget.place, &name)
    }

    fn namespace(&mut self, place: Place, meta: &RawMeta) -> Result<(), ImportError> {
        let Some(said) = namespace(meta).map_err(at(&place))? else {
            self.count("Namespace".to_owned());
            return Ok(());
        };
        let Some(first) = self.namespaces.iter().find(|n| n.said.name == said.name) else {
            self.namespaces.push(RawNamespace { place, said });
            return Ok(());
        };
        let name = said.name.clone().unwrap_or_default();
        let same = first.said == said;
        self.again(same, "Namespace", &first.place.clone(), place, &name)
    }

    fn lease(
        &mut self,
        place: Place,
        meta: RawMeta,
        spec: RawLeaseSpec,
    ) -> Result<(), ImportError> {
        let leases = match meta.namespace.as_deref() {
            Some(NODE_LEASES) => &mut self.leases,
            Some(CONTROL_LEASES) => &mut self.control,
            _ => {
                self.count("Lease".to_owned());
                return Ok(());
            }
        };
        let name = name_of(&meta, &place)?;
        if let Some((first, other_meta, other_spec)) = leases.get(&name) {
            let same = (other_meta, other_spec) == (&meta, &spec);
            let first = first.clone();
            return self.again(same, "Lease", &first, place, &name);
        }
        leases.insert(name, (place, meta, spec));
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
            return Err(ImportError::Conflict { kind, name: name.to_owned(), first, second });
        }
        self.summary.repeated += 1;
        Ok(())
    }

    /// Where everything stands.
    pub(super) fn places(&self) -> Places {
        let full = |namespace: &str, name: &str| format!("{namespace}/{name}");
        let mut places = Places::new();
        let mut add =
            |list, name: String, place: &Place| drop(places.insert((list, name), place.clone()));
        self.nodes.iter().for_each(|n| add("nodes", n.name.clone(), &n.place));
        self.pods.iter().for_each(|p| add("pods", p.full_name(), &p.place));
        self.workloads.iter().for_each(|w| add("workloads", w.full_name(), &w.place));
        self.budgets
            .iter()
            .for_each(|b| add("podDisruptionBudgets", full(&b.namespace, &b.name), &b.place));
        self.classes.iter().for_each(|c| add("priorityClasses", c.name.clone(), &c.place));
        self.namespaces
            .iter()
            .for_each(|n| add("namespaces", n.said.name.clone().unwrap_or_default(), &n.place));
        places
    }
}

/// The place of an object whose kind and name stand elsewhere in the message.
fn bare(place: &Place) -> Place {
    Place { kind: String::new(), name: String::new(), ..place.clone() }
}
