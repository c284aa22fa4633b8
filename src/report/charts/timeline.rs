//! The timeline as lanes: a lane per node, or a lane per zone when there are many nodes.
//!
//! A node's lane shows its health as a bar, its NoSchedule and NoExecute taints as two strips
//! below, and evictions as marks with the number of pods. A zone's lane shows the shares of its
//! nodes that are not healthy, stacked from the bottom, the share with a NoExecute taint as a line,
//! and evictions as bars below. Above the lanes stands why evictions pause.

use super::axis::TimeScale;
use super::canvas::{Anchor, Canvas, Ink};
use super::columns::{bins, marks, spans};
use super::frame::{FOOT, LABEL, Names, SMALL, STRONG, Swatch, grid, head, mark, time_axis};
use super::palette::{EVICTION, GRID, NO_EXECUTE, NO_SCHEDULE, PAPER, RULE, health};
use super::{ChartError, Heading, font, states};
use crate::analysis::disruption::disruptions;
use crate::analysis::lanes::{NodeLane, Tainted, ZoneLane};
use crate::analysis::state::Health;
use crate::analysis::{Analysis, Lanes, grouped};
use crate::kernel::Time;
use plotters::backend::DrawingBackend;

/// Where the data begin.
pub(super) const LEFT: f64 = 132.0;
/// More zones are not drawn.
const MOST_ZONES: usize = 16;
/// The gap between the lanes of zones.
const ZONE_GAP: f64 = 16.0;

/// The height of the chart, in points.
pub(super) fn height(analysis: &Analysis<'_>, lanes: &Lanes, names: &Names) -> f64 {
    let body = match lanes {
        Lanes::Nodes(nodes) => nodes.len() as f64 * node_height(nodes.len()) + 10.0,
        Lanes::Zones(zones) => {
            let shown = zones.len().min(MOST_ZONES);
            let more = if zones.len() > MOST_ZONES { 20.0 } else { 0.0 };
            shown as f64 * (zone_height(shown) + ZONE_GAP) + more
        }
    };
    (names.top + states::height(&disruptions(analysis)) + body + FOOT).ceil()
}

fn node_height(nodes: usize) -> f64 {
    match nodes {
        0..=12 => 38.0,
        13..=30 => 26.0,
        _ => 18.0,
    }
}

fn zone_height(zones: usize) -> f64 {
    match zones {
        0..=4 => 120.0,
        5..=8 => 88.0,
        _ => 62.0,
    }
}

pub(super) fn draw<B: DrawingBackend>(
    c: &Canvas<B>,
    heading: &Heading,
    analysis: &Analysis<'_>,
    names: &Names,
    lanes: &Lanes,
) -> Result<(), ChartError> {
    let mut legend: Vec<(Swatch, &str)> = [
        Health::Ready,
        Health::Silent,
        Health::Unknown,
        Health::NotReady,
    ]
    .into_iter()
    .map(|h| (Swatch::Area(health(h)), name(h)))
    .collect();
    match lanes {
        Lanes::Nodes(_) => legend.extend([
            (Swatch::Strip(NO_SCHEDULE), "NoSchedule taint"),
            (Swatch::Strip(NO_EXECUTE), "NoExecute taint"),
            (Swatch::Mark(EVICTION), "pods evicted"),
        ]),
        Lanes::Zones(_) => legend.extend([
            (Swatch::Line(NO_EXECUTE), "NoExecute taint"),
            (Swatch::Area(EVICTION), "pods evicted"),
        ]),
    }
    head(c, heading, LEFT, &legend)?;
    let horizon = analysis.horizon();
    let (time, top) = (names.time, names.top);
    let bottom = height(analysis, lanes, names) - FOOT;
    let states = disruptions(analysis);
    names.shades(c, top, bottom)?;
    grid(c, &time, top, bottom)?;
    let lanes_top = top + states::height(&states);
    match lanes {
        Lanes::Nodes(nodes) => draw_nodes(c, analysis, &time, nodes, lanes_top)?,
        Lanes::Zones(zones) => draw_zones(c, &time, zones, horizon, lanes_top)?,
    }
    names.lines(c, bottom)?;
    // Over the lines of entries, which would cut through their names.
    states::draw(c, &time, &states, top)?;
    time_axis(c, &time, bottom)?;
    c.present()
}

fn name(h: Health) -> &'static str {
    match h {
        Health::Absent => "absent",
        Health::Ready => "Ready",
        Health::Silent => "silent, not noticed yet",
        Health::Unknown => "Unknown",
        Health::NotReady => "NotReady",
    }
}

/// How bad a health is to be shown rather than another of the same instant.
fn worse(a: Health, b: Health) -> Health {
    let rank = |h: Health| match h {
        Health::Absent => 0,
        Health::Ready => 1,
        Health::Silent => 2,
        Health::Unknown => 3,
        Health::NotReady => 4,
    };
    if rank(b) > rank(a) { b } else { a }
}

fn draw_nodes<B: DrawingBackend>(
    c: &Canvas<B>,
    analysis: &Analysis<'_>,
    time: &TimeScale,
    nodes: &[NodeLane],
    top: f64,
) -> Result<(), ChartError> {
    let height = node_height(nodes.len());
    let mut y = top + 8.0;
    for lane in nodes {
        draw_node(c, analysis, time, lane, y, height)?;
        y += height;
    }
    Ok(())
}

fn draw_node<B: DrawingBackend>(
    c: &Canvas<B>,
    analysis: &Analysis<'_>,
    time: &TimeScale,
    lane: &NodeLane,
    y: f64,
    height: f64,
) -> Result<(), ChartError> {
    let horizon = analysis.horizon();
    let (bar, strip, gap) = if height > 30.0 {
        (18.0, 4.0, 1.0)
    } else if height > 20.0 {
        (13.0, 3.0, 1.0)
    } else {
        (9.0, 2.0, 0.5)
    };
    // Many lanes with many changes would make a large file: at most some ten thousand rectangles in
    // all.
    let column = if height > 20.0 { 1.0 } else { 2.0 };
    let ink = Ink {
        size: if height > 20.0 { 11.0 } else { 9.0 },
        ..LABEL
    };
    let name = font::fit(analysis.node_name(lane.node), ink, LEFT - 20.0)?;
    c.text(&name, (LEFT - 8.0, y + bar / 2.0), Anchor::Right, ink)?;
    let bars = spans(time, column, &lane.health, horizon, worse);
    for &(from, to, h) in &bars {
        if h != Health::Absent {
            c.rect((time.left + from, y), (time.left + to, y + bar), health(h))?;
        }
    }
    let both = |a: Tainted, b: Tainted| Tainted {
        no_schedule: a.no_schedule | b.no_schedule,
        no_execute: a.no_execute | b.no_execute,
    };
    for (from, to, t) in spans(time, column, &lane.taints, horizon, both) {
        let (x0, x1) = (time.left + from, time.left + to);
        let first = y + bar + gap;
        if t.no_schedule {
            c.rect((x0, first), (x1, first + strip), NO_SCHEDULE)?;
        }
        if t.no_execute {
            c.rect(
                (x0, first + strip + gap),
                (x1, first + 2.0 * strip + gap),
                NO_EXECUTE,
            )?;
        }
    }
    for (x, n) in marks(time, 9.0, &lane.evictions) {
        // White on the darkest of the bars.
        let dark = bars
            .iter()
            .any(|&(from, to, h)| h == Health::NotReady && from <= x + 16.0 && x < to);
        let color = if dark { PAPER } else { EVICTION };
        let x = time.left + x;
        mark(c, (x, y + bar / 2.0 + 4.0), EVICTION)?;
        if height > 20.0 && n > 1 {
            let ink = Ink {
                size: 9.0,
                bold: true,
                color,
            };
            c.text(
                &grouped(n.into()),
                (x + 7.0, y + bar / 2.0),
                Anchor::Left,
                ink,
            )?;
        }
    }
    Ok(())
}

fn draw_zones<B: DrawingBackend>(
    c: &Canvas<B>,
    time: &TimeScale,
    zones: &[ZoneLane],
    horizon: Time,
    top: f64,
) -> Result<(), ChartError> {
    let shown = &zones[..zones.len().min(MOST_ZONES)];
    let height = zone_height(shown.len());
    let mut y = top + ZONE_GAP / 2.0;
    // All zones on one scale, so that their evictions can be compared.
    let width = 4.0;
    let most = shown
        .iter()
        .flat_map(|z| bins(time, width, &z.evictions))
        .map(|b| b.1)
        .max()
        .unwrap_or(0)
        .max(1);
    for zone in shown {
        draw_zone(c, time, zone, horizon, y, height, most)?;
        y += height + ZONE_GAP;
    }
    if zones.len() > shown.len() {
        let more = format!(
            "and {} more zones, not drawn",
            grouped((zones.len() - shown.len()) as u64)
        );
        c.text(&more, (time.left, y + 2.0), Anchor::Left, SMALL)?;
    }
    Ok(())
}

fn draw_zone<B: DrawingBackend>(
    c: &Canvas<B>,
    time: &TimeScale,
    zone: &ZoneLane,
    horizon: Time,
    y: f64,
    height: f64,
    most: u32,
) -> Result<(), ChartError> {
    // Evictions take the lowest quarter of a lane.
    let bars = (height / 4.0).round();
    let area = height - bars - 4.0;
    let base = y + area;
    let (left, right) = (time.left, time.left + time.width);
    let label = if zone.zone.is_empty() {
        "no zone".to_owned()
    } else {
        format!("zone {}", zone.zone)
    };
    c.text(
        &font::fit(&label, STRONG, LEFT - 20.0)?,
        (LEFT - 44.0, y + area / 2.0 - 8.0),
        Anchor::Right,
        STRONG,
    )?;
    let nodes = format!("{} nodes", grouped(zone.nodes.into()));
    c.text(
        &nodes,
        (LEFT - 44.0, y + area / 2.0 + 8.0),
        Anchor::Right,
        SMALL,
    )?;
    c.text(
        "100 %",
        (LEFT - 6.0, y + 5.0),
        Anchor::Right,
        Ink { size: 9.0, ..SMALL },
    )?;
    c.text(
        "0",
        (LEFT - 6.0, base - 4.0),
        Anchor::Right,
        Ink { size: 9.0, ..SMALL },
    )?;

    let share = |n: u32| base - f64::from(n) / f64::from(zone.nodes.max(1)) * area;
    let ready = Health::Ready.index();
    let sicker = |a: [u32; Health::ALL.len()], b: [u32; Health::ALL.len()]| {
        if b[ready] < a[ready] { b } else { a }
    };
    // Ready is what lies below, in one piece, so that no viewer shows seams in it.
    c.rect((left, y), (right, base), health(Health::Ready))?;
    for (from, to, counts) in spans(time, 1.0, &zone.health, horizon, sicker) {
        let mut below = 0;
        for h in [Health::NotReady, Health::Unknown, Health::Silent] {
            let n = counts[h.index()];
            c.rect(
                (left + from, share(below + n)),
                (left + to, share(below)),
                health(h),
            )?;
            below += n;
        }
        let present = zone.nodes.saturating_sub(counts[Health::Absent.index()]);
        c.rect(
            (left + from, y),
            (left + to, share(present)),
            health(Health::Absent),
        )?;
    }
    let tainted = spans(time, 1.0, &zone.tainted, horizon, u32::max);
    for with_taint in tainted.split(|s| s.2 == 0).filter(|s| !s.is_empty()) {
        let mut line = vec![(left + with_taint[0].0, base)];
        line.extend(
            with_taint
                .iter()
                .flat_map(|&(from, to, n)| [(left + from, share(n)), (left + to, share(n))]),
        );
        line.push((left + with_taint[with_taint.len() - 1].1, base));
        c.line(&line, NO_EXECUTE, 1.5)?;
    }
    let floor = y + height;
    let total: u64 = zone.evictions.iter().map(|e| u64::from(e.1)).sum();
    for (x, n) in bins(time, 4.0, &zone.evictions) {
        let tall = (f64::from(n) / f64::from(most) * (bars - 4.0)).max(1.0);
        c.rect(
            (left + x - 1.5, floor - tall),
            (left + x + 1.5, floor),
            EVICTION,
        )?;
    }
    let said = if total == 0 {
        "none evicted".to_owned()
    } else {
        format!("{} evicted", grouped(total))
    };
    c.text(
        &said,
        (LEFT - 6.0, floor - 6.0),
        Anchor::Right,
        Ink { size: 9.0, ..SMALL },
    )?;
    c.rule((left, base), (right, base), RULE)?;
    c.rule((left, floor), (right, floor), GRID)
}
