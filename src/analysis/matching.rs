//! What was recorded held against what runs come to: each eviction with its own, by the pod's name.
//! What is chance in a cluster, the order of a zone's queue say, came out in one way when it was
//! recorded, and comes out in many over the seeds: an eviction is explained if it is so in any.
//!
//! A pod that came while it lasted had its name by chance. One of the same workload stands in for
//! it: the nearest that no other stands for.

use super::course::{Course, Happening};
use crate::kernel::{Dur, Time};
use std::collections::{BTreeMap, BTreeSet};

/// An eviction that was recorded, beside the simulated one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) pod: String,
    pub(crate) recorded: Time,
    /// Of all runs the time that is nearest.
    pub(crate) simulated: Option<Time>,
    /// In which part of all runs it is simulated within the tolerance.
    pub(crate) share: f64,
    /// The pod came while it lasted, so that another of its workload stands in for it.
    pub(crate) stands_in: bool,
}

impl Pair {
    /// By how many milliseconds the simulated one comes later; negative if it comes earlier. None
    /// if it does not come.
    pub(crate) fn apart_ms(&self) -> Option<i64> {
        let ms = |t: Time| (t.as_nanos() / 1_000_000) as i64;
        Some(ms(self.simulated?) - ms(self.recorded))
    }

    /// Whether it is explained: both are no farther apart than that.
    pub(crate) fn is_explained(&self, tolerance: Dur) -> bool {
        self.simulated
            .is_some_and(|at| are_near(at, self.recorded, tolerance))
    }
}

fn apart(a: Time, b: Time) -> Dur {
    a.max(b).since(a.min(b))
}

fn are_near(a: Time, b: Time, tolerance: Dur) -> bool {
    apart(a, b) <= tolerance
}

/// All evictions of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matched {
    /// Those that were recorded, by time.
    pub(crate) pairs: Vec<Pair>,
    /// Those that all runs have and nobody recorded, by time.
    pub(crate) only_simulated: Vec<(String, Time)>,
}

impl Matched {
    /// Brings both together. `known` are the pods that runs have from the start: names of others are
    /// made up.
    pub(crate) fn of(
        recorded: &BTreeMap<String, Time>,
        courses: &[Course],
        known: &BTreeSet<String>,
        tolerance: Dur,
    ) -> Self {
        let mut simulated: BTreeMap<&str, Vec<Time>> = BTreeMap::new();
        for (pod, at) in courses.iter().flat_map(deletions) {
            simulated.entry(pod).or_default().push(at);
        }
        let stand_ins = stand_ins(recorded, courses, known);
        let pair = |(pod, at): (&String, &Time)| {
            let own = simulated.get(pod.as_str());
            let other = stand_ins.get(pod.as_str()).filter(|_| own.is_none());
            let times = own.or(other).map_or(&[][..], Vec::as_slice);
            let near = times.iter().filter(|t| are_near(**t, *at, tolerance));
            Pair {
                pod: pod.clone(),
                recorded: *at,
                simulated: times.iter().copied().min_by_key(|t| apart(*t, *at)),
                share: near.count() as f64 / courses.len().max(1) as f64,
                stands_in: other.is_some(),
            }
        };
        let mut pairs: Vec<Pair> = recorded.iter().map(pair).collect();
        pairs.sort_by(|a, b| (a.recorded, &a.pod).cmp(&(b.recorded, &b.pod)));
        let mut only: Vec<(String, Time)> = simulated
            .iter()
            .filter(|(pod, times)| {
                times.len() == courses.len()
                    && known.contains(**pod)
                    && !recorded.contains_key(**pod)
            })
            .filter_map(|(pod, times)| Some(((*pod).to_owned(), times.iter().min().copied()?)))
            .collect();
        only.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        Matched {
            pairs,
            only_simulated: only,
        }
    }

    /// How many are explained.
    pub(crate) fn explained(&self, tolerance: Dur) -> usize {
        self.pairs
            .iter()
            .filter(|p| p.is_explained(tolerance))
            .count()
    }
}

/// For each recorded pod that runs do not have from the start: in each run the deletion of a pod of
/// its workload that runs made up a name for, too, the nearest that stands for no other.
fn stand_ins<'p>(
    recorded: &'p BTreeMap<String, Time>,
    courses: &[Course],
    known: &BTreeSet<String>,
) -> BTreeMap<&'p str, Vec<Time>> {
    let mut found: BTreeMap<&str, Vec<Time>> = BTreeMap::new();
    let mut came: Vec<(&String, Time)> = recorded
        .iter()
        .filter(|(pod, _)| !known.contains(*pod))
        .map(|(pod, at)| (pod, *at))
        .collect();
    came.sort_by_key(|(_, at)| *at);
    for course in courses {
        let mut left: BTreeMap<&str, Vec<Time>> = BTreeMap::new();
        for (pod, at) in deletions(course).filter(|(pod, _)| !known.contains(*pod)) {
            left.entry(family_of(pod)).or_default().push(at);
        }
        for (pod, at) in &came {
            let Some(times) = left.get_mut(family_of(pod)) else {
                continue;
            };
            let nearest = (0..times.len()).min_by_key(|i| apart(times[*i], *at));
            if let Some(nearest) = nearest {
                let time = times.swap_remove(nearest);
                found.entry(pod.as_str()).or_default().push(time);
            }
        }
    }
    found
}

/// What the names of a workload's pods have in common: `shop/web-5468c74c4d` of
/// `shop/web-5468c74c4d-5sgsw`.
fn family_of(pod: &str) -> &str {
    pod.rsplit_once('-').map_or(pod, |(stem, _)| stem)
}

fn deletions(course: &Course) -> impl Iterator<Item = (&str, Time)> {
    let all = course.happenings.iter();
    all.filter(|((what, _), _)| *what == Happening::PodDeleted)
        .map(|((_, pod), at)| (pod.as_str(), *at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(deleted: &[(&str, u64)]) -> Course {
        let one = |(pod, s): &(&str, u64)| {
            (
                (Happening::PodDeleted, (*pod).to_owned()),
                Time::from_secs(*s),
            )
        };
        Course {
            happenings: deleted.iter().map(one).collect(),
            ..Course::default()
        }
    }

    /// Recorded at 10 s and 50 s. One run has the first at 50 s, the second at 10 s and a third pod,
    /// another has them at 11 s and 53 s: within two seconds the first is explained, by one of both
    /// runs, and within three both.
    #[test]
    fn each_is_held_against_its_own_in_any_run() {
        let recorded = BTreeMap::from([
            ("x/a".to_owned(), Time::from_secs(10)),
            ("x/b".to_owned(), Time::from_secs(50)),
        ]);
        let courses = [
            course(&[("x/a", 50), ("x/b", 10), ("x/c", 1), ("x/d", 7)]),
            course(&[("x/a", 11), ("x/b", 53), ("x/made-up", 2), ("x/d", 8)]),
        ];
        let known = ["x/a", "x/b", "x/c", "x/d"].map(str::to_owned).into();
        let of = |s| {
            let tolerance = Dur::from_secs(s);
            let matched = Matched::of(&recorded, &courses, &known, tolerance);
            (matched.explained(tolerance), matched)
        };
        let (two, matched) = of(2);
        assert_eq!((two, of(3).0), (1, 2));
        let apart: Vec<_> = matched.pairs.iter().map(Pair::apart_ms).collect();
        assert_eq!(apart, [Some(1_000), Some(3_000)]);
        assert_eq!(matched.pairs[0].share, 0.5);
        // One that only some runs have may have been spared by chance.
        let only = [("x/d".to_owned(), Time::from_secs(7))];
        assert_eq!(matched.only_simulated, only);
    }

    /// Two replacements of one workload were evicted at 60 s and 62 s. The first run has two at 61 s
    /// and 90 s, the second one of another workload at 60 s: the earlier is explained, by a
    /// stand-in, and the later has the one that is left, 28 s away.
    #[test]
    fn a_replacement_is_stood_for_by_another_of_its_workload() {
        let recorded = BTreeMap::from([
            ("x/web-aaa-1".to_owned(), Time::from_secs(60)),
            ("x/web-aaa-2".to_owned(), Time::from_secs(62)),
        ]);
        let courses = [
            course(&[
                ("x/web-aaa-7", 61),
                ("x/web-aaa-8", 90),
                ("x/web-aaa-0", 62),
            ]),
            course(&[("x/web-bbb-9", 60)]),
        ];
        // The last of the first run's was there from the start, and has its own name.
        let known = ["x/web-aaa-0".to_owned()].into();
        let matched = Matched::of(&recorded, &courses, &known, Dur::from_secs(2));
        let apart: Vec<_> = matched.pairs.iter().map(Pair::apart_ms).collect();
        assert_eq!(apart, [Some(1_000), Some(28_000)]);
        assert_eq!(matched.pairs[0].share, 0.5);
        assert!(matched.pairs.iter().all(|p| p.stands_in));
    }
}
