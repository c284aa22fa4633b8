//! Compares one of the model's runs with the recorded outcomes of a scenario.
//!
//! The rungs, from the strictest: equal to the only outcome, or to one of several; equal to one of
//! several once the names of nodes and pods are taken out; and, where the recording itself shows
//! that outcomes are missing from it, consistent with those that are kept. The last two leave it
//! open whether upstream can do the same.

use super::envelope::{kth_ranges, offender, widened};
use crate::recorded::{KindRange, Line, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// With fewer runs than this, one of two equally likely outcomes is easily missed: three runs miss
/// it one time in four.
const MANY_RUNS: u32 = 10;

/// Where one outcome is kept of this number or more, another one may differ from it in anything
/// that chance decides.
const FEW: usize = 8;

/// How a run of the model compares with a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Equal to the only recorded outcome.
    Exact,
    /// Equal to this one of several recorded outcomes.
    Member(usize),
    /// Every seed stays inside the envelope, or as many as recorded runs stay inside that of the others.
    Inside,
    /// Equal to this recorded outcome once object names are taken out.
    Shape(usize),
    /// No recorded outcome, but the recording lacks some, and there is reason to think that this is
    /// one of them.
    Unrecorded(Evidence),
    /// Something differs, and here is what.
    Differs(String),
    /// The scenario needs something that the model lacks.
    NotModelled(Vec<String>),
}

/// Why a run that was not recorded does not count as different.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// With another seed the model's run equals this outcome once the names of objects are taken
    /// out.
    Shape(usize),
    /// The run, or that of another seed, agrees with what the kept outcomes have in common.
    Consistent,
    /// So few of the outcomes that were seen are kept that they say little of the others.
    Few,
    /// Few seeds leave the envelope, and only where the recorded runs are themselves far apart.
    Chance,
}

impl Verdict {
    /// The word that stands for it in reports.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Member(_) => "member",
            Self::Inside => "inside",
            Self::Shape(_) => "shape",
            Self::Unrecorded(_) => "unrecorded",
            Self::Differs(_) => "DIFFERS",
            Self::NotModelled(_) => "not modelled",
        }
    }

    /// The model did what upstream did.
    pub(crate) fn conforms(&self) -> bool {
        matches!(self, Self::Exact | Self::Member(_) | Self::Inside)
    }

    /// The recording does not decide it.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Self::Shape(_) | Self::Unrecorded(_))
    }
}

/// Compares one run of the model with the outcomes of a recording, `distinct` of which were seen;
/// nothing if it differs.
pub fn compare(ours: &[Line], outcomes: &[Outcome], distinct: u32) -> Option<Verdict> {
    if let Some(i) = outcomes.iter().position(|o| o.lines.as_slice() == ours) {
        return Some(if distinct == 1 { Verdict::Exact } else { Verdict::Member(i) });
    }
    if distinct == 1 {
        return None;
    }
    let names = names(outcomes.iter().flat_map(|o| o.lines.iter()).chain(ours));
    let shape = nameless(ours, &names);
    outcomes.iter().position(|o| nameless(&o.lines, &names) == shape).map(Verdict::Shape)
}

/// Whether a recording of this number of runs lacks outcomes: for certain where more were seen than
/// are kept; likely where one was seen only once, or where there were few runs.
pub(super) fn is_incomplete(outcomes: &[Outcome], distinct: u32, runs: u32) -> bool {
    distinct as usize > outcomes.len() || outcomes.iter().any(|o| o.count == 1) || runs < MANY_RUNS
}

/// Whether of the outcomes that were seen hardly any is kept.
pub(super) fn keeps_few(outcomes: &[Outcome], distinct: u32) -> bool {
    outcomes.len() * FEW <= distinct as usize
}

/// Whether a run that equals no kept outcome is consistent with them.
pub(super) fn is_consistent(ours: &[Line], outcomes: &[Outcome]) -> bool {
    let names = names(outcomes.iter().flat_map(|o| o.lines.iter()).chain(ours));
    let bare: Vec<Vec<Line>> = outcomes.iter().map(|o| nameless(&o.lines, &names)).collect();
    agrees(&nameless(ours, &names), &bare) || follows_the_outline(ours, outcomes)
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

/// The records of each kind.
fn by_kind(lines: &[Line]) -> BTreeMap<String, Vec<&Line>> {
    let mut out: BTreeMap<String, Vec<&Line>> = BTreeMap::new();
    for l in lines {
        out.entry(l.envelope_kind()).or_default().push(l);
    }
    out
}

/// Whether a run has, except for names, the same records of every kind in which the outcomes are
/// alike; and of the other kinds about as many as the outcomes, half of them more or less, within
/// the times in which the outcomes have them.
fn agrees(ours: &[Line], outcomes: &[Vec<Line>]) -> bool {
    let ours = by_kind(ours);
    let outcomes: Vec<_> = outcomes.iter().map(|o| by_kind(o)).collect();
    fn of<'a>(run: &BTreeMap<String, Vec<&'a Line>>, kind: &str) -> Vec<&'a Line> {
        run.get(kind).cloned().unwrap_or_default()
    }
    let kinds: BTreeSet<&String> =
        ours.keys().chain(outcomes.iter().flat_map(BTreeMap::keys)).collect();
    kinds.into_iter().all(|kind| {
        let ours = of(&ours, kind);
        let lists: Vec<Vec<&Line>> = outcomes.iter().map(|o| of(o, kind)).collect();
        if lists.iter().all(|l| *l == lists[0]) {
            return ours == lists[0];
        }
        let (least, most) = lists
            .iter()
            .fold((usize::MAX, 0), |(least, most), l| (least.min(l.len()), most.max(l.len())));
        let times = lists.iter().flatten().map(|l| l.ms());
        let span = [times.clone().min().unwrap_or_default(), times.max().unwrap_or_default()];
        let [from, to] = widened(span, 1);
        (least.div_ceil(2)..=most + most / 2).contains(&ours.len())
            && ours.iter().all(|l| (from..=to).contains(&l.ms()))
    })
}

/// Whether a run stays inside the envelope that the kept outcomes make. It is widened twice as much
/// as a recorded envelope, which knows twenty runs and not one or a few.
fn follows_the_outline(ours: &[Line], outcomes: &[Outcome]) -> bool {
    let runs: Vec<_> = outcomes.iter().map(|o| o.lines.as_slice()).collect();
    let kinds: BTreeMap<String, KindRange> = kth_ranges(&runs);
    offender(ours, &kinds, 2).is_none()
}
