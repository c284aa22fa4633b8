//! `taintsim explore`: each violation has a tape, a scenario and a report of its own, and none is the search's own doing.

use super::{Scratch, repository, unfolded};
use std::fs;

/// Beside the race of `db-0`, which takes another order than the usual one, there is a pod whose eviction is refused
/// for 65 s whatever the order: five tries in a minute. It is stuck a minute after that, at 170 s + 65 s + 60 s. Each violation
/// has its own tape and its own report.
#[test]
fn a_race_is_not_taken_for_what_happens_anyway() {
    let dir = Scratch::new();
    let text = fs::read_to_string(repository().join("scenarios/rapid.ron")).unwrap();
    let (before, _) = text.split_once("golden: ").expect("a golden timeline");
    let both = before
        .replacen("horizon: \"170s\"", "horizon: \"5m\"", 1)
        .replacen(
            "nodes: [(name: \"node-1\")]",
            r#"nodes: [(name: "node-1"), (name: "node-2", taints: ["y:NoSchedule"])],
               pods: [(name: "other", tolerations: [(key: "y", operator: Exists)], on: Node("node-2"))]"#,
            1,
        )
        .replacen(
            "timeline: [",
            r#"timeline: [
                (at: "160s", do: Untaint(node: "node-1", taint: "maintenance:NoExecute")),
                (at: "170s", do: TooManyRequests(duration: "65s", clients: [TaintEviction])),
                (at: "170s", do: Taint(node: "node-2", taint: "x:NoExecute")),"#,
            1,
        );
    dir.write("both.ron", both + ")");
    let hunt = ["explore", "both.ron", "-p", "pod-stuck", "--strategy", "random", "--runs", "200"];
    let found = dir.call(&[&hunt[..], &["-q", "-o", "json", "--report", "r"]].concat());
    assert_eq!(found.code, 1, "{}", found.stderr);
    let document: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let all = document["searches"][0]["violations"].as_array().unwrap();
    let of = |whose: &str| {
        let is_of = |v: &&serde_json::Value| v["text"].as_str().unwrap().starts_with(whose);
        let [violation] = &all.iter().filter(is_of).collect::<Vec<_>>()[..] else {
            panic!("{document}")
        };
        let words = |name: &str| violation[name].as_str().unwrap().to_owned();
        (violation["deviations"].as_u64().unwrap(), words("text"), words("tape"), words("report"))
    };
    let (race, anyway) = (of("default/db-0"), of("default/other"));
    assert_eq!((anyway.0, all.len()), (0, 2), "{document}");
    assert!(race.0 > 0 && race.3 != anyway.3, "{document}");
    for ((_, text, tape, report), mine, others) in
        [(&race, "\"db\"", "\"other\""), (&anyway, "\"other\"", "\"db\"")]
    {
        let shown = dir.call(&["replay", tape]);
        assert!(shown.stdout.contains(text), "{text}: {}", shown.stdout);
        let least = dir.text(&format!("{report}/scenario.ron"));
        assert!(least.contains(mine) && !least.contains(others), "{least}");
        let told = dir.text(&format!("{report}/report.md"));
        let whose = text.split_once(" is").unwrap().0;
        assert!(told.lines().next().unwrap().contains(whose), "{told}");
        // `shrink` takes the violation that the tape was written for.
        let small = dir.call(&["shrink", "-q", tape]).stdout;
        assert!(small.contains(mine) && !small.contains(others), "{small}");
    }
}

/// The eviction of x is late whatever the order; that y goes first is a matter of it.
#[test]
fn each_expectation_has_its_own_tape() {
    let dir = Scratch::new();
    dir.write(
        "two.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "2m", nodes: [(name: "a"), (name: "b")],
            pods: [(name: "x", on: Node("a")), (name: "y", on: Node("b"))],
            timeline: [(at: "1m", do: Taint(node: "a", taint: "m:NoExecute")), (at: "1m", do: Taint(node: "b", taint: "m:NoExecute"))],
            expect: [Evicted(pod: "x", before: "1m"), Order([Evicted(pod: "x"), Evicted(pod: "y")])])"#,
    );
    let hunt = ["explore", "two.ron", "-p", "expect", "--strategy", "random", "--runs", "64"];
    let found = dir.call(&[&hunt[..], &["-q"]].concat());
    let said = unfolded(&found.stdout);
    let told: Vec<&str> = said.split(" expect, with ").skip(1).collect();
    let all = found.stdout.lines().filter(|l| l.trim_start().starts_with("expect, ")).count();
    let order = told.iter().find(|t| t.contains(": Order: ")).expect("the order is otherwise");
    assert!(order.contains(" deviation") && all == 2, "{said}");
    let shown = dir.call(&["replay", "output/two-explore/expect-2.tape.ron"]);
    let told = order.split_once(": Order: ").unwrap().1;
    let told = told.split(" drawn as ").next().and_then(|t| t.split(" taintsim ").next()).unwrap();
    assert!(unfolded(&shown.stdout).contains(told), "{told}: {}", shown.stdout);
}

/// The eviction's GET waits for the 60 s after which the API server gives it up, as the search has it, and is sent again.
/// That is late, and no pod that is stuck.
#[test]
fn time_for_which_the_search_holds_up_a_request_is_nobodys_fault() {
    let dir = Scratch::new();
    dir.write(
        "held.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "4m", nodes: [(name: "a"), (name: "b")],
            workloads: [Deployment(name: "web", placement: Node("a"))],
            timeline: [(at: "1m", do: Taint(node: "a", taint: "m:NoExecute"))],
            expect: [Evicted(workload: "web", before: "119s")])"#,
    );
    let hunt = ["explore", "held.ron", "-p", "pod-stuck", "-p", "expect", "--depth", "1", "-q"];
    let found = dir.call(&[&hunt[..], &["--perturb", "request of taint-eviction"]].concat());
    assert_eq!(found.code, 1, "{}{}", found.stdout, found.stderr);
    assert!(found.stdout.contains("1 violation\n  expect, with 1 deviation, "), "{}", found.stdout);
    let said = unfolded(&found.stdout);
    assert!(said.contains(" at 2m0"), "{said}");
}

/// Each of five pods stays Ready on a node that went from False to Unknown (#112733), in the default order: one run, and one tape
/// for all of them.
#[test]
fn what_one_run_shows_of_many_pods_is_written_once() {
    let dir = Scratch::new();
    dir.write(
        "dead.ron",
        r#"(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "4m", nodes: [(names: "node-{1..2}")],
            pods: [(name: "web", count: 5, on: Node("node-1"))],
            timeline: [
                (at: "30s", do: Condition(node: "node-1", type: Ready, status: False)),
                (at: "61s", do: Crash(node: "node-1")),
            ])"#,
    );
    let hunt = ["explore", "dead.ron", "-p", "stale-ready", "--depth", "0", "-q", "-o", "json"];
    let document: serde_json::Value = serde_json::from_str(&dir.call(&hunt).stdout).unwrap();
    let all = document["searches"][0]["violations"].as_array().unwrap();
    let tape = "output/dead-explore/stale-ready-1.tape.ron";
    assert_eq!(all.iter().filter(|v| v["tape"] == tape).count(), 5, "{document}");
    assert_eq!(dir.names("output/dead-explore"), ["manifest.json", "stale-ready-1.tape.ron"]);
    let shown = dir.call(&["replay", tape]);
    for pod in 0..5 {
        let words = format!("default/web-{pod} is still Ready at 2m45s");
        assert!(unfolded(&shown.stdout).contains(&words), "{words}: {}", shown.stdout);
    }
}

/// Two events of one reason differ in their messages alone: that a device's taint is to evict a pod, or is not to any more.
#[test]
fn a_replay_tells_what_an_eviction_for_a_device_is_told() {
    let dir = Scratch::new();
    let text = fs::read_to_string(repository().join("scenarios/device-taint.ron")).unwrap();
    let (before, _) = text.split_once("    guards: ").expect("what it guards");
    dir.write("taped.ron", format!("{before}    tape: (choices: 1, deviations: []))"));
    let shown = dir.call(&["replay", "taped.ron"]);
    let said = "Normal DeviceTaintManagerEviction Marking for deletion";
    assert!(shown.stdout.contains(said), "{} {}", shown.stdout, shown.stderr);
}

/// The scheduler does not hear that its only node was cordoned at 20 s, and binds a pod there at 120 s, by the node as it was created.
#[test]
fn a_replay_tells_by_which_version_of_a_node_it_was_chosen() {
    let dir = Scratch::new();
    dir.write(
        "late.ron",
        r#"(version: 1, kubernetes: "1.34", horizon: "4m", nodes: [(name: "n-0")], tape: (choices: 1, deviations: []),
            timeline: [(at: "10s", do: WatchStall(resource: Nodes, duration: "3m")), (at: "20s", do: Cordon(node: "n-0")),
                (at: "2m", do: CreatePod(pod: (name: "late", on: Unbound)))])"#,
    );
    let shown = dir.call(&["replay", "late.ron", "-p", "bound-to-cordoned"]);
    let chosen = shown.stdout.lines().find(|line| line.contains("chooses a node for"));
    let chosen = chosen.unwrap_or_else(|| panic!("{}{}", shown.stdout, shown.stderr));
    assert!(chosen.contains("node-created n-0 (120.00"), "{chosen}");
    assert!(chosen.contains("s old, 1 change behind)"), "{chosen}");
}
