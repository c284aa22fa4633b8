//! Which pods a rollout would replace, and which of their tolerations are about failing nodes.

use crate::api::pod::PodPhase;
use crate::api::taint::{Effect, NOT_READY, UNREACHABLE};
use crate::api::toleration::Operator;
use crate::language::{PodGroup, PodStart, Toleration};

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
