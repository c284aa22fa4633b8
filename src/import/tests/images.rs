//! Pulls of images in an export, and which nodes have one.

use super::written;
use crate::import::ImportedCluster;
use serde_json::{Value, json};

const IMAGE: &str = "shop/web:2";

/// A pod of `web` that was scheduled at 10:00:00 and was Ready so many seconds later.
fn pod(n: usize, ready: u32) -> Value {
    let condition =
        |kind: &str, at: String| json!({"type": kind, "status": "True", "lastTransitionTime": at});
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": format!("web-{n}"), "labels": {"app": "web"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "controller": true}]},
        "spec": {"nodeName": "a", "containers": [{"name": "web", "image": IMAGE}]},
        "status": {"phase": "Running", "containerStatuses": [{"restartCount": 0}],
            "conditions": [condition("PodScheduled", "2026-11-20T10:00:00Z".to_owned()), condition("Ready", format!("2026-11-20T10:00:{ready:02}Z"))]}})
}

fn pulled(n: usize, message: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": format!("web-{n}.1")}, "reason": "Pulled", "message": message,
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": format!("web-{n}")}, "lastTimestamp": "2026-11-20T10:00:01Z"})
}

/// Nodes `a`, which lists the image under its whole name, and `b`, which lists others.
fn imported(more: Vec<Value>, listed: usize, policy: &str) -> (ImportedCluster, String) {
    let others: Vec<Value> =
        (0..listed).map(|i| json!({"names": [format!("r.example/i:{i}"), null]})).collect();
    let template = json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": IMAGE, "imagePullPolicy": policy}]}});
    let all = [
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"},
            "status": {"images": [{"names": ["docker.io/shop/web@sha256:1", "docker.io/shop/web:2"], "sizeBytes": 52428800}]}}),
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "b"}, "status": {"images": others}}),
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"},
            "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": template}}),
    ];
    written(all.into_iter().chain(more).collect::<Vec<_>>())
}

/// web-0 pulled for 30 of its 34 s, 10 s of them in line; web-1 had the image and took 3 s; of web-2 nothing is known, so that
/// its 50 s do not count. A start is 3.5 s then, the median of 34 - 30 and 3, and a pull 20 s.
#[test]
fn a_pull_is_set_apart_from_the_start() {
    let long = format!(
        "Successfully pulled image \"{IMAGE}\" in 20s (30s including waiting). Image size: 12 bytes."
    );
    let present = format!(
        "Container image \"{IMAGE}\" already present on machine and can be accessed by the pod"
    );
    let pods = || vec![pod(0, 34), pod(1, 3), pod(2, 50)];
    let events = [pulled(0, &long), pulled(1, &present)];
    let (cluster, text) = imported(pods().into_iter().chain(events.clone()).collect(), 3, "");
    // Of the template and of the pods.
    for part in
        [r#"pod_start: "3.5s""#, r#"image: (name: "shop/web:2", pull: "20s", size: "52428800")"#]
    {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    assert_eq!(text.matches(r#"images: ["shop/web:2"]"#).count(), 1, "{text}");
    let lines = cluster.summary.lines().join("\n");
    let told = "default/web 3.5s (median of 2), beside the pull of its image 20s (median of 1)";
    assert!(lines.contains(told), "{lines}");
    assert!(!lines.contains("nodeStatusMaxImages"), "{lines}");
    // Whatever is always pulled is so in the run; of a node with 50 images it is said that there may be more.
    let all = pods().into_iter().chain(events).collect();
    let (cluster, text) = imported(all, 50, "Always");
    let part =
        r#"image: (name: "shop/web:2", pull: "20s", size: "52428800", imagePullPolicy: Always)"#;
    assert_eq!(text.matches(part).count(), 2, "{text}");
    let lines = cluster.summary.lines().join("\n");
    assert!(lines.contains("1 node lists 50 images or more"), "{lines}");
}

/// Of web-0 the image was loaded for 20 s, and web-1 and web-2, whose turn came after it, were told in half a second that it is there:
/// a cold node takes 20 s.
#[test]
fn a_look_at_what_is_there_is_no_load() {
    let said = |span| format!("Successfully pulled image \"{IMAGE}\" in {span}");
    let (long, short) =
        (said("20s (20s including waiting)"), said("500ms (20.5s including waiting)"));
    let pods = [pod(0, 24), pod(1, 24), pod(2, 24)];
    let events = [pulled(0, &long), pulled(1, &short), pulled(2, &short)];
    let (cluster, text) = imported(pods.into_iter().chain(events).collect(), 3, "");
    assert_eq!(text.matches(r#"pull: "20s", check: "0.5s""#).count(), 2, "{text}");
    let lines = cluster.summary.lines().join("\n");
    let told = "the pull of its image 20s (median of 1), and 0.5s where it was there already";
    assert!(lines.contains(told), "{lines}");
}

/// Where nothing is known of pulls, or only that nodes had the image, starts are what they were: 34 s, the median of all.
#[test]
fn where_no_pull_is_known_nothing_changes() {
    let present = format!("Container image \"{IMAGE}\" already present on machine");
    for events in [vec![], vec![pulled(1, &present)]] {
        let pods = vec![pod(0, 34), pod(1, 3), pod(2, 50)];
        let (_, text) = imported(pods.into_iter().chain(events).collect(), 50, "");
        assert_eq!(text.matches(r#"pod_start: "34s""#).count(), 2, "{text}");
        assert!(!text.contains("image"), "{text}");
    }
}

/// Twenty starts of 1 to 20 s are drawn among, as they are, though of one it is known what its pull took.
#[test]
fn many_starts_are_not_given_up_for_one_pull() {
    let long = format!("Successfully pulled image \"{IMAGE}\" in 10s (10s including waiting)");
    let pods = |n: u32| (1..=n).map(|i| pod(i as usize, i));
    let (_, text) = imported(pods(20).chain([pulled(12, &long)]).collect(), 3, "");
    assert!(text.contains("pod_start: Values(["), "{text}");
    assert!(!text.contains("pull:"), "{text}");
    // Of one less a median would be told, too: 2 s, of the 12 without the pull.
    let (_, text) = imported(pods(19).chain([pulled(12, &long)]).collect(), 3, "");
    assert!(text.contains(r#"pod_start: "2s""#), "{text}");
}
