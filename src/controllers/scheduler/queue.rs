//! The queue of pods that wait for a node (`backend/queue/scheduling_queue.go`): those to be tried
//! next by priority and age, those that back off, and those that no change has given a chance yet.

use super::cache::Cache;
use super::events::Change;
use super::framework::Plugins;
use super::queued_pod::{ActiveKey, Place, QueuedPod, Strategy};
use super::shape::Shape;
use crate::api::names::PodId;
use crate::api::pod::Pod;
use crate::kernel::{Dur, Time};
use crate::plan::switches::scheduler::{Switches, WakeRule};
use crate::trace::Plugin;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// The first and the longest back-off (`podInitialBackoffSeconds`, `podMaxBackoffSeconds`).
const INITIAL_BACKOFF: Dur = Dur::from_secs(1);
const MAX_BACKOFF: Dur = Dur::from_secs(10);

/// The queue.
#[derive(Debug)]
pub struct Queue {
    pub(super) switches: Switches,
    pub(super) entries: BTreeMap<PodId, (Place, QueuedPod)>,
    pub(super) active: BTreeSet<ActiveKey>,
    pub(super) backoff: BTreeSet<(Time, ActiveKey)>,
    pub(super) error_backoff: BTreeSet<(Time, PodId)>,
    pub(super) unschedulable: BTreeSet<PodId>,
    /// Pods being tried, and how many changes there had been when each was taken.
    pub(super) in_flight: BTreeMap<PodId, u64>,
    pub(super) changes: VecDeque<Change>,
    pub(super) changes_dropped: u64,
    /// Pods for which a preemption is under way; they are not tried meanwhile.
    pub preempting: BTreeSet<PodId>,
    pub(super) cycle: u64,
    /// The cycle in which pods were last asked to move; one higher, 0 is never.
    pub(super) move_request: u64,
    pub(super) sequence: u64,
}

impl Queue {
    /// An empty queue.
    pub fn new(switches: Switches) -> Self {
        Self {
            switches,
            entries: BTreeMap::new(),
            active: BTreeSet::new(),
            backoff: BTreeSet::new(),
            error_backoff: BTreeSet::new(),
            unschedulable: BTreeSet::new(),
            in_flight: BTreeMap::new(),
            changes: VecDeque::new(),
            changes_dropped: 0,
            preempting: BTreeSet::new(),
            cycle: 0,
            move_request: 0,
            sequence: 0,
        }
    }

    pub(super) fn new_queued_pod_info(
        &mut self,
        pod: &Rc<Pod>,
        shape: &Rc<Shape>,
        now: Time,
        cause: u32,
    ) -> QueuedPod {
        self.sequence += 1;
        QueuedPod {
            pod: pod.clone(),
            shape: shape.clone(),
            timestamp: now,
            attempts: 0,
            rejections: 0,
            errors: 0,
            rejected_by: Plugins::default(),
            gated_by: None,
            sequence: self.sequence,
            cause,
            before: None,
        }
    }

    /// Adds a new pod (`Add`).
    pub fn add(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, now: Time, cause: u32) {
        self.take(pod.id);
        let entry = self.new_queued_pod_info(pod, shape, now, cause);
        self.move_to_active_q(entry);
    }

    /// Drops a pod that is gone or bound (`Delete`).
    pub(crate) fn delete(&mut self, pod: PodId) {
        self.take(pod);
    }

    /// Takes the next pod to try (`Pop`).
    pub fn pop(&mut self) -> Option<QueuedPod> {
        let id = match self.active.first() {
            Some(key) => key.3,
            None if self.switches.pops_from_backoff => self.backoff.first()?.1.3,
            None => return None,
        };
        let (_, mut entry) = self.take(id)?;
        entry.attempts += 1;
        entry.before = None;
        entry.rejected_by = Plugins::default();
        entry.gated_by = None;
        self.cycle += 1;
        if self.switches.wake() == WakeRule::Hints {
            self.in_flight
                .insert(id, self.changes_dropped + self.changes.len() as u64);
        }
        Some(entry)
    }

    /// Whether there is a pod to try now.
    pub fn is_ready(&self) -> bool {
        !self.active.is_empty() || self.switches.pops_from_backoff && !self.backoff.is_empty()
    }

    /// A pod is no longer being tried (`Done`); changes that nobody else waits for are forgotten.
    pub fn done(&mut self, pod: PodId) {
        if self.in_flight.remove(&pod).is_none() {
            return;
        }
        let needed = self
            .in_flight
            .values()
            .min()
            .copied()
            .unwrap_or(self.changes_dropped + self.changes.len() as u64);
        while self.changes_dropped < needed {
            self.changes.pop_front();
            self.changes_dropped += 1;
        }
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
        if self.entries.contains_key(&id) {
            self.done(id);
            return;
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
        {
            self.move_to_backoff_q(entry);
        } else {
            self.put(Place::Unschedulable, entry);
        }
        self.done(id);
    }

    pub(super) fn requeue_pod_with_queueing_strategy(
        &mut self,
        entry: QueuedPod,
        strategy: Strategy,
        now: Time,
    ) {
        if strategy == Strategy::Skip {
            self.put(Place::Unschedulable, entry);
        } else if self.is_pod_backing_off(self.get_backoff_time(&entry), now) {
            self.move_to_backoff_q(entry);
        } else {
            self.move_to_active_q(entry);
        }
    }

    /// When a pod's back-off ends (`getBackoffTime`).
    fn get_backoff_time(&self, entry: &QueuedPod) -> Time {
        if let Some(before) = entry.before {
            return self.align(before.backoff_ends);
        }
        let count = match self.switches.backoff_counts_rejections {
            false => entry.attempts,
            true if entry.errors > 0 => entry.errors,
            true => entry.rejections,
        };
        if count == 0 {
            return Time::ZERO;
        }
        let doubled = 1_u64
            .checked_shl(count - 1)
            .and_then(|n| INITIAL_BACKOFF.checked_mul(n))
            .unwrap_or(MAX_BACKOFF);
        self.align(entry.timestamp + doubled.min(MAX_BACKOFF))
    }

    fn align(&self, t: Time) -> Time {
        if self.switches.pops_from_backoff {
            Time::from_secs(t.as_secs())
        } else {
            t
        }
    }

    /// Whether a back-off that ends then is still on (`isPodBackingoff`).
    pub(super) fn is_pod_backing_off(&self, until: Time, now: Time) -> bool {
        if until == Time::ZERO {
            false
        } else if self.switches.pops_from_backoff {
            until >= self.align(now)
        } else {
            until > now
        }
    }

    /// Who keeps a pod from being tried (`runPreEnqueuePlugins`).
    fn run_pre_enqueue_plugins(&self, entry: &QueuedPod) -> Option<Plugin> {
        let gated = self.switches.scheduling_gates
            && entry.shape.spec().is_some_and(|s| !s.gates.is_empty());
        if gated {
            Some(Plugin::SchedulingGates)
        } else {
            self.preempting
                .contains(&entry.pod.id)
                .then_some(Plugin::DefaultPreemption)
        }
    }

    pub(super) fn move_to_active_q(&mut self, mut entry: QueuedPod) {
        entry.gated_by = self.run_pre_enqueue_plugins(&entry);
        match entry.gated_by {
            None => self.put(Place::Active, entry),
            Some(plugin) => {
                entry.rejected_by.insert(plugin);
                self.put(Place::Unschedulable, entry);
            }
        }
    }

    fn move_to_backoff_q(&mut self, mut entry: QueuedPod) {
        if self.switches.pops_from_backoff
            && let Some(plugin) = self.run_pre_enqueue_plugins(&entry)
        {
            entry.gated_by = Some(plugin);
            entry.rejected_by.insert(plugin);
            self.put(Place::Unschedulable, entry);
            return;
        }
        let end = self.get_backoff_time(&entry);
        let place = if entry.rejected_by.is_empty() {
            Place::ErrorBackoff(end)
        } else {
            Place::Backoff(end)
        };
        self.put(place, entry);
    }

    /// Takes a pod out that is to be tried next.
    pub(super) fn take_active(&mut self, id: PodId) -> Option<QueuedPod> {
        let is_active = matches!(self.entries.get(&id), Some((Place::Active, _)));
        is_active
            .then(|| self.take(id))
            .flatten()
            .map(|taken| taken.1)
    }

    pub(super) fn put(&mut self, place: Place, entry: QueuedPod) {
        let id = entry.pod.id;
        match place {
            Place::Active => self.active.insert(entry.active_key()),
            Place::Backoff(until) => self.backoff.insert((until, entry.active_key())),
            Place::ErrorBackoff(until) => self.error_backoff.insert((until, id)),
            Place::Unschedulable => self.unschedulable.insert(id),
        };
        self.entries.insert(id, (place, entry));
    }

    pub(super) fn take(&mut self, id: PodId) -> Option<(Place, QueuedPod)> {
        let (place, entry) = self.entries.remove(&id)?;
        match place {
            Place::Active => self.active.remove(&entry.active_key()),
            Place::Backoff(until) => self.backoff.remove(&(until, entry.active_key())),
            Place::ErrorBackoff(until) => self.error_backoff.remove(&(until, id)),
            Place::Unschedulable => self.unschedulable.remove(&id),
        };
        Some((place, entry))
    }
}
