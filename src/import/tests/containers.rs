//! Pods of several containers in an export: init containers, probes each of its container, and images each of its own.

use super::written;
use crate::import::ImportedCluster;
use serde_json::{Value, json};

/// A StatefulSet whose pod has this spec; the pod was scheduled at 10:00:00 and Ready so many seconds later, with this status.
fn imported(
    spec: &Value,
    ready: u32,
    status: &Value,
    events: &[Value],
) -> (ImportedCluster, String) {
    imported_of(spec, spec, ready, status, events)
}

/// The same of a template of its own.
fn imported_of(
    template: &Value,
    spec: &Value,
    ready: u32,
    status: &Value,
    events: &[Value],
) -> (ImportedCluster, String) {
    let at = |second: u32| format!("2026-11-20T10:00:{second:02}Z");
    let condition = |kind: &str, second: u32| json!({"type": kind, "status": "True", "lastTransitionTime": at(second)});
    let mut of_pod = status.clone();
    of_pod["phase"] = "Running".into();
    of_pod["conditions"] = json!([condition("PodScheduled", 0), condition("Ready", ready)]);
    let mut bound = spec.clone();
    bound["nodeName"] = "n".into();
    let owner =
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": true});
    let mut all = vec![
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
            "status": {"images": [{"names": ["proxy:1"], "sizeBytes": 1024}]}}),
        json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
            "replicas": 1, "selector": {"matchLabels": {"app": "db"}},
            "template": {"metadata": {"labels": {"app": "db"}}, "spec": template}}}),
        json!({"apiVersion": "v1", "kind": "Pod", "spec": bound, "status": of_pod,
            "metadata": {"name": "db-0", "labels": {"app": "db"}, "ownerReferences": [owner]}}),
    ];
    all.extend_from_slice(events);
    written(all)
}

/// A status of an init container that ran between two seconds.
fn ended(from: u32, to: u32) -> Value {
    json!({"restartCount": 0, "state": {"terminated": {"exitCode": 0, "reason": "Completed",
        "startedAt": format!("2026-11-20T10:00:{from:02}Z"), "finishedAt": format!("2026-11-20T10:00:{to:02}Z")}}})
}

/// An event about the pod, so many seconds after ten.
fn event(n: u32, second: u32, reason: &str, message: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": format!("db-0.{n}")}, "reason": reason, "message": message,
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "db-0"}, "lastTimestamp": format!("2026-11-20T10:00:{second:02}Z")})
}

/// What a kubelet says of a pull that took so many seconds.
fn pulled(image: &str, took: u32) -> String {
    format!("Successfully pulled image \"{image}\" in {took}s ({took}s including waiting)")
}

/// Of 20 s the first took 5 and the second 7, and until a kubelet has listed their ends half a second passes after each, so that 7 are
/// the start's; where a status is missing, all 20 are. A sidecar never
/// ends.
#[test]
fn init_containers_take_what_their_statuses_say() {
    let spec = json!({
        "initContainers": [{"name": "migrate"}, {"name": "mesh", "restartPolicy": "Always"}, {"name": "wait"}],
        "containers": [{"name": "db"}],
    });
    let running =
        json!({"restartCount": 0, "state": {"running": {"startedAt": "2026-11-20T10:00:09Z"}}});
    let status = json!({"containerStatuses": [{"restartCount": 0}],
        "initContainerStatuses": [ended(3, 8), running, ended(10, 17)]});
    let (cluster, text) = imported(&spec, 20, &status, &[]);
    // Of the template and of the pod.
    for part in [
        r#"pod_start: "7s""#,
        r#"(name: "migrate", ends: (after: "5s"))"#,
        r#"(name: "wait", ends: (after: "7s"))"#,
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    assert!(!text.contains("mesh"), "{text}");
    let said = cluster.summary.lines().join("\n");
    let told = "default/db 7s (median of 1), after its init containers migrate 5s (median of 1), wait 7s (median of 1)";
    assert!(said.contains(told), "{said}");
    let (_, text) = imported(&spec, 20, &json!({"containerStatuses": [{"restartCount": 0}]}), &[]);
    assert!(text.contains(r#"pod_start: "20s""#) && !text.contains("migrate"), "{text}");
}

/// Both ran after 4 s, and the pod was Ready 20 s later: the main container, which is the first where several are probed, served
/// 15 s after its start. Of two containers of which only the second is probed that is the main one.
#[test]
fn probes_are_those_of_their_containers() {
    let ran =
        json!({"restartCount": 0, "state": {"running": {"startedAt": "2026-11-20T10:00:04Z"}}});
    let status = json!({"containerStatuses": [ran, ran]});
    let spec = json!({"containers": [
        {"name": "db", "readinessProbe": {"periodSeconds": 10}},
        {"name": "main", "readinessProbe": {"periodSeconds": 3}, "livenessProbe": {"periodSeconds": 7}},
    ]});
    let (_, text) = imported(&spec, 24, &status, &[]);
    for part in [
        r#"pod_start: "4s""#,
        r#"serves_after: "15s""#,
        "readinessProbe: ()",
        r#"(name: "main-1", readinessProbe: (periodSeconds: 3), livenessProbe: (periodSeconds: 7))"#,
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    let second = json!({"containers": [
        {"name": "proxy"}, {"name": "db", "readinessProbe": {"periodSeconds": 10}},
    ]});
    let (_, text) = imported(&second, 24, &status, &[]);
    assert_eq!(text.matches("readinessProbe: ()").count(), 2, "{text}");
    assert!(!text.contains("containers: ["), "{text}");
    // One that only a sidecar has: this is what the pod waits for.
    let sidecar = json!({
        "initContainers": [{"name": "mesh", "restartPolicy": "Always", "readinessProbe": {}}],
        "containers": [{"name": "db"}, {"name": "log"}],
    });
    let (_, text) = imported(&sidecar, 24, &status, &[]);
    let part = r#"(name: "mesh", readinessProbe: (), serves_after: "15s", restartPolicy: Always)"#;
    assert_eq!(text.matches(part).count(), 2, "{text}");
    // Where nobody knows when containers ran, all probes are a part of the start.
    let (_, text) = imported(&spec, 24, &json!({"containerStatuses": [{}, {}]}), &[]);
    assert!(text.contains(r#"pod_start: "24s""#) && !text.contains("readinessProbe"), "{text}");
    let liveness = r#"(name: "main-1", livenessProbe: (periodSeconds: 7))"#;
    assert_eq!(text.matches(liveness).count(), 2, "{text}");
}

/// One that starts 10 s after the probed one has no part in when that one serves: Ready after 24 s, which ran after 4, less half
/// a period of 10 s. Statuses stand in the order of their names (`SortedContainerStatuses`). Of pulls those are taken off the
/// start that came before.
#[test]
fn a_container_serves_so_long_after_its_own_start() {
    let spec = json!({"containers": [
        {"name": "db", "image": "db:2", "readinessProbe": {"periodSeconds": 10}}, {"name": "a-log", "image": "log:1"},
    ]});
    let running = |name: &str, second: u32| {
        json!({"name": name, "restartCount": 0,
        "state": {"running": {"startedAt": format!("2026-11-20T10:00:{second:02}Z")}}})
    };
    let status = json!({"containerStatuses": [running("a-log", 14), running("db", 4)]});
    let (_, text) = imported(&spec, 24, &status, &[]);
    for part in [r#"pod_start: "4s""#, r#"serves_after: "15s""#] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    let events = [
        event(1, 0, "Scheduled", ""),
        event(2, 4, "Pulled", &pulled("db:2", 3)),
        event(3, 4, "Started", ""),
        event(4, 14, "Pulled", &pulled("log:1", 10)),
        event(5, 14, "Started", ""),
    ];
    let (_, text) = imported(&spec, 24, &status, &events);
    for part in [r#"pod_start: "1s""#, r#"serves_after: "15s""#] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
}

/// Pulls of 10 s and 5 s of the 18 s up to Ready: 3 s are the start's. The third container had its image, of which no more is
/// known.
#[test]
fn each_container_pulls_its_image() {
    let spec = json!({"containers": [
        {"name": "db", "image": "db:2"}, {"name": "proxy", "image": "proxy:1"}, {"name": "log", "image": "log:1"},
    ]});
    let events = [
        event(1, 0, "Scheduled", ""),
        event(2, 10, "Pulled", &pulled("db:2", 10)),
        event(3, 11, "Started", ""),
        event(4, 16, "Pulled", &pulled("proxy:1", 5)),
        event(5, 17, "Started", ""),
        event(6, 18, "Pulled", "Container image \"log:1\" already present on machine"),
    ];
    let status = json!({"containerStatuses": [{"restartCount": 0}, {"restartCount": 0}, {"restartCount": 0}]});
    let (cluster, text) = imported(&spec, 18, &status, &events);
    for part in [
        r#"pod_start: "3s""#,
        r#"image: (name: "db:2", pull: "10s")"#,
        r#"(name: "proxy", image: (name: "proxy:1", pull: "5s", size: "1024"))"#,
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    assert!(!text.contains("log:1") && text.contains(r#"images: ["proxy:1"]"#), "{text}");
    let said = cluster.summary.lines().join("\n");
    let told = "default/db 3s (median of 1), beside the pulls of its images db:2 10s (median of 1), proxy:1 5s (median of 1)";
    assert!(said.contains(told), "{said}");
}

/// Ready after 59 s, with pulls of 15 s for the init container and 20 s for the main one. How long the former took is not known: it
/// is a part of the start with its pull, and only the latter's 20 s are taken off. Where it is known, 12 s, 59 - 12 - 35 = 12 are left, less the
/// half second in which its end is listed.
#[test]
fn an_init_container_of_unknown_length_is_a_part_of_the_start_with_its_pull() {
    let spec = json!({
        "initContainers": [{"name": "migrate", "image": "migrate:2"}],
        "containers": [{"name": "db", "image": "db:2"}],
    });
    let events = [
        event(1, 0, "Scheduled", ""),
        event(2, 16, "Pulled", &pulled("migrate:2", 15)),
        event(3, 16, "Started", ""),
        event(4, 50, "Pulled", &pulled("db:2", 20)),
        event(5, 50, "Started", ""),
    ];
    let mut status = json!({"containerStatuses": [{"restartCount": 0}]});
    let (cluster, text) = imported(&spec, 59, &status, &events);
    let part = r#"pod_start: "39s""#;
    assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    let said = cluster.summary.lines().join("\n");
    assert!(!text.contains("migrate") && !said.contains("migrate"), "{text}{said}");
    status["initContainerStatuses"] = json!([ended(16, 28)]);
    let (_, text) = imported(&spec, 59, &status, &events);
    for part in [
        r#"pod_start: "11.5s""#,
        r#"(name: "migrate", image: (name: "migrate:2", pull: "15s"), ends: (after: "12s"))"#,
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
}

/// A pod that was started again does not tell how long it took to start (`restartCount`), but what its init container took.
#[test]
fn a_start_that_nobody_saw_is_assumed_beside_init_containers() {
    let spec = json!({"initContainers": [{"name": "migrate"}], "containers": [{"name": "db"}]});
    let status =
        json!({"containerStatuses": [{"restartCount": 3}], "initContainerStatuses": [ended(3, 8)]});
    let (cluster, text) = imported(&spec, 20, &status, &[]);
    assert_eq!(text.matches(r#"(name: "migrate", ends: (after: "5s"))"#).count(), 2, "{text}");
    assert!(!text.contains("pod_start"), "{text}");
    let said = cluster.summary.lines().join("\n");
    for told in [
        "default/db only by its init containers migrate 5s (median of 1)",
        "assumed by a run, as the files lack it: pods' time to start and to stop, of 1 workload: default/db",
    ] {
        assert!(said.contains(told), "{said}");
    }
}

/// Containers that wait in CrashLoopBackOff go on, each on its own: a native sidecar whose last run took 30 s, one beside the main
/// one of 4 s, and an init container of 10 s in place of the time that one takes that ends well.
#[test]
fn a_crash_loop_is_that_of_the_container_that_loops() {
    let spec = json!({
        "initContainers": [{"name": "migrate"}, {"name": "mesh", "restartPolicy": "Always"}],
        "containers": [{"name": "db"}, {"name": "log"}],
    });
    let loops = |name: &str, from: u32, to: u32| {
        let mut last = ended(from, to);
        last["state"]["terminated"]["exitCode"] = 2.into();
        json!({"name": name, "restartCount": 7, "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": last["state"]})
    };
    let running = json!({"name": "db", "restartCount": 0, "state": {"running": {"startedAt": "2026-11-20T10:00:09Z"}}});
    let status = json!({"containerStatuses": [running, loops("log", 12, 16)],
        "initContainerStatuses": [ended(3, 8), loops("mesh", 10, 40)]});
    let (cluster, text) = imported(&spec, 20, &status, &[]);
    // Of the template, as all its pods loop, and of the pod.
    for part in [
        r#"(name: "migrate", ends: (after: "5s"))"#,
        r#"(name: "mesh", ends: (after: "30s", exit_code: 2), restartPolicy: Always)"#,
        r#"containers: [(name: "log", ends: (after: "4s", exit_code: 2))]"#,
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    assert_eq!(text.matches("ends:").count(), 6, "{text}");
    let said = cluster.summary.lines().join("\n");
    for told in [
        "default/db container mesh 30s (median of 1), exit code 2, container log 4s (median of 1), exit code 2",
        "default/db-0 (container mesh after 30s, exit code 2, container log after 4s, exit code 2)",
    ] {
        assert!(said.contains(told), "{said}");
    }
    let waits = json!({"name": "db", "restartCount": 0, "state": {"waiting": {"reason": "PodInitializing"}}});
    let status = json!({"containerStatuses": [waits], "initContainerStatuses": [loops("migrate", 10, 20), {"name": "mesh"}]});
    let (cluster, text) = imported(&spec, 20, &status, &[]);
    let part = r#"(name: "migrate", ends: (after: "10s", exit_code: 2))"#;
    assert_eq!(text.matches(part).count(), 2, "{text}");
    let said = cluster.summary.lines().join("\n");
    let told = "default/db-0 (container migrate after 10s, exit code 2)";
    assert!(said.contains(told), "{said}");
}

/// What was added to a pod comes to those that replace it, too: its requests, 500 + 100 millicores, and its probe. A container that
/// the template has and the pod lacks shows that the pod is of another template.
#[test]
fn containers_that_were_added_to_pods_are_taken_over() {
    let own =
        |name: &str, cpu: &str| json!({"name": name, "resources": {"requests": {"cpu": cpu}}});
    let mut proxy = own("proxy", "100m");
    proxy["readinessProbe"] = json!({"periodSeconds": 3});
    let mut db = own("db", "500m");
    db["readinessProbe"] = json!({});
    let (template, spec) = (json!({"containers": [db]}), json!({"containers": [proxy, db]}));
    let status = json!({"containerStatuses": [{"name": "db"}, {"name": "proxy"}]});
    let of_both =
        |text: &str, part: &str| assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    let (cluster, text) = imported_of(&template, &spec, 0, &status, &[]);
    of_both(&text, r#"requests: {"cpu": "600m"}"#);
    of_both(&text, r#"(name: "db", readinessProbe: ())"#);
    let said = cluster.summary.lines().join("\n");
    let told = "1 workload whose pods have containers that its template lacks, which those that replace them have, too: default/db";
    assert!(said.contains(told), "{said}");
    let (cluster, text) =
        imported_of(&json!({"containers": [own("web", "2")]}), &spec, 0, &status, &[]);
    assert!(text.contains(r#"requests: {"cpu": "2"}"#), "{text}");
    let said = cluster.summary.lines().join("\n");
    assert!(!said.contains("template lacks"), "{said}");
}

/// `migrate` runs from 10 to 30 s, `mesh` from 31 s on, and the main container from 41 s on, Ready at 55 s. A run takes half a
/// second until the end of the first is listed, and the main one waits for the other's startup probe for 10 s, of which half a period
/// of a second is the probe's: of 41 - 20 s 10.5 are left for the start, and the sum is what was seen. With a threshold of 3 it would be
/// killed after two seconds more than the first probe.
#[test]
fn what_passes_between_containers_is_no_part_of_the_start() {
    let flat = |text: String| text.split_whitespace().collect::<Vec<&str>>().join(" ");
    let spec = json!({
        "initContainers": [{"name": "migrate"},
            {"name": "mesh", "restartPolicy": "Always", "startupProbe": {"periodSeconds": 1, "failureThreshold": 30}}],
        "containers": [{"name": "db", "readinessProbe": {"periodSeconds": 5}}],
    });
    let since = |second: u32| {
        json!({"restartCount": 0,
        "state": {"running": {"startedAt": format!("2026-11-20T10:00:{second:02}Z")}}})
    };
    let status = json!({"containerStatuses": [since(41)], "initContainerStatuses": [ended(10, 30), since(31)]});
    let (cluster, text) = imported(&spec, 55, &status, &[]);
    let text = flat(text);
    for part in [
        r#"pod_start: "10.5s""#,
        r#"serves_after: "11.5s""#,
        r#"name: "mesh", startupProbe: (periodSeconds: 1, failureThreshold: 30), serves_after: "9.5s", restartPolicy: Always"#,
    ] {
        assert_eq!(text.matches(part).count(), 2, "{part}: {text}");
    }
    // Until Ready: 55 - 20 - 10.5.
    let said = cluster.summary.lines().join("\n");
    assert!(said.contains("default/db 24.5s (median of 1), with its probe"), "{said}");
    // Its first probe finds that `mesh` has started, after a second and half a period: what is less than that is not known.
    let status = json!({"containerStatuses": [since(32)], "initContainerStatuses": [ended(10, 30), since(31)]});
    let text = flat(imported(&spec, 55, &status, &[]).1);
    let part = r#"name: "mesh", startupProbe: (periodSeconds: 1, failureThreshold: 30), restartPolicy: Always"#;
    assert_eq!(text.matches(part).count(), 2, "{text}");
    let status = json!({"containerStatuses": [since(41)], "initContainerStatuses": [ended(10, 30), since(31)]});
    let strict = json!({"initContainers": [{"name": "migrate"},
        {"name": "mesh", "restartPolicy": "Always", "startupProbe": {"periodSeconds": 1}}],
        "containers": [{"name": "db", "readinessProbe": {"periodSeconds": 5}}]});
    let text = flat(imported(&strict, 55, &status, &[]).1);
    let part = r#"name: "mesh", startupProbe: (periodSeconds: 1), restartPolicy: Always"#;
    assert_eq!(text.matches(part).count(), 2, "{text}");
}

/// At 10:00:20 the disk has been there for 15 s, and `migrate` has run for 14: it goes on from there. Where nothing is known of how
/// long init containers take, these 20 s since the binding are of the start, and where the main container waits for its start and
/// those before it are done, it is its turn.
#[test]
fn a_start_goes_on_from_where_it_is() {
    let at = |second: u32| format!("2026-11-20T10:00:{second:02}Z");
    let pod = |name: &str, inits: Value| {
        let condition = |kind: &str, second: u32| json!({"type": kind, "status": "True", "lastTransitionTime": at(second)});
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": "db"},
                "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": true}]},
            "spec": {"nodeName": "n", "containers": [{"name": "db"}], "initContainers": [{"name": "migrate"}]},
            "status": {"phase": "Pending", "initContainerStatuses": inits,
                "containerStatuses": [{"restartCount": 0, "state": {"waiting": {"reason": "PodInitializing"}}}],
                "conditions": [condition("PodScheduled", 0), condition("PodReadyToStartContainers", 5)]}})
    };
    let running =
        json!([{"name": "migrate", "restartCount": 0, "state": {"running": {"startedAt": at(6)}}}]);
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {
        "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": at(20), "lastTransitionTime": at(0)}]}});
    let set = json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"}, "spec": {
        "replicas": 2, "selector": {"matchLabels": {"app": "db"}}, "template": {"metadata": {"labels": {"app": "db"}},
            "spec": {"containers": [{"name": "db"}], "initContainers": [{"name": "migrate"}]}}}});
    let of = |pods: &[Value]| written([&[node.clone(), set.clone()], pods].concat()).1;
    let text = of(&[pod("db-0", running.clone())]);
    assert!(text.contains(r#"start: Starting(waited: "20s")"#), "{text}");
    let text = of(&[pod("db-0", running), pod("db-1", json!([ended(6, 13)]))]);
    assert!(text.contains(r#"start: Starting(turn: "migrate", ran: "14s")"#), "{text}");
    assert!(text.contains(r#"start: Starting(turn: "main")"#), "{text}");
    let waits = json!([{"name": "migrate", "restartCount": 0, "state": {"waiting": {"reason": "ImagePullBackOff"}}}]);
    let text = of(&[pod("db-0", waits)]);
    assert!(text.contains("start: Pending"), "{text}");
}
