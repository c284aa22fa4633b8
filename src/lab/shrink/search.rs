//! The search for the smallest scenario: removals, larger stretches first, then simpler values.

use super::judge::{Failed, Goal, Judge, Seen, Shrink, Shrunk, Watch};
use super::leaves::{self, Names};
use crate::analysis::properties::Property;
use crate::language::text::tree::Value;
use crate::language::{Claim, Expectation, Tree};

/// Takes away what the violation does not need.
///
/// # Errors
/// A scenario that cannot be built, or that does not violate the property.
pub fn shrink(what: Shrink<'_>, watch: Watch<'_>) -> Result<Shrunk, Failed> {
    let mut spec = what.spec;
    // What an export held is among the groups; what a run must come to is not what is looked for.
    (spec.cluster, spec.golden) = (None, None);
    spec.guards = Vec::new();
    let mut judge = Judge::new(what.loaded, what.goal, what.told);
    if matches!(what.goal, Goal::Violates(Property::Expect)) {
        // One of the expectations that are not met: the first.
        let unmet = judge.first(&Tree::of(&spec))?.unmet;
        spec.expect = vec![spec.expect.swap_remove(unmet)];
    } else {
        spec.expect = Vec::new();
    }
    // Expectations of a share of the runs need them, and are gone now.
    spec.seeds = None;
    let mut tree = Tree::of(&spec);
    let names = Names::expand(&mut tree);
    let seen = judge.first(&tree)?;
    let before = seen.size;
    let keeps_tape = matches!(what.goal, Goal::Violates(_)) && spec.tape.is_some();
    let mut search = Search { judge, tree, seen, tried: 0, searching: false, keeps_tape, watch };
    let is_least = search.all().is_ok();
    let Search { mut tree, seen, tried, judge, .. } = search;
    names.collapse(&mut tree);
    let text = finished(&tree, &judge, &seen);
    Ok(Shrunk { text, violation: seen.text, sizes: [before, seen.size], tried, is_least })
}

struct Search<'a, 'w> {
    judge: Judge<'a>,
    /// The smallest scenario so far, and the result of its run.
    tree: Tree,
    seen: Seen,
    tried: u64,
    /// A candidate that does not violate is searched for another order.
    searching: bool,
    /// What violates by its tape is to do so by that, if without a deviation, and not by a seed that happens to.
    keeps_tape: bool,
    watch: Watch<'w>,
}

/// Whoever watches asked for an end.
struct Asked;

/// What is tried at a place of the scenario; whether it changed anything.
type Pass<S> = fn(&mut S, &mut Vec<usize>) -> Result<bool, Asked>;

impl Search<'_, '_> {
    /// Takes away and simplifies until nothing more can go.
    fn all(&mut self) -> Result<(), Asked> {
        self.horizon()?;
        loop {
            while self.pass()? {}
            self.searching = true;
            let found = self.seen.size.deviations > 0 && self.removals(&mut Vec::new())?;
            self.searching = false;
            if !found {
                return Ok(());
            }
        }
    }

    /// Tries a scenario; it is the smallest one from now on if it violates.
    fn accept(&mut self, tree: Tree) -> Result<bool, Asked> {
        self.tried += 1;
        if !(self.watch)(self.tried, self.seen.size) {
            return Err(Asked);
        }
        let Some(judged) = self.judge.judge(tree, self.searching) else { return Ok(false) };
        (self.tree, self.seen) = judged;
        Ok(true)
    }

    /// One pass over everything; whether it changed anything.
    fn pass(&mut self) -> Result<bool, Asked> {
        let mut changed = self.removals(&mut Vec::new())?;
        changed |= self.leaves(&mut Vec::new())?;
        Ok(changed)
    }

    /// Ends the run when the violation is certain, which makes all that follows faster.
    /// Not where it may be for want of time that an expectation is not met.
    fn horizon(&mut self) -> Result<bool, Asked> {
        if self.judge.expects() {
            return Ok(false);
        }
        let fields = self.tree.parts();
        let Some(i) = fields.iter().position(|f| f.is_named("horizon")) else { return Ok(false) };
        for end in leaves::horizons(&fields[i], self.seen.at) {
            if self.with(&[i], Value::text(&end))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn removals(&mut self, path: &mut Vec<usize>) -> Result<bool, Asked> {
        let tree = self.tree.at(path);
        let is_list = tree.open() == Some('[');
        // A search is for what the scenario is made of: not for single settings, and not for the
        // tape itself.
        if path.len() == 1 && (is_kept(tree) || self.searching && tree.is_named("tape")) {
            return Ok(false);
        }
        let mut changed = false;
        let mut size = if is_list {
            tree.parts().len()
        } else {
            usize::from(!self.searching && tree.open().is_some())
        };
        while size > 0 {
            let mut from = 0;
            while from < self.tree.at(path).parts().len() {
                let parts = self.tree.at(path).parts();
                let until = (from + size).min(parts.len());
                let stays = path.is_empty() && self.stays(&parts[from]);
                if stays || !self.without(path, from, until)? {
                    from = until;
                } else {
                    changed = true;
                }
            }
            size /= 2;
        }
        Ok(self.in_parts(path, Self::removals)? || changed)
    }

    /// Does something to each part of a part, as many as there are by then; whether it changed anything.
    fn in_parts(&mut self, path: &mut Vec<usize>, to: Pass<Self>) -> Result<bool, Asked> {
        let (mut changed, mut i) = (false, 0);
        while i < self.tree.at(path).parts().len() {
            path.push(i);
            changed |= to(self, path)?;
            path.pop();
            i += 1;
        }
        Ok(changed)
    }

    /// Whether a field of the scenario is not taken away.
    fn stays(&self, field: &Tree) -> bool {
        is_kept(field) || self.keeps_tape && field.is_named("tape")
    }

    fn without(&mut self, path: &[usize], from: usize, until: usize) -> Result<bool, Asked> {
        let mut tree = self.tree.clone();
        if let Some(parts) = tree.at_mut(path).and_then(Tree::parts_mut) {
            parts.drain(from..until);
        }
        self.accept(tree)
    }

    fn leaves(&mut self, path: &mut Vec<usize>) -> Result<bool, Asked> {
        let tree = self.tree.at(path);
        if path.len() == 1 && is_kept(tree) {
            return if tree.is_named("horizon") { self.horizon() } else { Ok(false) };
        }
        let mut changed = false;
        let mut others = leaves::simpler(&tree.value);
        if tree.is_named("timing") && tree.word() == "Custom" {
            others.insert(0, Value::word("Ideal"));
        }
        for other in others {
            if self.with(path, other)? {
                // It may be made simpler still.
                changed = true;
                self.leaves(path)?;
                break;
            }
        }
        Ok(self.in_parts(path, Self::leaves)? || changed)
    }

    fn with(&mut self, path: &[usize], value: Value) -> Result<bool, Asked> {
        let mut tree = self.tree.clone();
        if let Some(part) = tree.at_mut(path) {
            part.value = value;
        }
        self.accept(tree)
    }
}

/// Fields of the scenario that say what it is a scenario of, and are not taken away.
const KEPT: [&str; 6] = ["version", "doc", "kubernetes", "horizon", "seed", "expect"];

fn is_kept(field: &Tree) -> bool {
    field.name().is_some_and(|name| KEPT.contains(&name))
}

/// The file of the result: what it violates is its doc and what it expects.
fn finished(tree: &Tree, judge: &Judge<'_>, seen: &Seen) -> String {
    let mut tree = tree.clone();
    let written = tree.field("kubernetes").and_then(Tree::text);
    let release = written.unwrap_or(&seen.release).to_owned();
    let doc = match judge.goal {
        Goal::Violates(property) => {
            format!("Violates {property} on Kubernetes {release}: {}.", seen.text)
        }
        Goal::Fails(_) => seen.text.clone(),
    };
    begin(&mut tree, "version", [("doc", &doc), ("kubernetes", &release)]);
    if let Goal::Violates(property) = judge.goal {
        // What is expected and not met stays as it was written.
        let text = property.to_string();
        if let Some(tape) = tree.field_mut("tape") {
            begin(tape, "choices", [("release", &release), ("property", &text)]);
        }
        if property != Property::Expect {
            let expect = Expectation::Violates(Claim::Property(text));
            tree.put("expect", Tree::of(&[expect][..]).value);
        }
    }
    tree.file()
}

/// Writes two texts behind a field, in place of what has their names.
fn begin(tree: &mut Tree, behind: &str, texts: [(&str, &String); 2]) {
    let Some(fields) = tree.parts_mut() else { return };
    fields.retain(|f| texts.iter().all(|(name, _)| !f.is_named(name)));
    let place = fields.iter().position(|f| f.is_named(behind));
    let place = place.map_or(0, |i| i + 1);
    let texts = texts.map(|(name, text)| Tree::of(text).named(name));
    fields.splice(place..place, texts);
}
