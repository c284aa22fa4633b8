//! Counts of the pods that a selector selects, by node and by domain, kept up to date as pods come and go.

use super::node_info::{NodeInfo, Placed};
use super::shape::Shape;
use super::topology::{KeyId, Topologies};
use crate::api::labels::Selector;
use crate::api::names::NodeId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A count of a selector's pods in a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TallyId(u32);

#[derive(Debug)]
struct Tally {
    namespace: Box<str>,
    selector: Option<Selector>,
    on_node: Vec<u32>,
    sums: Vec<Sums>,
}

/// The counts by domain of one topology key.
#[derive(Debug)]
struct Sums {
    key: KeyId,
    /// The state of the domains that they stand for; none before they are first asked for.
    as_of: Option<u64>,
    by_domain: Vec<i64>,
}

impl Tally {
    fn counts(&self, shape: &Shape) -> bool {
        *self.namespace == *shape.namespace && self.selector.as_ref().is_some_and(|s| !s.is_empty() && s.matches(&shape.template.labels))
    }

    fn add(&mut self, node: NodeId, by: i32) {
        if self.on_node.len() <= node.index() {
            self.on_node.resize(node.index() + 1, 0);
        }
        self.on_node[node.index()] = self.on_node[node.index()].wrapping_add_signed(by);
    }
}

/// The counts of a namespace: the one without a selector, and those with one.
#[derive(Default, Debug)]
struct Ids {
    without: Option<u32>,
    with: BTreeMap<Selector, u32>,
}

/// All counts.
#[derive(Default, Debug)]
pub struct Tallies {
    all: Vec<Tally>,
    ids: BTreeMap<Box<str>, Ids>,
    /// By shape: the counts that its pods are part of.
    of_shape: Vec<Vec<u32>>,
    /// By shape: how many of its pods are on nodes and not being deleted.
    pods: Vec<usize>,
    shapes: Vec<Rc<Shape>>,
}

impl Tallies {
    /// The count of a selector's pods in a namespace; a new one starts with the pods that are there.
    pub fn id(&mut self, namespace: &str, selector: Option<&Selector>, nodes: &[NodeInfo]) -> TallyId {
        if let Some(ids) = self.ids.get(namespace)
            && let Some(id) = selector.map_or(ids.without, |s| ids.with.get(s).copied())
        {
            return TallyId(id);
        }
        let id = self.all.len() as u32;
        let ids = self.ids.entry(namespace.into()).or_default();
        match selector {
            None => ids.without = Some(id),
            Some(s) => drop(ids.with.insert(s.clone(), id)),
        }
        let mut tally = Tally { namespace: namespace.into(), selector: selector.cloned(), on_node: Vec::new(), sums: Vec::new() };
        let counted: Vec<bool> = self.shapes.iter().map(|shape| tally.counts(shape)).collect();
        for (tallies, _) in self.of_shape.iter_mut().zip(&counted).filter(|(_, counted)| **counted) {
            tallies.push(id);
        }
        // Most selectors are new when their first pod comes.
        if self.pods.iter().zip(&counted).any(|(pods, counted)| *counted && *pods > 0) {
            for (i, info) in nodes.iter().enumerate() {
                let here = info.pods.iter().filter(|p| !p.pod.is_terminating() && counted[p.shape.id as usize]).count();
                tally.add(NodeId(i as u32), here as i32);
            }
        }
        self.all.push(tally);
        TallyId(id)
    }

    /// Takes a new shape in; shapes come in the order of their numbers.
    pub fn add_shape(&mut self, shape: &Rc<Shape>) {
        let counted = (0..self.all.len() as u32).filter(|t| self.all[*t as usize].counts(shape)).collect();
        self.of_shape.push(counted);
        self.pods.push(0);
        self.shapes.push(shape.clone());
    }

    /// Counts a pod on a node in, or out.
    pub fn change(&mut self, placed: &Placed, node: NodeId, topologies: &Topologies, by: i32) {
        if placed.pod.is_terminating() {
            return;
        }
        let shape = placed.shape.id as usize;
        self.pods[shape] = self.pods[shape].wrapping_add_signed(by as isize);
        for &t in &self.of_shape[shape] {
            let tally = &mut self.all[t as usize];
            tally.add(node, by);
            for sums in tally.sums.iter_mut().filter(|s| s.as_of == Some(topologies.changes())) {
                if let Some(domain) = topologies.domain(sums.key, node) {
                    sums.by_domain[domain as usize] += i64::from(by);
                }
            }
        }
    }

    /// How many on a node.
    pub fn on_node(&self, tally: TallyId, node: NodeId) -> i64 {
        self.all[tally.0 as usize].on_node.get(node.index()).map_or(0, |n| i64::from(*n))
    }

    /// How many on each node, by node; none beyond the end.
    pub fn on_nodes(&self, tally: TallyId) -> &[u32] {
        &self.all[tally.0 as usize].on_node
    }

    /// How many in each domain of a key, over the nodes of `list`.
    pub fn sums(&mut self, tally: TallyId, key: KeyId, topologies: &Topologies, list: &[NodeId]) -> &[i64] {
        let Tally { on_node, sums, .. } = &mut self.all[tally.0 as usize];
        let at = sums.iter().position(|s| s.key == key).unwrap_or_else(|| {
            sums.push(Sums { key, as_of: None, by_domain: Vec::new() });
            sums.len() - 1
        });
        let of_key = &mut sums[at];
        if of_key.as_of != Some(topologies.changes()) {
            of_key.as_of = Some(topologies.changes());
            of_key.by_domain = vec![0; topologies.domains(key)];
            for node in list {
                if let Some(domain) = topologies.domain(key, *node) {
                    of_key.by_domain[domain as usize] += on_node.get(node.index()).map_or(0, |n| i64::from(*n));
                }
            }
        }
        &of_key.by_domain
    }
}
