//! The workers that probe a container (`pkg/kubelet/prober/worker.go`), v1.37.
//!
//! What a probe finds changes twice in a container's life at most: it begins to serve, and stops. So the probes between are
//! not made one by one: it is computed which of them changes a result. A probe takes no time here.

use crate::api::probe::{Probe, ProbeType};
use crate::controllers::prelude::*;

/// A span of time in which a container serves.
pub(super) type Serves = (Time, Time);

/// From when on a worker probes its container, and when that serves.
pub(super) type View = (Time, Serves);

/// `worker`: one of the probes of a container, and of those that follow it in its pod.
#[derive(Clone, Debug, Default)]
pub(super) struct Worker {
    /// When its ticker ticks next.
    pub(super) tick: Time,
    /// Until when it waits for some part of its period, whatever it is told.
    pub(super) waits: Time,
    /// `lastResult` and `resultRun`: what the last probes found, and how many of them.
    last: Option<bool>,
    run: u32,
    /// `resultsManager`: what is said of the container.
    pub(super) value: Option<bool>,
    /// `onHold`: it probes no more until there is a new container.
    on_hold: bool,
    /// It has not looked at the container that runs yet: with that it sets the initial result, for which the pod is synced.
    pub(super) is_new: bool,
}

/// How many ticks of a period come before a time, from one on.
fn ticks(from: Time, period: Dur, until: Time) -> u64 {
    until.since(from).as_nanos().div_ceil(period.as_nanos().max(1))
}

impl Worker {
    /// A worker of a kubelet that starts, or of a pod that is new to it.
    pub(super) fn starting(tick: Time, value: Option<bool>) -> Self {
        Self { tick, waits: tick, value, ..Self::default() }
    }

    /// The next tick whose probe fails.
    pub(super) fn failure(&self, probe: &Probe, (from, serves): View) -> Option<Time> {
        let first = |tick: Time, from: Time| {
            let known = !self.on_hold && from < Time::MAX;
            known.then(|| tick.saturating_add(probe.period * ticks(tick, probe.period, from)))
        };
        let at = first(self.tick, from)?;
        let at = if Self::found(at, serves).0 { first(at, serves.1)? } else { at };
        (at < Time::MAX).then_some(at)
    }

    /// A new container is seen, of which nothing is known.
    pub(super) fn resume(&mut self, initial: Option<bool>) {
        (self.value, self.on_hold, self.is_new) = (initial, false, true);
    }

    /// What a probe finds from a tick on, and from when on it finds something else.
    fn found(at: Time, serves: Serves) -> (bool, Time) {
        if at < serves.0 {
            (false, serves.0)
        } else if at < serves.1 {
            (true, serves.1)
        } else {
            (false, Time::MAX)
        }
    }

    /// Probes with each tick before a time, of which none changes a result. Those before `from` do nothing.
    pub(super) fn follow(&mut self, probe: &Probe, (from, serves): View, until: Time) {
        let idle = ticks(self.tick, probe.period, from.min(until));
        self.tick += probe.period * idle;
        while self.tick < until {
            let (ok, flips) = Self::found(self.tick, serves);
            let n = ticks(self.tick, probe.period, flips.min(until)).max(1);
            self.find(ok, n);
            self.tick += probe.period * n;
        }
    }

    /// So many probes in a row found that.
    fn find(&mut self, ok: bool, times: u64) {
        let before = if self.last == Some(ok) { self.run } else { 0 };
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        (self.last, self.run) = (Some(ok), before.saturating_add(times));
    }

    /// The next tick at which the result changes, and to what.
    pub(super) fn change(&self, probe: &Probe, (from, serves): View) -> Option<(Time, bool)> {
        let mut w = self.clone();
        w.follow(probe, (Time::MAX, serves), from);
        while !w.on_hold && w.tick < Time::MAX {
            let (ok, flips) = Self::found(w.tick, serves);
            let before = if w.last == Some(ok) { w.run } else { 0 };
            let lacks = u64::from(threshold(probe, ok).saturating_sub(before).max(1));
            let n = ticks(w.tick, probe.period, flips).max(1);
            if w.value != Some(ok) && lacks <= n {
                let at = w.tick.saturating_add(probe.period * (lacks - 1));
                return (at < Time::MAX).then_some((at, ok));
            }
            if flips == Time::MAX {
                break;
            }
            w.find(ok, n);
            w.tick += probe.period * n;
        }
        None
    }

    /// `manualTriggerCh`: probes out of turn, after a tick of that instant, which in newer releases begins the period anew.
    /// How many of them fail.
    pub(super) fn trigger(&mut self, probe: &Probe, view: View, now: Time, resets: bool) -> usize {
        self.is_new = false;
        let times = if self.tick == now { 2 } else { 1 };
        self.follow(probe, view, now.saturating_add(Dur::from_nanos(1)));
        let ok = (now >= view.0 && !self.on_hold).then(|| Self::found(now, view.1).0);
        if let Some(ok) = ok {
            self.find(ok, 1);
            if self.run >= threshold(probe, ok) {
                self.value = Some(ok);
            }
        }
        if resets {
            self.tick = now + probe.period;
        }
        if ok == Some(false) { times } else { 0 }
    }

    /// Nothing is probed until there is a new container.
    pub(super) fn hold(&mut self) {
        (self.on_hold, self.run, self.is_new) = (true, 0, false);
    }
}

/// How many probes in a row have to find that.
fn threshold(probe: &Probe, ok: bool) -> u32 {
    if ok { probe.success_threshold } else { probe.failure_threshold }
}

/// What a container is before it was probed (`newWorker`, `initialValue`).
pub(super) fn initial(which: ProbeType) -> Option<bool> {
    match which {
        ProbeType::Liveness => Some(true),
        ProbeType::Readiness => Some(false),
        ProbeType::Startup => None,
    }
}
