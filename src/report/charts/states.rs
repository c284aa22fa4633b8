//! Why evictions pause, above the lanes: bands for what troubled the control plane, for master
//! disruption, and for each zone that was disrupted.
//!
//! Bands are named where the name has room in or beside them; their colours are explained in a line
//! above them.

use super::prelude::*;
use crate::analysis::disruption::{Disrupted, Disruptions, Troubled};
use crate::trace::ZoneState;

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
    let rows = rows(d).len() + usize::from(!d.master.is_empty()) + d.zones.len().min(MOST);
    let key = if d.master.is_empty() && d.zones.is_empty() { 0.0 } else { KEY };
    key + ROW * rows as f64 + more + 6.0
}

/// What troubled the control plane, in as many rows as it takes for what goes on at once.
fn rows(d: &Disruptions) -> Vec<Vec<&Troubled>> {
    let mut rows: Vec<Vec<&Troubled>> = Vec::new();
    for t in &d.control_plane {
        let free = |row: &&mut Vec<&Troubled>| row.last().is_none_or(|last| last.to <= t.from);
        match rows.iter_mut().find(free) {
            Some(row) => row.push(t),
            None => rows.push(vec![t]),
        }
    }
    rows.truncate(MOST);
    rows
}

/// Draws the bands from `top` on.
pub(super) fn draw(c: &mut Drawing, time: &TimeScale, d: &Disruptions, top: f64) {
    if d.is_empty() {
        return;
    }
    let mut y = top;
    for (i, row) in rows(d).into_iter().enumerate() {
        let band = |t: &Troubled| match &t.entry {
            Some(name) => (t.from, t.to, TROUBLED, name.clone()),
            None => (t.from, t.to, MASTER, "controllers down".to_owned()),
        };
        let name = if i == 0 { "control plane" } else { "" };
        bands(c, time, name, row.into_iter().map(band).collect(), &mut y);
    }
    if !d.master.is_empty() || !d.zones.is_empty() {
        key(c, time, d, y + KEY / 2.0);
        y += KEY;
    }
    if !d.master.is_empty() {
        let said = "master disruption: evictions stop";
        let spans = d.master.iter().map(|&(from, to)| (from, to, MASTER, said.to_owned()));
        bands(c, time, "all zones", spans.collect(), &mut y);
    }
    let of_zones = d.by_zone();
    let zones: Vec<&str> = of_zones.iter().take(MOST).map(|(zone, _)| *zone).collect();
    let names = zone_labels(&zones, LANES_LEFT - 20.0);
    for ((_, states), name) in of_zones.iter().zip(&names) {
        let band = |s: &Disrupted| (s.from, s.to, color(s), s.state.as_str().to_owned());
        let mut all: Vec<_> = states.iter().map(band).collect();
        // A state stays the same where only its pace changes, as in master disruption.
        all.dedup_by(|next, last| {
            let goes_on = last.1 == next.0 && (last.2, &last.3) == (next.2, &next.3);
            last.1 = if goes_on { next.1 } else { last.1 };
            goes_on
        });
        bands(c, time, name, all, &mut y);
    }
    if d.zones.len() > MOST {
        let more = format!("and {} more disrupted zones", d.zones.len() - MOST);
        c.text(&more, (time.left, y + BAND / 2.0), Anchor::Left, SMALL);
    }
}

/// The height of the lane of nodes that wait in the queues of their zones; nothing where none does.
pub(super) fn queue_height(waiting: &[(Time, u32)]) -> f64 {
    if waiting.iter().all(|s| s.1 == 0) { 0.0 } else { ROW + 8.0 }
}

/// Draws how many nodes wait there, and for what; beside it stands how many they are at most.
pub(super) fn draw_queue(
    c: &mut Drawing,
    time: &TimeScale,
    (waiting, waited_for): (&[(Time, u32)], &str),
    top: f64,
) {
    let Some(most) = waiting.iter().map(|s| s.1).max().filter(|n| *n > 0) else { return };
    row_name(c, &format!("waiting for {waited_for}"), top);
    let foot = top + ROW;
    let said = format!("at most {}", counted(most, "node"));
    c.text(&said, (LANES_LEFT - 8.0, foot + 2.0), Anchor::Right, Ink { size: 9.0, ..SMALL });
    for (from, to, n) in spans(time, 1.0, waiting, u32::max) {
        let y = foot - f64::from(n) / f64::from(most) * ROW;
        c.rect((time.left + from, y), (time.left + to, foot), QUEUED);
    }
    c.rule((time.left, foot), (time.left + time.width, foot), GRID)
}

/// From when, until when, in which colour, and with which name.
type Band = (Time, Time, RGBColor, String);

fn color(d: &Disrupted) -> RGBColor {
    match d.state {
        ZoneState::FullDisruption => FULL,
        _ if d.pace.is_stopped() => STOPPED,
        _ => SLOW,
    }
}

fn key(c: &mut Drawing, time: &TimeScale, d: &Disruptions, y: f64) {
    let all = || d.zones.values().flatten();
    let partial = |stopped: bool| {
        all().any(|s| s.state == ZoneState::PartialDisruption && s.pace.is_stopped() == stopped)
    };
    let entries = [
        (partial(false), SLOW, "PartialDisruption: evictions slow down"),
        (partial(true), STOPPED, "PartialDisruption: evictions stop"),
        (d.has(ZoneState::FullDisruption), FULL, "FullDisruption: no node of the zone is Ready"),
        (!d.master.is_empty(), MASTER, "master disruption: evictions stop everywhere"),
    ];
    let mut x = time.left;
    for (_, color, name) in entries.into_iter().filter(|e| e.0) {
        let width = font::width(name, LABEL);
        c.rect((x - 3.0, y - 8.0), (x + 28.0 + width, y + 8.0), PAPER);
        c.rect((x, y - 5.0), (x + 18.0, y + 5.0), color);
        c.text(name, (x + 24.0, y), Anchor::Left, LABEL);
        x += 24.0 + width + 22.0;
    }
}

fn row_name(c: &mut Drawing, name: &str, y: f64) {
    c.text(name, (LANES_LEFT - 8.0, y + BAND / 2.0), Anchor::Right, STRONG)
}

/// Bands in one row, each with its name inside, or beside it up to the next one, or without.
fn bands(c: &mut Drawing, time: &TimeScale, name: &str, spans: Vec<Band>, top: &mut f64) {
    let y = *top;
    *top += ROW;
    row_name(c, name, y);
    let end = time.left + time.width;
    for (i, (from, to, color, name)) in spans.iter().enumerate() {
        let left = time.x(*from).min(end - 1.0);
        let right = time.x(*to).max(left + 1.0);
        c.rect((left, y), (right, y + BAND), *color);
        let dark = [FULL, MASTER, STOPPED, TROUBLED].contains(color);
        let inside = Ink { size: 9.0, bold: true, color: if dark { PAPER } else { INK } };
        let width = font::width(name, inside);
        let next = spans.get(i + 1).map_or(end, |s| time.x(s.0));
        if width + 8.0 <= right - left {
            c.text(name, (left + 4.0, y + BAND / 2.0), Anchor::Left, inside);
        } else if right + width + 10.0 <= next {
            let beside = Ink { size: 9.0, bold: false, color: INK };
            c.rect((right + 2.0, y), (right + 7.0 + font::width(name, beside), y + BAND), PAPER);
            c.text(name, (right + 4.0, y + BAND / 2.0), Anchor::Left, beside);
        }
    }
}
