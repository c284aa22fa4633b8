//! The tables of the store: objects by dense id, one revision counter, and what a search calls
//! them. What there is beside these is stored by name: devices, volumes.

use super::event_store::EventStore;
use crate::api::volume::{Volume, VolumeAttachment, VolumeId};
use crate::apiserver::prelude::*;
use crate::kernel::{Key, Keys, slot};

/// Objects by id.
pub(super) type Table<T> = Vec<Option<T>>;

/// What is stored.
#[derive(Default)]
pub(super) struct Store {
    pub(super) nodes: Table<Rc<Node>>,
    pub(super) pods: Table<Rc<Pod>>,
    pub(super) leases: Table<Lease>,
    pub(super) workloads: Table<Rc<Workload>>,
    pub(super) budgets: Table<Rc<Budget>>,
    /// How many names were generated for each workload's pods.
    pub(super) generated: Vec<u32>,
    /// Workloads whose ControllerRevision exists, and which life of them.
    pub(super) revisions: BTreeSet<(WorkloadId, Uid)>,
    pub(super) events: EventStore,
    pub(super) volumes: VolumeStore,
    pub(super) devices: DeviceStore,
    /// NodeReadinessRules by name.
    pub(super) readiness_rules: BTreeMap<TextId, Rc<NodeReadinessRule>>,
    pub(super) revision: u64,
    uids: u64,
}

impl Store {
    /// The next resourceVersion.
    pub(super) fn next_version(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    /// The next uid.
    pub(super) fn next_uid(&mut self) -> Uid {
        self.uids += 1;
        Uid(self.uids)
    }
}

/// What a step touches of the store, for searches: of each resource the objects by id, and the
/// resource as a whole, whose changes come one after the other in its watches.
pub(super) struct StoreKeys {
    pub(super) nodes: Keys,
    pub(super) pods: Keys,
    pub(super) leases: Keys,
    pub(super) workloads: Keys,
    pub(super) budgets: Keys,
    pub(super) events: Keys,
    pub(super) volumes: Keys,
    /// ResourceSlices by node.
    pub(super) slices: Keys,
    /// DeviceTaintRules, as a whole.
    pub(super) rules: Keys,
    /// Allocations, as a whole.
    pub(super) allocations: Keys,
    /// NodeReadinessRules, as a whole.
    pub(super) readiness_rules: Keys,
}

/// The resource as a whole.
pub(super) const ALL: u32 = 0;

/// An object of it.
pub(super) fn one(keys: Keys, index: usize) -> Key {
    keys.of(index as u32 + 1)
}

/// Stores at an index, growing the table.
pub(super) fn put<T: Clone>(table: &mut Table<T>, index: usize, value: T) {
    *slot(table, index) = Some(value);
}

/// What is stored of devices.
#[derive(Default)]
pub(super) struct DeviceStore {
    pub(super) slices: BTreeMap<NodeId, Rc<ResourceSlices>>,
    pub(super) rules: BTreeMap<TextId, Rc<DeviceTaintRule>>,
    pub(super) allocations: BTreeMap<Uid, Rc<Allocation>>,
    /// The claims for a life of a pod alone that have had devices, and so their finalizer.
    pub(super) finalized: BTreeSet<(Uid, usize)>,
    /// How many claims have been made for pods of a name, by their place among those of the pod.
    pub(super) made: BTreeMap<(PodId, usize), u32>,
    /// Claims that pods share and that somebody has written to, by name.
    pub(super) claims: BTreeMap<Rc<str>, Rc<SharedClaim>>,
}

/// What is stored of volumes.
#[derive(Default)]
pub(super) struct VolumeStore {
    pub(super) volumes: BTreeMap<VolumeId, Rc<Volume>>,
    /// The volumes that are being made, each with the node that was chosen for it (annotation
    /// `volume.kubernetes.io/selected-node` of its claim), if one had to be, and how long that takes.
    pub(super) selected: BTreeMap<VolumeId, (Option<NodeId>, Dur, Rc<Volume>)>,
    /// The claims that came about in the run, whose volumes take time or are made at once.
    pub(super) created: BTreeSet<VolumeId>,
    pub(super) attachments: BTreeMap<(NodeId, VolumeId), VolumeAttachment>,
    /// The claims of pods that somebody has asked for: a life of a pod keeps them.
    pub(super) claims: BTreeMap<Uid, Rc<[VolumeId]>>,
}
