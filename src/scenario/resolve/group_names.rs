//! What the objects of a group are called, `name` for one, `names` for several, and how many there may
//! be.

use crate::scenario::prelude::*;

/// The names of a group as they are written, and how complaints speak of it.
pub(super) struct GroupNames<'a> {
    pub(super) name: &'a Option<String>,
    pub(super) names: &'a Option<OneOrMany>,
    /// The group's own place.
    pub(super) place: &'a Spot<'a>,
    /// What it is: `node group`.
    pub(super) what: &'static str,
    /// What `name` is, said of one with ranges.
    pub(super) single: &'static str,
    /// How it is given a name.
    pub(super) example: &'static str,
}

/// A name, or texts of names that may have ranges.
pub(super) enum Names<'a> {
    One(&'a str),
    Several(&'a [String]),
}

impl<'a> GroupNames<'a> {
    /// One of the two fields, or else a complaint.
    pub(super) fn written(&self) -> Option<Names<'a>> {
        let (place, problem) = match (self.name, self.names) {
            (Some(_), Some(_)) => {
                let text = format!("a {} has either `name` or `names`, not both", self.what);
                (self.place.part("names"), Problem::new(text))
            }
            (None, None) => {
                let problem = Problem::new(format!("this {} has no name", self.what));
                (self.place.clone(), problem.help(self.example))
            }
            (Some(name), None) if name.contains(['{', '}']) => {
                let problem = Problem::new(self.single).help("ranges belong to `names`");
                (self.place.part("name"), problem)
            }
            (Some(name), None) => return Some(Names::One(name)),
            (None, Some(names)) => return Some(Names::Several(names.texts())),
        };
        place.refuse(problem)
    }

    /// All names that texts stand for, no more than are `left`; `limit` says how many there may be.
    pub(super) fn expanded(
        &self,
        texts: &[String],
        left: u64,
        limit: Option<String>,
    ) -> Option<Vec<String>> {
        let mut all = Vec::new();
        for text in texts {
            match names::expand(text, left.saturating_sub(all.len() as u64)) {
                Ok(names) => all.extend(names),
                Err(error) => {
                    let problem = Problem::new(&error);
                    let problem = problem.maybe_help(limit.filter(|_| error.is_too_many));
                    return self.place.part("names").refuse(problem);
                }
            }
        }
        Some(all)
    }

    /// The place of the names.
    pub(super) fn at(&self) -> Spot<'a> {
        self.place.part(if self.names.is_some() { "names" } else { "name" })
    }
}

/// The most nodes of a cluster, forty times what Kubernetes supports.
pub const NODES_MAX: u64 = 200_000;
/// The most pods of a cluster, thirty times what Kubernetes supports.
pub const PODS_MAX: u64 = 5_000_000;

/// How many nodes the steps of a timeline may name in all, each time a node is named.
pub(super) const MENTIONS_MAX: u64 = 20_000_000;
