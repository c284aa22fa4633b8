//! Which object should have come before which.

use super::near::Miss;
use crate::recorded::Line;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use taintsim::api::names::stable_hash;
use taintsim::trace::Trace;

/// Which objects should come sooner, and which came instead, by the hashes of their names: those of
/// the first record that only the outcome has, and of the first that only the run has. Of the two
/// records only the earlier one counts.
pub(super) struct Wish {
    pub(super) wanted: Vec<u64>,
    pub(super) instead: Vec<u64>,
}

impl Wish {
    pub(super) fn of(miss: &Miss, lines: &[Line], trace: &Trace) -> Self {
        let hash = hashing(trace);
        let about = |line: &Option<Line>| -> Vec<u64> {
            let texts = line.as_ref().map(|line| objects(line, lines));
            let texts = texts.iter().flatten().filter(|text| !text.is_empty());
            texts.map(|text| hash(text)).collect()
        };
        let time = |line: &Option<Line>| line.as_ref().map_or(u64::MAX, |l| l.t_ns);
        let (theirs, ours) = &miss.parts;
        let (wanted, instead) = match time(theirs).cmp(&time(ours)) {
            Ordering::Less => (about(theirs), Vec::new()),
            Ordering::Equal => (about(theirs), about(ours)),
            Ordering::Greater => (Vec::new(), about(ours)),
        };
        let only = |these: &[u64], those: &[u64]| -> Vec<u64> {
            let is_only = |h: &u64| !those.contains(h);
            these.iter().copied().filter(is_only).collect()
        };
        Self { wanted: only(&wanted, &instead), instead: only(&instead, &wanted) }
    }
}

/// What a record is about; for a pod also its node, as what happens to a pod may depend on what
/// happened to its node.
fn objects(line: &Line, lines: &[Line]) -> [String; 4] {
    let object = line.object.split_once('/').map_or("", |(_, name)| name);
    let is_there = |l: &&Line| {
        !l.node.is_empty() && !l.pod.is_empty() && (l.pod == line.pod || l.pod == object)
    };
    let node = lines.iter().rev().find(is_there).map(|l| l.node.clone());
    [line.node.clone(), line.pod.clone(), object.to_owned(), node.unwrap_or_default()]
}

/// The hash of what a record calls an object.
fn hashing(trace: &Trace) -> impl Fn(&str) -> u64 {
    let mut aliases: Vec<(String, String)> = trace.names.aliases().collect();
    // The longest first, as one may be a part of another.
    aliases.sort_by_key(|(_, alias)| std::cmp::Reverse(alias.len()));
    move |text| {
        let named =
            aliases.iter().fold(text.to_owned(), |text, (name, alias)| text.replace(alias, name));
        stable_hash(&named)
    }
}

/// Fewer objects than these are put in order by exchanges, one after the other.
const MANY: usize = 6;

/// When the outcome has the objects of its records of the kind at which a run parts from it, by the
/// hashes of their names; nothing where they are few.
pub(super) fn times(miss: &Miss, wanted: &[Line], trace: &Trace) -> BTreeMap<u64, u64> {
    let hash = hashing(trace);
    let (theirs, ours) = &miss.parts;
    let Some(kind) = theirs.as_ref().or(ours.as_ref()).map(Line::envelope_kind) else {
        return BTreeMap::new();
    };
    let mut times = BTreeMap::new();
    // Of several times of an object the first from there on counts, else the last before.
    let (before, behind) = wanted.split_at(miss.shared);
    for line in before.iter().chain(behind.iter().rev()) {
        if line.envelope_kind() == kind {
            let object = line.object.split_once('/').map_or("", |(_, name)| name);
            let names = [&line.pod, object, &line.node];
            if let Some(name) = names.iter().find(|name| !name.is_empty()) {
                times.insert(hash(name), line.t_ns);
            }
        }
    }
    if times.len() < MANY {
        times.clear();
    }
    times
}
