//! The comparison of two runs as a whole, its beginning, and groups of facts that differ alike.

use super::super::facts::Facts;
use super::super::rows::Text;
use super::super::summary::{Metrics, with_evictions};
use super::super::workloads;
use super::change::{Group, Noise, Way};
use super::costs::{Bill, Fate, fates};
use super::found::{Found, NONE, Names, Paired, pairs};
use super::settings::Settings;
use crate::analysis::prelude::*;

/// What sets two runs apart.
#[derive(Clone, Debug)]
pub struct Difference {
    /// What their plans say differently.
    pub(crate) settings: Settings,
    /// What each run cost all workloads together.
    pub(crate) costs: [Bill; 2],
    /// The workloads that are below their need all along in both, which are left out of how long one of all
    /// was.
    pub(crate) all_along: BTreeSet<String>,
    /// The workloads that something hit before they were first whole, of each run of either side.
    pub(crate) late: [Vec<Vec<String>>; 2],
    /// Workloads that fared differently, the one with the greatest difference in what was missing
    /// first.
    pub(crate) workloads: Vec<WorkloadChange>,
    /// The earliest fact that differs, of one object.
    pub(crate) first: Option<Group>,
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

/// What became of a workload in each run; none where it does not exist.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct WorkloadChange {
    /// `Deployment default/web`
    pub(crate) name: String,
    /// In the first run and in the second.
    pub(crate) sides: [Option<Fate>; 2],
}

impl WorkloadChange {
    /// Whether it fared alike in both.
    pub(super) fn is_like(&self, tolerance: Dur) -> bool {
        matches!(&self.sides, [Some(a), Some(b)] if a.is_like(b, tolerance))
    }
}

/// Two runs, side by side.
pub(super) struct Sides {
    pub(super) names: Names,
    pub(super) pairs: Vec<Paired>,
    pub(super) costs: [Bill; 2],
    /// The workloads that are below their need all along in both, which are left out of how long one of all
    /// was.
    pub(super) all_along: BTreeSet<String>,
    /// The workloads that something hit before they were first whole.
    pub(super) late: [Vec<String>; 2],
    /// All workloads, whether they fared differently or not, in the order of the first run.
    pub(super) workloads: Vec<WorkloadChange>,
}

impl Sides {
    pub(super) fn new(runs: [&Analysis<'_>; 2], window: Dur, tolerance: Dur) -> Self {
        let mut names = Names::new(runs[0], runs[1]);
        let mut sides = [0, 1].map(Found::new);
        let (mut costs, mut metrics) = ([Bill::default(); 2], [(); 2].map(|()| Metrics::default()));
        let mut all: Vec<WorkloadChange> = Vec::new();
        for (side, analysis) in runs.into_iter().enumerate() {
            let owners = Owners::new(analysis);
            let mut facts = Facts::new(analysis);
            let mut found = Vec::new();
            facts.walk(|f| found.push(*f));
            let text = Text::new(analysis, &facts.taints);
            found.iter().for_each(|f| sides[side].add(f, &text, &owners, &mut names));
            let (summary, serving, _) = with_evictions(analysis, window);
            costs[side] = Bill::whole(analysis, &serving);
            metrics[side] = summary.metrics;
            for (name, fate) in fates(analysis, &serving, &workloads::workloads(analysis)) {
                let index = all.iter().position(|w| w.name == name).unwrap_or_else(|| {
                    all.push(WorkloadChange { name, sides: [None, None] });
                    all.len() - 1
                });
                all[index].sides[side] = Some(fate);
            }
        }
        let [first, second] = sides;
        let [a, b] = metrics.each_ref().map(|m| &m.all_along.workloads);
        let common: BTreeSet<String> = a.intersection(b).cloned().collect();
        for (bill, of) in costs.iter_mut().zip(&metrics) {
            of.all_along.leave_out(&common, &mut bill.costs);
        }
        let late = metrics.map(|m| m.late);
        let pairs = pairs(first, second, tolerance);
        Sides { pairs, names, costs, all_along: common, late, workloads: all }
    }
}

/// Compares two runs. `window` is how soon a node must be back for an eviction to have been
/// needless; times that differ by no more than `tolerance` are the same; `most` is how many groups
/// there may be before like ones are put together.
pub fn compare(runs: [&Analysis<'_>; 2], window: Dur, tolerance: Dur, most: usize) -> Difference {
    let Sides { names, pairs, costs, all_along, late, mut workloads } =
        Sides::new(runs, window, tolerance);
    let late = late.map(|names| vec![names]);
    // Noise is where two runs part only if nothing else is.
    let first = pairs.iter().min_by_key(|p| (p.noise(&names).is_some(), p.when(), p.rank(&names)));
    let first = first.and_then(|p| {
        let (_, alone) = at_level(&[*p], &names, 0).pop()?;
        Some(Group { of: p.of(&names), ..alone })
    });
    let groups = group(pairs, &names, most);
    workloads.retain(|w| !w.is_like(tolerance));
    let missing = |w: &WorkloadChange| {
        let of = |f: &Option<Fate>| f.map_or(0, |f| f.bill.costs.missing_ns);
        of(&w.sides[0]).abs_diff(of(&w.sides[1]))
    };
    workloads.sort_by_key(|w| Reverse(missing(w)));
    let settings = Settings::new(runs[0].plan, runs[1].plan);
    Difference { settings, costs, all_along, late, workloads, first, groups, tolerance }
}

/// Puts together what differs alike: as closely as leaves no more than `most` groups.
fn group(pairs: Vec<Paired>, names: &Names, most: usize) -> Vec<Group> {
    let at = |level| at_level(&pairs, names, level);
    let mut groups = (0..2).map(at).find(|all| all.len() <= most).unwrap_or_else(|| at(2));
    // Noise last. Otherwise what matters most first; what is in one run only before what is
    // shifted; then the longer shift, the larger group, the earlier one.
    groups.sort_by_key(|(rank, g)| {
        let moved = g.way >= Way::Earlier;
        let when = g.pairs.iter().flat_map(|p| p.a.iter().chain(&p.b)).map(|o| o.at).min();
        let shift = g.shift().map_or(0, |(_, most)| most.as_secs());
        (g.noise, *rank, moved, Reverse((shift, g.pairs.len())), when)
    });
    groups.into_iter().map(|(_, g)| g).collect()
}

/// What members of a group have in common: whether it is noise, what is said, how it differs, by
/// how many seconds, what they belong to, its details.
type Alike = (Option<Noise>, u32, Way, u64, u32, [u32; 2]);

/// The groups at a level, each with how much it matters: the higher it is, the less closely facts have
/// to agree. At the lowest they do to the second in how far apart they are, and in their details; up to
/// the next in what they belong to.
fn at_level(pairs: &[Paired], names: &Names, level: u32) -> Vec<(u8, Group)> {
    let mut by_key: BTreeMap<Alike, Vec<&Paired>> = BTreeMap::new();
    for p in pairs {
        by_key.entry(alike(p, names, level)).or_default().push(p);
    }
    let text = |id: u32| names.texts.all.get(id as usize).cloned();
    let group = |((noise, what, way, _, of, details), members): (Alike, Vec<&Paired>)| {
        let (rank, words) = names.whats.all[what as usize];
        let what = names.texts.all[words as usize].clone();
        let pairs = members.iter().map(|p| p.named(names)).collect();
        let (of, details) = (text(of), details.map(text));
        (rank, Group { what, way, of, details, noise, pairs })
    };
    by_key.into_iter().map(group).collect()
}

/// What a fact has in common with others of its group.
fn alike(p: &Paired, names: &Names, level: u32) -> Alike {
    let seconds = |shift: Dur| (shift.as_millis() + 500) / 1_000;
    let shift = p.shift().filter(|_| level == 0).map_or(0, seconds);
    let details = [p.a, p.b].map(|s| s.filter(|_| level == 0).map_or(NONE, |s| s.detail));
    let of = if p.pod == NONE || level > 1 { NONE } else { names.groups[p.pod as usize] };
    (p.noise(names), p.what, p.way(), shift, of, details)
}
