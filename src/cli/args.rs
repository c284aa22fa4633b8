//! Arguments that several commands have in common.

use super::failure::{Result, refuse_if};
use crate::kernel::Dur;
use crate::lab::Stopped;
pub use crate::language::duration::spoken as duration;
use crate::language::{Problems, values};
use crate::plan::Plan;
use crate::report::manifest;
use crate::scenario::{self, Loaded, Overrides};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// What a command line changes in every scenario.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ChangeArgs {
    /// The Kubernetes release: "1.34" is its last patch, "1.20.2" that one [default: the
    /// scenario's, an export's newest kubelet's, or 1.34]
    #[arg(long, value_name = "RELEASE")]
    kubernetes: Option<String>,
    /// Delays and limits: "typical" as a real control plane has them, "ideal" has none [default:
    /// the scenario's, or typical]
    #[arg(long, value_name = "TIMING")]
    timing: Option<String>,
    /// The seed of all that a real cluster leaves to chance, a whole number; of several runs the
    /// first, which the others follow: 2 draws all runs but one that 1 draws [default: the
    /// scenario's, or 1]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

impl ChangeArgs {
    /// These and what `--set` says, over what a tape says.
    pub(crate) fn over(&self, taped: Overrides, sets: &[String]) -> Overrides {
        let own = self.overrides([taped.sets, sets.to_vec()].concat());
        let (kubernetes, timing) =
            (own.kubernetes.or(taped.kubernetes), own.timing.or(taped.timing));
        Overrides { kubernetes, timing, at_once: sets.len(), ..own }
    }

    /// These, and what `--set` says.
    pub(crate) fn overrides(&self, sets: Vec<String>) -> Overrides {
        let (kubernetes, timing) = (self.kubernetes.clone(), self.timing.clone());
        Overrides { kubernetes, timing, seed: self.seed, at_once: sets.len(), sets, other: None }
    }
}

/// What commands that do many runs of one scenario have in common.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ManyArgs {
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    /// Another value for something in the scenario; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(crate) sets: Vec<String>,
    /// An eviction was needless if its node was back within this time
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m")]
    pub(crate) needless_within: Dur,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Show no progress, nor what was taken from an export
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl ManyArgs {
    /// What is changed in the scenario.
    pub(crate) fn overrides(&self) -> Overrides {
        self.change.overrides(self.sets.clone())
    }

    /// Release, timing and first seed of the runs in words; and all that they rest on.
    pub(crate) fn ran_by(
        &self,
        loaded: &Loaded,
        plan: &Plan,
        file: Option<&Path>,
    ) -> Result<(String, Value), Problems> {
        let seed = scenario::seed(loaded, &self.overrides())?;
        let (release, timing) = (plan.profile.released(), &plan.timing.name);
        let file = file.map_or(loaded.source.name.to_string(), |file| file.display().to_string());
        let of = manifest::scenario(&loaded.name, &file, &loaded.fingerprint(), &self.sets);
        let mut basis = manifest::basis(of, plan, seed);
        basis["needless_window_s"] = self.needless_within.as_secs_f64().into();
        Ok((format!("Kubernetes {release}, {timing} timing, seed {seed}"), basis))
    }
}

/// Refuses an option that says of one thing two values, `NAME=VALUE` each.
pub(super) fn once(option: &str, all: &[String]) -> Result<()> {
    let mut seen = BTreeSet::new();
    let mut names = all.iter().map(|text| text.split_once('=').map_or(&**text, |(n, _)| n.trim()));
    let again = names.find(|name| !seen.insert(*name));
    let text = format!("{option} says twice what `{}` is", again.unwrap_or_default());
    refuse_if(again.is_some(), text, "leave one of the two out")
}

/// As many threads as there are runs at once.
///
/// # Errors
/// They cannot be started.
pub(super) fn threads(asked: Option<impl Into<usize>>) -> Result<rayon::ThreadPool, Stopped> {
    Ok(rayon::ThreadPoolBuilder::new().num_threads(jobs(asked)).build()?)
}

/// How many runs there are at once: as many as asked for, or one for each processor.
pub fn jobs(asked: Option<impl Into<usize>>) -> usize {
    let processors = || std::thread::available_parallelism().ok().map(Into::into);
    asked.map(Into::into).or_else(processors).unwrap_or(1)
}

/// Reads `5%` or `0.05`.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let value = match text.strip_suffix('%') {
        Some(number) => number.trim().parse::<f64>().map(|p| p / 100.0),
        None => text.parse::<f64>(),
    };
    let value = value.map_err(|_| format!("{text:?} is no percentage: write 5%"))?;
    let is_part = 0.0 < value && value < 1.0;
    is_part.then_some(value).ok_or_else(|| {
        match text.ends_with('%') || !(1.0..100.0).contains(&value) {
            true => format!("{text:?} is not between 0% and 100%"),
            false => format!("{text:?} is not between 0 and 1: write {text}%"),
        }
    })
}

/// Reads how long something lasts in a run: longer than zero, and no longer than a run can be.
pub(super) fn within_run(text: &str) -> Result<Dur, String> {
    duration(text)?;
    values::positive(text).map_err(|problem| problem.message)
}

/// Reads how sure to be: less than a coin is sure of nothing, and nobody counts enough to be surer than that.
pub(super) fn confidence(text: &str) -> Result<f64, String> {
    let is_sure = |value: &f64| (0.5..=0.999_999).contains(value);
    let error = || format!("{text:?} is not between 50% and 99.9999%");
    percent(text).and_then(|value| Some(value).filter(is_sure).ok_or_else(error))
}
