//! Who waits: nodes for their taint, evictions for their client; and how many requests each client
//! sends.

use super::evictions::Evicted;
use super::names::Clock;
use crate::analysis::Analysis;
use crate::analysis::curves::{set_over, waiting};
use crate::analysis::words::by;
use crate::kernel::Time;
use crate::report::html::columns::Columns;
use serde_json::{Value, json};

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
            crate::trace::Actor::TaintEviction => {
                timing.taint_eviction_client.or(timing.node_lifecycle_client)
            }
            _ => None,
        };
        let name = format!("requests of {}", by(*actor));
        let limit = limits.map(|l| json!({ "qps": l.qps, "burst": l.burst }));
        series
            .push((json!({ "name": name, "unit": "per second", "limit": limit }), rates(seconds)));
    }
    series.retain(|(_, steps)| steps.iter().any(|s| s.1 > 0));
    columns.codes("queue.count", series.iter().map(|s| s.1.len() as u32));
    columns.near("queue.at", series.iter().flat_map(|s| &s.1).map(|s| clock.of(s.0)));
    columns.near("queue.length", series.iter().flat_map(|s| &s.1).map(|s| s.1));
    columns.set("queues", series.into_iter().map(|s| s.0).collect());
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
        set_over(&mut steps, at, now);
    }
    steps
}

/// Requests in each second, from how many there were up to each one's end.
fn rates(seconds: &[(u64, u64)]) -> Vec<(Time, u32)> {
    let mut steps = vec![(Time::ZERO, 0)];
    let mut before = 0;
    for &(second, so_far) in seconds {
        let rate = u32::try_from(so_far - before).unwrap_or(u32::MAX);
        set_over(&mut steps, Time::from_secs(second), rate);
        set_over(&mut steps, Time::from_secs(second + 1), 0);
        before = so_far;
    }
    steps
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
            [(s(0), 0), (s(2), 3), (s(3), 1), (s(4), 0), (s(9), 2), (s(10), 0)]
        );
    }
}
