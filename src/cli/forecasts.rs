//! Several courses of one cluster, each run with many seeds, with progress.

use super::failure::Failure;
use super::interrupt;
use super::progress::Progress;
use super::terminal::Terminal;
use crate::analysis::course::Course as Ran;
use crate::lab::Event;
use crate::lab::{Forecasting, Stopped};
use crate::scenario::{Loaded, Overrides};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A course, and what it is called.
pub(super) struct Course {
    pub(super) name: String,
    pub(super) loaded: Loaded,
    pub(super) overrides: Overrides,
}

/// Runs all of them: of each the course of every seed.
pub(super) fn run_all(
    courses: &[Course],
    seeds: u64,
    jobs: usize,
    name: &str,
    quiet: bool,
    terminal: &Terminal,
) -> Result<Vec<Vec<Ran>>, Failure> {
    let all = seeds * courses.len() as u64;
    let words = |done: u64, all: u64| format!("{done} of {all} runs");
    let progress = Progress::new(terminal, quiet, name, all, words);
    let done = AtomicU64::new(0);
    let watch = |event: Event| {
        if event == Event::Done {
            progress.set(done.fetch_add(1, Relaxed) + 1);
        }
        !interrupt::asked()
    };
    let one = |course: &Course| {
        let forecasting = Forecasting {
            loaded: &course.loaded,
            first: course.overrides.seed.unwrap_or(1),
            seeds,
            overrides: course.overrides.clone(),
        };
        forecasting.courses(jobs, &watch).map_err(stopped)
    };
    interrupt::heeding(|| courses.iter().map(one).collect())
}

fn stopped(why: Stopped) -> Failure {
    match why {
        Stopped::Asked => Failure::Interrupted("stopped; nothing was printed".to_owned()),
        why => why.into(),
    }
}
