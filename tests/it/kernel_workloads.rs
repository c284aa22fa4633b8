//! The kernel's bench workloads at small size: the three engines do the same work, and at full size
//! it is the work that is written down.

#[path = "../../benches/workloads/mod.rs"]
mod workloads;

use workloads::engines::{Engine, NeXosim, OurKey, Ours, SimCore};
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
