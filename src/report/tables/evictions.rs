//! Evictions: a row for each.
//!
//! | Column | Meaning |
//! |---|---|
//! | `time_s` | when deletionTimestamp was set, in seconds from the start |
//! | `pod`, `namespace`, `node`, `zone` | whose, and where |
//! | `workload` | `Kind/namespace/name` of what the pod belongs to, of a ReplicaSet its Deployment; empty where nothing owns it |
//! | `needless` | 1 if the node was back within the time that `--needless-within` gives (5m where it does not), 0 if not; empty if the run ended before, and where it was asked for, as a drain is |
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

use super::table::{Cell, Column, Each, Kind, Table};
use crate::analysis::evictions::evictions;
use crate::analysis::workloads::{Owners, Replacement};
use crate::analysis::{Eviction, Workloads};
use crate::api::names::WorkloadId;
use crate::api::workload::short_name;
use crate::report::prelude::*;
use crate::trace::NO_RECORD;

const COLUMNS: [(&str, Kind); 22] = [
    ("time_s", Kind::Seconds),
    ("pod", Kind::Text),
    ("namespace", Kind::Text),
    ("node", Kind::Text),
    ("zone", Kind::Text),
    ("workload", Kind::Text),
    ("cause", Kind::Text),
    ("taint", Kind::Text),
    ("toleration_seconds", Kind::Whole),
    ("timer_set_s", Kind::Seconds),
    ("fault", Kind::Text),
    ("since_fault_s", Kind::Seconds),
    ("gone_s", Kind::Seconds),
    ("node_back_s", Kind::Seconds),
    ("needless", Kind::Whole),
    ("replacement", Kind::Text),
    ("replacement_node", Kind::Text),
    ("replacement_created_s", Kind::Seconds),
    ("replacement_ready_s", Kind::Seconds),
    ("time_to_ready_s", Kind::Seconds),
    ("record", Kind::Whole),
    ("cause_record", Kind::Whole),
];

/// The evictions of a run, in the order in which they happened.
#[derive(Clone, Copy, Debug)]
pub struct EvictionsTable<'a> {
    analysis: &'a Analysis<'a>,
    workloads: &'a Workloads,
    window: Dur,
}

impl<'a> EvictionsTable<'a> {
    /// Those of a run; `window` is how soon a node must be back for an eviction to have been
    /// needless.
    pub fn new(analysis: &'a Analysis<'a>, workloads: &'a Workloads, window: Dur) -> Self {
        EvictionsTable { analysis, workloads, window }
    }
}

impl Table for EvictionsTable<'_> {
    fn name(&self) -> &'static str {
        "evictions"
    }

    fn columns(&self) -> Vec<Column> {
        Column::all(&COLUMNS)
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        let owners = Owners::new(self.analysis);
        for e in evictions(self.analysis) {
            let next = self.workloads.replacements.get(&e.record);
            let owner = owners.of(self.analysis, e.pod);
            let needless = if e.is_undecided(self.window, self.analysis.horizon()) {
                None
            } else {
                e.is_for_node_failure().then(|| u32::from(e.is_needless(self.window)))
            };
            each(&row(self.analysis, &e, next, (owner, needless)))?;
        }
        Ok(())
    }
}

fn row<'a>(
    analysis: &'a Analysis<'a>,
    e: &Eviction<'_>,
    next: Option<&Replacement>,
    (owner, needless): (Option<WorkloadId>, Option<u32>),
) -> [Cell<'a>; COLUMNS.len()] {
    let full = analysis.pod_name(e.pod);
    let (namespace, name) = full.split_once('/').unwrap_or(("", full));
    let fault = e.fault.and_then(|f| analysis.plan.timeline.get(f.entry as usize));
    let ready = next.and_then(|n| n.ready_at);
    let cause = analysis.trace.get(e.record).map_or(NO_RECORD, |r| r.cause);
    [
        Cell::Seconds(e.at),
        Cell::Text(name.into()),
        Cell::Text(namespace.into()),
        Cell::text(e.node.map(|n| analysis.node_name(n))),
        Cell::text(e.node.map(|n| analysis.zone_name(n))),
        Cell::text(owner.map(|w| analysis.trace.names.workload_name(w))),
        Cell::Text(e.cause.as_str().into()),
        Cell::text(e.taint.map(ToString::to_string)),
        Cell::whole(e.timer_seconds),
        Cell::seconds(e.timer_set_at),
        Cell::text(fault.map(|f| f.name.as_str())),
        Cell::seconds(e.latency().map(|d| Time::from_nanos(d.as_nanos()))),
        Cell::seconds(e.gone_at),
        Cell::seconds(e.node_back_at),
        Cell::whole(needless),
        Cell::text(next.map(|n| short_name(analysis.pod_name(n.pod)))),
        Cell::text(next.and_then(|n| n.node).map(|n| analysis.node_name(n))),
        Cell::seconds(next.map(|n| n.created_at)),
        Cell::seconds(ready),
        Cell::seconds(ready.map(|t| Time::from_nanos(t.since(e.at).as_nanos()))),
        Cell::Whole(e.record.into()),
        Cell::whole(Some(cause).filter(|c| *c != NO_RECORD)),
    ]
}
