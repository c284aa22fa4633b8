//! `-o`: one spelling in all commands, the old ones beside it, and what a command cannot print.

use super::Scratch;
use serde_json::Value;

#[test]
fn old_spellings_print_the_same() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let same = |new: &[&str], old: &[&str]| {
        let (new, old) = (scratch.call(new), scratch.call(old));
        assert_eq!(new.code, old.code, "{}{}", new.stderr, old.stderr);
        assert!(!new.stdout.is_empty() && new.stdout == old.stdout, "{}", new.stderr);
    };
    same(&["run", "a.ron", "-o", "json"], &["run", "a.ron", "--format", "json"]);
    same(&["report", "output/a", "-o", "csv"], &["report", "output/a", "--as", "csv"]);
    same(&["explain", "a.ron", "b-1", "-o", "json"], &["explain", "a.ron", "b-1", "--format=json"]);
    same(
        &["explain", "a.ron", "b-1", "--output", "mermaid"],
        &["explain", "a.ron", "b-1", "-o", "text", "--format", "mermaid"],
    );
    let with = &["--kubernetes", "1.32", "--against", "1.34", "-q"];
    same(
        &[&["diff", "a.ron", "-o", "json"], &with[..]].concat(),
        &[&["diff", "a.ron", "--format", "json"], &with[..]].concat(),
    );
}

#[test]
fn json_where_there_was_only_text() {
    let scratch = Scratch::with_starter();
    scratch.write("b.ron", "(version: 1, horizon: \"never\")");
    let called = scratch.call(&["validate", "a.ron", "b.ron", "-o", "json"]);
    assert_eq!(called.code, 2);
    let found: Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert_eq!(found["files"][0]["fine"], true);
    assert_eq!(found["files"][1]["fine"], false);
    let mistake = &found["files"][1]["mistakes"][0];
    assert_eq!((&mistake["line"], &mistake["column"]), (&1.into(), &23.into()));
    assert_eq!(found["files"][1]["warnings"].as_array().map(Vec::len), Some(0));
    assert!(called.stderr.contains("in 1 of 2 files"), "{}", called.stderr);
    let called = scratch.call(&["validate", "a.ron", "--kubernetes", "1.5", "-o", "json"]);
    let found: Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert_eq!(
        found["files"][0]["mistakes"][0]["line"],
        Value::Null,
        "it is in no line of the file"
    );

    let called = scratch.call(&["test", "a.ron", "-o", "json"]);
    let found: Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert_eq!(found["scenarios"][0]["file"], "a.ron");
    let called = scratch.call(&["test", "a.ron", "-o", "junit"]);
    assert!(called.stdout.contains("<testsuites"), "{}", called.stdout);
}

/// Documents of one form have one version.
#[test]
fn every_document_has_its_version() {
    let scratch = Scratch::with_starter();
    scratch.write("rapid.ron", include_str!("../../../scenarios/rapid.ron"));
    let other = ["diff", "a.ron", "--against-set", "horizon=20m"];
    let cases: &[&[&str]] = &[
        &["run", "a.ron"],
        &["run", "a.ron", "--summary"],
        &["report", "output/a"],
        &other,
        &[&other[..], &["--seeds", "2"]].concat(),
        &["explain", "a.ron", "zone/b"],
        &["explore", "rapid.ron", "-p", "taint-stale", "--depth", "1"],
        &["validate", "a.ron"],
        &["settings", "a.ron"],
        &["survey", "a.ron", "--lose", "zone"],
        &["test", "a.ron"],
    ];
    let version = |text: &str| -> Value {
        let document: Value = serde_json::from_str(text).expect("JSON");
        document["version"].clone()
    };
    for args in cases {
        let called = scratch.call(&[args, &["-o", "json"][..]].concat());
        assert_eq!(version(&called.stdout), 1, "{args:?}: {}", called.stderr);
    }
    assert_eq!(version(&scratch.text("output/a/summary.json")), 1);
    // One such document is replaced by another.
    for _ in 0..2 {
        let again = ["report", "output/a", "-o", "json", "--out", "r.json"];
        assert_eq!(scratch.call(&again).code, 0);
    }
    // What says itself what it is.
    assert!(version(&scratch.call(&["schema"]).stdout).is_null());
}

#[test]
fn a_summary_that_is_asked_for_is_printed_quietly_too() {
    let scratch = Scratch::with_starter();
    let [loud, quiet] =
        [&[][..], &["-q"]].map(|q| scratch.call(&[&["run", "a.ron", "--summary"], q].concat()));
    assert!(loud.stdout.contains("Summary"), "{}", loud.stdout);
    assert_eq!(quiet.stdout, loud.stdout);
}

#[test]
fn what_a_command_cannot_print_is_refused_with_what_it_can() {
    let scratch = Scratch::with_starter();
    scratch.call(&["run", "a.ron", "-o", "csv"]).fails(2, &["text, json", "report DIR -o csv"]);
    scratch
        .call(&["survey", "a.ron", "--table", "workloads"])
        .fails(2, &["-o csv or -o parquet with it"]);
    scratch
        .call(&["import", "a.ron", "-o", "json"])
        .fails(2, &["as json", "scenario", "--out json"]);
    scratch
        .call(&["faults", "a.ron", "-o", "yaml"])
        .fails(2, &["text, json, scenario, csv, parquet"]);
    for form in ["junit", "tap", "github", "mermaid", "klog", "perfetto"] {
        for command in ["import", "faults", "shrink"] {
            let out = format!("--out {form}");
            scratch.call(&[command, "a.ron", "-o", form]).fails(2, &[&format!("as {form}"), &out]);
        }
    }
    scratch.call(&["shrink", "a.ron", "-o", "scenaro"]).fails(2, &["`scenario`", "--out scenaro"]);
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    scratch.call(&["report", "output/a", "--table", "curves"]).fails(2, &["-o csv or -o parquet"]);
    let plan = ["sweep", "a.ron", "--seeds", "2", "--plan-shards", "1", "--out", "work"];
    assert_eq!(scratch.call(&plan).code, 0);
    assert_eq!(scratch.call(&["shard", "work", "0"]).code, 0);
    scratch
        .call(&["gather", "work", "-o", "xml"])
        .fails(2, &["\"xml\"", "text, json, csv, parquet"]);
    let gathered = scratch.call(&["gather", "work", "-o", "csv"]);
    let one = scratch.call(&["sweep", "a.ron", "--seeds", "2", "-o", "csv"]);
    assert_eq!((gathered.code, gathered.stdout), (0, one.stdout));
}

#[test]
fn tables_of_a_finished_run() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&["run", "a.ron", "--records", "csv,parquet"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    for table in ["evictions", "records", "curves"] {
        for form in ["csv", "parquet"] {
            let out = format!("again-{table}.{form}");
            let called =
                scratch.call(&["report", "output/a", "-o", form, "--table", table, "--out", &out]);
            assert_eq!(called.code, 0, "{}", called.stderr);
            assert!(
                scratch.read(&out) == scratch.read(&format!("output/a/{table}.{form}")),
                "{table}.{form}"
            );
        }
    }
}

/// The cells of a table without those of its heading, by the names of columns.
fn column<'t>(csv: &'t str, name: &str) -> Vec<&'t str> {
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let heading = lines.next().expect("a heading");
    let place = heading.iter().position(|h| *h == name);
    let place = place.unwrap_or_else(|| panic!("{name} is not in {heading:?}"));
    lines.map(|cells| cells[place]).collect()
}

/// What a table has is what the document has.
#[test]
fn a_survey_as_a_table() {
    let scratch = Scratch::with_starter();
    let survey = |with: &[&str]| {
        let called = scratch.call(&[&["survey", "a.ron", "-q", "--lose", "zone"], with].concat());
        assert_eq!(called.code, 0, "{}", called.stderr);
        called.stdout
    };
    let document: Value = serde_json::from_str(&survey(&["-o", "json"])).expect("JSON");
    let rows = document["rows"].as_array().expect("rows");
    // However few are shown to people.
    let losses = survey(&["-o", "csv", "--rows", "1"]);
    let lost: Vec<&str> = rows.iter().filter_map(|r| r["lost"].as_str()).collect();
    assert_eq!(column(&losses, "lost"), lost);
    assert_eq!(lost.len(), 2, "the starter has two zones");
    let evicted = |row: &Value| row["figures"]["evicted"].as_f64().map(|n| n.to_string());
    let evicted: Vec<String> = rows.iter().filter_map(evicted).collect();
    assert_eq!(column(&losses, "evicted"), evicted);
    let workloads = survey(&["-o", "csv", "--table", "workloads"]);
    let hits = rows.iter().flat_map(|r| r["workloads"].as_array());
    let hits: Vec<&str> = hits.flatten().filter_map(|h| h["workload"].as_str()).collect();
    assert_eq!(column(&workloads, "workload"), hits);
    told(&losses);
    told(&workloads);
}

/// Every column of a table is in docs/data.md.
fn told(table: &str) {
    let page = include_str!("../../../docs/data.md");
    let heading = table.lines().next().expect("a heading");
    for name in heading.split(',') {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

/// Two outages, of one minute and of ten: on average (60 s + 600 s) / 2.
#[test]
fn a_history_as_tables() {
    let scratch = Scratch::new();
    scratch.write("h.csv", "node,start,end\n\"n,1\",100,160\nn2,400,1000\n");
    let called = scratch.call(&["outages", "h.csv", "-o", "csv", "--table", "outages"]);
    let expected = "node,start_s,end_s,lasts_s\n\"n,1\",0,60,60\nn2,300,900,600\n";
    assert_eq!((called.code, called.stdout.as_str()), (0, expected));
    let called = scratch.call(&["outages", "h.csv", "-o", "csv", "--fit"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let models = column(&called.stdout, "model");
    assert_eq!(models[0], "measured");
    assert_eq!(models.len(), 4);
    assert_eq!(column(&called.stdout, "mean_s")[0], "330");
}

/// With `--watch` there is one heading above all exports.
#[test]
fn a_forecast_as_a_table() {
    let scratch = Scratch::new();
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/real/f30.json.gz");
    let forecast = |with: &[&str]| {
        let all = [&["forecast", "-q", "--seeds", "2", "-o", "csv"], with].concat();
        let called = scratch.call(&all);
        assert_eq!(called.code, 0, "{}", called.stderr);
        called.stdout
    };
    let once = forecast(&[export]);
    assert!(column(&once, "what").contains(&"pod-deleted"), "{once}");
    let (heading, rows) = once.split_once('\n').expect("a heading");
    if cfg!(unix) {
        let watched = format!("gzip -dc {export}");
        let twice = forecast(&["--watch", &watched, "--every", "1ms", "--times", "2"]);
        assert_eq!(twice, format!("{heading}\n{rows}{rows}"));
    }
}

#[test]
fn two_sides_as_a_table() {
    let scratch = Scratch::with_starter();
    let diff = |with: &[&str]| {
        let sides = ["diff", "a.ron", "--kubernetes", "1.32", "--against", "1.34", "-q"];
        let called = scratch.call(&[&sides, with].concat());
        // They differ.
        assert_eq!(called.code, 1, "{}", called.stderr);
        called.stdout
    };
    for seeds in [&[][..], &["--seeds", "3"]] {
        let document = diff(&[&["-o", "json"], seeds].concat());
        let document: Value = serde_json::from_str(&document).expect("JSON");
        let table = diff(&[&["-o", "csv"], seeds].concat());
        let of_all = document["costs"].as_object().expect("figures");
        let figures: Vec<&str> = of_all.keys().map(String::as_str).collect();
        assert_eq!(column(&table, "figure")[..figures.len()], figures);
    }
}

/// What a call prints as Parquet: the names of its columns, how many rows it has, and what the file
/// says of itself.
#[cfg(feature = "parquet")]
fn parquet(scratch: &Scratch, args: &[&str]) -> (Vec<String>, usize, Vec<String>) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let called = [args, &["-o", "parquet"]].concat();
    let output = scratch.command(&called).output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() < Some(2), "{args:?}: {said}");
    let file = SerializedFileReader::new(bytes::Bytes::from(output.stdout));
    let file = file.unwrap_or_else(|e| panic!("{args:?}: {e}"));
    let metadata = file.metadata().file_metadata();
    let columns = metadata.schema_descr().root_schema().get_fields().iter();
    let about = metadata.key_value_metadata().into_iter().flatten();
    (
        columns.map(|c| c.name().to_owned()).collect(),
        usize::try_from(metadata.num_rows()).expect("a number"),
        about.filter_map(|said| said.value.clone()).collect(),
    )
}

/// The cells of each are held against each other beside the tables themselves.
#[cfg(feature = "parquet")]
#[test]
fn every_table_that_is_printed_is_there_as_parquet() {
    let scratch = Scratch::with_starter();
    let real = |name: &str| format!("{}/tests/real/{name}", env!("CARGO_MANIFEST_DIR"));
    let (export, events) = (real("f30.json.gz"), real("degraded-events.json.gz"));
    scratch.write("h.csv", "node,start,end\n\"n,1\",100,160\nn2,400,1000\n");
    scratch.write("rapid.ron", include_str!("../../../scenarios/rapid.ron"));
    let set = "pods.web.tolerations[unreachable].tolerationSeconds=60,none";
    let choose = "pods.web.tolerations[unreachable].tolerationSeconds=60,600";
    let cases: &[(&str, &[&str])] = &[
        ("survey", &["survey", "a.ron", "-q", "--lose", "zone"]),
        ("workloads", &["survey", "a.ron", "-q", "--lose", "zone", "--table", "workloads"]),
        (
            "plan",
            &["plan", "a.ron", "-q", "--preset", "lab", "--choose", choose, "--precision", "25%"],
        ),
        ("diff", &["diff", "a.ron", "--kubernetes", "1.32", "--against", "1.34", "-q"]),
        ("diff", &["diff", "a.ron", "--against-set", "horizon=20m", "--seeds", "2", "-q"]),
        ("forecast", &["forecast", &export, "-q", "--seeds", "2"]),
        ("settings", &["settings", "a.ron"]),
        ("fits", &["outages", "h.csv", "--fit"]),
        ("outages", &["outages", "h.csv", "--table", "outages"]),
        ("history", &["faults", "a.ron", "--preset", "on-prem"]),
        ("sweep", &["sweep", "a.ron", "--set", set, "--seeds", "2", "--against", "60", "-q"]),
        ("cases", &["test", "a.ron", "-q"]),
        (
            "explore",
            &["explore", "rapid.ron", "-p", "pod-stuck", "-p", "taint-stale", "--depth", "1", "-q"],
        ),
        ("incident", &["incident", &events, "--seeds", "1", "-q"]),
    ];
    for (table, args) in cases {
        let called = scratch.call(&[args, &["-o", "csv"][..]].concat());
        let mut csv = csv::Reader::from_reader(called.stdout.as_bytes());
        let heading = csv.headers().unwrap_or_else(|e| panic!("{args:?}: {e}"));
        let heading: Vec<String> = heading.iter().map(str::to_owned).collect();
        let rows = csv.records().count();
        assert!(rows > 0, "{args:?}: {}", called.stderr);
        let (columns, count, about) = parquet(&scratch, args);
        assert_eq!((columns, count), (heading, rows), "{args:?}");
        assert_eq!(about[0], *table);
    }
    scratch
        .call(&["forecast", "--watch", "true", "-o", "parquet"])
        .fails(2, &["Parquet takes no rows", "--times 1"]);
    // The same table lies in the folder of a sweep.
    let call = ["sweep", "a.ron", "--set", set, "--seeds", "2", "-q", "--records", "parquet"];
    let output = scratch.command(&[&call[..], &["-o", "parquet"]].concat()).output();
    assert_eq!(output.expect("it runs").stdout, scratch.read("output/a-sweep/sweep.parquet"));
}

/// The pods of the zone that is cut off are evicted, which one of four expectations denies.
#[test]
fn a_test_as_a_table() {
    let scratch = Scratch::with_starter();
    let denied = "NotEvicted(workload: \"web\", zone: \"b\")";
    scratch.edited("b.ron", &denied.replace("web", "agent"), denied);
    let called = scratch.call(&["test", "b.ron", "-q", "-o", "csv"]);
    assert_eq!(called.code, 1, "{}", called.stderr);
    let mut csv = csv::Reader::from_reader(called.stdout.as_bytes());
    let rows: Vec<csv::StringRecord> = csv.records().map(|r| r.expect("a row")).collect();
    assert!(rows.iter().all(|r| &r[0] == "b.ron"));
    let status: Vec<&str> = rows.iter().map(|r| &r[2]).collect();
    assert_eq!(status, ["passed", "passed", "passed", "failed", "passed"]);
    assert_eq!((&rows[0][1], &rows[0][3]), ("scenario", "[]"));
    assert_eq!(&rows[3][1], denied);
    assert!(rows[3][3].starts_with("[\"b.ron:"), "{}", &rows[3][3]);
    told(&called.stdout);
}

/// One of two files is wrong.
#[test]
fn validate_writes_what_junit_reads() {
    let scratch = Scratch::with_starter();
    scratch.write("b.ron", "(version: 1, horizon: \"never\")");
    let called = scratch.call(&["validate", "a.ron", "b.ron", "-o", "junit"]);
    assert_eq!(called.code, 2, "{}", called.stderr);
    let report = quick_junit::Report::deserialize_from_str(&called.stdout).expect("JUnit");
    let suites: Vec<(&str, usize)> =
        report.test_suites.iter().map(|s| (s.name.as_str(), s.errors)).collect();
    assert_eq!(suites, [("a.ron", 0), ("b.ron", 1)]);
    assert!(called.stdout.contains("b.ron:1:23: "), "{}", called.stdout);
}

/// The starter says its grace period, which is the default of 1.34, and tolerations of two minutes;
/// kube-controller-manager looks every 5 s where nothing is said.
#[test]
fn the_settings_of_a_scenario_are_those_that_set_takes() {
    let scratch = Scratch::with_starter();
    let settings = |with: &[&str]| {
        let called = scratch.narrow(&[&["settings", "a.ron"], with].concat());
        assert_eq!(called.code, 0, "{}", called.stderr);
        called.stdout
    };
    let document: Value = serde_json::from_str(&settings(&["-o", "json"])).expect("JSON");
    let all = document["settings"].as_array().expect("settings");
    let found = |document: &Value, path: &str| {
        let list = document["settings"].as_array().expect("settings");
        let one = list.iter().find(|s| s["path"] == path);
        let one = one.unwrap_or_else(|| panic!("{path} is not there"));
        (one["value"].clone(), one["is_default"] == true)
    };
    let seconds = "pods.web.tolerations[unreachable].tolerationSeconds";
    let grace = "flags.kube-controller-manager.node-monitor-grace-period";
    let period = "flags.kube-controller-manager.node-monitor-period";
    let zone = "nodes.a.zone";
    for (path, value, is_default) in [
        ("horizon", "30m", false),
        ("kubernetes", "1.34", true),
        ("seed", "1", true),
        (zone, "a", false),
        (seconds, "120", false),
        (grace, "50s", true),
        (period, "5s", true),
        // `resolve/timing.rs` says where they come from.
        ("timing.kubelet.pod_start", "2s", true),
        ("timing.watch", "2ms..10ms", true),
        ("timing.user", "Kubectl", true),
    ] {
        assert_eq!(found(&document, path), (value.into(), is_default), "{path}");
    }
    // `--default-unreachable-toleration-seconds` is 300.
    let of_pods = all.iter().find(|s| s["path"] == seconds).expect("it is there");
    assert_eq!(of_pods["default"], "300");
    // 40 s up to 1.31; a flag that went away with 1.27 is a setting before.
    let timeout = "flags.kube-controller-manager.pod-eviction-timeout";
    assert!(all.iter().all(|s| s["path"] != timeout));
    let set = format!("{period}=7s");
    let older = settings(&["--kubernetes", "1.26", "--set", &set, "-o", "json"]);
    let older: Value = serde_json::from_str(&older).expect("JSON");
    assert_eq!(found(&older, period), ("7s".into(), false));
    assert_eq!(found(&older, grace), ("50s".into(), false));
    assert!(found(&older, timeout).1);
    // What is listed can be set: a value that is there already is taken.
    let mut call = vec!["settings".to_owned(), "a.ron".to_owned()];
    for setting in all.iter().filter(|s| s["value"].is_string()) {
        let [path, value] = ["path", "value"].map(|name| setting[name].as_str().expect("text"));
        call.extend(["--set".to_owned(), format!("{path}={value}")]);
    }
    assert!(call.len() > 60, "{call:?}");
    let call: Vec<&str> = call.iter().map(String::as_str).collect();
    let called = scratch.call(&call);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let text = settings(&[]);
    // A value of one word, such as thresholds of eviction, is not broken.
    let fits = |line: &str| {
        line.chars().count() <= 80 || !line.trim().replace(" (default)", "").contains(' ')
    };
    assert!(text.lines().all(fits), "{text}");
    let few = settings(&["monitor", "Grace"]);
    assert_eq!(few, format!("{grace}\n    50s (default)\n"));
    let nothing = scratch.call(&["settings", "a.ron", "no-such"]);
    nothing.fails(4, &["no setting has `no-such` in its name"]);
}
