//! `processPodOnNode`: what a pod's tolerations make of its node's taints.

use super::controller::{Controller, NoExecuteTaints};
use crate::api::names::PodId;
use crate::api::pod::Pod;
use crate::api::toleration::{Toleration, matching_tolerations};
use crate::client::About;
use crate::kernel::Dur;
use crate::trace::{Actor, EventText, Note, What};
use std::rc::Rc;

/// How long a pod may stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stay {
    /// For ever.
    Forever,
    /// So many seconds; zero is not at all.
    Seconds(u64),
}

/// `getMinTolerationTime`
fn min_toleration_time(used: &[&Toleration]) -> Stay {
    if used.is_empty() {
        return Stay::Seconds(0);
    }
    match used.iter().filter_map(|t| t.toleration_seconds).min() {
        None => Stay::Forever,
        Some(s) => Stay::Seconds(u64::try_from(s).unwrap_or(0)),
    }
}

impl Controller {
    /// `processPodOnNode`
    pub(super) fn process_pod_on_node(&self, pod: &Rc<Pod>, taints: &NoExecuteTaints) {
        let id = pod.id;
        let Some(used) = matching_tolerations(taints, &pod.template.tolerations, self.config.switches.comparison_operators) else {
            self.client.api().record_pod(Actor::TaintEviction, id, What::Noted(Note::NotTolerated, 0));
            // Scheduled work is cancelled, as the pod is to be deleted right away.
            self.cancel_work_with_event(id);
            self.add_work(id, Dur::ZERO);
            return;
        };
        let seconds = match min_toleration_time(&used) {
            Stay::Forever => {
                self.client.api().record_pod(Actor::TaintEviction, id, What::Noted(Note::ToleratesForever, 0));
                if self.config.switches.forever_cancels {
                    self.cancel_work_with_event(id);
                }
                return;
            }
            Stay::Seconds(s) => s,
        };
        let stay = Dur::from_secs(1).checked_mul(seconds).unwrap_or(Dur::MAX);
        let Some(created) = self.queue.created_at(id) else {
            self.add_work(id, stay);
            return;
        };
        // A pending timer that began earlier is kept, whatever the tolerations have become. On a real machine the clock has
        // always moved since; where it stands still, as in recorded timelines, an equal start means cancel and set again.
        if created < self.ctx.now() || self.config.clock_advances {
            return;
        }
        self.cancel_work_with_event(id);
        self.add_work(id, stay);
    }

    fn add_work(&self, pod: PodId, stay: Dur) {
        let nil = stay.is_zero() && (self.config.switches.one_clock_reading || !self.config.clock_advances);
        if self.queue.add_work(self, pod, stay, nil) {
            let seconds = u32::try_from(stay.as_secs()).unwrap_or(u32::MAX);
            let record = self.client.api().record_pod(Actor::TaintEviction, pod, What::TimerSet(seconds));
            self.queue.set_cause(pod, record);
        } else {
            self.client.api().record_pod(Actor::TaintEviction, pod, What::Noted(Note::WorkExists, 0));
        }
    }

    /// `cancelWorkWithEvent`
    pub(super) fn cancel_work_with_event(&self, pod: PodId) {
        if self.queue.cancel_work(pod) {
            self.client.api().record_pod(Actor::TaintEviction, pod, What::TimerCancelled);
            self.recorder.event(About::Pod(pod, None), EventText::CancellingDeletion);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The upstream test of getMinTolerationTime: [] → 0, nil → for ever, {1, 2} → 1, {1, nil} → 1; zero and less → 0.
    #[test]
    fn the_least_finite_time_counts() {
        let t = |s: Option<i64>| Toleration { toleration_seconds: s, ..Toleration::default() };
        let check = |seconds: &[Option<i64>], expected| {
            let all: Vec<Toleration> = seconds.iter().map(|s| t(*s)).collect();
            assert_eq!(min_toleration_time(&all.iter().collect::<Vec<_>>()), expected, "{seconds:?}");
        };
        check(&[], Stay::Seconds(0));
        check(&[None], Stay::Forever);
        check(&[Some(1), Some(2)], Stay::Seconds(1));
        check(&[Some(1), None], Stay::Seconds(1));
        check(&[Some(0), None], Stay::Seconds(0));
        check(&[Some(5), Some(-3)], Stay::Seconds(0));
    }
}
