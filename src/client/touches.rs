//! What the running step touches of the caches, declared for searches.

use super::factory::InformerFactory;
use super::stream::Delta;
use crate::api::workload::WorkloadKind;
use crate::plan::Resource;

impl InformerFactory {
    /// The running step changes a cache.
    pub(super) fn wrote(&self, delta: &Delta) {
        if !self.ctx.is_searching() {
            return;
        }
        let (resource, index) = match delta {
            Delta::Node(_, id) => (Resource::Nodes, id.index()),
            Delta::Pod(_, id) => (Resource::Pods, id.index()),
            Delta::Lease(_, id) => (Resource::Leases, id.index()),
            Delta::Workload(w, id) => {
                (w.as_ref().map_or(Resource::Deployments, |w| w.kind.into()), id.index())
            }
            Delta::Budget(_, id) => (Resource::Budgets, id.index()),
            Delta::Slices(_, id) => (Resource::ResourceSlices, id.index()),
            Delta::Rule(_, id) => (Resource::DeviceTaintRules, id.0 as usize),
            Delta::Claims(..) => (Resource::ResourceClaims, 0),
            Delta::ReadinessRule(..) => (Resource::NodeReadinessRules, 0),
        };
        let keys = self.keys.by_resource[resource as usize];
        self.ctx.writes(keys.of(0));
        self.ctx.writes(keys.of(index as u32 + 1));
    }

    /// The running step reads an object of a cache.
    pub(super) fn reads(&self, resource: Resource, index: usize) {
        self.ctx.reads(self.keys.by_resource[resource as usize].of(index as u32 + 1));
    }

    /// The running step reads a cache as a whole, or what somebody keeps of it.
    pub(crate) fn reads_all(&self, resource: Resource) {
        self.ctx.reads(self.keys.by_resource[resource as usize].of(0));
    }

    /// The running step reads the workloads, whatever their kind.
    pub(super) fn reads_workloads(&self) {
        if self.ctx.is_searching() {
            WorkloadKind::ALL.into_iter().for_each(|kind| self.reads_all(kind.into()));
        }
    }
}
