//! Searches by drawing: every choice, or priorities as PCT has them; counts outcomes and violations over
//! the runs of a search.

use super::changes::{Change, Changing};
use super::coverage::Nodes;
use super::one::{self, Looked, shorter};
use super::outcome::Outcome;
use super::search::{Beside, Explore, Reached, Report, Strategy, Violated, Watch};
use super::timelines::{Known, Other, fewer};
use crate::lab::prelude::*;
use crate::plan::Perturb;
use serde::de::DeserializeOwned;
use std::cmp::Ordering;

/// No more runs of other timelines are made between two looks at which of them to go on from.
const CHANGED: usize = 64;
/// How many of them one thread makes at least, with one plan.
const PIECE: usize = 16;

/// The choices of the run of a seed; `turns`: how many PCT reckons with.
fn choices(search: &Explore<'_>, turns: u64, seed: u64) -> Choices {
    let pct = || Choices::pct(seed, search.depth, turns);
    match (search.strategy, seed % 3) {
        (Strategy::Pct, _) | (Strategy::Changed, 2) => pct(),
        (Strategy::Natural, _) => Choices::natural(seed),
        // Where entries are what is drawn, what that alone does is looked at, too.
        (Strategy::Changed, 0) => Choices::default_order(),
        _ => Choices::free(seed),
    }
}

/// A search that is under way: on which threads, with which machines, and who watches it.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) search: &'a Explore<'a>,
    pub(super) pool: &'a ThreadPool,
    pub(super) desk: Desk<'a>,
    pub(super) watch: Watch<'a>,
}

impl At<'_> {
    /// Searches batch by batch, each a round of the desk.
    ///
    /// # Errors
    /// The batch is done elsewhere.
    pub(super) fn explore(self) -> Result<(Report, bool)> {
        let (tally, finished) = self.draw()?;
        let mut report = tally.report(Report::default());
        // A drawn run deviates nearly everywhere, and little of that matters.
        self.shorten(&mut report.violations, report.runs);
        Ok((report, finished))
    }

    /// Draws runs and counts what they come to; the last part says whether they are all there.
    ///
    /// # Errors
    /// The batch is done elsewhere.
    pub(super) fn draw(self) -> Result<(Tally, bool)> {
        let Self { search, watch, .. } = self;
        let mut drawn = Drawn::of(search);
        let mut tally = Tally::default();
        let mut tried = 0;
        while tried < search.runs && !(search.until_found && tally.all_violated(search.properties))
        {
            // A batch ends early for what was found, or may have been, to be made small in time.
            let is_late = !search.draws_on();
            let in_time = |runs| watch(runs) && (is_late || search.draws_on());
            let most = if drawn.known.is_some() { CHANGED } else { usize::MAX };
            let count = (search.batch.clamp(1, most) as u64).min(search.runs - tried);
            let seeds = (search.seed.wrapping_add(tried), count);
            let runs = tally.runs;
            let done = self.batch(&drawn, seeds, &|| in_time(runs))?;
            tried += count;
            // A timeline that is no scenario has no run.
            let ran = done.into_iter().filter_map(|(_, run)| run);
            for (changes, run) in ran.filter_map(|(changes, run)| Some((changes, run?))) {
                let (tape, (outcome, looked), orders) = run;
                tally.runs += 1;
                tally.add(&outcome, looked, (&changes, &tape));
                if let Some(known) = drawn.known.as_mut().filter(|_| in_time(runs)) {
                    known.add(&changes, orders);
                }
            }
            let any_violated = !tally.violations.is_empty();
            if !watch(tally.runs) || any_violated && !search.draws_on() {
                return Ok((tally, false));
            }
        }
        Ok((tally, true))
    }

    /// Says how often what was found is where runs are drawn as upstream comes to them, as far as there is time.
    ///
    /// # Errors
    /// The batch is done elsewhere.
    pub(super) fn how_often(self, report: &mut Report) -> Result<()> {
        let Self { search, watch, .. } = self;
        // How often trouble comes that was asked for, nobody knows.
        let is_troubled = (search.plan)().perturb != Perturb::default();
        if report.violations.is_empty() || search.beside == 0 || is_troubled {
            return Ok(());
        }
        let natural = Explore {
            strategy: Strategy::Natural,
            runs: search.beside,
            until_found: false,
            // They do not depend on each other, and machines that share them wait once.
            batch: search.beside as usize,
            ..search.clone()
        };
        let runs = report.all_runs();
        let watch = |drawn| watch(runs + drawn);
        let drawn = At { search: &natural, watch: &watch, ..self }.draw()?.0;
        for violated in &mut report.violations {
            // How often it is at other times than those that are written says nothing.
            let is_drawn = drawn.runs > 0 && violated.changes.is_empty();
            violated.drawn = is_drawn.then(|| (drawn.count(violated), drawn.runs));
        }
        Ok(())
    }

    /// Makes the runs of some seeds: the first, and how many.
    fn batch(
        self,
        drawn: &Drawn<'_>,
        (first, count): (u64, u64),
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<(u64, Option<Run>)>> {
        let search = self.search;
        // A run that was asked to end has no outcome.
        let run = |searcher: &mut Searcher, i: u64| -> Option<Run> {
            if !goes_on() {
                return None;
            }
            let seed = first.wrapping_add(i);
            let changed = drawn.known.as_ref().map(|known| known.drawn(seed));
            let (at, changes, own) = match changed {
                None => (Nodes::new(), Vec::new(), None),
                Some(None) => return Some((Vec::new(), None)),
                Some(Some(Other { at, changes, plan })) => (at, changes, Some(plan)),
            };
            let choices = choices(search, drawn.turns, seed);
            let searched = match &own {
                Some(own) => searcher.decided_of(own, choices, goes_on),
                None => searcher.decided(choices, goes_on),
            };
            if searched.known {
                return None;
            }
            let plan = own.as_ref().unwrap_or(searcher.plan());
            let tape = || one::tape(&searched.choices);
            let again = || one::run(plan, &tape()).trace;
            let looked = one::look(search, plan, &searched.trace, again);
            // A drawn run deviates nearly everywhere: thousands of times where a cluster is large.
            let tape = if looked.found.is_empty() { Vec::new() } else { tape() };
            let judged = (Outcome::of(&searched.trace), looked);
            let known = drawn.known.as_ref();
            let orders = known.map_or_else(Vec::new, |known| known.unseen(&at, &searched.trace));
            let kept = (tape, judged, (at, orders));
            searcher.take_back(searched);
            Some((changes, Some(kept)))
        };
        self.round(count, || Searcher::new((search.plan)()), run)
    }

    /// A batch as a round of the desk: each of its runs by a worker, which has what several of them
    /// need.
    pub(super) fn round<W, T: Send + Serialize + DeserializeOwned>(
        self,
        runs: u64,
        worker: impl Fn() -> W + Sync + Send,
        run: impl Fn(&mut W, u64) -> Option<T> + Sync + Send,
    ) -> Result<Vec<(u64, Option<T>)>> {
        let done = |mine: &[u64]| {
            let each = mine.par_iter().with_min_len(PIECE);
            each.map_init(&worker, |worker, number| (*number, run(worker, *number))).collect()
        };
        let work = |mine: &[u64]| Ok(self.pool.install(|| done(mine)));
        self.desk.round(runs, |_: &Option<T>| true, work)
    }

    /// Leaves out of the tapes that are not small what the violations do not need, as far as there is
    /// time after so many runs, the shortest tape first.
    pub(super) fn shorten(self, violations: &mut [Violated], runs: u64) {
        let search = self.search;
        let goes_on = || (self.watch)(runs);
        let one = |violated: &mut Violated| match &search.changing {
            Some(changing) if !violated.changes.is_empty() => {
                change_less(search, changing, violated, &goes_on);
                let changes = violated.changes.clone();
                let plan = || (changing.plan)(&changes).unwrap_or_else(|| (search.plan)());
                deviate_less(&Explore { plan: &plan, ..search.clone() }, violated, &goes_on);
            }
            _ => deviate_less(search, violated, &goes_on),
        };
        let long = |v: &&mut Violated| !v.is_small && goes_on();
        self.pool.install(|| violations.par_iter_mut().filter(long).for_each(one));
        sort(violations);
        share_tapes(search, violations, &goes_on);
        sort(violations);
    }
}

/// Gives each violation the tape of a smaller one, the smallest first, where that shows it, too.
fn share_tapes(search: &Explore<'_>, violations: &mut [Violated], goes_on: GoesOn<'_>) {
    let size = |v: &Violated| (v.changes.len(), v.tape.len());
    for i in 0..violations.len() {
        let by = violations[i].clone();
        let is_same = |v: &Violated| (&v.changes, &v.tape) == (&by.changes, &by.tape);
        let is_larger = |v: &&mut Violated| size(v) > size(&by);
        let is_known = violations[..i].iter().any(is_same);
        if is_known || !violations[i..].iter().any(|v| size(v) > size(&by)) || !goes_on() {
            continue;
        }
        let changing = search.changing.as_ref().filter(|_| !by.changes.is_empty());
        let changed = changing.and_then(|changing| (changing.plan)(&by.changes));
        let plan = changed.unwrap_or_else(|| (search.plan)());
        let run = one::run(&plan, &by.tape);
        let again = || one::run(&plan, &by.tape).trace;
        let found = one::look(search, &plan, &run.trace, again).found;
        for v in violations.iter_mut().filter(is_larger) {
            let same = found.iter().find(|f| (f.property, &f.about) == (v.property, &v.about));
            if let Some(same) = same {
                (v.text, v.is_small) = (same.text.clone(), by.is_small);
                (v.changes, v.tape) = (by.changes.clone(), by.tape.clone());
            }
        }
    }
}

/// Leaves out of the tape of a violation what it does not need.
fn deviate_less(search: &Explore<'_>, violated: &mut Violated, goes_on: GoesOn<'_>) {
    let tape = std::mem::take(&mut violated.tape);
    let which = (violated.property, violated.about.as_str());
    let (tape, is_small, text) = shorter(search, which, tape, goes_on);
    (violated.tape, violated.is_small) = (tape, is_small);
    violated.text = text.unwrap_or_else(|| std::mem::take(&mut violated.text));
}

/// Leaves as much of the timeline of a violation as it is written as that allows.
fn change_less(
    search: &Explore<'_>,
    changing: &Changing<'_>,
    violated: &mut Violated,
    goes_on: GoesOn<'_>,
) {
    let of_it = [violated.property];
    let search = Explore { properties: &of_it, ..search.clone() };
    let run = ((violated.property, violated.about.as_str()), violated.tape.as_slice());
    let text = Cell::new(None);
    let is_so = |changes: &[Change]| {
        let searcher = (changing.plan)(changes).map(Searcher::new);
        searcher.is_some_and(|mut s| one::violates(&search, &mut s, run, goes_on, &text))
    };
    violated.changes = fewer(&violated.changes, &changing.entries, &is_so);
    violated.text = text.into_inner().unwrap_or_else(|| std::mem::take(&mut violated.text));
}

/// What is otherwise in the timeline, and what of its run is kept where that is a scenario.
type Run = (Vec<Change>, Option<Kept>);

/// Of a complete run the tape if it violates anything, its outcome and what it comes to; and
/// where timelines are changed, the orders of things in it that none before had, and at which nodes.
type Kept = (Vec<Deviation>, (Outcome, Looked), (Nodes, Vec<u64>));

/// What runs are drawn from.
struct Drawn<'a> {
    /// How many turns PCT reckons with.
    turns: u64,
    /// What changes of the timeline are drawn from.
    known: Option<Known<'a>>,
}

impl<'a> Drawn<'a> {
    fn of(search: &'a Explore<'a>) -> Self {
        let changing = search.changing.as_ref().filter(|_| search.strategy == Strategy::Changed);
        let plan = (search.plan)();
        if ![Strategy::Pct, Strategy::Changed].contains(&search.strategy) {
            return Self { turns: 0, known: None };
        }
        let usual = one::run(&plan, &[]);
        Self {
            turns: usual.notes.asked.len().max(1) as u64,
            known: changing.map(|changing| Known::new(changing, &plan, &usual.trace)),
        }
    }
}

/// The shortest tapes first.
fn sort(violations: &mut [Violated]) {
    violations.sort_by(|a, b| {
        let size = |v: &Violated| (v.changes.len(), v.tape.len());
        (size(a), a.property, &a.text).cmp(&(size(b), b.property, &b.text))
    });
}

/// The outcomes and violations of the runs so far.
#[derive(Default)]
pub(super) struct Tally {
    /// By their hash, and how many runs have each.
    outcomes: BTreeMap<u64, (Outcome, u64)>,
    pub(super) violations: BTreeMap<(Property, String), Violated>,
    pub(super) runs: u64,
    /// By property, how many runs do not say whether it holds.
    undecided: BTreeMap<Property, u64>,
}

impl Tally {
    /// A complete run.
    pub(super) fn add(
        &mut self,
        outcome: &Outcome,
        looked: Looked,
        (changes, tape): (&[Change], &[Deviation]),
    ) {
        self.outcomes.entry(outcome.hash).or_insert_with(|| (outcome.clone(), 0)).1 += 1;
        self.leave_open(looked.undecided.into_iter().map(|property| (property, 1)));
        for f in looked.found {
            let known = self.violations.entry((f.property, f.about.clone()));
            let new =
                || Violated { runs: 0, changes: changes.to_vec(), ..f.violated(tape.to_vec()) };
            let entry = known.or_insert_with(new);
            entry.runs += 1;
            if (changes.len(), tape.len()) < (entry.changes.len(), entry.tape.len()) {
                (entry.text, entry.changes, entry.tape) = (f.text, changes.to_vec(), tape.to_vec());
            }
        }
    }

    /// So many more runs do not say whether these hold.
    fn leave_open(&mut self, more: impl IntoIterator<Item = (Property, u64)>) {
        for (property, runs) in more {
            *self.undecided.entry(property).or_default() += runs;
        }
    }

    /// How many runs violate a property for the same objects.
    pub(super) fn count(&self, of: &Violated) -> u64 {
        let key = (of.property, of.about.clone());
        self.violations.get(&key).map_or(0, |v| v.runs)
    }

    /// Whether each property was found violated.
    pub(super) fn all_violated(&self, properties: &[Property]) -> bool {
        !properties.is_empty() && properties.iter().all(|p| self.is_violated(*p))
    }

    /// Whether a property was found violated.
    pub(super) fn is_violated(&self, property: Property) -> bool {
        self.violations.keys().any(|(violated, _)| *violated == property)
    }

    /// Adds others that were drawn.
    pub(super) fn take_in(&mut self, others: Self) {
        let Self { outcomes, violations, runs, undecided } = others;
        self.runs += runs;
        self.leave_open(undecided);
        for (hash, reached) in outcomes {
            let known = self.outcomes.entry(hash);
            known.and_modify(|o| o.1 += reached.1).or_insert(reached);
        }
        self.violated(violations);
    }

    fn violated(&mut self, violations: BTreeMap<(Property, String), Violated>) {
        for (key, v) in violations {
            let (runs, known) = (v.runs, self.violations.entry(key));
            known.and_modify(|known| known.runs += runs).or_insert(v);
        }
    }

    /// Counts the violations of drawn runs too, whose tapes are longer, and gives the outcomes that
    /// only those have.
    pub(super) fn beside(&mut self, drawn: Self) -> Beside {
        let Self { outcomes, violations, runs, undecided } = drawn;
        self.leave_open(undecided);
        self.violated(violations);
        let only = outcomes.values().filter(|o| !self.outcomes.contains_key(&o.0.hash));
        let outcomes = reached(only, self.usual());
        Beside { runs, outcomes }
    }

    fn usual(&self) -> Option<&(Outcome, u64)> {
        self.outcomes.values().min_by(by_count)
    }

    /// What was found, beside what is told already.
    pub(super) fn report(self, told: Report) -> Report {
        let outcomes = reached(self.outcomes.values(), self.usual());
        let Self { violations, runs, undecided, .. } = self;
        let mut violations: Vec<Violated> = violations.into_values().collect();
        sort(&mut violations);
        Report { runs, outcomes, violations, undecided, ..told }
    }
}

/// The more frequent outcome first.
fn by_count(a: &&(Outcome, u64), b: &&(Outcome, u64)) -> Ordering {
    b.1.cmp(&a.1).then_with(|| a.0.text.cmp(&b.0.text))
}

/// Outcomes as they are told beside the most frequent one, the more frequent ones first.
fn reached<'o>(
    outcomes: impl Iterator<Item = &'o (Outcome, u64)>,
    usual: Option<&(Outcome, u64)>,
) -> Vec<Reached> {
    let mut outcomes: Vec<&(Outcome, u64)> = outcomes.collect();
    outcomes.sort_by(by_count);
    let one = |(outcome, runs): &(Outcome, u64)| {
        let other = usual.and_then(|(usual, _)| outcome.beside(usual));
        Reached { other, text: outcome.text.clone(), runs: *runs }
    };
    outcomes.into_iter().map(one).collect()
}
