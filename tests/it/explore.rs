//! The race lab: searching changes nothing by itself, finds what it should, and gives the same report whoever counts.

use std::path::Path;
use taintsim::kernel::Choices;
use taintsim::scenario::{self, Overrides};
use taintsim::sim::{self, Plan};
use taintsim::trace::Trace;

/// A StatefulSet's pod tolerates a taint for a second; the node is tainted, untainted and tainted again (#107543).
pub(crate) const RAPID: &str = r#"(
    version: 1,
    kubernetes: "1.32",
    horizon: "12s",
    timing: Ideal,
    nodes: [(names: "node-0", lease_offset: "3s", status_offset: "4s")],
    workloads: [StatefulSet(name: "db", replicas: 1, template: (
        terminationGracePeriodSeconds: 0,
        tolerations: [(key: "flip", operator: Exists, effect: NoExecute, tolerationSeconds: 1)],
    ))],
    timeline: [
        (at: "2.3s", do: Taint(node: "node-0", taint: "flip:NoExecute")),
        (at: "5.3s", do: Untaint(node: "node-0", taint: "flip:NoExecute")),
        (at: "5.4s", do: Taint(node: "node-0", taint: "flip:NoExecute")),
    ],
)"#;

pub(crate) fn plan(text: &str, sets: &[&str]) -> Plan {
    let loaded = scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new("")).expect("the scenario is right");
    let overrides = Overrides { sets: sets.iter().map(|s| (*s).to_owned()).collect(), ..Overrides::default() };
    scenario::build(&loaded, &overrides).expect("the scenario is right")
}

fn same(a: &Trace, b: &Trace) -> bool {
    a.len() == b.len() && a.iter().zip(b.iter()).all(|(x, y)| x == y)
}

#[test]
fn a_search_without_deviations_runs_as_run_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("scenarios").flatten().map(|e| e.path()).filter(|p| p.is_file()).collect();
    files.sort();
    for file in files {
        let loaded = scenario::load(&file).expect("the scenario is right");
        let plan = scenario::build(&loaded, &Overrides::default()).expect("the scenario is right");
        if plan.nodes.len() > 30 {
            continue;
        }
        for choices in [Choices::default_order, || Choices::seeded(3)] {
            let expected = sim::run(&plan, choices());
            let searched = sim::search(&plan, Choices::tape(Vec::new(), choices()), &mut |_, _| false);
            assert!(same(&expected, &searched.trace), "{}", file.display());
        }
    }
}
