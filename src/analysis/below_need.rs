//! When workloads were below their need, workload by workload: how long one of them was is a union of
//! spans, in which a workload that always is hides all others.

use super::prelude::*;
use super::served::{Served, Serving, Spans, together};

/// When each workload was below its need in a run, by name; those that never were are left out. Of those
/// that something replaces, and of all where there are none, as the costs of [`Serving::replaced`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Below(BTreeMap<String, Spans>);

impl Below {
    pub(crate) fn of(serving: &Serving) -> Self {
        let own = serving.workloads.partition_point(|w| w.id.is_some());
        let own = if own == 0 { serving.workloads.len() } else { own };
        let some = serving.workloads[..own].iter().filter(|w| !w.below.is_empty());
        Self(some.map(|w| (w.name.clone(), w.below.clone())).collect())
    }

    /// When each was, and was not in another run at the same time.
    pub(crate) fn without(&self, other: &Self) -> Self {
        let rest = |(name, spans): (&String, &Spans)| {
            let rest = match other.0.get(name) {
                Some(others) => less(spans, others),
                None => spans.clone(),
            };
            (!rest.is_empty()).then(|| (name.clone(), rest))
        };
        Self(self.0.iter().filter_map(rest).collect())
    }

    /// Those that were below their need for so long.
    pub(crate) fn for_long(&self, long: Dur) -> BTreeSet<&str> {
        let all = self.0.iter().filter(|(_, spans)| together((*spans).clone()) >= long);
        all.map(|(name, _)| name.as_str()).collect()
    }

    /// For how long one of them was, but for some that do not count, in minutes.
    pub(crate) fn minutes_but(&self, left_out: &BTreeSet<String>) -> f64 {
        let spans = self.0.iter().filter(|(name, _)| !left_out.contains(*name));
        let spans = spans.flat_map(|(_, spans)| spans.iter().copied());
        together(spans.collect()).as_nanos() as f64 / 60e9
    }

    /// For how much longer than in another run one of them was, in minutes; less than nothing where it
    /// was for less. What a workload is below its need in both at the same time counts for nothing, and
    /// hides nobody else.
    pub(crate) fn minutes_beyond(&self, other: &Self) -> f64 {
        let none = BTreeSet::new();
        self.without(other).minutes_but(&none) - other.without(self).minutes_but(&none)
    }
}

/// What of some spans lies in none of others; both are in order.
fn less(spans: &[(Time, Time)], others: &[(Time, Time)]) -> Spans {
    let (mut left, mut first) = (Spans::new(), 0);
    for &(mut from, to) in spans {
        first += others[first..].partition_point(|o| o.1 <= from);
        for &(begin, end) in others[first..].iter().take_while(|o| o.0 < to) {
            if begin > from {
                left.push((from, begin));
            }
            from = end;
        }
        if from < to {
            left.push((from, to));
        }
    }
    left
}

/// Workloads that were below their need for as long as their costs are counted, and before anything took
/// pods away. Runs that are compared leave them out of what is said of all workloads together if it is so
/// in each of them; one run alone does not, as what it says is what was.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct AllAlong {
    /// Their names; none where it is so of all workloads.
    pub(crate) workloads: BTreeSet<String>,
    /// [`Costs::below_need`] of the others, and the two figures that go with it.
    below_need: Dur,
    longest_below_need: Dur,
    none_up: Dur,
}

impl AllAlong {
    pub(crate) fn of(serving: &Serving, analysis: &Analysis<'_>) -> Self {
        let (all, horizon) = (&serving.workloads, analysis.horizon());
        let harm = analysis.first_harm(Time::ZERO, Time::MAX);
        let is_all_along = |w: &&Served| {
            let from = w.from.filter(|from| harm.is_none_or(|harm| *from < harm.at));
            from.is_some_and(|from| w.below == [(from, horizon)])
        };
        let workloads: BTreeSet<String> =
            all.iter().filter(is_all_along).map(|w| w.name.clone()).collect();
        let others = || all.iter().filter(|w| !workloads.contains(&w.name));
        if workloads.is_empty() || others().all(|w| w.from.is_none()) {
            return Self::default();
        }
        let spans = |of: fn(&Served) -> &Spans| others().flat_map(of).copied().collect::<Spans>();
        Self {
            below_need: together(spans(|w| &w.below)),
            none_up: together(spans(|w| &w.none_up)),
            longest_below_need: others()
                .map(|w| w.costs.longest_below_need)
                .max()
                .unwrap_or_default(),
            workloads,
        }
    }

    /// Leaves them out of a run's costs, if they are the ones that all runs compared have in common.
    /// Where a run has more of them, one that is no matter of course is below its need all along in it.
    pub(crate) fn leave_out(&self, common: &BTreeSet<String>, costs: &mut Costs) {
        if !common.is_empty() && self.workloads == *common {
            costs.below_need = self.below_need;
            costs.longest_below_need = self.longest_below_need;
            costs.none_up = self.none_up;
        }
    }
}

/// `Deployment default/web: below need all along …`, of workloads that runs in a comparison have left out.
pub(crate) fn left_out(common: &BTreeSet<String>) -> Option<String> {
    let names: Vec<String> = common.iter().map(|name| name.replacen('/', " ", 1)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{}: below need all along in every run, and so left out of the minutes below need and with none up of all workloads",
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(spans: &[(u64, u64)]) -> Spans {
        spans.iter().map(|(from, to)| (Time::from_secs(*from), Time::from_secs(*to))).collect()
    }

    #[test]
    fn what_is_in_no_other_span_is_left() {
        type Of = &'static [(u64, u64)];
        let cases: [(Of, Of, Of); 6] = [
            (&[(0, 60)], &[], &[(0, 60)]),
            (&[(0, 60)], &[(0, 60)], &[]),
            (&[(0, 60)], &[(10, 20), (30, 40)], &[(0, 10), (20, 30), (40, 60)]),
            (&[(10, 20), (30, 40)], &[(0, 60)], &[]),
            (&[(10, 20), (30, 40)], &[(15, 35)], &[(10, 15), (35, 40)]),
            (&[(10, 20), (30, 40)], &[(0, 10), (20, 30), (40, 50)], &[(10, 20), (30, 40)]),
        ];
        for (spans, others, left) in cases {
            assert_eq!(less(&at(spans), &at(others)), at(left), "{spans:?} {others:?}");
        }
    }

    /// `broken` is below its need for all of an hour, with an outage and without; `web` only with it, for
    /// two minutes. `api` is a minute later with it than without, which is neither more nor less.
    #[test]
    fn one_that_always_is_hides_nobody() {
        let of = |all: &[(&str, &[(u64, u64)])]| {
            Below(all.iter().map(|(name, spans)| ((*name).to_owned(), at(spans))).collect())
        };
        let without = of(&[("api", &[(0, 60)]), ("broken", &[(0, 3_600)])]);
        let with = of(&[("api", &[(60, 120)]), ("broken", &[(0, 3_600)]), ("web", &[(600, 720)])]);
        assert_eq!(with.minutes_beyond(&without), 2.0);
        assert_eq!(without.minutes_beyond(&with), -2.0);
        assert_eq!(with.for_long(Dur::from_secs(3_600)), BTreeSet::from(["broken"]));
        let left_out = BTreeSet::from(["broken".to_owned()]);
        assert_eq!(with.minutes_but(&left_out), 3.0);
    }

    /// Of an hour `web` is below its need for two minutes beside `broken`, which always is. In a run in which
    /// `web` always is, too, the hour is what that run came to.
    #[test]
    fn who_is_below_in_one_of_the_runs_alone_is_not_left_out() {
        let common = BTreeSet::from(["broken".to_owned()]);
        let hour = Costs { below_need: Dur::from_secs(3_600), ..Costs::default() };
        for (names, minutes) in [(&["broken"][..], 2), (&["broken", "web"][..], 60)] {
            let all_along = AllAlong {
                workloads: names.iter().map(|name| (*name).to_owned()).collect(),
                below_need: Dur::from_secs(120),
                ..AllAlong::default()
            };
            let mut costs = hour;
            all_along.leave_out(&common, &mut costs);
            assert_eq!(costs.below_need, Dur::from_secs(60 * minutes), "{names:?}");
        }
    }
}
