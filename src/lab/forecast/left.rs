//! What stays as it is at the end: which pods and volumes, and how many in each seed.

use super::count::{Count, most};
use crate::analysis::course::Course;
use crate::lab::prelude::*;

/// A pod, or the volume of a claim, that stays where it is; a Job that fails, or whose condition waits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Left {
    /// `namespace/name`
    pub(crate) pod: String,
    /// `Deployment shop/web`
    pub(crate) workload: Option<String>,
    /// The node it is stuck on, or why it is Pending, or why the volume stays, or the Job fails, or its condition.
    pub(crate) said: String,
    /// In what part of the seeds it does.
    pub(crate) share: f64,
}

impl Left {
    /// Those that these courses leave; of what is said of one in several seeds the most frequent or, `apart`, each by
    /// itself: a node that is named is that of so many seeds.
    pub(super) fn of(
        courses: &[Course],
        apart: bool,
        left: impl Fn(&Course) -> &BTreeMap<String, String>,
    ) -> Vec<Self> {
        let mut all: BTreeMap<(&String, Option<&String>), Vec<&String>> = BTreeMap::new();
        for (pod, said) in courses.iter().flat_map(&left) {
            all.entry((pod, apart.then_some(said))).or_default().push(said);
        }
        let one = |((pod, _), said): ((&String, Option<&String>), Vec<&String>)| Left {
            pod: pod.clone(),
            workload: workload(courses, pod),
            share: said.len() as f64 / courses.len().max(1) as f64,
            said: most(said.into_iter()).unwrap_or_default().0,
        };
        all.into_iter().map(one).collect()
    }
}

/// How many pods of a workload are left alike. Which of them that are differs from seed to seed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LeftAlike {
    /// `Deployment shop/web`
    pub(crate) workload: Option<String>,
    /// Why they are Pending.
    pub(crate) said: String,
    /// How many, over the seeds in which some are.
    pub(crate) pods: Count,
    /// In what part of the seeds some are.
    pub(crate) share: f64,
}

impl LeftAlike {
    /// Those that these courses leave, by workload, pods without one last, and by what is said of each.
    pub(super) fn of(
        courses: &[Course],
        left: impl Fn(&Course) -> &BTreeMap<String, String>,
        said: &BTreeMap<&str, &str>,
    ) -> Vec<Self> {
        let mut all: BTreeMap<(Option<&str>, &str), Vec<u64>> = BTreeMap::new();
        for course in courses {
            let mut alike: BTreeMap<_, u64> = BTreeMap::new();
            for pod in left(course).keys() {
                let workload = course.workloads.get(pod).map(String::as_str);
                let said = said.get(pod.as_str()).copied().unwrap_or_default();
                *alike.entry((workload, said)).or_default() += 1;
            }
            for (of, pods) in alike {
                all.entry(of).or_default().push(pods);
            }
        }
        let one = |((workload, said), pods): ((Option<&str>, &str), Vec<u64>)| LeftAlike {
            workload: workload.map(str::to_owned),
            said: said.to_owned(),
            share: pods.len() as f64 / courses.len().max(1) as f64,
            pods: Count::of(pods.into_iter()),
        };
        let mut all: Vec<Self> = all.into_iter().map(one).collect();
        all.sort_by_key(|alike| alike.workload.is_none());
        all
    }
}

pub(super) fn workload(courses: &[Course], pod: &str) -> Option<String> {
    courses.iter().find_map(|c| c.workloads.get(pod)).cloned()
}
