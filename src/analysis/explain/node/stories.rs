//! The stories of several nodes, told once for all who ask.

use super::super::explanation::Question;
use super::story::Story;
use super::teller::stories;
use crate::api::names::NodeId;
use crate::kernel::Time;
use std::collections::BTreeMap;

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
