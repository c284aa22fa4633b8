//! The back-off between the attempts of a reflector.

use crate::client::prelude::*;
use crate::plan::WatchRetry;

/// `client-go/tools/cache/reflector.go`, `NewReflectorWithOptions`:
/// `wait.NewExponentialBackoffManager(800*time.Millisecond, 30*time.Second, 2*time.Minute, 2.0,
/// 1.0, …)`.
const FIRST: Dur = Dur::from_millis(800);
const LONGEST: Dur = Dur::from_secs(30);
const RESET: Dur = Dur::from_secs(120);

/// By then every pause is as long as it gets: what is tried for longer is tried in the same way,
/// again and again, so that the time in between need not be followed.
pub(crate) const SETTLED: Dur = Dur::from_secs(3600);

/// How much of a time from `now` on need not be followed.
pub(crate) fn idle_span(now: Time, until: Time) -> Option<Dur> {
    let rest = until.since(now);
    (rest > SETTLED * 3).then(|| rest.saturating_sub(SETTLED))
}

/// `wait.exponentialBackoffManagerImpl`: a pause that doubles from 0.8 s up to 30 s, and by chance is up
/// to twice as long; it begins anew where there was none for two minutes. From 1.36 on it is
/// `wait.backoffManager`, whose two minutes are those since it began anew, or was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    next: Dur,
    /// When its last pause began, or where that counts, when it began anew; none if long ago.
    began: Option<Time>,
    drawn: u32,
    retry: WatchRetry,
}

impl Backoff {
    /// One that has not been asked; when it was made, if that was not long ago.
    pub(crate) const fn new(retry: WatchRetry, made: Option<Time>) -> Self {
        Self { next: FIRST, began: made, drawn: 0, retry }
    }

    /// The pause that begins at `now` because a watch was refused.
    pub(super) fn pause_of_refused(&mut self, now: Time, jitter: &dyn Fn(u32, Dur) -> Dur) -> Dur {
        match self.retry {
            WatchRetry::Fixed(pause) => pause,
            WatchRetry::Grows | WatchRetry::GrowsAnew => self.pause(now, jitter),
        }
    }

    /// Its last pause was that much later.
    pub(super) fn shift(&mut self, by: Dur) {
        self.began = self.began.map(|began| began + by);
    }

    /// The pause that begins at `now`. `jitter` draws, by the number of the draw, how much longer it
    /// is than what it is given, up to as much again.
    pub(crate) fn pause(&mut self, now: Time, jitter: &dyn Fn(u32, Dur) -> Dur) -> Dur {
        let anew = self.began.is_none_or(|began| now.since(began) > RESET);
        if anew {
            self.next = FIRST;
        }
        if anew || self.retry != WatchRetry::GrowsAnew {
            self.began = Some(now);
        }
        let least = self.next;
        self.next = (least * 2).min(LONGEST);
        self.drawn = self.drawn.wrapping_add(1);
        least + jitter(self.drawn, least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_thirty_seconds_and_begin_anew_after_two_minutes() {
        let mut backoff = Backoff::new(WatchRetry::Grows, None);
        let (mut now, mut pauses) = (Time::ZERO, Vec::new());
        for _ in 0..7 {
            let pause = backoff.pause(now, &|_, _| Dur::ZERO);
            now += pause;
            pauses.push(pause.as_nanos() / 1_000_000);
        }
        assert_eq!(pauses, [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]);
        let late = now + Dur::from_secs(121);
        assert_eq!(backoff.pause(late, &|_, least| least), Dur::from_millis(1_600));
    }

    /// Made at 0 and asked at 61.7 s for the first time: the pauses end 0.8, 2.4, 5.6, 12, 24.8 and
    /// 50.4 s after that, at 112.1 s; the next one, of 30 s, at 142.1 s, which is more than two minutes
    /// after 0. So that the one after that is the first again.
    #[test]
    fn from_1_36_on_they_begin_anew_every_two_minutes() {
        let mut backoff = Backoff::new(WatchRetry::GrowsAnew, Some(Time::ZERO));
        let mut now = Time::from_nanos(61_700_000_000);
        let pauses: Vec<u64> = (0..9)
            .map(|_| {
                let pause = backoff.pause(now, &|_, _| Dur::ZERO);
                now += pause;
                pause.as_nanos() / 1_000_000
            })
            .collect();
        assert_eq!(pauses, [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 800, 1_600]);
    }
}
