//! What sets the two runs of one seed apart.

use super::change::{Noise, Way};
use super::compare::{Sides, WorkloadChange};
use super::costs::Bill;
use super::found::NONE;
use super::patterns::{Kind, Tally, put};
use crate::analysis::prelude::*;

/// What sets the two runs of one seed apart.
pub(crate) struct OneSeed {
    pub(super) costs: [Bill; 2],
    /// The workloads that are below their need all along in both runs.
    pub(super) all_along: BTreeSet<String>,
    /// The workloads that something hit before they were first whole.
    pub(super) late: [Vec<String>; 2],
    pub(super) workloads: Vec<WorkloadChange>,
    /// By kind and object.
    pub(super) named: BTreeMap<(Kind, String), Tally>,
    pub(super) alike: BTreeMap<Kind, Tally>,
    /// What says next to nothing, and why.
    pub(super) noise: BTreeMap<(Noise, String), u64>,
    pub(super) same: bool,
}

impl OneSeed {
    /// Compares two runs with the same seed; see [`compare`](super::compare).
    pub(crate) fn new(runs: [&Analysis<'_>; 2], window: Dur, tolerance: Dur) -> Self {
        let Sides { names, pairs, costs, all_along, late, workloads } =
            Sides::new(runs, window, tolerance);
        let (mut named, mut alike, mut noise) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        // An object that does the same twice is one.
        let mut seen = BTreeSet::new();
        for p in &pairs {
            if let Some(sort) = p.noise(&names) {
                *noise.entry((sort, p.what(&names))).or_default() += 1;
                continue;
            }
            let kind = Kind {
                rank: p.rank(&names).0,
                what: p.what(&names),
                way: p.way(),
                of_pods: p.pod != NONE,
                of: p.of(&names),
            };
            let new = u64::from(seen.insert(((p.what, p.pod, p.node), kind.way)));
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
        let same = pairs.is_empty()
            && workloads.iter().all(|w| w.is_like(tolerance))
            && costs[0].is_like(&costs[1], tolerance);
        OneSeed { costs, all_along, late, workloads, named, alike, noise, same }
    }
}

/// Takes away what is in the first run only as often as the same of other objects is in the second
/// run only, which is noise, and puts together what is earlier of some and later of others.
pub(super) fn cancel(
    alike: &mut BTreeMap<Kind, Tally>,
    noise: &mut BTreeMap<(Noise, String), u64>,
) {
    let kinds: Vec<Kind> =
        alike.keys().filter(|k| matches!(k.way, Way::OnlyA | Way::Earlier)).cloned().collect();
    for one in kinds {
        let opposite = if one.way == Way::OnlyA { Way::OnlyB } else { Way::Later };
        let other = one.in_way(opposite);
        let (Some(a), Some(b)) = (alike.get(&one).cloned(), alike.get(&other).cloned()) else {
            continue;
        };
        alike.remove(&one);
        alike.remove(&other);
        if opposite == Way::Later {
            let mut both = a;
            both.add(&b, true);
            alike.insert(one.in_way(Way::Both), both);
            continue;
        }
        let less = a.facts.min(b.facts);
        *noise.entry((Noise::Another, one.what.clone())).or_default() += less;
        for (kind, mut tally) in [(one, a), (other, b)] {
            if tally.facts > less {
                tally.facts -= less;
                tally.objects = (tally.facts, tally.facts);
                alike.insert(kind, tally);
            }
        }
    }
}
