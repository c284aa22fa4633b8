//! `diff`: of a run with itself, of two releases, of clusters with another node, of folders; and
//! what it cannot compare.

use super::Scratch;
use serde_json::Value;
use std::fs;

/// The shipped scenario of one lost node, whose comments work out every time under `Ideal` timing.
fn with_one_node_lost() -> Scratch {
    let scratch = Scratch::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("scenarios/one-node-lost.ron"), scratch.path("one.ron"))
        .expect("can be copied");
    scratch
}

fn json(scratch: &Scratch, args: &[&str], code: i32) -> Value {
    let called = scratch.call(&[&["diff"], args, &["--format", "json"]].concat());
    assert_eq!(called.code, code, "{args:?}: {}", called.stderr);
    serde_json::from_str(&called.stdout).expect("is JSON")
}

fn texts(document: &Value) -> Vec<String> {
    document["groups"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|g| g["text"].as_str().expect("a text").to_owned())
        .collect()
}

#[test]
fn a_run_does_not_differ_from_itself() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    // The file twice, the folder twice, and the folder beside a fresh run.
    for (a, b) in [
        ("a.ron", "a.ron"),
        ("output/a", "output/a"),
        ("output/a", "a.ron"),
        ("a.ron", "output/a/"),
    ] {
        let called = scratch.call(&["diff", a, b]);
        assert_eq!(called.code, 0, "{}", called.stdout);
        assert!(called.stdout.contains("came to the same"), "{}", called.stdout);
        let document = json(&scratch, &[a, b], 0);
        assert_eq!(
            (&document["same"], document["groups"].as_array().map(Vec::len)),
            (&Value::Bool(true), Some(0))
        );
        assert!(document["first"].is_null());
    }
}

/// What is set for both runs gives way to what the second run alone is told.
#[test]
fn what_the_second_run_is_told_counts_more_than_a_set_for_both() {
    let scratch = with_one_node_lost();
    for (sets, against, other) in [
        ("kubernetes=1.33", &["--against", "1.34"][..], "Kubernetes 1.34."),
        ("timing=ideal", &["--against-timing", "typical"], "timing Typical"),
        ("seed=3", &["--against-seed", "4"], "seed 4"),
        ("horizon=20m", &["--against-set", "horizon=15m"], "horizon=15m"),
    ] {
        let args = [&["diff", "one.ron", "--set", sets], against].concat();
        let said = scratch.call(&args).stdout;
        let [a, b] = ["A ", "B "]
            .map(|side| said.lines().find(|l| l.starts_with(side)).expect("two runs").to_owned());
        assert!(b.contains(other) && !b.contains(sets), "{args:?}: {said}");
        assert!(!a.contains(other), "{args:?}: {said}");
    }
    let said = scratch.call(&["diff", "one.ron", "--against-set", "seed=4"]).stdout;
    assert!(said.contains("seed 4\n"), "{said}");
    // What is the same is no second run.
    let same = ["diff", "one.ron", "--set", "horizon=20m", "--against-set", "horizon=20m"];
    scratch.call(&same).fails(2, &["nothing sets the second run apart"]);
    let called = scratch.call(&["diff", "one.ron", "--against", "seed=4"]);
    called.fails(2, &["--against-set seed=4"]);
}

/// From 1.34 on the NoExecute decision follows the current condition (S20): the taint comes in the
/// pass that finds the node silent, and no more in the next one, 5 s of node-monitor-period later.
/// Everything that hangs on it moves by the same 5 s.
#[test]
fn the_five_seconds_of_1_34() {
    let scratch = with_one_node_lost();
    let document = json(&scratch, &["one.ron", "--kubernetes", "1.33", "--against", "1.34"], 1);
    let mut moved = texts(&document);
    moved.sort();
    let expected = [
        "default/impatient-0 of node-0 evicted after 60 s: 5s earlier in B",
        "default/impatient-0 of node-0 given an eviction timer of 60 s: 5s earlier in B",
        "default/web-0 of node-0 evicted after 300 s: 5s earlier in B",
        "default/web-0 of node-0 given an eviction timer of 300 s: 5s earlier in B",
        "node-0 tainted unreachable:NoExecute: 5s earlier in B",
    ];
    assert_eq!(moved, expected);
    // The switches of node failure handling that docs/model.md lists for 1.34: S20 and S23.
    let switches = document["switches"].as_array().expect("a list");
    let of_failure: Vec<(&str, &str, &str)> = switches
        .iter()
        .map(|s| {
            (
                s["name"].as_str().unwrap_or(""),
                s["a"].as_str().unwrap_or(""),
                s["b"].as_str().unwrap_or(""),
            )
        })
        .filter(|s| {
            ["node_lifecycle", "taint_eviction", "kubelet", "pod_gc"]
                .iter()
                .any(|c| s.0.starts_with(c))
        })
        .collect();
    let expected = [
        ("node_lifecycle.taint_on_observed", "true", "false"),
        ("kubelet.report_offset", "None", "AfterChangeOrFirst"),
    ];
    assert_eq!(of_failure, expected);
    assert_eq!(document["first"]["what"], "tainted unreachable:NoExecute");
    // 105 s is the pass that finds the node silent; the taint is written at the next turn of the
    // loop of 100 ms.
    let end = |side: &str| {
        document["first"]["causes"][side]
            .as_array()
            .and_then(|c| c.last())
            .map(|c| c["at_s"].clone())
    };
    let at = |side: &str| end(side).and_then(|v| v.as_f64()).map(|s| (s * 10.0).round() / 10.0);
    assert_eq!((at("a"), at("b")), (Some(110.1), Some(105.1)));
    // The tolerance decides what is the same.
    assert_eq!(
        texts(&json(
            &scratch,
            &["one.ron", "--kubernetes", "1.33", "--against", "1.34", "--tolerance", "5s"],
            0
        )),
        [""; 0]
    );
}

#[test]
fn people_read_it_in_this_form() {
    let scratch = with_one_node_lost();
    let text = scratch
        .call(&[
            "diff",
            "one.ron",
            "--against-set",
            "pods.web.tolerations[unreachable].tolerationSeconds=600",
        ])
        .stdout;
    // 105.1 s + 600 s is beyond the end of the run, 600 s.
    let expected = "\
A  one.ron: Kubernetes 1.34.12, timing Ideal, seed 1
B  one.ron: Kubernetes 1.34.12, timing Ideal, seed 1,
   pods.web.tolerations[unreachable].tolerationSeconds=600

What it costs; more is worse
  all workloads    A  B  B - A
    evicted        2  1     -1
    undecided      1  0     -1
    the same: replica-minutes missing, minutes below need, longest below need, minutes none up,
    requests lost, minutes of requests lost, ghost-minutes, needless, restarts, pending at the end,
    pending minutes, most pending, longest pending

Where they part
  default/web-0 of node-0 given an eviction timer: of 300 s in A, of 600 s in B
  A    1:45.000  node-0: Ready is Unknown
       1:45.000  node-0 tainted unreachable:NoSchedule
       1:45.100  node-0 tainted unreachable:NoExecute
       1:45.100  default/web-0: eviction timer of 300 s set
  B    1:45.000  node-0: Ready is Unknown
       1:45.000  node-0 tainted unreachable:NoSchedule
       1:45.100  node-0 tainted unreachable:NoExecute
       1:45.100  default/web-0: eviction timer of 600 s set

What differs
         A         B
  6:45.100         –  default/web-0 of node-0 evicted after 300 s: only in A
  1:45.100  1:45.100  default/web-0 of node-0 given an eviction timer: of 300 s in A, of 600 s in B

";
    assert_eq!(text, expected, "\n{text}");
}

/// A node that is away for four minutes loses nothing; in nine its pod goes after 1:45.1 + 300 s, and another comes elsewhere.
#[test]
fn where_a_pod_was_bound_is_said_once() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "12m", timing: Ideal, nodes: [(names: "n-{0..3}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Nodes(["n-0", "n-1", "n-2"]))],
        timeline: [(at: "2m", name: "cut", do: Partition(node: "n-1", duration: "4m"))])"#;
    scratch.write("four.ron", text);
    scratch.write("nine.ron", text.replace("4m", "9m"));
    let said = scratch.call(&["diff", "four.ron", "nine.ron"]).stdout;
    let line = said.lines().find(|line| line.contains(" bound ")).expect("a line");
    assert!(line.contains(" bound to n-") && !line.contains(" of n-"), "{line}");
    assert!(line.ends_with(": only in B"), "{line}");
}

/// What was set otherwise, defaults of releases too, comes first, and internal switches last: the
/// order of the titles.
#[test]
fn causes_come_first_and_switches_last() {
    let scratch = with_one_node_lost();
    let titles = |args: &[&str]| -> Vec<String> {
        let text = scratch.call(&[&["diff", "one.ron"], args].concat()).stdout;
        let is_title = |l: &&str| {
            l.starts_with("What")
                || l.starts_with("Where")
                || l.starts_with("Settings")
                || l.starts_with("Internal")
        };
        text.lines()
            .filter(is_title)
            .map(|l| l.split([';', ':']).next().unwrap_or_default().to_owned())
            .collect()
    };
    let both = [
        "--kubernetes",
        "1.33",
        "--against",
        "1.34",
        "--against-set",
        "flags.kube-controller-manager.node-monitor-period=4s",
    ];
    let first = "Settings that differ";
    let last = "Internal switches of the releases that differ";
    assert_eq!(titles(&both), [first, "What it costs", "Where they part", "What differs", last]);
    let many = titles(&[&both[..], &["--seeds", "2"]].concat());
    assert_eq!(many, [first, "What it costs", "What differs in nearly all seeds", last]);
}

/// The kubelets of a pool are heard every 20 s, not every 10 s, and evict pods by nothing but memory; and one says of all what it may take
/// pods to end softly. Another threshold leaves out all those that are there without it (`eviction/helpers.go: ParseThresholdConfig`).
#[test]
fn what_single_kubelets_are_told_is_told() {
    let scratch = Scratch::new();
    let text = |own: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "5m", nodes: [(names: "a-{{0..2}}"{own}), (name: "b")])"#
        )
    };
    scratch.write("a.ron", text(""));
    let own = r#", kubelet: {"node-status-update-frequency": "20s", "eviction-hard": "memory.available<500Mi,nodefs.available<7%"}"#;
    scratch.write("b.ron", text(own));
    let settings = |a: &str, b: &[&str]| {
        let document = json(&scratch, &[&[a], b].concat(), 0);
        let all = document["settings"].as_array().expect("a list").clone();
        let value = |of: &Value| of.as_str().unwrap_or_default().to_owned();
        let all = all.iter().map(|c| ["name", "a", "b"].map(|field| value(&c[field])));
        all.collect::<Vec<[String; 3]>>()
    };
    let found = settings("a.ron", &["b.ron"]);
    let of = |name: &str| {
        let found = found.iter().find(|c| c[0] == format!("kubelet of a-0..a-2: {name}"));
        found.map(|c| [c[1].as_str(), c[2].as_str()])
    };
    assert_eq!(of("--node-status-update-frequency"), Some(["10s", "20s"]));
    let usual = "[memory.available<100Mi, nodefs.available<10%, nodefs.inodesFree<5%, imagefs.available<15%, imagefs.inodesFree<5%, allocatableMemory.available<100Mi]";
    let own = "[memory.available<500Mi, nodefs.available<7%, allocatableMemory.available<500Mi]";
    assert_eq!(of("--eviction-hard, --eviction-soft"), Some([usual, own]));
    // No line has room for the 149 characters of the first thresholds with others beside them.
    let text = scratch.call(&["diff", "a.ron", "b.ron"]).stdout;
    let wide = text.lines().filter(|l| l.chars().count() > 100).collect::<Vec<_>>();
    assert_eq!(wide, [""; 0], "{text}");
    assert!(text.contains("    B: [memory.available<500Mi, nodefs.available<7%,"), "{text}");
    let of_all = "flags.kubelet.eviction-max-pod-grace-period=60";
    let found = settings("a.ron", &["--against-set", of_all]);
    assert_eq!(found, [["--eviction-max-pod-grace-period", "0", "60"]]);
}

/// The toleration of `web` is longer than the partition in B, whatever the seed: its 20 pods in
/// zone b are evicted in A only. The release decides whether a node is tainted in the pass that
/// finds it silent or in the next one; by then the zone may have been stopped, so that when the
/// StatefulSet's pods are evicted hangs on the seed.
#[test]
fn what_always_differs_is_told_apart_from_chance() {
    let scratch = Scratch::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("scenarios/zone-partition.ron"), scratch.path("zone.ron"))
        .expect("can be copied");
    let toleration = "workloads.web.template.tolerations[unreachable].tolerationSeconds=600";
    let args = [
        "zone.ron",
        "--kubernetes",
        "1.33",
        "--against",
        "1.34",
        "--against-set",
        toleration,
        "--seeds",
        "10",
        "--seed",
        "1",
    ];
    let document = json(&scratch, &args, 1);
    assert_eq!(
        document["seeds"],
        serde_json::json!({ "first": 1, "count": 10, "same": 0, "nearly_all_percent": 90 })
    );
    // 20 less in each of ten seeds: 24 in A (20 of web and 2 of db in the zone, and the 2 of web on
    // a-03 by its taint), 4 in B.
    let mut evicted = document["costs"]["evicted"].clone();
    // By signs alone ten of ten would be 2 / 2^10; the test is exact by permutations.
    let p = evicted.as_object_mut().expect("an object").remove("p");
    let p = p.as_ref().and_then(Value::as_f64).expect("a probability");
    assert!((p - 2.0 / 1024.0).abs() < 1e-9, "{p}");
    let expected = serde_json::json!({
        "a": 24.0, "b": 4.0, "difference": -20.0, "least": -20.0, "greatest": -20.0, "seeds_less": 10, "seeds_more": 0
    });
    assert_eq!(evicted, expected);
    let of = |part: &str| -> Vec<Value> {
        document[part]
            .as_array()
            .expect("a list")
            .iter()
            .filter(|p| p["what"] == "evicted")
            .cloned()
            .collect()
    };
    let always = of("nearly_all");
    assert_eq!(always.len(), 1, "{always:#?}");
    assert_eq!(
        (&always[0]["of"], &always[0]["change"]),
        (&Value::from("Deployment default/web"), &Value::from("only-a"))
    );
    assert_eq!(
        (&always[0]["seeds"], &always[0]["in_one_seed"]),
        (&serde_json::json!([10, 10]), &serde_json::json!([20, 20]))
    );
    assert_eq!(always[0]["objects"].as_array().map(Vec::len), Some(20));
    let chance = of("chance");
    assert!(
        !chance.is_empty() && chance.iter().all(|p| p["of"] == "StatefulSet default/db"),
        "{chance:#?}"
    );
    assert!(chance.iter().all(|p| p["seeds"][1].as_u64() < Some(9)), "{chance:#?}");
    // The counts of seeds, 16 of some 70 columns, have no room in 60.
    let mut narrow = scratch.command(&[&["diff"], &args[..]].concat());
    let narrow = narrow.env("COLUMNS", "60").output().expect("the program runs").stdout;
    let narrow = String::from_utf8(narrow).expect("UTF-8");
    assert!(narrow.contains("\n  no room for B less and B more; -o json has them\n"), "{narrow}");
    let table = narrow.split("What it costs").nth(1).and_then(|rest| rest.split("\n\n").next());
    assert!(table.is_some_and(|t| t.lines().all(|line| line.chars().count() <= 60)), "{narrow}");
    // The same for people, in that order, and noise and switches behind it.
    let text = scratch.call(&[&["diff"], &args[..]].concat()).stdout;
    let places: Vec<usize> = [
        "What it costs",
        "What differs in nearly all",
        "What is chance",
        "Noise",
        "Internal switches",
    ]
    .iter()
    .map(|title| text.find(title).unwrap_or_else(|| panic!("{title:?} in: {text}")))
    .collect();
    assert!(places.is_sorted(), "{text}");
    assert!(text.contains("10 of 10  20 pods of Deployment default/web ("), "{text}");
}

#[test]
fn costs_over_seeds_are_those_of_the_seeds() {
    let scratch = Scratch::with_starter();
    let change =
        ["a.ron", "--against-set", "pods.web.tolerations[unreachable].tolerationSeconds=30"];
    let many = json(&scratch, &[&change[..], &["--seeds", "3", "--seed", "5"]].concat(), 1);
    let singles: Vec<Value> = ["5", "6", "7"]
        .iter()
        .map(|s| json(&scratch, &[&change[..], &["--seed", s]].concat(), 1))
        .collect();
    for (name, over) in many["costs"].as_object().expect("figures") {
        let differences: Vec<f64> = singles
            .iter()
            .map(|d| d["costs"][name]["difference"].as_f64().expect("a number"))
            .collect();
        let mean = differences.iter().sum::<f64>() / 3.0;
        assert!(
            (over["difference"].as_f64().expect("a number") - mean).abs() < 1e-9,
            "{name}: {over}, {differences:?}"
        );
        assert_eq!(over["least"].as_f64(), differences.iter().copied().reduce(f64::min), "{name}");
        assert_eq!(
            over["greatest"].as_f64(),
            differences.iter().copied().reduce(f64::max),
            "{name}"
        );
    }
}

#[test]
fn jobs_do_not_change_a_difference() {
    let scratch = Scratch::with_starter();
    for format in ["text", "json"] {
        let with = |jobs: &str| {
            let args = [
                "diff",
                "a.ron",
                "--kubernetes",
                "1.33",
                "--against",
                "1.34",
                "--seeds",
                "21",
                "--format",
                format,
                "--jobs",
                jobs,
                "-q",
            ];
            let called = scratch.call(&args);
            assert_eq!((called.code, called.stderr.as_str()), (1, ""));
            called.stdout
        };
        let one = with("1");
        assert_eq!(one, with("2"));
        assert_eq!(one, with("7"));
    }
}

#[test]
fn sides_that_always_come_to_the_same() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&["diff", "a.ron", "a.ron", "--seeds", "3"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("the same in each of 3 seeds"), "{}", called.stdout);
    assert_eq!(json(&scratch, &["a.ron", "a.ron", "--seeds", "3"], 0)["same"], true);
}

#[test]
fn what_has_no_seeds_to_compare_is_said() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let refused =
        |args: &[&str], said: &[&str]| scratch.call(&[&["diff"], args].concat()).fails(2, said);
    refused(
        &["output/a", "a.ron", "--seeds", "3"],
        &["output/a is a finished run, which has one seed", "leave out --seeds"],
    );
    refused(
        &["a.ron", "output/a", "--seeds", "3"],
        &["output/a is a finished run, which has one seed"],
    );
    refused(&["a.ron", "--seeds", "3"], &["nothing sets the second run apart"]);
    refused(&["a.ron", "--against-seed", "4", "--seeds", "3"], &["--against-seed", "--seeds"]);
    refused(
        &["a.ron", "--against-set", "seed=4", "--seeds", "3"],
        &["the second run has a seed of its own", "leave out --against-set seed"],
    );
    refused(&["a.ron", "--against", "1.33", "--jobs", "3"], &["--seeds"]);
    refused(&["a.ron", "--against", "1.33", "--seeds", "1"], &["1"]);
    refused(
        &["a.ron", "--against", "1.33", "--seeds", "3", "--seed", "18446744073709551615"],
        &["no 3 seeds"],
    );
    refused(&["a.ron", "--against", "1.99", "--seeds", "3"], &["1.99"]);
    let tape = super::repository().join("scenarios/races/relisted.ron");
    refused(
        &[tape.to_str().expect("UTF-8"), "--against", "1.33", "--seeds", "3"],
        &["replays a tape", "leave out --seeds"],
    );
}

/// Another node that takes none of them only makes the scheduler's words of the three pending pods
/// others: 0/7 instead of 0/6.
#[test]
fn other_words_are_noise() {
    let scratch = Scratch::new();
    let text = fs::read_to_string(super::repository().join("scenarios/zone-lost-without-room.ron"))
        .expect("can be read");
    let text =
        text.replacen("placement: Spread(All)", "placement: Spread(Label(\"full!=true\"))", 1);
    let full = r#"(name: "full", zone: "a", labels: { "full": "true" }, taints: ["other=true:NoSchedule"]),"#;
    let more = text.replacen("    nodes: [", &format!("    nodes: [\n        {full}"), 1);
    scratch.write("a.ron", text);
    scratch.write("b.ron", more);
    let document = json(&scratch, &["a.ron", "b.ron"], 1);
    let kinds = |key: &str| -> Vec<Value> {
        let about = |g: &&Value| g["objects"][0]["node"] != "full";
        document["groups"]
            .as_array()
            .expect("a list")
            .iter()
            .filter(about)
            .map(|g| g[key].clone())
            .collect()
    };
    assert!(
        !kinds("noise").is_empty() && kinds("noise").iter().all(|n| n == "words"),
        "{:#}",
        document["groups"]
    );
    let called = scratch.call(&["diff", "a.ron", "b.ron"]).stdout;
    assert!(called.contains("Noise\n  3 the same in other words: 3 × pending\n"), "{called}");
    assert!(!called.contains("Insufficient"), "{called}");
    // Over seeds they are counted.
    let over = json(&scratch, &["a.ron", "b.ron", "--seeds", "2"], 1);
    assert_eq!(
        over["noise"],
        serde_json::json!([{ "noise": "words", "what": "pending", "facts": 6 }]),
        "{over:#}"
    );
}

#[test]
fn objects_are_compared_by_name() {
    let scratch = with_one_node_lost();
    // A node that sorts before the others, so that every id moves; nobody is on it but the agent
    // that is on every node.
    let text = scratch.text("one.ron");
    let more = text.replacen(
        "    nodes: [",
        "    nodes: [\n        (name: \"added\", zone: \"z\", lease_offset: \"3s\", status_offset: \"4s\"),",
        1,
    );
    scratch.write("more.ron", more.replace("on: Spread(All)", "on: Spread(Zone(\"a\"))"));
    let called = scratch.call(&["diff", "one.ron", "more.ron"]);
    assert_eq!(called.code, 1, "{}{}", called.stdout, called.stderr);
    assert!(called.stdout.contains("B  nodes: added\n"), "{}", called.stdout);
    // The other zone is healthy in B, so that no zone matters to node-0: it is evicted at the same
    // times.
    let document = json(&scratch, &["one.ron", "more.ron"], 1);
    assert_eq!(
        (texts(&document), &document["costs"]["evicted"]["difference"]),
        (Vec::new(), &Value::from(0.0))
    );
}

#[test]
fn what_cannot_be_compared_is_said() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    scratch.call(&["diff", "a.ron"]).fails(2, &["nothing sets the second run apart", "--against"]);
    scratch
        .call(&["diff", "a.ron", "--set", "horizon=20m"])
        .fails(2, &["nothing sets the second run apart"]);
    scratch
        .call(&["diff", "output/a", "--against", "1.32"])
        .fails(2, &["output/a is a finished run", "give the scenario's file"]);
    scratch.call(&["diff", "a.ron", "--against", "1.99"]).fails(2, &["1.99"]);
    scratch.call(&["diff", "a.ron", "b.ron"]).fails(2, &["b.ron"]);
    scratch.call(&["diff", "a.ron", "output"]).fails(2, &["output", "no manifest.json"]);
    scratch.call(&["diff", "a.ron", "--against-set", "pods.webb.count=3"]).fails(2, &["webb"]);
}

/// Of the switches those come first that are about what the scenario has and not every one has, and last those about what it has not:
/// a Job with a failure policy (`onlyReplaceFailedPods`, 1.28), and no volume.
#[test]
fn switches_of_what_a_scenario_has_come_first() {
    let scratch = Scratch::new();
    let places = |workload: &str| {
        scratch.write(
            "s.ron",
            format!(
                r#"Scenario(version: 1, horizon: "1m", nodes: [(name: "a")], workloads: [{workload}])"#
            ),
        );
        let args = ["diff", "s.ron", "--kubernetes", "1.27", "--against", "1.28", "-o", "json"];
        let document: Value = serde_json::from_str(&scratch.call(&args).stdout).expect("is JSON");
        let switches = document["switches"].as_array().expect("a list").clone();
        [
            "workload.job.failure_policy_waits",
            "workload.job.batches_backoff",
            "scheduler.fit_ignores_unrequested",
            "persistent_volume.says_what_to_verify",
        ]
        .map(|name| switches.iter().position(|s| s["name"] == name).expect(name))
    };
    let rules = "(rules: [(action: Ignore, onPodConditions: [(type: DisruptionTarget)])])";
    let job =
        format!(r#"Job(name: "sum", template: (restartPolicy: Never), podFailurePolicy: {rules})"#);
    let [policy, job, all, volumes] = places(&job);
    assert!(policy == 0 && policy < job && job < all && all < volumes);
    let [policy, job, all, _] = places(r#"Deployment(name: "web", replicas: 1)"#);
    assert!(all < policy && all < job);
}
