//! The race lab: interleavings per second, the time to exhaust two deviations, and the eviction loop that a model checker is measured on.
//!
//! `cargo bench --bench explore`; docs/performance.md has the bars.

#![expect(clippy::print_stdout, reason = "a bench's output is its result")]
#![expect(clippy::disallowed_types, clippy::disallowed_methods, reason = "a bench measures time by the clock on the wall")]

use std::path::Path;
use std::time::{Duration, Instant};
use taintsim::analysis::properties::Property;
use taintsim::kernel::Choices;
use taintsim::lab::explore::{Explore, Strategy, explore};
use taintsim::lab::shrink::{Shrink, shrink};
use taintsim::scenario::{self, Overrides};
use taintsim::sim::{self, Plan};

fn plan(file: &str) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/races").join(file);
    let loaded = scenario::load(&path).expect("the scenario is right");
    scenario::build(&loaded, &Overrides::default()).expect("the scenario is right")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn search(file: &str, property: &str, depth: u32, prune: bool, until_found: bool) {
    let properties = [Property::parse(property).expect("a property")];
    let make = || plan(file);
    let wanted = Explore {
        plan: &make,
        properties: &properties,
        strategy: Strategy::Exhaustive,
        depth,
        runs: u64::MAX,
        seed: 1,
        until_found,
        prune,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let begun = Instant::now();
    let (report, _) = explore(&wanted, &pool, &|_| true);
    let took = begun.elapsed();
    println!(
        "{file} {property} depth {depth}{}: {} runs ({} cut short, {} swaps left out), {} states, {} outcomes, {} violations, {:.1} ms, {:.0} runs/s",
        if prune { "" } else { " without pruning" },
        report.runs,
        report.pruned,
        report.skipped,
        report.states,
        report.outcomes.len(),
        report.violations.len(),
        took.as_secs_f64() * 1e3,
        report.runs as f64 / took.as_secs_f64()
    );
    for o in report.outcomes.iter().take(5) {
        println!("    {} x {}", o.runs, o.text);
    }
    for v in report.violations.iter().take(3) {
        println!("    {} ({} deviations): {}", v.property, v.tape.len(), v.text);
        for d in &v.tape {
            println!("        {d:?}");
        }
    }
}

fn main() {
    let small = !std::env::args().any(|a| a == "--bench");
    let rounds = if small { 3 } else { 2_000 };
    for file in ["107543.ron", "kivi-eviction-loop.ron"] {
        let plan = plan(file);
        let time = |f: &dyn Fn()| {
            median(
                (0..rounds)
                    .map(|_| {
                        let begun = Instant::now();
                        f();
                        begun.elapsed()
                    })
                    .collect(),
            )
        };
        let searched = sim::search(&plan, Choices::default_order(), &mut |_, _| false);
        println!(
            "{file}: run {:?}, search {:?}, {} steps, {} choices of turn, {} choices, {} records, fingerprint {:x}",
            time(&|| drop(sim::run(&plan, Choices::default_order()))),
            time(&|| drop(sim::search(&plan, Choices::default_order(), &mut |_, _| false))),
            searched.notes.steps.len(),
            searched.notes.asked.len(),
            searched.choices.len(),
            searched.trace.len(),
            searched.notes.fingerprint
        );
    }
    for depth in [0, 1, 2] {
        search("107543.ron", "pod-stuck", depth, true, false);
    }
    search("107543.ron", "pod-stuck", 1, false, false);
    // The hunt of the README: found from a scenario in which nothing is amiss, and two deviations exhausted.
    search("../rapid.ron", "pod-stuck", 2, true, true);
    search("../rapid.ron", "pod-stuck", 2, true, false);
    search("kivi-eviction-loop.ron", "evict-loop", 2, true, true);
    shrunk("107543.ron", "pod-stuck");
}

/// Shrinks a scenario that violates in the default order.
fn shrunk(file: &str, property: &str) {
    let property = Property::parse(property).expect("a property");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/races").join(file);
    let loaded = scenario::load(&path).expect("the scenario is right");
    let spec = scenario::changed(&loaded, &Overrides::default()).expect("the scenario is right");
    let begun = Instant::now();
    let mut tries = 0;
    let what = Shrink { loaded: &loaded, spec, property };
    let found = shrink(what, &mut |tried, _| {
        tries = tried;
        true
    });
    let size = found.expect("it violates").sizes[1];
    println!(
        "{file} shrunk to {} node, {} pod, {} workload, {} entries in {:.1} ms, {tries} scenarios tried",
        size.nodes,
        size.pods,
        size.workloads,
        size.entries,
        begun.elapsed().as_secs_f64() * 1e3
    );
}
