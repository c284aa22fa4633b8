//! All objects of all files, before times are relative: duplicates, and where each stands.

use super::error::Places;
use super::event::{PodStep, RawEvent};
use super::raw_devices::{RawDeviceClaim, RawDevices, RawTemplate};
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

impl Gathered {
    /// Takes in one object.
    pub(super) fn take(&mut self, place: Place, meta: RawMeta, body: Body) -> Result<()> {
        let name = || name(&meta, &place);
        let in_namespace = || in_namespace(&meta, &place);
        let repeated = match body {
            Body::Node(spec, status) => {
                let node = RawNode { name: name()?, namespace: String::new(), meta, spec, status };
                self.nodes.add("Node", node.name.clone(), place, node)?
            }
            Body::Pod(spec, status) => {
                let pod = RawPod { name: name()?, namespace: in_namespace()?, meta, spec, status };
                self.pods.add("Pod", pod.full_name(), place, pod)?
            }
            Body::Workload(kind, spec, status) => {
                let (name, namespace) = (name()?, in_namespace()?);
                let workload = RawWorkload { kind, namespace, name, meta, spec: *spec, status };
                self.workloads.add(kind.as_str(), workload.full_name(), place, workload)?
            }
            Body::Budget(spec, status) => {
                let (name, namespace) = (name()?, in_namespace()?);
                let budget = RawBudget { namespace, name, meta, spec, status };
                self.budgets.add("PodDisruptionBudget", budget.full_name(), place, budget)?
            }
            Body::Claim(spec, status) => {
                let (name, namespace) = (name()?, in_namespace()?);
                let claim = RawClaim { namespace, name, meta, spec, status };
                self.claims.add("PersistentVolumeClaim", claim.full_name(), place, claim)?
            }
            Body::Volume(spec) => self.volumes.add("PersistentVolume", name()?, place, spec)?,
            Body::Slice(spec) => self.devices.slices.add("ResourceSlice", name()?, place, spec)?,
            Body::DeviceClaim(spec, status) => {
                let (namespace, name) = (in_namespace()?, name()?);
                let claim = RawDeviceClaim { namespace, name, meta, spec, status };
                self.devices.claims.add("ResourceClaim", claim.full_name(), place, claim)?
            }
            Body::ClaimTemplate(spec) => {
                let (namespace, name) = (in_namespace()?, name()?);
                let of = RawTemplate { namespace, name, meta, spec, status: () };
                self.devices.templates.add("ResourceClaimTemplate", of.full_name(), place, of)?
            }
            Body::DeviceClass(spec) => {
                self.devices.classes.add("DeviceClass", name()?, place, spec)?
            }
            Body::TaintRule(spec) => {
                self.devices.rules.add("DeviceTaintRule", name()?, place, spec)?
            }
            Body::Readiness(spec) => {
                let (name, namespace) = (name()?, String::new());
                let rule = RawRule { namespace, name, meta, spec, status: () };
                self.readiness_rules.add(RULE, rule.name.clone(), place, rule)?
            }
            Body::PriorityClass(fields) => {
                let mut class = priority_class(&fields).map_err(at(&place))?;
                class.name = name()?;
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
                leases.add("Lease", name()?, place, (meta, spec))?
            }
            counted => {
                self.take_counted(&place, meta, counted)?;
                return self.count(place);
            }
        };
        self.summary.repeated += usize::from(repeated);
        Ok(())
    }

    /// Takes in an object of a kind that is only counted, however often it is there.
    fn take_counted(&mut self, place: &Place, meta: RawMeta, body: Body) -> Result<()> {
        match body {
            Body::StorageClass(fields) => self.storage.take(name(&meta, place)?, meta, &fields),
            Body::Driver(spec) => {
                let (name, required) = (name(&meta, place)?, spec.attach_required.unwrap_or(true));
                self.capacities.drivers.extend(spec.storage_capacity.then(|| name.clone()));
                self.drivers.insert(name, required);
            }
            Body::StorageCapacity(fields) => self.capacities.take(&fields).map_err(at(place))?,
            Body::CsiNode(spec) => {
                self.limits.insert(name(&meta, place)?, spec.limits().collect());
            }
            Body::Attachment(spec) => {
                let volume = spec.source.persistent_volume_name;
                let nodes = self.attached.entry(volume).or_default();
                // One that is being deleted is all but gone: a driver takes seconds to detach.
                if meta.deletion_timestamp.is_empty() {
                    nodes.insert(spec.node_name);
                }
            }
            Body::Event(fields) => self.event(RawEvent { name: meta.name, fields }),
            Body::Kubelet(config) => self.kubelets.push((place.clone(), config)),
            _ => (),
        }
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

/// The name of the object at that place.
fn name(meta: &RawMeta, place: &Place) -> Result<String> {
    Ok(fields::name("metadata.name", &meta.name).map_err(at(place))?.to_owned())
}

/// The namespace of the object at that place. kubectl puts objects without a namespace into
/// `default`, unless a command says otherwise.
fn in_namespace(meta: &RawMeta, place: &Place) -> Result<String> {
    let written = meta.namespace.as_deref().unwrap_or("default");
    Ok(fields::namespace("metadata.namespace", written).map_err(at(place))?.to_owned())
}
