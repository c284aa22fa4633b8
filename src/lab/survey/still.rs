//! Why a workload was still short of pods when the loss ended: what would not have changed however
//! long the loss had lasted.

use crate::api::workload::WorkloadKind;
use crate::kernel::Dur;
use serde::{Deserialize, Serialize};

/// How much longer than asked for a loss lasts where pods were left on lost nodes, to see when they
/// would have been evicted.
pub(super) const LATER: Dur = Dur::from_secs(3_600);

/// Why pods are not replaced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub(crate) enum Why {
    /// Pods of a StatefulSet are not replaced before somebody confirms that the old ones are gone.
    StatefulSet,
    /// Replacements find no node, and would if there were more room on those that are left.
    NoRoom,
    /// Replacements find no node, whatever room there is.
    Held,
    /// Pods sit on lost nodes, and nobody has evicted them.
    NotEvicted,
    /// A DaemonSet's pods belong to their nodes.
    DaemonSet,
    /// Nothing replaces pods without a workload.
    Bare,
    /// They are on their way.
    Late,
}

/// A workload that is short of pods.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub(crate) struct Still {
    /// Why.
    pub why: Why,
    /// It is below what it needs, too.
    pub below: bool,
}

/// Pods of a workload that are not where they should be when the loss ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pods {
    /// They wait for a node.
    pub pending: i64,
    /// Their deletion does not end.
    pub stuck: i64,
    /// They sit on lost nodes.
    pub left: i64,
}

impl Still {
    /// Why a workload is short of pods; `below` says whether it is below its need.
    pub(super) fn of(kind: Option<WorkloadKind>, pods: Pods, below: bool) -> Self {
        let why = match kind {
            None => Why::Bare,
            Some(WorkloadKind::DaemonSet) => Why::DaemonSet,
            Some(WorkloadKind::StatefulSet) if pods.stuck > 0 || pods.left > 0 => Why::StatefulSet,
            Some(_) if pods.pending > 0 => Why::NoRoom,
            Some(_) if pods.left > 0 => Why::NotEvicted,
            Some(_) => Why::Late,
        };
        Self { why, below }
    }
}
