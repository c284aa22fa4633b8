//! The tables of the store: objects by dense id, one revision counter, and what a search calls
//! them.

use super::device_store::DeviceStore;
use super::event_store::EventStore;
use super::volume_store::VolumeStore;
use crate::api::budget::Budget;
use crate::api::readiness::NodeReadinessRule;
use crate::apiserver::prelude::*;
use crate::kernel::{Key, Keys, slot};

/// What is stored.
#[derive(Default)]
pub(super) struct Store {
    pub(super) nodes: Vec<Option<Rc<Node>>>,
    pub(super) pods: Vec<Option<Rc<Pod>>>,
    pub(super) leases: Vec<Option<Lease>>,
    pub(super) workloads: Vec<Option<Rc<Workload>>>,
    pub(super) budgets: Vec<Option<Rc<Budget>>>,
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
pub(super) fn put<T: Clone>(table: &mut Vec<Option<T>>, index: usize, value: T) {
    *slot(table, index) = Some(value);
}
