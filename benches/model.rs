//! The model's workloads, timed as a whole.
//!
//! `cargo bench --bench model`; with an argument only the workloads whose name contains it.

#![expect(clippy::disallowed_types, clippy::disallowed_methods, clippy::print_stdout, reason = "a bench reads the clock of the wall")]

#[path = "workloads/cluster.rs"]
mod cluster;
#[path = "workloads/placement.rs"]
mod placement;

use std::time::Instant;
use taintsim::kernel::Choices;
use taintsim::sim::{Plan, run};
use taintsim::trace::What;

fn time(name: &str, plan: &Plan, deletions: Option<usize>) {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    if filter.is_some_and(|f| !name.contains(&f)) {
        return;
    }
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        let trace = run(plan, Choices::seeded(1));
        times.push(start.elapsed());
        let deleted = trace.iter().filter(|r| matches!(r.what, What::PodDeleting(_))).count();
        if let Some(d) = deletions {
            assert_eq!(deleted, d, "{name}");
        }
        if times.len() == 1 {
            println!("{name}: {} records, {deleted} deletions", trace.len());
        }
    }
    times.sort();
    println!("{name}: min {:?} median {:?}", times[0], times[2]);
}

/// Placements of pods on empty nodes, `rounds` times.
fn time_placement(name: &str, nodes: u32, pods: usize, indexed: bool, rounds: usize) {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    if filter.is_some_and(|f| !name.contains(&f)) {
        return;
    }
    let mut times = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        std::hint::black_box(placement::place(nodes, pods, indexed));
        times.push(start.elapsed());
    }
    times.sort();
    println!("{name}: min {:?} median {:?}", times[0], times[rounds / 2]);
}

fn main() {
    time_placement("placement", 5_000, 150_000, true, 5);
    time_placement("placement-plain-scan", 5_000, 1_500, false, 3);
    time("healthy-day", &cluster::healthy_day(5_000), Some(0));
    time("outage", &cluster::outage(5_000, 30), Some(150_000));
    time("master-disruption", &cluster::master_disruption(5_000, 30), Some(0));
    time("real-stack", &cluster::real_stack(), None);
    time("tainted-at-once", &cluster::tainted_at_once(5_000, 30), Some(150_000));
}
