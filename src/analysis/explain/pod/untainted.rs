//! A pod that was in no danger.

use super::super::explanation::{Explanation, Step};
use super::super::node;
use super::inquiry::Inquiry;
use crate::analysis::clock::{absolute, short};
use crate::api::names::NodeId;

/// Why the pod of a node was in no danger: no NoExecute taint of the node reached the taint
/// eviction controller.
pub(super) fn untainted(of: &Inquiry<'_>, node: NodeId, found: &mut Explanation) {
    let analysis = of.question.analysis;
    let name = analysis.node_name(node);
    let flags = &analysis.plan.flags;
    let steps: Vec<Step> =
        of.story_asked(node).map_or(Vec::new(), |story| story.steps().cloned().collect());
    let has = |end: &str| steps.iter().any(|s| s.text.ends_with(end));
    let master = steps.iter().any(|s| s.text.starts_with("master disruption:"));
    let before = node::at_start(of.question, node);
    let tainted = steps.iter().any(|s| s.text.contains("tainted") && s.text.contains("NoExecute"));
    let why = if before.no_execute || tainted {
        format!(
            "{name} had a NoExecute taint, but not while this pod was on it and the controllers ran"
        )
    } else if before.unready || has("Ready is Unknown") || has("Ready is False") {
        if master {
            format!(
                "{name} was not Ready, but all zones were fully disrupted, and then nobody is tainted (master disruption)"
            )
        } else if has("waits in its zone's queue for the NoExecute taint") {
            format!(
                "{name} was not Ready and waited for its NoExecute taint, which it did not get by {}: its zone's rate was too low",
                absolute(of.question.until)
            )
        } else {
            format!("{name} was not Ready, but not for long enough to be tainted")
        }
    } else if steps.iter().any(|s| s.text.contains("falls silent")) {
        format!(
            "{name} was silent, but not for longer than --node-monitor-grace-period={}",
            short(flags.node_monitor_grace_period)
        )
    } else if steps.is_empty() {
        format!("its node {name} was healthy all the time")
    } else {
        format!("its node {name} never had a NoExecute taint")
    };
    found.verdict = format!("not evicted: {why}");
    found.steps = steps;
}
