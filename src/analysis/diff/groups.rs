//! Facts of two runs, paired by object, and groups of those that differ alike.

use super::super::facts::{Fact, Finding};
use super::super::rows::Text;
use super::super::setting::Analysis;
use super::super::state::NO_NODE;
use super::super::words::stem;
use super::super::workloads::{Owners, said};
use crate::kernel::{Dur, Time};
use crate::trace::RecordId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// When a fact became true in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// When.
    pub at: Time,
    /// The record that says so.
    pub record: RecordId,
}

/// An object of which a fact differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The pod, `namespace/name`.
    pub pod: Option<String>,
    /// The node it is about, or that the pod is on.
    pub node: Option<String>,
    /// When in the first run.
    pub a: Option<Occurrence>,
    /// When in the second run.
    pub b: Option<Occurrence>,
}

/// In what way a fact differs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// It is true in the first run only.
    OnlyA,
    /// It is true in the second run only.
    OnlyB,
    /// It is true earlier in the second run.
    Earlier,
    /// It is true later in the second run.
    Later,
    /// It is true at the same time, but differs in that.
    Otherwise(String, String),
}

/// Objects of which the same fact differs alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What it is: `evicted`, `tainted unreachable:NoExecute`; of facts without an object all that
    /// there is to say.
    pub what: String,
    /// In what way it differs.
    pub change: Change,
    /// The workload of its pods, or what their names have in common.
    pub of: Option<String>,
    /// What is beside it in each run where that is the same for all: how long the timer was, where
    /// a pod was bound.
    pub details: [Option<String>; 2],
    /// Nobody needs to know of it first, and why.
    pub noise: Option<Noise>,
    /// Its objects.
    pub pairs: Vec<Pair>,
}

/// Why a difference says next to nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Noise {
    /// The same is said in other words: why a pod that is pending in both runs is, or once more of
    /// one that has been for long.
    Words,
    /// The times are less than a second apart, and nothing else differs.
    Slight,
    /// Another object of the same kind or workload instead: one in the first run only, and another
    /// one in the second run only.
    Another,
}

impl Noise {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Slight => "slight",
            Self::Another => "another",
        }
    }
}

/// Times that are less than this apart are noise where nothing else differs.
pub(super) const SLIGHT: Dur = Dur::from_secs(1);

impl Group {
    /// By how much its objects differ in time: the least and the most.
    pub fn shift(&self) -> Option<(Dur, Dur)> {
        let shifts = self
            .pairs
            .iter()
            .filter_map(|p| Some(distance(p.a?.at, p.b?.at)));
        Some((shifts.clone().min()?, shifts.max()?))
    }
}

fn distance(a: Time, b: Time) -> Dur {
    a.max(b).since(a.min(b))
}

/// The objects of two runs under common numbers, by name, and the texts of facts.
pub(super) struct Names {
    nodes: Vec<String>,
    pods: Vec<String>,
    /// Per pod what it belongs to.
    groups: Vec<u32>,
    /// Per pod whether its name means the same pod in every seed: it is of a plan, of a
    /// StatefulSet, or of no workload. Other names are given out in the order of creation.
    lasting: Vec<bool>,
    /// Per run, from its ids.
    node_of: [Vec<u32>; 2],
    pod_of: [Vec<u32>; 2],
    texts: Vec<String>,
    by_text: BTreeMap<String, u32>,
    whats: Vec<(u8, u32)>,
    by_what: BTreeMap<(u8, u32), u32>,
    cached: BTreeMap<(usize, Fact, u8, u32), (u32, u32)>,
}

/// Stands for no node or pod, and for nothing beside a fact.
const NONE: u32 = u32::MAX;

impl Names {
    pub(super) fn new(a: &Analysis<'_>, b: &Analysis<'_>) -> Self {
        let nodes = |x: &Analysis<'_>| {
            (0..x.node_count() as u32)
                .map(|i| x.node_name(crate::api::names::NodeId(i)).to_owned())
                .collect()
        };
        let pods = |x: &Analysis<'_>| {
            (0..x.pod_count() as u32)
                .map(|i| x.pod_name(crate::api::names::PodId(i)).to_owned())
                .collect()
        };
        let (nodes, node_of) = union(nodes(a), nodes(b));
        let (pods, pod_of): (Vec<String>, [Vec<u32>; 2]) = union(pods(a), pods(b));
        let mut planned = vec![false; pods.len()];
        for (side, analysis) in [a, b].into_iter().enumerate() {
            for pod in analysis
                .plan
                .pods
                .iter()
                .filter_map(|p| analysis.trace.names.find_pod(&p.name))
            {
                planned[pod_of[side][pod.index()] as usize] = true;
            }
        }
        Names {
            groups: vec![NONE; pods.len()],
            lasting: planned,
            nodes,
            pods,
            node_of,
            pod_of,
            texts: Vec::new(),
            by_text: BTreeMap::new(),
            whats: Vec::new(),
            by_what: BTreeMap::new(),
            cached: BTreeMap::new(),
        }
    }

    fn text(&mut self, text: String) -> u32 {
        if let Some(id) = self.by_text.get(&text) {
            return *id;
        }
        self.texts.push(text.clone());
        let id = self.texts.len() as u32 - 1;
        self.by_text.insert(text, id);
        id
    }

    pub(super) fn what(&self, p: &Paired) -> String {
        self.texts[self.whats[p.what as usize].1 as usize].clone()
    }
}

/// The names of both, and for each of theirs its place.
fn union(a: Vec<String>, b: Vec<String>) -> (Vec<String>, [Vec<u32>; 2]) {
    let first = (0..a.len() as u32).collect();
    let mut all = a;
    let places: BTreeMap<String, u32> = all.iter().cloned().zip(0..).collect();
    let mut second = Vec::with_capacity(b.len());
    for name in b {
        second.push(places.get(&name).copied().unwrap_or_else(|| {
            all.push(name.clone());
            all.len() as u32 - 1
        }));
    }
    (all, [first, second])
}

/// How much a fact matters; 0 matters most.
fn rank(fact: Fact) -> u8 {
    match fact {
        Fact::Evicted(_) | Fact::EvictedBy(_) => 0,
        Fact::EvictionRefused(_) | Fact::DrainEnded(_) | Fact::CutShort(..) => 2,
        Fact::Budget(..) => 7,
        Fact::EvictionFailed | Fact::PodFailed => 1,
        Fact::PodPending(_) | Fact::ReplicaPending(..) => PENDING,
        Fact::PodDeleted(_) => 3,
        Fact::Tainted(_) | Fact::Untainted(_) => 4,
        Fact::Unknown | Fact::NotReady | Fact::Ready | Fact::NodeJoined | Fact::NodeDeleted => 5,
        Fact::MasterDisruptionEntered | Fact::MasterDisruptionLeft | Fact::Zone(..) => 6,
        Fact::ControllersStarted | Fact::ControllersStopped | Fact::Refused(..) => 6,
        Fact::ConditionTrue(_) | Fact::ConditionFalse(_) | Fact::Cordoned | Fact::Uncordoned => 7,
        Fact::TimerSet(_) | Fact::TimerCancelled => 8,
        Fact::PodCreated
        | Fact::ReplicaCreated(_)
        | Fact::PodBound
        | Fact::ReplicaBound(_)
        | Fact::ReplicaRunning(_) => 9,
        Fact::PodSucceeded | Fact::PodGone => 10,
        Fact::EntryBegan(_)
        | Fact::EntryEnded(_)
        | Fact::Silent
        | Fact::Heard
        | Fact::MachineOff
        | Fact::MachineOn => 11,
    }
}

/// The rank of pods that are pending.
const PENDING: u8 = 2;
/// The rank of what is said once more in other words: behind all others.
const WORDS: u8 = 12;

/// A fact, without when: what it says, its pod or none, its node where it has no pod.
type Key = (u32, u32, u32);

#[derive(Clone, Copy)]
struct Seen {
    at: Time,
    record: RecordId,
    node: u32,
    detail: u32,
}

/// The facts of one run.
#[derive(Default)]
pub(super) struct Found {
    seen: BTreeMap<Key, Vec<Seen>>,
    /// Pods of which was said that they are pending, and not that they were bound, created anew or
    /// gone since.
    pending: BTreeSet<u32>,
}

impl Found {
    pub(super) fn add(
        &mut self,
        side: usize,
        f: &Finding,
        analysis: &Analysis<'_>,
        taints: &[String],
        owners: &Owners,
        names: &mut Names,
    ) {
        let node = if f.node == NO_NODE {
            NONE
        } else {
            names.node_of[side]
                .get(f.node as usize)
                .copied()
                .unwrap_or(NONE)
        };
        let pod = f
            .pod
            .and_then(|p| names.pod_of[side].get(p.index()).copied())
            .unwrap_or(NONE);
        let bound = matches!(f.fact, Fact::PodBound | Fact::ReplicaBound(_));
        let rank = match f.fact {
            Fact::PodPending(_) | Fact::ReplicaPending(..) if !self.pending.insert(pod) => WORDS,
            Fact::PodPending(_) | Fact::ReplicaPending(..) => PENDING,
            Fact::PodBound
            | Fact::ReplicaBound(_)
            | Fact::PodCreated
            | Fact::ReplicaCreated(_)
            | Fact::PodGone => {
                self.pending.remove(&pod);
                rank(f.fact)
            }
            fact => rank(fact),
        };
        let key = (side, f.fact, rank, if bound { node } else { NONE });
        let (what, detail) = match names.cached.get(&key) {
            Some(&known) => known,
            None => {
                let new = words(f.fact, rank, analysis, taints, names, node);
                names.cached.insert(key, new);
                new
            }
        };
        if let (Some(id), true) = (f.pod, pod != NONE)
            && names.groups[pod as usize] == NONE
        {
            let group = match owners.of(analysis, id) {
                Some(w) => said(analysis, w),
                None => stem(&names.pods[pod as usize]).to_owned(),
            };
            names.lasting[pod as usize] |=
                owners.of(analysis, id).is_none() || group.starts_with("StatefulSet ");
            names.groups[pod as usize] = names.text(group);
        }
        let place = if pod == NONE { node } else { NONE };
        self.seen.entry((what, pod, place)).or_default().push(Seen {
            at: f.at,
            record: f.record,
            node,
            detail,
        });
    }
}

/// What a fact says, and what is beside it.
fn words(
    fact: Fact,
    rank: u8,
    analysis: &Analysis<'_>,
    taints: &[String],
    names: &mut Names,
    node: u32,
) -> (u32, u32) {
    let text = Text { analysis, taints };
    let (what, detail) = match fact {
        Fact::Evicted(_) | Fact::EvictedBy(_) => (
            "evicted".to_owned(),
            text.verb(fact)
                .trim_start_matches("evicted")
                .trim()
                .to_owned(),
        ),
        Fact::TimerSet(seconds) => (
            "given an eviction timer".to_owned(),
            format!("of {seconds} s"),
        ),
        Fact::PodPending(_) | Fact::ReplicaPending(..) => {
            let why = text.verb(fact);
            (
                "pending".to_owned(),
                why.trim_start_matches("pending: ").to_owned(),
            )
        }
        Fact::PodBound | Fact::ReplicaBound(_) => (
            "bound".to_owned(),
            names.nodes.get(node as usize).cloned().unwrap_or_default(),
        ),
        fact => (text.verb(fact), String::new()),
    };
    let what = if rank == WORDS {
        format!("{what} in other words")
    } else {
        what
    };
    let (what, detail) = (
        names.text(what),
        if detail.is_empty() {
            NONE
        } else {
            names.text(detail)
        },
    );
    let key = (rank, what);
    if let Some(&id) = names.by_what.get(&key) {
        return (id, detail);
    }
    names.whats.push(key);
    names.by_what.insert(key, names.whats.len() as u32 - 1);
    (names.whats.len() as u32 - 1, detail)
}

/// A fact that differs.
#[derive(Clone, Copy)]
pub(super) struct Paired {
    what: u32,
    pod: u32,
    node: u32,
    a: Option<Seen>,
    b: Option<Seen>,
    /// The times differ.
    shifted: bool,
}

impl Paired {
    /// When it first was true in either run.
    pub(super) fn when(&self) -> Time {
        self.a
            .iter()
            .chain(&self.b)
            .map(|s| s.at)
            .min()
            .unwrap_or(Time::MAX)
    }

    pub(super) fn rank(&self, names: &Names) -> (u8, u32) {
        (names.whats[self.what as usize].0, self.pod)
    }

    pub(super) fn change(&self, names: &Names) -> Change {
        let beside = |s: Option<Seen>| {
            s.and_then(|s| names.texts.get(s.detail as usize).cloned())
                .unwrap_or_default()
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

    /// What is beside it is the same; only its node differs.
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

    /// What is beside it in each run.
    pub(super) fn details(&self, names: &Names) -> [Option<String>; 2] {
        [self.a, self.b].map(|s| s.and_then(|s| names.texts.get(s.detail as usize).cloned()))
    }

    /// What its object belongs to: a pod's workload, or what names have in common; none of what has
    /// no object.
    pub(super) fn of(&self, names: &Names) -> Option<String> {
        match (self.pod, self.node) {
            (NONE, NONE) => None,
            (NONE, node) => names.nodes.get(node as usize).map(|n| stem(n).to_owned()),
            (pod, _) => names
                .texts
                .get(names.groups[pod as usize] as usize)
                .cloned(),
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
        let occurrence = |s: Seen| Occurrence {
            at: s.at,
            record: s.record,
        };
        Pair {
            pod: name(&names.pods, self.pod),
            node: name(
                &names.nodes,
                if self.node == NONE { node } else { self.node },
            ),
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
                (Some(a), Some(b)) => (
                    distance(a.at, b.at) > tolerance,
                    a.detail != b.detail || a.node != b.node,
                ),
                _ => (true, true),
            };
            if shifted || other {
                found.push(Paired {
                    what: key.0,
                    pod: key.1,
                    node: key.2,
                    a,
                    b,
                    shifted,
                });
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

/// Beyond so many combinations, the first is paired with the first, and so on.
const COMBINATIONS_MAX: usize = 10_000;

/// Pairs two lists in order; of the longer one those are left over that make the pairs lie nearest
/// to each other.
fn matched(a: &[Seen], b: &[Seen]) -> Vec<(Option<Seen>, Option<Seen>)> {
    if a.len() > b.len() {
        return matched(b, a).into_iter().map(|(b, a)| (a, b)).collect();
    }
    if a.len() == b.len() || a.len() * b.len() > COMBINATIONS_MAX {
        return (0..b.len())
            .map(|i| (a.get(i).copied(), b.get(i).copied()))
            .collect();
    }
    // cost[i][j]: the least sum of distances of the first i of `a` among the first j of `b`.
    let width = b.len() + 1;
    let mut cost = vec![u128::MAX; (a.len() + 1) * width];
    cost[..width].fill(0);
    for i in 1..=a.len() {
        for j in i..=b.len() {
            let taken = cost[(i - 1) * width + j - 1]
                .saturating_add(distance(a[i - 1].at, b[j - 1].at).as_nanos().into());
            cost[i * width + j] = taken.min(if j > i {
                cost[i * width + j - 1]
            } else {
                u128::MAX
            });
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

/// How closely facts have to agree to be told together.
#[derive(Clone, Copy)]
struct Level {
    /// To the second, in how far apart they are.
    shift: bool,
    /// In what is beside them.
    detail: bool,
    /// In what they belong to.
    of: bool,
}

const LEVELS: [Level; 3] = [
    Level {
        shift: true,
        detail: true,
        of: true,
    },
    Level {
        shift: false,
        detail: false,
        of: true,
    },
    Level {
        shift: false,
        detail: false,
        of: false,
    },
];

/// Puts together what differs alike: as closely as leaves no more than `most` groups.
pub(super) fn group(pairs: Vec<Paired>, names: &Names, most: usize) -> Vec<Group> {
    let mut groups = Vec::new();
    for level in LEVELS {
        groups = at_level(&pairs, names, level);
        if groups.len() <= most {
            break;
        }
    }
    // Noise last. Otherwise what matters most first; what is in one run only before what is
    // shifted; then the longer shift, the larger group, the earlier one.
    groups.sort_by_key(|(rank, g)| {
        let moved = matches!(
            g.change,
            Change::Earlier | Change::Later | Change::Otherwise(..)
        );
        let when = g
            .pairs
            .iter()
            .flat_map(|p| p.a.iter().chain(&p.b))
            .map(|o| o.at)
            .min();
        let shift = g.shift().map_or(0, |(_, most)| most.as_secs());
        (g.noise, *rank, moved, Reverse((shift, g.pairs.len())), when)
    });
    groups.into_iter().map(|(_, g)| g).collect()
}

/// What members of a group have in common: whether it is noise, what is said, how it differs, by
/// how many seconds, what they belong to, what is beside it.
type Alike = (Option<Noise>, u32, u8, u64, u32, [u32; 2]);

fn at_level(pairs: &[Paired], names: &Names, level: Level) -> Vec<(u8, Group)> {
    let mut by_key: BTreeMap<Alike, Vec<&Paired>> = BTreeMap::new();
    for p in pairs {
        let (change, shift) = match (&p.a, &p.b) {
            (Some(_), None) => (0, 0),
            (None, _) => (1, 0),
            (Some(a), Some(b)) => {
                let seconds = (distance(a.at, b.at).as_millis() + 500) / 1_000;
                let change = if !p.shifted {
                    4
                } else if a.at > b.at {
                    2
                } else {
                    3
                };
                (change, if level.shift { seconds } else { 0 })
            }
        };
        let detail =
            |s: &Option<Seen>| s.map_or(NONE, |s| if level.detail { s.detail } else { NONE });
        let of = if p.pod == NONE || !level.of {
            NONE
        } else {
            names.groups[p.pod as usize]
        };
        by_key
            .entry((
                p.noise(names),
                p.what,
                change,
                shift,
                of,
                [detail(&p.a), detail(&p.b)],
            ))
            .or_default()
            .push(p);
    }
    let text = |id: u32| names.texts.get(id as usize).cloned();
    by_key
        .into_iter()
        .map(|((noise, what, _, _, of, details), members)| {
            let (rank, words) = names.whats[what as usize];
            let change = match members[0].change(names) {
                Change::Otherwise(..) if !level.detail => {
                    Change::Otherwise(String::new(), String::new())
                }
                change => change,
            };
            let details = details.map(text);
            let pairs = members.iter().map(|p| p.named(names)).collect();
            (
                rank,
                Group {
                    what: names.texts[words as usize].clone(),
                    change,
                    of: text(of),
                    details,
                    noise,
                    pairs,
                },
            )
        })
        .collect()
}
