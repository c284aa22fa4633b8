//! Why an expectation fails: what `taintsim test` says of it.

use super::{Scratch, unfolded};

/// What a test of a scenario says, of expectations that fail.
fn said_of_failures(text: &str) -> String {
    let dir = Scratch::new();
    dir.write("f.ron", text);
    let tested = dir.call(&["test", "f.ron"]);
    assert_eq!(tested.code, 1, "{}{}", tested.stdout, tested.stderr);
    unfolded(&tested.stdout)
}

/// Two StatefulSets of one pod are on a node that is cut off from 10m to 15m, and a pod without a workload is on one that is lost for
/// good at 20m of 30m. One or more is below its need for 5 + 10 minutes, none for longer than 10 at a stretch, and those of a
/// workload for no longer than 5. By the API it lacks the pod from 40 s to 55 s after that on, when its node is Unknown: 50 s after the last
/// renewal of its lease, one each 10 s, and there is a pass every 5 s.
#[test]
fn all_are_pods_without_a_workload_too() {
    let scenario = |expect: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "30m", nodes: [(names: "a-{{0..1}}", zone: "a")],
    workloads: [StatefulSet(name: "x", replicas: 1, placement: Node("a-0")), StatefulSet(name: "y", replicas: 1, placement: Node("a-0"))],
    pods: [(name: "one", on: Node("a-1"))],
    timeline: [(at: "10m", name: "cut", do: Partition(node: "a-0", duration: "5m")), (at: "20m", name: "lost", do: Crash(node: "a-1"))],
    expect: [{expect}])"#
        )
    };
    let dir = Scratch::new();
    let met = r#"Equal(of: below_need("*"), is: "15m"), Equal(of: longest_below_need("*"), is: "10m"),
        Equal(of: below_need("x"), is: "5m"), Equal(of: below_need("pods without a workload"), is: "10m"),
        AtLeast(of: available("*"), is: 3, during: ("0s", "10m")), AtLeast(of: up("*"), is: 3, during: ("0s", "9m59s")),
        AtMost(of: missing("*"), is: 2), Equal(of: available("pods without a workload"), is: 0, during: ("21m", "30m")),
        AtLeast(of: longest_gap("*"), is: "9m5s"), AtMost(of: longest_gap("pods without a workload"), is: "9m20s"),
        AtMost(of: unavailable("pods without a workload"), is: 0, during: ("0s", "20m39s"))"#;
    dir.write("all.ron", scenario(met));
    let called = dir.call(&["test", "-q", "all.ron"]);
    assert_eq!(called.code, 0, "{}", called.stdout);
    for fails in [
        r#"AtMost(of: longest_below_need("*"), is: "5m")"#,
        r#"AtMost(of: below_need("*"), is: "6m")"#,
        r#"AtMost(of: longest_gap("*"), is: "8m")"#,
        r#"AtMost(of: missing("*"), is: 0, during: ("26m", "30m"))"#,
    ] {
        let said = said_of_failures(&scenario(fails));
        let explained =
            ["why: pod default/one: ", "why: node a-1: "].iter().any(|w| said.contains(w));
        assert!(explained, "{fails}: {said}");
    }
}

/// A pod takes 2 s from binding to Ready: all three are there within the third second. Their node is lost from 5m to 12m, which is
/// said, too, however it is asked for.
#[test]
fn what_fails_at_the_start_and_later_tells_of_both() {
    for (expectation, hint) in [
        (r#"AtLeast(of: available("new"), is: 3)"#, r#"`during: ("3s", "20m")`"#),
        (r#"Equal(of: available("new"), is: 3)"#, r#"`during: ("3s", "20m")`"#),
        (
            r#"Always(AtLeast(of: available("new"), is: 3))"#,
            r#"`During(between: ("3s", "20m"), that: …)`"#,
        ),
    ] {
        let said = said_of_failures(&format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..4}}")], workloads: [Deployment(name: "new", replicas: 3)],
            timeline: [(at: "5m", do: Partition(nodes: All, duration: "7m"))], expect: [{expectation}])"#
        ));
        assert!(
            said.contains(&format!("before its pods are there: {hint} leaves that out; later")),
            "{said}"
        );
        assert!(!said.contains("too few from"), "{said}");
    }
}

/// The pods end two minutes after they start, and only what is left of one is deleted.
#[test]
fn a_pod_that_has_ended_is_not_evicted() {
    let said = said_of_failures(
        r#"Scenario(version: 1, horizon: "15m", nodes: [(names: "a-{0..2}")],
        workloads: [Job(name: "sum", parallelism: 3, completions: 3, placement: Spread(All), template: (ends: (after: "2m")))],
        timeline: [(at: "5m", do: Partition(node: "a-0", duration: "8m"))], expect: [Evicted(workload: "sum")])"#,
    );
    assert!(said.contains("not evicted: it had ended at 2:0"), "{said}");
}

/// Nodes of too few cores; pods that run where they are from the start; a zone that keeps its nodes; a cordon at another time.
#[test]
fn a_reason_is_about_the_question() {
    let pods = r#"workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All))]"#;
    let large = r#"workloads: [Deployment(name: "web", replicas: 4, template: (requests: {"cpu": "100"}))]"#;
    for (pods, expectation, reason, not) in [
        (large, r#"AtLeast(of: up("web"), is: 1)"#, "Insufficient cpu", "too few from"),
        (pods, r#"Bound(workload: "web", zone: "b")"#, "2 pods were there from the start", "why:"),
        (
            pods,
            r#"PodCondition(workload: "web", type: Ready, status: Unknown)"#,
            "no condition of a pod ever becomes Unknown here",
            "why:",
        ),
        (pods, r#"Event(reason: "Unhealthy")"#, "got none; there is no probe", "why:"),
        (pods, "MasterDisruption(state: Entered)", "why: zone a", "node a-0"),
        (pods, r#"Cordoned(node: "a-0", at: "2m")"#, "at 1m", "why:"),
        (pods, r#"AtLeast(of: up("web"), is: 9)"#, "so that it cannot be met", "why:"),
    ] {
        let said = said_of_failures(&format!(
            r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..1}}", zone: "a", capacity: {{"cpu": "4", "pods": "20"}}), (names: "b-{{0..1}}", zone: "b", capacity: {{"cpu": "4", "pods": "20"}})], {pods},
            timeline: [(at: "1m", do: Cordon(node: "a-0")), (at: "5m", do: Partition(nodes: Zone("b"), duration: "12m"))], expect: [{expectation}])"#
        ));
        assert!(said.contains(reason) && !said.contains(not), "{expectation}: {said}");
    }
}

/// The node of `web` is out of reach from 5m to 12m: it is Unknown within a minute, five minutes after that the pod is evicted, and the
/// next is there two seconds later. That of `db` is drained at 9m, and the pod uses its two minutes. At the end all is well again.
#[test]
fn what_is_asked_is_how_it_stood_when_it_failed() {
    for (expectation, reason, not) in [
        (
            r#"Gone(workload: "db", before: "10m")"#,
            "it is Terminating at 10:00.000: its kubelet stops its containers, which have 120 s from 9:00.",
            "at 11m",
        ),
        (
            r#"AtMost(of: longest_gap("web"), is: "1m")"#,
            "for 1m in all, at worst 1 missing",
            "for 5m",
        ),
        (
            r#"AtMost(of: missing("web"), is: 1, longest: "30s")"#,
            "why: node n-2: no pod was evicted from it by 5:30.000; then it is silent, and that is not noticed yet",
            "too few",
        ),
        (
            r#"Whenever(that: Condition(type: Ready, status: Unknown), then: Condition(type: Ready, status: True), within: "90s")"#,
            "why: node n-2: no pod was evicted from it by 7:",
            "by 5:",
        ),
    ] {
        let said = said_of_failures(&format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20m", nodes: [(names: "n-{{0..3}}")],
            workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("n-1"), template: (terminationGracePeriodSeconds: 120, pod_stop: "5m")),
                Deployment(name: "web", replicas: 1, placement: Node("n-2"))],
            timeline: [(at: "5m", do: Partition(node: "n-2", duration: "7m")), (at: "9m", do: Drain(node: "n-1"))],
            expect: [{expectation}])"#
        ));
        let why = said.rsplit("record").next().unwrap_or_default();
        assert!(why.contains(reason) && !why.contains(not), "{expectation}: {said}");
    }
    let said = said_of_failures(
        r#"Scenario(version: 1, horizon: "4m", nodes: [(name: "n-0")], expect: [Never(BoundToCordoned)],
        timeline: [(at: "10s", do: WatchStall(resource: Nodes, duration: "3m")), (at: "20s", do: Cordon(node: "n-0")),
            (at: "2m", do: CreatePod(pod: (name: "late", on: Unbound)))])"#,
    );
    assert!(said.contains("cordoned since 20s") && !said.contains("why:"), "{said}");
}
