//! How often containers end, by the statuses of exported pods, and what a run makes of that.

use super::written;
use crate::import::ImportedCluster;
use serde_json::{Value, json};

/// A workload of that kind, its pods with these specs and statuses, and a node that was heard last at 12:00:00.
fn imported(kind: &str, pods: &[(Value, Value)]) -> (ImportedCluster, String) {
    let heard =
        json!({"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-20T12:00:00Z"});
    let mut all = vec![
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"conditions": [heard]}}),
    ];
    if !kind.is_empty() {
        let group = if kind == "Job" { "batch/v1" } else { "apps/v1" };
        let policy = if kind == "Job" { "OnFailure" } else { "Always" };
        all.push(json!({"apiVersion": group, "kind": kind, "metadata": {"name": "db"},
            "spec": {"replicas": pods.len(), "completions": 9, "selector": {"matchLabels": {"app": "db"}},
                "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"restartPolicy": policy}}}}));
    }
    for (i, (spec, status)) in pods.iter().enumerate() {
        let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": format!("db-{i}"), "labels": {"app": "db"}},
            "spec": spec, "status": status});
        pod["spec"]["nodeName"] = "n".into();
        if !kind.is_empty() {
            let version = if kind == "Job" { "batch/v1" } else { "apps/v1" };
            pod["metadata"]["ownerReferences"] =
                json!([{"apiVersion": version, "kind": kind, "name": "db", "controller": true}]);
        }
        all.push(pod);
    }
    written(all)
}

fn ran(from: &str, to: &str, exit_code: i64) -> Value {
    json!({"terminated": {"startedAt": format!("2026-11-{from}Z"), "finishedAt": format!("2026-11-{to}Z"), "exitCode": exit_code, "reason": "Error"}})
}

fn status(restarts: i64, state: &Value, last: &Value) -> Value {
    let ready = if state["running"].is_null() { "False" } else { "True" };
    let condition = |kind: &str, status: &str| json!({"type": kind, "status": status, "lastTransitionTime": "2026-11-20T11:59:00Z"});
    json!({"phase": "Running", "startTime": "2026-11-10T12:00:00Z",
        "conditions": [condition("PodScheduled", "True"), condition("Ready", ready)],
        "containerStatuses": [{"restartCount": restarts, "state": state, "lastState": last}]})
}

fn waits() -> Value {
    json!({"waiting": {"reason": "CrashLoopBackOff"}})
}

fn runs(since: &str) -> Value {
    json!({"running": {"startedAt": format!("2026-11-{since}Z")}})
}

/// Last runs of 3 and 5 s: each pod goes on with its own, and those that replace them with the median, 4 s.
#[test]
fn a_crash_loop_goes_on() {
    let (cluster, text) = imported(
        "StatefulSet",
        &[
            (json!({}), status(12, &waits(), &ran("20T11:58:00", "20T11:58:03", 1))),
            (json!({}), status(7, &waits(), &ran("20T11:57:00", "20T11:57:05", 1))),
        ],
    );
    for after in ["3s", "5s", "4s"] {
        let part = format!("ends: (after: \"{after}\", exit_code: 1)");
        assert_eq!(text.matches(&part).count(), 1, "{part}: {text}");
    }
    let said = cluster.summary.lines().join("\n");
    for line in [
        "containers end by themselves, by their statuses, of 1 workload: default/db 4s (median of 2), exit code 1",
        "2 pods in a crash loop, where each container ends as the last one did: default/db-0 (after 3s, exit code 1), default/db-1 (after 5s, exit code 1)",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let note = "The export: in a crash loop, which no toleration ends, and whose back-off begins at 10 s again here: 2 pods, \
                default/db-0 (after 3s, exit code 1), default/db-1 (after 5s, exit code 1).";
    assert!(text.contains(note), "{text}");
}

/// A container that began and ended within one second ran for something from nothing to a second: half of one is off
/// by half of one at most. Its successor's spans are 0 and 5 s, whose median is 2.75 s.
#[test]
fn what_ran_for_less_than_a_second_is_taken_for_half_of_one() {
    let at_once = (json!({}), status(12, &waits(), &ran("20T11:58:00", "20T11:58:00", 1)));
    let later = (json!({}), status(7, &waits(), &ran("20T11:57:00", "20T11:57:05", 1)));
    let (cluster, text) = imported("StatefulSet", &[at_once.clone(), later]);
    for after in ["0.5s", "5s", "2.75s"] {
        let part = format!("ends: (after: \"{after}\", exit_code: 1)");
        assert_eq!(text.matches(&part).count(), 1, "{part}: {text}");
    }
    let said = cluster.summary.lines().join("\n");
    let own = "default/db-0 (after less than a second, taken as 0.5s, exit code 1)";
    assert!(said.contains(own), "{said}");
    let said = imported("StatefulSet", &[at_once]).0.summary.lines().join("\n");
    let of_set = "default/db less than a second, taken as 0.5s (median of 1), exit code 1";
    assert!(said.contains(of_set), "{said}");
}

/// One pod loops; it was caught running, for the third time, after 20 s. The three others have been there for ten days each, and one of them was
/// started again twice: 30 days by two ends are 15 days, 360 h.
#[test]
fn what_loops_is_told_from_what_ends_now_and_then() {
    let (cluster, text) = imported(
        "StatefulSet",
        &[
            (json!({}), status(3, &runs("20T11:59:50"), &ran("20T11:58:00", "20T11:58:20", 2))),
            (json!({}), status(2, &runs("18T12:00:00"), &ran("16T12:00:00", "18T12:00:00", 137))),
            (json!({}), status(0, &runs("10T12:00:05"), &json!({}))),
            (json!({}), status(0, &runs("10T12:00:05"), &json!({}))),
        ],
    );
    let own = "ends: (after: \"20s\", exit_code: 2)";
    assert_eq!(text.matches(own).count(), 1, "{text}");
    let others = "ends: (after: Exponential(mean: \"360h\"), exit_code: 137)";
    assert_eq!(text.matches(others).count(), 2, "of the template and of the others: {text}");
    let said = cluster.summary.lines().join("\n");
    assert!(
        said.contains("default/db 360h on average (2 times in 3 pods), exit code 137"),
        "{said}"
    );
    assert!(said.contains("1 pod in a crash loop"), "{said}");
}

/// A machine that went off is no end of its containers, and of an end whose times are gone nothing is known.
#[test]
fn ends_that_say_nothing_are_left_out() {
    let mut gone = ran("16T12:00:00", "18T12:00:00", 255);
    gone["terminated"]["reason"] = "Unknown".into();
    for last in [gone, json!({}), json!({"terminated": {"exitCode": 1}})] {
        let pods = [(json!({}), status(1, &runs("18T12:01:00"), &last))];
        let (cluster, text) = imported("StatefulSet", &pods);
        assert!(!text.contains("ends"), "{text}");
        assert!(!cluster.summary.lines().join("\n").contains("containers end"));
    }
}

/// Runs of 60 and 100 s: 80 s, of which the one that runs has had 10 s. Its pods are started again where they fail.
#[test]
fn a_jobs_containers_take_as_long_as_those_that_have_succeeded() {
    let done = |to: &str| {
        let mut all = status(0, &ran("20T11:00:00", to, 0), &json!({}));
        all["phase"] = "Succeeded".into();
        (json!({"restartPolicy": "OnFailure"}), all)
    };
    let runs = (json!({"restartPolicy": "OnFailure"}), status(0, &runs("20T11:59:50"), &json!({})));
    let (_, text) = imported("Job", &[done("20T11:01:00"), done("20T11:01:40"), runs]);
    for (part, n) in [
        ("ends: (after: \"1m20s\")", 1),
        ("ends: (after: \"1m20s\", ran: \"10s\")", 1),
        ("restartPolicy: OnFailure", 2),
    ] {
        assert_eq!(
            text.matches(part).count(),
            n,
            "of the template and of the pod that runs: {text}"
        );
    }
}

/// A pod that nothing owns is started again or not as it says, whatever ends it: its machine may.
#[test]
fn the_restart_policy_of_a_pod() {
    let probed = json!([{"name": "c", "livenessProbe": {}}]);
    let running = status(0, &runs("20T11:00:00"), &json!({}));
    for (spec, taken) in [
        (json!({"restartPolicy": "Never", "containers": probed}), Some("Never")),
        (json!({"restartPolicy": "OnFailure", "containers": probed}), Some("OnFailure")),
        (json!({"restartPolicy": "Always", "containers": probed}), None),
        (json!({"restartPolicy": "Never"}), Some("Never")),
        (json!({"restartPolicy": "Always"}), None),
    ] {
        let (_, text) = imported("", &[(spec, running.clone())]);
        let expected = taken.map(|policy| format!("restartPolicy: {policy}"));
        assert_eq!(text.contains("restartPolicy"), taken.is_some(), "{text}");
        assert!(expected.is_none_or(|e| text.contains(&e)), "{text}");
    }
    let loops = status(4, &waits(), &ran("20T11:58:00", "20T11:58:03", 1));
    let (_, text) = imported("", &[(json!({"restartPolicy": "OnFailure"}), loops)]);
    for part in ["ends: (after: \"3s\", exit_code: 1)", "restartPolicy: OnFailure"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
