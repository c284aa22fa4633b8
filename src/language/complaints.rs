//! Collects what is wrong with a scenario's meaning, each with the place of the value it is about.

use crate::language::text::Tree;
use crate::language::text::place::{Place, Step, at};
use crate::language::{Problem, Problems, Source};
use std::collections::BTreeSet;

/// A value that a `--set` wrote: problems with it are about the `--set`, not about the file.
#[derive(Clone, Debug)]
pub(crate) struct Overridden {
    /// The value.
    pub(crate) place: Place,
    /// The text of the `--set`.
    pub(crate) source: Source,
}

/// What is wrong so far.
#[derive(Default)]
pub(crate) struct Complaints {
    list: Vec<(Place, Problem)>,
    /// Which of them are about the name at their place, and not about the value.
    names: BTreeSet<usize>,
}

/// How many problems of meaning are named; a mistake in a group of thousands would drown the
/// others.
const PROBLEMS_MAX: usize = 100;

impl Complaints {
    /// One more.
    pub(crate) fn add(&mut self, place: Place, problem: Problem) {
        if self.list.len() < PROBLEMS_MAX {
            self.list.push((place, problem));
        }
    }

    /// One more, about the name that the value has.
    pub(crate) fn add_name(&mut self, place: Place, problem: Problem) {
        self.names.insert(self.list.len());
        self.add(place, problem);
    }

    /// One more, that needs no hint.
    pub(crate) fn say(&mut self, place: Place, message: impl Into<String>) {
        self.add(place, Problem::new(message));
    }

    /// The value, or else a complaint about it.
    pub(crate) fn take<T>(&mut self, place: Place, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.add(place, problem)).ok()
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All that is wrong, at its place in the file or in a `--set`, in the order of the file.
    /// `left` is what the scenario was read from, if not all of the source.
    pub(crate) fn finish(
        self,
        source: &Source,
        left: Option<&Tree>,
        overridden: &[Overridden],
    ) -> Result<(), Problems> {
        if self.list.is_empty() {
            return Ok(());
        }
        let all = match left {
            Some(_) => None,
            None => Tree::read(&source.text).ok(),
        };
        let tree = left.or(all.as_ref());
        let mut problems: Vec<Problem> = self
            .list
            .into_iter()
            .enumerate()
            .map(|(i, (place, problem))| {
                // The name of a part that the text does not have is looked for as the part is.
                let name = tree
                    .filter(|_| self.names.contains(&i))
                    .and_then(|t| t.part(&place)?.name_bytes());
                let set = overridden.iter().any(|o| place.starts_with(&o.place));
                match name {
                    Some(bytes) if !set => problem.at(source, bytes),
                    _ => located(&place, problem, source, tree, overridden),
                }
            })
            .collect();
        problems.sort_by_key(|p| p.bytes().map_or(0, |b| b.start));
        problems.dedup_by(|a, b| a.to_string() == b.to_string());
        Err(Problems(problems))
    }
}

fn located(
    place: &[Step],
    problem: Problem,
    source: &Source,
    tree: Option<&Tree>,
    overridden: &[Overridden],
) -> Problem {
    if let Some(set) = overridden
        .iter()
        .rev()
        .find(|o| place.starts_with(&o.place) || o.place.starts_with(place) && !place.is_empty())
    {
        let all = 0..set.source.text.len();
        return problem.at(&set.source, all);
    }
    // Groups behind those that are written come from the file that the scenario points at.
    let from: Place = at!["cluster"];
    let elsewhere = place.first().is_some_and(|s| {
        ["nodes", "pods", "workloads", "priorityClasses", "podDisruptionBudgets"]
            .into_iter()
            .any(|list| *s == Step::from(list))
    }) && place.len() > 1
        && tree.is_some_and(|t| t.find(&place[..2]).is_none() && t.find(&from).is_some());
    let place: &[Step] = if elsewhere { &from } else { place };
    // A value that the file does not spell out is looked for in what holds it.
    let bytes =
        (0..=place.len()).rev().find_map(|n| tree?.find(&place[..n]).map(|t| (n, t.bytes())));
    match bytes {
        // The whole file: a name is enough, underlining all of it is not.
        Some((0, bytes)) => problem.at(source, bytes.start..bytes.start + 1),
        Some((_, bytes)) => problem.at(source, bytes),
        None => problem,
    }
}
