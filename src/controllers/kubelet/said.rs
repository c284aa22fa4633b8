//! What a kubelet's recorder has said of the container of a pod, and whether it lets one more event through
//! (`client-go/tools/record/events_cache.go`).
//!
//! Each kubelet has a recorder of its own, whose correlator counts what comes again, and of one pod lets 25 events through at
//! once and then one in five minutes.

use crate::apiserver::EventName;
use crate::client::{SPAM_LIMIT, TokenBucket};
use crate::controllers::prelude::*;

/// What was said of the container of a pod.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// Each event, the name it was given, and how often it came.
    events: Vec<(EventBody, EventName, u32)>,
    spam: TokenBucket,
    last: Time,
}

impl Default for Said {
    fn default() -> Self {
        Self { events: Vec::new(), spam: TokenBucket::new(SPAM_LIMIT), last: Time::ZERO }
    }
}

impl Said {
    /// `EventCorrelate`: the name of an event and how often it came, unless it is one too many. No two that are made have
    /// one time, as the clock goes on between them.
    pub(super) fn correlate(
        &mut self,
        pod: PodId,
        body: EventBody,
        now: Time,
    ) -> Option<(EventName, u32)> {
        let known = self.events.iter_mut().find(|(said, ..)| *said == body);
        let (name, count) = if let Some((_, name, count)) = known {
            *count += 1;
            (*name, *count)
        } else {
            self.last = now.max(self.last + Dur::from_nanos(1));
            let name = EventName::Pod(pod, self.last);
            self.events.push((body, name, 1));
            (name, 1)
        };
        self.spam.try_accept(now).then_some((name, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bucket of 25 is refilled at a rate of one in 300 s (`defaultSpamBurst`, `defaultSpamQPS`): of an event each ten
    /// seconds the 25 from 10 to 250 s go through, as less than one comes in meanwhile (240 / 300). At 310 s it has
    /// 24 + 1 - 25 + 300 / 300: what came in since the first was taken at 10 s. Then one goes each 300 s; all are counted.
    #[test]
    fn of_many_events_few_are_let_through() {
        let mut said = Said::default();
        let words = |n| EventBody::of_words(EventText::Unhealthy, TextId(n));
        let mut told = Vec::new();
        for i in 1..=91 {
            let at = Time::from_secs(10 * i);
            told.extend(said.correlate(PodId(0), words(1), at).map(|(_, n)| (10 * i, n)));
        }
        let first: Vec<_> = (1..=25).map(|i| (10 * i, i as u32)).collect();
        assert_eq!(told[..25], first);
        assert_eq!(told[25..], [(310, 31), (610, 61), (910, 91)]);
    }

    /// Two that are made at once have names of their own, and each its count.
    #[test]
    fn each_event_has_its_own_name() {
        let (mut said, now) = (Said::default(), Time::from_secs(5));
        let words = |n| EventBody::of_words(EventText::Killing, TextId(n));
        let name = |nanos| EventName::Pod(PodId(3), now + Dur::from_nanos(nanos));
        assert_eq!(said.correlate(PodId(3), words(1), now), Some((name(0), 1)));
        assert_eq!(said.correlate(PodId(3), words(2), now), Some((name(1), 1)));
        assert_eq!(said.correlate(PodId(3), words(1), now), Some((name(0), 2)));
    }
}
