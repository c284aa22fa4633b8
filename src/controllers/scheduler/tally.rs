//! Counts of the pods that a selector selects, by node and by domain, kept up to date as pods come and go.
//!
//! Pods of one shape have the same labels, so that a selector meets shapes, not pods; and it meets only those that have a label
//! that it asks for.

use super::counts::Counts;
use super::node_info::Placed;
use super::shape::Shape;
use super::topology::{KeyId, Topologies};
use crate::api::labels::{Labels, Requirement, Selector};
use crate::api::names::NodeId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A count of a selector's pods in a namespace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TallyId(u32);

#[derive(Debug)]
struct Tally {
    selector: Option<Selector>,
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

/// Numbers by label: key, then value.
#[derive(Default, Debug)]
struct ByLabel(BTreeMap<String, BTreeMap<String, Vec<u32>>>);

impl ByLabel {
    fn insert(&mut self, key: &str, value: &str, number: u32) {
        if !self.0.contains_key(key) {
            self.0.insert(key.to_owned(), BTreeMap::new());
        }
        if let Some(values) = self.0.get_mut(key) {
            values.entry(value.to_owned()).or_default().push(number);
        }
    }

    fn get(&self, key: &str, value: &str) -> &[u32] {
        self.0.get(key).and_then(|values| values.get(value)).map_or(&[], Vec::as_slice)
    }

    /// Those under one of several values.
    fn under<'a>(&'a self, (key, values): (&'a str, &'a [String])) -> impl Iterator<Item = u32> + 'a {
        values.iter().flat_map(move |value| self.get(key, value)).copied()
    }
}

/// What a namespace has: shapes, and the counts with a selector and the one without.
#[derive(Default, Debug)]
struct Namespace {
    shapes: Vec<u32>,
    shapes_by_label: ByLabel,
    without: Option<u32>,
    with: BTreeMap<Selector, u32>,
    /// Counts whose selector asks for one of these labels.
    with_label: ByLabel,
    /// All other counts.
    others: Vec<u32>,
}

impl Namespace {
    /// The label that the selector asks for, with its values, that the fewest shapes have.
    fn narrowest<'a>(&self, selector: &'a Selector) -> Option<(&'a str, &'a [String])> {
        selector.requirements().iter().filter_map(Requirement::one_of).min_by_key(|label| self.shapes_by_label.under(*label).count())
    }

    /// The counts that pods with these labels may be part of.
    fn candidates<'a>(&'a self, labels: &'a Labels) -> impl Iterator<Item = u32> + 'a {
        let with_label = labels.iter().flat_map(|(key, value)| self.with_label.get(key, value));
        with_label.chain(&self.others).copied()
    }
}

/// What is known of a shape.
#[derive(Debug)]
struct OfShape {
    shape: Rc<Shape>,
    /// The counts that its pods are part of.
    tallies: Vec<u32>,
    /// Its pods that are not being deleted.
    on_node: Counts,
}

/// All counts.
#[derive(Default, Debug)]
pub struct Tallies {
    all: Vec<Tally>,
    namespaces: BTreeMap<Box<str>, Namespace>,
    /// By number.
    shapes: Vec<OfShape>,
}

impl Tallies {
    /// The count of a selector's pods in a namespace; a new one starts with the pods that are there.
    pub fn id(&mut self, namespace: &str, selector: Option<&Selector>) -> TallyId {
        if !self.namespaces.contains_key(namespace) {
            self.namespaces.insert(namespace.into(), Namespace::default());
        }
        let id = self.all.len() as u32;
        let mut tally = Tally { selector: selector.cloned(), on_node: Counts::default(), sums: Vec::new() };
        let Some(of) = self.namespaces.get_mut(namespace) else { return TallyId(id) };
        if let Some(known) = selector.map_or(of.without, |s| of.with.get(s).copied()) {
            return TallyId(known);
        }
        match selector {
            None => of.without = Some(id),
            Some(s) => drop(of.with.insert(s.clone(), id)),
        }
        let narrowest = selector.and_then(|s| of.narrowest(s));
        let shapes = narrowest.map_or_else(|| of.shapes.clone(), |label| of.shapes_by_label.under(label).collect());
        for number in shapes {
            let known = &mut self.shapes[number as usize];
            if tally.counts(&known.shape) {
                known.tallies.push(id);
                known.on_node.for_each(|node, count| tally.on_node.add(node, count as i32));
            }
        }
        match narrowest {
            Some((key, values)) => values.iter().for_each(|value| of.with_label.insert(key, value, id)),
            None => of.others.push(id),
        }
        self.all.push(tally);
        TallyId(id)
    }

    /// Takes a new shape in; shapes come in the order of their numbers.
    pub fn add_shape(&mut self, shape: &Rc<Shape>) {
        let of = self.namespaces.entry(shape.namespace.clone()).or_default();
        let labels = &shape.template.labels;
        let mut tallies: Vec<u32> = of.candidates(labels).filter(|t| self.all[*t as usize].counts(shape)).collect();
        tallies.sort_unstable();
        of.shapes.push(shape.id);
        labels.iter().for_each(|(key, value)| of.shapes_by_label.insert(key, value, shape.id));
        self.shapes.push(OfShape { shape: shape.clone(), tallies, on_node: Counts::default() });
    }

    /// Counts a pod on a node in, or out.
    pub fn change(&mut self, placed: &Placed, node: NodeId, topologies: &Topologies, by: i32) {
        if placed.terminating {
            return;
        }
        let of = &mut self.shapes[placed.shape.id as usize];
        of.on_node.add(node, by);
        for &t in &of.tallies {
            let tally = &mut self.all[t as usize];
            tally.on_node.add(node, by);
            for sums in tally.sums.iter_mut().filter(|s| s.as_of == Some(topologies.changes())) {
                if let Some(domain) = topologies.domain(sums.key, node) {
                    sums.by_domain[domain as usize] += i64::from(by);
                }
            }
        }
    }

    /// How many on each node.
    pub fn on_nodes(&self, tally: TallyId) -> &Counts {
        &self.all[tally.0 as usize].on_node
    }

    /// How many in each domain of a key, over all nodes.
    pub fn sums(&mut self, tally: TallyId, key: KeyId, topologies: &Topologies) -> &[i64] {
        let Tally { on_node, sums, .. } = &mut self.all[tally.0 as usize];
        let at = sums.iter().position(|s| s.key == key).unwrap_or_else(|| {
            sums.push(Sums { key, as_of: None, by_domain: Vec::new() });
            sums.len() - 1
        });
        let of_key = &mut sums[at];
        if of_key.as_of != Some(topologies.changes()) {
            of_key.as_of = Some(topologies.changes());
            of_key.by_domain = vec![0; topologies.domains(key)];
            // A node that is gone is in no domain.
            on_node.for_each(|node, count| {
                if let Some(domain) = topologies.domain(key, node) {
                    of_key.by_domain[domain as usize] += i64::from(count);
                }
            });
        }
        &of_key.by_domain
    }
}
