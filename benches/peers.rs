//! The kernel's bench workloads: the three engines do the same work at small size, and at full size
//! the work that is written down.

#[path = "workloads/peers.rs"]
mod peers;
mod workloads;

use peers::{NeXosim, SimCore};
use workloads::engines::{Engine, Ours};
use workloads::heartbeat::Heartbeat;
use workloads::hold::Hold;
use workloads::partition::Partition;
use workloads::timers::Timers;
use workloads::{SEC, Work};

fn run<E: Engine<W>, W: Work<E::Key>>(work: W, end: u64) -> W {
    let mut engine = E::start(work);
    engine.run_until(end);
    engine.finish()
}

fn checksum<E: Engine<W>, W: Work<E::Key>>(work: W, end: u64) -> u64 {
    run::<E, W>(work, end).checksum()
}

#[test]
fn three_engines_do_the_same_work() {
    fn equal(sums: [u64; 3], of: &str) {
        assert!(sums[0] == sums[1] && sums[1] == sums[2] && sums[0] != 0, "{of}: {sums:x?}");
    }
    let end = 600 * SEC;
    let heartbeat = || Heartbeat::new(50);
    equal(
        [
            checksum::<Ours<_>, _>(heartbeat(), end),
            checksum::<SimCore<_>, _>(heartbeat(), end),
            checksum::<NeXosim<_>, _>(heartbeat(), end),
        ],
        "heartbeat",
    );
    for whole in [false, true] {
        equal(
            [
                checksum::<Ours<_>, _>(Partition::new(60, whole), end),
                checksum::<SimCore<_>, _>(Partition::new(60, whole), end),
                checksum::<NeXosim<_>, _>(Partition::new(60, whole), end),
            ],
            "partition",
        );
    }
    let end = 5_000 * SEC;
    equal(
        [
            checksum::<Ours<_>, _>(Timers::new(500, 3), end),
            checksum::<SimCore<_>, _>(Timers::new(500, 3), end),
            checksum::<NeXosim<_>, _>(Timers::new(500, 3), end),
        ],
        "timers",
    );
}

#[test]
fn the_hold_model_is_the_same_everywhere() {
    fn hold<E: Engine<Hold>>() -> u64 {
        let mut engine = E::start(Hold::new(300, 5_000));
        engine.run_events(5_000);
        Work::<E::Key>::checksum(&engine.finish())
    }
    let ours = hold::<Ours<_>>();
    assert_eq!(ours, hold::<SimCore<_>>());
    assert_eq!(ours, hold::<NeXosim<_>>());
}

#[test]
fn the_full_size_gives_the_figures_written_down() {
    fn hour<E: Engine<Heartbeat>>() {
        let hour = run::<E, _>(Heartbeat::new(5_000), 3_600 * SEC);
        assert_eq!((Work::<E::Key>::checksum(&hour), hour.ages), Heartbeat::HOUR);
    }
    fn partitions<K, E: Engine<Partition<K>, Key = K>>()
    where
        Partition<K>: Work<K>,
    {
        for (whole, sum, each) in
            [(false, Partition::<K>::HALF, 12_510), (true, Partition::<K>::WHOLE, 75_000)]
        {
            let partition = run::<E, _>(Partition::new(5_000, whole), 600 * SEC);
            assert_eq!(
                (partition.checksum(), partition.fired, partition.cancelled),
                (sum, each, each)
            );
        }
    }
    fn timers<K, E: Engine<Timers<K>, Key = K>>()
    where
        Timers<K>: Work<K>,
    {
        assert_eq!(checksum::<E, _>(Timers::new(150_000, 20), 20_000 * SEC), Timers::<K>::FULL);
    }
    hour::<Ours<_>>();
    hour::<SimCore<_>>();
    hour::<NeXosim<_>>();
    partitions::<_, Ours<_>>();
    partitions::<_, SimCore<_>>();
    partitions::<_, NeXosim<_>>();
    timers::<_, Ours<_>>();
    timers::<_, SimCore<_>>();
    timers::<_, NeXosim<_>>();
}
