//! Plans, drawn faults and histories from the command line; the three decisions of
//! docs/planning.md, each from its beginning to its end.

use super::{Scratch, unfolded};
use serde_json::{Value, json};

const EXPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/healthy-all.json.gz");

/// The plan of a decision as JSON: with a precision that takes seconds, and time enough for it.
fn decided(args: &[&str]) -> Value {
    let scratch = Scratch::new();
    let fixed = ["--precision", "25%", "--budget", "1h", "-q", "-o", "json"];
    let args: Vec<&str> =
        ["plan", EXPORT].into_iter().chain(args.iter().copied()).chain(fixed).collect();
    let called = scratch.call(&args);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let files = scratch.names("output/healthy-all-plan");
    for file in ["cost.png", "cost.svg", "front.png", "manifest.json", "plan.json", "plan.txt"] {
        assert!(files.iter().any(|f| f == file), "{file}: {files:?}");
    }
    serde_json::from_str(&called.stdout).expect("JSON")
}

fn row<'a>(plan: &'a Value, value: &str) -> &'a Value {
    let rows = plan["rows"].as_array().expect("rows");
    rows.iter().find(|r| r["values"][0] == value).expect(value)
}

fn figure(row: &Value, name: &str) -> f64 {
    row["figures"][name].as_f64().expect("a number")
}

/// A web tier on premises, an eviction worth five minutes of a replica: machines are away for an
/// hour on average, so that waiting buys little, and who never gives a node up pays for all of it.
#[test]
fn the_web_tier() {
    let plan = decided(&[
        "--preset",
        "on-prem",
        "--price",
        "evicted=5m",
        "--choose",
        "workloads.web.template.tolerations[unreachable].tolerationSeconds=30,300,none",
    ]);
    let cost = |value: &str| row(&plan, value)["cost"].as_f64().expect("a cost");
    assert!(cost("none") > cost("300") && cost("none") > cost("30"), "{plan:#}");
    // More toleration evicts no more pods, and fewer needlessly.
    let evicted = ["30", "300", "none"].map(|v| figure(row(&plan, v), "evicted"));
    assert!(evicted.is_sorted_by(|a, b| a >= b), "{evicted:?}");
    assert_ne!(plan["best"][0], "none");
}

/// A database as a StatefulSet: no toleration changes what is missing by more than its pods' own
/// starts.
#[test]
fn the_database() {
    let plan = decided(&[
        "--preset",
        "on-prem",
        "--choose",
        "workloads.db.template.tolerations[unreachable].tolerationSeconds=0,300,none",
    ]);
    let missing = ["0", "300", "none"].map(|v| figure(row(&plan, v), "replica_minutes_missing"));
    let (least, most) = (
        missing.iter().copied().fold(f64::MAX, f64::min),
        missing.iter().copied().fold(0.0, f64::max),
    );
    assert!(most - least < 0.05 * most, "{missing:?}");
    assert!(
        plan["unmoved"].as_array().expect("a list").contains(&"replica_minutes_missing".into()),
        "{plan:#}"
    );
}

/// An edge site with flaky links, whose pods clients on the site reach all the while: every
/// eviction because of a link is needless. Never to evict `web` leaves the evictions of others, ten
/// pods of workloads that tolerate 300 s on twelve nodes. Of 11,292 links that fail in a year 86 % are away for
/// longer than 350 s (the median is 1,174 s, sigma 1.13: Φ(1.07)), of 59.4 machines 95 % (3,780 s and
/// 1.42: Φ(1.68)): 10/12 · (11,292 · 0.858 + 59.4 · 0.953) = 8,118. With some hundred outages, each of
/// which takes up to three pods, that is known to a tenth.
#[test]
fn the_edge_site() {
    let plan = decided(&[
        "--preset",
        "edge",
        "--price",
        "evicted=5m",
        "--count",
        "outages",
        "--choose",
        "workloads.web.template.tolerations[unreachable].tolerationSeconds=60,900,none",
    ]);
    let evicted = ["60", "900", "none"].map(|v| figure(row(&plan, v), "evicted"));
    assert!(evicted[0] > evicted[1] && evicted[1] > evicted[2], "{evicted:?}");
    assert!((evicted[2] / 8_118.0 - 1.0).abs() < 0.3, "{evicted:?}");
    assert_ne!(plan["best"][0], "60");
}

#[test]
fn what_was_run_answers_for_other_prices() {
    let scratch = Scratch::new();
    let choose = "workloads.web.template.tolerations[unreachable].tolerationSeconds=0,300";
    let args = [
        "plan",
        EXPORT,
        "--preset",
        "lab",
        "--choose",
        choose,
        "--precision",
        "25%",
        "--budget",
        "1h",
        "-q",
    ];
    let called = scratch.call(&args);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("Recommendation"), "{}", called.stdout);
    let kept = ["plan", "--kept", "output/healthy-all-plan/plan.json", "-o", "json"];
    let of = |more: &[&str]| {
        let args: Vec<&str> = kept.iter().chain(more).copied().collect();
        let called = scratch.call(&args);
        assert!(called.code < 2, "{}", called.stderr);
        serde_json::from_str::<Value>(&called.stdout).expect("JSON")
    };
    let free = of(&[]);
    assert_eq!(free["best"][0], "0");
    // What is to be known of these runs is no other for being asked again.
    let written = scratch.text("output/healthy-all-plan/plan.json");
    let written: Value = serde_json::from_str(&written).expect("JSON");
    for of in ["run", "faults", "basis"] {
        assert_eq!(free[of], written[of], "{of}");
    }
    let basis = &written["basis"];
    let hash = basis["scenario"]["hash"].as_str().expect("a hash");
    let manifest = scratch.text("output/healthy-all-plan/manifest.json");
    assert!(manifest.contains(hash) && manifest.contains("needless_window_s"), "{manifest}");
    let asked = [&basis["seed"], &basis["needless_window_s"], &basis["choose"][0]];
    assert_eq!(asked, [&json!(1), &json!(300.0), &json!(choose)]);
    assert!(written["run"].as_str().expect("a run").contains("seed 1"));
    let notes = |plan: &Value| plan["notes"].as_array().expect("notes").clone();
    assert!(!notes(&written).is_empty());
    assert_eq!(notes(&free)[1..], notes(&written));
    let again = notes(&free)[0].to_string();
    assert!(
        again.contains(
            "healthy-all.json.gz; an eviction is needless where the node is back within 5m"
        ),
        "{again}"
    );
    assert_eq!(of(&["--price", "evicted=1h"])["best"][0], "300");
    // Without a price of evictions at once is cheapest; a limit that only 300 s keep costs something.
    let least = figure(row(&free, "300"), "evicted");
    let limit = format!("evicted<={}/y", least + 1e-6);
    let limited = ["plan", "--kept", kept[2], "--within", &limit];
    let called = scratch.call(&limited);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(
        called.stdout.contains(" a year more (") && !called.stdout.contains("saves"),
        "{}",
        called.stdout
    );
    assert!(unfolded(&called.stdout).contains("not sure"), "{}", called.stdout);
    // Rows that break two limits are no wider than others.
    let limits = ["--within", "evicted<=0/y", "--within", "below<=0/y"];
    let called = scratch.narrow(&[&["plan", "--kept", kept[2]], &limits[..]].concat());
    assert_eq!(called.code, 1, "{}", called.stderr);
    assert!(called.stdout.contains("breaks evicted"), "{}", called.stdout);
    for line in called.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // The figure that is limited is in the table, whatever has no room.
    let called = scratch.call(&["plan", "--kept", kept[2], "--within", "evicted<=0/y"]);
    let text = unfolded(&called.stdout);
    let left_out = text.split_once("of -o csv: ").map_or("", |(_, rest)| rest);
    assert!(text.contains("breaks evicted<=0/y"), "{text}");
    assert!(
        left_out.split(['.']).next().is_some_and(|l| l.split(", ").all(|f| f != "evicted")),
        "{text}"
    );
    for (more, part) in [
        (["--budget", "1s"], "cannot be used with"),
        (["--precision", "1%"], "cannot be used with"),
        (["--price", "evicted=5m,evicted=1m"], "--price says twice what `evicted` is"),
    ] {
        scratch.call(&[&kept[..3], &more[..]].concat()).fails(2, &[part]);
    }
    // Of fifteen outages, of forty that there are to be at least, nothing is known.
    let mut few = written;
    few["kept"]["moments"]["n"] = 15.into();
    scratch.write("few.json", few.to_string());
    let called = scratch.call(&["plan", "--kept", "few.json"]);
    assert_eq!(called.code, 4, "{}", called.stderr);
    assert!(unfolded(&called.stdout).contains("not known yet: 15 paired"), "{}", called.stdout);
    // Nor is it of none.
    let none = [&args[..9], &["1ns", "--out", "none"]].concat();
    scratch.call(&none).fails(4, &["not known yet: the budget was over", "a longer one"]);
    scratch.write("broken.json", "{\"kept\": {}}");
    let called = scratch.call(&["plan", "--kept", "broken.json"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let scratch = Scratch::with_starter();
    let toleration = "pods.web.tolerations[unreachable].tolerationSeconds=0,300";
    let of_claim = "pods.web.resourceClaims[0].tolerations[0].tolerationSeconds=0,300";
    let grace = "flags.kube-controller-manager.node-monitor-grace-period=20s,50s";
    for (args, said) in [
        (vec!["--choose", toleration], "nothing says how things fail here"),
        (vec!["--preset", "moon", "--choose", toleration], "there is no preset `moon`"),
        (vec!["--preset", "lab"], "there is nothing to choose from"),
        (
            vec!["--preset", "lab", "--choose", grace, "--managed", "eks"],
            "cannot be set on Amazon EKS",
        ),
        (
            vec!["--preset", "lab", "--choose", grace, "--managed", "openshift"],
            "none of OpenShift's worker latency profiles",
        ),
        (vec!["--preset", "lab", "--choose", of_claim], "no fault taints one"),
        (vec!["--preset", "lab", "--choose", "workloads.nope.replicas=1,2"], "`nope`"),
        (vec!["--preset", "lab", "--choose", "workloads.nope.replicas=1,2"], "--choose:1:1"),
        (vec!["--preset", "lab", "--choose", toleration, "--price", "evicted=-1"], "is negative"),
        (
            vec!["--preset", "lab", "--choose", toleration, "--precision", "0%"],
            "\"0%\" is not between 0% and 100%",
        ),
        (
            vec!["--preset", "lab", "--choose", toleration, "--confidence", "sure"],
            "is no percentage: write 5%",
        ),
        (
            vec!["--preset", "lab", "--choose", toleration, "--confidence", "99"],
            "\"99\" is not between 0 and 1: write 99%",
        ),
        (
            vec!["--preset", "lab", "--choose", toleration, "--confidence", "1%"],
            "\"1%\" is not between 50% and 99.9999%",
        ),
        (vec!["--preset", "lab", "--choose", toleration, "--within", "pods<=1/y"], "is no figure"),
    ] {
        let all: Vec<&str> = ["plan", "a.ron", "-q"].into_iter().chain(args).collect();
        let called = scratch.call(&all);
        assert_eq!(called.code, 2, "{said}: {}", called.stdout);
        assert!(called.stderr.contains(said), "{said}: {}", called.stderr);
    }
}

/// A drawn year is a scenario that runs, and a history that is read again.
#[test]
fn drawn_faults_are_written_and_read() {
    let scratch = Scratch::with_starter();
    let faults = |more: &[&str]| {
        let args: Vec<&str> =
            ["faults", "a.ron", "--preset", "grid", "--seed", "7", "--for", "72h", "-q"]
                .into_iter()
                .chain(more.iter().copied())
                .collect();
        let called = scratch.call(&args);
        assert_eq!(called.code, 0, "{}", called.stderr);
        called.stdout
    };
    assert!(faults(&[]).contains("machine"));
    scratch.write("year.ron", faults(&["--as", "scenario"]));
    for option in ["--out", "-o"] {
        assert_eq!(faults(&[option, "again.ron", "--force"]), "");
        assert_eq!(scratch.text("again.ron"), scratch.text("year.ron"));
    }
    let called = scratch.call(&["validate", "year.ron"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    scratch.write("history.csv", faults(&["--as", "csv"]));
    let called =
        scratch.call(&["outages", "history.csv", "--fit", "--chart", "o.svg", "-o", "json"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let told: Value = serde_json::from_str(&called.stdout).expect("JSON");
    let document: Value = serde_json::from_str(&faults(&["--as", "json"])).expect("JSON");
    let drawn = document["outages"].as_array().expect("outages").len();
    // Outages of one node that overlap would have been refused; these are of one model.
    assert_eq!(told["outages"], drawn);
    assert!(scratch.text("o.svg").contains("best"));
    let again = ["outages", "history.csv", "--chart", "o.svg"];
    let called = scratch.call(&again);
    assert_eq!(called.code, 2, "{}", called.stdout);
    assert!(called.stderr.contains("--force"), "{}", called.stderr);
    let called = scratch.call(&[&again[..], &["--force"]].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let preset = scratch.call(&["faults", "--show", "on-prem"]);
    assert!(preset.stdout.contains("Javadi"), "{}", preset.stdout);
    scratch.write("bad.csv", "node,start,end\na,10,5\n");
    let called = scratch.call(&["outages", "bad.csv"]);
    assert_eq!(called.code, 2);
    assert!(
        called.stderr.contains("line 2: the outage of `a` ends before it begins"),
        "{}",
        called.stderr
    );
}

/// A StatefulSet of one pod waits for its node whatever is tolerated, and is below its need for as long. That no value changes
/// either is said with how well they are known, and so it is of whole years and of one outage at a time.
#[test]
fn what_is_not_decided_has_its_interval() {
    let scratch = Scratch::new();
    scratch.write(
        "db.ron",
        r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..2}")],
        workloads: [StatefulSet(name: "db", replicas: 1, placement: Nodes(["n-0"]))],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("1h"))]))"#,
    );
    let choose = "workloads.db.template.tolerations[unreachable].tolerationSeconds=0,300";
    let called = scratch.call(&["plan", "db.ron", "--choose", choose, "--budget", "1h", "-q"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let text = unfolded(&called.stdout);
    let of = |from: &str| text.split(from).nth(1).unwrap_or_else(|| panic!("{text}"));
    let said = of("hardly changed by any of these values:").split(" a year").next().expect("some");
    let below = said.split(", ").find(|figure| figure.ends_with("minutes below need"));
    assert!(below.is_some_and(|figure| figure.contains('±')), "{said}");
    assert!(
        of("minutes below need [").split(']').next().is_some_and(|s| s.contains('±')),
        "{text}"
    );
}

/// A scenario whose faults come from a file is run, and its folder is read again from the copy.
#[test]
fn a_history_goes_with_the_results() {
    let scratch = Scratch::new();
    scratch.write("h.csv", "node,start,end\na,600,1200\nb,4000,4300\n");
    scratch.write(
        "h.ron",
        r#"Scenario(version: 1, horizon: "2h", nodes: [(names: "n-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))],
        faults: (models: [(name: "mine", nodes: All, do: Crash, trace: (file: "h.csv"))]))"#,
    );
    let run = scratch.call(&["run", "h.ron"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stdout.contains("mine 1 of n-"), "{}", run.stdout);
    std::fs::remove_file(scratch.path("h.csv")).expect("it was there");
    let again = scratch.call(&["report", "output/h", "--as", "text"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stdout.contains("mine 1 of n-"), "{}", again.stdout);
}

/// The record says that the node was heard again after ten minutes. The machine boots for 30 s at the
/// end of that, so that it is switched on at 9m30s, and its node is back at ten minutes and not later.
/// Two outages in 250 days are 2.92 a year: by the exact interval of Poisson 0.242 to 7.225 of them,
/// 0.35 to 10.5 a year.
#[test]
fn a_recorded_outage_ends_with_the_boot() {
    let scratch = Scratch::new();
    scratch.write("h.csv", "node,start,end\na,0,600\na,21599400,21600000\n");
    let of = |lasts: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "8760h", nodes: [(name: "a")],
            faults: (models: [(name: "mine", nodes: All, do: Crash, {lasts})]))"#
        )
    };
    scratch.write("trace.ron", of("trace: (file: \"h.csv\")"));
    let lasts = "rate: PerNodeYear(9), lasts: Empirical(\"h.csv\")";
    scratch.write("empirical.ron", of(lasts));
    for file in ["trace.ron", "empirical.ron"] {
        let called = scratch.call(&["faults", file, "-o", "scenario"]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        let text = called.stdout;
        assert!(text.contains("9m30s") && !text.contains("\"10m"), "{text}");
    }
    let called = scratch.call(&["outages", "h.csv", "-o", "json"]);
    let told: Value = serde_json::from_str(&called.stdout).expect("JSON");
    let of = |v: &Value| v.as_f64().expect("a number");
    let range = &told["per_node_year_95"];
    assert!((of(&told["per_node_year"]) - 2.92).abs() < 0.01, "{told}");
    assert!((of(&range[0]) - 0.354).abs() < 0.005, "{told}");
    assert!((of(&range[1]) - 10.55).abs() < 0.02, "{told}");
}

/// In 73 days, a fifth of a year, two nodes of the cluster failed three times, and one that it does not have failed five
/// times: 15 in a year are theirs. Where the cluster has none of them, three nodes fail as the three of the record.
#[test]
fn a_history_is_of_the_nodes_that_it_names() {
    let scratch = Scratch::new();
    let outages =
        ["a,0", "a,3000000", "b,1000000", "x,10", "x,20000", "x,30000", "x,40000", "x,6307140"];
    let row = |outage: &&str| {
        let (node, start) = outage.split_once(',').expect("two");
        format!("{node},{start},{}\n", start.parse::<u64>().expect("a number") + 60)
    };
    let rows: String = outages.iter().map(row).collect();
    scratch.write("h.csv", format!("node,start,end\n{rows}"));
    let of = |nodes: &str| {
        scratch.write(
            "h.ron",
            format!(
                r#"Scenario(version: 1, horizon: "8760h", nodes: [{nodes}],
                faults: (models: [(name: "mine", nodes: All, do: Partition(), trace: (file: "h.csv"))]))"#
            ),
        );
        let told = scratch.call(&["faults", "h.ron", "-o", "json"]).stdout;
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let model = told["models"][0].clone();
        (model["per_year"].as_f64().expect("a number").round(), model["drawn"].as_u64())
    };
    assert_eq!(of(r#"(names: ["a", "b", "c"])"#), (15.0, Some(15)));
    assert_eq!(of(r#"(names: "c-{0..2}")"#), (40.0, Some(40)));
    // One that names a node that never failed has all of its nodes: c is dealt x, or, as the second, y.
    scratch.write("h.csv", format!("node,start,end\n{rows}y,,\n"));
    assert_eq!(of(r#"(names: ["a", "b", "c", "d"])"#), (40.0, Some(40)));
}

/// A single outage that was recorded would come again and again without a pause, minute after minute.
#[test]
fn a_history_of_one_outage_is_no_rate() {
    let scratch = Scratch::new();
    scratch.write("h.csv", "node,start,end\na,0,60\n");
    let text = r#"Scenario(version: 1, horizon: "24h", nodes: [(name: "a")],
        faults: (models: [(name: "mine", nodes: All, do: Crash, trace: (file: "h.csv"))]))"#;
    scratch.write("one.ron", text);
    let called = scratch.call(&["faults", "one.ron"]);
    called.fails(2, &["not how often they come", "lasts: Empirical(\"h.csv\")"]);
    // Two of them in three minutes are 350,400 in a year, which no budget is enough for.
    scratch.write("h.csv", "node,start,end\na,0,60\na,120,180\n");
    let with_web = "workloads: [Deployment(name: \"web\", placement: Node(\"a\"))], faults:";
    scratch.write("two.ron", text.replace("faults:", with_web));
    let path = "workloads.web.template.tolerations[unreachable].tolerationSeconds=0,300";
    scratch.call(&["plan", "two.ron", "--choose", path]).fails(2, &["350400 outages a year"]);
}

/// Two histories of one name in two folders are two files: each has a copy of its own in the folder
/// of results, from which the same run is built again.
#[test]
fn histories_of_one_name_do_not_collide() {
    let scratch = Scratch::new();
    for (folder, end) in [("a", 60), ("b", 6_000)] {
        std::fs::create_dir(scratch.path(folder)).expect("a folder");
        let text = format!("node,start,end\nn-0,0,{end}\nn-1,10000,10300\n");
        scratch.write(&format!("{folder}/h.csv"), text);
    }
    scratch.write(
        "h.ron",
        r#"Scenario(version: 1, horizon: "2h", nodes: [(names: "n-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All))],
        faults: (models: [(name: "one", nodes: All, do: Crash, trace: (file: "a/h.csv")),
            (name: "two", nodes: All, do: Crash, trace: (file: "b/h.csv"))]))"#,
    );
    let run = scratch.call(&["run", "h.ron", "-q"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let copy = |name: &str| scratch.text(&format!("output/h/{name}"));
    assert!(copy("input-h.csv").contains("n-0,0,60\n"));
    assert!(copy("input-2-h.csv").contains("n-0,0,6000\n"));
    let read = || {
        let called = scratch.call(&["report", "output/h", "--as", "text"]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        called.stdout
    };
    let before = read();
    assert!(before.contains("one 1 of n-") && before.contains("two 1 of n-"), "{before}");
    std::fs::remove_dir_all(scratch.path("a")).expect("it was there");
    std::fs::remove_dir_all(scratch.path("b")).expect("it was there");
    assert_eq!(read(), before);
}

/// Of four outages in 73 days one was not over: it has been the longest for 15 days.
#[test]
fn a_plan_says_of_how_much_a_record_is() {
    let scratch = Scratch::new();
    let rows = "a,0,600\nb,3000000,3000600\nb,5000000,\na,6307140,6307200\n";
    scratch.write("h.csv", format!("node,start,end\n{rows}"));
    scratch.write(
        "h.ron",
        r#"Scenario(version: 1, horizon: "1h", nodes: [(names: ["a", "b"])], workloads: [Deployment(name: "web", placement: Node("a"))],
        faults: (models: [(name: "mine", nodes: All, do: Partition(), trace: (file: "h.csv"))]))"#,
    );
    let path = "workloads.web.template.tolerations[unreachable].tolerationSeconds=0,300";
    let planned = unfolded(&scratch.call(&["plan", "h.ron", "--choose", path]).stdout);
    let wanted = "`mine` is a record, in which outages come together: of 4 outages, and how far that may be off is in no interval; \
                  1 outage had not ended: taken to be as long as one that was longer than it was seen for";
    assert!(planned.contains(wanted), "{planned}");
}

/// Three nodes are there for 100 days each, one after the other, and looked at for 300 days: each of two nodes fails as often as they
/// did together, which is 3.65 times a year. Where there is none for 180 days in between, the rate is too low. What the store of metrics
/// warned of is said with the answer.
#[test]
fn nodes_of_a_record_that_came_and_went_have_one_place() {
    let scratch = Scratch::new();
    let write = |nodes: &[(&str, u32, u32)]| {
        let series = nodes.iter().map(|(node, from, to)| {
            let [at, end] = [from, to].map(|day| day * 86_400);
            let [down, up] = [at + 4_000, at + 4_600];
            format!(
                r#"{{"metric":{{"node":"{node}","status":"true"}},"values":[[{at},"1"],[{down},"0"],[{up},"1"],[{end},"1"]]}}"#
            )
        });
        let series = series.collect::<Vec<_>>().join(",");
        scratch.write(
            "h.json",
            format!(r#"{{"status":"success","isPartial":true,"data":{{"result":[{series}]}}}}"#),
        );
    };
    scratch.write(
        "h.ron",
        r#"Scenario(version: 1, horizon: "1h", nodes: [(names: ["a", "b"])], workloads: [Deployment(name: "web", placement: Node("a"))],
        faults: (models: [(name: "mine", nodes: All, do: Partition(), trace: (file: "h.json"))]))"#,
    );
    write(&[("x", 0, 100), ("y", 100, 200), ("z", 200, 300)]);
    let told = scratch.call(&["faults", "h.ron", "-o", "json"]).stdout;
    let told: Value = serde_json::from_str(&told).expect("JSON");
    let per_year = told["models"][0]["per_year"].as_f64().expect("a number");
    assert!((per_year - 7.3).abs() < 0.01, "{told}");
    write(&[("x", 0, 100), ("y", 280, 300)]);
    let path = "workloads.web.template.tolerations[unreachable].tolerationSeconds=0,300";
    let wanted = "its nodes were there for 40.0 % of its time, and its outages are too few by that";
    let planned = unfolded(&scratch.call(&["plan", "h.ron", "--choose", path]).stdout);
    assert!(planned.contains(wanted), "{planned}");
    let warned =
        "Assumed: h.json lacks no nodes and no times, though its store warned: isPartial: true.";
    assert!(planned.contains(warned), "{planned}");
}

/// What is wrong with a history is said with its line, and what to do about it.
#[test]
fn histories_that_cannot_be_are_refused() {
    let scratch = Scratch::new();
    for (rows, said, help) in [
        (
            "a,0,60\na,30,90\n",
            "line 3: this outage of `a` begins before the one of line 2 is over",
            "make one outage of the two",
        ),
        ("a,60,0\n", "line 2: the outage of `a` ends before it begins", "its start stands first"),
        ("a,60,\n", "there is no outage in it that has ended", "give its end"),
    ] {
        scratch.write("bad.csv", format!("node,start,end\n{rows}"));
        scratch.write(
            "bad.ron",
            r#"Scenario(version: 1, horizon: "1h", nodes: [(name: "a")],
            faults: (models: [(name: "mine", nodes: All, do: Crash, trace: (file: "bad.csv"))]))"#,
        );
        for args in [["outages", "bad.csv"], ["validate", "bad.ron"]] {
            let called = scratch.call(&args);
            assert_ne!(called.code, 0, "{said}");
            assert!(called.stderr.contains(said), "{said}: {}", called.stderr);
            assert!(called.stderr.contains(help), "{help}: {}", called.stderr);
        }
    }
}

/// What plans are asked for, as a document; kept runs are not run again.
fn common(args: &[&str]) -> &'static [&'static str] {
    match args.contains(&"--kept") {
        true => &["-q", "-o", "json"],
        false => &["-q", "-o", "json", "--precision", "25%", "--budget", "1h"],
    }
}

/// A scenario keeps its prices: a plan of it counts in them, `--price` says one anew, and its
/// plan.json keeps what it was counted in.
#[test]
fn prices_are_kept_with_the_scenario() {
    let scratch = Scratch::new();
    let scenario = |prices: &str| {
        format!(
            r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{{0..3}}")], prices: ({prices}),
            workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All))])"#
        )
    };
    let choose = "workloads.web.template.tolerations[unreachable].tolerationSeconds=0,300";
    let of = |args: &[&str]| {
        let called = scratch.call(&[&["plan"], args, common(args)].concat());
        assert_eq!(called.code, 0, "{}", called.stderr);
        serde_json::from_str::<Value>(&called.stdout).expect("JSON")
    };
    let planned = |more: &[&str]| {
        let args = ["p.ron", "--preset", "lab", "--choose", choose];
        of(&args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    // Four nodes are 35,040 hours of a year, whatever is chosen.
    scratch
        .write("p.ron", scenario(r#"currency: "EUR", missing: 0.5, evicted: 2, node_hour: 0.1"#));
    let plan = planned(&[]);
    assert_eq!(plan["unit"], "EUR");
    for row in plan["rows"].as_array().expect("rows") {
        let (missing, evicted) = (figure(row, "replica_minutes_missing"), figure(row, "evicted"));
        let cost = row["cost"].as_f64().expect("a cost");
        assert!((cost - 0.5 * missing - 2.0 * evicted - 3_504.0).abs() < 1e-6, "{row}");
    }
    let kept = of(&["--kept", "output/p-plan/plan.json", "--price", "evicted=0"]);
    let prices = kept["prices"].as_object().expect("prices");
    assert_eq!(prices.len(), 2, "{prices:?}");
    assert_eq!(prices["node_hour"], 0.1);
    // What is needed where nobody says it, beside figures that rest on it.
    let kept = ["plan", "--kept", "output/p-plan/plan.json", "--price"];
    let said = |price| scratch.call(&[&kept[..], &[price]].concat()).stdout;
    let needs = "Below need         fewer pods up than a workload's `needs` says";
    assert!(said("below=1").contains(needs) && !said("missing=1").contains(needs));
    // In downtime, and one of them said anew on the command line.
    scratch.write("p.ron", scenario(r#"evicted: "5m", needless: "10m""#));
    let plan = planned(&["--price", "evicted=1m"]);
    assert_eq!(plan["unit"], "replica-minutes");
    let (evicted, needless) = (&plan["prices"]["evicted"], &plan["prices"]["needless"]);
    assert_eq!((evicted, needless), (&1.0.into(), &10.0.into()));
    for (prices, said) in [
        ("evicted: -1", "evicted: a price of -1 is negative"),
        (r#"currency: "EUR", evicted: "5m""#, "is no price in EUR"),
        ("evikted: 1", "`evikted` is not a field"),
    ] {
        scratch.write("p.ron", scenario(prices));
        let called = scratch.call(&["validate", "p.ron"]);
        assert_ne!(called.code, 0, "{said}");
        let said = said.trim_start_matches("evicted: ");
        assert!(called.stderr.contains(said), "{said}: {}", called.stderr);
        assert!(
            called.stderr.contains("p.ron:1:") || called.stderr.contains("p.ron:"),
            "{}",
            called.stderr
        );
    }
}

/// More nodes fail more often, and fewer pods with each. Twelve outages a node and year of ten
/// minutes each, by which all pods of a node are evicted: 24 times four on two nodes, and 48 times
/// two on four. The hours of two nodes more cost 17,520 EUR.
#[test]
fn spare_nodes_can_be_chosen() {
    let scratch = Scratch::new();
    scratch.write(
        "n.ron",
        r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..1}")], prices: (currency: "EUR", evicted: 1, node_hour: 1),
        workloads: [Deployment(name: "web", replicas: 8, placement: Spread(All))],
        faults: (models: [(name: "m", nodes: All, do: Crash, rate: PerNodeYear(12), lasts: Fixed("10m"))]))"#,
    );
    let choose = "nodes[0].names=n-{0..3},n-{0..1}";
    let args = ["plan", "n.ron", "--choose", choose, "--precision", "10%"];
    let called = scratch.call(&[&args[..], &["--budget", "1h", "-q", "-o", "json"]].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let plan: Value = serde_json::from_str(&called.stdout).expect("JSON");
    for (value, nodes) in [("n-{0..1}", 2.0), ("n-{0..3}", 4.0)] {
        let row = row(&plan, value);
        assert!((figure(row, "evicted") - 96.0).abs() < 1e-6, "{row}");
        let cost = row["cost"].as_f64().expect("a cost");
        assert!((cost - 96.0 - nodes * 8_760.0).abs() < 1e-6, "{row}");
    }
    assert_eq!(plan["best"][0], "n-{0..1}");
    // It rests on the two nodes that there are now, whichever value stands first.
    assert_eq!(plan["models"][0]["per_year"].as_f64().map(f64::round), Some(24.0));
}

/// Of three models two evict a pod of a Job, which fails of it and lacks that pod for good:
/// so it is in two of three outages, and forty of each model are enough where the outcome is the same each time.
#[test]
fn outages_are_counted_over_all_models() {
    let scratch = Scratch::new();
    scratch.write(
        "n.ron",
        r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Spread(All)),
            Job(name: "sum", parallelism: 2, completions: 2, backoffLimit: 0, placement: Spread(All))],
        faults: (models: [(name: "node", nodes: All, do: Crash, rate: PerNodeYear(20), lasts: Fixed("1h")),
            (name: "disk", nodes: All, do: Crash, rate: PerNodeYear(10), lasts: Fixed("1h")),
            (name: "link", nodes: All, do: Partition(), rate: PerNodeYear(10), lasts: Fixed("1s"))]))"#,
    );
    let choose = "workloads.web.template.tolerations[unreachable].tolerationSeconds=300,600";
    let args = ["plan", "n.ron", "--choose", choose, "--precision", "25%", "--budget", "1h", "-q"];
    let words = unfolded(&scratch.call(&args).stdout);
    for said in [
        ", with 300 in 80 of 120 outages, with 600 in 80 of 120 outages: what they cost",
        "backoff limit) in 80 of 120 outages: what a failed Job lacks",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
}

/// Sixty outages a year of a node of six, of ten minutes each: whatever is tolerated, a pod is missing for
/// more than a minute of one. Of a workload without pods no outage makes a difference.
#[test]
fn where_nothing_is_recommended_nothing_is_said_to_be() {
    let scratch = Scratch::new();
    scratch.write(
        "n.ron",
        r#"Scenario(version: 1, horizon: "1h", nodes: [(names: "n-{0..5}")],
        workloads: [Deployment(name: "web", replicas: 6, placement: Spread(All)), Deployment(name: "idle", replicas: 0)],
        faults: (models: [(name: "m", nodes: All, do: Crash, rate: PerNodeYear(10), lasts: Fixed("10m"))]))"#,
    );
    let of = |workload: &str, more: &[&str], code: i32| {
        let choose = format!(
            "workloads.{workload}.template.tolerations[unreachable].tolerationSeconds=0,300"
        );
        let args =
            ["plan", "n.ron", "--choose", &choose, "--precision", "25%", "--budget", "1h", "-q"];
        let called = scratch.call(&[&args[..], more].concat());
        assert_eq!(called.code, code, "{}", called.stderr);
        unfolded(&called.stdout)
    };
    let broken = of("web", &["--within", "missing<=1/y"], 1);
    assert!(broken.contains("no recommendation, as no value keeps missing<=1/y"), "{broken}");
    assert!(broken.contains("years of 0, what costs least, in which"), "{broken}");
    let json = of("web", &["--within", "missing<=1/y", "-o", "json"], 1);
    let json: Value = serde_json::from_str(&json).expect("is JSON");
    let best = [&json["best"], &json["cannot_be_told_apart"], &json["keeps_limits"]];
    assert_eq!(best, [&Value::Null, &json!([]), &json!(false)]);
    let table = of("web", &["--within", "missing<=1/y", "-o", "csv"], 1);
    // `unit` and `best`.
    assert!(
        table.contains("replica-minutes,false,") && !table.contains("replica-minutes,true,"),
        "{table}"
    );
    let idle = of("idle", &["--price", "evicted=5m"], 0);
    assert!(idle.contains("do not concern what is chosen"), "{idle}");
    assert!(!idle.contains("any of them will do"), "{idle}");
    // A second may be too short for any answer.
    let choose = "workloads.idle.template.tolerations[unreachable].tolerationSeconds=0,300";
    let short = ["plan", "n.ron", "--choose", choose, "--budget", "1s", "-q", "--out", "short"];
    let short = scratch.call(&short).stdout;
    assert!(!short.contains("By formula 300 is best"), "{short}");
}

/// Settings of two workloads are chosen each for itself where they do not touch each other, and
/// otherwise together: on four nodes with two places each, seven pods leave one place for two that
/// are evicted.
#[test]
fn settings_of_several_workloads() {
    let scratch = Scratch::new();
    let write = |cpu: u32| {
        let template = r#"template: (requests: {"cpu": "1"}, tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute)])"#;
        let text = format!(
            r#"Scenario(version: 1, horizon: "1h", timing: Ideal, nodes: [(names: "n-{{0..3}}", capacity: {{"cpu": "{cpu}", "pods": "10"}})],
            workloads: [Deployment(name: "web", replicas: 4, placement: Spread(All), {template}),
                Deployment(name: "api", replicas: 3, placement: Spread(All), {template})],
            faults: (models: [(name: "node", nodes: All, do: Partition(), rate: PerNodeYear(12), lasts: Fixed("1h"))]))"#
        );
        scratch.write("w.ron", text);
    };
    let of = |args: &[&str]| {
        let called = scratch.call(&[&["plan"], args, common(args)].concat());
        assert_eq!(called.code, 0, "{}", called.stderr);
        serde_json::from_str::<Value>(&called.stdout).expect("JSON")
    };
    let [web, api] = ["web", "api"].map(|w| {
        format!("workloads.{w}.template.tolerations[unreachable].tolerationSeconds=0,none")
    });
    let chosen = ["w.ron", "--choose", &web, "--choose", &api];
    write(8);
    let plan = of(&[&chosen[..], &["--html"]].concat());
    let plans = plan["plans"].as_array().expect("a plan of each");
    assert_eq!(plans.len(), 2, "{plan:#}");
    for one in plans {
        assert_eq!((&one["best"][0], &one["now"][0]), (&"0".into(), &"none".into()));
        let together = one["together"].as_str().expect("what they do to each other");
        assert!(together.contains("do not touch each other"), "{together}");
    }
    let files = scratch.names("output/w-plan");
    for file in ["1-cost.svg", "2-cost.svg", "2-front.png", "plan.json"] {
        assert!(files.iter().any(|f| f == file), "{file}: {files:?}");
    }
    // The page has a slider for each, with an outage under every value.
    let page = scratch.text("output/w-plan/report.html");
    for run in ["run-0-0", "run-0-1", "run-1-0", "run-1-1"] {
        assert!(page.contains(&format!("data-name=\"{run}\"")), "{run}");
    }
    // The runs answer for both again.
    let kept = of(&["--kept", "output/w-plan/plan.json", "--price", "evicted=2h"]);
    let best = |plan: &Value| plan["best"][0].clone();
    let all: Vec<Value> = kept["plans"].as_array().expect("plans").iter().map(best).collect();
    assert_eq!(all, ["none", "none"]);
    // In a table each has rows of its own, in which the other is empty.
    let table = ["plan", "--kept", "output/w-plan/plan.json", "-q", "-o", "csv"];
    let called = scratch.call(&table);
    let mut csv = csv::Reader::from_reader(called.stdout.as_bytes());
    let heading = csv.headers().expect("a heading").clone();
    let paths = [&web, &api].map(|chosen| chosen.strip_suffix("=0,none"));
    assert_eq!([heading.get(0), heading.get(1)], paths);
    let rows: Vec<csv::StringRecord> = csv.records().map(|row| row.expect("a row")).collect();
    let values: Vec<[&str; 2]> = rows.iter().map(|row| [0, 1].map(|i| &row[i])).collect();
    assert_eq!(values, [["0", ""], ["none", ""], ["", "0"], ["", "none"]]);
    // It says of each row what the document says.
    let document = of(&["--kept", "output/w-plan/plan.json"]);
    let plans = document["plans"].as_array().expect("plans").iter();
    let told = plans.flat_map(|p| p["rows"].as_array().expect("rows").iter().map(move |r| (p, r)));
    for ((plan, told), row) in told.zip(&rows) {
        let cell = |name: &str| &row[heading.iter().position(|h| h == name).expect(name)];
        let numbers = [
            ("cost", &told["cost"]),
            ("cost_low", &told["interval"][0]),
            ("cost_high", &told["interval"][1]),
            ("more_high", &told["more_interval"][1]),
            ("evicted", &told["figures"]["evicted"]),
            ("evicted_low", &told["figure_intervals"]["evicted"][0]),
            ("evicted_high", &told["figure_intervals"]["evicted"][1]),
        ];
        for (name, number) in numbers {
            let (cell, number) = (cell(name).parse::<f64>(), number.as_f64());
            let apart = cell.expect("a number") - number.expect("a number");
            // Tables have six decimals.
            assert!(apart.abs() < 1e-6, "{name} of {told:#}");
        }
        for (workload, ends) in told["own_intervals"].as_object().expect("workloads") {
            let high = cell(&format!("{workload}:evicted_high")).parse::<f64>().expect("a number");
            let apart = high - ends["evicted"][1].as_f64().expect("a number");
            assert!(apart.abs() < 1e-6, "{workload} of {told:#}");
        }
        let alike = plan["cannot_be_told_apart"].as_array().expect("values");
        let marks = [
            ("best", plan["best"] == told["values"]),
            ("now", plan["now"] == told["values"]),
            ("cannot_be_told_apart", alike.contains(&told["values"])),
        ];
        for (name, is) in marks {
            assert_eq!(cell(name), is.to_string(), "{name} of {told:#}");
        }
    }
    assert_eq!(
        of(&[&chosen[..], &["--jointly"]].concat())["rows"].as_array().map(Vec::len),
        Some(4)
    );
    // At no price of evictions three of four come to the same, and no number of runs tells them apart.
    write(2);
    let plan = of(&[&chosen[..], &["--price", "evicted=10m"]].concat());
    assert_eq!(plan["rows"].as_array().map(Vec::len), Some(4), "{plan:#}");
    let notes = plan["notes"].to_string();
    assert!(notes.contains("touch each other") && notes.contains("all 4 combinations"), "{notes}");
}
