//! A node with the pods on it and their sums (`framework/types.go: NodeInfo`).

use super::resources::Amounts;
use super::shape::Shape;
use crate::api::scheduling::HostPort;
use crate::controllers::prelude::*;

/// A pod on a node, bound or assumed to be.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The pod's name; it is here too, as the next field, so that looking for a pod reads no other
    /// one.
    pub(crate) id: PodId,
    /// The pod is being deleted.
    pub(crate) terminating: bool,
    /// The pod as last seen.
    pub pod: Rc<Pod>,
    /// What the scheduler made of its template.
    pub(crate) shape: Rc<Shape>,
}

impl Placed {
    /// A pod on a node.
    pub(crate) fn new(pod: &Rc<Pod>, shape: &Rc<Shape>) -> Self {
        Self {
            id: pod.id,
            terminating: pod.is_terminating(),
            pod: pod.clone(),
            shape: shape.clone(),
        }
    }
}

/// A node with the pods on it.
#[derive(Clone, Debug, Default)]
pub struct NodeInfo {
    /// The node that this is about.
    pub name: Box<str>,
    /// The node; none once it is gone while pods are still there.
    pub node: Option<Rc<Node>>,
    /// What it has.
    pub allocatable: Amounts,
    /// How many pods it takes.
    pub allowed_pods: i64,
    /// The sum of its pods' requests, terminating ones included.
    pub requested: Amounts,
    /// CPU and memory with a default where a container asks for none.
    pub non_zero: (i64, i64),
    /// Its pods.
    pub pods: Vec<Placed>,
    /// Host ports in use.
    pub ports: Vec<HostPort>,
    /// How many of its pods have required or preferred affinity or anti-affinity to pods.
    pub with_affinity: u32,
}

impl NodeInfo {
    /// A node without pods.
    pub fn empty(node: &Node) -> Self {
        let mut info = Self::default();
        info.take_allocatable(node);
        info
    }

    fn take_allocatable(&mut self, node: &Node) {
        self.allocatable = Amounts::of(&node.allocatable);
        self.allowed_pods = node
            .allocatable
            .get("pods")
            .map_or(0, |q| i64::try_from(q.value()).unwrap_or(i64::MAX));
    }

    /// Takes another version of the node (`SetNode`).
    pub(crate) fn set_node(&mut self, node: &Rc<Node>) {
        if self.node.as_ref().is_none_or(|o| !Rc::ptr_eq(&o.allocatable, &node.allocatable)) {
            self.take_allocatable(node);
        }
        self.node = Some(node.clone());
    }

    /// Adds a pod (`AddPod`).
    pub(crate) fn add(&mut self, placed: Placed) {
        self.sum(&placed.shape, 1);
        self.ports.extend(placed.shape.host_ports().iter().cloned());
        self.pods.push(placed);
    }

    /// Takes a pod away (`RemovePod`); the last one takes its place.
    pub(crate) fn remove(&mut self, pod: PodId) -> Option<Placed> {
        let at = self.pods.iter().position(|p| p.id == pod)?;
        Some(self.remove_at(at))
    }

    /// Takes away the pod in that place of the list.
    pub(crate) fn remove_at(&mut self, at: usize) -> Placed {
        let placed = self.pods.swap_remove(at);
        self.sum(&placed.shape, -1);
        for port in placed.shape.host_ports() {
            if let Some(at) = self.ports.iter().position(|p| p == port) {
                self.ports.swap_remove(at);
            }
        }
        placed
    }

    fn sum(&mut self, shape: &Shape, sign: i64) {
        self.requested.change(&shape.requests, sign);
        self.non_zero.0 = self.non_zero.0.wrapping_add(shape.non_zero.0.wrapping_mul(sign));
        self.non_zero.1 = self.non_zero.1.wrapping_add(shape.non_zero.1.wrapping_mul(sign));
        if shape.has_pod_affinity {
            self.with_affinity = self.with_affinity.wrapping_add_signed(sign as i32);
        }
    }
}
