//! What the Job controller knows when it has been running for long and its objects come from an
//! export: failures of its Jobs' pods since their last success, from which it computes how long
//! they back off. Within bounds, where pods are gone, they are a draw.

use super::job::JobController;
use super::job_backoff::BackoffRecord;
use crate::api::names::WorkloadId;
use crate::kernel::Object;
use crate::plan::FailedBefore;
use std::collections::BTreeMap;

impl JobController {
    /// Remembers failures of before the start.
    pub(crate) fn recall(&self, failures: BTreeMap<WorkloadId, FailedBefore>) {
        if failures.is_empty() {
            return;
        }
        let ctx = &self.core.ctx;
        let point = ctx.point("job-recalled");
        for (id, failed) in failures {
            let object = Object {
                id: id.0,
                hash: (self.core.pods.client.api()).names(|n| n.workload_hash(id)),
            };
            let (least, most) = failed.failures;
            let count = ctx.uniform(point, object, least.into(), most.into());
            let (from, until) = failed.last;
            let span = until.saturating_sub(from).max(0).unsigned_abs();
            let last = from.saturating_add_unsigned(ctx.uniform(point, object, 0, span));
            let record = BackoffRecord::of(u32::try_from(count).unwrap_or(u32::MAX), last);
            self.memory.with(|m| m.backoff.insert(id, record));
        }
    }
}
