//! Watches: the changes that are on their way to the caches.
//!
//! Who hears of what changes in the caches.

use crate::client::prelude::*;
use crate::kernel::Argument;
use std::cell::RefCell;

/// A new version of an object, or its end.
pub(super) enum Delta {
    Node(Option<Rc<Node>>, NodeId),
    Pod(Option<Rc<Pod>>, PodId),
    Lease(Option<Lease>, NodeId),
    Workload(Option<Rc<Workload>>, WorkloadId),
    Budget(Option<Rc<Budget>>, WorkloadId),
    Slices(Option<Rc<ResourceSlices>>, NodeId),
    Rule(Option<Rc<DeviceTaintRule>>, TextId),
    /// With a claim that pods share, where that changes with it, or alone.
    Claims(Option<Rc<Allocation>>, Uid, Option<Rc<SharedClaim>>),
    ReadinessRule(Option<Rc<NodeReadinessRule>>, TextId),
}

/// A change on its way: when it was made and when it arrives, and its cause.
pub(super) struct OnItsWay {
    pub(super) made: Time,
    pub(super) due: Time,
    /// How many goroutines have handed it on.
    pub(super) handed: u32,
    pub(super) cause: u32,
    pub(super) delta: Delta,
}

/// One watch: deltas on their way, in order.
pub(super) struct Stream {
    pub(super) resource: Resource,
    pub(super) deltas: Shared<VecDeque<OnItsWay>>,
    pub(super) last: Cell<Time>,
    /// Until when it is held back.
    pub(super) held_until: Cell<Time>,
    /// How many deltas fell due while the API server was gone: they wait for the watch to be back.
    pub(super) parked: Cell<u32>,
    /// Whether it broke and has not listed again.
    pub(super) is_broken: Cell<bool>,
    /// When it delivered last, and whether others look after each change of that instant.
    pub(super) delivered: Cell<(Option<Time>, bool)>,
    pub(super) telling: Rc<Telling>,
}

/// Whom a change of a stream is being told, where turns are drawn: channels without a buffer lead to the listeners, so
/// that the next change waits until all have taken the one before it.
#[derive(Default)]
pub(super) struct Telling {
    untaken: Cell<u32>,
    is_waited_for: Cell<bool>,
}

impl Telling {
    /// One more listener is to take a change.
    pub(super) fn begins(&self) {
        self.untaken.set(self.untaken.get() + 1);
    }

    /// A listener has taken a change; whether the next one can come now, and waits.
    pub(super) fn ends(&self) -> bool {
        self.untaken.set(self.untaken.get() - 1);
        self.untaken.get() <= 1 && self.is_waited_for.take()
    }

    /// Whether the next change has to wait; then it is told when it need not wait any longer.
    pub(super) fn keeps_waiting(&self) -> bool {
        let waits = self.untaken.get() > 1;
        if waits {
            self.is_waited_for.set(true);
        }
        waits
    }
}

impl Stream {
    /// A watch that has delivered nothing.
    pub(super) fn new(resource: Resource) -> Self {
        Self {
            resource,
            deltas: Shared::new(VecDeque::new()),
            last: Cell::new(Time::ZERO),
            held_until: Cell::new(Time::ZERO),
            parked: Cell::new(0),
            is_broken: Cell::new(false),
            delivered: Cell::new((None, false)),
            telling: Rc::default(),
        }
    }

    /// Whether the next delta has waited already while the stream was held back: nothing is held
    /// twice.
    pub(super) fn next_was_held(&self) -> bool {
        self.deltas.with(|d| d.front().is_some_and(|next| next.made < self.held_until.get()))
    }
}

/// What is due for a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// Its next delta.
    Delta,
    /// The list after it broke.
    List,
}

/// What is due for which stream.
#[derive(Clone, Copy)]
pub(super) struct Delivery {
    pub(super) due: Due,
    pub(super) resource: Resource,
}

impl Argument for Delivery {
    fn pack(self) -> u64 {
        self.resource as u64 * 2 + u64::from(self.due == Due::List)
    }

    fn unpack(bits: u64) -> Self {
        let due = if bits % 2 == 1 { Due::List } else { Due::Delta };
        Self { due, resource: Resource::ALL[(bits / 2) as usize] }
    }
}

/// Hears of changes of objects of one kind, in the cache's order (`cache.ResourceEventHandler`). An add has
/// no old version, a deletion no new one.
pub(crate) trait ResourceEventHandler<T> {
    /// What upstream reads off the cache, and is kept here instead, changes with the cache.
    fn cached(&self, _old: Option<&Rc<T>>, _new: Option<&Rc<T>>) {}

    /// Whether it is a handler upstream, too, and does not only read the cache.
    fn listens(&self) -> bool {
        true
    }

    /// `OnAdd`, `OnUpdate`, `OnDelete`
    fn on_change(&self, _old: Option<&Rc<T>>, _new: Option<&Rc<T>>) {}
}

/// One of these.
pub(crate) type EventHandler<T> = Rc<dyn ResourceEventHandler<T>>;

/// A change that somebody is about to hear of: its cause, and the object before and after.
type Notification<T> = (u32, Option<Rc<T>>, Option<Rc<T>>);

/// A handler, and the goroutines through which it hears (`shared_informer.go: processorListener`).
pub(super) struct Listener<T> {
    pub(super) handler: EventHandler<T>,
    /// The home of its steps in a search.
    pub(super) home: Option<Key>,
    /// What its goroutines are called in a search.
    name: Name,
    /// What it has not heard of yet.
    pending: RefCell<VecDeque<Notification<T>>>,
}

/// All that hear of objects of one kind, in the order in which they came.
pub(super) type Listeners<T> = Vec<Rc<Listener<T>>>;

/// All that hear of objects.
#[derive(Default)]
pub(super) struct AllListeners {
    pub(super) nodes: Listeners<Node>,
    pub(super) pods: Listeners<Pod>,
    /// By kind.
    pub(super) workloads: [Listeners<Workload>; Resource::COUNT],
    pub(super) budgets: Listeners<Budget>,
    pub(super) slices: Listeners<ResourceSlices>,
    pub(super) rules: Listeners<DeviceTaintRule>,
    pub(super) claims: Listeners<Allocation>,
    pub(super) readiness_rules: Listeners<NodeReadinessRule>,
}

impl<T: 'static> Listener<T> {
    /// One that has heard of nothing; `hash` tells it from others.
    pub(super) fn new(handler: EventHandler<T>, home: Option<Key>, hash: u64) -> Rc<Self> {
        let name = Name::of("listener", Keys::NOTHING).about(hash);
        Rc::new(Self { handler, home, name, pending: RefCell::default() })
    }

    /// Has the handler hear of a change after two more goroutines have taken their turn: the one that puts it
    /// into the listener's buffer (`pop`), and the one that calls the handler (`run`). `taken` is called between
    /// them.
    pub(super) fn add(
        self: &Rc<Self>,
        ctx: &Ctx,
        group: Group,
        heard: Notification<T>,
        taken: impl Fn(&Ctx) + 'static,
    ) {
        self.pending.borrow_mut().push_back(heard);
        let (own, listener) = (ctx.clone(), self.clone());
        ctx.spawn_named(self.name, group, async move {
            taken(&own);
            own.sleep(Dur::ZERO).await;
            let next = listener.pending.borrow_mut().pop_front();
            if let Some((cause, old, new)) = next {
                own.set_cause(cause);
                own.at_home(listener.home);
                listener.handler.on_change(old.as_ref(), new.as_ref());
            }
        });
    }
}

/// Is called with a node.
pub(crate) type OnWaking = Rc<dyn Fn(NodeId)>;
