//! Which waiting pods a change, or the passing of time, gives another chance
//! (`backend/queue/scheduling_queue.go`).

use super::cache::Cache;
use super::events::{Change, ClusterEvent};
use super::hints::{helps, registered};
use super::queue::Queue;
use super::queued_pod::{Place, QueuedPod, Strategy};
use super::shape::Shape;
use crate::api::names::PodId;
use crate::api::pod::Pod;
use crate::kernel::{Dur, Time};
use crate::plan::switches::scheduler::WakeRule;
use crate::trace::Plugin;
use std::rc::Rc;

impl Queue {
    /// Takes another version of a pod that waits, or is being tried (`Update`).
    pub fn update(
        &mut self,
        old: &Rc<Pod>,
        new: &Rc<Pod>,
        shape: &Rc<Shape>,
        changes: &[Change],
        at: (Time, u32),
        cache: &Cache,
    ) {
        let (now, cause) = at;
        let hints = self.switches.wake() == WakeRule::Hints;
        if hints && self.in_flight.contains_key(&new.id) {
            self.changes.extend(changes.iter().cloned());
            return;
        }
        let Some((place, mut entry)) = self.take(new.id) else {
            let entry = self.new_queued_pod_info(new, shape, now, cause);
            self.move_to_active_q(entry);
            return;
        };
        let spec_changed = !Rc::ptr_eq(&old.template, &new.template)
            && old.template != new.template
            || old.deletion != new.deletion;
        entry.pod = new.clone();
        entry.shape = shape.clone();
        match place {
            Place::Active => self.put(Place::Active, entry),
            Place::Backoff(_) | Place::ErrorBackoff(_) if self.switches.update_ends_backoff => {
                entry.cause = cause;
                self.move_to_active_q(entry);
            }
            Place::Backoff(_) | Place::ErrorBackoff(_) => self.put(place, entry),
            Place::Unschedulable if hints => {
                let helps = changes.iter().any(|c| {
                    self.is_pod_worth_requeuing(&entry, c, cache) == Strategy::AfterBackoff
                });
                if helps {
                    entry.cause = cause;
                }
                self.requeue_pod_with_queueing_strategy(
                    entry,
                    if helps {
                        Strategy::AfterBackoff
                    } else {
                        Strategy::Skip
                    },
                    now,
                );
            }
            Place::Unschedulable if !spec_changed => self.put(Place::Unschedulable, entry),
            Place::Unschedulable => {
                entry.cause = cause;
                if self.switches.update_ends_backoff {
                    self.move_to_active_q(entry)
                } else {
                    self.requeue_pod_with_queueing_strategy(entry, Strategy::AfterBackoff, now)
                }
            }
        }
    }

    pub(super) fn determine_scheduling_hint_for_in_flight_pod(
        &self,
        entry: &QueuedPod,
        cache: &Cache,
    ) -> Strategy {
        if entry.rejected_by.is_empty() {
            return Strategy::AfterBackoff;
        }
        let Some(since) = self.in_flight.get(&entry.pod.id) else {
            return Strategy::AfterBackoff;
        };
        let skip = (since - self.changes_dropped) as usize;
        let helps = self
            .changes
            .iter()
            .skip(skip)
            .any(|c| self.is_pod_worth_requeuing(entry, c, cache) == Strategy::AfterBackoff);
        if helps {
            Strategy::AfterBackoff
        } else {
            Strategy::Skip
        }
    }

    /// Whether a change is worth another try (`isPodWorthRequeuing`, `podMatchesEvent`).
    fn is_pod_worth_requeuing(
        &self,
        entry: &QueuedPod,
        change: &Change,
        cache: &Cache,
    ) -> Strategy {
        let rejectors = entry.rejected_by;
        let of_this_pod = || {
            change
                .pods
                .1
                .as_ref()
                .is_none_or(|(p, _)| p.id == entry.pod.id)
        };
        let worth = match change.event {
            _ if rejectors.is_empty() => true,
            ClusterEvent::Any => of_this_pod(),
            event => Plugin::ALL
                .iter()
                .filter(|p| rejectors.has(**p))
                .any(|plugin| {
                    registered(*plugin, event, &self.switches)
                        && (self.switches.wake() != WakeRule::Hints
                            || helps(
                                *plugin,
                                entry.pod.id,
                                &entry.shape,
                                change,
                                cache,
                                &self.switches,
                            ))
                }),
        };
        if worth {
            Strategy::AfterBackoff
        } else {
            Strategy::Skip
        }
    }

    /// Whether a change of this kind may help any pod.
    pub(crate) fn wants(&self, event: ClusterEvent) -> bool {
        let all = self.switches.wake() == WakeRule::All;
        event == ClusterEvent::Any
            || all
            || Plugin::ALL
                .iter()
                .any(|p| registered(*p, event, &self.switches))
    }

    /// Moves pods that a change may help (`MoveAllToActiveOrBackoffQueue`); `check` leaves some out
    /// beforehand.
    pub fn move_all_to_active_or_backoff_queue(
        &mut self,
        change: &Change,
        check: &dyn Fn(&QueuedPod) -> bool,
        at: (Time, u32),
        cache: &Cache,
    ) {
        if !self.wants(change.event) {
            return;
        }
        let all = self.switches.wake() == WakeRule::All;
        let ids: Vec<PodId> = self.unschedulable.iter().copied().collect();
        for id in ids {
            let Some((_, entry)) = self.entries.get(&id) else {
                continue;
            };
            let held = match entry.gated_by {
                Some(Plugin::DefaultPreemption) => change.event != ClusterEvent::PodDelete,
                Some(_) => true,
                None => false,
            };
            if held
                || !check(entry)
                || !all && self.is_pod_worth_requeuing(entry, change, cache) == Strategy::Skip
            {
                continue;
            }
            if let Some((_, mut entry)) = self.take(id) {
                entry.cause = at.1;
                self.requeue_pod_with_queueing_strategy(entry, Strategy::AfterBackoff, at.0);
            }
        }
        self.move_request = self.cycle + 1;
        if !self.in_flight.is_empty() {
            self.changes.push_back(change.clone());
        }
    }

    /// Has a pod tried again, unless it is on its way already (`Activate`).
    pub(crate) fn activate(&mut self, pod: PodId) {
        match self.entries.get(&pod) {
            Some((Place::Active, _)) => {}
            Some(_) => {
                if let Some((_, entry)) = self.take(pod) {
                    self.move_to_active_q(entry);
                }
            }
            None if self.in_flight.contains_key(&pod) => self.changes.push_back(Change::any()),
            None => {}
        }
        self.move_request = self.cycle + 1;
    }

    /// Whether pods back off, so that [`Queue::flush_backoff_q_completed`] has to be called every
    /// second.
    pub fn has_backoff(&self) -> bool {
        !self.backoff.is_empty() || !self.error_backoff.is_empty()
    }

    /// Whether pods wait for a change, so that [`Queue::flush_unschedulable_pods_leftover`] has to
    /// be called every 30 s.
    pub fn has_unschedulable(&self) -> bool {
        !self.unschedulable.is_empty()
    }

    /// Moves pods whose back-off is over (`flushBackoffQCompleted`).
    pub fn flush_backoff_q_completed(&mut self, now: Time) {
        while let Some((until, key)) = self.backoff.first().copied()
            && !self.is_pod_backing_off(until, now)
            && let Some((_, entry)) = self.take(key.3)
        {
            self.move_to_active_q(entry);
        }
        while let Some((until, id)) = self.error_backoff.first().copied()
            && !self.is_pod_backing_off(until, now)
            && let Some((_, entry)) = self.take(id)
        {
            self.move_to_active_q(entry);
        }
    }

    /// Moves pods that have waited for too long (`flushUnschedulablePodsLeftover`).
    pub fn flush_unschedulable_pods_leftover(&mut self, now: Time, cause: u32) {
        let late = |e: &QueuedPod| {
            let before = e.before.map_or(Dur::ZERO, |b| b.tried_ago);
            now.since(e.timestamp).saturating_add(before) > self.switches.unschedulable_flush
        };
        let ids: Vec<PodId> = self
            .unschedulable
            .iter()
            .copied()
            .filter(|id| self.entries.get(id).is_some_and(|(_, e)| late(e)))
            .collect();
        for id in &ids {
            if self
                .entries
                .get(id)
                .is_some_and(|(_, e)| e.gated_by.is_some())
            {
                continue;
            }
            if let Some((_, mut entry)) = self.take(*id) {
                entry.cause = cause;
                self.requeue_pod_with_queueing_strategy(entry, Strategy::AfterBackoff, now);
            }
        }
        if !ids.is_empty() {
            self.move_request = self.cycle + 1;
        }
    }
}
