//! Which taints count as those of a failing node.

use crate::api::taint::{Effect, NOT_READY, NOT_READY_ALPHA, UNREACHABLE, UNREACHABLE_ALPHA};

/// Whether an effect matters to lanes and rows beyond being shown.
pub(super) fn is_no_execute(effect: Effect) -> bool {
    effect == Effect::NoExecute
}

/// Whether Kubernetes itself sets a taint of this key as NoExecute when a node fails.
pub(super) fn is_failure_key(key: &str) -> bool {
    [NOT_READY, UNREACHABLE, NOT_READY_ALPHA, UNREACHABLE_ALPHA].contains(&key)
}
