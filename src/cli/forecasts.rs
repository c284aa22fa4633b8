//! Several courses of one cluster, each run with many seeds, with progress.

use super::prelude::*;
use super::run::{progress, ready, simulate};
use crate::analysis::course::Course as Ran;
use crate::analysis::drains::refusals;
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
        other.spec.timeline.extend(what_if(command, &base.spec)?);
        Ok(course(command, other))
    };
    let others = commands.iter().map(other).collect::<Result<Vec<_>>>()?;
    let first = course(name, base.clone());
    Ok(std::iter::once(first).chain(others).collect())
}

/// What comes to nothing of each command, in the run of the first seed, by the names of courses.
pub(super) fn refused(
    courses: &[Course],
    terminal: &Terminal,
) -> Result<BTreeMap<String, Vec<String>>> {
    let Some((base, others)) = courses.split_first() else { return Ok(BTreeMap::new()) };
    if others.is_empty() {
        return Ok(BTreeMap::new());
    }
    let own = scenario::build(&base.loaded, &base.overrides)?.timeline.len() as u32;
    let one = |course: &Course| {
        let file = course.loaded.source.name.to_string();
        let ready = ready(course.loaded.clone(), file, course.overrides.clone())?;
        let trace = simulate(&ready, &progress(&ready.plan, true, terminal), String::new)?;
        Ok((course.name.clone(), refusals(&Analysis::new(&ready.plan, &trace), own)))
    };
    others.iter().map(one).collect()
}

/// Runs all of them: of each the course of every seed.
pub(super) fn run_all(
    courses: &[Course],
    seeds: u64,
    jobs: usize,
    name: &str,
    quiet: bool,
    terminal: &Terminal,
) -> Result<Vec<Vec<Ran>>> {
    let all = seeds * courses.len() as u64;
    let words = |done: u64, all: u64| format!("{done} of {all} runs");
    let progress = Progress::new(terminal, quiet, name, all, words);
    let watch = |event| progress.goes_on(event);
    let one = |course: &Course| {
        let Course { loaded, overrides, .. } = course;
        let first = scenario::seed(loaded, overrides)?;
        let forecasting = Forecasting { loaded, overrides: overrides.clone(), first, seeds };
        let ran = forecasting.courses(jobs, &watch);
        ran.map_err(|why| Failure::stopped(why, || "stopped; nothing was printed".to_owned()))
    };
    interrupt::heeding(|| courses.iter().map(one).collect())
}
