//! Two sides over many seeds: what differs between them in nearly all, and what is chance.
//!
//! Equal seeds are paired. What is counted over seeds is what differs of objects that belong to the
//! same: `pods of Deployment default/web evicted: earlier in B`. Within a seed, one of them that is
//! in the first run only and another one that is in the second run only cancel each other out, and
//! where some are earlier and others later, that is a way of its own. Beside that single objects
//! are counted, so far as their names mean the same in every seed: those of a Deployment's
//! replacements do not, which are given out in the order of creation.

use super::super::costs::Figure;
use super::super::setting::Analysis;
use super::compare::Sides;
use super::costs::{Bill, Fate};
use super::groups::{Change, Noise};
use crate::kernel::{Dur, Time};
use std::cmp::{Ordering, Reverse};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// So many per cent of all seeds are nearly all of them.
pub const NEARLY_ALL: u64 = 90;

/// Whether a number of seeds is nearly all of them.
pub fn is_nearly_all(seeds: u64, of: u64) -> bool {
    u128::from(seeds) * 100 >= u128::from(of) * u128::from(NEARLY_ALL) && seeds > 0
}

/// In what way a fact differs, without the values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    /// It is true in the first run only.
    OnlyA,
    /// It is true in the second run only.
    OnlyB,
    /// It is true earlier in the second run.
    Earlier,
    /// It is true later in the second run.
    Later,
    /// Of some objects it is true earlier in the second run, of others later.
    Both,
    /// It is true at the same time, but of another node, or for another reason.
    Otherwise,
}

impl Way {
    fn of(change: &Change) -> Self {
        match change {
            Change::OnlyA => Self::OnlyA,
            Change::OnlyB => Self::OnlyB,
            Change::Earlier => Self::Earlier,
            Change::Later => Self::Later,
            Change::Otherwise(..) => Self::Otherwise,
        }
    }
}

/// What differs, in what way, and of what: how much it matters, what is said, how it differs,
/// whether of pods, what they belong to.
type Kind = (u8, String, Way, bool, Option<String>);

/// What differs of an object, or of all that belong to the same, over the seeds so far.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Tally {
    seeds: u64,
    /// Over all seeds.
    facts: u64,
    /// The fewest and the most objects of a seed in which it differs.
    objects: (u64, u64),
    shift: Option<(Dur, Dur)>,
    /// What is beside it in each run; none if that is not always the same.
    details: Option<[Option<String>; 2]>,
    first: Time,
}

impl Tally {
    /// Adds another one of the same seed, or of a later one.
    fn add(&mut self, other: &Tally, same_seed: bool) {
        self.facts += other.facts;
        if same_seed {
            self.objects = (
                self.objects.0 + other.objects.0,
                self.objects.1 + other.objects.1,
            );
        } else {
            self.seeds += other.seeds;
            self.objects = (
                self.objects.0.min(other.objects.0),
                self.objects.1.max(other.objects.1),
            );
        }
        self.shift = match (self.shift, other.shift) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
            (a, b) => a.or(b),
        };
        if self.details != other.details {
            self.details = None;
        }
        self.first = self.first.min(other.first);
    }
}

/// What sets the two runs of one seed apart.
#[derive(Debug)]
pub struct OneSeed {
    costs: [Bill; 2],
    workloads: Vec<(String, [Option<Fate>; 2])>,
    /// By kind and object.
    named: BTreeMap<(Kind, String), Tally>,
    /// By kind.
    alike: BTreeMap<Kind, Tally>,
    /// What says next to nothing, and why.
    noise: BTreeMap<(Noise, String), u64>,
    same: bool,
}

impl OneSeed {
    /// Compares two runs with the same seed; see [`compare`](super::compare).
    pub fn new(runs: [&Analysis<'_>; 2], window: Dur, tolerance: Dur) -> Self {
        let Sides {
            names,
            pairs,
            costs,
            workloads,
            ..
        } = Sides::new(runs, window, tolerance);
        let (mut named, mut alike, mut noise) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        // An object that does the same twice is one.
        let mut seen = BTreeSet::new();
        for p in &pairs {
            if let Some(sort) = p.noise(&names) {
                *noise.entry((sort, names.what(p))).or_default() += 1;
                continue;
            }
            let change = p.change(&names);
            let kind: Kind = (
                p.rank(&names).0,
                names.what(p),
                Way::of(&change),
                p.is_of_pod(),
                p.of(&names),
            );
            let new = u64::from(seen.insert((p.identity(), kind.2)));
            let tally = Tally {
                seeds: 1,
                facts: 1,
                objects: (new, new),
                shift: p.shift().map(|s| (s, s)),
                details: Some(p.details(&names)),
                first: p.when(),
            };
            if let Some(object) = p.object(&names) {
                put(&mut named, (kind.clone(), object), &tally, true);
            }
            put(&mut alike, kind, &tally, true);
        }
        cancel(&mut alike, &mut noise);
        let like =
            |w: &[Option<Fate>; 2]| matches!(w, [Some(a), Some(b)] if a.is_like(b, tolerance));
        let same = pairs.is_empty()
            && workloads.iter().all(|w| like(&w.sides))
            && costs[0].is_like(&costs[1], tolerance);
        OneSeed {
            costs,
            workloads: workloads.into_iter().map(|w| (w.name, w.sides)).collect(),
            named,
            alike,
            noise,
            same,
        }
    }
}

fn put<K: Ord>(all: &mut BTreeMap<K, Tally>, key: K, tally: &Tally, same_seed: bool) {
    match all.get_mut(&key) {
        Some(known) => known.add(tally, same_seed),
        None => drop(all.insert(key, tally.clone())),
    }
}

/// Takes away what is in the first run only as often as the same of other objects is in the second
/// run only, which is noise, and puts together what is earlier of some and later of others.
fn cancel(alike: &mut BTreeMap<Kind, Tally>, noise: &mut BTreeMap<(Noise, String), u64>) {
    let kinds: Vec<Kind> = alike
        .keys()
        .filter(|k| matches!(k.2, Way::OnlyA | Way::Earlier))
        .cloned()
        .collect();
    for one in kinds {
        let opposite = if one.2 == Way::OnlyA {
            Way::OnlyB
        } else {
            Way::Later
        };
        let other: Kind = (one.0, one.1.clone(), opposite, one.3, one.4.clone());
        let (Some(a), Some(b)) = (alike.get(&one).cloned(), alike.get(&other).cloned()) else {
            continue;
        };
        alike.remove(&one);
        alike.remove(&other);
        if opposite == Way::Later {
            let mut both = a;
            both.add(&b, true);
            alike.insert((one.0, one.1, Way::Both, one.3, one.4), both);
            continue;
        }
        let less = a.facts.min(b.facts);
        *noise.entry((Noise::Another, one.1.clone())).or_default() += less;
        for (kind, mut tally) in [(one, a), (other, b)] {
            if tally.facts > less {
                tally.facts -= less;
                tally.objects = (tally.facts, tally.facts);
                alike.insert(kind, tally);
            }
        }
    }
}

/// A figure of the costs over seeds, in its unit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Paired {
    /// The means of the first and of the second side.
    pub means: [f64; 2],
    /// The mean of the differences of equal seeds: the second side's less the first side's. More is
    /// worse.
    pub difference: f64,
    /// The least and the greatest of these differences.
    pub range: (f64, f64),
    /// In how many seeds it is less in the second side, beyond the tolerance.
    pub less: u64,
    /// In how many seeds it is more in the second side, beyond the tolerance.
    pub more: u64,
}

/// A figure's sums over seeds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Sum {
    sums: [f64; 2],
    difference: f64,
    range: Option<(f64, f64)>,
    less: u64,
    more: u64,
}

/// The figures over seeds, in the order of [`Figure::ALL`].
#[derive(Clone, PartialEq, Debug, Default)]
struct Sums {
    seeds: u64,
    figures: [Sum; Figure::ALL.len()],
}

impl Sums {
    fn add(&mut self, a: &Bill, b: &Bill, tolerance: Dur) {
        self.seeds += 1;
        for (sum, figure) in self.figures.iter_mut().zip(Figure::ALL) {
            let values = [figure.of(&a.costs), figure.of(&b.costs)];
            let difference = values[1] - values[0];
            sum.sums[0] += values[0];
            sum.sums[1] += values[1];
            sum.difference += difference;
            sum.range = Some(sum.range.map_or((difference, difference), |(least, most)| {
                (least.min(difference), most.max(difference))
            }));
            match a.compared(b, figure, tolerance) {
                Ordering::Less => sum.less += 1,
                Ordering::Greater => sum.more += 1,
                Ordering::Equal => {}
            }
        }
    }

    fn finish(&self) -> Vec<(Figure, Paired)> {
        let n = self.seeds.max(1) as f64;
        let one = |(figure, sum): (Figure, &Sum)| {
            let means = sum.sums.map(|s| s / n);
            let (difference, range) = (sum.difference / n, sum.range.unwrap_or_default());
            (
                figure,
                Paired {
                    means,
                    difference,
                    range,
                    less: sum.less,
                    more: sum.more,
                },
            )
        };
        Figure::ALL
            .into_iter()
            .zip(&self.figures)
            .map(one)
            .collect()
    }
}

/// What sets two sides apart, seed by seed.
#[derive(Debug)]
pub struct Gathered {
    tolerance: Dur,
    seeds: u64,
    same: u64,
    costs: Sums,
    /// Per workload its figures, or in how many seeds it is on either side alone.
    workloads: BTreeMap<String, (Sums, [u64; 2])>,
    named: BTreeMap<(Kind, String), Tally>,
    alike: BTreeMap<Kind, Tally>,
    noise: BTreeMap<(Noise, String), u64>,
}

/// What sets two sides apart over all seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct OverSeeds {
    /// How many seeds each side was run with.
    pub seeds: u64,
    /// In how many of them both runs came to the same.
    pub same: u64,
    /// What the runs cost all workloads together: every figure.
    pub costs: Vec<(Figure, Paired)>,
    /// The workloads whose costs differ in any seed, the one with the greatest difference in what
    /// was missing first.
    pub workloads: Vec<WorkloadOverSeeds>,
    /// What differs in nearly all seeds, the most important first.
    pub nearly_all: Vec<Pattern>,
    /// What differs in fewer.
    pub chance: Vec<Pattern>,
    /// What says next to nothing: of what sort, what is said, and how often in all seeds together.
    pub noise: Vec<(Noise, String, u64)>,
}

/// What runs cost a workload over seeds.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkloadOverSeeds {
    /// `Deployment default/web`
    pub name: String,
    /// In how many seeds it is in the first runs alone, and in the second runs alone; those are not
    /// in the figures.
    pub only: [u64; 2],
    /// Every figure.
    pub costs: Vec<(Figure, Paired)>,
}

/// What differs, over seeds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    /// What it is: `evicted`, `tainted unreachable:NoExecute`.
    pub what: String,
    /// In what way it differs.
    pub way: Way,
    /// Whether its objects are pods; otherwise they are nodes, or there are none.
    pub of_pods: bool,
    /// The workload of its pods, or what the objects' names have in common.
    pub of: Option<String>,
    /// The objects of which it is so in nearly all seeds; the others are not always the same ones.
    pub objects: Vec<String>,
    /// It is told of these objects only; otherwise of all that belong to `of`.
    pub each: bool,
    /// In how many seeds it is so of any of them; where it is told of these objects only, the
    /// fewest and the most seeds of one of them.
    pub seeds: (u64, u64),
    /// The fewest and the most objects of which it is so in one seed, of the seeds in which it is.
    pub in_one_seed: (u64, u64),
    /// By how much its times differ: the least and the most.
    pub shift: Option<(Dur, Dur)>,
    /// What is beside it in each run, where that is the same for all.
    pub details: [Option<String>; 2],
}

impl Gathered {
    /// Of no seed yet.
    pub fn new(tolerance: Dur) -> Self {
        Gathered {
            tolerance,
            seeds: 0,
            same: 0,
            costs: Sums::default(),
            workloads: BTreeMap::new(),
            named: BTreeMap::new(),
            alike: BTreeMap::new(),
            noise: BTreeMap::new(),
        }
    }

    /// Takes in the next seed.
    pub fn add(&mut self, one: OneSeed) {
        self.seeds += 1;
        self.same += u64::from(one.same);
        self.costs.add(&one.costs[0], &one.costs[1], self.tolerance);
        for (name, sides) in one.workloads {
            let (sums, only) = self.workloads.entry(name).or_default();
            match sides {
                [Some(a), Some(b)] => sums.add(&a.bill, &b.bill, self.tolerance),
                [a, _] => only[usize::from(a.is_none())] += 1,
            }
        }
        one.named
            .into_iter()
            .for_each(|(key, tally)| put(&mut self.named, key, &tally, false));
        one.alike
            .into_iter()
            .for_each(|(key, tally)| put(&mut self.alike, key, &tally, false));
        for (key, n) in one.noise {
            *self.noise.entry(key).or_default() += n;
        }
    }

    /// What all seeds come to; with more than `most` patterns like ones are told together.
    pub fn finish(mut self, most: usize) -> OverSeeds {
        let all = self.seeds;
        // The objects of which it is always so, by kind.
        let mut always: BTreeMap<Kind, Vec<(String, Tally)>> = BTreeMap::new();
        for ((kind, object), tally) in std::mem::take(&mut self.named) {
            if is_nearly_all(tally.seeds, all) && !object.is_empty() {
                always.entry(kind).or_default().push((object, tally));
            }
        }
        let (mut nearly_all, mut chance) = (Vec::new(), Vec::new());
        for (kind, tally) in std::mem::take(&mut self.alike) {
            if is_nearly_all(tally.seeds, all) {
                let objects = always
                    .remove(&kind)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(object, _)| object)
                    .collect();
                nearly_all.push(Member {
                    kind,
                    objects,
                    each: false,
                    seeds: (tally.seeds, tally.seeds),
                    tally,
                });
            } else {
                chance.push(Member {
                    kind,
                    objects: Vec::new(),
                    each: false,
                    seeds: (tally.seeds, tally.seeds),
                    tally,
                });
            }
        }
        // Of these it is always so, though others in the same place make it different from seed to
        // seed.
        for (kind, objects) in always {
            let one = |(object, tally): (String, Tally)| {
                let seeds = (tally.seeds, tally.seeds);
                Member {
                    kind: kind.clone(),
                    objects: vec![object],
                    each: true,
                    seeds,
                    tally,
                }
            };
            nearly_all.extend(objects.into_iter().map(one));
        }
        OverSeeds {
            seeds: all,
            same: self.same,
            costs: self.costs.finish(),
            workloads: self.workloads(),
            nearly_all: patterns(nearly_all, most),
            chance: patterns(chance, most),
            noise: self
                .noise
                .into_iter()
                .map(|((noise, what), n)| (noise, what, n))
                .collect(),
        }
    }

    fn workloads(&self) -> Vec<WorkloadOverSeeds> {
        let moved = |(_, p): &(Figure, Paired)| p.less > 0 || p.more > 0;
        let one = |(name, (sums, only)): (&String, &(Sums, [u64; 2]))| {
            let costs = sums.finish();
            (*only != [0, 0] || costs.iter().any(moved)).then(|| WorkloadOverSeeds {
                name: name.clone(),
                only: *only,
                costs,
            })
        };
        let mut found: Vec<WorkloadOverSeeds> = self.workloads.iter().filter_map(one).collect();
        let missing =
            |w: &WorkloadOverSeeds| w.costs.first().map_or(0.0, |(_, p)| p.difference.abs());
        found.sort_by(|x, y| missing(y).total_cmp(&missing(x)));
        found
    }
}

/// What differs of some objects.
#[derive(Clone)]
struct Member {
    kind: Kind,
    objects: Vec<String>,
    /// It is told of the objects themselves.
    each: bool,
    seeds: (u64, u64),
    tally: Tally,
}

/// Puts together what differs alike of objects that are told one by one: as closely as leaves no
/// more than `most` patterns; the most important first.
fn patterns(found: Vec<Member>, most: usize) -> Vec<Pattern> {
    type Alike = (Kind, bool, u64, Option<[Option<String>; 2]>);
    let mut merged: BTreeMap<Alike, Member> = BTreeMap::new();
    for level in 0..3 {
        merged = BTreeMap::new();
        for member in &found {
            let mut m = member.clone();
            if m.each && level > 0 {
                m.tally.details = None;
            }
            if m.each && level > 1 {
                m.kind.4 = None;
            }
            let seconds = m
                .tally
                .shift
                .filter(|_| level == 0)
                .map_or(0, |s| (s.1.as_millis() + 500) / 1_000);
            match merged.entry((m.kind.clone(), m.each, seconds, m.tally.details.clone())) {
                Entry::Vacant(slot) => drop(slot.insert(m)),
                Entry::Occupied(slot) => {
                    let known = slot.into_mut();
                    known.objects.extend(m.objects);
                    known.tally.add(&m.tally, true);
                    known.seeds = (known.seeds.0.min(m.seeds.0), known.seeds.1.max(m.seeds.1));
                }
            }
        }
        if merged.len() <= most {
            break;
        }
    }
    let mut all: Vec<Member> = merged.into_values().collect();
    all.sort_by_key(|m| {
        let shift = m.tally.shift.map_or(0, |s| s.1.as_secs());
        (
            m.kind.0,
            m.kind.2 >= Way::Earlier,
            Reverse((m.seeds.1, shift, m.tally.objects.1)),
            m.tally.first,
        )
    });
    let pattern = |m: Member| {
        let (_, what, way, of_pods, of) = m.kind;
        let (in_one_seed, shift, details) = (
            m.tally.objects,
            m.tally.shift,
            m.tally.details.unwrap_or_default(),
        );
        Pattern {
            what,
            way,
            of_pods,
            of,
            objects: m.objects,
            each: m.each,
            seeds: m.seeds,
            in_one_seed,
            shift,
            details,
        }
    };
    all.into_iter().map(pattern).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Costs;

    fn bill(evicted: u64, missing_s: u64) -> Bill {
        Bill {
            costs: Costs {
                evicted,
                missing_ns: u128::from(missing_s) * 1_000_000_000,
                ..Costs::default()
            },
            ..Bill::default()
        }
    }

    fn seed(costs: [Bill; 2]) -> OneSeed {
        let (named, alike, noise) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        OneSeed {
            costs,
            workloads: Vec::new(),
            named,
            alike,
            noise,
            same: false,
        }
    }

    fn kind(what: &str, way: Way, of: &str) -> Kind {
        (0, what.to_owned(), way, true, Some(of.to_owned()))
    }

    /// So many objects, one fact of each.
    fn tally(objects: u64) -> Tally {
        Tally {
            seeds: 1,
            facts: objects,
            objects: (objects, objects),
            shift: None,
            details: Some([None, None]),
            first: Time::ZERO,
        }
    }

    #[test]
    fn differences_are_those_of_equal_seeds() {
        let mut all = Gathered::new(Dur::ZERO);
        for (a, b) in [(5, 3), (4, 4), (2, 5), (1, 1)] {
            all.add(seed([bill(a, 60 * a), bill(b, 60 * b)]));
        }
        let found = all.finish(40);
        // Of -2, 0, +3, 0: the mean is 1/4. The means of the sides are 12/4 and 13/4. A pod is
        // missing for as many minutes as are evicted.
        let expected = Paired {
            means: [3.0, 3.25],
            difference: 0.25,
            range: (-2.0, 3.0),
            less: 1,
            more: 1,
        };
        for (figure, paired) in found.costs {
            match figure {
                Figure::Evicted | Figure::ReplicaMinutesMissing => {
                    assert_eq!(paired, expected, "{figure:?}")
                }
                _ => assert_eq!(
                    (paired.difference, paired.less, paired.more),
                    (0.0, 0, 0),
                    "{figure:?}"
                ),
            }
        }
    }

    #[test]
    fn nine_of_ten_are_nearly_all() {
        for (seeds, of, nearly_all) in [
            (9, 10, true),
            (8, 10, false),
            (18, 20, true),
            (17, 20, false),
            (8, 9, false),
            (9, 9, true),
            (0, 0, false),
        ] {
            assert_eq!(is_nearly_all(seeds, of), nearly_all, "{seeds} of {of}");
        }
    }

    #[test]
    fn what_is_in_nearly_all_seeds_is_told_apart_from_chance() {
        let mut all = Gathered::new(Dur::ZERO);
        let (web, db) = (
            kind("evicted", Way::OnlyA, "Deployment default/web"),
            kind("evicted", Way::OnlyB, "StatefulSet default/db"),
        );
        for n in 0..10 {
            let mut one = seed([Bill::default(); 2]);
            // Always web-0, and another one of web in each even seed; db in eight of ten.
            one.named
                .insert((web.clone(), "web-0".to_owned()), tally(1));
            one.alike
                .insert(web.clone(), tally(if n % 2 == 0 { 2 } else { 1 }));
            if n % 2 == 0 {
                one.named
                    .insert((web.clone(), format!("web-{}", n + 1)), tally(1));
            }
            if n < 8 {
                one.alike.insert(db.clone(), tally(3));
            }
            all.add(one);
        }
        let found = all.finish(40);
        type Told = (Option<String>, Vec<String>, (u64, u64), (u64, u64));
        let told = |list: &[Pattern]| -> Vec<Told> {
            list.iter()
                .map(|p| (p.of.clone(), p.objects.clone(), p.seeds, p.in_one_seed))
                .collect()
        };
        assert_eq!(
            told(&found.nearly_all),
            [(web.4, vec!["web-0".to_owned()], (10, 10), (1, 2))]
        );
        assert_eq!(told(&found.chance), [(db.4, Vec::new(), (8, 8), (3, 3))]);
    }

    #[test]
    fn objects_that_always_differ_are_told_where_others_go_both_ways() {
        let mut all = Gathered::new(Dur::ZERO);
        let web = |way| kind("evicted", way, "Deployment default/web");
        for n in 0..10 {
            let mut one = seed([Bill::default(); 2]);
            one.named
                .insert((web(Way::Earlier), "web-0".to_owned()), tally(1));
            one.alike.insert(web(Way::Earlier), tally(1));
            if n % 2 == 0 {
                one.alike.insert(web(Way::Later), tally(2));
            }
            cancel(&mut one.alike, &mut one.noise);
            all.add(one);
        }
        let found = all.finish(40);
        assert_eq!(
            found
                .nearly_all
                .iter()
                .map(|p| (p.way, p.each, &p.objects[..]))
                .collect::<Vec<_>>(),
            [(Way::Earlier, true, &["web-0".to_owned()][..])]
        );
        // Five seeds with one pod earlier; five with that one earlier and two later, which are
        // three.
        let mut chance: Vec<(Way, u64, (u64, u64))> = found
            .chance
            .iter()
            .map(|p| (p.way, p.seeds.0, p.in_one_seed))
            .collect();
        chance.sort();
        assert_eq!(chance, [(Way::Earlier, 5, (1, 1)), (Way::Both, 5, (3, 3))]);
    }

    #[test]
    fn another_pod_instead_is_noise() {
        let (mut alike, mut noise) = (BTreeMap::new(), BTreeMap::new());
        alike.insert(kind("created", Way::OnlyA, "w"), tally(5));
        alike.insert(kind("created", Way::OnlyB, "w"), tally(3));
        alike.insert(kind("gone", Way::OnlyA, "w"), tally(2));
        alike.insert(kind("gone", Way::OnlyB, "w"), tally(2));
        alike.insert(kind("gone", Way::OnlyB, "v"), tally(1));
        cancel(&mut alike, &mut noise);
        // Three of five have a counterpart; the two and the two are each other's; those of another
        // workload are not.
        let left: Vec<(&str, Way, u64)> = alike
            .iter()
            .map(|(k, t)| (k.1.as_str(), k.2, t.facts))
            .collect();
        assert_eq!(left, [("created", Way::OnlyA, 2), ("gone", Way::OnlyB, 1)]);
        let noise: Vec<(&str, u64)> = noise
            .iter()
            .map(|((_, what), n)| (what.as_str(), *n))
            .collect();
        assert_eq!(noise, [("created", 3), ("gone", 2)]);
    }
}
