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
pub(super) const TRIES: u32 = 5;
/// The first pause of the lease's ensure loop, and its longest.
const ENSURE_FIRST: Dur = Dur::from_millis(200);
const ENSURE_MAX: Dur = Dur::from_secs(7);

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
}

/// How long a lease's loop pauses after its try of that number has failed, if it does: it makes five tries of
/// the renewal, then those of the ensure loop, a try and a pause that doubles.
pub(super) fn lease_pause(tries: u32) -> Option<Dur> {
    let doublings = tries.checked_sub(TRIES + 1)?.min(16);
    Some((ENSURE_FIRST * (1 << doublings)).min(ENSURE_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_tried_five_times_and_then_with_pauses_up_to_seven_seconds() {
        let pauses: Vec<Option<Dur>> = (5..=13).map(lease_pause).collect();
        let expected = [200, 400, 800, 1_600, 3_200, 6_400, 7_000, 7_000];
        assert_eq!(pauses[0], None);
        assert_eq!(pauses[1..], expected.map(|ms| Some(Dur::from_millis(ms))));
    }
}
