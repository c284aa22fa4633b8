//! Watches: the changes that are on their way to the caches.

use crate::client::prelude::*;
use crate::kernel::Argument;

/// A new version of an object, or its end.
pub(super) enum Delta {
    Node(Option<Rc<Node>>, NodeId),
    Pod(Option<Rc<Pod>>, PodId),
    Lease(Option<Lease>, NodeId),
    Workload(Option<Rc<Workload>>, WorkloadId),
    Budget(Option<Rc<Budget>>, WorkloadId),
    Slices(Option<Rc<ResourceSlices>>, NodeId),
    Rule(Option<Rc<DeviceTaintRule>>, TextId),
    Claims(Option<Rc<Allocation>>, Uid),
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
        let until = self.held_until.get();
        self.deltas.with(|d| d.front().is_some_and(|next| next.made < until))
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
