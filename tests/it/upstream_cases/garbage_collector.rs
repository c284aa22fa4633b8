//! `test/integration/garbagecollector/garbage_collector_test.go`, `pkg/controller/job/job_controller_test.go`.
//!
//! Workloads of two pods on a node `n` are deleted at 10 s; a kubelet takes five seconds to end a
//! pod. Without delays the collector does what it does in the instant in which it hears of it.

use super::{done_by, scenario_of};
use taintsim::plan::Plan;

/// One workload whose deletion begins at 10 s, and what else happens.
fn deleted(release: &str, workload: &str, cascade: &str, more: &str) -> Plan {
    let timing = r#"Custom(request: "0s", response: "0s", watch: "0s", kubelet: Real(pod_start: "1s", pod_stop: "5s"), user: Raw)"#;
    scenario_of(
        release,
        timing,
        &format!(
            r#"horizon: "2m", nodes: [(name: "n")], workloads: [{workload}],
               timeline: [(at: "10s", do: DeleteWorkload(workload: "w", cascade: {cascade})){more}]"#
        ),
    )
}

/// The milliseconds at which an actor did something with these words.
fn times(plan: &Plan, actor: &str, words: &str) -> Vec<u64> {
    let done = done_by(actor, plan).into_iter();
    done.filter(|l| l.contains(words))
        .map(|l| l.split(' ').next().unwrap().parse().unwrap())
        .collect()
}

const KINDS: [&str; 4] = [
    r#"Deployment(name: "w", replicas: 2)"#,
    r#"ReplicaSet(name: "w", replicas: 2)"#,
    r#"StatefulSet(name: "w", replicas: 2, podManagementPolicy: Parallel)"#,
    r#"Job(name: "w", parallelism: 2, completions: 2)"#,
];

/// `TestCascadingDeletion`: what a workload owned is deleted, through the ReplicaSet of a
/// Deployment, too, and nobody makes it anew; in the foreground no later than in the background, as
/// pods hold nobody up but the workload itself.
#[test]
fn what_a_workload_owned_is_deleted() {
    for release in ["1.20", "1.23", "1.27", "1.34"] {
        for workload in KINDS {
            for cascade in ["Background", "Foreground"] {
                let plan = deleted(release, workload, cascade, "");
                let case = format!("{release} {workload} {cascade}");
                assert_eq!(
                    times(&plan, "garbage-collector", " pod-deleting "),
                    [10_000; 2],
                    "{case}"
                );
                assert_eq!(times(&plan, "kubelet", " pod-gone "), [15_000; 2], "{case}");
                for maker in ["replicaset", "statefulset", "job"] {
                    let made = times(&plan, maker, " pod-created ");
                    assert!(made.iter().all(|ms| *ms < 10_000), "{case}: {made:?}");
                }
            }
        }
    }
}

/// `TestOrphaning`: what a workload owned stays. A pod of a Job loses the finalizer by which it was
/// to be counted, so that one that is deleted at 60 s is gone when its kubelet has ended it.
#[test]
fn orphans_stay() {
    for release in ["1.20", "1.27", "1.34"] {
        for workload in KINDS {
            let evict = r#", (at: "60s", do: Taint(node: "n", taint: "k:NoExecute"))"#;
            let plan = deleted(release, workload, "Orphan", evict);
            let case = format!("{release} {workload}");
            let deleted = times(&plan, "garbage-collector", " pod-deleting ");
            assert!(deleted.is_empty(), "{case}: {deleted:?}");
            assert_eq!(times(&plan, "kubelet", " pod-gone "), [65_000; 2], "{case}");
        }
    }
}

/// `TestOrphanPodsFinalizersClearedOnRestart`: pods of a Job that is deleted while no controller runs
/// are deleted, and lose their finalizer, once one runs again, and has looked at its caches twice.
#[test]
fn a_new_process_finds_orphans() {
    for release in ["1.27", "1.34"] {
        let down = r#", (at: "5s", do: ControllerRestart(downtime: "20s"))"#;
        let plan = deleted(release, KINDS[3], "Background", down);
        assert_eq!(times(&plan, "garbage-collector", " pod-deleting "), [25_100; 2], "{release}");
        assert_eq!(times(&plan, "kubelet", " pod-gone "), [30_100; 2], "{release}");
    }
}
