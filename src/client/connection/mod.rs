//! Connections to the API server, as client-go has them: what becomes of one whose packets vanish
//! or whose server refuses it, and when the next one stands. Plain arithmetic, for kubelets and
//! controllers alike.

mod backoff;
mod reflector;
mod tcp;

use crate::kernel::{Dur, Time};
pub(crate) use backoff::Backoff;
pub(crate) use reflector::Reflector;

pub(crate) use tcp::{BROKEN, DIAL, READ_IDLE, retransmitted, syn};

/// By then every pause is as long as it gets: what is tried for longer is tried in the same way,
/// again and again, so that the time in between need not be followed.
pub(crate) const SETTLED: Dur = Dur::from_secs(3600);

/// How much of a time from `now` on need not be followed.
pub(crate) fn idle_span(now: Time, until: Time) -> Option<Dur> {
    let rest = until.since(now);
    (rest > SETTLED * 3).then(|| rest.saturating_sub(SETTLED))
}

/// What becomes of packets between a client and the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    /// They arrive.
    Open,
    /// They vanish: nobody answers, and nobody is told.
    Dropped,
    /// Connections are reset, and new ones refused, at once.
    Refused,
}
