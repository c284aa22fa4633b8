//! What two runs cost, compared with each other, and the figures of two sides over seeds.

use super::super::serving::{Count, Served, Serving};
use super::super::workloads::{WorkloadOutcome, Workloads};
use crate::analysis::prelude::*;
use crate::analysis::statistics::sign_test;

/// What a run cost a workload, or all of them, and how much of that may come of times that count as
/// the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Bill {
    pub(crate) costs: Costs,
    /// By how many pods it changed over time how many are desired, up, ready and so on: as many
    /// times may be off by a tolerance.
    pub(super) turns: u64,
    /// The most pods that were desired at one time.
    pub(super) most_desired: u64,
    /// Nothing could be missing, as none of its pods were counted when something was done to them.
    pub(crate) uncounted: bool,
}

impl Bill {
    /// Of one workload.
    fn new(served: &Served) -> Self {
        let counts = served.counts.iter().map(|(_, count)| count);
        let turns = counts.clone().zip(counts.skip(1)).map(|(a, b)| turned(a, b)).sum();
        let most_desired = served.counts.iter().map(|c| u64::from(c.1.desired)).max().unwrap_or(0);
        Bill { costs: served.costs, turns, most_desired, uncounted: false }
    }

    /// Of all of them together.
    pub(super) fn whole(analysis: &Analysis<'_>, serving: &Serving) -> Self {
        let all = &serving.workloads;
        let sum = |of: fn(&Bill) -> u64| all.iter().map(|w| of(&Bill::new(w))).sum();
        Bill {
            costs: serving.whole,
            turns: sum(|b| b.turns),
            most_desired: sum(|b| b.most_desired),
            uncounted: !all.is_empty() && all.iter().all(|w| w.is_uncounted(analysis)),
        }
    }

    /// A figure, in its unit; no number where it is not counted.
    pub(crate) fn of(&self, figure: Figure) -> f64 {
        let is_counted = !self.uncounted || !figure.is_of_counted_time();
        if is_counted { figure.of(&self.costs) } else { f64::NAN }
    }

    /// How a figure of `other` is to this one: greater, which is worse, or less. A difference is
    /// none if it can come of times that differ by no more than `tolerance`.
    pub(crate) fn compared(&self, other: &Self, figure: Figure, tolerance: Dur) -> Ordering {
        let (a, b) = (self.of(figure), other.of(figure));
        let ns = tolerance.as_nanos() as f64;
        let all = ns * self.turns.max(other.turns) as f64;
        let share = || {
            let requests = self.costs.requests.min(other.costs.requests).max(1) as f64;
            all * self.most_desired.max(other.most_desired) as f64 / requests
        };
        let slack = match figure {
            _ if figure.is_count() => 0.0,
            Figure::RequestsLostShare => share(),
            Figure::RequestsLostMinutes => {
                share() * self.costs.observed.max(other.costs.observed).as_nanos() as f64 / 60e9
            }
            // A beginning and an end.
            Figure::LongestBelowNeed | Figure::LongestPending => 2.0 * ns / 1e9,
            _ => all / 60e9,
        };
        if (b - a).abs() <= slack { Ordering::Equal } else { b.total_cmp(&a) }
    }

    /// Whether all figures are the same.
    pub(crate) fn is_like(&self, other: &Self, tolerance: Dur) -> bool {
        Figure::ALL.into_iter().all(|f| self.compared(other, f, tolerance).is_eq())
    }
}

/// How many pods changed from one count to the next.
fn turned(a: &Count, b: &Count) -> u64 {
    let of = |c: &Count| [c.desired, c.up, c.ready, c.ghosts, c.dead, c.pending];
    of(a).into_iter().zip(of(b)).map(|(a, b)| u64::from(a.abs_diff(b))).sum()
}

/// What is counted of a workload beside its costs, by its name in JSON and in words: pods that it asks for at the end, that are up
/// then, and the fewest that were up while its costs were counted; pods lost, replacements created, and pods stuck at the end.
pub(crate) const COUNTS: [(&str, &str); 6] = [
    ("desired_at_the_end", "desired at the end"),
    ("up_at_the_end", "up at the end"),
    ("least_up", "pods up at worst"),
    ("lost", "lost"),
    ("replacements", "replaced"),
    ("stuck_terminating", "stuck Terminating"),
];

/// What became of a workload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fate {
    /// What the run cost it.
    pub(crate) bill: Bill,
    /// Those of [`COUNTS`].
    pub(crate) counts: [u64; COUNTS.len()],
}

impl Fate {
    fn new(analysis: &Analysis<'_>, served: &Served, outcome: Option<&WorkloadOutcome>) -> Self {
        let end = served.at_end();
        let (lost, replaced, stuck) = outcome.map_or((0, 0, 0), |o| (o.lost, o.replaced, o.stuck));
        let bill = Bill { uncounted: served.is_uncounted(analysis), ..Bill::new(served) };
        let up = served.spans(analysis.horizon()).map(|(.., c)| c.up);
        let [desired, up, least] = [end.desired, end.up, up.min().unwrap_or(end.up)].map(u64::from);
        Fate { bill, counts: [desired, up, least, lost, replaced, stuck] }
    }

    pub(super) fn is_like(&self, other: &Self, tolerance: Dur) -> bool {
        self.counts == other.counts && self.bill.is_like(&other.bill, tolerance)
    }
}

/// What became of the workloads of a run, by name: `Deployment default/web`.
pub(super) fn fates(
    analysis: &Analysis<'_>,
    serving: &Serving,
    workloads: &Workloads,
) -> Vec<(String, Fate)> {
    let fate = |w: &Served| {
        let outcome = workloads.outcomes.iter().find(|o| Some(o.id) == w.id);
        (w.name.replacen('/', " ", 1), Fate::new(analysis, w, outcome))
    };
    serving.workloads.iter().map(fate).collect()
}

/// A figure of the costs over seeds, in its unit.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Paired {
    /// The means of the first and of the second side.
    pub(crate) means: [f64; 2],
    /// The mean of the differences of equal seeds: the second side's less the first side's. More is
    /// worse.
    pub(crate) difference: f64,
    /// The least and the greatest of these differences.
    pub(crate) range: (f64, f64),
    /// In how many seeds it is less in the second side, beyond the tolerance.
    pub(crate) less: u64,
    /// In how many seeds it is more in the second side, beyond the tolerance.
    pub(crate) more: u64,
}

impl Paired {
    /// How likely as many seeds on one side are if it is chance which of both sides is which.
    pub(crate) fn chance(&self) -> f64 {
        sign_test(self.less, self.more)
    }
}

/// The figures over seeds, in the order of [`Figure::ALL`], with sums for means, each with the number of seeds
/// that both sides count it in.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Sums {
    seeds: u64,
    figures: [(u64, Paired); Figure::ALL.len()],
}

impl Sums {
    pub(super) fn add(&mut self, a: &Bill, b: &Bill, tolerance: Dur) {
        self.seeds += 1;
        for ((seeds, sum), figure) in self.figures.iter_mut().zip(Figure::ALL) {
            let values = [a.of(figure), b.of(figure)];
            let difference = values[1] - values[0];
            if difference.is_nan() {
                continue;
            }
            *seeds += 1;
            sum.means = [sum.means[0] + values[0], sum.means[1] + values[1]];
            sum.difference += difference;
            let (least, most) = if *seeds == 1 { (difference, difference) } else { sum.range };
            sum.range = (least.min(difference), most.max(difference));
            match a.compared(b, figure, tolerance) {
                Ordering::Less => sum.less += 1,
                Ordering::Greater => sum.more += 1,
                Ordering::Equal => {}
            }
        }
    }

    pub(super) fn finish(&self) -> Vec<(Figure, Paired)> {
        // Of a figure that no seed counts there is no mean, and no number.
        let one = |(figure, (seeds, sum)): (Figure, &(u64, Paired))| {
            let n = if self.seeds == 0 { 1.0 } else { *seeds as f64 };
            let (means, difference) = (sum.means.map(|s| s / n), sum.difference / n);
            let range = if difference.is_nan() { (f64::NAN, f64::NAN) } else { sum.range };
            (figure, Paired { means, difference, range, ..*sum })
        };
        Figure::ALL.into_iter().zip(&self.figures).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::serving::Count;
    use crate::kernel::Time;

    /// Two pods are desired; both are down from one second to another.
    fn served(from: u64, to: u64) -> Bill {
        let count = |up| Count { desired: 2, up, ready: up, ..Count::default() };
        let counts = vec![
            (Time::ZERO, count(2)),
            (Time::from_secs(from), count(0)),
            (Time::from_secs(to), count(2)),
        ];
        let down = Dur::from_secs(to - from);
        let costs = Costs {
            missing_ns: 2 * u128::from(down.as_nanos()),
            longest_below_need: down,
            evicted: 2,
            ..Costs::default()
        };
        Bill::new(&Served { name: "w".to_owned(), counts, costs, ..Served::default() })
    }

    #[test]
    fn costs_differ_by_no_more_than_times_may() {
        let (a, b) = (served(60, 100), served(60, 105));
        // 2 · 5 pod-seconds more. Four pods change, two down and two up, and each of two counts
        // says so: eight changes.
        assert_eq!(a.turns, 8);
        let at = |figure, tolerance| a.compared(&b, figure, Dur::from_secs(tolerance));
        assert_eq!(
            (at(Figure::ReplicaMinutesMissing, 0), at(Figure::ReplicaMinutesMissing, 1)),
            (Ordering::Greater, Ordering::Greater)
        );
        assert_eq!(at(Figure::ReplicaMinutesMissing, 5), Ordering::Equal);
        // An end of a stretch is off by 5 s; beginning and end may be off by 2 s each, but not by 3
        // s.
        assert_eq!(
            (at(Figure::LongestBelowNeed, 2), at(Figure::LongestBelowNeed, 3)),
            (Ordering::Greater, Ordering::Equal)
        );
        assert_eq!(b.compared(&a, Figure::LongestBelowNeed, Dur::ZERO), Ordering::Less);
        assert!(a.is_like(&b, Dur::from_secs(5)) && !a.is_like(&b, Dur::ZERO));
        // No tolerance makes one eviction of two.
        let one = Bill { costs: Costs { evicted: 1, ..a.costs }, ..a };
        assert_eq!(a.compared(&one, Figure::Evicted, Dur::from_secs(600)), Ordering::Less);
    }
}
