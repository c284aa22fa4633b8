//! What a DaemonSet, a budget or a drain costs: a cluster with it beside the same cluster without
//! it, run in turn, as a ratio.
//!
//! `cargo bench --bench beside`, with a part of a pair's name to run only that. A run is as those
//! of `model`: from the plan to the end of the simulation, every record kept. Each pair runs at two
//! sizes, the second of which has four times as many nodes: where cost grows with what happens, it
//! takes about four times as long.

#![expect(clippy::print_stdout, reason = "a bench's output is its result")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a bench measures time by the clock on the wall"
)]

#[path = "workloads/beside.rs"]
mod beside;

use beside::{PAIRS, Pair, checksum, go};
use std::time::Instant;

/// How often each is run, in turn.
const ROUNDS: usize = 9;
/// How many nodes.
const SIZES: [usize; 2] = [1_000, 4_000];

/// Medians of milliseconds without and with it, of the quotients of the two, and how many records
/// there were.
fn measure(pair: &Pair, nodes: usize) -> ([f64; 2], f64, [usize; 2]) {
    let plans = [false, true].map(|with| (pair.plan)(nodes, with));
    let (mut times, mut records, mut ratios) = ([Vec::new(), Vec::new()], [0; 2], Vec::new());
    let mut sums = [0; 2];
    for round in 0..ROUNDS {
        for (i, plan) in plans.iter().enumerate() {
            let start = Instant::now();
            let trace = go(plan, 1);
            times[i].push(start.elapsed().as_secs_f64() * 1e3);
            records[i] = trace.len();
            let sum = checksum(&trace);
            assert!(round == 0 || sums[i] == sum, "{}: two runs differ", pair.name);
            sums[i] = sum;
        }
        ratios.push(times[1][round] / times[0][round]);
    }
    let median = |list: &mut Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    (times.each_mut().map(median), median(&mut ratios), records)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!(
        "{:34} {:>6} {:>9} {:>9} {:>11} {:>9} {:>6} {:>5}  per record",
        "with and without", "nodes", "records", "with", "ms without", "ms with", "ratio", "bar"
    );
    for pair in PAIRS
        .iter()
        .filter(|p| wanted.is_empty() || wanted.iter().any(|w| p.name.contains(w.as_str())))
    {
        for nodes in SIZES {
            let ([without, with], ratio, [few, many]) = measure(pair, nodes);
            let per_record = with / many as f64 / (without / few as f64);
            println!(
                "{:34} {nodes:>6} {few:>9} {many:>9} {without:>11.1} {with:>9.1} {ratio:>6.2} {:>5.1}  {per_record:.2}",
                pair.name, pair.bar
            );
        }
    }
}
