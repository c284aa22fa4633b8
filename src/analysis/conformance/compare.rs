//! One of the model's runs against the recorded outcomes of a scenario.
//!
//! The rungs, from the strictest: equal to the only outcome, or to one of several; equal to one of several once the names of
//! nodes and pods are taken out; and, where the recording itself shows that outcomes are missing from it, consistent with
//! those that are kept. The last two leave it open whether upstream can do the same.

use super::envelope::{kth_ranges, offender, widened};
use crate::scenario::recorded::{KindRange, Line, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// How a run of the model compares with a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Equal to the only recorded outcome.
    Exact,
    /// Equal to this one of several recorded outcomes.
    Member(usize),
    /// Every seed stays inside the envelope.
    Inside,
    /// Equal to this recorded outcome once object names are taken out.
    Shape(usize),
    /// No recorded outcome, but the recording lacks some, and the run does what the kept ones have in common and differs only in
    /// kinds and times in which they differ.
    Unrecorded,
    /// Something differs, and here is what.
    Differs(String),
    /// The scenario needs what the model has not.
    NotModelled(Vec<String>),
}

impl Verdict {
    /// The word that stands for it in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Member(_) => "member",
            Self::Inside => "inside",
            Self::Shape(_) => "shape",
            Self::Unrecorded => "unrecorded",
            Self::Differs(_) => "DIFFERS",
            Self::NotModelled(_) => "not modelled",
        }
    }

    /// The model did what upstream did.
    pub fn conforms(&self) -> bool {
        matches!(self, Self::Exact | Self::Member(_) | Self::Inside)
    }

    /// The recording cannot tell.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::Shape(_) | Self::Unrecorded)
    }
}

/// Compares one run of the model with the outcomes of a recording, `distinct` of which were seen; nothing if it differs.
pub fn compare(ours: &[Line], outcomes: &[Outcome], distinct: u32) -> Option<Verdict> {
    if let Some(i) = outcomes.iter().position(|o| o.lines.as_slice() == ours) {
        return Some(if distinct == 1 { Verdict::Exact } else { Verdict::Member(i) });
    }
    if distinct == 1 {
        return None;
    }
    let names = names(outcomes.iter().flat_map(|o| o.lines.iter()).chain(ours));
    let shape = nameless(ours, &names);
    if let Some(i) = outcomes.iter().position(|o| nameless(&o.lines, &names) == shape) {
        return Some(Verdict::Shape(i));
    }
    // Outcomes are missing for certain where more were seen than are kept, and likely where one was seen only once.
    let incomplete = distinct as usize > outcomes.len() || outcomes.iter().any(|o| o.count == 1);
    (incomplete && (shares_the_core(ours, outcomes) || follows_the_outline(ours, outcomes))).then_some(Verdict::Unrecorded)
}

/// All names of nodes and pods, pods also without their namespace.
fn names<'a>(lines: impl Iterator<Item = &'a Line>) -> BTreeSet<&'a str> {
    let mut out = BTreeSet::new();
    for l in lines {
        out.insert(l.node.as_str());
        out.insert(l.pod.as_str());
        out.insert(l.pod.rsplit('/').next().unwrap_or_default());
        if let Some((_, name)) = l.object.split_once('/') {
            out.insert(name);
            out.insert(name.rsplit('/').next().unwrap_or_default());
        }
    }
    out.remove("");
    out
}

/// The records without the names of objects, sorted.
fn nameless(lines: &[Line], names: &BTreeSet<&str>) -> Vec<Line> {
    let word = |w: &str| {
        let bare = w.trim_end_matches(['.', ',', ':']);
        if names.contains(bare) { "*".to_owned() } else { w.to_owned() }
    };
    let strip = |l: &Line| Line {
        node: String::new(),
        pod: String::new(),
        object: l.object.split('/').next().unwrap_or_default().to_owned(),
        message: l.message.split(' ').map(word).collect::<Vec<_>>().join(" "),
        ..l.clone()
    };
    let mut out: Vec<Line> = lines.iter().map(strip).collect();
    out.sort();
    out
}

/// How often each record occurs.
fn tally(lines: &[Line]) -> BTreeMap<&Line, usize> {
    let mut out = BTreeMap::new();
    for l in lines {
        *out.entry(l).or_default() += 1;
    }
    out
}

/// What is left of a run without the records that all outcomes share.
fn beyond<'a>(lines: &'a [Line], core: &BTreeMap<&Line, usize>) -> Vec<&'a Line> {
    let mut left = core.clone();
    lines
        .iter()
        .filter(|l| match left.get_mut(l) {
            Some(n) if *n > 0 => {
                *n -= 1;
                false
            }
            _ => true,
        })
        .collect()
}

/// Whether a run has every record that all outcomes share, and beyond them only such kinds as differ between outcomes,
/// within the times in which they do.
fn shares_the_core(ours: &[Line], outcomes: &[Outcome]) -> bool {
    let mut core = tally(&outcomes[0].lines);
    for o in &outcomes[1..] {
        let other = tally(&o.lines);
        core.retain(|l, n| {
            *n = (*n).min(other.get(l).copied().unwrap_or_default());
            *n > 0
        });
    }
    let shared: usize = core.values().sum();
    let extra = beyond(ours, &core);
    if extra.len() + shared != ours.len() {
        return false;
    }
    let mut spans: BTreeMap<String, [u64; 2]> = BTreeMap::new();
    for l in outcomes.iter().flat_map(|o| beyond(&o.lines, &core)) {
        let span = spans.entry(l.envelope_kind()).or_insert([l.ms(), l.ms()]);
        *span = [span[0].min(l.ms()), span[1].max(l.ms())];
    }
    extra.iter().all(|l| {
        spans.get(&l.envelope_kind()).is_some_and(|&span| {
            let [from, to] = widened(span, 1);
            (from..=to).contains(&l.ms())
        })
    })
}

/// Whether a run stays inside the envelope that the kept outcomes make. It is widened twice as much as a recorded envelope,
/// which knows twenty runs and not one or a few.
fn follows_the_outline(ours: &[Line], outcomes: &[Outcome]) -> bool {
    let runs: Vec<_> = outcomes.iter().map(|o| o.lines.as_slice()).collect();
    let kinds: BTreeMap<String, KindRange> = kth_ranges(&runs);
    offender(ours, &kinds, 2).is_none()
}
