//! Collects what is wrong with a scenario's meaning, each with the place of the value it is about.

use crate::language::text::tree::{Place, Step, Tree, at};
use crate::language::{Problem, Problems, Source};
use std::cell::RefCell;
use std::ops::Deref;

/// A value that a `--set` wrote: problems with it are about the `--set`, not about the file.
pub(crate) struct Overridden {
    /// The value.
    pub(crate) place: Place,
    /// The text of the `--set`.
    pub(crate) source: Source,
}

/// What is wrong so far.
#[derive(Default)]
pub(crate) struct Complaints(RefCell<Vec<Complaint>>);

struct Complaint {
    place: Place,
    problem: Problem,
    /// It is about the name at the place, and not about the value.
    is_of_name: bool,
}

/// How many problems of meaning are named; a mistake in a group of thousands would drown the
/// others.
const PROBLEMS_MAX: usize = 100;

/// A value of the scenario that is being read: where it stands, and what is wrong with it is told
/// here.
#[derive(Clone)]
pub(crate) struct Spot<'c> {
    place: Place,
    complaints: &'c Complaints,
}

impl<'c> Spot<'c> {
    /// A part of the value.
    pub(crate) fn part(&self, step: impl Into<Step>) -> Spot<'c> {
        let mut place = self.place.clone();
        place.push(step.into());
        Spot { place, complaints: self.complaints }
    }

    /// The values of a list that it is, each with its own place.
    pub(crate) fn each<'v, T>(&self, list: &'v [T]) -> impl Iterator<Item = (Spot<'c>, &'v T)> {
        list.iter().enumerate().map(move |(i, value)| (self.part(i), value))
    }

    /// The way to it from the whole scenario.
    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Whether anything is wrong with it or a part of it so far.
    pub(crate) fn is_wrong(&self) -> bool {
        self.complaints.0.borrow().iter().any(|c| c.place.starts_with(&self.place))
    }

    /// What is wrong with it.
    pub(crate) fn add(&self, problem: Problem) {
        self.put(problem, false);
    }

    /// What is wrong with the name that it has.
    pub(crate) fn add_name(&self, problem: Problem) {
        self.put(problem, true);
    }

    fn put(&self, problem: Problem, is_of_name: bool) {
        let mut all = self.complaints.0.borrow_mut();
        if all.len() < PROBLEMS_MAX {
            all.push(Complaint { place: self.place.clone(), problem, is_of_name });
        }
    }

    /// What is wrong with it, and needs no hint.
    pub(crate) fn say(&self, message: impl ToString) {
        self.add(Problem::new(message));
    }

    /// The same, where nothing comes of it.
    pub(crate) fn refuse<T>(&self, problem: Problem) -> Option<T> {
        self.take(Err(problem))
    }

    /// The same, where it needs no hint.
    pub(crate) fn deny<T>(&self, message: impl ToString) -> Option<T> {
        self.refuse(Problem::new(message))
    }

    /// What was read of it, or else a complaint; none where another was told already.
    pub(crate) fn take<T>(&self, read: Result<T, impl Into<Option<Problem>>>) -> Option<T> {
        read.map_err(|problem| problem.into().into_iter().for_each(|p| self.add(p))).ok()
    }

    /// A part of it is a number that may not be negative.
    pub(crate) fn not_negative(&self, field: &str, number: Option<impl Into<i64>>) {
        if number.is_some_and(|n| n.into() < 0) {
            self.part(field).say(format!("`{field}` must be greater than or equal to 0"));
        }
    }

    /// What was read of a part of it, if that is written.
    pub(crate) fn read<T: Deref<Target = str>, R>(
        &self,
        field: &str,
        written: &Option<T>,
        read: impl FnOnce(&str) -> Result<R, Problem>,
    ) -> Option<R> {
        let text = written.as_ref()?;
        self.part(field).take(read(text))
    }

    /// The same, with none where it is wrong, and nothing in it where nothing is written.
    pub(crate) fn maybe<T, R>(
        &self,
        field: &str,
        written: Option<&T>,
        read: impl FnOnce(&T) -> Result<R, Problem>,
    ) -> Option<Option<R>> {
        written.map_or(Some(None), |w| self.part(field).take(read(w)).map(Some))
    }
}

impl Complaints {
    /// A value of the scenario.
    pub(crate) fn at(&self, place: Place) -> Spot<'_> {
        Spot { place, complaints: self }
    }

    /// Whether nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// The first thing that is wrong, without its place.
    pub(crate) fn first(self) -> Option<Problem> {
        self.0.into_inner().into_iter().next().map(|c| c.problem)
    }

    /// All that is wrong, at its place in the file or in a `--set`, in the order of the file.
    /// `left` is what the scenario was read from, if not all of the source.
    pub(crate) fn finish(
        self,
        source: &Source,
        left: Option<&Tree>,
        overridden: &[Overridden],
    ) -> Result<(), Problems> {
        let list = self.0.into_inner();
        if list.is_empty() {
            return Ok(());
        }
        let all = if left.is_none() { Tree::read(&source.text).ok() } else { None };
        let tree = left.or(all.as_ref());
        let mut problems: Vec<Problem> = list
            .into_iter()
            .map(|Complaint { place, problem, is_of_name }| {
                // The name of a part that the text does not have is looked for as the part is.
                let name = tree.filter(|_| is_of_name).and_then(|t| t.part(&place)?.name_bytes());
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
    let is_of = |o: &&Overridden| {
        place.starts_with(&o.place) || o.place.starts_with(place) && !place.is_empty()
    };
    if let Some(set) = overridden.iter().rev().find(is_of) {
        let all = 0..set.source.text.len();
        return problem.at(&set.source, all);
    }
    // Groups behind those that are written come from the file that the scenario points at.
    let from: Place = at!["cluster"];
    let is_of_cluster = |step: &Step| {
        let lists =
            "nodes pods workloads priorityClasses podDisruptionBudgets deviceTaintRules".split(' ');
        lists.map(Step::from).any(|list| *step == list)
    };
    let elsewhere = place.first().is_some_and(is_of_cluster)
        && place.len() > 1
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
