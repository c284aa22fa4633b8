//! The charts of one run.
//!
//! The timeline as lanes: a lane per node, or a lane per zone when there are many nodes.
//!
//! The lanes are drawn by [`node_lanes`] and [`zone_lanes`]; above them stands why evictions pause,
//! which [`states`] draws.

use super::prelude::*;
use super::{node_lanes, pods, states, workloads, zone_lanes};
use crate::analysis::curves::{waited_for, waiting};
use crate::analysis::disruption::disruptions;
use crate::analysis::lanes::NodeLane;
use crate::analysis::{Curves, Lanes, Serving};

/// More nodes than these are drawn by zone.
pub(crate) const MOST_NODE_LANES: usize = 60;

/// One of the charts with what it shows.
#[derive(Clone, Copy, Debug)]
pub enum Chart<'a> {
    /// Health, taints and evictions in lanes.
    Timeline(&'a Lanes),
    /// Available, not ready, terminating and evicted pods.
    Pods(&'a Curves),
    /// Pods of each workload that are desired, up and ready.
    Workloads(&'a Serving),
}

impl Chart<'_> {
    /// What it shows, in words.
    fn shows(&self, names: &Names) -> String {
        let what = match self {
            Chart::Timeline(Lanes::Nodes(nodes)) => format!(
                "The health and the taints of {} over time, and when pods were evicted from them",
                counted(nodes.len(), "node")
            ),
            Chart::Timeline(Lanes::Zones(zones)) => format!(
                "The shares of nodes by health, in {}, over time, and when pods were evicted from them",
                counted(zones.len(), "zone")
            ),
            Chart::Pods(_) => {
                "How many pods run and are ready over time, and what became of the others".into()
            }
            Chart::Workloads(_) => {
                "How many pods each workload desires, needs and has up over time".into()
            }
        };
        let entries = names.said();
        if entries.is_empty() {
            return what;
        }
        format!("{what}. Timeline: {}", entries.join("; "))
    }
}

/// Draws a chart.
pub fn draw(chart: Chart<'_>, heading: &Heading, analysis: &Analysis<'_>) -> Drawing {
    let left = if matches!(chart, Chart::Timeline(_)) { LANES_LEFT } else { pods::LEFT };
    let names = Names::new(analysis, left);
    let blank = |height: f64| Drawing::new((WIDTH, height), heading, &chart.shows(&names));
    match chart {
        Chart::Timeline(lanes) => {
            let (states, queue) = (disruptions(analysis), waiting(analysis));
            let (time, top) = (names.time, names.top);
            let queue_top = top + states::height(&states);
            let lanes_top = queue_top + states::queue_height(&queue);
            let body = match lanes {
                Lanes::Nodes(nodes) => node_lanes::height(analysis, nodes),
                Lanes::Zones(zones) => zone_lanes::height(zones),
            };
            let height = (lanes_top + body + FOOT).ceil();
            let bottom = height - FOOT;
            let mut drawing = blank(height);
            let c = &mut drawing;
            head(c, heading, LANES_LEFT, &legend(lanes));
            names.back(c, top, bottom);
            let mut marked = Vec::new();
            match lanes {
                Lanes::Nodes(nodes) => {
                    marked = node_lanes::draw(c, analysis, &time, nodes, lanes_top)
                }
                Lanes::Zones(zones) => zone_lanes::draw(c, &time, zones, lanes_top),
            }
            states::draw_queue(c, &time, (&queue, waited_for(analysis.plan)), queue_top);
            names.lines(c, bottom);
            // Over the lines of entries, which would cut through them, too.
            node_lanes::draw_marks(c, &marked);
            // Over the lines of entries, which would cut through their names.
            states::draw(c, &time, &states, top);
            time_axis(c, &time, bottom);
            drawing
        }
        Chart::Pods(curves) => {
            let mut c = blank(pods::height(&names));
            let fault = analysis.first_harm(Time::ZERO, Time::MAX).map(|s| s.at);
            head(&mut c, heading, left, &pods::legend(curves, fault));
            pods::draw(&mut c, &names, (curves, fault));
            c
        }
        Chart::Workloads(all) => {
            let mut c = blank(workloads::height(analysis, &names, all));
            workloads::draw(&mut c, heading, analysis, &names, all);
            c
        }
    }
}

/// What the colours mean, from left to right: those that occur.
fn legend(lanes: &Lanes) -> Vec<Explained<'static>> {
    let occurs = |h: Health| match lanes {
        Lanes::Nodes(nodes) => nodes.iter().flat_map(|n| &n.health).any(|s| s.1 == h),
        Lanes::Zones(zones) => {
            let mut all = zones.iter().flat_map(|z| &z.health);
            all.any(|s| s.1[h.index()] > 0)
        }
    };
    let state = |h: Health, name: &'static str| (occurs(h), Swatch::Area(health(h)), name);
    let mut legend = vec![
        state(Health::Ready, "Ready"),
        state(Health::Silent, "silent, not noticed yet"),
        state(Health::Unknown, "Unknown"),
        state(Health::NotReady, "NotReady"),
    ];
    match lanes {
        Lanes::Nodes(nodes) => {
            let any = |is: fn(&NodeLane) -> bool| nodes.iter().any(is);
            let taints = || nodes.iter().flat_map(|n| &n.taints);
            let volumes = || nodes.iter().flat_map(|n| &n.volumes);
            let strip = Swatch::Strip;
            // Lanes that are too low have no room for timers.
            let mut timers = nodes.iter().flat_map(|n| &n.timers);
            let timers = nodes.len() <= 30 && timers.any(|s| s.1 > 0);
            legend.extend([
                (taints().any(|t| t.1.no_schedule), strip(NO_SCHEDULE), "NoSchedule taint"),
                (taints().any(|t| t.1.no_execute), strip(NO_EXECUTE), "NoExecute taint"),
                (any(|n| !n.evictions.is_empty()), Swatch::Mark(EVICTION), "pods evicted"),
                (any(|n| !n.preemptions.is_empty()), Swatch::Hollow(EVICTION), "pods preempted"),
                (any(|n| !n.shut_down.is_empty()), Swatch::Square(EVICTION), "pods shut down"),
                (any(|n| !n.turned_away.is_empty()), Swatch::Cross(EVICTION), "pods turned away"),
                (any(|n| !n.drains.is_empty()), strip(DRAIN), "drain"),
                (any(|n| !n.replacements.is_empty()), Swatch::Risen(REPLACED), "replacements"),
                (timers, Swatch::Line(TIMER), "eviction timer"),
                (volumes().any(|v| v.1.held), strip(HELD), "volumes held"),
                (volumes().any(|v| v.1.awaited), strip(AWAITED), "volume awaited"),
            ]);
        }
        Lanes::Zones(zones) => {
            let tainted = zones.iter().flat_map(|z| &z.tainted).any(|t| t.1 > 0);
            let evicted = zones.iter().any(|z| !z.evictions.is_empty());
            legend.extend([
                (tainted, Swatch::Line(NO_EXECUTE), "NoExecute taint"),
                (evicted, Swatch::Area(EVICTION), "pods evicted"),
            ]);
        }
    }
    legend
}
