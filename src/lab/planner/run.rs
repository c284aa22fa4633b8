//! Replications on several threads, until enough is known.

use super::alike::Alike;
use super::apart::{self, AS_IT_IS};
use super::closed::{Formula, closed, left_out};
use super::control;
use super::count::{self, Counted, Counting, How, is_seldom};
use super::kept::{Kept, VERSION};
use super::moments::Selection;
use super::placed::{Places, bound};
use super::replication::Replication;
use super::spec::{Bound, Objective, Only};
use super::work::{Standing, Work};
use crate::lab::prelude::*;
use crate::lab::sweep::Sweep;
use crate::scenario::Tilt;
use std::collections::VecDeque;

/// No more rows than these.
pub(crate) const ROWS_MAX: u64 = 200;
/// No more replications than these.
const MOST: u64 = 20_000;

/// What to choose from, and how sure to be.
#[derive(Clone, Debug)]
pub(crate) struct Planner<'a> {
    /// The values, as for a sweep.
    pub(crate) sweep: Sweep<'a>,
    /// The row that is what is set now; where none of the values is, it stands before them as a row
    /// of its own.
    pub(crate) now: Option<usize>,
    /// What counts.
    pub(crate) objective: Objective,
    /// What must hold.
    pub(crate) within: Vec<Bound>,
    /// How far a cost may be off, as a part of it.
    pub(crate) precision: f64,
    /// How sure to be.
    pub(crate) confidence: f64,
    /// How costs are counted, and why so.
    pub(crate) counting: (Counting, String),
    /// Each setting is chosen for itself: for each of them the value that is set now.
    pub(crate) apart: Option<Vec<Option<usize>>>,
    /// Some rows alone, from which nothing is chosen.
    pub(crate) only: Option<Only>,
    /// Every row is run, where another's run tells what it comes to, too.
    pub(crate) eager: bool,
}

/// Adds figures to others.
fn add(to: &mut [f64], more: &[f64]) {
    to.iter_mut().zip(more).for_each(|(sum, m)| *sum += m);
}

impl Planner<'_> {
    /// The values of each row.
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        if let Some(only) = &self.only {
            return only.rows.clone();
        }
        if self.apart.is_some() {
            return apart::rows(&self.sweep.axes);
        }
        let as_it_is = || vec![AS_IT_IS.to_owned(); self.sweep.axes.len()];
        let first = self.now.is_none().then(as_it_is);
        first.into_iter().chain(self.sweep.combinations()).collect()
    }

    /// What is changed in a row.
    pub(super) fn overrides(&self, values: &[String]) -> Overrides {
        let mut all = self.sweep.base.clone();
        let path = |axis: usize| &self.sweep.axes[axis].path;
        all.sets.extend(apart::changed(values).map(|(axis, v)| format!("{}={v}", path(axis))));
        all.at_once = all.sets.len();
        all.other = Some(("--choose", all.sets.len() - self.sweep.base.sets.len()));
        all
    }

    /// What each row costs in a year in which nothing fails; none if it was stopped.
    fn standing(&self, drawn: &mut [Drawn], seed: u64, how: &How<'_>) -> Option<Standing> {
        let found = drawn.iter_mut().map(|d| count::standing(d, seed, how));
        let found: Vec<(Option<Counted>, Places)> = found.collect::<Option<_>>()?;
        let (mut found, places): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let quiet = found.iter().map(Option::is_none).collect();
        let only = self.only.as_ref();
        let always_below =
            only.map_or_else(|| count::always_below(&found), |only| only.always_below.clone());
        count::leave_out(&mut found, &always_below);
        let (figures, always) =
            count::beyond(&found, |c| &c.figures, only.map(|only| &only.always[..]));
        let (own, _) = count::beyond(&found, |c| &c.own, None);
        Some(Standing { quiet, figures, own, places, always, always_below })
    }

    /// One replication with every row; none if it was stopped.
    fn replication(
        &self,
        drawn: &mut [Drawn],
        work: &Work<'_>,
        number: u64,
        goes_on: GoesOn<'_>,
    ) -> Option<Replication> {
        let seed = work.seed;
        let how = How { window: self.sweep.window, own: work.own, goes_on };
        let year = vec![0.0; work.places(drawn.len())[1]];
        let mut all = Replication { year, ..Replication::default() };
        add(&mut all.year, &work.standing.figures);
        add(&mut all.year[work.places(0)[1]..], &work.standing.own);
        if work.tilts.contains(&None) {
            let mut failed = BTreeMap::new();
            for (row, drawn) in drawn.iter_mut().enumerate() {
                let quiet = work.standing.quiet[row];
                let counted = count::year(drawn, seed.wrapping_add(number), quiet, &how)?;
                let [at, own_at] = work.places(row);
                add(&mut all.year[at..], &counted.figures);
                add(&mut all.year[own_at..], &counted.own);
                all.used_up.extend(counted.memory_used_up.then_some(row));
                failed.extend(counted.failed);
            }
            all.failed.extend(failed);
            all.whole.clone_from(&all.year);
        }
        for model in (0..work.tilts.len()).filter(|model| work.tilts[*model].is_some()) {
            for i in number * work.each..(number + 1) * work.each {
                let part = work.outage(drawn, (model, seed, i as u32), &how, &mut all)?;
                add(&mut all.year, &part.year);
                all.parts.push(part);
            }
        }
        Some(all)
    }

    /// A plan for each row.
    fn drawn(&self, goes_on: GoesOn<'_>) -> Result<Vec<Drawn>> {
        self.drawn_of(&self.rows(), goes_on)
    }

    /// A plan for each of some rows.
    pub(super) fn drawn_of(&self, rows: &[Vec<String>], goes_on: GoesOn<'_>) -> Result<Vec<Drawn>> {
        let of = |values: &Vec<String>| match goes_on() {
            true => Ok(scenario::drawn(self.sweep.loaded, &self.overrides(values))?),
            false => Err(Stopped::Asked),
        };
        rows.iter().map(of).collect()
    }

    /// Runs replications on `jobs` threads until the best value is known as well as asked for, or
    /// `watch` says that it is enough: it is told how many were run and how many it may take, and
    /// asked now and then whether to go on.
    ///
    /// Several machines do more at a time than one, so that there are few rounds. What is known is
    /// looked at after as many replications as on one machine, and what was run beyond the last of
    /// them counts for nothing.
    ///
    /// # Errors
    /// [`Stopped`]; nothing is known before the first replications are over.
    pub(crate) fn run(
        &self,
        jobs: usize,
        watch: &(dyn Fn(Event, u64, u64) -> bool + Sync),
        desk: Desk<'_>,
    ) -> Result<Kept> {
        let (first, step) = self.counting.0.stages();
        let seed = scenario::seed(self.sweep.loaded, &self.sweep.base)?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let (done, expected) = (AtomicU64::new(0), AtomicU64::new(first));
        let watch = |event| {
            done.fetch_add(u64::from(event == Event::Done), Relaxed);
            watch(event, done.load(Relaxed), expected.load(Relaxed))
        };
        let watched = Watched::new(&watch);
        let goes_on = || watched.goes_on(Event::Running);
        let (window, mut drawn) = (self.sweep.window, self.drawn(&goes_on)?);
        let spec = scenario::changed(self.sweep.loaded, &self.sweep.base)?;
        let own = apart::workloads(&spec, &self.sweep.axes, drawn.len());
        let how = How { window, own: &own, goes_on: &goes_on };
        let mut standing = self.standing(&mut drawn, seed, &how).ok_or(Stopped::Asked)?;
        let places = std::mem::take(&mut standing.places).into_iter();
        let of = |(d, places)| Formula::new(d, places, window, &own);
        let formulas: Vec<Formula> = drawn.iter().zip(places).map(of).collect();
        let tilts = self.tilts(&formulas, &drawn);
        let may_share = !self.eager && standing.quiet.iter().all(|quiet| *quiet);
        let alike = Alike::of(&self.sweep.axes, &self.rows(), may_share);
        let work = Work {
            standing: &standing,
            alike: &alike,
            own: &own,
            formulas: &formulas,
            tilts: &tilts,
            each: self.counting.0.each(),
            seed,
            threads: &threads,
            watched: &watched,
        };
        let mut kept = self.kept(&drawn, &formulas);
        kept.own = own.iter().map(|own| own.called.clone()).collect();
        kept.weigh(tilts.iter().map(|t| t.as_ref().map_or(0.0, Tilt::most)).collect());
        kept.standing.clone_from(&standing.figures);
        (kept.always, kept.always_below) = (standing.always.clone(), standing.always_below.clone());
        let groups = self.groups(&kept);
        let mut selections: Vec<Selection> = Vec::new();
        // What was run, and not yet looked at.
        let mut ahead: VecDeque<Replication> = VecDeque::new();
        while kept.moments.n() < MOST && !watched.is_stopped() {
            let from = kept.moments.n();
            let wanted = if from == 0 { first } else { step };
            if (ahead.len() as u64) < wanted {
                let (begin, least) = (from + ahead.len() as u64, wanted - ahead.len() as u64);
                let pieces = desk.pieces(begin, least, expected.load(Relaxed), MOST);
                let of = [kept.places(), kept.rows.len(), kept.alone().len()];
                let fits = |one: &Replication| one.fits(of);
                let all = desk.round(pieces, fits, |mine| self.replications(&work, begin, mine))?;
                // What comes behind a gap would make the result depend on the threads.
                let whole = all.into_iter().zip(0..).take_while(|((number, _), i)| number == i);
                ahead.extend(whole.map(|((_, one), _)| one));
            }
            let some = (ahead.len() as u64).min(wanted) as usize;
            ahead.drain(..some).for_each(|one| kept.add(one));
            if kept.moments.n() < first {
                continue;
            }
            let is_met = groups.iter().all(|rows| kept.wanted(rows).is_none());
            if selections.is_empty() && !groups.is_empty() && is_met {
                selections = self.selections(&mut kept, &groups);
            }
            let (means, needed) = (self.means(&kept), self.needed(&kept, &groups));
            for (selection, group) in selections.iter_mut().zip(&groups) {
                let own: Vec<f64> = group.iter().map(|row| means[*row]).collect();
                let difference = |i, l| kept.difference(&self.objective, group[i], group[l]);
                selection.look(kept.moments.n(), difference);
                selection.screen(kept.moments.n(), &own);
            }
            let left = |(s, g): (&Selection, &Vec<usize>)| s.is_done().then(|| g[s.left[0]]);
            if !selections.is_empty() {
                kept.settle(selections.iter().zip(&groups).map(left).collect());
            }
            let is_done = selections.iter().all(Selection::is_done);
            expected.store(needed.max(kept.moments.n() + step), Relaxed);
            if is_done && selections.len() == groups.len() && kept.moments.n() >= needed {
                break;
            }
        }
        if kept.moments.n() < 2 {
            return Err(Stopped::Asked);
        }
        Ok(kept)
    }

    /// By model which outages are drawn more often than they come: none where they are drawn with whole years.
    fn tilts(&self, formulas: &[Formula], drawn: &[Drawn]) -> Vec<Option<Tilt>> {
        let is_alone = |model: &Model| match self.counting.0 {
            Counting::Outages => true,
            // Some rows alone are years as they are drawn, beside what was run.
            Counting::Years => self.only.is_none() && is_seldom(model, |n| formulas[0].meets(n)),
        };
        let models = (0..).zip(&drawn[0].models.list);
        models
            .map(|(m, model)| is_alone(model).then(|| control::tilt(formulas, drawn, m)))
            .collect()
    }

    /// Some of the replications from `begin` on, by their numbers from there.
    fn replications(
        &self,
        work: &Work<'_>,
        begin: u64,
        numbers: &[u64],
    ) -> Result<Vec<(u64, Replication)>> {
        let running = || work.watched.goes_on(Event::Running);
        let worker = || {
            let mut drawn = self.drawn(&running)?;
            for drawn in &mut drawn {
                let models = drawn.models.list.iter_mut();
                models.zip(work.tilts).for_each(|(model, tilt)| model.tilt.clone_from(tilt));
            }
            Ok(drawn)
        };
        let piece = |drawn: &mut Vec<Drawn>, number: u64| {
            let one = self.replication(drawn, work, begin + number, &running);
            Ok(one.inspect(|_| {
                work.watched.goes_on(Event::Done);
            }))
        };
        work.watched.pieces(work.threads, numbers, worker, piece)
    }

    fn kept(&self, drawn: &[Drawn], formulas: &[Formula]) -> Kept {
        let now = &drawn[self.now.unwrap_or(0)];
        let size = now.plan.size();
        let (closed, no_closed) = match closed(&self.sweep, drawn, formulas) {
            Ok(all) => (Some(all), String::new()),
            Err(why) => (None, why),
        };
        let apart = self.apart.as_ref().map(|now| apart::groups(&self.sweep.axes, now));
        let models = &now.models.list;
        let parts = if self.counting.0 == Counting::Outages { models.len() } else { 0 };
        Kept {
            version: VERSION,
            scenario: self.sweep.loaded.name.clone(),
            paths: self.sweep.axes.iter().map(|a| a.path.clone()).collect(),
            rows: self.rows(),
            now: self.now.unwrap_or(0),
            counting: self.counting.clone(),
            models: models.iter().map(|m| (m.name.clone(), m.per_year())).collect(),

            parts: vec![[0.0; 2]; parts],
            met: vec![vec![0; drawn.len()]; models.len()],
            matters: control::parts(formulas, drawn),
            differ: vec![0; drawn.len() * (drawn.len() - 1) / 2],
            short: count::shares_of_short(now),

            nodes: drawn.iter().map(|d| d.plan.size().nodes as u32).collect(),

            closed,
            no_closed,
            closed_without: left_out(now),
            objective: self.objective.clone(),
            limits: self.within.iter().map(|b| b.text.clone()).collect(),
            precision: self.precision,
            confidence: self.confidence,

            delta: self.only.as_ref().map_or(0.0, |o| o.delta),
            size: (size.nodes as usize, size.pods as usize),
            to_make: (size.to_make, size.daemon_sets),
            apart: apart.unwrap_or_default(),
            ..Kept::default()
        }
    }

    /// The mean cost of each row; of rows that break a limit, more than of any other.
    fn means(&self, kept: &Kept) -> Vec<f64> {
        (0..kept.rows.len())
            .map(|row| {
                let figures = kept.figures(row);
                let breaks = self.within.iter().any(|b| figures[b.figure] > b.most);
                if breaks { f64::MAX } else { self.objective.of(&figures, kept.nodes[row].into()) }
            })
            .collect()
    }

    /// How many replications it takes until the best row's cost is known as precisely as asked for;
    /// of several settings that of each. A cost of which a formula knows most is known soon; but what else
    /// is told rests on shares of outages, such as those that are short, or after which pods are
    /// evicted. The standard error of a share, at most 1 / (2 sqrt(n)), is to be as small.
    fn needed(&self, kept: &Kept, groups: &[Vec<usize>]) -> u64 {
        if let Some(only) = &self.only {
            return only.n;
        }
        let means = self.means(kept);
        let least = match self.counting.0 {
            Counting::Outages => (0.25 / (self.precision * self.precision)).ceil() as u64,
            Counting::Years => 0,
        };
        let least = least.clamp(self.counting.0.stages().0, MOST);
        let of = |group: &Vec<usize>| {
            let order = |a: &&usize, b: &&usize| means[**a].total_cmp(&means[**b]);
            let best = group.iter().min_by(order).copied().unwrap_or(0);
            let half = means[best].abs() * self.precision;
            if half <= 0.0 {
                return least;
            }
            let until = kept.until(&self.objective, best, half, self.confidence);
            (until.ceil() as u64).clamp(least, MOST)
        };
        groups.iter().map(of).max().unwrap_or(MOST)
    }

    /// The rows among which one is chosen: of each setting, or all of them.
    fn groups(&self, kept: &Kept) -> Vec<Vec<usize>> {
        if self.only.is_some() {
            return Vec::new();
        }
        match &self.apart {
            Some(_) => kept.apart.iter().map(|g| g.rows.clone()).collect(),
            None => vec![(0..kept.rows.len()).collect()],
        }
    }

    /// A selection for each group, all of which are to hold together.
    fn selections(&self, kept: &mut Kept, groups: &[Vec<usize>]) -> Vec<Selection> {
        let means = self.means(kept);
        let least = means.iter().copied().fold(f64::MAX, f64::min);
        // Of a workload's own setting, what is nothing to choose by is a part of what the workload costs.
        let own = kept.own.len() == kept.paths.len();
        let own = own.then(|| kept.own_costs(&self.objective)).into_iter();
        let least = own.flatten().filter(|c| *c > 0.0).fold(least, f64::min);
        kept.delta = (least * self.precision).max(self.objective.least());
        if least == f64::MAX {
            kept.delta = 1.0;
        }
        let each = 1.0 - (1.0 - self.confidence) / groups.len().max(1) as f64;
        let of = |group: &Vec<usize>| {
            let differences = |i: &usize| {
                let of = |l: &usize| kept.difference(&self.objective, *i, *l).1;
                group.iter().map(of).collect()
            };
            let all = group.iter().map(differences).collect();
            Selection::new(each, kept.delta, kept.moments.n(), all)
        };
        groups.iter().map(of).collect()
    }

    /// Which row costs least by formula, in words; none where there is no formula, or only a run tells where pods are.
    pub(crate) fn by_formula(&self, goes_on: GoesOn<'_>) -> Option<String> {
        let drawn = self.drawn(goes_on).ok()?;
        let formula = |d: &Drawn| Some(Formula::new(d, bound(&d.plan)?, self.sweep.window, &[]));
        let formulas: Vec<Formula> = drawn.iter().map(formula).collect::<Option<_>>()?;
        let all = closed(&self.sweep, &drawn, &formulas).ok()?;
        if !self.objective.unknown_to_formulas().is_empty() {
            return None;
        }
        let costs = all.iter().map(|c| self.objective.of_formula(c));
        let (row, _) = costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(format!(" By formula {} costs least.", self.rows()[row].join(" / ")))
    }

    /// Complains about what cannot be planned.
    ///
    /// # Errors
    /// Nothing to choose from, too much, or settings that set the same.
    pub(crate) fn check(&self) -> Result<(), Problems> {
        let refused = |text: &str, help: &str| Err(Problems::one(Problem::new(text).help(help)));
        if self.sweep.axes.iter().all(|a| a.values.len() < 2) {
            let help = "give a setting several values: `--choose PATH=0,60,300`";
            return refused("there is nothing to choose from", help);
        }
        let apart = self.apart.is_some().then(|| self.rows().len() as u64);
        let size = apart.or_else(|| self.sweep.size()).unwrap_or(u64::MAX);
        if size > ROWS_MAX {
            let text = format!("{size} combinations are more than can be told apart");
            return refused(&text, "fewer values, or one setting after the other");
        }
        self.sweep.distinct()?;
        // A row may have one of the settings alone.
        let firsts: Vec<String> = self.sweep.axes.iter().map(|a| a.values[0].clone()).collect();
        scenario::changed(self.sweep.loaded, &self.overrides(&firsts)).map(|_| ())
    }
}
