//! What the scheduler knows of nodes and of pods on them, those included that it has placed and
//! whose binding it has not seen yet (`backend/cache/cache.go`, `node_tree.go`, `snapshot.go`). An
//! attempt takes no time here, so there is no snapshot apart from it.

use super::node_info::{NodeInfo, Placed};
use super::shape::{Shape, Shapes, Term};
use super::tally::Tallies;
use super::topology::{KeyId, Topologies};
use crate::api::node::zone_key;
use crate::controllers::prelude::*;
use std::cell::OnceCell;

/// Where a pod is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    node: NodeId,
    /// Its place among the node's pods.
    slot: u32,
    /// Placed by the scheduler; its binding has not been seen.
    assumed: bool,
}

/// Nodes by zone, both in order of appearance: they are tried round robin over zones, so that a search
/// that ends early has seen all of them.
#[derive(Clone, Debug, Default)]
struct NodeTree {
    zones: Vec<(String, Vec<NodeId>)>,
}

impl NodeTree {
    /// Adds a node that is not there to the end of its zone (`addNode`).
    fn add(&mut self, node: &Node) {
        let zone = zone_key(&node.labels, false);
        match self.zones.iter_mut().find(|(z, _)| *z == zone) {
            Some((_, nodes)) => nodes.push(node.id),
            None => self.zones.push((zone, vec![node.id])),
        }
    }

    /// Takes a node away; a zone without nodes goes too (`removeNode`).
    fn remove(&mut self, node: &Node) {
        let zone = zone_key(&node.labels, false);
        if let Some((_, nodes)) = self.zones.iter_mut().find(|(z, _)| *z == zone) {
            nodes.retain(|n| *n != node.id);
        }
        self.zones.retain(|(_, nodes)| !nodes.is_empty());
    }

    /// Takes a node away whose zone changed; true if it did (`updateNode`).
    fn remove_of_other_zone(&mut self, old: &Node, new: &Node) -> bool {
        let moved = zone_key(&old.labels, false) != zone_key(&new.labels, false);
        if moved {
            self.remove(old);
        }
        moved
    }

    /// The first node of each zone, then the second of each, and so on (`list`).
    fn list(&self) -> Vec<NodeId> {
        let longest = self.zones.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(0);
        (0..longest)
            .flat_map(|i| self.zones.iter().filter_map(move |(_, nodes)| nodes.get(i).copied()))
            .collect()
    }
}

/// The order of nodes.
#[derive(Debug)]
struct List {
    nodes: Vec<NodeId>,
    /// By node, its place.
    places: Vec<u32>,
}

impl List {
    fn of(tree: &NodeTree) -> Self {
        let nodes = tree.list();
        let mut places = vec![u32::MAX; nodes.iter().map(|n| n.index() + 1).max().unwrap_or(0)];
        nodes.iter().zip(0..).for_each(|(node, place)| places[node.index()] = place);
        Self { nodes, places }
    }
}

/// What topology keys make of nodes; see [`Cache::codes_by_place`].
#[derive(Default, Debug)]
pub(super) struct Codes {
    pub(super) keys: Vec<KeyId>,
    /// The order of nodes and the state of their domains that this is about.
    pub(super) as_of: (u64, u64),
    pub(super) codes: Vec<u32>,
}

/// Nodes and the pods on them.
#[derive(Default, Debug)]
pub struct Cache {
    pub(super) nodes: Vec<NodeInfo>,
    /// Nodes that are there or were, by name.
    by_name: BTreeMap<Box<str>, NodeId>,
    tree: NodeTree,
    /// The order of nodes, made when it is first asked for after a change.
    list: OnceCell<List>,
    /// How often that order changed.
    pub(super) lists: u64,
    /// The nodes that changed, as far back as anybody asks.
    changes: VecDeque<NodeId>,
    /// How many changes came before those.
    forgotten: u64,
    places: Vec<Option<Place>>,
    pub(super) shapes: Shapes,
    /// The domains of nodes.
    pub(crate) topologies: Topologies,
    pub(crate) tallies: Tallies,
    pub(super) codes: Codes,
    /// Pods with affinity or anti-affinity to pods.
    with_affinity: usize,
    /// The shapes with affinity or anti-affinity to pods.
    pub(super) affine: Vec<Rc<Shape>>,
    /// How many pods there are of each priority.
    priorities: BTreeMap<i32, usize>,
    /// A list that is in nobody's use.
    pub(crate) spare: Vec<u32>,
    /// By node, all zero between two uses.
    pub(super) scratch: Vec<u32>,
    /// The number of what the last known version of each pod was made into, one higher, or 0.
    pub(super) shape_of_pod: Vec<u32>,
    /// By workload: what was last made of a template of its pods.
    pub(super) shape_of_owner: Vec<Option<Rc<Shape>>>,
    /// Counts by selector are taken from where they are kept; otherwise every count walks over the
    /// pods.
    pub(crate) indexed: bool,
    /// A pod whose binding is seen comes to the end of its node's list.
    confirmed_last: bool,
}

impl Cache {
    /// An empty cache.
    pub fn new(indexed: bool, confirmed_last: bool) -> Self {
        Self { indexed, confirmed_last, ..Self::default() }
    }

    /// Adds a node, or takes another version of it (`AddNode`, `UpdateNode`).
    pub fn set_node(&mut self, node: &Rc<Node>, name: &str) {
        slot(&mut self.nodes, node.id.index());
        let info = &mut self.nodes[node.id.index()];
        let old = info.node.clone();
        if let Some(old) = &old
            && Rc::ptr_eq(&old.labels, &node.labels)
            && Rc::ptr_eq(&old.allocatable, &node.allocatable)
            && old.unschedulable == node.unschedulable
            && old.taints == node.taints
            && old.statuses().eq(node.statuses())
        {
            // A heartbeat: nothing that a plugin reads.
            info.node = Some(node.clone());
            return;
        }
        if info.node.is_none() {
            info.name = name.into();
            self.by_name.insert(name.into(), node.id);
        }
        info.set_node(node);
        self.changed(node.id);
        if old.as_ref().is_some_and(|o| Rc::ptr_eq(&o.labels, &node.labels)) {
            return;
        }
        if old.is_none_or(|old| self.tree.remove_of_other_zone(&old, node)) {
            self.tree.add(node);
            self.relist();
        }
        self.topologies.set_node(node.id, Some(&node.labels));
    }

    /// Takes a node away; pods that are still there keep its sums alive (`RemoveNode`).
    pub fn remove_node(&mut self, id: NodeId) {
        let Some(old) = self.nodes.get_mut(id.index()).and_then(|n| n.node.take()) else { return };
        self.changed(id);
        self.tree.remove(&old);
        self.relist();
        self.topologies.set_node(id, None);
    }

    /// Adds a bound pod, or takes another version of it (`AddPod`, `UpdatePod`): one that was
    /// assumed is confirmed, wherever it was bound.
    pub fn set_pod(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>) {
        let Some(node) = pod.node else { return };
        let terminating = pod.is_terminating();
        let known = self.placed(pod).filter(|p| Rc::ptr_eq(&p.shape, shape));
        match known.map(|p| p.terminating == terminating) {
            Some(true) => _ = self.update_pod(pod),
            Some(false) => self.set_terminating(pod, terminating),
            None => {
                self.remove_pod(pod.id);
                self.put(pod, shape, node, false);
            }
        }
    }

    /// Takes a version of a pod of which only that it is being deleted is new: sums do not change,
    /// and nobody has to look at the node again.
    fn set_terminating(&mut self, pod: &Rc<Pod>, terminating: bool) {
        let Some(place) = self.place(pod.id) else { return };
        let placed = &mut self.nodes[place.node.index()].pods[place.slot as usize];
        if terminating {
            self.tallies.change(placed, place.node, &self.topologies, -1);
        }
        placed.terminating = terminating;
        if !terminating {
            self.tallies.change(placed, place.node, &self.topologies, 1);
        }
        self.take_version(pod, place);
    }

    /// Takes another version of a pod, which comes to the end of its node's list as upstream takes
    /// it away and adds it: where pods are equally important, the list says which of them make
    /// room.
    fn take_version(&mut self, pod: &Rc<Pod>, place: Place) {
        let Place { node, slot, assumed } = place;
        let pods = &mut self.nodes[node.index()].pods;
        pods[slot as usize].pod = pod.clone();
        let mut last = slot;
        if !assumed || self.confirmed_last {
            let placed = pods.swap_remove(slot as usize);
            last = pods.len() as u32;
            pods.push(placed);
            self.moved_to(node, slot);
        }
        self.places[pod.id.index()] = Some(Place { node, slot: last, assumed: false });
    }

    /// Another pod may have come to a place among the pods of a node.
    fn moved_to(&mut self, node: NodeId, slot: u32) {
        if let Some(moved) = self.nodes[node.index()].pods.get(slot as usize)
            && let Some(Some(place)) = self.places.get_mut(moved.id.index())
        {
            place.slot = slot;
        }
    }

    /// Takes another version of a pod that is on its node already and differs in nothing that is
    /// summed; false if it is not there.
    pub(crate) fn update_pod(&mut self, pod: &Rc<Pod>) -> bool {
        let Some(place) = self.place(pod.id).filter(|p| pod.node == Some(p.node)) else {
            return false;
        };
        self.take_version(pod, place);
        true
    }

    /// A bound pod where it is known to be, on its node.
    fn placed(&self, pod: &Pod) -> Option<&Placed> {
        let Place { node, slot, .. } = self.place(pod.id).filter(|p| pod.node == Some(p.node))?;
        self.nodes[node.index()].pods.get(slot as usize)
    }

    /// Places a pod on a node ahead of its binding (`AssumePod`).
    pub fn assume(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, node: NodeId) {
        self.put(pod, shape, node, true);
    }

    /// Takes away a pod that was assumed, unless its successor of the same name has its place
    /// (`ForgetPod`).
    pub(crate) fn forget(&mut self, pod: &Pod) {
        let Some(Place { node, slot, assumed: true }) = self.place(pod.id) else { return };
        if self.nodes[node.index()].pods.get(slot as usize).is_some_and(|p| p.pod.uid == pod.uid) {
            self.remove_pod(pod.id);
        }
    }

    /// Whether a pod was placed and its binding has not been seen (`IsAssumedPod`).
    pub(crate) fn is_assumed(&self, pod: PodId) -> bool {
        self.place(pod).is_some_and(|p| p.assumed)
    }

    /// Takes a pod away (`RemovePod`).
    pub fn remove_pod(&mut self, pod: PodId) {
        let place = self.places.get_mut(pod.index()).and_then(Option::take);
        let Some(Place { node, slot, .. }) = place else { return };
        self.changed(node);
        let placed = self.nodes[node.index()].remove_at(slot as usize);
        self.moved_to(node, slot);
        self.with_affinity -= usize::from(placed.shape.has_pod_affinity);
        if let Some(count) = self.priorities.get_mut(&placed.shape.priority) {
            *count -= 1;
            if *count == 0 {
                self.priorities.remove(&placed.shape.priority);
            }
        }
        self.tallies.change(&placed, node, &self.topologies, -1);
    }

    fn put(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, node: NodeId, assumed: bool) {
        slot(&mut self.nodes, node.index());
        let last = self.nodes[node.index()].pods.len() as u32;
        *slot(&mut self.places, pod.id.index()) = Some(Place { node, slot: last, assumed });
        self.changed(node);
        let placed = Placed::new(pod, shape);
        self.with_affinity += usize::from(shape.has_pod_affinity);
        *self.priorities.entry(shape.priority).or_insert(0) += 1;
        self.tallies.change(&placed, node, &self.topologies, 1);
        self.nodes[node.index()].add(placed);
    }

    fn place(&self, pod: PodId) -> Option<Place> {
        self.places.get(pod.index()).copied().flatten()
    }

    fn changed(&mut self, node: NodeId) {
        if self.changes.len() > self.nodes.len() {
            // Whoever last asked before that may as well look at every node.
            self.forgotten += self.changes.len() as u64;
            self.changes.clear();
        }
        self.changes.push_back(node);
    }

    fn relist(&mut self) {
        self.list.take();
        self.lists += 1;
    }

    /// How often the order of nodes changed, and how many changes of nodes there were.
    pub(crate) fn version(&self) -> (u64, u64) {
        (self.lists, self.forgotten + self.changes.len() as u64)
    }

    /// The nodes that changed since there had been that number of changes; none if that is too long
    /// ago.
    pub(crate) fn changed_since(&self, changes: u64) -> Option<impl Iterator<Item = NodeId>> {
        let first = usize::try_from(changes.checked_sub(self.forgotten)?).ok()?;
        Some(self.changes.iter().skip(first).copied())
    }

    /// The place of a node in the order in which they are tried, if it is there.
    pub(crate) fn place_of(&self, node: NodeId) -> Option<usize> {
        let places = &self.list.get_or_init(|| List::of(&self.tree)).places;
        places.get(node.index()).filter(|p| **p != u32::MAX).map(|p| *p as usize)
    }

    /// The nodes in the order in which they are tried.
    pub fn list(&self) -> &[NodeId] {
        &self.list.get_or_init(|| List::of(&self.tree)).nodes
    }

    /// A node that is there.
    pub(crate) fn node(&self, id: NodeId) -> Option<&NodeInfo> {
        self.nodes.get(id.index()).filter(|n| n.node.is_some())
    }

    /// The node of a name, if it is there.
    pub(crate) fn named(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied().filter(|id| self.node(*id).is_some())
    }

    /// The lowest priority of any pod on a node.
    pub(crate) fn lowest_priority(&self) -> Option<i32> {
        self.priorities.keys().next().copied()
    }

    /// Whether a term of any pod may be about a pod of this shape; `terms` gives those terms of a
    /// shape that matter.
    pub(crate) fn any_affinity_to<'a, T: Iterator<Item = &'a Term>>(
        &'a self,
        shape: &Shape,
        terms: impl Fn(&'a Shape) -> T,
    ) -> bool {
        let is_about =
            |other: &'a Rc<Shape>| terms(other).any(|term| other.term_matches(term, shape));
        self.with_affinity > 0 && self.affine.iter().any(is_about)
    }

    /// What the scheduler makes of a template in a namespace.
    pub fn shape(&mut self, template: &Rc<PodTemplate>, namespace: &str) -> Rc<Shape> {
        let known = self.shapes.all().len();
        let tallies = &mut self.tallies;
        let mut tally =
            |namespace: &str, selector: Option<&Selector>| tallies.id(namespace, selector);
        let shape = self.shapes.of(template, namespace, &mut self.topologies, &mut tally);
        if self.shapes.all().len() > known {
            self.tallies.add_shape(&shape);
            if shape.has_pod_affinity {
                self.affine.push(shape.clone());
            }
        }
        shape
    }

    /// What the scheduler makes of a pod; its name is asked for where the template is not the one
    /// last seen.
    pub(crate) fn shape_of<'a>(&mut self, pod: &Pod, name: impl FnOnce() -> &'a str) -> Rc<Shape> {
        if let Some(number) = self.shape_of_pod.get(pod.id.index()).and_then(|n| n.checked_sub(1))
            && let shape = &self.shapes.all()[number as usize]
            && Rc::ptr_eq(&shape.template, &pod.template)
        {
            return shape.clone();
        }
        // Pods that one workload owns are in one namespace.
        let owner = pod.controller().map(|(owner, _)| owner);
        let known = owner.and_then(|owner| self.shape_of_owner.get(owner.index())?.as_ref());
        let shape = match known.filter(|shape| Rc::ptr_eq(&shape.template, &pod.template)) {
            Some(shape) => shape.clone(),
            None => self.shape(&pod.template, namespace_of(name())),
        };
        if let Some(owner) = owner {
            *slot(&mut self.shape_of_owner, owner.index()) = Some(shape.clone());
        }
        *slot(&mut self.shape_of_pod, pod.id.index()) = shape.id + 1;
        shape
    }
}
