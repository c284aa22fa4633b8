//! The charts of one run.

use super::drawing::Drawing;
use super::frame::{LANES_LEFT, Names, WIDTH};
use super::{pods, timeline, workloads};
use crate::analysis::{Analysis, Curves, Lanes, Serving, grouped};
use crate::kernel::Time;
use crate::report::Heading;

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
    fn left(&self) -> f64 {
        match self {
            Chart::Timeline(_) => LANES_LEFT,
            Chart::Pods(_) | Chart::Workloads(_) => pods::LEFT,
        }
    }

    /// What it shows, in words.
    fn shows(&self, names: &Names) -> String {
        let what = match self {
            Chart::Timeline(Lanes::Nodes(nodes)) => format!(
                "The health and the taints of {} nodes over time, and when pods were evicted from them",
                grouped(nodes.len() as u64)
            ),
            Chart::Timeline(Lanes::Zones(zones)) => format!(
                "The shares of nodes by health, in {} zones, over time, and when pods were evicted from them",
                grouped(zones.len() as u64)
            ),
            Chart::Pods(_) => {
                "How many pods run and are ready over time, and what became of the others"
                    .to_owned()
            }
            Chart::Workloads(_) => {
                "How many pods each workload desires, needs and has up over time".to_owned()
            }
        };
        let entries = names.said();
        if entries.is_empty() {
            return what;
        }
        format!("{what}. Timeline: {}", entries.join("; "))
    }

    fn height(&self, analysis: &Analysis<'_>, names: &Names) -> f64 {
        match self {
            Chart::Timeline(lanes) => timeline::height(analysis, lanes, names),
            Chart::Pods(_) => pods::height(names),
            Chart::Workloads(all) => workloads::height(all, names),
        }
    }
}

/// Draws a chart.
pub fn draw(chart: Chart<'_>, heading: &Heading, analysis: &Analysis<'_>) -> Drawing {
    let names = Names::new(analysis, chart.left());
    let size = (WIDTH, chart.height(analysis, &names));
    let mut drawing = Drawing::new(size, heading, &chart.shows(&names));
    let c = &mut drawing;
    match chart {
        Chart::Timeline(lanes) => timeline::draw(c, heading, analysis, &names, lanes),
        Chart::Pods(curves) => {
            let fault = analysis.first_harm(Time::ZERO, Time::MAX).map(|s| s.at);
            pods::draw(c, heading, &names, (curves, fault));
        }
        Chart::Workloads(all) => workloads::draw(c, heading, analysis, &names, all),
    }
    drawing
}
