//! `pkg/controller/replicaset/replica_set_test.go`, `pkg/controller/controller_utils_test.go`,
//! `test/integration/replicaset`.

use super::{done_by, imported, owned, plan, ron};
use std::collections::BTreeSet;
use taintsim::api::pod::PodPhase::{self, Failed, Pending, Running};
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::sim::run;
use taintsim::trace::{Actor, EventText, What};

const CONTROLLERS: &str = r#""controllers": ["node-lifecycle", "taint-eviction", "replicaset"]"#;

/// A ReplicaSet `web` and pods of it that are there from the start: their node, phase, whether they
/// are Ready and whether their deletion has begun. No kubelet touches them before 3 s.
fn with_pods(release: &str, replicas: i32, pods: &[(&str, &str, PodPhase, bool, bool)]) -> Plan {
    let listed: Vec<String> = pods
        .iter()
        .map(|(name, node, ..)| format!(r#"{{"name": "{name}", "node": "{node}"}}"#))
        .collect();
    let fields = format!(
        r#""horizon": "10s", {CONTROLLERS}, "kubelet": {{"start": "3s", "stop": "5s"}}, "nodes": [{{"name": "n"}}, {{"name": "m"}}], "pods": [{}],
           "workloads": [{{"kind": "ReplicaSet", "name": "web", "replicas": {replicas}, "template": {{"node": "n"}}}}]"#,
        listed.join(",")
    );
    let mut plan = plan(release, &fields);
    owned(&mut plan, "ReplicaSet", "web");
    for (pod, (_, _, phase, ready, deleting)) in plan.pods.iter_mut().zip(pods) {
        pod.start = imported(*phase, *ready, *deleting);
    }
    plan
}

/// What the controller did at the start, but for its words about it.
fn first_writes(plan: &Plan) -> Vec<String> {
    done_by("replicaset", plan)
        .into_iter()
        .filter(|l| l.starts_with("0 ") && !l.contains(" event "))
        .collect()
}

/// `TestDeletingAndFailedPods`: of two pods one is being deleted and one Failed; neither is active,
/// and so there are two new ones.
#[test]
fn deleting_and_failed_pods_do_not_count() {
    let pods = [("a", "n", Running, true, true), ("b", "n", Failed, false, false)];
    for release in ["v1.18.20", "v1.34.4", "v1.37.1"] {
        let created = ["0 pod-created default/web-#1 n", "0 pod-created default/web-#2 n"];
        assert_eq!(first_writes(&with_pods(release, 2, &pods)), created, "{release}");
    }
}

/// `TestTerminatingReplicas`: from 1.35 on the status tells how many pods are being deleted, so
/// that it is written once more, when such a pod is gone: nothing else changes then.
#[test]
fn terminating_pods_are_counted_in_the_status() {
    let requests = |release, counts: Option<bool>| {
        let mut plan = with_pods(release, 1, &[("a", "n", Running, true, true)]);
        plan.profile.workload.terminating_replicas =
            counts.unwrap_or(plan.profile.workload.terminating_replicas);
        run(&plan, Choices::default_order()).requests[&Actor::ReplicaSet]
            .last()
            .map_or(0, |(_, so_far)| *so_far)
    };
    assert_eq!(requests("v1.35.0", None), requests("v1.35.0", Some(false)) + 1);
    assert_eq!(requests("v1.34.4", None), requests("v1.34.4", Some(false)));
}

/// `TestSlowStartBatch`: ten pods are created in batches of 1, 2, 4 and 3, each of which waits for
/// the one before it. The controllers start at 100 ms; a request takes 3 ms there and 5 ms back.
#[test]
fn creations_start_slowly() {
    let plan = plan(
        "v1.34.4",
        &format!(
            r#""horizon": "500ms", "controllersStart": "100ms", {CONTROLLERS}, "api": {{"request": "3ms", "response": "5ms"}}, "nodes": [{{"name": "n"}}],
               "workloads": [{{"kind": "ReplicaSet", "name": "web", "replicas": 10, "template": {{"node": "n"}}}}]"#
        ),
    );
    let at: Vec<String> = done_by("replicaset", &plan)
        .into_iter()
        .filter(|l| l.contains("pod-created"))
        .map(|l| l[..3].to_owned())
        .collect();
    assert_eq!(at, ["103", "111", "111", "119", "119", "119", "119", "127", "127", "127"]);
}

/// `TestSlowStartBatch`, where all fail: there is one request, and no second batch. The namespace
/// refuses the pods; a sync that fails comes again after 5 ms, doubling each time, and once more at
/// once for the status that it wrote: at 0, 0, 5, 25, 65, 145, 305 and 625 ms of the first second.
#[test]
fn creations_that_fail_are_not_started_in_numbers() {
    let plan = ron(
        "1.34",
        r#"horizon: "999ms", nodes: [(name: "n")],
           flags: (kube-apiserver: { "enable-admission-plugins": "PodTolerationRestriction" }),
           namespaces: [(name: "default", tolerationsWhitelist: [(key: "other", operator: Exists)])],
           workloads: [ReplicaSet(name: "web", replicas: 10, template: (tolerations: [(key: "k", operator: Exists)]))]"#,
    );
    let trace = run(&plan, Choices::default_order());
    let failed = trace.iter().filter_map(|r| match r.what {
        What::WorkloadMessage(m) => Some(trace.messages[m as usize])
            .filter(|m| m.body.text == EventText::FailedCreate)
            .map(|m| m.count),
        _ => None,
    });
    assert_eq!(failed.max(), Some(8));
}

/// `TestGetPodsToDelete`: of pods one too many, the one on no node goes before one that is Pending,
/// that before one that is not Ready, and that before one that is.
#[test]
fn the_least_useful_pod_goes() {
    let goes = |pods: &[(&str, &str, PodPhase, bool, bool)]| {
        first_writes(&with_pods("v1.34.4", pods.len() as i32 - 1, pods))
    };
    let (ready, not_ready) =
        (("ready", "n", Running, true, false), ("not-ready", "n", Running, false, false));
    let (pending, unbound) =
        (("pending", "n", Pending, false, false), ("unbound", "", Pending, false, false));
    // What runs on no node needs no kubelet to end it.
    assert_eq!(goes(&[ready, not_ready, pending, unbound]), ["0 pod-gone default/unbound"]);
    assert_eq!(goes(&[ready, not_ready, pending]), ["0 pod-deleting default/pending grace 30"]);
    assert_eq!(goes(&[ready, not_ready]), ["0 pod-deleting default/not-ready grace 30"]);
}

/// `TestGetPodsToDelete`: of the pods of a Deployment one that shares its node goes before one that
/// has a node of its own. Of those of a ReplicaSet without a Deployment the first goes, as nothing
/// tells them apart.
#[test]
fn pods_that_share_a_node_go_first() {
    let goes = |kind: &str| {
        let workload =
            format!(r#"{kind}(name: "web", replicas: 3, placement: Nodes(["m", "n", "n"]))"#);
        let fields = format!(
            r#"horizon: "1m", nodes: [(names: ["n", "m"])], workloads: [{workload}],
               timeline: [(at: "10s", do: Scale(workload: "web", replicas: 2))]"#
        );
        let done = done_by("replicaset", &ron("1.34", &fields));
        let deleted: Vec<String> =
            done.into_iter().filter(|l| l.starts_with("10000 pod-deleting")).collect();
        assert_eq!(deleted.len(), 1, "{deleted:?}");
        deleted[0].contains("-0 ")
    };
    assert!(goes("ReplicaSet") && !goes("Deployment"));
}

/// Pods that have been Ready at 60 s for 60, 54, 49 and 44 s: all between 2^35 and 2^36 ns, so that their uids decide
/// (`TestSortingActivePodsWithRanks`: "pseudorandom"). They are drawn, and two of four go in each of six ways; not so where uids go
/// up, as in recordings, and where nothing is drawn: there the first two go.
#[test]
fn of_pods_of_about_one_age_any_goes() {
    let mut plan = ron(
        "1.34",
        r#"horizon: "62s", nodes: [(names: "n-{0..3}")], workloads: [ReplicaSet(name: "web", placement: Node("n-0"))],
           timeline: [(at: "5s", do: Scale(workload: "web", replicas: 2)), (at: "10s", do: Scale(workload: "web", replicas: 3)),
               (at: "15s", do: Scale(workload: "web", replicas: 4)), (at: "60s", do: Scale(workload: "web", replicas: 2))]"#,
    );
    let deleted = |plan: &Plan, choices| {
        let trace = run(plan, choices);
        let deleted = trace.iter().filter(|r| matches!(r.what, What::PodDeleting(_)));
        deleted.map(|r| r.object).collect::<BTreeSet<u32>>()
    };
    let first = deleted(&plan, Choices::default_order());
    let drawn = |plan: &Plan| -> BTreeSet<_> {
        (1..=80).map(|seed| deleted(plan, Choices::seeded(seed))).collect()
    };
    // One of the six is missing with odds of 6 (5/6)^80, about 3e-6.
    let all = drawn(&plan);
    assert!(all.len() == 6 && all.iter().all(|two| two.len() == 2), "{all:?}");
    plan.timing.numbered_uids = true;
    assert_eq!(drawn(&plan), [first].into());
}

/// Rule 7 of `ActivePodsWithRanks`: more restarts go first, though the pod is older. A container ends 5 s after each start, and is
/// started again after 0, 10, 20, 40, 80 and 160 s: that of 0 s at 5, 20, 45, 90 and 175 s, that of 121 s at 126, 141 and 166 s. At
/// 205 s both wait, with five restarts and three.
#[test]
fn the_pod_goes_that_was_restarted_most() {
    for release in ["1.18", "1.34", "1.37"] {
        let plan = ron(
            release,
            r#"horizon: "4m", nodes: [(name: "n-0"), (name: "n-1")],
               workloads: [ReplicaSet(name: "web", placement: Node("n-0"), template: (ends: (after: "5s", exit_code: 1)))],
               timeline: [(at: "2m", do: Scale(workload: "web", replicas: 2)), (at: "205s", do: Scale(workload: "web", replicas: 1))]"#,
        );
        let done = done_by("replicaset", &plan);
        let deleted: Vec<_> = done.iter().filter(|l| l.contains("pod-deleting")).collect();
        let first = |l: &str| l.starts_with("205000 pod-deleting default/web-0 ");
        assert!(deleted.len() == 1 && first(deleted[0]), "{release}: {deleted:?}");
    }
}

/// `TestPodDeletionCost`: of two pods the one that costs less goes; without the feature, or at
/// equal costs, the first of them, as nothing else tells them apart.
#[test]
fn cheap_pods_go_first() {
    let goes = |release: &str, flags: &str, costs: [i32; 2]| {
        let pods = ["a", "b"].into_iter().zip(costs).map(|(name, cost)| {
            format!(r#"(name: "{name}", on: Node("n"), labels: {{ "app": "web" }}, owner: (kind: "ReplicaSet", name: "web"), podDeletionCost: {cost})"#)
        });
        let fields = format!(
            r#"horizon: "1m", nodes: [(name: "n")], pods: [{}], workloads: [ReplicaSet(name: "web", replicas: 2)], {flags}
               timeline: [(at: "10s", do: Scale(workload: "web", replicas: 1))]"#,
            pods.collect::<Vec<_>>().join(", ")
        );
        let done = done_by("replicaset", &ron(release, &fields));
        done.into_iter()
            .filter_map(|l| Some(l.strip_prefix("10000 pod-deleting default/")?[..1].to_owned()))
            .collect::<String>()
    };
    assert_eq!(goes("1.34", "", [1000, 100]), "b");
    assert_eq!(goes("1.34", "", [-5, 0]), "a");
    assert_eq!(goes("1.34", "", [100, 100]), "a");
    assert_eq!(goes("1.34", r#"feature_gates: { "PodDeletionCost": false },"#, [1000, 100]), "a");
    assert_eq!(goes("1.21", "", [1000, 100]), "a");
}

/// `TestRSSyncExpectations`, `TestControllerBurstReplicas`: of 700 pods 500 are created by one
/// sync, and the rest when those have been seen: the watch takes 100 ms.
#[test]
fn no_second_wave_before_the_first_is_seen() {
    let plan = plan(
        "v1.34.4",
        &format!(
            r#""horizon": "900ms", {CONTROLLERS}, "api": {{"watch": "100ms"}}, "nodes": [{{"name": "n"}}],
               "workloads": [{{"kind": "ReplicaSet", "name": "web", "replicas": 700, "template": {{"node": "n"}}}}]"#
        ),
    );
    let done = done_by("replicaset", &plan);
    let waves = [0, 100]
        .map(|ms| done.iter().filter(|l| l.starts_with(&format!("{ms} pod-created"))).count());
    assert_eq!(
        (waves, done.iter().filter(|l| l.contains("pod-created")).count()),
        ([500, 200], 700)
    );
}

/// `TestReplicaSetAvailabilityCheck`: a pod that is Ready at 1 s is available 30 s later, and the
/// status is written then although nothing else happens.
#[test]
fn availability_comes_by_itself() {
    for release in ["1.24", "1.34"] {
        let plan = ron(
            release,
            r#"horizon: "60s", nodes: [(name: "n")], workloads: [ReplicaSet(name: "web", minReadySeconds: 30, template: (nodeName: "n"))]"#,
        );
        let seconds: Vec<u64> = run(&plan, Choices::default_order()).requests[&Actor::ReplicaSet]
            .iter()
            .map(|(second, _)| *second)
            .collect();
        assert_eq!(seconds, [0, 1, 31], "{release}");
    }
}

/// A Deployment amid a rollout, paused or not, keeps what its two ReplicaSets have: three old and two new pods are four
/// and a surge of one (`deployment/sync.go: scale`). Scaled to eight, of nine that there may be then, the four that come
/// are shared out: of the old set's 3 * 9 / 5 = 5.4 pods two, of the new one's 2 * 9 / 5 = 3.6 two.
#[test]
fn replica_sets_amid_a_rollout_keep_their_pods() {
    let created = |timeline: &str| {
        let plan = ron(
            "1.34",
            &format!(
                r#"horizon: "20s", nodes: [(name: "n")],
                   workloads: [
                       Deployment(name: "web", replicas: 4, maxSurge: 1),
                       ReplicaSet(name: "web-old", deployment: "web", revision: 1, replicas: 3, placement: Node("n")),
                       ReplicaSet(name: "web-new", deployment: "web", revision: 2, replicas: 2, placement: Node("n")),
                   ],
                   timeline: [{timeline}]"#
            ),
        );
        let said = "Not simulated: the rollout that default/web is amid.";
        assert!(plan.notes.iter().any(|note| note.starts_with(said)), "{:?}", plan.notes);
        let all = done_by("replicaset", &plan);
        let of = |set: &str| {
            let name = format!("pod-created default/{set}-");
            all.iter().filter(|line| line.contains(&name)).count()
        };
        [of("web-old"), of("web-new")]
    };
    assert_eq!(created(""), [0, 0]);
    assert_eq!(
        created(r#"(at: "5s", do: Scale(workload: "Deployment/web", replicas: 8))"#),
        [2, 2]
    );
}
