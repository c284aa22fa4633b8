//! The explanation of a node, and the stories of several, told once for all who ask.

use super::super::prelude::*;
use super::story::Story;
use super::teller::stories;

/// Explains several nodes, whose stories were told.
pub(crate) fn explain_all(
    question: Question<'_>,
    nodes: &[NodeId],
    stories: &Stories,
) -> Vec<Explanation> {
    let one = |node: &NodeId| Some(told(question, *node, stories.find(*node, question.until)?));
    nodes.iter().filter_map(one).collect()
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
    let verdict = match (story.steps.is_empty(), story.evicted) {
        (true, _) => format!("nothing happened to it; at {} {health}", absolute(question.until)),
        (_, 0) => format!("no pod was evicted from it; at {} {health}", absolute(question.until)),
        (_, n) => {
            let were = if n == 1 { "was" } else { "were" };
            format!(
                "{} {were} evicted from it; at {} {health}",
                counted(n, "pod"),
                absolute(question.until)
            )
        }
    };
    let verdict = match story.refused.last() {
        Some(_) => format!("{verdict}; {}", story.refused.verdict(question, "its drain")),
        None => verdict,
    };
    let mut remedies: Vec<Remedy> = story.grace_remedy(question, node).into_iter().collect();
    remedies.extend(story.refused.remedies(question, None));
    let zone = analysis.zone_name(node);
    let notes = if zone.is_empty() {
        Vec::new()
    } else {
        vec![format!("it is of zone {zone}: `explain … zone/{zone}` tells of that")]
    };
    let steps = story.steps().cloned().collect();
    Explanation {
        object: format!("node {}", analysis.node_name(node)),
        verdict,
        steps,
        remedies,
        notes,
    }
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
        Self::up_to(question, nodes, question.until)
    }

    /// Those of these nodes up to a time.
    pub(crate) fn up_to(question: Question<'_>, nodes: &[NodeId], until: Time) -> Self {
        let told = stories(question, nodes, until);
        Stories { until, told: nodes.iter().copied().zip(told).collect() }
    }

    /// The story of a node up to that time, if it is here.
    pub(crate) fn find(&self, node: NodeId, until: Time) -> Option<&Story> {
        self.told.get(&node).filter(|_| self.until == until)
    }
}
