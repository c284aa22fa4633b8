//! VolumeBinding (`plugins/volumebinding/volume_binding.go`) and VolumeRestrictions
//! (`plugins/volumerestrictions/volume_restrictions.go`): a node has to reach the pod's volumes, one that is
//! being made is for one node, and nobody else may use one that only one pod may use.
//!
//! Left out: that a local volume narrows the search to its node, and volumes that are there without a claim.

use crate::api::node::{allows, reaches};
use crate::api::volume::{Claim, Reach};
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
    /// The nodes for which those are being made that are not there yet.
    pub(crate) selected: Vec<NodeId>,
    /// The claims of those that are made only once a node is chosen, and not for any.
    pub(crate) narrow: Vec<&'a Claim>,
    /// Some is not there yet that is made for no node.
    pub(crate) unbound_immediate: bool,
    /// The claims that only one pod may use, and how many of them others use.
    pub(crate) exclusive: Vec<VolumeId>,
    pub(crate) in_use: i64,
}

impl PodVolumes<'_> {
    /// Whether a node reaches all of them.
    fn are_reached_from(&self, labels: &Labels) -> bool {
        self.reach.iter().all(|reach| reaches(labels, reach))
    }

    /// Rejects the pod at once where somebody uses a claim that only one pod may use, up to 1.26
    /// (`isReadWriteOncePodAccessModeConflict`), and where one has to be bound before.
    pub(crate) fn pre_filter(&self, switches: &Switches) -> Verdict {
        if self.in_use > 0 && !switches.preempts_claim_holders {
            let text = in_use_text(switches);
            return Err(Rejection::unresolvable(Plugin::VolumeRestrictions, text));
        }
        if self.unbound_immediate {
            let text = "pod has unbound immediate PersistentVolumeClaims";
            return Err(Rejection::unresolvable(Plugin::VolumeBinding, text));
        }
        Ok(())
    }

    /// How many users of such claims the filter knows of (`calPreFilterState`); none where it does not ask.
    pub(crate) fn users(&self, switches: &Switches) -> Option<i64> {
        let skips = switches.skips_free_claims && self.in_use == 0;
        let asks = switches.preempts_claim_holders && !self.exclusive.is_empty();
        (asks && !skips).then_some(self.in_use)
    }

    /// How many of these claims another pod has, by their names alone (`conflictingPVCRefCountForPod`).
    pub(crate) fn users_in(&self, other: &Pod) -> i64 {
        if other.template.claims.is_empty() {
            return 0;
        }
        let claims = self.api.claims_of(other);
        self.api.names(|n| {
            let name = |id: &VolumeId| short_name(n.text_of(*id));
            let has = |id: &&VolumeId| self.exclusive.iter().any(|own| name(own) == name(id));
            claims.iter().filter(has).count() as i64
        })
    }

    /// Rejects a node that does not reach a volume, or takes no more; every node where so many others use one
    /// that only one pod may use.
    pub(crate) fn filter(
        &self,
        info: &NodeInfo,
        users: Option<i64>,
        switches: &Switches,
    ) -> Verdict {
        let Some(node) = &info.node else { return Ok(()) };
        if users.is_some_and(|users| users > 0) {
            let text = in_use_text(switches);
            return Err(Rejection::resolvable(Plugin::VolumeRestrictions, text));
        }
        node_volume_limits::filter(self.api, &self.by_driver, info, switches)?;
        let mut reasons = Vec::new();
        if !self.are_reached_from(&node.labels) {
            reasons.push(match switches.persistent_volume_text {
                true => "node(s) didn't match PersistentVolume's node affinity".into(),
                false => "node(s) had volume node affinity conflict".into(),
            });
        }
        reasons.extend(self.why_not_made_for(node, switches).map(Into::into));
        if reasons.is_empty() {
            return Ok(());
        }
        Err(Rejection { plugin: Plugin::VolumeBinding, unresolvable: true, reasons })
    }

    /// Why a volume cannot be made for a node: another was chosen before, or the claim's class does not allow it, or its
    /// driver has no room (`checkVolumeProvisions`).
    fn why_not_made_for(&self, node: &Node, switches: &Switches) -> Option<&'static str> {
        let elsewhere = "node(s) didn't find available persistent volumes to bind";
        if self.selected.iter().any(|selected| *selected != node.id) {
            return Some(elsewhere);
        }
        self.narrow.iter().find_map(|claim| {
            if !allows(&node.labels, claim) {
                return Some(elsewhere);
            }
            let is_full = switches.storage_capacity && !claim.has_enough(&node.allocatable);
            is_full.then_some("node(s) did not have enough free storage")
        })
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

/// Whether two pods of a namespace have a claim of one name, whoever may use it (`isSchedulableAfterPodDeleted`).
pub(crate) fn share_a_claim(a: &Pod, b: &Pod) -> bool {
    let same = |x: &Claim, y: &Claim| {
        x.name == y.name && x.per_pod == y.per_pod && (!x.per_pod || a.id == b.id)
    };
    a.template.claims.iter().any(|x| b.template.claims.iter().any(|y| same(x, y)))
}

/// Whether a change may help a pod whose volumes no node reaches, or that wants one which is being made for
/// another node.
pub(crate) fn hint(event: ClusterEvent, new: Option<&Node>) -> bool {
    use ClusterEvent as E;
    match event {
        E::NodeAdd | E::NodeLabel => new.is_some(),
        event => matches!(event, E::PersistentVolumeAdd | E::PersistentVolumeClaimUpdate),
    }
}
