//! What a command line changes in a scenario, before anything is looked up in it.

use super::super::existing::{Reached, roll_out};
use super::super::paths;
use super::prelude::*;
use crate::language::complaints::Overridden;

/// What a command line changes in a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--kubernetes`
    pub kubernetes: Option<String>,
    /// `--timing`: `ideal` or `typical`
    pub timing: Option<String>,
    /// `--seed`
    pub seed: Option<u64>,
    /// Every `--set`, `PATH=VALUE`, in their order.
    pub sets: Vec<String>,
    /// How many of the last of them were said at once, all with the options: of two that set the same one would be lost, which is
    /// a mistake. Those before them may be set anew.
    pub at_once: usize,
    /// The option that the last of them came by, and how many, where it is another than `--set`.
    pub other: Option<(&'static str, usize)>,
}

impl Overrides {
    /// The same, which was built before, with that seed, whatever else was said of it.
    pub(crate) fn with_seed(mut self, seed: u64) -> Self {
        self.sets.retain(|set| set.split_once('=').is_none_or(|(path, _)| path.trim() != "seed"));
        (self.seed, self.at_once) = (Some(seed), 0);
        self
    }

    /// All but the seed as `PATH=VALUE`.
    pub fn as_sets(&self) -> Vec<String> {
        self.own().map(|(_, set)| set).chain(self.sets.iter().cloned()).collect()
    }

    /// As words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let own = [("--kubernetes", &self.kubernetes), ("--timing", &self.timing)];
        let own = own.into_iter().filter_map(|(name, value)| Some((name, value.clone()?)));
        let sets = self.sets.iter().map(|set| ("--set", set.clone()));
        let seed = self.seed.map(|seed| ("--seed", seed.to_string()));
        own.chain(sets).chain(seed).flat_map(|(name, value)| [name.to_owned(), value]).collect()
    }

    /// The options that are short for a `--set`, each with what that would be.
    fn own(&self) -> impl Iterator<Item = (String, String)> {
        let own = [("kubernetes", &self.kubernetes), ("timing", &self.timing)];
        own.into_iter().filter_map(|(path, value)| {
            value.as_ref().map(|v| (format!("--{path}"), format!("{path}={v}")))
        })
    }
}

/// A scenario with the command line's changes.
#[derive(Default)]
pub(super) struct Changed {
    /// What it says.
    pub(super) spec: Scenario,
    /// What each `--set` wrote.
    pub(super) sets: Vec<Overridden>,
    /// What a person should know of it; what concerns pods is in `reached`.
    pub(super) notes: Vec<String>,
    /// Pods that exist and that the changes reach.
    pub(super) reached: Vec<Reached>,
}

/// The scenario with the command line's changes, and what these mean for pods that exist.
pub(super) fn overridden(loaded: &Loaded, overrides: &Overrides) -> Result<Changed, Problems> {
    let mut spec = loaded.spec.clone();
    let sets = set_all(&mut spec, overrides)?;
    let notes = loaded.exported.as_ref().map_or_else(Vec::new, |exported| {
        let release = spec.kubernetes.as_deref();
        let nodes = spec.nodes.get_mut(exported.own_nodes..).unwrap_or_default();
        flags::take_settings(release, exported, (&mut spec.flags, &mut spec.feature_gates, nodes))
    });
    let reached = roll_out(&mut spec, &loaded.spec, loaded.exported.as_ref());
    Ok(Changed { spec, sets, notes, reached })
}

/// Writes what the command line says into the scenario.
fn set_all(spec: &mut Scenario, overrides: &Overrides) -> Result<Vec<Overridden>, Problems> {
    let (mut sets, mut problems) = (Vec::<(Source, Vec<Place>)>::new(), Vec::new());
    let seed = overrides.seed.map(|seed| ("--seed".to_owned(), format!("seed={seed}")));
    let (other, many) = overrides.other.unwrap_or_default();
    let first = overrides.sets.len() - many;
    let option = |index| if index < first { "--set" } else { other };
    let given =
        overrides.sets.iter().enumerate().map(|(i, text)| (option(i).to_owned(), text.clone()));
    let all: Vec<(String, String)> = overrides.own().chain(seed).chain(given).collect();
    let earlier = overrides.sets.len().saturating_sub(overrides.at_once);
    let earlier = if earlier == 0 { 0 } else { all.len() - overrides.at_once };
    for (name, text) in all {
        let source = Source::new(&name, text);
        let written = paths::set(spec, &source.text).and_then(|places| {
            let is_lost = |place: &Place| places.iter().any(|by| place.starts_with(by));
            let all_lost = |all: &[Place]| !all.is_empty() && all.iter().all(is_lost);
            let lost = sets.iter().skip(earlier).find(|(_, all)| all_lost(all));
            lost.map_or(Ok(()), |(earlier, _)| Err(lost_by(&source, earlier)))?;
            Ok(places)
        });
        match written {
            Ok(places) => sets.push((source, places)),
            Err(problem) => {
                let bytes = about(&problem, &source);
                problems.push(problem.at(&source, bytes));
            }
        }
    }
    let each = |(source, places): (Source, Vec<Place>)| {
        places.into_iter().map(move |place| Overridden { place, source: source.clone() })
    };
    if problems.is_empty() {
        Ok(sets.into_iter().flat_map(each).collect())
    } else {
        Err(Problems(problems))
    }
}

/// That what an earlier change writes is lost, however the two paths are written.
fn lost_by(later: &Source, earlier: &Source) -> Problem {
    let [later, earlier] =
        [later, earlier].map(|set| set.text.split_once('=').map_or("", |(path, _)| path.trim()));
    if later == earlier {
        return Problem::new(format!("`{later}` has values twice"))
            .help("leave one of them out; `taintsim sweep` tries several: PATH=60,120,300");
    }
    Problem::new(format!("`{later}` sets what `{earlier}` sets, too"))
        .help("put the one that sets more first, or leave it out")
}

/// The part of a `--set` that a problem is about: what its message names first, else all of it.
fn about(problem: &Problem, source: &Source) -> Range<usize> {
    let named = problem.message.strip_prefix('`').and_then(|m| m.split('`').next());
    let named = named.filter(|name| !name.is_empty());
    let part = named.and_then(|name| Some((source.text.find(name)?, name.len())));
    part.map_or(0..source.text.len(), |(at, length)| at..at + length)
}
