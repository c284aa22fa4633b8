//! What filters and scores made of a node on its own, for each kind of pod, until the node changes.

use super::algorithm::{Choice, look};
use super::cache::Cache;
use super::framework::Rejections;
use super::shape::Shape;
use crate::api::names::NodeId;
use std::rc::Rc;

/// How many kinds of pod are remembered; beyond that the one longest unused is forgotten.
const KINDS: usize = 64;

/// What was found out about a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The number of its rejection, or 0.
    pub rejection: u32,
    /// The scores that need no other node: resources and balance.
    pub score: i32,
    /// Taints PreferNoSchedule that are not tolerated.
    pub taints: i32,
    /// The weights of preferred node affinity that match.
    pub affinity: i32,
}

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    /// The node's generation, 0 for never.
    generation: u32,
    found: Found,
}

#[derive(Debug)]
struct Kind {
    example: Rc<Shape>,
    used: u64,
    nodes: Vec<Entry>,
}

impl Kind {
    /// Whether pods of a shape are treated alike by what looks at one node alone.
    fn covers(&self, shape: &Shape) -> bool {
        let (a, b) = (&*self.example.template, &*shape.template);
        a.tolerations == b.tolerations && a.requests == b.requests && a.node_selector == b.node_selector && a.scheduling == b.scheduling
    }
}

/// What is remembered.
#[derive(Default, Debug)]
pub struct Memo {
    kinds: Vec<Kind>,
    /// By shape: where its kind was when last looked up.
    of_shape: Vec<u8>,
    clock: u64,
}

impl Memo {
    /// The kind of pod that a shape is, for [`Memo::of`] until the next call of this.
    pub fn kind(&mut self, shape: &Rc<Shape>) -> usize {
        self.clock += 1;
        let at = shape.id as usize;
        if self.of_shape.len() <= at {
            self.of_shape.resize(at + 1, 0);
        }
        let last = usize::from(self.of_shape[at]);
        let known = match self.kinds.get(last) {
            Some(kind) if kind.covers(shape) => Some(last),
            _ => self.kinds.iter().position(|k| k.covers(shape)),
        };
        let place = known.unwrap_or_else(|| {
            let fresh = Kind { example: shape.clone(), used: 0, nodes: Vec::new() };
            if self.kinds.len() < KINDS {
                self.kinds.push(fresh);
                return self.kinds.len() - 1;
            }
            let oldest = (0..KINDS).min_by_key(|i| self.kinds[*i].used).unwrap_or(0);
            self.kinds[oldest] = fresh;
            oldest
        });
        self.of_shape[at] = place as u8;
        self.kinds[place].used = self.clock;
        place
    }

    /// What is known of all nodes, for pods of one kind.
    pub fn of(&mut self, kind: usize, cache: &Cache) -> Known<'_> {
        let Kind { example, nodes, .. } = &mut self.kinds[kind];
        if nodes.len() < cache.generations().len() {
            nodes.resize(cache.generations().len(), Entry::default());
        }
        Known { example, nodes }
    }
}

/// What is known of nodes, for pods of one kind.
pub struct Known<'a> {
    example: &'a Rc<Shape>,
    nodes: &'a mut [Entry],
}

impl Known<'_> {
    /// What is known of a node, found out anew if the node changed.
    pub fn look_up(&mut self, id: NodeId, cache: &Cache, choice: &Choice, rejections: &mut Rejections) -> Found {
        let entry = &mut self.nodes[id.index()];
        let generation = cache.generations()[id.index()];
        if entry.generation != generation {
            let found = cache.node(id).map_or_else(Found::default, |info| look(self.example, info, choice, rejections));
            *entry = Entry { generation, found };
        }
        entry.found
    }
}
