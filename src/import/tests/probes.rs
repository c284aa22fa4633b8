//! Probes of exported pods, and a start that is told apart from what its probe took.

use super::written;
use crate::import::ImportedCluster;
use serde_json::{Value, json};

/// A StatefulSet whose pods have this container, and a pod that was scheduled at 10:00:00, and became Ready at 10:00:24.
fn imported(container: &Value, state: &Value) -> (ImportedCluster, String) {
    let spec = json!({"nodeName": "n", "containers": [container]});
    let condition =
        |kind: &str, at: &str| json!({"type": kind, "status": "True", "lastTransitionTime": at});
    let all = json!([
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}},
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [container]}}}},
        {"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "db-0", "labels": {"app": "db"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": true}]},
            "spec": spec,
            "status": {"phase": "Running", "containerStatuses": [{"restartCount": 0, "state": state}],
                "conditions": [condition("PodScheduled", "2026-11-20T10:00:00Z"), condition("Ready", "2026-11-20T10:00:24Z")]}},
    ]);
    written(all)
}

/// The container ran after 4 s, and was Ready 20 s later: with a period of 10 s the probe has found out 5 s late on average.
#[test]
fn a_start_is_told_apart_from_its_probe() {
    let running = json!({"running": {"startedAt": "2026-11-20T10:00:04Z"}});
    let probe = json!({"httpGet": {"path": "/"}, "initialDelaySeconds": 3, "periodSeconds": 10, "timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 5});
    let (cluster, text) = imported(&json!({"name": "db", "readinessProbe": probe}), &running);
    // Of the template and of the pod.
    for part in [
        "pod_start: \"4s\"",
        "serves_after: \"15s\"",
        "readinessProbe: (initialDelaySeconds: 3, failureThreshold: 5)",
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    let said = cluster.summary.lines().join("\n");
    assert!(
        said.contains("24s (median of 1), with its probe, which is taken apart from it"),
        "{said}"
    );
}

/// Without a probe a container that ran after 4 s was ready then, whatever has become of Ready since.
#[test]
fn a_pod_that_was_marked_since_did_not_start_then() {
    let running = json!({"running": {"startedAt": "2026-11-20T10:00:04Z"}});
    let (_, text) = imported(&json!({"name": "db"}), &running);
    assert_eq!(text.matches("pod_start: \"4s\"").count(), 2, "{text}");
}

/// It is not counted twice where nobody knows when the container ran, and nothing changes without a probe.
#[test]
fn a_probe_that_cannot_be_taken_apart_is_left_out() {
    let probe = json!({"exec": {"command": ["true"]}, "periodSeconds": 10});
    let probed = json!({"name": "db", "startupProbe": probe});
    let (cluster, text) = imported(&probed, &json!({}));
    let (_, plain) = imported(&json!({"name": "db"}), &json!({}));
    // But for the summary above it and the note in it, which say so.
    let scenario = |text: &str| -> Vec<String> {
        let (_, rest) = text.split_once("\nScenario(").expect("a scenario");
        rest.lines().filter(|l| !l.contains("Assumed: ")).map(str::to_owned).collect()
    };
    assert_eq!(scenario(&text), scenario(&plain));
    assert_eq!(text.matches("pod_start: \"24s\"").count(), 2, "{text}");
    let said = cluster.summary.lines().join("\n");
    assert!(said.contains("left out as it is not known when containers started"), "{said}");
}

/// What an export says of a liveness probe is taken, its own grace included; a probe that may take five seconds is told of.
#[test]
fn liveness_probes_are_taken() {
    let running = json!({"running": {"startedAt": "2026-11-20T10:00:04Z"}});
    let probe =
        json!({"periodSeconds": 1, "timeoutSeconds": 5, "terminationGracePeriodSeconds": 7});
    let (cluster, text) = imported(&json!({"name": "db", "livenessProbe": probe}), &running);
    let part = "livenessProbe: (periodSeconds: 1, terminationGracePeriodSeconds: 7)";
    assert_eq!(text.matches(part).count(), 2, "{text}");
    // No probe has it wait: it is ready as it runs.
    assert!(text.contains("pod_start: \"4s\""), "{text}");
    let said = cluster.summary.lines().join("\n");
    assert!(said.contains("left out of pods: timeoutSeconds of probes (1)"), "{said}");
}

/// The container served 15 s after its start, and was not ended before: of probes each five seconds the third fails at 10 s, which
/// would have ended it, and the fourth at 15 s sees it serve.
#[test]
fn a_liveness_probe_that_sees_something_else_is_left_out() {
    let running = json!({"running": {"startedAt": "2026-11-20T10:00:04Z"}});
    for (failures, more, taken) in [
        (3, json!({}), false),
        (4, json!({}), true),
        // It waits for the startup probe.
        (3, json!({"failureThreshold": 30}), true),
    ] {
        let mut container = json!({"name": "db", "readinessProbe": {}, "livenessProbe": {"periodSeconds": 5, "failureThreshold": failures}});
        if more != json!({}) {
            container["startupProbe"] = more;
        }
        let (cluster, text) = imported(&container, &running);
        assert!(text.contains("serves_after: \"15s\""), "{text}");
        assert_eq!(text.contains("livenessProbe"), taken, "{text}");
        let said = cluster.summary.lines().join("\n");
        let left_out =
            "without its liveness probe, which would have ended containers that were seen to start";
        assert_eq!(said.contains(left_out), !taken, "{said}");
    }
}
