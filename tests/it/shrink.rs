//! Shrinking: what is left still violates, and nothing more can go.

use std::path::Path;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Harm, Property, Violation, check};
use taintsim::kernel::Choices;
use taintsim::lab::explore::{BATCH, Explore, Strategy, explore};
use taintsim::lab::shrink::{Failed, Goal, Shrink, Shrunk, shrink};
use taintsim::lab::tape;
use taintsim::language::text::Tree;
use taintsim::plan::Plan;
use taintsim::scenario::{self, Loaded, Overrides};
use taintsim::sim;
use taintsim::trace::Trace;

/// #107543 among much that has nothing to do with it.
const NOISY: &str = r#"Scenario(
    version: 1,
    kubernetes: "1.32",
    horizon: "10m",
    timing: Custom(request: "5ms", response: "5ms", watch: "1ms", pass_overhead: "3ms", user: Raw),
    flags: (kube-controller-manager: { "node-eviction-rate": 0.2 }),
    nodes: [
        (names: "a-{00..09}", zone: "a", labels: { "disk": "ssd" }),
        (names: ["b-{0..3}", "c"], zone: "b", taints: ["gpu=true:NoSchedule"]),
    ],
    pods: [(name: "agent", on: Each(All), tolerations: [(operator: Exists)]), (name: "web", count: 7, on: Spread(Zone("a")))],
    workloads: [
        StatefulSet(name: "db", replicas: 2, placement: Nodes(["a-03"]), template: (
            nodeName: "a-03",
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
    scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new("")).unwrap_or_else(|p| {
        panic!("{}\n{text}", taintsim::report::diagnostics::draw(&p, false, 120))
    })
}

/// The run of a plan: by its tape, or else by the seed that `taintsim run` takes.
fn traced(plan: &Plan) -> Trace {
    if plan.tape.is_some() { sim::replay(plan).trace } else { sim::run(plan, Choices::seeded(1)) }
}

/// The violations of its run.
fn violations(text: &str, property: &Property) -> Vec<Violation> {
    let plan = built(text);
    check(property, &Analysis::new(&plan, &traced(&plan)))
}

fn built(text: &str) -> Plan {
    scenario::build(&parsed(text), &Overrides::default()).unwrap()
}

/// How bad each violation of a plan's run is.
fn harms(plan: &Plan, property: &Property) -> Vec<Harm> {
    let trace = traced(plan);
    let analysis = Analysis::new(plan, &trace);
    let found = check(property, &analysis);
    found.iter().map(|v| Harm::of(v, &analysis)).collect()
}

/// That none of the scenarios that lack one thing more violates as badly, and for the same, as the first violation of
/// a plan's run.
fn nothing_more_can_go(text: &str, property: &Property, given: &Plan) {
    let harm = harms(given, property).swap_remove(0);
    for text in smaller(text) {
        let as_bad = harms(&built(&text), property);
        assert!(as_bad.iter().all(|h| !h.is_as_bad(&harm)), "{text}");
    }
}

fn shrunk(text: &str, property: Property) -> Result<Shrunk, Failed> {
    let loaded = parsed(text);
    shrink(
        Shrink {
            loaded: &loaded,
            spec: loaded.spec.clone(),
            goal: Goal::Violates(property),
            told: None,
        },
        &mut |_, _| true,
    )
}

/// What a scenario keeps whatever it violates.
const KEPT: [&str; 6] = ["version", "doc", "kubernetes", "horizon", "seed", "expect"];

/// Where the parts of a scenario are that may go, at whatever depth: of its tape only what is in it.
fn removable(tree: &Tree, path: &[usize], all: &mut Vec<Vec<usize>>) {
    for (i, part) in tree.parts().iter().enumerate() {
        if path.is_empty() && part.name().is_some_and(|name| KEPT.contains(&name)) {
            continue;
        }
        let inner = [path, &[i]].concat();
        removable(part, &inner, all);
        if !path.is_empty() || part.name() != Some("tape") {
            all.push(inner);
        }
    }
}

/// The scenarios that lack one thing more, and still are scenarios.
fn smaller(text: &str) -> Vec<String> {
    let mut spec = parsed(text).spec;
    // What says what it is for is no part of it.
    spec.expect.clear();
    spec.tape.iter_mut().for_each(|t| (t.property, t.release) = (None, None));
    let tree = Tree::of(&spec);
    let mut places = Vec::new();
    removable(&tree, &[], &mut places);
    let without = |place: &Vec<usize>| {
        let mut less = tree.clone();
        less.remove(place);
        less.flat()
    };
    let removals = places.iter().map(without);
    removals
        .filter(|text| {
            let loaded = scenario::parse("s.ron", text.as_bytes().to_vec(), Path::new(""));
            // A tape without deviations leaves out nothing by leaving out their empty list.
            loaded
                .is_ok_and(|l| l.spec != spec && scenario::build(&l, &Overrides::default()).is_ok())
        })
        .collect()
}

#[test]
fn what_is_left_violates_and_nothing_more_can_go() {
    let stuck = Property::parse("pod-stuck").unwrap();
    let result = shrunk(NOISY, stuck).unwrap();
    let [before, after] = result.sizes;
    assert_eq!((before.nodes, before.pods, before.workloads), (15, 15 + 7 + 2 + 4, 2));
    assert!(
        after.nodes <= 1 && after.pods <= 1 && after.workloads == 1 && after.entries <= 3,
        "{}",
        result.text
    );
    let found = violations(&result.text, &stuck);
    assert_eq!(found.first().map(|v| &v.text), Some(&result.violation));
    let spec = parsed(&result.text).spec;
    assert_eq!(
        spec.doc,
        format!("Violates pod-stuck(1m) on Kubernetes 1.32: {}.", result.violation)
    );
    let smaller = smaller(&result.text);
    assert!(smaller.len() > 5, "{}", smaller.len());
    nothing_more_can_go(&result.text, &stuck, &built(NOISY));
    let again = shrunk(NOISY, stuck).unwrap();
    assert_eq!(again, result, "twice the same");
    // What is left is as small as it gets: from there, nothing changes.
    let further = shrunk(&result.text, stuck).unwrap();
    assert_eq!(further.text, result.text);
}

/// Whether each race of the catalogue shrinks to a scenario that violates the same, and is no
/// larger.
#[test]
fn each_race_can_be_shrunk() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/races");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ron"));
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let Some(claim) =
            text.lines().find_map(|l| l.strip_prefix("//= violates ")?.split_once(" on "))
        else {
            continue;
        };
        let property = Property::parse(claim.0).unwrap();
        let result =
            shrunk(&text, property).unwrap_or_else(|e| panic!("{}: {e:?}", file.display()));
        let [before, after] = result.sizes;
        assert!(after.nodes <= before.nodes && after.entries <= before.entries, "{}", result.text);
        assert!(!violations(&result.text, &property).is_empty(), "{}", result.text);
        nothing_more_can_go(&result.text, &property, &built(&text));
    }
}

#[test]
fn a_scenario_that_violates_nothing_is_not_shrunk() {
    let failed = shrunk(NOISY, Property::WrongPod).unwrap_err();
    assert!(matches!(failed, Failed::Holds));
    let loaded = parsed(NOISY);
    let spec = loaded.spec.clone();
    let stuck = Property::parse("pod-stuck").unwrap();
    let goal = Goal::Violates(stuck);
    let what = Shrink { loaded: &loaded, spec, goal, told: None };
    let some = shrink(what, &mut |tried, _| tried < 10).unwrap();
    assert!(!some.is_least, "whoever watches ended it: {}", some.text);
    assert!(!violations(&some.text, &stuck).is_empty(), "{}", some.text);
}

/// A violation that only another order shows keeps the deviations that it needs, however the
/// scenario shifts them.
#[test]
fn a_tape_is_shrunk_with_its_scenario() {
    let noisy = super::explore::RAPID
        .replace("nodes: [(name: \"node-1\")]", "nodes: [(names: \"node-{1..3}\")]")
        .replace("timeline: [", "timeline: [(at: \"5s\", do: Cordon(node: \"node-2\")), (at: \"6s\", do: Crash(node: \"node-3\")),");
    let stuck = Property::parse("pod-stuck").unwrap();
    let plan = || scenario::build(&parsed(&noisy), &Overrides::default()).unwrap();
    let hunt = Explore {
        plan: &plan,
        properties: &[stuck],
        expect: &[],
        strategy: Strategy::Exhaustive,
        depth: 2,
        runs: 100_000,
        seed: 0,
        until_found: true,
        batch: BATCH,
        prune: true,
        beside: 0,
        spent: &|| 0.0,
        until: 1.0,
        changing: None,
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let (report, _) = explore(&hunt, &pool, &|_| true);
    let found = report.violations.first().map(|v| v.tape.clone()).unwrap();
    assert!(!found.is_empty(), "the default order does not show it");
    let mut taped = plan();
    taped.tape = Some(found.clone());
    let mut loaded = parsed(&noisy);
    loaded.spec.tape =
        Some(tape::spec_of(&taped, &tape::Texts::of(&sim::replay(&taped)), None, &found));
    let what = Shrink {
        loaded: &loaded,
        spec: loaded.spec.clone(),
        goal: Goal::Violates(stuck),
        told: None,
    };
    let result = shrink(what, &mut |_, _| true).unwrap();
    let [before, after] = result.sizes;
    assert_eq!((before.nodes, before.entries, before.deviations), (3, 5, found.len()));
    assert!(
        after.nodes == 1
            && after.workloads == 1
            && after.entries <= 3
            && after.deviations <= found.len(),
        "{}",
        result.text
    );
    assert!(!violations(&result.text, &stuck).is_empty(), "{}", result.text);
    nothing_more_can_go(&result.text, &stuck, &taped);
}

/// The countdown of 1 s fires before the untaint of its last instant is heard, by the tape. With the latencies of some seeds it does
/// so by itself, and with others the untaint is first: what is left is no matter of a seed.
#[test]
fn what_has_a_tape_keeps_it_where_a_seed_would_do() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "3s",
        timing: Custom(request: "5ms", response: "5ms", watch: "1ms", user: Raw),
        nodes: [(name: "n-1")],
        pods: [(name: "p", on: Node("n-1"), terminationGracePeriodSeconds: 0,
            tolerations: [(key: "k", operator: Exists, effect: NoExecute, tolerationSeconds: 1)])],
        timeline: [
            (at: "1s", do: Taint(node: "n-1", taint: "k:NoExecute")),
            (at: "2s", do: Untaint(node: "n-1", taint: "k:NoExecute")),
        ],
        tape: (choices: 1, deviations: [("next", "watch:nodes", 0, 1)]))"#;
    let needless = Property::parse("needless-eviction").unwrap();
    let small = shrunk(text, needless).unwrap();
    assert!(parsed(&small.text).spec.tape.is_some(), "{}", small.text);
    assert!(!violations(&small.text, &needless).is_empty(), "{}", small.text);
}

/// The untaint is seen before the eviction that it cancels, which goes on. Dispatched are both nodes at the start, the one with
/// the taint, and the untaint, which yields: without the other node it is the third time instead of the fourth.
#[test]
fn a_choice_without_an_object_is_found_where_it_comes_earlier() {
    let text = r#"(version: 1, kubernetes: "1.37", horizon: "1m21s",
        nodes: [(names: "n-{1..2}", conditions: {"CniReady": True})],
        node_readiness_rules: [(name: "cni", conditions: [(type: "CniReady", requiredStatus: True)],
            enforcementMode: Continuous, taint: "readiness.k8s.io/cni=pending:NoExecute")],
        workloads: [ReplicaSet(name: "web", template: (tolerations: [(operator: Exists, effect: NoExecute, tolerationSeconds: 20)]))],
        timeline: [(at: "1m", do: SetCondition(node: "n-1", type: "CniReady", status: False)),
            (at: "80s", do: SetCondition(node: "n-1", type: "CniReady", status: True))],
        tape: (choices: 1, deviations: [("eviction-node-dispatch", "", 3, 1)]))"#;
    let needless = Property::parse("needless-eviction").unwrap();
    let small = shrunk(text, needless).unwrap();
    assert_eq!((small.sizes[1].nodes, small.sizes[1].deviations), (1, 1), "{}", small.text);
}

#[test]
fn an_expectation_that_is_not_met_is_kept_as_it_is_written() {
    let text = r#"(
        version: 1,
        kubernetes: "1.34",
        horizon: "3m",
        nodes: [(names: "n-{1..4}")],
        workloads: [
            ReplicaSet(name: "web", replicas: 2, placement: Nodes(["n-1", "n-2"])),
            ReplicaSet(name: "idle", replicas: 3, placement: Nodes(["n-3"])),
        ],
        timeline: [
            (at: "10.5s", do: Cordon(node: "n-3")),
            (at: "61.7s", do: Taint(node: "n-1", taint: "m:NoExecute")),
        ],
        expect: [
            Never(Property("wrong-pod")),
            Always(AtLeast(of: available("web"), is: 2)),
        ],
    )"#;
    let small = shrunk(text, Property::Expect).unwrap();
    assert!(
        small.text.contains("Always(AtLeast(of: available(\"web\"), is: 2))"),
        "{}",
        small.text
    );
    // Without a taint two of web would be available, and that is not what was missed: less of web
    // alone is no smaller case of it.
    for (words, there) in [
        ("m:NoExecute", true),
        ("\"n-1\"", true),
        ("wrong-pod", false),
        ("idle", false),
        ("Cordon", false),
    ] {
        assert_eq!(small.text.contains(words), there, "{words}: {}", small.text);
    }
    assert_eq!(small.sizes[1].entries, 1);
}

/// A user deletes the pod while its eviction reads and patches it. The eviction is told that there is
/// no such pod, tries again, and deletes the successor, which is bound to a healthy node by then.
const RETRIED: &str = r#"(
    version: 1,
    kubernetes: "1.36",
    horizon: "1m",
    timing: Custom(request: "2ms", response: "2ms", watch: "2ms", user: Raw),
    nodes: [(names: "n-{0..1}")],
    workloads: [StatefulSet(name: "db", replicas: 1, placement: Nodes(["n-0"]))],
    timeline: [
        (at: "20s", do: Taint(node: "n-0", taint: "m:NoExecute")),
        (at: "20.005s", do: DeletePod(pod: "db-0", gracePeriodSeconds: 0)),
    ],
)"#;

/// Whether the pod of the first violation was bound to a node.
fn is_bound(text: &str, property: &Property) -> bool {
    violations(text, property)[0].node.is_some()
}

#[test]
fn what_is_left_is_as_bad_as_what_was_given() {
    let wrong = Property::parse("wrong-pod").unwrap();
    assert!(is_bound(RETRIED, &wrong));
    // Without its healthy node the successor would be Pending, which is less of a harm.
    let small = shrunk(RETRIED, wrong).unwrap();
    assert!(is_bound(&small.text, &wrong), "{}", small.text);
}

/// An eviction that comes too late, one too many of them, and one that does not come as the partition is over too soon: less of it
/// would be none at all, also where nothing happens. A node is Unknown some 50 s after it is silent, and its pods stay for another 300 s. Of
/// two pods that are one too many, one taint evicts both where both are on its node.
#[test]
fn what_is_left_misses_an_expectation_in_the_same_way() {
    let text = r#"(version: 1, kubernetes: "1.34", horizon: "10m", timing: Ideal,
        nodes: [(names: "n-{0..3}", zone: "a")],
        pods: [(name: "web", on: Node("n-0"))],
        workloads: [ReplicaSet(name: "idle", replicas: 4, placement: Spread(All))],
        timeline: [(at: "30s", do: Cordon(node: "n-3")), TIMELINE],
        expect: [EXPECT])"#;
    let (taints, cut) = (
        r#"(at: "61s", do: Taint(node: "n-1", taint: "m:NoExecute")), (at: "61s", do: Taint(node: "n-2", taint: "m:NoExecute"))"#,
        r#"(at: "61s", do: Partition(node: "n-0"))"#,
    );
    for (timeline, expect, said, entries) in [
        (cut, r#"Evicted(pod: "web", before: "2m")"#, "outside of that, at", 1),
        (taints, r#"Evicted(workload: "idle", count: 1)"#, "got 2", 1),
        (taints, r#"Equal(of: evicted("idle"), is: 1)"#, "got 2", 1),
        (&cut.replacen(')', r#", duration: "80s")"#, 1), r#"Evicted(pod: "web")"#, "got none", 1),
    ] {
        let text = text.replace("TIMELINE", timeline).replace("EXPECT", expect);
        let small = shrunk(&text, Property::Expect).unwrap();
        assert!(small.violation.contains(said), "{expect}: {}", small.violation);
        assert_eq!(small.sizes[1].entries, entries, "{expect}: {}", small.text);
        assert!(!small.text.contains("Cordon"), "{expect}: {}", small.text);
    }
}
