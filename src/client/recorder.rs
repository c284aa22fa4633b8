//! The event recorder (`client-go/tools/record/event.go`, `events_cache.go`): a bounded queue, a
//! correlator that counts repeats and drops what a noisy object says, and one writer that sends
//! events one after the other.
//!
//! What the controllers of a process are made with.

use super::lru::{Key, Lru};
use super::{Client, InformerFactory, TokenBucket};
use crate::api::volume::VolumeId;
use crate::client::prelude::*;
use crate::kernel::Chan;
use crate::trace::{EventBody, EventText, Message};

/// Events that wait for the writer; what comes on top is dropped (`maxQueuedEvents`).
const MAX_QUEUED_EVENTS: usize = 1000;
/// Entries of each of the correlator's caches (`maxLruCacheEntries`).
const MAX_LRU_CACHE_ENTRIES: usize = 4096;
/// Events of one source about one object that go at once; then one per 300 s (`defaultSpamBurst`,
/// `defaultSpamQPS`).
const SPAM_LIMIT: Limits = Limits { qps: 1.0 / 300.0, burst: 25 };
/// From this many different messages on, similar events are reported as one
/// (`defaultAggregateMaxEvents`).
const AGGREGATE_MAX_EVENTS: usize = 10;
/// How long similar events are remembered (`defaultAggregateIntervalInSeconds`).
const AGGREGATE_INTERVAL: Dur = Dur::from_secs(600);
/// How many times in a thousand the last of several events comes first that are made one right after the other, and then
/// the others in order, where goroutines take drawn turns: of the nodes that 1.20 registers in one pass, the last of two
/// is first in 708 of 900 runs and the last of three in 3,006 of 4,697, given the order in which a map is walked.
const LAST_FIRST: u32 = 838;
/// How many times in a thousand the second of two events comes first that are made with some work between them: in 150
/// of 660 pairs of `budget-of-job`, recorded under 1.18 and 1.20 on an idle machine. Another processor has taken over
/// the first by then; on a busy machine it more seldom has.
const SECOND_FIRST: u32 = 227;
/// How many times in a thousand it is then ahead of all, and not behind the first only, where each of several pods has
/// one event before its deletion is started: the first event is that of the last deletion in 28 of 60 runs of
/// `statefulset-out-of-service` under 1.20. Where there is one pod, the event comes first in 173 of 180 runs.
const EITHER_FIRST: u32 = 500;
/// Tries of an event that the server does not answer (`maxTriesPerEvent`), and the sleep between
/// them.
pub(super) const MAX_TRIES_PER_EVENT: u32 = 12;
pub(super) const SLEEP_BETWEEN_TRIES: Dur = Dur::from_secs(10);

/// What an event is about. The uid is part of the reference where upstream has it there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum About {
    /// A node, with the uid that the controller knows.
    Node(NodeId, Option<Uid>),
    /// A pod, with its uid or by name only.
    Pod(PodId, Option<Uid>),
    /// A workload, with its uid.
    Workload(WorkloadId, Uid),
    /// A claim, by name.
    Claim(VolumeId),
}

impl About {
    /// The name of an event about it that was made at that time.
    pub(crate) fn name(self, at: Time) -> EventName {
        match self {
            About::Node(id, _) => EventName::Node(id, at),
            About::Pod(id, _) => EventName::Pod(id, at),
            About::Workload(id, _) => EventName::Workload(id, at),
            About::Claim(id) => EventName::Claim(id, at),
        }
    }

    /// It as an object of chance.
    pub(super) fn object(self, client: &Client) -> Object {
        match self {
            About::Node(id, _) => client.node_object(id),
            About::Pod(id, _) => client.pod_object(id),
            About::Workload(id, _) => client.workload_object(id),
            About::Claim(id) => client.claim_object(id),
        }
    }

    fn subject(self, reason: u8) -> Subject {
        let (kind, id, uid) = match self {
            About::Node(id, uid) => (0, id.0, uid),
            About::Pod(id, uid) => (2, id.0, uid),
            About::Workload(id, uid) => (4, id.0, Some(uid)),
            About::Claim(id) => (6, id.0, None),
        };
        Subject { id, kind: kind + u8::from(uid.is_some()), reason, uid: uid.map_or(0, |u| u.0) }
    }
}

#[derive(Clone, Copy)]
struct Event {
    about: About,
    body: EventBody,
    at: Time,
    cause: u32,
}

/// What an event is about, and its reason or none: small, as it is looked up several times for
/// every event.
#[derive(Clone, Copy, PartialEq)]
struct Subject {
    id: u32,
    /// What it is, and whether it has a uid.
    kind: u8,
    reason: u8,
    uid: u64,
}

/// For any reason.
const ANY: u8 = u8::MAX;

/// By text: the number of its reason, which is that of the first text with it.
const REASONS: [u8; EventText::ALL.len()] = {
    let (all, mut reasons, mut i) = (EventText::ALL, [ANY; EventText::ALL.len()], 0);
    while i < all.len() {
        let mut first = 0;
        while !are_equal(all[first].as_str().as_bytes(), all[i].as_str().as_bytes()) {
            first += 1;
        }
        reasons[i] = first as u8;
        i += 1;
    }
    reasons
};

const fn are_equal(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([x, a @ ..], [y, b @ ..]) => *x == *y && are_equal(a, b),
        _ => a.is_empty() && b.is_empty(),
    }
}

/// Events that are alike: about the same object, with the same reason. With any reason, all about
/// it.
impl Key for Subject {
    fn hash(&self) -> u64 {
        u64::from(self.id)
            ^ u64::from(self.kind) << 24
            ^ u64::from(self.reason) << 27
            ^ self.uid << 35
    }
}

/// Events that are the same except for their time; without a text, the aggregate of similar ones.
impl Key for (Subject, Option<EventBody>) {
    fn hash(&self) -> u64 {
        self.0.hash()
            ^ self.1.map_or(u64::MAX, |b| (b.text as u64 | u64::from(b.arg) << 8).rotate_left(7))
    }
}

/// The different texts seen of events that are alike, as few as make an aggregate. Nearly always
/// there is one.
struct Similar {
    first: EventBody,
    more: Vec<EventBody>,
    last: Time,
}

#[derive(Clone, Copy)]
struct Observed {
    count: u32,
    /// When the event was made that gave it its name.
    named: Time,
}

/// `EventCorrelator`: what was recorded so far, and what of it is let through.
pub(crate) struct Correlator {
    similar: Lru<Subject, Similar>,
    observed: Lru<(Subject, Option<EventBody>), Observed>,
    spam: Lru<Subject, TokenBucket>,
}

/// An event as the correlator lets it through.
pub(crate) struct Told {
    pub(crate) name: EventName,
    pub(crate) combined: bool,
    pub(crate) count: u32,
}

impl Correlator {
    pub(crate) fn new() -> Self {
        Correlator {
            similar: Lru::new(MAX_LRU_CACHE_ENTRIES),
            observed: Lru::new(MAX_LRU_CACHE_ENTRIES),
            spam: Lru::new(MAX_LRU_CACHE_ENTRIES),
        }
    }

    /// `EventCorrelate`: aggregate, count, filter. The count goes up even when the event is then
    /// dropped. `at` is when it was made.
    pub(crate) fn correlate(
        &mut self,
        about: About,
        body: EventBody,
        at: Time,
        now: Time,
    ) -> Option<Told> {
        let subject = about.subject(REASONS[body.text as usize]);
        let similar =
            self.similar.entry(subject, || Similar { first: body, more: Vec::new(), last: now });
        if now.since(similar.last) > AGGREGATE_INTERVAL {
            similar.first = body;
            similar.more.clear();
        }
        similar.last = now;
        let mut combined = false;
        if similar.first != body || !similar.more.is_empty() {
            let more = &mut similar.more;
            if similar.first != body && !more.contains(&body) {
                more.push(body);
            }
            combined = more.len() + 1 >= AGGREGATE_MAX_EVENTS;
            if combined {
                similar.first = more.remove(0);
            }
        }
        let named = if combined { now } else { at };
        let key = (subject, (!combined).then_some(body));
        let o = self.observed.entry(key, || Observed { count: 0, named });
        o.count += 1;
        let told = Told { name: about.name(o.named), combined, count: o.count };
        let spam = self.spam.entry(about.subject(ANY), || TokenBucket::new(SPAM_LIMIT));
        spam.try_accept(now).then_some(told)
    }
}

/// The time of an event: now, or of events of which no two have the same time, later than the last one.
pub(super) fn advanced(last: Option<&Shared<Time>>, now: Time) -> Time {
    let after = |last: &mut Time| {
        *last = now.max(*last + Dur::from_nanos(1));
        *last
    };
    last.map_or(now, |last| last.with(after))
}

/// A controller's event recorder with its broadcaster and sink.
#[derive(Clone)]
pub(crate) struct EventRecorder {
    ctx: Ctx,
    queue: Rc<Chan<Event>>,
    group: Group,
    /// Every event is handed over by a goroutine of its own.
    goroutines: bool,
    /// The burst that waits for its turn.
    burst: Rc<Chan<Event>>,
    /// Pairs of events, of which work makes the second, that wait so.
    pairs: Rc<Chan<[Event; 2]>>,
    client: Client,
    advancing: Option<Rc<Shared<Time>>>,
}

impl EventRecorder {
    /// A recorder that writes through `client`, in process group `group`. `advances`: no two
    /// events get the same time, as on a real machine; otherwise the clock stands still within an
    /// instant, as in the recorder of timelines. `goroutines`: every event is handed over by a
    /// goroutine of its own, so that later ones may overtake it.
    pub(crate) fn start(client: &Client, group: Group, advances: bool, goroutines: bool) -> Self {
        let ctx = client.api().ctx().clone();
        let recorder = EventRecorder {
            queue: Rc::new(Chan::new(&ctx, MAX_QUEUED_EVENTS)),
            goroutines,
            burst: Rc::new(Chan::new(&ctx, MAX_QUEUED_EVENTS)),
            pairs: Rc::new(Chan::new(&ctx, MAX_QUEUED_EVENTS)),
            client: client.clone(),
            group,
            ctx: ctx.clone(),
            advancing: advances.then(|| Rc::new(Shared::new(Time::ZERO))),
        };
        let writer = recorder.clone();
        ctx.spawn(group, async move { writer.write().await });
        recorder
    }

    /// Records an event; it is dropped if too many wait.
    pub(crate) fn event(&self, about: About, body: impl Into<EventBody>) {
        let event = self.made(about, body);
        if self.goroutines && self.joins_burst(event) {
            return;
        }
        self.hand_over(about, event);
    }

    /// An event of now.
    fn made(&self, about: About, body: impl Into<EventBody>) -> Event {
        let at = advanced(self.advancing.as_deref(), self.ctx.now());
        Event { about, body: body.into(), at, cause: self.ctx.cause() }
    }

    /// Whether an event waits with those that are made right before and after it for the turn of the goroutines
    /// that hand them over, of which the last then goes first.
    fn joins_burst(&self, event: Event) -> bool {
        let is_first = !self.burst.ready();
        let point = self.ctx.point("event-last-first");
        if is_first && !self.ctx.yields(point, Object::NONE, LAST_FIRST) {
            return false;
        }
        let _ = self.burst.try_send(event);
        if is_first {
            let (burst, queue) = (self.burst.clone(), self.queue.clone());
            self.ctx.spawn(self.group, async move {
                let mut events: Vec<Event> = std::iter::from_fn(|| burst.try_recv()).collect();
                events.rotate_right(1);
                for event in events {
                    let _ = queue.try_send(event);
                }
            });
        }
        true
    }

    /// Hands an event over to the writer; it is dropped if too many wait.
    fn hand_over(&self, about: About, event: Event) {
        let point = self.ctx.point("event-overtaken");
        if self.goroutines && self.ctx.yields(point, Object::NONE, 0) {
            let (ctx, queue) = (self.ctx.clone(), self.queue.clone());
            let name = Name::of("event", Keys::NOTHING).about(about.object(&self.client).hash);
            self.ctx.spawn_named(name, self.group, async move {
                ctx.after_others().await;
                let _ = queue.try_send(event);
            });
            return;
        }
        // A full queue drops the event, as upstream does.
        let _ = self.queue.try_send(event);
    }

    /// Whether of those that were made at one time a later one is handed over first.
    fn races(&self, object: Object, odds: u32) -> bool {
        self.ctx.chance(self.ctx.point("event-race"), object, odds)
    }

    /// Records two events about one object, one right after the other. Where a goroutine hands over
    /// each, either may come first, and the second does in [`SECOND_FIRST`] of a thousand. At one reading of the
    /// clock both have one name, which the first then has.
    pub(crate) fn two_events(
        &self,
        about: About,
        first: impl Into<EventBody>,
        then: impl Into<EventBody>,
    ) {
        let (mut first, mut then) = (first.into(), then.into());
        if self.goroutines && self.races(about.object(&self.client), SECOND_FIRST) {
            std::mem::swap(&mut first, &mut then);
        }
        let (first, then) = (self.made(about, first), self.made(about, then));
        self.hand_over(about, first);
        self.hand_over(about, then);
    }

    /// Records an event right before work is started whose first act is to record `then` about the same object, if it
    /// begins at once. Where the goroutines that hand events over take drawn turns, both are made now, which the
    /// result says.
    pub(crate) fn event_before_work(
        &self,
        about: About,
        first: impl Into<EventBody>,
        then: Option<impl Into<EventBody>>,
    ) -> bool {
        let Some(then) = then.filter(|_| self.goroutines && self.ctx.draws_turns()) else {
            self.event(about, first);
            return false;
        };
        let is_first = !self.pairs.ready();
        let _ = self.pairs.try_send([self.made(about, first), self.made(about, then)]);
        if is_first {
            let recorder = self.clone();
            self.ctx.spawn(self.group, async move { recorder.hand_over_pairs() });
        }
        true
    }

    /// Hands pairs of events over. Each event, and each work that makes one, has a goroutine of its own. Of one pair the
    /// first comes first. Of several the last work is mostly ahead ([`LAST_FIRST`]): it begins first, while another
    /// processor takes over from those before it ([`EITHER_FIRST`], [`SECOND_FIRST`]).
    fn hand_over_pairs(&self) {
        let mut pairs: Vec<[Event; 2]> = std::iter::from_fn(|| self.pairs.try_recv()).collect();
        let others = pairs.len().saturating_sub(1);
        for pair in &mut pairs[..others] {
            if self.races(pair[0].about.object(&self.client), SECOND_FIRST) {
                pair.swap(0, 1);
            }
        }
        let mut events = pairs.concat();
        if others > 0 && self.races(Object::NONE, LAST_FIRST) {
            let place = usize::from(!self.races(Object::NONE, EITHER_FIRST));
            events[place..].rotate_right(1);
        }
        for event in events {
            let _ = self.queue.try_send(event);
        }
    }

    async fn write(&self) {
        let mut correlator = Correlator::new();
        loop {
            let e = self.queue.recv().await;
            self.ctx.yield_point(self.ctx.point("event-write"), 0).await;
            self.ctx.set_cause(e.cause);
            let Some(told) = correlator.correlate(e.about, e.body, e.at, self.ctx.now()) else {
                continue;
            };
            for tries in 1..=MAX_TRIES_PER_EVENT {
                if self.send(&e, &told).await {
                    break;
                }
                // The first sleep is a random part of the whole, so that clients do not come back
                // all at once.
                let mut sleep = SLEEP_BETWEEN_TRIES.as_nanos();
                if tries == 1 {
                    let point = self.ctx.point("event-retry-sleep");
                    sleep = self.ctx.uniform(point, Object::NONE, 0, sleep);
                }
                self.ctx.sleep(Dur::from_nanos(sleep)).await;
            }
        }
    }

    /// `recordEvent`: PATCH of an event that was seen before, else POST. True unless the server did
    /// not answer.
    async fn send(&self, e: &Event, told: &Told) -> bool {
        let object = e.about.object(&self.client);
        let event = Message { body: e.body, combined: told.combined, count: told.count };
        let result = self.client.record_event(object, (told.name, event), told.count > 1).await;
        result != Err(ApiError::Unavailable)
    }
}

/// What a controller is made with (`ControllerContext` of kube-controller-manager): its process,
/// the caches that it shares with others, its client, and its recorder of events, if it has one.
#[derive(Clone)]
pub(crate) struct ControllerContext<R = EventRecorder> {
    pub(crate) ctx: Ctx,
    pub(crate) group: Group,
    pub(crate) client: Client,
    pub(crate) informers: Rc<InformerFactory>,
    pub(crate) recorder: R,
}
