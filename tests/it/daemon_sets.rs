//! DaemonSets whose pods their controller binds itself (`pkg/controller/daemon/daemon_controller.go`, `nodeShouldRunDaemonPod`,
//! up to 1.11), beside those whose pods are the scheduler's.

use crate::disks::{messages, ran, times, within};
use taintsim::trace::Trace;

/// A DaemonSet that asks for half a CPU is made at 10 s, on two nodes with one CPU each. A pod has 800m of the one until it is
/// deleted at a minute, and is gone a second later.
fn made(version: &str) -> Trace {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "{version}", timing: Ideal, horizon: "3m",
            nodes: [(names: "a-{{0..1}}", capacity: {{"cpu": "1", "memory": "4Gi", "pods": "110"}})],
            pods: [(name: "big", on: Node("a-1"), requests: {{"cpu": "800m"}})],
            timeline: [
                (at: "10s", do: CreateWorkload(workload: DaemonSet(name: "agent", template: (requests: {{"cpu": "500m"}})))),
                (at: "60s", do: DeletePod(pod: "big")),
            ])"#
    );
    ran(&text).1
}

/// `predicates/error.go`, `InsufficientResourceError`: CPU in thousandths. A pod that is gone has the DaemonSets synced that lacked
/// room on its node, after the first 5 ms of the rate limiter (`requeueSuspendedDaemonPods`); a container starts in a second.
#[test]
fn up_to_1_11_their_controller_binds_pods_where_they_fit() {
    let why = r#"failed to place pod on "a-1": Node didn't have enough resource: cpu, requested: 500, used: 800, capacity: 1000"#;
    for (version, scheduled) in [("1.8", 0), ("1.11", 0), ("1.12", 2), ("1.37", 2)] {
        let trace = made(version);
        assert_eq!(messages(&trace, "Scheduled").len(), scheduled, "{version}");
        let failed = messages(&trace, "FailedPlacement");
        assert_eq!(failed.is_empty(), scheduled > 0, "{version}");
        assert!(failed.iter().all(|said| said == why), "{version}: {failed:?}");
        let on = |node: &str| times(&trace, &format!("containers-started {node}"));
        let (first, second) = (on("a-0"), on("a-1"));
        assert_eq!((first.len(), second.len()), (1, 1), "{version}");
        within(first[0], 11_000, 11_010);
        within(second[0], 62_000, 62_100);
    }
}
