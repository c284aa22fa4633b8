//! The deletion of a pod (`deletePodHandler`, `addConditionAndDeletePod`).

use super::config::Config;
use super::timed_workers::{TimedWorkerQueue, WorkFunc};
use crate::controllers::prelude::*;
use crate::plan::switches::taint_eviction::DisruptionTarget;

/// `retries`, and the sleep after each failure, the last one included.
const RETRIES: u32 = 5;
const RETRY_SLEEP: Dur = Dur::from_millis(10);

/// Deletes pods, each by a process of its own.
pub(super) struct Deleter {
    me: Weak<Deleter>,
    ctx: Ctx,
    group: Group,
    config: Config,
    client: Client,
    recorder: EventRecorder,
    queue: Rc<TimedWorkerQueue>,
    /// Between a deletion's event and its first request.
    request_point: PointId,
    /// At which a deletion at once does not wait for the workers, where time stands still.
    early_point: PointId,
    /// Whether a timer is cancelled between the look at its flag and the deletion's event.
    unflagged_point: PointId,
}

impl WorkFunc for Deleter {
    fn work(&self, pod: PodId, number: u32) {
        self.start_deletion(pod, Some(number), false);
    }

    fn hash_of(&self, pod: PodId) -> u64 {
        self.client.pod_object(pod).hash
    }
}

impl Deleter {
    /// One that deletes the pods whose timers in `queue` fire.
    pub(super) fn new(
        config: Config,
        context: &ControllerContext,
        queue: &Rc<TimedWorkerQueue>,
    ) -> Rc<Self> {
        let ControllerContext { ctx, group, client, recorder, .. } = context.clone();
        let deleter = Rc::new_cyclic(|me| Deleter {
            me: me.clone(),
            request_point: ctx.point("eviction-request"),
            early_point: ctx.point("eviction-early"),
            unflagged_point: ctx.point("eviction-unflagged"),
            client,
            recorder,
            queue: queue.clone(),
            config,
            group,
            ctx,
        });
        let me: Weak<Deleter> = Rc::downgrade(&deleter);
        queue.serve(me);
        deleter
    }

    /// Begins the deletion of a pod as a process of its own, for a timer of that number or at once.
    /// From 1.35 on a timer that was cancelled between its firing and the first step of its
    /// goroutine does nothing.
    pub(super) fn start_deletion(&self, pod: PodId, timer: Option<u32>, told: bool) {
        let Some(d) = self.me.upgrade() else { return };
        let name = Name::of("eviction", Keys::NOTHING).about(self.client.pod_object(pod).hash);
        self.ctx.spawn_named(name, self.group, async move {
            let cancelled = timer.is_some_and(|number| d.queue.was_cancelled(pod, number));
            if !(cancelled && d.config.switches.cancelled_flag) {
                if timer.is_some() && d.config.switches.cancelled_flag {
                    d.ctx.yield_point(d.unflagged_point, 0).await;
                }
                let ok = d.delete_pod_handler(pod, timer.is_none(), told).await;
                d.queue.finished(pod, timer, ok, d.config.switches.finished_entry);
            }
            if let Some(number) = timer {
                d.queue.forget(number);
            }
        });
    }

    /// `deletePodHandler`: one event, unless it is made already, then up to five tries.
    async fn delete_pod_handler(&self, pod: PodId, at_once: bool, told: bool) -> bool {
        if !told {
            self.recorder.event(About::Pod(pod, None), EventText::MarkingForDeletion);
        }
        if at_once && !self.config.clock_advances {
            // Where time stands still while work is done, as in recorded timelines: a goroutine
            // that a worker starts has its turn when the worker and its dispatcher have no more to
            // do, and the way to the API server is longer than theirs. What they have of this
            // instant they do with the pod still there. A search may have it otherwise.
            if !self.ctx.yields(self.early_point, self.client.pod_object(pod), 0) {
                self.ctx.after_others().await;
            }
        }
        // Of many that are here at one time, another may be first to get a token.
        self.ctx.yield_point(self.request_point, 0).await;
        for _ in 0..RETRIES {
            if self.add_condition_and_delete_pod(pod).await.is_ok() {
                return true;
            }
            self.ctx.sleep(RETRY_SLEEP).await;
        }
        self.client.api().record_pod(Actor::TaintEviction, pod, What::EvictionFailed);
        false
    }

    /// `addConditionAndDeletePod`: GET, PATCH of the condition DisruptionTarget, DELETE by name
    /// without precondition.
    async fn add_condition_and_delete_pod(&self, id: PodId) -> ApiResult {
        let object = self.client.pod_object(id);
        if self.config.switches.disruption_target != DisruptionTarget::Off {
            // Of the reply only this is kept: there may be very many deletions at once.
            let seen = |p: Rc<Pod>| (p.record, p.uid, p.disruption_target);
            let get = self
                .client
                .get(object, move |api, _| api.pod(id).map(seen).ok_or(ApiError::NotFound));
            let (record, uid, target) = get.await?;
            self.ctx.set_saw(record);
            let has = target.is_some_and(|c| {
                c.status == ConditionStatus::True && c.reason == PodReason::DeletionByTaintManager
            });
            if !has || self.config.switches.disruption_target == DisruptionTarget::Apply {
                let (reason, now) =
                    (PodReason::DeletionByTaintManager, self.client.api().timestamp());
                let condition = PodCondition::new(ConditionStatus::True, reason, now);
                self.client
                    .call(object, move |api, actor| {
                        api.patch_disruption_target(actor, id, uid, condition)
                    })
                    .await?;
            }
        }
        self.client.delete_pod(id, None, None).await
    }
}
