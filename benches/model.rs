//! The model's workloads: how long a whole run takes, that it does what it is timed for, and how
//! much memory one run needs.
//!
//! `cargo bench --bench model`, with a part of a workload's name to run only that; `largest` runs
//! only if it is named. A run includes making the cluster from its plan, and keeps every record.

#![expect(clippy::print_stdout, reason = "a bench's output is its result")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench measures time by the clock on the wall"
)]

#[path = "workloads/cluster.rs"]
mod cluster;

use criterion::{Criterion, SamplingMode};
use std::process::Command;
use std::time::{Duration, Instant};
use taintsim::api::meta::ConditionStatus;
use taintsim::api::pod::PodConditionType;
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::sim::run;
use taintsim::trace::{Trace, What};

/// The first argument of a process that measures the memory of one run of the workload named by the
/// second.
const MEMORY_OF: &str = "--memory-of";
/// The workload that takes seconds and gigabytes.
const LARGEST: &str = "largest, 100,000 nodes";

/// What a run is asserted to have come to.
#[derive(Clone, Copy)]
enum Count {
    /// Deletions of pods that began.
    Deletions(usize),
    /// Pods that turned NotReady.
    NotReady(usize),
    /// Pods that were bound to a node.
    Bound(usize),
}

impl Count {
    fn check(self, name: &str, trace: &Trace) {
        let (expected, counts): (usize, fn(&What) -> bool) = match self {
            Count::Deletions(n) => (n, |what| matches!(what, What::PodDeleting(_))),
            Count::Bound(n) => (n, |what| matches!(what, What::PodBound(_))),
            Count::NotReady(n) => (n, |what| {
                matches!(
                    what,
                    What::PodCondition(PodConditionType::Ready, ConditionStatus::False, _)
                )
            }),
        };
        assert_eq!(trace.iter().filter(|r| counts(&r.what)).count(), expected, "{name}");
    }
}

/// A workload with its bars; see docs/performance.md.
struct Workload {
    name: &'static str,
    plan: fn() -> Plan,
    count: Count,
    bar_ms: f64,
    bar_mib: Option<f64>,
}

fn workloads() -> [Workload; 9] {
    let of = |name, plan, count, bar_ms, bar_mib| Workload { name, plan, count, bar_ms, bar_mib };
    [
        of("healthy day", || cluster::healthy_day(5_000), Count::Deletions(0), 5.0, None),
        of(
            "the outage",
            || cluster::outage(5_000, 30),
            Count::Deletions(150_000),
            150.0,
            Some(128.0),
        ),
        of(
            "master disruption",
            || cluster::master_disruption(5_000, 30),
            Count::Deletions(0),
            150.0,
            None,
        ),
        of(
            "tainted at once",
            || cluster::tainted_at_once(5_000, 30),
            Count::Deletions(150_000),
            250.0,
            Some(160.0),
        ),
        of("the real stack's case", cluster::real_stack, Count::Deletions(1_110), 12.0, None),
        of("one of a sweep", cluster::one_of_a_sweep, Count::Deletions(10), 0.5, None),
        // 1 KiB per pod.
        of("placement", || cluster::placement(5_000), Count::Bound(150_000), 2_000.0, Some(146.5)),
        of(
            "the outage with room",
            || cluster::outage_with_room(5_000),
            Count::Bound(150_000),
            3_000.0,
            None,
        ),
        // A third of the nodes, rounded up, with 30 pods each.
        of(
            LARGEST,
            || cluster::a_zone_of_three(100_000, 30),
            Count::NotReady(33_334 * 30),
            5_000.0,
            Some(3_072.0),
        ),
    ]
}

/// MiB that Linux tells of this process under a key.
fn status(key: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix(key))?
        .split_whitespace()
        .nth(1)?
        .parse::<f64>()
        .ok()?;
    Some(kib / 1024.0)
}

/// Prints how many MiB one run adds at its peak to a process that holds its plan.
fn print_memory(workload: &Workload) {
    let plan = (workload.plan)();
    let before = status("VmRSS");
    let trace = run(&plan, Choices::seeded(1));
    let peak = status("VmHWM");
    workload.count.check(workload.name, &trace);
    if let (Some(before), Some(peak)) = (before, peak) {
        println!("{}", peak - before);
    }
}

/// MiB of one run in a process of its own; none where the system does not tell.
fn memory(workload: &Workload) -> Option<f64> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).args([MEMORY_OF, workload.name]).output().ok()?;
    assert!(
        output.status.success(),
        "{}: {}",
        workload.name,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

fn measure(criterion: &mut Criterion, workload: &Workload) -> Option<String> {
    let (mut times, mut records, mut seed) = (Vec::new(), 0, 0);
    let mut plan = None;
    let mut group = criterion.benchmark_group("model");
    group
        .sample_size(10)
        .sampling_mode(SamplingMode::Flat)
        .warm_up_time(Duration::from_millis(1))
        .measurement_time(Duration::from_secs(1));
    group.bench_function(workload.name, |b| {
        let plan = plan.get_or_insert_with(workload.plan);
        b.iter_custom(|n| {
            (0..n)
                .map(|_| {
                    seed += 1;
                    let start = Instant::now();
                    let trace = run(plan, Choices::seeded(seed));
                    let time = start.elapsed();
                    workload.count.check(workload.name, &trace);
                    records = trace.len();
                    times.push(time);
                    time
                })
                .sum()
        });
    });
    group.finish();
    times.sort();
    let ms = |t: &Duration| t.as_secs_f64() * 1e3;
    let (best, median) = (ms(times.first()?), ms(times.get(times.len() / 2)?));
    let memory = memory(workload);
    let mib = |m: Option<f64>| m.map_or_else(|| "-".to_owned(), |m| format!("{m:.0}"));
    Some(format!(
        "{:24} {records:>9} {best:>9.2} {median:>10.2} {:>8.1} {:>6.2} {:>7} {:>7}",
        workload.name,
        workload.bar_ms,
        median / workload.bar_ms,
        mib(memory),
        mib(workload.bar_mib)
    ))
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = args.as_slice()
        && flag == MEMORY_OF
    {
        workloads().iter().filter(|w| w.name == name).for_each(print_memory);
        return;
    }
    let largest_is_named = args.iter().any(|a| !a.starts_with('-') && LARGEST.contains(a.as_str()));
    let mut criterion = Criterion::default().configure_from_args();
    let wanted = |w: &&Workload| w.name != LARGEST || largest_is_named;
    let rows: Vec<String> =
        workloads().iter().filter(wanted).filter_map(|w| measure(&mut criterion, w)).collect();
    criterion.final_summary();
    println!(
        "\n{:24} {:>9} {:>9} {:>10} {:>8} {:>6} {:>7} {:>7}",
        "workload", "records", "best ms", "median ms", "bar ms", "ratio", "MiB", "bar"
    );
    rows.iter().for_each(|row| println!("{row}"));
}
