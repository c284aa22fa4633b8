//! `pkg/controller/podgc/gc_controller_test.go`.

use super::{done_by, plan, ron};
use taintsim::api::meta::Timestamp;
use taintsim::api::pod::{Deletion, PodPhase};
use taintsim::plan::PodStart;

/// `TestGCOrphaned`. Passes are 20 s and a microsecond apart, from 0 s on. The nodes vanish at 65
/// s, the pass at 80 s puts their names into quarantine until 120 s, and the pass at 120 s is the
/// first to find them due. A node that is back by then keeps its pod; a pod on a node that never
/// was there goes at 40 s.
#[test]
fn orphans_go_after_their_quarantine() {
    let scenario = r#""horizon": "200s", "controllers": ["node-lifecycle", "taint-eviction", "pod-gc"],
        "nodes": [{"name": "stays"}, {"name": "gone"}, {"name": "back"}],
        "pods": [{"name": "a", "node": "stays"}, {"name": "b", "node": "gone"}, {"name": "c", "node": "back"}, {"name": "d", "node": "never"}],
        "actions": [{"at": "65s", "do": "delete-node", "nodes": ["gone", "back"]},
                    {"at": "119s", "do": "create-node", "spec": {"name": "back"}}]"#;
    let ends = |ms: u32, pod: &str| {
        [
            format!("{ms} pod-condition default/{pod} DisruptionTarget True DeletionByPodGC"),
            format!("{ms} pod-gone default/{pod}"),
            format!("{ms} pod-phase default/{pod} Failed"),
        ]
    };
    assert_eq!(
        done_by("pod-gc", &plan("v1.34.4", scenario)),
        [ends(40_000, "d"), ends(120_000, "b")].concat()
    );
    // Up to 1.24 pods are deleted without a word.
    assert_eq!(
        done_by("pod-gc", &plan("v1.24.17", scenario)),
        ["40000 pod-gone default/d", "120000 pod-gone default/b"]
    );
}

/// `TestTerminatingOnOutOfServiceNode`, `TestGCTerminating`: not ready, out of service and being
/// deleted, or none of it. The pods are deleted at 150 s; the first pass after that is at 160 s.
#[test]
fn out_of_service_takes_all_three() {
    let scenario = r#""horizon": "300s", "controllers": ["node-lifecycle", "taint-eviction", "pod-gc"], "kubelet": {"stop": "200s"},
        "nodes": [{"name": "dead-out", "silent": true, "taints": ["node.kubernetes.io/out-of-service=x:NoSchedule"]},
                  {"name": "dead", "silent": true},
                  {"name": "ready-out", "taints": ["node.kubernetes.io/out-of-service=x:NoSchedule"]}],
        "pods": [{"name": "all-three", "node": "dead-out", "tolerations": [{"operator": "Exists"}]},
                 {"name": "not-deleted", "node": "dead-out", "tolerations": [{"operator": "Exists"}]},
                 {"name": "no-taint", "node": "dead", "tolerations": [{"operator": "Exists"}]},
                 {"name": "ready", "node": "ready-out"}],
        "actions": [{"at": "150s", "do": "delete-pod", "pod": "all-three"}, {"at": "150s", "do": "delete-pod", "pod": "no-taint"},
                    {"at": "150s", "do": "delete-pod", "pod": "ready"}]"#;
    let expected =
        ["160000 pod-gone default/all-three", "160000 pod-phase default/all-three Failed"];
    assert_eq!(done_by("pod-gc", &plan("v1.34.4", scenario)), expected);
    // The gate NodeOutOfServiceVolumeDetach is off before 1.26.
    assert!(done_by("pod-gc", &plan("v1.24.17", scenario)).is_empty());
}

/// `TestGCUnscheduledTerminating`: a pod that is being deleted goes if it has no node, and stays if
/// it has one.
#[test]
fn unscheduled_terminating_pods_go() {
    let mut plan = plan(
        "v1.34.4",
        r#""horizon": "30s", "controllers": ["node-lifecycle", "taint-eviction", "pod-gc"], "kubelet": {"stop": "100s"},
           "nodes": [{"name": "n"}], "pods": [{"name": "unbound"}, {"name": "bound", "node": "n"}]"#,
    );
    for pod in &mut plan.pods {
        let deletion = Some(Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 });
        pod.start = PodStart::Imported {
            phase: PodPhase::Pending,
            ready: None,
            disruption_target: None,
            deletion,
        };
    }
    assert_eq!(
        done_by("pod-gc", &plan),
        ["0 pod-gone default/unbound", "0 pod-phase default/unbound Failed"]
    );
}

/// `TestGCTerminated`: of three terminated pods with a threshold of one, the two oldest go, of
/// equal age the first by name.
#[test]
fn terminated_pods_over_the_threshold_go_oldest_first() {
    let mut plan = plan(
        "v1.34.4",
        r#""horizon": "30s", "controllers": ["node-lifecycle", "taint-eviction", "pod-gc"],
           "nodes": [{"name": "n"}], "pods": [{"name": "c", "node": "n"}, {"name": "a", "node": "n"}, {"name": "b", "node": "n"},
           {"name": "0-runs", "node": "n"}]"#,
    );
    plan.flags.terminated_pod_gc_threshold = 1;
    for pod in &mut plan.pods[..3] {
        pod.start = PodStart::Imported {
            phase: PodPhase::Succeeded,
            ready: None,
            disruption_target: None,
            deletion: None,
        };
    }
    assert_eq!(done_by("pod-gc", &plan), ["0 pod-gone default/a", "0 pod-gone default/b"]);
    plan.flags.terminated_pod_gc_threshold = 0;
    assert!(done_by("pod-gc", &plan).is_empty(), "zero is no limit");
}

/// `TestGCTerminated`, "4 pods, 3 terminated, 1 evicted": from 1.27 on the evicted pod goes, though one that has ended by itself is as
/// old and comes first by its name. Of 8,192 MiB `leaky` has 7,190 and 10 a second, the node's own 500 beside: less than 100 MiB are
/// left from 40.2 s on, and none from 50.2 s on. Its kubelet looks every 10 s, and the pass at 60 s finds two where one may lie about.
#[test]
fn evicted_pods_go_before_others() {
    for (release, goes) in [("1.26", "done"), ("1.27", "leaky"), ("1.37", "leaky")] {
        let plan = ron(
            release,
            r#"horizon: "4m", flags: (kube-controller-manager: {"terminated-pod-gc-threshold": 1}),
               nodes: [(names: "n-{0..1}", capacity: {"memory": "8Gi"}, usage: {"memory": "500Mi"})],
               pods: [(name: "done", on: Node("n-0"), restartPolicy: Never, ends: (after: "10s")),
                   (name: "leaky", on: Node("n-1"), restartPolicy: Never, requests: {"memory": "1Gi"}, usage: {"memory": "7190Mi + 10Mi/s"})]"#,
        );
        let done = done_by("pod-gc", &plan);
        let gone: Vec<_> = done.iter().filter(|l| l.contains("pod-gone")).collect();
        assert_eq!(gone, [&format!("60000 pod-gone default/{goes}")], "{release}");
    }
}
