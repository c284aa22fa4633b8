//! Which waiting pods are to get which node once the pods preempted for them are gone
//! (`backend/queue/nominator.go`).

use super::events::PodAndShape;
use crate::controllers::prelude::*;

/// What becomes of a pod's nomination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Nomination {
    /// It stays.
    Keep,
    /// It becomes this one, or none.
    Set(Option<NodeId>),
}

/// The node that a pod is to get, as its status says.
pub(super) fn nominated(pod: &Pod) -> Option<NodeId> {
    pod.unscheduled.as_ref()?.nominated
}

/// Nominated pods by node.
#[derive(Default, Debug)]
pub struct Nominator {
    node_of: BTreeMap<PodId, NodeId>,
    on_node: BTreeMap<NodeId, Vec<PodAndShape>>,
}

impl Nominator {
    /// Notes that a pod is to get a node.
    pub fn add(&mut self, pod: PodAndShape, node: NodeId) {
        self.remove(pod.0.id);
        self.node_of.insert(pod.0.id, node);
        self.on_node.entry(node).or_default().push(pod);
    }

    /// Forgets a pod.
    pub(crate) fn remove(&mut self, pod: PodId) {
        if let Some(node) = self.node_of.remove(&pod)
            && let Some(list) = self.on_node.get_mut(&node)
        {
            list.retain(|(p, _)| p.id != pod);
            if list.is_empty() {
                self.on_node.remove(&node);
            }
        }
    }

    /// Takes another version of a pod: its status says which node it is to get, but a nomination
    /// that the status does not show yet stays (`UpdateNominatedPod`).
    pub(crate) fn update(
        &mut self,
        old: Option<NodeId>,
        pod: PodAndShape,
        nominated: Option<NodeId>,
    ) {
        let kept = if old.is_none() && nominated.is_none() {
            self.node_of.get(&pod.0.id).copied()
        } else {
            nominated
        };
        self.remove(pod.0.id);
        if let Some(node) = kept {
            self.add(pod, node);
        }
    }

    /// The pods that are to get a node.
    pub(crate) fn on(&self, node: NodeId) -> &[PodAndShape] {
        self.on_node.get(&node).map_or(&[], |list| list)
    }

    /// Whether no pod is nominated anywhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.node_of.is_empty()
    }
}
