//! Container runtimes that fail: nothing of their nodes' pods is done until they are back (`pkg/kubelet/kubelet.go`, `syncLoop`:
//! "Skipping pod synchronization"), and what runs runs on.
//!
//! A kubelet asks its runtime every 5 s, and its loop, once it skips pods, looks every 5 s whether that has answered
//! (`updateRuntimeUp`, `syncLoop`): it goes on 0 to 10 s after the end. Containers take 2 s to start here, and 1 s to stop.

use super::disks::{times, within};
use super::plans::{plan, ran};
use taintsim::trace::Trace;

const FAILS: &str =
    r#"(at: "5m", do: RuntimeFailure(node: "a-0", fails: Status, duration: "20m"))"#;

fn told(head: &str, objects: &str, timeline: &str) -> Trace {
    let text = format!(
        r#"Scenario(version: 1, horizon: "30m", {head} nodes: [(names: "a-{{0..2}}")], {objects}, timeline: [{timeline}])"#
    );
    ran(&plan(&text), 1)
}

/// When records with these words were written after the start.
fn later(trace: &Trace, words: &str) -> Vec<u64> {
    times(trace, words).into_iter().filter(|at| *at > 10_000).collect()
}

/// The same of what is written once.
#[track_caller]
fn once(trace: &Trace, words: &str) -> u64 {
    let at = later(trace, words);
    assert_eq!(at.len(), 1, "{words}: {at:?}");
    at[0]
}

/// The node is not ready within 15.4 s (Ready) or 40.4 s (Status), tainted with the next pass, 5 s later at most, and its pod
/// evicted after 300 s: from 600 to 646 s on, with some time for requests. It is Terminating until 1,500 to 1,510 s, has 1 s, and
/// is removed with the next relist, another second; then it is made anew, and starts in 2 s.
#[test]
fn an_evicted_pod_is_not_replaced_until_its_runtime_is_back() {
    let db = r#"workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("a-0"))]"#;
    for version in ["1.18", "1.26", "1.34", "1.37"] {
        for fails in ["Status", "Ready"] {
            let head = format!(r#"kubernetes: "{version}","#);
            let trace = told(&head, db, &FAILS.replace("Status", fails));
            within(later(&trace, "pod-deleting")[0], 600_000, 647_000);
            let stopped = once(&trace, "containers-stopped");
            within(stopped, 1_501_000, 1_511_000);
            let gone = once(&trace, "pod-gone");
            within(gone, stopped, stopped + 1_100);
            within(once(&trace, "containers-started"), gone + 2_000, gone + 4_000);
        }
    }
}

/// In ideal timing a kubelet notices at once, and so does its loop.
#[test]
fn in_ideal_timing_it_ends_in_the_instant_in_which_its_runtime_is_back() {
    let pod = r#"pods: [(name: "p", on: Node("a-0"))]"#;
    let delete = r#"(at: "6m", do: DeletePod(pod: "p"))"#;
    let trace = told("timing: Ideal,", pod, &format!("{FAILS}, {delete}"));
    assert_eq!(once(&trace, "containers-stopped"), 1_500_000);
    assert_eq!(once(&trace, "pod-gone"), 1_500_000);
}

/// Bound to the node at 6 min, it starts 2 s after 1,500 to 1,510 s.
#[test]
fn a_new_pod_waits_for_its_runtime() {
    let create = r#"(at: "6m", do: CreatePod(pod: (name: "new", on: Node("a-0"), tolerations: [(operator: Exists)])))"#;
    let pods = r#"pods: [(name: "old", on: Node("a-1"))]"#;
    let trace = told("", pods, &format!("{FAILS}, {create}"));
    within(once(&trace, "containers-started"), 1_502_000, 1_512_000);
}

/// A drain of five minutes from 7 min on is in vain, and the disk stays until 1 s after 1,500 to 1,510 s. It is detached once
/// the status that is posted every 10 s does not have it in use any more.
#[test]
fn a_drain_is_in_vain_and_a_disk_stays() {
    let db = r#"workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("a-0"), template: (volumes: [(claim: "data")]))]"#;
    let drain = r#"(at: "7m", do: Drain(node: "a-0", timeout: "5m"))"#;
    let trace = told("", db, &format!("{FAILS}, {drain}"));
    within(later(&trace, "pod-deleting")[0], 420_000, 421_000);
    within(once(&trace, "drain-ended"), 720_000, 722_000);
    within(once(&trace, "attachment-deleting"), 1_501_000, 1_530_000);
}

/// It stays Ready: the node lifecycle controller marks pods of nodes that it gives up itself alone, not of those that say that they are
/// not ready (`monitorNodeHealth`: where the condition that it observed was True).
#[test]
fn a_pod_that_runs_on_stays_ready() {
    let pod = r#"pods: [(name: "p", on: Node("a-0"), tolerations: [(operator: Exists)])]"#;
    let trace = told("", pod, FAILS);
    assert!(later(&trace, "containers-stopped").is_empty());
    assert!(later(&trace, "pod-condition").is_empty());
}

/// The container ends by itself 10 min after its start, is seen to have once its runtime is back, and is started again.
#[test]
fn a_container_that_ends_is_not_started_again_meanwhile() {
    let pod = r#"pods: [(name: "p", on: Node("a-0"), tolerations: [(operator: Exists)], ends: (after: "10m", exit_code: 1))]"#;
    let trace = told("", pod, FAILS);
    within(once(&trace, "containers-started"), 1_500_000, 1_510_000);
}

/// A runtime that answers again before its kubelet counts it as down: what could not be done is tried again within some ten
/// seconds of the next time that it is asked, and takes 1 s.
#[test]
fn a_short_failure_is_made_up_for_by_the_next_try() {
    let pod = r#"pods: [(name: "p", on: Node("a-0"))]"#;
    let timeline = r#"(at: "5m", do: RuntimeFailure(node: "a-0", fails: Status, duration: "20s")),
        (at: "305s", do: DeletePod(pod: "p"))"#;
    let trace = told("", pod, timeline);
    assert!(later(&trace, "node-condition").is_empty());
    within(once(&trace, "containers-stopped"), 321_000, 336_000);
}

/// A shutdown waits for its pods as long as their group has, 20 s, and nothing ends before the machine is off.
#[test]
fn a_graceful_shutdown_waits_in_vain() {
    let text = r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m", nodes: [(names: "n-{0..1}")],
        flags: (kubelet: {"shutdown-grace-period": "30s", "shutdown-grace-period-critical-pods": "10s"}),
        pods: [(name: "p", on: Node("n-0"), pod_stop: "3s")],
        timeline: [(at: "30s", do: RuntimeFailure(node: "n-0", fails: Ready)), (at: "60s", do: Shutdown(node: "n-0"))])"#;
    let trace = ran(&plan(text), 1);
    assert_eq!(once(&trace, "machine-off"), 80_000);
    assert!(later(&trace, "containers-stopped").is_empty());
    assert!(later(&trace, "pod-phase").is_empty());
}
