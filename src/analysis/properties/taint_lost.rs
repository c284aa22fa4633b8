//! `taint-lost`: a taint that a user wrote vanishes, or changes its value, by another writer's
//! patch.
//!
//! Taints of conditions and of `spec.unschedulable` are the controllers' own, whoever wrote them.

use super::super::setting::Analysis;
use super::property::Property;
use super::taint_stale::is_of_controllers;
use super::violation::Violation;
use super::walk::{Walk, records, short};
use crate::trace::Actor;

pub(super) fn check<'a>(analysis: &'a Analysis<'a>) -> Vec<Violation> {
    let mut walk = Walk::new(analysis);
    let mut found = Vec::new();
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        if let (Some(change), Some(node)) = (analysis.trace.taint_change(r), r.node())
            && r.actor != Actor::User
        {
            for gone in change.removed.iter().filter(|t| !is_of_controllers(&t.key)) {
                let Some(held) = walk.follow.taints(node).iter().find(|h| h.taint.matches(gone))
                else {
                    continue;
                };
                if held.by == Actor::User {
                    let (name, actor, taint) =
                        (walk.node_name(node), r.actor.as_str(), short(held));
                    found.push(Violation {
                        property: Property::TaintLost,
                        at: r.at,
                        pod: None,
                        node: Some(node),
                        text: format!("{name} lost {taint}, which a user had written, by a patch of {actor} at {}", r.at),
                        records: records(&[held.record, r.saw, id]),
                    });
                }
            }
        }
        walk.apply(id, r);
    }
    found
}
