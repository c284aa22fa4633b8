//! The event recorder of `events.k8s.io` (`client-go/tools/events/event_broadcaster.go`), which the
//! scheduler uses: an event that repeats is written a second time as a series, and then only
//! counted until the series ends.
//!
//! Events are the same if everything but their note is: the version of the object they are about
//! counts too.

use super::recorder::{About, MAX_TRIES_PER_EVENT, SLEEP_BETWEEN_TRIES, advanced};
use super::request::Client;
use crate::client::prelude::*;
use crate::trace::{EventBody, EventText, Message};

/// A series that was silent for this long has ended; checked at the same interval (`finishTime`).
const FINISH_TIME: Dur = Dur::from_secs(360);
/// Running series are written again so often (`refreshTime`).
const REFRESH_TIME: Dur = Dur::from_secs(1800);

/// What makes two events the same: what they are about, its version, and the kind of text.
type Key = (About, u64, &'static str);

#[derive(Clone, Copy)]
struct Known {
    name: EventName,
    body: EventBody,
    /// The count of the series, once there is one.
    series: Option<u32>,
    /// The count of the series that was written last; 0: none was.
    written: u32,
    last: Time,
}

impl Known {
    fn once(key: &Key, body: EventBody, at: Time) -> Self {
        Self { name: key.0.name(at), body, series: None, written: 0, last: at }
    }
}

/// An event about a pod that has been reported once.
#[derive(Clone, Copy)]
struct Once {
    /// The pod's version; versions start at 1, and 0 is no event.
    version: u64,
    at: Time,
    body: EventBody,
}

/// The events that have been reported. Most pods have one, reported once: that lies in a table.
#[derive(Default)]
struct Reported {
    once: Vec<Once>,
    /// Those before this one hold nothing.
    first: usize,
    others: BTreeMap<Key, Known>,
}

impl Reported {
    const NONE: Once = Once {
        version: 0,
        at: Time::ZERO,
        body: EventBody { text: EventText::Scheduled, arg: EventBody::NO_ARG },
    };

    /// The event, if it has been reported.
    fn known(&mut self, key: &Key) -> Option<&mut Known> {
        let is_it = |o: &&mut Once| o.version == key.1 && o.body.text.as_str() == key.2;
        if let About::Pod(pod, _) = key.0
            && let Some(once) = self.once.get_mut(pod.index()).filter(is_it)
        {
            // It is about to be reported again, so it is moved to where there is more room.
            let Once { at, body, .. } = std::mem::replace(once, Self::NONE);
            self.others.insert(*key, Known::once(key, body, at));
        }
        self.others.get_mut(key)
    }

    fn insert(&mut self, key: Key, event: Known) {
        if let About::Pod(pod, _) = key.0 {
            if self.once.len() <= pod.index() {
                self.once.resize(pod.index() + 1, Self::NONE);
            }
            let once = &mut self.once[pod.index()];
            if once.version == 0 {
                self.first = self.first.min(pod.index());
                *once = Once { version: key.1, at: event.last, body: event.body };
                return;
            }
        }
        self.others.insert(key, event);
    }

    /// Forgets events that are not part of a series and are too old to begin one.
    fn forget(&mut self, over: impl Fn(Time) -> bool) {
        self.others.retain(|_, e| e.series.is_some() || !over(e.last));
        self.once[self.first..].iter_mut().filter(|o| over(o.at)).for_each(|o| *o = Self::NONE);
        let empty = self.once[self.first..].iter().position(|o: &Once| o.version != 0);
        self.first = empty.map_or(self.once.len(), |n| self.first + n);
    }
}

/// An event recorder.
#[derive(Clone)]
pub(crate) struct SeriesRecorder {
    ctx: Ctx,
    group: Group,
    client: Client,
    told: Rc<Shared<Reported>>,
    told_key: crate::kernel::Key,
    first_count: u32,
    /// The time of the last event, where no two are equal.
    advancing: Option<Rc<Shared<Time>>>,
}

impl SeriesRecorder {
    /// A recorder that writes through `client`, in process group `group`. `first_count` is
    /// the count that a series starts with. `advances`: no two events get the same time.
    pub(crate) fn start(client: Client, group: Group, first_count: u32, advances: bool) -> Self {
        let ctx = client.api().ctx().clone();
        let recorder = SeriesRecorder {
            told: Rc::default(),
            told_key: ctx.key(),
            advancing: advances.then(|| Rc::new(Shared::new(Time::ZERO))),
            ctx: ctx.clone(),
            first_count,
            client,
            group,
        };
        let finisher = recorder.clone();
        ctx.spawn_named(ctx.name().at_rest(), group, async move { finisher.keep_series().await });
        recorder
    }

    /// Records an event about an object, seen at that version.
    pub(crate) fn event(&self, about: About, version: u64, body: impl Into<EventBody>) {
        let body = body.into();
        let at = advanced(self.advancing.as_deref(), self.ctx.now());
        let recorder = self.clone();
        // It has nothing of the caller's.
        self.ctx.spawn_named(self.ctx.name().at_rest(), self.group, async move {
            recorder.record((about, version, body.text.as_str()), body, at).await
        });
    }

    /// Looks at what has been reported, or changes it.
    fn reported<R>(&self, f: impl FnOnce(&mut Reported) -> R) -> R {
        self.ctx.writes(self.told_key);
        self.told.with(f)
    }

    /// `recordToSink`
    async fn record(&self, key: Key, body: EventBody, at: Time) {
        let first = self.first_count;
        let to_write = self.reported(|told| match told.known(&key) {
            None => {
                let event = Known::once(&key, body, at);
                told.insert(key, event);
                Some(event)
            }
            Some(event) => {
                event.last = at;
                let is_first = event.series.is_none();
                event.series = Some(event.series.map_or(first, |count| count + 1));
                is_first.then_some(*event)
            }
        });
        let Some(event) = to_write else { return };
        for _ in 0..MAX_TRIES_PER_EVENT {
            if self.write(&key, event).await {
                return;
            }
            // A quarter longer at most.
            let most = SLEEP_BETWEEN_TRIES.as_nanos() / 4;
            let point = self.ctx.point("event-retry-sleep");
            let extra = self.ctx.uniform(point, Object::NONE, 0, most);
            self.ctx.sleep(SLEEP_BETWEEN_TRIES + Dur::from_nanos(extra)).await;
        }
    }

    /// `recordEvent`: PATCH of a series, else POST. True unless it is to be tried again.
    async fn write(&self, key: &Key, event: Known) -> bool {
        let object = key.0.object(&self.client);
        let Known { name, body, series, written, .. } = event;
        let event = Message { body, combined: false, count: series.unwrap_or(1) };
        let mut result = Err(ApiError::NotFound);
        if event.count == written {
            result = self.client.call(object, move |api, _| api.patch_event_in_vain(name)).await;
        }
        if result == Err(ApiError::NotFound) {
            let grew = event.count > written && series.is_some();
            result = self.client.record_event(object, (name, event), grew).await;
        }
        if result.is_ok() && series.is_some() {
            self.reported(|told| {
                if let Some(known) = told.others.get_mut(key) {
                    known.written = event.count;
                }
            });
        }
        !(result == Err(ApiError::Unavailable)
            || series.is_some() && result == Err(ApiError::AlreadyExists))
    }

    /// Ends series and refreshes them, for ever (`finishSeries`, `refreshExistingEventSeries`).
    async fn keep_series(&self) {
        let start = self.ctx.now();
        for tick in 1_u64.. {
            let now = start + FINISH_TIME * tick;
            self.ctx.sleep_until(now).await;
            if (FINISH_TIME * tick).as_nanos().is_multiple_of(REFRESH_TIME.as_nanos()) {
                for (key, event) in self.series() {
                    self.write(&key, event).await;
                }
            }
            let over = |last: Time| now.since(last) > FINISH_TIME;
            for (key, event) in self.series().into_iter().filter(|(_, e)| over(e.last)) {
                if self.write(&key, event).await {
                    self.reported(|told| told.others.remove(&key));
                }
            }
            self.reported(|told| told.forget(over));
        }
    }

    fn series(&self) -> Vec<(Key, Known)> {
        self.reported(|told| {
            told.others.iter().filter(|(_, e)| e.series.is_some()).map(|(k, e)| (*k, *e)).collect()
        })
    }
}
