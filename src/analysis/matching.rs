//! What was recorded held against what runs come to: each eviction with its own, by the pod's name,
//! in the run that fits best. What is chance in a cluster, the order of a zone's queue say, came out
//! in one way when it was recorded, and comes out in many over the seeds.

use super::course::{Course, Happening};
use crate::kernel::{Dur, Time};
use std::collections::{BTreeMap, BTreeSet};

/// An eviction that was recorded, beside the simulated one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) pod: String,
    pub(crate) recorded: Time,
    pub(crate) simulated: Option<Time>,
    /// In which part of all runs it is simulated within the tolerance.
    pub(crate) share: f64,
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

fn are_near(a: Time, b: Time, tolerance: Dur) -> bool {
    a.max(b).since(a.min(b)) <= tolerance
}

/// All evictions of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matched {
    /// Those that were recorded, by time.
    pub(crate) pairs: Vec<Pair>,
    /// Those that the run has and nobody recorded, by time.
    pub(crate) only_simulated: Vec<(String, Time)>,
    /// Which of the runs fits best, from 0.
    pub(crate) run: usize,
}

impl Matched {
    /// Brings the recorded evictions together with the run that explains most of them, the first
    /// of several. `known` are the pods that runs have from the start, without those that others
    /// deleted: names of others are made up.
    pub(crate) fn best(
        recorded: &BTreeMap<String, Time>,
        courses: &[Course],
        known: &BTreeSet<String>,
        tolerance: Dur,
    ) -> Self {
        let runs: Vec<BTreeMap<&str, Time>> = courses.iter().map(deletions).collect();
        let score = |run: &BTreeMap<&str, Time>| {
            let explains = |(pod, at): &(&String, &Time)| {
                run.get(pod.as_str())
                    .is_some_and(|t| are_near(*t, **at, tolerance))
            };
            let explained = recorded.iter().filter(explains).count();
            let only = run
                .keys()
                .filter(|pod| known.contains(**pod) && !recorded.contains_key(**pod));
            explained as i64 - only.count() as i64
        };
        let scores: Vec<i64> = runs.iter().map(score).collect();
        let most = scores.iter().max().copied().unwrap_or(0);
        let best = scores.iter().position(|s| *s == most).unwrap_or(0);
        let nothing = BTreeMap::new();
        let run = runs.get(best).unwrap_or(&nothing);
        let share = |pod: &str, at: Time| {
            let near = |run: &&BTreeMap<&str, Time>| {
                run.get(pod).is_some_and(|t| are_near(*t, at, tolerance))
            };
            runs.iter().filter(near).count() as f64 / runs.len().max(1) as f64
        };
        let mut pairs: Vec<Pair> = recorded
            .iter()
            .map(|(pod, at)| Pair {
                pod: pod.clone(),
                recorded: *at,
                simulated: run.get(pod.as_str()).copied(),
                share: share(pod, *at),
            })
            .collect();
        pairs.sort_by(|a, b| (a.recorded, &a.pod).cmp(&(b.recorded, &b.pod)));
        let mut only: Vec<(String, Time)> = run
            .iter()
            .filter(|(pod, _)| known.contains(**pod) && !recorded.contains_key(**pod))
            .map(|(pod, at)| ((*pod).to_owned(), *at))
            .collect();
        only.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        Matched {
            pairs,
            only_simulated: only,
            run: best,
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

fn deletions(course: &Course) -> BTreeMap<&str, Time> {
    course
        .happenings
        .iter()
        .filter(|((what, _), _)| *what == Happening::PodDeleted)
        .map(|((_, pod), at)| (pod.as_str(), *at))
        .collect()
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

    /// Recorded at 10 s and 50 s. The first run has them the other way round and a third pod, the
    /// second has them at 11 s and 53 s: it fits best, and explains the first within two seconds,
    /// both within three.
    #[test]
    fn each_is_held_against_its_own_in_the_run_that_fits_best() {
        let recorded = [
            ("x/a".to_owned(), Time::from_secs(10)),
            ("x/b".to_owned(), Time::from_secs(50)),
        ];
        let courses = [
            course(&[("x/a", 50), ("x/b", 10), ("x/c", 1)]),
            course(&[("x/a", 11), ("x/b", 53), ("x/made-up", 2)]),
        ];
        let known = ["x/a", "x/b", "x/c"].map(str::to_owned).into();
        let of = |s| {
            let tolerance = Dur::from_secs(s);
            let matched = Matched::best(&recorded.clone().into(), &courses, &known, tolerance);
            (matched.explained(tolerance), matched)
        };
        let (two, matched) = of(2);
        assert_eq!((two, of(3).0, matched.run), (1, 2, 1));
        let apart: Vec<_> = matched.pairs.iter().map(Pair::apart_ms).collect();
        assert_eq!(apart, [Some(1_000), Some(3_000)]);
        assert!(
            matched.only_simulated.is_empty(),
            "made up, or in the other run"
        );
        assert_eq!(matched.pairs[0].share, 0.5);
    }
}
