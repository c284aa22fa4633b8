//! How many pods a workload asks for, as records tell it.

use crate::trace::{EventText, Record, Trace, What};

/// How many pods a workload asks for from this record on; none where the record does not change it.
/// A Job asks for nothing any more once it is complete or has failed.
pub(super) fn wanted_from(trace: &Trace, record: &Record) -> Option<u32> {
    match record.what {
        What::WorkloadCreated(n) | What::WorkloadScaled(n) => Some(n.max(0) as u32),
        What::WorkloadDeleted => Some(0),
        What::WorkloadMessage(m) => matches!(
            trace.messages.get(m as usize)?.body.text,
            EventText::JobCompleted | EventText::BackoffLimitExceeded | EventText::PodFailurePolicy
        )
        .then_some(0),
        _ => None,
    }
}
