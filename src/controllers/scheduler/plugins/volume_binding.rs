//! VolumeBinding (`plugins/volumebinding/volume_binding.go`) and VolumeRestrictions
//! (`plugins/volumerestrictions/volume_restrictions.go`), as far as claims that are bound go: a node has to
//! reach the pod's volumes, and nobody else may use one that only one pod may use.
//!
//! Left out: that preempting such a user would help, that a local volume narrows the search to its node, and
//! claims that are to be bound, which any node will do for that their class and volume say nothing against.

use crate::api::node::reaches;
use crate::api::volume::Reach;
use crate::controllers::scheduler::plugins::node_volume_limits::{self, OfDriver};
use crate::controllers::scheduler::prelude::*;

/// What filters know of the volumes of a pod.
pub struct PodVolumes<'a> {
    /// Where it stands which volumes the pods of a node have, and what is attached to it.
    pub(crate) api: &'a ApiServer,
    /// They by their drivers.
    pub(crate) by_driver: Vec<OfDriver>,
    /// From where each is reached.
    pub(crate) reach: Vec<Reach>,
    /// Another pod has one that only one pod may use.
    pub(crate) is_taken: bool,
}

impl PodVolumes<'_> {
    /// Whether a node reaches all of them.
    fn are_reached_from(&self, labels: &Labels) -> bool {
        self.reach.iter().all(|reach| reaches(labels, reach))
    }

    /// Rejects a node that does not reach a volume, or takes no more; every node where somebody has it.
    pub(crate) fn filter(&self, info: &NodeInfo, switches: &Switches) -> Verdict {
        let Some(node) = &info.node else { return Ok(()) };
        if self.is_taken {
            return Err(Rejection::unresolvable(Plugin::VolumeRestrictions, in_use_text(switches)));
        }
        node_volume_limits::filter(self.api, &self.by_driver, info, switches.attachments_count)?;
        if self.are_reached_from(&node.labels) {
            return Ok(());
        }
        let reason = match switches.persistent_volume_text {
            true => "node(s) didn't match PersistentVolume's node affinity",
            false => "node(s) had volume node affinity conflict",
        };
        Err(Rejection::unresolvable(Plugin::VolumeBinding, reason))
    }
}

/// `ErrReasonReadWriteOncePodConflict`
fn in_use_text(switches: &Switches) -> &'static str {
    match switches.claim_in_use_text {
        true => {
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
        }
        false => {
            "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
        }
    }
}

/// Whether a change of a node may help a pod whose volumes no node reaches.
pub(crate) fn hint(event: ClusterEvent, new: Option<&Node>) -> bool {
    matches!(event, ClusterEvent::NodeAdd | ClusterEvent::NodeLabel) && new.is_some()
}
