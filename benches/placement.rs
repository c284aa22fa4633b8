//! Placing pods of ReplicaSets on empty nodes, beside the plain scan; see docs/performance.md.
//!
//! `cargo bench --bench placement`. The plain scan works everything out anew for each pod, so it
//! gets fewer pods.

#[path = "workloads/placement.rs"]
mod placement;

use criterion::{Criterion, SamplingMode};
use std::hint::black_box;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("placement");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.bench_function("150,000 pods on 5,000 nodes", |b| {
        b.iter(|| black_box(placement::place(5_000, 150_000, true)))
    });
    group.bench_function("1,500 pods on 5,000 nodes", |b| {
        b.iter(|| black_box(placement::place(5_000, 1_500, true)))
    });
    group.bench_function("1,500 pods on 5,000 nodes, plain scan", |b| {
        b.iter(|| black_box(placement::place(5_000, 1_500, false)))
    });
    group.finish();
    criterion.final_summary();
}
