//! Scratch.
use taintsim::*;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let filter = &args[0];
    for f in &args[1..] {
        println!("=== {f}");
        let loaded = match scenario::load(std::path::Path::new(f)) {
            Ok(l) => l,
            Err(p) => {
                println!("{}", p.render(false, 120));
                continue;
            }
        };
        let plan = match scenario::build(&loaded, &scenario::Overrides::default()) {
            Ok(l) => l,
            Err(p) => {
                println!("{}", p.render(false, 120));
                continue;
            }
        };
        let trace = sim::run(&plan, kernel::Choices::seeded(1));
        for r in trace.iter() {
            let x = trace.fields(r);
            if !filter.split(',').any(|w| w == "all" || w == x.what) {
                continue;
            }
            println!(
                "{:>12.6} {:<14} {:<16} {} {} {} {} {} {} +{:?} -{:?}",
                r.at.as_nanos() as f64 / 1e9,
                r.actor.as_str(),
                x.what,
                x.node.unwrap_or_default(),
                x.pod.unwrap_or_default(),
                x.kind.unwrap_or_default(),
                x.status.unwrap_or_default(),
                x.object.unwrap_or_default(),
                x.seconds.map(|s| s.to_string()).unwrap_or_default(),
                x.added,
                x.removed
            );
        }
    }
}
