//! What runs a workload: taintsim's own queue here, and its peers in `peers.rs`.

use super::{Alarm, Event, Work};
use taintsim::kernel::{Class, EventQueue, Time};

/// Runs a workload.
pub(crate) trait Engine<W> {
    /// What it names its events by.
    type Key;
    /// Lets the workload post its first events.
    fn start(work: W) -> Self;
    /// Runs so many events (nexosim: so many instants).
    fn run_events(&mut self, n: u64);
    /// Runs all events up to an instant, in nanoseconds, inclusive.
    fn run_until(&mut self, end: u64);
    /// Gives the workload back.
    fn finish(self) -> W;
}

/// taintsim's event queue by itself.
pub(crate) struct Ours<W> {
    queue: EventQueue<Event>,
    work: W,
}

/// Keys of taintsim's queue.
pub(crate) type OurKey = taintsim::kernel::EventKey;

impl Alarm<OurKey> for EventQueue<Event> {
    fn post(&mut self, at: u64, event: Event) {
        self.push_at(Time::from_nanos(at), Class::Timer, event);
    }

    fn set(&mut self, at: u64, event: Event) -> OurKey {
        self.push_at(Time::from_nanos(at), Class::Timer, event)
    }

    fn cancel(&mut self, key: OurKey) {
        self.cancel(key);
    }
}

impl<W: Work<OurKey>> Engine<W> for Ours<W> {
    type Key = OurKey;

    fn start(work: W) -> Self {
        let mut ours = Self { queue: EventQueue::default(), work };
        ours.work.start(&mut ours.queue);
        ours
    }

    fn run_events(&mut self, n: u64) {
        for _ in 0..n {
            let Some((at, _, event)) = self.queue.pop() else {
                return;
            };
            self.work.on(at.as_nanos(), event, &mut self.queue);
        }
    }

    fn run_until(&mut self, end: u64) {
        while let Some((at, _, event)) = self.queue.pop_until(Time::from_nanos(end)) {
            self.work.on(at.as_nanos(), event, &mut self.queue);
        }
    }

    fn finish(self) -> W {
        self.work
    }
}
