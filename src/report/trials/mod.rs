//! What `taintsim test` found, for people, for CI systems and for programs.
//!
//! Every format is a function of [`Tested`]; nothing here runs anything. Times of the machine appear in JUnit files only.

mod github;
mod golden;
mod json;
mod junit;
mod tap;
mod text;

pub use github::{annotations, step_summary};
pub use golden::{compare, golden};
pub use json::document;
pub use junit::junit;
pub use tap::tap;
pub use text::{details, line, summary};

use crate::lab::trial::{Failure, Outcome};
use crate::scenario::{Problem, Problems};
use std::time::Duration;

/// A scenario that was tested.
#[derive(Clone, Debug)]
pub struct Tested {
    /// Its file as given.
    pub file: String,
    /// Its name.
    pub name: String,
    /// How many expectations it has, and a golden timeline as one more.
    pub expectations: usize,
    /// How many runs it had.
    pub runs: usize,
    /// What became of it.
    pub status: Status,
    /// How long that took.
    pub took: Duration,
}

/// What became of a scenario.
#[derive(Clone, Debug)]
pub enum Status {
    /// Everything was as expected.
    Passed,
    /// Something was not.
    Failed(Vec<Failed>),
    /// The scenario, or an expectation, is wrong.
    Wrong(Problems),
    /// It expects nothing.
    NoExpectations,
    /// It was not run, because another one failed.
    NotRun,
}

/// Something that was not as expected.
#[derive(Clone, Debug)]
pub struct Failed {
    /// Which kind of expectation: `Evicted`, `golden`, `guards`.
    pub kind: String,
    /// What is wrong, with the place in the file.
    pub problem: Problem,
    /// What explains it, line by line.
    pub notes: Vec<String>,
}

impl Failed {
    /// An expectation that was not met; `file` is how the scenario is called on a command line.
    pub fn new(f: &Failure, file: &str, runs: usize) -> Self {
        let mut notes: Vec<String> = f.records.iter().map(|(id, text)| format!("record {id}: {text}")).collect();
        if runs > 1 {
            let share = f.share.map(|s| format!(", and it had to be met in {}% of them", s * 100.0)).unwrap_or_default();
            notes.push(format!("not met in {} of {runs} runs{share}; the first is `taintsim run {file} --seed {}`", f.failed_runs, f.seed));
        }
        Failed { kind: f.kind.to_owned(), problem: f.problem.clone(), notes }
    }
}

impl Status {
    /// What a trial came to.
    pub fn of(outcome: &Outcome, file: &str, more: Vec<Failed>) -> Self {
        if !outcome.problems.is_empty() {
            return Self::Wrong(Problems(outcome.problems.clone()));
        }
        let mut failed: Vec<Failed> = outcome.failures.iter().map(|f| Failed::new(f, file, outcome.runs)).collect();
        failed.extend(more);
        if failed.is_empty() { Self::Passed } else { Self::Failed(failed) }
    }

    /// In one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed(_) => "failed",
            Self::Wrong(_) => "wrong",
            Self::NoExpectations => "no expectations",
            Self::NotRun => "not run",
        }
    }
}

impl Tested {
    /// `12 expectations, 1 run`
    fn size(&self) -> String {
        let counted = |n: usize, one: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") };
        format!("{}, {}", counted(self.expectations, "expectation"), counted(self.runs, "run"))
    }
}

/// How many scenarios have each status: passed, failed, wrong, without expectations, not run.
fn counts(all: &[Tested]) -> [usize; 5] {
    let mut n = [0; 5];
    for t in all {
        n[match t.status {
            Status::Passed => 0,
            Status::Failed(_) => 1,
            Status::Wrong(_) => 2,
            Status::NoExpectations => 3,
            Status::NotRun => 4,
        }] += 1;
    }
    n
}

/// `34 scenarios: 32 passed, 1 failed, 1 wrong`
fn counted(all: &[Tested]) -> String {
    let n = counts(all);
    let parts = ["passed", "failed", "wrong", "without expectations", "not run"];
    let parts: Vec<String> = n.iter().zip(parts).filter(|(n, _)| **n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    format!("{} {}: {}", all.len(), if all.len() == 1 { "scenario" } else { "scenarios" }, parts.join(", "))
}
