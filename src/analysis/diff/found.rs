//! The facts of one run, under names that two runs have in common, and those of two runs, paired by
//! object.

use super::super::facts::{Fact, Finding};
use super::super::rows::Text;
use super::super::words::stem;
use super::change::{Noise, Occurrence, Pair, Way};
use crate::analysis::facts::PENDING;
use crate::analysis::prelude::*;

/// The objects of two runs under common numbers, by name, and the texts of facts.
pub(super) struct Names {
    nodes: Vec<String>,
    pods: Vec<String>,
    /// Per pod what it belongs to.
    pub(super) groups: Vec<u32>,
    /// Per pod whether its name means the same pod in every seed: it is of a plan, of a
    /// StatefulSet, or of no workload. Other names are given out in the order of creation.
    lasting: Vec<bool>,
    /// Per run, from its ids.
    node_of: [Vec<u32>; 2],
    pod_of: [Vec<u32>; 2],
    pub(super) texts: Numbered<String>,
    pub(super) whats: Numbered<(u8, u32)>,
    cached: BTreeMap<(usize, Fact, u8, u32), (u32, u32)>,
}

/// Values by the order in which they came, each once.
#[derive(Default)]
pub(super) struct Numbered<T> {
    pub(super) all: Vec<T>,
    numbers: BTreeMap<T, u32>,
}

impl<T: Ord + Clone> Numbered<T> {
    fn number(&mut self, value: T) -> u32 {
        *self.numbers.entry(value).or_insert_with_key(|value| {
            self.all.push(value.clone());
            self.all.len() as u32 - 1
        })
    }
}

/// Stands for no node or pod, and for a fact without a detail.
pub(super) const NONE: u32 = u32::MAX;

impl Names {
    pub(super) fn new(a: &Analysis<'_>, b: &Analysis<'_>) -> Self {
        let nodes = |x: &Analysis<'_>| {
            (0..x.node_count() as u32).map(|i| x.node_name(NodeId(i)).to_owned()).collect()
        };
        let pods = |x: &Analysis<'_>| {
            (0..x.pod_count() as u32).map(|i| x.pod_name(PodId(i)).to_owned()).collect()
        };
        let (nodes, node_of) = union(nodes(a), nodes(b));
        let (pods, pod_of): (Vec<String>, [Vec<u32>; 2]) = union(pods(a), pods(b));
        let (groups, mut lasting) = (vec![NONE; pods.len()], vec![false; pods.len()]);
        for (side, analysis) in [a, b].into_iter().enumerate() {
            let names = &analysis.trace.names;
            for pod in analysis.plan.pods.iter().filter_map(|p| names.find_pod(&p.name)) {
                lasting[pod_of[side][pod.index()] as usize] = true;
            }
        }
        let (texts, whats, cached) = (Numbered::default(), Numbered::default(), BTreeMap::new());
        Names { nodes, pods, groups, lasting, node_of, pod_of, texts, whats, cached }
    }

    /// Notes what a pod belongs to, once: `id` is its id in the run.
    fn belongs(&mut self, pod: u32, id: PodId, analysis: &Analysis<'_>, owners: &Owners) {
        if self.groups[pod as usize] != NONE {
            return;
        }
        let owner = owners.of(analysis, id).map(|w| analysis.workload_in_words(w));
        self.lasting[pod as usize] |= owner.as_ref().is_none_or(|w| w.starts_with("StatefulSet "));
        let group = owner.unwrap_or_else(|| stem(&self.pods[pod as usize]).to_owned());
        self.groups[pod as usize] = self.texts.number(group);
    }

    /// What a fact says, and its detail: how long a timer was, where a pod was bound, why it waits.
    fn words(&mut self, fact: Fact, rank: u8, text: &Text<'_>, node: u32) -> (u32, u32) {
        let verb = text.verb(fact);
        let (what, detail) = match fact {
            Fact::Evicted(_) | Fact::EvictedBy(_) => {
                ("evicted", verb.trim_start_matches("evicted").trim().to_owned())
            }
            Fact::TimerSet(seconds) => ("given an eviction timer", format!("of {seconds} s")),
            Fact::PodPending(..) => ("pending", verb.trim_start_matches("pending: ").to_owned()),
            Fact::PodBound(_) => {
                ("bound", self.nodes.get(node as usize).cloned().unwrap_or_default())
            }
            _ => (verb.as_str(), String::new()),
        };
        let what = what.to_owned() + if rank == WORDS { " in other words" } else { "" };
        let what = self.texts.number(what);
        let detail = if detail.is_empty() { NONE } else { self.texts.number(detail) };
        (self.whats.number((rank, what)), detail)
    }
}

/// The names of both, and for each of theirs its place.
fn union(a: Vec<String>, b: Vec<String>) -> (Vec<String>, [Vec<u32>; 2]) {
    let mut all = Numbered::default();
    let places = [a, b].map(|names| names.into_iter().map(|name| all.number(name)).collect());
    (all.all, places)
}

/// The rank of what is reported once more in other words: behind all others.
const WORDS: u8 = 12;

/// A fact, without when: what it says, its pod or none, its node where it has no pod.
type Key = (u32, u32, u32);

/// When a fact became true, on which node, and its detail.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) at: Time,
    record: RecordId,
    node: u32,
    pub(super) detail: u32,
}

/// The facts of one run.
#[derive(Default)]
pub(super) struct Found {
    /// Which run, 0 or 1.
    side: usize,
    seen: BTreeMap<Key, Vec<Seen>>,
    /// Pods that were reported to be pending, and not to be bound, created anew or gone since.
    pending: BTreeSet<u32>,
}

impl Found {
    /// None yet of a run, 0 or 1.
    pub(super) fn new(side: usize) -> Self {
        Self { side, ..Self::default() }
    }

    /// How much a fact of a pod matters, after those before it.
    fn rank(&mut self, fact: Fact, pod: u32) -> u8 {
        match fact {
            Fact::PodPending(..) if !self.pending.insert(pod) => return WORDS,
            Fact::PodBound(_) | Fact::PodCreated(_) | Fact::PodGone => {
                self.pending.remove(&pod);
            }
            _ => {}
        }
        fact.look().rank
    }

    /// Takes a fact in.
    pub(super) fn add(&mut self, f: &Finding, text: &Text<'_>, owners: &Owners, names: &mut Names) {
        let side = self.side;
        let node = names.node_of[side].get(f.node as usize).copied().unwrap_or(NONE);
        let pod = f.pod.and_then(|p| names.pod_of[side].get(p.index()).copied()).unwrap_or(NONE);
        let bound = matches!(f.fact, Fact::PodBound(_));
        let rank = self.rank(f.fact, pod);
        let key = (side, f.fact, rank, if bound { node } else { NONE });
        let (what, detail) = match names.cached.get(&key) {
            Some(&known) => known,
            None => {
                let new = names.words(f.fact, rank, text, node);
                names.cached.insert(key, new);
                new
            }
        };
        if let (Some(id), true) = (f.pod, pod != NONE) {
            names.belongs(pod, id, text.analysis, owners);
        }
        let place = if pod == NONE { node } else { NONE };
        let seen = Seen { at: f.at, record: f.record, node, detail };
        self.seen.entry((what, pod, place)).or_default().push(seen);
    }
}

/// Times that are less than this apart are noise where nothing else differs.
const SLIGHT: Dur = Dur::from_secs(1);

/// A fact that differs.
#[derive(Clone, Copy)]
pub(super) struct Paired {
    pub(super) what: u32,
    pub(super) pod: u32,
    pub(super) node: u32,
    pub(super) a: Option<Seen>,
    pub(super) b: Option<Seen>,
    /// The times differ.
    pub(super) shifted: bool,
}

impl Paired {
    /// What the fact is, in words.
    pub(super) fn what(&self, names: &Names) -> String {
        names.texts.all[names.whats.all[self.what as usize].1 as usize].clone()
    }

    /// When it first was true in either run.
    pub(super) fn when(&self) -> Time {
        self.a.iter().chain(&self.b).map(|s| s.at).min().unwrap_or(Time::MAX)
    }

    pub(super) fn rank(&self, names: &Names) -> (u8, u32) {
        (names.whats.all[self.what as usize].0, self.pod)
    }

    /// In what way it differs.
    pub(super) fn way(&self) -> Way {
        match (&self.a, &self.b) {
            (Some(_), Some(_)) if !self.shifted => Way::Otherwise,
            (Some(a), Some(b)) if a.at < b.at => Way::Later,
            (Some(_), Some(_)) => Way::Earlier,
            (Some(_), None) => Way::OnlyA,
            (None, _) => Way::OnlyB,
        }
    }

    /// Whether it says next to nothing, and why.
    pub(super) fn noise(&self, names: &Names) -> Option<Noise> {
        let rank = names.whats.all[self.what as usize].0;
        let (a, b) = match (self.a, self.b) {
            _ if rank == WORDS => return Some(Noise::Words),
            (Some(a), Some(b)) if apart(a.at, b.at) < SLIGHT => (a, b),
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
        [self.a, self.b].map(|s| s.and_then(|s| names.texts.all.get(s.detail as usize).cloned()))
    }

    /// What its object belongs to: a pod's workload, or what names have in common, `a-…`; none of what
    /// has no object.
    pub(super) fn of(&self, names: &Names) -> Option<String> {
        match (self.pod, self.node) {
            (NONE, NONE) => None,
            (NONE, node) => names.nodes.get(node as usize).map(|name| match stem(name) {
                stem if stem == name => name.clone(),
                stem => format!("{stem}-…"),
            }),
            (pod, _) => names.texts.all.get(names.groups[pod as usize] as usize).cloned(),
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

    /// By how much the times differ.
    pub(super) fn shift(&self) -> Option<Dur> {
        Some(apart(self.a?.at, self.b?.at))
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
            let pair = a.zip(b);
            let shifted = pair.is_none_or(|(a, b)| apart(a.at, b.at) > tolerance);
            if shifted || pair.is_some_and(|(a, b)| (a.detail, a.node) != (b.detail, b.node)) {
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
            let between = apart(a[i - 1].at, b[j - 1].at).as_nanos();
            let taken = cost[(i - 1) * width + j - 1].saturating_add(between.into());
            let left = if j > i { cost[i * width + j - 1] } else { u128::MAX };
            cost[i * width + j] = taken.min(left);
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
