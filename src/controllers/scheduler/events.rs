//! The changes that waiting pods may gain by (`framework/events.go`).

use super::shape::Shape;
use crate::controllers::prelude::*;

/// A kind of change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClusterEvent {
    /// A node was added.
    NodeAdd,
    /// A node is gone.
    NodeDelete,
    /// A node's taints changed, or it is no longer cordoned.
    NodeTaint,
    /// A node's allocatable resources changed.
    NodeAllocatable,
    /// A node's labels changed.
    NodeLabel,
    /// The status of a condition of a node changed.
    NodeCondition,
    /// A bound pod was added.
    PodAdd,
    /// A bound pod's labels changed.
    PodLabel,
    /// A bound pod changed otherwise.
    PodUpdate,
    /// A bound pod is gone, or ended.
    PodDelete,
    /// A ResourceClaim was deallocated.
    ResourceClaimUpdate,
    /// The taints of devices changed.
    ResourceSliceUpdate,
    /// A VolumeAttachment is gone.
    VolumeAttachmentDelete,
    /// A PersistentVolume was made.
    PersistentVolumeAdd,
    /// A node was chosen for a PersistentVolumeClaim, or it was bound.
    PersistentVolumeClaimUpdate,
    /// The waiting pod's own labels changed.
    OwnLabels,
    /// The waiting pod got tolerations.
    OwnTolerations,
    /// The waiting pod's last scheduling gate was removed.
    OwnGates,
    /// The waiting pod's claims on devices have been made.
    OwnClaims,
    /// The waiting pod changed otherwise.
    OwnUpdate,
    /// It has waited long enough, or somebody wants it tried.
    Any,
}

/// A pod and its shape.
pub(crate) type PodAndShape = (Rc<Pod>, Rc<Shape>);

/// A node before and after a change.
pub(crate) type Nodes<'a> = (Option<&'a Node>, Option<&'a Node>);

/// A change with what it was before and after.
#[derive(Clone, Debug)]
pub struct Change {
    /// The kind of event, which hints are registered for.
    pub event: ClusterEvent,
    /// The node before and after, of a change of a node.
    pub(crate) nodes: (Option<Rc<Node>>, Option<Rc<Node>>),
    /// The pod before and after, of a change of a pod.
    pub(crate) pods: (Option<PodAndShape>, Option<PodAndShape>),
}

impl Change {
    /// A change of no object.
    pub fn any() -> Self {
        Self { event: ClusterEvent::Any, nodes: (None, None), pods: (None, None) }
    }

    /// A change of a node.
    pub fn of_node(event: ClusterEvent, old: Option<&Rc<Node>>, new: Option<&Rc<Node>>) -> Self {
        Self { event, nodes: (old.cloned(), new.cloned()), pods: (None, None) }
    }

    /// A change of a pod.
    pub fn of_pod(event: ClusterEvent, old: Option<PodAndShape>, new: Option<PodAndShape>) -> Self {
        Self { event, nodes: (None, None), pods: (old, new) }
    }
}

/// What changed of a node that matters to waiting pods (`NodeSchedulingPropertiesChange`); `all` of
/// it, or the first only as up to 1.29.
pub(crate) fn node_changes(old: &Node, new: &Node, all: bool) -> Vec<ClusterEvent> {
    let sorted = |n: &Node| {
        let mut list: Vec<_> = n.statuses().collect();
        list.sort_unstable();
        list
    };
    // Nearly always they come in the same order.
    let are_as_listed = || old.statuses().eq(new.statuses());
    let mut events = Vec::new();
    if old.unschedulable && !new.unschedulable {
        events.push(ClusterEvent::NodeTaint);
    }
    if !Rc::ptr_eq(&old.allocatable, &new.allocatable) && old.allocatable != new.allocatable {
        events.push(ClusterEvent::NodeAllocatable);
    }
    if !Rc::ptr_eq(&old.labels, &new.labels) && old.labels != new.labels {
        events.push(ClusterEvent::NodeLabel);
    }
    if old.taints != new.taints {
        events.push(ClusterEvent::NodeTaint);
    }
    if !are_as_listed() && sorted(old) != sorted(new) {
        events.push(ClusterEvent::NodeCondition);
    }
    if !all {
        events.truncate(1);
    }
    events
}

/// What changed of a pod (`PodSchedulingPropertiesChange`).
pub(crate) fn pod_changes(old: &Pod, new: &Pod) -> Vec<ClusterEvent> {
    let bound = new.node.is_some();
    let (a, b) = (&*old.template, &*new.template);
    let mut events = Vec::new();
    if !Rc::ptr_eq(&old.template, &new.template) {
        if a.labels != b.labels {
            events.push(if bound { ClusterEvent::PodLabel } else { ClusterEvent::OwnLabels });
        }
        if !bound && !a.gates().is_empty() && b.gates().is_empty() {
            events.push(ClusterEvent::OwnGates);
        }
        if !bound && a.tolerations.len() != b.tolerations.len() {
            events.push(ClusterEvent::OwnTolerations);
        }
    }
    if !bound && !old.has_claims && new.has_claims {
        events.push(ClusterEvent::OwnClaims);
    }
    if events.is_empty() {
        events.push(if bound { ClusterEvent::PodUpdate } else { ClusterEvent::OwnUpdate });
    }
    events
}
