//! A scenario that was tested, and what became of it.

use super::case::{Came, Case, Status};
use crate::files::line;
use crate::language::{Problem, counted};
use std::time::Duration;

/// A scenario that was tested.
#[derive(Clone, Debug, Default)]
pub struct Tested {
    /// Its file as given.
    pub(crate) file: String,
    /// What it is called on every machine.
    pub(crate) id: String,
    /// What it calls itself.
    pub(crate) name: String,
    /// How many expectations it has, and a golden timeline as one more.
    pub(crate) expectations: usize,
    /// How many runs it had.
    pub(crate) runs: usize,
    /// Several runs say that a property is never violated, all with the usual order within each instant.
    pub(crate) in_usual_order: bool,
    /// The scenario itself, its expectations, its golden timeline, and its guards where they were
    /// tried.
    pub(crate) cases: Vec<Case>,
    /// What a person should know before the result is believed: notes of the scenario, and
    /// expectations that are met without saying anything.
    pub(crate) warnings: Vec<Problem>,
    /// How long that took.
    pub(crate) took: Duration,
}

impl Tested {
    /// What has these cases and no runs of ours, such as a scenario that was read; the machine's
    /// time is none of it.
    pub fn only(file: String, id: String, cases: Vec<Case>) -> Self {
        Tested { name: id.clone(), file, id, cases, ..Tested::default() }
    }

    /// What became of it: the worst of its cases.
    pub(crate) fn status(&self) -> Status {
        let any = |status: &Status| self.cases.iter().any(|c| Status::of(&c.came) == *status);
        let worst = [Status::Wrong, Status::NoExpectations, Status::Failed, Status::NotRun];
        worst.into_iter().find(any).unwrap_or(Status::Passed)
    }

    /// The same, not run because another one failed.
    #[must_use]
    pub(crate) fn not_run(mut self) -> Self {
        self.cases.iter_mut().for_each(|c| c.came = Came::NotRun);
        (self.runs, self.took) = (0, Duration::ZERO);
        self
    }

    /// `12 expectations, 1 run`, or `12 expectations, 2 guards, 1 run` where those were tried.
    pub(super) fn size(&self) -> String {
        // The first case is the scenario itself.
        let guards = self.cases.len().saturating_sub(1 + self.expectations);
        let all = [(self.expectations, "expectation"), (guards, "guard"), (self.runs, "run")];
        let all = all.into_iter().filter(|(n, of)| *n > 0 || *of != "guard");
        all.map(|(n, of)| counted(n, of)).collect::<Vec<_>>().join(", ")
    }

    /// The warnings in one text each, with the file's name of every machine.
    pub(super) fn warned(&self) -> Vec<String> {
        self.warnings.iter().map(|p| self.placed(p)).collect()
    }

    /// What is wrong with a case, with the place in the file as it is called on every machine, and
    /// what explains it.
    pub(super) fn told(&self, case: &Case) -> Vec<(String, Vec<String>)> {
        let faults = case.came.faults(&self.id).into_iter();
        faults.map(|(_, problem, notes)| (self.placed(&problem), notes)).collect()
    }

    /// Line and column of a problem that stands in the scenario, and not in what the command line changes in it.
    pub(super) fn place(&self, problem: &Problem) -> Option<(usize, usize)> {
        problem
            .line_and_column()
            .filter(|_| problem.source().map(line).as_deref() == Some(&*self.file))
    }

    /// A problem in one text, with the file's name of every machine.
    fn placed(&self, problem: &Problem) -> String {
        let folder = |path: &str| path.rfind('/').map_or(0, |i| i + 1);
        let name = problem.source().map(|source| {
            let (file, id) = (self.file.as_str(), self.id.as_str());
            // Files that it points at are beside it.
            match source.strip_prefix(&file[..folder(file)]) {
                Some(_) if source == file => id.to_owned(),
                Some(rest) if folder(file) > 0 => format!("{}{rest}", &id[..folder(id)]),
                _ => source.to_owned(),
            }
        });
        let named = name.map(|name| problem.clone().source_named(&name));
        named.as_ref().unwrap_or(problem).to_string()
    }
}

/// How many scenarios have each status: passed, failed, wrong, without expectations, not run.
pub(super) fn counts(all: &[Tested]) -> [usize; 5] {
    let mut n = [0; 5];
    for t in all {
        n[t.status() as usize] += 1;
    }
    n
}

/// `34 scenarios: 32 passed, 1 failed, 1 wrong`
pub(crate) fn tally(all: &[Tested]) -> String {
    let words = ["passed", "failed", "wrong", "without expectations", "not run"];
    let parts = counts(all).into_iter().zip(words).filter(|(n, _)| *n > 0);
    let parts: Vec<String> = parts.map(|(n, what)| format!("{n} {what}")).collect();
    format!("{}: {}", counted(all.len(), "scenario"), parts.join(", "))
}
