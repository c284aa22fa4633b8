//! `taintsim explore`, `replay` and `shrink`: a hunt from beginning to end, as the README tells it.

use super::{Scratch, repository, unfolded};
use std::fs;

fn with_rapid() -> Scratch {
    let dir = Scratch::new();
    dir.write("rapid.ron", fs::read(repository().join("scenarios/rapid.ron")).unwrap());
    dir
}

#[test]
fn a_hunt_from_the_scenario_to_the_smallest_one() {
    let dir = with_rapid();
    let hunt = ["explore", "rapid.ron", "--property", "pod-stuck", "--depth", "1", "-q"];
    let found = dir.call(&hunt);
    assert_eq!(found.code, 1, "{}", found.stderr);
    for words in [
        "exhausted: every run with up to 1 deviation",
        "pod-stuck(1m), with 1 deviation",
        "output/rapid-explore/pod-stuck-1.tape.ron",
    ] {
        assert!(found.stdout.contains(words), "{words}: {}", found.stdout);
    }
    // The report is the same on any number of threads; how fast it was is no part of it.
    for jobs in ["1", "3"] {
        assert_eq!(dir.call(&[&hunt[..], &["--jobs", jobs]].concat()).stdout, found.stdout);
    }
    let tape = "output/rapid-explore/pod-stuck-1.tape.ron";
    let shown = dir.call(&["replay", tape]);
    assert_eq!((shown.code, shown.stderr.as_str()), (1, ""), "it is violated again");
    let document = dir.call(&["replay", tape, "-o", "json"]).stdout;
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    // Under the names that other documents have for them.
    assert_eq!(document["scenario"], "rapid", "{document}");
    assert_eq!(document["kubernetes"].as_str().map(|release| &release[..2]), Some("1."));
    assert_eq!(
        shown.stdout.matches('↕').count(),
        1,
        "the tape has one deviation: {}",
        shown.stdout
    );
    // The step at fault is the taint that comes again, and the cancelled deletion comes before it.
    let at_fault =
        shown.stdout.lines().position(|l| l.starts_with(" ►  60.0")).expect("a step at fault");
    let cancelled = shown
        .stdout
        .lines()
        .position(|l| l.contains("timer-cancelled default/db-0"))
        .expect("the cancelled timer");
    assert!(cancelled < at_fault, "{}", shown.stdout);
    assert_eq!(dir.call(&["replay", tape]).stdout, shown.stdout);

    let shrunk = dir.call(&["shrink", tape, "--property", "pod-stuck", "--out", "small.ron", "-q"]);
    assert_eq!(shrunk.code, 0, "{}", shrunk.stderr);
    assert!(
        dir.text("small.ron").contains("Violates pod-stuck(1m) on Kubernetes 1.32"),
        "{}",
        dir.text("small.ron")
    );
    assert_eq!(dir.call(&["test", "-q", "small.ron"]).code, 0);
}

/// The untaint is written 100 ms before, a second after and 20 s before the 30 ms in which it matters, which begin when the
/// countdown ends, 10 s + 30 s. Where it is written before, no countdown ends then.
#[test]
fn a_race_is_found_where_times_are_off() {
    let dir = with_rapid();
    let hunt = |written: &str, more: &[&str]| {
        let at = format!("timeline[1].at={written}");
        let hunt =
            ["explore", "rapid.ron", "-p", "pod-stuck", "--runs", "1500", "-q", "--set", &at];
        dir.call(&[&hunt[..], more].concat())
    };
    for (written, slack) in [("39.9s", "2s"), ("41s", "2s"), ("20s", "30s")] {
        let found = hunt(written, &["--slack", slack]);
        assert_eq!(found.code, 1, "{}", found.stderr);
        let moved = found.stdout.split_once("timeline[1].at=").expect("what was moved").1;
        let moved: f64 = moved.split_once('s').unwrap().0.parse().unwrap();
        assert!((40.0..40.04).contains(&moved), "{}", found.stdout);
        let tape = "output/rapid-explore/pod-stuck-1.tape.ron";
        assert_eq!(dir.call(&["replay", tape]).code, 1, "it is violated again");
    }
    let said = |jobs: &str| hunt("39.9s", &["--slack", "2s", "--jobs", jobs]).stdout;
    assert_eq!(said("3"), said("1"));
    let still = hunt("41s", &["--slack", "0s"]);
    assert_eq!(still.code, 0, "{}", still.stdout);
}

/// Nothing happens to three nodes, and nobody is evicted. A pod that tolerates 10 s is, if its node is off for a minute: it
/// is Unknown after some 50 s.
#[test]
fn faults_are_added_and_no_more_than_that() {
    let dir = Scratch::new();
    dir.write(
        "quiet.ron",
        r#"Scenario(version: 1, horizon: "4m", nodes: [(names: "n-{0..2}", zone: "b")],
            workloads: [Deployment(name: "web", replicas: 2, template: (tolerations: [
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 10)]))],
            expect: [NotEvicted(workload: "web")])"#,
    );
    let hunt = ["explore", "quiet.ron", "-p", "expect", "-q", "--runs", "400"];
    let quiet = dir.call(&hunt);
    assert_eq!(quiet.code, 0, "{}{}", quiet.stdout, quiet.stderr);
    let found = dir.call(&[&hunt[..], &["--faults", "crash<=1"]].concat());
    assert_eq!(found.code, 1, "{}{}", found.stdout, found.stderr);
    let added = "timeline[+]=(at: \"";
    let said = unfolded(&found.stdout);
    assert!(said.contains(added) && said.contains("do: Crash("), "{said}");
    assert_eq!(dir.call(&["replay", "output/quiet-explore/expect-1.tape.ron"]).code, 1);
    for (args, words) in [
        (&["--faults", "crash of zone nowhere"][..], "--faults: there is no zone `nowhere`"),
        (&["--faults", "crash<=0"], "says no number above zero"),
        (&["--faults", "quake"], "`quake` is no fault"),
        (&["--faults", "crash", "--depth", "1"], "--strategy auto"),
        (&["--slack", "1s", "--strategy", "pct"], "--strategy auto"),
    ] {
        dir.call(&[&hunt[..], args].concat()).fails(2, &[words]);
    }
}

#[test]
fn a_replay_names_who_sent_a_request_and_what_it_read() {
    let dir = Scratch::new();
    // The pod is gone when its eviction reads it for the first time (404); the second try, 10 ms
    // later, reads the successor and deletes it.
    dir.write(
        "retried.ron",
        r#"Scenario(version: 1, kubernetes: "1.36", horizon: "1m", nodes: [(names: "n-{0..1}")],
            workloads: [StatefulSet(name: "db", replicas: 1, placement: Nodes(["n-0"]))],
            timeline: [
                (at: "20s", do: Taint(node: "n-0", taint: "m:NoExecute")),
                (at: "20.002s", do: DeletePod(pod: "db-0", gracePeriodSeconds: 0)),
            ])"#,
    );
    let found = dir.call(&["explore", "retried.ron", "-q", "--depth", "0", "-p", "wrong-pod"]);
    assert_eq!(found.code, 1, "{}", found.stderr);
    let shown = dir.call(&["replay", "output/retried-explore/wrong-pod-1.tape.ron"]);
    let who = "request of eviction:default/db-0";
    let lines = || shown.stdout.lines().filter(|l| l.contains(who));
    let place = |words: &str| {
        let all: Vec<usize> = shown
            .stdout
            .lines()
            .enumerate()
            .filter(|(_, l)| l.contains(who) && l.contains(words))
            .map(|(i, _)| i)
            .collect();
        assert_eq!(all.len(), 1, "{words}: {}", shown.stdout);
        all[0]
    };
    let failed = lines().filter(|l| l.contains(": 404 NotFound")).count();
    assert_eq!(failed, 1, "{}", shown.stdout);
    let deleted = shown.stdout.lines().position(|l| l.starts_with(" ►") && l.contains(who));
    assert!(deleted.is_some_and(|deleted| place(": 404 NotFound") < deleted), "{}", shown.stdout);
}

/// The eviction that is tried again by name: the retry loop is `deletePodHandler`, and its lines are those that docs/upstream-reports.md
/// cites.
#[test]
fn a_report_has_what_a_maintainer_needs() {
    let dir = Scratch::new();
    let scenario = repository().join("scenarios/races/successor-evicted.ron");
    dir.write("evicted.ron", fs::read(scenario).unwrap());
    let hunt = ["explore", "evicted.ron", "-p", "wrong-pod", "--depth", "0", "--runs", "1", "-q"];
    let hunt = [&hunt[..], &["--report", "reports", "-o", "json"]].concat();
    let found = dir.call(&hunt);
    assert_eq!(found.code, 1, "{}", found.stderr);
    let document: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    let folder = &document["searches"][0]["violations"][0]["report"];
    assert_eq!(folder, "reports/wrong-pod-1", "{document}");

    let report = dir.text("reports/wrong-pod-1/report.md");
    let handler = "- `pkg/controller/tainteviction/taint_eviction.go: deletePodHandler`, v1.34.4 lines 107 to 127, v1.37.1 lines 107 to 127: `request of eviction:default/db-0` at ";
    for words in [
        "# taint-eviction deleted default/db-0, which exists since ",
        "\n## What happened?\n",
        "`wrong-pod`: it must not happen that a deletion meant for one pod hits its successor of the same name.\n",
        "reads default/db-0: 404 NotFound",
        handler,
        "\n## Kubernetes version\n\n- v1.34.",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert!(
        report.find(handler) < report.find("stateful_set_control.go: updateStatefulSet"),
        "what the property is about comes first: {report}"
    );
    let least = "reports/wrong-pod-1/scenario.ron";
    assert!(report.contains(&dir.text(least)), "{report}");
    assert_eq!(dir.call(&["test", "-q", least]).code, 0, "the least scenario violates it");
    let replayed = dir.call(&["replay", least]);
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
    let rows = replayed.stdout.lines().filter(|l| l.contains("eviction:default/db-0"));
    assert!(rows.clone().count() > 2, "{}", replayed.stdout);
    rows.for_each(|row| assert!(report.contains(row.trim_end()), "{row}: {report}"));
    assert_eq!(dir.call(&["replay", "reports/wrong-pod-1/tape.ron"]).code, 1);

    // What this program wrote it replaces, and nothing else.
    assert_eq!(dir.call(&hunt).code, 1);
    assert_eq!(
        dir.text("reports/wrong-pod-1/report.md"),
        report,
        "the same search, the same bytes"
    );
    dir.write("reports/wrong-pod-1/notes.txt", "mine");
    dir.call(&hunt).fails(2, &["notes.txt"]);
    assert_eq!(dir.text("reports/wrong-pod-1/report.md"), report);
    for (more, words) in [
        (&["-p", "deterministic"][..], "takes two runs"),
        (&["--plan-shards", "2", "--out", "work"], "a work plan cannot have reports"),
    ] {
        dir.call(&[&hunt[..], more].concat()).fails(2, &[words]);
    }
}

/// #107543 is mended in 1.33: one report, which says where it was found and where not.
#[test]
fn releases_share_a_report() {
    let dir = with_rapid();
    let hunt = ["explore", "rapid.ron", "-p", "pod-stuck", "--depth", "1", "--runs", "200", "-q"];
    let found = dir.call(&[&hunt[..], &["--kubernetes", "1.31..1.33", "--report", "r"]].concat());
    assert_eq!(found.code, 1, "{}", found.stderr);
    assert_eq!(found.stdout.matches("report in r/pod-stuck-1").count(), 2, "{}", found.stdout);
    let report = dir.text("r/pod-stuck-1/report.md");
    assert!(report.starts_with("# taint-eviction: default/db-0 is still on node-1 "), "{report}");
    let (_, releases) = report.split_once("## Kubernetes version").unwrap();
    let said = |words: &str| releases.matches(words).count();
    assert_eq!([said(": found, in"), said(": not found in")], [2, 1], "{report}");
    let cited = "taint_eviction.go: processPodOnNode`, v1.31.14 lines ";
    assert!(report.contains(cited) && report.contains(", v1.32.13 lines "), "{report}");
    assert_eq!(dir.call(&["test", "-q", "r/pod-stuck-1/scenario.ron"]).code, 0);
}

#[test]
fn releases_that_do_not_have_it_are_exhausted() {
    let dir = with_rapid();
    let out = dir.call(&[
        "explore",
        "rapid.ron",
        "--property",
        "pod-stuck",
        "--depth",
        "1",
        "-q",
        "--kubernetes",
        "1.32..1.33",
    ]);
    assert_eq!(out.code, 1, "{}", out.stderr);
    let row = out
        .stdout
        .lines()
        .find(|l| l.trim_start().starts_with("pod-stuck(1m)"))
        .expect("a row for the property");
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["pod-stuck(1m)", "violated", "exhausted"]
    );
    // Where nothing is violated there is nothing to tell CI.
    let fixed = [
        "explore",
        "rapid.ron",
        "--property",
        "pod-stuck",
        "--depth",
        "1",
        "-q",
        "--kubernetes",
        "1.34",
    ];
    assert_eq!(dir.call(&fixed).code, 0);
    let json = dir.call(&[&fixed[..], &["--format", "json"]].concat());
    let document: serde_json::Value =
        serde_json::from_str(&json.stdout).expect("one JSON document");
    assert!(document.to_string().contains("exhausted"), "{document}");
}

/// The one PUT of a node's four conditions goes by the newest version; the node is queued by the version before that, and nobody else has
/// written since. The rule's controller goes by the condition of two milliseconds ago, and the agent has posted another since.
#[test]
fn a_step_is_behind_by_what_came_before_it() {
    let dir = Scratch::new();
    dir.write(
        "own.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "110s", nodes: [(name: "n-1")],
            workloads: [Deployment(name: "web", replicas: 1, placement: Node("n-1"))],
            timeline: [(at: "1m", do: Partition(node: "n-1"))], tape: (choices: 1, deviations: []))"#,
    );
    let own = dir.call(&["replay", "own.ron"]).stdout;
    let row = |shown: &str, what: &str| {
        let row = shown.lines().find(|line| line.contains(what)).unwrap_or_default();
        super::unfolded(row)
    };
    let put = row(&own, "node-condition n-1 MemoryPressure");
    assert!(put.contains(" node-created n-1 (100.201001 s old) node-condition"), "{own}");
    let queued = row(&own, "100.201501");
    assert!(queued.contains("(100.201501 s old, 1 change behind, by itself)"), "{own}");
    dir.write(
        "agent.ron",
        r#"Scenario(version: 1, kubernetes: "1.36", horizon: "3m",
            nodes: [(names: "n-{1..2}", conditions: {"CniReady": True})],
            node_readiness_rules: [(name: "cni", conditions: [(type: "CniReady", requiredStatus: True)],
                enforcementMode: Continuous, taint: "readiness.k8s.io/cni=pending:NoExecute")],
            workloads: [ReplicaSet(name: "web", replicas: 3, placement: Spread(All))],
            timeline: [
                (at: "1m", do: SetCondition(node: "n-1", type: "CniReady", status: False)),
                (at: "60.002s", do: SetCondition(node: "n-1", type: "CniReady", status: True)),
            ],
            tape: (choices: 1, deviations: []))"#,
    );
    let agent = dir.call(&["replay", "agent.ron"]).stdout;
    assert!(agent.contains("CniReady=False (0.002000 s old, 1 change behind)"), "{agent}");
}

#[test]
fn a_search_whose_time_is_over_says_that_there_is_more() {
    let dir = with_rapid();
    // Whatever the machine, the time is over when the first runs are.
    let args = ["explore", "rapid.ron", "--property", "pod-stuck", "--time", "1ns", "-q"];
    let strategies: [&[&str]; 3] =
        [&["exhaustive", "--depth", "64"], &["pct", "--depth", "64"], &["random"]];
    for strategy in strategies {
        let out = dir.call(&[&args[..], &["--strategy"], strategy].concat());
        assert!(
            out.stdout.contains("not exhausted: there are more runs"),
            "{strategy:?}: {}",
            out.stdout
        );
        // Without a run there is no verdict, either.
        let ran = !out.stdout.starts_with("0 runs");
        assert_eq!(out.code < 2, ran, "{strategy:?}: {}", out.stderr);
        assert_ne!(ran, out.stderr.contains("before a run was made"), "{}", out.stderr);
    }
    let json = dir.call(&[&args[..], &["--depth", "64", "--format", "json"]].concat());
    let document: serde_json::Value =
        serde_json::from_str(&json.stdout).expect("one JSON document");
    assert!(document.to_string().contains("\"exhausted\":false"), "{document}");
    // A release of which no run was made is no verdict on it, and is named.
    let releases = dir.call(&[&args[..], &["--kubernetes", "1.32..1.33"]].concat());
    assert_eq!(releases.stdout.matches("not tried").count(), 2, "{}", releases.stdout);
    assert!(!releases.stdout.contains("not found"), "{}", releases.stdout);
    let said = unfolded(&releases.stderr);
    assert_eq!(releases.code, 2, "{said}");
    assert!(
        said.contains("before a run was made under v1.32.") && said.contains("v1.33."),
        "{said}"
    );
}

/// `db-0` is given up on a node that is only cut off, and runs twice in every run, with its successor on either of two other nodes:
/// the odds of one of them are not those of the property.
#[test]
fn odds_of_one_node_are_not_told_as_those_of_all() {
    let dir = Scratch::new();
    dir.write(
        "cut.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "15m", nodes: [(names: "n-{0..2}", zone: "a")],
            workloads: [StatefulSet(name: "db", replicas: 3, placement: Spread(All), template: (
                terminationGracePeriodSeconds: 10, volumes: [(claim: "10Gi")], tolerations: [
                    (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)]))],
            timeline: [(at: "1m", name: "cut", do: Partition(nodes: Node("n-0"), duration: "5m")),
                (at: "cut + 3m", do: Taint(node: "n-0", taint: "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"))])"#,
    );
    let found = dir.call(&["explore", "cut.ron", "-p", "runs-twice", "--depth", "0", "-q"]);
    let alone = "drawn as upstream comes to it, this one alone: ";
    assert_eq!(found.stdout.matches(alone).count(), 2, "{}", found.stdout);
}

#[test]
fn what_cannot_be_searched_or_replayed_is_said() {
    let dir = with_rapid();
    dir.call(&["explore", "rapid.ron", "--property", "no-such"]).fails(2, &["no-such"]);
    dir.call(&["explore", "rapid.ron", "--kubernetes", "1.34..1.32"])
        .fails(2, &["write the older one first"]);
    let several = ["explore", "rapid.ron", "--kubernetes", "1.34,1.36"];
    dir.call(&several).fails(2, &["no range of them", "`1.34..1.36`"]);
    dir.call(&["explore", "nobody.ron"]).fails(2, &["nobody.ron"]);
    dir.call(&["replay", "rapid.ron"]).fails(2, &["tape"]);
    dir.call(&["explore", "rapid.ron", "--property", "pod-stuck", "--depth", "1", "-q"]);
    let tape = dir.text("output/rapid-explore/pod-stuck-1.tape.ron");
    assert!(tape.contains("choices: 1"), "{tape}");
    dir.write("other.tape.ron", tape.replacen("choices: 1", "choices: 99", 1));
    dir.call(&["replay", "other.tape.ron"]).fails(2, &["99"]);
    // What is wrong in a tape is told with its file, and the line.
    let line = tape.lines().position(|line| line.contains("property:")).unwrap() + 1;
    dir.write("named.tape.ron", tape.replacen("pod-stuck(", "no-such(", 1));
    let named = format!("named.tape.ron:{line}:");
    dir.call(&["replay", "named.tape.ron"]).fails(2, &["no-such", &named]);
}

/// The choices of one release mean nothing on another, wherever the other one is named.
#[test]
fn a_tape_is_refused_by_another_release() {
    let dir = with_rapid();
    dir.call(&[
        "explore",
        "rapid.ron",
        "--property",
        "pod-stuck",
        "--depth",
        "1",
        "-q",
        "--kubernetes",
        "1.32",
    ]);
    let tape = dir.text("output/rapid-explore/1.32-pod-stuck-1.tape.ron");
    assert!(tape.contains("release: Some(\"1.32.13\")"), "{tape}");
    let says = ["this tape is of Kubernetes v1.32.13, and the run would be of v1.31.14"];
    dir.write(
        "over.tape.ron",
        tape.replacen("kubernetes: Some(\"1.32\")", "kubernetes: Some(\"1.31\")", 1),
    );
    // A tape of before, which tells its release in its doc alone; and another scenario in it.
    let older = tape.replacen("release: Some(\"1.32.13\"),", "", 1);
    assert!(older.contains("doc: \"v1.32.13: "), "{older}");
    dir.write(
        "older.tape.ron",
        older.replacen("kubernetes: Some(\"1.32\")", "kubernetes: Some(\"1.31\")", 1),
    );
    dir.write(
        "text.tape.ron",
        tape.replacen("kubernetes: Some(\"1.32\"),", "", 1)
            .replace("kubernetes: \"1.32\"", "kubernetes: \"1.31\""),
    );
    for file in ["over.tape.ron", "older.tape.ron", "text.tape.ron"] {
        dir.call(&["replay", file]).fails(2, &says);
        dir.call(&["shrink", "-q", file]).fails(2, &says);
    }
    // A tape in a scenario, as `shrink` writes it.
    let shrunk = dir.call(&[
        "shrink",
        "-q",
        &repository().join("scenarios/races/relisted.ron").display().to_string(),
        "--out",
        "small.ron",
    ]);
    assert_eq!(shrunk.code, 0, "{}", shrunk.stderr);
    assert!(
        dir.text("small.ron").contains("        release: \"1.34\","),
        "{}",
        dir.text("small.ron")
    );
    assert_eq!(
        dir.call(&["test", "-q", "small.ron", "--seed", "2"]).code,
        0,
        "the tape is played, whatever the seed"
    );
    let says = ["this tape is of Kubernetes v1.34.12, and the run would be of v1.31.14"];
    let other = dir.call(&["test", "-q", "small.ron", "--kubernetes", "1.31"]);
    assert!(other.code == 2 && other.stdout.contains(says[0]), "{}", other.stdout);
    dir.call(&["run", "small.ron", "--kubernetes", "1.31"]).fails(2, &says);
}

/// What a scenario expects is a property like others, where it is asked for.
#[test]
fn what_a_scenario_expects_is_searched_for() {
    let dir = with_rapid();
    let text = dir.text("rapid.ron");
    let (before, after) = text.split_once("golden: ").expect("a golden timeline");
    let after = after.split_once("expect: [").expect("expectations").1;
    // In 1.32 another order leaves the pod where it is; the share is of many seeds, and no matter
    // of one run.
    let mostly =
        "seeds: 2, expect: [Never(PodStuck), Mostly(in_at_least: 0.5, that: Evicted(count: 99)), ";
    let met_only = after.rsplit_once("],").expect("the end of a list").1;
    dir.write("e.ron", format!("{before}{mostly}],{met_only}"));
    let hunt = ["explore", "e.ron", "--kubernetes", "1.32", "--depth", "1", "--jobs", "1"];
    let silent = dir.call(&[&hunt[..], &["--property", "wrong-pod"]].concat());
    assert!(
        silent.code == 0
            && silent.stderr.contains("`--property expect` holds every run against it"),
        "{}",
        silent.stderr
    );
    let found = dir.call(&[&hunt[..], &["-q", "--property", "expect"]].concat());
    assert_eq!(found.code, 1, "{}{}", found.stdout, found.stderr);
    let said = unfolded(&found.stdout);
    assert!(said.contains("Never: expected no violation of pod-stuck(1m), got"), "{said}");
    let tape = "output/e-explore/1.32-expect-1.tape.ron";
    let shown = dir.call(&["replay", tape]);
    assert!(
        shown.code == 1
            && shown.stdout.contains("► expect: Never: expected no violation of pod-stuck"),
        "{}",
        shown.stdout
    );
    let shrunk = dir.call(&["shrink", "-q", tape]);
    assert!(
        shrunk.code == 0 && shrunk.stdout.contains("        Never(PodStuck),"),
        "{}{}",
        shrunk.stdout,
        shrunk.stderr
    );
    dir.write("none.ron", format!("{before}{met_only}"));
    dir.call(&["explore", "-q", "none.ron", "--property", "expect"]).fails(2, &["expects nothing"]);
}

/// A clock goes back by a minute as the run begins, in the instant of a renewal. What controllers heard last is the
/// renewal 10 s before, at a pass up to 5 s later; 50 s after that, with the next pass, the node is Unknown: from
/// 40 to 50 s. With three quarters of a minute it is heard of again at 40 s, as it says -5 s then.
#[test]
fn a_clock_that_goes_back_at_the_start_is_no_silence_before_it() {
    let dir = Scratch::new();
    for skew in ["-60s", "-45s"] {
        dir.write(
            "skew.ron",
            format!(
                r#"Scenario(version: 1, kubernetes: "1.34", horizon: "3m", nodes: [(names: "a-{{0..2}}")],
                    timeline: [(at: "0s", do: ClockSkew(nodes: Node("a-2"), skew: "{skew}", duration: "60s"))])"#
            ),
        );
        let found = dir.call(&["explore", "skew.ron", "-q", "--depth", "0", "-p", "false-unknown"]);
        let said = unfolded(&found.stdout);
        let told = |second: u32| said.contains(&format!("marked Unknown at {second}."));
        assert!(!said.contains("marked Unknown at 101.") && !(0..40).any(told), "{said}");
        assert!(skew != "-60s" || (40..=50).any(told), "{}", found.stdout);
    }
}

/// The disruption controller writes the status of a budget whose cache is a version behind, which answers 409: no read
/// does (`updatePdbStatus`).
#[test]
fn a_replay_names_a_refused_write_of_a_status_a_write() {
    let dir = Scratch::new();
    dir.write(
        "budget.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20s", nodes: [(names: "a-{0..2}")],
            workloads: [Deployment(name: "web", replicas: 3)],
            podDisruptionBudgets: [(name: "web", selector: (matchLabels: {"app": "web"}), maxUnavailable: 1)],
            timeline: [(at: "5s", do: Scale(workload: "web", replicas: 6))],
            expect: [Evicted(workload: "web", count: "1..")])"#,
    );
    dir.call(&["explore", "budget.ron", "-q", "--depth", "0", "-p", "expect"]);
    let shown = dir.call(&["replay", "output/budget-explore/expect-1.tape.ron"]);
    let (refused, read) = ("PodDisruptionBudget/default/web: 409 Conflict", "reads PodDisruption");
    assert!(shown.stdout.contains(&format!("would write {refused}")), "{}", shown.stdout);
    assert!(!shown.stdout.contains(read), "{}", shown.stdout);
}
