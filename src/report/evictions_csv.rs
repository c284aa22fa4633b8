//! `evictions.csv`: one row per eviction.
//!
//! | Column | Meaning |
//! |---|---|
//! | `time_s` | when deletionTimestamp was set, in seconds from the start |
//! | `pod`, `namespace`, `node` | whose, and where |
//! | `cause` | what evicted it: `taint-eviction`, `api-eviction` (a drain), `drain-delete` (`kubectl drain --disable-eviction`), `pod-eviction-timeout` (up to 1.26) |
//! | `taint` | the NoExecute taint that led to it; empty where none did |
//! | `toleration_seconds` | the seconds of the timer that ran out; 0 is at once |
//! | `timer_set_s` | when that timer was set; empty where there was none |
//! | `fault`, `since_fault_s` | the entry of the timeline that it is reckoned from, and how long after it began |
//! | `gone_s` | when the object was gone; empty if it still was there at the end |
//! | `node_back_s` | when the node was first back at or after the eviction; empty if it was not |
//! | `replacement`, `replacement_node` | the pod that its workload made in its place, and where that was bound; empty if there was none |
//! | `replacement_created_s`, `replacement_ready_s` | when it was created, and when it first was available |
//! | `time_to_ready_s` | from the eviction to that |
//! | `record`, `cause_record` | ids in `events.jsonl`: the deletion, and what led to it |

use crate::analysis::clock::seconds;
use crate::analysis::evictions::evictions;
use crate::analysis::workloads::Replacement;
use crate::analysis::{Analysis, Eviction, Workloads};
use crate::api::workload::short_name;
use crate::files::cell;
use crate::kernel::Time;
use crate::trace::NO_RECORD;
use std::io::{self, Write};

/// The columns.
const COLUMNS: [&str; 19] = [
    "time_s",
    "pod",
    "namespace",
    "node",
    "cause",
    "taint",
    "toleration_seconds",
    "timer_set_s",
    "fault",
    "since_fault_s",
    "gone_s",
    "node_back_s",
    "replacement",
    "replacement_node",
    "replacement_created_s",
    "replacement_ready_s",
    "time_to_ready_s",
    "record",
    "cause_record",
];

/// Writes all evictions in the order in which they happened.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut dyn Write,
    analysis: &Analysis<'_>,
    workloads: &Workloads,
) -> io::Result<()> {
    let mut csv = csv::WriterBuilder::new().from_writer(out);
    csv.write_record(COLUMNS)?;
    for e in evictions(analysis) {
        csv.write_record(row(analysis, &e, workloads.replacements.get(&e.record)))?;
    }
    csv.flush()
}

fn row(
    analysis: &Analysis<'_>,
    e: &Eviction<'_>,
    next: Option<&Replacement>,
) -> [String; COLUMNS.len()] {
    let full = analysis.pod_name(e.pod);
    let (namespace, name) = full.split_once('/').unwrap_or(("", full));
    let time = |t: Option<Time>| t.map(seconds).unwrap_or_default();
    let fault = e
        .fault
        .and_then(|f| analysis.plan.timeline.get(f.entry as usize));
    let ready = next.and_then(|n| n.ready_at);
    let cause = analysis.trace.get(e.record).map_or(NO_RECORD, |r| r.cause);
    [
        seconds(e.at),
        cell(name).into_owned(),
        cell(namespace).into_owned(),
        e.node
            .map(|n| analysis.node_name(n))
            .unwrap_or_default()
            .to_owned(),
        e.cause.as_str().to_owned(),
        e.taint
            .map(|t| cell(&t.to_string()).into_owned())
            .unwrap_or_default(),
        e.timer_seconds.map(|s| s.to_string()).unwrap_or_default(),
        time(e.timer_set_at),
        fault
            .map(|f| cell(&f.name).into_owned())
            .unwrap_or_default(),
        time(e.latency().map(|d| Time::from_nanos(d.as_nanos()))),
        time(e.gone_at),
        time(e.node_back_at),
        next.map(|n| short_name(analysis.pod_name(n.pod)).to_owned())
            .unwrap_or_default(),
        next.and_then(|n| n.node)
            .map(|n| analysis.node_name(n))
            .unwrap_or_default()
            .to_owned(),
        time(next.map(|n| n.created_at)),
        time(ready),
        time(ready.map(|t| Time::from_nanos(t.since(e.at).as_nanos()))),
        e.record.to_string(),
        if cause == NO_RECORD {
            String::new()
        } else {
            cause.to_string()
        },
    ]
}
