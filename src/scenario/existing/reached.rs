//! Which pods a setting reaches, which of their tolerations are about failing nodes, and the sentence
//! about them.

use crate::api::pod::PodPhase;
use crate::api::taint::{Effect, NOT_READY, UNREACHABLE};
use crate::api::toleration::Operator;
use crate::language::{PodGroup, PodStart, Toleration};

/// Pod groups that a setting reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Places in [`Scenario::pods`](crate::language::Scenario::pods).
    pub(super) groups: Vec<usize>,
    /// The rest of the sentence about them, behind "3 existing pods".
    pub(super) said: String,
}

impl Reached {
    /// The sentence, with the numbers of pods that the groups stand for; nothing if there are none.
    pub(crate) fn sentence(&self, pods: &dyn Fn(usize) -> usize) -> Option<String> {
        let count: usize = self.groups.iter().map(|&i| pods(i)).sum();
        (count > 0).then(|| {
            format!("{count} existing {}{}", if count == 1 { "pod" } else { "pods" }, self.said)
        })
    }
}

/// Whether a rollout would replace these pods: not those that have ended, or that go already.
pub(super) fn stands(pod: &PodGroup) -> bool {
    !matches!(
        pod.start,
        Some(
            PodStart::Imported { phase: PodPhase::Succeeded | PodPhase::Failed, .. }
                | PodStart::Imported { deletion: Some(_), .. }
        )
    )
}

/// Whether a toleration is of a taint of failing nodes, as admission writes it.
pub(super) fn is_failing(t: &Toleration) -> bool {
    (t.key == NOT_READY || t.key == UNREACHABLE)
        && t.operator == Some(Operator::Exists)
        && t.effect == Some(Effect::NoExecute)
}
