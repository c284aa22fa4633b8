//! Nodes that were deleted, by every source that tells of it, and pods that came back under their names.

use super::audit_tests::at;
use super::file::Evidence;
use super::heard::Heard;
use super::statement::{CLOUD, SOMEBODY, Said};
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

/// The entries of the timeline.
fn steps(was: &Reconstruction) -> Vec<&str> {
    let begins = was.text.find("timeline:").unwrap();
    was.text[begins..].lines().map(str::trim).filter(|l| l.starts_with("(at")).collect()
}

fn said(file: &str, text: String) -> Vec<Said> {
    let heard = Heard::of(&[Evidence { file: file.to_owned(), text }]);
    heard.statements.into_iter().map(|s| s.said).collect()
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

/// The words of `pkg/controller/nodelifecycle/node_lifecycle_controller.go` and `cloud-provider/controllers/nodelifecycle`
/// (1.37), of `pkg/controller/cloud/node_lifecycle_controller.go` (1.18) and `node_controller.go` (1.10).
#[test]
fn events_and_logs_tell_of_deleted_nodes() {
    let deleted = |by: &str| vec![Said::NodeDeleted { node: "a-0".to_owned(), by: by.to_owned() }];
    let absent = "Deleting node a-0 because it does not exist in the cloud provider";
    for (reason, message, is) in [
        ("RemovingNode", "Node a-0 event: Removing Node a-0 from Controller", deleted(SOMEBODY)),
        ("DeletingNode", absent, deleted(CLOUD)),
        (absent, "Node a-0 event: DeletingNode", deleted(CLOUD)),
        ("DeletingNodeFailed", "Failed deleting node a-0: timeout", Vec::new()),
        ("DeletingAllPods", "Node a-0 event: Deleting all Pods from Node a-0.", Vec::new()),
    ] {
        let event = event(0, ("Node", "a-0"), (reason, message), "x");
        assert_eq!(said("e.json", event.to_string()), is, "{reason}");
    }
    let orphaned = || vec![Said::Orphaned { pod: "shop/db-0".to_owned(), node: "a-0".to_owned() }];
    for (line, is) in [
        (r#""Controller observed a Node deletion" logger="x" node="a-0""#, deleted(SOMEBODY)),
        ("Controller observed a Node deletion: a-0", deleted(SOMEBODY)),
        ("deleting node since it is no longer present in cloud provider: a-0", deleted(CLOUD)),
        ("Deleting node since it is no longer present in cloud provider: a-0", deleted(CLOUD)),
        ("Deleting node (no longer present in cloud provider): a-0", deleted(CLOUD)),
        // 1.34, 1.25, 1.20 and 1.10.
        (
            r#""Found orphaned Pod assigned to the Node, deleting" pod="shop/db-0" node="a-0""#,
            orphaned(),
        ),
        (
            r#""Found orphaned Pod assigned to the Node, deleting." pod="shop/db-0" node="a-0""#,
            orphaned(),
        ),
        ("Found orphaned Pod shop/db-0 assigned to the Node a-0. Deleting.", orphaned()),
        ("Found orphaned Pod db-0 assigned to the Node a-0. Deleting.", Vec::new()),
    ] {
        let text = format!("I1120 04:41:40.250000       1 x.go:1] {line}\n");
        assert_eq!(said("kcm.log", text), is, "{line}");
    }
}

/// b-03 is given up at 100.25 s; the cloud's controller deletes it at 120.25 s and the node lifecycle controller finds
/// that at 123.25 s, which is one deletion, 130.25 s after the export; a machine of its name registers at 300.25 s and
/// is Ready at 310.25 s, which is one node that joins and no end of the silence; it is given up again at 600.25 s.
#[test]
fn a_deleted_node_joins_again_under_its_name() {
    let ready = event(310, ("Node", "b-03"), ("NodeReady", ""), "kubelet");
    let mut events = vec![
        of_node(100, "b-03", "NodeNotReady"),
        event(120, ("Node", "b-03"), ("DeletingNode", ""), "cloud-node-lifecycle-controller"),
        of_node(123, "b-03", "RemovingNode"),
    ];
    let was = reconstructed(&[list("e.json", &events), before()]);
    let deletes = r#"(at: "2m10.25s", do: DeleteNode(node: "b-03")),"#;
    assert_eq!(steps(&was)[1..], [deletes]);
    let told = "the cloud node lifecycle controller deletes node b-03 (e.json, item 2)";
    assert!(was.told[1].ends_with(told), "{:?}", was.told);
    events.extend([of_node(300, "b-03", "RegisteredNode"), ready]);
    events.push(of_node(600, "b-03", "NodeNotReady"));
    let was = reconstructed(&[list("e.json", &events), before()]);
    let steps = steps(&was);
    assert_eq!(steps[1..3], [deletes, r#"(at: "5m10.25s", do: AddNode(node: (name: "b-03"))),"#]);
    assert!(steps[0].contains("Partition") && steps[3].contains("Partition"), "{steps:?}");
    assert_eq!(steps.len(), 4);
}

/// The pod garbage collector waits for 40 s, and looks every 20 s (`gc_controller.go: quarantineTime, gcCheckPeriod`):
/// what it deletes at 210.25 s has had no node since 170.25 s at the latest, 180.25 s after the export. Who observed the
/// deletion itself, at 160.25 s, knows it better, and a person that an audit log names best.
#[test]
fn orphans_tell_of_a_deleted_node() {
    let line =
        |clock: &str, text: &str| format!("I1120 04:{clock}.250000       1 x.go:1] {text}\n");
    let lost = line(
        "41:40",
        r#""Recording status change event message for node" status="NodeNotReady" node="b-03""#,
    );
    let observed = line("42:40", r#""Controller observed a Node deletion" node="b-03""#);
    let orphan = line(
        "43:30",
        r#""Found orphaned Pod assigned to the Node, deleting" pod="shop/db-0" node="b-03""#,
    );
    let kcm = |lines: &[&String]| {
        let text = lines.iter().map(|l| l.as_str()).collect();
        Evidence { file: "kcm.log".to_owned(), text }
    };
    let jane =
        super::audit_tests::line(&at(159), "Metadata", "jane", "delete", "nodes/b-03", json!({}));
    let jane = Evidence { file: "audit.log".to_owned(), text: jane.to_string() };
    for (files, step, by) in [
        (vec![kcm(&[&lost, &orphan])], "3m0.25s", "somebody"),
        (vec![kcm(&[&lost, &observed, &orphan])], "2m50.25s", "somebody"),
        (vec![kcm(&[&lost, &observed, &orphan]), jane], "2m49.25s", "jane"),
    ] {
        let was = reconstructed(&[files, vec![before()]].concat());
        let step = format!("(at: {step:?}, do: DeleteNode(node: \"b-03\")),");
        assert_eq!(steps(&was)[1..], [step]);
        assert!(was.told[1].contains(&format!("{by} deletes node b-03")), "{:?}", was.told);
    }
}

/// An export of 04:50 has neither a-1, which was given up at 100.25 s and deleted at 150.25 s with `web-9` on it, nor
/// c-7, which was gone before the run begins at 35 s (100.25 s less 65 s, to the second below). Where b-03 is given up
/// after the export that is the outage, and the export the cluster before it.
#[test]
fn an_export_from_after_has_no_deleted_nodes() {
    let mut events = vec![
        of_node(5, "c-7", "RemovingNode"),
        bound(10, "web-9", "a-1"),
        of_node(100, "a-1", "NodeNotReady"),
        not_ready(100, "web-9"),
        of_node(150, "a-1", "RemovingNode"),
        of_node(160, "b-03", "NodeReady"),
    ];
    let export = list("export.json", &[node("b-03", "2026-11-20T04:50:00Z")]);
    let was = reconstructed(&[list("e.json", &events), export.clone()]);
    assert_eq!(was.start.to_rfc3339(), "2026-11-20T04:40:35Z");
    let note =
        "2 nodes came after the export, or went before it (a-1, c-7): taken to be without labels";
    assert!(was.notes.iter().any(|n| n.starts_with(note)), "{:?}", was.notes);
    assert!(was.text.contains(r#"on: Node("a-1")"#), "{}", was.text);
    assert!(!was.text.contains("c-7"), "{}", was.text);
    assert_eq!(steps(&was)[1..], [r#"(at: "1m55.25s", do: DeleteNode(node: "a-1")),"#]);
    events.push(of_node(630, "b-03", "NodeNotReady"));
    let was = reconstructed(&[list("e.json", &events), export]);
    assert_eq!(was.start.to_rfc3339(), "2026-11-20T04:50:00Z");
    let silent: Vec<&str> = was.outage.silences.iter().map(|s| s.node.as_str()).collect();
    assert_eq!(silent, ["b-03"], "{:?}", was.notes);
}
