//! Which object should have come before which.

use super::near::Miss;
use crate::api::names::stable_hash;
use crate::recorded::Line;
use crate::trace::Trace;
use std::cmp::Ordering;

/// Which objects should come sooner, and which came instead, by the hashes of their names: those of
/// the first record that only the outcome has, and of the first that only the run has. Of the two
/// records only the earlier one counts.
pub(super) struct Wish {
    pub(super) wanted: Vec<u64>,
    pub(super) instead: Vec<u64>,
}

impl Wish {
    pub(super) fn of(miss: &Miss, lines: &[Line], trace: &Trace) -> Self {
        let mut aliases: Vec<(String, String)> = trace.names.aliases().collect();
        // The longest first, as one may be a part of another.
        aliases.sort_by_key(|(_, alias)| std::cmp::Reverse(alias.len()));
        let about = |line: &Option<Line>| -> Vec<u64> {
            let texts = line.as_ref().map(|line| objects(line, lines));
            let name = |text: &String| {
                aliases.iter().fold(text.clone(), |text, (name, alias)| {
                    text.replace(alias, name)
                })
            };
            let texts = texts.iter().flatten().filter(|text| !text.is_empty());
            texts.map(|text| stable_hash(&name(text))).collect()
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
        Self {
            wanted: only(&wanted, &instead),
            instead: only(&instead, &wanted),
        }
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
    [
        line.node.clone(),
        line.pod.clone(),
        object.to_owned(),
        node.unwrap_or_default(),
    ]
}
