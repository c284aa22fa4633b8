//! One replication. Either an outage of each model, alone in a healthy cluster, whose cost is
//! weighted by how often such outages come in a year; or a year as it is drawn, with everything
//! that overlaps.
//!
//! A run ends some minutes behind the last outage that began in its window, so that what an outage
//! costs after it, and whether an eviction was needless, is known.

use super::spec::FIGURES;
use crate::analysis::{Analysis, summary};
use crate::kernel::{Choices, Dur, Time};
use crate::plan::Plan;
use crate::scenario::{Away, Drawn, Model, Outage, YEAR_S};
use crate::sim;
use crate::trace::Trace;
use serde::{Deserialize, Serialize};

/// How costs of a year are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
pub(crate) enum Counting {
    /// One outage at a time, weighted by its rate.
    Outages,
    /// Whole years.
    Years,
}

/// The figures of a run.
pub(super) type Figures = [f64; FIGURES.len()];

/// When the outage of a run that has only one begins.
const BEGIN: Time = Time::from_secs(150);
/// A run goes on for so long when everything is back: pods start, and nodes are judged.
const SETTLES: Dur = Dur::from_secs(900);
/// Outages shorter than this are counted apart.
pub(super) const SHORT: Dur = Dur::from_secs(300);
/// What an outage keeps busy at most, in seconds: then its pods are elsewhere, and another outage
/// does not meet it any more.
const BUSY_S: f64 = 900.0;
/// Outages are counted one at a time where fewer than this are busy at one time on average.
const OVERLAP_MAX: f64 = 0.1;

impl Counting {
    /// The way that fits: one outage at a time where outages hardly overlap and are drawn one by
    /// one, otherwise whole years.
    pub(crate) fn fitting(models: &[Model]) -> (Self, String) {
        if let Some(m) = models.iter().find(|m| m.is_recorded()) {
            let why = format!("`{}` is a record, in which outages come together", m.name);
            return (Self::Years, why);
        }
        let busy: f64 = models.iter().map(|m| m.per_year() * busy(m) / YEAR_S).sum();
        let number = match busy {
            b if b < 0.0005 => "fewer than 0.001".to_owned(),
            b => format!("{b:.3}"),
        };
        let said = format!("{number} outages are busy at one time on average");
        if busy <= OVERLAP_MAX {
            (Self::Outages, format!("outages hardly overlap: {said}"))
        } else {
            (Self::Years, format!("outages overlap: {said}"))
        }
    }
}

/// For how many seconds an outage of a model keeps controllers busy on average.
fn busy(model: &Model) -> f64 {
    let lasts = model
        .lasts
        .as_ref()
        .map_or(BUSY_S, |d| d.mean_up_to(BUSY_S));
    lasts + 60.0
}

/// What a run came to.
pub(super) struct Ran {
    pub(super) figures: Figures,
    /// The outage was a short one.
    pub(super) is_short: bool,
}

/// Whether to go on.
pub(super) type GoesOn<'a> = &'a dyn Fn() -> bool;

/// The outage of a number of one model, alone.
pub(super) fn one(
    drawn: &mut Drawn,
    (model, seed, number): (usize, u64, u32),
    quiet: Option<Figures>,
    window: Dur,
    goes_on: GoesOn<'_>,
) -> Option<Ran> {
    let outages = drawn.models.one(model, seed, number, BEGIN);
    let lasts = outages.iter().filter_map(|o| o.lasts).min();
    let figures = run(drawn, &outages, (seed, number), window, goes_on)?;
    let until = (window, drawn.plan.horizon);
    Some(Ran {
        figures: beyond_quiet(drawn, figures, quiet, (seed, number), until, goes_on)?,
        is_short: lasts.is_some_and(|l| l <= SHORT),
    })
}

/// What a cluster costs without an outage is not the outage's doing.
fn beyond_quiet(
    drawn: &mut Drawn,
    figures: Figures,
    quiet: Option<Figures>,
    key: (u64, u32),
    (window, horizon): (Dur, Time),
    goes_on: GoesOn<'_>,
) -> Option<Figures> {
    if quiet.is_none() {
        return Some(figures);
    }
    let without = run_to(drawn, &[], key, window, horizon, goes_on)?;
    Some(std::array::from_fn(|i| figures[i] - without[i]))
}

/// A year as it is drawn with a seed.
pub(super) fn year(
    drawn: &mut Drawn,
    seed: u64,
    quiet: Option<Figures>,
    window: Dur,
    goes_on: GoesOn<'_>,
) -> Option<Ran> {
    let year = Dur::from_secs(YEAR_S as u64);
    let outages = drawn.models.draw(seed, year);
    let end = last_end(&outages).max(Time::ZERO.saturating_add(year));
    let horizon = end.saturating_add(SETTLES.max(window));
    let figures = run_to(drawn, &outages, (seed, 0), window, horizon, goes_on)?;
    Some(Ran {
        figures: beyond_quiet(drawn, figures, quiet, (seed, 0), (window, horizon), goes_on)?,
        is_short: false,
    })
}

/// What a cluster costs in an hour in which nothing fails; none if that is nothing.
pub(super) fn quiet(
    drawn: &mut Drawn,
    seed: u64,
    window: Dur,
    goes_on: GoesOn<'_>,
) -> Option<Option<Figures>> {
    let figures = run_to(
        drawn,
        &[],
        (seed, 0),
        window,
        Time::from_secs(3_600),
        goes_on,
    )?;
    Some(figures.iter().any(|f| *f != 0.0).then_some(figures))
}

fn run(
    drawn: &mut Drawn,
    outages: &[Outage],
    key: (u64, u32),
    window: Dur,
    goes_on: GoesOn<'_>,
) -> Option<Figures> {
    let horizon = last_end(outages).saturating_add(SETTLES.max(window));
    run_to(drawn, outages, key, window, horizon, goes_on)
}

fn run_to(
    drawn: &mut Drawn,
    outages: &[Outage],
    (seed, number): (u64, u32),
    window: Dur,
    horizon: Time,
    goes_on: GoesOn<'_>,
) -> Option<Figures> {
    let trace = traced(drawn, outages, (seed, number), horizon, goes_on)?;
    Some(figures(&drawn.plan, &trace, window))
}

/// What happened in a run.
fn traced(
    drawn: &mut Drawn,
    outages: &[Outage],
    (seed, number): (u64, u32),
    horizon: Time,
    goes_on: GoesOn<'_>,
) -> Option<Trace> {
    drawn.plan.horizon = horizon;
    let plan = drawn.with(outages);
    let choices = Choices::seeded(seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9)));
    let (trace, finished) = sim::run_watched(plan, choices, &mut |_| goes_on());
    finished.then_some(trace)
}

/// What a run came to, for what something replaces: a pod without a workload that is lost is
/// missing until somebody makes it anew, and when that is no run knows.
pub(super) fn figures(plan: &Plan, trace: &Trace, window: Dur) -> Figures {
    let (_, serving) = summary::summary_and_serving(&Analysis::new(plan, trace), window);
    FIGURES.map(|f| f.of(&serving.replaced))
}

/// The outage of a number of one model, alone, as [`one`] has it: its plan is that of `drawn`
/// then. None where the model has none, or it was stopped.
pub(super) fn seen(
    drawn: &mut Drawn,
    (model, seed, number): (usize, u64, u32),
    window: Dur,
    goes_on: GoesOn<'_>,
) -> Option<Trace> {
    let outages = drawn.models.one(model, seed, number, BEGIN);
    let horizon = last_end(&outages).saturating_add(SETTLES.max(window));
    if outages.is_empty() {
        return None;
    }
    traced(drawn, &outages, (seed, number), horizon, goes_on)
}

/// When all of some outages are over.
fn last_end(outages: &[Outage]) -> Time {
    let end = |o: &Outage| {
        let drained = match &o.what {
            // Each drain may take a while before its machine is off.
            Away::Maintained(nodes, _, off) => off
                .saturating_add(Dur::from_secs(120))
                .saturating_mul(nodes.len() as u64),
            Away::Drained(_, most) => *most,
            _ => Dur::ZERO,
        };
        o.at.saturating_add(o.lasts.unwrap_or(drained))
    };
    outages.iter().map(end).max().unwrap_or(Time::ZERO)
}
