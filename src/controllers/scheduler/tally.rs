//! Counts of the pods that a selector selects, by node and by domain, kept up to date as pods come
//! and go.
//!
//! Pods of one shape have the same labels, so that a selector meets shapes, not pods; and it meets
//! only those that have a label that it asks for. Most selectors select the one or two shapes of a
//! workload, whose pods lie on few nodes: the counts of such a selector are those of its shapes,
//! added up when somebody asks, so that a pod's coming and going touches one count alone.

use super::counts::{Counts, TallyId};
use super::node_info::Placed;
use super::shape::Shape;
use super::topology::{KeyId, Topologies};
use crate::api::labels::{ByLabel, Requirement, Selectors};
use crate::controllers::prelude::*;

/// With more shapes than this, a selector has counts of its own.
const FEW_SHAPES: usize = 4;

#[derive(Debug)]
struct Tally {
    selector: Option<Selector>,
    /// The shapes that it selects.
    shapes: Vec<u32>,
    /// Counts of its own, where there are many shapes, or many nodes with pods of one of them.
    kept: Option<Kept>,
}

#[derive(Default, Debug)]
struct Kept {
    on_node: Counts,
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
        self.selector.as_ref().is_some_and(|s| !s.is_empty() && s.matches(&shape.template.labels))
    }
}

/// What a namespace has: shapes, and the counts with a selector and the one without.
#[derive(Default, Debug)]
struct Namespace {
    shapes: Vec<u32>,
    shapes_by_label: ByLabel<u32>,
    without: Option<u32>,
    with: BTreeMap<Selector, u32>,
    selectors: Selectors<u32>,
}

impl Namespace {
    /// The label that the selector asks for, with its values, that the fewest shapes have.
    fn narrowest<'a>(&self, selector: &'a Selector) -> Option<(&'a str, &'a [String])> {
        selector
            .requirements()
            .iter()
            .filter_map(Requirement::one_of)
            .min_by_key(|label| self.shapes_by_label.under(*label).count())
    }
}

/// What is known of a shape.
#[derive(Debug)]
struct OfShape {
    shape: Rc<Shape>,
    /// The selectors that select it, and those of them that have counts of their own.
    tallies: Vec<u32>,
    kept: Vec<u32>,
    /// Its pods that are not being deleted.
    on_node: Counts,
}

/// All counts.
#[derive(Default, Debug)]
pub(crate) struct Tallies {
    all: Vec<Tally>,
    namespaces: BTreeMap<Box<str>, Namespace>,
    /// By number.
    shapes: Vec<OfShape>,
    /// Sums that were asked for last.
    sums: Vec<i64>,
}

impl Tallies {
    /// The count of a selector's pods in a namespace; a new one starts with the pods that are
    /// there.
    pub(crate) fn id(&mut self, namespace: &str, selector: Option<&Selector>) -> TallyId {
        if !self.namespaces.contains_key(namespace) {
            self.namespaces.insert(namespace.into(), Namespace::default());
        }
        let id = self.all.len() as u32;
        let mut tally = Tally { selector: selector.cloned(), shapes: Vec::new(), kept: None };
        let Some(of) = self.namespaces.get_mut(namespace) else { return TallyId(id) };
        if let Some(known) = selector.map_or(of.without, |s| of.with.get(s).copied()) {
            return TallyId(known);
        }
        match selector {
            None => of.without = Some(id),
            Some(s) => drop(of.with.insert(s.clone(), id)),
        }
        let narrowest = selector.and_then(|s| of.narrowest(s));
        let shapes = narrowest
            .map_or_else(|| of.shapes.clone(), |label| of.shapes_by_label.under(label).collect());
        for number in shapes {
            let known = &mut self.shapes[number as usize];
            if tally.counts(&known.shape) {
                known.tallies.push(id);
                tally.shapes.push(number);
            }
        }
        of.selectors.insert_under(narrowest, id);
        self.all.push(tally);
        self.keep_if_many(id);
        TallyId(id)
    }

    /// Gives a selector counts of its own if adding up those of its shapes would take long.
    fn keep_if_many(&mut self, id: u32) {
        let Tally { shapes, kept, .. } = &mut self.all[id as usize];
        let many = |number: &u32| matches!(self.shapes[*number as usize].on_node, Counts::Many(_));
        if kept.is_some() || shapes.len() <= FEW_SHAPES && !shapes.iter().any(many) {
            return;
        }
        let mut fresh = Kept::default();
        for number in shapes {
            let shape = &mut self.shapes[*number as usize];
            shape.on_node.for_each(|node, count| fresh.on_node.add(node, count as i32));
            shape.kept.push(id);
        }
        *kept = Some(fresh);
    }

    /// Takes a new shape in; shapes come in the order of their numbers.
    pub(crate) fn add_shape(&mut self, shape: &Rc<Shape>) {
        let of = self.namespaces.entry(shape.namespace.clone()).or_default();
        let labels = &shape.template.labels;
        let counts = |t: &u32| self.all[*t as usize].counts(shape);
        let mut tallies: Vec<u32> = of.selectors.candidates(labels).filter(counts).collect();
        tallies.sort_unstable();
        of.shapes.push(shape.id);
        labels.iter().for_each(|(key, value)| of.shapes_by_label.insert(key, value, shape.id));
        let of_own = |t: &u32| self.all[*t as usize].kept.is_some();
        let kept = tallies.iter().copied().filter(of_own).collect();
        self.shapes.push(OfShape {
            shape: shape.clone(),
            tallies: tallies.clone(),
            kept,
            on_node: Counts::default(),
        });
        for t in tallies {
            self.all[t as usize].shapes.push(shape.id);
            self.keep_if_many(t);
        }
    }

    /// Counts a pod on a node in, or out.
    pub(crate) fn change(
        &mut self,
        placed: &Placed,
        node: NodeId,
        topologies: &Topologies,
        by: i32,
    ) {
        if placed.terminating {
            return;
        }
        let of = &mut self.shapes[placed.shape.id as usize];
        let before = std::mem::discriminant(&of.on_node);
        of.on_node.add(node, by);
        let grew = std::mem::discriminant(&of.on_node) != before;
        for &t in &of.kept {
            let Some(kept) = &mut self.all[t as usize].kept else { continue };
            kept.on_node.add(node, by);
            for sums in kept.sums.iter_mut().filter(|s| s.as_of == Some(topologies.changes())) {
                if let Some(domain) = topologies.domain(sums.key, node) {
                    sums.by_domain[domain as usize] += i64::from(by);
                }
            }
        }
        if grew {
            for t in of.tallies.clone() {
                self.keep_if_many(t);
            }
        }
    }

    /// How many on a node.
    pub(crate) fn on(&self, tally: TallyId, node: NodeId) -> u32 {
        let Tally { shapes, kept, .. } = &self.all[tally.0 as usize];
        match kept {
            Some(kept) => kept.on_node.on(node),
            None => {
                shapes.iter().map(|number| self.shapes[*number as usize].on_node.on(node)).sum()
            }
        }
    }

    /// How many on each node, where there is a place for every node.
    pub(crate) fn dense(&self, tally: TallyId) -> Option<&[u32]> {
        match self.all[tally.0 as usize].kept.as_ref().map(|k| &k.on_node) {
            Some(Counts::Many(counts)) => Some(counts),
            _ => None,
        }
    }

    /// The nodes that have any, with how many; a node may come up several times, with a part of
    /// them each.
    pub(crate) fn for_each(&self, tally: TallyId, mut then: impl FnMut(NodeId, u32)) {
        let Tally { shapes, kept, .. } = &self.all[tally.0 as usize];
        match kept {
            Some(kept) => kept.on_node.for_each(then),
            None => shapes
                .iter()
                .for_each(|number| self.shapes[*number as usize].on_node.for_each(&mut then)),
        }
    }

    /// How many in each domain of a key, over all nodes.
    pub(crate) fn sums(&mut self, tally: TallyId, key: KeyId, topologies: &Topologies) -> &[i64] {
        if self.all[tally.0 as usize].kept.is_none() {
            let mut by_domain = std::mem::take(&mut self.sums);
            by_domain.clear();
            by_domain.resize(topologies.domains(key), 0);
            self.for_each(tally, |node, count| {
                count_in(&mut by_domain, topologies.domain(key, node), count)
            });
            self.sums = by_domain;
            return &self.sums;
        }
        let Kept { on_node, sums } = self.all[tally.0 as usize].kept.get_or_insert_default();
        let at = sums.iter().position(|s| s.key == key).unwrap_or_else(|| {
            sums.push(Sums { key, as_of: None, by_domain: Vec::new() });
            sums.len() - 1
        });
        let of_key = &mut sums[at];
        if of_key.as_of != Some(topologies.changes()) {
            of_key.as_of = Some(topologies.changes());
            of_key.by_domain = vec![0; topologies.domains(key)];
            on_node.for_each(|node, count| {
                count_in(&mut of_key.by_domain, topologies.domain(key, node), count)
            });
        }
        &of_key.by_domain
    }
}

/// Counts pods in whose node is in a domain; a node that is gone is in none.
fn count_in(by_domain: &mut [i64], domain: Option<u32>, count: u32) {
    if let Some(domain) = domain {
        by_domain[domain as usize] += i64::from(count);
    }
}
