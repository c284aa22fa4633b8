//! The timeline that a person follows: facts, like ones collapsed into rows.
//!
//! How much is collapsed depends on how much there is. The levels, from fine to coarse: a row per
//! fact and moment, nodes together that share both; per fact and zone; per fact; the same fact
//! again, of the same node or minutes later, no longer apart; facts of different workloads no longer apart; facts that are
//! counted from different entries of the timeline no longer apart, those that matter least first. At any level the entries
//! themselves stay apart unless they are many, and so do pods that are made before the first fault from those after it,
//! which are successors. The first level that stays within a given number of rows is taken; those from the third
//! on, which tell less, only where that number is exceeded by half.

use super::facts::{Fact, Facts, Finding};
use super::prelude::*;
use super::rows::Text;

pub(crate) use super::rows::Row;

/// How many rows a timeline has at most where nothing else is said, if collapsing can bring it down
/// to that.
pub const DEFAULT_ROWS: usize = 60;

/// Facts that come so long after the last of their kind are a row of their own, as far as there is room.
const APART: Dur = Dur::from_secs(120);

/// The rows of a run's timeline in the order of their first times: up to about `max_rows` if
/// collapsing achieves it.
pub fn timeline(analysis: &Analysis<'_>, max_rows: usize) -> Vec<Row> {
    collapsed(analysis, max_rows).0
}

/// The same, and whether facts of different workloads or entries are one row.
pub(crate) fn collapsed(analysis: &Analysis<'_>, max_rows: usize) -> (Vec<Row>, bool) {
    let mut fine = Fine::new(analysis);
    let mut facts = Facts::new(analysis);
    facts.walk(|f| fine.add(f));
    let at = |level| (level, merge(analysis, &fine.groups, level));
    let most = |level| if level < 2 { max_rows } else { max_rows + max_rows / 2 };
    // There is a row for each key, or more.
    let may_fit = |level: &u8| {
        let mut keys = BTreeSet::new();
        fine.groups.iter().all(|group| {
            keys.insert(key(analysis, group, *level));
            keys.len() <= most(*level)
        })
    };
    let fits = |(level, rows): &(u8, Vec<Row>)| rows.len() <= most(*level);
    let found = (0..LAST).filter(may_fit).map(at).find(fits);
    let (level, mut rows) = found.unwrap_or_else(|| at(LAST));
    rows.sort_by_key(|r| (r.first, r.record));
    let text = Text::new(analysis, &facts.taints);
    for row in &mut rows {
        row.text = text.row(row);
    }
    (rows, level >= OF_ALL_WORKLOADS)
}

/// The rows of the finest level, however many they are: one per fact and moment, nodes together
/// that share both.
pub(crate) fn moments(analysis: &Analysis<'_>) -> Vec<Row> {
    timeline(analysis, usize::MAX)
}

/// Facts of one kind and node, each node or pod at most once.
struct Group {
    /// As a row that names no node yet.
    row: Row,
    /// Its pods, each once.
    pods: Vec<PodId>,
    /// How often the same fact was true of the same object since the same entry before.
    generation: u8,
    node: u32,
    /// A pod is made after the first fault.
    late: bool,
}

/// What sets groups apart: fact, entry, generation, node, and whether a pod is made after the first
/// fault.
type FineKey = (Fact, Option<Since>, u8, u32, bool);

/// The finest grouping, made while the facts are found.
#[derive(Default)]
struct Fine {
    groups: Vec<Group>,
    by_key: BTreeMap<FineKey, u32>,
    /// Pods of one node come one after the other, so that most facts fall into the group of the one
    /// before.
    latest: Option<(FineKey, u32)>,
    /// How often a fact was true of a node, or of the cluster or a zone, and since which entry that
    /// is counted.
    seen_nodes: BTreeMap<(u32, Fact), (Option<Since>, u8)>,
    /// The same of pods: entry in the upper 24 bits, count in the lower 8.
    seen_pods: Vec<[u32; POD_SLOTS]>,
    entries: BTreeMap<Option<Since>, u32>,
    /// When something is done to nodes or pods for the first time.
    harm: Option<Time>,
}

const POD_SLOTS: usize = 17;

/// Where a pod's fact is counted; facts of one slot cannot both be first of a kind.
fn pod_slot(fact: Fact) -> usize {
    match fact {
        Fact::TimerSet(_) => 0,
        Fact::TimerCancelled => 1,
        Fact::EvictionFailed => 2,
        Fact::PodGone => 3,
        Fact::PodCreated(_) => 4,
        Fact::PodBound(_) => 5,
        Fact::PodRunning(_) => 7,
        Fact::PodPending(..) => 8,
        Fact::EvictionRefused(_) => 9,
        Fact::VolumeRefused => 10,
        Fact::AttachFailed => 16,
        Fact::NotAdmitted => 11,
        Fact::PodReady(_) => 12,
        Fact::Unhealthy => 13,
        Fact::BackOff(_) => 14,
        Fact::PullFailed => 15,
        // A life of a pod ends only once in each of these ways.
        _ => 6,
    }
}

impl Fine {
    fn new(analysis: &Analysis<'_>) -> Self {
        let harm = analysis.first_harm(Time::ZERO, Time::MAX).map(|harm| harm.at);
        Fine { seen_pods: vec![[0; POD_SLOTS]; analysis.pods.len()], harm, ..Fine::default() }
    }

    fn add(&mut self, f: &Finding) {
        let seen = self.generation(f);
        // kubectl asks every few seconds: another try is nothing new, and about the same pod.
        let asks_again = matches!(f.fact, Fact::EvictionRefused(_)) && seen > 0;
        let generation = if asks_again { 0 } else { seen };
        let late = f.fact.makes_pods() && self.harm.is_some_and(|harm| f.at >= harm);
        let key = (f.fact, f.since, generation, f.node, late);
        let known = match self.latest {
            Some((k, i)) if k == key => Some(i),
            _ => self.by_key.get(&key).copied(),
        };
        let index = known.filter(|i| !is_apart(&self.groups[*i as usize].row, f.at));
        let index = index.unwrap_or_else(|| {
            let row = Row {
                first: f.at,
                last: f.at,
                fact: f.fact,
                since: f.since,
                nodes: Vec::new(),
                pods: 0,
                pod: f.pod,
                count: 0,
                record: f.record,
                text: String::new(),
            };
            let pods = Vec::new();
            self.groups.push(Group { row, pods, generation, node: f.node, late });
            let index = self.groups.len() as u32 - 1;
            self.by_key.insert(key, index);
            index
        });
        self.latest = Some((key, index));
        let Group { row, pods, .. } = &mut self.groups[index as usize];
        row.last = f.at;
        pods.extend(f.pod.filter(|_| row.count == 0 || !asks_again));
        row.count += 1;
    }

    fn generation(&mut self, f: &Finding) -> u8 {
        if let Some(pod) = f.pod {
            let entry = self.entry(f.since);
            let Some(slots) = self.seen_pods.get_mut(pod.index()) else { return 0 };
            let slot = &mut slots[pod_slot(f.fact)];
            let count = if *slot >> 8 == entry { (*slot as u8).saturating_add(1) } else { 1 };
            *slot = entry << 8 | u32::from(count);
            return count - 1;
        }
        let seen = self.seen_nodes.entry((f.node, f.fact)).or_insert((f.since, 0));
        *seen = if seen.0 == f.since { (f.since, seen.1.saturating_add(1)) } else { (f.since, 1) };
        seen.1 - 1
    }

    /// A small number for an entry, from 1.
    fn entry(&mut self, since: Option<Since>) -> u32 {
        let next = self.entries.len() as u32 + 1;
        *self.entries.entry(since).or_insert(next) & 0x00ff_ffff
    }
}

/// The last level. In common to become one row groups have at the first the milliseconds in
/// which they first and last became true, at the second their zone, up to the third how often they were
/// true before and that they are not minutes apart, and up to the fourth their workload. From the fifth on
/// the rank of their fact decides whether they have the entry in common that they are counted from: at the last,
/// none has.
const LAST: u8 = 16;
const OF_ALL_WORKLOADS: u8 = 4;

/// From more entries on these have no lines of their own where there is not room for all facts.
const ENTRIES: usize = 30;

/// The fact without the text or workload that it names, and without the entry where there are many.
fn without_name(fact: Fact, many_entries: bool) -> Fact {
    const ANY: WorkloadId = WorkloadId(u32::MAX);
    match fact {
        Fact::EntryBegan(_) if many_entries => Fact::EntryBegan(u32::MAX),
        Fact::EntryEnded(_) if many_entries => Fact::EntryEnded(u32::MAX),
        Fact::Refused(text, _) if many_entries => Fact::Refused(text, u32::MAX),
        Fact::EvictionRefused(_) => Fact::EvictionRefused(ANY),
        Fact::PodCreated(Some(_)) => Fact::PodCreated(Some(ANY)),
        Fact::PodBound(Some(_)) => Fact::PodBound(Some(ANY)),
        Fact::PodRunning(_) => Fact::PodRunning(ANY),
        Fact::PodPending(Some(_), why) => Fact::PodPending(Some(ANY), why),
        Fact::JobComplete(_) => Fact::JobComplete(ANY),
        Fact::JobFailed(_, why) => Fact::JobFailed(ANY, why),
        other => other,
    }
}

/// Whether a fact of then is minutes after the last of a row.
fn is_apart(row: &Row, at: Time) -> bool {
    at.since(row.last) > APART
}

fn merge(analysis: &Analysis<'_>, groups: &[Group], level: u8) -> Vec<Row> {
    let (mut rows, mut pods): (Vec<Row>, Vec<Vec<PodId>>) = (Vec::new(), Vec::new());
    let mut by_key: BTreeMap<Key, u32> = BTreeMap::new();
    // In the order in which they begin.
    for group in groups {
        let (key, new) = (key(analysis, group, level), &group.row);
        let known = by_key.get(&key).copied();
        let index = known.filter(|i| level >= 3 || !is_apart(&rows[*i as usize], new.first));
        let index = index.unwrap_or_else(|| {
            rows.push(Row { fact: key.0, count: 0, ..new.clone() });
            pods.push(Vec::new());
            let index = rows.len() as u32 - 1;
            by_key.insert(key, index);
            index
        });
        let row = &mut rows[index as usize];
        if group.node != NO_NODE {
            row.nodes.push(NodeId(group.node));
        }
        if new.first < row.first {
            (row.first, row.record) = (new.first, new.record);
        }
        row.last = row.last.max(new.last);
        // Counted from several entries: none is named.
        row.since = row.since.filter(|since| Some(*since) == new.since);
        row.count += new.count;
        pods[index as usize].extend(&group.pods);
    }
    for (row, mut pods) in rows.iter_mut().zip(pods) {
        // A fact may have been true of a pod several times.
        pods.sort_unstable();
        pods.dedup();
        row.pods = pods.len() as u32;
        row.nodes.sort_unstable();
        row.nodes.dedup();
        row.pod = row.pod.filter(|_| row.pods == 1);
    }
    rows
}

/// What sets rows apart at a level: fact, entry, generation, zone, when it first and last became
/// true, and whether pods are made after the first fault.
type Key = (Fact, Option<Since>, u8, u32, Option<(u64, u64)>, bool);

fn key(analysis: &Analysis<'_>, g: &Group, level: u8) -> Key {
    let row = &g.row;
    let fact = match level < OF_ALL_WORKLOADS {
        true => row.fact,
        false => without_name(row.fact, analysis.plan.timeline.len() > ENTRIES),
    };
    // The greatest rank is eleven, of what matters least.
    let since = row.since.filter(|_| fact.look().rank < LAST - level);
    let place = match g.node {
        n if level == 1 && n != NO_NODE => u32::from(analysis.zone_of[n as usize]),
        _ => 0,
    };
    let span = (level == 0).then_some((row.first.as_millis(), row.last.as_millis()));
    let generation = if level < 3 { g.generation } else { 0 };
    (fact, since, generation, place, span, g.late)
}
