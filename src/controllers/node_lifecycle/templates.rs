//! The NoExecute taints that the controller sets.

use crate::api::taint::{NOT_READY, NOT_READY_ALPHA, UNREACHABLE, UNREACHABLE_ALPHA};
use crate::controllers::prelude::*;

/// `UnreachableTaintTemplate` and `NotReadyTaintTemplate`.
#[derive(Debug)]
pub(super) struct Templates {
    pub(super) unreachable: Taint,
    pub(super) not_ready: Taint,
}

impl Templates {
    /// The templates under today's keys, or those of 1.6 to 1.8.
    pub(super) fn new(alpha: bool) -> Self {
        let (unreachable, not_ready) =
            if alpha { (UNREACHABLE_ALPHA, NOT_READY_ALPHA) } else { (UNREACHABLE, NOT_READY) };
        Templates {
            unreachable: Taint::new(unreachable, Effect::NoExecute),
            not_ready: Taint::new(not_ready, Effect::NoExecute),
        }
    }

    /// The taint of a node with that status, and the opposite one; none for one that is ready.
    pub(super) fn of(&self, status: ConditionStatus) -> Option<(&Taint, &Taint)> {
        match status {
            ConditionStatus::True => None,
            ConditionStatus::False => Some((&self.not_ready, &self.unreachable)),
            ConditionStatus::Unknown => Some((&self.unreachable, &self.not_ready)),
        }
    }
}
