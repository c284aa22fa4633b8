//! A reflector whose watch broke, until it watches again.
//!
//! `client-go/tools/cache/reflector.go`, v1.34. A watch that ends with its connection is asked for
//! again from where it was (`watch`); refused, it waits its back-off and asks again
//! (`isWatchErrorRetriable`). Any other failure ends `ListAndWatch`, which begins again with a list
//! after the same back-off (`RunWithContext`). A server whose watch cache does not reach back to
//! where the watch was answers "too old resource version"; that, too, is a wait and a list.

use super::backoff::{Backoff, SETTLED, idle_span};
use crate::client::prelude::*;

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

/// Until when lists and watches are rejected, and how often they are sent again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rejecting {
    /// Requests that arrive before are answered 429.
    pub(crate) until: Time,
    /// From one try to the next.
    pub(crate) every: Dur,
    /// How often a list is sent again.
    pub(crate) lists: u32,
    /// How often a watch is.
    pub(crate) watches: u32,
}

impl Rejecting {
    /// When a request that is sent at `now` is taken, or else given up.
    fn taken(&self, now: Time, ask: Ask) -> Result<Time, Time> {
        let retries = if ask == Ask::Watch { self.watches } else { self.lists };
        let mut tries = (0..=u64::from(retries)).map(|n| now.saturating_add(self.every * n));
        let last = now.saturating_add(self.every * u64::from(retries));
        tries.find(|&at| at >= self.until).ok_or(last)
    }
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
        Self { state: State::Watching, backoff }
    }

    /// One of a process that starts: it has nothing yet.
    pub(crate) fn starting(backoff: Backoff, at: Time) -> Self {
        Self { state: State::Waiting(at, Ask::List), backoff }
    }

    /// Whether its watch delivers.
    pub(crate) fn watches(&self) -> bool {
        self.state == State::Watching
    }

    /// When its pause ends, while it has one.
    pub(crate) fn waits_until(&self) -> Option<Time> {
        let State::Waiting(until, _) = self.state else { return None };
        Some(until)
    }

    /// Since when its request is under way, while one is.
    pub(crate) fn asks_since(&self) -> Option<Time> {
        let State::Asking(since, _) = self.state else { return None };
        Some(since)
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
                self.state = State::Waiting(now + self.backoff.pause_of_refused(now, jitter), ask);
            }
            State::Asking(_, ask @ Ask::List) => self.pause(now, ask, jitter),
            _ => {}
        }
    }

    /// What it asked for was rejected until it gave up. A watch whose client does not try again is not
    /// asked for again either, but listed.
    fn rejected(&mut self, now: Time, by: &Rejecting, jitter: Jitter<'_>) {
        if self.asks_for() == Some(Ask::Watch) && by.watches == 0 {
            self.pause(now, Ask::List, jitter);
        } else {
            self.refused(now, jitter);
        }
    }

    /// What it asks for, while it does.
    fn asks_for(&self) -> Option<Ask> {
        let State::Asking(_, ask) = self.state else { return None };
        Some(ask)
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

    /// When a reflector whose watch ended at `ended`, or has failed then, with a server that refuses until
    /// `serves`, watches again, and whether it listed before.
    pub(crate) fn watches_again(
        &mut self,
        (ended, serves): (Time, Time),
        forgotten: bool,
        rejecting: &Rejecting,
        jitter: Jitter<'_>,
    ) -> (Time, Ask) {
        let (mut now, mut last) = (ended, Ask::Watch);
        while !self.watches() {
            let over = serves.max(rejecting.until);
            if let Some(idle) = idle_span(now, over).filter(|_| now.since(ended) > SETTLED) {
                self.shift(idle);
                now += idle;
            }
            if let Some(until) = self.waits_until() {
                now = until.max(now);
                self.ask(now);
            }
            last = self.asks_for().unwrap_or(last);
            if now < serves {
                self.refused(now, jitter);
                continue;
            }
            match rejecting.taken(now, last) {
                Ok(at) => {
                    now = at;
                    self.answered(now, forgotten, jitter);
                }
                Err(at) => {
                    now = at;
                    self.rejected(now, rejecting, jitter);
                }
            }
        }
        (now, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::WatchRetry;

    fn none(_: u32, _: Dur) -> Dur {
        Dur::ZERO
    }

    const NOBODY: Rejecting =
        Rejecting { until: Time::ZERO, every: Dur::from_secs(1), lists: 10, watches: 10 };

    /// One whose watch ends at 0.
    fn ended(retry: WatchRetry) -> Reflector {
        let mut reflector = Reflector::watching(Backoff::new(retry, None));
        reflector.closed(Time::ZERO);
        reflector
    }

    /// A watch that ends at 0 and is rejected until 4.5 s is taken at 5 s, the next whole try. Until
    /// 20.5 s: given up at 10 s, asked for again after the first pause at 10.8 s, and taken at 20.8 s.
    /// Where watches are not tried again, there is a list, at 0.8, 1.8 … 10.8 s, after the next pause
    /// at 12.4 s, and taken at 21.4 s.
    #[test]
    fn what_is_rejected_is_tried_again_every_second() {
        let back = |until: u64, watches: u32| {
            let rejecting =
                Rejecting { until: Time::from_nanos(until * 1_000_000), watches, ..NOBODY };
            let (back, ask) = ended(WatchRetry::Grows).watches_again(
                (Time::ZERO, Time::ZERO),
                false,
                &rejecting,
                &none,
            );
            (back.as_nanos() / 1_000_000, ask)
        };
        assert_eq!(back(0, 10), (0, Ask::Watch));
        assert_eq!(back(4_500, 10), (5_000, Ask::Watch));
        assert_eq!(back(10_000, 10), (10_000, Ask::Watch));
        assert_eq!(back(20_500, 10), (20_800, Ask::Watch));
        assert_eq!(back(20_500, 0), (21_400, Ask::List));
    }

    /// An outage from 0 on; the watch is asked for at once and then after 0.8, 2.4, 5.6, 12, 24.8,
    /// 50.4 and 80.4 s.
    fn back(serves: u64, forgotten: bool) -> u64 {
        let outage = (Time::ZERO, Time::from_secs(serves));
        let (back, _) = ended(WatchRetry::Grows).watches_again(outage, forgotten, &NOBODY, &none);
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
        let outage = (Time::ZERO, Time::from_nanos(89_400_000_000));
        let (back, _) =
            ended(WatchRetry::Fixed(second)).watches_again(outage, false, &NOBODY, &none);
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
        assert!((year * 1_000..=year * 1_000 + 30_000).contains(&back), "{back}");
    }
}
