//! The queue of pods that wait for a node (`backend/queue/scheduling_queue.go`): those to be tried
//! next by priority and age, those that back off, and those that no change has given a chance yet.

use super::cache::Cache;
use super::framework::Plugins;
use super::hints::{Change, ClusterEvent, helps, registered};
use super::shape::Shape;
use crate::api::names::PodId;
use crate::api::pod::Pod;
use crate::kernel::{Dur, Time};
use crate::plan::switches::scheduler::{Switches, WakeRule};
use crate::trace::Plugin;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// The first and the longest back-off (`podInitialBackoffSeconds`, `podMaxBackoffSeconds`).
const INITIAL_BACKOFF: Dur = Dur::from_secs(1);
const MAX_BACKOFF: Dur = Dur::from_secs(10);

/// A pod in the queue.
#[derive(Clone, Debug)]
pub struct QueuedPod {
    /// The pod as last seen.
    pub pod: Rc<Pod>,
    /// What the scheduler makes of it.
    pub shape: Rc<Shape>,
    /// When it came, or came back.
    pub timestamp: Time,
    /// How often it was tried.
    pub attempts: u32,
    /// How often plugins rejected it.
    rejections: u32,
    /// How often in a row it failed without being rejected.
    errors: u32,
    /// Who rejected it last.
    pub rejected_by: Plugins,
    /// Who keeps it from being tried.
    gated_by: Option<Plugin>,
    /// Its place among pods of one priority that came at the same time.
    sequence: u64,
    /// The record that made it wait where it does.
    pub cause: u32,
}

type ActiveKey = (Reverse<i32>, Time, u64, PodId);

impl QueuedPod {
    fn active_key(&self) -> ActiveKey {
        (
            Reverse(self.shape.priority),
            self.timestamp,
            self.sequence,
            self.pod.id,
        )
    }
}

/// Where a pod waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Active,
    Backoff(Time),
    ErrorBackoff(Time),
    Unschedulable,
}

/// What came of a pod that was given back or moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strategy {
    Skip,
    AfterBackoff,
}

/// The queue.
#[derive(Debug)]
pub struct Queue {
    switches: Switches,
    entries: BTreeMap<PodId, (Place, QueuedPod)>,
    active: BTreeSet<ActiveKey>,
    backoff: BTreeSet<(Time, ActiveKey)>,
    error_backoff: BTreeSet<(Time, PodId)>,
    unschedulable: BTreeSet<PodId>,
    /// Pods being tried, and how many changes there had been when each was taken.
    in_flight: BTreeMap<PodId, u64>,
    changes: VecDeque<Change>,
    changes_dropped: u64,
    /// Pods for which a preemption is under way; they are not tried meanwhile.
    pub preempting: BTreeSet<PodId>,
    cycle: u64,
    /// The cycle in which pods were last asked to move; one higher, 0 is never.
    move_request: u64,
    sequence: u64,
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

    fn fresh(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, now: Time, cause: u32) -> QueuedPod {
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
        }
    }

    /// Adds a new pod (`Add`).
    pub fn add(&mut self, pod: &Rc<Pod>, shape: &Rc<Shape>, now: Time, cause: u32) {
        self.take(pod.id);
        let entry = self.fresh(pod, shape, now, cause);
        self.enter_active(entry);
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
        if hints && self.in_flight.contains_key(&new.id) {
            self.changes.extend(changes.iter().cloned());
            return;
        }
        let Some((place, mut entry)) = self.take(new.id) else {
            let entry = self.fresh(new, shape, now, cause);
            self.enter_active(entry);
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
                self.enter_active(entry);
            }
            Place::Backoff(_) | Place::ErrorBackoff(_) => self.put(place, entry),
            Place::Unschedulable if hints => {
                let helps = changes
                    .iter()
                    .any(|c| self.strategy(&entry, c, cache) == Strategy::AfterBackoff);
                if helps {
                    entry.cause = cause;
                }
                self.requeue(
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
                    self.enter_active(entry)
                } else {
                    self.requeue(entry, Strategy::AfterBackoff, now)
                }
            }
        }
    }

    /// Drops a pod that is gone or bound (`Delete`).
    pub fn delete(&mut self, pod: PodId) {
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
    pub fn give_back(&mut self, mut entry: QueuedPod, cycle: u64, now: Time, cache: &Cache) {
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
            let strategy = self.strategy_in_flight(&entry, cache);
            self.requeue(entry, strategy, now);
        } else if self.move_request > cycle
            || self.switches.errors_back_off && entry.rejected_by.is_empty()
        {
            self.enter_backoff(entry);
        } else {
            self.put(Place::Unschedulable, entry);
        }
        self.done(id);
    }

    fn strategy_in_flight(&self, entry: &QueuedPod, cache: &Cache) -> Strategy {
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
            .any(|c| self.strategy(entry, c, cache) == Strategy::AfterBackoff);
        if helps {
            Strategy::AfterBackoff
        } else {
            Strategy::Skip
        }
    }

    /// Whether a change is worth another try (`isPodWorthRequeuing`, `podMatchesEvent`).
    fn strategy(&self, entry: &QueuedPod, change: &Change, cache: &Cache) -> Strategy {
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
    pub fn wants(&self, event: ClusterEvent) -> bool {
        let all = self.switches.wake() == WakeRule::All;
        event == ClusterEvent::Any
            || all
            || Plugin::ALL
                .iter()
                .any(|p| registered(*p, event, &self.switches))
    }

    /// Moves pods that a change may help (`MoveAllToActiveOrBackoffQueue`); `check` leaves some out
    /// beforehand.
    pub fn move_all(
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
                || !all && self.strategy(entry, change, cache) == Strategy::Skip
            {
                continue;
            }
            if let Some((_, mut entry)) = self.take(id) {
                entry.cause = at.1;
                self.requeue(entry, Strategy::AfterBackoff, at.0);
            }
        }
        self.move_request = self.cycle + 1;
        if !self.in_flight.is_empty() {
            self.changes.push_back(change.clone());
        }
    }

    /// Has a pod tried again, unless it is on its way already (`Activate`).
    pub fn activate(&mut self, pod: PodId) {
        match self.entries.get(&pod) {
            Some((Place::Active, _)) => {}
            Some(_) => {
                if let Some((_, entry)) = self.take(pod) {
                    self.enter_active(entry);
                }
            }
            None if self.in_flight.contains_key(&pod) => self.changes.push_back(Change::any()),
            None => {}
        }
        self.move_request = self.cycle + 1;
    }

    /// Whether pods back off, so that [`Queue::flush_backoff`] has to be called every second.
    pub fn has_backoff(&self) -> bool {
        !self.backoff.is_empty() || !self.error_backoff.is_empty()
    }

    /// Whether pods wait for a change, so that [`Queue::flush_leftover`] has to be called every 30
    /// s.
    pub fn has_unschedulable(&self) -> bool {
        !self.unschedulable.is_empty()
    }

    /// Moves pods whose back-off is over (`flushBackoffQCompleted`).
    pub fn flush_backoff(&mut self, now: Time) {
        while let Some((until, key)) = self.backoff.first().copied()
            && !self.backs_off(until, now)
            && let Some((_, entry)) = self.take(key.3)
        {
            self.enter_active(entry);
        }
        while let Some((until, id)) = self.error_backoff.first().copied()
            && !self.backs_off(until, now)
            && let Some((_, entry)) = self.take(id)
        {
            self.enter_active(entry);
        }
    }

    /// Moves pods that have waited for too long (`flushUnschedulablePodsLeftover`).
    pub fn flush_leftover(&mut self, now: Time, cause: u32) {
        let late = |e: &QueuedPod| now.since(e.timestamp) > self.switches.unschedulable_flush;
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
                self.requeue(entry, Strategy::AfterBackoff, now);
            }
        }
        if !ids.is_empty() {
            self.move_request = self.cycle + 1;
        }
    }

    fn requeue(&mut self, entry: QueuedPod, strategy: Strategy, now: Time) {
        if strategy == Strategy::Skip {
            self.put(Place::Unschedulable, entry);
        } else if self.backs_off(self.backoff_end(&entry), now) {
            self.enter_backoff(entry);
        } else {
            self.enter_active(entry);
        }
    }

    /// When a pod's back-off ends (`getBackoffTime`).
    fn backoff_end(&self, entry: &QueuedPod) -> Time {
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
    fn backs_off(&self, until: Time, now: Time) -> bool {
        if until == Time::ZERO {
            false
        } else if self.switches.pops_from_backoff {
            until >= self.align(now)
        } else {
            until > now
        }
    }

    /// `runPreEnqueuePlugins`
    fn gate(&self, entry: &QueuedPod) -> Option<Plugin> {
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

    fn enter_active(&mut self, mut entry: QueuedPod) {
        entry.gated_by = self.gate(&entry);
        match entry.gated_by {
            None => self.put(Place::Active, entry),
            Some(plugin) => {
                entry.rejected_by.insert(plugin);
                self.put(Place::Unschedulable, entry);
            }
        }
    }

    fn enter_backoff(&mut self, mut entry: QueuedPod) {
        if self.switches.pops_from_backoff
            && let Some(plugin) = self.gate(&entry)
        {
            entry.gated_by = Some(plugin);
            entry.rejected_by.insert(plugin);
            self.put(Place::Unschedulable, entry);
            return;
        }
        let end = self.backoff_end(&entry);
        let place = if entry.rejected_by.is_empty() {
            Place::ErrorBackoff(end)
        } else {
            Place::Backoff(end)
        };
        self.put(place, entry);
    }

    fn put(&mut self, place: Place, entry: QueuedPod) {
        let id = entry.pod.id;
        match place {
            Place::Active => self.active.insert(entry.active_key()),
            Place::Backoff(until) => self.backoff.insert((until, entry.active_key())),
            Place::ErrorBackoff(until) => self.error_backoff.insert((until, id)),
            Place::Unschedulable => self.unschedulable.insert(id),
        };
        self.entries.insert(id, (place, entry));
    }

    fn take(&mut self, id: PodId) -> Option<(Place, QueuedPod)> {
        let (place, entry) = self.entries.remove(&id)?;
        match place {
            Place::Active => self.active.remove(&entry.active_key()),
            Place::Backoff(until) => self.backoff.remove(&(until, entry.active_key())),
            Place::ErrorBackoff(until) => self.error_backoff.remove(&(until, id)),
            Place::Unschedulable => self.unschedulable.remove(&id),
        };
        Some((place, entry))
    }

    /// The shape of a pod that waits, as last seen.
    pub fn waiting(&self, pod: PodId) -> Option<&QueuedPod> {
        self.entries.get(&pod).map(|(_, e)| e)
    }
}
