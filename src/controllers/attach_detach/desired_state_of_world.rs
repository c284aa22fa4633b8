//! Which volumes are wanted on which nodes, by whose pods (`cache/desired_state_of_world.go`).

use crate::api::volume::Volume;
use crate::controllers::prelude::*;

/// A volume that pods want on a node.
pub(super) struct VolumeToAttach {
    pub(super) volume: Rc<Volume>,
    /// `scheduledPods`, in the order in which they came.
    pub(super) pods: Vec<(PodId, Uid)>,
    pub(super) multi_attach_error_reported: bool,
}

/// Nodes that are managed, and what is wanted there.
#[derive(Default)]
pub(super) struct DesiredStateOfWorld {
    nodes: BTreeSet<NodeId>,
    to_attach: BTreeMap<(NodeId, VolumeId), VolumeToAttach>,
}

impl DesiredStateOfWorld {
    /// `AddNode`
    pub(super) fn add_node(&mut self, node: NodeId) {
        self.nodes.insert(node);
    }

    /// `DeleteNode`: a node on which something is wanted stays.
    pub(super) fn delete_node(&mut self, node: NodeId) {
        let mut from = self.to_attach.range((node, TextId(0))..);
        if from.next().is_none_or(|((n, _), _)| *n != node) {
            self.nodes.remove(&node);
        }
    }

    /// `NodeExists`
    pub(super) fn node_exists(&self, node: NodeId) -> bool {
        self.nodes.contains(&node)
    }

    /// `AddPod`; whether that is news.
    pub(super) fn add_pod(&mut self, node: NodeId, volume: &Rc<Volume>, pod: (PodId, Uid)) -> bool {
        let entry = self.to_attach.entry((node, volume.id)).or_insert_with(|| VolumeToAttach {
            volume: volume.clone(),
            pods: Vec::new(),
            multi_attach_error_reported: false,
        });
        let is_new = !entry.pods.contains(&pod);
        if is_new {
            entry.pods.push(pod);
        }
        is_new
    }

    /// `DeletePod`; whether that is news.
    pub(super) fn delete_pod(&mut self, node: NodeId, volume: VolumeId, uid: Uid) -> bool {
        let Some(entry) = self.to_attach.get_mut(&(node, volume)) else { return false };
        let is_new = entry.pods.extract_if(.., |p| p.1 == uid).count() > 0;
        if entry.pods.is_empty() {
            self.to_attach.remove(&(node, volume));
        }
        is_new
    }

    /// `GetPodToAdd`
    pub(super) fn pods_to_add(&self) -> Vec<(NodeId, VolumeId, (PodId, Uid))> {
        let of = |((node, volume), v): (&(NodeId, VolumeId), &VolumeToAttach)| {
            let (node, volume) = (*node, *volume);
            v.pods.clone().into_iter().map(move |pod| (node, volume, pod))
        };
        self.to_attach.iter().flat_map(of).collect()
    }

    /// `VolumeExists`
    pub(super) fn volume_exists(&self, node: NodeId, volume: VolumeId) -> bool {
        self.to_attach.contains_key(&(node, volume))
    }

    /// What is wanted of a volume on a node.
    pub(super) fn volume_to_attach(
        &mut self,
        node: NodeId,
        volume: VolumeId,
    ) -> Option<&mut VolumeToAttach> {
        self.to_attach.get_mut(&(node, volume))
    }

    /// `GetVolumePodsOnNodes`
    pub(super) fn volume_pods_on_nodes(&self, nodes: &[NodeId], volume: VolumeId) -> Vec<PodId> {
        let of = |n: &NodeId| self.to_attach.get(&(*n, volume));
        nodes.iter().filter_map(of).flat_map(|v| &v.pods).map(|(pod, _)| *pod).collect()
    }
}
