//! All objects of all files, before times are relative: duplicates, and where each stands.

use super::error::Places;
use super::event::{PodStep, RawEvent};
use super::node::RawNode;
use super::object::{RawLeaseSpec, RawRule};
use super::pod::RawPod;
use super::raw_devices::RawDevices;
use super::raw_volumes::{RawClaim, RawVolumeSpec};
use super::scheduling::RawBudget;
use super::seeds::Body;
use super::storage_capacities::StorageCapacities;
use super::storage_classes::StorageClasses;
use super::workload::{RawWorkload, namespace, priority_class};
use crate::import::prelude::*;

/// The namespace of the nodes' leases (`v1.NamespaceNodeLease`).
const NODE_LEASES: &str = "kube-node-lease";

/// That of the leases of the control plane's leaders and API servers.
const CONTROL_LEASES: &str = "kube-system";

/// Everything in the files, before times are relative.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) nodes: Named<RawNode>,
    pub(super) pods: Named<RawPod>,
    pub(super) leases: Named<(RawMeta, RawLeaseSpec)>,
    /// The leases of the control plane, in `kube-system`.
    pub(super) control: Named<(RawMeta, RawLeaseSpec)>,
    pub(super) workloads: Named<RawWorkload>,
    pub(super) classes: Named<PriorityClass>,
    pub(super) budgets: Named<RawBudget>,
    pub(super) namespaces: Named<Namespace>,
    pub(super) claims: Named<RawClaim>,
    /// PersistentVolumes
    pub(super) volumes: Named<RawVolumeSpec>,
    pub(super) storage: StorageClasses,
    pub(super) capacities: StorageCapacities,
    /// Drivers of volumes, and whether theirs have to be attached.
    pub(super) drivers: BTreeMap<String, bool>,
    /// How many volumes nodes take, by resources, as their CSINodes say.
    pub(super) limits: BTreeMap<String, BTreeMap<String, QuantityText>>,
    /// The nodes that volumes are attached to, or are about to be.
    pub(super) attached: BTreeMap<String, BTreeSet<String>>,
    /// Devices, claims on them, and rules that taint them.
    pub(super) devices: RawDevices,
    /// Rules of the node readiness controller.
    pub(super) readiness_rules: Named<RawRule>,
    /// Events that tell of the scheduler's tries.
    pub(super) events: Vec<RawEvent>,
    /// What events tell of the lives of pods, by `namespace/name`.
    pub(super) lives: BTreeMap<String, Vec<(Stamp, PodStep)>>,
    /// When events say that the node lifecycle controller passed over its nodes.
    pub(super) passes: BTreeSet<Stamp>,
    /// Kubelets' configuration, with where each stands.
    pub(super) kubelets: Vec<(Place, Fields)>,
    pub(super) summary: Summary,
}

/// The name of the object at that place.
fn name_of(meta: &RawMeta, place: &Place) -> Result<String> {
    Ok(fields::name("metadata.name", &meta.name).map_err(at(place))?.to_owned())
}

/// The namespace of the object at that place. kubectl puts objects without a namespace into
/// `default`, unless a command says otherwise.
fn namespace_of(meta: &RawMeta, place: &Place) -> Result<String> {
    let written = meta.namespace.as_deref().unwrap_or("default");
    Ok(fields::namespace("metadata.namespace", written).map_err(at(place))?.to_owned())
}

impl Gathered {
    /// Takes in one object.
    pub(super) fn take(&mut self, place: Place, meta: RawMeta, body: Body) -> Result<()> {
        let repeated = match body {
            Body::Node(spec, status) => {
                let (name, namespace) = (name_of(&meta, &place)?, String::new());
                let node = RawNode { namespace, name: name.clone(), meta, spec, status };
                self.nodes.add("Node", name, place, node)?
            }
            Body::Pod(spec, status) => {
                let (name, namespace) = (name_of(&meta, &place)?, namespace_of(&meta, &place)?);
                let pod = RawPod { namespace, name, meta, spec, status };
                self.pods.add("Pod", pod.full_name(), place, pod)?
            }
            Body::Workload(kind, spec, status) => {
                let (name, namespace) = (name_of(&meta, &place)?, namespace_of(&meta, &place)?);
                let workload = RawWorkload { kind, namespace, name, meta, spec: *spec, status };
                self.workloads.add(kind.as_str(), workload.full_name(), place, workload)?
            }
            Body::Budget(spec, status) => {
                let (name, namespace) = (name_of(&meta, &place)?, namespace_of(&meta, &place)?);
                let budget = RawBudget { namespace, name, meta, spec, status };
                self.budgets.add("PodDisruptionBudget", budget.full_name(), place, budget)?
            }
            Body::Claim(spec, status) => {
                let (name, namespace) = (name_of(&meta, &place)?, namespace_of(&meta, &place)?);
                let claim = RawClaim { namespace, name, meta, spec, status };
                self.claims.add("PersistentVolumeClaim", claim.full_name(), place, claim)?
            }
            Body::Volume(spec) => {
                self.volumes.add("PersistentVolume", name_of(&meta, &place)?, place, spec)?
            }
            Body::StorageClass(fields) => {
                self.storage.take(name_of(&meta, &place)?, meta, &fields);
                return self.count(place);
            }
            Body::Driver(spec) => {
                let required = spec.attach_required.unwrap_or(true);
                let name = name_of(&meta, &place)?;
                self.capacities.drivers.extend(spec.storage_capacity.then(|| name.clone()));
                self.drivers.insert(name, required);
                return self.count(place);
            }
            Body::StorageCapacity(fields) => {
                self.capacities.take(&fields).map_err(at(&place))?;
                return self.count(place);
            }
            Body::CsiNode(spec) => {
                self.limits.insert(name_of(&meta, &place)?, spec.limits().collect());
                return self.count(place);
            }
            Body::Attachment(spec) => {
                let volume = spec.source.persistent_volume_name;
                let nodes = self.attached.entry(volume).or_default();
                // One that is being deleted is all but gone: a driver takes seconds to detach.
                if meta.deletion_timestamp.is_empty() {
                    nodes.insert(spec.node_name);
                }
                return self.count(place);
            }
            Body::Device(body) => {
                let names = (namespace_of(&meta, &place)?, name_of(&meta, &place)?);
                self.devices.take(names, place, meta, body)?
            }
            Body::Readiness(spec) => {
                let (name, namespace) = (name_of(&meta, &place)?, String::new());
                let rule = RawRule { namespace, name: name.clone(), meta, spec, status: () };
                self.readiness_rules.add(RULE, name, place, rule)?
            }
            Body::PriorityClass(fields) => {
                let mut class = priority_class(&fields).map_err(at(&place))?;
                class.name = name_of(&meta, &place)?;
                self.classes.add("PriorityClass", class.name.clone(), place, class)?
            }
            Body::Namespace => match namespace(&meta).map_err(at(&place))? {
                Some((name, found)) => self.namespaces.add("Namespace", name, place, found)?,
                None => return self.count(place),
            },
            Body::Lease(spec) => {
                let leases = match meta.namespace.as_deref() {
                    Some(NODE_LEASES) => &mut self.leases,
                    Some(CONTROL_LEASES) => &mut self.control,
                    _ => return self.count(place),
                };
                leases.add("Lease", name_of(&meta, &place)?, place, (meta, spec))?
            }
            Body::Event(fields) => {
                self.event(RawEvent { name: meta.name, fields });
                return self.count(place);
            }
            Body::Kubelet(config) => {
                self.kubelets.push((place.clone(), config));
                return self.count(place);
            }
            Body::Other | Body::Unknown => return self.count(place),
        };
        self.summary.repeated += usize::from(repeated);
        Ok(())
    }

    fn event(&mut self, event: RawEvent) {
        if event.failed_scheduling().is_some() {
            self.events.push(event);
        } else if let Some(at) = event.passed() {
            self.passes.insert(at);
        } else if let Some((pod, step, at)) = event.of_life() {
            self.lives.entry(pod).or_default().push((at, step));
        }
    }

    /// Counts an object that is left out.
    fn count(&mut self, place: Place) -> Result<()> {
        *self.summary.kinds.entry(place.kind).or_default() += 1;
        Ok(())
    }

    /// Where everything stands.
    pub(super) fn places(&self) -> Places {
        (self.nodes.places("nodes"))
            .chain(self.pods.places("pods"))
            .chain(self.workloads.places("workloads"))
            .chain(self.budgets.places("podDisruptionBudgets"))
            .chain(self.classes.places("priorityClasses"))
            .chain(self.namespaces.places("namespaces"))
            .chain(self.devices.rules.places("deviceTaintRules"))
            .chain(self.readiness_rules.places("node_readiness_rules"))
            .chain(self.devices.claims.places("resourceClaims"))
            .collect()
    }
}
