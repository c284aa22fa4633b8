//! `pkg/controller/statefulset/stateful_set_control_test.go`, `test/integration/statefulset`.

use super::{done_by, plan};
use taintsim::api::meta::{ConditionStatus, OwnerReference, Timestamp};
use taintsim::api::pod::{Deletion, PodCondition, PodPhase, PodReason};
use taintsim::plan::{Plan, PodStart};

const ONE_NODE: &str = r#""controllers": ["node-lifecycle", "taint-eviction", "statefulset"], "nodes": [{"name": "n"}]"#;

/// A set `web` pinned to the one node, and pods of it that are there from the start, each with its
/// phase and whether its deletion has begun. None of these is cleared away by a kubelet within the
/// run.
fn with_pods(
    release: &str,
    replicas: i32,
    parallel: bool,
    pods: &[(&str, PodPhase, bool)],
) -> Plan {
    let listed: Vec<String> =
        pods.iter().map(|(name, ..)| format!(r#"{{"name": "{name}", "node": "n"}}"#)).collect();
    let workload = format!(
        r#"{{"kind": "StatefulSet", "name": "web", "replicas": {replicas}, "parallel": {parallel}, "template": {{"node": "n"}}}}"#
    );
    let fields = format!(
        r#""horizon": "5s", {ONE_NODE}, "kubelet": {{"stop": "60s"}}, "workloads": [{workload}], "pods": [{}]"#,
        listed.join(",")
    );
    let mut plan = plan(release, &fields);
    let owner =
        OwnerReference { kind: "StatefulSet".to_owned(), name: "web".to_owned(), object: None };
    for template in &mut plan.templates {
        template.owner = Some(owner.clone());
    }
    for (pod, (_, phase, deleting)) in plan.pods.iter_mut().zip(pods) {
        let status = if *phase == PodPhase::Running {
            ConditionStatus::True
        } else {
            ConditionStatus::False
        };
        pod.start = PodStart::Imported {
            phase: *phase,
            ready: Some(PodCondition {
                status,
                reason: PodReason::None,
                last_transition_time: Timestamp(0),
            }),
            disruption_target: None,
            deletion: deleting
                .then_some(Deletion { timestamp: Timestamp(30), grace_period_seconds: 30 }),
        };
    }
    plan
}

/// What the controller did but for its words about it.
fn writes(plan: &Plan) -> Vec<String> {
    done_by("statefulset", plan).into_iter().filter(|l| !l.contains(" event ")).collect()
}

/// `TestDeletingAndTerminatingPods`: of three pods of a Parallel set the failed one is created anew
/// under its name, and the one that is being deleted only once it is gone.
#[test]
fn failed_pods_are_recreated_and_deleted_ones_waited_for() {
    let pods = [
        ("web-0", PodPhase::Running, true),
        ("web-1", PodPhase::Failed, false),
        ("web-2", PodPhase::Running, false),
    ];
    let expected = ["0 pod-created default/web-1 n", "0 pod-gone default/web-1"];
    for release in ["v1.24.17", "v1.27.16", "v1.28.15", "v1.34.4"] {
        assert_eq!(writes(&with_pods(release, 3, true, &pods)), expected, "{release}");
    }
}

/// A pod that Succeeded is a pod that ended only from 1.27.9, 1.28.5 and 1.29.0 on; how that is
/// told changed twice.
#[test]
fn releases_differ_in_what_they_do_with_ended_pods() {
    let told = |release: &str, phase| -> Vec<String> {
        let all = done_by("statefulset", &with_pods(release, 1, false, &[("web-0", phase, false)]));
        all.into_iter()
            .filter(|l| l.contains(" event "))
            .map(|l| l.split(" event ").nth(1).unwrap().to_owned())
            .collect()
    };
    let done = |verb: &str, reason: &str| {
        format!(
            "StatefulSet/default/web Normal {reason} {verb} Pod web-0 in StatefulSet web successful"
        )
    };
    let (created, deleted) =
        (done("create", "SuccessfulCreate"), done("delete", "SuccessfulDelete"));
    let failed = "StatefulSet/default/web Warning RecreatingFailedPod StatefulSet default/web is recreating failed Pod web-0".to_owned();
    let ended =
        "StatefulSet/default/web Normal RecreatingTerminatedPod StatefulSet default/web is recreating terminated Pod web-0".to_owned();
    let with = |mut first: Vec<String>| {
        first.sort();
        first
    };
    for release in ["v1.18.20", "v1.26.15"] {
        assert_eq!(
            with(told(release, PodPhase::Failed)),
            with(vec![created.clone(), deleted.clone(), failed.clone()]),
            "{release}"
        );
        assert!(told(release, PodPhase::Succeeded).is_empty(), "{release}");
    }
    assert_eq!(
        with(told("v1.27.16", PodPhase::Succeeded)),
        with(vec![created.clone(), deleted.clone(), ended])
    );
    for release in ["v1.28.15", "v1.34.4"] {
        assert_eq!(
            with(told(release, PodPhase::Succeeded)),
            with(vec![created.clone(), deleted.clone()]),
            "{release}"
        );
    }
    let capital = [done("Create", "SuccessfulCreate"), done("Delete", "SuccessfulDelete")];
    assert_eq!(with(told("v1.35.0", PodPhase::Failed)), capital);
}

/// `TestStatefulSetControllerRespectsTermination`, `TestStatefulSetControllerBlocksScaling`: a pod
/// that is being deleted holds up an OrderedReady set, in creating and in deleting; a Parallel one
/// goes on with the others.
#[test]
fn a_terminating_pod_holds_up_an_ordered_set() {
    let pods = [("web-0", PodPhase::Running, false), ("web-1", PodPhase::Running, true)];
    assert!(writes(&with_pods("v1.34.4", 3, false, &pods)).is_empty(), "web-2 waits for web-1");
    assert_eq!(writes(&with_pods("v1.34.4", 3, true, &pods)), ["0 pod-created default/web-2 n"]);
    let three = [
        ("web-0", PodPhase::Running, true),
        ("web-1", PodPhase::Running, false),
        ("web-2", PodPhase::Running, false),
    ];
    assert!(
        writes(&with_pods("v1.34.4", 1, false, &three)).is_empty(),
        "nothing is deleted while web-0 goes"
    );
    let both = ["0 pod-deleting default/web-1 grace 30", "0 pod-deleting default/web-2 grace 30"];
    assert_eq!(writes(&with_pods("v1.34.4", 1, true, &three)), both);
}

/// `processCondemned`: the highest goes first, one at a time; one that is not ready goes only if it
/// is the first that is not.
#[test]
fn scaling_down_takes_the_highest_healthy_pod() {
    use PodPhase::{Pending, Running};
    let set = |phases: [PodPhase; 3]| {
        let names = ["web-0", "web-1", "web-2"];
        let pods: Vec<_> = names.into_iter().zip(phases).map(|(n, p)| (n, p, false)).collect();
        // Before the kubelet starts the pending ones, at one second.
        writes(&with_pods("v1.34.4", 1, false, &pods))
            .into_iter()
            .filter(|l| l.starts_with("0 "))
            .collect::<Vec<_>>()
    };
    assert_eq!(set([Running, Running, Running]), ["0 pod-deleting default/web-2 grace 30"]);
    assert_eq!(set([Running, Running, Pending]), ["0 pod-deleting default/web-2 grace 30"]);
    assert_eq!(set([Running, Pending, Running]), ["0 pod-deleting default/web-2 grace 30"]);
    assert!(
        set([Running, Pending, Pending]).is_empty(),
        "web-2 waits for web-1, the first that is not ready"
    );
}

/// `TestParallelScale`: all ordinals in one sync. Requests take 3 ms there and 5 ms back: the
/// revision is created first, then web-0, and in batches two and the last one.
#[test]
fn a_parallel_set_is_created_in_batches() {
    let fields = |batch: &str| {
        format!(
            r#""horizon": "500ms", {ONE_NODE}, "api": {{"request": "3ms", "response": "5ms"}},
               "workloads": [{{"kind": "StatefulSet", "name": "web", "replicas": 4, "parallel": {batch}, "template": {{"node": "n"}}}}]"#
        )
    };
    // The controllers start at 100 ms; the revision takes 8 ms.
    let at = |times: [u32; 4]| {
        (0..4).map(|i| format!("{} pod-created default/web-{i} n", times[i])).collect::<Vec<_>>()
    };
    assert_eq!(writes(&plan("v1.34.4", &fields("true"))), at([111, 119, 119, 127]));
    assert_eq!(
        writes(&plan("v1.24.17", &fields("true"))),
        at([111, 119, 127, 135]),
        "one after the other"
    );
    assert_eq!(
        writes(&plan("v1.34.4", &fields("false"))),
        at([111, 0, 0, 0])[..1],
        "web-1 waits for web-0"
    );
}

/// `TestStatefulSetAvailability`: pods are ready one second after they are created; with
/// minReadySeconds 30 the next ordinal comes once the last has been ready for so long and the
/// controller looks. Up to 1.35 the sync that creates a pod has itself called again after 30 s, a
/// second too early, and that it asks again when the pod is ready changes nothing, as the earlier
/// time stands: it comes with the next call, 60 s after the creation.
#[test]
fn the_next_ordinal_waits_until_the_last_is_available() {
    let fields = format!(
        r#""horizon": "130s", {ONE_NODE}, "workloads": [{{"kind": "StatefulSet", "name": "web", "replicas": 3, "template": {{"node": "n"}}}}]"#
    );
    let times = |release| {
        let mut plan = plan(release, &fields);
        plan.workloads[0].min_ready_seconds = 30;
        writes(&plan)
    };
    let at = |times: &[u32]| {
        times
            .iter()
            .enumerate()
            .map(|(i, t)| format!("{t} pod-created default/web-{i} n"))
            .collect::<Vec<_>>()
    };
    assert_eq!(times("v1.34.4"), at(&[0, 60_000, 120_000]));
    // From 1.36 on the call is for when the pod is available: 1 s + 30 s, and 32 s + 30 s.
    assert_eq!(times("v1.36.3"), at(&[0, 31_000, 62_000]));
    // The gate StatefulSetMinReadySeconds is off.
    assert_eq!(times("v1.22.17"), at(&[0, 1_000, 2_000]));
}
