//! Why pods of a workload are not replaced while a loss lasts, or are not back long after it: what would
//! not have changed however long it had lasted.

use crate::api::words::rows;
use crate::lab::prelude::*;

rows! {
    /// Why pods are not replaced.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize, Serialize)]
    pub(crate) enum Why {
        /// They are a Job's that has failed.
        JobFailed = "Job failed",
        /// Pods of a StatefulSet, or of a Job that replaces failed pods alone, are not replaced before somebody confirms that
        /// the old ones are gone.
        Waits = "stuck",
        /// Replacements wait for volumes that are attached to lost nodes.
        Volume = "volume",
        /// Replacements find no node, and would if there were more room on those that are left.
        NoRoom = "no node",
        /// Replacements find no node, whatever room there is.
        Held = "no node",
        /// Pods sit on lost nodes, and nobody has evicted them.
        NotEvicted = "not evicted",
        /// A DaemonSet's pods belong to their nodes, which are lost.
        DaemonSet = "DaemonSet",
        /// Nothing replaces pods without a workload.
        Bare = "bare",
        /// They never start.
        Endless = "never start",
        /// They are on their way.
        Late = "on their way",
    }

    /// In a word, of pods that are not back.
    pub(crate) fn word -> &'static str;
}

impl Why {
    /// Why pods of such a workload are not replaced, by how it stands with the loss and without.
    pub(super) fn of(plan: &Plan, name: &str, with: &Moment, without: &Moment) -> Self {
        use WorkloadSpec::{DaemonSet, StatefulSet};
        let more = |of: fn(&Moment) -> u64| of(with) > of(without);
        let waits = plan.successors_wait(name);
        match plan.workloads.iter().find(|w| w.name == name).map(|w| &w.spec) {
            None => Why::Bare,
            // Those of lost nodes stay there; who waits for a node was preempted on one that is left.
            Some(DaemonSet) if !more(|m| m.pending) => Why::DaemonSet,
            Some(DaemonSet) => Why::NoRoom,
            Some(_) if waits && (more(|m| m.stuck) || more(|m| m.left)) => Why::Waits,
            Some(_) if more(|m| m.unattached) => Why::Volume,
            Some(_) if more(|m| m.pending) => Why::NoRoom,
            Some(_) if more(|m| m.left) => Why::NotEvicted,
            // One that is stuck in either case holds up those behind it (`OrderedReady`); of a `Parallel` set none does.
            Some(StatefulSet { parallel: false, .. }) if with.stuck + with.left > 0 => Why::Waits,
            Some(_) if more(|m| m.endless) => Why::Endless,
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

/// What something that is done to lost nodes does for a workload that waits for them.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize, Serialize)]
pub(crate) struct Freed {
    /// Why its pods are not replaced all the same; they are on their way where it helps.
    pub(super) why: Why,
    /// Why a new one finds no node, in the scheduler's words.
    pub(super) said: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn why_of(fields: &str, with: Moment, without: Moment) -> Why {
        let text = format!(
            r#"Scenario(version: 1, horizon: "1m", nodes: [(name: "n")], workloads: [StatefulSet(name: "db", replicas: 3{fields})])"#
        );
        let loaded = scenario::parse("s.ron", text.into_bytes(), Path::new("")).expect("it loads");
        let plan = scenario::build(&loaded, &Overrides::default()).expect("it builds");
        Why::of(&plan, "StatefulSet/default/db", &with, &without)
    }

    fn why(with: Moment, without: Moment) -> Why {
        why_of("", with, without)
    }

    /// Without the loss a pod is stuck. With it that one is gone and another sits on the lost node: the one
    /// does not make up for the other.
    #[test]
    fn fewer_stuck_pods_do_not_hide_one_that_is_left() {
        let (with, without) =
            (Moment { left: 1, ..Moment::default() }, Moment { stuck: 1, ..Moment::default() });
        assert_eq!(why(with, without), Why::Waits);
    }

    /// db-0 is stuck on a node that was silent before. The loss takes db-2, whose node is back: it is not
    /// made anew before db-0 is gone, and not on its way.
    #[test]
    fn a_pod_behind_one_that_is_stuck_is_not_on_its_way() {
        let stuck = Moment { stuck: 1, ..Moment::default() };
        assert_eq!(why(stuck, stuck), Why::Waits);
        assert_eq!(why(Moment::default(), Moment::default()), Why::Late);
    }

    /// A Parallel set makes db-2 anew while db-0 is stuck; what the loss itself has stuck is stuck there, too.
    #[test]
    fn of_a_parallel_set_no_pod_waits_for_another() {
        let stuck = Moment { stuck: 1, ..Moment::default() };
        let parallel = ", podManagementPolicy: Parallel";
        assert_eq!(why_of(parallel, stuck, stuck), Why::Late);
        assert_eq!(why_of(parallel, stuck, Moment::default()), Why::Waits);
    }
}
