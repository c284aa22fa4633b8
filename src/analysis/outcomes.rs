//! The figures of a workload over a run.

use super::prelude::*;
use super::serving::Late;

/// A workload that nobody owns, and what the run meant for it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct WorkloadOutcome {
    pub(crate) id: WorkloadId,
    /// How many pods it wants.
    pub(crate) wanted: Steps,
    /// How many pods are available.
    pub(crate) available: Steps,
    /// Time in which too few were available.
    pub(crate) unavailable: Dur,
    /// The longest stretch of that.
    pub(crate) longest_gap: Dur,
    /// The fewest available pods since there were enough of them.
    pub(crate) least_available: u32,
    /// Pods that were lost.
    pub(crate) lost: u64,
    /// Replacements that were created.
    pub(crate) replaced: u64,
    /// Pods that are bound to no node at the end.
    pub(crate) pending: u64,
    /// Why the last of its pods that the scheduler could not place could not be placed.
    pub(crate) why_pending: Option<TextId>,
    /// Why its controller could create none of its pods any more, where that is so.
    pub(crate) why_not_created: Option<TextId>,
    /// Pods on a node at the end to which their volumes cannot be attached.
    pub(crate) unattached: u64,
    /// What was last said of that.
    pub(crate) why_unattached: Option<TextId>,
    /// Pods that are bound at the end, have not started and wait for no volume.
    pub(crate) starting: u64,
    /// Pods that are stuck at the end.
    pub(crate) stuck: u64,
}

/// What came after a pod was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Replacement {
    /// The new pod.
    pub(crate) pod: PodId,
    pub(crate) created_at: Time,
    /// The node it was bound to.
    pub(crate) node: Option<NodeId>,
    /// When it was available for the first time.
    pub(crate) ready_at: Option<Time>,
}

/// What a run meant for its workloads.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Workloads {
    /// By kind and name.
    pub(crate) outcomes: Vec<WorkloadOutcome>,
    /// By the record of the loss; where several records are about one loss, the first.
    pub(crate) replacements: BTreeMap<RecordId, Replacement>,
}

impl WorkloadOutcome {
    /// How many pods are missing over time: none before there have been enough for the first time.
    pub(crate) fn missing(&self, horizon: Time) -> Steps {
        let mut steps = vec![(Time::ZERO, 0)];
        for (at, wanted, available) in self.counted(horizon) {
            set(&mut steps, at, wanted.saturating_sub(available));
        }
        steps
    }

    /// How many pods are wanted and available, at each change from the time on at which there were
    /// enough; if there never were, from the workload's beginning.
    fn counted(&self, horizon: Time) -> Vec<(Time, u32, u32)> {
        let times = self.wanted.iter().chain(&self.available).map(|s| s.0);
        let times: BTreeSet<Time> = times.filter(|t| *t <= horizon).collect();
        let values = |t| (t, value_at(&self.wanted, t), value_at(&self.available, t));
        let mut all: Vec<(Time, u32, u32)> = times.into_iter().map(values).collect();
        let enough = all.iter().position(|v| v.1 > 0 && v.2 >= v.1);
        let begins = enough.or_else(|| all.iter().position(|v| v.1 > 0));
        all.split_off(begins.unwrap_or(all.len()))
    }

    /// What was done to it while its first pods were still being made, where it was whole by a time.
    pub(super) fn late(&self, analysis: &Analysis<'_>, until: Time) -> Option<Late> {
        let &(whole, wanted, available) = self.counted(until).first()?;
        let asked = self.wanted.iter().find(|s| s.1 > 0)?.0;
        let harm = analysis.first_hindrance(asked, whole)?;
        (available >= wanted).then_some((harm, Some(whole)))
    }

    /// When too few pods were available up to a time: from, to, and how many too few at worst.
    /// Starting up does not count.
    pub(super) fn gaps(&self, until: Time) -> Vec<(Time, Time, u32)> {
        let mut gaps: Vec<(Time, Time, u32)> = Vec::new();
        let mut open: Option<(Time, u32)> = None;
        for (t, wanted, available) in self.counted(until) {
            let few = wanted.saturating_sub(available);
            if few > 0 {
                let (from, most) = open.unwrap_or((t, 0));
                open = Some((from, most.max(few)));
            } else {
                gaps.extend(open.take().map(|(from, most)| (from, t, most)));
            }
        }
        gaps.extend(open.map(|(from, most)| (from, until, most)));
        gaps
    }
}

/// The times and sums that follow from the steps.
pub(super) fn measured(mut o: WorkloadOutcome, horizon: Time) -> WorkloadOutcome {
    o.least_available = o.counted(horizon).iter().map(|v| v.2).min().unwrap_or(0);
    for (from, to, _) in o.gaps(horizon) {
        let gap = lasted((from, to));
        o.unavailable = o.unavailable.saturating_add(gap);
        o.longest_gap = o.longest_gap.max(gap);
    }
    o
}
