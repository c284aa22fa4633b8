//! `processPodOnNode`: what a pod's tolerations make of its node's taints.

use super::config::Config;
use super::deletion::Deleter;
use super::timed_workers::TimedWorkerQueue;
use crate::api::toleration::{Toleration, matching_tolerations};
use crate::controllers::prelude::*;

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

/// The timers of pods: set, kept and cancelled as tolerations say.
pub(super) struct PodTimers {
    ctx: Ctx,
    config: Config,
    client: Client,
    recorder: EventRecorder,
    queue: Rc<TimedWorkerQueue>,
    deleter: Rc<Deleter>,
}

impl PodTimers {
    /// No pod has a timer yet.
    pub(super) fn new(config: Config, context: &ControllerContext) -> Self {
        let queue = TimedWorkerQueue::new(&context.ctx);
        let ControllerContext { ctx, client, recorder, .. } = context.clone();
        PodTimers {
            deleter: Deleter::new(config, context, &queue),
            client,
            recorder,
            config,
            queue,
            ctx,
        }
    }

    /// No pod has one.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// `processPodOnNode`
    pub(super) fn process_pod_on_node(&self, pod: &Rc<Pod>, taints: &NoExecuteTaints) {
        let id = pod.id;
        let Some(used) = matching_tolerations(
            taints,
            &pod.template.tolerations,
            self.config.switches.comparison_operators,
        ) else {
            self.client.api().record_pod(
                Actor::TaintEviction,
                id,
                What::Noted(Note::NotTolerated, 0),
            );
            // Scheduled work is cancelled, as the pod is to be deleted right away.
            let told = self.cancels_work(id) && {
                let marking = self.is_nil(Dur::ZERO).then_some(EventText::MarkingForDeletion);
                self.recorder.event_before_work(
                    About::Pod(id, None),
                    EventText::CancellingDeletion,
                    marking,
                )
            };
            self.add_work(id, Dur::ZERO, told);
            return;
        };
        let stay = match min_toleration_time(&used) {
            Stay::Forever => {
                self.client.api().record_pod(
                    Actor::TaintEviction,
                    id,
                    What::Noted(Note::ToleratesForever, 0),
                );
                if self.config.switches.forever_cancels {
                    self.cancel_work_with_event(id);
                }
                return;
            }
            Stay::For(stay) => stay,
        };
        let Some(created) = self.queue.created_at(id) else {
            self.add_work(id, stay, false);
            return;
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
        let seconds = u32::try_from(left.as_secs()).unwrap_or(u32::MAX);
        let record =
            self.client.api().record_pod(Actor::TaintEviction, pod, What::TimerSet(seconds));
        self.queue.set_cause(pod, record);
    }

    /// Whether the work of so long a stay begins at once, and has no timer.
    fn is_nil(&self, stay: Dur) -> bool {
        stay.is_zero() && (self.config.switches.one_clock_reading || !self.config.clock_advances)
    }

    /// `told`: the event of the deletion is made already.
    fn add_work(&self, pod: PodId, stay: Dur, told: bool) {
        let nil = self.is_nil(stay);
        if !self.queue.add_work(pod, stay, nil) {
            self.client.api().record_pod(
                Actor::TaintEviction,
                pod,
                What::Noted(Note::WorkExists, 0),
            );
            return;
        }
        let seconds = u32::try_from(stay.as_secs()).unwrap_or(u32::MAX);
        let record =
            self.client.api().record_pod(Actor::TaintEviction, pod, What::TimerSet(seconds));
        self.queue.set_cause(pod, record);
        if nil {
            let cause = self.ctx.cause();
            self.ctx.set_cause(record);
            self.deleter.start_deletion(pod, None, told);
            self.ctx.set_cause(cause);
        }
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
            self.client.api().record_pod(Actor::TaintEviction, pod, What::TimerCancelled);
        }
        had
    }
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
