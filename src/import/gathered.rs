//! All objects of all files, before times are relative: duplicates, and where each stands.

use super::error::Places;
use super::event::{PodStep, RawEvent};
use super::raw_devices::RawDevices;
use super::raw_volumes::{RawClaim, RawCsiNodeSpec, RawVolumeSpec};
use super::scheduling::RawBudget;
use super::seeds::Body;
use super::storage::{StorageCapacities, StorageClasses};
use super::workload::{RawWorkload, namespace, priority_class};
use crate::api::volume::{missing_driver_key, preventing_driver_key};
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
    pub(super) leases: Named<RawLease>,
    /// The leases of the control plane, in `kube-system`.
    pub(super) control: Named<RawLease>,
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
    /// Those without which no pod with their volumes is to be on a node (`preventPodSchedulingIfMissing`).
    pub(super) preventing: BTreeSet<String>,
    /// CSINodes, by the nodes' names.
    pub(super) csi_nodes: BTreeMap<String, RawCsiNodeSpec>,
    /// The nodes that volumes are attached to, or are about to be.
    pub(super) attached: BTreeMap<String, BTreeSet<String>>,
    /// Devices, claims on them, and rules that taint them.
    pub(super) devices: RawDevices,
    /// Rules of the node readiness controller.
    pub(super) readiness_rules: Named<RawRule>,
    /// By the names of pods how often events say that the scheduler found no node, and when last.
    pub(super) tried: BTreeMap<String, (u32, Stamp)>,
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
        // Of the others it is told by what comes of them.
        let is_told = WorkloadKind::parse(&place.kind).is_none()
            && !["Node", "Pod", "Lease", "PriorityClass"].contains(&&*place.kind);
        let kind = is_told.then(|| place.kind.clone());
        let object = Given { place, meta };
        let repeated = match body {
            Body::Node(spec, status) => object.whole(&mut self.nodes, spec, status)?,
            Body::Pod(spec, status) => object.whole(&mut self.pods, spec, status)?,
            Body::Workload(kind, spec, status) => {
                let (name, namespace) = (object.name()?, object.namespace()?);
                let (meta, spec) = (object.meta, *spec);
                let workload = RawWorkload { kind, namespace, name, meta, spec, status };
                self.workloads.add(workload.full_name(), object.place, workload)?
            }
            Body::Budget(spec, status) => object.whole(&mut self.budgets, spec, status)?,
            Body::Claim(spec, status) => object.whole(&mut self.claims, spec, status)?,
            Body::Volume(spec, _) => object.part(&mut self.volumes, spec)?,
            Body::Slice(spec, _) => object.part(&mut self.devices.slices, spec.of_today())?,
            Body::DeviceClaim(spec, status) => {
                object.whole(&mut self.devices.claims, spec.of_today(), status)?
            }
            Body::ClaimTemplate(of, _) => {
                object.whole(&mut self.devices.templates, of.spec.of_today(), ())?
            }
            Body::DeviceClass(spec, _) => object.part(&mut self.devices.classes, spec)?,
            Body::TaintRule(spec, _) => object.part(&mut self.devices.rules, spec)?,
            Body::Readiness(spec, _) => object.whole(&mut self.readiness_rules, spec, ())?,
            Body::PriorityClass(fields) => {
                let mut class = priority_class(&fields).map_err(at(&object.place))?;
                class.name.clone_from(&object.meta.name);
                object.part(&mut self.classes, class)?
            }
            Body::Namespace(..) => match namespace(&object.meta).map_err(at(&object.place))? {
                Some(found) => object.part(&mut self.namespaces, found)?,
                None => return self.count(object.place),
            },
            Body::Lease(spec, _) => match object.meta.namespace.as_deref() {
                Some(NODE_LEASES) => object.whole(&mut self.leases, spec, ())?,
                Some(CONTROL_LEASES) => object.whole(&mut self.control, spec, ())?,
                _ => return self.count(object.place),
            },
            other => return self.take_counted(object, other),
        };
        self.summary.repeated += usize::from(repeated);
        if let Some(kind) = kind.filter(|_| !repeated) {
            *self.summary.workloads.entry(kind).or_default() += 1;
        }
        Ok(())
    }

    /// Takes in an object of a kind that is only counted, however often it is there.
    fn take_counted(&mut self, object: Given, body: Body) -> Result<()> {
        match body {
            Body::StorageClass(fields) => self.storage.take(object.name()?, object.meta, &fields),
            Body::Driver(spec, _) => {
                let (name, required) = (object.name()?, spec.attach_required.unwrap_or(true));
                self.capacities.drivers.extend(spec.storage_capacity.then(|| name.clone()));
                let prevents = spec.prevent_pod_scheduling_if_missing;
                self.preventing.extend(prevents.then(|| name.clone()));
                self.drivers.insert(name, required);
            }
            Body::StorageCapacity(fields) => {
                self.capacities.take(&fields).map_err(at(&object.place))?;
            }
            Body::CsiNode(spec, _) => {
                self.csi_nodes.insert(object.name()?, spec);
            }
            Body::Attachment(spec, _) => {
                let volume = spec.source.persistent_volume_name;
                let nodes = self.attached.entry(volume).or_default();
                // One that is being deleted is all but gone: a driver takes seconds to detach.
                if object.meta.deletion_timestamp.is_empty() {
                    nodes.insert(spec.node_name);
                }
            }
            Body::Event(fields) => self.event(RawEvent { name: object.meta.name, fields }),
            Body::Kubelet(config) => self.kubelets.push((object.place.clone(), config)),
            _ => (),
        }
        self.count(object.place)
    }

    fn event(&mut self, event: RawEvent) {
        if let Some((pod, tries, last)) = event.failed_scheduling() {
            // The recorder counts like events together; unlike ones are several.
            let sum = self.tried.entry(pod).or_insert((0, last));
            *sum = (sum.0.saturating_add(tries), sum.1.max(last));
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

    /// What CSINodes say, as resources of the nodes: how many volumes of a driver each takes, and which of the drivers that attach
    /// volumes it does not have.
    pub(super) fn drivers_of_nodes(&mut self) -> BTreeMap<String, BTreeMap<String, QuantityText>> {
        // Every kubelet makes a CSINode: where these are in the files, a node without has no driver, for the scheduler
        // (`checkCSIDriverOnNode`) as for who attaches (`getNodeID`).
        if !self.csi_nodes.is_empty() {
            for node in self.nodes.iter() {
                self.csi_nodes.entry(node.name.clone()).or_default();
            }
        }
        let there: BTreeSet<&str> = self.csi_nodes.values().flat_map(|n| n.names()).collect();
        let of_volumes = self.volumes.iter().filter_map(|v| Some(&*v.csi.as_ref()?.driver));
        // Other provisioners are no drivers, and in no CSINode.
        let of_classes = self.storage.drivers().filter(|driver| there.contains(driver));
        let attaches = |driver: &&str| self.drivers.get(*driver) != Some(&false);
        let used: BTreeSet<&str> = of_volumes.chain(of_classes).filter(attaches).collect();
        let mut all: BTreeMap<String, BTreeMap<String, QuantityText>> = BTreeMap::new();
        for (node, spec) in self.csi_nodes.iter().filter(|(node, _)| self.nodes.contains(node)) {
            let resources = all.entry(node.clone()).or_default();
            resources.extend(spec.limits());
            let has: BTreeSet<&str> = spec.names().collect();
            for driver in used.difference(&has) {
                resources.insert(missing_driver_key(driver), "1".to_owned().into());
                if self.preventing.contains(*driver) {
                    resources.insert(preventing_driver_key(driver), "1".to_owned().into());
                }
                let what = format!(
                    "without the driver {driver}, so that no volume of its is attached there"
                );
                self.summary.named.entry(("node", what)).or_default().push(node.clone());
            }
        }
        all
    }

    /// Whether a node is in the files, or was there before it was deleted: of one that is left out of them there would be a lease,
    /// where others have one, which is deleted with its node.
    pub(super) fn knows(&self, node: &str) -> bool {
        let tells = self.nodes.len() > 0 && self.leases.len() > 0;
        let is_deleted = tells && !self.leases.contains(node);
        self.nodes.contains(node) || is_deleted && fields::name("spec.nodeName", node).is_ok()
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

/// An object of which the kind and the name are still to be looked at.
struct Given {
    place: Place,
    meta: RawMeta,
}

impl Given {
    fn name(&self) -> Result<String> {
        let name = fields::name("metadata.name", &self.meta.name);
        Ok(name.map_err(at(&self.place))?.to_owned())
    }

    /// Its namespace; none of a kind that has none, and of leases, which go by their names. kubectl puts
    /// objects without a namespace into `default`, unless a command says otherwise.
    fn namespace(&self) -> Result<String> {
        if ["Node", "Lease", RULE].contains(&&*self.place.kind) {
            return Ok(String::new());
        }
        let written = self.meta.namespace.as_deref().unwrap_or("default");
        let namespace = fields::namespace("metadata.namespace", written);
        Ok(namespace.map_err(at(&self.place))?.to_owned())
    }

    /// Takes it in; whether it was there before, alike.
    fn whole<Spec: PartialEq, Status: PartialEq>(
        self,
        all: &mut Named<Object<Spec, Status>>,
        spec: Spec,
        status: Status,
    ) -> Result<bool> {
        let (name, namespace) = (self.name()?, self.namespace()?);
        let object = Object { namespace, name, meta: self.meta, spec, status };
        all.add(object.full_name(), self.place, object)
    }

    /// The same, of a kind of which nothing but this counts.
    fn part<T: PartialEq>(self, all: &mut Named<T>, part: T) -> Result<bool> {
        all.add(self.name()?, self.place, part)
    }
}
