//! Shrinking: what is left still violates, and nothing more can go.

use std::path::Path;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, Violation, check};
use taintsim::kernel::Choices;
use taintsim::kernel::choice::Deviation;
use taintsim::lab::explore::{Explore, Strategy, explore};
use taintsim::lab::shrink::{Basis, Failed, Shrink, Shrunk, shrink, single_removals};
use taintsim::scenario::layout::Piece;
use taintsim::scenario::{self, Loaded, Overrides};
use taintsim::sim::{run, search};

/// #107543 among much that has nothing to do with it.
const NOISY: &str = r#"Scenario(
    version: 1,
    kubernetes: "1.32",
    horizon: "10m",
    timing: Custom(request: "5ms", response: "5ms", watch: "1ms", pass_overhead: "3ms", user: Raw),
    flags: (kube_controller_manager: { "node-eviction-rate": 0.2 }),
    nodes: [
        (names: "a-{00..09}", zone: "a", labels: { "disk": "ssd" }),
        (names: ["b-{0..3}", "c"], zone: "b", taints: ["gpu=true:NoSchedule"]),
    ],
    pods: [(name: "agent", on: Each(All), tolerations: [(operator: Exists)]), (name: "web", count: 7, on: Spread(Zone("a")))],
    workloads: [
        StatefulSet(name: "db", replicas: 3, placement: Nodes(["a-03", "a-04", "b-1"]), template: (
            terminationGracePeriodSeconds: 0,
            requests: { "cpu": "100m" },
            tolerations: [
                (key: "gpu", operator: Exists),
                (key: "maintenance", operator: Exists, effect: NoExecute, tolerationSeconds: 30),
            ],
        )),
        Deployment(name: "front", replicas: 4, placement: Spread(Zone("b"))),
    ],
    timeline: [
        (at: "7s", do: Cordon(node: "a-00")),
        (at: "10s", name: "first", do: Taint(nodes: Nodes(["a-03", "a-04"]), taint: ["maintenance:NoExecute", "k:NoSchedule"])),
        (at: "40.002s", do: Untaint(node: "a-03", taint: "maintenance:NoExecute")),
        (at: "first + 50s", do: Taint(node: "a-03", taint: "maintenance:NoExecute")),
        (at: "2m", do: Partition(nodes: Zone("b"), duration: "1m")),
        (at: "3m", every: "10s", times: 3, do: Label(node: "c", labels: { "x": "y" })),
    ],
)"#;

fn parsed(text: &str) -> Loaded {
    scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap_or_else(|p| panic!("{}\n{text}", p.render(false, 120)))
}

fn violations(text: &str, property: &Property, basis: Basis, tape: &[Deviation]) -> Vec<Violation> {
    let plan = scenario::build(&parsed(text), &Overrides::default()).unwrap();
    let choices = match basis {
        Basis::DefaultOrder => Choices::default_order(),
        Basis::Seed(seed) => Choices::seeded(seed),
    };
    let trace = match tape {
        [] => run(&plan, choices),
        tape => search(&plan, Choices::tape(tape.to_vec(), choices), &mut |_, _| false).trace,
    };
    check(property, &Analysis::new(&plan, &trace))
}

fn shrunk(text: &str, property: Property, basis: Basis, tape: Vec<Deviation>) -> Result<Shrunk, Failed> {
    let loaded = parsed(text);
    let spec = scenario::changed(&loaded, &Overrides::default()).unwrap();
    shrink(Shrink { loaded: &loaded, spec, property, basis, tape }, &mut |_, _| true)
}

/// The scenarios that lack one thing more, and still are scenarios.
fn smaller(text: &str) -> Vec<String> {
    let mut spec = parsed(text).spec;
    spec.expect.clear();
    let removals = single_removals(&Piece::of(&spec)).into_iter().map(|tree| tree.flat());
    removals
        .filter(|text| {
            let loaded = scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new(""));
            loaded.and_then(|l| scenario::build(&l, &Overrides::default())).is_ok()
        })
        .collect()
}

#[test]
fn what_is_left_violates_and_nothing_more_can_go() {
    let stuck = Property::parse("pod-stuck").unwrap();
    let seed = Basis::Seed(1);
    let result = shrunk(NOISY, stuck, seed, Vec::new()).unwrap();
    let [before, after] = result.sizes;
    assert_eq!((before.nodes, before.pods, before.workloads), (15, 22 + 7, 2));
    assert!(after.nodes <= 1 && after.pods <= 1 && after.workloads == 1 && after.entries <= 3, "{}", result.text);
    let found = violations(&result.text, &stuck, seed, &[]);
    assert_eq!(found.first().map(|v| &v.text), Some(&result.violation));
    let spec = parsed(&result.text).spec;
    assert_eq!(spec.doc, format!("Violates pod-stuck(1m) on Kubernetes 1.32: {}.", result.violation));
    let smaller = smaller(&result.text);
    assert!(smaller.len() > 5, "{}", smaller.len());
    for text in smaller {
        assert!(violations(&text, &stuck, seed, &[]).is_empty(), "{text}");
    }
    let again = shrunk(NOISY, stuck, seed, Vec::new()).unwrap();
    assert_eq!(again, result, "twice the same");
    // What is left is as small as it gets: from there, nothing changes.
    let further = shrunk(&result.text, stuck, seed, Vec::new()).unwrap();
    assert_eq!(further.text, result.text);
}

/// Whether each race of the catalogue shrinks to a scenario that violates the same, and is no larger.
#[test]
fn each_race_can_be_shrunk() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/races");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ron"));
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let Some(claim) = text.lines().find_map(|l| l.strip_prefix("//= violates ")?.split_once(" on ")) else { continue };
        let property = Property::parse(claim.0).unwrap();
        let result = shrunk(&text, property, Basis::Seed(1), Vec::new()).unwrap_or_else(|e| panic!("{}: {e:?}", file.display()));
        let [before, after] = result.sizes;
        assert!(after.nodes <= before.nodes && after.entries <= before.entries, "{}", result.text);
        assert!(!violations(&result.text, &property, Basis::Seed(1), &[]).is_empty(), "{}", result.text);
        for text in smaller(&result.text) {
            assert!(violations(&text, &property, Basis::Seed(1), &[]).is_empty(), "{}: {text}", file.display());
        }
    }
}

#[test]
fn a_scenario_that_violates_nothing_is_not_shrunk() {
    let failed = shrunk(NOISY, Property::WrongPod, Basis::Seed(1), Vec::new()).unwrap_err();
    assert!(matches!(failed, Failed::Holds));
    let loaded = parsed(NOISY);
    let spec = loaded.spec.clone();
    let stuck = Property::parse("pod-stuck").unwrap();
    let what = Shrink { loaded: &loaded, spec, property: stuck, basis: Basis::Seed(1), tape: Vec::new() };
    assert!(matches!(shrink(what, &mut |tried, _| tried < 10), Err(Failed::Asked)));
}

/// A violation that only another order shows keeps the deviations that it needs, however the scenario shifts them.
#[test]
fn a_tape_is_shrunk_with_its_scenario() {
    let text = super::explore::RAPID;
    let stuck = Property::parse("pod-stuck(5s)").unwrap();
    let plan = || scenario::build(&parsed(text), &Overrides::default()).unwrap();
    let hunt = Explore {
        plan: &plan,
        properties: &[stuck],
        strategy: Strategy::Exhaustive,
        depth: 2,
        runs: 100_000,
        seed: 0,
        until_found: true,
        prune: true,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (report, _) = explore(&hunt, &pool, &|_| true);
    let tape = report.violations.first().map(|v| v.tape.clone()).unwrap();
    assert!(!tape.is_empty() && violations(text, &stuck, Basis::DefaultOrder, &[]).is_empty());
    let result = shrunk(text, stuck, Basis::DefaultOrder, tape.clone()).unwrap();
    assert!(result.tape.len() <= tape.len());
    assert!(!violations(&result.text, &stuck, Basis::DefaultOrder, &result.tape).is_empty(), "{}", result.text);
    for i in 0..result.tape.len() {
        let mut less = result.tape.clone();
        less.remove(i);
        assert!(violations(&result.text, &stuck, Basis::DefaultOrder, &less).is_empty(), "{}", result.text);
    }
    let [before, after] = result.sizes;
    assert!(after.nodes == 1 && after.entries <= 3 && after.entries <= before.entries, "{}", result.text);
}
