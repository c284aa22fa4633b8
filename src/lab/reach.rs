//! Guided search: whether choices lead to an outcome that upstream was recorded to have.
//!
//! A run that parts from the recording at some record is worth another choice only up to there, and the nearest before it first. A
//! choice after which the run follows the recording for longer is kept, and the search goes on from it; where no choice helps, it goes
//! back to one that followed as long. Choices that let the object of the recorded record come before that of the run's are tried before
//! all others. Draws by seed come first: they settle what every order has a fair chance of.

use super::explore::children::children;
use crate::analysis::conformance::lines;
use crate::api::names::stable_hash;
use crate::kernel::Choices;
use crate::kernel::choice::{Deviation, Drawn, Span};
use crate::scenario::recorded::{Line, Outcome};
use crate::sim::{self, Plan, Searched};
use crate::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// How many seeds are drawn before the search begins.
const SEEDS: u64 = 16;
/// Of the other choices of a run only so many are kept, the nearest to where it parts.
const NEAREST: usize = 500;
/// And of those that let a wanted object come sooner.
const SOONER: usize = 50;
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
    /// Other choices that are left to try, the best last; some consist of several.
    left: Vec<Vec<Deviation>>,
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
        let mut firsts: Vec<(Near, &(Vec<Deviation>, Vec<Line>))> =
            starts.iter().map(|start| (Near::of(&start.1, wanted), start)).collect();
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
            let Some(deviations) = nodes[at].left.pop() else { break };
            let mut tape = nodes[at].tape.clone();
            for deviation in deviations {
                tape.retain(|d| (&d.point, d.object, d.ordinal) != (&deviation.point, deviation.object, deviation.ordinal));
                tape.push(deviation);
            }
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
        let parts = near.until.saturating_add(MILLI);
        let mut left: Vec<(u64, Vec<Deviation>)> = children(&run.notes, &run.choices, 0, true)
            .0
            .into_iter()
            .map(|c| (time_of(&run, c.choice as usize), vec![c.deviation]))
            .filter(|(at, _)| *at <= parts)
            .collect();
        if let Some(shift) = shift(&lines, wanted) {
            left.extend(shifted(&run, parts, shift));
        }
        // The nearest last, which is where it is taken from; of one instant the first.
        left.reverse();
        left.sort_by_key(|(at, _)| *at);
        let far = left.len().saturating_sub(NEAREST);
        left.drain(..far);
        let mut sooner = sooner(&run, parts, &Wish::of(&lines, wanted, &run.trace));
        sooner.sort_by_key(|(at, _)| *at);
        let far = sooner.len().saturating_sub(SOONER);
        left.extend(sooner.into_iter().skip(far));
        (Node { tape, near, left: left.into_iter().map(|(_, d)| d).collect() }, lines)
    }
}

/// When a choice was made.
fn time_of(run: &Searched, choice: usize) -> u64 {
    let step = run.notes.steps.partition_point(|s| s.choices as usize <= choice).saturating_sub(1);
    run.notes.steps.get(step).map_or(u64::MAX, |s| s.at.as_nanos())
}

/// Which objects should come before which: those of the first record that only the outcome has, and of the first that only the run has, by
/// the hashes of their names.
struct Wish {
    wanted: Vec<u64>,
    instead: Vec<u64>,
}

impl Wish {
    fn of(lines: &[Line], wanted: &[Line], trace: &Trace) -> Self {
        let (theirs, ours) = Miss::of(lines, wanted).parts;
        let mut aliases: Vec<(String, String)> = trace.names.aliases().collect();
        aliases.sort_by_key(|(_, alias)| std::cmp::Reverse(alias.len()));
        let hashes = |line: Option<Line>| -> Vec<u64> {
            let Some(line) = line else { return Vec::new() };
            let object = line.object.split_once('/').map(|(_, name)| name.to_owned()).unwrap_or_default();
            let named = |text: String| stable_hash(&aliases.iter().fold(text, |text, (name, alias)| text.replace(alias, name)));
            [line.node, line.pod, object].into_iter().filter(|text| !text.is_empty()).map(named).collect()
        };
        let (theirs, ours) = (hashes(theirs), hashes(ours));
        let only = |these: &[u64], those: &[u64]| these.iter().copied().filter(|h| !those.contains(h)).collect();
        Self { wanted: only(&theirs, &ours), instead: only(&ours, &theirs) }
    }
}

/// Choices that let a wanted object come before the one that came instead.
fn sooner(run: &Searched, parts: u64, wish: &Wish) -> Vec<(u64, Vec<Deviation>)> {
    let mut out = Vec::new();
    let mut from = 0;
    while from < run.choices.len() {
        let first = &run.choices[from];
        let mut seen = BTreeSet::new();
        let mut is_next = |d: &Drawn| matches!(d.span, Span::Rank | Span::Place) && d.point == first.point && seen.insert(d.object);
        let ranked = run.choices[from..].iter().take_while(|d| is_next(d)).count();
        if ranked > 1 {
            let at = time_of(run, from);
            if at <= parts
                && let Some(moved) = moved(&run.choices[from..from + ranked], wish)
            {
                out.push((at, moved));
            }
        }
        from += ranked.max(1);
    }
    let step_of: BTreeMap<u32, usize> = run.notes.steps.iter().enumerate().map(|(i, s)| (s.event, i)).collect();
    for asked in &run.notes.asked {
        let at = run.notes.steps.get(asked.step as usize).map_or(u64::MAX, |s| s.at.as_nanos());
        if at > parts {
            break;
        }
        let drawn = run.choices[asked.choice as usize];
        let about = |value: u64| {
            let event = run.notes.candidates[asked.from as usize + value as usize];
            step_of.get(&event).map_or(0, |step| run.notes.steps[*step].name.object)
        };
        if !wish.wanted.contains(&about(drawn.value)) {
            let sooner = (0..u64::from(asked.count)).filter(|value| wish.wanted.contains(&about(*value)));
            out.extend(sooner.map(|value| (at, vec![Deviation { value, ..drawn.into() }])));
        }
    }
    out
}

/// Puts a wanted object right before the one that came instead; the rest of an arbitrary order stays as it is.
fn moved(ranks: &[Drawn], wish: &Wish) -> Option<Vec<Deviation>> {
    let mut order: Vec<&Drawn> = ranks.iter().collect();
    order.sort_by_key(|d| d.value);
    let to = order.iter().position(|d| wish.instead.contains(&d.object))?;
    let from = order.iter().position(|d| wish.wanted.contains(&d.object)).filter(|from| *from > to)?;
    order[to..=from].rotate_right(1);
    let placed = order[..=from].iter().enumerate().map(|(place, d)| Deviation { value: place as u64, ..(**d).into() });
    Some(placed.collect())
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
fn shifted(run: &Searched, parts: u64, shift: i128) -> Vec<(u64, Vec<Deviation>)> {
    let mut said = BTreeSet::new();
    let mut out = Vec::new();
    for (i, drawn) in run.choices.iter().enumerate() {
        let Span::Range(min, max) = drawn.span else { continue };
        let value = u64::try_from(i128::from(drawn.value) + shift).ok().filter(|v| (min..=max).contains(v));
        let at = time_of(run, i);
        if let Some(value) = value
            && at <= parts
            && said.insert((drawn.point, drawn.object, drawn.ordinal))
        {
            out.push((at, vec![Deviation { value, ..(*drawn).into() }]));
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
    /// The first millisecond that differs, in nanoseconds; none where nothing does.
    until: u64,
    /// Of the records of that millisecond, how many are in both, less those that only the run has.
    there: isize,
}

impl Near {
    fn of(lines: &[Line], wanted: &[Line]) -> Self {
        let shared = common(lines, wanted);
        let until = lines[shared..].iter().chain(&wanted[shared..]).map(|l| l.t_ns).min().unwrap_or(u64::MAX);
        let from = wanted[..shared].partition_point(|l| l.t_ns < until);
        let there = |lines: &[Line]| lines[from..].iter().take_while(|l| l.t_ns == until).cloned().collect::<Vec<Line>>();
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
