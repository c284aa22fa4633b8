//! The event recorder (`client-go/tools/record/event.go`, `events_cache.go`): a bounded queue, a correlator that counts
//! repeats and drops what a noisy object says, and one writer that sends events one after the other.

use super::lru::{Key, Lru};
use super::request::Client;
use super::token_bucket::{Limits, TokenBucket};
use crate::api::meta::Uid;
use crate::api::names::{NodeId, PodId, WorkloadId};
use crate::apiserver::{ApiError, EventName};
use crate::kernel::{Chan, Ctx, Dur, Group, Keys, Name, Object, PointId, Shared, Time};
use crate::trace::EventBody;
use std::rc::Rc;

/// Events that wait for the writer; what comes on top is dropped (`maxQueuedEvents`).
const MAX_QUEUED_EVENTS: usize = 1000;
/// Entries of each of the correlator's caches (`maxLruCacheEntries`).
const MAX_LRU_CACHE_ENTRIES: usize = 4096;
/// Events of one source about one object that go at once; then one per 300 s (`defaultSpamBurst`, `defaultSpamQPS`).
const SPAM_LIMIT: Limits = Limits { qps: 1.0 / 300.0, burst: 25 };
/// From so many different messages on, similar events are told as one (`defaultAggregateMaxEvents`).
const AGGREGATE_MAX_EVENTS: usize = 10;
/// How long similar events are remembered (`defaultAggregateIntervalInSeconds`).
const AGGREGATE_INTERVAL: Dur = Dur::from_secs(600);
/// Tries of an event that the server does not answer (`maxTriesPerEvent`), and the sleep between them.
const MAX_TRIES_PER_EVENT: u32 = 12;
const SLEEP_BETWEEN_TRIES: Dur = Dur::from_secs(10);

/// What an event is about. The uid is part of the reference where upstream has it there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum About {
    /// A node, with the uid that the controller knows.
    Node(NodeId, Option<Uid>),
    /// A pod, with its uid or by name only.
    Pod(PodId, Option<Uid>),
    /// A workload, with its uid.
    Workload(WorkloadId, Uid),
}

impl About {
    /// The name of an event about it that was made at that time.
    pub fn name(self, at: Time) -> EventName {
        match self {
            About::Node(id, _) => EventName::Node(id, at),
            About::Pod(id, _) => EventName::Pod(id, at),
            About::Workload(id, _) => EventName::Workload(id, at),
        }
    }

    /// It as an object of chance.
    pub(super) fn object(self, client: &Client) -> Object {
        client.api().names(|n| match self {
            About::Node(id, _) => Object { id: id.0, hash: n.node_hash(id) },
            About::Pod(id, _) => Object { id: id.0, hash: n.pod_hash(id) },
            About::Workload(id, _) => Object { id: id.0, hash: n.workload_hash(id) },
        })
    }
}

#[derive(Clone, Copy)]
struct Event {
    about: About,
    body: EventBody,
    at: Time,
    cause: u32,
}

impl About {
    fn number(self) -> u64 {
        match self {
            About::Node(id, uid) => u64::from(id.0) << 2 | 1 << 40 | uid.map_or(0, |u| u.0 << 42),
            About::Pod(id, uid) => u64::from(id.0) << 2 | uid.map_or(0, |u| u.0 << 42),
            About::Workload(id, uid) => u64::from(id.0) << 2 | 1 << 41 | uid.0 << 42,
        }
    }
}

impl Key for About {
    fn hash(&self) -> u64 {
        self.number()
    }
}

/// Events that are alike: about the same object, with the same reason.
impl Key for (About, &'static str) {
    fn hash(&self) -> u64 {
        self.0.number() ^ (self.1.len() as u64) << 58
    }
}

/// Events that are the same but for their time; without a text, the aggregate of alike ones.
impl Key for (About, &'static str, Option<EventBody>) {
    fn hash(&self) -> u64 {
        self.0.number() ^ self.2.map_or(63, |b| b.text as u64 ^ u64::from(b.arg)) << 58
    }
}

struct Similar {
    /// The different texts seen, as few as make an aggregate. Nearly always there is one.
    first: EventBody,
    more: Vec<EventBody>,
    last: Time,
}

#[derive(Clone, Copy)]
struct Observed {
    count: u32,
    name: EventName,
}

struct Correlator {
    similar: Lru<(About, &'static str), Similar>,
    observed: Lru<(About, &'static str, Option<EventBody>), Observed>,
    spam: Lru<About, TokenBucket>,
}

/// An event as the correlator lets it through.
struct Told {
    name: EventName,
    combined: bool,
    count: u32,
}

impl Correlator {
    /// `EventCorrelate`: aggregate, count, filter. The count goes up even when the event is then dropped.
    fn correlate(&mut self, e: Event, now: Time) -> Option<Told> {
        let reason = e.body.text.reason();
        let similar = self.similar.entry((e.about, reason), || Similar { first: e.body, more: Vec::new(), last: now });
        if now.since(similar.last) > AGGREGATE_INTERVAL {
            similar.first = e.body;
            similar.more.clear();
        }
        if similar.first != e.body && !similar.more.contains(&e.body) {
            similar.more.push(e.body);
        }
        similar.last = now;
        let combined = similar.more.len() + 1 >= AGGREGATE_MAX_EVENTS;
        if combined {
            similar.first = similar.more.remove(0);
        }
        let fresh = e.about.name(if combined { now } else { e.at });
        let key = (e.about, reason, (!combined).then_some(e.body));
        let o = self.observed.entry(key, || Observed { count: 0, name: fresh });
        if o.count == 0 {
            o.name = fresh;
        }
        o.count += 1;
        let told = Told { name: o.name, combined, count: o.count };
        self.spam.entry(e.about, || TokenBucket::new(SPAM_LIMIT)).try_accept(now).then_some(told)
    }
}

/// A controller's event recorder with its broadcaster and sink.
#[derive(Clone)]
pub struct EventRecorder {
    ctx: Ctx,
    queue: Chan<Event>,
    nudge: PointId,
    group: Group,
    /// Where every event is handed over by a goroutine of its own, the point at which one lags behind.
    overtaken: Option<PointId>,
    advancing: Option<Rc<Shared<Time>>>,
}

impl EventRecorder {
    /// A recorder that writes through `client`, in process group `group`. `clock_advances`: no two events get the same
    /// time, as on a real machine; otherwise the clock stands still within an instant, as in the recorder of timelines.
    /// `goroutines`: every event is handed over by a goroutine of its own, so that later ones may overtake it.
    pub fn start(client: &Client, group: Group, clock_advances: bool, goroutines: bool) -> Self {
        let ctx = client.api().ctx().clone();
        let queue = Chan::new(&ctx, MAX_QUEUED_EVENTS);
        let recorder = EventRecorder {
            nudge: ctx.point("event-retry-sleep"),
            overtaken: goroutines.then(|| ctx.point("event-overtaken")),
            group,
            queue: queue.clone(),
            ctx: ctx.clone(),
            advancing: clock_advances.then(|| Rc::new(Shared::new(Time::ZERO))),
        };
        let writer = recorder.clone();
        let client = client.clone();
        ctx.spawn(group, async move { writer.write(client).await });
        recorder
    }

    /// Records an event; it is dropped if too many wait.
    pub fn event(&self, about: About, body: impl Into<EventBody>) {
        let at = match &self.advancing {
            None => self.ctx.now(),
            Some(last) => last.with(|last| {
                *last = self.ctx.now().max(*last + Dur::from_nanos(1));
                *last
            }),
        };
        let event = Event { about, body: body.into(), at, cause: self.ctx.cause() };
        if self.overtaken.is_some_and(|point| self.ctx.yields(point, Object::NONE)) {
            let (ctx, queue) = (self.ctx.clone(), self.queue.clone());
            self.ctx.spawn_named(Name::of("event", Keys::NOTHING), self.group, async move {
                ctx.after_others().await;
                let _ = queue.try_send(event);
            });
            return;
        }
        // A full queue drops the event, as upstream does.
        let _ = self.queue.try_send(event);
    }

    async fn write(&self, client: Client) {
        let mut correlator = Correlator {
            similar: Lru::new(MAX_LRU_CACHE_ENTRIES),
            observed: Lru::new(MAX_LRU_CACHE_ENTRIES),
            spam: Lru::new(MAX_LRU_CACHE_ENTRIES),
        };
        loop {
            let e = self.queue.recv().await;
            self.ctx.set_cause(e.cause);
            let Some(told) = correlator.correlate(e, self.ctx.now()) else { continue };
            for tries in 1..=MAX_TRIES_PER_EVENT {
                if self.send(&client, &e, &told).await {
                    break;
                }
                // The first sleep is a random part of the whole, so that clients do not come back all at once.
                let mut sleep = SLEEP_BETWEEN_TRIES.as_nanos();
                if tries == 1 {
                    sleep = self.ctx.uniform(self.nudge, Object::NONE, 0, sleep);
                }
                self.ctx.sleep(Dur::from_nanos(sleep)).await;
            }
        }
    }

    /// `recordEvent`: PATCH of an event that was seen before, else POST. True unless the server did not answer.
    async fn send(&self, client: &Client, e: &Event, told: &Told) -> bool {
        let (name, body, combined, count) = (told.name, e.body, told.combined, told.count);
        let object = e.about.object(client);
        let mut result = Err(ApiError::NotFound);
        if count > 1 {
            result = client.call(object, move |api, actor| api.patch_event(actor, name, body, combined, count)).await;
        }
        if result == Err(ApiError::NotFound) {
            result = client.call(object, move |api, actor| api.create_event(actor, name, body, combined, count)).await;
        }
        result != Err(ApiError::Unavailable)
    }
}
