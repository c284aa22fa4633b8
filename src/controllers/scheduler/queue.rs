//! The queue of pods that wait for a node (`backend/queue/scheduling_queue.go`): those to be tried
//! next by priority and age, those that back off, and those that no change has given a chance yet.

use super::framework::Plugins;
use super::hints::{is_pod_worth_requeuing, wants};
use super::queued_pod::{Place, Strategy};
use super::waiting::{Backoff, InFlight, Waiting};
use crate::controllers::scheduler::prelude::*;

/// The queue.
pub struct Queue {
    switches: Switches,
    backoff: Backoff,
    waiting: Waiting,
    in_flight: InFlight,
    /// Pods for which a preemption is under way; they are not tried meanwhile.
    pub(crate) preempting: BTreeSet<PodId>,
    cycle: u64,
    /// The cycle in which pods were last asked to move; one higher, 0 is never.
    move_request: u64,
    sequence: u64,
}

impl Queue {
    /// An empty queue, in which pods of one age have the order in which they came.
    pub fn new(switches: Switches) -> Self {
        Self::walking(switches, None)
    }

    /// An empty queue. With a walk it has heaps and a map as upstream's, in which pods of one age have
    /// another order.
    pub(super) fn walking(switches: Switches, walk: Option<(Client, PointId)>) -> Self {
        Self {
            switches,
            backoff: Backoff(switches),
            waiting: Waiting::new(walk),
            in_flight: InFlight::default(),
            preempting: BTreeSet::new(),
            cycle: 0,
            move_request: 0,
            sequence: 0,
        }
    }

    /// Adds a new pod (`Add`).
    pub fn add(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, now: Time, cause: u32) {
        self.waiting.take(pod.id);
        self.sequence += 1;
        self.move_to_active_q(QueuedPod::new(pod, shape, now, self.sequence, cause));
    }

    /// Drops a pod that is gone or bound (`Delete`).
    pub(crate) fn delete(&mut self, pod: PodId) {
        self.waiting.take(pod);
    }

    /// Takes the next pod to try (`Pop`).
    pub fn pop(&mut self) -> Option<QueuedPod> {
        let id = match self.waiting.first_active() {
            Some(id) => id,
            None if self.switches.pops_from_backoff => self.waiting.first_backoff()?.1,
            None => return None,
        };
        let (_, mut entry) = self.waiting.take(id)?;
        entry.attempts += 1;
        entry.before = None;
        entry.rejected_by = Plugins::default();
        entry.gated_by = None;
        self.cycle += 1;
        if self.switches.wake() == WakeRule::Hints {
            self.in_flight.begin(id);
        }
        Some(entry)
    }

    /// Whether there is a pod to try now.
    pub fn is_ready(&self) -> bool {
        self.waiting.first_active().is_some()
            || self.switches.pops_from_backoff && self.waiting.first_backoff().is_some()
    }

    /// A pod is no longer being tried (`Done`).
    pub fn done(&mut self, pod: PodId) {
        self.in_flight.done(pod);
    }

    /// The number of the attempt under way (`SchedulingCycle`).
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Takes back a pod that could not be placed (`AddUnschedulableIfNotPresent`); `cycle` is the
    /// attempt it was rejected in.
    pub fn add_unschedulable_if_not_present(
        &mut self,
        mut entry: QueuedPod,
        cycle: u64,
        now: Time,
        cache: &Cache,
    ) {
        let id = entry.pod.id;
        if self.waiting.entry(id).is_some() {
            return self.done(id);
        }
        if entry.rejected_by.is_empty() {
            entry.errors += 1;
        } else {
            entry.rejections += 1;
            entry.errors = 0;
        }
        entry.timestamp = now;
        self.sequence += 1;
        entry.sequence = self.sequence;
        if self.switches.wake() == WakeRule::Hints {
            let strategy = self.determine_scheduling_hint_for_in_flight_pod(&entry, cache);
            self.requeue_pod_with_queueing_strategy(entry, strategy, now);
        } else if self.move_request > cycle
            || self.switches.errors_back_off && entry.rejected_by.is_empty()
            || self.switches.retries == Retries::ByTime
        {
            self.move_to_backoff_q(entry);
        } else {
            self.waiting.put(Place::Unschedulable, entry);
        }
        self.done(id);
    }

    fn requeue_pod_with_queueing_strategy(
        &mut self,
        entry: QueuedPod,
        strategy: Strategy,
        now: Time,
    ) {
        if strategy == Strategy::Skip {
            self.waiting.put(Place::Unschedulable, entry);
        } else if self.backoff.is_pod_backing_off(self.backoff.get_backoff_time(&entry), now) {
            self.move_to_backoff_q(entry);
        } else {
            self.move_to_active_q(entry);
        }
    }

    /// Who keeps a pod from being tried (`runPreEnqueuePlugins`).
    fn run_pre_enqueue_plugins(&self, entry: &QueuedPod) -> Option<Plugin> {
        let gated = self.switches.scheduling_gates
            && entry.shape.spec().is_some_and(|s| !s.gates.is_empty());
        if gated {
            Some(Plugin::SchedulingGates)
        } else if !entry.pod.template.devices.is_empty() && !entry.pod.has_claims {
            Some(Plugin::DynamicResources)
        } else {
            self.preempting.contains(&entry.pod.id).then_some(Plugin::DefaultPreemption)
        }
    }

    /// Puts a pod in a place, unless a plugin keeps it from being tried.
    fn put_unless_gated(&mut self, mut place: Place, mut entry: QueuedPod) {
        entry.gated_by = self.run_pre_enqueue_plugins(&entry);
        if let Some(plugin) = entry.gated_by {
            entry.rejected_by.insert(plugin);
            place = Place::Unschedulable;
        }
        self.waiting.put(place, entry);
    }

    fn move_to_active_q(&mut self, entry: QueuedPod) {
        self.put_unless_gated(Place::Active, entry);
    }

    fn move_to_backoff_q(&mut self, entry: QueuedPod) {
        if self.switches.retries == Retries::AtOnce {
            return self.move_to_active_q(entry);
        }
        let end = self.backoff.get_backoff_time(&entry);
        let failed = entry.rejected_by.is_empty();
        let place = if failed { Place::ErrorBackoff(end) } else { Place::Backoff(end) };
        if self.switches.pops_from_backoff {
            self.put_unless_gated(place, entry);
        } else {
            self.waiting.put(place, entry);
        }
    }

    /// Takes a pod out that is to be tried next.
    pub(super) fn take_active(&mut self, id: PodId) -> Option<QueuedPod> {
        match self.waiting.entry(id)? {
            (Place::Active, _) => self.waiting.take(id).map(|taken| taken.1),
            _ => None,
        }
    }

    /// Puts a pod in a place.
    pub(super) fn put(&mut self, place: Place, entry: QueuedPod) {
        self.waiting.put(place, entry);
    }

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
        if hints && self.in_flight.has(new.id) {
            return changes.iter().for_each(|c| self.in_flight.note(c));
        }
        let Some((place, mut entry)) = self.waiting.take(new.id) else {
            return self.add(new, shape, now, cause);
        };
        let spec_changed = !Rc::ptr_eq(&old.template, &new.template)
            && old.template != new.template
            || old.deletion != new.deletion;
        entry.pod = new.clone();
        entry.shape = shape.clone();
        match place {
            Place::Active => self.waiting.put(Place::Active, entry),
            // A pod that sleeps does so to the end.
            Place::Backoff(_) | Place::ErrorBackoff(_)
                if self.switches.update_ends_backoff
                    && self.switches.retries != Retries::ByTime =>
            {
                entry.cause = cause;
                self.move_to_active_q(entry);
            }
            Place::Backoff(_) | Place::ErrorBackoff(_) => self.waiting.put(place, entry),
            Place::Unschedulable if hints => {
                let helps = changes.iter().any(|c| self.is_worth_requeuing(&entry, c, cache));
                if helps {
                    entry.cause = cause;
                }
                let strategy = if helps { Strategy::AfterBackoff } else { Strategy::Skip };
                self.requeue_pod_with_queueing_strategy(entry, strategy, now);
            }
            Place::Unschedulable if !spec_changed => self.waiting.put(Place::Unschedulable, entry),
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

    fn determine_scheduling_hint_for_in_flight_pod(
        &self,
        entry: &QueuedPod,
        cache: &Cache,
    ) -> Strategy {
        let changes = self.in_flight.changes_since(entry.pod.id);
        let helps = entry.rejected_by.is_empty()
            || changes.is_none_or(|mut c| c.any(|c| self.is_worth_requeuing(entry, c, cache)));
        if helps { Strategy::AfterBackoff } else { Strategy::Skip }
    }

    fn is_worth_requeuing(&self, entry: &QueuedPod, change: &Change, cache: &Cache) -> bool {
        is_pod_worth_requeuing(entry, change, cache, &self.switches)
    }

    /// Whether a change of this kind may help any pod.
    pub(crate) fn wants(&self, event: ClusterEvent) -> bool {
        wants(event, &self.switches)
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
        for id in self.waiting.unschedulable() {
            let Some((_, entry)) = self.waiting.entry(id) else { continue };
            let of_preemption = change.event == ClusterEvent::PodDelete;
            let held =
                entry.gated_by.is_some_and(|by| by != Plugin::DefaultPreemption || !of_preemption);
            if held || !check(entry) || !all && !self.is_worth_requeuing(entry, change, cache) {
                continue;
            }
            if let Some((_, mut entry)) = self.waiting.take(id) {
                entry.cause = at.1;
                self.requeue_pod_with_queueing_strategy(entry, Strategy::AfterBackoff, at.0);
            }
        }
        self.move_request = self.cycle + 1;
        self.in_flight.note(change);
    }

    /// Has a pod tried again, unless it is on its way already (`Activate`).
    pub(crate) fn activate(&mut self, pod: PodId) {
        match self.waiting.entry(pod) {
            Some((Place::Active, _)) => {}
            Some(_) => {
                if let Some((_, entry)) = self.waiting.take(pod) {
                    self.move_to_active_q(entry);
                }
            }
            None if self.in_flight.has(pod) => self.in_flight.note(&Change::any()),
            None => {}
        }
        self.move_request = self.cycle + 1;
    }

    /// Whether pods back off, so that [`Queue::flush_backoff_q_completed`] has to be called every
    /// second.
    pub fn has_backoff(&self) -> bool {
        self.waiting.first_backoff().is_some() || self.waiting.first_error_backoff().is_some()
    }

    /// Whether pods wait for a change, so that [`Queue::flush_unschedulable_pods_leftover`] has to
    /// be called every 30 s.
    pub fn has_unschedulable(&self) -> bool {
        self.waiting.has_unschedulable()
    }

    /// Moves pods whose back-off is over (`flushBackoffQCompleted`).
    pub fn flush_backoff_q_completed(&mut self, now: Time) {
        for first in [Waiting::first_backoff, Waiting::first_error_backoff] {
            while let Some((until, id)) = first(&self.waiting)
                && !self.backoff.is_pod_backing_off(until, now)
                && let Some((_, entry)) = self.waiting.take(id)
            {
                self.move_to_active_q(entry);
            }
        }
    }

    /// Moves pods that have waited for too long (`flushUnschedulablePodsLeftover`).
    pub fn flush_unschedulable_pods_leftover(&mut self, now: Time, cause: u32) {
        let late = |e: &QueuedPod| {
            let before = e.before.map_or(Dur::ZERO, |b| b.tried_ago);
            now.since(e.timestamp).saturating_add(before) > self.switches.unschedulable_flush
        };
        let mut ids = self.waiting.unschedulable();
        ids.retain(|id| self.waiting.entry(*id).is_some_and(|(_, e)| late(e)));
        for id in &ids {
            if self.waiting.entry(*id).is_some_and(|(_, e)| e.gated_by.is_none())
                && let Some((_, mut entry)) = self.waiting.take(*id)
            {
                entry.cause = cause;
                self.requeue_pod_with_queueing_strategy(entry, Strategy::AfterBackoff, now);
            }
        }
        if !ids.is_empty() {
            self.move_request = self.cycle + 1;
        }
    }
}
