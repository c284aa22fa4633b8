//! Pods that came back under their names.

use super::audit_tests::at;
use super::file::Evidence;
use super::heard::Heard;
use super::written::{Reconstruction, Watchfulness, reconstruct};
use crate::import::Asked;
use crate::kernel::Dur;
use serde_json::{Value, json};

/// An event of a quarter of a second after that second of 04:40.
fn event(s: u32, (kind, name): (&str, &str), (reason, message): (&str, &str), by: &str) -> Value {
    json!({"kind": "Event", "apiVersion": "v1", "metadata": {"name": "x"}, "reason": reason,
        "involvedObject": {"kind": kind, "namespace": "shop", "name": name}, "message": message,
        "eventTime": at(s), "source": {"component": by}})
}

fn of_node(s: u32, node: &str, reason: &str) -> Value {
    event(s, ("Node", node), (reason, ""), "node-controller")
}

fn bound(s: u32, pod: &str, node: &str) -> Value {
    let message = format!("Successfully assigned shop/{pod} to {node}");
    event(s, ("Pod", pod), ("Scheduled", &message), "default-scheduler")
}

/// A pod whose node was given up.
fn not_ready(s: u32, pod: &str) -> Value {
    event(s, ("Pod", pod), ("NodeNotReady", "Node is not ready"), "node-controller")
}

fn list(file: &str, items: &[Value]) -> Evidence {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    Evidence { file: file.to_owned(), text: list.to_string() }
}

fn node(name: &str, heartbeat: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": {"conditions":
        [{"type": "Ready", "status": "True", "lastHeartbeatTime": heartbeat}]}})
}

fn pod(name: &str, node: &str, created: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod", "spec": {"nodeName": node},
        "metadata": {"name": name, "namespace": "shop", "creationTimestamp": created},
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}})
}

/// The cluster at 04:39:50.
fn before() -> Evidence {
    let now = "2026-11-20T04:39:50Z";
    let pod = pod("db-0", "b-03", "2026-11-19T04:40:00Z");
    list("before.json", &[node("a-1", now), node("b-03", now), pod])
}

fn reconstructed(files: &[Evidence]) -> Reconstruction {
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    reconstruct(Heard::of(files), watchfulness, ("test", &Asked::default())).unwrap()
}

/// `db-0` is on b-03 by the export, or as the scheduler says at 10.25 s, when the controller marks it NotReady at
/// 100.25 s; it is evicted, and made anew on a-1 at 500.25 s: b-03 was given up, and a-1 never. An export from after
/// it knows the second alone, which nobody marked.
#[test]
fn a_pod_that_came_back_makes_no_other_node_silent() {
    let marking = ("TaintManagerEviction", "Marking for deletion Pod shop/db-0");
    let created = ("SuccessfulCreate", "create Pod db-0 in StatefulSet db successful");
    let lines = |marked: Value| {
        vec![
            marked,
            event(400, ("Pod", "db-0"), marking, "taint-eviction-controller"),
            event(500, ("StatefulSet", "db"), created, "statefulset-controller"),
            bound(500, "db-0", "a-1"),
        ]
    };
    let events = || lines(not_ready(100, "db-0"));
    let mut whole = events();
    whole.insert(0, bound(10, "db-0", "b-03"));
    let now = "2026-11-20T04:50:00Z";
    let anew = pod("db-0", "a-1", "2026-11-20T04:48:20Z");
    let after = list("after.json", &[node("a-1", now), node("b-03", now), anew]);
    for (files, silent) in [
        (vec![list("e.json", &events()), before()], vec!["b-03"]),
        (vec![list("e.json", &whole)], vec!["b-03"]),
        (vec![list("e.json", &events()), after], vec![]),
    ] {
        let was = reconstructed(&files);
        let nodes: Vec<&str> = was.outage.silences.iter().map(|s| s.node.as_str()).collect();
        assert_eq!(nodes, silent, "{:?}", was.notes);
        assert!(was.outage.evictions.contains_key("shop/db-0"));
    }
}

/// A pod that a log's timer finds on a node at 105.25 s was there when it was marked 5 s before.
#[test]
fn where_a_pod_is_found_it_was_before() {
    let log = r#"I1120 04:41:45.250000       1 x.go:1] "Updating known taints on node" node="b-03" taints=[{"key":"maint","effect":"NoExecute"}]
I1120 04:41:45.250000       1 x.go:1] "Adding TimedWorkerQueue item and to be fired at firedTime" item="shop/db-0" createTime="2026-11-20 04:41:45.25 +0000 UTC" firedTime="2026-11-20 04:46:45.25 +0000 UTC"
"#;
    let log = Evidence { file: "kcm.log".to_owned(), text: log.to_owned() };
    let was = reconstructed(&[list("e.json", &[not_ready(100, "db-0")]), log]);
    let silent: Vec<&str> = was.outage.silences.iter().map(|s| s.node.as_str()).collect();
    assert_eq!(silent, ["b-03"]);
}

/// `db-0` is on a-1, which is deleted with it, and made anew on b-03: nothing tells of its end but that, a second after the
/// scheduler has bound the new one. At the start it was on a-1.
#[test]
fn a_pod_that_is_made_again_had_ended() {
    let created = |s| {
        let words = ("SuccessfulCreate", "create Pod db-0 in StatefulSet db successful");
        event(s, ("StatefulSet", "db"), words, "statefulset-controller")
    };
    let events = [
        bound(10, "db-0", "a-1"),
        created(10),
        of_node(100, "a-1", "NodeNotReady"),
        not_ready(100, "db-0"),
        of_node(150, "a-1", "RemovingNode"),
        bound(200, "db-0", "b-03"),
        created(201),
    ];
    let was = reconstructed(&[list("e.json", &events)]);
    assert!(was.text.contains(r#"on: Node("a-1")"#), "{}", was.text);
    assert!(!was.text.contains(r#"on: Node("b-03")"#), "{}", was.text);
}
