//! A container, and what its kubelet knows of it by its probes (`pkg/kubelet/prober/prober_manager.go`), v1.37, older releases by
//! [`LifeSwitches`](crate::plan::switches::kubelet::LifeSwitches).

use super::worker::{Serves, View, Worker, initial};
use crate::api::container::Role;
use crate::api::probe::{Life, ProbeType};
use crate::controllers::prelude::*;
use crate::plan::switches::kubelet::LifeSwitches;

/// What comes about in the life of a pod's container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// It serves from now on, or no more.
    Serves(bool),
    /// It ends by itself.
    Ends,
    /// Its kubelet has it killed, for this probe has failed.
    Kills(ProbeType),
    /// It has ended because its kubelet had it killed.
    Killed,
    /// Its kubelet notices that it has ended, or looks whether it may start it again.
    Noticed,
    /// Its kubelet notices that it runs.
    Seen,
    /// Its pod is synced for what its probes have found.
    Synced,
    /// A worker looks at it for the first time.
    Begins(ProbeType),
    /// The result of a probe changes.
    Probed(ProbeType, bool),
    /// A probe fails, and its result stays as it was.
    Fails(ProbeType),
}

/// The exit code of a container that was killed (128 and SIGKILL).
pub(super) const KILLED: i32 = 137;

/// A container of a pod, and what its kubelet knows of it.
#[derive(Default)]
pub(super) struct Container {
    pub(super) role: Role,
    pub(super) life: Rc<Life>,
    pub(super) switches: LifeSwitches,
    pub(super) workers: [Worker; 3],
    /// Its kubelet lives.
    pub(super) watched: bool,
    pub(super) runs: bool,
    /// When it was started.
    pub(super) since: Time,
    pub(super) serves: Serves,
    /// It does, or is still to; nothing is left to come where it does no more.
    pub(super) serving: Option<bool>,
    pub(super) ends: Time,
    /// When its kubelet notices that it runs; has it, if that is over.
    pub(super) seen: Option<Time>,
    pub(super) noticed: Option<Time>,
    /// When its pod is synced for what its probes have found, if that has to wait.
    pub(super) resync: Option<Time>,
    /// When its kubelet has it killed, and for which probe, if that has to wait.
    pub(super) unfit: Option<(Time, ProbeType)>,
    /// When it will have been killed.
    pub(super) killed: Option<Time>,
    /// Its startup probe has succeeded, if it has one.
    pub(super) started: bool,
    /// What its kubelet says of its pod.
    pub(super) ready: bool,
    /// When the container before it ended, or it.
    pub(super) exited: Option<Time>,
    /// Its kubelet knows that it has ended.
    pub(super) listed: bool,
    /// `flowcontrol.Backoff`: how long the last one was, and when it was begun.
    pub(super) backoff: Option<(Dur, Time)>,
    /// Its kubelet waits for the end of that, and has said so.
    pub(super) backs_off: bool,
    /// It is not started again, and this is what it exited with.
    pub(super) finished: Option<i32>,
    /// What was last said of whether it is ready, or found to be said.
    pub(super) said_ready: bool,
    /// For when its pod was last scheduled to be worked on.
    pub(super) posted: Time,
    /// Each probe that fails is told of, and not only those that change something.
    pub(super) tells: bool,
    /// Probes that have failed and are still to be told of, not.
    pub(super) failed: Vec<ProbeType>,
}

impl Container {
    /// The first container of a pod, not yet started, whose workers tick first then.
    pub(super) fn new(life: Rc<Life>, switches: LifeSwitches, ticks: [Time; 3]) -> Self {
        let worker = |which: ProbeType| Worker::starting(ticks[which as usize], initial(which));
        Self {
            workers: ProbeType::ALL.map(worker),
            life,
            switches,
            watched: true,
            serves: (Time::ZERO, Time::MAX),
            ends: Time::MAX,
            ..Self::default()
        }
    }

    /// From when on a worker probes, and what it finds.
    fn view(&self, which: ProbeType) -> View {
        let waits = self.started == (which == ProbeType::Startup)
            || self.killed.is_some() && which != ProbeType::Readiness;
        if waits || !self.is_watched() {
            return (Time::MAX, self.serves);
        }
        // `startedAt` has whole seconds.
        let whole = Time::from_nanos(self.since.as_nanos() / 1_000_000_000 * 1_000_000_000);
        let delay = self.life.probe(which).map_or(Dur::ZERO, |p| p.initial_delay);
        (whole.saturating_add(delay), self.serves)
    }

    /// Its kubelet knows that it runs.
    fn is_watched(&self) -> bool {
        self.runs && self.watched && self.seen.is_none()
    }

    /// Whether its kubelet says that it is ready (`UpdatePodStatus`).
    fn is_ready(&self) -> bool {
        let probed = self.life.probe(ProbeType::Readiness).is_some();
        // Of a container that its kubelet has found when it started there is no result, and what was said of it holds.
        let succeeds = self.workers[ProbeType::Readiness as usize].value.unwrap_or(self.ready);
        self.runs && self.started && (!probed || succeeds)
    }

    /// The next change of a probe's result. The first sets what holds until it is probed, for which, but of liveness, its pod is
    /// synced.
    fn change(&self) -> Option<(Time, Event)> {
        let begins = self.is_watched() && self.switches.probes_at_once;
        let of = |which: ProbeType| {
            let (probe, worker) = (self.life.probe(which)?, &self.workers[which as usize]);
            if worker.is_new && begins && which != ProbeType::Liveness {
                return Some((worker.tick, Event::Begins(which)));
            }
            let (at, ok) = worker.change(probe, self.view(which))?;
            Some((at, Event::Probed(which, ok)))
        };
        ProbeType::ALL.into_iter().filter_map(of).min_by_key(|(at, _)| *at)
    }

    /// The next probe that fails, if that is to be told.
    fn failure(&self) -> Option<(Time, Event)> {
        let of = |which: ProbeType| {
            let probe = self.life.probe(which).filter(|_| self.tells)?;
            let at = self.workers[which as usize].failure(probe, self.view(which))?;
            Some((at, Event::Fails(which)))
        };
        ProbeType::ALL.into_iter().filter_map(of).min_by_key(|(at, _)| *at)
    }

    /// A probe fails.
    pub(super) fn fails(&mut self, now: Time, which: ProbeType) {
        let view = self.view(which);
        if let Some(probe) = self.life.clone().probe(which) {
            let after = now.saturating_add(Dur::from_nanos(1));
            self.workers[which as usize].follow(probe, view, after);
            self.failed.push(which);
        }
    }

    /// What comes about next.
    pub(super) fn next(&self) -> Option<(Time, Event)> {
        let ends = (self.runs && self.ends < Time::MAX).then_some((self.ends, Event::Ends));
        let killed = self.killed.map(|at| (at.min(self.ends), Event::Killed));
        let kills = self.unfit.map(|(at, which)| (at, Event::Kills(which)));
        let watched = |at: &Time| self.watched && *at < Time::MAX;
        let noticed = self.noticed.filter(watched).map(|at| (at, Event::Noticed));
        let seen = self.seen.filter(watched).map(|at| (at, Event::Seen));
        let synced = self.resync.filter(watched).map(|at| (at, Event::Synced));
        let serves = match self.serving.filter(|_| self.runs) {
            Some(true) => (self.serves.1, Event::Serves(false)),
            Some(false) => (self.serves.0, Event::Serves(true)),
            None => (Time::MAX, Event::Serves(false)),
        };
        let serves = Some(serves).filter(|(at, _)| *at < Time::MAX);
        let all = [serves, killed, ends, kills, noticed, seen, synced].into_iter();
        all.chain([self.change(), self.failure()]).flatten().min_by_key(|(at, _)| *at)
    }

    /// All workers tick up to a time, without that.
    pub(super) fn follow(&mut self, until: Time) {
        for which in ProbeType::ALL {
            if let Some(probe) = self.life.clone().probe(which) {
                let view = self.view(which);
                self.workers[which as usize].follow(probe, view, until);
            }
        }
    }

    /// A container is started, and seen then. From 1.35 on it counts as started as the one before did, if its kubelet has not
    /// said that that one has ended (`convertToAPIContainerStatuses`, k/k#141155).
    pub(super) fn start(&mut self, now: Time, serves: Serves, ends: Time, seen: Time) {
        self.follow(now);
        (self.runs, self.since, self.serves, self.ends) = (true, now, serves, ends);
        self.serving = Some(now >= serves.0);
        (self.seen, self.noticed, self.killed) = (Some(seen), None, None);
        self.started &= self.switches.keeps_results && !self.listed;
        (self.backs_off, self.listed) = (false, false);
    }

    /// It was started before the run, and is `done` if what comes next does not wait for it.
    pub(super) fn go_on(&mut self, now: Time, (serves, ends): (Serves, Time), done: bool) {
        if done && self.role == Role::Init {
            (self.exited, self.finished) = (Some(Time::ZERO), Some(0));
            return;
        }
        self.start(now, serves, ends, now);
        self.see(now);
        if done {
            self.workers[ProbeType::Startup as usize].hold();
            self.started = true;
        }
        while self.trigger(now) {}
    }

    /// It has ended.
    pub(super) fn end(&mut self, now: Time) {
        self.follow(now);
        (self.runs, self.unfit, self.killed, self.seen) = (false, None, None, None);
        self.exited = Some(now);
    }

    /// It has been started once.
    pub(super) fn has_begun(&self) -> bool {
        self.runs || self.exited.is_some()
    }

    /// It runs, and its kubelet has found that it has started.
    pub(super) fn has_started(&self) -> bool {
        self.runs && self.started && self.seen.is_none()
    }

    /// What it has exited with, once it has.
    pub(super) fn exit_code(&self) -> Option<i32> {
        self.exited.filter(|_| !self.runs).map(|exited| match &self.life.ends {
            Some((_, code)) if self.ends == exited => *code,
            _ => KILLED,
        })
    }

    /// Its kubelet sees a new container.
    pub(super) fn see(&mut self, now: Time) {
        self.follow(now);
        self.seen = None;
        for which in ProbeType::ALL {
            self.workers[which as usize].resume(initial(which));
        }
        self.started |= self.life.probe(ProbeType::Startup).is_none();
    }

    /// A worker looks at it for the first time. If that is the startup probe's, it has not started, whatever was said before, and
    /// is probed with the next tick.
    pub(super) fn begin(&mut self, which: ProbeType) {
        let worker = &mut self.workers[which as usize];
        worker.is_new = false;
        if which == ProbeType::Startup && std::mem::take(&mut self.started) {
            worker.tick += self.life.probe(which).map_or(Dur::ZERO, |p| p.period);
        }
    }

    /// `UpdatePodStatus`, with each sync of its pod: whether it is ready. One that has started and is not is probed out of turn;
    /// whether what that sets has the pod synced once more.
    pub(super) fn trigger(&mut self, now: Time) -> bool {
        self.follow(now);
        let (view, s) = (self.view(ProbeType::Readiness), &self.switches);
        let worker = &mut self.workers[ProbeType::Readiness as usize];
        let is_new = worker.is_new;
        let asks = s.probes_at_once && view.0 < Time::MAX && worker.value != Some(true);
        let probe = self.life.probe(ProbeType::Readiness).filter(|_| asks && now >= worker.waits);
        let fails = probe.map_or(0, |p| worker.trigger(p, view, now, s.resets_period));
        self.failed.extend(std::iter::repeat_n(ProbeType::Readiness, fails));
        let again = probe.is_some() && (is_new || worker.value == Some(true));
        if self.is_watched() {
            self.ready = self.is_ready();
        }
        again
    }

    /// The result of a probe changes; whether its container is to be killed for that.
    pub(super) fn probed(&mut self, now: Time, which: ProbeType, ok: bool) -> bool {
        let after = now.saturating_add(Dur::from_nanos(1));
        // The others' ticks of the instant in which it starts are too early.
        self.follow(if which == ProbeType::Startup { after } else { now });
        let view = self.view(which);
        if let Some(probe) = self.life.clone().probe(which) {
            let worker = &mut self.workers[which as usize];
            worker.follow(probe, view, after);
            worker.value = Some(ok);
            self.failed.extend((!ok).then_some(which));
            if which == ProbeType::Startup || which == ProbeType::Liveness && !ok {
                worker.hold();
            }
        }
        match which {
            ProbeType::Startup if ok => self.started = true,
            ProbeType::Readiness if self.is_watched() => self.ready = self.is_ready(),
            _ => {}
        }
        which != ProbeType::Readiness && !ok
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::probe::Probe;

    fn s(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    fn probe(delay: u64, period: u64, success: u32, failure: u32) -> Option<Probe> {
        Some(Probe {
            initial_delay: Dur::from_secs(delay),
            period: Dur::from_secs(period),
            success_threshold: success,
            failure_threshold: failure,
            grace: None,
        })
    }

    /// A pod that its kubelet hears of at 0, whose container runs from 2 s on and serves in that span after its start. One
    /// that is killed ends in a second, is started again at once and seen a second later.
    fn changes(probes: [Option<Probe>; 3], serves: (u64, u64), until: u64) -> Vec<String> {
        let life = Rc::new(Life { probes, ..Life::default() });
        let switches =
            LifeSwitches { probes_at_once: true, resets_period: true, ..LifeSwitches::default() };
        let mut c = Container::new(life, switches, [Time::ZERO; 3]);
        let span = |t: Time| {
            let after = |n: u64| t.saturating_add(Dur::from_secs(n));
            (after(serves.0), after(serves.1))
        };
        c.start(s(2), span(s(2)), Time::MAX, s(2));
        let (mut told, mut ready) = (Vec::new(), false);
        while let Some((at, event)) = c.next().filter(|(at, _)| *at <= s(until)) {
            match event {
                Event::Seen => c.see(at),
                Event::Begins(which) => c.begin(which),
                Event::Probed(which, ok) => {
                    if c.probed(at, which, ok) {
                        told.push(format!("{} kill", at.as_secs()));
                        c.killed = Some(at + Dur::from_secs(1));
                    }
                }
                Event::Killed => {
                    c.end(at);
                    c.start(at, span(at), Time::MAX, at + Dur::from_secs(1));
                }
                Event::Serves(serves) => c.serving = serves.then_some(true),
                Event::Ends
                | Event::Kills(_)
                | Event::Noticed
                | Event::Synced
                | Event::Fails(_) => {
                    unreachable!("nothing of that is asked for")
                }
            }
            let syncs = matches!(event, Event::Seen | Event::Begins(_) | Event::Probed(..));
            while syncs && c.trigger(at) {}
            if std::mem::replace(&mut ready, c.ready) != c.ready {
                told.push(format!("{} ready={}", at.as_secs(), c.ready));
            }
        }
        told
    }

    const EVER: u64 = 1_000_000;

    /// All of these are what upstream's unchanged prober of 1.37.1 printed in virtual time, with the same containers.
    #[test]
    fn results_change_when_upstreams_do() {
        let of = |liveness, readiness, startup| [liveness, readiness, startup];
        for (probes, serves, until, expected) in [
            // Probes at 12 and 22 s: the container has run 5 s first in the tick that is 10 s after it was seen.
            (of(None, probe(5, 10, 1, 3), None), (12, EVER), 60, vec!["22 ready=true"]),
            (of(None, probe(0, 10, 1, 3), None), (0, EVER), 60, vec!["2 ready=true"]),
            // From 14.5 s on, here 15: at 18, 22 and 26 s.
            (of(None, probe(0, 4, 3, 3), None), (13, EVER), 60, vec!["26 ready=true"]),
            // It serves from 7 to 47 s: 12 succeeds, 52 and 62 fail.
            (
                of(None, probe(0, 10, 1, 2), None),
                (5, 45),
                120,
                vec!["12 ready=true", "62 ready=false"],
            ),
            // Startup at 10 fails, at 15 succeeds, and has the readiness probe made at once.
            (
                of(None, probe(0, 10, 1, 3), probe(5, 5, 1, 6)),
                (12, EVER),
                60,
                vec!["15 ready=true"],
            ),
            (of(None, None, probe(5, 5, 1, 6)), (12, EVER), 60, vec!["15 ready=true"]),
            (
                of(probe(5, 10, 1, 3), probe(0, 10, 1, 3), None),
                (60, EVER),
                150,
                vec!["30 kill", "60 kill", "90 kill", "120 kill", "150 kill"],
            ),
            (
                of(probe(0, 10, 1, 3), None, probe(0, 10, 1, 2)),
                (25, EVER),
                100,
                vec!["20 kill", "40 kill", "60 kill", "80 kill", "100 kill"],
            ),
            // Of the first container 50, 60 and 70 fail, of the second 120, 130 and 140.
            (
                of(probe(0, 10, 1, 3), probe(0, 10, 1, 3), None),
                (3, 40),
                200,
                vec![
                    "12 ready=true",
                    "62 ready=false",
                    "70 kill",
                    "82 ready=true",
                    "132 ready=false",
                    "140 kill",
                    "152 ready=true",
                ],
            ),
        ] {
            assert_eq!(changes(probes, serves, until), expected, "{probes:?} {serves:?}");
        }
    }
}
