//! What a person should know of a run before its figures are believed: the notes of a
//! [`Plan`].
//!
//! Whatever is not simulated, is assumed, or was unusual in an export becomes one sentence here,
//! from the plan alone. Every command that gives a figure of the plan prints its notes where the
//! figure stands, in text, JSON and page. A sentence begins with its kind, `Not simulated:`,
//! `Assumed:`, `The export:`, and names a few objects; [`listed`] leaves out the others. What only
//! a run can show belongs to the summary of the run instead.

use super::declared::Declared;
use super::overrides::Changed;
use crate::language::flags;
use crate::plan::{Plan, Timing};

/// How many names are written out.
const NAMES: usize = 4;

/// The sentences about a plan as it was built.
pub(super) fn of_plan(plan: &Plan) -> Vec<String> {
    volumes(plan).into_iter().collect()
}

/// Workloads whose volumes are not simulated. An attached volume that only one node may use comes
/// free when its pod is gone from the API, which a lost node does not confirm
/// (`pkg/controller/volume/attachdetach`), so that a run without volumes replaces its pods too soon.
fn volumes(plan: &Plan) -> Option<String> {
    let names = plan.with_volumes();
    let names: Vec<&str> = names.iter().map(|n| in_short(n)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "Not simulated: volumes of {}. A new pod may have to wait for its volume, which stays attached to a lost node or lies in a lost zone: pods missing and times below need are the least that it can be.",
            listed(&names)
        )
    })
}

/// `default/web` of `Deployment/default/web`.
fn in_short(name: &str) -> &str {
    match name.matches('/').count() {
        2 => name.split_once('/').map_or(name, |(_, rest)| rest),
        _ => name,
    }
}

/// The first few names, and how many more there are.
pub(super) fn listed(names: &[&str]) -> String {
    let shown = names[..names.len().min(NAMES)].join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// The sentences about how a scenario became a plan: settings of an exported control plane that
/// count for nothing, and pods that the changes reach.
pub(super) fn of_changes(
    changed: &Changed,
    declared: &Declared,
    settings: &flags::Settings,
    timing: &Timing,
) -> Vec<String> {
    let pods_of = |i: usize| declared.pods_of_groups.get(i).copied().unwrap_or(0);
    let reached = changed.reached.iter().filter_map(|r| r.sentence(&pods_of));
    changed
        .notes
        .iter()
        .cloned()
        .chain(reached)
        .chain(without_leader_election(settings, timing))
        .collect()
}

/// A flag of leader election where there is none.
fn without_leader_election(settings: &flags::Settings, timing: &Timing) -> Option<String> {
    let flag = settings.leader.given.filter(|_| !timing.reconnects)?;
    Some(format!(
        "There is no leader election with `timing: Ideal`: `{flag}` changes nothing."
    ))
}
