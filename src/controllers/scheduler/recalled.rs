//! What the scheduler knows when it has been running for long and its objects come from an export:
//! the pods that it tried and found no node for, with their back-offs.
//!
//! No release of upstream has such a start. A pod that no node takes as things stand waits for a
//! change, as it was tried when the last one came; who rejects it now is who rejected it then. One
//! that would find a node is tried at once. How often it was tried and when last is a draw where no
//! event tells: tries come no sooner than back-offs allow, and one for each time that pods which
//! have waited for too long are tried again.

use super::algorithm::{Diagnosis, Incoming, Outcome};
use super::core::Core;
use super::queued_pod::{Before, Place, QueuedPod};
use crate::controllers::prelude::*;
use crate::plan::Waited;

const SECOND_US: i64 = 1_000_000;
/// The number of tries from which on the back-off is the longest: 1 s, 2 s, 4 s, 8 s, 10 s, 10 s and so on.
const LONGEST_AFTER: u32 = 5;
const LONGEST_S: i64 = 10;

/// The back-off after a number of tries, in seconds.
fn backoff_s(tries: u32) -> i64 {
    match tries {
        0 => 0,
        1..LONGEST_AFTER => 1 << (tries - 1),
        _ => LONGEST_S,
    }
}

/// How long after the first of a number of tries the last one comes, at least, in seconds.
fn spread_s(tries: u32) -> i64 {
    (1..tries).map(backoff_s).fold(0, i64::saturating_add)
}

/// How often a pod was tried that has been unschedulable for so long: at least and at most. More
/// than it takes for the longest back-off make no difference.
fn bounds(waited_s: i64, flush: Dur) -> (u32, u32) {
    let flushed = waited_s / (flush.as_secs() as i64).max(1);
    let least = u32::try_from(flushed).unwrap_or(0).clamp(0, LONGEST_AFTER) + 1;
    let most = (1..=LONGEST_AFTER + 1).take_while(|n| spread_s(*n) <= waited_s).last().unwrap_or(1);
    (least.min(most), most)
}

/// Puts pods that were tried before aside. The caches are filled.
pub(super) fn recall_waiting(core: &Core, waits: BTreeMap<PodId, Waited>) {
    if waits.is_empty() {
        return;
    }
    let point = core.ctx.point("scheduler-recalled");
    let with_tries = |(id, waited)| (id, tried(core, id, waited, point));
    let mut all: Vec<(PodId, Waited)> = waits.into_iter().map(with_tries).collect();
    // The one that was tried first is the first to be tried again.
    all.sort_by_key(|(id, tried)| (tried.last_us.unwrap_or_default(), *id));
    all.into_iter().for_each(|(id, tried)| recall_pod(core, id, tried));
}

/// With how often it was tried, and when last.
fn tried(core: &Core, id: PodId, waited: Waited, point: PointId) -> Waited {
    let waited_us = waited.since_us.min(0).saturating_neg();
    let flush = core.switches().unschedulable_flush;
    let draw = |min: i64, max: i64| {
        let (min, max) = (min.unsigned_abs(), max.max(min).unsigned_abs());
        core.ctx.uniform(point, core.client.pod_object(id), min, max) as i64
    };
    let tries = waited.tries.unwrap_or_else(|| {
        let (least, most) = bounds(waited_us / SECOND_US, flush);
        draw(i64::from(least), i64::from(most)) as u32
    });
    let last = waited.last_us.unwrap_or_else(|| {
        // Since it would have been tried again, no longer ago than that.
        let longest = i64::try_from(flush.as_nanos() / 1_000).unwrap_or(i64::MAX);
        let first = waited_us - spread_s(tries.min(LONGEST_AFTER + 1)) * SECOND_US;
        -draw(0, first.clamp(0, longest))
    });
    Waited { tries: Some(tries), last_us: Some(last), ..waited }
}

fn recall_pod(core: &Core, id: PodId, waited: Waited) {
    let Some(mut entry) = core.state.with(|s| s.queue.take_active(id)) else { return };
    let Some(diagnosis) = fits_nowhere(core, &entry) else {
        return core.state.with(|s| s.queue.put(Place::Active, entry));
    };
    let tries = waited.tries.unwrap_or(1);
    (entry.attempts, entry.rejections) = (tries, tries);
    entry.rejected_by = diagnosis.plugins;
    let last_us = waited.last_us.unwrap_or(0);
    let ends_us = last_us.saturating_add(backoff_s(tries) * SECOND_US).max(0);
    let us = |us: i64| Dur::from_micros(us.unsigned_abs());
    let (backoff_ends, tried_ago) = (Time::ZERO + us(ends_us), us(last_us));
    entry.before = Some(Before { backoff_ends, tried_ago });
    core.record_verdicts(id, &diagnosis);
    core.state.with(|s| s.queue.put(Place::Unschedulable, entry));
}

/// Why no node takes a pod as things stand; none if one does.
fn fits_nowhere(core: &Core, entry: &QueuedPod) -> Option<Box<Diagnosis>> {
    let (pod, shape) = (&entry.pod, &entry.shape);
    let owners = core.owners_selector(pod);
    let (volumes, devices) = (core.volumes_of(pod), core.devices_of(pod));
    core.state.with(|s| {
        let (owners, volumes) = (owners.as_ref(), volumes.as_ref());
        let of = Incoming { pod, shape, owners, volumes, devices: devices.as_ref() };
        let start = s.algorithm.next_start;
        let outcome = s.algorithm.schedule_pod(of, &s.nominator, &mut |_| 0);
        s.algorithm.next_start = start;
        match outcome {
            Outcome::Unfit(diagnosis) => Some(diagnosis),
            Outcome::Fits(_) | Outcome::NoNodes => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After tries 1 to 5 a pod backs off for 1, 2, 4, 8 and 10 s (`podInitialBackoffSeconds`,
    /// `podMaxBackoffSeconds`), so that the second comes 1 s after the first, the third 3 s, the
    /// fourth 7 s, the fifth 15 s and the sixth 25 s. Pods that have waited for five minutes are tried again.
    #[test]
    fn tries_come_no_sooner_than_back_offs_allow() {
        assert_eq!([1, 2, 3, 4, 5, 6, 7].map(spread_s), [0, 1, 3, 7, 15, 25, 35]);
        let flush = Dur::from_secs(300);
        let of = |s| bounds(s, flush);
        assert_eq!([0, 1, 6, 7, 20, 25].map(of), [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6)]);
        // Twice five minutes are two tries at least beside the first.
        assert_eq!([301, 601, 86_400].map(of), [(2, 6), (3, 6), (6, 6)]);
    }
}
