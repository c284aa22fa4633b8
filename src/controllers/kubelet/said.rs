//! What a kubelet's recorder has said of the container of a pod.

use crate::apiserver::EventName;
use crate::client::{About, Correlator};
use crate::controllers::prelude::*;

/// What was said of the container of a pod. Each kubelet has a recorder of its own, and a pod one kubelet.
pub(super) struct Said {
    correlator: Correlator,
    last: Time,
}

impl Default for Said {
    fn default() -> Self {
        Self { correlator: Correlator::new(), last: Time::ZERO }
    }
}

impl Said {
    /// The name of an event and how often it came, unless it is one too many. No two that are made have one time, as
    /// the clock goes on between them.
    pub(super) fn correlate(
        &mut self,
        about: About,
        body: EventBody,
        now: Time,
    ) -> Option<(EventName, u32)> {
        self.last = now.max(self.last + Dur::from_nanos(1));
        let told = self.correlator.correlate(about, body, self.last, now)?;
        Some((told.name, told.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: About = About::Pod(PodId(3), Some(Uid(7)));

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
            told.extend(said.correlate(ABOUT, words(1), at).map(|(_, n)| (10 * i, n)));
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
        assert_eq!(said.correlate(ABOUT, words(1), now), Some((name(0), 1)));
        assert_eq!(said.correlate(ABOUT, words(2), now), Some((name(1), 1)));
        assert_eq!(said.correlate(ABOUT, words(1), now), Some((name(0), 2)));
    }
}
