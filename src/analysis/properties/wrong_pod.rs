//! `wrong-pod`: a deletion meant for one pod hits its successor of the same name.
//!
//! A deletion is meant for the life of the name in which its timer was set, or which its author had
//! read when it decided. Left out: deletions by people, who mean whoever has the name.

use super::super::causes::chain;
use super::super::setting::Analysis;
use super::property::Property;
use super::violation::Violation;
use super::walk::{Walk, records};
use crate::api::names::PodId;
use crate::trace::{Actor, NO_RECORD, Record, RecordId, Trace, What};

pub(super) fn check<'a>(analysis: &'a Analysis<'a>) -> Vec<Violation> {
    let mut walk = Walk::new(analysis);
    let mut found = Vec::new();
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let is_deletion = matches!(r.what, What::PodDeleting(_) | What::PodGone);
        let created = r.pod().map_or(NO_RECORD, |p| walk.life(p).created);
        let step = walk.apply(id, r);
        let Some((pod, before, _)) = step.pod else {
            continue;
        };
        if !is_deletion || !before.exists || before.deleting || created == NO_RECORD {
            continue;
        }
        let Some(meant) = meant(walk.trace(), id, r, pod).filter(|meant| *meant < created) else {
            continue;
        };
        let since = walk.trace().get(created).map_or(r.at, |c| c.at);
        let decided = walk.trace().get(meant).map_or(r.at, |m| m.at);
        let (name, actor) = (walk.pod_name(pod), r.actor.as_str());
        found.push(Violation {
            property: Property::WrongPod,
            at: r.at,
            pod: Some(pod),
            node: before.node_id(),
            text: format!(
                "{actor} deleted {name}, which exists since {since}, at {} as it meant to delete its predecessor at {decided}",
                r.at
            ),
            records: records(&[meant, created, id]),
        });
    }
    found
}

/// The record that says which life of the pod a deletion was meant for.
fn meant(trace: &Trace, id: RecordId, r: &Record, pod: PodId) -> Option<RecordId> {
    match r.actor {
        Actor::TaintEviction => chain(trace, id)
            .find(|(_, r)| matches!(r.what, What::TimerSet(_)) && r.pod() == Some(pod))
            .map(|(timer, _)| timer),
        Actor::User => None,
        // Events say nothing of a version; everything else that a version rests on is about the pod
        // itself.
        _ => trace.get(r.saw).filter(|saw| saw.pod() == Some(pod)).map(|_| r.saw),
    }
}
