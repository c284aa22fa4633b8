//! Which volumes are attached to which nodes, as far as the controller knows
//! (`cache/actual_state_of_world.go`).

use crate::controllers::prelude::*;

/// `AttachState`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AttachState {
    /// It is.
    Attached,
    /// It may be: an attempt to attach or to detach it failed.
    Uncertain,
    /// It is not.
    Detached,
}

/// A volume on a node.
struct Attached {
    is_confirmed: bool,
    detach_requested: Option<Time>,
    /// For how long that had been so when the run began.
    requested_before: Dur,
}

/// What is to be said of a node's volumes in its status (`nodeToUpdateStatusFor`).
#[derive(Default)]
struct Report {
    update_needed: bool,
    attached: BTreeSet<VolumeId>,
}

/// What is attached.
#[derive(Default)]
pub(super) struct ActualStateOfWorld {
    attached: BTreeMap<(VolumeId, NodeId), Attached>,
    /// Whose access modes are not known: no pod that wants them has been seen.
    without_spec: BTreeSet<VolumeId>,
    in_use: BTreeMap<NodeId, Vec<VolumeId>>,
    reports: BTreeMap<NodeId, Report>,
}

impl ActualStateOfWorld {
    /// `AddVolumeNode`: the volume is attached there, or may be. `has_spec`: it is known what the
    /// volume is like.
    pub(super) fn add_volume_node(
        &mut self,
        (volume, node): (VolumeId, NodeId),
        is_attached: bool,
        has_spec: bool,
    ) {
        if has_spec {
            self.without_spec.remove(&volume);
        } else {
            self.without_spec.insert(volume);
        }
        match self.attached.get_mut(&(volume, node)) {
            Some(a) => a.is_confirmed = is_attached,
            None => {
                let (detach_requested, requested_before) = (None, Dur::ZERO);
                let new =
                    Attached { is_confirmed: is_attached, detach_requested, requested_before };
                self.attached.insert((volume, node), new);
                // Mounted, until the node says otherwise.
                let in_use = self.in_use.entry(node).or_default();
                if !in_use.contains(&volume) {
                    in_use.push(volume);
                }
            }
        }
        if is_attached {
            self.add_to_report(volume, node);
        }
    }

    /// `DeleteVolumeNode`
    pub(super) fn delete_volume_node(&mut self, volume: VolumeId, node: NodeId) {
        self.attached.remove(&(volume, node));
        self.remove_from_report(volume, node);
    }

    /// `SetVolumesMountedByNode`: whether it was not known, as where something was assumed to be mounted.
    pub(super) fn set_volumes_mounted_by_node(
        &mut self,
        node: NodeId,
        in_use: &[VolumeId],
    ) -> bool {
        let is_news = self.in_use.get(&node).is_none_or(|known| known != in_use);
        if is_news {
            self.in_use.insert(node, in_use.to_vec());
        }
        is_news
    }

    /// Whether the node says that it uses the volume.
    pub(super) fn is_mounted(&self, volume: VolumeId, node: NodeId) -> bool {
        self.in_use.get(&node).is_some_and(|all| all.contains(&volume))
    }

    /// Whether it is known what a volume is like.
    pub(super) fn has_spec(&self, volume: VolumeId) -> bool {
        !self.without_spec.contains(&volume)
    }

    /// `GetAttachState`
    pub(super) fn attach_state(&self, volume: VolumeId, node: NodeId) -> AttachState {
        match self.attached.get(&(volume, node)) {
            Some(a) if a.is_confirmed => AttachState::Attached,
            Some(_) => AttachState::Uncertain,
            None => AttachState::Detached,
        }
    }

    /// `GetAttachedVolumes`
    pub(super) fn attached_volumes(&self) -> Vec<(VolumeId, NodeId)> {
        self.attached.keys().copied().collect()
    }

    /// `GetNodesForAttachedVolume`
    pub(super) fn nodes_for_attached_volume(&self, volume: VolumeId) -> Vec<NodeId> {
        let all = self.attached.range((volume, NodeId(0))..=(volume, NodeId(u32::MAX)));
        all.filter(|(_, a)| a.is_confirmed).map(|((_, node), _)| *node).collect()
    }

    /// `SetDetachRequestTime`: for how long nobody has wanted the volume there.
    pub(super) fn set_detach_request_time(
        &mut self,
        volume: VolumeId,
        node: NodeId,
        now: Time,
    ) -> Dur {
        let attached = self.attached.get_mut(&(volume, node));
        attached.map_or(Dur::ZERO, |a| {
            a.requested_before + now.since(*a.detach_requested.get_or_insert(now))
        })
    }

    /// For how long nobody had wanted a volume there when the run began.
    pub(super) fn recall_detach_request(&mut self, volume: VolumeId, node: NodeId, before: Dur) {
        if let Some(a) = self.attached.get_mut(&(volume, node)) {
            a.requested_before = before;
        }
    }

    /// `ResetDetachRequestTime`
    pub(super) fn reset_detach_request_time(&mut self, volume: VolumeId, node: NodeId) {
        if let Some(a) = self.attached.get_mut(&(volume, node)) {
            (a.detach_requested, a.requested_before) = (None, Dur::ZERO);
        }
    }

    /// `AddVolumeToReportAsAttached`
    pub(super) fn add_to_report(&mut self, volume: VolumeId, node: NodeId) {
        if self.attached.contains_key(&(volume, node)) {
            let is_new = !self.reports.contains_key(&node);
            let report = self.reports.entry(node).or_default();
            report.update_needed |= report.attached.insert(volume) || is_new;
        }
    }

    /// `RemoveVolumeFromReportAsAttached`
    pub(super) fn remove_from_report(&mut self, volume: VolumeId, node: NodeId) {
        if let Some(report) = self.reports.get_mut(&node)
            && report.attached.remove(&volume)
        {
            report.update_needed = true;
        }
    }

    /// `SetNodeStatusUpdateNeeded`
    pub(super) fn set_node_status_update_needed(&mut self, node: NodeId) {
        if let Some(report) = self.reports.get_mut(&node) {
            report.update_needed = true;
        }
    }

    /// The nodes whose status has to be written.
    pub(super) fn nodes_to_report(&self) -> Vec<NodeId> {
        self.reports.iter().filter(|(_, r)| r.update_needed).map(|(node, _)| *node).collect()
    }

    /// `GetVolumesToReportAttachedForNode`: what its status is to say, if it has to be written, which
    /// it need not be from now on.
    pub(super) fn volumes_to_report(&mut self, node: NodeId) -> Option<Vec<VolumeId>> {
        let report = self.reports.get_mut(&node).filter(|r| r.update_needed)?;
        report.update_needed = false;
        Some(report.attached.iter().copied().collect())
    }
}
