//! Requests that API Priority and Fairness rejects: when they are tried again, and by whom.
//!
//! Recordings of upstream hold the model to the same (`tests/traces`, `reject-*`); here the times are
//! worked out by hand. A reply takes 1 ns with `timing: Ideal`, so that all is within a millisecond.

use super::plans::drawn;
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::sim::{run, run_eager};
use taintsim::trace::{Trace, What};

fn built(release: &str, timing: &str, fields: &str) -> Result<Plan, String> {
    let text = format!("Scenario(version: 1, kubernetes: {release:?}, timing: {timing}, {fields})");
    drawn(&text)
}

fn ran(release: &str, fields: &str) -> Trace {
    let plan = built(release, "Ideal", fields).unwrap_or_else(|p| panic!("{p}"));
    run(&plan, Choices::default_order())
}

/// When records of a kind were written from 20 s on, in milliseconds.
fn times(trace: &Trace, is: impl Fn(&What) -> bool) -> Vec<u64> {
    trace.iter().filter(|r| is(&r.what) && r.at.as_secs() >= 20).map(|r| r.at.as_millis()).collect()
}

fn deleted(trace: &Trace) -> Vec<u64> {
    times(trace, |w| matches!(w, What::PodDeleting(_)))
}

fn taints(trace: &Trace) -> Vec<u64> {
    times(trace, |w| matches!(w, What::NodeTaints(_)))
}

/// A pod that is due at 70 s, and whose requests are rejected meanwhile.
fn due_at_70(rejected: &str) -> String {
    format!(
        r#"horizon: "3m", nodes: [(names: "n-{{0..1}}")],
           pods: [(name: "p", on: Node("n-0"), tolerations: [(key: "k", operator: Exists, effect: NoExecute, tolerationSeconds: 30)])],
           timeline: [(at: "40s", do: Taint(node: "n-0", taint: "k=v:NoExecute")), {rejected}]"#
    )
}

/// Rejected until 44.4 s: the taint of a node that is cordoned at 40 s is tried at 40, 41, 42, 43, 44 and
/// 45 s.
#[test]
fn a_taint_that_is_rejected_for_four_and_a_half_seconds_lands_at_the_next_whole_try() {
    let cordoned = |rejected: &str| {
        let fields = format!(
            r#"horizon: "2m", nodes: [(names: "n-{{0..1}}")],
               timeline: [(at: "40s", do: Cordon(node: "n-0")), {rejected}]"#
        );
        taints(&ran("1.34", &fields))
    };
    assert_eq!(cordoned(""), [40_000]);
    for clients in ["", "clients: [NodeLifecycle], "] {
        let rejected = format!(r#"(at: "39.9s", do: TooManyRequests({clients}duration: "4.5s"))"#);
        assert_eq!(cordoned(&rejected), [45_000], "{clients}");
    }
    let others = r#"(at: "39.9s", do: TooManyRequests(clients: [Scheduler, TaintEviction], duration: "4.5s"))"#;
    assert_eq!(cordoned(others), [40_000]);
}

/// Eleven tries take ten seconds, and the controller tries five times, 10 ms apart: rejected until 109.9
/// s, the tries begin at 70, 80.01, 90.02 and 100.03 s, and the last of these is taken at 110.03 s. Up to
/// 1.18 there are ten tries, which take nine seconds: they begin at 70, 79.01, 88.02, 97.03 and 106.04 s.
#[test]
fn what_is_given_up_is_tried_anew_by_its_controller() {
    let rejected = due_at_70(
        r#"(at: "69.9s", do: TooManyRequests(clients: [TaintEviction], duration: "40s"))"#,
    );
    assert_eq!(deleted(&ran("1.34", &due_at_70(""))), [70_000]);
    assert_eq!(deleted(&ran("1.34", &rejected)), [110_030]);
    assert_eq!(deleted(&ran("1.18", &rejected)), [110_040]);
}

/// Rejected for more than five times ten seconds, the eviction is given up.
#[test]
fn an_eviction_that_is_rejected_for_a_minute_is_given_up() {
    let rejected = due_at_70(
        r#"(at: "69.9s", do: TooManyRequests(clients: [TaintEviction], duration: "1m"))"#,
    );
    assert!(deleted(&ran("1.34", &rejected)).is_empty());
}

/// Up to 1.28 the taint manager has the node lifecycle controller's client.
#[test]
fn the_taint_manager_is_rejected_with_the_node_lifecycle_controller() {
    for client in ["TaintEviction", "NodeLifecycle"] {
        let rejected = due_at_70(&format!(
            r#"(at: "69.9s", do: TooManyRequests(clients: [{client}], duration: "4.5s"))"#
        ));
        assert_eq!(deleted(&ran("1.28", &rejected)), [75_000], "{client}");
    }
}

/// Of two that overlap the longer one counts; one without an end lasts.
#[test]
fn rejections_overlap() {
    let both = r#"(at: "60s", do: TooManyRequests(duration: "14.4s")), (at: "65s", do: TooManyRequests(clients: [TaintEviction], duration: "6s"))"#;
    assert_eq!(deleted(&ran("1.34", &due_at_70(both))), [75_000]);
    let endless = r#"(at: "60s", do: TooManyRequests())"#;
    assert!(deleted(&ran("1.34", &due_at_70(endless))).is_empty());
}

/// A process that starts at 61 s lists at 61, 62 … 65 s, hears of the taint, and waits for 30 s anew.
#[test]
fn lists_of_a_new_process_are_rejected_too() {
    let restarted = r#"(at: "60s", do: TooManyRequests(duration: "4.5s")), (at: "60s", do: ControllerRestart(downtime: "1s"))"#;
    assert_eq!(deleted(&ran("1.34", &due_at_70(restarted))), [95_000]);
}

/// kubectl's requests: the drain reads its node at 30, 31 … 35 s. A budget that was not counted yet is
/// waited for by client-go itself, ten seconds each time from 1.21 on, and by kubectl for five before.
#[test]
fn a_drain_waits_as_it_is_told_to() {
    let drain = |release: &str, more: &str| {
        let fields = format!(
            r#"horizon: "2m", nodes: [(names: "n-{{0..1}}")],
               workloads: [ReplicaSet(name: "web", replicas: 1, placement: Node("n-0"))],
               timeline: [{more}, (at: "30s", do: Drain(node: "n-0"))]"#
        );
        deleted(&ran(release, &fields))
    };
    let rejected = r#"(at: "29.9s", do: TooManyRequests(clients: [Kubectl], duration: "4.5s"))"#;
    assert_eq!(drain("1.34", rejected), [35_000]);
    // Counted at 36 s, the disruption controller's next try.
    let uncounted = r#"(at: "25s", do: TooManyRequests(clients: [Disruption], duration: "10.5s")),
        (at: "26s", do: CreateBudget(budget: (name: "web", selector: (matchLabels: { "app": "web" }), minAvailable: 0)))"#;
    assert_eq!(drain("1.34", uncounted), [40_000]);
    assert_eq!(drain("1.23", uncounted), [40_000]);
}

#[test]
fn both_modes_agree_on_rejections() {
    let fields = r#"horizon: "20m", nodes: [(names: "a-{0..4}", zone: "a"), (names: "b-{0..4}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 12, placement: Spread(All))],
        timeline: [
            (at: "2m", do: Partition(node: "a-1", duration: "9m")),
            (at: "2m40s", do: TooManyRequests(duration: "25s")),
            (at: "4m", do: ControllerRestart(downtime: "3s")),
            (at: "4m", do: TooManyRequests(duration: "17s")),
            (at: "8m", do: ApiOutage(duration: "20s")),
            (at: "8m10s", do: TooManyRequests(duration: "30s")),
        ]"#;
    for timing in ["Ideal", "Typical"] {
        let plan = built("1.34", timing, fields).unwrap_or_else(|p| panic!("{p}"));
        for seed in 0..4 {
            let lazy = run(&plan, Choices::seeded(seed));
            let eager = run_eager(&plan, Choices::seeded(seed));
            assert!(lazy.iter().eq(eager.iter()), "{timing}, seed {seed}");
        }
    }
}

#[test]
fn nobody_is_no_client() {
    let problem = built(
        "1.34",
        "Ideal",
        r#"horizon: "1m", nodes: [(names: "n-0")], timeline: [(at: "1s", do: TooManyRequests(clients: []))]"#,
    )
    .expect_err("it names nobody");
    assert!(problem.contains("this rejects nobody's requests"), "{problem}");
    let unknown = built(
        "1.34",
        "Ideal",
        r#"horizon: "1m", nodes: [(names: "n-0")], timeline: [(at: "1s", do: TooManyRequests(clients: [Schedulr]))]"#,
    )
    .expect_err("it is misspelt");
    assert!(unknown.contains("Scheduler"), "{unknown}");
}
