//! A lane for each node: its health and its taints over time.

use super::names::{Clock, Nodes};
use crate::analysis::Analysis;
use crate::analysis::lanes::by_zone_and_name;
use crate::analysis::state::{Follow, Health, NodeFlags};
use crate::api::names::NodeId;
use crate::kernel::Time;
use crate::report::html::columns::Columns;
use crate::trace::RecordId;

/// The states of nodes, each from a time on; those of one instant are all there, in order.
pub(super) struct Lanes {
    pub(super) nodes: Nodes,
    steps: Vec<Vec<(Time, u32)>>,
}

/// A state as a number: health in the three lowest bits, in the order of `Health::ALL`, then
/// whether there is a NoSchedule taint, a NoExecute taint, and a machine that is off.
fn code(n: NodeFlags) -> u32 {
    let bit = |is: bool, place: u32| u32::from(is && n.exists) << place;
    n.health().index() as u32 | bit(n.no_schedule > 0, 3) | bit(n.no_execute > 0, 4) | bit(n.off, 5)
}

impl Lanes {
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let mut follow = Follow::new(analysis);
        let mut steps: Vec<Vec<(Time, u32)>> =
            follow.nodes().map(|(_, n)| vec![(Time::ZERO, code(n))]).collect();
        for (id, r) in analysis.trace.iter().enumerate() {
            if let Some((node, before, after)) = follow.apply(id as RecordId, r).node
                && code(before) != code(after)
            {
                steps[node.index()].push((r.at, code(after)));
            }
        }
        let absent = Health::Absent.index() as u32;
        let existed = |n: &NodeId| steps[n.index()].iter().any(|s| s.1 & 7 != absent);
        let nodes: Vec<NodeId> = (0..steps.len() as u32).map(NodeId).filter(existed).collect();
        Lanes { nodes: Nodes::new(by_zone_and_name(analysis, nodes)), steps }
    }

    pub(super) fn write(&self, analysis: &Analysis<'_>, clock: Clock, columns: &mut Columns) {
        let ids = &self.nodes.ids;
        columns.texts("node.name", ids.iter().map(|n| analysis.node_name(*n)));
        columns.codes("node.zone", ids.iter().map(|n| u32::from(analysis.zone_of[n.index()])));
        let steps = || ids.iter().map(|n| &self.steps[n.index()]);
        columns.codes("lane.count", steps().map(|s| s.len() as u32));
        columns.near("lane.at", steps().flatten().map(|s| clock.of(s.0)));
        columns.codes("lane.state", steps().flatten().map(|s| s.1));
    }
}
