//! What a verdict on an expectation says: in which runs it is not met, for how long, and what of.

use std::path::Path;
use taintsim::lab::Trial;
use taintsim::lab::trial::{Held, Outcome};
use taintsim::language::Problems;
use taintsim::scenario::{Overrides, build, parse};

fn tried(text: &str) -> Result<Outcome, Problems> {
    let loaded = parse("s.ron", text.as_bytes().to_vec(), Path::new(""))?;
    let trial = Trial::new(&loaded, Overrides::default())?;
    Ok(trial.run(&|| true, &|_, _| ()).expect("nobody interrupts").0)
}

fn outcome(text: &str) -> Outcome {
    tried(text).unwrap_or_else(|p| panic!("{text}\n{p}"))
}

/// What is said of the only expectation, which fails.
fn failure(text: &str) -> String {
    let outcome = outcome(text);
    let [failure] = &outcome.failures()[..] else { panic!("{text}\n{outcome:?}") };
    failure.problem.to_string()
}

/// The zone is untainted again about when its pods' timers of 300 s run out, so that chance decides how many are evicted.
/// The second replacement is there where two of them are, and its name follows from its number.
#[test]
fn a_run_without_the_pod_that_is_meant_does_not_meet_what_asks_for_it() {
    let second = "web-vpzhh7zqb4-c5djq";
    let of = |expect: String| {
        outcome(&format!(
            r#"Scenario(version: 1, horizon: "20m", seeds: 20,
            nodes: [(names: "{{a,b}}-{{0..3}}", zone: "a"), (name: "c-0", zone: "b")],
            workloads: [Deployment(name: "web", replicas: 4)],
            timeline: [(at: "5m", name: "cut", do: Partition(nodes: Zone("a"), duration: "375s"))],
            expect: [{expect}])"#
        ))
    };
    // All in one scenario, as each of its runs answers them all.
    let failed_runs = |expect: &[String]| -> Vec<usize> {
        let outcome = of(expect.join(", "));
        let of_one = |held: &Held| match held {
            Held::Met => 0,
            Held::Failed(failure) => failure.failed_runs,
            Held::Wrong(problem) => panic!("{problem}"),
        };
        outcome.held.iter().map(of_one).collect()
    };
    let lacking = failed_runs(&[r#"AtLeast(of: evicted("web"), is: 2)"#.to_owned()])[0];
    assert!(lacking > 0 && lacking < 20, "{lacking} of 20 runs have no second one");
    let (expect, failed): (Vec<String>, Vec<usize>) = [
        (format!(r#"Created(pod: "{second}", count: 1)"#), lacking),
        (format!(r#"Created(pod: "{second}", count: "all")"#), lacking),
        (format!(r#"Created(pod: "{second}", count: 0)"#), 20 - lacking),
        (format!(r#"Created(pod: "{second}", count: "..1")"#), 0),
        (format!(r#"Pending(pod: "{second}", count: 0)"#), 0),
        (format!(r#"Order([Evicted(workload: "web"), Created(pod: "{second}")])"#), lacking),
        // Nothing comes of it that something would have to follow.
        (format!(r#"Whenever(that: Created(pod: "{second}"), then: Bound(pods: All))"#), 0),
    ]
    .into_iter()
    .unzip();
    assert_eq!(failed_runs(&expect), failed, "{expect:#?}");
    let met = (20 - lacking) as f64 / 20.0;
    for (share, fails) in [(met, false), (met + 0.01, true)] {
        let outcome = of(format!(
            r#"Mostly(in_at_least: {share:?}, that: Created(pod: "{second}", count: 1))"#
        ));
        assert_eq!(outcome.failures().len(), usize::from(fails), "{share}: {outcome:?}");
    }
    // A pod that there is in none of the runs is a mistake all the same.
    let nobody = of(r#"Created(pod: "web-nobody", count: 1)"#.to_owned());
    assert!(matches!(nobody.held[..], [Held::Wrong(_)]), "{nobody:?}");
}

/// One node after another loses its network for a minute, ten seconds apart, and a third one later: of three pods two are
/// up from 2m on, one from 2m10s to 3m, two until 3m10s; and two again from 5m to 5m30s.
#[test]
fn a_limit_that_is_broken_is_told_with_the_whole_stretch_and_the_worst_value() {
    for (expect, said) in [
        (r#"AtLeast(of: up("web"), is: 3)"#, "got 2 from 2m to 3m10s and once more, at worst 1"),
        (r#"AtLeast(of: up("web"), is: 2)"#, "got 1 from 2m10s to 3m"),
        (
            r#"AtMost(of: missing("web"), is: 0)"#,
            "got 1 from 2m to 3m10s and once more, at worst 2",
        ),
        (
            r#"Equal(of: missing("web"), is: 0, during: ("0s", "4m"))"#,
            "got 1 from 2m to 3m10s, at worst 2",
        ),
        (
            r#"AtMost(of: missing("web"), is: 2, longest: "30s")"#,
            "got 1 from 2m, and not zero until 3m10s",
        ),
        (
            r#"AtMost(of: missing("web"), is: 2, longest: "1m", during: ("2m30s", "2m40s"))"#,
            "got 1 from 2m, and not zero until 3m10s",
        ),
        (
            r#"Always(AtLeast(of: up("web"), is: 3))"#,
            r#"got otherwise from 2m to 3m10s and once more (up("web") is 1 to 2)"#,
        ),
        (
            r#"Never(During(between: ("0s", "4m"), that: AtMost(of: up("web"), is: 1)))"#,
            r#"got otherwise from 2m10s to 3m (up("web") is 1)"#,
        ),
    ] {
        let told = failure(&format!(
            r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{{0..2}}", zone: "a")],
            workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))],
            timeline: [
                (at: "2m", do: Partition(node: "a-0", duration: "1m")),
                (at: "2m10s", do: Partition(node: "a-1", duration: "1m")),
                (at: "5m", do: Partition(node: "a-2", duration: "30s")),
            ],
            expect: [{expect}])"#
        ));
        assert!(told.ends_with(said), "{expect}: {told}");
    }
}

/// Its pods are made one after the other: 0, 1, 2, 3 and 4 of them, of which 0 and 1, and then 3 and 4, are not 2.
#[test]
fn what_comes_later_is_told_with_the_worst_value_too() {
    let told = failure(
        r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "a-{0..2}")],
        workloads: [StatefulSet(name: "db", replicas: 4)],
        expect: [Equal(of: available("db"), is: 2)])"#,
    );
    assert!(told.contains("before its pods are there"), "{told}");
    assert!(
        told.contains("; later it is 3 from ") && told.ends_with(" to 10m, at worst 4"),
        "{told}"
    );
}

/// Zone b crashes for ten minutes, and its two pods are evicted, one from each node. Those of zone a, the replacements
/// among them, never were on it.
#[test]
fn all_of_a_place_are_the_pods_that_were_there() {
    let text = |expect: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "30m",
            nodes: [(names: "a-{{0..4}}", zone: "a"), (names: "b-{{0..1}}", zone: "b")],
            workloads: [
                Deployment(name: "web", replicas: 7, placement: Spread(All)),
                Deployment(name: "patient", replicas: 1, placement: Node("b-0"), template: (
                    tolerations: [(operator: Exists, effect: NoExecute)],
                )),
            ],
            timeline: [(at: "12m", do: Crash(nodes: Zone("b"), duration: "10m"))],
            expect: [{expect}])"#
        )
    };
    for met in [
        r#"Evicted(workload: "web", zone: "b", count: "all")"#,
        r#"TimerSet(workload: "web", zone: "b", count: "all")"#,
        // They leave in the course of the stretch.
        r#"Evicted(workload: "web", zone: "b", count: "all", during: ("13m", "30m"))"#,
    ] {
        assert!(outcome(&text(met)).held == [Held::Met], "{met}");
    }
    let told = failure(&text(r#"Evicted(pods: All, zone: "b", count: "all")"#));
    let none = told.split_once("got none of default/patient-").map(|(_, name)| name);
    assert!(none.is_some_and(|name| !name.contains("others")), "{told}");
}

/// Two pods are evicted, at 2m and at 3m20s, and what replaces them is bound at 3m30s and at 9m30s, when a node for it is
/// free: the second one is followed after ten seconds, and nothing comes within a minute of the first.
#[test]
fn what_comes_too_late_for_one_follows_another() {
    let told = failure(
        r#"Scenario(version: 1, horizon: "30m",
        nodes: [(names: "{a,b,c}-{0..1}", zone: "a", capacity: {"cpu": "1"})],
        workloads: [Deployment(
            name: "web", replicas: 2, placement: Nodes(["a-0", "a-1"]), template: (requests: {"cpu": "1"}),
        )],
        timeline: [
            (at: "1m", do: Cordon(nodes: Nodes(["b-{0..1}", "c-{0..1}"]))),
            (at: "2m", do: Taint(node: "a-0", taint: "x=y:NoExecute")),
            (at: "3m20s", do: Taint(node: "a-1", taint: "x=y:NoExecute")),
            (at: "3m30s", do: Uncordon(node: "b-0")),
            (at: "9m30s", do: Uncordon(node: "c-0")),
        ],
        expect: [Whenever(
            that: Evicted(workload: "web"), then: Bound(workload: "web"), each: Workload, within: "60s",
        )])"#,
    );
    assert!(told.contains("none after default/web-") && told.contains("-0, at 2m0.0"), "{told}");
    assert!(told.contains(" (the next came at 3m30") && !told.contains("nor after"), "{told}");
}

/// The scheduler binds the pods of a workload after they are created; the timeline creates one that is bound, and another
/// that is not.
#[test]
fn a_pod_that_is_bound_later_is_created_in_no_place() {
    let text = |expect: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "20m",
            nodes: [(names: "a-{{0..3}}", zone: "a"), (name: "b-0", zone: "b")],
            workloads: [Deployment(name: "web", replicas: 4), DaemonSet(name: "agent")],
            timeline: [
                (at: "15m", do: CreatePod(pod: (name: "bound", on: Node("a-0"), labels: {{"app": "one"}}))),
                (at: "15m", do: CreatePod(pod: (name: "free", on: Unbound))),
            ],
            expect: [{expect}])"#
        )
    };
    for (selected, may) in [
        (r#"workload: "web", zone: "a""#, false),
        (r#"workload: "agent", node: "a-0""#, false),
        (r#"pod: "free", nodes: All"#, false),
        (r#"label: "app=web", zone: "a""#, false),
        (r#"pod: "bound", zone: "a""#, true),
        (r#"label: "app=one", zone: "a""#, true),
        (r#"pods: All, zone: "a""#, true),
        (r#"zone: "a""#, true),
    ] {
        let one = text(&format!("Created({selected}, count: 1)"));
        match tried(&one) {
            Ok(outcome) => assert!(may && outcome.held == [Held::Met], "{selected}: {outcome:?}"),
            Err(problem) => {
                let said = problem.to_string();
                assert!(!may && said.contains("on no node yet"), "{selected}: {said}");
            }
        }
    }
    let of = |each: &str| {
        text(&format!(r#"Whenever(that: Created(workload: "web"), then: Bound(), each: {each})"#))
    };
    let refused = tried(&of("Node")).expect_err("they are on none").to_string();
    assert!(refused.contains("on no node yet"), "{refused}");
    assert!(tried(&of("Object")).is_ok());
}

/// Both nodes of zone b are NotReady once they are cut off, and one of them alone is not all.
#[test]
fn an_event_of_each_node_that_is_selected_is_looked_for() {
    let held = |nodes: &str| {
        let text = format!(
            r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "b-{{0..1}}", zone: "b")],
            timeline: [(at: "1m", do: Partition(nodes: {nodes}))],
            expect: [Event(reason: "NodeNotReady", node: "b-*", count: "all")])"#
        );
        tried(&text).expect("it is one").held == [Held::Met]
    };
    assert!(held("All"));
    assert!(!held(r#"Nodes(["b-0"])"#));
}

/// What no run could violate would be met, or not, whatever happens.
#[test]
fn a_property_that_there_is_not_is_found_without_a_run() {
    for (name, words) in [
        ("pod-stukc", "did you mean pod-stuck?"),
        ("pod-stuck(10)", "the bound of pod-stuck: "),
        ("pod-stuck(-1s)", "the bound of pod-stuck: "),
        ("runs-twice(1s)", "runs-twice has no bound"),
        ("expect", "no single run violates `expect`"),
        ("deterministic", "no single run violates `deterministic`"),
    ] {
        for word in ["Never", "Violates"] {
            let text = format!(
                r#"Scenario(version: 1, horizon: "1m", nodes: [(name: "a")], expect: [{word}(Property("{name}"))])"#
            );
            let loaded = parse("s.ron", text.into_bytes(), Path::new("")).expect("it is read");
            let problems = build(&loaded, &Overrides::default()).expect_err(name).to_string();
            assert!(problems.contains(words), "{word} {name}: {problems}");
        }
    }
}

/// The pod has to go at 40 s, five deletions are refused, and it is overdue before 2m, until a user deletes it at 3m.
#[test]
fn a_violation_that_lasts_is_one_in_each_time_that_it_lasts_in() {
    let of = |expect: &str| {
        outcome(&format!(
            r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "5m", nodes: [(name: "node-1")],
            pods: [(name: "web", on: Node("node-1"),
                tolerations: [(key: "k", operator: Exists, effect: NoExecute, tolerationSeconds: 30)])],
            timeline: [
                (at: "10s", do: Taint(node: "node-1", taint: "k:NoExecute")),
                (at: "39.9s", do: ApiOutage(duration: "1s")),
                (at: "3m", do: DeletePod(pod: "web")),
            ],
            expect: [{expect}])"#
        ))
    };
    for (between, is_violated) in [
        (r#"("41s", "1m30s")"#, false),
        (r#"("41s", "2m")"#, true),
        (r#"("2m", "2m30s")"#, true),
        (r#"("3m1s", "5m")"#, false),
    ] {
        let during = format!("(During(between: {between}, that: PodStuck))");
        let failures =
            ["Never", "Violates"].map(|kind| of(&format!("{kind}{during}")).failures().len());
        assert_eq!(failures, [usize::from(is_violated), usize::from(!is_violated)], "{between}");
    }
}

/// `web` is scaled at 1m, `api` 5 s later. Workloads, nodes and pods are numbered each from zero, and pods of a
/// StatefulSet have one name: the countdown of db-0 of 2m ends with it at 3m, and its successor is evicted at 10m.
#[test]
fn what_follows_is_of_the_same_one_by_its_kind_and_its_life() {
    let scaled = |of: &str| {
        format!(r#"Event(reason: "ScalingReplicaSet", object: "Deployment/default/{of}")"#)
    };
    let made = |of: &str| {
        format!(
            r#"Event(reason: "SuccessfulCreate", object: "ReplicaSet/default/{of}*", during: ("0s", "5m"))"#
        )
    };
    let timer = r#"TimerSet(pod: "db-0", during: ("0s", "5m"))"#;
    let node = |i| format!(r#"Event(reason: "NodeNotReady", object: "Node/b-{i}")"#);
    let whenever =
        |that: &str, then: &str, more: &str| format!("Whenever(that: {that}, then: {then}{more})");
    let of_workload = r#", each: Workload, within: "60s""#;
    let mut all = vec![
        (whenever(&scaled("web"), &made("web"), of_workload), true),
        (whenever(&scaled("web"), &made("api"), of_workload), false),
        (whenever(&made("web"), r#"Phase(phase: Running, workload: "web")"#, of_workload), true),
        (whenever(&scaled("web"), &made("web"), ""), false),
        (whenever(timer, "Evicted()", ""), false),
        (whenever(timer, "Evicted()", ", each: Workload"), true),
        (whenever(timer, "Gone()", ""), true),
    ];
    all.extend((0..3).map(|i| (whenever(&made("web"), &node(i), ""), false)));
    let expect: Vec<&str> = all.iter().map(|one| &*one.0).collect();
    let held = outcome(&format!(
        r#"Scenario(version: 1, horizon: "20m",
        nodes: [(names: "b-{{0..2}}", zone: "b"), (names: "a-{{0..3}}", zone: "a")],
        workloads: [
            Deployment(name: "web", replicas: 2, placement: Spread(Zone("a"))),
            Deployment(name: "api", replicas: 2, placement: Spread(Zone("a"))),
            StatefulSet(name: "db", replicas: 1, placement: Node("b-0")),
        ],
        timeline: [
            (at: "1m", do: Scale(workload: "web", replicas: 3)),
            (at: "1m5s", do: Scale(workload: "api", replicas: 3)),
            (at: "1m30s", do: Crash(nodes: Zone("b"), duration: "3m")),
            (at: "3m", do: DeletePod(pod: "db-0", gracePeriodSeconds: 0)),
            (at: "10m", do: Taint(nodes: All, taint: "k=v:NoExecute")),
        ],
        expect: [{}])"#,
        expect.join(", ")
    ))
    .held;
    for ((expect, is_met), held) in all.iter().zip(&held) {
        assert_eq!(matches!(held, Held::Met), *is_met, "{expect}: {held:?}");
    }
}

/// A drain at 2m makes db-0 anew, which nothing has room for until 5m; it is bound then, and its containers take 2m to start. At 10m
/// it is deleted, and the next one is bound within seconds.
#[test]
fn why_a_pod_waits_is_over_once_it_is_bound_or_another() {
    let pending = |at: &str, more: &str| format!(r#"Pending(pod: "db-0", at: "{at}", {more})"#);
    let expect = [
        pending("4m", r#"count: 1, reason: "unschedulable""#),
        pending("6m", "count: 1"),
        pending("6m", r#"count: 0, reason: "unschedulable""#),
        pending("11m", "count: 1"),
        pending("11m", r#"count: 0, reason: "unschedulable""#),
    ];
    let outcome = outcome(&format!(
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "a-{{0..1}}", zone: "a")],
        workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("a-0"), template: (pod_start: "2m"))],
        timeline: [
            (at: "1m", do: Cordon(node: "a-1")),
            (at: "2m", do: Drain(node: "a-0")),
            (at: "5m", do: Uncordon(node: "a-0")),
            (at: "10m", do: DeletePod(pod: "db-0")),
        ],
        expect: [{}])"#,
        expect.join(", ")
    ));
    assert_eq!(outcome.held, vec![Held::Met; expect.len()]);
}

/// The pod of the lost zone is evicted at some 10m46s, so that at 20m it is not over whether it is gone within 10m, which it is not.
#[test]
fn what_has_to_follow_after_the_end_asks_for_a_longer_run() {
    let of = |horizon: &str| {
        outcome(&format!(
            r#"Scenario(version: 1, horizon: "{horizon}",
            nodes: [(names: "a-{{0..3}}", zone: "a"), (names: "b-{{0..1}}", zone: "b")],
            workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("b-0"))],
            timeline: [(at: "5m", do: Crash(nodes: Zone("b")))],
            expect: [Whenever(that: Evicted(workload: "db"), then: Gone(), within: "10m")])"#
        ))
    };
    let told = format!("{:?}", of("20m"));
    for part in ["even after the first, at 10m4", "make `horizon` longer"] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(of("21m").failures().len(), 1);
}

/// Two pods tolerate the taint of 5m for 60 s, and are evicted at 6m and some nanoseconds, one after the other: from 6m on no
/// timer runs, and both are Terminating and replaced.
#[test]
fn figures_go_by_the_millisecond() {
    for (expect, is_met) in [
        (r#"AtMost(of: timers("web"), is: 0, during: ("6m", "20m"))"#, true),
        (r#"AtLeast(of: timers("web"), is: 2, during: ("5m", "5m59.999s"))"#, true),
        (r#"AtLeast(of: timers("web"), is: 2, during: ("5m", "6m"))"#, false),
        (r#"Equal(of: evicted("web"), is: 2, during: ("0s", "6m"))"#, true),
        (r#"AtMost(of: evicted("web"), is: 0, during: ("0s", "5m59.999s"))"#, true),
        (r#"Never(During(between: ("6m", "20m"), that: AtLeast(of: timers("web"), is: 1)))"#, true),
        (r#"Never(Equal(of: timers("web"), is: 1))"#, true),
        (
            r#"Always(AnyOf([AtMost(of: evicted("*"), is: 0), AtMost(of: timers("web"), is: 0)]))"#,
            true,
        ),
    ] {
        let held = outcome(&format!(
            r#"Scenario(version: 1, horizon: "20m", timing: Ideal, nodes: [(names: "a-{{0..3}}", zone: "a")],
            workloads: [Deployment(name: "web", replicas: 2, placement: Node("a-0"), template: (
                tolerations: [(key: "k", operator: Exists, effect: NoExecute, tolerationSeconds: 60)],
            ))],
            timeline: [(at: "5m", do: Taint(node: "a-0", taint: "k=v:NoExecute"))],
            expect: [{expect}])"#
        ))
        .held;
        assert_eq!(matches!(held[..], [Held::Met]), is_met, "{expect}: {held:?}");
    }
}
