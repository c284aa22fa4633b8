//! What becomes of pods that wait for lost nodes where somebody sees to these: what is advised is what a run with it comes to.

use super::hit::{Bound, Hit, Seen};
use super::holder::{Holder, first_sentence};
use super::still::{Freed, Why};
use crate::lab::prelude::*;

/// How long a run goes on with a remedy: deletion takes a minute, what it leaves attached six more, and pods start.
pub(super) const SEEN_FOR: Dur = Dur::from_secs(900);

/// What is done to lost nodes, as it is called.
const REMEDIES: [&str; 2] = ["the out-of-service taint", "deleting the node"];

/// What is done to lost nodes in a run with each of these.
pub(super) const DONE: [Away; REMEDIES.len()] = [Away::OutOfService, Away::Deleted];

/// What a remedy does for a workload, by how it stands in a run with it and in one without a loss.
pub(super) fn freed(plan: &Plan, workload: &str, with: &Seen, without: &Seen) -> Option<Freed> {
    let (with, without) = (with.workloads.get(workload)?, without.workloads.get(workload)?);
    let is_short = with.count.up < with.count.desired.min(without.count.up);
    let why = match is_short {
        true if with.failed.is_some() && without.failed.is_none() => Why::JobFailed,
        true => Why::of(plan, workload, &with.moment, &without.moment),
        false => Why::Late,
    };
    Some(Freed { why, said: with.why.clone().unwrap_or_default() })
}

/// What each remedy came to, by which findings are told apart.
pub(super) type Outcomes = [Option<Why>; REMEDIES.len()];

/// What each remedy came to for a workload.
pub(super) fn outcomes(hit: &Hit) -> Outcomes {
    std::array::from_fn(|i| hit.freed[i].as_ref().map(|f| f.why))
}

/// What seeing to lost nodes does for a workload that waits for them, behind what does nothing.
pub(super) fn told(bound: Bound, hit: &Hit, plan: &Plan) -> String {
    let helps = outcomes(hit).map(|why| why == Some(Why::Late));
    let mut text = match (helps, bound) {
        ([true, true], Bound::Free) => ", the out-of-service taint or deleting the node does",
        ([true, true], _) => ", the out-of-service taint does (only for a machine that is off for certain), or deleting the node, whose volumes are detached 6 minutes later",
        ([true, false], _) => ", the out-of-service taint does (only for a machine that is off for certain)",
        ([false, true], Bound::Free) => ", deleting the node does",
        ([false, true], _) => ", deleting the node does, whose volumes are detached 6 minutes later",
        ([false, false], _) => "",
    }
    .to_owned();
    match &hit.freed {
        [Some(taint), Some(deleting)] if are_alike(taint, deleting) => {
            text += &instead(&REMEDIES.join(" or "), taint, plan);
            let [one, other] = [taint, deleting].map(|f| first_sentence(Some(&f.said)));
            if taint.why == Why::NoRoom && one != other {
                text += &format!("; with the node deleted: {other}");
            }
        }
        all => {
            let all = REMEDIES.into_iter().zip(all);
            text.extend(all.filter_map(|(name, freed)| Some(instead(name, freed.as_ref()?, plan))));
        }
    }
    text
}

/// Whether there is the same to say of two: of those that find no node, for the same reason.
fn are_alike(a: &Freed, b: &Freed) -> bool {
    a.why == b.why && (a.why != Why::NoRoom || Holder::of(&a.said) == Holder::of(&b.said))
}

/// What remedies do that do not bring pods back.
fn instead(remedies: &str, freed: &Freed, plan: &Plan) -> String {
    match freed.why {
        Why::NoRoom => format!(
            "; {remedies} lets a new pod be made, which finds no node: {}",
            first_sentence(Some(&freed.said))
        ),
        Why::Volume => format!(
            "; {remedies} lets a new pod be made, whose volume stays attached{}",
            Frees::of(plan).never_by_force()
        ),
        Why::JobFailed => format!("; {remedies} fails the pods, and by that the Job for good"),
        Why::Late => String::new(),
        _ => format!("; nor does {remedies}"),
    }
}
