//! Why evictions pause, above the lanes: a band for master disruption, and one for each zone that
//! was disrupted.
//!
//! Bands are named where the name has room in or beside them; their colours are explained in a line
//! above them.

use super::axis::TimeScale;
use super::canvas::{Anchor, Canvas};
use super::error::ChartError;
use super::font::{self, Ink};
use super::frame::{LABEL, LANES_LEFT, SMALL, STRONG};
use super::palette::{FULL, INK, MASTER, PAPER, SLOW, STOPPED};
use crate::analysis::disruption::{Disrupted, Disruptions};
use crate::kernel::Time;
use crate::trace::ZoneState;
use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;

/// More zones have no band.
const MOST: usize = 8;
/// The height of a row, its band included.
const ROW: f64 = 18.0;
const BAND: f64 = 13.0;
/// The height of the line that explains the colours.
const KEY: f64 = 20.0;

/// The height that the bands take, in points; nothing where there are none.
pub(super) fn height(d: &Disruptions) -> f64 {
    if d.is_empty() {
        return 0.0;
    }
    let more = if d.zones.len() > MOST { ROW } else { 0.0 };
    KEY + ROW * (usize::from(!d.master.is_empty()) + d.zones.len().min(MOST)) as f64 + more + 6.0
}

/// Draws the bands from `top` on.
pub(super) fn draw<B: DrawingBackend>(
    c: &Canvas<B>,
    time: &TimeScale,
    d: &Disruptions,
    top: f64,
) -> Result<(), ChartError> {
    if d.is_empty() {
        return Ok(());
    }
    key(c, time, d, top + KEY / 2.0)?;
    let mut y = top + KEY;
    if !d.master.is_empty() {
        row_name(c, "all zones", y)?;
        let spans: Vec<_> = d
            .master
            .iter()
            .map(|&(from, to)| {
                (
                    from,
                    to,
                    MASTER,
                    "master disruption: evictions stop".to_owned(),
                )
            })
            .collect();
        bands(c, time, &spans, y)?;
        y += ROW;
    }
    for (zone, states) in d.zones.iter().take(MOST) {
        row_name(
            c,
            if zone.is_empty() {
                "no zone".to_owned()
            } else {
                format!("zone {zone}")
            }
            .as_str(),
            y,
        )?;
        let spans: Vec<_> = states
            .iter()
            .map(|s| (s.from, s.to, color(s), s.state.as_str().to_owned()))
            .collect();
        bands(c, time, &spans, y)?;
        y += ROW;
    }
    if d.zones.len() > MOST {
        c.text(
            &format!("and {} more disrupted zones", d.zones.len() - MOST),
            (time.left, y + BAND / 2.0),
            Anchor::Left,
            SMALL,
        )?;
    }
    Ok(())
}

fn color(d: &Disrupted) -> RGBColor {
    match d.state {
        ZoneState::FullDisruption => FULL,
        _ if d.pace.is_stopped() => STOPPED,
        _ => SLOW,
    }
}

fn key<B: DrawingBackend>(
    c: &Canvas<B>,
    time: &TimeScale,
    d: &Disruptions,
    y: f64,
) -> Result<(), ChartError> {
    let all = || d.zones.values().flatten();
    let partial = |stopped: bool| {
        all().any(|s| s.state == ZoneState::PartialDisruption && s.pace.is_stopped() == stopped)
    };
    let entries = [
        (
            partial(false),
            SLOW,
            "PartialDisruption: evictions slow down",
        ),
        (partial(true), STOPPED, "PartialDisruption: evictions stop"),
        (
            d.has(ZoneState::FullDisruption),
            FULL,
            "FullDisruption: no node of the zone is Ready",
        ),
        (
            !d.master.is_empty(),
            MASTER,
            "master disruption: evictions stop everywhere",
        ),
    ];
    let mut x = time.left;
    for (_, color, name) in entries.into_iter().filter(|e| e.0) {
        let width = font::width(name, LABEL)?;
        c.rect((x - 3.0, y - 8.0), (x + 28.0 + width, y + 8.0), PAPER)?;
        c.rect((x, y - 5.0), (x + 18.0, y + 5.0), color)?;
        c.text(name, (x + 24.0, y), Anchor::Left, LABEL)?;
        x += 24.0 + width + 22.0;
    }
    Ok(())
}

fn row_name<B: DrawingBackend>(c: &Canvas<B>, name: &str, y: f64) -> Result<(), ChartError> {
    c.text(
        &font::fit(name, STRONG, LANES_LEFT - 20.0)?,
        (LANES_LEFT - 8.0, y + BAND / 2.0),
        Anchor::Right,
        STRONG,
    )
}

/// Bands in one row, each with its name inside, or beside it up to the next one, or without.
fn bands<B: DrawingBackend>(
    c: &Canvas<B>,
    time: &TimeScale,
    spans: &[(Time, Time, RGBColor, String)],
    y: f64,
) -> Result<(), ChartError> {
    let end = time.left + time.width;
    for (i, (from, to, color, name)) in spans.iter().enumerate() {
        let left = time.x(*from).min(end - 1.0);
        let right = time.x(*to).max(left + 1.0);
        c.rect((left, y), (right, y + BAND), *color)?;
        let dark = *color == FULL || *color == MASTER || *color == STOPPED;
        let inside = Ink {
            size: 9.0,
            bold: true,
            color: if dark { PAPER } else { INK },
        };
        let width = font::width(name, inside)?;
        let next = spans.get(i + 1).map_or(end, |s| time.x(s.0));
        if width + 8.0 <= right - left {
            c.text(name, (left + 4.0, y + BAND / 2.0), Anchor::Left, inside)?;
        } else if right + width + 10.0 <= next {
            let beside = Ink {
                size: 9.0,
                bold: false,
                color: INK,
            };
            c.rect(
                (right + 2.0, y),
                (right + 7.0 + font::width(name, beside)?, y + BAND),
                PAPER,
            )?;
            c.text(name, (right + 4.0, y + BAND / 2.0), Anchor::Left, beside)?;
        }
    }
    Ok(())
}
