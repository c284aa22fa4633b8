use clap::Parser;
use taintsim::cli::conform::{ConformArgs, run};
use taintsim::kernel::Choices;
#[derive(Parser)]
struct A {
    #[command(flatten)]
    c: ConformArgs,
}
fn main() {
    let a = A::parse();
    let model = |plan: &taintsim::sim::Plan, seed: u64| {
        taintsim::sim::run(plan, if seed == 0 { Choices::default_order() } else { Choices::seeded(seed) })
    };
    let code = run(&a.c, &model, &mut std::io::stdout().lock(), &mut std::io::stderr().lock()).unwrap();
    std::process::exit(code.into());
}
