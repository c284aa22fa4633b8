//! The event queue beside its peers, in the same run: the hold model at 1,000 and 100,000 pending
//! events, an hour of heartbeats, a partition of half a zone and of the whole cluster, and rounds
//! of timers. Checksums are asserted; a table of ratios is printed at the end.
//!
//! `cargo bench --bench kernel`, with a part of a workload's name to run only that.

#![expect(clippy::print_stdout, reason = "a bench's output is its result")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench measures time by the clock on the wall"
)]

#[path = "workloads/peers.rs"]
mod peers;
mod workloads;

use criterion::{Criterion, SamplingMode};
use peers::{NeXosim, SimCore};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use workloads::engines::{Engine, OurKey, Ours};
use workloads::heartbeat::Heartbeat;
use workloads::hold::Hold;
use workloads::partition::Partition;
use workloads::timers::Timers;
use workloads::{SEC, Work};

/// Times of single runs, by workload and engine.
#[derive(Default)]
struct Table(BTreeMap<(&'static str, &'static str), Vec<Duration>>);

impl Table {
    /// Prints median and best of each, and how many times as long as ours.
    fn print(&mut self) {
        for times in self.0.values_mut() {
            times.sort();
        }
        println!(
            "\n{:26} {:10} {:>12} {:>12} {:>18}",
            "workload", "engine", "median ms", "best ms", "ours is faster by"
        );
        for ((workload, engine), times) in &self.0 {
            let (median, best) = (times[times.len() / 2], times[0]);
            let ratio = |t: Duration, ours: Duration| t.as_secs_f64() / ours.as_secs_f64();
            let ours = self.0.get(&(*workload, "taintsim"));
            let ratios = ours.map_or_else(String::new, |o| {
                format!("{:.1} (best {:.1})", ratio(median, o[o.len() / 2]), ratio(best, o[0]))
            });
            println!(
                "{workload:26} {engine:10} {:>12.2} {:>12.2} {ratios:>18}",
                median.as_secs_f64() * 1e3,
                best.as_secs_f64() * 1e3
            );
        }
    }
}

/// Measures one engine on one workload; `run` times what counts of one run.
fn measure(
    criterion: &mut Criterion,
    table: &mut Table,
    workload: &'static str,
    engine: &'static str,
    run: impl Fn() -> Duration,
) {
    let times = table.0.entry((workload, engine)).or_default();
    let mut group = criterion.benchmark_group(workload);
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(1));
    group.bench_function(engine, |b| {
        b.iter_custom(|n| {
            (0..n)
                .map(|_| {
                    let time = run();
                    times.push(time);
                    time
                })
                .sum()
        });
    });
    group.finish();
    if times.is_empty() {
        table.0.remove(&(workload, engine));
    }
}

/// A run from the start to an instant.
fn whole<E: Engine<W>, W: Work<E::Key>>(work: W, end: u64, checksum: u64) -> Duration {
    let start = Instant::now();
    let mut engine = E::start(work);
    engine.run_until(end);
    let time = start.elapsed();
    assert_eq!(engine.finish().checksum(), checksum);
    time
}

/// The hold model: as many events as are pending go before those that are timed. The first run's
/// checksum is everyone's; it is no constant because the logarithm's last bit is the platform's
/// affair.
fn hold<E: Engine<Hold>>(pending: usize, checksum: &OnceCell<u64>) -> Duration {
    let timed = 5_000_000;
    let mut engine = E::start(Hold::new(pending, pending as u64 + timed));
    engine.run_events(pending as u64);
    let start = Instant::now();
    engine.run_events(timed);
    let time = start.elapsed();
    let sum = Work::<E::Key>::checksum(&engine.finish());
    assert_eq!(sum, *checksum.get_or_init(|| sum));
    time
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut table = Table::default();
    let (c, t) = (&mut criterion, &mut table);
    for (name, pending) in [("hold, 1e3 pending", 1_000), ("hold, 1e5 pending", 100_000)] {
        let sum = OnceCell::new();
        measure(c, t, name, "taintsim", || hold::<Ours<_>>(pending, &sum));
        measure(c, t, name, "simcore", || hold::<SimCore<_>>(pending, &sum));
        measure(c, t, name, "nexosim", || hold::<NeXosim<_>>(pending, &sum));
    }
    let (name, end, sum) = ("heartbeat hour", 3_600 * SEC, Heartbeat::HOUR.0);
    measure(c, t, name, "taintsim", || whole::<Ours<_>, _>(Heartbeat::new(5_000), end, sum));
    measure(c, t, name, "simcore", || whole::<SimCore<_>, _>(Heartbeat::new(5_000), end, sum));
    measure(c, t, name, "nexosim", || whole::<NeXosim<_>, _>(Heartbeat::new(5_000), end, sum));
    for (name, all, sum) in [
        ("partition, half a zone", false, Partition::<OurKey>::HALF),
        ("partition, all nodes", true, Partition::<OurKey>::WHOLE),
    ] {
        let end = 600 * SEC;
        measure(c, t, name, "taintsim", || {
            whole::<Ours<_>, _>(Partition::new(5_000, all), end, sum)
        });
        measure(c, t, name, "simcore", || {
            whole::<SimCore<_>, _>(Partition::new(5_000, all), end, sum)
        });
        measure(c, t, name, "nexosim", || {
            whole::<NeXosim<_>, _>(Partition::new(5_000, all), end, sum)
        });
    }
    let (name, end, sum) = ("timers, set and cancel", 20_000 * SEC, Timers::<OurKey>::FULL);
    measure(c, t, name, "taintsim", || whole::<Ours<_>, _>(Timers::new(150_000, 20), end, sum));
    measure(c, t, name, "simcore", || whole::<SimCore<_>, _>(Timers::new(150_000, 20), end, sum));
    measure(c, t, name, "nexosim", || whole::<NeXosim<_>, _>(Timers::new(150_000, 20), end, sum));
    criterion.final_summary();
    table.print();
}
