//! Who hears of what changes in the caches.

use crate::client::prelude::*;
use std::cell::RefCell;

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
pub(super) type Listeners<T> = RefCell<Vec<Rc<Listener<T>>>>;

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
