//! The facts of two runs, paired by object.

use super::change::{Change, Noise, Occurrence, Pair, distance};
use super::found::{Found, Key, NONE, Names, Seen, WORDS};
use crate::analysis::facts::PENDING;
use crate::analysis::words::stem;
use crate::kernel::{Dur, Time};

/// Times that are less than this apart are noise where nothing else differs.
const SLIGHT: Dur = Dur::from_secs(1);

/// A fact that differs.
#[derive(Clone, Copy)]
pub(super) struct Paired {
    pub(super) what: u32,
    pub(super) pod: u32,
    node: u32,
    pub(super) a: Option<Seen>,
    pub(super) b: Option<Seen>,
    /// The times differ.
    pub(super) shifted: bool,
}

impl Paired {
    /// What the fact is, in words.
    pub(super) fn what(&self, names: &Names) -> String {
        names.texts[names.whats[self.what as usize].1 as usize].clone()
    }

    /// When it first was true in either run.
    pub(super) fn when(&self) -> Time {
        self.a.iter().chain(&self.b).map(|s| s.at).min().unwrap_or(Time::MAX)
    }

    pub(super) fn rank(&self, names: &Names) -> (u8, u32) {
        (names.whats[self.what as usize].0, self.pod)
    }

    pub(super) fn change(&self, names: &Names) -> Change {
        let beside = |s: Option<Seen>| {
            s.and_then(|s| names.texts.get(s.detail as usize).cloned()).unwrap_or_default()
        };
        match (&self.a, &self.b) {
            (Some(_), Some(_)) if !self.shifted && self.same_beside() => {
                Change::Otherwise(String::new(), String::new())
            }
            (Some(_), Some(_)) if !self.shifted => {
                Change::Otherwise(beside(self.a), beside(self.b))
            }
            (Some(a), Some(b)) if a.at < b.at => Change::Later,
            (Some(_), Some(_)) => Change::Earlier,
            (Some(_), None) => Change::OnlyA,
            (None, _) => Change::OnlyB,
        }
    }

    /// Its detail is the same; only its node differs.
    fn same_beside(&self) -> bool {
        self.a.map(|s| s.detail) == self.b.map(|s| s.detail)
    }

    /// Whether it says next to nothing, and why.
    pub(super) fn noise(&self, names: &Names) -> Option<Noise> {
        let rank = names.whats[self.what as usize].0;
        let (a, b) = match (self.a, self.b) {
            _ if rank == WORDS => return Some(Noise::Words),
            (Some(a), Some(b)) if distance(a.at, b.at) < SLIGHT => (a, b),
            _ => return None,
        };
        match rank {
            PENDING if a.detail != b.detail => Some(Noise::Words),
            _ if self.shifted && a.detail == b.detail && a.node == b.node => Some(Noise::Slight),
            _ => None,
        }
    }

    /// Its detail in each run.
    pub(super) fn details(&self, names: &Names) -> [Option<String>; 2] {
        [self.a, self.b].map(|s| s.and_then(|s| names.texts.get(s.detail as usize).cloned()))
    }

    /// What its object belongs to: a pod's workload, or what names have in common; none of what has
    /// no object.
    pub(super) fn of(&self, names: &Names) -> Option<String> {
        match (self.pod, self.node) {
            (NONE, NONE) => None,
            (NONE, node) => names.nodes.get(node as usize).map(|n| stem(n).to_owned()),
            (pod, _) => names.texts.get(names.groups[pod as usize] as usize).cloned(),
        }
    }

    /// Its object's name, if that means the same object in every seed; empty of what has no object.
    pub(super) fn object(&self, names: &Names) -> Option<String> {
        match (self.pod, self.node) {
            (NONE, NONE) => Some(String::new()),
            (NONE, node) => names.nodes.get(node as usize).cloned(),
            (pod, _) => names.lasting[pod as usize].then(|| names.pods[pod as usize].clone()),
        }
    }

    /// What is said of which object.
    pub(super) fn identity(&self) -> (u32, u32, u32) {
        (self.what, self.pod, self.node)
    }

    /// Whether its object is a pod.
    pub(super) fn is_of_pod(&self) -> bool {
        self.pod != NONE
    }

    /// By how much the times differ.
    pub(super) fn shift(&self) -> Option<Dur> {
        Some(distance(self.a?.at, self.b?.at))
    }

    pub(super) fn named(&self, names: &Names) -> Pair {
        let name = |all: &[String], i: u32| all.get(i as usize).cloned();
        let node = self.a.or(self.b).map_or(NONE, |s| s.node);
        let occurrence = |s: Seen| Occurrence { at: s.at, record: s.record };
        Pair {
            pod: name(&names.pods, self.pod),
            node: name(&names.nodes, if self.node == NONE { node } else { self.node }),
            a: self.a.map(occurrence),
            b: self.b.map(occurrence),
        }
    }
}

/// Pairs the facts of two runs, and keeps those that differ.
pub(super) fn pairs(a: Found, mut b: Found, tolerance: Dur) -> Vec<Paired> {
    let mut found = Vec::new();
    let mut both = |key: Key, a: &[Seen], b: &[Seen]| {
        for (a, b) in matched(a, b) {
            let (shifted, other) = match (&a, &b) {
                (Some(a), Some(b)) => {
                    (distance(a.at, b.at) > tolerance, a.detail != b.detail || a.node != b.node)
                }
                _ => (true, true),
            };
            if shifted || other {
                found.push(Paired { what: key.0, pod: key.1, node: key.2, a, b, shifted });
            }
        }
    };
    for (key, seen) in a.seen {
        let other = b.seen.remove(&key).unwrap_or_default();
        both(key, &seen, &other);
    }
    for (key, seen) in b.seen {
        both(key, &[], &seen);
    }
    found
}

/// Beyond this number of combinations, the first is paired with the first, and so on.
const COMBINATIONS_MAX: usize = 10_000;

/// Pairs two lists in order; of the longer one those are left over that make the pairs lie nearest
/// to each other.
fn matched(a: &[Seen], b: &[Seen]) -> Vec<(Option<Seen>, Option<Seen>)> {
    if a.len() > b.len() {
        return matched(b, a).into_iter().map(|(b, a)| (a, b)).collect();
    }
    if a.len() == b.len() || a.len() * b.len() > COMBINATIONS_MAX {
        return (0..b.len()).map(|i| (a.get(i).copied(), b.get(i).copied())).collect();
    }
    // cost[i][j]: the least sum of distances of the first i of `a` among the first j of `b`.
    let width = b.len() + 1;
    let mut cost = vec![u128::MAX; (a.len() + 1) * width];
    cost[..width].fill(0);
    for i in 1..=a.len() {
        for j in i..=b.len() {
            let taken = cost[(i - 1) * width + j - 1]
                .saturating_add(distance(a[i - 1].at, b[j - 1].at).as_nanos().into());
            cost[i * width + j] =
                taken.min(if j > i { cost[i * width + j - 1] } else { u128::MAX });
        }
    }
    let (mut i, mut pairs) = (a.len(), Vec::new());
    for j in (1..=b.len()).rev() {
        let take = i > 0 && (j == i || cost[i * width + j] < cost[i * width + j - 1]);
        pairs.push((take.then(|| a[i - 1]), Some(b[j - 1])));
        i -= usize::from(take);
    }
    pairs.reverse();
    pairs
}
