//! `timer-reset`: a countdown begins anew, and ends later, although the taint never left.
//!
//! Counted within one life of a pod, with the same tolerations, for a taint that was there when the
//! first countdown began and still is when the next one does.

use super::super::setting::Analysis;
use super::property::Property;
use super::violation::Violation;
use super::walk::{Walk, records, short};
use crate::kernel::{Dur, Time};
use crate::trace::{RecordId, What};

/// A countdown that began.
#[derive(Clone, Copy)]
struct Countdown {
    record: RecordId,
    began: Time,
    ends: Time,
}

pub(super) fn check<'a>(analysis: &'a Analysis<'a>) -> Vec<Violation> {
    let mut walk = Walk::new(analysis);
    let mut found = Vec::new();
    let mut latest: Vec<Option<Countdown>> = vec![None; analysis.pods.len()];
    for (id, r) in (0..).zip(analysis.trace.iter()) {
        let step = walk.apply(id, r);
        let Some((pod, _, now)) = step.pod else {
            continue;
        };
        match r.what {
            What::PodCreated(_) | What::PodGone | What::PodTolerations | What::PodBound(_) => {
                latest[pod.index()] = None
            }
            What::TimerSet(seconds) if !now.deleting => {
                let ends = r.at.checked_add(Dur::from_secs(seconds.into())).unwrap_or(Time::MAX);
                let next = Countdown { record: id, began: r.at, ends };
                let before = latest[pod.index()].replace(next);
                let stayed = |first: Countdown| {
                    walk.due(pod, &now, false).filter(|d| {
                        d.seconds > 0 && d.taint.since <= first.began && next.ends > first.ends
                    })
                };
                let Some((first, due)) =
                    before.filter(|b| b.began < r.at).and_then(|b| Some((b, stayed(b)?)))
                else {
                    continue;
                };
                let (name, node, taint) =
                    (walk.pod_name(pod), walk.node_of(&now), short(&due.taint));
                let (began, since) = (first.began, due.taint.since);
                found.push(Violation {
                    property: Property::TimerReset,
                    at: r.at,
                    pod: Some(pod),
                    node: now.node_id(),
                    text: format!(
                        "the {seconds}s of {name} began anew at {} instead of {began} although {node} has had {taint} since {since}",
                        r.at
                    ),
                    records: records(&[due.taint.record, first.record, id]),
                });
            }
            _ => {}
        }
    }
    found
}
