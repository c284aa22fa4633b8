//! What the scheduler knows of nodes and of pods on them, those included that it has placed and whose binding it has not seen
//! yet (`backend/cache/cache.go`, `snapshot.go`). An attempt takes no time here, so there is no snapshot apart from it.
//!
//! Counts of pods by selector are kept up to date as pods come and go, so that spread needs no walk over all pods.

use super::counts::Counts;
use super::node_info::{NodeInfo, Placed};
use super::node_tree::NodeTree;
use super::shape::{Shape, Shapes, Spread};
use super::tally::{Tallies, TallyId};
use super::topology::{KeyId, Topologies};
use crate::api::labels::Selector;
use crate::api::names::{NodeId, PodId};
use crate::api::node::Node;
use crate::api::pod::{Pod, PodTemplate};
use crate::api::workload::namespace_of;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where a pod is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    node: NodeId,
    /// Placed by the scheduler; its binding has not been seen.
    assumed: bool,
}

/// Nodes and the pods on them.
#[derive(Default, Debug)]
pub struct Cache {
    nodes: Vec<NodeInfo>,
    /// By node: another number after each change.
    generations: Vec<u32>,
    tree: NodeTree,
    /// The order of nodes, made when it is first asked for after a change.
    list: OnceCell<Vec<NodeId>>,
    places: Vec<Option<Place>>,
    shapes: Shapes,
    /// The domains of nodes.
    pub topologies: Topologies,
    tallies: Tallies,
    /// Pods with affinity or anti-affinity to pods.
    with_affinity: usize,
    /// How many pods there are of each priority.
    priorities: BTreeMap<i32, usize>,
    generation: u32,
    /// By node, all zero between two uses.
    scratch: Vec<u32>,
    /// What the last known version of each pod was made into.
    shape_of_pod: Vec<Option<Rc<Shape>>>,
    /// Counts by selector are taken from where they are kept; otherwise every count walks over the pods.
    indexed: bool,
}

impl Cache {
    /// An empty cache.
    pub fn new(indexed: bool) -> Self {
        Self { indexed, ..Self::default() }
    }

    /// Whether counts are kept.
    pub fn is_indexed(&self) -> bool {
        self.indexed
    }

    /// What the scheduler makes of a template in a namespace.
    pub fn shape(&mut self, template: &Rc<PodTemplate>, namespace: &str) -> Rc<Shape> {
        let known = self.shapes.all().len();
        let tallies = &mut self.tallies;
        let mut tally = |namespace: &str, selector: Option<&Selector>| tallies.id(namespace, selector);
        let shape = self.shapes.of(template, namespace, &mut self.topologies, &mut tally);
        if self.shapes.all().len() > known {
            self.tallies.add_shape(&shape);
        }
        shape
    }

    /// What the scheduler makes of a pod; its name is asked for where the template is not the one last seen.
    pub fn shape_of<'a>(&mut self, pod: &Pod, name: impl FnOnce() -> &'a str) -> Rc<Shape> {
        if let Some(Some(shape)) = self.shape_of_pod.get(pod.id.index())
            && Rc::ptr_eq(&shape.template, &pod.template)
        {
            return shape.clone();
        }
        let shape = self.shape(&pod.template, namespace_of(name()));
        if self.shape_of_pod.len() <= pod.id.index() {
            self.shape_of_pod.resize(pod.id.index() + 1, None);
        }
        self.shape_of_pod[pod.id.index()] = Some(shape.clone());
        shape
    }

    /// Adds a node, or takes another version of it (`AddNode`, `UpdateNode`).
    pub fn set_node(&mut self, node: &Rc<Node>, name: &str) {
        self.grow(node.id);
        let info = &mut self.nodes[node.id.index()];
        let old = info.node.clone();
        if let Some(old) = &old
            && Rc::ptr_eq(&old.labels, &node.labels)
            && Rc::ptr_eq(&old.allocatable, &node.allocatable)
            && old.unschedulable == node.unschedulable
            && old.taints == node.taints
        {
            // A heartbeat, or a condition: nothing that a plugin reads.
            info.node = Some(node.clone());
            return;
        }
        if info.node.is_none() {
            info.name = name.into();
        }
        info.set_node(node);
        self.changed(node.id);
        let listed = match &old {
            None => {
                self.tree.add(node);
                true
            }
            Some(old) if Rc::ptr_eq(&old.labels, &node.labels) => false,
            Some(old) => self.tree.update(old, node),
        };
        if listed {
            self.list.take();
        }
        if old.is_none_or(|o| !Rc::ptr_eq(&o.labels, &node.labels)) {
            self.topologies.set_node(node.id, Some(&node.labels));
        }
    }

    /// Takes a node away; pods that are still there keep its sums alive (`RemoveNode`).
    pub fn remove_node(&mut self, id: NodeId) {
        let Some(old) = self.nodes.get_mut(id.index()).and_then(|n| n.node.take()) else { return };
        self.changed(id);
        self.tree.remove(&old);
        self.list.take();
        self.topologies.set_node(id, None);
    }

    /// Adds a bound pod, or takes another version of it (`AddPod`, `UpdatePod`): one that was assumed is confirmed, wherever
    /// it was bound.
    pub fn set_pod(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>) {
        let Some(node) = pod.node else { return };
        if let Some(place) = self.place(pod.id) {
            if place.node == node
                && let Some(placed) = self.nodes[node.index()].pods.iter_mut().find(|p| p.id == pod.id)
                && Rc::ptr_eq(&placed.shape, shape)
                && placed.terminating == pod.is_terminating()
            {
                // Nothing that is summed has changed.
                placed.pod = pod.clone();
                self.places[pod.id.index()] = Some(Place { node, assumed: false });
                return;
            }
            self.remove_pod(pod.id);
        }
        self.put(pod, shape, Place { node, assumed: false });
    }

    /// Places a pod on a node ahead of its binding (`AssumePod`).
    pub fn assume(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, node: NodeId) {
        self.put(pod, shape, Place { node, assumed: true });
    }

    /// Whether a pod was placed and its binding has not been seen (`IsAssumedPod`).
    pub fn is_assumed(&self, pod: PodId) -> bool {
        self.place(pod).is_some_and(|p| p.assumed)
    }

    /// Takes a pod away; the node it was on (`RemovePod`, `ForgetPod`).
    pub fn remove_pod(&mut self, pod: PodId) -> Option<NodeId> {
        let place = self.places.get_mut(pod.index())?.take()?;
        self.changed(place.node);
        if let Some(placed) = self.nodes[place.node.index()].remove(pod) {
            self.with_affinity -= usize::from(placed.shape.has_pod_affinity);
            if let Some(count) = self.priorities.get_mut(&placed.shape.priority) {
                *count -= 1;
                if *count == 0 {
                    self.priorities.remove(&placed.shape.priority);
                }
            }
            self.tallies.change(&placed, place.node, &self.topologies, -1);
        }
        Some(place.node)
    }

    fn put(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, place: Place) {
        self.grow(place.node);
        if self.places.len() <= pod.id.index() {
            self.places.resize(pod.id.index() + 1, None);
        }
        self.places[pod.id.index()] = Some(place);
        self.changed(place.node);
        let placed = Placed::new(pod, shape);
        self.with_affinity += usize::from(shape.has_pod_affinity);
        *self.priorities.entry(shape.priority).or_insert(0) += 1;
        self.tallies.change(&placed, place.node, &self.topologies, 1);
        self.nodes[place.node.index()].add(placed);
    }

    fn place(&self, pod: PodId) -> Option<Place> {
        self.places.get(pod.index()).copied().flatten()
    }

    fn grow(&mut self, node: NodeId) {
        if self.nodes.len() <= node.index() {
            self.nodes.resize(node.index() + 1, NodeInfo::default());
            self.generations.resize(node.index() + 1, 0);
        }
    }

    fn changed(&mut self, node: NodeId) {
        self.generation += 1;
        self.generations[node.index()] = self.generation;
    }

    /// By node: a number that is another after each change.
    pub fn generations(&self) -> &[u32] {
        &self.generations
    }

    /// The nodes in the order in which they are tried.
    pub fn list(&self) -> &[NodeId] {
        self.list.get_or_init(|| self.tree.list())
    }

    /// A node that is there.
    pub fn node(&self, id: NodeId) -> Option<&NodeInfo> {
        self.nodes.get(id.index()).filter(|n| n.node.is_some())
    }

    /// The lowest priority of any pod on a node.
    pub fn lowest_priority(&self) -> Option<i32> {
        self.priorities.keys().next().copied()
    }

    /// Whether any pod has affinity or anti-affinity to pods.
    pub fn any_pod_affinity(&self) -> bool {
        self.with_affinity > 0
    }

    /// The count of a selector's pods.
    pub fn tally(&mut self, namespace: &str, selector: Option<&Selector>) -> TallyId {
        self.tallies.id(namespace, selector)
    }

    /// How many pods on a node a constraint of a pod in `namespace` counts: those of its namespace that its selector selects
    /// and that are not being deleted (`countPodsMatchSelector`).
    pub fn count(&self, node: NodeId, namespace: &str, spread: &Spread) -> i64 {
        if self.indexed {
            return i64::from(self.tallies.on_nodes(spread.tally).on(node));
        }
        self.count_plainly(node, namespace, spread.selector.as_ref())
    }

    /// As [`Cache::count`] for several nodes at once.
    pub fn counts(&mut self, nodes: &[NodeId], namespace: &str, spread: &Spread) -> Vec<i64> {
        if !self.indexed {
            return nodes.iter().map(|id| self.count(*id, namespace, spread)).collect();
        }
        let few = match self.tallies.on_nodes(spread.tally) {
            Counts::Many(counts) => return nodes.iter().map(|id| counts.get(id.index()).map_or(0, |n| i64::from(*n))).collect(),
            Counts::Few(few) => few,
        };
        self.scratch.resize(self.nodes.len(), 0);
        few.iter().for_each(|(id, count)| self.scratch[id.index()] = *count);
        let counts = nodes.iter().map(|id| i64::from(self.scratch[id.index()])).collect();
        few.iter().for_each(|(id, _)| self.scratch[id.index()] = 0);
        counts
    }

    /// As [`Cache::count`], by walking over the node's pods.
    pub fn count_plainly(&self, node: NodeId, namespace: &str, selector: Option<&Selector>) -> i64 {
        let Some(selector) = selector.filter(|s| !s.is_empty()) else { return 0 };
        let counted = |p: &&Placed| !p.terminating && *p.shape.namespace == *namespace && selector.matches(&p.shape.template.labels);
        self.nodes.get(node.index()).map_or(0, |n| n.pods.iter().filter(counted).count() as i64)
    }

    /// How many pods a constraint counts in each domain of its key, over all nodes; none where counts are not kept.
    pub fn domain_sums(&mut self, spread: &Spread) -> Option<&[i64]> {
        self.indexed.then(|| self.tallies.sums(spread.tally, spread.key, &self.topologies))
    }

    /// The number of a topology key.
    pub fn key(&mut self, key: &str) -> KeyId {
        self.topologies.key(key)
    }
}
