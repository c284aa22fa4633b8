//! What all rows of a sweep have in common, and how they are shown.

use super::columns::{Column, Measure};
use crate::files::Fingerprint;
use crate::lab::{Axis, Case, FirstRow};
use crate::report::prelude::*;
use crate::report::text::joined;

/// What all runs of a sweep have in common, for the readers of its results.
#[derive(Clone, Debug)]
pub struct Heading {
    /// The name of the folder: that of the scenario, and `-sweep`.
    pub(crate) name: String,
    /// The scenario's name.
    pub(crate) scenario: String,
    /// What the scenario is about.
    pub(crate) doc: String,
    /// Release, timing, seeds, horizon; the first two as in the first row where they differ.
    pub(crate) line: String,
    /// The release of the first row was not checked against recordings.
    pub(crate) unchecked: bool,
    /// What a person should know of how the runs came about, a sentence each.
    pub(crate) notes: Vec<String>,
    /// Settings with several values, and one column for each.
    pub(crate) axes: Vec<Axis>,
    /// Changes that hold in every run, as `PATH=VALUE`.
    pub(crate) fixed: Vec<String>,
    /// The scenarios' files as they were given, with what they were read from.
    pub(crate) files: Vec<(String, Fingerprint)>,
    /// How many seeds each row has.
    pub(crate) seeds: u64,
    /// How soon a node must be back for an eviction to have been needless.
    pub(crate) window: Dur,
}

impl Heading {
    /// The line of [`Heading::line`] from the plan of the first row of each scenario, with its
    /// first seed. What the scenarios do not have in common is listed for each, in their order.
    pub(crate) fn describe(rows: &[(&FirstRow, u64)], axes: &[Axis], seeds: u64) -> String {
        let differs = |path: &str| axes.iter().any(|a| a.path == path);
        let each = |of: &dyn Fn(&(&FirstRow, u64)) -> String| {
            let mut all: Vec<String> = rows.iter().map(of).collect();
            if all.windows(2).all(|two| two[0] == two[1]) {
                all.truncate(1);
            }
            all.join(" / ")
        };
        let of_seeds = |first: u64| match seeds {
            1 => format!("seed {first}"),
            _ => format!("seeds {first} to {}", first.saturating_add(seeds.saturating_sub(1))),
        };
        let parts = [
            ("kubernetes", format!("Kubernetes {}", each(&|(row, _)| row.release.clone()))),
            ("timing", format!("timing {}", each(&|(row, _)| row.timing.clone()))),
            ("seed", each(&|(_, first)| of_seeds(*first))),
            ("horizon", each(&|(row, _)| short(Dur::from_nanos(row.horizon.as_nanos())))),
        ];
        let same = parts.into_iter().filter(|(path, _)| !differs(path)).map(|(_, said)| said);
        joined(same, ", ").unwrap_or_default()
    }

    /// The names of the columns of values: the ends of the paths, as long as it takes to tell them
    /// apart.
    pub(crate) fn columns(&self) -> Vec<String> {
        let paths: Vec<Vec<&str>> = self.axes.iter().map(|a| split(&a.path)).collect();
        let ends = |n: usize| -> Vec<String> {
            paths.iter().map(|parts| parts[parts.len().saturating_sub(n)..].join(".")).collect()
        };
        let differ =
            |names: &Vec<String>| (1..names.len()).all(|i| !names[..i].contains(&names[i]));
        let longest = paths.iter().map(Vec::len).max().unwrap_or(1);
        (1..longest).map(ends).find(differ).unwrap_or_else(|| ends(longest))
    }
}

/// The parts of a path; a dot in brackets or quotes parts nothing.
fn split(path: &str) -> Vec<&str> {
    let mut inside = false;
    let parts = |c| {
        match c {
            '[' | '{' => inside = true,
            ']' | '}' => inside = false,
            '"' => inside = !inside,
            _ => {}
        }
        c == '.' && !inside
    };
    path.split(parts).collect()
}

/// What the cells of the table say of a figure over the seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Cells {
    /// The mean, and by how much it may be off with 95 % confidence
    #[default]
    Mean,
    /// The median, with its 95 % interval
    Median,
    /// The 95th percentile, with its 95 % interval
    P95,
    /// The median, with the least and the greatest value, which lie farther apart the more seeds
    /// there are
    Range,
}

/// How the table is laid out: its columns, what is in its cells, and the row that others are held
/// against.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The figures that are shown.
    pub(crate) columns: Vec<Column>,
    /// What is said of each.
    pub(crate) cells: Cells,
    /// The row, from 0, from which the others' differences are shown.
    pub(crate) against: Option<usize>,
}

/// A sweep that has run: what its rows have in common, how they are shown, and the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swept<'a> {
    pub(crate) heading: &'a Heading,
    pub(crate) layout: &'a Layout,
    pub(crate) cases: &'a [Case],
}

impl<'a> Swept<'a> {
    /// The row that the others are held against.
    pub(super) fn against(&self) -> Option<&'a Case> {
        self.layout.against.and_then(|i| self.cases.get(i))
    }

    /// The columns of files: every figure of all workloads, and what else is shown.
    pub(super) fn columns_of_files(&self) -> Vec<Column> {
        let shown = self.layout.columns.iter().filter(|c| c.workload.is_some()).cloned();
        Measure::all().map(Column::of_all).chain(shown).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_named_as_briefly_as_possible() {
        let heading = |paths: &[&str]| Heading {
            name: String::new(),
            scenario: String::new(),
            doc: String::new(),
            line: String::new(),
            unchecked: false,
            notes: Vec::new(),
            axes: paths
                .iter()
                .map(|p| Axis { path: (*p).to_owned(), values: vec!["1".to_owned()] })
                .collect(),
            fixed: Vec::new(),
            files: Vec::new(),
            seeds: 1,
            window: Dur::ZERO,
        };
        let one =
            heading(&["pods.web.tolerations[node.kubernetes.io/unreachable].tolerationSeconds"]);
        assert_eq!(one.columns(), ["tolerationSeconds"]);
        assert_eq!(
            heading(&["pods.web.count", "pods.db.count"]).columns(),
            ["web.count", "db.count"]
        );
        assert_eq!(heading(&["horizon", "pods.db.count"]).columns(), ["horizon", "count"]);
        assert_eq!(heading(&["seed"]).columns(), ["seed"]);
        assert!(heading(&[]).columns().is_empty());
    }
}
