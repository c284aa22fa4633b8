//! Several courses of one cluster, each run with many seeds, with progress.

use super::prelude::*;
use crate::analysis::course::Course as Ran;
use crate::lab::Forecasting;
use crate::scenario::what_if;

/// A course, and what it is called.
pub(super) struct Course {
    pub(super) name: String,
    pub(super) loaded: Loaded,
    pub(super) overrides: Overrides,
}

/// The first course, and beside it one for each command of somebody.
pub(super) fn courses(
    name: &str,
    base: Loaded,
    overrides: &Overrides,
    commands: &[String],
) -> Result<Vec<Course>> {
    let course =
        |name: &str, loaded| Course { name: name.to_owned(), loaded, overrides: overrides.clone() };
    let other = |command: &String| {
        let mut other = base.clone();
        let about = |problem: Problem| match problem.message.contains(command) {
            true => problem,
            false => Problem { message: format!("`{command}`: {}", problem.message), ..problem },
        };
        other.spec.timeline.extend(what_if(command, &base.spec).map_err(about)?);
        Ok(course(command, other))
    };
    let others = commands.iter().map(other).collect::<Result<Vec<_>>>()?;
    let first = course(name, base.clone());
    Ok(std::iter::once(first).chain(others).collect())
}

/// Runs all of them: of each the course of every seed, and of all but the first what comes to
/// nothing of its command.
pub(super) fn run_all(
    courses: &[Course],
    seeds: u64,
    jobs: usize,
    name: &str,
    terminal: &Terminal,
) -> Result<Vec<Vec<Ran>>> {
    let all = seeds * courses.len() as u64;
    let words = |done: u64, all: u64| format!("{done} of {all} runs");
    let progress = Progress::new(terminal, name, all, words);
    let watch = |event| progress.goes_on(event);
    let Some(base) = courses.first() else { return Ok(Vec::new()) };
    let own = scenario::build(&base.loaded, &base.overrides)?.timeline.len() as u32;
    let one = |(i, course): (usize, &Course)| {
        let Course { loaded, overrides, .. } = course;
        let first = scenario::seed(loaded, overrides)?;
        let (overrides, told_from) = (overrides.clone(), (i > 0).then_some(own));
        let forecasting = Forecasting { loaded, overrides, first, seeds, told_from };
        let ran = forecasting.courses(jobs, &watch);
        ran.map_err(|why| Failure::stopped(why, || "stopped; nothing was printed".to_owned()))
    };
    interrupt::heeding(|| courses.iter().enumerate().map(one).collect())
}
