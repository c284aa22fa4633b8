//! Connections to the API server, as client-go has them: what becomes of one whose packets vanish
//! or whose server refuses it, and when the next one stands. Plain arithmetic, for kubelets and
//! controllers alike.
//!
//! TCP and HTTP/2 where packets vanish.
//!
//! What was sent is sent again after 0.2 s, and after twice as long each time (Linux,
//! `TCP_RTO_MIN`). HTTP/2 notices a dead connection by itself: 30 s after the last frame it sends a
//! ping, and gives up 15 s later (`apimachinery/pkg/util/net/http.go`, `readIdleTimeoutSeconds`,
//! `pingTimeoutSeconds`). A new connection is dialled for 30 s (`client-go/transport/cache.go`), in
//! which Linux sends its SYN at 0, 1, 3, 7 and 15 s (`TCP_TIMEOUT_INIT`, doubling).

mod backoff;
mod reflector;

pub(crate) use backoff::{Backoff, SETTLED, idle_span};
pub(crate) use reflector::{Ask, Reflector, Rejecting};

use crate::client::prelude::*;

/// What becomes of packets between a client and the API server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Link {
    /// They arrive.
    #[default]
    Open,
    /// They vanish: nobody answers, and nobody is told.
    Dropped,
    /// Connections are reset, and new ones refused, at once.
    Refused,
}

/// Linux' least retransmission timeout, which is that of a fast network, and its greatest.
const FIRST_RETRANSMISSION: Dur = Dur::from_millis(200);
const LONGEST_RETRANSMISSION: Dur = Dur::from_secs(120);

/// How long after its last frame a connection is pinged.
pub(crate) const READ_IDLE: Dur = Dur::from_secs(30);

/// How long after its last frame a connection is given up: the ping has another 15 s.
pub(crate) const BROKEN: Dur = Dur::from_secs(45);

/// How long a connection is dialled for.
pub(crate) const DIAL: Dur = Dur::from_secs(30);

/// When a dial sends its SYNs, from its beginning, in seconds.
const SYNS: [u64; 5] = [0, 1, 3, 7, 15];

/// When what was first sent at `sent` is sent again, at or after `t`.
pub(crate) fn retransmitted(sent: Time, t: Time) -> Time {
    let (mut at, mut wait) = (sent, FIRST_RETRANSMISSION);
    while at < t {
        at += wait;
        wait = (wait * 2).min(LONGEST_RETRANSMISSION);
    }
    at
}

/// When a dial that began at `begun` sends its next SYN, at or after `t`; none where it sends no
/// more.
pub(crate) fn syn(begun: Time, t: Time) -> Option<Time> {
    SYNS.into_iter().map(|s| begun + Dur::from_secs(s)).find(|&at| at >= t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retransmissions_come_after_twice_as_long_each_time() {
        // 0.2 · (2^k - 1): 0.2, 0.6, 1.4, 3, 6.2, 12.6, 25.4, 51 s.
        let ms = Time::from_millis;
        for (t, at) in [
            (100_000, 100_000),
            (100_001, 100_200),
            (100_601, 101_400),
            (112_601, 125_400),
            (125_401, 151_000),
        ] {
            assert_eq!(retransmitted(ms(100_000), ms(t)), ms(at), "{t}");
        }
    }

    #[test]
    fn a_dial_sends_five_syns() {
        let s = Time::from_secs;
        let next = |t| syn(s(100), s(t));
        assert_eq!(
            [next(90), next(101), next(104), next(108), next(116)],
            [Some(s(100)), Some(s(101)), Some(s(107)), Some(s(115)), None]
        );
    }
}
