//! How much of a harm a violation is, for two of them to be compared.

use super::super::setting::Analysis;
use super::super::state::Follow;
use super::violation::Violation;
use crate::api::pod::PodPhase;

/// What a violation is about, as it was right before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Harm {
    /// It is about a pod.
    pod: bool,
    /// The pod was bound to a node, or the violation is about a node alone.
    node: bool,
    /// The pod was Running, or about to be: it was on a node that was Ready and in touch.
    lives: bool,
    /// The pod was Ready.
    ready: bool,
}

impl Harm {
    /// That of a violation.
    pub fn of(violation: &Violation, analysis: &Analysis<'_>) -> Self {
        let mut follow = Follow::new(analysis);
        let last = violation.records.last().copied();
        for (id, r) in (0..).zip(analysis.trace.iter()) {
            if Some(id) == last || r.at > violation.at {
                break;
            }
            follow.apply(id, r);
        }
        let Some(pod) = violation.pod.map(|p| follow.pod(p)) else {
            return Self { node: violation.node.is_some(), ..Self::default() };
        };
        let back = pod.node_id().is_some_and(|n| follow.node(n).is_back());
        Self {
            pod: true,
            node: pod.node_id().is_some(),
            lives: pod.phase == PodPhase::Running || back,
            ready: pod.ready,
        }
    }

    /// Whether it is as bad as another.
    pub fn is_as_bad(self, other: Self) -> bool {
        self.pod == other.pod
            && self.node >= other.node
            && self.lives >= other.lives
            && self.ready >= other.ready
    }
}
