//! Scenarios that point at an export of kubectl: what is said of it, and that the manifest tells one from another.

use super::Scratch;
use serde_json::Value;

const CLUSTER: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-1"}, "status": {"conditions":
        [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T12:00:00Z", "lastTransitionTime": "2026-03-01T11:00:00Z"}]}},
    {"apiVersion": "apps/v1", "kind": "Gadget", "metadata": {"name": "g", "namespace": "default"}}
]}"#;

fn scenario(manifest: &str) -> Value {
    serde_json::from_str::<Value>(manifest).expect("a manifest")["scenario"].clone()
}

#[test]
fn what_was_left_out_is_said_once_and_not_among_the_results() {
    let scratch = Scratch::new();
    scratch.write("cluster.json", CLUSTER);
    scratch.write("a.ron", "Scenario(version: 1, horizon: \"1m\", cluster: From(\"cluster.json\"))");
    let run = scratch.call(&["run", "a.ron"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stderr.matches("left out: 1 Gadget").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("1 node, 0 pods from cluster.json; time zero"), "{}", run.stderr);
    assert!(!run.stdout.contains("Gadget"), "{}", run.stdout);
    let sweep = scratch.call(&["sweep", "a.ron", "--set", "seed=1", "--seeds", "2"]);
    assert_eq!((sweep.code, sweep.stderr.matches("1 Gadget").count()), (0, 1), "{}", sweep.stderr);
    assert_eq!(scratch.call(&["run", "a.ron", "--quiet"]).stderr, "");
}

#[test]
fn the_hash_of_a_scenario_covers_what_it_points_at() {
    let scratch = Scratch::new();
    scratch.write("cluster.json", CLUSTER);
    scratch.write("a.ron", "Scenario(version: 1, horizon: \"1m\", cluster: From(\"cluster.json\"))");
    let of = |folder: &str| {
        assert_eq!(scratch.call(&["run", "a.ron", "--quiet", "--out", folder]).code, 0);
        scenario(&scratch.text(&format!("{folder}/a/manifest.json")))
    };
    let (one, again) = (of("one"), of("again"));
    assert_eq!(one, again);
    assert_eq!((&one["inputs"][0]["file"], &one["inputs"][0]["bytes"]), (&Value::from("cluster.json"), &Value::from(CLUSTER.len())));
    scratch.write("cluster.json", CLUSTER.replace("n-1", "n-2"));
    let other = of("other");
    assert_ne!(one["hash"], other["hash"]);
    assert_ne!(one["inputs"][0]["hash"], other["inputs"][0]["hash"]);
    assert_eq!(one["bytes"], other["bytes"]);
}
