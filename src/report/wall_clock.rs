//! Times of a run as the clock on the wall has them, for runs that begin at a known instant.

use crate::analysis::clock::short;
use crate::kernel::{Dur, Time};
use chrono::{DateTime, SecondsFormat, Utc};

/// When a run begins, in microseconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WallClock(pub i64);

impl WallClock {
    /// A time of the run in microseconds since 1970.
    pub(crate) fn micros(self, at: Time) -> i64 {
        let us = i64::try_from(at.as_nanos() / 1_000).unwrap_or(i64::MAX);
        self.0.saturating_add(us)
    }

    fn at(self, at: Time) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.micros(at)).unwrap_or_default()
    }

    /// `2026-11-21T02:30:05.620Z`
    #[must_use]
    pub(crate) fn rfc3339(self, at: Time) -> String {
        self.at(at).to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// `2026-11-21T02:29:57Z`, of the beginning.
    #[must_use]
    pub(crate) fn begins(self) -> String {
        self.at(Time::ZERO).to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }

    /// `02:30:05`; the fraction is cut off.
    #[must_use]
    pub(crate) fn clock(self, at: Time) -> String {
        self.at(at).format("%H:%M:%S").to_string()
    }
}

/// `in 3m12s`, to the second.
#[cfg(feature = "cli")]
pub(crate) fn from_now(at: Time) -> String {
    format!("in {}", short(Dur::from_secs(at.as_secs())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_clock() {
        // 2026-11-21T02:29:57Z by `date -u -d … +%s`.
        let clock = WallClock(1_795_228_197_000_000);
        assert_eq!(clock.begins(), "2026-11-21T02:29:57Z");
        let at = Time::from_millis(8_620);
        assert_eq!(clock.rfc3339(at), "2026-11-21T02:30:05.620Z");
        assert_eq!(clock.clock(at), "02:30:05");
        assert_eq!(from_now(Time::from_millis(192_900)), "in 3m12s");
    }
}
