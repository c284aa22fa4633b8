//! What all charts have in common: heading, legend, the names and shades of faults, the axis of time.

use super::axis::TimeScale;
use super::canvas::{Anchor, Canvas, Ink};
use super::palette::{FAINT, FAULT, FAULT_EDGE, GRID, INK, PAPER, RULE};
use super::{ChartError, Heading};
use crate::analysis::Analysis;
use crate::kernel::Time;
use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;

/// The width of every chart, in points.
pub(super) const WIDTH: f64 = 1_200.0;
/// Free space at the right.
pub(super) const RIGHT: f64 = 28.0;
/// The height of heading and legend.
pub(super) const HEAD: f64 = 88.0;
/// The height of the axis of time.
pub(super) const FOOT: f64 = 46.0;
/// The height of a row of names of faults.
const FAULT_ROW: f64 = 16.0;
/// About so many round times are named.
const TICKS: u64 = 15;
/// More rows of names are not drawn; the bands are.
const FAULT_ROWS: usize = 3;
/// More entries than these are drawn as bands without names.
const MOST_NAMED: usize = 24;

/// The height of the names of faults.
pub(super) const NAMES: f64 = FAULT_ROW * FAULT_ROWS as f64 + 4.0;

pub(super) const LABEL: Ink = Ink { size: 11.0, bold: false, color: INK };
pub(super) const SMALL: Ink = Ink { size: 10.0, bold: false, color: FAINT };
pub(super) const STRONG: Ink = Ink { size: 11.0, bold: true, color: INK };

/// How an entry of a legend looks.
#[derive(Clone, Copy)]
pub(super) enum Swatch {
    Area(RGBColor),
    Line(RGBColor),
    Strip(RGBColor),
    Mark(RGBColor),
}

/// Draws title, subtitle and legend onto clean paper.
pub(super) fn head<B: DrawingBackend>(c: &Canvas<B>, heading: &Heading, left: f64, legend: &[(Swatch, &str)]) -> Result<(), ChartError> {
    c.fill(PAPER)?;
    let title = Ink { size: 18.0, bold: true, color: INK };
    let width = WIDTH - left - RIGHT;
    c.text(&c.fit(&heading.title, title, width)?, (left, 22.0), Anchor::Left, title)?;
    c.text(&c.fit(&heading.subtitle, SMALL, width)?, (left, 44.0), Anchor::Left, SMALL)?;
    let (mut x, y) = (left, 70.0);
    for &(swatch, name) in legend {
        let w = 18.0;
        match swatch {
            Swatch::Area(color) => {
                c.rect((x, y - 6.0), (x + w, y + 6.0), GRID)?;
                c.rect((x + 0.5, y - 5.5), (x + w - 0.5, y + 5.5), color)?;
            }
            Swatch::Line(color) => c.rect((x, y - 1.0), (x + w, y + 1.0), color)?,
            Swatch::Strip(color) => c.rect((x, y - 2.0), (x + w, y + 2.0), color)?,
            Swatch::Mark(color) => mark(c, (x + w / 2.0, y + 4.0), color)?,
        }
        c.text(name, (x + w + 6.0, y), Anchor::Left, LABEL)?;
        x += w + 6.0 + c.width(name, LABEL)? + 22.0;
    }
    Ok(())
}

/// A small triangle that points down at a point.
pub(super) fn mark<B: DrawingBackend>(c: &Canvas<B>, (x, y): (f64, f64), color: RGBColor) -> Result<(), ChartError> {
    c.polygon(&[(x - 4.5, y - 8.0), (x + 4.5, y - 8.0), (x, y)], color)
}

/// An entry of the timeline on the axis of time.
struct Band {
    from: Time,
    to: Option<Time>,
    name: String,
}

fn bands(analysis: &Analysis<'_>) -> Vec<Band> {
    let horizon = analysis.horizon();
    let entries = analysis.plan.timeline.iter().filter(|e| e.at <= horizon);
    let mut bands: Vec<Band> = entries.map(|e| Band { from: e.at, to: e.ends.map(|t| t.min(horizon)), name: e.name.clone() }).collect();
    bands.sort_by_key(|b| b.from);
    bands
}

/// Shades the time in which faults last, from `top` to `bottom`, behind everything else.
pub(super) fn shades<B: DrawingBackend>(
    c: &Canvas<B>,
    analysis: &Analysis<'_>,
    time: &TimeScale,
    top: f64,
    bottom: f64,
) -> Result<(), ChartError> {
    for b in bands(analysis) {
        if let Some(to) = b.to {
            c.rect((time.x(b.from), top), (time.x(to).max(time.x(b.from) + 1.0), bottom), FAULT)?;
        }
    }
    Ok(())
}

/// Marks where entries of the timeline begin and end from `top` to `bottom`, over everything else, and names them above `top`.
pub(super) fn faults<B: DrawingBackend>(
    c: &Canvas<B>,
    analysis: &Analysis<'_>,
    time: &TimeScale,
    top: f64,
    bottom: f64,
) -> Result<(), ChartError> {
    let bands = bands(analysis);
    if bands.len() > MOST_NAMED {
        return Ok(());
    }
    // Names go into the lowest row in which they do not touch the one before.
    let mut free = [f64::MIN; FAULT_ROWS];
    for b in &bands {
        let x = time.x(b.from);
        let name = c.fit(&b.name, SMALL, 220.0)?;
        let width = c.width(&name, SMALL)?;
        let right_aligned = x + width + 6.0 > WIDTH;
        let (from, to) = if right_aligned { (x - width - 6.0, x) } else { (x, x + width + 10.0) };
        let row = free.iter().position(|&f| f <= from);
        let head = row.map_or(top, |row| top - 2.0 - FAULT_ROW * row as f64);
        if let Some(to) = b.to {
            c.rule((time.x(to), top), (time.x(to), bottom), FAULT_EDGE)?;
        }
        c.rule((x, head - if row.is_some() { FAULT_ROW } else { 0.0 }), (x, bottom), FAULT_EDGE)?;
        if let Some(row) = row {
            free[row] = to;
            let anchor = if right_aligned { Anchor::Right } else { Anchor::Left };
            c.text(&name, (if right_aligned { x - 4.0 } else { x + 4.0 }, head - FAULT_ROW / 2.0), anchor, SMALL)?;
        }
    }
    Ok(())
}

/// Draws the upright lines of round times, behind everything that comes later.
pub(super) fn grid<B: DrawingBackend>(c: &Canvas<B>, time: &TimeScale, top: f64, bottom: f64) -> Result<(), ChartError> {
    for (at, _) in time.ticks(TICKS) {
        c.rule((time.x(at), top), (time.x(at), bottom), GRID)?;
    }
    Ok(())
}

/// Draws the axis of time below `y`.
pub(super) fn time_axis<B: DrawingBackend>(c: &Canvas<B>, time: &TimeScale, y: f64) -> Result<(), ChartError> {
    c.rule((time.left, y), (time.left + time.width, y), RULE)?;
    for (at, name) in time.ticks(TICKS) {
        c.rule((time.x(at), y), (time.x(at), y + 5.0), RULE)?;
        c.text(&name, (time.x(at), y + 14.0), Anchor::Middle, LABEL)?;
    }
    c.text(time.caption(), (time.left + time.width, y + 32.0), Anchor::Right, SMALL)
}
