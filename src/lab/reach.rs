//! Guided search: whether choices lead to an outcome that upstream was recorded to have.
//!
//! A run that parts from the recording at some record is worth another choice only up to there, and the nearest before it first. A
//! choice after which the run follows the recording for longer is kept, and the search goes on from it; where no choice helps, it goes
//! back to one that followed as long. Draws by seed come first: they settle what every order has a fair chance of.

use super::explore::children::children;
use crate::analysis::conformance::lines;
use crate::kernel::Choices;
use crate::kernel::choice::{Deviation, Span};
use crate::scenario::recorded::{Line, Outcome};
use crate::sim::{self, Plan, Searched};
use std::collections::{BTreeMap, BTreeSet};

/// How many seeds are drawn before the search begins.
const SEEDS: u64 = 16;
/// Of the other choices of a run only so many are kept, the nearest to where it parts.
const NEAREST: usize = 500;
/// Records are compared by the millisecond, so that a choice up to one later may still come before a record.
const MILLI: u64 = 1_000_000;

/// What a search came to.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// The outcomes that were reached, each with its deviations from the default order.
    pub tapes: BTreeMap<usize, Vec<Deviation>>,
    /// How many outcomes there are.
    pub of: usize,
    /// How many runs it took.
    pub runs: u64,
    /// The outcomes that were missed.
    pub missed: BTreeMap<usize, Miss>,
}

/// An outcome that was missed: where the nearest run parts from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Miss {
    /// How many records they share at the beginning.
    pub shared: usize,
    /// How many the outcome has.
    pub of: usize,
    /// The first that only the outcome has, and the first that only the run has.
    pub parts: (Option<Line>, Option<Line>),
}

/// A run that may be gone on from.
struct Node {
    tape: Vec<Deviation>,
    near: Near,
    /// Other choices that are left to try, the best last.
    left: Vec<Deviation>,
}

/// The search for the outcomes of one recording.
struct Search<'a> {
    plan: &'a Plan,
    outcomes: &'a [Outcome],
    reach: Reach,
    budget: u64,
}

/// Looks for choices that lead to each recorded outcome, with so many runs for each.
pub fn reach(plan: &Plan, outcomes: &[Outcome], budget: u64) -> Reach {
    let mut search = Search { plan, outcomes, reach: Reach { of: outcomes.len(), ..Reach::default() }, budget };
    let mut starts: Vec<(Vec<Deviation>, Vec<Line>)> = Vec::new();
    for seed in 0..=SEEDS.min(budget) {
        let choices = if seed == 0 { Choices::default_order() } else { Choices::seeded(seed) };
        let run = sim::search(plan, choices, &mut |_, _| false);
        let tape: Vec<Deviation> = run.choices.iter().filter(|d| d.deviates()).map(|d| (*d).into()).collect();
        let lines = search.look(&run, &tape);
        if !starts.iter().any(|(_, l)| *l == lines) {
            starts.push((tape, lines));
        }
    }
    for i in 0..outcomes.len() {
        if !search.reach.tapes.contains_key(&i) {
            search.one(i, &starts);
        }
    }
    search.reach
}

impl Search<'_> {
    /// Notes which outcomes a run equals.
    fn look(&mut self, run: &Searched, tape: &[Deviation]) -> Vec<Line> {
        self.reach.runs += 1;
        let lines = lines(&run.trace);
        if let Some(i) = self.outcomes.iter().position(|o| *o.lines == lines) {
            self.reach.tapes.entry(i).or_insert_with(|| tape.to_vec());
        }
        lines
    }

    fn one(&mut self, outcome: usize, starts: &[(Vec<Deviation>, Vec<Line>)]) {
        let wanted = &self.outcomes[outcome].lines;
        let end = self.reach.runs + self.budget;
        let mut tried: BTreeSet<Vec<Deviation>> = BTreeSet::new();
        // By how near they are, then the shorter tape, then the earlier one.
        let mut nodes: Vec<Node> = Vec::new();
        let mut firsts: Vec<(Near, &(Vec<Deviation>, Vec<Line>))> = starts.iter().map(|start| (Near::of(&start.1, wanted), start)).collect();
        firsts.sort_by_key(|(near, (tape, _))| (*near, std::cmp::Reverse(tape.len())));
        let mut best = firsts.last().map(|(near, (_, lines))| (*near, lines.clone())).unwrap_or_default();
        for (_, (tape, _)) in firsts.into_iter().rev().take(3) {
            nodes.push(self.node(tape.clone(), wanted).0);
        }
        while self.reach.runs < end && !self.reach.tapes.contains_key(&outcome) {
            let pick = (0..nodes.len())
                .filter(|i| !nodes[*i].left.is_empty())
                .max_by_key(|i| (nodes[*i].near, std::cmp::Reverse(nodes[*i].tape.len())));
            let Some(at) = pick else { break };
            let Some(deviation) = nodes[at].left.pop() else { break };
            let mut tape = nodes[at].tape.clone();
            tape.retain(|d| (&d.point, d.object, d.ordinal) != (&deviation.point, deviation.object, deviation.ordinal));
            tape.push(deviation);
            let mut key = tape.clone();
            key.sort();
            if !tried.insert(key) {
                continue;
            }
            let parent = nodes[at].near;
            let (node, lines) = self.node(tape, wanted);
            if node.near > best.0 {
                best = (node.near, lines);
            }
            if node.near >= parent {
                nodes.push(node);
            }
        }
        if !self.reach.tapes.contains_key(&outcome) {
            self.reach.missed.insert(outcome, Miss::of(&best.1, wanted));
        }
    }

    /// Runs a tape, and lays out the other choices that may bring it nearer to an outcome.
    fn node(&mut self, tape: Vec<Deviation>, wanted: &[Line]) -> (Node, Vec<Line>) {
        let run = sim::search(self.plan, Choices::tape(tape.clone(), Choices::default_order()), &mut |_, _| false);
        let lines = self.look(&run, &tape);
        let near = Near::of(&lines, wanted);
        let time = |lines: &[Line]| lines.get(near.until).map_or(u64::MAX, |l| l.t_ns);
        let parts = time(&lines).min(time(wanted)).saturating_add(MILLI);
        let mut left: Vec<(u64, Deviation)> = children(&run.notes, &run.choices, 0, true)
            .0
            .into_iter()
            .filter_map(|c| {
                let step = run.notes.steps.partition_point(|s| s.choices <= c.choice).saturating_sub(1);
                let at = run.notes.steps.get(step)?.at.as_nanos();
                (at <= parts).then_some((at, c.deviation))
            })
            .collect();
        if let Some(shift) = shift(&lines, wanted) {
            left.extend(shifted(&run, parts, shift));
        }
        // The nearest last, which is where it is taken from; of one instant the first.
        left.reverse();
        left.sort_by_key(|(at, _)| *at);
        let far = left.len().saturating_sub(NEAREST);
        (Node { tape, near, left: left.into_iter().skip(far).map(|(_, d)| d).collect() }, lines)
    }
}

/// By how much the next record of the outcome comes later in it than in the run.
fn shift(lines: &[Line], wanted: &[Line]) -> Option<i128> {
    let shared = common(lines, wanted);
    let next = wanted.get(shared)?;
    let same = lines[shared..].iter().find(|l| Line { t_ns: next.t_ns, ..(*l).clone() } == *next)?;
    let shift = i128::from(next.t_ns) - i128::from(same.t_ns);
    (shift != 0).then_some(shift)
}

/// Drawn durations that make up for that: what hangs on one of them then comes in the recorded millisecond.
fn shifted(run: &Searched, parts: u64, shift: i128) -> Vec<(u64, Deviation)> {
    let mut said = BTreeSet::new();
    let mut out = Vec::new();
    for (i, drawn) in run.choices.iter().enumerate() {
        let Span::Range(min, max) = drawn.span else { continue };
        let step = run.notes.steps.partition_point(|s| s.choices as usize <= i).saturating_sub(1);
        let value = u64::try_from(i128::from(drawn.value) + shift).ok().filter(|v| (min..=max).contains(v));
        let at = run.notes.steps.get(step).map(|s| s.at.as_nanos()).filter(|at| *at <= parts);
        if let (Some(value), Some(at)) = (value, at)
            && said.insert((drawn.point, drawn.object, drawn.ordinal))
        {
            out.push((at, Deviation { value, ..(*drawn).into() }));
        }
    }
    out
}

/// How many records two runs share at the beginning.
fn common(a: &[Line], b: &[Line]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// How near a run comes to an outcome: to which millisecond, and how much of that one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Near {
    /// Records up to the first millisecond that differs.
    until: usize,
    /// Of the records of that millisecond, how many are in both, less those that only the run has.
    there: isize,
}

impl Near {
    fn of(lines: &[Line], wanted: &[Line]) -> Self {
        let shared = common(lines, wanted);
        let at = lines[shared..].iter().chain(&wanted[shared..]).map(|l| l.t_ns).min();
        let until = wanted[..shared].partition_point(|l| Some(l.t_ns) < at);
        let there = |lines: &[Line]| lines[until..].iter().take_while(|l| Some(l.t_ns) == at).cloned().collect::<Vec<Line>>();
        let (ours, mut theirs) = (there(lines), there(wanted));
        let both = ours.iter().filter(|l| theirs.iter().position(|t| t == *l).map(|i| theirs.swap_remove(i)).is_some()).count();
        Self { until, there: 2 * both as isize - ours.len() as isize }
    }
}

impl Miss {
    fn of(lines: &[Line], wanted: &[Line]) -> Self {
        let shared = common(lines, wanted);
        let only = |lines: &[Line], others: &[Line]| {
            let mut others: Vec<&Line> = others[shared..].iter().collect();
            let first = lines[shared..].iter().find(|l| match others.iter().position(|o| o == l) {
                Some(i) => {
                    others.swap_remove(i);
                    false
                }
                None => true,
            });
            first.cloned()
        };
        Self { shared, of: wanted.len(), parts: (only(wanted, lines), only(lines, wanted)) }
    }
}
