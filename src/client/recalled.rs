//! What a controller that has been running for long knows beside what the objects of an export
//! tell, and what its client's limiter has left after what they tell of its requests.

use super::InformerFactory;
use crate::api::meta::ConditionStatus;
use crate::client::prelude::*;

/// Requests further back than this have been made up for by any limiter.
const REACH_S: i64 = 900;

/// What is known of a process that has been running for long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Recalled {
    /// When its controllers started as it took office, ns from the start and not above zero; none is long ago. Of
    /// what was before it knows what a new process learns.
    pub(crate) office_ns: Option<i64>,
    /// When the node lifecycle controller's next pass comes, from the start; none is not known.
    pub(crate) pass: Option<Dur>,
    /// When it was last seen in a pass, ns from the start and not above zero.
    pub(crate) passed_ns: Option<i64>,
}

impl Recalled {
    /// That time, or when the process took office, if that was later.
    pub(crate) fn since_office(self, ns: i64) -> i64 {
        self.office_ns.map_or(ns, |office| office.max(ns))
    }
}

/// What a controller asked of the API server in each second before the start, as the objects that
/// it wrote tell.
#[derive(Default)]
pub(crate) struct Asked(BTreeMap<i64, Seen>);

#[derive(Clone, Copy, Default)]
struct Seen {
    requests: u32,
    events: u32,
}

/// What is left of a limiter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Left {
    /// Tokens in its bucket.
    pub(crate) tokens: f64,
    /// Events that still wait for one.
    pub(crate) events: u32,
}

/// A taint comes so many seconds after its `timeAdded`, at most, where the limiter has nothing left:
/// its GET and its PATCH each wait behind what the eight workers of a pass, the eight that write other
/// taints, and the events have asked for, 20 a second.
pub(crate) const TAINT_LATE_S: i64 = 2;

/// The second since which nobody has known a node's state; none if somebody does.
pub(crate) fn unknown_since(node: &Node) -> Option<i64> {
    node.ready().filter(|c| c.status == ConditionStatus::Unknown).map(|c| c.last_transition_time.0)
}

impl Asked {
    /// What passes of the node lifecycle controller wrote of late: conditions, and pods that they
    /// marked NotReady, each with an event if they say so of pods. Taints come at other times, and
    /// tell nothing of passes: those of zones' queues at their rate.
    pub(crate) fn by_passes(informers: &InformerFactory, pod_event: bool) -> Self {
        let mut asked = Asked::default();
        for node in informers.nodes() {
            let Some(since) = unknown_since(&node) else { continue };
            asked.note(since, 1, 1);
            for pod in informers.pods_on(node.id) {
                let marked = pod.ready.filter(|c| c.status == ConditionStatus::False);
                let marked = marked.map(|c| c.last_transition_time.0);
                if let Some(at) = marked.filter(|at| *at >= since) {
                    asked.note(at, 1, u32::from(pod_event));
                }
            }
        }
        asked
    }

    /// Whether a limiter had nothing left at the end of that second.
    pub(crate) fn drained(&self, second: i64, limits: Limits) -> bool {
        let left = self.left_by(second.saturating_add(1), limits, 0.0);
        left.tokens < 1.0 || left.events > 0
    }

    /// Notes requests of that second, and events that were made then and go through the same
    /// limiter when there is room for them.
    pub(crate) fn note(&mut self, second: i64, requests: u32, events: u32) {
        if (-REACH_S..0).contains(&second) {
            let seen = self.0.entry(second).or_default();
            seen.requests += requests;
            seen.events += events;
        }
    }

    /// The first and the last second of each stretch in which no pause was longer than that.
    pub(crate) fn stretches(&self, pause: i64) -> Vec<(i64, i64)> {
        let mut stretches: Vec<(i64, i64)> = Vec::new();
        for &second in self.0.keys() {
            match stretches.last_mut() {
                Some(last) if second - last.1 <= pause => last.1 = second,
                _ => stretches.push((second, second)),
            }
        }
        stretches
    }

    /// The last of these stretches.
    pub(crate) fn last_stretch(&self, pause: i64) -> Option<(i64, i64)> {
        self.stretches(pause).pop()
    }

    /// What they leave of a limiter at the start. Requests got their tokens, or they would not have
    /// been answered; events take what is left, one second after the other. `within`: how far into
    /// its second a request came. A bucket that was full then has since been filled only for the rest
    /// of that second.
    pub(crate) fn left(&self, limits: Limits, within: f64) -> Left {
        self.left_by(0, limits, within)
    }

    /// As [`Self::left`], at the beginning of that second.
    fn left_by(&self, end: i64, limits: Limits, within: f64) -> Left {
        let (rate, burst) = (f64::from(limits.qps), f64::from(limits.burst));
        let (before, after) = (rate * within, rate * (1.0 - within));
        let (mut tokens, mut waiting) = (burst, 0_u32);
        let Some(&first) = self.0.keys().next() else { return Left { tokens, events: waiting } };
        for second in first..end.min(0) {
            let seen = self.0.get(&second).copied().unwrap_or_default();
            waiting += seen.events;
            tokens = (tokens + before).min(burst) - f64::from(seen.requests);
            tokens = (tokens + after).max(0.0);
            let sent = f64::from(waiting).min(tokens.floor());
            waiting -= sent as u32;
            tokens = (tokens - sent).min(burst);
        }
        Left { tokens, events: waiting }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { qps: 20.0, burst: 30 };

    fn left(asked: &[(i64, u32, u32)]) -> Left {
        left_within(asked, 0.0)
    }

    /// With requests that came so far into their seconds.
    fn left_within(asked: &[(i64, u32, u32)], within: f64) -> Left {
        let mut all = Asked::default();
        for &(second, requests, events) in asked {
            all.note(second, requests, events);
        }
        all.left(LIMITS, within)
    }

    /// A burst of 30 a quarter of a second before the start has left what a quarter of a second
    /// brings at 20 a second; one at the beginning of that second, what a second brings.
    #[test]
    fn a_burst_of_just_now_has_left_little() {
        assert_eq!(left_within(&[(-1, 30, 0)], 0.75).tokens, 5.0);
        assert_eq!(left_within(&[(-1, 30, 0)], 0.0).tokens, 20.0);
        // A second later it is the same second's filling more.
        assert_eq!(left_within(&[(-2, 30, 0)], 0.75).tokens, 25.0);
        // Who is throttled has nothing left, whenever in the second: 30, then 20 a second.
        let drained = [(-4, 30, 0), (-3, 20, 0), (-2, 20, 0), (-1, 20, 0)];
        assert!(left_within(&drained, 0.99).tokens < 1.0);
    }

    #[test]
    fn nothing_asked_leaves_the_bucket_full() {
        let full = Left { tokens: 30.0, events: 0 };
        assert_eq!(left(&[]), full);
        // Ten requests a second are half the rate.
        assert_eq!(left(&[(-3, 10, 0), (-2, 10, 0), (-1, 10, 0)]), full);
    }

    /// 30 + 20 tokens in the first second for 45 requests leave 5, 20 more for 20 leave 5, and
    /// again; the 15 events of the last second take 5 of those 5, and 10 wait.
    #[test]
    fn what_is_asked_beyond_the_rate_drains_it() {
        let asked = [(-3, 45, 0), (-2, 20, 0), (-1, 20, 15)];
        let expected = Left { tokens: 0.0, events: 10 };
        assert_eq!(left(&asked), expected);
    }

    /// What waits goes as soon as there is room: 100 events after 30 + 20 tokens, 20 a second.
    #[test]
    fn events_that_wait_go_at_the_rate() {
        for (second, waiting) in [(-1, 50), (-2, 30), (-3, 10), (-4, 0)] {
            assert_eq!(left(&[(second, 0, 100)]).events, waiting, "{second}");
        }
    }

    /// 30 + 20 tokens for 60 requests are gone by the end of their second, those that 40 leave are not;
    /// a second later there are 20 more. What comes afterwards does not matter.
    #[test]
    fn a_limiter_is_drained_in_the_second_that_asks_for_more() {
        let mut all = Asked::default();
        for (second, requests) in [(-90, 60), (-60, 40), (-30, 25)] {
            all.note(second, requests, 0);
        }
        assert!(all.drained(-90, LIMITS));
        assert!(!all.drained(-89, LIMITS));
        assert!(!all.drained(-60, LIMITS));
        assert!(!all.drained(-100, LIMITS));
    }

    #[test]
    fn a_stretch_ends_at_a_pause() {
        let mut all = Asked::default();
        for second in [-60, -20, -18, -15, -9] {
            all.note(second, 1, 0);
        }
        assert_eq!(all.last_stretch(3), Some((-9, -9)));
        assert_eq!(all.last_stretch(6), Some((-20, -9)));
        assert_eq!(all.stretches(3), [(-60, -60), (-20, -15), (-9, -9)]);
        assert_eq!(Asked::default().last_stretch(3), None);
    }
}
