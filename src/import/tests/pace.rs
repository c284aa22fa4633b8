//! How long pods took to start and to stop.

use super::written;
use crate::import::ImportedCluster;
use serde_json::{Value, json};

fn pod(name: &str, ready: &str, restarts: i64) -> Value {
    let condition =
        |kind: &str, at: &str| json!({"type": kind, "status": "True", "lastTransitionTime": at});
    json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": true}]},
        "spec": {"nodeName": "n"},
        "status": {"phase": "Running", "containerStatuses": [{"restartCount": restarts}],
            "conditions": [condition("PodScheduled", "2026-11-20T10:00:00Z"), condition("Ready", ready)]}})
}

fn event(reason: &str, at: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "db-0.1"}, "reason": reason, "message": "Stopping container db",
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "db-0"}, "lastTimestamp": at})
}

fn scenario(pods: Vec<Value>) -> (ImportedCluster, String) {
    let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}}, "spec": {}}}});
    let items: Vec<Value> =
        [set, json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})]
            .into_iter()
            .chain(pods)
            .collect();
    written(items)
}

/// Of 12, 20 and 40 s the median is 20 s; the pod that restarted and the one that became Ready
/// again an hour later do not count.
#[test]
fn the_median_of_the_pods_that_started_once() {
    let (cluster, text) = scenario(vec![
        pod("db-0", "2026-11-20T10:00:12Z", 0),
        pod("db-1", "2026-11-20T10:00:40Z", 0),
        pod("db-2", "2026-11-20T10:00:20Z", 0),
        pod("db-3", "2026-11-20T10:00:01Z", 2),
        pod("db-4", "2026-11-20T11:00:00Z", 0),
    ]);
    assert_eq!(text.matches("pod_start: \"20s\"").count(), 2, "template and pods: {text}");
    assert!(!text.contains("pod_stop"), "{text}");
    let lines = cluster.summary.lines().join("\n");
    assert!(lines.contains("default/db 20s"), "{lines}");
}

/// Killed at :00, its successor bound at :25.
#[test]
fn a_stop_of_a_stateful_set_by_its_events() {
    let (_, text) = scenario(vec![
        pod("db-0", "2026-11-20T10:00:12Z", 0),
        event("Killing", "2026-11-20T09:59:00Z"),
        event("Scheduled", "2026-11-20T09:59:25Z"),
    ]);
    assert!(text.contains("pod_stop: \"25s\""), "{text}");
    // Of one that waited for room beyond its grace period of 30 s nothing is known.
    let (_, text) = scenario(vec![
        pod("db-0", "2026-11-20T10:00:12Z", 0),
        event("Killing", "2026-11-20T09:59:00Z"),
        event("Scheduled", "2026-11-20T10:00:00Z"),
    ]);
    assert!(!text.contains("pod_stop"), "{text}");
}

/// Of starts of 1 to 20 s the median is 10.5 s, and 18 of 20 are not above 18 s. Of one less it is
/// 10 s.
#[test]
fn many_starts_are_handed_over_as_they_are() {
    let pods = |n: usize| -> Vec<Value> {
        (1..=n).map(|i| pod(&format!("db-{i}"), &format!("2026-11-20T10:00:{i:02}Z"), 0)).collect()
    };
    let (cluster, text) = scenario(pods(20));
    assert_eq!(text.matches("pod_start: Values([").count(), 2, "{text}");
    assert!(text.contains("\"1s\"") && text.contains("\"20s\""), "{text}");
    let lines = cluster.summary.lines().join("\n");
    let told = "default/db 10.5s, nine in ten within 18s (drawn among 20)";
    assert!(lines.contains(told), "{lines}");
    let (cluster, text) = scenario(pods(19));
    assert!(text.contains("pod_start: \"10s\""), "{text}");
    let lines = cluster.summary.lines().join("\n");
    assert!(lines.contains("default/db 10s (median of 19)"), "{lines}");
    let lacks =
        "assumed by a run, as the files lack it: pods' time to stop, of 1 workload: default/db";
    assert!(lines.contains(lacks), "{lines}");
}

/// Bound at :00, pulled in 5.3 s of waiting and pulling, started at :09; the next life has the
/// image and starts in 2 s.
#[test]
fn what_the_pull_took_is_told() {
    let said = |reason: &str, at: &str, message: &str| {
        let mut event = event(reason, at);
        event["message"] = message.into();
        event["metadata"]["name"] = format!("db-0.{reason}{at}").into();
        event
    };
    let (cluster, text) = scenario(vec![
        said("Scheduled", "2026-11-20T09:00:00Z", ""),
        said(
            "Pulled",
            "2026-11-20T09:00:07Z",
            "Successfully pulled image \"db\" in 5.2s (5.3s including waiting)",
        ),
        said("Started", "2026-11-20T09:00:09Z", ""),
        said("Scheduled", "2026-11-20T09:30:00Z", ""),
        said("Pulled", "2026-11-20T09:30:01Z", "Container image \"db\" already present on machine"),
        said("Started", "2026-11-20T09:30:02Z", ""),
    ]);
    // (9 + 2) / 2
    assert!(text.contains("pod_start: \"5.5s\""), "{text}");
    let lines = cluster.summary.lines().join("\n");
    let told = "default/db 5.5s (median of 2), of which the image's pull 5.3s (median of 1, on the node already once)";
    assert!(lines.contains(told), "{lines}");
}

/// A pod waits for its disk for 6m10s before its sandbox is there, and is Ready 3 s after that: this is what its start takes. A
/// share that is not attached (no driver, a path of NFS) is waited for by nobody, so that all of 20 s are the start. A kubelet
/// of before 1.29 does not say when the disk was there; then nothing is known, by events neither.
#[test]
fn a_start_does_not_have_the_wait_for_a_disk_in_it() {
    let started = |claim: &str, mounted: Option<&str>, ready: &str| {
        let mut pod = pod("db-0", ready, 0);
        pod["spec"]["volumes"] =
            json!([{"name": "d", "persistentVolumeClaim": {"claimName": claim}}]);
        let mounted = mounted.map(|at| json!({"type": "PodReadyToStartContainers", "status": "True", "lastTransitionTime": at}));
        pod["status"]["conditions"].as_array_mut().unwrap().extend(mounted);
        let share = [
            json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "share"}, "spec": {"volumeName": "pv"}, "status": {"phase": "Bound"}}),
            json!({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv"},
                "spec": {"accessModes": ["ReadWriteMany"], "nfs": {}, "claimRef": {"namespace": "default", "name": "share"}}}),
        ];
        let mut scheduled = event("Scheduled", "2026-11-20T10:00:00Z");
        scheduled["metadata"]["name"] = json!("db-0.0");
        let events = [scheduled, event("Started", "2026-11-20T10:00:20Z")];
        scenario([pod].into_iter().chain(share).chain(events).collect()).1
    };
    let slow = "2026-11-20T10:06:13Z";
    let disk = started("disk", Some("2026-11-20T10:06:10Z"), slow);
    assert_eq!(disk.matches("pod_start: \"3s\"").count(), 2, "{disk}");
    let share = started("share", Some("2026-11-20T10:00:19Z"), "2026-11-20T10:00:20Z");
    assert_eq!(share.matches("pod_start: \"20s\"").count(), 2, "{share}");
    let old = started("disk", None, slow);
    assert!(!old.contains("pod_start"), "{old}");
}

/// Its hook sleeps for 30 s, and a server is taken to end a second after that: 31 s, of the template and of the pod. A stop that was
/// seen to take 25 s had no such hook; one of 35 s had. Of a hook of another kind only that is told that it is there. A pod
/// without a workload has its own.
#[test]
fn a_stop_has_the_sleep_of_pre_stop_hooks_in_it() {
    let of = |hook: Value, took: Option<u32>| {
        let spec = json!({"terminationGracePeriodSeconds": 60, "containers": [{"lifecycle": {"preStop": hook}}]});
        let mut pod = pod("db-0", "2026-11-20T10:00:12Z", 0);
        pod["spec"] = spec.clone();
        pod["spec"]["nodeName"] = "n".into();
        let mut bare = pod.clone();
        bare["metadata"] = json!({"name": "bare"});
        let mut all = vec![pod, bare];
        if let Some(took) = took {
            all.push(event("Killing", "2026-11-20T09:59:00Z"));
            let mut scheduled = event("Scheduled", &format!("2026-11-20T09:59:{took}Z"));
            scheduled["metadata"]["name"] = "db-0.2".into();
            all.push(scheduled);
        }
        let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
            "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}}, "spec": spec}}});
        all.extend([set, json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}})]);
        let (cluster, text) = written(all);
        (cluster.summary.lines().join("\n"), cluster.summary.notes().join("\n"), text)
    };
    let sleep = json!({"sleep": {"seconds": 30}});
    let (lines, notes, text) = of(sleep.clone(), None);
    assert_eq!(text.matches("pod_stop: \"31s\"").count(), 3, "{text}");
    assert!(lines.contains("default/db 31s (30s of a preStop hook)"), "{lines}");
    let said = "Assumed: pods stop a second after the sleep of their preStop hooks: default/db 31s (30s of a preStop hook).";
    assert!(notes.contains(said), "{notes}");
    let (.., text) = of(sleep.clone(), Some(25));
    assert_eq!(text.matches("pod_stop: \"31s\"").count(), 3, "{text}");
    let (_, notes, text) = of(sleep, Some(35));
    assert_eq!(text.matches("pod_stop: \"35s\"").count(), 2, "{text}");
    assert!(!notes.contains("preStop"), "{notes}");
    let (lines, notes, text) = of(json!({"httpGet": {"path": "/quit"}}), None);
    assert!(!text.contains("pod_stop"), "{text}");
    let said =
        "pods' time to stop, of 1 workload: default/db (with a preStop hook of unknown length)";
    assert!(lines.contains(said), "{lines}");
    assert!(notes.contains("Assumed: preStop hooks take no time: default/db (with"), "{notes}");
}
