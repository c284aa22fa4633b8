//! What filters and scores made of a node on its own, for each kind of pod, until the node changes. It lies in the order in which nodes
//! are tried, so that a search reads on and on.

use super::algorithm::{Choice, look};
use super::cache::Cache;
use super::framework::Rejections;
use super::shape::Shape;
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

/// Stands for a node that has to be looked at.
const STALE: u32 = u32::MAX;

/// What is known of nodes, by their places in the order of nodes, for pods of one kind.
#[derive(Debug)]
struct Kind {
    example: Rc<Shape>,
    used: u64,
    /// The cache's version that this is about.
    version: (u64, u64),
    /// The numbers of rejections, 0 for none.
    rejections: Vec<u32>,
    found: Vec<Found>,
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
            let fresh = Kind { example: shape.clone(), used: 0, version: (u64::MAX, 0), rejections: Vec::new(), found: Vec::new() };
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
        let kind = &mut self.kinds[kind];
        let version = cache.version();
        match cache.changed_since(kind.version.1).filter(|_| kind.version.0 == version.0) {
            Some(changed) => changed.filter_map(|n| cache.place_of(n)).for_each(|place| kind.rejections[place] = STALE),
            None => {
                kind.rejections = vec![STALE; cache.list().len()];
                kind.found = vec![Found::default(); cache.list().len()];
            }
        }
        kind.version = version;
        Known(kind)
    }
}

/// What is known of nodes, for pods of one kind.
pub struct Known<'a>(&'a mut Kind);

impl Known<'_> {
    /// The number of the rejection of the node in that place, 0 for none; found out anew if the node changed.
    #[inline]
    pub fn rejection(&mut self, place: usize, cache: &Cache, choice: &Choice, rejections: &mut Rejections) -> u32 {
        let known = self.0.rejections[place];
        if known == STALE { self.look(place, cache, choice, rejections) } else { known }
    }

    /// What else is known of the node in that place.
    pub fn found(&self, place: usize) -> Found {
        self.0.found[place]
    }

    fn look(&mut self, place: usize, cache: &Cache, choice: &Choice, rejections: &mut Rejections) -> u32 {
        let info = cache.node(cache.list()[place]);
        let found = info.map_or_else(Found::default, |info| look(&self.0.example, info, choice, rejections));
        self.0.found[place] = found;
        self.0.rejections[place] = found.rejection;
        found.rejection
    }
}
