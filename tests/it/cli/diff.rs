//! `diff`: of a run with itself, of two releases, of clusters with another node, of folders; and what it cannot compare.

use super::Scratch;
use serde_json::Value;
use std::fs;

/// The shipped scenario of one lost node, whose comments work out every time under `Ideal` timing.
fn with_one_node_lost() -> Scratch {
    let scratch = Scratch::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("scenarios/one-node-lost.ron"), scratch.path("one.ron")).expect("can be copied");
    scratch
}

fn json(scratch: &Scratch, args: &[&str], code: i32) -> Value {
    let called = scratch.call(&[&["diff"], args, &["--format", "json"]].concat());
    assert_eq!(called.code, code, "{args:?}: {}", called.stderr);
    serde_json::from_str(&called.stdout).expect("is JSON")
}

fn texts(document: &Value) -> Vec<String> {
    document["groups"].as_array().expect("a list").iter().map(|g| g["text"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    // The file twice, the folder twice, and the folder beside a fresh run.
    for (a, b) in [("a.ron", "a.ron"), ("output/a", "output/a"), ("output/a", "a.ron"), ("a.ron", "output/a/")] {
        let called = scratch.call(&["diff", a, b]);
        assert_eq!(called.code, 0, "{}", called.stdout);
        assert!(called.stdout.contains("came to the same"), "{}", called.stdout);
        let document = json(&scratch, &[a, b], 0);
        assert_eq!((&document["same"], document["groups"].as_array().map(Vec::len)), (&Value::Bool(true), Some(0)));
        assert!(document["first"].is_null());
    }
}

/// From 1.34 on the NoExecute decision follows the current condition (S20): the taint comes in the pass that finds the node silent, and no
/// more in the next one, 5 s of node-monitor-period later. Everything that hangs on it moves by the same 5 s.
#[test]
fn the_five_seconds_of_1_34() {
    let scratch = with_one_node_lost();
    let document = json(&scratch, &["one.ron", "--kubernetes", "1.33", "--against", "1.34"], 1);
    let mut moved = texts(&document);
    moved.sort();
    let expected = [
        "default/impatient-0 of node-0 evicted after 60 s: 5s earlier in B",
        "default/impatient-0 of node-0 given an eviction timer of 60 s: 5s earlier in B",
        "default/web-0 of node-0 evicted after 300 s: 5s earlier in B",
        "default/web-0 of node-0 given an eviction timer of 300 s: 5s earlier in B",
        "node-0 tainted unreachable:NoExecute: 5s earlier in B",
    ];
    assert_eq!(moved, expected);
    // The switches of node failure handling that docs/model.md lists for 1.34: S20 and S23.
    let switches = document["switches"].as_array().expect("a list");
    let of_failure: Vec<(&str, &str, &str)> = switches
        .iter()
        .map(|s| (s["name"].as_str().unwrap_or(""), s["a"].as_str().unwrap_or(""), s["b"].as_str().unwrap_or("")))
        .filter(|s| ["node_lifecycle", "taint_eviction", "kubelet", "pod_gc"].iter().any(|c| s.0.starts_with(c)))
        .collect();
    let expected = [("node_lifecycle.taint_on_observed", "true", "false"), ("kubelet.report_offset", "None", "AfterChangeOrFirst")];
    assert_eq!(of_failure, expected);
    assert_eq!(document["first"]["what"], "tainted unreachable:NoExecute");
    // 105 s is the pass that finds the node silent; the taint is written at the next turn of the loop of 100 ms.
    let end = |side: &str| document["first"]["causes"][side].as_array().and_then(|c| c.last()).map(|c| c["at_s"].clone());
    let at = |side: &str| end(side).and_then(|v| v.as_f64()).map(|s| (s * 10.0).round() / 10.0);
    assert_eq!((at("a"), at("b")), (Some(110.1), Some(105.1)));
    // The tolerance decides what is the same.
    assert_eq!(texts(&json(&scratch, &["one.ron", "--kubernetes", "1.33", "--against", "1.34", "--tolerance", "5s"], 0)), [""; 0]);
}

#[test]
fn people_read_it_in_this_form() {
    let scratch = with_one_node_lost();
    let text = scratch.call(&["diff", "one.ron", "--against-set", "pods.web.tolerations[unreachable].tolerationSeconds=600"]).stdout;
    // 105.1 s + 600 s is beyond the end of the run, 600 s.
    let expected = "\
A  one.ron: Kubernetes 1.34.12, timing Ideal, seed 1
B  one.ron: Kubernetes 1.34.12, timing Ideal, seed 1,
   pods.web.tolerations[unreachable].tolerationSeconds=600

Where they part
  default/web-0 of node-0 given an eviction timer: of 300 s in A, of 600 s in B
  A    1:45.000  node-0: Ready is Unknown
       1:45.000  node-0 tainted unreachable:NoSchedule
       1:45.100  node-0 tainted unreachable:NoExecute
       1:45.100  default/web-0: eviction timer of 300 s set
  B    1:45.000  node-0: Ready is Unknown
       1:45.000  node-0 tainted unreachable:NoSchedule
       1:45.100  node-0 tainted unreachable:NoExecute
       1:45.100  default/web-0: eviction timer of 600 s set

What differs
  pods evicted: 2 in A, 1 in B
         A         B
  6:45.100         –  default/web-0 of node-0 evicted after 300 s: only in A
  1:45.100  1:45.100  default/web-0 of node-0 given an eviction timer: of 300 s in A, of 600 s in B

";
    assert_eq!(text, expected, "\n{text}");
}

#[test]
fn objects_are_compared_by_name() {
    let scratch = with_one_node_lost();
    // A node that sorts before the others, so that every id moves; nobody is on it but the agent that is on every node.
    let text = scratch.text("one.ron");
    let more = text.replacen(
        "    nodes: [",
        "    nodes: [\n        (name: \"added\", zone: \"z\", lease_offset: \"3s\", status_offset: \"4s\"),",
        1,
    );
    scratch.write("more.ron", more.replace("on: Spread(All)", "on: Spread(Zone(\"a\"))"));
    let called = scratch.call(&["diff", "one.ron", "more.ron"]);
    assert_eq!(called.code, 1, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("B  nodes: added\n"), "{}", called.stdout);
    // The other zone is healthy in B, so that no zone matters to node-0: it is evicted at the same times.
    assert!(!called.stdout.contains("evicted"), "{}", called.stdout);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    scratch.call(&["diff", "a.ron"]).fails(2, &["nothing sets the second run apart", "--against"]);
    scratch.call(&["diff", "a.ron", "--set", "horizon=20m"]).fails(2, &["nothing sets the second run apart"]);
    scratch.call(&["diff", "output/a", "--against", "1.32"]).fails(2, &["output/a is a finished run", "give the scenario's file"]);
    scratch.call(&["diff", "a.ron", "--against", "1.99"]).fails(2, &["1.99"]);
    scratch.call(&["diff", "a.ron", "b.ron"]).fails(2, &["b.ron"]);
    scratch.call(&["diff", "a.ron", "output"]).fails(2, &["output", "no manifest.json"]);
    scratch.call(&["diff", "a.ron", "--against-set", "pods.webb.count=3"]).fails(2, &["webb"]);
}
