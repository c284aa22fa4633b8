//! `pkg/controller/daemon/daemon_controller_test.go`, `test/integration/daemonset`.
//!
//! Pods are pinned to the node by the template, so that no scheduler is needed, except where one
//! is.

use super::{done_by, plan};
use taintsim::api::meta::{OwnerReference, Timestamp};
use taintsim::api::pod::{Deletion, PodPhase};
use taintsim::plan::{Plan, PodStart};

/// A DaemonSet `agent` on the node `n`.
fn agent(release: &str, node: &str, template: &str, actions: &str) -> Plan {
    plan(
        release,
        &format!(
            r#""horizon": "200s", "controllers": ["node-lifecycle", "taint-eviction", "daemonset"], "nodes": [{{"name": "n"{node}}}],
               "workloads": [{{"kind": "DaemonSet", "name": "agent", "template": {{"node": "n"{template}}}}}], "actions": [{actions}]"#
        ),
    )
}

fn writes(plan: &Plan) -> Vec<String> {
    done_by("daemonset", plan).into_iter().filter(|l| !l.contains(" event ")).collect()
}

const CREATED: &str = "0 pod-created default/agent-#1 n";

/// `TestNoExecuteTaintedDoesEvicitRunningIntolerantPod`: one deletion and no creation while the
/// taint is there. The taint manager deletes the pod in the same instant, and either may come
/// first; once the taint is gone there is a pod again, for the old one went a second after its
/// deletion.
#[test]
fn a_no_execute_taint_drives_the_pod_out() {
    let plan = agent(
        "v1.34.4",
        "",
        r#", "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 500}]"#,
        r#"{"at": "50s", "do": "taint", "node": "n", "taint": "k:NoExecute"}, {"at": "100s", "do": "taint", "node": "n", "taint": "j:NoSchedule"},
           {"at": "150s", "do": "untaint", "node": "n", "taint": "k"}"#,
    );
    assert_eq!(
        writes(&plan),
        [CREATED],
        "it tolerates the one for 500 s, and stays in spite of the other"
    );
    let plan = agent(
        "v1.34.4",
        "",
        "",
        r#"{"at": "50s", "do": "taint", "node": "n", "taint": "k:NoExecute"}, {"at": "150s", "do": "untaint", "node": "n", "taint": "k"}"#,
    );
    let all: Vec<String> =
        done_by("daemonset", &plan).into_iter().chain(done_by("taint-eviction", &plan)).collect();
    let deletions = all.iter().filter(|l| l.contains("pod-deleting")).count();
    assert_eq!(
        (deletions, all.iter().filter(|l| l.contains("pod-created")).count()),
        (1, 2),
        "{all:?}"
    );
    assert!(all.contains(&"150000 pod-created default/agent-#2 n".to_owned()), "{all:?}");
}

/// `TestNoScheduleTaintedDoesntEvicitRunningIntolerantPod`,
/// `TestTaintedNodeDaemonDoesNotLaunchIntolerantPod`.
#[test]
fn a_no_schedule_taint_keeps_new_pods_away_and_old_ones_alone() {
    let taint = r#"{"at": "50s", "do": "taint", "node": "n", "taint": "k:NoSchedule"}"#;
    assert_eq!(writes(&agent("v1.34.4", "", "", taint)), [CREATED]);
    let tainted = r#", "taints": ["k:NoSchedule"]"#;
    assert!(writes(&agent("v1.34.4", tainted, "", "")).is_empty());
    let tolerates = r#", "tolerations": [{"key": "k", "operator": "Exists"}]"#;
    assert_eq!(writes(&agent("v1.34.4", tainted, tolerates, "")), [CREATED]);
    let freed = r#"{"at": "50s", "do": "untaint", "node": "n", "taint": "k"}"#;
    for release in ["v1.18.20", "v1.34.4"] {
        assert_eq!(
            writes(&agent(release, tainted, "", freed)),
            ["50000 pod-created default/agent-#1 n"],
            "{release}"
        );
    }
}

/// `TestNotReadyNodeDaemonLaunchesPod`, `TestUnreachableNodeDaemonLaunchesPod`,
/// `TestUnschedulableNodeDaemonDoesLaunchPod`, and the taints of memory, disk and process pressure.
#[test]
fn daemon_pods_tolerate_what_befalls_nodes() {
    for taint in [
        "not-ready:NoExecute",
        "unreachable:NoExecute",
        "memory-pressure:NoSchedule",
        "disk-pressure:NoSchedule",
        "pid-pressure:NoSchedule",
    ] {
        // The node lifecycle controller takes the taint of a healthy node away; what matters is the
        // pod of the first instant.
        let tainted = format!(r#", "taints": ["node.kubernetes.io/{taint}"]"#);
        assert_eq!(writes(&agent("v1.34.4", &tainted, "", "")), [CREATED], "{taint}");
    }
    assert_eq!(writes(&agent("v1.34.4", r#", "unschedulable": true"#, "", "")), [CREATED]);
    // A node that is not ready has a NoSchedule taint as well, which is not tolerated: a pod comes
    // once it is ready again.
    let actions = r#"{"at": "10s", "do": "condition", "node": "n", "type": "Ready", "status": "False"},
        {"at": "20s", "do": "label-node", "node": "n", "labels": {"x": "y"}},
        {"at": "50s", "do": "condition", "node": "n", "type": "Ready", "status": "True"}"#;
    let plan = agent("v1.34.4", "", r#", "nodeSelector": {"x": "y"}"#, actions);
    assert_eq!(writes(&plan), ["50000 pod-created default/agent-#1 n"]);
}

/// Makes pods of the DaemonSet that are there from the start.
fn with_pods(release: &str, horizon: &str, pods: &[(&str, PodPhase, bool)]) -> Plan {
    let listed: Vec<String> =
        pods.iter().map(|(name, ..)| format!(r#"{{"name": "{name}", "node": "n"}}"#)).collect();
    let mut plan = plan(
        release,
        &format!(
            r#""horizon": "{horizon}", "controllers": ["node-lifecycle", "taint-eviction", "daemonset"], "kubelet": {{"stop": "600s"}},
               "nodes": [{{"name": "n"}}], "pods": [{}],
               "workloads": [{{"kind": "DaemonSet", "name": "agent", "template": {{"node": "n"}}}}]"#,
            listed.join(",")
        ),
    );
    for template in &mut plan.templates {
        template.owner = Some(OwnerReference {
            kind: "DaemonSet".to_owned(),
            name: "agent".to_owned(),
            object: None,
        });
    }
    for (pod, (_, phase, deleting)) in plan.pods.iter_mut().zip(pods) {
        let deletion =
            deleting.then_some(Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 });
        pod.start =
            PodStart::Imported { phase: *phase, ready: None, disruption_target: None, deletion };
    }
    plan
}

/// `TestDaemonSetRespectsTermination`: a pod that is being deleted holds its node.
#[test]
fn a_terminating_pod_holds_its_node() {
    assert!(writes(&with_pods("v1.34.4", "20s", &[("old", PodPhase::Running, true)])).is_empty());
}

/// `TestSimpleDaemonSetLaunchesPods` and its kin: of several pods on a node the oldest stays; of
/// equal age the first by name.
#[test]
fn all_but_the_oldest_go() {
    let pods = [
        ("b", PodPhase::Running, false),
        ("a", PodPhase::Running, false),
        ("c", PodPhase::Running, false),
    ];
    let expected = ["0 pod-deleting default/b grace 30", "0 pod-deleting default/c grace 30"];
    assert_eq!(writes(&with_pods("v1.34.4", "20s", &pods)), expected);
}

/// `TestDaemonKillFailedPodsBackoff`: the first failed pod of a node is deleted at once, with an
/// event. The next one is left alone until a second is over. Of three that failed at once the
/// second goes at once all the same: the status has told of the generation by then, and the
/// back-off is one of that generation. The first sync has itself called again after a second, which
/// is some nanoseconds too early for the back-off that began with the second pod: the third goes
/// with the call after that, at +2 s, and frees the node.
#[test]
fn failed_pods_go_one_back_off_apart() {
    let pods = ["a", "b", "c"].map(|name| (name, PodPhase::Failed, false));
    let done = done_by("daemonset", &with_pods("v1.34.4", "20s", &pods));
    let of = |what: &str| done.iter().filter(|l| l.contains(what)).cloned().collect::<Vec<_>>();
    let found = |ms: u32, pod: &str| {
        let words = format!("Found failed daemon pod default/{pod} on node n, will try to kill it");
        format!("{ms} event DaemonSet/default/agent Warning FailedDaemonPod {words}")
    };
    assert_eq!(
        of("pod-gone"),
        ["0 pod-gone default/a", "0 pod-gone default/b", "2000 pod-gone default/c"]
    );
    assert_eq!(of("FailedDaemonPod"), [found(0, "a"), found(0, "b"), found(2000, "c")]);
    assert_eq!(of("pod-created"), ["2000 pod-created default/agent-#1 n"]);
}

/// A pod that Succeeded is replaced from 1.26.5 on, without back-off.
#[test]
fn succeeded_pods_are_replaced() {
    let pods = [("a", PodPhase::Succeeded, false)];
    assert_eq!(writes(&with_pods("v1.34.4", "20s", &pods)), [CREATED, "0 pod-gone default/a"]);
    assert!(writes(&with_pods("v1.24.17", "20s", &pods)).is_empty());
}

/// `TestUnschedulableNodeDaemonDoesLaunchPod` with the real way to a node: the pod is pinned by
/// affinity and bound by the scheduler, cordon or not. A node that joins gets its pod once the
/// taint it is registered with is gone; with a node selector only the nodes that carry the label
/// have one, and a node that loses it loses its pod.
#[test]
fn the_scheduler_binds_daemon_pods_to_their_nodes() {
    let plan = plan(
        "v1.34.4",
        r#""horizon": "100s", "controllers": ["node-lifecycle", "taint-eviction", "daemonset", "scheduler"],
           "nodes": [{"name": "a", "unschedulable": true, "labels": {"x": "y"}}, {"name": "b"}, {"name": "c", "labels": {"x": "z"}}],
           "workloads": [{"kind": "DaemonSet", "name": "agent", "template": {"nodeSelector": {"x": "y"}}}],
           "actions": [{"at": "50s", "do": "label-node", "node": "b", "labels": {"x": "y"}},
                       {"at": "70s", "do": "label-node", "node": "a", "labels": {"x": null}}]"#,
    );
    let bound: Vec<String> =
        done_by("scheduler", &plan).into_iter().filter(|l| l.contains("pod-bound")).collect();
    assert_eq!(bound, ["0 pod-bound default/agent-#1 a", "50000 pod-bound default/agent-#2 b"]);
    assert_eq!(writes(&plan).last().unwrap(), "70000 pod-deleting default/agent-#1 grace 30");
}
