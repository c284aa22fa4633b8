//! `explain`: two taints at once, nodes that go and come back, tolerations that change, budgets that
//! refuse for good, and what is told up to a time.

use super::Scratch;
use super::explain::{by, json, remedies, scenario, steps, verdict};
use serde_json::Value;

/// The texts of what would have changed it.
fn advice(document: &Value) -> String {
    document["would_have_changed_it"].to_string()
}

/// k1 and k2 are tolerated for 100 s and 200 s from 1:00 on. If k2 goes at 10:00, 540 s of both are
/// needed: neither alone is enough, as the least of them counts (`getMinTolerationTime`). If none
/// goes, both have to be for ever.
#[test]
fn with_two_taints_both_tolerations_count() {
    let scratch = Scratch::new();
    let text = |more: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "40m", kubernetes: "1.34", timing: Ideal,
            nodes: [(names: "a-{{0..1}}", zone: "a")],
            pods: [(name: "p", on: Node("a-0"), tolerations: [
                (key: "k1", operator: Exists, effect: NoExecute, tolerationSeconds: 100),
                (key: "k2", operator: Exists, effect: NoExecute, tolerationSeconds: 200)])],
            timeline: [(at: "1m", do: Taint(node: "a-0", taint: ["k1=x:NoExecute", "k2=v:NoExecute"])),
                (at: "3m", do: Untaint(node: "a-0", taint: "k1:NoExecute")), {more}])"#
        )
    };
    let path =
        |key: &str, value: &str| format!("pods.p.tolerations[{key}].tolerationSeconds={value}");
    let with = |file: &str, one: &str, other: &str| {
        let (one, other) = (path("k1", one), path("k2", other));
        verdict(&scratch, &[file, "p", "--set", &one, "--set", &other])
    };
    scratch
        .write("goes.ron", text(r#"(at: "10m", do: Untaint(node: "a-0", taint: "k2:NoExecute"))"#));
    let said = advice(&json(&scratch, &["goes.ron", "p"]));
    assert!(said.contains("tolerationSeconds >= 540 for k1 and for k2"), "{said}");
    assert!(with("goes.ron", "540", "540").starts_with("not evicted"));
    assert!(with("goes.ron", "539", "540").starts_with("evicted at"));
    assert!(with("goes.ron", "540", "200").starts_with("evicted at"));
    scratch
        .write("stays.ron", text("").replace("taint: \"k1:NoExecute\"", "taint: \"k3:NoExecute\""));
    let said = advice(&json(&scratch, &["stays.ron", "p"]));
    assert!(said.contains("tolerationSeconds none, that is for ever for k1 and for k2"), "{said}");
    assert!(with("stays.ron", "none", "none").starts_with("not evicted"));
    assert!(with("stays.ron", "none", "200").starts_with("evicted at"));
}

/// The containers of a machine end with it, and no pod of restartPolicy Never starts them again
/// (`ShouldContainerBeRestarted`): whatever it tolerates, it has failed. One that starts them again stays, and so does
/// one whose node was cut off.
#[test]
fn no_toleration_keeps_a_pod_that_ends_with_its_machine() {
    let scratch = Scratch::new();
    for (fault, policy, ends) in
        [("Crash", "Never", true), ("Crash", "OnFailure", false), ("Partition", "Never", false)]
    {
        scratch.write(
            "job.ron",
            format!(
                r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "20m", nodes: [(names: "a-{{0..1}}", zone: "a")],
                workloads: [Job(name: "sum", completions: 1, placement: Nodes(["a-0"]), template: (restartPolicy: {policy}, ends: (after: "1h")))],
                timeline: [(at: "1m", do: {fault}(node: "a-0", duration: "10m"))])"#
            ),
        );
        let document = json(&scratch, &["job.ron", "sum-0"]);
        let said = advice(&document);
        let why = "no toleration would have kept it for good: it ends with its machine (restartPolicy Never): that of a-0 stopped at 1:00.000";
        assert_eq!(said.contains(why), ends, "{fault}, {policy}: {said}");
        assert_eq!(remedies(&document).is_empty(), ends, "{fault}, {policy}: {said}");
    }
}

/// The taint is seen at 60 s; the node is deleted at 75 s and there again at 85 s without it: 25 s are
/// enough, 24 are not. Where it does not come back, no toleration keeps the pod.
#[test]
fn a_node_that_is_back_has_lost_its_taint() {
    let scratch = Scratch::new();
    let text = |back: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.37", timing: Ideal, horizon: "5m", nodes: [(name: "node-1"), (name: "node-2")],
            pods: [(name: "web", on: Node("node-1"), tolerations: [(key: "m", operator: Exists, effect: NoExecute, tolerationSeconds: 20)])],
            timeline: [(at: "60s", do: Taint(node: "node-1", taint: "m:NoExecute")), (at: "75s", do: DeleteNode(nodes: Node("node-1"))) {back}])"#
        )
    };
    scratch.write("back.ron", text(r#", (at: "85s", do: AddNode(node: (name: "node-1")))"#));
    let back = json(&scratch, &["back.ron", "web"]);
    let [set] = &remedies(&back)[..] else { panic!("{back}") };
    assert_eq!(set, "pods.web.tolerations[m].tolerationSeconds=25");
    assert!(verdict(&scratch, &["back.ron", "web", "--set", set]).starts_with("not evicted"));
    assert!(
        verdict(&scratch, &["back.ron", "web", "--set", &by(set, -1)]).starts_with("evicted at")
    );
    let told = steps(&back);
    let deleted =
        told.iter().find(|s| s.1.contains("node-1 deleted") || s.1.contains("node-1: deleted"));
    assert!(deleted.is_some_and(|s| s.0.round() == 75.0), "{told:?}");
    scratch.write("gone.ron", text(""));
    let said = advice(&json(&scratch, &["gone.ron", "web"]));
    assert!(said.contains("no toleration would have kept it"), "{said}");
}

/// scenarios/races/longer-toleration-ignored.ron: what was lengthened at 20 s is told, and no
/// toleration is advised, as it is not the scenario's one that decides in the end.
#[test]
fn tolerations_that_change_meanwhile_are_told() {
    let scratch = Scratch::new();
    let document = json(&scratch, &[&scenario("races/longer-toleration-ignored.ron"), "pod/web"]);
    let changed = steps(&document).into_iter().find(|s| s.1.contains("its tolerations change"));
    assert!(changed.is_some_and(|s| s.0.round() == 20.0), "{document}");
    assert!(!advice(&document).contains("toleration"), "{document}");
}

/// scenarios/races/restart-resets-countdown.ron: tainted at 10 s, the countdown dies with the process
/// at 30 s, and the new one has its own of 30 s from 35 s on.
#[test]
fn a_countdown_that_died_is_told_where_the_new_process_knows_no_taint_record() {
    let scratch = Scratch::new();
    let document = json(&scratch, &[&scenario("races/restart-resets-countdown.ron"), "pod/web"]);
    let told = steps(&document);
    let at = |seconds: f64| told.iter().any(|s| (s.0 - seconds).abs() < 0.5);
    assert!([10.0, 30.0, 35.0].into_iter().all(at), "{told:?}");
}

/// Two budgets over one pod: 500, which kubectl does not try again (`pkg/drain/drain.go`).
#[test]
fn what_is_refused_for_good_is_not_said_to_be_tried_again() {
    let scratch = Scratch::new();
    scratch.write(
        "two.ron",
        r#"Scenario(version: 1, horizon: "5m", kubernetes: "1.34", nodes: [(name: "a-0"), (name: "b-0")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Nodes(["a-0", "b-0"]))],
        podDisruptionBudgets: [(name: "web", selector: (matchLabels: {"app": "web"}), minAvailable: 2),
            (name: "web2", selector: (matchLabels: {"app": "web"}), minAvailable: 0)],
        timeline: [(at: "1m", do: Drain(node: "a-0", timeout: "2m"))])"#,
    );
    let node = json(&scratch, &["two.ron", "node/a-0"]);
    let refused = steps(&node).into_iter().find(|s| s.1.contains("refused (500)"));
    assert!(refused.is_some_and(|s| s.2 == "kubectl does not try again"), "{node}");
    let said = node["verdict"].as_str().expect("a text");
    assert!(said.contains("is one of several over one pod, so that its drain fails"), "{said}");
    let summary = scratch.call(&["run", "two.ron", "--summary"]).stdout;
    assert!(summary.contains("refused evictions 1, for good"), "{summary}");
}

/// Zone b is silent for 35 s, and the grace period is 50 s (1.34).
#[test]
fn a_silence_within_the_grace_period_is_told_of_zone_and_node() {
    let scratch = Scratch::new();
    scratch.write(
        "z.ron",
        r#"Scenario(version: 1, horizon: "5m", kubernetes: "1.34",
        nodes: [(names: "a-{0..1}", zone: "a"), (names: "b-{0..1}", zone: "b")],
        workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All))],
        timeline: [(at: "2m", do: Partition(nodes: Zone("b"), duration: "35s"))])"#,
    );
    for object in ["zone/b", "node/b-0"] {
        let document = json(&scratch, &["z.ron", object]);
        let said = document["verdict"].as_str().expect("a text");
        let grace = "silent for up to 35s, within --node-monitor-grace-period=50s";
        assert!(said.contains(grace), "{object}: {said}");
        let silent = steps(&document).into_iter().find(|s| s.1.contains("silent"));
        assert!(silent.is_some_and(|s| s.0.round() == 120.0), "{document}");
    }
    let other = verdict(&scratch, &["z.ron", "zone/a"]);
    assert!(other.starts_with("none of its nodes was silent"), "{other}");
}

/// Times are printed to the millisecond, cut off: one that is copied takes in what happened in it.
#[test]
fn a_time_that_is_copied_takes_in_its_millisecond() {
    let scratch = Scratch::new();
    let file = scenario("zone-partition.ron");
    let said = verdict(&scratch, &[&file, "db-2"]);
    let at = said.strip_prefix("evicted at ").and_then(|s| s.split(' ').next()).expect("when");
    assert!(verdict(&scratch, &[&file, "db-2", "--at", at]).starts_with("evicted at "), "{at}");
}

/// Two values for the seed, of which one alone would count.
#[test]
fn an_option_and_a_set_of_the_same_are_refused() {
    let scratch = Scratch::new();
    let file = scenario("zone-partition.ron");
    for (option, value, set) in
        [("--seed", "6", "seed=5"), ("--kubernetes", "1.33", "kubernetes=1.34")]
    {
        let called = scratch.call(&["run", &file, option, value, "--set", set]);
        assert_eq!(called.code, 2, "{}", called.stdout);
        assert!(called.stderr.contains("has values twice"), "{}", called.stderr);
    }
}

/// db-0 is shut down with its node at 1:00 and has 25 s; it is bound elsewhere then, and its disk stays
/// with the machine that went off until 6 minutes are over (`maxWaitForUnmountDuration`).
#[test]
fn a_pod_of_the_same_name_that_waits_for_its_disk_is_told() {
    let scratch = Scratch::new();
    scratch.write(
        "off.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "30m", nodes: [(names: "n-{0..2}", zone: "a")],
        flags: (kubelet: {"shutdown-grace-period": "60s", "shutdown-grace-period-critical-pods": "10s"}),
        workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("n-0"), template: (pod_stop: "25s", volumes: [(claim: "10Gi")]))],
        timeline: [(at: "1m", do: Shutdown(node: "n-0", duration: "20m"))])"#,
    );
    let said = verdict(&scratch, &["off.ron", "db-0", "--at", "5m"]);
    assert!(said.contains("as n-0 was told to go off"), "{said}");
    assert!(said.contains("the one of its name after it: bound to n-"), "{said}");
    assert!(said.contains("not started by 5:00"), "{said}");
    let later = verdict(&scratch, &["off.ron", "db-0"]);
    assert!(!later.contains("after it"), "{later}");
}

/// db-0 is gone at 1:30.026. That is seen a millisecond later, and a request takes 5 ms: the next is made at 1:30.032, bound at
/// 1:30.038, and seen there at 1:30.039, where the entry of the one before is in the way of its timer.
#[test]
fn a_pod_of_the_same_name_that_stays_is_told() {
    let rapid = scenario("rapid.ron");
    let said = verdict(&Scratch::new(), &[rapid.as_str(), "db-0", "--set", "horizon=400s"]);
    let again = "; the one of its name after it: not evicted: at 1:30.039 it was to be, but an entry of an earlier eviction";
    assert!(said.starts_with("evicted at 1:30.026 from node-1;"), "{said}");
    assert!(said.contains(again), "{said}");
}

/// A pod of a ReplicaSet that is bound at once takes 2 s to start by `timing: Ideal`: at 1 s it is
/// Pending, and not because of taints.
#[test]
fn a_pod_that_starts_is_said_to() {
    let scratch = Scratch::new();
    scratch.write(
        "new.ron",
        r#"Scenario(version: 1, horizon: "2m", kubernetes: "1.34", timing: Ideal, nodes: [(name: "a")], workloads: [Deployment(name: "web", replicas: 1)],
        expect: [Pending(at: "0.9s", count: 0)])"#,
    );
    let said = scratch.call(&["test", "new.ron"]).stdout;
    assert!(
        said.contains("bound to a at 0:00.") && said.contains("its containers start"),
        "{said}"
    );
}

/// The countdown of 20 s begins at 1:00, and the taint goes at 2:00: 60 s are enough, unless the timeline takes the pod away at
/// 1:30, which no seconds change. At 2:30 they have kept it from the taint.
#[test]
fn no_toleration_keeps_a_pod_that_the_timeline_takes_away() {
    let scratch = Scratch::new();
    let told = |more: &str| {
        scratch.write(
            "more.ron",
            format!(
                r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "5m", nodes: [(name: "a-0"), (name: "a-1")],
                pods: [(name: "p", on: Node("a-0"), tolerations: [(key: "m", operator: Exists, effect: NoExecute, tolerationSeconds: 20)])],
                timeline: [(at: "1m", do: Taint(node: "a-0", taint: "m:NoExecute")), (at: "70s", do: Partition(node: "a-0", duration: "35s")),
                    (at: "2m", do: Untaint(node: "a-0", taint: "m:NoExecute")), {more}])"#
            ),
        );
        json(&scratch, &["more.ron", "p"])
    };
    let drain = |at: &str| format!(r#"(at: "{at}", do: Drain(node: "a-0", force: true))"#);
    for more in [String::new(), drain("150s")] {
        assert_eq!(remedies(&told(&more)), ["pods.p.tolerations[m].tolerationSeconds=60"]);
    }
    let delete = r#"(at: "90s", do: DeletePod(pods: Group("p"), gracePeriodSeconds: 0))"#;
    for (more, why) in [
        (drain("90s"), "a-0 was drained at 1:30.000"),
        (delete.to_owned(), "it was deleted by the user at 1:30.000"),
    ] {
        let document = told(&more);
        let said = advice(&document);
        assert!(
            said.contains(&format!("no toleration would have kept it for good: {why}")),
            "{said}"
        );
        assert!(remedies(&document).is_empty(), "{said}");
    }
}

/// A status is reported every 5 minutes, here between the last renewal and the cut at 4:57. The first pass that sees it forgets the
/// lease, and the one 5 s later takes that for renewed (`tryUpdateNodeHealth`): 5 to 10 s after the report, which is told
/// to the second.
#[test]
fn a_status_report_after_the_last_renewal_is_the_last_heartbeat() {
    let scratch = Scratch::new();
    scratch.write(
        "one.ron",
        r#"Scenario(version: 1, horizon: "7m", kubernetes: "1.34", nodes: [(names: "a-{0..2}", zone: "a"), (names: "b-{0..2}", zone: "b")],
        timeline: [(at: "4m57s", do: Partition(nodes: Zone("b")))])"#,
    );
    let document = json(&scratch, &["one.ron", "node/b-0", "--seed", "17"]);
    let told = steps(&document);
    let at = |text: &str| told.iter().find(|s| s.1.contains(text)).expect(text).0;
    let renewed = at("the last but one heartbeat of b-0 that arrives: its lease");
    let reported = at("the last heartbeat of b-0 that arrives: its status");
    let begins = at("its grace period begins");
    assert!((renewed..297.0).contains(&reported), "{told:?}");
    assert!((5.0..11.0).contains(&(begins - reported)), "{told:?}");
}

/// The pass of 1:05 is the last that finds a heartbeat, and at 6:10.632 the node is Ready again: with a second for the
/// news 306.632 s, as passes ask for more than the grace period (`tryUpdateNodeHealth`). That of 6:10 finds 305 s.
#[test]
fn the_grace_period_that_is_named_is_not_by_a_pass_too_long() {
    let scratch = Scratch::new();
    scratch.write(
        "cut.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "10m", nodes: [(names: "n-{0..2}")],
        timeline: [(at: "61s", do: Partition(node: "n-0", duration: "5m"))])"#,
    );
    let told = |set: &str| json(&scratch, &["cut.ron", "node/n-0", "--set", set]);
    let grace = |of: &str| format!("flags.kube-controller-manager.node-monitor-grace-period={of}");
    assert_eq!(remedies(&told(&grace("50s"))), [grace("5m7s")]);
    for (of, is_unknown) in [("5m7s", false), ("5m4s", true)] {
        let all = steps(&told(&grace(of)));
        assert_eq!(all.iter().any(|s| s.1.contains("Ready is Unknown")), is_unknown, "{all:?}");
    }
}

/// `w-1` tolerates the taint of 1:00 for 20 s, and it goes at 2:00: 60 s are enough. What people do with its workload, or its
/// node, at 1:25 takes it away whatever it tolerates, unless it is one of those that are still asked for, or that stay as
/// orphans.
#[test]
fn no_toleration_keeps_a_pod_that_its_workload_no_longer_asks_for() {
    let scratch = Scratch::new();
    let told = |more: &str| {
        scratch.write(
            "more.ron",
            format!(
                r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "5m", nodes: [(names: "a-{{0..2}}")],
                workloads: [StatefulSet(name: "w", replicas: 3, placement: Spread(All), template: (terminationGracePeriodSeconds: 0,
                    tolerations: [(key: "m", operator: Exists, effect: NoExecute, tolerationSeconds: 20)]))],
                timeline: [(at: "1m", do: Taint(node: "a-1", taint: ["m:NoExecute", "c:NoSchedule"])), (at: "85s", do: {more}),
                    (at: "2m", do: Untaint(node: "a-1", taint: "m:NoExecute"))])"#
            ),
        );
        json(&scratch, &["more.ron", "w-1", "--at", "84s"])
    };
    for more in [
        r#"Scale(workload: "w", replicas: 2)"#,
        r#"DeleteWorkload(workload: "w", cascade: Orphan)"#,
        r#"Maintain(node: "a-0", off: "10s")"#,
    ] {
        let set = "workloads.w.template.tolerations[m].tolerationSeconds=60";
        assert_eq!(remedies(&told(more)), [set], "{more}");
    }
    let set = "StatefulSet default/w was";
    for (more, why) in [
        (r#"Scale(workload: "w", replicas: 0)"#, format!("{set} scaled to 0 at 1:25.000")),
        (r#"Scale(workload: "w", replicas: 1)"#, format!("{set} scaled to 1 at 1:25.000")),
        (r#"DeleteWorkload(workload: "w")"#, format!("{set} deleted at 1:25.000")),
        (
            r#"Maintain(node: "a-1", off: "10s")"#,
            "a-1 was drained for maintenance at 1:25.".to_owned(),
        ),
    ] {
        let document = told(more);
        let said = advice(&document);
        let kept = format!("no toleration would have kept it for good: {why}");
        assert!(said.contains(&kept), "{more}: {said}");
        assert!(remedies(&document).is_empty(), "{said}");
    }
}
