//! What a find does not need.

use super::cause::{core, is_trouble, takes};
use super::cluster::{Cluster, Raw, violations};
use std::cell::Cell;
use taintsim::kernel::choice::Deviation;
use taintsim::lab::explore::{Change, fewer, fewest};
use taintsim::lab::tape::{self, Tape};
use taintsim::plan::Plan;

/// No more runs are made than these to make one small.
const RUNS: u32 = 1_000;

/// A find as it is kept.
#[derive(Clone, Debug)]
pub(super) struct Small {
    /// What happened, without names and times.
    pub(super) core: String,
    /// What it takes beside the cluster.
    pub(super) takes: Vec<String>,
    /// The file.
    pub(super) tape: Tape,
}

/// A find with as little trouble, as few faults and deviations as it needs, all of which keep what happened and who was
/// at fault; none where it may not go on.
pub(super) fn small(
    cluster: &Cluster,
    raw: &Raw,
    goes_on: &(dyn Fn() -> bool + Sync),
) -> Option<Small> {
    let tried = Cell::new(0);
    let may_try = || tried.get() < RUNS && goes_on();
    // The violation of a run that is the same one.
    let same = |plan: &Plan, tape: &[Deviation]| {
        tried.set(tried.get() + 1);
        let (run, all) = violations(plan, &[raw.property], tape);
        let same = all.into_iter().find(|v| core(v, &run.trace) == raw.core);
        same.map(|violation| (run, violation))
    };
    let plan = cluster.plan(&raw.changes, raw.trouble)?;
    let is_so = |tape: &[Deviation]| may_try() && same(&plan, tape).is_some();
    // Most that is drawn is the order of things, which few need.
    let trouble: Vec<Deviation> = raw.tape.iter().filter(|d| is_trouble(d)).cloned().collect();
    let less = [Vec::new(), trouble].into_iter().find(|less| is_so(less));
    let (tape, _) = fewest(less.unwrap_or_else(|| raw.tape.clone()), true, &is_so, &may_try);
    let with = |changes: &[Change], trouble: &str| {
        let plan = cluster.plan(changes, trouble).filter(|_| may_try());
        plan.is_some_and(|plan| same(&plan, &tape).is_some())
    };
    let changes = fewer(&raw.changes, &cluster.entries, &|changes| with(changes, raw.trouble));
    let is_troubled = tape.iter().any(is_trouble) || !with(&changes, "");
    let kind = if is_troubled { raw.trouble } else { "" };
    if !goes_on() {
        return None;
    }
    let plan = cluster.plan(&changes, kind)?;
    let (run, violation) = same(&plan, &tape)?;
    let takes: Vec<String> = takes(&changes, &tape).into_iter().collect();
    let told = if takes.is_empty() { "nothing".to_owned() } else { takes.join(", ") };
    let doc =
        format!("{}: {}\ncause: {}\ntakes: {told}", plan.profile.release, violation.text, raw.core);
    let tape = Tape {
        version: tape::VERSION,
        doc,
        file: format!("cluster-{}.ron", cluster.seed),
        kubernetes: None,
        timing: None,
        set: changes.iter().map(Change::set).collect(),
        tape: tape::spec_of(&plan, &tape::Texts::of(&run), Some(raw.property.to_string()), &tape),
        scenario: cluster.text(),
    };
    Some(Small { core: raw.core.clone(), takes, tape })
}
