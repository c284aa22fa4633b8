//! Evictions: a row for each.
//!
//! | Column | Meaning |
//! |---|---|
//! | `time_s` | when deletionTimestamp was set, in seconds from the start |
//! | `pod`, `namespace`, `node`, `zone` | whose, and where |
//! | `workload` | `Kind/namespace/name` of what the pod belongs to, of a ReplicaSet its Deployment; empty where nothing owns it |
//! | `needless` | whether the node was back within the time that `--needless-within` gives (5m where it does not); empty if the run ended before, and where no failure of the node led to it |
//! | `cause` | what evicted it: `taint-eviction`, `api-eviction` (a drain), `drain-delete` (`kubectl drain --disable-eviction`), `pod-eviction-timeout` (up to 1.26), `device-taint-eviction`, `node-pressure` |
//! | `taint` | the NoExecute taint that led to it; empty where none did |
//! | `toleration_seconds` | the seconds of the timer that ran out; 0 is at once |
//! | `timer_set_s` | when that timer was set; empty where there was none |
//! | `fault`, `since_fault_s` | the entry of the timeline that it is reckoned from, and how long after it began |
//! | `gone_s` | when the object was gone; empty if it still was there at the end |
//! | `node_back_s` | when the node was first back at or after the eviction; empty if it was not, or if its failure did not lead to it |
//! | `replacement`, `replacement_node` | the pod that its workload made in its place, and where that was bound; empty if there was none |
//! | `replacement_created_s`, `replacement_ready_s` | when it was created, and when it first was available |
//! | `time_to_ready_s` | from the eviction to that |
//! | `record`, `cause_record` | ids in `events.jsonl`: the deletion, and what led to it |

use super::table::{Cell, Column, Each, Kind, Streamed, Table};
use crate::analysis::Eviction;
use crate::analysis::workloads::{Owners, Replacement};
use crate::api::workload::short_name;
use crate::report::Report;
use crate::report::prelude::*;
use crate::trace::NO_RECORD;

/// An eviction, and what is looked up for its row.
struct Row<'a> {
    analysis: &'a Analysis<'a>,
    e: Eviction<'a>,
    next: Option<&'a Replacement>,
    owner: Option<WorkloadId>,
    needless: Option<bool>,
}

impl Row<'_> {
    /// Namespace and name of its pod.
    fn pod(&self) -> (&str, &str) {
        let full = self.analysis.pod_name(self.e.pod);
        full.split_once('/').unwrap_or(("", full))
    }

    /// The entry of the timeline that it is reckoned from.
    fn fault(&self) -> Option<&str> {
        let entry = self.analysis.plan.timeline.get(self.e.fault?.entry as usize)?;
        Some(entry.name.as_str())
    }

    fn ready_at(&self) -> Option<Time> {
        self.next?.ready_at
    }

    fn cause(&self) -> Option<RecordId> {
        self.analysis.trace.get(self.e.record).map(|r| r.cause).filter(|c| *c != NO_RECORD)
    }
}

/// A column: its name, what it holds, and what stands in it.
type Field = (&'static str, Kind, for<'r> fn(&'r Row<'_>) -> Cell<'r>);

const FIELDS: [Field; 22] = [
    ("time_s", Kind::Seconds, |r| Cell::Seconds(r.e.at)),
    ("pod", Kind::Text, |r| Cell::Text(r.pod().1.into())),
    ("namespace", Kind::Text, |r| Cell::Text(r.pod().0.into())),
    ("node", Kind::Text, |r| Cell::text(r.e.node.map(|n| r.analysis.node_name(n)))),
    ("zone", Kind::Text, |r| Cell::text(r.e.node.map(|n| r.analysis.zone_name(n)))),
    ("workload", Kind::Text, |r| {
        Cell::text(r.owner.map(|w| r.analysis.trace.names.workload_name(w)))
    }),
    ("cause", Kind::Text, |r| Cell::Text(r.e.cause.as_str().into())),
    ("taint", Kind::Text, |r| Cell::text(r.e.taint.map(ToString::to_string))),
    ("toleration_seconds", Kind::Whole, |r| Cell::whole(r.e.timer_seconds)),
    ("timer_set_s", Kind::Seconds, |r| Cell::seconds(r.e.timer_set_at)),
    ("fault", Kind::Text, |r| Cell::text(r.fault())),
    ("since_fault_s", Kind::Seconds, |r| {
        Cell::seconds(r.e.latency().map(|d| Time::from_nanos(d.as_nanos())))
    }),
    ("gone_s", Kind::Seconds, |r| Cell::seconds(r.e.gone_at)),
    ("node_back_s", Kind::Seconds, |r| Cell::seconds(r.e.node_back_at)),
    ("needless", Kind::Truth, |r| r.needless.map_or(Cell::Empty, Cell::Truth)),
    ("replacement", Kind::Text, |r| {
        Cell::text(r.next.map(|n| short_name(r.analysis.pod_name(n.pod))))
    }),
    ("replacement_node", Kind::Text, |r| {
        Cell::text(r.next.and_then(|n| n.node).map(|n| r.analysis.node_name(n)))
    }),
    ("replacement_created_s", Kind::Seconds, |r| Cell::seconds(r.next.map(|n| n.created_at))),
    ("replacement_ready_s", Kind::Seconds, |r| Cell::seconds(r.ready_at())),
    ("time_to_ready_s", Kind::Seconds, |r| {
        Cell::seconds(r.ready_at().map(|t| Time::from_nanos(t.since(r.e.at).as_nanos())))
    }),
    ("record", Kind::Whole, |r| Cell::Whole(r.e.record.into())),
    ("cause_record", Kind::Whole, |r| Cell::whole(r.cause())),
];

/// The evictions of a run, in the order in which they happened.
pub fn evictions_table<'a>(report: &'a Report<'a>) -> impl Table {
    let window = report.summary.metrics.window;
    let rows = move |each: &mut Each<'_>| -> io::Result<()> {
        let analysis = report.analysis;
        let owners = Owners::new(analysis);
        for &e in &report.evictions {
            let next = report.workloads.replacements.get(&e.record);
            let owner = owners.of(analysis, e.pod);
            let undecided = e.is_undecided(window, analysis.horizon());
            let needless = (!undecided && e.is_for_node_failure()).then(|| e.is_needless(window));
            let row = Row { analysis, e, next, owner, needless };
            each(&FIELDS.map(|(_, _, cell)| cell(&row)))?;
        }
        Ok(())
    };
    let columns = FIELDS.iter().map(|f| Column::new(f.0, f.1)).collect();
    Streamed { name: "evictions", columns, rows }
}
