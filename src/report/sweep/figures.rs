//! The figures of a sweep: per combination of values, each figure's least, middle and greatest over the seeds.

use crate::analysis::{Metrics, Spread};
use crate::kernel::Dur;
use crate::lab::{Axis, Case};
use crate::scenario::Fingerprint;
use crate::sim::Plan;

/// What all runs of a sweep have in common, for whoever reads its results.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The name of the folder: that of the scenario, and `-sweep`.
    pub name: String,
    /// The scenario's name.
    pub scenario: String,
    /// What the scenario is about.
    pub doc: String,
    /// Release, timing, seeds, horizon; the first two as in the first row where they differ.
    pub line: String,
    /// The release of the first row was not checked against recordings.
    pub unchecked: bool,
    /// Settings with several values, and one column for each.
    pub axes: Vec<Axis>,
    /// Changes that hold in every run, as `PATH=VALUE`.
    pub fixed: Vec<String>,
    /// The scenario's file as it was given.
    pub file: String,
    /// What it was read from.
    pub fingerprint: Fingerprint,
    /// How many seeds each row has.
    pub seeds: u64,
    /// How soon a node must be back for an eviction to have been needless.
    pub window: Dur,
}

impl Heading {
    /// The line of [`Heading::line`] from the plan of the first row.
    pub fn describe(plan: &Plan, axes: &[Axis], first_seed: u64, seeds: u64) -> String {
        let differs = |path: &str| axes.iter().any(|a| a.path == path);
        let mut parts = Vec::new();
        if !differs("kubernetes") {
            parts.push(format!("Kubernetes {}", plan.profile.release.trim_start_matches('v')));
        }
        if !differs("timing") {
            parts.push(format!("timing {}", plan.timing.name));
        }
        if !differs("seed") {
            let last = first_seed.saturating_add(seeds - 1);
            parts.push(if seeds == 1 { format!("seed {first_seed}") } else { format!("seeds {first_seed} to {last}") });
        }
        if !differs("horizon") {
            parts.push(super::super::short(Dur::from_nanos(plan.horizon.as_nanos())));
        }
        parts.join(", ")
    }

    /// The names of the columns of values: the ends of the paths, as long as it takes to tell them apart.
    pub fn columns(&self) -> Vec<String> {
        let ends = |n: usize| -> Vec<String> {
            self.axes
                .iter()
                .map(|a| {
                    let parts: Vec<&str> = split(&a.path);
                    parts[parts.len().saturating_sub(n)..].join(".")
                })
                .collect()
        };
        let longest = self.axes.iter().map(|a| split(&a.path).len()).max().unwrap_or(1);
        (1..longest).map(ends).find(|names| (1..names.len()).all(|i| !names[..i].contains(&names[i]))).unwrap_or_else(|| ends(longest))
    }
}

/// The parts of a path; a dot in brackets or quotes parts nothing.
fn split(path: &str) -> Vec<&str> {
    let (mut parts, mut start, mut inside) = (Vec::new(), 0, false);
    for (i, c) in path.char_indices() {
        match c {
            '[' | '{' => inside = true,
            ']' | '}' => inside = false,
            '"' => inside = !inside,
            '.' if !inside => {
                parts.push(&path[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&path[start..]);
    parts
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The values, one for each axis.
    pub values: Vec<String>,
    /// What came of them.
    pub figures: Figures,
}

impl Row {
    /// The row of a combination of values.
    pub fn new(case: &Case) -> Self {
        let metrics: Vec<&Metrics> = case.runs.iter().map(|r| &r.metrics).collect();
        Row { values: case.values.clone(), figures: Figures::new(&metrics) }
    }
}

/// Figures over the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Pods evicted.
    pub evicted: Option<Spread<u64>>,
    /// Evictions whose node was back soon.
    pub needless: Option<Spread<u64>>,
    /// Evictions of which the run ended too early to tell, over all seeds.
    pub undecided: u64,
    /// Desired pods that were not up, in pod-nanoseconds.
    pub missing_ns: Option<Spread<u128>>,
    /// From the fault to Unknown: the median over a run's nodes; of runs in which that happened.
    pub detection: Option<Spread>,
    /// From the fault to the eviction: the median over a run's evictions; of runs with any.
    pub eviction: Option<Spread>,
}

impl Figures {
    /// The figures of some runs.
    pub fn new(runs: &[&Metrics]) -> Self {
        fn over<T: Copy + Ord>(runs: &[&Metrics], of: impl Fn(&Metrics) -> Option<T>) -> Option<Spread<T>> {
            Spread::of(&mut runs.iter().filter_map(|m| of(m)).collect::<Vec<T>>())
        }
        Figures {
            evicted: over(runs, |m| Some(m.evicted)),
            needless: over(runs, |m| Some(m.needless)),
            undecided: runs.iter().map(|m| m.undecided).sum(),
            missing_ns: over(runs, |m| Some(m.costs.missing_ns)),
            detection: over(runs, |m| m.detection.map(|s| s.median)),
            eviction: over(runs, |m| m.eviction.map(|s| s.median)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Dur;

    #[test]
    fn medians_and_ranges_over_the_runs() {
        let spread = |s: u64| Some(Spread { count: 1, min: Dur::ZERO, median: Dur::from_secs(s), max: Dur::from_secs(99) });
        let run = |evicted, detection: Option<u64>| Metrics { evicted, detection: detection.and_then(spread), ..Metrics::default() };
        let figures = Figures::new(&[&run(5, Some(44)), &run(1, None), &run(3, Some(40))]);
        // 1, 3, 5; of the medians 40 and 44 the lower one is the median by nearest rank.
        assert_eq!(figures.evicted, Some(Spread { count: 3, min: 1, median: 3, max: 5 }));
        let detection = Spread { count: 2, min: Dur::from_secs(40), median: Dur::from_secs(40), max: Dur::from_secs(44) };
        assert_eq!((figures.detection, figures.eviction), (Some(detection), None));
    }

    #[test]
    fn columns_are_named_as_briefly_as_possible() {
        let heading = |paths: &[&str]| Heading {
            name: String::new(),
            scenario: String::new(),
            doc: String::new(),
            line: String::new(),
            unchecked: false,
            axes: paths.iter().map(|p| Axis { path: (*p).to_owned(), values: vec!["1".to_owned()] }).collect(),
            fixed: Vec::new(),
            file: String::new(),
            fingerprint: Fingerprint::default(),
            seeds: 1,
            window: Dur::ZERO,
        };
        let one = heading(&["pods.web.tolerations[node.kubernetes.io/unreachable].tolerationSeconds"]);
        assert_eq!(one.columns(), ["tolerationSeconds"]);
        assert_eq!(heading(&["pods.web.count", "pods.db.count"]).columns(), ["web.count", "db.count"]);
        assert_eq!(heading(&["horizon", "pods.db.count"]).columns(), ["horizon", "count"]);
        assert_eq!(heading(&["seed"]).columns(), ["seed"]);
        assert!(heading(&[]).columns().is_empty());
    }
}
