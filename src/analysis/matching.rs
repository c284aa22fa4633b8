//! What was recorded held against what runs come to: each eviction with its own, by the pod's name.
//! What is chance in a cluster came out in one way when it was recorded, and comes out in many over
//! the seeds: an eviction can be explained if it is so in any, and how many are is told by run.
//!
//! The order in which the nodes of a zone's queue are tainted is one of many, too many for any
//! number of seeds. So each run is also looked at with its nodes in the order that was recorded:
//! they change their places in the queue, and their pods' timers go with them.
//!
//! A pod that came while it lasted had its name by chance. One of the same workload stands in for
//! it: the nearest that no other stands for.

use super::course::{Course, Goes, Happening};
use super::prelude::*;

/// How a run has an eviction that was recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// The pod itself.
    Own,
    /// The pod came while it lasted, so that another of its workload stands in for it.
    StandsIn,
    /// Its node is where it was recorded in its zone's queue, where the run has it elsewhere.
    Reordered,
}

/// An eviction that was recorded, beside the simulated one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) pod: String,
    pub(crate) recorded: Time,
    /// Of all runs the time that is nearest, and how it comes about.
    pub(crate) simulated: Option<(Time, Way)>,
    /// In which part of all runs it is simulated within the tolerance; not a number if there are none.
    pub(crate) share: f64,
}

impl Pair {
    /// By how many milliseconds the simulated one comes later; negative if it comes earlier. None
    /// if it does not come.
    pub(crate) fn apart_ms(&self) -> Option<i64> {
        let ms = |t: Time| (t.as_nanos() / 1_000_000) as i64;
        Some(ms(self.simulated?.0) - ms(self.recorded))
    }

    /// Whether the nearest comes about in this way.
    pub(crate) fn is(&self, way: Way) -> bool {
        self.simulated.is_some_and(|(_, is)| is == way)
    }

    /// Whether any run explains it.
    pub(crate) fn is_explained(&self) -> bool {
        self.share > 0.0
    }
}

/// All evictions of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matched {
    /// Those that were recorded, by time.
    pub(crate) pairs: Vec<Pair>,
    /// How many of them each run has within the tolerance.
    pub(crate) explained: Vec<u64>,
    /// Those that all runs have and nobody recorded, by time.
    pub(crate) only_simulated: Vec<(String, Time)>,
}

/// When pods go in a run, in each way.
type ByPod<'p> = BTreeMap<&'p str, Vec<(Time, Way)>>;

impl Matched {
    /// Brings both together. `known` are the pods that runs have from the start: names of others are
    /// made up.
    pub(crate) fn of(
        recorded: &BTreeMap<String, Time>,
        courses: &[Course],
        known: &BTreeSet<String>,
        tolerance: Dur,
    ) -> Self {
        let runs = courses.iter().map(|course| by_pod(ways(recorded, course, known)));
        let runs: Vec<ByPod<'_>> = runs.collect();
        let mut explained = vec![0; runs.len()];
        let pair = |(pod, was): (&String, &Time)| {
            let rank = |(at, way): &(Time, Way)| {
                let apart = apart(*at, *was);
                (apart > tolerance, *way, apart)
            };
            let mut count = 0;
            let of_run = |(run, explained): (&ByPod<'_>, &mut u64)| {
                let best = run.get(pod.as_str())?.iter().copied().min_by_key(rank)?;
                let within = u64::from(!rank(&best).0);
                *explained += within;
                count += within;
                Some(best)
            };
            let simulated = runs.iter().zip(&mut explained).filter_map(of_run).min_by_key(rank);
            let share = count as f64 / runs.len() as f64;
            Pair { pod: pod.clone(), recorded: *was, simulated, share }
        };
        let mut pairs: Vec<Pair> = recorded.iter().map(pair).collect();
        pairs.sort_by(|a, b| (a.recorded, &a.pod).cmp(&(b.recorded, &b.pod)));
        let only = by_pod(courses.iter().flat_map(deletions)).into_iter();
        let in_all = only.filter(|(_, times)| times.len() == courses.len());
        let only = in_all.filter(|(pod, _)| known.contains(*pod) && !recorded.contains_key(*pod));
        let first = |(pod, times): (&str, Vec<Time>)| Some((pod.to_owned(), *times.iter().min()?));
        let mut only: Vec<(String, Time)> = only.filter_map(first).collect();
        only.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        Matched { pairs, explained, only_simulated: only }
    }
}

/// When a run has evictions, in each way.
fn ways<'p>(
    recorded: &'p BTreeMap<String, Time>,
    course: &'p Course,
    known: &BTreeSet<String>,
) -> impl Iterator<Item = (&'p str, (Time, Way))> {
    let others = stand_ins(recorded, course, known).into_iter();
    let moved = in_recorded_order(recorded, course, known).into_iter();
    let own = deletions(course).map(|(pod, at)| (pod, (at, Way::Own)));
    own.chain(others.map(|(pod, at)| (pod, (at, Way::StandsIn))))
        .chain(moved.map(|(pod, at)| (pod, (at, Way::Reordered))))
}

/// The nodes of a zone that were tainted: when it was as recorded, and when nodes are in a run.
#[derive(Default)]
struct Queue<'a> {
    was: Vec<(Time, &'a str)>,
    places: Vec<Time>,
}

/// The recorded evictions as a run has them when the nodes of each zone change their places in its
/// queue, so that they are tainted in the order that was recorded. A node's recorded place is told by
/// its pods: their evictions, less what passes in the run from the taint to them, in the middle. Pods
/// that came while it lasted tell nothing: in the run they may be elsewhere.
fn in_recorded_order<'c>(
    recorded: &BTreeMap<String, Time>,
    course: &'c Course,
    known: &BTreeSet<String>,
) -> Vec<(&'c str, Time)> {
    let tainted: BTreeMap<&str, Time> = happened(course, Happening::NodeNoExecute).collect();
    let mut pods_on: BTreeMap<&str, Vec<(&'c str, Dur, Time)>> = BTreeMap::new();
    for (pod, at) in deletions(course).filter(|(pod, _)| known.contains(*pod)) {
        let node = course.node(Happening::PodDeleted, pod).map(String::as_str).unwrap_or_default();
        if let (Some(was), Some(taint)) = (recorded.get(pod), tainted.get(node))
            && at >= *taint
        {
            let pods = pods_on.entry(node).or_default();
            pods.push((pod, at.since(*taint), *was));
        }
    }
    // By zone: when its nodes were tainted as recorded, and when nodes were in the run.
    let mut zones: BTreeMap<&str, Queue<'_>> = BTreeMap::new();
    for (node, at) in &tainted {
        let zone = course.zones_of.get(*node).map(String::as_str);
        let zone = zones.entry(zone.unwrap_or_default()).or_default();
        zone.places.push(*at);
        let told = pods_on.get(node).into_iter().flatten();
        let earlier = |(_, after, was): &(&str, Dur, Time)| {
            Time::from_nanos(was.as_nanos().saturating_sub(after.as_nanos()))
        };
        let mut told: Vec<Time> = told.map(earlier).collect();
        told.sort_unstable();
        let middle = told.get(told.len() / 2);
        zone.was.extend(middle.map(|was| (*was, *node)));
    }
    let mut all = Vec::new();
    for Queue { mut was, mut places } in zones.into_values() {
        was.sort_unstable();
        for (at, node) in was {
            let Some(place) = take_nearest(&mut places, at) else { continue };
            let pods = pods_on.get(node).into_iter().flatten();
            all.extend(pods.map(|(pod, after, _)| (*pod, place + *after)));
        }
    }
    all
}

/// For each recorded pod that a run has neither from the start nor later: the deletion of a pod of its
/// workload that the run made up a name for, too, the nearest that stands for no other.
fn stand_ins<'p>(
    recorded: &'p BTreeMap<String, Time>,
    course: &Course,
    known: &BTreeSet<String>,
) -> Vec<(&'p str, Time)> {
    let made = || deletions(course).filter(|(pod, _)| !known.contains(*pod));
    let own: BTreeSet<&str> = made().map(|(pod, _)| pod).collect();
    let left = made().filter(|(pod, _)| !recorded.contains_key(*pod));
    let mut left = by_pod(left.map(|(pod, at)| (family_of(pod), at)));
    let is_other = |pod: &str| !known.contains(pod) && !own.contains(pod);
    let mut came: Vec<_> = recorded.iter().filter(|(pod, _)| is_other(pod)).collect();
    came.sort_by_key(|(_, at)| **at);
    let stand_in = |(pod, at): (&'p String, &Time)| {
        Some((pod.as_str(), take_nearest(left.get_mut(family_of(pod))?, *at)?))
    };
    came.into_iter().filter_map(stand_in).collect()
}

/// Takes the one that is nearest to a time out.
fn take_nearest(times: &mut Vec<Time>, at: Time) -> Option<Time> {
    let nearest = (0..times.len()).min_by_key(|i| apart(times[*i], at))?;
    Some(times.swap_remove(nearest))
}

/// What there is of each pod, or family of pods.
fn by_pod<'a, T>(all: impl Iterator<Item = (&'a str, T)>) -> BTreeMap<&'a str, Vec<T>> {
    let mut found: BTreeMap<&str, Vec<T>> = BTreeMap::new();
    all.for_each(|(pod, at)| found.entry(pod).or_default().push(at));
    found
}

/// What is deleted and neither evicted nor preempted, as its workload is scaled down, is no eviction.
fn deletions(course: &Course) -> impl Iterator<Item = (&str, Time)> {
    let all = happened(course, Happening::PodDeleted);
    all.filter(|(pod, _)| course.goes.get(*pod) != Some(&Goes::Deleted))
}

fn happened(course: &Course, what: Happening) -> impl Iterator<Item = (&str, Time)> {
    let all = course.happenings.iter().filter(move |((of, _), _)| *of == what);
    all.map(|((_, object), at)| (object.as_str(), *at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn course(deleted: &[(&str, u64)]) -> Course {
        let one = |(pod, s): &(&str, u64)| {
            ((Happening::PodDeleted, (*pod).to_owned()), Time::from_secs(*s))
        };
        Course { happenings: deleted.iter().map(one).collect(), ..Course::default() }
    }

    /// Recorded at 10 s and 50 s. One run has the first at 50 s, the second at 10 s and a third pod,
    /// another has them at 11 s and 53 s: within two seconds the first is explained, by one of both
    /// runs, and within three both.
    #[test]
    fn each_is_held_against_its_own_in_any_run() {
        let recorded = BTreeMap::from([
            ("x/a".to_owned(), Time::from_secs(10)),
            ("x/b".to_owned(), Time::from_secs(50)),
        ]);
        let courses = [
            course(&[("x/a", 50), ("x/b", 10), ("x/c", 1), ("x/d", 7)]),
            course(&[("x/a", 11), ("x/b", 53), ("x/made-up", 2), ("x/d", 8)]),
        ];
        let known = ["x/a", "x/b", "x/c", "x/d"].map(str::to_owned).into();
        let of = |s| Matched::of(&recorded, &courses, &known, Dur::from_secs(s));
        let matched = of(2);
        assert_eq!((&matched.explained[..], &of(3).explained[..]), (&[0, 1][..], &[0, 2][..]));
        let apart: Vec<_> = matched.pairs.iter().map(Pair::apart_ms).collect();
        assert_eq!(apart, [Some(1_000), Some(3_000)]);
        assert_eq!(matched.pairs[0].share, 0.5);
        // One that only some runs have may have been spared by chance.
        let only = [("x/d".to_owned(), Time::from_secs(7))];
        assert_eq!(matched.only_simulated, only);
    }

    /// One pod is evicted at 10 s; the other is deleted at 20 s as its workload is scaled down, which a
    /// recording passes over.
    #[test]
    fn what_a_workload_deletes_is_no_eviction() {
        let mut run = course(&[("x/a", 10), ("x/b", 20)]);
        run.goes.insert("x/b".to_owned(), Goes::Deleted);
        let known = ["x/a", "x/b"].map(str::to_owned).into();
        let matched = Matched::of(&BTreeMap::new(), &[run], &known, Dur::from_secs(2));
        assert_eq!(matched.only_simulated, [("x/a".to_owned(), Time::from_secs(10))]);
    }

    /// Two nodes of a zone are tainted at 10 s and 20 s, a pod of each is evicted 30 s later; recorded
    /// was the other order, half a second late. A third, of another zone, is 20 s late: no order of its
    /// zone has that.
    #[test]
    fn another_order_of_a_queue_explains() {
        let mut run = course(&[("x/a", 40), ("x/b", 50), ("x/c", 40)]);
        for (node, pod, zone, s) in [("n", "a", "z", 10), ("m", "b", "z", 20), ("o", "c", "y", 10)]
        {
            let tainted = (Happening::NodeNoExecute, node.to_owned());
            run.happenings.insert(tainted, Time::from_secs(s));
            run.on.insert((Happening::PodDeleted, format!("x/{pod}")), node.to_owned());
            run.zones_of.insert(node.to_owned(), zone.to_owned());
        }
        let recorded = BTreeMap::from([
            ("x/a".to_owned(), Time::from_millis(50_500)),
            ("x/b".to_owned(), Time::from_millis(40_500)),
            ("x/c".to_owned(), Time::from_secs(60)),
        ]);
        let known = ["x/a", "x/b", "x/c"].map(str::to_owned).into();
        let matched = Matched::of(&recorded, &[run], &known, Dur::from_secs(2));
        let of = |pod: &str| matched.pairs.iter().find(|p| p.pod == pod).unwrap();
        let at = |s, way| Some((Time::from_secs(s), way));
        assert_eq!(of("x/a").simulated, at(50, Way::Reordered));
        assert_eq!(of("x/b").simulated, at(40, Way::Reordered));
        assert_eq!(of("x/c").simulated, at(40, Way::Own));
        assert_eq!(matched.explained, [2]);
    }

    /// Two replacements of one workload were evicted at 60 s and 62 s. The first run has two at 61 s
    /// and 90 s, the second one of another workload at 60 s: the earlier is explained, by a
    /// stand-in, and the later has the one that is left, 28 s away.
    #[test]
    fn a_replacement_is_stood_for_by_another_of_its_workload() {
        let recorded = BTreeMap::from([
            ("x/web-aaa-1".to_owned(), Time::from_secs(60)),
            ("x/web-aaa-2".to_owned(), Time::from_secs(62)),
        ]);
        let courses = [
            course(&[("x/web-aaa-7", 61), ("x/web-aaa-8", 90), ("x/web-aaa-0", 62)]),
            course(&[("x/web-bbb-9", 60)]),
        ];
        // The last of the first run's was there from the start, and has its own name.
        let known = ["x/web-aaa-0".to_owned()].into();
        let matched = Matched::of(&recorded, &courses, &known, Dur::from_secs(2));
        let apart: Vec<_> = matched.pairs.iter().map(Pair::apart_ms).collect();
        assert_eq!(apart, [Some(1_000), Some(28_000)]);
        assert_eq!(matched.pairs[0].share, 0.5);
        assert!(matched.pairs.iter().all(|p| p.is(Way::StandsIn)));
    }
}
