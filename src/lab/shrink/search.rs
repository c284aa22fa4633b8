//! The search for the smallest scenario: removals, larger stretches first, then simpler values.

use super::finished::finished;
use super::goal::{Failed, Shrink, Shrunk, Watch};
use super::judge::{Judge, Seen};
use super::leaves;
use super::names::Names;
use super::tree::{at, at_mut, body_mut, is_kept};
use crate::language::text::layout::Piece;

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

struct Search<'a, 'w> {
    judge: Judge<'a>,
    /// The smallest scenario so far, and the result of its run.
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
