//! What a pod's tolerations make of its node's taints (`processPodOnNode`), and the deletion of a pod
//! (`deletePodHandler`, `addConditionAndDeletePod`).

use super::timed_workers::{Firing, TimedWorkerQueue};
use crate::api::toleration::{Toleration, matching_tolerations};
use crate::client::Recalled;
use crate::controllers::prelude::*;
use crate::kernel::Handler;
use crate::plan::switches::taint_eviction::{DisruptionTarget, Switches};

/// `retries`, and the sleep after each failure, the last one included.
const RETRIES: u32 = 5;
const RETRY_SLEEP: Dur = Dur::from_millis(10);

/// What the controller's release does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Config {
    /// What the release does.
    pub(crate) switches: Switches,
    /// No two clock readings are equal, as on a real machine.
    pub(crate) clock_advances: bool,
    /// What it remembers, if it has been running for long and the objects are an export's.
    pub(crate) memory: Option<Recalled>,
}

/// The NoExecute taints of a node, as its last handled update had them.
pub(super) type NoExecuteTaints = Rc<Vec<Taint>>;

/// How long a pod may stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stay {
    /// For ever.
    Forever,
    /// So long; zero is not at all.
    For(Dur),
}

/// `getMinTolerationTime`: seconds become nanoseconds in 64 bits that wrap, and what comes out
/// negative is taken for ever. So 9,223,372,037 s, one more than 292 years, tolerate for ever, and
/// 2^55 s not at all.
pub(super) fn min_toleration_time(used: &[&Toleration]) -> Stay {
    if used.is_empty() {
        return Stay::For(Dur::ZERO);
    }
    match used.iter().filter_map(|t| t.toleration_seconds).min() {
        None | Some(i64::MAX) => Stay::Forever,
        Some(seconds) => u64::try_from(seconds.max(0).wrapping_mul(1_000_000_000))
            .map_or(Stay::Forever, |ns| Stay::For(Dur::from_nanos(ns))),
    }
}

/// The timers of pods: set, kept and cancelled as tolerations say; and the deletions that they begin,
/// each by a process of its own.
pub(super) struct PodTimers {
    ctx: Ctx,
    group: Group,
    config: Config,
    client: Client,
    recorder: EventRecorder,
    queue: TimedWorkerQueue,
}

/// Fires timers.
struct Fire(Weak<PodTimers>);

impl Handler for Fire {
    type Argument = Firing;

    fn handle(&self, Firing { pod, entry }: Firing) {
        if let Some(c) = self.0.upgrade() {
            c.queue.fire(pod, entry);
            c.start_deletion(pod, Some(entry), false);
        }
    }

    fn name(&self, firing: Firing) -> Name {
        let object = self.0.upgrade().map_or(0, |c| c.client.pod_object(firing.pod).hash);
        Name::of("eviction-timer", Keys::NOTHING).about(object)
    }
}

impl PodTimers {
    /// No pod has a timer yet.
    pub(super) fn new(config: Config, context: &ControllerContext) -> Rc<Self> {
        let ControllerContext { ctx, group, client, recorder, .. } = context.clone();
        Rc::new_cyclic(|me: &Weak<Self>| {
            let queue = TimedWorkerQueue::new(&ctx, Fire(me.clone()));
            Self { ctx, group, config, client, recorder, queue }
        })
    }

    /// No pod has one.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Records something about a pod.
    fn record_pod(&self, pod: PodId, what: What) -> u32 {
        self.client.api().record_pod(Actor::TaintEviction, pod, what)
    }

    /// `processPodOnNode`
    pub(super) fn process_pod_on_node(self: &Rc<Self>, pod: &Rc<Pod>, taints: &NoExecuteTaints) {
        let id = pod.id;
        let Some(used) = matching_tolerations(
            taints,
            &pod.template.tolerations,
            self.config.switches.comparison_operators,
        ) else {
            self.record_pod(id, What::Noted(Note::NotTolerated, 0));
            // Scheduled work is cancelled, as the pod is to be deleted right away.
            let told = self.cancels_work(id) && {
                let marking = self.is_nil(Dur::ZERO).then_some(EventText::MarkingForDeletion);
                let (about, cancelling) = (About::Pod(id, None), EventText::CancellingDeletion);
                self.recorder.event_before_work(about, cancelling, marking)
            };
            return self.add_work(id, Dur::ZERO, told);
        };
        let stay = match min_toleration_time(&used) {
            Stay::Forever => {
                self.record_pod(id, What::Noted(Note::ToleratesForever, 0));
                if self.config.switches.forever_cancels {
                    self.cancel_work_with_event(id);
                }
                return;
            }
            Stay::For(stay) => stay,
        };
        let Some(created) = self.queue.created_at(id) else {
            return self.add_work(id, stay, false);
        };
        // A pending timer that began earlier is kept, whatever the tolerations have become. On a
        // real machine the clock has always moved since; where it stands still, as in recorded
        // timelines, an equal start means cancel and set again.
        if created < self.ctx.now() || self.config.clock_advances {
            return;
        }
        self.cancel_work_with_event(id);
        self.add_work(id, stay, false);
    }

    /// A timer that was set before the start of the run, with what is left of it.
    pub(super) fn recall_work(&self, pod: PodId, left: Dur) {
        self.queue.add_work(pod, left, false);
        self.record_timer(pod, left);
        let beyond = left.as_millis() % 1_000;
        self.record_pod(pod, What::Noted(Note::TimerRecalled, beyond as u32));
    }

    /// Whether the work of so long a stay begins at once, and has no timer.
    fn is_nil(&self, stay: Dur) -> bool {
        stay.is_zero() && (self.config.switches.one_clock_reading || !self.config.clock_advances)
    }

    /// `told`: the event of the deletion is made already.
    fn add_work(self: &Rc<Self>, pod: PodId, stay: Dur, told: bool) {
        let nil = self.is_nil(stay);
        if !self.queue.add_work(pod, stay, nil) {
            self.record_pod(pod, What::Noted(Note::WorkExists, 0));
            return;
        }
        let record = self.record_timer(pod, stay);
        if nil {
            let cause = self.ctx.cause();
            self.ctx.set_cause(record);
            self.start_deletion(pod, None, told);
            self.ctx.set_cause(cause);
        }
    }

    /// Records a timer; the record becomes the cause of what its firing does.
    fn record_timer(&self, pod: PodId, left: Dur) -> u32 {
        let seconds = u32::try_from(left.as_secs()).unwrap_or(u32::MAX);
        let record = self.record_pod(pod, What::TimerSet(seconds));
        self.queue.set_cause(pod, record);
        record
    }

    /// `cancelWorkWithEvent`
    pub(super) fn cancel_work_with_event(&self, pod: PodId) {
        if self.cancels_work(pod) {
            self.recorder.event(About::Pod(pod, None), EventText::CancellingDeletion);
        }
    }

    /// Whether there was a timer to cancel.
    fn cancels_work(&self, pod: PodId) -> bool {
        let had = self.queue.cancel_work(pod);
        if had {
            self.record_pod(pod, What::TimerCancelled);
        }
        had
    }

    /// Begins the deletion of a pod as a process of its own, for a timer of that number or at once.
    /// From 1.35 on a timer that was cancelled between its firing and the first step of its
    /// goroutine does nothing.
    fn start_deletion(self: &Rc<Self>, pod: PodId, timer: Option<u32>, told: bool) {
        let c = self.clone();
        let name = Name::of("eviction", Keys::NOTHING).about(self.client.pod_object(pod).hash);
        self.ctx.spawn_named(name, self.group, async move {
            let cancelled = timer.is_some_and(|number| c.queue.was_cancelled(pod, number));
            if !(cancelled && c.config.switches.cancelled_flag) {
                if timer.is_some() && c.config.switches.cancelled_flag {
                    // It may be cancelled between the look at its flag and the deletion's event.
                    c.ctx.yield_point(c.ctx.point("eviction-unflagged"), 0).await;
                }
                let ok = c.delete_pod_handler(pod, timer.is_none(), told).await;
                c.queue.finished(pod, timer, ok, c.config.switches.finished_entry);
            }
            if let Some(number) = timer {
                c.queue.forget(number);
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
            let early = self.ctx.point("eviction-early");
            if !self.ctx.yields(early, self.client.pod_object(pod), 0) {
                self.ctx.after_others().await;
            }
        }
        // Of many that are here at one time, another may be first to get a token.
        self.ctx.yield_point(self.ctx.point("eviction-request"), 0).await;
        for _ in 0..RETRIES {
            if self.add_condition_and_delete_pod(pod).await.is_ok() {
                return true;
            }
            self.ctx.sleep(RETRY_SLEEP).await;
        }
        self.record_pod(pod, What::EvictionFailed);
        false
    }

    /// `addConditionAndDeletePod`: GET, PATCH of the condition DisruptionTarget, DELETE by name
    /// without precondition.
    async fn add_condition_and_delete_pod(&self, id: PodId) -> ApiResult {
        let object = self.client.pod_object(id);
        if self.config.switches.disruption_target != DisruptionTarget::Off {
            // Of the reply only this is kept: there may be very many deletions at once.
            let seen = |p: Rc<Pod>| (p.record, p.uid, p.disruption_target);
            let get = move |api: &ApiServer, _| api.pod(id).map(seen).ok_or(ApiError::NotFound);
            let (record, uid, target) = self.client.get(object, get).await?;
            self.ctx.set_saw(record);
            if !target.is_some_and(is_own)
                || self.config.switches.disruption_target == DisruptionTarget::Apply
            {
                let now = self.client.api().timestamp();
                let reason = PodReason::DeletionByTaintManager;
                let condition = PodCondition::new(ConditionStatus::True, reason, now);
                let patch = move |api: &ApiServer, actor| {
                    api.patch_disruption_target(actor, id, uid, condition)
                };
                self.client.call(object, patch).await?;
            }
        }
        self.client.delete_pod(id, None, None).await
    }
}

/// `getNoExecuteTaints`
pub(super) fn no_execute(taints: &[Taint]) -> impl Iterator<Item = &Taint> {
    taints.iter().filter(|t| t.effect == Effect::NoExecute)
}

/// Whether a pod's condition DisruptionTarget says that this controller evicts it.
pub(super) fn is_own(target: PodCondition) -> bool {
    target.status == ConditionStatus::True && target.reason == PodReason::DeletionByTaintManager
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The upstream test of getMinTolerationTime: [] → 0, nil → for ever, {1, 2} → 1, {1, nil} → 1;
    /// zero and less → 0.
    #[test]
    fn the_least_finite_time_counts() {
        let t = |s: Option<i64>| Toleration { toleration_seconds: s, ..Toleration::default() };
        let check = |seconds: &[Option<i64>], expected| {
            let all: Vec<Toleration> = seconds.iter().map(|s| t(*s)).collect();
            assert_eq!(
                min_toleration_time(&all.iter().collect::<Vec<_>>()),
                expected,
                "{seconds:?}"
            );
        };
        check(&[], Stay::For(Dur::from_secs(0)));
        check(&[None], Stay::Forever);
        check(&[Some(1), Some(2)], Stay::For(Dur::from_secs(1)));
        check(&[Some(1), None], Stay::For(Dur::from_secs(1)));
        check(&[Some(0), None], Stay::For(Dur::from_secs(0)));
        check(&[Some(5), Some(-3)], Stay::For(Dur::from_secs(0)));
        // 2^63 ns are 9,223,372,036.85 s; 18,446,744,074 s are 290,448,384 ns more than 2^64, and
        // 2^55 s are 5^9 times 2^64 ns.
        check(&[Some(9_223_372_036)], Stay::For(Dur::from_secs(9_223_372_036)));
        check(&[Some(9_223_372_037)], Stay::Forever);
        check(&[Some(18_446_744_074)], Stay::For(Dur::from_nanos(290_448_384)));
        check(&[Some(1 << 55)], Stay::For(Dur::ZERO));
        check(&[Some(i64::MAX), None], Stay::Forever);
    }
}
