//! The comparison of two runs as a whole, and its beginning.

use super::super::facts::Facts;
use super::super::setting::Analysis;
use super::super::summary::summary_and_serving;
use super::super::workloads::{self, Owners};
use super::change::{Change, Group, Occurrence, Pair};
use super::costs::{Bill, Fate, fates};
use super::found::{Found, Names};
use super::groups::group;
use super::pairing::{Paired, pairs};
use super::settings::Settings;
use crate::kernel::Dur;

/// What sets two runs apart.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What their plans say differently.
    pub(crate) settings: Settings,
    /// What each run cost all workloads together.
    pub(crate) costs: [Bill; 2],
    /// Workloads that fared differently, the one with the greatest difference in what was missing
    /// first.
    pub(crate) workloads: Vec<WorkloadChange>,
    /// The earliest fact that differs.
    pub(crate) first: Option<First>,
    /// The facts that differ, the most important first, noise last.
    pub(crate) groups: Vec<Group>,
    /// Times that differ by no more than this are the same.
    pub(crate) tolerance: Dur,
}

impl Difference {
    /// Whether both runs had the same result, whatever their settings.
    pub(crate) fn is_empty(&self) -> bool {
        let [a, b] = &self.costs;
        self.groups.is_empty()
            && self.workloads.is_empty()
            && !self.settings.objects_differ()
            && a.is_like(b, self.tolerance)
    }
}

/// The earliest fact that differs.
#[derive(Clone, Debug)]
pub struct First {
    /// What it is: `evicted`, `tainted unreachable:NoExecute`.
    pub(crate) what: String,
    /// In what way it differs.
    pub(crate) change: Change,
    /// Its object and when it happened in each run; its records' causes explain it.
    pub(crate) pair: Pair,
}

impl First {
    /// When it happened in a run, if it did.
    pub(crate) fn of(&self, side: usize) -> Option<Occurrence> {
        if side == 0 { self.pair.a } else { self.pair.b }
    }
}

/// What became of a workload in each run; none where it does not exist.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct WorkloadChange {
    /// `Deployment default/web`
    pub(crate) name: String,
    /// In the first run and in the second.
    pub(crate) sides: [Option<Fate>; 2],
}

/// Two runs, side by side.
pub(super) struct Sides {
    pub(super) names: Names,
    pub(super) pairs: Vec<Paired>,
    pub(super) costs: [Bill; 2],
    /// All workloads, whether they fared differently or not, in the order of the first run.
    pub(super) workloads: Vec<WorkloadChange>,
}

impl Sides {
    pub(super) fn new(runs: [&Analysis<'_>; 2], window: Dur, tolerance: Dur) -> Self {
        let mut names = Names::new(runs[0], runs[1]);
        let mut sides = [Found::default(), Found::default()];
        let mut costs = [Bill::default(); 2];
        let mut all: Vec<WorkloadChange> = Vec::new();
        for (side, analysis) in runs.into_iter().enumerate() {
            let owners = Owners::new(analysis);
            let mut facts = Facts::new(analysis);
            let mut found = Vec::new();
            facts.walk(|f| found.push(*f));
            for f in &found {
                sides[side].add(side, f, analysis, &facts.taints, &owners, &mut names);
            }
            let (_, serving) = summary_and_serving(analysis, window);
            costs[side] = Bill::whole(&serving);
            for (name, fate) in fates(analysis, &serving, &workloads::workloads(analysis)) {
                let index = all.iter().position(|w| w.name == name).unwrap_or_else(|| {
                    all.push(WorkloadChange { name, sides: [None, None] });
                    all.len() - 1
                });
                all[index].sides[side] = Some(fate);
            }
        }
        let [first, second] = sides;
        Sides { pairs: pairs(first, second, tolerance), names, costs, workloads: all }
    }
}

/// Compares two runs. `window` is how soon a node must be back for an eviction to have been
/// needless; times that differ by no more than `tolerance` are the same; `most` is how many groups
/// there may be before like ones are put together.
pub fn compare(runs: [&Analysis<'_>; 2], window: Dur, tolerance: Dur, most: usize) -> Difference {
    let Sides { names, pairs, costs, mut workloads } = Sides::new(runs, window, tolerance);
    // Noise is where two runs part only if nothing else is.
    let first = pairs
        .iter()
        .min_by_key(|p| (p.noise(&names).is_some(), p.when(), p.rank(&names)))
        .map(|p| {
            let change = p.change(&names);
            First { what: p.what(&names), change, pair: p.named(&names) }
        });
    let groups = group(pairs, &names, most);
    workloads.retain(|w| match &w.sides {
        [Some(a), Some(b)] => !a.is_like(b, tolerance),
        _ => true,
    });
    let missing = |w: &WorkloadChange| {
        let of = |f: &Option<Fate>| f.map_or(0, |f| f.bill.costs.missing_ns);
        of(&w.sides[0]).abs_diff(of(&w.sides[1]))
    };
    workloads.sort_by_key(|w| std::cmp::Reverse(missing(w)));
    let settings = Settings::new(runs[0].plan, runs[1].plan);
    Difference { settings, costs, workloads, first, groups, tolerance }
}
