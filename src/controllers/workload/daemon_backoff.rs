//! The back-off of the deletion of a DaemonSet's failed pods (`flowcontrol.Backoff`;
//! `app/apps.go: startDaemonSetController`, v1.34). It starts over after twice the longest.

use crate::controllers::prelude::*;

const BACKOFF: Dur = Dur::from_secs(1);
const LONGEST_BACKOFF: Dur = Dur::from_secs(15 * 60);

/// By life of the DaemonSet, the generation that its status is of, and node: how long it is, and when it began.
#[derive(Default)]
pub(super) struct FailedPodsBackoff(BTreeMap<(Uid, i64, NodeId), (Dur, Time)>);

impl FailedPodsBackoff {
    /// The whole length of the back-off of a node's failed pods while it lasts; otherwise the next,
    /// longer one begins.
    pub(super) fn is_in(&mut self, now: Time, key: (Uid, i64, NodeId)) -> Option<Dur> {
        let last = self.0.get(&key).copied();
        let next = match last.filter(|(_, since)| now.since(*since) <= LONGEST_BACKOFF * 2) {
            Some((length, since)) if now.since(since) < length => return Some(length),
            Some((length, _)) => (length * 2).min(LONGEST_BACKOFF),
            None => BACKOFF,
        };
        self.0.insert(key, (next, now));
        None
    }
}
