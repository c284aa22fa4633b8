//! A reflector whose watch broke, until it watches again.
//!
//! `client-go/tools/cache/reflector.go`, v1.34. A watch that ends with its connection is asked for
//! again from where it was (`watch`); refused, it waits its back-off and asks again
//! (`isWatchErrorRetriable`). Any other failure ends `ListAndWatch`, which begins again with a list
//! after the same back-off (`RunWithContext`). A server whose watch cache does not reach back to
//! where the watch was answers "too old resource version"; that, too, is a wait and a list.

use super::backoff::{Backoff, SETTLED, idle_span};
use crate::kernel::{Dur, Time};

/// What a reflector asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// A watch from where the last one was.
    Watch,
    /// A list, and a watch from there.
    List,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Watching,
    Waiting(Time, Ask),
    Asking(Time, Ask),
}

/// How a reflector draws its pauses (see [`Backoff::pause`]).
pub(crate) type Jitter<'a> = &'a dyn Fn(u32, Dur) -> Dur;

/// A reflector.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reflector {
    state: State,
    backoff: Backoff,
}

impl Reflector {
    /// One that watches.
    pub(crate) fn watching(backoff: Backoff) -> Self {
        Self {
            state: State::Watching,
            backoff,
        }
    }

    /// One of a process that starts: it has nothing yet.
    pub(crate) fn starting(backoff: Backoff, at: Time) -> Self {
        Self {
            state: State::Waiting(at, Ask::List),
            backoff,
        }
    }

    /// Whether its watch delivers.
    pub(crate) fn watches(&self) -> bool {
        self.state == State::Watching
    }

    /// When its pause ends, while it has one.
    pub(crate) fn waits_until(&self) -> Option<Time> {
        match self.state {
            State::Waiting(until, _) => Some(until),
            _ => None,
        }
    }

    /// Since when its request is under way, while one is.
    pub(crate) fn asks_since(&self) -> Option<Time> {
        match self.state {
            State::Asking(since, _) => Some(since),
            _ => None,
        }
    }

    /// Its back-off, which outlasts what disturbs it.
    pub(crate) fn backoff(&self) -> Backoff {
        self.backoff
    }

    fn pause(&mut self, now: Time, then: Ask, jitter: Jitter<'_>) {
        self.state = State::Waiting(now + self.backoff.pause(now, jitter), then);
    }

    /// Its pause is over: it asks.
    pub(crate) fn ask(&mut self, now: Time) {
        if let State::Waiting(_, ask) = self.state {
            self.state = State::Asking(now, ask);
        }
    }

    /// Its connection was closed, as by a server that goes: it asks for the watch at once.
    pub(crate) fn closed(&mut self, now: Time) {
        if self.state == State::Watching {
            self.state = State::Asking(now, Ask::Watch);
        }
    }

    /// Its connection was found dead: that is an error of the watch.
    pub(crate) fn lost(&mut self, now: Time, jitter: Jitter<'_>) {
        if !matches!(self.state, State::Waiting(..)) {
            self.pause(now, Ask::List, jitter);
        }
    }

    /// What it asked for was refused.
    pub(crate) fn refused(&mut self, now: Time, jitter: Jitter<'_>) {
        match self.state {
            State::Asking(_, ask @ Ask::Watch) => {
                let until = now + self.backoff.pause_of_refused(now, jitter);
                self.state = State::Waiting(until, ask);
            }
            State::Asking(_, ask @ Ask::List) => self.pause(now, ask, jitter),
            _ => {}
        }
    }

    /// What it asked for got no answer in time.
    pub(crate) fn timed_out(&mut self, now: Time, jitter: Jitter<'_>) {
        if let State::Asking(..) = self.state {
            self.pause(now, Ask::List, jitter);
        }
    }

    /// What it asked for is answered. `forgotten`: the server does not know where its watch was.
    pub(crate) fn answered(&mut self, now: Time, forgotten: bool, jitter: Jitter<'_>) {
        match self.state {
            State::Asking(_, Ask::Watch) if forgotten => self.pause(now, Ask::List, jitter),
            State::Asking(..) => self.state = State::Watching,
            _ => {}
        }
    }

    /// All that it does comes that much later.
    pub(crate) fn shift(&mut self, by: Dur) {
        match &mut self.state {
            State::Watching => {}
            State::Waiting(at, _) | State::Asking(at, _) => *at += by,
        }
        self.backoff.shift(by);
    }

    /// When a reflector whose watch ended at `ended`, with a server that refuses until `serves`,
    /// watches again.
    pub(crate) fn back_after(
        mut self,
        (ended, serves): (Time, Time),
        forgotten: bool,
        jitter: Jitter<'_>,
    ) -> (Time, Self) {
        let mut now = ended;
        self.closed(now);
        while !self.watches() {
            if let Some(idle) = idle_span(now, serves).filter(|_| now.since(ended) > SETTLED) {
                self.shift(idle);
                now += idle;
            }
            if let Some(until) = self.waits_until() {
                now = until.max(now);
                self.ask(now);
            }
            if now < serves {
                self.refused(now, jitter);
            } else {
                self.answered(now, forgotten, jitter);
            }
        }
        (now, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::WatchRetry;

    fn none(_: u32, _: Dur) -> Dur {
        Dur::ZERO
    }

    /// An outage from 0 on; the watch is asked for at once and then after 0.8, 2.4, 5.6, 12, 24.8,
    /// 50.4 and 80.4 s.
    fn back(serves: u64, forgotten: bool) -> u64 {
        let reflector = Reflector::watching(Backoff::new(WatchRetry::Grows, None));
        let serves = Time::from_secs(serves);
        let (back, _) = reflector.back_after((Time::ZERO, serves), forgotten, &none);
        back.as_nanos() / 1_000_000
    }

    #[test]
    fn a_refused_watch_is_asked_for_again_after_its_back_off() {
        assert_eq!(back(0, false), 0);
        assert_eq!(back(10, false), 12_000);
        assert_eq!(back(30, false), 50_400);
        assert_eq!(back(60, false), 80_400);
    }

    /// Up to 1.19 it sleeps for a second, however often it was refused.
    #[test]
    fn where_the_pause_is_fixed_a_refused_watch_comes_back_within_it() {
        let second = Dur::from_secs(1);
        let reflector = Reflector::watching(Backoff::new(WatchRetry::Fixed(second), None));
        let serves = Time::from_nanos(89_400_000_000);
        let (back, _) = reflector.back_after((Time::ZERO, serves), false, &none);
        assert_eq!(back, Time::from_secs(90));
    }

    #[test]
    fn a_server_that_has_forgotten_costs_a_second_pause() {
        // The pause after the answer at 12 s is the sixth, 12.8 s; that after 80.4 s is 30 s.
        assert_eq!(back(10, true), 12_000 + 12_800);
        assert_eq!(back(60, true), 80_400 + 30_000);
    }

    /// After an hour pauses are of 30 s: a year is as its last hour, whatever was left out.
    #[test]
    fn a_year_is_not_followed_pause_by_pause() {
        let year = 365 * 86_400;
        let back = back(year, false);
        assert!(
            (year * 1_000..=year * 1_000 + 30_000).contains(&back),
            "{back}"
        );
    }
}
