//! Sweeps: the table, its files, what is refused.

use super::{Scratch, unfolded};

const TOLERATION: &str = "pods.web.tolerations[unreachable].tolerationSeconds";

#[test]
fn a_row_for_each_value_and_the_same_seeds_in_each() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&[
        "sweep",
        "a.ron",
        "--set",
        &format!("{TOLERATION}=0,600"),
        "--seeds",
        "3",
        "--seed",
        "5",
        "--quiet",
    ]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("seeds 5 to 7"), "{}", called.stdout);
    assert_eq!(
        scratch.names("output/a-sweep"),
        ["manifest.json", "runs.csv", "sweep.csv", "sweep.json", "sweep.png", "sweep.svg"]
    );
    let table = scratch.text("output/a-sweep/sweep.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows[0][..2], [TOLERATION, "seeds"]);
    let of = |row: usize| {
        let columns = ["evicted_n", "evicted_mean", "evicted_min", "evicted_max"];
        columns
            .map(|name| rows[row][rows[0].iter().position(|n| *n == name).expect("such a column")])
    };
    // Ten web pods are in the zone that is cut off for seven minutes, and two with an agent on a-3,
    // which is tainted by hand: who tolerates nothing is evicted from the zone, who tolerates ten
    // minutes is not.
    assert_eq!((rows[1][0], of(1)), ("0", ["3", "13", "13", "13"]));
    assert_eq!((rows[2][0], of(2)), ("600", ["3", "3", "3", "3"]));
    let runs = scratch.text("output/a-sweep/runs.csv");
    let runs: Vec<(&str, &str)> = runs.lines().skip(1).filter_map(|l| l.split_once(',')).collect();
    let seeds: Vec<(&str, &str)> = runs
        .iter()
        .map(|(value, rest)| (*value, rest.split(',').next().unwrap_or_default()))
        .collect();
    assert_eq!(
        seeds,
        [("0", "5"), ("0", "6"), ("0", "7"), ("600", "5"), ("600", "6"), ("600", "7")]
    );
}

#[test]
fn several_settings_make_every_combination() {
    let scratch = Scratch::with_starter();
    let args = [
        "sweep",
        "a.ron",
        "--set",
        "pods.web.count=2,4",
        "--set",
        "horizon=20m",
        "--set",
        "timeline.cut b.duration=1m,2m",
        "--seeds",
        "1",
    ];
    let called = scratch.call(&[&args[..], &["--format", "csv"]].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let heads: Vec<String> =
        called.stdout.lines().map(|l| l.split(',').take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(heads, ["pods.web.count timeline.cut b.duration", "2 1m", "2 2m", "4 1m", "4 2m"]);
    assert_eq!(called.stdout, scratch.text("output/a-sweep/sweep.csv"));
    let text = scratch.call(&args).stdout;
    for words in ["horizon=20m", "count is pods.web.count", "One seed is one sample"] {
        assert!(text.contains(words), "{words:?} in: {text}");
    }
}

#[test]
fn what_cannot_be_swept_is_said_once() {
    let scratch = Scratch::with_starter();
    let refused = |args: &[&str], said: &[&str]| {
        let called = scratch.call(&[&["sweep", "a.ron"], args].concat());
        called.fails(2, said);
        called.stderr
    };
    let said = refused(&["--set", "pods.wbe.count=1,2,3"], &["did you mean `web`?"]);
    assert_eq!(said.matches("did you mean").count(), 1, "{said}");
    refused(&["--set", "pods.web.count=1,,3"], &["empty value"]);
    refused(&["--set", "pods.web.count=1,many"], &["`many`"]);
    refused(&["--set", "pods.web.count"], &["PATH=VALUE"]);
    refused(
        &["--set", "kubernetes=1.31,1.34", "--kubernetes", "1.29"],
        &["`kubernetes` has values twice"],
    );
    refused(&["--set", "horizon=1m,2m", "--set", "horizon=3m,4m"], &["`horizon` has values twice"]);
    refused(&["--set", "horizon=1m", "--set", "horizon=3m,4m"], &["`horizon` has values twice"]);
    // Who forgets the comma would believe that two values were compared.
    let (ran, seven) = (["--set", "pods.web.count=1,2"], ["--seed", "5", "--set", "seed=7"]);
    for (twice, of) in [
        (&["--set", "horizon=1m", "--set", "horizon=2m"][..], "horizon"),
        (&["--kubernetes", "1.30", "--set", "kubernetes=1.34"], "kubernetes"),
        (&["--timing", "ideal", "--set", "timing=typical"], "timing"),
        (&seven, "seed"),
    ] {
        let said = format!("`{of}` has values twice");
        refused(&[twice, &ran[..]].concat(), &[&said, "tries several: PATH=60,120,300"]);
    }
    let apart = ["--set", "pods.web.count=1", "--set", "pods[0].count=2"];
    refused(&apart, &["`pods[0].count` sets what `pods.web.count` sets, too"]);
    let again = ["--set", "pods.web.count=1,2", "--set", "pods[0].count=3,4"];
    refused(&again, &["`pods[0].count` sets what `pods.web.count` sets, too"]);
    let [dashes, lines] = ["kube-controller-manager", "kube_controller_manager"]
        .map(|name| format!("flags.{name}.node-monitor-period"));
    let (first, second) = (format!("{dashes}=1s,2s"), format!("{lines}=3s,4s"));
    let said = format!("`{lines}` sets what `{dashes}` sets, too");
    refused(&["--set", &first, "--set", &second], &[&said]);
    let whole = ["--set", "timing.watch=10ms,20ms", "--set", "timing=ideal,typical"];
    refused(&whole, &["`timing` sets what `timing.watch` sets, too"]);
    refused(&["--seeds", "0"], &["0"]);
    refused(&["--seeds", "many"], &["many"]);
    refused(&["--jobs", "0"], &["0"]);
    refused(&["--seed", "18446744073709551615", "--seeds", "2"], &["seeds"]);
    refused(&["--seeds", "1000000", "--set", "pods.web.count=1,2"], &["1000000 runs"]);
    assert!(!scratch.path("output/a-sweep").exists());
}

/// Two nodes with a pod of each workload; b-0 is lost for good. `web`'s pod is replaced, after what
/// it tolerates.
const LOST: &str = r#"Scenario(version: 1, horizon: "30m", nodes: [(names: "{a,b}-0", zone: "a")],
    workloads: [
        Deployment(name: "web", replicas: 2, placement: Spread(All)),
        Deployment(name: "api", namespace: "shop", replicas: 2, placement: Spread(All)),
        Deployment(name: "api", namespace: "lab", replicas: 1, placement: Node("a-0")),
    ],
    timeline: [(at: "5m", name: "cut", do: Crash(node: "b-0"))])"#;

const WEB: &str = "workloads.web.template.tolerations[unreachable].tolerationSeconds";

#[test]
fn figures_are_shown_by_name_and_rows_held_against_one() {
    let scratch = Scratch::new();
    scratch.write("a.ron", LOST);
    let set = format!("{WEB}=0,300");
    let call = |args: &[&str]| {
        scratch
            .call(&[&["sweep", "a.ron", "--set", &set, "--seeds", "4", "--quiet"], args].concat())
    };
    let called = call(&[
        "--show",
        "web:replica_minutes_missing,shop/api:evicted",
        "--against",
        "0",
        "--format",
        "json",
    ]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let json: serde_json::Value = serde_json::from_str(&called.stdout).expect("is JSON");
    let rows = json["rows"].as_array().expect("rows");
    let web = |row: usize, what: &str| {
        rows[row]["figures"]["Deployment/default/web:replica_minutes_missing"][what].clone()
    };
    // 300 seconds more of one pod are five minutes more; the draws are the same, so that hardly
    // anything else differs.
    let difference = web(1, "difference")["mean"].as_f64().expect("a number");
    assert!((difference - 5.0).abs() < 0.1, "{difference}");
    assert_eq!(web(0, "difference")["mean"].as_f64(), Some(0.0));
    let half = |v: &serde_json::Value| v[1].as_f64().unwrap() - v[0].as_f64().unwrap();
    assert!(half(&web(1, "difference")["interval"]) < half(&web(1, "mean_interval")));
    assert_eq!(rows[1]["figures"]["Deployment/shop/api:evicted"]["mean"].as_f64(), Some(1.0));
    let runs = scratch.text("output/a-sweep/runs.csv");
    let head = runs.lines().next().expect("a head");
    for name in [
        "replica_minutes_missing",
        "minutes_below_need",
        "longest_below_need_s",
        "minutes_none_up",
        "requests_lost_share",
        "ghost_minutes",
    ] {
        assert!(head.split(',').any(|n| n == name), "{name} in {head}");
        assert!(
            head.split(',').any(|n| n == format!("Deployment/shop/api:{name}")),
            "{name} of shop/api in {head}"
        );
    }
    let text = call(&["--against", "0"]).stdout;
    assert!(text.contains("Differences from the row 0"), "{text}");
    // How soon a loss is detected does not depend on what pods tolerate: no column says so in each row.
    assert_eq!(text.matches("in all rows").count(), 2, "{text}");
    assert!(text.contains("detection: 0 in all rows"), "{text}");
    call(&["--show", "api:evicted"]).fails(2, &["`lab/api`, `shop/api`"]);
    call(&["--show", "evicions"]).fails(2, &["no figure `evicions`", "evicted"]);
    call(&["--against", "7"]).fails(2, &["no row `7`", "`300`"]);
}

#[test]
fn settings_that_move_together_and_several_files() {
    let scratch = Scratch::new();
    scratch.write("a.ron", LOST);
    scratch.write("b.ron", LOST.replace("\"30m\"", "\"20m\""));
    let web = format!("{WEB}=0,300");
    let args = [
        "sweep",
        "a.ron",
        "b.ron",
        "--set",
        &web,
        "--set",
        "timeline.cut.duration=1m,2m",
        "--zip",
        "--seeds",
        "2",
        "--format",
        "csv",
    ];
    let called = scratch.call(&args);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let rows: Vec<String> = called
        .stdout
        .lines()
        .skip(1)
        .map(|l| l.split(',').take(3).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(rows, ["a 0 1m", "a 300 2m", "b 0 1m", "b 300 2m"]);
    scratch
        .call(&[
            "sweep",
            "a.ron",
            "--set",
            &web,
            "--set",
            "horizon=10m",
            "--set",
            "timeline.cut.duration=1m,2m,3m",
            "--zip",
        ])
        .fails(2, &["has 2 values", "has 3"]);
}

/// `runs.csv` would have two columns of that name, and rows with seeds in common.
#[test]
fn seeds_are_no_setting_to_compare() {
    let scratch = Scratch::with_starter();
    for set in ["seed=1,50", "seeds=1,2"] {
        let args = ["sweep", "a.ron", "--set", set, "--seeds", "2", "--records", "parquet"];
        scratch.call(&args).fails(2, &["is the same in every row", "`--seeds 20`"]);
    }
}

/// A pod that takes another 1,000 MiB each second has all 4 GiB of its node long before its kubelet looks, every ten seconds. What it
/// asks for at the start does not.
#[test]
fn rows_whose_nodes_run_out_of_memory_are_named() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "3m",
        nodes: [(names: "n-{0..1}", capacity: {"cpu": "4", "memory": "4Gi", "pods": "10"})],
        workloads: [Deployment(name: "web", replicas: 1, placement: Node("n-0"), template: (pod_start: "2s", usage: {"memory": "1000Mi"}))])"#;
    scratch.write("a.ron", text);
    let memory = "workloads.web.template.usage.memory=1000Mi,1000Mi + 1000Mi/s";
    let starts = "timing.kubelet.pod_start=2s,60s";
    let args = ["sweep", "a.ron", "--set", memory, "--set", starts, "--seeds", "2", "-q"];
    let called = scratch.call(&args);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let said = unfolded(&called.stdout);
    assert!(said.contains("Nodes run out of memory with 1000Mi + 1000Mi/s / 2s (n-0"), "{said}");
    assert!(!said.contains("1000Mi / 2s ("), "{said}");
    let idle = "`timing.kubelet.pod_start` changes nothing here: every run is the same";
    assert!(said.contains(idle) && !said.contains("moves no figure"), "{said}");
}
