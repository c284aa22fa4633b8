//! The comparison as a whole, and its beginning.

use super::super::facts::Facts;
use super::super::setting::Analysis;
use super::super::workloads::{Owners, WorkloadOutcome, Workloads, said};
use super::groups::{Change, Found, Group, Names, Occurrence, Pair, group, pairs};
use super::settings::Settings;
use crate::analysis::curves::value_at;
use crate::kernel::{Dur, Time};

/// What sets two runs apart.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What their plans say differently.
    pub settings: Settings,
    /// The earliest fact that differs.
    pub first: Option<First>,
    /// The facts that differ, the most important first.
    pub groups: Vec<Group>,
    /// Workloads that fared differently, by kind and name.
    pub workloads: Vec<WorkloadChange>,
    /// How many pods were evicted in each run.
    pub evicted: [u64; 2],
}

impl Difference {
    /// Whether both runs came to the same, whatever their settings.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.workloads.is_empty() && !self.settings.objects_differ()
    }
}

/// The earliest fact that differs.
#[derive(Clone, Debug)]
pub struct First {
    /// What it is: `evicted`, `tainted unreachable:NoExecute`.
    pub what: String,
    /// In what way it differs.
    pub change: Change,
    /// Its object and when it happened in each run; its records' causes explain it.
    pub pair: Pair,
}

/// What became of a workload in each run; none where it does not exist.
#[derive(Clone, PartialEq, Debug)]
pub struct WorkloadChange {
    /// `Deployment default/web`
    pub name: String,
    /// In the first run and in the second.
    pub sides: [Option<Fate>; 2],
}

/// What became of a workload.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fate {
    /// Time in which too few pods were available.
    pub unavailable: Dur,
    /// The longest stretch of that.
    pub longest_gap: Dur,
    /// The sum over missing pods of the time in which each was missing, in pod-nanoseconds.
    pub missing_ns: u128,
    /// The fewest available pods.
    pub least_available: u32,
    /// Pods available at the end.
    pub available: u32,
    /// Pods lost.
    pub lost: u64,
    /// Replacements created.
    pub replaced: u64,
    /// Pods pending at the end.
    pub pending: u64,
    /// Pods stuck Terminating at the end.
    pub stuck: u64,
}

impl Fate {
    fn new(o: &WorkloadOutcome) -> Self {
        Fate {
            unavailable: o.unavailable,
            longest_gap: o.longest_gap,
            missing_ns: o.missing_ns,
            least_available: o.least_available,
            available: value_at(&o.available, Time::MAX),
            lost: o.lost,
            replaced: o.replaced,
            pending: o.pending,
            stuck: o.stuck,
        }
    }

    fn is_like(&self, other: &Self, tolerance: Dur) -> bool {
        let near = |a: Dur, b: Dur| a.saturating_sub(b).max(b.saturating_sub(a)) <= tolerance;
        let counts = |f: &Self| (f.least_available, f.available, f.lost, f.replaced, f.pending, f.stuck);
        // A beginning and an end of each gap may be off.
        let twice = |a: Dur, b: Dur| near(a, b) || a.saturating_sub(b).max(b.saturating_sub(a)) <= tolerance.saturating_mul(2);
        counts(self) == counts(other) && twice(self.unavailable, other.unavailable) && twice(self.longest_gap, other.longest_gap)
    }
}

/// Compares two runs. Times that differ by no more than `tolerance` are the same; `most` is how many groups there may be before like ones
/// are told together.
pub fn compare(a: [(&Analysis<'_>, &Workloads); 2], tolerance: Dur, most: usize) -> Difference {
    let mut names = Names::new(a[0].0, a[1].0);
    let mut sides = [Found::default(), Found::default()];
    let mut evicted = [0, 0];
    for (side, (analysis, _)) in a.iter().enumerate() {
        let owners = Owners::new(analysis);
        let mut facts = Facts::new(analysis);
        let mut found = Vec::new();
        facts.walk(|f| found.push(*f));
        for f in &found {
            evicted[side] += u64::from(matches!(f.fact, crate::analysis::facts::Fact::Evicted(_)));
            sides[side].add(side, f, analysis, &facts.taints, &owners, &mut names);
        }
    }
    let [first_run, second_run] = sides;
    let pairs = pairs(first_run, second_run, tolerance);
    let first = pairs.iter().min_by_key(|p| (p.when(), p.rank(&names))).map(|p| {
        let change = p.change(&names);
        First { what: names.what(p), change, pair: p.named(&names) }
    });
    let groups = group(pairs, &names, most);
    Difference { settings: Settings::new(a[0].0.plan, a[1].0.plan), first, groups, workloads: workloads(a, tolerance), evicted }
}

fn workloads(sides: [(&Analysis<'_>, &Workloads); 2], tolerance: Dur) -> Vec<WorkloadChange> {
    let mut all: Vec<WorkloadChange> = Vec::new();
    for (side, (analysis, workloads)) in sides.iter().enumerate() {
        for o in &workloads.outcomes {
            let name = said(analysis, o.id);
            let index = all.iter().position(|w| w.name == name).unwrap_or_else(|| {
                all.push(WorkloadChange { name, sides: [None, None] });
                all.len() - 1
            });
            all[index].sides[side] = Some(Fate::new(o));
        }
    }
    all.retain(|w| match &w.sides {
        [Some(a), Some(b)] => !a.is_like(b, tolerance),
        _ => true,
    });
    let missing = |w: &WorkloadChange| {
        let of = |f: &Option<Fate>| f.map_or(0, |f| f.missing_ns);
        of(&w.sides[0]).abs_diff(of(&w.sides[1]))
    };
    all.sort_by_key(|w| std::cmp::Reverse(missing(w)));
    all
}

impl First {
    /// When it happened in a run, if it did.
    pub fn of(&self, side: usize) -> Option<Occurrence> {
        if side == 0 { self.pair.a } else { self.pair.b }
    }
}
