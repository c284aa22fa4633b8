//! Batches of growing size (`pkg/controller/replicaset/replica_set.go: slowStartBatch`).

use crate::client::go_all_but;
use crate::controllers::prelude::*;
use std::future::Future;

/// The largest batch (`stateful_set_control.go: MaxBatchSize`); ReplicaSets and Jobs never have as
/// much to do.
const MAX_BATCH_SIZE: usize = 500;

/// Does `count` pieces of work in batches of 1, 2, 4, 8 and so on, those of a batch side by side;
/// after a failure no further batch begins. Gives how many went well, and the first error.
pub(super) async fn slow_start_batch<F>(
    ctx: &Ctx,
    group: Group,
    count: usize,
    work: impl Fn(usize) -> F + 'static,
) -> (usize, ApiResult)
where
    F: Future<Output = ApiResult> + 'static,
{
    slow_start_batch_but(ctx, group, count, |_| false, work).await
}

/// As [`slow_start_batch`], where some pieces are `idle`: there is nothing to do about them.
pub(super) async fn slow_start_batch_but<F>(
    ctx: &Ctx,
    group: Group,
    count: usize,
    idle: impl Fn(usize) -> bool,
    work: impl Fn(usize) -> F + 'static,
) -> (usize, ApiResult)
where
    F: Future<Output = ApiResult> + 'static,
{
    let work = Rc::new(work);
    let (mut done, mut size) = (0, 1.min(count));
    while size > 0 {
        let errors = Rc::new(Shared::new(Vec::new()));
        let (work, failed) = (work.clone(), errors.clone());
        let first = done;
        go_all_but(
            ctx,
            group,
            size,
            |i| idle(first + i),
            move |i| {
                let (one, failed) = (work(first + i), failed.clone());
                async move {
                    if let Err(e) = one.await {
                        failed.with(|f| f.push(e));
                    }
                }
            },
        )
        .await;
        let errors = errors.with(std::mem::take);
        done += size - errors.len();
        if let Some(first) = errors.into_iter().next() {
            return (done, Err(first));
        }
        size = (2 * size).min(count - done).min(MAX_BATCH_SIZE);
    }
    (done, Ok(()))
}
