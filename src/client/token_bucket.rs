//! Token buckets with Go's own arithmetic: a float32 rate in a float64 bucket.
//!
//! `golang.org/x/time/rate/rate.go` (reserveN, advance, durationFromTokens) under
//! `client-go/util/flowcontrol/throttle.go: NewTokenBucketRateLimiter`.

use crate::client::prelude::*;

/// A token bucket.
pub(crate) struct TokenBucket {
    limits: Limits,
    tokens: f64,
    /// When a token was last taken; before that it is full, whenever that was.
    last: Time,
}

impl TokenBucket {
    /// A full bucket.
    pub(crate) fn new(limits: Limits) -> Self {
        TokenBucket { limits, tokens: f64::from(limits.burst), last: Time::ZERO }
    }

    /// A bucket that has that number of tokens at the start of the run.
    pub(crate) fn with_tokens(limits: Limits, tokens: f64) -> Self {
        let mut bucket = Self::new(limits);
        bucket.set_tokens(tokens);
        bucket
    }

    /// Sets what is in it, at most as much as it holds.
    pub(crate) fn set_tokens(&mut self, tokens: f64) {
        self.tokens = tokens.min(f64::from(self.limits.burst));
    }

    /// What it was made with.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// The rate it was made with.
    pub(crate) fn qps(&self) -> f32 {
        self.limits.qps
    }

    /// The tokens at `now` if one is taken, and how long a caller then has to wait.
    fn reserve(&self, now: Time) -> (f64, i64) {
        let limit = f64::from(self.limits.qps);
        let elapsed = now.since(self.last).as_nanos();
        let seconds = (elapsed / 1_000_000_000) as f64 + (elapsed % 1_000_000_000) as f64 / 1e9;
        let tokens = (self.tokens + seconds * limit).min(f64::from(self.limits.burst));
        let left = tokens - 1.0;
        // Go converts the float to an integer by truncation, as `as` does.
        let wait = if left < 0.0 { (1e9 * (-left / limit)) as i64 } else { 0 };
        (left, wait)
    }

    /// Takes a token if there is one now (`Limiter.Allow`). A refusal changes nothing.
    pub(crate) fn try_accept(&mut self, now: Time) -> bool {
        let (left, wait) = self.reserve(now);
        if wait > 0 {
            return false;
        }
        self.tokens = left;
        self.last = now;
        true
    }

    /// Takes a token, now or later, and says how long to wait for it (`Limiter.Wait`).
    pub(crate) fn take(&mut self, now: Time) -> Dur {
        let (left, wait) = self.reserve(now);
        self.tokens = left;
        self.last = now;
        Dur::from_nanos(wait.max(0) as u64)
    }

    /// Whether the next one need not wait either.
    pub(crate) fn has_more(&self) -> bool {
        self.tokens >= 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least elapsed time after which a drained bucket of burst 1 grants again, as
    /// `golang.org/x/time/rate` has it.
    #[test]
    fn grants_after_the_same_nanosecond_as_go() {
        for (qps, expected) in [
            (0.1, 9_999_999_850_u64),
            (0.01, 100_000_002_235),
            (0.02, 50_000_001_117),
            (0.05, 19_999_999_701),
            (0.2, 4_999_999_925),
            (0.3, 3_333_333_200),
            (0.5, 2_000_000_000),
            (1.0, 999_999_999),
            (10.0, 99_999_999),
        ] {
            let grants = |after: u64| {
                let mut b = TokenBucket::new(Limits { qps, burst: 1 });
                let start = Time::from_secs(1000);
                assert!(b.try_accept(start));
                b.try_accept(start + Dur::from_nanos(after))
            };
            assert!(grants(expected), "{qps}");
            assert!(!grants(expected - 1), "{qps}");
        }
    }

    #[test]
    fn waiting_callers_are_spaced_by_the_rate() {
        // 20 per second, burst 30: the 31st call waits 50 ms, the 32nd 100 ms.
        let mut b = TokenBucket::new(Limits { qps: 20.0, burst: 30 });
        for _ in 0..30 {
            assert!(b.take(Time::ZERO).is_zero());
        }
        assert_eq!(b.take(Time::ZERO), Dur::from_millis(50));
        assert_eq!(b.take(Time::ZERO), Dur::from_millis(100));
    }
}
