//! The connection itself, and the tries of a heartbeat loop over it.

use crate::client::connection::{BROKEN, DIAL, READ_IDLE, retransmitted, syn};
use crate::controllers::prelude::*;

/// A kubelet's connection to the API server.
#[derive(Clone, Debug)]
pub(super) enum Connection {
    /// It stands, for all that its two ends know: when its last frame came, and since when something
    /// that was sent goes without an answer.
    Stands {
        heard: Time,
        unanswered: Option<Time>,
        /// Its other end is gone for good.
        severed: bool,
    },
    /// There is none. Dials under way, by when they began; one goes on when whoever asked gives up
    /// (`net/http/transport.go`, `queueForDial`).
    None { dials: Vec<Time> },
}

impl Connection {
    /// Something is sent on it, or, where there is none, for it a new one is dialled.
    pub(super) fn send(&mut self, now: Time) {
        match self {
            Self::Stands { unanswered, .. } => {
                unanswered.get_or_insert(now);
            }
            Self::None { dials } => {
                dials.retain(|&begun| begun + DIAL > now);
                if !dials.contains(&now) {
                    dials.push(now);
                }
            }
        }
    }

    /// Whatever is dialled is dialled that much later.
    pub(super) fn shift(&mut self, by: Dur) {
        if let Self::None { dials } = self {
            dials.iter_mut().for_each(|begun| *begun += by);
        }
    }

    /// When it is found dead.
    pub(super) fn found_dead(&self) -> Option<Time> {
        match self {
            Self::Stands { heard, .. } => Some(*heard + BROKEN),
            Self::None { .. } => None,
        }
    }

    /// When it carries something again, at or after `now`, if packets arrive from then on: with the
    /// next retransmission or the next SYN.
    pub(super) fn revives(&self, now: Time) -> Option<Time> {
        match self {
            Self::Stands { severed: true, .. } => None,
            Self::Stands { heard, unanswered, .. } => Some(match unanswered {
                Some(sent) => retransmitted(*sent, now),
                // Nothing has been sent but a ping, if it is time.
                None if *heard + READ_IDLE < now => retransmitted(*heard + READ_IDLE, now),
                None => now,
            }),
            Self::None { dials } => dials.iter().filter_map(|&begun| syn(begun, now)).min(),
        }
    }
}

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
