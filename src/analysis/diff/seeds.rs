//! Two sides over many seeds: what differs between them in nearly all, and what is chance.
//!
//! Equal seeds are paired. What is counted over seeds is what differs of objects that belong to the
//! same: `pods of Deployment default/web evicted: earlier in B`. Within a seed, one of them that is
//! in the first run only and another one that is in the second run only cancel each other out, and
//! where some are earlier and others later, that is a way of its own. Beside that single objects
//! are counted, so far as their names mean the same in every seed: those of a Deployment's
//! replacements do not, which are given out in the order of creation.

use super::change::{Noise, Way};
use super::compare::WorkloadChange;
use super::costs::{Paired, Sums};
use super::one_seed::OneSeed;
use super::patterns::{Kind, Pattern, Tally, patterns, put};
use crate::analysis::prelude::*;
use crate::analysis::statistics::{discoveries, sign_test};

/// This many per cent of all seeds count as nearly all of them.
pub(crate) const NEARLY_ALL: u64 = 90;

/// Of what is said to differ, one in twenty may be chance.
pub(crate) const LEVEL: f64 = 0.05;
/// With fewer seeds than this nothing can be told from chance: of so many pairs all are on one side
/// in two of 2^n cases, and of twenty things that are compared one is then as likely as not.
pub(crate) const FEWEST: u64 = 8;

/// Whether a number of seeds is nearly all of them.
fn is_nearly_all(seeds: u64, of: u64) -> bool {
    u128::from(seeds) * 100 >= u128::from(of) * u128::from(NEARLY_ALL) && seeds > 0
}

/// What sets two sides apart, seed by seed.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    tolerance: Dur,
    seeds: u64,
    same: u64,
    costs: Sums,
    all_along: BTreeSet<String>,
    late: [Vec<Vec<String>>; 2],
    /// Per workload its figures, or in how many seeds it is on either side alone.
    workloads: BTreeMap<String, (Sums, [u64; 2])>,
    named: BTreeMap<(Kind, String), Tally>,
    alike: BTreeMap<Kind, Tally>,
    noise: BTreeMap<(Noise, String), u64>,
}

/// What sets two sides apart over all seeds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct OverSeeds {
    /// How many seeds each side was run with.
    pub(crate) seeds: u64,
    /// In how many of them both runs had the same result.
    pub(crate) same: u64,
    /// What the runs cost all workloads together: every figure.
    pub(crate) costs: Vec<(Figure, Paired)>,
    /// The workloads that are below their need all along in both runs of some seed, which are left out of how
    /// long one of all was.
    pub(crate) all_along: BTreeSet<String>,
    /// The workloads that something hit before they were first whole, of each run of either side.
    pub(crate) late: [Vec<Vec<String>>; 2],
    /// The workloads whose costs differ in any seed, the one with the greatest difference in what
    /// was missing first.
    pub(crate) workloads: Vec<WorkloadOverSeeds>,
    /// How many things were compared, figures among them, and up to which probability of the sign
    /// test one is taken to differ (Benjamini-Hochberg); below zero where none is.
    pub(crate) compared: usize,
    pub(crate) differs_up_to: f64,
    /// What differs in nearly all seeds, and not by chance as far as enough seeds tell; the most
    /// important first.
    pub(crate) nearly_all: Vec<Pattern>,
    /// What differs in fewer, or as chance would make it.
    pub(crate) chance: Vec<Pattern>,
    /// What says next to nothing: of what sort, what is said, and how often in all seeds together.
    pub(crate) noise: Vec<(Noise, String, u64)>,
}

/// What runs cost a workload over seeds.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct WorkloadOverSeeds {
    /// `Deployment default/web`
    pub(crate) name: String,
    /// In how many seeds it is in the first runs alone, and in the second runs alone; those are not
    /// in the figures.
    pub(crate) only: [u64; 2],
    /// Every figure.
    pub(crate) costs: Vec<(Figure, Paired)>,
}

impl Gathered {
    /// Of no seed yet.
    pub(crate) fn new(tolerance: Dur) -> Self {
        Gathered { tolerance, ..Gathered::default() }
    }

    /// Takes in the next seed.
    pub(crate) fn add(&mut self, one: OneSeed) {
        self.seeds += 1;
        self.same += u64::from(one.same);
        self.costs.add(&one.costs[0], &one.costs[1], self.tolerance);
        self.all_along.extend(one.all_along);
        self.late.iter_mut().zip(one.late).for_each(|(all, names)| all.push(names));
        for WorkloadChange { name, sides } in one.workloads {
            let (sums, only) = self.workloads.entry(name).or_default();
            match sides {
                [Some(a), Some(b)] => sums.add(&a.bill, &b.bill, self.tolerance),
                [a, _] => only[usize::from(a.is_none())] += 1,
            }
        }
        one.named.into_iter().for_each(|(key, tally)| put(&mut self.named, key, &tally, false));
        one.alike.into_iter().for_each(|(key, tally)| put(&mut self.alike, key, &tally, false));
        for (key, n) in one.noise {
            *self.noise.entry(key).or_default() += n;
        }
    }

    /// The result over all seeds; with more than `most` patterns, like ones are put together.
    pub(crate) fn finish(mut self, most: usize) -> OverSeeds {
        let all = self.seeds;
        let alike_chance = chances(&self.alike, |kind| kind, |_, kind| kind);
        let named_chance =
            chances(&self.named, |(kind, _)| kind, |(_, object), kind| (kind, object.clone()));
        let (compared, differs_up_to) = self.tested(&alike_chance, &named_chance);
        let differs = |chance: f64| all < FEWEST || chance <= differs_up_to;
        // The objects of which it is always so, by kind.
        let mut always: BTreeMap<Kind, Vec<(String, Tally)>> = BTreeMap::new();
        let named = std::mem::take(&mut self.named).into_iter();
        for (((kind, object), tally), chance) in named.zip(named_chance) {
            if is_nearly_all(tally.seeds, all) && differs(chance) && !object.is_empty() {
                always.entry(kind).or_default().push((object, tally));
            }
        }
        let (mut nearly_all, mut chance) = (Vec::new(), Vec::new());
        let alike = std::mem::take(&mut self.alike).into_iter();
        for ((kind, tally), by_chance) in alike.zip(alike_chance) {
            let often = is_nearly_all(tally.seeds, all) && differs(by_chance);
            let objects = if often { always.remove(&kind) } else { None };
            let objects = objects.into_iter().flatten().map(|(object, _)| object).collect();
            let seeds = (tally.seeds, tally.seeds);
            let member = Pattern { kind, objects, each: false, seeds, tally };
            if often { &mut nearly_all } else { &mut chance }.push(member);
        }
        // Of these it is always so, though others in the same place make it different from seed to
        // seed.
        for (kind, objects) in always {
            let one = |(object, tally): (String, Tally)| {
                let seeds = (tally.seeds, tally.seeds);
                Pattern { kind: kind.clone(), objects: vec![object], each: true, seeds, tally }
            };
            nearly_all.extend(objects.into_iter().map(one));
        }
        OverSeeds {
            seeds: all,
            same: self.same,
            compared,
            differs_up_to,
            costs: self.costs.finish(),
            all_along: self.all_along.clone(),
            late: std::mem::take(&mut self.late),
            workloads: self.workloads(),
            nearly_all: patterns(nearly_all, most),
            chance: patterns(chance, most),
            noise: self.noise.into_iter().map(|((noise, what), n)| (noise, what, n)).collect(),
        }
    }

    /// How many things are compared, and up to which probability they differ.
    fn tested(&self, alike: &[f64], named: &[f64]) -> (usize, f64) {
        let figures = self.workloads.values().map(|(sums, _)| sums.finish());
        let figures = figures.chain([self.costs.finish()]).flatten();
        // What is the same in every seed was not found to differ, and is none of the comparisons
        // that could have been taken for a difference.
        let moved = figures.filter(|(_, p)| p.less + p.more > 0);
        let mut all: Vec<f64> = moved.map(|(_, p)| p.chance()).collect();
        all.extend(alike.iter().chain(named));
        let up_to = discoveries(&mut all, LEVEL);
        (all.len(), up_to)
    }

    fn workloads(&self) -> Vec<WorkloadOverSeeds> {
        let moved = |(_, p): &(Figure, Paired)| p.less > 0 || p.more > 0;
        let one = |(name, (sums, only)): (&String, &(Sums, [u64; 2]))| {
            let costs = sums.finish();
            let differs = *only != [0, 0] || costs.iter().any(moved);
            differs.then(|| WorkloadOverSeeds { name: name.clone(), only: *only, costs })
        };
        let mut found: Vec<WorkloadOverSeeds> = self.workloads.iter().filter_map(one).collect();
        // What is not counted is no number, and the greater of it and nothing is nothing.
        let missing = |w: &WorkloadOverSeeds| {
            w.costs.first().map_or(0.0, |(_, p)| p.difference.abs().max(0.0))
        };
        found.sort_by(|x, y| missing(y).total_cmp(&missing(x)));
        found
    }
}

/// How likely each of these tallies is if it is chance which of both sides is which, in their order.
/// What goes both ways within a seed, or is another thing each time, has no side. `kind` is that of a
/// key, and `of` makes the key of another kind of it.
fn chances<K: Ord>(
    all: &BTreeMap<K, Tally>,
    kind: impl Fn(&K) -> &Kind,
    of: impl Fn(&K, Kind) -> K,
) -> Vec<f64> {
    let is_always_alike = |t: &Tally| t.details.as_ref().is_some_and(|d| *d != [None, None]);
    let one = |(key, tally): (&K, &Tally)| {
        let kind = kind(key);
        let against = match kind.way.opposite() {
            Some(way) => all.get(&of(key, kind.in_way(way))).map_or(0, |t| t.seeds),
            // The same two values in each seed are a side; else there is none.
            None if kind.way == Way::Otherwise && is_always_alike(tally) => 0,
            None => return 1.0,
        };
        sign_test(against, tally.seeds)
    };
    all.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::costs::Bill;
    use super::super::one_seed::cancel;
    use super::*;
    use crate::analysis::Costs;
    use crate::kernel::Time;

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
        let (all_along, late, workloads) = (BTreeSet::new(), Default::default(), Vec::new());
        OneSeed { costs, all_along, late, workloads, named, alike, noise, same: false }
    }

    fn kind(what: &str, way: Way, of: &str) -> Kind {
        Kind { rank: 0, what: what.to_owned(), way, of_pods: true, of: Some(of.to_owned()) }
    }

    /// A tally of this number of objects, one fact of each.
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
        let expected =
            Paired { means: [3.0, 3.25], difference: 0.25, range: (-2.0, 3.0), less: 1, more: 1 };
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
            one.named.insert((web.clone(), "web-0".to_owned()), tally(1));
            one.alike.insert(web.clone(), tally(if n % 2 == 0 { 2 } else { 1 }));
            if n % 2 == 0 {
                one.named.insert((web.clone(), format!("web-{}", n + 1)), tally(1));
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
                .map(|p| (p.kind.of.clone(), p.objects.clone(), p.seeds, p.tally.objects))
                .collect()
        };
        assert_eq!(told(&found.nearly_all), [(web.of, vec!["web-0".to_owned()], (10, 10), (1, 2))]);
        assert_eq!(told(&found.chance), [(db.of, Vec::new(), (8, 8), (3, 3))]);
    }

    #[test]
    fn objects_that_always_differ_are_told_where_others_go_both_ways() {
        let mut all = Gathered::new(Dur::ZERO);
        let web = |way| kind("evicted", way, "Deployment default/web");
        for n in 0..10 {
            let mut one = seed([Bill::default(); 2]);
            one.named.insert((web(Way::Earlier), "web-0".to_owned()), tally(1));
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
                .map(|p| (p.kind.way, p.each, &p.objects[..]))
                .collect::<Vec<_>>(),
            [(Way::Earlier, true, &["web-0".to_owned()][..])]
        );
        // Five seeds with one pod earlier; five with that one earlier and two later, which are
        // three.
        let mut chance: Vec<(Way, u64, (u64, u64))> =
            found.chance.iter().map(|p| (p.kind.way, p.seeds.0, p.tally.objects)).collect();
        chance.sort();
        assert_eq!(chance, [(Way::Earlier, 5, (1, 1)), (Way::Both, 5, (3, 3))]);
    }

    /// A pod that is evicted in B only in each of three seeds is so by chance in one case of four; in
    /// each of twelve seeds it is not. Beside forty others that go either way, each of which is compared
    /// both ways, it still is not: of 81 comparisons the first may have 0.05 / 81 = 0.00062, and two
    /// of 4,096 are 0.00049.
    #[test]
    fn what_is_compared_counts() {
        let over = |seeds: u64| {
            let mut all = Gathered::new(Dur::ZERO);
            for n in 0..seeds {
                let mut one = seed([Bill::default(); 2]);
                one.alike.insert(kind("evicted", Way::OnlyB, "w"), tally(1));
                for other in 0..40 {
                    let way = if (n + other) % 2 == 0 { Way::Earlier } else { Way::Later };
                    let of = format!("o-{other}");
                    one.alike.insert(kind("tainted", way, &of), tally(1));
                }
                all.add(one);
            }
            all.finish(100)
        };
        let few = over(3);
        assert!(few.differs_up_to < 0.0, "{}", few.differs_up_to);
        let many = over(12);
        let found: Vec<&str> = many.nearly_all.iter().map(|p| p.kind.what.as_str()).collect();
        assert_eq!(found, ["evicted"]);
        assert!(many.differs_up_to < 0.001, "{}", many.differs_up_to);
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
        let left: Vec<(&str, Way, u64)> =
            alike.iter().map(|(k, t)| (k.what.as_str(), k.way, t.facts)).collect();
        assert_eq!(left, [("created", Way::OnlyA, 2), ("gone", Way::OnlyB, 1)]);
        let noise: Vec<(&str, u64)> =
            noise.iter().map(|((_, what), n)| (what.as_str(), *n)).collect();
        assert_eq!(noise, [("created", 3), ("gone", 2)]);
    }
}
