//! From 1.36 on a sync waits until the caches have what the last one wrote
//! (`replica_set.go: syncReplicaSet`, `EnsureReady`; the gates StaleControllerConsistency…).

use std::path::Path;
use taintsim::kernel::{Choices, Dur, Time};
use taintsim::scenario::{Overrides, build, parse};
use taintsim::sim::run;
use taintsim::trace::What;

/// The watch of ReplicaSets is 30 s late. A pod goes at 61 s: its replacement is made, and a status
/// is written that comes back at 91 s. The replacement goes at 65 s.
const LATE: &str = r#"
Scenario(
    version: 1,
    timing: Ideal,
    horizon: "3m",
    nodes: [(name: "node-1")],
    workloads: [ReplicaSet(name: "web", replicas: 1, template: (terminationGracePeriodSeconds: 0))],
    timeline: [
        (at: "60s", do: WatchLag(resource: ReplicaSets, lag: "30s", duration: "1m")),
        (at: "61s", do: Taint(node: "node-1", taint: "a:NoExecute")),
        (at: "62s", do: Untaint(node: "node-1", taint: "a:NoExecute")),
        (at: "65s", do: Taint(node: "node-1", taint: "a:NoExecute")),
        (at: "66s", do: Untaint(node: "node-1", taint: "a:NoExecute")),
    ],
)"#;

/// When the replacements are made, in whole seconds.
fn replaced(release: &str, sets: &[&str]) -> Vec<u64> {
    let loaded = parse("late.ron", LATE.as_bytes().to_vec(), Path::new(""))
        .unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 100)));
    let sets = sets.iter().map(|s| (*s).to_owned()).collect();
    let overrides =
        Overrides { kubernetes: Some(release.to_owned()), sets, ..Overrides::default() };
    let plan = build(&loaded, &overrides)
        .unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 100)));
    let trace = run(&plan, Choices::default_order());
    let late = |at: &Time| *at > Time::ZERO + Dur::from_secs(1);
    trace
        .iter()
        .filter(|r| matches!(r.what, What::PodCreated(_)))
        .map(|r| r.at)
        .filter(late)
        .map(Time::as_secs)
        .collect()
}

#[test]
fn a_replica_set_waits_for_its_own_writes() {
    assert_eq!(replaced("1.35", &[]), [61, 65]);
    assert_eq!(replaced("1.36", &[]), [61, 91]);
    assert_eq!(
        replaced("1.36", &["feature_gates.StaleControllerConsistencyReplicaSet=false"]),
        [61, 65]
    );
}
