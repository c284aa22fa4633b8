//! What comes: a scenario run with many seeds, and what happens in them put together.
//!
//! A run leaves nothing but its course; courses are taken in by the order of seeds, whatever the
//! threads.

mod count;
mod left;
mod usual;
mod when;

pub(crate) use self::count::Count;
use self::count::most;
use self::left::workload;
pub(crate) use self::left::{Left, LeftAlike};
use self::usual::{Usual, usual};
use self::when::Seeds;
pub(crate) use self::when::When;
use super::prelude::*;
use crate::analysis::Kept;
use crate::analysis::course::{Course, Goes, Happening, Way};
use crate::analysis::drains::{KEPT, refusals};
use crate::trace::ZoneState;

/// The most seeds of a forecast.
const SEEDS_MAX: u64 = 100_000;

/// What to run.
pub(crate) struct Forecasting<'a> {
    /// The scenario.
    pub(crate) loaded: &'a Loaded,
    /// What is changed in it.
    pub(crate) overrides: Overrides,
    /// The first seed.
    pub(crate) first: u64,
    /// How many seeds.
    pub(crate) seeds: u64,
    /// The entry of the timeline from which on it is told what comes to nothing, if any.
    pub(crate) told_from: Option<u32>,
}

/// Something that happens to an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Foreseen {
    pub(crate) what: Happening,
    /// A node, or a pod as `namespace/name`.
    pub(crate) object: String,
    pub(crate) when: When,
    /// Of a pod that is deleted the node it is on; of one that is bound the node that most seeds
    /// bind it to; of a claim's volume the one that most detach it from, or attach it to. What happens to a volume, or comes
    /// of it, on this node in half of the seeds or more and on others in the rest, is several happenings.
    pub(crate) node: Option<String>,
    /// In what part of the seeds in which it happens that is the node.
    pub(crate) node_share: f64,
    /// Of a pod: `Deployment shop/web`.
    pub(crate) workload: Option<String>,
    /// Of a pod that is deleted: how it goes. If that differs from seed to seed, it is several happenings.
    pub(crate) goes: Option<Goes>,
    /// In which of the seeds it happens, from 0.
    pub(crate) in_seeds: Vec<u32>,
}

/// How many of a kind have come by each of the [`Forecast::times`], and when the first and the last
/// come: who that is differs from seed to seed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ByWhen {
    pub(crate) what: Happening,
    /// Of which workload the pods are, empty of those without one; of all where there is none here.
    pub(crate) workload: Option<String>,
    /// How the pods go, where it is of all that go so.
    pub(crate) goes: Option<Goes>,
    pub(crate) counts: Vec<Count>,
    /// How many come in all, over the seeds in which some do.
    pub(crate) all: Count,
    /// How many of these are pods under the name of one that was deleted before, as those of a
    /// StatefulSet are.
    pub(crate) again: Count,
    pub(crate) first: When,
    pub(crate) last: When,
}

/// Nodes of a zone that wait together for their NoExecute taints, one after the other. Who is when is chance;
/// when the first and the last of them get it is not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Queue {
    pub(crate) zone: String,
    /// How many they are, in the middle seed.
    pub(crate) nodes: usize,
    /// All that are in it in any seed.
    pub(crate) names: Vec<String>,
    /// The middle of the times between one and the next.
    pub(crate) each: Dur,
    pub(crate) first: When,
    pub(crate) last: When,
}

/// What comes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Forecast {
    /// How many seeds were run.
    pub(crate) seeds: u64,
    /// What happens, by the median time.
    pub(crate) happenings: Vec<Foreseen>,
    /// Where several nodes wait for their NoExecute taint.
    pub(crate) queues: Vec<Queue>,
    /// When zones come into states, on the way there or back; at zero, those in which they are.
    pub(crate) zones: Vec<(String, ZoneState, Way, When)>,
    /// When all zones are fully disrupted, and when no longer.
    pub(crate) master_disruption: [Option<When>; 2],
    /// Times a round span apart, from the export to the last that happens in any seed.
    pub(crate) times: Vec<Time>,
    /// How many have come by then.
    pub(crate) by_when: Vec<ByWhen>,
    /// How many pods go in which way, of each way in which some do.
    pub(crate) done: Vec<ByWhen>,
    /// The pods with an eviction timer that runs at the end in half of the seeds or more, and when it
    /// is over.
    pub(crate) due: BTreeMap<String, When>,
    /// The pods with an eviction timer of which nobody knows when it is over: why, and in how many seconds at the
    /// latest.
    pub(crate) drawn: BTreeMap<(Note, String), u32>,
    /// Pods whose deletion never ends, as their nodes do not answer, with these.
    pub(crate) stuck: Vec<Left>,
    /// How many they are, by workload.
    pub(crate) stuck_alike: Vec<LeftAlike>,
    /// The workloads of these whose pods have no successor before they are gone.
    pub(crate) waits: BTreeSet<String>,
    /// The Jobs of these that fail once such a pod has failed.
    pub(crate) frail: BTreeSet<String>,
    /// The volumes of these pods, where they are known.
    pub(crate) kept: BTreeMap<String, BTreeSet<Kept>>,
    /// Jobs that fail, and why.
    pub(crate) failed: Vec<Left>,
    /// Jobs that have ended, and the condition that waits for their Terminating pods.
    pub(crate) unfinished: Vec<Left>,
    /// Pods that the scheduler places nowhere, or whose volumes cannot be attached, and why.
    pub(crate) pending: Vec<Left>,
    /// How many they are, by workload and why.
    pub(crate) pending_alike: Vec<LeftAlike>,
    /// How many are stuck, and how many Pending: who that is differs from seed to seed.
    pub(crate) left: [Count; 2],
    /// Volumes that somebody waits for and that stay where they are, by claim, and why.
    pub(crate) held: Vec<Left>,
    /// What is asked for in vain, by what it concerns, and how it comes to nothing.
    pub(crate) refused: Vec<Left>,
}

impl Forecasting<'_> {
    /// The courses of all seeds, by seed, run on `jobs` threads. `watch` is called when a run is done, and asked now and
    /// then whether to go on.
    ///
    /// # Errors
    /// [`Stopped`]; a scenario that cannot be built is found before anything runs.
    pub(crate) fn courses(&self, jobs: usize, watch: Watch<'_>) -> Result<Vec<Course>> {
        let end = self.first.checked_add(self.seeds);
        let Some(end) = end.filter(|_| (1..=SEEDS_MAX).contains(&self.seeds)) else {
            let text = format!("a forecast has 1 to {SEEDS_MAX} seeds, up to {}", u64::MAX);
            return Err(Problems::one(Problem::new(text)).into());
        };
        let seeds: Vec<u64> = (self.first..end).collect();
        let build = || scenario::build(self.loaded, &self.overrides);
        build()?;
        let threads = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
        let watched = Watched::new(watch);
        let one = |plan: &mut Plan, seed: u64| {
            let trace = seeded(plan, seed, &|| watched.goes_on(Event::Running));
            let trace = trace.filter(|_| watched.goes_on(Event::Done));
            Ok(trace.map(|trace| self.course(&Analysis::new(plan, &trace))))
        };
        let courses = watched.pieces(&threads, &seeds, build, one)?;
        if courses.len() < seeds.len() {
            return Err(Stopped::Asked);
        }
        Ok(courses.into_iter().map(|(_, course)| course).collect())
    }

    fn course(&self, analysis: &Analysis<'_>) -> Course {
        let refused = self.told_from.map(|from| refusals(analysis, from)).unwrap_or_default();
        // A drain that fails is one by its node, as timers that are kept are one: what it leaves behind,
        // and whose they are, differs from seed to seed.
        let about = |said: &String| match said.starts_with(KEPT) {
            true => Some(KEPT.to_owned()),
            false => said.split(" not drained: ").next().map(str::to_owned),
        };
        let refused = refused.into_iter().filter_map(|said| Some((about(&said)?, said))).collect();
        Course { refused, ..Course::of(analysis) }
    }
}

/// What happens to which object; of a pod that goes, how. Things that may happen in other seeds instead are kept apart: what the one comes of
/// says nothing of the other; so are those that happen on the usual node and elsewhere.
type Key<'c> = (&'c (Happening, String), Option<Goes>, bool);

fn key<'c>(course: &Course, what: &'c (Happening, String), usual: &Usual<'_>) -> Key<'c> {
    let elsewhere = usual.get(what).is_some_and(|node| course.on.get(what) != Some(node));
    (what, course.goes(what), elsewhere)
}

/// When each comes about. What others come of is before them in this order.
fn whens<'a>(
    courses: &[Course],
    times: &BTreeMap<Key<'a>, Vec<Caused>>,
    seeds: Seeds<'_>,
) -> BTreeMap<Key<'a>, When> {
    let mut whens: BTreeMap<Key<'_>, When> = BTreeMap::new();
    for (key @ (what, ..), times) in times {
        let causes: BTreeSet<_> = times.iter().map(|(_, c)| c.map(|c| c.0)).collect();
        let cause = match Vec::from_iter(causes)[..] {
            [Some(one)] => whens.get(&one).copied(),
            _ => None,
        };
        let lag = |(at, cause): &Caused| (*at, cause.map(|c| c.1));
        let when = When::after(times.iter().map(lag), cause, seeds);
        let least = courses.iter().filter_map(|c| c.least.get(&what.1)).min();
        let least = least.filter(|_| what.0 == Happening::NodeUnknown);
        whens.extend(when.map(|when| (*key, when.not_before(least))));
    }
    whens
}

impl Forecast {
    /// What these courses come to.
    pub(crate) fn of(courses: &[Course]) -> Self {
        let (seeds, usual) = (Seeds::of(courses), usual(courses));
        let mut times: BTreeMap<Key<'_>, Vec<Caused>> = BTreeMap::new();
        let mut zones: BTreeMap<&(String, ZoneState, Way), Vec<Time>> = BTreeMap::new();
        for course in courses {
            for (what, at) in &course.happenings {
                let cause = cause(course, what).map(|(of, at)| (key(course, of, &usual), at));
                times.entry(key(course, what, &usual)).or_default().push((*at, cause));
            }
            for (what, at) in &course.zones {
                zones.entry(what).or_default().push(*at);
            }
        }
        let whens = whens(courses, &times, seeds);
        let times = times_of(courses);
        let by_when = by_when(courses, &times).into_iter();
        let (by_when, done): (Vec<_>, Vec<_>) = by_when.partition(|b| b.goes.is_none());
        let all = by_when.iter().filter(|b| b.workload.is_none());
        let ends: BTreeMap<_, _> = all.map(|b| (b.what, (b.first.low, b.last.high))).collect();
        let foreseen = |(of @ (what, goes, _), when): (Key<'_>, When)| {
            let has = |c: &Course| c.happenings.contains_key(what) && key(c, what, &usual) == of;
            let all = (0..).zip(courses).filter(|(_, c)| has(c));
            let in_seeds: Vec<u32> = all.map(|(seed, _)| seed).collect();
            let all = in_seeds.iter().map(|seed| &courses[*seed as usize]);
            let nodes = all.filter_map(|c| c.node(what.0, &what.1));
            let (node, on_it) = most(nodes).unzip();
            Foreseen {
                what: what.0,
                object: what.1.clone(),
                when: when.within(ends.get(&what.0).copied()),
                node,
                node_share: on_it.map_or(1.0, |n| n as f64 / in_seeds.len() as f64),
                workload: workload(courses, &what.1),
                goes,
                in_seeds,
            }
        };
        let mut happenings: Vec<Foreseen> = whens.into_iter().map(foreseen).collect();
        // Those of one time stay in the order of what happens, and to whom.
        happenings.sort_by_key(|f| f.when.median);
        let master = |i: usize| {
            let times = courses.iter().filter_map(|c| c.master_disruption[i]);
            When::of(times.collect(), seeds)
        };
        let mut due: BTreeMap<&String, Vec<Time>> = BTreeMap::new();
        for (pod, at) in courses.iter().flat_map(|c| &c.due) {
            due.entry(pod).or_default().push(*at);
        }
        due.retain(|_, times| times.len() * 2 >= seeds.count);
        let endless = Seeds { end: Time::MAX, ..seeds };
        let over = |(pod, times): (&String, _)| Some((pod.clone(), When::of(times, endless)?));
        let pending = Left::of(courses, false, |c| &c.pending);
        let why = pending.iter().map(|left| (left.pod.as_str(), left.said.as_str())).collect();
        Forecast {
            seeds: seeds.count as u64,
            by_when,
            done,
            times,
            due: due.into_iter().filter_map(over).collect(),
            drawn: courses.iter().flat_map(|c| c.drawn.clone()).collect(),
            happenings,
            queues: queues(courses, ends.get(&Happening::NodeNoExecute).copied()),
            zones: zones
                .into_iter()
                .filter_map(|((zone, state, way), times)| {
                    Some((zone.clone(), *state, *way, When::of(times, seeds)?))
                })
                .collect(),
            master_disruption: [master(0), master(1)],
            left: [
                Count::of(courses.iter().map(|c| c.stuck.len() as u64)),
                Count::of(courses.iter().map(|c| c.pending.len() as u64)),
            ],
            stuck: Left::of(courses, true, |c| &c.stuck),
            stuck_alike: LeftAlike::of(courses, |c| &c.stuck, &BTreeMap::new()),
            pending_alike: LeftAlike::of(courses, |c| &c.pending, &why),
            pending,
            waits: courses.iter().flat_map(|c| c.waits.clone()).collect(),
            frail: courses.iter().flat_map(|c| c.frail.clone()).collect(),
            kept: courses.iter().flat_map(|c| c.kept.clone()).collect(),
            failed: Left::of(courses, false, |c| &c.failed),
            unfinished: Left::of(courses, false, |c| &c.unfinished),
            held: Left::of(courses, true, |c| &c.held),
            refused: Left::of(courses, false, |c| &c.refused),
        }
    }
}

/// When something comes in a seed, and of what, and when that came.
type Caused<'c> = (Time, Option<(Key<'c>, Time)>);

/// What something that happens to an object in a course comes of, if that is one of its happenings.
fn cause<'c>(
    course: &'c Course,
    of: &(Happening, String),
) -> Option<(&'c (Happening, String), Time)> {
    let (what, object) = of;
    let object = match course.goes(of) {
        None => object,
        Some(Goes::Evicted) => course.node(*what, object)?,
        Some(_) => return None,
    };
    let (of, at) = course.happenings.get_key_value(&(what.cause()?, object.clone()))?;
    Some((of, *at))
}

/// The spans that times of counts are apart, in seconds.
const STEPS_S: [u64; 13] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600];
/// The times of counts, at most, for spans up to the longest of these.
const TIMES: u64 = 60;

/// The times of counts, to the last that happens.
fn times_of(courses: &[Course]) -> Vec<Time> {
    let all = courses.iter().flat_map(|c| c.happenings.values());
    let Some(last) = all.max().map(|t| t.as_nanos().div_ceil(when::SECOND_NS)) else {
        return Vec::new();
    };
    let fits = |step: &&u64| last <= **step * TIMES;
    let step = STEPS_S.iter().find(fits).copied();
    let step = step.unwrap_or_else(|| last.div_ceil(TIMES));
    (0..=last.div_ceil(step)).map(|i| Time::from_secs(i * step)).collect()
}

/// What comes in a seed: when, and how many of it come again under an old name.
type InSeed = (Vec<Time>, u64);

/// What comes, of the pods of which workload, and how they go.
type Kind<'a> = (Happening, Option<&'a str>, Option<Goes>);

/// When the first of a kind comes in each seed, and put together; and the last.
type Told = (Vec<Option<Time>>, When, When);

/// How many have come by these times: of each kind, and of pods by workload, too, and by how they go.
fn by_when(courses: &[Course], times: &[Time]) -> Vec<ByWhen> {
    let mut all: BTreeMap<Kind<'_>, Vec<InSeed>> = BTreeMap::new();
    for (seed, course) in courses.iter().enumerate() {
        for (of @ (what, object), at) in &course.happenings {
            let workload = course.workloads.get(object).map_or("", String::as_str);
            let of_own = what.is_of_pod().then_some(Some(workload));
            // Under the name of one whose deletion began before.
            let deleted = course.happenings.get(&(Happening::PodDeleted, object.clone()));
            let again = of_own.is_some() && deleted.is_some_and(|deleted| deleted < at);
            let goes = course.goes(of).map(|goes| (None, Some(goes)));
            let of_own = of_own.map(|workload| (workload, None));
            for (of, goes) in [Some((None, None)), goes, of_own].into_iter().flatten() {
                let seeds = all.entry((*what, of, goes)).or_default();
                seeds.resize(courses.len(), (Vec::new(), 0));
                seeds[seed].0.push(*at);
                seeds[seed].1 += u64::from(again);
            }
        }
    }
    let count = |seeds: &[Vec<Time>]| -> Vec<Count> {
        let by = |t: &Time| {
            Count::of(seeds.iter().map(|times| times.partition_point(|at| at <= t) as u64))
        };
        times.iter().map(by).collect()
    };
    // Of all of a kind, or of a workload. What others come of is before them in this order, and all of a kind before those
    // of a workload.
    let mut told: BTreeMap<(Happening, Option<&str>), Told> = BTreeMap::new();
    let mut rows = Vec::with_capacity(all.len());
    for ((what, workload, goes), seeds) in all {
        let some = seeds.iter().filter(|(times, _)| !times.is_empty());
        let again = Count::of(some.clone().map(|(_, again)| *again));
        let in_all = Count::of(some.map(|(times, _)| times.len() as u64));
        let mut seeds: Vec<Vec<Time>> = seeds.into_iter().map(|(times, _)| times).collect();
        seeds.iter_mut().for_each(|times| times.sort_unstable());
        let cause = |of| told.get(&(what.cause()?, of));
        let cause = cause(workload).or_else(|| cause(None));
        // Who is preempted or deleted otherwise is not so for a taint of its node.
        let cause = cause.filter(|_| goes.is_none_or(|goes| goes == Goes::Evicted));
        let of_cause = |seed: usize| cause.and_then(|c| *c.0.get(seed)?);
        let ends =
            |(seed, times): (usize, &Vec<Time>)| Some((seed, (*times.first()?, *times.last()?)));
        let ends = seeds.iter().enumerate().filter_map(ends);
        let first = ends.clone().map(|(seed, (at, _))| (at, of_cause(seed)));
        let all = Seeds::of(courses);
        let Some(first) = When::after(first, cause.map(|c| c.1), all) else { continue };
        let least = courses.iter().flat_map(|c| c.least.values()).min();
        let first = first.not_before(least.filter(|_| what == Happening::NodeUnknown));
        let last = ends.map(|(_, (first, at))| (at, Some(first)));
        let Some(last) = When::after(last, Some(first), all) else { continue };
        let ends = told.get(&(what, None)).map(|(_, first, last)| (first.low, last.high));
        let [first, last] = [first, last].map(|when| when.within(ends));
        let firsts = seeds.iter().map(|times| times.first().copied());
        if goes.is_none() {
            told.insert((what, workload), (firsts.collect(), first, last));
        }
        let (workload, counts) = (workload.map(str::to_owned), count(&seeds));
        rows.push(ByWhen { what, workload, goes, counts, all: in_all, again, first, last });
    }
    rows
}

/// In which queue of its zone each node waits, by number: nodes that are given up only after all
/// before them have their taints wait for nobody.
fn queue_of(courses: &[Course]) -> BTreeMap<&String, usize> {
    // From when to when a node may wait, by its zone.
    let mut waits: BTreeMap<(&String, &String), (Time, Time)> = BTreeMap::new();
    for course in courses {
        for (key, at) in course.happenings.iter().filter(|h| h.0.0 == Happening::NodeNoExecute) {
            let Some(zone) = course.zones_of.get(&key.1) else { continue };
            let from = cause(course, key).map_or(Time::ZERO, |c| c.1);
            let wait = waits.entry((zone, &key.1)).or_insert((from, *at));
            *wait = (wait.0.min(from), wait.1.max(*at));
        }
    }
    let mut waits: Vec<_> = waits.into_iter().collect();
    waits.sort_unstable_by_key(|((zone, node), (from, _))| (*zone, *from, *node));
    let (mut queues, mut number) = (BTreeMap::new(), 0);
    let mut last: Option<(&String, Time)> = None;
    for ((zone, node), (from, to)) in waits {
        let until =
            last.filter(|(of, until)| *of == zone && from <= *until).map(|(_, until)| until);
        number += usize::from(until.is_none());
        last = Some((zone, until.map_or(to, |until| until.max(to))));
        queues.insert(node, number);
    }
    queues
}

/// The queues of zones with several nodes in most of the seeds; `ends` are those of all taints.
fn queues(courses: &[Course], ends: Option<(Time, Time)>) -> Vec<Queue> {
    // Of a seed, and when the first of them was given up.
    type Nodes<'c> = (Vec<(Time, &'c String)>, Option<Time>);
    let (queue_of, seeds) = (queue_of(courses), Seeds::of(courses));
    let mut zones: BTreeMap<(&String, usize), Vec<Nodes<'_>>> = BTreeMap::new();
    for course in courses {
        let mut tainted: BTreeMap<(&String, usize), Nodes<'_>> = BTreeMap::new();
        for (key, at) in &course.happenings {
            if let Some((zone, queue)) = course.zones_of.get(&key.1).zip(queue_of.get(&key.1))
                && key.0 == Happening::NodeNoExecute
            {
                let (nodes, unknown) = tainted.entry((zone, *queue)).or_default();
                nodes.push((*at, &key.1));
                let of = cause(course, key).map(|c| c.1);
                *unknown = (*unknown).into_iter().chain(of).min();
            }
        }
        for (zone, (mut nodes, unknown)) in tainted.into_iter().filter(|(_, z)| z.0.len() > 1) {
            nodes.sort_unstable();
            zones.entry(zone).or_default().push((nodes, unknown));
        }
    }
    let most_seeds = |(_, all): &((&String, usize), Vec<_>)| all.len() * 2 > courses.len();
    let queue = |((zone, _), all): ((&String, usize), Vec<Nodes<'_>>)| {
        let unknown = When::of(all.iter().filter_map(|n| n.1).collect(), seeds);
        let firsts = all.iter().filter_map(|n| Some((n.0.first()?.0, n.1)));
        let first = When::after(firsts, unknown, seeds)?;
        let lasts = all.iter().map(|n| &n.0);
        let lasts = lasts.filter_map(|n| Some((n.last()?.0, Some(n.first()?.0))));
        let mut counts: Vec<usize> = all.iter().map(|n| n.0.len()).collect();
        counts.sort_unstable();
        let gaps = all.iter().flat_map(|n| n.0.windows(2));
        let mut gaps: Vec<Dur> = gaps.map(|pair| pair[1].0.since(pair[0].0)).collect();
        gaps.sort_unstable();
        let names = all.iter().flat_map(|n| &n.0);
        let names: BTreeSet<&String> = names.map(|(_, node)| *node).collect();
        Some(Queue {
            zone: zone.clone(),
            nodes: nearest_rank(&counts, 50)?,
            names: names.into_iter().cloned().collect(),
            each: nearest_rank(&gaps, 50)?,
            first: first.within(ends),
            last: When::after(lasts, Some(first), seeds)?.within(ends),
        })
    };
    zones.into_iter().filter(most_seeds).filter_map(queue).collect()
}

#[cfg(test)]
mod tests;
