//! The kernel's bench workloads: at small size our queue and a plain one do the same work, and at
//! full size it is the work that is written down. `benches/peers.rs` holds the peers to it.

#[path = "../../benches/workloads/mod.rs"]
mod workloads;

use std::collections::BTreeMap;
use workloads::engines::{Engine, OurKey, Ours};
use workloads::heartbeat::Heartbeat;
use workloads::hold::Hold;
use workloads::partition::Partition;
use workloads::timers::Timers;
use workloads::{Alarm, Event, SEC, Work};

fn run<E: Engine<W>, W: Work<E::Key>>(work: W, end: u64) -> W {
    let mut engine = E::start(work);
    engine.run_until(end);
    engine.finish()
}

fn checksum<E: Engine<W>, W: Work<E::Key>>(work: W, end: u64) -> u64 {
    run::<E, W>(work, end).checksum()
}

/// A queue without any cleverness: what is pending, in order of time and then of posting.
#[derive(Default)]
struct Pending {
    events: BTreeMap<(u64, u64), Event>,
    posted: u64,
}

impl Alarm<(u64, u64)> for Pending {
    fn post(&mut self, at: u64, event: Event) {
        self.set(at, event);
    }

    fn set(&mut self, at: u64, event: Event) -> (u64, u64) {
        let key = (at, self.posted);
        self.posted += 1;
        self.events.insert(key, event);
        key
    }

    fn cancel(&mut self, key: (u64, u64)) {
        self.events.remove(&key);
    }
}

struct Plain<W> {
    pending: Pending,
    work: W,
}

impl<W: Work<(u64, u64)>> Plain<W> {
    fn step(&mut self, end: u64) -> bool {
        let first = self.pending.events.first_entry().filter(|first| first.key().0 <= end);
        let Some(((at, _), event)) = first.map(|first| first.remove_entry()) else {
            return false;
        };
        self.work.on(at, event, &mut self.pending);
        true
    }
}

impl<W: Work<(u64, u64)>> Engine<W> for Plain<W> {
    type Key = (u64, u64);

    fn start(mut work: W) -> Self {
        let mut pending = Pending::default();
        work.start(&mut pending);
        Self { pending, work }
    }

    fn run_events(&mut self, n: u64) {
        for _ in 0..n {
            self.step(u64::MAX);
        }
    }

    fn run_until(&mut self, end: u64) {
        while self.step(end) {}
    }

    fn finish(self) -> W {
        self.work
    }
}

#[test]
fn a_plain_queue_does_the_same_work() {
    fn equal(sums: [u64; 2], of: &str) {
        assert!(sums[0] == sums[1] && sums[0] != 0, "{of}: {sums:x?}");
    }
    let (end, heartbeat) = (600 * SEC, || Heartbeat::new(50));
    equal(
        [checksum::<Ours<_>, _>(heartbeat(), end), checksum::<Plain<_>, _>(heartbeat(), end)],
        "heartbeat",
    );
    for whole in [false, true] {
        let ours = checksum::<Ours<_>, _>(Partition::new(60, whole), end);
        equal([ours, checksum::<Plain<_>, _>(Partition::new(60, whole), end)], "partition");
    }
    let end = 5_000 * SEC;
    let ours = checksum::<Ours<_>, _>(Timers::new(500, 3), end);
    equal([ours, checksum::<Plain<_>, _>(Timers::new(500, 3), end)], "timers");
}

#[test]
fn the_hold_model_is_the_same_in_a_plain_queue() {
    fn hold<E: Engine<Hold>>() -> u64 {
        let mut engine = E::start(Hold::new(300, 5_000));
        engine.run_events(5_000);
        Work::<E::Key>::checksum(&engine.finish())
    }
    assert_eq!(hold::<Ours<_>>(), hold::<Plain<_>>());
}

#[test]
fn the_full_size_gives_the_figures_written_down() {
    let hour = run::<Ours<_>, _>(Heartbeat::new(5_000), 3_600 * SEC);
    assert_eq!((Work::<OurKey>::checksum(&hour), hour.ages), Heartbeat::HOUR);
    for (whole, checksum, each) in
        [(false, Partition::<OurKey>::HALF, 12_510), (true, Partition::<OurKey>::WHOLE, 75_000)]
    {
        let partition = run::<Ours<_>, _>(Partition::new(5_000, whole), 600 * SEC);
        assert_eq!(
            (partition.checksum(), partition.fired, partition.cancelled),
            (checksum, each, each)
        );
    }
    assert_eq!(
        checksum::<Ours<_>, _>(Timers::new(150_000, 20), 20_000 * SEC),
        Timers::<OurKey>::FULL
    );
}
