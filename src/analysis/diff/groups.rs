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
use std::collections::BTreeMap;

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
    /// What it is: `evicted`, `tainted unreachable:NoExecute`; of facts without an object all that there is to say.
    pub what: String,
    /// In what way it differs.
    pub change: Change,
    /// The workload of its pods, or what their names have in common.
    pub of: Option<String>,
    /// What is beside it in each run where that is the same for all: how long the timer was, where a pod was bound.
    pub details: [Option<String>; 2],
    /// Its objects.
    pub pairs: Vec<Pair>,
}

impl Group {
    /// By how much its objects differ in time: the least and the most.
    pub fn shift(&self) -> Option<(Dur, Dur)> {
        let shifts = self.pairs.iter().filter_map(|p| Some(distance(p.a?.at, p.b?.at)));
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
    /// Per run, from its ids.
    node_of: [Vec<u32>; 2],
    pod_of: [Vec<u32>; 2],
    texts: Vec<String>,
    by_text: BTreeMap<String, u32>,
    whats: Vec<(u8, u32)>,
    by_what: BTreeMap<(u8, u32), u32>,
    cached: BTreeMap<(usize, Fact, u32), (u32, u32)>,
}

/// Stands for no node or pod, and for nothing beside a fact.
const NONE: u32 = u32::MAX;

impl Names {
    pub(super) fn new(a: &Analysis<'_>, b: &Analysis<'_>) -> Self {
        let nodes = |x: &Analysis<'_>| (0..x.node_count() as u32).map(|i| x.node_name(crate::api::names::NodeId(i)).to_owned()).collect();
        let pods = |x: &Analysis<'_>| (0..x.pod_count() as u32).map(|i| x.pod_name(crate::api::names::PodId(i)).to_owned()).collect();
        let (nodes, node_of) = union(nodes(a), nodes(b));
        let (pods, pod_of) = union(pods(a), pods(b));
        Names {
            groups: vec![NONE; pods.len()],
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
        Fact::PodPending(_) | Fact::ReplicaPending(..) => 2,
        Fact::PodDeleted(_) => 3,
        Fact::Tainted(_) | Fact::Untainted(_) => 4,
        Fact::Unknown | Fact::NotReady | Fact::Ready | Fact::NodeJoined | Fact::NodeDeleted => 5,
        Fact::MasterDisruptionEntered | Fact::MasterDisruptionLeft | Fact::Zone(..) => 6,
        Fact::ControllersStarted | Fact::ControllersStopped | Fact::Refused(..) => 6,
        Fact::ConditionTrue(_) | Fact::ConditionFalse(_) | Fact::Cordoned | Fact::Uncordoned => 7,
        Fact::TimerSet(_) | Fact::TimerCancelled => 8,
        Fact::PodCreated | Fact::ReplicaCreated(_) | Fact::PodBound | Fact::ReplicaBound(_) | Fact::ReplicaRunning(_) => 9,
        Fact::PodSucceeded | Fact::PodGone => 10,
        Fact::EntryBegan(_) | Fact::EntryEnded(_) | Fact::Silent | Fact::Heard | Fact::MachineOff | Fact::MachineOn => 11,
    }
}

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
pub(super) struct Found(BTreeMap<Key, Vec<Seen>>);

impl Found {
    pub(super) fn add(&mut self, side: usize, f: &Finding, analysis: &Analysis<'_>, taints: &[String], owners: &Owners, names: &mut Names) {
        let node = if f.node == NO_NODE { NONE } else { names.node_of[side].get(f.node as usize).copied().unwrap_or(NONE) };
        let pod = f.pod.and_then(|p| names.pod_of[side].get(p.index()).copied()).unwrap_or(NONE);
        let bound = matches!(f.fact, Fact::PodBound | Fact::ReplicaBound(_));
        let key = (side, f.fact, if bound { node } else { NONE });
        let (what, detail) = match names.cached.get(&key) {
            Some(&known) => known,
            None => {
                let new = words(f.fact, analysis, taints, names, node);
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
            names.groups[pod as usize] = names.text(group);
        }
        let place = if pod == NONE { node } else { NONE };
        self.0.entry((what, pod, place)).or_default().push(Seen { at: f.at, record: f.record, node, detail });
    }
}

/// What a fact says, and what is beside it.
fn words(fact: Fact, analysis: &Analysis<'_>, taints: &[String], names: &mut Names, node: u32) -> (u32, u32) {
    let text = Text { analysis, taints };
    let (what, detail) = match fact {
        Fact::Evicted(_) | Fact::EvictedBy(_) => ("evicted".to_owned(), text.verb(fact).trim_start_matches("evicted").trim().to_owned()),
        Fact::TimerSet(seconds) => ("given an eviction timer".to_owned(), format!("of {seconds} s")),
        Fact::PodPending(_) | Fact::ReplicaPending(..) => {
            let why = text.verb(fact);
            ("pending".to_owned(), why.trim_start_matches("pending: ").to_owned())
        }
        Fact::PodBound | Fact::ReplicaBound(_) => ("bound".to_owned(), names.nodes.get(node as usize).cloned().unwrap_or_default()),
        fact => (text.verb(fact), String::new()),
    };
    let (what, detail) = (names.text(what), if detail.is_empty() { NONE } else { names.text(detail) });
    let key = (rank(fact), what);
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
        self.a.iter().chain(&self.b).map(|s| s.at).min().unwrap_or(Time::MAX)
    }

    pub(super) fn rank(&self, names: &Names) -> (u8, u32) {
        (names.whats[self.what as usize].0, self.pod)
    }

    pub(super) fn change(&self, names: &Names) -> Change {
        let beside = |s: Option<Seen>| s.and_then(|s| names.texts.get(s.detail as usize).cloned()).unwrap_or_default();
        match (&self.a, &self.b) {
            (Some(_), Some(_)) if !self.shifted && self.same_beside() => Change::Otherwise(String::new(), String::new()),
            (Some(_), Some(_)) if !self.shifted => Change::Otherwise(beside(self.a), beside(self.b)),
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
                (Some(a), Some(b)) => (distance(a.at, b.at) > tolerance, a.detail != b.detail || a.node != b.node),
                _ => (true, true),
            };
            if shifted || other {
                found.push(Paired { what: key.0, pod: key.1, node: key.2, a, b, shifted });
            }
        }
    };
    for (key, seen) in a.0 {
        let other = b.0.remove(&key).unwrap_or_default();
        both(key, &seen, &other);
    }
    for (key, seen) in b.0 {
        both(key, &[], &seen);
    }
    found
}

/// Beyond so many combinations, the first is paired with the first, and so on.
const COMBINATIONS_MAX: usize = 10_000;

/// Pairs two lists in order; of the longer one those are left over that make the pairs lie nearest to each other.
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
            let taken = cost[(i - 1) * width + j - 1].saturating_add(distance(a[i - 1].at, b[j - 1].at).as_nanos().into());
            cost[i * width + j] = taken.min(if j > i { cost[i * width + j - 1] } else { u128::MAX });
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
    Level { shift: true, detail: true, of: true },
    Level { shift: false, detail: false, of: true },
    Level { shift: false, detail: false, of: false },
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
    // What matters most first; what is in one run only before what is shifted; then the longer shift, the larger group, the earlier one.
    groups.sort_by_key(|(rank, g)| {
        let moved = matches!(g.change, Change::Earlier | Change::Later | Change::Otherwise(..));
        let when = g.pairs.iter().flat_map(|p| p.a.iter().chain(&p.b)).map(|o| o.at).min();
        let shift = g.shift().map_or(0, |(_, most)| most.as_secs());
        (*rank, moved, Reverse((shift, g.pairs.len())), when)
    });
    groups.into_iter().map(|(_, g)| g).collect()
}

/// What members of a group have in common: what is said, how it differs, by how many seconds, what they belong to, what is beside it.
type Alike = (u32, u8, u64, u32, [u32; 2]);

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
        let detail = |s: &Option<Seen>| s.map_or(NONE, |s| if level.detail { s.detail } else { NONE });
        let of = if p.pod == NONE || !level.of { NONE } else { names.groups[p.pod as usize] };
        by_key.entry((p.what, change, shift, of, [detail(&p.a), detail(&p.b)])).or_default().push(p);
    }
    let text = |id: u32| names.texts.get(id as usize).cloned();
    by_key
        .into_iter()
        .map(|((what, _, _, of, details), members)| {
            let (rank, words) = names.whats[what as usize];
            let change = match members[0].change(names) {
                Change::Otherwise(..) if !level.detail => Change::Otherwise(String::new(), String::new()),
                change => change,
            };
            let details = details.map(text);
            let pairs = members.iter().map(|p| p.named(names)).collect();
            (rank, Group { what: names.texts[words as usize].clone(), change, of: text(of), details, pairs })
        })
        .collect()
}
