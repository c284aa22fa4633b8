//! The course of each workload: what it needs, what is up, what the API says.

use super::names::Clock;
use crate::analysis::serving::{Count, Serving};
use crate::kernel::Time;
use crate::report::html::columns::Columns;
use serde_json::{Value, json};

/// A figure of a workload, by name.
type Figure = (&'static str, fn(&Count) -> u32);

/// The figures of a workload that a page has.
const FIGURES: [Figure; 6] = [
    ("workload.desired", |c| c.desired),
    ("workload.up", |c| c.up),
    ("workload.ready", |c| c.ready),
    ("workload.ghosts", |c| c.ghosts),
    ("workload.dead", |c| c.dead),
    ("workload.pending", |c| c.pending),
];

pub(super) fn write(serving: &Serving, clock: Clock, columns: &mut Columns) {
    let all = &serving.workloads;
    let of = |w: &crate::analysis::serving::Served| {
        json!({
            "name": w.name.replacen('/', " ", 1),
            "missing_minutes": w.costs.missing_ns as f64 / 60e9,
            "evicted": w.costs.evicted,
            "needless": w.costs.needless,
        })
    };
    columns.set("workloads", all.iter().map(of).collect::<Vec<Value>>().into());
    columns.codes("workload.count", all.iter().map(|w| w.counts.len() as u32));
    let counts = || all.iter().flat_map(|w| &w.counts);
    columns.near("workload.at", counts().map(|c: &(Time, Count)| clock.of(c.0)));
    for (name, figure) in FIGURES {
        columns.near(name, counts().map(|c| figure(&c.1)));
    }
    let needed = all.iter().flat_map(|w| w.counts.iter().map(|c| w.need(c.1.desired)));
    columns.near("workload.needed", needed);
}
