//! Batches of growing size (`pkg/controller/replicaset/replica_set.go: slowStartBatch`).

use super::core::Core;
use crate::client::go_all_but;
use crate::controllers::prelude::*;
use std::future::Future;

/// The largest batch (`stateful_set_control.go: MaxBatchSize`); ReplicaSets and Jobs never have as
/// much to do.
const MAX_BATCH_SIZE: usize = 500;

/// Does `count` pieces of work in batches of 1, 2, 4, 8 and so on, those of a batch side by side;
/// after a failure no further batch begins. Where a piece is `idle`, there is nothing to do about
/// it. Gives how many went well, and the first error.
pub(super) async fn slow_start_batch<F: Future<Output = ApiResult> + 'static>(
    core: &Core,
    count: usize,
    idle: impl Fn(usize) -> bool,
    work: impl Fn(usize) -> F + 'static,
) -> (usize, ApiResult) {
    let work = Rc::new(work);
    let (mut done, mut size) = (0, 1.min(count));
    while size > 0 {
        let errors = Rc::new(Shared::new(Vec::new()));
        let (work, failed) = (work.clone(), errors.clone());
        let first = done;
        let start = move |i| {
            let (one, failed) = (work(first + i), failed.clone());
            async move {
                if let Err(e) = one.await {
                    failed.with(|f| f.push(e));
                }
            }
        };
        go_all_but(&core.ctx, core.group, size, |i| idle(first + i), start).await;
        let errors = errors.with(std::mem::take);
        done += size - errors.len();
        if let Some(first) = errors.into_iter().next() {
            return (done, Err(first));
        }
        size = (2 * size).min(count - done).min(MAX_BATCH_SIZE);
    }
    (done, Ok(()))
}

/// Creates that many pods of a workload; gives how many there are, and the first error. `tracked`:
/// they carry the finalizer of jobs.
pub(super) async fn create_pods(
    core: &Rc<Core>,
    owner: &Rc<Workload>,
    count: usize,
    tracked: bool,
) -> (usize, ApiResult) {
    let (c, owner) = (core.clone(), owner.clone());
    let work = move |_| {
        let (c, owner) = (c.clone(), owner.clone());
        async move { c.create_pod(&owner, tracked).await }
    };
    slow_start_batch(core, count, |_| false, work).await
}
