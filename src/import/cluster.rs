//! A cluster as an export shows it, in the types of the scenario language, so that a cluster that a
//! scenario points at and one that is written out are the same thing.

use super::control_plane::ControlPlane;
use super::error::Places;
use super::prelude::*;

/// A cluster as an export shows it, in the words of the scenario language.
#[derive(Clone, Debug)]
pub struct ImportedCluster {
    /// What its controllers remember beside that.
    pub(crate) memory: Memory,
    /// Groups of like nodes, in the order in which the first of each stands in the files.
    pub nodes: Vec<NodeGroup>,
    /// Groups of like pods, in that order.
    pub pods: Vec<PodGroup>,
    /// Priority classes beside Kubernetes' own.
    pub(crate) priority_classes: Vec<PriorityClass>,
    /// Disruption budgets.
    pub(crate) budgets: Vec<PodDisruptionBudget>,
    /// Namespaces that say something of their pods' tolerations.
    pub(crate) namespaces: Vec<Namespace>,
    /// Claims on devices that pods name.
    pub(crate) resource_claims: Vec<ResourceClaim>,
    /// Rules that taint devices.
    pub(crate) device_taint_rules: Vec<DeviceTaintRule>,
    /// Rules of the node readiness controller.
    pub(crate) readiness_rules: Vec<NodeReadinessRule>,
    /// Workloads, Deployments before their ReplicaSets; pods that exist name them as their owners.
    pub(crate) workloads: Vec<Workload>,
    /// What the control plane was started with, as far as its pods are in the files.
    pub(crate) control_plane: ControlPlane,
    /// What was taken and what was left out.
    pub summary: Summary,
    /// Where all of it stands in the files.
    pub(super) places: Places,
}

impl ImportedCluster {
    /// Makes sure that there is a node or a pod in it, without which it is no cluster.
    ///
    /// # Errors
    /// There is neither: [`ImportError::Nothing`].
    pub fn simulable(self) -> Result<Self, ImportError> {
        if self.summary.nodes > 0 || self.summary.pods > 0 || !self.summary.orphans.is_empty() {
            return Ok(self);
        }
        let found = self.summary.instead();
        Err(ImportError::Nothing { files: self.summary.files, found })
    }
}
