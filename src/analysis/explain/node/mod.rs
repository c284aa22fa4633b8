//! What became of a node: silence, condition, queue, taints, and the way back. The stories of several
//! are told once for all who ask.

mod story;
mod teller;

use super::prelude::*;
use super::rules;
use teller::stories;

pub(super) use story::{AtStart, Story, at_start};

/// Explains several nodes, whose stories were told.
pub(crate) fn explain_nodes(
    question: Question<'_>,
    nodes: &[NodeId],
    stories: &Stories,
) -> Vec<Explanation> {
    let one = |node: &NodeId| Some(told(question, *node, stories.find(*node, question.until)?));
    question.with_troubles(nodes.iter().filter_map(one))
}

/// What a node's story comes to.
fn told(question: Question<'_>, node: NodeId, story: &Story) -> Explanation {
    let analysis = question.analysis;
    let health = match story.health {
        Health::Absent => "there is no such node",
        Health::Ready => "it is Ready",
        Health::Silent => "it is silent, and that is not noticed yet",
        Health::Unknown => "it is Unknown",
        Health::NotReady => "it is NotReady",
    };
    let lost = match (story.steps.is_empty(), story.evicted) {
        (true, 0) => "nothing was amiss with it".to_owned(),
        (_, 0) => "no pod was evicted from it".to_owned(),
        (_, 1) => "1 pod was evicted from it".to_owned(),
        (_, n) => format!("{} were evicted from it", counted(n, "pod")),
    };
    let at = absolute(question.until);
    let mut verdict = match question.until < analysis.horizon() {
        true => format!("{lost} by {at}; then {health}"),
        false => format!("{lost}; at {at} {health}"),
    };
    if let Some(silence) = story.unnoticed {
        verdict +=
            &format!(", and stayed so while {}", rules::within_grace(analysis.plan, silence));
    }
    if story.refused.last().is_some() {
        verdict += &format!("; {}", story.refused.verdict(question, "its drain"));
    }
    let mut remedies: Vec<Remedy> = story.grace_remedy(question, node).into_iter().collect();
    remedies.extend(story.refused.remedies(question, None));
    let zone = analysis.zone_name(node);
    let of_zone = || format!("it is of zone {zone}: `explain … zone/{zone}` tells of that");
    let notes = (!zone.is_empty()).then(of_zone).into_iter().collect();
    let (object, steps) = (format!("node {}", analysis.node_name(node)), story.steps().cloned());
    Explanation { object, verdict, steps: steps.collect(), remedies, notes }
}

/// What happened to nodes up to a time.
#[derive(Default)]
pub(crate) struct Stories {
    until: Time,
    told: BTreeMap<NodeId, Story>,
}

impl Stories {
    /// Those of these nodes up to the time of the question, which takes a walk through the trace.
    pub(crate) fn new(question: Question<'_>, nodes: &[NodeId]) -> Self {
        let told = nodes.iter().copied().zip(stories(question, nodes)).collect();
        Stories { until: question.until, told }
    }

    /// The story of a node up to that time, if it is here.
    pub(crate) fn find(&self, node: NodeId, until: Time) -> Option<&Story> {
        self.told.get(&node).filter(|_| self.until == until)
    }
}
