//! What a run cost, as figures that a person decides by.
//!
//! All are counted from the time on at which a workload serves (see [`serving`](super::serving)),
//! to the end of the run. More is worse in every one of them.

use super::beneath::*;
use Measure::{Count, Minutes, Number, Seconds};

/// What a run cost a workload, or all of them. Integers, so that runs compare exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Costs {
    /// Desired pods that were not up, summed over time, in pod-nanoseconds. Replacements count as
    /// up, pods that are being deleted do not.
    pub missing_ns: u128,
    /// Time in which fewer pods were up than it needs; of all workloads, in which one of them was
    /// below its need.
    pub below_need: Dur,
    /// The longest stretch of that; of all workloads, the longest of any of them.
    pub longest_below_need: Dur,
    /// Time in which pods were desired and none was up; of all workloads, in which one of them had
    /// none.
    pub none_up: Dur,
    /// Requests that went to pods which were not up, or that found no endpoint, if each desired pod
    /// brings one a nanosecond.
    pub requests_lost: u128,
    /// All requests, at the same rate.
    pub requests: u128,
    /// The time in which there were requests, as pods were desired; of all workloads, the longest of any of them.
    pub observed: Dur,
    /// Containers that ran, and that clients reached, or that were a Job's, although their pod was being
    /// deleted or gone, summed over time, in pod-nanoseconds.
    pub ghost_ns: u128,
    /// Pods that were evicted.
    pub evicted: u64,
    /// Evictions that turned out to be needless.
    pub needless: u64,
    /// Evictions of which the run ended too early to tell.
    pub undecided: u64,
    /// How often a pod's containers were started anew in one life of the pod.
    pub restarts: u64,
    /// Pods that are Pending at the end.
    pub pending_at_end: u64,
    /// Pods that were Pending, summed over time, in pod-nanoseconds.
    pub pending_ns: u128,
    /// The most pods that were Pending at one time.
    pub most_pending: u64,
    /// The longest time for which one pod was Pending.
    pub longest_pending: Dur,
}

words! {
    /// A figure that can be asked for by its name, in JSON and as a column, which ends in the unit where
    /// there is one. In the order of reports.
    pub enum Figure {
        /// [`Costs::missing_ns`], in minutes.
        ReplicaMinutesMissing = "replica_minutes_missing":
            ("replica-minutes missing", Minutes(|c| c.missing_ns)),
        /// [`Costs::below_need`], in minutes.
        MinutesBelowNeed = "minutes_below_need":
            ("minutes below need", Minutes(|c| ns(c.below_need))),
        /// [`Costs::longest_below_need`], in seconds.
        LongestBelowNeed = "longest_below_need_s":
            ("longest below need", Seconds(|c| c.longest_below_need)),
        /// [`Costs::none_up`], in minutes.
        MinutesNoneUp = "minutes_none_up": ("minutes none up", Minutes(|c| ns(c.none_up))),
        /// [`Costs::requests_lost`] of [`Costs::requests`], from 0 to 1.
        RequestsLostShare = "requests_lost_share": ("requests lost", Number(share)),
        /// The same share of the time in which there were requests, in minutes: as if all had been lost for
        /// that time.
        RequestsLostMinutes = "requests_lost_minutes":
            ("minutes of requests lost", Number(lost_minutes)),
        /// [`Costs::ghost_ns`], in minutes.
        GhostMinutes = "ghost_minutes": ("ghost-minutes", Minutes(|c| c.ghost_ns)),
        /// [`Costs::evicted`].
        Evicted = "evicted": ("evicted", Count(|c| c.evicted)),
        /// [`Costs::needless`].
        Needless = "needless": ("needless", Count(|c| c.needless)),
        /// [`Costs::undecided`].
        Undecided = "undecided": ("undecided", Count(|c| c.undecided)),
        /// [`Costs::restarts`].
        Restarts = "restarts": ("restarts", Count(|c| c.restarts)),
        /// [`Costs::pending_at_end`].
        PendingAtEnd = "pending_at_end": ("pending at the end", Count(|c| c.pending_at_end)),
        /// [`Costs::pending_ns`], in minutes.
        PendingMinutes = "pending_minutes": ("pending minutes", Minutes(|c| c.pending_ns)),
        /// [`Costs::most_pending`].
        MostPending = "most_pending": ("most pending", Count(|c| c.most_pending)),
        /// [`Costs::longest_pending`], in seconds.
        LongestPending = "longest_pending_s": ("longest pending", Seconds(|c| c.longest_pending)),
    }

    fn looked_up -> (&'static str, Measure);
}

impl Figure {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        self.as_str()
    }

    /// Its name for people.
    pub(crate) fn heading(self) -> &'static str {
        self.looked_up().0
    }

    /// Whether it is a number of things, which has no fraction.
    pub(crate) fn is_count(self) -> bool {
        matches!(self.looked_up().1, Measure::Count(_))
    }

    /// Whether it is of the time from which on workloads are counted, as the first of them are: of one that never is
    /// there is none.
    pub(crate) fn is_of_counted_time(self) -> bool {
        self <= Self::RequestsLostMinutes
    }

    /// Its value, in its unit.
    pub fn of(self, costs: &Costs) -> f64 {
        match self.looked_up().1 {
            Measure::Count(of) => of(costs) as f64,
            Measure::Minutes(of) => minutes(of(costs)),
            Measure::Seconds(of) => of(costs).as_nanos() as f64 / 1e9,
            Measure::Number(of) => of(costs),
        }
    }
}

/// No run counts more of anything than this, nor sums it up to more nanoseconds than the square of
/// it.
pub(super) const COUNT_MAX: u64 = 1 << 48;

impl Costs {
    /// Whether a sum of many of these is a number still.
    pub(super) fn is_sound(&self) -> bool {
        let most = u128::from(COUNT_MAX) * u128::from(COUNT_MAX);
        let is_sound = |figure: Figure| match figure.looked_up().1 {
            Count(of) => of(self) <= COUNT_MAX,
            Minutes(of) => of(self) <= most,
            Seconds(_) | Number(_) => true,
        };
        Figure::ALL.into_iter().all(is_sound) && self.requests.max(self.requests_lost) <= most
    }
}

/// What a figure is of costs.
enum Measure {
    Count(fn(&Costs) -> u64),
    /// From nanoseconds.
    Minutes(fn(&Costs) -> u128),
    Seconds(fn(&Costs) -> Dur),
    Number(fn(&Costs) -> f64),
}

fn ns(time: Dur) -> u128 {
    time.as_nanos().into()
}

fn minutes(ns: u128) -> f64 {
    ns as f64 / 60e9
}

/// The share of requests that are lost.
fn share(costs: &Costs) -> f64 {
    if costs.requests == 0 { 0.0 } else { costs.requests_lost as f64 / costs.requests as f64 }
}

fn lost_minutes(costs: &Costs) -> f64 {
    share(costs) * minutes(ns(costs.observed))
}
