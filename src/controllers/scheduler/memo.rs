//! What filters and scores made of a node on its own, for each kind of pod, until the node changes.
//! It lies in the order in which nodes are tried, with a bit for each node that may do, so that a
//! search passes over those that will not, 64 at a time.

use super::framework::Choice;
use super::single_node::{Found, filter_and_score};
use crate::controllers::scheduler::prelude::*;

/// How many kinds of pod are remembered; beyond that the one longest unused is forgotten.
const KINDS: usize = 64;

/// Stands for a node that has to be looked at.
const STALE: u32 = u32::MAX;

/// What is known of nodes, by their places in the order of nodes, for pods of one kind.
#[derive(Debug)]
struct Kind {
    example: Rc<Shape>,
    used: u64,
    /// How many kinds had been made before; another for each that takes this place.
    number: u32,
    /// The cache's version that this is about.
    version: (u64, u64),
    /// The numbers of rejections, 0 for none.
    rejections: Vec<u32>,
    found: Vec<Found>,
    /// A bit for each node that is not known to be rejected, and for each that has to be looked at:
    /// the lowest of a word comes first.
    open: Vec<u64>,
    stale: Vec<u64>,
    /// Something was found out about a node beside the scores of resources and balance.
    notable: bool,
}

impl Kind {
    /// Whether pods of a shape are treated alike by what looks at one node alone.
    fn covers(&self, shape: &Shape) -> bool {
        let (a, b) = (&*self.example.template, &*shape.template);
        a.tolerations == b.tolerations
            && a.requests == b.requests
            && a.node_selector == b.node_selector
            && a.scheduling == b.scheduling
    }
}

/// What is remembered.
#[derive(Default, Debug)]
pub(crate) struct Memo {
    kinds: Vec<Kind>,
    /// By shape: where its kind was when last looked up, and which of those that were there before
    /// and since.
    of_shape: Vec<(u8, u32)>,
    clock: u64,
    /// How many kinds there were ever.
    made: u32,
}

impl Memo {
    /// The kind of pod that a shape is, for [`Memo::of`] until the next call of this.
    pub(crate) fn kind(&mut self, shape: &Rc<Shape>) -> usize {
        self.clock += 1;
        let at = shape.id as usize;
        if self.of_shape.len() <= at {
            self.of_shape.resize(at + 1, (0, u32::MAX));
        }
        let (last, number) = self.of_shape[at];
        let place = match self.kinds.get(usize::from(last)) {
            Some(kind) if kind.number == number => usize::from(last),
            _ => self
                .kinds
                .iter()
                .position(|k| k.covers(shape))
                .unwrap_or_else(|| self.new_kind(shape)),
        };
        self.of_shape[at] = (place as u8, self.kinds[place].number);
        self.kinds[place].used = self.clock;
        place
    }

    fn new_kind(&mut self, shape: &Rc<Shape>) -> usize {
        let fresh = Kind {
            example: shape.clone(),
            used: 0,
            number: self.made,
            version: (u64::MAX, 0),
            rejections: Vec::new(),
            found: Vec::new(),
            open: Vec::new(),
            stale: Vec::new(),
            notable: false,
        };
        self.made += 1;
        if self.kinds.len() < KINDS {
            self.kinds.push(fresh);
            return self.kinds.len() - 1;
        }
        let oldest = (0..KINDS).min_by_key(|i| self.kinds[*i].used).unwrap_or(0);
        self.kinds[oldest] = fresh;
        oldest
    }

    /// What was found out about nodes, by place, for pods of one kind; of one that has changed
    /// since, before.
    pub(crate) fn found(&self, kind: usize) -> &[Found] {
        &self.kinds[kind].found
    }

    /// What is known of all nodes, for pods of one kind.
    pub(crate) fn of<'a>(
        &'a mut self,
        kind: usize,
        cache: &'a Cache,
        choice: &'a Choice,
        numbers: &'a mut Rejections,
    ) -> Known<'a> {
        let kind = &mut self.kinds[kind];
        let version = cache.version();
        match cache.changed_since(kind.version.1).filter(|_| kind.version.0 == version.0) {
            Some(changed) => changed.filter_map(|n| cache.place_of(n)).for_each(|place| {
                kind.rejections[place] = STALE;
                kind.open[place / 64] |= 1 << (place % 64);
                kind.stale[place / 64] |= 1 << (place % 64);
            }),
            None => {
                let nodes = cache.list().len();
                kind.rejections = vec![STALE; nodes];
                kind.found = vec![Found::default(); nodes];
                kind.open = vec![u64::MAX; nodes.div_ceil(64)];
                kind.stale = kind.open.clone();
            }
        }
        kind.version = version;
        Known { kind, cache, choice, numbers }
    }
}

/// What is known of nodes, for pods of one kind, and what it takes to find out more.
pub(crate) struct Known<'a> {
    kind: &'a mut Kind,
    cache: &'a Cache,
    choice: &'a Choice,
    /// The rejections by their numbers.
    numbers: &'a mut Rejections,
}

impl Known<'_> {
    /// The number of the rejection of the node in that place, 0 for none; found out anew if the
    /// node changed.
    #[inline]
    pub(crate) fn rejection(&mut self, place: usize) -> u32 {
        let known = self.kind.rejections[place];
        if known == STALE { self.renew(place) } else { known }
    }

    /// Whether anything was found out about any node beside its score.
    pub(crate) fn notable(&self) -> bool {
        self.kind.notable
    }

    /// What else is known of the node in that place.
    pub(crate) fn found(&self, place: usize) -> Found {
        self.kind.found[place]
    }

    /// Adds to a list the places of the first nodes that will do, `wanted` of them, from one place
    /// on and round to it again. Returns at how many nodes a search looks that tries them one by
    /// one.
    pub(crate) fn search(&mut self, from: usize, wanted: usize, places: &mut Vec<u32>) -> usize {
        let all = self.kind.rejections.len();
        for (first, end) in [(from, all), (0, from)] {
            for word in first / 64..end.div_ceil(64) {
                let mut part = u64::MAX;
                if word == first / 64 {
                    part &= u64::MAX << (first % 64);
                }
                if word == end / 64 {
                    part &= !(u64::MAX << (end % 64));
                }
                let mut stale = self.kind.stale[word] & part;
                while stale != 0 {
                    self.renew(word * 64 + stale.trailing_zeros() as usize);
                    stale &= stale - 1;
                }
                let mut open = self.kind.open[word] & part;
                let more = (open.count_ones() as usize).min(wanted - places.len());
                for _ in 0..more {
                    places.push((word * 64) as u32 + open.trailing_zeros());
                    open &= open - 1;
                }
                if let Some(last) = places.last().filter(|_| places.len() == wanted) {
                    let last = *last as usize;
                    return if last >= from { last - from } else { all - from + last } + 1;
                }
            }
        }
        all
    }

    /// Finds out anew about the node in that place.
    fn renew(&mut self, place: usize) -> u32 {
        let info = self.cache.node(self.cache.list()[place]);
        let found = info.map_or_else(Found::default, |info| {
            filter_and_score(&self.kind.example, info, self.choice, self.numbers)
        });
        self.kind.found[place] = found;
        self.kind.notable |= (found.taints, found.affinity) != (0, 0);
        self.kind.stale[place / 64] &= !(1 << (place % 64));
        self.kind.rejections[place] = found.rejection;
        if found.rejection != 0 {
            self.kind.open[place / 64] &= !(1 << (place % 64));
        }
        found.rejection
    }
}
