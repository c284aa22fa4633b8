//! A kubelet's way to the API server while it is disturbed: what its loops and watches try, and when
//! each of them gets through again.
//!
//! A kubelet has one HTTP/2 connection for all that it asks. While packets vanish, requests wait on
//! it; it is found dead 45 s after its last frame, and from then on whoever asks dials, and the
//! first to get through revives all who wait. Where the server refuses, each request fails at once
//! and pauses as its loop does. Upstream: `component-helpers/apimachinery/lease/controller.go`
//! (`sync`, `backoffEnsureLease`), `pkg/kubelet/kubelet_node_status.go` (`updateNodeStatus`,
//! `tryUpdateNodeStatus`), `client-go/tools/cache/reflector.go`, v1.34.
//!
//! None of the tries leaves a trace, so they are not events of the run: they are followed in
//! thought, whenever the way changes.

mod connection;
#[cfg(test)]
mod tests;

use crate::client::connection::{Backoff, DIAL, Link, Reflector, SETTLED, idle_span};
use crate::controllers::prelude::*;
use connection::{Connection, Heartbeat, TRIES, lease_pause};

/// Watches of a kubelet: of its node and of its pods, and three that only dial here (services,
/// runtime classes, CSI drivers).
pub(super) const REFLECTORS: usize = 5;
/// Their back-offs.
pub(super) type Backoffs = [Backoff; REFLECTORS];
/// How many checks of a status that ask for nothing are followed one by one.
const IDLE_CHECKS: u64 = 1_000;
/// Those that matter, by their places.
const NODE: usize = 0;
const PODS: usize = 1;

/// What is drawn, by number, so that following the same tries again draws the same.
pub(super) trait Draws {
    /// How much longer than this a pause of that reflector is, of that number.
    fn jitter(&self, reflector: usize, number: u32, least: Dur) -> Dur;
    /// The sleep after the status loop's tick of that number.
    fn status_period(&self, tick: u32) -> Dur;
    /// From when on a status check asks for anything: when a report is due, say. Until then the loop
    /// sleeps on.
    fn asks_from(&self) -> Time;
}

/// When each gets through again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Back {
    /// The connection carries something again.
    pub(super) connection: Time,
    /// The lease is renewed.
    pub(super) lease: Time,
    /// The status loop runs, and the number of that tick.
    pub(super) status: Time,
    pub(super) status_tick: u32,
    /// It runs in the middle of an update, whose later tries read live.
    pub(super) live: bool,
    /// The watch of the node delivers, and that of the pods.
    pub(super) node: Time,
    pub(super) pods: Time,
    /// All watches deliver.
    pub(super) all: Time,
}

/// A kubelet's disturbed way to the API server.
#[derive(Clone, Debug)]
pub(super) struct Uplink {
    /// It has been followed up to here.
    at: Time,
    connection: Connection,
    lease: Heartbeat,
    status: Heartbeat,
    status_tick: u32,
    reflectors: [Reflector; REFLECTORS],
    /// The server does not know where a watch was before.
    forgotten: [bool; REFLECTORS],
}

impl Uplink {
    /// One that carried everything up to now. `heard`: when its last frame came; `ticks`: the next
    /// lease renewal and status check, and the number of the latter.
    pub(super) fn connected(
        now: Time,
        heard: Time,
        ticks: (Time, Time, u32),
        backoffs: Backoffs,
    ) -> Self {
        Self {
            at: now,
            connection: Connection::Stands { heard, unanswered: None, severed: false },
            lease: Heartbeat::Idle(ticks.0),
            status: Heartbeat::Idle(ticks.1),
            status_tick: ticks.2,
            reflectors: backoffs.map(Reflector::watching),
            forgotten: [false; REFLECTORS],
        }
    }

    /// That of a kubelet that starts now, and asks for its pods from `pods` on.
    pub(super) fn starting(now: Time, pods: Time, status_tick: u32, backoffs: Backoffs) -> Self {
        let mut reflectors = backoffs.map(|b| Reflector::starting(b, now));
        reflectors[PODS] = Reflector::starting(backoffs[PODS], pods);
        Self {
            at: now,
            connection: Connection::None { dials: Vec::new() },
            lease: Heartbeat::Idle(now),
            status: Heartbeat::Idle(now),
            status_tick,
            reflectors,
            forgotten: [false; REFLECTORS],
        }
    }

    /// The back-offs of its reflectors, which outlast a disturbance.
    pub(super) fn backoffs(&self) -> Backoffs {
        self.reflectors.map(|r| r.backoff())
    }

    /// Its loops have run by themselves since they got through: their next ticks, where they have.
    /// `heard`: when its last frame came.
    pub(super) fn went_on(
        &mut self,
        heard: Time,
        lease: Option<Time>,
        status: Option<(Time, u32)>,
    ) {
        if let Connection::Stands { heard: last, unanswered: None, .. } = &mut self.connection {
            *last = heard.max(*last);
        }
        if let Some(tick) = lease {
            self.lease = Heartbeat::Idle(tick);
        }
        if let Some((tick, number)) = status {
            self.status = Heartbeat::Idle(tick);
            self.status_tick = number;
        }
    }

    /// Something is sent to it, which nobody acknowledges.
    pub(super) fn sent_to(&mut self, now: Time) {
        if let Connection::Stands { .. } = self.connection {
            self.connection.send(now);
        }
    }

    /// The server at the other end of its connection dies without a word; others go on.
    pub(super) fn sever(&mut self) {
        if let Connection::Stands { severed, .. } = &mut self.connection {
            *severed = true;
        }
    }

    /// The API server has been started anew and remembers nothing of what its watches delivered.
    pub(super) fn forget(&mut self) {
        self.forgotten = [true; REFLECTORS];
    }

    /// Follows all tries up to `until`; until then the way is like that.
    pub(super) fn follow(&mut self, until: Time, link: Link, draws: &dyn Draws) {
        match link {
            Link::Open => {
                let _ = self.get_through(until, draws);
            }
            Link::Dropped | Link::Refused => self.fail(until, link, draws),
        }
        self.at = until.max(self.at);
    }

    /// When everything gets through again, if the way stays open from now on.
    pub(super) fn back(&self, draws: &dyn Draws) -> Back {
        let mut walk = self.clone();
        let through = walk.get_through(Time::MAX, draws);
        let (connection, live) = through.unwrap_or((self.at, false));
        let [node, pods] = [NODE, PODS].map(|i| walk.watched_since(i, connection, draws));
        let others = (PODS + 1..REFLECTORS).map(|i| walk.watched_since(i, connection, draws));
        Back {
            connection,
            lease: walk.lease.next(),
            status: walk.status.next(),
            status_tick: walk.status_tick,
            live,
            node,
            pods,
            all: others.max().unwrap_or(connection).max(node).max(pods),
        }
    }

    /// When a reflector watches, given that every request is answered from `connection` on.
    fn watched_since(&self, i: usize, connection: Time, draws: &dyn Draws) -> Time {
        let (mut r, mut now) = (self.reflectors[i], connection);
        let jitter = |number, least| draws.jitter(i, number, least);
        while !r.watches() {
            if let Some(until) = r.waits_until() {
                now = now.max(until);
                r.ask(now);
            }
            r.answered(now, self.forgotten[i], &jitter);
        }
        now
    }

    /// Follows the tries that fail.
    fn fail(&mut self, until: Time, link: Link, draws: &dyn Draws) {
        if link == Link::Refused {
            self.closed(draws);
        }
        let settled = self.at + SETTLED;
        self.fail_to(until.min(settled), link, draws);
        if let Some(idle) = idle_span(self.at.max(settled), until) {
            self.shift(idle);
        }
        self.fail_to(until, link, draws);
    }

    /// Follows each of the tries that fail.
    fn fail_to(&mut self, until: Time, link: Link, draws: &dyn Draws) {
        let idle_until = match link {
            // A check that is refused is over at once, and leaves nothing behind.
            Link::Refused => until,
            Link::Dropped | Link::Open => until.min(draws.asks_from()),
        };
        self.skip_idle_checks(idle_until, draws);
        while self.next_event() <= until {
            self.at = self.next_event();
            self.step(link, draws);
        }
    }

    /// All that is tried is tried that much later.
    fn shift(&mut self, by: Dur) {
        self.at += by;
        self.connection.shift(by);
        self.lease = self.lease.shifted(by);
        self.status = self.status.shifted(by);
        self.reflectors.iter_mut().for_each(|r| r.shift(by));
    }

    /// Where there are thousands of checks that change nothing up to `idle_until`, most are passed
    /// over: when the next one comes is anybody's guess by then.
    fn skip_idle_checks(&mut self, idle_until: Time, draws: &dyn Draws) {
        let Heartbeat::Idle(next) = self.status else { return };
        let period = draws.status_period(self.status_tick);
        let checks = idle_until.since(next).as_nanos() / period.as_nanos().max(1);
        if checks > 2 * IDLE_CHECKS {
            let skipped = checks - IDLE_CHECKS;
            self.status = Heartbeat::Idle(next + period * skipped);
            self.status_tick = self.status_tick.wrapping_add(skipped as u32);
        }
    }

    /// Follows the tries from now on until one gets through, while the way is open; then, and
    /// whether that is in the middle of a status update.
    fn get_through(&mut self, until: Time, draws: &dyn Draws) -> Option<(Time, bool)> {
        loop {
            let revives = self.connection.revives(self.at);
            let dead = self.connection.found_dead();
            let others = self.next_of_others().min(revives.unwrap_or(Time::MAX));
            self.skip_idle_checks(until.min(draws.asks_from()).min(others), draws);
            let next = self.next_event();
            let first =
                revives.filter(|&r| dead.is_none_or(|d| r < d) && (r <= next || next == Time::MAX));
            match first {
                Some(at) if at <= until => return Some(self.revive(at, until, draws)),
                None if next <= until => {
                    self.at = next;
                    self.step(Link::Dropped, draws);
                }
                _ => return None,
            }
        }
    }

    /// When something happens next, if nobody answers.
    fn next_event(&self) -> Time {
        let next = self.next_of_others().min(self.status.next());
        next.max(self.at)
    }

    /// When something else than the status loop's next step happens, if nobody answers.
    fn next_of_others(&self) -> Time {
        let asked = |r: &Reflector| r.asks_since().map(|since| since + DIAL);
        let has_connection = self.connection.found_dead().is_some();
        let reflectors = self
            .reflectors
            .iter()
            .filter_map(|r| r.waits_until().or_else(|| asked(r).filter(|_| !has_connection)));
        let others = reflectors.chain(self.connection.found_dead()).min();
        others.unwrap_or(Time::MAX).min(self.lease.next())
    }

    /// What happens now: a connection is found dead, tries end and begin.
    fn step(&mut self, link: Link, draws: &dyn Draws) {
        let now = self.at;
        if self.connection.found_dead().is_some_and(|dead| dead <= now) {
            self.lost(draws);
        }
        if self.lease.next() <= now {
            self.step_lease(link);
        }
        if self.status.next() <= now {
            self.step_status(link, draws);
        }
        for i in 0..REFLECTORS {
            self.step_reflector(i, link, draws);
        }
    }

    fn step_lease(&mut self, link: Link) {
        let now = self.at;
        let mut tries = match self.lease {
            Heartbeat::Idle(_) => 0,
            Heartbeat::Pausing(_, tries) => tries,
            Heartbeat::Trying(_, tries) => match lease_pause(tries) {
                Some(pause) => return self.lease = Heartbeat::Pausing(now + pause, tries),
                None => tries,
            },
        };
        loop {
            tries += 1;
            if link != Link::Refused {
                self.connection.send(now);
                return self.lease = Heartbeat::Trying(now, tries);
            }
            if let Some(pause) = lease_pause(tries) {
                return self.lease = Heartbeat::Pausing(now + pause, tries);
            }
        }
    }

    fn step_status(&mut self, link: Link, draws: &dyn Draws) {
        let now = self.at;
        let tries = match self.status {
            Heartbeat::Idle(_) if now < draws.asks_from() => return self.status_sleeps(draws),
            Heartbeat::Idle(_) | Heartbeat::Pausing(..) => 0,
            Heartbeat::Trying(_, TRIES..) => return self.status_sleeps(draws),
            Heartbeat::Trying(_, tries) => tries,
        };
        if link == Link::Refused {
            // All tries fail at once.
            return self.status_sleeps(draws);
        }
        self.connection.send(now);
        self.status = Heartbeat::Trying(now, tries + 1);
    }

    fn status_sleeps(&mut self, draws: &dyn Draws) {
        self.status = Heartbeat::Idle(self.at + draws.status_period(self.status_tick));
        self.status_tick = self.status_tick.wrapping_add(1);
    }

    fn step_reflector(&mut self, i: usize, link: Link, draws: &dyn Draws) {
        let now = self.at;
        let jitter = |number, least| draws.jitter(i, number, least);
        let has_connection = self.connection.found_dead().is_some();
        let r = &mut self.reflectors[i];
        if r.waits_until().is_some_and(|until| until <= now) {
            r.ask(now);
            if link == Link::Refused {
                r.refused(now, &jitter);
            } else {
                self.connection.send(now);
            }
        } else if !has_connection && r.asks_since().is_some_and(|since| since + DIAL <= now) {
            r.timed_out(now, &jitter);
        }
    }

    /// The connection was found dead: everything under way on it fails, and what is tried again is
    /// dialled for.
    fn lost(&mut self, draws: &dyn Draws) {
        let now = self.at;
        self.connection = Connection::None { dials: Vec::new() };
        self.tries_fail(Link::Dropped, draws);
        for (i, r) in self.reflectors.iter_mut().enumerate() {
            r.lost(now, &|number, least| draws.jitter(i, number, least));
        }
    }

    /// Tries of the loops that are under way fail.
    fn tries_fail(&mut self, link: Link, draws: &dyn Draws) {
        if let Heartbeat::Trying(..) = self.lease {
            self.step_lease(link);
        }
        if let Heartbeat::Trying(..) = self.status {
            self.step_status(link, draws);
        }
    }

    /// The server closes the connection, and refuses new ones.
    fn closed(&mut self, draws: &dyn Draws) {
        let now = self.at;
        if self.connection.found_dead().is_some() {
            for (i, r) in self.reflectors.iter_mut().enumerate() {
                r.closed(now);
                r.refused(now, &|number, least| draws.jitter(i, number, least));
            }
        }
        // Whatever is dialled is refused at its next SYN: at once, to within seconds.
        self.connection = Connection::None { dials: Vec::new() };
        self.tries_fail(Link::Refused, draws);
        for (i, r) in self.reflectors.iter_mut().enumerate() {
            r.refused(now, &|number, least| draws.jitter(i, number, least));
        }
    }

    /// The connection carries something again, and all who wait for an answer get it. Reflectors
    /// that pause ask when their pause is over; those of them that do up to `until` are followed.
    fn revive(&mut self, at: Time, until: Time, draws: &dyn Draws) -> (Time, bool) {
        self.at = at;
        self.connection = Connection::Stands { heard: at, unanswered: None, severed: false };
        if let Heartbeat::Trying(..) = self.lease {
            self.lease = Heartbeat::Idle(at);
        }
        let mut live = false;
        if let Heartbeat::Trying(_, tries) = self.status {
            live = tries > 1;
            self.status = Heartbeat::Idle(at);
        }
        for (i, r) in self.reflectors.iter_mut().enumerate() {
            let forgotten = self.forgotten[i];
            let jitter = |number, least| draws.jitter(i, number, least);
            if forgotten && r.watches() {
                r.closed(at);
            }
            r.answered(at, forgotten, &jitter);
            while let Some(ends) = r.waits_until().filter(|&t| t <= until && until != Time::MAX) {
                r.ask(ends);
                r.answered(ends, forgotten, &jitter);
            }
            // A watch that has been listed anew is known again.
            self.forgotten[i] &= !r.watches();
        }
        (at, live)
    }
}
