//! What the properties say of whole runs: each of a scenario that violates it, and of one that differs
//! little and does not.

use super::plans::plan;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, check};
use taintsim::kernel::Choices;
use taintsim::sim;

/// What is said of the run of a scenario in the default order.
fn said(property: &str, what: &str) -> Vec<String> {
    let text = format!("(version: 1, kubernetes: \"1.34\", {what})");
    let plan = plan(&text);
    let trace = sim::run(&plan, Choices::default_order());
    let property = Property::parse(property).expect("a property");
    let found = check(&property, &Analysis::new(&plan, &trace));
    found.into_iter().map(|violation| violation.text).collect()
}

/// Holds that the first scenario violates a property once, with a text that has these parts, and the
/// second does not.
fn violates(property: &str, violating: &str, parts: &[&str], holding: &str) {
    let found = said(property, violating);
    let [text] = &*found else { panic!("{property}: {found:?}") };
    parts.iter().for_each(|part| assert!(text.contains(part), "{property}: {text}"));
    assert_eq!(said(property, holding), [""; 0], "{property}");
}

/// The budget never allows an eviction, which kubectl asks for at 60, 65 and 70 s. At 62 s the pod is deleted by force, and at 68 s
/// the budget: what is evicted at 70 s is the pod's successor, by its name. Where that comes to the node that is drained, it is what
/// the drain means, also where somebody has uncordoned that.
#[test]
fn a_drain_hits_a_successor_on_another_node() {
    let story = |nodes: &str, tolerations: &str, more: &str| {
        format!(
            r#"timing: Ideal, horizon: "90s", nodes: [(names: {nodes}, zone: "a")],
            podDisruptionBudgets: [(name: "db", selector: (matchLabels: {{"app": "db"}}), minAvailable: 1)],
            workloads: [StatefulSet(name: "db", replicas: 1, placement: Nodes(["n-1"]), template: (tolerations: [{tolerations}]))],
            timeline: [(at: "60s", do: Drain(node: "n-1")), {more}(at: "62s", do: DeletePod(pod: "db-0", gracePeriodSeconds: 0)),
                (at: "68s", do: DeleteBudget(budget: "db"))]"#
        )
    };
    let (one, two) = (r#"["n-1"]"#, r#"["n-1", "n-2"]"#);
    let said = "kubectl drain deleted default/db-0, which exists since 1m2s, at 1m10s as it meant to delete its predecessor at 1m0s";
    violates("wrong-pod", &story(two, "", ""), &[said], &story(one, "(operator: Exists)", ""));
    let uncordoned = r#"(at: "61s", do: Uncordon(node: "n-1")), "#;
    assert_eq!(self::said("wrong-pod", &story(one, "", uncordoned)), [""; 0]);
}

/// A StatefulSet's pod on a node that is cut off is deleted at 7 min, when its eviction waits for the
/// node: by force the name is free at once, and its successor starts elsewhere.
#[test]
fn a_pod_that_is_deleted_by_force_runs_twice() {
    let story = |deleted: &str| {
        format!(
            r#"horizon: "15m", nodes: [(names: "n-{{0..1}}")],
            workloads: [StatefulSet(name: "db", placement: Node("n-0"))],
            timeline: [(at: "10s", do: Partition(node: "n-0", duration: "12m")),
                (at: "7m", do: DeletePod(pod: "db-0"{deleted}))]"#
        )
    };
    violates(
        "runs-twice",
        &story(", gracePeriodSeconds: 0"),
        &["default/db-0 runs on n-1 from 7m2", "of that name still run on n-0, until 12m"],
        &story(""),
    );
}

/// No controller counts from 20 s on. One of two pods is deleted at 30 s, so that the budget of one
/// is spent; its status allows another eviction all the same.
#[test]
fn a_budget_is_overdrawn_where_nobody_counts() {
    let story = |drained: &str| {
        format!(
            r#"horizon: "4m", nodes: [(names: "n-{{0..3}}")],
            workloads: [StatefulSet(name: "db", replicas: 2, placement: Spread(All))],
            podDisruptionBudgets: [(name: "db", selector: (matchLabels: {{"app": "db"}}), maxUnavailable: 1)],
            timeline: [(at: "20s", do: ControllerRestart(downtime: "5m")),
                (at: "30s", do: DeletePod(pod: "db-1")),
                (at: "{drained}", do: Drain(node: "n-0"))]"#
        )
    };
    // Within the bound of a minute from 30 s on, and behind it.
    violates(
        "budget-overdrawn",
        &story("2m"),
        &["default/db-0 was evicted", "budget default/db", "needs 1 healthy pod and has 1"],
        &story("80s"),
    );
}

/// The scheduler does not hear for three minutes that its only node was cordoned at 20 s.
#[test]
fn a_pod_is_bound_to_a_node_that_was_cordoned_long_ago() {
    let story = |created: &str, tolerations: &str| {
        format!(
            r#"horizon: "4m", nodes: [(name: "n-0")],
            timeline: [(at: "10s", do: WatchStall(resource: Nodes, duration: "3m")),
                (at: "20s", do: Cordon(node: "n-0")),
                (at: "{created}", do: CreatePod(pod: (name: "late", on: Unbound{tolerations})))]"#
        )
    };
    let parts = ["default/late was bound to n-0 at 2m0.", "cordoned since 20s"];
    // A minute after the cordon, and behind it.
    violates("bound-to-cordoned", &story("2m", ""), &parts, &story("75s", ""));
    let tolerated = story("2m", ", tolerations: [(operator: Exists)]");
    assert_eq!(said("bound-to-cordoned", &tolerated), [""; 0]);
}

/// A Job's pod on a node that is cut off is evicted and never ends. A Job that replaces only pods that
/// have failed waits for that for ever. The last renewal comes by 10 s, 40 s later the node is Unknown,
/// a pass of 5 s finds it, and 300 s later the deletion begins: at 350 s, its grace period of 30 s ends
/// at 380 s, and eleven minutes later it is 1,040 s.
#[test]
fn a_job_that_waits_for_a_dead_node_is_stalled() {
    let story = |policy: &str| {
        format!(
            r#"horizon: "20m", nodes: [(names: "n-{{0..1}}")],
            workloads: [Job(name: "batch", podReplacementPolicy: {policy}, placement: Node("n-0"))],
            timeline: [(at: "10s", do: Partition(node: "n-0"))]"#
        )
    };
    violates(
        "job-stalled",
        &story("Failed"),
        &[
            "Job default/batch is not finished and has no pod at 17m20.",
            "since 6m20.",
            ": default/batch-0 on n-0 (Unknown since 50.",
            ") is still being deleted, which podReplacementPolicy: Failed waits for",
        ],
        &story("TerminatingOrFailed"),
    );
    // From 1.28 on a failure policy has it wait, too, whatever the other one says by default (`onlyReplaceFailedPods`).
    let rules = r#"podFailurePolicy: (rules: [(action: Ignore, onPodConditions: [(type: DisruptionTarget)])])"#;
    let by_rules = story("Failed").replace("podReplacementPolicy: Failed", rules);
    let waits = ") is still being deleted, which podFailurePolicy waits for";
    violates("job-stalled", &by_rules, &[waits], &story("TerminatingOrFailed"));
}

/// A pod of a StatefulSet on a node that is cut off keeps its name until somebody who knows deletes
/// it; one of a Deployment is replaced as soon as its deletion begins. As above its grace period is over
/// at 380 s, and the bound a minute later.
#[test]
fn a_stateful_pod_on_a_dead_node_is_not_replaced() {
    let story = |kind: &str| {
        format!(
            r#"horizon: "10m", nodes: [(names: "n-{{0..1}}")],
            workloads: [{kind}(name: "db", replicas: 2, placement: Spread(All))],
            timeline: [(at: "10s", do: Partition(node: "n-0"))]"#
        )
    };
    violates(
        "not-replaced",
        &story("StatefulSet"),
        &[
            "StatefulSet default/db has 1 of 2 pods at 7m20.",
            "since 6m20.",
            ": default/db-0 on n-0 (Unknown since 50.",
            ") is still being deleted",
        ],
        &story("Deployment"),
    );
}

/// The same with five nodes, and the other pod's node is cut off from 3 min on, so that it is not Ready: an OrderedReady set
/// would wait for it, a Parallel one makes all that it lacks (`allowsBurst`).
#[test]
fn a_parallel_set_waits_for_no_pod_to_be_ready() {
    let story = |policy: &str| {
        format!(
            r#"horizon: "8m", nodes: [(names: "n-{{0..4}}")],
            workloads: [StatefulSet(name: "db", replicas: 2, podManagementPolicy: {policy}, placement: Spread(Nodes(["n-0", "n-1"])))],
            timeline: [(at: "10s", do: Partition(node: "n-0")), (at: "3m", do: Partition(node: "n-1"))]"#
        )
    };
    violates(
        "not-replaced",
        &story("Parallel"),
        &["StatefulSet default/db has 1 of 2 pods at 7m20.", "since 6m20."],
        &story("OrderedReady"),
    );
}

/// A workload that is deleted in the foreground stays until its pods are gone, of which the one on a dead node never is, and
/// makes no others. The StatefulSet's pod is missing from 7 min 20 s on, as above, and the Job has none at 17 min 20 s.
#[test]
fn what_is_being_deleted_lacks_no_pod() {
    let story = |workload: &str, deleted: &str| {
        format!(
            r#"horizon: "20m", nodes: [(names: "n-{{0..1}}")], workloads: [{workload}],
            timeline: [(at: "10s", do: Partition(node: "n-0")),
                (at: "{deleted}", do: DeleteWorkload(workload: "w", cascade: Foreground))]"#
        )
    };
    let set = r#"StatefulSet(name: "w", replicas: 2, placement: Spread(All))"#;
    let part = ["StatefulSet default/w has 1 of 2 pods at 7m20."];
    violates("not-replaced", &story(set, "8m"), &part, &story(set, "3m"));
    let job = r#"Job(name: "w", podReplacementPolicy: Failed, placement: Node("n-0"))"#;
    let part = ["Job default/w is not finished and has no pod at 17m20."];
    violates("job-stalled", &story(job, "18m"), &part, &story(job, "3m"));
    let deployment = r#"Deployment(name: "w", replicas: 2, placement: Spread(All))"#;
    assert_eq!(said("not-replaced", &story(deployment, "3m")), [""; 0]);
}

/// `db-0` goes for ten minutes from 5 min on, and with the node of `db-1` that one is gone at 6 min 40 s: an OrderedReady
/// set makes it anew only after `db-0`, at 15 min.
#[test]
fn an_ordered_set_waits_for_the_pod_before() {
    let story = r#"horizon: "20m", nodes: [(names: "n-{0..3}")], workloads: [StatefulSet(name: "db", replicas: 3,
            placement: Spread(Nodes(["n-0", "n-1", "n-2"])),
            template: (terminationGracePeriodSeconds: 600, pod_stop: "20m"))],
        timeline: [(at: "5m", do: Drain(node: "n-0")), (at: "6m", do: DeleteNode(node: "n-1"))]"#;
    assert_eq!(said("not-replaced", story), [""; 0]);
}

/// Deleting a node does not cancel the countdown of its pod, which the garbage collector leaves alone
/// for 40 s (countdown-outlives-node.ron). Taking the taint away does.
#[test]
fn a_countdown_outlives_the_node_that_was_tainted() {
    let story = |untainted: &str| {
        format!(
            r#"horizon: "4m", nodes: [(name: "n-0")],
            pods: [(name: "web", on: Node("n-0"), tolerations: [
                (key: "maintenance", operator: Exists, effect: NoExecute, tolerationSeconds: 150)])],
            timeline: [(at: "60s", do: Taint(node: "n-0", taint: "maintenance:NoExecute")), {untainted}]"#
        )
    };
    violates(
        "timer-stale(30s)",
        &story(r#"(at: "75s", do: DeleteNode(node: "n-0"))"#),
        &["of default/web that began at 1m0.", "still runs at 1m45s although no taint of n-0"],
        &story(r#"(at: "75s", do: Untaint(node: "n-0", taint: "maintenance"))"#),
    );
}

/// The taint of 60 s is not seen before the watch goes on at 149 s: a minute after 60 s nobody is at fault. Where its
/// deletion is refused for 65 s from 170 s on, so that the controller gives it up, the pod is stuck a minute after that, at
/// 235 s + 60 s.
#[test]
fn a_bound_counts_from_the_end_of_what_holds_everybody_up() {
    let story = |at: &str, trouble: &str| {
        format!(
            r#"horizon: "5m", nodes: [(name: "n-0")], pods: [(name: "web", on: Node("n-0"))],
            timeline: [{trouble}, (at: "{at}", do: Taint(node: "n-0", taint: "m:NoExecute"))]"#
        )
    };
    let refused = r#"(at: "170s", do: TooManyRequests(duration: "65s", clients: [TaintEviction]))"#;
    let stalled = r#"(at: "59s", do: WatchStall(resource: Nodes, duration: "90s"))"#;
    violates(
        "pod-stuck",
        &story("170s", refused),
        &["default/web is still on n-0 at 4m55s: it has m:NoExecute since 2m50"],
        &story("60s", stalled),
    );
}

/// The grace period of `db-1` is over at 100 s, and `db-0` goes 80 s later; there is no controller before 360 s.
#[test]
fn nothing_is_replaced_where_no_controller_runs() {
    let story = r#"horizon: "8m", nodes: [(names: "n-{0..1}")], workloads: [StatefulSet(name: "db", replicas: 2)],
        timeline: [(at: "60s", do: ControllerRestart(downtime: "5m")),
            (at: "70s", do: DeletePod(pod: "db-1")), (at: "3m", do: DeletePod(pod: "db-0"))]"#;
    assert_eq!(said("not-replaced", story), [""; 0]);
}

/// #80968 with pods of whose containers something is said. The node is cut off from 61 s to 121 s, and its kubelet does not look
/// again. A liveness probe has no say in Ready, and one of readiness of 10 s may take 10 s until it begins and 10 s for its
/// success: 20 s more.
#[test]
fn probes_that_succeed_are_no_reason_to_stay_not_ready() {
    let of = |repost: &str, more: &str| {
        let story = format!(
            r#"horizon: "8m", nodes: [(names: "n-{{1..2}}", lease_offset: "3s", status_offset: "4s")],
            timing: Custom(request: "5ms", response: "5ms", watch: "1ms", kubelet: Imitated({repost}), user: Raw),
            pods: [(name: "web", on: Node("n-1"){more})],
            timeline: [(at: "61s", do: Partition(node: "n-1", duration: "60s"))]"#
        );
        said("never-ready", &story)
    };
    let told = "repost_pod_ready: false";
    let [plain] = &of(told, "")[..] else { panic!("it is violated without a probe") };
    assert!(
        plain.contains(" still is at 4m34s although n-1 has been healthy since 2m4s"),
        "{plain}"
    );
    assert_eq!(&of(told, ", livenessProbe: ()")[..], std::slice::from_ref(plain));
    let later = plain.replace("at 4m34s", "at 4m54s");
    assert_eq!(of(told, ", readinessProbe: (periodSeconds: 10)"), [later]);
    // Its probe may not have come by the end of the run, and a container that fails has its pod be not ready by itself.
    assert_eq!(of(told, ", readinessProbe: (periodSeconds: 600)"), [""; 0]);
    assert_eq!(of(told, r#", livenessProbe: (), serves_for: "1h""#), [""; 0]);
    assert_eq!(of("", ", livenessProbe: ()"), [""; 0], "a kubelet that looks again");
}
