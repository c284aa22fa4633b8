//! The race lab: interleavings per second, a violation found without a hint, two deviations
//! exhausted, the eviction loop that a model checker is measured on, and shrinking. All on one
//! thread, with the making of plans and the judging of runs.
//!
//! `cargo bench --bench explore`, with a part of a name to run only that; docs/performance.md has
//! the bars.

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::path::{Path, PathBuf};
use std::time::Duration;
use taintsim::analysis::properties::Property;
use taintsim::lab::explore::{BATCH, Explore, Report, Strategy, explore};
use taintsim::lab::shrink::{Goal, Shrink, Size, shrink};
use taintsim::scenario::{self, Loaded, Overrides};

/// The hunt of the README begins here: nothing is amiss in the default order.
const PLAIN: &str = "rapid.ron";
/// What it ends with.
const SMALL: &str = "races/taint-untaint-taint.ron";
const LOOP: &str = "races/kivi-eviction-loop.ron";

fn loaded(file: &str) -> Loaded {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(file);
    scenario::load(&path).expect("the scenario is right")
}

fn property(name: &str) -> Property {
    Property::parse(name).expect("a property")
}

/// An exhaustive search with up to so many deviations.
fn search(pool: &ThreadPool, loaded: &Loaded, name: &str, depth: u32, until_found: bool) -> Report {
    let properties = [property(name)];
    let plan = || scenario::build(loaded, &Overrides::default()).expect("the scenario is right");
    let wanted = Explore {
        plan: &plan,
        properties: &properties,
        expect: &[],
        strategy: Strategy::Exhaustive,
        depth,
        runs: u64::MAX,
        seed: 1,
        until_found,
        batch: BATCH,
        prune: true,
        beside: 0,
        spent: &|| 0.0,
        until: 1.0,
        changing: None,
    };
    explore(&wanted, pool, &|_| true).0
}

/// The smallest scenario that violates a property as this one does.
fn shrunk(loaded: &Loaded, name: &str) -> Size {
    let spec = scenario::changed(loaded, &Overrides::default()).expect("the scenario is right");
    shrink(
        Shrink { loaded, spec, goal: Goal::Violates(property(name)), told: None },
        &mut |_, _| true,
    )
    .expect("it violates")
    .sizes[1]
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let (plain, small, evict_loop) = (loaded(PLAIN), loaded(SMALL), loaded(LOOP));

    let mut group = criterion.benchmark_group("race lab");
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_secs(2));
    for (file, loaded) in [(PLAIN, &plain), (SMALL, &small)] {
        let runs = search(&pool, loaded, "pod-stuck", 2, false).runs;
        group.throughput(Throughput::Elements(runs));
        group.bench_function(BenchmarkId::new("two deviations exhausted", file), |b| {
            b.iter(|| {
                let report = search(&pool, loaded, "pod-stuck", 2, false);
                assert!(report.exhausted && report.runs == runs && report.violations.len() == 1);
            });
        });
    }
    group.throughput(Throughput::Elements(1));
    group.bench_function("found without a hint", |b| {
        b.iter(|| {
            let report = search(&pool, &plain, "pod-stuck", 2, true);
            assert!(!report.exhausted && report.violations[0].tape.len() == 1);
        });
    });
    group.bench_function("eviction loop", |b| {
        b.iter(|| {
            assert_eq!(search(&pool, &evict_loop, "evict-loop", 2, true).violations.len(), 1)
        });
    });
    group.bench_function("shrink", |b| {
        b.iter(|| {
            let size = shrunk(&small, "pod-stuck");
            assert!(size.nodes <= 1 && size.pods + size.workloads <= 1 && size.entries <= 3);
        });
    });
    group.finish();
    criterion.final_summary();
}
