//! The tries of a heartbeat loop.

use crate::controllers::prelude::*;

/// How long one try of a request takes to fail while nobody answers: the heartbeat client's timeout
/// (`pkg/kubelet/…/server.go`: as long as `nodeStatusUpdateFrequency` by default).
const TRY: Dur = Dur::from_secs(10);
/// Tries of one renewal, and of one status update, one right after the other.
const TRIES: u32 = 5;
/// The first pause of the lease's ensure loop, and its longest.
const ENSURE_FIRST: Dur = Dur::from_millis(200);
const ENSURE_MAX: Dur = Dur::from_secs(7);

/// What comes after a failed try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// The next try, at once.
    Again,
    /// A pause until then, and a try.
    Pause(Time),
    /// Nothing before the loop's next tick.
    GivenUp,
}

/// Where a heartbeat loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heartbeat {
    /// It does nothing before that tick.
    Idle(Time),
    /// A try is under way: since when, and the number of the try, from one on.
    Trying(Time, u32),
    /// It pauses until that time, after that number of failed tries.
    Pausing(Time, u32),
}

impl Heartbeat {
    /// When something happens next, if nobody answers.
    pub(super) fn next(self) -> Time {
        match self {
            Self::Idle(at) | Self::Pausing(at, _) => at,
            Self::Trying(since, _) => since + TRY,
        }
    }

    /// The same, that much later.
    pub(super) fn shifted(self, by: Dur) -> Self {
        match self {
            Self::Idle(at) => Self::Idle(at + by),
            Self::Trying(since, tries) => Self::Trying(since + by, tries),
            Self::Pausing(until, tries) => Self::Pausing(until + by, tries),
        }
    }

    /// A lease's loop after its try of that number has failed: five tries of the renewal, then the
    /// ensure loop, a try and a pause that doubles.
    pub(super) fn lease_failed(now: Time, tries: u32) -> After {
        if tries <= TRIES {
            return After::Again;
        }
        let doublings = (tries - TRIES - 1).min(16);
        After::Pause(now + (ENSURE_FIRST * (1 << doublings)).min(ENSURE_MAX))
    }

    /// A status loop after its try of that number has failed.
    pub(super) fn status_failed(tries: u32) -> After {
        if tries < TRIES { After::Again } else { After::GivenUp }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_tried_five_times_and_then_with_pauses_up_to_seven_seconds() {
        let pauses: Vec<u64> = (6..=13)
            .map(|tries| match Heartbeat::lease_failed(Time::ZERO, tries) {
                After::Pause(t) => t.as_nanos() / 1_000_000,
                other => panic!("{other:?} after {tries} tries"),
            })
            .collect();
        assert_eq!(pauses, [200, 400, 800, 1_600, 3_200, 6_400, 7_000, 7_000]);
        assert_eq!(Heartbeat::lease_failed(Time::ZERO, 5), After::Again);
        assert_eq!(Heartbeat::status_failed(4), After::Again);
        assert_eq!(Heartbeat::status_failed(5), After::GivenUp);
    }
}
