//! The search for one outcome: from the run that is nearest to it, one other choice after another.

use super::beside::Wanted;
use super::near::{Miss, Near};
use super::node::Node;
use super::search::Search;
use super::start::{Other, Start, is_about_the_same};
use crate::kernel::choice::Deviation;
use crate::recorded::Line;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A place at which this many choices changed nothing is left alone where whole instants are put
/// into order.
const DULL: i32 = 8;
/// With how many of the runs that were made already the search begins.
const FIRSTS: usize = 3;

/// The search for one outcome.
struct Guided<'s, 'a> {
    search: &'s mut Search<'a>,
    outcome: usize,
    wanted: &'a [Line],
    /// The recorded times, where whole instants are put into orders of their own.
    times: Option<Wanted<'a>>,
    /// The search ends once this number of runs is reached.
    end: u64,
    nodes: Vec<Node>,
    tried: BTreeSet<Start>,
    /// How often choices at a point have changed nothing; a very low number if they ever did.
    dull: BTreeMap<String, i32>,
}

impl Search<'_> {
    /// Looks for an outcome, beginning with these runs; `whole` puts whole instants into order.
    pub(super) fn guided(
        &mut self,
        outcome: usize,
        starts: &[(Vec<Deviation>, Vec<Line>)],
        whole: bool,
    ) {
        let wanted: &[Line] = &self.outcomes[outcome].lines;
        let mut guided = Guided {
            outcome,
            wanted,
            times: whole.then(|| Wanted::of(wanted)),
            end: self.reach.runs + self.budget,
            nodes: Vec::new(),
            tried: BTreeSet::new(),
            dull: BTreeMap::new(),
            search: self,
        };
        guided.begin(starts);
        if whole {
            guided.yielding();
        }
        guided.go_on();
        guided.note_miss();
    }
}

impl Guided<'_, '_> {
    fn node(&mut self, start: Start) -> Node {
        self.search.node(start, self.wanted, self.times.as_ref())
    }

    /// Runs again what came nearest so far.
    fn begin(&mut self, starts: &[(Vec<Deviation>, Vec<Line>)]) {
        let mut firsts: Vec<(Near, &Vec<Deviation>)> = starts
            .iter()
            .map(|(tape, lines)| (Near::of(lines, self.wanted), tape))
            .collect();
        firsts.sort_by_key(|(near, tape)| (*near, Reverse(tape.len())));
        for (_, tape) in firsts.into_iter().rev().take(FIRSTS) {
            let node = self.node(Start {
                tape: tape.clone(),
                ..Start::default()
            });
            self.nodes.push(node);
        }
    }

    /// Adds runs in which all goroutines that come by a place let the others go first, for each
    /// place where that alone changes nothing: then there is more to put into order.
    fn yielding(&mut self) {
        let Some(first) = self.nodes.pop() else {
            return;
        };
        let mut all: BTreeMap<String, Vec<Deviation>> = BTreeMap::new();
        for yields in &first.yields {
            all.entry(yields.point.clone())
                .or_default()
                .push(yields.clone());
        }
        let mut best = first;
        for deviations in all.into_values().filter(|all| all.len() > 1) {
            let node = self.node(best.start.with(&Other {
                deviations,
                ..Other::default()
            }));
            let before = if node.lines == best.lines {
                std::mem::replace(&mut best, node)
            } else {
                node
            };
            self.nodes.push(before);
        }
        self.nodes.push(best);
    }

    /// Whether there may be more runs, and the outcome is not reached yet.
    fn goes_on(&self) -> bool {
        let reach = &self.search.reach;
        reach.runs < self.end && !reach.tapes.contains_key(&self.outcome)
    }

    /// Tries other choices of the nearest run, until there are none left.
    fn go_on(&mut self) {
        while self.goes_on() {
            let Some(at) = self.nearest() else { break };
            let Some(other) = self.nodes[at].left.pop() else {
                break;
            };
            let start = self.nodes[at].start.with(&other);
            if self.is_dull(&other) || !self.tried.insert(start.clone()) {
                continue;
            }
            let node = self.node(start);
            self.learn(at, &other, &node);
            self.amend(at, &other, &node);
            if self.is_step(&self.nodes[at], &other, &node) {
                self.nodes.push(node);
            }
        }
    }

    /// The run to go on from: the nearest, then the one with more in common, then the one with the
    /// shorter tape, then the later one.
    fn nearest(&self) -> Option<usize> {
        (0..self.nodes.len())
            .filter(|i| !self.nodes[*i].left.is_empty())
            .max_by_key(|i| {
                let node = &self.nodes[*i];
                let deviations = if self.times.is_some() {
                    0
                } else {
                    node.start.tape.len()
                };
                (node.near, node.right, Reverse(deviations))
            })
    }

    /// Whether choices like these have changed nothing too often.
    fn is_dull(&self, other: &Other) -> bool {
        let is_dull = |d: &Deviation| self.dull.get(&d.point).is_some_and(|n| *n >= DULL);
        self.times.is_some() && !other.strict && other.deviations.iter().all(is_dull)
    }

    /// Remembers whether single choices changed the run that they were made in.
    fn learn(&mut self, at: usize, other: &Other, node: &Node) {
        if other.order.is_some() {
            return;
        }
        let before = &mut self.nodes[at];
        let is_same = node.lines == before.lines;
        for d in &other.deviations {
            let times = self.dull.entry(d.point.clone()).or_insert(0);
            *times = if is_same {
                times.saturating_add(1)
            } else {
                i32::MIN
            };
        }
        if is_same {
            // The other values of these choices change nothing, either.
            let is_idle = |o: &Other| {
                matches!(&o.deviations[..], [one]
                    if other.deviations.iter().any(|same| is_about_the_same(one, same)))
            };
            before.left.retain(|o| !is_idle(o));
        }
    }

    /// What is a step towards the outcome may need a second one that makes up for what it spoils,
    /// or that makes something of it: the first chance after the step, or the last before the run
    /// departs.
    fn amend(&mut self, at: usize, other: &Other, node: &Node) {
        let near = self.nodes[at].near;
        if other.strict
            || node.near > near
            || node.lines == self.nodes[at].lines
            || node.sooner.is_empty()
        {
            return;
        }
        let chances = &node.left[node.sooner.clone()];
        let amends = [chances.iter().find(|o| o.at >= other.at), chances.last()]
            .map(|chance| chance.map(|o| node.start.with(o)));
        for start in amends.into_iter().flatten() {
            if self.goes_on() && self.tried.insert(start.clone()) {
                let amended = self.node(start);
                let changes = self.times.is_none() || amended.lines != self.nodes[at].lines;
                if amended.near >= near && changes {
                    self.nodes.push(amended);
                }
            }
        }
    }

    /// Whether the search may go on from a run. Where whole orders change, only what brings more
    /// records to their times counts as a step, or at least what changes something.
    fn is_step(&self, before: &Node, other: &Other, node: &Node) -> bool {
        let step = self.times.is_none()
            || if other.strict {
                node.right > before.right
            } else {
                node.lines != before.lines
            };
        let halves =
            other.order.is_some() && !other.deviations.is_empty() && node.right == before.right;
        node.near > before.near || node.near == before.near && (step || halves)
    }

    /// Notes by how much the nearest run missed the outcome, if none reached it.
    fn note_miss(self) {
        if self.search.reach.tapes.contains_key(&self.outcome) {
            return;
        }
        let best = self.nodes.iter().rev().max_by_key(|n| n.near);
        let miss = Miss::of(best.map_or(&[][..], |n| &n.lines), self.wanted);
        if self.search.missed(self.outcome, miss) {
            let nearest = best.map(|best| (self.outcome, best.start.clone()));
            self.search.nearest.extend(nearest);
        }
    }
}
