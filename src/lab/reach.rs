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
    /// Of each outcome that was missed, how many records the best run shares with it, and of how many.
    pub missed: BTreeMap<usize, (usize, usize)>,
}

/// A run that may be gone on from.
struct Node {
    tape: Vec<Deviation>,
    /// How many records it shares with the outcome.
    matched: usize,
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
        // By matched records, then the shorter tape, then the earlier one.
        let mut nodes: Vec<Node> = Vec::new();
        let mut firsts: Vec<(usize, &Vec<Deviation>)> = starts.iter().map(|(tape, lines)| (common(lines, wanted), tape)).collect();
        firsts.sort_by_key(|(matched, tape)| (*matched, std::cmp::Reverse(tape.len())));
        let mut best = firsts.last().map_or(0, |f| f.0);
        for (_, tape) in firsts.into_iter().rev().take(3) {
            nodes.push(self.node(tape.clone(), wanted));
        }
        while self.reach.runs < end && !self.reach.tapes.contains_key(&outcome) {
            let pick = (0..nodes.len())
                .filter(|i| !nodes[*i].left.is_empty())
                .max_by_key(|i| (nodes[*i].matched, std::cmp::Reverse(nodes[*i].tape.len())));
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
            let matched = nodes[at].matched;
            let node = self.node(tape, wanted);
            best = best.max(node.matched);
            if node.matched >= matched {
                nodes.push(node);
            }
        }
        if !self.reach.tapes.contains_key(&outcome) {
            self.reach.missed.insert(outcome, (best, wanted.len()));
        }
    }

    /// Runs a tape, and lays out the other choices that may bring it nearer to an outcome.
    fn node(&mut self, tape: Vec<Deviation>, wanted: &[Line]) -> Node {
        let run = sim::search(self.plan, Choices::tape(tape.clone(), Choices::default_order()), &mut |_, _| false);
        let lines = self.look(&run, &tape);
        let matched = common(&lines, wanted);
        let time = |lines: &[Line]| lines.get(matched).map_or(u64::MAX, |l| l.t_ns);
        let parts = time(&lines).min(time(wanted)).saturating_add(MILLI);
        let mut left: Vec<(u64, Deviation)> = children(&run.notes, &run.choices, 0, true)
            .0
            .into_iter()
            .filter_map(|c| {
                let step = run.notes.steps.partition_point(|s| s.choices <= c.choice).saturating_sub(1);
                let at = run.notes.steps.get(step)?.at.as_nanos();
                (at <= parts).then_some((at, c.deviation()))
            })
            .collect();
        if let Some(shift) = shift(&lines, wanted, matched) {
            left.extend(shifted(&run, parts, shift));
        }
        // The nearest last, which is where it is taken from; of one instant the first.
        left.reverse();
        left.sort_by_key(|(at, _)| *at);
        let far = left.len().saturating_sub(NEAREST);
        Node { tape, matched, left: left.into_iter().skip(far).map(|(_, d)| d).collect() }
    }
}

/// By how much the next record of the outcome comes later in it than in the run.
fn shift(lines: &[Line], wanted: &[Line], matched: usize) -> Option<i128> {
    let next = wanted.get(matched)?;
    let same = lines[matched..].iter().find(|l| Line { t_ns: next.t_ns, ..(*l).clone() } == *next)?;
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
