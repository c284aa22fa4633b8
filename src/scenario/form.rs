//! Mistakes of form: what is no value of the language's types.
//!
//! Reading stops at the first mistake. To name all of them, the part that holds the mistake is
//! taken out of the tree and the rest is read again; the places of what is left stay as they are.

use super::belongs::belongs;
use super::damage::Damage;
use crate::language::Scenario;
use crate::language::text::place::{Place, Step};
use crate::language::text::{Mistake, Problem, Source, Tree};
use std::collections::BTreeSet;

/// How many mistakes of form are named before reading stops.
const MISTAKES_MAX: usize = 50;

/// How many bytes are read again to find further mistakes.
const REREAD_BYTES_MAX: usize = 64 << 20;

/// The result of reading a text.
pub(super) struct Read {
    /// What could be read without the mistakes, and the tree without them.
    pub(super) left: Option<(Scenario, Tree)>,
    /// Every mistake of form.
    pub(super) problems: Vec<Problem>,
    /// What is lost.
    pub(super) damage: Damage,
    /// Values that lost a part to a mistake, by where they begin: that they now lack it is no
    /// mistake of its own.
    pub(super) damaged: BTreeSet<usize>,
}

/// Reads the text, and names every mistake of form.
pub(super) fn read_text(source: &Source) -> Read {
    let mut read = Read {
        left: None,
        problems: Vec::new(),
        damage: Damage::default(),
        damaged: BTreeSet::new(),
    };
    let mut tree = match Tree::read(&source.text) {
        Ok(tree) => tree,
        Err(mistake) => {
            read.problems.push(syntax(source, &mistake));
            return read;
        }
    };
    loop {
        let mistake = match tree.typed::<Scenario>() {
            Ok(spec) => {
                let mut doubles = Vec::new();
                tree.doubles(&mut doubles);
                let twice = |(key, bytes)| Mistake::twice(key, bytes).problem(source);
                read.problems.extend(doubles.iter().map(|(k, b)| twice((k.as_str(), b.clone()))));
                read.left = Some((spec, tree));
                return read;
            }
            Err(mistake) => mistake,
        };
        let part = mistake.found().map_or(0, |found| found.part);
        if !(mistake.is_lack() && read.damaged.contains(&part)) {
            read.problems.push(of_form(source, &mistake, &tree));
        }
        let again = read.problems.len() < MISTAKES_MAX
            && read.problems.len() * source.text.len() < REREAD_BYTES_MAX;
        let path = lost(&tree, part);
        let place = place_of(&tree, &path);
        // One that is in the whole file: nothing else can be said.
        let Some((_, above)) = path.split_last().filter(|_| again) else {
            break;
        };
        read.damage.add(&place);
        read.damaged.insert(tree.at(above).bytes().start);
        tree.remove(&path);
    }
    let place = |p: &Problem| p.bytes().map_or(0, |b| b.start);
    read.problems.sort_by_key(place);
    read
}

/// A mistake of syntax; what does not even begin like a scenario is no question of brackets.
fn syntax(source: &Source, mistake: &Mistake) -> Problem {
    let text = source.text.trim_start();
    if text.starts_with(['[', '{', '"']) {
        let start = source.text.len() - text.len();
        return Problem::new("expected `(` here").at(source, start..start + 1);
    }
    mistake.problem(source)
}

/// A mistake of form as a problem; of one that is in the whole file the first byte is enough.
fn of_form(source: &Source, mistake: &Mistake, tree: &Tree) -> Problem {
    let mut problem = mistake.problem(source);
    let path = tree.path_to(mistake.found().map_or(0, |found| found.part));
    let place = place_of(tree, &path);
    let section = place.first().and_then(|step| match step {
        Step::Key(name) if place.len() > 1 => Some(name.as_str()),
        _ => None,
    });
    if let Some(belongs) = mistake.stray().and_then(|field| belongs(field, section)) {
        problem.help = Some(format!("it belongs elsewhere: `{belongs}`"));
    }
    let all = tree.bytes();
    if problem.bytes().is_some_and(|bytes| bytes == all) {
        return problem.at(source, all.start..all.start + 1);
    }
    problem
}

/// The path to the part that is lost with what begins at that byte.
fn lost(tree: &Tree, byte: usize) -> Vec<usize> {
    let mut path = tree.path_to(byte);
    // A group without its name is no group: it is lost as a whole.
    let place = place_of(tree, &path);
    if let [Step::Key(all), Step::Index(_), Step::Key(name)] = &place[..]
        && ["nodes", "pods"].contains(&all.as_str())
        && ["name", "names"].contains(&name.as_str())
    {
        path.pop();
    }
    path
}

/// The steps of a path.
fn place_of(tree: &Tree, path: &[usize]) -> Place {
    (0..path.len()).map(|n| tree.at(&path[..n]).step(path[n])).collect()
}
