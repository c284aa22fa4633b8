//! Connections to the API server, as client-go has them: what becomes of one whose packets vanish
//! or whose server refuses it, and when the next one stands. Plain arithmetic, for kubelets and
//! controllers alike.

mod backoff;
mod reflector;
mod tcp;

pub(crate) use backoff::{Backoff, SETTLED, idle_span};
pub(crate) use reflector::{Ask, Reflector, Rejecting};

pub(crate) use tcp::{BROKEN, DIAL, READ_IDLE, retransmitted, syn};

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
