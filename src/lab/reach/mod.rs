//! Guided search: whether choices lead to an outcome that upstream was recorded to have.
//!
//! A run that parts from the recording at some record is worth another choice only up to there, and
//! the nearest before it first. A choice after which the run follows the recording for longer is
//! kept, and the search goes on from it; where no choice helps, it goes back to one that followed
//! as long. Choices that let the object of the recorded record come before that of the run's are
//! tried before all others. Draws by seed come first: they settle what every order has a fair
//! chance of. Where all that does not lead to an outcome, whole instants are put into orders of
//! their own (`orders`), with as many runs again; and where that does not either, what comes after
//! some choice is drawn anew, again and again (`redraw`).

mod orders;
mod redraw;

use super::explore::children::children;
use crate::analysis::conformance::numbered;
use crate::api::names::stable_hash;
use crate::kernel::choice::{Coming, Deviation, Drawn, Orders, Span};
use crate::kernel::{Choices, NEXT, Time};
use crate::plan::Plan;
use crate::scenario::recorded::{Line, Outcome};
use crate::sim::{self, Searched};
use crate::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// How many seeds are drawn before the search begins.
const SEEDS: u64 = 16;
/// Of the other choices of a run only so many are kept, the nearest to where it parts.
const NEAREST: usize = 500;
/// And of those that let a wanted object come sooner.
const SOONER: usize = 50;
/// How many choices are made at once to see whether any of them matters.
const GROUP: usize = 16;
/// A place at which so many choices changed nothing is left alone where whole instants are put into
/// order.
const DULL: i32 = 8;
/// How many others are put before an object that came too soon.
const SWAPS: usize = 4;
/// Records are compared by the millisecond, so that a choice up to one later may still come before
/// a record.
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
    start: Start,
    lines: Vec<Line>,
    near: Near,
    /// How many records it has in common with the outcome, wherever.
    right: usize,
    /// Other choices that are left to try, the best last.
    left: Vec<Other>,
    /// Choices to let others go first that were not made.
    yields: Vec<Deviation>,
    /// How many of them let a wanted object come sooner, at first.
    sooner: std::ops::Range<usize>,
}

/// What a run is made of.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Start {
    /// Sorted.
    tape: Vec<Deviation>,
    /// What the tape says goes before these.
    orders: Orders,
}

impl Start {
    fn choices(&self) -> Choices {
        Choices::tape(
            self.tape.clone(),
            Choices::ordered(self.orders.clone(), Choices::default_order()),
        )
    }

    fn with(&self, other: &Other) -> Self {
        let mut start = self.clone();
        start
            .tape
            .retain(|d| !other.replaced.iter().any(|o| is_about_the_same(d, o)));
        start.tape = with(&start.tape, other.deviations.clone());
        if let Some((at, order)) = &other.order {
            start.orders.put(*at, order.clone());
        }
        start
    }
}

/// Other choices of a run, made at once.
#[derive(Clone, Debug, Default)]
struct Other {
    /// When, in nanoseconds.
    at: u64,
    deviations: Vec<Deviation>,
    /// Another order of a whole instant, and the deviations that it stands for.
    order: Option<(Time, Vec<Coming>)>,
    replaced: Vec<Deviation>,
    /// Whether it is a step only where it brings more into place.
    strict: bool,
}

impl Other {
    fn of((at, deviations): (u64, Vec<Deviation>)) -> Self {
        Self {
            at,
            deviations,
            ..Self::default()
        }
    }
}

/// The search for the outcomes of one recording.
struct Search<'a> {
    plan: &'a Plan,
    outcomes: &'a [Outcome],
    reach: Reach,
    budget: u64,
    /// What the nearest of the runs that missed an outcome is made of.
    nearest: BTreeMap<usize, Start>,
}

/// Looks for choices that lead to each recorded outcome, with so many runs for each.
pub fn reach(plan: &Plan, outcomes: &[Outcome], budget: u64) -> Reach {
    let mut search = Search {
        plan,
        outcomes,
        reach: Reach {
            of: outcomes.len(),
            ..Reach::default()
        },
        budget,
        nearest: BTreeMap::new(),
    };
    let mut starts: Vec<(Vec<Deviation>, Vec<Line>)> = Vec::new();
    for seed in 0..=SEEDS.min(budget) {
        let choices = if seed == 0 {
            Choices::default_order()
        } else {
            Choices::seeded(seed)
        };
        let run = sim::search(plan, choices);
        let tape: Vec<Deviation> = run
            .choices
            .iter()
            .filter(|d| d.deviates())
            .map(|d| (*d).into())
            .collect();
        let lines = search
            .look(&run)
            .into_iter()
            .map(|(line, _)| line)
            .collect();
        if !starts.iter().any(|(_, l)| *l == lines) {
            starts.push((tape, lines));
        }
    }
    for i in 0..outcomes.len() {
        // Some need only that one thing comes before another, some a whole instant in an order of
        // its own.
        for whole in [false, true] {
            if !search.reach.tapes.contains_key(&i) {
                search.one(i, &starts, whole);
            }
        }
        if !search.reach.tapes.contains_key(&i) {
            search.redraw(i, &starts);
        }
    }
    // Some were come across while others were looked for.
    let Reach { tapes, missed, .. } = &mut search.reach;
    missed.retain(|outcome, _| !tapes.contains_key(outcome));
    search.reach
}

impl Search<'_> {
    /// Notes which outcomes a run equals.
    fn look(&mut self, run: &Searched) -> Vec<(Line, usize)> {
        self.reach.runs += 1;
        let lines = numbered(&run.trace);
        let is_this = |o: &Outcome| {
            o.lines.len() == lines.len()
                && o.lines.iter().zip(&lines).all(|(l, (line, _))| l == line)
        };
        // Several outcomes may differ only in what is not compared.
        for (i, _) in self.outcomes.iter().enumerate().filter(|(_, o)| is_this(o)) {
            let deviations = || {
                run.choices
                    .iter()
                    .filter(|d| d.deviates())
                    .map(|d| (*d).into())
                    .collect()
            };
            self.reach.tapes.entry(i).or_insert_with(deviations);
        }
        lines
    }

    fn one(&mut self, outcome: usize, starts: &[(Vec<Deviation>, Vec<Line>)], whole: bool) {
        let wanted = &self.outcomes[outcome].lines;
        let times = whole.then(|| orders::Wanted::of(wanted));
        let end = self.reach.runs + self.budget;
        let mut tried: BTreeSet<Start> = BTreeSet::new();
        // How often choices at a point have changed nothing; very few where they ever did.
        let mut dull: BTreeMap<String, i32> = BTreeMap::new();
        let mut firsts: Vec<(Near, &Vec<Deviation>)> = starts
            .iter()
            .map(|(tape, lines)| (Near::of(lines, wanted), tape))
            .collect();
        firsts.sort_by_key(|(near, tape)| (*near, std::cmp::Reverse(tape.len())));
        let firsts = firsts.into_iter().rev().take(3).map(|(_, tape)| Start {
            tape: tape.clone(),
            ..Start::default()
        });
        let mut nodes: Vec<Node> = firsts
            .map(|start| self.node(start, wanted, times.as_ref()))
            .collect();
        if whole {
            self.yielding(&mut nodes, wanted, times.as_ref());
        }
        while self.reach.runs < end && !self.reach.tapes.contains_key(&outcome) {
            // The nearest, then the one with more in common, then the one with the shorter tape,
            // then the later one.
            let pick = (0..nodes.len())
                .filter(|i| !nodes[*i].left.is_empty())
                .max_by_key(|i| {
                    (
                        nodes[*i].near,
                        nodes[*i].right,
                        if whole {
                            std::cmp::Reverse(0)
                        } else {
                            std::cmp::Reverse(nodes[*i].start.tape.len())
                        },
                    )
                });
            let Some(at) = pick else { break };
            let Some(other) = nodes[at].left.pop() else {
                break;
            };
            let start = nodes[at].start.with(&other);
            let is_dull = whole
                && !other.strict
                && other
                    .deviations
                    .iter()
                    .all(|d| dull.get(&d.point).is_some_and(|n| *n >= DULL));
            if is_dull || !tried.insert(start.clone()) {
                continue;
            }
            let node = self.node(start, wanted, times.as_ref());
            if other.order.is_none() {
                let is_same = node.lines == nodes[at].lines;
                for d in &other.deviations {
                    let times = dull.entry(d.point.clone()).or_insert(0);
                    *times = if is_same {
                        times.saturating_add(1)
                    } else {
                        i32::MIN
                    };
                }
            }
            if node.lines == nodes[at].lines && other.order.is_none() {
                // The other values of these choices come to nothing, either.
                let is_idle = |o: &Other| matches!(&o.deviations[..], [one] if other.deviations.iter().any(|same| is_about_the_same(one, same)));
                nodes[at].left.retain(|o| !is_idle(o));
            }
            // What is a step towards the outcome may need a second one that makes up for what it
            // spoils, or that makes something of it: the first chance after the step, or the last
            // before the run departs.
            let near = nodes[at].near;
            if !other.strict
                && node.near <= near
                && node.lines != nodes[at].lines
                && !node.sooner.is_empty()
            {
                let chances = &node.left[node.sooner.clone()];
                let amends = [chances.iter().find(|o| o.at >= other.at), chances.last()]
                    .map(|chance| chance.map(|o| node.start.with(o)));
                for start in amends.into_iter().flatten() {
                    if self.reach.runs < end
                        && !self.reach.tapes.contains_key(&outcome)
                        && tried.insert(start.clone())
                    {
                        let amended = self.node(start, wanted, times.as_ref());
                        if amended.near >= near && (!whole || amended.lines != nodes[at].lines) {
                            nodes.push(amended);
                        }
                    }
                }
            }
            // Where whole orders change, a step is only what brings more into place, or at least
            // changes something.
            let step = !whole
                || if other.strict {
                    node.right > nodes[at].right
                } else {
                    node.lines != nodes[at].lines
                };
            let halves = other.order.is_some()
                && !other.deviations.is_empty()
                && node.right == nodes[at].right;
            if node.near > near || node.near == near && (step || halves) {
                nodes.push(node);
            }
        }
        if !self.reach.tapes.contains_key(&outcome) {
            let best = nodes.iter().rev().max_by_key(|n| n.near);
            if self.missed(
                outcome,
                Miss::of(best.map_or(&[][..], |n| &n.lines), wanted),
            ) {
                self.nearest
                    .extend(best.map(|best| (outcome, best.start.clone())));
            }
        }
    }

    /// Notes by how much an outcome was missed, if it never was by less; whether so.
    fn missed(&mut self, outcome: usize, miss: Miss) -> bool {
        let nearer = self
            .reach
            .missed
            .get(&outcome)
            .is_none_or(|before| before.shared < miss.shared);
        if nearer {
            self.reach.missed.insert(outcome, miss);
        }
        nearer
    }

    /// Adds runs in which all who come by a place let the others go first, for each such place that
    /// changes nothing by itself: then there is more to put into order.
    fn yielding(
        &mut self,
        nodes: &mut Vec<Node>,
        wanted: &[Line],
        times: Option<&orders::Wanted<'_>>,
    ) {
        let Some(first) = nodes.pop() else { return };
        let mut all: BTreeMap<String, Vec<Deviation>> = BTreeMap::new();
        for yields in &first.yields {
            all.entry(yields.point.clone())
                .or_default()
                .push(yields.clone());
        }
        let mut best = first;
        for deviations in all.into_values().filter(|all| all.len() > 1) {
            let node = self.node(
                best.start.with(&Other {
                    deviations,
                    ..Other::default()
                }),
                wanted,
                times,
            );
            let before = if node.lines == best.lines {
                std::mem::replace(&mut best, node)
            } else {
                node
            };
            nodes.push(before);
        }
        nodes.push(best);
    }

    /// Runs a tape, and lays out the other choices that may bring it nearer to an outcome.
    fn node(&mut self, start: Start, wanted: &[Line], times: Option<&orders::Wanted<'_>>) -> Node {
        let run = sim::search(self.plan, start.choices());
        let (lines, made): (Vec<Line>, Vec<usize>) = self.look(&run).into_iter().unzip();
        let near = Near::of(&lines, wanted);
        let parts = near.until.saturating_add(MILLI);
        let mut left: Vec<(bool, u64, Vec<Deviation>)> =
            children(&run.notes, &run.choices, 0, true)
                .0
                .into_iter()
                .map(|c| {
                    let choice = c.choice as usize;
                    (
                        !matches!(run.choices[choice].span, Span::Turn(_)),
                        time_of(&run, choice),
                        vec![c.deviation()],
                    )
                })
                .filter(|(_, at, _)| *at <= parts)
                .collect();
        if let Some(shift) = shift(&lines, wanted) {
            left.extend(
                shifted(&run, parts, shift)
                    .into_iter()
                    .map(|(at, d)| (true, at, d)),
            );
        }
        // The nearest last, which is where it is taken from; of one instant the first. Turns, which
        // are many, come after all others.
        left.reverse();
        left.sort_by_key(|(other, at, _)| (*other, *at));
        let mut left: Vec<Other> = in_groups(left.into_iter().map(|(_, at, d)| (at, d)).collect())
            .into_iter()
            .map(Other::of)
            .collect();
        let far = left.len().saturating_sub(NEAREST);
        left.drain(..far);
        let mut sooner = sooner(&run, parts, &Wish::of(&lines, wanted, &run.trace));
        sooner.sort_by_key(|(at, _)| *at);
        let far = sooner.len().saturating_sub(SOONER);
        let others = left.len();
        left.extend(sooner.into_iter().skip(far).map(Other::of));
        let sooner = others..left.len();
        left.extend(
            times
                .into_iter()
                .flat_map(|times| orders::orders(&run, &made, &lines, times, near.until)),
        );
        let right = if times.is_some() {
            in_common(&lines, wanted)
        } else {
            0
        };
        let open = run
            .choices
            .iter()
            .filter(|d| d.span == Span::Yield && d.value == 0);
        let yields = open
            .map(|d| Deviation {
                value: 1,
                ..(*d).into()
            })
            .collect();
        Node {
            start,
            lines,
            near,
            right,
            left,
            yields,
            sooner,
        }
    }
}

/// Puts before choices that are asked for again and again, most of them for nothing, one that makes
/// several at once: where nothing comes of it, each of them need not be tried.
fn in_groups(left: Vec<(u64, Vec<Deviation>)>) -> Vec<(u64, Vec<Deviation>)> {
    let mut out: Vec<(u64, Vec<Deviation>)> = Vec::with_capacity(left.len());
    let mut group: Vec<Deviation> = Vec::new();
    let mut left = left.into_iter().peekable();
    while let Some((at, deviations)) = left.next() {
        // Of the values of one choice the last is tried first.
        match (&deviations[..], group.last_mut()) {
            ([one], Some(last)) if last.ordinal == one.ordinal => *last = one.clone(),
            ([one], _) if one.point != NEXT => group.push(one.clone()),
            _ => {}
        }
        out.push((at, deviations));
        let goes_on = left.peek().is_some_and(|(_, next)| {
            matches!((&next[..], group.last()), ([n], Some(d)) if n.point == d.point && n.object == d.object && (group.len() < GROUP || n.ordinal == d.ordinal))
        });
        if !goes_on {
            let whole = std::mem::take(&mut group);
            if whole.len() > 1 {
                out.push((at, whole));
            }
        }
    }
    out
}

/// A tape with other choices laid over it, sorted.
fn with(tape: &[Deviation], others: Vec<Deviation>) -> Vec<Deviation> {
    let kept = tape
        .iter()
        .filter(|d| !others.iter().any(|o| is_about_the_same(d, o)))
        .cloned();
    let mut tape: Vec<Deviation> = kept.chain(others.iter().cloned()).collect();
    tape.sort();
    tape
}

fn is_about_the_same(a: &Deviation, b: &Deviation) -> bool {
    (&a.point, a.object, a.ordinal) == (&b.point, b.object, b.ordinal)
}

/// When a choice was made.
fn time_of(run: &Searched, choice: usize) -> u64 {
    let step = run
        .notes
        .steps
        .partition_point(|s| s.choices as usize <= choice)
        .saturating_sub(1);
    run.notes
        .steps
        .get(step)
        .map_or(u64::MAX, |s| s.at.as_nanos())
}

/// Which objects should come sooner, and which came instead: those of the first record that only
/// the outcome has, and of the first that only the run has, by the hashes of their names. Of two
/// records the later one says nothing.
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
            let object = line
                .object
                .split_once('/')
                .map(|(_, name)| name.to_owned())
                .unwrap_or_default();
            let named = |text: &String| {
                stable_hash(&aliases.iter().fold(text.clone(), |text, (name, alias)| {
                    text.replace(alias, name)
                }))
            };
            // What happens to a pod may hang on what happened to its node.
            let is_there = |l: &&Line| {
                !l.node.is_empty() && !l.pod.is_empty() && (l.pod == line.pod || l.pod == object)
            };
            let node = lines
                .iter()
                .rev()
                .find(is_there)
                .map(|l| l.node.clone())
                .unwrap_or_default();
            [line.node, line.pod, object, node]
                .iter()
                .filter(|text| !text.is_empty())
                .map(named)
                .collect()
        };
        let time = |line: &Option<Line>| line.as_ref().map_or(u64::MAX, |l| l.t_ns);
        let (their_time, our_time) = (time(&theirs), time(&ours));
        let theirs = if their_time <= our_time {
            hashes(theirs)
        } else {
            Vec::new()
        };
        let ours = if our_time <= their_time {
            hashes(ours)
        } else {
            Vec::new()
        };
        let only = |these: &[u64], those: &[u64]| {
            these
                .iter()
                .copied()
                .filter(|h| !those.contains(h))
                .collect()
        };
        Self {
            wanted: only(&theirs, &ours),
            instead: only(&ours, &theirs),
        }
    }
}

/// Choices that let a wanted object come before the one that came instead.
fn sooner(run: &Searched, parts: u64, wish: &Wish) -> Vec<(u64, Vec<Deviation>)> {
    let mut out = Vec::new();
    for (from, ranks) in ranked(&run.choices) {
        let at = time_of(run, from);
        if at <= parts {
            out.extend(moved(ranks, wish).into_iter().map(|moved| (at, moved)));
        }
    }
    out.extend(all_yield(run, parts));
    let step_of: BTreeMap<u32, usize> = run
        .notes
        .steps
        .iter()
        .enumerate()
        .map(|(i, s)| (s.event, i))
        .collect();
    for asked in &run.notes.asked {
        let at = run
            .notes
            .steps
            .get(asked.step as usize)
            .map_or(u64::MAX, |s| s.at.as_nanos());
        if at > parts {
            break;
        }
        let drawn = run.choices[asked.choice as usize];
        let about = |value: u64| {
            let event = run.notes.candidates[asked.from as usize + value as usize];
            step_of
                .get(&event)
                .map_or(0, |step| run.notes.steps[*step].name.object)
        };
        let taken = about(drawn.value);
        if !wish.wanted.contains(&taken)
            && (wish.instead.is_empty() || wish.instead.contains(&taken))
        {
            let sooner =
                (0..u64::from(asked.count)).filter(|value| wish.wanted.contains(&about(*value)));
            out.extend(sooner.map(|value| {
                (
                    at,
                    vec![Deviation {
                        value,
                        ..drawn.into()
                    }],
                )
            }));
        }
    }
    out
}

/// The arbitrary orders among the choices of a run, each with the place at which it begins.
fn ranked(choices: &[Drawn]) -> Vec<(usize, &[Drawn])> {
    let (mut out, mut from) = (Vec::new(), 0);
    while from < choices.len() {
        let mut seen = BTreeSet::new();
        let mut is_next = |d: &Drawn| {
            matches!(d.span, Span::Rank | Span::Place)
                && d.point == choices[from].point
                && seen.insert(d.object)
        };
        let ranked = choices[from..].iter().take_while(|d| is_next(d)).count();
        if ranked > 1 {
            out.push((from, &choices[from..from + ranked]));
        }
        from += ranked.max(1);
    }
    out
}

/// Of several goroutines that come by a place in one instant, all let the others go first: then the
/// two halves of what they do have orders of their own.
fn all_yield(run: &Searched, parts: u64) -> Vec<(u64, Vec<Deviation>)> {
    let mut together: BTreeMap<(u64, &str), Vec<Deviation>> = BTreeMap::new();
    for (i, drawn) in run.choices.iter().enumerate() {
        let at = time_of(run, i);
        if at > parts {
            break;
        }
        if drawn.span == Span::Yield && drawn.value == 0 {
            together
                .entry((at, drawn.point))
                .or_default()
                .push(Deviation {
                    value: 1,
                    ..(*drawn).into()
                });
        }
    }
    together
        .into_iter()
        .filter(|(_, all)| all.len() > 1)
        .map(|((at, _), all)| (at, all))
        .collect()
}

/// Puts a wanted object right before the one that came instead, or first, or another before one
/// that came too soon; the rest of an arbitrary order stays as it is.
fn moved(ranks: &[Drawn], wish: &Wish) -> Vec<Vec<Deviation>> {
    let mut order: Vec<&Drawn> = ranks.iter().collect();
    order.sort_by_key(|d| d.value);
    let place = |of: &[u64]| order.iter().position(|d| of.contains(&d.object));
    let moves: Vec<(usize, usize)> = match (place(&wish.wanted), place(&wish.instead)) {
        (Some(from), Some(to)) => vec![(from, to)],
        (Some(from), None) if wish.instead.is_empty() => vec![(from, 0)],
        (None, Some(to)) if wish.wanted.is_empty() => (to + 1..order.len())
            .take(SWAPS)
            .map(|from| (from, to))
            .collect(),
        _ => Vec::new(),
    };
    let laid = |(from, to): (usize, usize)| {
        let mut order = order.clone();
        order[to..=from].rotate_right(1);
        order[..=from]
            .iter()
            .enumerate()
            .map(|(place, d)| Deviation {
                value: place as u64,
                ..(**d).into()
            })
            .collect()
    };
    moves
        .into_iter()
        .filter(|(from, to)| from > to)
        .map(laid)
        .collect()
}

/// By how much the next record of the outcome comes later in it than in the run.
fn shift(lines: &[Line], wanted: &[Line]) -> Option<i128> {
    let shared = common(lines, wanted);
    let next = wanted.get(shared)?;
    let same = lines[shared..].iter().find(|l| {
        Line {
            t_ns: next.t_ns,
            ..(*l).clone()
        } == *next
    })?;
    let shift = i128::from(next.t_ns) - i128::from(same.t_ns);
    (shift != 0).then_some(shift)
}

/// Drawn durations that make up for that: what hangs on one of them then comes in the recorded
/// millisecond.
fn shifted(run: &Searched, parts: u64, shift: i128) -> Vec<(u64, Vec<Deviation>)> {
    let mut said = BTreeSet::new();
    let mut out = Vec::new();
    for (i, drawn) in run.choices.iter().enumerate() {
        let Span::Range(min, max) = drawn.span else {
            continue;
        };
        let value = u64::try_from(i128::from(drawn.value) + shift)
            .ok()
            .filter(|v| (min..=max).contains(v));
        let at = time_of(run, i);
        if let Some(value) = value
            && at <= parts
            && said.insert((drawn.point, drawn.object, drawn.ordinal))
        {
            out.push((
                at,
                vec![Deviation {
                    value,
                    ..(*drawn).into()
                }],
            ));
        }
    }
    out
}

/// How many records two runs share at the beginning.
fn common(a: &[Line], b: &[Line]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}

/// How many records two runs have in common.
fn in_common(a: &[Line], b: &[Line]) -> usize {
    let mut left: BTreeMap<(u64, String), usize> = BTreeMap::new();
    b.iter()
        .for_each(|line| *left.entry((line.t_ns, line.json())).or_default() += 1);
    let mut is_there = |line: &&Line| {
        left.get_mut(&(line.t_ns, line.json()))
            .is_some_and(|n| std::mem::replace(n, n.saturating_sub(1)) > 0)
    };
    a.iter().filter(|line| is_there(line)).count()
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
        let until = lines[shared..]
            .iter()
            .chain(&wanted[shared..])
            .map(|l| l.t_ns)
            .min()
            .unwrap_or(u64::MAX);
        let from = wanted[..shared].partition_point(|l| l.t_ns < until);
        let there = |lines: &[Line]| {
            lines[from..]
                .iter()
                .take_while(|l| l.t_ns == until)
                .cloned()
                .collect::<Vec<Line>>()
        };
        let (ours, mut theirs) = (there(lines), there(wanted));
        let both = ours
            .iter()
            .filter(|l| {
                theirs
                    .iter()
                    .position(|t| t == *l)
                    .map(|i| theirs.swap_remove(i))
                    .is_some()
            })
            .count();
        Self {
            until,
            there: 2 * both as isize - ours.len() as isize,
        }
    }
}

impl Miss {
    fn of(lines: &[Line], wanted: &[Line]) -> Self {
        let shared = common(lines, wanted);
        let only = |lines: &[Line], others: &[Line]| {
            let mut others: Vec<&Line> = others[shared..].iter().collect();
            let first = lines[shared..]
                .iter()
                .find(|l| match others.iter().position(|o| o == l) {
                    Some(i) => {
                        others.swap_remove(i);
                        false
                    }
                    None => true,
                });
            first.cloned()
        };
        Self {
            shared,
            of: wanted.len(),
            parts: (only(wanted, lines), only(lines, wanted)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::recorded::{parse, sort_lines};
    use std::sync::Arc;

    /// Twelve pods that are alike on a node that dies, and clients that have to wait for their
    /// turn.
    fn throttled() -> Plan {
        let pods: Vec<String> = (10..22)
            .map(|i| {
                let toleration =
                    r#"{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "operator": "Exists", "tolerationSeconds": 60}"#;
                format!(r#"{{"name": "p{i}", "node": "n2", "tolerations": [{toleration}]}}"#)
            })
            .collect();
        let text = format!(
            r#"{{"kubernetes": "v1.34.4", "kinds": {{}}, "scenario": {{"name": "s", "horizon": "200s", "clients": {{"*": {{"qps": 20, "burst": 4}}}},
            "nodes": [{{"name": "n1", "zone": "a", "lease_offset": "1.3s", "status_offset": "3.7s"}},
                {{"name": "n2", "zone": "a", "lease_offset": "2.5s", "status_offset": "4.8s"}},
                {{"name": "n3", "zone": "a", "lease_offset": "6.1s", "status_offset": "7.9s"}}],
            "pods": [{}], "actions": [{{"at": "64.7s", "do": "cut", "nodes": ["n2"]}}]}}}}"#,
            pods.join(", ")
        );
        parse(text.as_bytes()).unwrap().remove(0).plan().unwrap()
    }

    #[test]
    fn a_whole_instant_is_put_into_another_order_in_few_runs() {
        let plan = throttled();
        let run = |choices| {
            numbered(&sim::search(&plan, choices).trace)
                .into_iter()
                .map(|(line, _)| line)
        };
        let usual: Vec<Line> = run(Choices::default_order()).collect();
        // As the pods are alike, their evictions may come in the opposite order as well; each of
        // them waits for three tokens.
        let mut wanted = usual.clone();
        for line in wanted.iter_mut().filter(|l| l.actor == "taint-eviction") {
            let other = |text: &str| {
                (10..22)
                    .find(|i| text.contains(&format!("p{i}")))
                    .map(|i| (format!("p{i}"), format!("p{}", 31 - i)))
            };
            for text in [&mut line.pod, &mut line.object, &mut line.message] {
                if let Some((from, to)) = other(text) {
                    *text = text.replace(&from, &to);
                }
            }
        }
        sort_lines(&mut wanted);
        let moved = usual.iter().filter(|l| !wanted.contains(l)).count();
        assert!(
            moved > 24,
            "most of 36 records are at the time of another now: {moved}"
        );
        let found = reach(
            &plan,
            &[Outcome {
                count: 1,
                lines: Arc::new(wanted.clone()),
            }],
            40,
        );
        assert!(found.missed.is_empty(), "{found:?}");
        assert_eq!(
            run(Choices::tape(
                found.tapes[&0].clone(),
                Choices::default_order()
            ))
            .collect::<Vec<_>>(),
            wanted
        );
    }

    fn at(ms: u64, pod: &str) -> Line {
        Line {
            t_ns: ms * MILLI,
            actor: "kubelet".into(),
            what: "pod-gone".into(),
            pod: pod.into(),
            ..Line::default()
        }
    }

    #[test]
    fn a_miss_names_the_first_record_of_either_that_the_other_has_not() {
        let (wanted, ours) = (
            [at(1, "a"), at(3, "c"), at(4, "d")],
            [at(1, "a"), at(2, "b"), at(3, "c")],
        );
        assert_eq!(
            Miss::of(&ours, &wanted),
            Miss {
                shared: 1,
                of: 3,
                parts: (Some(at(4, "d")), Some(at(2, "b")))
            }
        );
        assert_eq!(Miss::of(&wanted, &wanted).parts, (None, None));
    }

    #[test]
    fn nearer_is_who_departs_later_and_then_who_has_more_of_that_millisecond() {
        let wanted = [at(1, "a"), at(3, "b"), at(3, "c"), at(9, "d")];
        let near = |ours: &[Line]| Near::of(ours, &wanted);
        let steps = [
            near(&[at(1, "a"), at(2, "x"), at(3, "b"), at(3, "c"), at(9, "d")]),
            near(&[at(1, "a"), at(3, "x"), at(3, "y")]),
            near(&[at(1, "a"), at(3, "c"), at(3, "x")]),
            near(&[at(1, "a"), at(3, "c")]),
            near(&[at(1, "a"), at(3, "b"), at(3, "c")]),
            near(&wanted),
        ];
        assert!(
            steps.is_sorted() && steps.windows(2).all(|w| w[0] < w[1]),
            "{steps:?}"
        );
    }

    #[test]
    fn a_wanted_object_moves_and_the_others_keep_their_order() {
        let drawn = |object| Drawn {
            point: "order",
            object,
            ordinal: 0,
            span: Span::Rank,
            value: Span::MIDDLE,
        };
        let ranks: Vec<Drawn> = (1..=4).map(drawn).collect();
        let orders = |wanted: &[u64], instead: &[u64]| -> Vec<Vec<u64>> {
            let laid = moved(
                &ranks,
                &Wish {
                    wanted: wanted.to_vec(),
                    instead: instead.to_vec(),
                },
            );
            // The place of each is its value.
            laid.iter()
                .map(|tape| tape.iter().map(|d| d.object * 10 + d.value).collect())
                .collect()
        };
        assert_eq!(
            orders(&[3], &[2]),
            [[10, 31, 22]],
            "right before the one that came instead"
        );
        assert_eq!(orders(&[3], &[]), [[30, 11, 22]], "first");
        assert_eq!(
            orders(&[], &[3]),
            [[10, 21, 42, 33]],
            "another comes before one that came too soon"
        );
        assert!(orders(&[2], &[3]).is_empty() && orders(&[7], &[]).is_empty());
    }
}
