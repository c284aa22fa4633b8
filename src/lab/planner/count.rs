//! One replication. Either an outage of each model, alone in a healthy cluster, whose cost is
//! weighted by how often such outages come in a year; or a year as it is drawn, with everything
//! that overlaps.
//!
//! A run ends some minutes behind the last outage that began in its window, so that what an outage
//! costs after it, and whether an eviction was needless, is known.

use super::placed::{Places, places};
use super::spec::{BELOW, FIGURES, OWN};
use crate::analysis::below_need::Below;
use crate::analysis::summary;
use crate::lab::prelude::*;
use crate::lab::sweep::used_up;
use crate::scenario::YEAR_S;
use crate::trace::EventText;

/// How costs of a year are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub(crate) enum Counting {
    /// One outage at a time, weighted by how often it comes.
    #[default]
    Outages,
    /// Whole years.
    Years,
}

/// The figures of a run.
type Figures = [f64; FIGURES.len()];

/// When the outage of a run that has only one begins.
const BEGIN: Time = Time::from_secs(150);
/// The hours of a year.
const HOURS: f64 = YEAR_S / 3_600.0;
/// A run goes on for so long when everything is back: pods start, and nodes are judged.
const SETTLES: Dur = Dur::from_secs(900);
/// Outages shorter than this are counted apart.
const SHORT: Dur = Dur::from_secs(300);
/// What an outage keeps busy at most, in seconds: then its pods are elsewhere, and another outage
/// does not meet it any more.
const BUSY_S: f64 = 900.0;
/// Outages are counted one at a time where fewer than this are busy at one time on average.
const OVERLAP_MAX: f64 = 0.1;
/// How often a year something fails at least of which some years tell enough.
const SELDOM: f64 = 1.0;

impl Counting {
    /// How many replications the first stage has, from which variances are judged, and how many are run
    /// between two looks at what is known: of single outages, and of years, which take longer and vary
    /// less.
    pub(super) const fn stages(self) -> (u64, u64) {
        match self {
            Self::Outages => (40, 16),
            Self::Years => (8, 4),
        }
    }

    /// How many outages a replication has of each model whose outages are drawn one at a time: so a first stage has forty
    /// either way.
    pub(super) const fn each(self) -> u64 {
        match self {
            Self::Outages => 1,
            Self::Years => 5,
        }
    }

    /// The way that fits: one outage at a time where outages hardly overlap and are drawn one by
    /// one, otherwise whole years; these, too, where minutes below need count, as in a year several pods of a workload come
    /// to be where one outage takes them all.
    pub(crate) fn fitting(models: &[Model], of_need: bool) -> (Self, String) {
        if let Some((m, h)) = models.iter().find_map(|m| Some((m, m.record()?))) {
            let unended = h.unended().map_or(String::new(), |said| format!("; {said}"));
            // The outages of a place are dealt out over its whole time, as if there had been a node all along.
            let there = h.watched() / (h.length * h.places(|_| false).len() as f64).max(1.0);
            let too_few = match there < 0.5 {
                true => format!(
                    "; its nodes were there for {:.1} % of its time, and its outages are too few by that",
                    there * 100.0
                ),
                false => String::new(),
            };
            let why = format!(
                "`{}` is a record, in which outages come together: of {}, and how far that may be off is in no interval{unended}{too_few}",
                m.name,
                counted(h.outages.len() as u64, "outage")
            );
            return (Self::Years, why);
        }
        let a_year: f64 = models.iter().map(Model::per_year).sum();
        if of_need && a_year <= scenario::OUTAGES_MAX {
            let why = "minutes below need depend on where earlier outages have left pods";
            return (Self::Years, why.to_owned());
        }
        let busy: f64 = models.iter().map(|m| m.per_year() * busy(m) / YEAR_S).sum();
        let is_none = busy < 0.0005;
        let number = if is_none { "fewer than 0.001".to_owned() } else { format!("{busy:.3}") };
        let said = format!("{number} outages are busy at one time on average");
        if busy <= OVERLAP_MAX {
            (Self::Outages, format!("outages hardly overlap: {said}"))
        } else {
            (Self::Years, format!("outages overlap: {said}"))
        }
    }
}

/// By model the share of its outages that are short, where its figures tell: not of groups whose
/// nodes come back one by one, and not where somebody sees to machines before that.
pub(super) fn shares_of_short(drawn: &Drawn) -> Vec<Option<f64>> {
    let short = SHORT.as_nanos() as f64 / 1e9;
    let repair = drawn.models.repair.as_ref();
    let ends = repair.is_some_and(|r| r.after + r.takes <= short);
    let of = |model: &Model| {
        let one_by_one = model.apart && model.objects.iter().any(|o| o.nodes.len() > 1);
        let lasts = model.away().filter(|_| !one_by_one && !ends)?;
        Some(1.0 - lasts.survival(short))
    };
    drawn.models.list.iter().map(of).collect()
}

/// Whether so few outages of a model take nodes that are met by what is chosen, or of each of its groups, that some years may have
/// none, and yet are to tell what it comes to: one outage at a time tells it, as it hardly overlaps with another.
pub(super) fn is_seldom(model: &Model, is_met: impl Fn(NodeIndex) -> bool) -> bool {
    let takes = |o: &&Object| o.nodes.iter().any(|node| is_met(*node));
    let met: Vec<&Object> = model.objects.iter().filter(takes).collect();
    let are_groups = met.iter().any(|o| o.nodes.len() > 1);
    let share = if are_groups { 1 } else { met.len() } as f64 / model.objects.len().max(1) as f64;
    !model.is_recorded()
        && model.per_year() * share < SELDOM
        && model.per_year() * busy(model) <= OVERLAP_MAX * YEAR_S
}

/// For how many seconds an outage of a model keeps controllers busy on average.
fn busy(model: &Model) -> f64 {
    let lasts = model.lasts.as_ref().map_or(BUSY_S, |d| d.mean_up_to(BUSY_S));
    lasts + 60.0
}

/// What a run came to.
#[derive(Clone)]
pub(super) struct Ran {
    pub(super) counted: Counted,
    /// The outage was a short one.
    pub(super) is_short: bool,
}

/// What became of the countdowns of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Countdowns {
    /// There were none.
    None,
    /// None of them came to its end.
    Cancelled,
    /// One did, or pods went at once.
    Ended,
}

impl Countdowns {
    pub(super) fn of(trace: &Trace) -> Self {
        let mut seen = Self::None;
        for r in trace.iter().filter(|r| r.actor == Actor::TaintEviction) {
            match r.what {
                What::TimerSet(_) => seen = Self::Cancelled,
                What::PodDeleting(_) | What::EvictionFailed => return Self::Ended,
                What::PodMessage(message)
                    if trace.messages[message as usize].body
                        == EventText::MarkingForDeletion.into() =>
                {
                    return Self::Ended;
                }
                _ => {}
            }
        }
        seen
    }
}

/// The figures of a run.
#[derive(Clone)]
pub(super) struct Counted {
    /// Of all workloads together.
    pub(super) figures: Figures,
    /// Those of [`OWN`] of some workloads, one after the other.
    pub(super) own: Vec<f64>,
    /// What became of its countdowns.
    pub(super) countdowns: Countdowns,
    /// Where pods were before the first outage could begin.
    pub(super) places: Places,
    /// Jobs that failed in it, with how.
    pub(super) failed: BTreeMap<String, String>,
    /// Nodes ran out of memory in it.
    pub(super) memory_used_up: bool,
    /// When each workload was below its need.
    below: Below,
    /// How many pods are missing as it ends.
    left: i64,
}

impl Counted {
    /// Whether pods are not back when it ends: what they cost after that is not known.
    pub(super) fn is_open(&self) -> bool {
        self.left > 0
    }

    /// Beside a run in which nothing was lost.
    fn beside(mut self, without: &Self) -> Self {
        let less = |(own, other): (&mut f64, &f64)| *own -= other;
        self.figures.iter_mut().zip(&without.figures).for_each(less);
        self.own.iter_mut().zip(&without.own).for_each(less);
        // A workload that is below its need in either says nothing of the others.
        self.figures[BELOW] = self.below.minutes_beyond(&without.below);
        self.below = self.below.without(&without.below);
        self.left -= without.left;
        self.failed.retain(|job, _| !without.failed.contains_key(job));
        self
    }
}

/// How runs are counted.
pub(super) struct How<'a> {
    /// How soon a node must be back for an eviction to have been needless.
    pub(super) window: Dur,
    /// Workloads whose own figures are wanted.
    pub(super) own: &'a [WorkloadsAt],
    pub(super) goes_on: GoesOn<'a>,
}

/// What fails in a run, its seed and number, and its end.
#[derive(Clone, Copy)]
struct Failing<'a> {
    outages: &'a [Outage],
    key: (u64, u32),
    horizon: Time,
}

/// The outage of a number of one model, alone; where it is `quiet` nothing comes to pass in a cluster
/// in which nothing fails.
pub(super) fn one(
    drawn: &mut Drawn,
    (model, seed, number): (usize, u64, u32),
    quiet: bool,
    how: &How<'_>,
) -> Option<Ran> {
    let outages = drawn.models.one(model, seed, number, BEGIN);
    let lasts = outages.iter().filter_map(|o| o.lasts).min();
    let horizon = settled(&outages, Time::ZERO, how.window);
    let of = Failing { outages: &outages, key: (seed, number), horizon };
    let counted = beyond_quiet(drawn, of, quiet, how)?;
    Some(Ran { counted, is_short: outages.is_empty() || lasts.is_some_and(|l| l <= SHORT) })
}

/// What some outages cost: what a cluster costs without one is not their doing.
fn beyond_quiet(drawn: &mut Drawn, of: Failing<'_>, quiet: bool, how: &How<'_>) -> Option<Counted> {
    let counted = run_to(drawn, of, how)?;
    if quiet {
        return Some(counted);
    }
    Some(counted.beside(&run_to(drawn, Failing { outages: &[], ..of }, how)?))
}

/// A year as it is drawn with a seed.
pub(super) fn year(drawn: &mut Drawn, seed: u64, quiet: bool, how: &How<'_>) -> Option<Counted> {
    let year = Dur::from_secs(YEAR_S as u64);
    let outages = drawn.models.draw(seed, year);
    let horizon = settled(&outages, Time::ZERO.saturating_add(year), how.window);
    beyond_quiet(drawn, Failing { outages: &outages, key: (seed, 0), horizon }, quiet, how)
}

/// What a cluster costs in a year in which nothing fails, if it costs anything: by its second hour, as in the first one it
/// may still come to rest; and where its pods are then. None where it was stopped.
pub(super) fn standing(
    drawn: &mut Drawn,
    seed: u64,
    how: &How<'_>,
) -> Option<(Option<Counted>, Places)> {
    let mut until = |hours: u64| {
        let horizon = Time::from_secs(hours * 3_600);
        run_to(drawn, Failing { outages: &[], key: (seed, 0), horizon }, how)
    };
    let mut first = until(1)?;
    let places = std::mem::take(&mut first.places);
    if first.figures.iter().all(|f| *f == 0.0) {
        return Some((None, places));
    }
    let mut year = until(2)?.beside(&first);
    year.figures.iter_mut().chain(&mut year.own).for_each(|f| *f *= HOURS);
    Some((Some(year), places))
}

/// The workloads that are below their need for all of the second hour in which nothing fails, with every row.
pub(super) fn always_below(found: &[Option<Counted>]) -> BTreeSet<String> {
    let of = |c: &Counted| -> BTreeSet<String> {
        c.below.for_long(Dur::from_secs(3_600)).into_iter().map(str::to_owned).collect()
    };
    let mut rows = found.iter().map(|row| row.as_ref().map(of).unwrap_or_default());
    let first = rows.next().unwrap_or_default();
    rows.fold(first, |all, row| all.intersection(&row).cloned().collect())
}

/// Leaves workloads out of how long one was below its need in a year in which nothing fails: beside them nobody
/// would see in which rows others are.
pub(super) fn leave_out(found: &mut [Option<Counted>], always_below: &BTreeSet<String>) {
    for row in found.iter_mut().flatten().filter(|_| !always_below.is_empty()) {
        row.figures[BELOW] = row.below.minutes_but(always_below) * HOURS;
    }
}

/// What each of some rows costs in a year in which nothing fails, beyond what all of them do, which is `base` or else the
/// least of each figure; and that. Nothing where none costs anything.
pub(super) fn beyond(
    found: &[Option<Counted>],
    of: impl Fn(&Counted) -> &[f64],
    base: Option<&[f64]>,
) -> (Vec<f64>, Vec<f64>) {
    let Some(width) = found.iter().flatten().map(|c| of(c).len()).max() else {
        return (Vec::new(), Vec::new());
    };
    let none = vec![0.0; width];
    let rows = || found.iter().map(|c| c.as_ref().map_or(&none[..], &of));
    let least = |i: usize| rows().map(|row| row[i]).fold(f64::MAX, f64::min);
    let base: Vec<f64> = match base {
        Some(base) => (0..width).map(|i| base.get(i).copied().unwrap_or(0.0)).collect(),
        None => (0..width).map(least).collect(),
    };
    let more = rows().flat_map(|row| row.iter().zip(&base).map(|(own, base)| own - base));
    (more.collect(), base)
}

fn run_to(drawn: &mut Drawn, of: Failing<'_>, how: &How<'_>) -> Option<Counted> {
    let trace = traced(drawn, of, how.goes_on)?;
    let analysis = Analysis::new(&drawn.plan, &trace);
    let (summary, serving, _) = summary::with_evictions(&analysis, how.window);
    let own = how.own.iter().flat_map(|own| {
        let all = summary.metrics.workloads.iter().filter(|w| own.names.contains(&w.0));
        let all: Vec<&Costs> = all.map(|w| &w.1).collect();
        OWN.map(|f| all.iter().map(|costs| f.of(costs)).sum::<f64>())
    });
    let ends = serving.workloads.iter().filter(|w| w.id.is_some()).filter_map(|w| w.counts.last());
    let left = ends.map(|(_, end)| i64::from(end.desired.saturating_sub(end.up))).sum();
    let failed = serving.workloads.iter().filter(|w| w.has_failed());
    let failed =
        failed.filter_map(|w| Some((w.name.clone(), words::job_end(&analysis, &w.ended?))));
    Some(Counted {
        failed: failed.collect(),
        memory_used_up: !used_up(&analysis).is_empty(),
        figures: replaced(&serving),
        own: own.collect(),
        countdowns: Countdowns::of(&trace),
        places: places(&analysis, &serving, BEGIN),
        below: Below::of(&serving),
        left,
    })
}

/// What happened in a run.
fn traced(drawn: &mut Drawn, of: Failing<'_>, goes_on: GoesOn<'_>) -> Option<Trace> {
    let Failing { outages, key: (seed, number), horizon } = of;
    drawn.plan.horizon = horizon;
    let plan = drawn.with(outages);
    seeded(plan, seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9)), goes_on)
}

/// The figures of what something replaces: a pod without a workload that is lost is missing until
/// somebody makes it anew, and when that is no run knows.
fn replaced(serving: &Serving) -> Figures {
    FIGURES.map(|f| f.of(&serving.replaced))
}

/// The outage of a number of one model, alone, as [`one`] has it, and what it came to: its plan is that of `drawn`
/// then. None where the model has none, or it was stopped.
pub(super) fn seen(
    drawn: &mut Drawn,
    (model, seed, number): (usize, u64, u32),
    window: Dur,
    goes_on: GoesOn<'_>,
) -> Option<(Trace, Figures)> {
    let outages = drawn.models.one(model, seed, number, BEGIN);
    if outages.is_empty() {
        return None;
    }
    let horizon = settled(&outages, Time::ZERO, window);
    let of = Failing { outages: &outages, key: (seed, number), horizon };
    let trace = traced(drawn, of, goes_on)?;
    let (_, serving, _) = summary::with_evictions(&Analysis::new(&drawn.plan, &trace), window);
    Some((trace, replaced(&serving)))
}

/// When a run may end: when all of its outages are over, at that time at the earliest, and their
/// costs are known.
fn settled(outages: &[Outage], least: Time, window: Dur) -> Time {
    let end = |o: &Outage| {
        let drained = match o.what {
            // Each drain may take a while before its machine is off.
            Away::Maintained(_, off) => {
                off.saturating_add(Dur::from_secs(120)).saturating_mul(o.nodes.len() as u64)
            }
            Away::Drained(most) => most,
            _ => Dur::ZERO,
        };
        o.at.saturating_add(o.lasts.unwrap_or(drained))
    };
    let over = outages.iter().map(end).fold(least, Time::max);
    over.saturating_add(SETTLES.max(window))
}
