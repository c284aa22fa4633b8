//! The timeline as lanes: a lane per node, or a lane per zone when there are many nodes.
//!
//! The lanes are drawn by [`node_lanes`] and [`zone_lanes`]; above them stands why evictions pause,
//! which [`states`] draws.

use super::canvas::Canvas;
use super::error::ChartError;
use super::frame::{FOOT, LANES_LEFT, Names, Swatch, grid, head, time_axis};
use super::palette::{EVICTION, NO_EXECUTE, NO_SCHEDULE, health};
use super::{node_lanes, states, zone_lanes};
use crate::analysis::disruption::disruptions;
use crate::analysis::state::Health;
use crate::analysis::{Analysis, Lanes};
use crate::report::Heading;
use plotters::backend::DrawingBackend;

/// The height of the chart, in points.
pub(super) fn height(analysis: &Analysis<'_>, lanes: &Lanes, names: &Names) -> f64 {
    let body = match lanes {
        Lanes::Nodes(nodes) => node_lanes::height(analysis, nodes),
        Lanes::Zones(zones) => zone_lanes::height(zones),
    };
    (names.top + states::height(&disruptions(analysis)) + body + FOOT).ceil()
}

pub(super) fn draw<B: DrawingBackend>(
    c: &Canvas<B>,
    heading: &Heading,
    analysis: &Analysis<'_>,
    names: &Names,
    lanes: &Lanes,
) -> Result<(), ChartError> {
    let legend = legend(lanes);
    head(c, heading, LANES_LEFT, &legend)?;
    let horizon = analysis.horizon();
    let (time, top) = (names.time, names.top);
    let bottom = height(analysis, lanes, names) - FOOT;
    let states = disruptions(analysis);
    names.shades(c, top, bottom)?;
    grid(c, &time, top, bottom)?;
    let lanes_top = top + states::height(&states);
    let mut marked = Vec::new();
    match lanes {
        Lanes::Nodes(nodes) => marked = node_lanes::draw(c, analysis, &time, nodes, lanes_top)?,
        Lanes::Zones(zones) => zone_lanes::draw(c, &time, zones, horizon, lanes_top)?,
    }
    names.lines(c, bottom)?;
    // Over the lines of entries, which would cut through them, too.
    node_lanes::draw_marks(c, &marked)?;
    // Over the lines of entries, which would cut through their names.
    states::draw(c, &time, &states, top)?;
    time_axis(c, &time, bottom)?;
    c.present()
}

/// What the colours mean, from left to right.
fn legend(lanes: &Lanes) -> Vec<(Swatch, &'static str)> {
    let mut legend: Vec<(Swatch, &'static str)> = [
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
    legend
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
