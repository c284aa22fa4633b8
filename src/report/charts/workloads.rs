//! Workloads over time: a panel for each, with how many of its pods are available and how many it wants.
//!
//! Where there are more than fit, those with the most missing pods are drawn, and the rest is counted below.

use super::axis::CountScale;
use super::canvas::{Anchor, Canvas};
use super::columns::spans;
use super::frame::{FOOT, LABEL, Names, SMALL, STRONG, Swatch, grid, head, time_axis};
use super::palette::{AVAILABLE, AVAILABLE_FILL, GRID, MISSING, NO_EXECUTE, PAPER, RULE};
use super::{ChartError, Heading, font, pods};
use crate::analysis::curves::{Steps, value_at};
use crate::analysis::workloads::{WorkloadOutcome, said};
use crate::analysis::{Analysis, Workloads, grouped};
use crate::kernel::Time;
use plotters::backend::DrawingBackend;

/// More workloads are not drawn.
const MOST: usize = 24;
/// The title of a panel stands above it.
const TITLE: f64 = 24.0;
const GAP: f64 = 10.0;
/// The line that counts those that are not drawn.
const MORE: f64 = 20.0;

fn panel(shown: usize) -> f64 {
    match shown {
        0..=3 => 130.0,
        4..=8 => 80.0,
        _ => 54.0,
    }
}

/// The height of the chart, in points.
pub(super) fn height(workloads: &Workloads, names: &Names) -> f64 {
    let shown = workloads.outcomes.len().min(MOST);
    let more = if workloads.outcomes.len() > MOST { MORE } else { 0.0 };
    (names.top + shown as f64 * (TITLE + panel(shown) + GAP) + more + FOOT).ceil()
}

pub(super) fn draw<B: DrawingBackend>(
    c: &Canvas<B>,
    heading: &Heading,
    analysis: &Analysis<'_>,
    names: &Names,
    workloads: &Workloads,
) -> Result<(), ChartError> {
    let legend =
        [(Swatch::Area(AVAILABLE_FILL), "running and ready"), (Swatch::Area(MISSING), "missing"), (Swatch::Line(NO_EXECUTE), "wanted")];
    head(c, heading, pods::LEFT, &legend)?;
    let mut order: Vec<usize> = (0..workloads.outcomes.len()).collect();
    if order.len() > MOST {
        order.sort_by_key(|&i| std::cmp::Reverse(workloads.outcomes[i].missing_ns));
        order.truncate(MOST);
        order.sort_unstable();
    }
    let shown = order.len();
    let mut top = names.top + TITLE;
    let bottom_of_all = height(workloads, names) - FOOT;
    for &i in &order {
        let bottom = top + panel(shown);
        names.shades(c, top, bottom)?;
        grid(c, &names.time, top, bottom)?;
        one(c, names, analysis, &workloads.outcomes[i], top, bottom)?;
        top = bottom + GAP + TITLE;
    }
    names.lines(c, bottom_of_all)?;
    // Titles come last, on paper of their own so that no line crosses them.
    let mut top = names.top + TITLE;
    for &i in &order {
        title(c, names, analysis, &workloads.outcomes[i], top)?;
        top += panel(shown) + GAP + TITLE;
    }
    if workloads.outcomes.len() > MOST {
        let more = format!("and {} workloads with fewer missing pods", grouped((workloads.outcomes.len() - MOST) as u64));
        c.text(&more, (names.time.left, bottom_of_all - MORE / 2.0), Anchor::Left, SMALL)?;
    }
    time_axis(c, &names.time, bottom_of_all)?;
    c.present()
}

fn title<B: DrawingBackend>(
    c: &Canvas<B>,
    names: &Names,
    analysis: &Analysis<'_>,
    o: &WorkloadOutcome,
    top: f64,
) -> Result<(), ChartError> {
    let (left, y) = (names.time.left, top - 12.0);
    let text = font::fit(&said(analysis, o.id), STRONG, names.time.width * 0.6)?;
    let wide = font::width(&text, STRONG)?;
    c.rect((left, y - 8.0), (left + wide + 8.0, y + 9.0), PAPER)?;
    c.text(&text, (left, y), Anchor::Left, STRONG)?;
    if o.missing_ns == 0 {
        return Ok(());
    }
    let minutes = o.missing_ns as f64 / 6e10;
    let note = format!("at worst {} available, {minutes:.1} pod-minutes missing", grouped(o.least_available.into()));
    let right = left + names.time.width;
    c.rect((right - font::width(&note, SMALL)? - 6.0, y - 8.0), (right, y + 9.0), PAPER)?;
    c.text(&note, (right, y), Anchor::Right, SMALL)
}

/// Wanted and available together, changing where either does.
fn together(o: &WorkloadOutcome) -> Vec<(Time, [u32; 2])> {
    let mut times: Vec<Time> = o.wanted.iter().chain(&o.available).map(|s| s.0).collect();
    times.sort_unstable();
    times.dedup();
    times.into_iter().map(|t| (t, [value_at(&o.wanted, t), value_at(&o.available, t)])).collect()
}

fn most(steps: &Steps) -> u32 {
    steps.iter().map(|s| s.1).max().unwrap_or(0)
}

fn one<B: DrawingBackend>(
    c: &Canvas<B>,
    names: &Names,
    analysis: &Analysis<'_>,
    o: &WorkloadOutcome,
    top: f64,
    bottom: f64,
) -> Result<(), ChartError> {
    let time = names.time;
    let ticks = if bottom - top < 60.0 { 2 } else { 4 };
    let (scale, ticks) = CountScale::new(bottom, bottom - top, 0, most(&o.wanted).max(most(&o.available)), ticks);
    let missing = |v: [u32; 2]| v[0].saturating_sub(v[1]);
    let worse = |a: [u32; 2], b: [u32; 2]| if missing(b) >= missing(a) { b } else { a };
    let spans = spans(&time, 1.0, &together(o), analysis.horizon(), worse);
    for &(from, to, [wanted, available]) in &spans {
        let (left, right) = (time.left + from, time.left + to);
        if available > 0 {
            c.rect((left, scale.y(available)), (right, bottom), AVAILABLE_FILL)?;
        }
        if wanted > available {
            c.rect((left, scale.y(wanted)), (right, scale.y(available)), MISSING)?;
        }
    }
    for &tick in &ticks {
        let y = scale.y(tick);
        c.rule((time.left, y), (time.left + time.width, y), if tick == 0 { RULE } else { GRID })?;
        c.text(&grouped(tick.into()), (time.left - 8.0, y), Anchor::Right, LABEL)?;
    }
    let outline = |of: usize| -> Vec<(f64, f64)> {
        let ends = |&(from, to, v): &(f64, f64, [u32; 2])| [(time.left + from, scale.y(v[of])), (time.left + to, scale.y(v[of]))];
        spans.iter().flat_map(ends).collect()
    };
    c.line(&outline(0), NO_EXECUTE, 1.0)?;
    c.line(&outline(1), AVAILABLE, 1.5)
}
