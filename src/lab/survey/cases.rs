//! Cases of one kind, a loss with what it did to one workload each: who they are, what is worst of them, and
//! what keeps their pods, in words.

use super::freed::{self, Outcomes};
use super::hit::{Bound, Hit, Lost};
use super::holder::Holder;
use super::losses::{How, Kind};
use super::still::Why;
use crate::lab::prelude::*;

/// A loss with what it did to one workload.
pub(super) type Case<'a> = (&'a Lost, &'a Hit);

/// What keeps the pods of some cases, and what seeing to their nodes comes to.
pub(super) type Group = (Why, Option<Holder>, Bound, Outcomes);

/// The cases of some groups. One that would say of a workload and a loss together what another denies is
/// several, each of workloads with the same losses.
pub(super) fn apart(by: BTreeMap<Group, Vec<Case<'_>>>) -> Vec<(Group, Vec<Case<'_>>)> {
    let of = |(lost, hit): &Case<'_>| (lost.loss.name(), hit.workload.clone());
    let mut told: BTreeSet<(Why, (String, String))> = BTreeSet::new();
    for ((why, ..), cases) in &by {
        told.extend(cases.iter().map(|case| (*why, of(case))));
    }
    let mut all = Vec::new();
    for (group, cases) in by {
        let mut own: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (loss, workload) in cases.iter().map(of) {
            own.entry(workload).or_default().insert(loss);
        }
        let losses: BTreeSet<String> = own.values().flatten().cloned().collect();
        let is_denied = |workload: &String, own: &BTreeSet<String>| {
            let mut others = losses.difference(own);
            others.any(|loss| told.contains(&(group.0, (loss.clone(), workload.clone()))))
        };
        own.retain(|workload, own| is_denied(workload, own));
        let mut parts: BTreeMap<Option<&BTreeSet<String>>, Vec<Case<'_>>> = BTreeMap::new();
        for case in cases {
            parts.entry(own.get(&case.1.workload)).or_default().push(case);
        }
        all.extend(parts.into_values().map(|cases| (group, cases)));
    }
    all
}

/// `, 3.5 cores missing`, of the loss that lacks most.
pub(super) fn missing(cases: &[Case<'_>]) -> String {
    let round = |v: f64| (v * 100.0).round() / 100.0;
    let of = |unit: &str, of: fn(&Hit) -> Option<f64>| {
        let most = worst(cases, &|h| of(h).unwrap_or(0.0)).0;
        (most > 0.0).then(|| match (round(most), unit) {
            (1.0, "cores") => ", 1 core missing".to_owned(),
            (n, _) => format!(", {n} {unit} missing"),
        })
    };
    let all = [of("cores", |h| h.cores), of("GiB", |h| h.gibibytes)];
    all.into_iter().flatten().collect()
}

/// The largest sum over the workloads that one loss hits, and of that loss the workload with the
/// largest part.
pub(super) fn worst<'a>(cases: &[Case<'a>], of: &dyn Fn(&Hit) -> f64) -> (f64, &'a Hit) {
    let mut most = (0.0, cases[0].1);
    for lost in losses_of(cases) {
        let hits = cases.iter().filter(|c| std::ptr::eq(c.0, lost));
        let sum: f64 = hits.clone().map(|c| of(c.1)).sum();
        if sum > most.0
            && let Some(largest) = hits.max_by(|a, b| of(a.1).total_cmp(&of(b.1)))
        {
            most = (sum, largest.1);
        }
    }
    most
}

/// The losses of some cases, each once.
pub(super) fn losses_of<'a>(cases: &[Case<'a>]) -> Vec<&'a Lost> {
    let mut all: Vec<&Lost> = Vec::new();
    for (lost, _) in cases {
        if !all.iter().any(|l| std::ptr::eq(*l, *lost)) {
            all.push(lost);
        }
    }
    all
}

/// `db`, or `7 workloads (db, web, api and 4 more)`, and whether it is one.
pub(super) fn who(cases: &[Case<'_>]) -> (String, bool) {
    let mut seen = BTreeSet::new();
    let names = cases.iter().map(|(_, hit)| hit.name());
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    match names.as_slice() {
        [one] => ((*one).to_owned(), true),
        all => {
            let count = grouped(all.len() as u64);
            (format!("{count} workloads ({})", listed(all)), false)
        }
    }
}

/// StatefulSets, and Jobs that replace failed pods alone, whose pods nobody confirms to be gone.
pub(super) fn waiting(
    subject: &str,
    bound: Bound,
    cases: &[Case<'_>],
    (plan, how): (&Plan, How),
) -> String {
    let (who, one) = who(cases);
    let below = |c: &Case<'_>| c.1.still.is_some_and(|s| s.below);
    let several = cases.iter().any(|(lost, hit)| hit.gone > 1 && lost.loss.nodes().len() > 1);
    let (is, its, it, node) = match one {
        true if several => ("is", "its", "it needs", "its nodes are back"),
        true => ("is", "its", "it needs", "its node is back"),
        false => ("are", "their", "they need", "their nodes are back"),
    };
    let state = if cases.iter().all(below) {
        format!("{who} {is} below what {it}")
    } else if cases.iter().any(below) {
        format!("{who} {is} short of {its} pods, in part below what {it},")
    } else {
        format!("{who} {is} short of {its} pods")
    };
    let are_of_jobs = are_of_jobs(cases);
    let tolerated = how.tolerated(are_of_jobs);
    if how == How::ApiServer || how == How::Network && are_of_jobs {
        return format!("{subject} lost: once evicted, {state} until {node}; {tolerated}");
    }
    let before: Vec<&str> = cases.iter().filter_map(|c| c.1.behind.as_deref()).collect();
    let before = Vec::from_iter(BTreeSet::from_iter(before));
    if !before.is_empty() {
        let (are, them) = if before.len() == 1 { ("is", "it") } else { ("are", "them") };
        return format!(
            "{subject} lost: {state} until {} {are} gone, which no pod behind {them} is made before; {tolerated}, nor does what is done to the node that is lost: free {them} first",
            listed(&before)
        );
    }
    let remedy = match bound {
        Bound::Free | Bound::Detached => freed::told(bound, cases[0].1, plan),
        Bound::Lost => {
            let volumes = Kept::out_of_reach(&kept_of(cases)).unwrap_or_default();
            format!(", and no node left reaches {volumes}")
        }
        Bound::Unknown => format!(". {}", volumes_hold(cases, plan)),
    };
    format!("{subject} lost: {state} until {node}; {tolerated}{remedy}")
}

/// Whether all of them are of Jobs.
pub(super) fn are_of_jobs(cases: &[Case<'_>]) -> bool {
    cases.iter().all(|(_, hit)| hit.kind == Some(WorkloadKind::Job))
}

/// What is known of pods with volumes on lost nodes, and what is not.
pub(super) fn volumes_hold(cases: &[Case<'_>], plan: &Plan) -> String {
    if cases.iter().any(|c| c.0.loss.takes_a_zone(plan)) {
        "With the volumes in a lost zone nothing but the zone's return helps; where another zone reaches them, a new pod waits until they are detached".to_owned()
    } else {
        let free = Frees::of(plan).node();
        format!(
            "A new pod waits until its volume is detached: the node {free}, and another node reaches the volume"
        )
    }
}

/// The volumes of their pods on lost nodes, each once.
fn kept_of<'a>(cases: &[Case<'a>]) -> BTreeSet<&'a Kept> {
    cases.iter().flat_map(|(_, hit)| &hit.kept).collect()
}

/// `volume pv-1 of claim shop/data stays`, of volumes that are attached to lost nodes.
pub(super) fn attached(cases: &[Case<'_>]) -> String {
    let all: Vec<&Kept> =
        kept_of(cases).into_iter().filter(|k| k.attach && !k.out_of_reach).collect();
    match Kept::named(&all) {
        _ if all.is_empty() => "the volume stays".to_owned(),
        (names, true) => format!("{names} stays"),
        (names, false) => format!("{names} stay"),
    }
}

/// Why a workload has too few pods for a while.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Few {
    /// Several, some of which were lost.
    Several,
    /// The only one was on a lost node.
    Single,
    /// The controllers or the API server are gone.
    NobodyMakesPods,
}

impl Few {
    pub(super) fn of(lost: &Lost, hit: &Hit) -> Self {
        let parts = &lost.loss.parts;
        if parts.iter().all(|p| matches!(p.kind, Kind::Controller | Kind::Api)) {
            return Self::NobodyMakesPods;
        }
        let takes_nodes = parts.iter().any(|p| !p.nodes.is_empty());
        if takes_nodes && hit.desired <= 1 { Self::Single } else { Self::Several }
    }

    /// Until when, behind how long; of one workload or of several.
    pub(super) fn until(self, one: bool) -> &'static str {
        match (self, one) {
            (Self::NobodyMakesPods, _) => ", as nobody makes pods meanwhile",
            (Self::Single, true) => " when its node is lost",
            (Self::Single, false) => " when that pod's node is lost",
            (Self::Several, true) => ", until its pods are replaced",
            (Self::Several, false) => ", until their pods are replaced",
        }
    }
}

/// What keeps pods from nodes that have room, and what would change it.
pub(super) fn held(holder: Holder, cases: &[Case<'_>], plan: &Plan) -> String {
    let volumes = holder.is_volumes().then(|| Kept::out_of_reach(&kept_of(cases)));
    volumes.flatten().unwrap_or_else(|| holder.words(plan))
}
