//! Who waits: nodes for their taint, evictions for their client; and how many requests each client
//! sends.

use super::evictions::Evicted;
use super::names::Clock;
use crate::analysis::Analysis;
use crate::analysis::state::{Follow, Health};
use crate::analysis::words::by;
use crate::api::names::NodeId;
use crate::kernel::Time;
use crate::report::html::columns::Columns;
use crate::trace::{RecordId, What};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn write(
    analysis: &Analysis<'_>,
    evicted: &Evicted<'_>,
    clock: Clock,
    columns: &mut Columns,
) {
    let mut series: Vec<(Value, Vec<(Time, u32)>)> = vec![
        (
            json!({ "name": "nodes that wait for their NoExecute taint", "unit": "nodes" }),
            waiting(analysis),
        ),
        (
            json!({ "name": "evictions that are due and wait for their client", "unit": "pods" }),
            late(evicted),
        ),
    ];
    let timing = &analysis.plan.timing;
    for (actor, seconds) in &analysis.trace.requests {
        let limits = match actor {
            crate::trace::Actor::NodeLifecycle => timing.node_lifecycle_client,
            crate::trace::Actor::TaintEviction => timing
                .taint_eviction_client
                .or(timing.node_lifecycle_client),
            _ => None,
        };
        let name = format!("requests of {}", by(*actor));
        let limit = limits.map(|l| json!({ "qps": l.qps, "burst": l.burst }));
        series.push((
            json!({ "name": name, "unit": "per second", "limit": limit }),
            rates(seconds),
        ));
    }
    series.retain(|(_, steps)| steps.iter().any(|s| s.1 > 0));
    columns.codes("queue.count", series.iter().map(|s| s.1.len() as u32));
    columns.near(
        "queue.at",
        series.iter().flat_map(|s| &s.1).map(|s| clock.of(s.0)),
    );
    columns.near(
        "queue.length",
        series.iter().flat_map(|s| &s.1).map(|s| s.1),
    );
    columns.set("queues", series.into_iter().map(|s| s.0).collect());
}

/// How many nodes wait in the queues of their zones. A node leaves its queue with the taint, when
/// it is Ready again, when it is deleted; all do in master disruption, and with their process.
fn waiting(analysis: &Analysis<'_>) -> Vec<(Time, u32)> {
    let mut follow = Follow::new(analysis);
    let mut inside: BTreeSet<NodeId> = BTreeSet::new();
    let mut steps = vec![(Time::ZERO, 0)];
    for (id, r) in analysis.trace.iter().enumerate() {
        let step = follow.apply(id as RecordId, r);
        match r.what {
            What::NodeQueued => {
                inside.insert(NodeId(r.object));
            }
            What::MasterDisruptionEntered | What::ControllersStopped => inside.clear(),
            _ => {}
        }
        if let Some((node, _, after)) = step.node
            && (after.no_execute > 0
                || matches!(
                    after.health(),
                    Health::Ready | Health::Silent | Health::Absent
                ))
        {
            inside.remove(&node);
        }
        // Without taints it is the pods' deletion that the queue is for.
        if let Some((_, pod)) = step.eviction(r)
            && let Some(node) = pod.node_id()
        {
            inside.remove(&node);
        }
        set(&mut steps, r.at, inside.len() as u32);
    }
    steps
}

/// How many evictions whose timers have run out have not come yet.
fn late(evicted: &Evicted<'_>) -> Vec<(Time, u32)> {
    let mut changes: Vec<(Time, i32)> = evicted
        .due()
        .filter(|(due, at)| due < at)
        .flat_map(|(due, at)| [(due, 1), (at, -1)])
        .collect();
    changes.sort_unstable();
    let (mut steps, mut now) = (vec![(Time::ZERO, 0)], 0_u32);
    for (at, by) in changes {
        now = now.wrapping_add_signed(by);
        set(&mut steps, at, now);
    }
    steps
}

/// Requests in each second, from how many there were up to each one's end.
fn rates(seconds: &[(u64, u64)]) -> Vec<(Time, u32)> {
    let mut steps = vec![(Time::ZERO, 0)];
    let mut before = 0;
    for &(second, so_far) in seconds {
        let rate = u32::try_from(so_far - before).unwrap_or(u32::MAX);
        set(&mut steps, Time::from_secs(second), rate);
        set(&mut steps, Time::from_secs(second + 1), 0);
        before = so_far;
    }
    steps
}

/// Sets the value from a time on, over another one of the same instant.
fn set(steps: &mut Vec<(Time, u32)>, at: Time, value: u32) {
    match steps.as_mut_slice() {
        [.., before, last] if last.0 == at && before.1 == value => {
            steps.pop();
        }
        [.., last] if last.0 == at => last.1 = value,
        [.., last] if last.1 == value => {}
        _ => steps.push((at, value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three requests in second 2, one in second 3, two in second 9.
    #[test]
    fn rates_are_differences_of_sums() {
        let s = Time::from_secs;
        assert_eq!(
            rates(&[(2, 3), (3, 4), (9, 6)]),
            [
                (s(0), 0),
                (s(2), 3),
                (s(3), 1),
                (s(4), 0),
                (s(9), 2),
                (s(10), 0)
            ]
        );
    }
}
