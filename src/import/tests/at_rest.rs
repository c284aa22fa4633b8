//! What an export shows to be as it is for a cause, and what a run makes of that.

use super::good;
use crate::api::meta::ConditionStatus;
use crate::api::pod::PodConditionType;
use crate::import::ImportedCluster;
use crate::kernel::Choices;
use crate::scenario::{Overrides, build, parse};
use crate::trace::{Note, Trace, What};
use serde_json::{Value, json};
use std::path::Path;

/// So many seconds from 12:00:00 on.
fn at(s: i64) -> String {
    chrono::DateTime::from_timestamp(1_795_176_000 + s, 0)
        .unwrap()
        .to_rfc3339()
        .replace("+00:00", "Z")
}

/// A Ready node whose lease was renewed then, in seconds.
fn node(name: &str, renewed: i64, taint: Option<i64>) -> [Value; 2] {
    let taint = taint.map(|t| json!({"key": "x", "effect": "NoSchedule", "timeAdded": at(t)}));
    let ready = json!({"type": "Ready", "status": "True", "lastHeartbeatTime": at(-200), "lastTransitionTime": at(-9000)});
    [
        json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "spec": {"taints": taint.into_iter().collect::<Vec<_>>()}, "status": {"conditions": [ready]}}),
        json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": "kube-node-lease"},
            "spec": {"renewTime": at(renewed)}}),
    ]
}

/// A pod that runs on node n.
fn pod(name: &str, meta: Value, status: Value) -> Value {
    let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"nodeName": "n"}, "status": status});
    pod["metadata"]["name"] = name.into();
    pod
}

fn imported(items: Vec<Value>) -> ImportedCluster {
    good(&Value::from(items).to_string())
}

/// The run of what was imported, as it is written, and the notes of its result.
fn run(cluster: &ImportedCluster) -> (Trace, String) {
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new("")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap();
    (crate::sim::run(&plan, Choices::seeded(1)), plan.notes.join("\n"))
}

/// When something happened, in seconds.
fn times(trace: &Trace, of: impl Fn(What) -> bool) -> Vec<f64> {
    trace.iter().filter(|r| of(r.what)).map(|r| r.at.as_secs_f64()).collect()
}

/// Leases of 12:00:01 to 12:00:04, and a taint that somebody wrote 45 s later, whose clock is not the controllers'.
#[test]
fn a_taint_of_a_clock_that_is_ahead_silences_nobody() {
    let nodes =
        [node("a", 1, None), node("b", 2, None), node("c", 3, None), node("n", 4, Some(49))];
    let cluster = imported(nodes.concat());
    assert_eq!(cluster.summary.time_zero.unwrap().to_rfc3339(), at(4));
    assert!(cluster.summary.cut_off.is_empty(), "{:?}", cluster.summary.cut_off);
    let (_, notes) = run(&cluster);
    assert!(notes.contains("a node's silence was written at 2026-11-20T12:00:49Z"), "{notes}");
}

/// Created 20 s ago: it is given up 60 s after that (`node-startup-grace-period`, `tryUpdateNodeHealth`), at a pass up to
/// 5 s later.
#[test]
fn a_node_that_never_posted_has_its_startup_grace_from_its_creation_on() {
    let mut items = node("n", 0, None).to_vec();
    items.push(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "new", "creationTimestamp": at(-20)}}));
    let (trace, _) = run(&imported(items));
    let first = times(&trace, |w| matches!(w, What::NodeCondition(..)))[0];
    assert!((40.0..=45.1).contains(&first), "{first}");
}

/// The one that is 2 h past its 30 s of grace and the one with a finalizer stay, and so does the one whose image has been
/// missing for a minute, while the one that was told to end 5 s ago ends.
#[test]
fn what_is_stuck_for_a_cause_stays_so() {
    let deleted = |s: i64, finalizer: &[&str]| json!({"deletionTimestamp": at(s + 30), "deletionGracePeriodSeconds": 30, "finalizers": finalizer});
    let running = json!({"phase": "Running"});
    let waits = json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": at(-60)}],
        "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]});
    let pods = [
        pod("held", deleted(-5, &["example.com/hold"]), running.clone()),
        pod("late", deleted(-7230, &[]), running.clone()),
        pod("going", deleted(-5, &[]), running),
        pod("pulls", json!({}), waits),
    ];
    let cluster = imported([&node("n", 0, None)[..], &pods].concat());
    assert_eq!(cluster.summary.stuck, ["default/held", "default/late", "default/pulls"]);
    let (trace, notes) = run(&cluster);
    assert_eq!(times(&trace, |w| w == What::PodGone).len(), 1);
    // Three run already; the fourth does not come to it.
    assert_eq!(times(&trace, |w| matches!(w, What::PodPhase(p) if !p.is_terminal())), [0.0; 3]);
    for note in [
        "with a finalizer stay so, as nobody takes it off (1: default/held).",
        "though their kubelets live, stay so (1: default/late).",
        "stay Pending (1: default/pulls).",
        "end as if they were told to at the start (1: default/going).",
    ] {
        assert!(notes.contains(note), "{note}:\n{notes}");
    }
}

/// A startup probe that may fail thirty times, ten seconds apart, has had a container killed after 300 s for the twelfth time; a
/// readiness probe has failed for an hour. One that began ten minutes ago and was never ready may be slow: it is with its first
/// probe, within 10 s.
#[test]
fn what_no_probe_finds_to_serve_goes_on_so() {
    let since = |kind: &str, status: &str, s: i64| json!({"type": kind, "status": status, "lastTransitionTime": at(s)});
    let probed = |name: &str, unready: i64, probes: Value, status: Value| {
        let conditions = json!([
            since("PodScheduled", "True", -7200),
            since("Ready", "False", unready),
            since("ContainersReady", "False", unready)
        ]);
        let mut pod = pod(
            name,
            json!({}),
            json!({"phase": "Running", "conditions": conditions, "containerStatuses": [status]}),
        );
        pod["spec"]["containers"] = json!([{"name": "app"}]);
        for (kind, probe) in probes.as_object().into_iter().flatten() {
            pod["spec"]["containers"][0][kind] = probe.clone();
        }
        pod
    };
    let runs = |s: i64, started: bool, restarts: u32| json!({"name": "app", "ready": false, "started": started, "restartCount": restarts, "state": {"running": {"startedAt": at(s)}}});
    let ready = json!({"readinessProbe": {"periodSeconds": 10, "failureThreshold": 3}});
    let start = json!({"startupProbe": {"periodSeconds": 10, "failureThreshold": 30}});
    let mut killed = runs(-100, false, 12);
    killed["lastState"] = json!({"terminated": {"exitCode": 137, "reason": "Error", "startedAt": at(-700), "finishedAt": at(-400)}});
    let pods = [
        probed("starts", -7200, start, killed),
        probed("unready", -3600, ready.clone(), runs(-7190, true, 0)),
        probed("slow", -605, ready, runs(-600, true, 0)),
    ];
    let cluster = imported([&node("n", 0, None)[..], &pods].concat());
    assert_eq!(cluster.summary.unserved, ["default/starts", "default/unready"]);
    assert!(cluster.summary.looping.is_empty(), "{:?}", cluster.summary.looping);
    let (trace, notes) = run(&cluster);
    let ready = PodConditionType::Ready;
    let is_ready =
        |w| matches!(w, What::PodCondition(kind, ConditionStatus::True, _) if kind == ready);
    let found = times(&trace, is_ready);
    assert!(found.len() == 1 && found[0] <= 10.1, "{found:?}");
    // Another thirty probes, and it is killed again.
    let ends = times(&trace, |w| matches!(w, What::Noted(Note::ContainerUnhealthy, _)));
    assert!(ends.iter().any(|at| *at >= 290.0), "{ends:?}");
    assert!(notes.contains("2 pods whose probes fail for long"), "{notes}");
}

/// Its scheduler is not here, so that nobody binds it.
#[test]
fn a_pod_of_another_scheduler_stays_pending() {
    let mut other = pod("other", json!({}), json!({"phase": "Pending"}));
    other["spec"] = json!({"schedulerName": "volcano"});
    let (trace, notes) = run(&imported([&node("n", 0, None)[..], &[other]].concat()));
    assert!(times(&trace, |w| matches!(w, What::PodBound(_))).is_empty());
    assert!(notes.contains("`schedulerName` of default/other names"), "{notes}");
}

/// Of nodes that are Ready one has no lease, as the others have, and one was silent for 404 s, when any controller that ran
/// would have given it up after 50 s and a pass: both are named beside the figures. One that was silent for 64 s may wait
/// for a pass that has much to write.
#[test]
fn nodes_that_contradict_the_rest_are_named() {
    let nodes = [("a", 1), ("b", 2), ("c", 4), ("late", -60), ("silent", -400)];
    let mut items = nodes.map(|(name, renewed)| node(name, renewed, None)).concat();
    items.extend(node("bare", 0, None).into_iter().take(1));
    let summary = imported(items).summary;
    assert_eq!(
        (&*summary.leaseless, &*summary.overdue),
        (&["bare".to_owned()][..], &["silent".to_owned()][..])
    );
    let (lines, notes) = (summary.lines().join("\n"), summary.notes());
    let line = "1 node without a lease in the files, as others have one, taken to be alive: bare";
    assert!(lines.contains(line), "{lines}");
    let note = "The export: 1 node silent for more than 5m and not Unknown yet (silent): a clock that is behind, or no node lifecycle controller that runs.";
    assert!(notes[0].starts_with(note), "{notes:?}");
    let note =
        "The export: no lease is in it of 1 node, unlike of others; taken to be alive: bare.";
    assert!(notes.iter().any(|n| n == note), "{notes:?}");
}

/// A status is posted every 300 s, the first up to half of that later: 450 s. Which of an older one is lost no lease tells here, and where
/// one is Unknown nobody has to be told.
#[test]
fn nodes_of_old_statuses_are_named_where_no_lease_tells() {
    let posted = [("a", 0), ("b", -120), ("edge", -450), ("old", -451), ("lost", -900)];
    let of = |(name, s): (&str, i64)| {
        let mut node = node(name, 0, None)[0].clone();
        let ready = &mut node["status"]["conditions"][0];
        ready["lastHeartbeatTime"] = at(s).into();
        ready["status"] = if name == "lost" { "Unknown" } else { "True" }.into();
        node
    };
    let summary = imported(posted.map(of).to_vec()).summary;
    assert_eq!(summary.unposted, ["old"]);
    let (lines, notes) = (summary.lines().join("\n"), summary.notes().join("\n"));
    let line = "1 node without a status for more than 7m30s and not Unknown, the lease taken to be renewed: old";
    assert!(lines.contains(line), "{lines}");
    assert!(notes.contains("(a kubelet posts one every 5m) are old: a node"), "{notes}");
    // With leases these tell.
    let with = posted.map(|p| [of(p), node(p.0, 0, None)[1].clone()]).concat();
    assert!(imported(with).summary.unposted.is_empty());
}
