//! What lines of audit logs come to as a timeline, beside an export from before them.

use super::audit_tests::{at, line, log};
use super::file::Evidence;
use super::heard::Heard;
use super::written::{Watchfulness, reconstruct};
use crate::import::Asked;
use crate::kernel::Dur;
use serde_json::{Value, json};

fn export() -> Evidence {
    let mut items: Vec<Value> = ["a-1", "b-03"]
        .iter()
        .map(|n| {
            json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": n},
                "spec": {"taints": [{"key": "old", "effect": "NoSchedule"}]},
                "status": {"conditions": [{"type": "Ready", "status": "True",
                    "lastHeartbeatTime": "2026-11-20T04:39:50Z"}]}})
        })
        .collect();
    items.extend(["web-0", "web-1", "web-2"].map(|n| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": n, "namespace": "shop"},
            "spec": {"nodeName": "b-03"}, "status": {"phase": "Running",
                "conditions": [{"type": "Ready", "status": "True"}]}})
    }));
    Evidence {
        file: "before.json".to_owned(),
        text: json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string(),
    }
}

/// The scenario and what is told of it, of these lines and an export from before them.
fn timeline(lines: &[Value]) -> (String, String) {
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let heard = Heard::of(&[log(lines), export()]);
    let was = reconstruct(heard, watchfulness, ("test", &Asked::default())).unwrap();
    let begins = was.text.find("timeline:").unwrap();
    (was.text[begins..].to_owned(), was.notes.join("\n"))
}

/// Events of another cluster tell of none of the export's nodes: nothing is left, and what was left
/// out is said with the refusal.
#[test]
fn events_of_another_cluster_are_refused_with_a_word() {
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let controller = "system:serviceaccount:kube-system:node-controller";
    let given_up = line(&at(5), "Metadata", controller, "patch", "nodes/other-7/status", json!({}));
    let heard = Heard::of(&[log(&[given_up]), export()]);
    let refused = reconstruct(heard, watchfulness, ("test", &Asked::default())).unwrap_err();
    let notes = refused.help.unwrap();
    assert!(notes.contains("nodes that are in no export (other-7), of another cluster"), "{notes}");
}

/// An export of 04:39:50, and an outage of 04:58: the run begins shortly before it, with a pod that
/// came to b-03 in between, and without one that somebody deleted.
#[test]
fn of_an_old_export_what_lasted_is_taken() {
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let on = |pod: &str| format!("pods/shop/{pod}/binding");
    let scheduler = "system:kube-scheduler";
    let target = json!({"target": {"kind": "Node", "name": "b-03"}});
    let lines = [
        line(&at(60), "Request", "jane", "delete", "pods/shop/web-1", json!({})),
        line(&at(600), "Request", scheduler, "create", &on("api-7"), target),
        evicted(1100),
    ];
    let heard = Heard::of(&[log(&lines), export()]);
    let was = reconstruct(heard, watchfulness, ("test", &Asked::default())).unwrap();
    // 65 s before 04:58:20.25, to the second below.
    assert_eq!(was.start.to_rfc3339(), "2026-11-20T04:57:15Z");
    assert!(was.text.contains("api-7"), "{}", was.text);
    assert!(!was.text.contains("web-1"), "{}", was.text);
    let notes = was.notes.join("\n");
    assert!(
        notes.contains("the export is of 2026-11-20T04:39:50Z, 1110 s before the outage"),
        "{notes}"
    );
}

/// A name that ends its line would end the comment that it is in.
#[test]
fn whoever_it_was_stays_in_the_comment() {
    let mallory = "jane\n(at: \"0s\", do: Crash(node: \"b-03\")),";
    let deleted = line(&at(90), "Request", mallory, "delete", "pods/shop/web-1", json!({}));
    let (text, _) = timeline(&[evicted(100), deleted]);
    assert!(text.contains("// jane\\n(at: \"0s\""), "{text}");
    assert!(!text.lines().any(|l| l.starts_with("(at:")), "{text}");
}

/// The pod is evicted 100.25 s after 04:40, so that the run ends two minutes later; somebody deletes
/// another one an hour after that.
#[test]
fn what_comes_after_the_outage_is_left_out() {
    let later = at(100).replace("T04:", "T05:");
    let path = "pods/shop/web-1";
    let deleted = line(&later, "Request", "jane", "delete", path, json!({}));
    let (text, notes) = timeline(&[evicted(100), deleted]);
    assert!(!text.contains("web-1"), "{text}");
    let said = "1 action is of after the outage was over, left out: jane deletes shop/web-1";
    assert!(notes.contains(said), "{notes}");
}

/// web-1 is deleted, hangs, and is deleted by force 15 s later, 55.25 s after the export of 04:39:50; of
/// web-0 the address says how long it has. A log of another API server tells of the first once more.
#[test]
fn a_forced_deletion_is_one() {
    let delete = |s, pod: &str, options: Value| {
        line(&at(s), "Request", "jane", "delete", &format!("pods/shop/{pod}"), options)
    };
    let mut later = delete(50, "web-0", json!({}));
    later["requestURI"] = "/api/v1/namespaces/shop/pods/web-0?x=y&gracePeriodSeconds=5".into();
    let forced = json!({"kind": "DeleteOptions", "gracePeriodSeconds": 0});
    let lines = [
        evicted(20),
        delete(30, "web-1", json!({})),
        delete(31, "web-1", json!({})),
        delete(45, "web-1", forced),
        later,
    ];
    let (text, _) = timeline(&lines);
    let steps: Vec<&str> = text.lines().map(str::trim).filter(|l| l.starts_with("(at")).collect();
    assert_eq!(
        steps,
        [
            r#"(at: "40.25s", do: DeletePod(pod: "shop/web-1")),"#,
            r#"(at: "55.25s", do: DeletePod(pod: "shop/web-1", gracePeriodSeconds: 0)),"#,
            r#"(at: "1m0.25s", do: DeletePod(pod: "shop/web-0", gracePeriodSeconds: 5)),"#,
        ]
    );
}

/// b-03 is given up 100.25 s after 04:40 and never back; its pod is evicted 300 s later, hangs, and is freed
/// 500 s after that, 910.25 s after the export of 04:39:50: the run goes on for two minutes more. What
/// is deleted later and was not evicted is of after it.
#[test]
fn the_outage_lasts_until_a_stuck_pod_is_freed() {
    let controller = "system:serviceaccount:kube-system:node-controller";
    let given_up = line(&at(100), "Metadata", controller, "patch", "nodes/b-03/status", json!({}));
    let forced = json!({"kind": "DeleteOptions", "gracePeriodSeconds": 0});
    let delete = |s, pod: &str| {
        line(&at(s), "Request", "jane", "delete", &format!("pods/shop/{pod}"), forced.clone())
    };
    let lines = [given_up, evicted(400), delete(900, "web-2"), delete(1100, "web-1")];
    let (text, notes) = timeline(&lines);
    let freed = r#"(at: "15m10.25s", do: DeletePod(pod: "shop/web-2", gracePeriodSeconds: 0))"#;
    assert!(text.contains(freed), "{text}");
    let said = "1 action is of after the outage was over, left out: jane deletes shop/web-1";
    assert!(notes.contains(said), "{notes}");
}

/// b-03 is given up 110.25 s after the export. A pass wrote that, 30 ms before, so that the first came 0.22 s after
/// the export; the one 55 s earlier, at 55.22 s, heard of the node last, 2.5 s after its lease was
/// renewed; six renewals of 10.2 s before 52.72 s are 8.48 s before the export.
#[test]
fn an_export_from_before_keeps_what_a_log_tells_of_passes() {
    let controller = "system:serviceaccount:kube-system:node-controller";
    let given_up = line(&at(100), "Metadata", controller, "patch", "nodes/b-03/status", json!({}));
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let heard = Heard::of(&[log(&[given_up]), export()]);
    let was = reconstruct(heard, watchfulness, ("test", &Asked::default())).unwrap();
    for part in [r#"pass: "0.22s""#, r#""b-03": "-8.48s""#, r#"(at: "57.82s", do: Partition"#] {
        assert!(was.text.contains(part), "{part}\n{}", was.text);
    }
}

/// A kubelet posts 70.25 s after the export that it is not ready, and a minute later that it is. It looks every
/// ten seconds: in the middle it found so 5 s before.
#[test]
fn a_kubelet_found_before_what_it_posts() {
    let posts = |s, ready: &str| {
        let body = json!({"status": {"conditions": [{"type": "Ready", "status": ready}]}});
        line(&at(s), "Request", "system:node:b-03", "patch", "nodes/b-03/status", body)
    };
    let (text, _) = timeline(&[posts(60, "False"), posts(120, "True")]);
    for entry in [
        r#"(at: "1m5.25s", do: Condition(node: "b-03", type: Ready, status: False))"#,
        r#"(at: "2m5.25s", do: Condition(node: "b-03", type: Ready, status: True))"#,
    ] {
        assert!(text.contains(entry), "{entry}\n{text}");
    }
}

/// A node that fails every twelve days and is back six days later, for 420 days from 14 November 2023.
#[test]
fn what_is_longer_than_a_run_is_refused_with_its_times() {
    let sample = |i: u64| format!("[{}, \"{}\"]", 1_700_000_000 + i * 518_400, (i + 1) % 2);
    let values = format!("[{}]", (0..=70).map(sample).collect::<Vec<_>>().join(","));
    let metric = r#"{"__name__": "kube_node_status_condition", "node": "a", "condition": "Ready", "status": "true"}"#;
    let series = format!(r#"[{{"metric": {metric}, "values": {values}}}]"#);
    let text = format!(
        r#"{{"status": "success", "data": {{"resultType": "matrix", "result": {series}}}}}"#
    );
    let answer = Evidence { file: "answer.json".to_owned(), text };
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let error =
        reconstruct(Heard::of(&[answer]), watchfulness, ("test", &Asked::default())).unwrap_err();
    let ends = "ends at 2025-01-07T22:13:20Z, and a run can span a year";
    assert!(error.to_string().contains(ends), "{error}");
}

/// A pass takes from 100.25 s to 139.25 s to give 14 nodes up, and the next gives one up at 145.25 s.
/// The first was heard of by the pass 55 s before and renewed its lease in the middle of the 5 s before
/// that, 42.72 s, half a renewal before it fell silent; the last was spared by the long pass, for which
/// it is enough that it was heard of one pass later. The run begins at 35 s.
#[test]
fn whom_a_long_pass_spared_has_gone_with_the_others() {
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let controller = "system:serviceaccount:kube-system:node-controller";
    let given_up = |i: u32, s: u32| {
        let path = format!("nodes/n-{i}/status");
        line(&at(s), "Metadata", controller, "patch", &path, json!({}))
    };
    let mut lines: Vec<Value> = (0..14).map(|i| given_up(i, 100 + 3 * i)).collect();
    lines.push(given_up(14, 145));
    let was =
        reconstruct(Heard::of(&[log(&lines)]), watchfulness, ("test", &Asked::default())).unwrap();
    for entry in [
        r#"(at: "12.82s", do: Partition(node: "n-0"))"#,
        r#"(at: "17.82s", do: Partition(node: "n-14"))"#,
    ] {
        assert!(was.text.contains(entry), "{entry}\n{}", was.text);
    }
}

/// An eviction of a node's pod by the controller, so that there is an outage.
fn evicted(s: u32) -> Value {
    let user = "system:serviceaccount:kube-system:taint-eviction-controller";
    line(&at(s), "Metadata", user, "delete", "pods/shop/web-2", json!({}))
}

/// At Metadata the patch before the evictions is taken to be the drain's cordon; with bodies it is
/// known. One that a budget refused does not count.
#[test]
fn evictions_after_a_cordon_are_a_drain() {
    for level in ["Metadata", "Request"] {
        let cordon = json!({"spec": {"unschedulable": true}});
        let evict = |s, pod: &str| {
            let path = format!("pods/shop/{pod}/eviction");
            line(&at(s), level, "jane", "create", &path, json!({"kind": "Eviction"}))
        };
        let mut refused = evict(12, "web-1");
        refused["responseStatus"]["code"] = 429.into();
        let (text, _) = timeline(&[
            line(&at(10), level, "jane", "patch", "nodes/b-03", cordon),
            evict(11, "web-0"),
            refused,
            evict(17, "web-1"),
            evicted(20),
        ]);
        let drain = "do: Drain(node: \"b-03\", force: true, ignore_daemonsets: true, delete_emptydir_data: true)";
        assert_eq!(text.matches(drain).count(), 1, "{level}: {text}");
        assert!(
            text.contains("jane drains b-03: 2 pods evicted through the API (audit.log, line 1)")
        );
        assert!(
            text.contains("(at: \"20.25s\", do: Drain"),
            "ten seconds and a quarter after 04:40, the export of 04:39:50: {text}"
        );
        assert!(!text.contains("DeletePod") && !text.contains("Cordon("), "{text}");
    }
    // Without a cordon they are deletions.
    let path = "pods/shop/web-0/eviction";
    let (text, _) =
        timeline(&[line(&at(11), "Metadata", "jane", "create", path, json!({})), evicted(20)]);
    assert!(text.contains("DeletePod(pod: \"shop/web-0\")"), "{text}");
}

/// A node had the taint `old`; it gets another, loses the first, and loses the second.
#[test]
fn taints_become_what_was_added_and_taken_off() {
    let taints = |s, list: Value| {
        line(&at(s), "Request", "jane", "patch", "nodes/b-03", json!({"spec": {"taints": list}}))
    };
    let (old, new) = (
        json!({"key": "old", "effect": "NoSchedule"}),
        json!({"key": "team", "value": "x", "effect": "NoExecute"}),
    );
    let own = json!({"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"});
    let (text, _) = timeline(&[
        taints(1, json!([old, own, new])),
        taints(2, json!([own, new])),
        taints(3, json!(null)),
        evicted(20),
    ]);
    let steps: Vec<&str> = text.lines().filter_map(|l| l.split("do: ").nth(1)).collect();
    assert_eq!(
        steps[..3],
        [
            "Taint(node: \"b-03\", taint: [\"team=x:NoExecute\"], overwrite: true)),",
            "Untaint(node: \"b-03\", taint: [\"old:NoSchedule\"])),",
            "Untaint(node: \"b-03\", taint: [\"team:NoExecute\"])),",
        ]
    );
}

#[test]
fn actions_on_what_is_not_there_are_told() {
    let three = json!({"spec": {"replicas": 3}});
    let (text, notes) = timeline(&[
        line(&at(5), "Request", "jane", "patch", "deployments/other/api/scale", three),
        evicted(20),
    ]);
    assert!(!text.contains("Scale("), "{text}");
    assert!(
        notes.contains("1 action is of objects that the cluster does not have, left out: jane on Deployment/other/api"),
        "{notes}"
    );
}

/// Nothing of a line but what a statement needs is in what is written.
#[test]
fn tokens_and_annotations_are_not_kept() {
    let cordon = json!({"spec": {"unschedulable": true}, "metadata": {"annotations": {"password": "hunter2"}}});
    let lines =
        [line(&at(5), "RequestResponse", "jane", "patch", "nodes/b-03", cordon), evicted(20)];
    let watchfulness = Watchfulness { grace: Dur::from_secs(50), period: Dur::from_secs(5) };
    let was =
        reconstruct(Heard::of(&[log(&lines), export()]), watchfulness, ("test", &Asked::default()))
            .unwrap();
    assert!(was.text.contains("Cordon(node: \"b-03\")"));
    let all = format!("{}{:?}{:?}", was.text, was.notes, was.told);
    for secret in ["secret-token", "hunter2", "10.0.0.9", "5e2d6f1c"] {
        assert!(!all.contains(secret), "{secret}");
    }
}
