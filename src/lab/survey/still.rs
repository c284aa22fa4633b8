//! Why pods of a workload are not replaced while a loss lasts, or are not back long after it: what would
//! not have changed however long it had lasted.

use crate::analysis::moment::Moment;
use crate::api::words::rows;
use crate::lab::prelude::*;

rows! {
    /// Why pods are not replaced.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
    pub(crate) enum Why {
        /// Pods of a StatefulSet are not replaced before somebody confirms that the old ones are gone.
        StatefulSet = "stuck",
        /// Replacements wait for volumes that are attached to lost nodes.
        Volume = "volume",
        /// Replacements find no node, and would if there were more room on those that are left.
        NoRoom = "no node",
        /// Replacements find no node, whatever room there is.
        Held = "no node",
        /// Pods sit on lost nodes, and nobody has evicted them.
        NotEvicted = "not evicted",
        /// A DaemonSet's pods belong to their nodes.
        DaemonSet = "DaemonSet",
        /// Nothing replaces pods without a workload.
        Bare = "bare",
        /// They are on their way.
        Late = "on their way",
    }

    /// In a word, of pods that are not back.
    pub(crate) fn word -> &'static str;
}

impl Why {
    /// Why pods of a kind of workload are not replaced, by how many of them are in which state.
    pub(super) fn of(kind: Option<WorkloadKind>, more: &dyn Fn(fn(&Moment) -> u64) -> i64) -> Self {
        match kind {
            None => Why::Bare,
            Some(WorkloadKind::DaemonSet) => Why::DaemonSet,
            Some(WorkloadKind::StatefulSet) if more(|m| m.stuck + m.left) > 0 => Why::StatefulSet,
            Some(_) if more(|m| m.unattached) > 0 => Why::Volume,
            Some(_) if more(|m| m.pending) > 0 => Why::NoRoom,
            Some(_) if more(|m| m.left) > 0 => Why::NotEvicted,
            Some(_) => Why::Late,
        }
    }
}

/// A workload that is short of pods.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
pub(crate) struct Still {
    /// Why.
    pub(crate) why: Why,
    /// It is below what it needs, too.
    pub(crate) below: bool,
}
