//! Shrinking: takes away from a scenario what a violation does not need, until nothing more can go.
//!
//! It works on the scenario's text as a tree ([`Piece`]): every item of a list, every optional
//! field and every entry of a map is tried without, larger stretches of lists first; then times and
//! numbers are rounded. The deviations of its tape are a list like any other. What no longer is a
//! scenario, or no longer violates the property, is put back. At the end each single removal has
//! been tried on the result itself, and none violates.
//!
//! Taking a node or an action away may shift the order that a tape asks for. When nothing more can
//! go, the items of lists are tried once more, and a candidate that does not violate is searched
//! with as many deviations; what is found brings its own tape along. The result depends on the
//! input alone: candidates are tried one after another.

mod judge;
mod leaves;
mod names;

use crate::analysis::properties::Property;
use crate::plan::Plan;
use crate::scenario::layout::Piece;
use crate::scenario::spec::{Claim, Expectation, Scenario};
use crate::scenario::{Loaded, Problems};
use judge::{Judge, Seen};
use names::Names;

/// Fields of the scenario that say what it is a scenario of, and are not taken away.
const KEPT: [&str; 5] = ["version", "doc", "kubernetes", "horizon", "seed"];

/// What to shrink.
pub struct Shrink<'a> {
    /// The scenario as read; what it takes from an export becomes part of it.
    pub loaded: &'a Loaded,
    /// What it says, with what the command line changes. Chance is decided by its tape, or else by
    /// its seed.
    pub spec: Scenario,
    /// What it does, and must go on doing.
    pub goal: Goal<'a>,
}

/// What a scenario does.
#[derive(Clone, Copy)]
pub enum Goal<'a> {
    /// It violates a property.
    Violates(Property),
    /// It fails in a way of which this gives an account; none where it does not.
    Fails(&'a dyn Fn(&Loaded, &Plan) -> Option<String>),
}

/// How large a scenario is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    /// Nodes that exist from the start.
    pub nodes: usize,
    /// Pods that exist from the start.
    pub pods: usize,
    /// Workloads.
    pub workloads: usize,
    /// Entries of the timeline, each counted once.
    pub entries: usize,
    /// Deviations from the default order.
    pub deviations: usize,
}

/// What is left.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shrunk {
    /// The scenario's file.
    pub text: String,
    /// The violation, in one line.
    pub violation: String,
    /// How large it was and is.
    pub sizes: [Size; 2],
    /// How many candidates were tried.
    pub tried: u64,
}

/// Why there is no result.
#[derive(Debug)]
pub enum Failed {
    /// The scenario cannot be built.
    Problems(Problems),
    /// It does not violate the property.
    Holds,
    /// Whoever watches asked for an end.
    Asked,
}

/// Says whether to go on; told how many candidates were tried, and how large the scenario is by
/// now.
pub type Watch<'a> = &'a mut dyn FnMut(u64, Size) -> bool;

/// Takes away what the violation does not need.
///
/// # Errors
/// A scenario that cannot be built, or that does not violate the property; an end that was asked
/// for.
pub fn shrink(what: Shrink<'_>, watch: Watch<'_>) -> Result<Shrunk, Failed> {
    let mut spec = what.spec;
    // What an export held is among the groups; what a run must come to is not what is looked for.
    (spec.cluster, spec.golden, spec.seeds) = (None, None, None);
    (spec.expect, spec.guards) = (Vec::new(), Vec::new());
    let mut tree = Piece::of(&spec);
    let names = Names::expand(&mut tree);
    let judge = Judge::new(what.loaded, what.goal);
    let seen = judge.first(&tree)?;
    let before = seen.size;
    let mut search = Search {
        judge,
        tree,
        seen,
        tried: 0,
        searching: false,
        watch,
    };
    search.horizon()?;
    loop {
        while search.pass()? {}
        search.searching = true;
        let found = search.seen.size.deviations > 0 && search.removals(&mut Vec::new())?;
        search.searching = false;
        if !found {
            break;
        }
    }
    let Search {
        mut tree,
        seen,
        tried,
        judge,
        ..
    } = search;
    names.collapse(&mut tree);
    let text = finished(&tree, &judge, &seen);
    Ok(Shrunk {
        text,
        violation: seen.text,
        sizes: [before, seen.size],
        tried,
    })
}

/// Every scenario that is the given one without one item, field or entry; each as a tree.
pub fn single_removals(tree: &Piece) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut paths = vec![Vec::new()];
    while let Some(path) = paths.pop() {
        let Some((.., body)) = &at(tree, &path).body else {
            continue;
        };
        for i in 0..body.len() {
            if path.is_empty() && is_kept(&body[i]) {
                continue;
            }
            let mut without = tree.clone();
            if let Some(body) = body_mut(&mut without, &path) {
                body.remove(i);
            }
            all.push(without);
            paths.push([path.as_slice(), &[i]].concat());
        }
    }
    all
}

fn is_kept(field: &Piece) -> bool {
    field
        .head
        .split_once(':')
        .is_some_and(|(name, _)| KEPT.contains(&name))
}

fn at<'a>(tree: &'a Piece, path: &[usize]) -> &'a Piece {
    path.iter().fold(tree, |p, i| {
        p.body.as_ref().map_or(p, |(.., body)| &body[*i])
    })
}

fn at_mut<'a>(tree: &'a mut Piece, path: &[usize]) -> Option<&'a mut Piece> {
    let mut piece = tree;
    for i in path {
        piece = piece.body.as_mut()?.2.get_mut(*i)?;
    }
    Some(piece)
}

fn body_mut<'a>(tree: &'a mut Piece, path: &[usize]) -> Option<&'a mut Vec<Piece>> {
    at_mut(tree, path)?.body.as_mut().map(|(.., body)| body)
}

struct Search<'a, 'w> {
    judge: Judge<'a>,
    /// The smallest scenario so far, and what its run came to.
    tree: Piece,
    seen: Seen,
    tried: u64,
    /// A candidate that does not violate is searched for another order.
    searching: bool,
    watch: Watch<'w>,
}

impl Search<'_, '_> {
    /// Tries a scenario; it is the smallest one from now on if it violates.
    fn accept(&mut self, tree: Piece) -> Result<bool, Failed> {
        self.tried += 1;
        if !(self.watch)(self.tried, self.seen.size) {
            return Err(Failed::Asked);
        }
        let Some(judged) = self.judge.judge(tree, self.searching) else {
            return Ok(false);
        };
        (self.tree, self.seen) = judged;
        Ok(true)
    }

    /// One pass over everything; whether it changed anything.
    fn pass(&mut self) -> Result<bool, Failed> {
        let mut changed = self.removals(&mut Vec::new())?;
        changed |= self.leaves(&mut Vec::new())?;
        Ok(changed)
    }

    /// Ends the run when the violation is certain, which makes all that follows faster.
    fn horizon(&mut self) -> Result<bool, Failed> {
        let Some(i) =
            self.tree.body.as_ref().and_then(|(.., fields)| {
                fields.iter().position(|f| f.head.starts_with("horizon:"))
            })
        else {
            return Ok(false);
        };
        for head in leaves::horizons(&at(&self.tree, &[i]).head, self.seen.at) {
            if self.with_head(&[i], head)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn removals(&mut self, path: &mut Vec<usize>) -> Result<bool, Failed> {
        let Some((open, _, body)) = &at(&self.tree, path).body else {
            return Ok(false);
        };
        let is_list = *open == '[';
        // A search is for what the scenario is made of: not for single settings, and not for the
        // tape itself.
        if self.searching && path.len() == 1 && at(&self.tree, path).head.starts_with("tape:") {
            return Ok(false);
        }
        let mut changed = false;
        let mut size = if is_list {
            body.len()
        } else {
            usize::from(!self.searching)
        };
        while size > 0 {
            let mut from = 0;
            while let Some((.., body)) = &at(&self.tree, path).body
                && from < body.len()
            {
                let until = (from + size).min(body.len());
                if path.is_empty() && is_kept(&body[from]) || !self.without(path, from, until)? {
                    from = until;
                } else {
                    changed = true;
                }
            }
            size /= 2;
        }
        let mut i = 0;
        while at(&self.tree, path)
            .body
            .as_ref()
            .is_some_and(|(.., body)| i < body.len())
        {
            path.push(i);
            changed |= self.removals(path)?;
            path.pop();
            i += 1;
        }
        Ok(changed)
    }

    fn without(&mut self, path: &[usize], from: usize, until: usize) -> Result<bool, Failed> {
        let mut tree = self.tree.clone();
        if let Some(body) = body_mut(&mut tree, path) {
            body.drain(from..until);
        }
        self.accept(tree)
    }

    fn leaves(&mut self, path: &mut Vec<usize>) -> Result<bool, Failed> {
        let piece = at(&self.tree, path);
        if path.len() == 1 && is_kept(piece) {
            return if piece.head.starts_with("horizon:") {
                self.horizon()
            } else {
                Ok(false)
            };
        }
        let mut changed = false;
        let mut others: Vec<Piece> = leaves::simpler(&piece.head)
            .into_iter()
            .map(|head| Piece {
                head,
                body: piece.body.clone(),
            })
            .collect();
        if piece.head.starts_with("timing: Custom") {
            others.insert(
                0,
                Piece {
                    head: "timing: Ideal".to_owned(),
                    body: None,
                },
            );
        }
        for other in others {
            let mut tree = self.tree.clone();
            if let Some(place) = at_mut(&mut tree, path) {
                *place = other;
            }
            if self.accept(tree)? {
                // It may be made simpler still.
                changed = true;
                self.leaves(path)?;
                break;
            }
        }
        let mut i = 0;
        while at(&self.tree, path)
            .body
            .as_ref()
            .is_some_and(|(.., body)| i < body.len())
        {
            path.push(i);
            changed |= self.leaves(path)?;
            path.pop();
            i += 1;
        }
        Ok(changed)
    }

    fn with_head(&mut self, path: &[usize], head: String) -> Result<bool, Failed> {
        let mut tree = self.tree.clone();
        if let Some(piece) = at_mut(&mut tree, path) {
            piece.head = head;
        }
        self.accept(tree)
    }
}

/// The file of the result: what it violates is its doc and what it expects.
fn finished(tree: &Piece, judge: &Judge<'_>, seen: &Seen) -> String {
    let mut tree = tree.clone();
    let Some((.., fields)) = &mut tree.body else {
        return tree.file();
    };
    let written = fields.iter().find_map(|f| {
        f.head
            .strip_prefix("kubernetes: ")?
            .strip_prefix('"')?
            .strip_suffix('"')
    });
    let release = written.unwrap_or(&seen.release).to_owned();
    fields.retain(|f| {
        !["doc:", "kubernetes:"]
            .iter()
            .any(|name| f.head.starts_with(name))
    });
    let doc = match judge.goal {
        Goal::Violates(property) => format!(
            "Violates {property} on Kubernetes {release}: {}.",
            seen.text
        ),
        Goal::Fails(_) => seen.text.clone(),
    };
    let field = |name: &str, value: Piece| Piece {
        head: format!("{name}: {}", value.head),
        body: value.body,
    };
    let place = fields
        .iter()
        .position(|f| f.head.starts_with("version:"))
        .map_or(0, |i| i + 1);
    fields.insert(place, field("doc", Piece::of(doc.as_str())));
    fields.insert(place + 1, field("kubernetes", Piece::of(release.as_str())));
    let Goal::Violates(property) = judge.goal else {
        return tree.file();
    };
    if let Some((.., tape)) = fields
        .iter_mut()
        .find(|f| f.head.starts_with("tape:"))
        .and_then(|f| f.body.as_mut())
    {
        let of_release = field("release", Piece::of(release.as_str()));
        let property = field("property", Piece::of(property.to_string().as_str()));
        tape.retain(|f| {
            !["property:", "release:"]
                .iter()
                .any(|name| f.head.starts_with(name))
        });
        let place = 1.min(tape.len());
        tape.splice(place..place, [of_release, property]);
    }
    let expect = Expectation::Violates(Claim::Property(property.to_string()));
    fields.push(field("expect", Piece::of(&[expect][..])));
    tree.file()
}
