//! The connection itself.

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
