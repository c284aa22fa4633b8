//! `needless-eviction`: taint eviction deletes a pod that could have stayed.
//!
//! Judged by the API at the moment at which the deletion is applied, not by what the controller
//! could know.

use super::super::causes::chain;
use super::super::setting::Analysis;
use super::property::Property;
use super::violation::Violation;
use super::walk::{Walk, evicted, records, short};
use crate::trace::{NO_RECORD, What};

pub(super) fn check<'a>(analysis: &'a Analysis<'a>) -> Vec<Violation> {
    let mut walk = Walk::new(analysis);
    let mut found = Vec::new();
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let step = walk.apply(id, r);
        let Some((pod, before)) = evicted(&step, r) else {
            continue;
        };
        let due = walk.due(pod, &before, true);
        if due.is_some_and(|d| d.at <= r.at) {
            continue;
        }
        let (name, node) = (walk.pod_name(pod), walk.node_of(&before));
        let why = match due {
            None => format!("no NoExecute taint of {node} required it"),
            Some(d) => format!(
                "it tolerates {} of {node} for {}s, until {}",
                short(&d.taint),
                d.seconds,
                d.at
            ),
        };
        let timer = chain(walk.trace(), id)
            .find(|(_, r)| matches!(r.what, What::TimerSet(_)))
            .map_or(NO_RECORD, |(id, _)| id);
        found.push(Violation {
            property: Property::NeedlessEviction,
            at: r.at,
            pod: Some(pod),
            node: before.node_id(),
            text: format!("{name} was deleted by taint eviction at {} although {why}", r.at),
            records: records(&[timer, due.map_or(NO_RECORD, |d| d.taint.record), id]),
        });
    }
    found
}
