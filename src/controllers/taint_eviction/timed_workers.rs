//! Timers of evictions (`timed_workers.go: TimedWorkerQueue`): entries by pod name, in the kernel's
//! wheel.
//!
//! An entry is absent, a timer, or nil: work that began at once, or (up to 1.32) work that ended
//! well. Adding work to an entry that exists, even a nil one, does nothing.

use crate::controllers::prelude::*;
use crate::kernel::{Argument, EventKey, Handler, Key};
use crate::plan::switches::taint_eviction::FinishedEntry;

/// An entry of `workers`.
#[derive(Clone, Copy, Debug, Default)]
enum Entry {
    #[default]
    Absent,
    Nil,
    /// A timer, pending or fired. The number tells it from others of the same pod.
    Timer {
        key: Option<EventKey>,
        created: Time,
        cause: u32,
        number: u32,
    },
}

#[derive(Default)]
struct Entries {
    by_pod: Vec<Entry>,
    present: usize,
    number: u32,
    /// Timers that were cancelled after they had fired, until their work ends.
    cancelled: BTreeSet<u32>,
    /// Pending timers whose entry the end of another work took away, with their causes: they fire
    /// all the same.
    lost: BTreeMap<u32, u32>,
}

impl Entries {
    fn set(&mut self, pod: PodId, entry: Entry) -> Entry {
        let old = std::mem::replace(slot(&mut self.by_pod, pod.index()), entry);
        self.present += usize::from(!matches!(entry, Entry::Absent));
        self.present -= usize::from(!matches!(old, Entry::Absent));
        old
    }

    fn get(&self, pod: PodId) -> Entry {
        self.by_pod.get(pod.index()).copied().unwrap_or_default()
    }
}

/// The queue of timed workers.
pub(super) struct TimedWorkerQueue {
    ctx: Ctx,
    /// For searches: the entries by pod plus one, and 0 for whether there are any.
    keys: Keys,
    entries: Shared<Entries>,
    handler: HandlerId<Firing>,
}

/// A timer of a pod's entry, of which the pod may have had others before.
#[derive(Clone, Copy)]
pub(super) struct Firing {
    pub(super) pod: PodId,
    pub(super) entry: u32,
}

impl Argument for Firing {
    fn pack(self) -> u64 {
        u64::from(self.entry) << 32 | u64::from(self.pod.0)
    }

    fn unpack(bits: u64) -> Self {
        Self { pod: PodId(bits as u32), entry: (bits >> 32) as u32 }
    }
}

impl TimedWorkerQueue {
    /// One without timers; `fire` does the work whenever one fires (`CreateWorkerQueue`).
    pub(super) fn new(ctx: &Ctx, fire: impl Handler<Argument = Firing> + 'static) -> Self {
        TimedWorkerQueue {
            keys: ctx.keys("eviction-timers"),
            ctx: ctx.clone(),
            entries: Shared::default(),
            handler: ctx.register(Rc::new(fire)),
        }
    }

    fn key(&self, pod: PodId) -> Key {
        self.keys.of(pod.0 + 1)
    }

    fn set(&self, pod: PodId, entry: Entry) -> Entry {
        let (old, others) = self.entries.with(|e| {
            (e.set(pod, entry), e.present - usize::from(!matches!(entry, Entry::Absent)))
        });
        self.ctx.writes(self.key(pod));
        if others == 0 {
            self.ctx.writes(self.keys.of(0));
        }
        old
    }

    /// Whether there is no entry at all.
    pub(super) fn is_empty(&self) -> bool {
        self.ctx.reads(self.keys.of(0));
        self.entries.with(|e| e.present == 0)
    }

    /// When the pod's timer was created, if it has one (`GetWorkerUnsafe` and `CreatedAt`).
    pub(super) fn created_at(&self, pod: PodId) -> Option<Time> {
        self.ctx.reads(self.key(pod));
        self.entries.with(|e| match e.get(pod) {
            Entry::Timer { created, .. } => Some(created),
            Entry::Absent | Entry::Nil => None,
        })
    }

    /// `AddWork`: false if there is an entry. `nil`: the entry is nil, and whoever adds it begins
    /// the work at once.
    pub(super) fn add_work(&self, pod: PodId, delay: Dur, nil: bool) -> bool {
        self.ctx.reads(self.key(pod));
        if !self.entries.with(|e| matches!(e.get(pod), Entry::Absent)) {
            return false;
        }
        if nil {
            self.set(pod, Entry::Nil);
            return true;
        }
        let number = self.entries.with(|e| {
            e.number = e.number.wrapping_add(1);
            e.number
        });
        let created = self.ctx.now();
        let firing = Firing { pod, entry: number };
        // A time beyond the end of time never comes.
        let at = created.checked_add(delay);
        let key = at.map(|at| self.ctx.post_at(at, Class::Timer, self.handler, firing));
        self.set(pod, Entry::Timer { key, created, cause: self.ctx.cause(), number });
        true
    }

    /// The record of a pod's timer becomes the cause of what its firing does.
    pub(super) fn set_cause(&self, pod: PodId, record: u32) {
        self.entries.with(|e| {
            if let Some(Entry::Timer { cause, .. }) = e.by_pod.get_mut(pod.index()) {
                *cause = record;
            }
        });
    }

    /// `CancelWork`: removes the entry; true if it was a timer. One that has fired already goes on
    /// all the same, unless (1.35 on) its goroutine has not begun.
    pub(super) fn cancel_work(&self, pod: PodId) -> bool {
        match self.set(pod, Entry::Absent) {
            Entry::Absent | Entry::Nil => false,
            Entry::Timer { key, number, .. } => {
                if key.is_some_and(|key| !self.ctx.cancel(key)) {
                    self.entries.with(|e| e.cancelled.insert(number));
                }
                true
            }
        }
    }

    /// A timer fires: the deletion is about to begin. Its entry stays until the deletion ends.
    pub(super) fn fire(&self, pod: PodId, number: u32) {
        self.ctx.writes(self.key(pod));
        let cause = self.entries.with(|e| match e.get(pod) {
            Entry::Timer { cause, number: n, .. } if n == number => Some(cause),
            _ => e.lost.remove(&number),
        });
        if let Some(cause) = cause {
            self.ctx.set_cause(cause);
        }
    }

    /// Whether a fired timer was cancelled since it fired. It was not if its entry went in another
    /// way, with the end of another timer's work say.
    pub(super) fn was_cancelled(&self, pod: PodId, number: u32) -> bool {
        self.ctx.reads(self.key(pod));
        self.entries.with(|e| e.cancelled.contains(&number))
    }

    /// A timer's work has ended: nobody asks any more whether it was cancelled.
    pub(super) fn forget(&self, number: u32) {
        self.entries.with(|e| e.cancelled.remove(&number));
    }

    /// The end of the work (`getWrappedWorkerFunc`) of a timer of that number, or of none: whatever
    /// entry the pod has by then is removed or, up to 1.32 after a success, set to nil.
    pub(super) fn finished(&self, pod: PodId, timer: Option<u32>, ok: bool, entry: FinishedEntry) {
        let left = match (ok, entry) {
            (true, FinishedEntry::Nil) => Entry::Nil,
            (true, FinishedEntry::Deleted) | (false, _) => Entry::Absent,
        };
        if let Entry::Timer { cause, number, .. } = self.set(pod, left)
            && timer != Some(number)
        {
            self.entries.with(|e| e.lost.insert(number, cause));
        }
    }
}
