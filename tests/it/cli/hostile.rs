//! Texts that mean harm, in every field that takes a text and in the names of files: nothing of
//! them acts in any output of any command.

use super::{Called, Scratch};
use std::fs;
use std::path::Path;

/// Sets a title, clears the screen, turns the direction, ends lines, labels, tags, quotes and
/// commands; a formula.
const HOSTILE: &str = "=cmd|'/C calc'!A0 \u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{7f}\u{202e}\u{2028}\u{200f}\n::error::owned\nnot ok 9 <b>&\"]]>`|#";

/// A scenario with every kind of field, whose texts are replaced one by one.
const SCENARIO: &str = r#"(
    version: 1,
    doc: "Two nodes.",
    kubernetes: "1.34",
    horizon: "10m",
    nodes: [
        (names: "a-{0..1}", zone: "a", region: "r", labels: {"disk": "ssd"}, taints: ["k=v:PreferNoSchedule"], capacity: {"cpu": "4"}),
        (name: "b", zone: "b"),
    ],
    namespaces: [(name: "shop")],
    priorityClasses: [(name: "high", value: 10)],
    podDisruptionBudgets: [(name: "web", namespace: "shop", selector: (matchLabels: {"app": "web"}), minAvailable: 1)],
    workloads: [
        Deployment(
            name: "web",
            namespace: "shop",
            replicas: 2,
            selector: (matchLabels: {"app": "web"}),
            template: (
                labels: {"app": "web"},
                priorityClassName: "high",
                nodeSelector: {"disk": "ssd"},
                requests: {"cpu": "100m"},
                tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)],
            ),
        ),
    ],
    pods: [(name: "p", on: Node("b"), labels: {"app": "p"}, owner: (kind: "Thing", name: "t"))],
    timeline: [
        (at: "1m", name: "cut", do: Partition(nodes: Zone("a"), duration: "3m")),
        (at: "2m", name: "spoil", do: Taint(node: "b", taint: "maintenance=true:NoExecute")),
        (at: "cut + 90s", do: DeletePod(pod: "p")),
    ],
    expect: [Evicted(pods: Pod("p"), count: 7)],
)"#;

/// What acts instead of showing something, told apart from `src/files/shown.rs`.
fn acting(text: &str) -> Option<char> {
    let marks = ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}', '\u{feff}'];
    text.chars().find(|c| {
        c.is_control() && *c != '\n'
            || marks.contains(c)
            || ('\u{202a}'..='\u{202e}').contains(c)
            || ('\u{2066}'..='\u{2069}').contains(c)
    })
}

fn is_plain(text: &str, what: &str) {
    assert_eq!(acting(text), None, "{what}: {text}");
}

/// Our own colours taken out.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !(c.is_ascii_digit() || c == ';'))
            .filter(|end| part[*end..].starts_with('m'));
        match end {
            Some(end) => out.push_str(&part[end + 1..]),
            None => out.push_str(&format!("\u{1b}[{part}")),
        }
    }
    out
}

fn is_csv(text: &str, what: &str) {
    is_plain(text, what);
    let mut csv = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    for record in csv.records() {
        for field in &record.unwrap_or_else(|e| panic!("{what}: {e}")) {
            assert!(
                !field.starts_with(['=', '+', '-', '@', '\t', '\r'])
                    || field.parse::<f64>().is_ok(),
                "{what}: {field}"
            );
        }
    }
}

fn is_xml(text: &str, what: &str) {
    is_plain(text, what);
    let mut reader = quick_xml::Reader::from_str(text);
    let mut open = 0;
    loop {
        match reader.read_event().unwrap_or_else(|e| panic!("{what}: {e}")) {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(tag) => {
                assert_ne!(tag.name().as_ref(), b"script", "{what}");
                tag.attributes().for_each(|a| drop(a.unwrap_or_else(|e| panic!("{what}: {e}"))));
                open += 1;
            }
            quick_xml::events::Event::End(_) => open -= 1,
            _ => {}
        }
    }
    assert_eq!(open, 0, "{what}");
}

fn is_json(text: &str, what: &str) {
    is_plain(text, what);
    serde_json::from_str::<serde_json::Value>(text)
        .map(drop)
        .unwrap_or_else(|e| panic!("{what}: {e}: {text}"));
}

/// Both streams of a call, of which the first is of a form.
fn both(called: &Called, what: &str, form: fn(&str, &str)) {
    assert!([0, 1, 4].contains(&called.code), "{what}: {}", called.stderr);
    is_plain(&called.stderr, what);
    form(&called.stdout, what);
}

/// Every output of every command of a scenario that is fine.
fn outputs(scratch: &Scratch, file: &str, folder: &str) {
    let call = |args: &[&str], form: fn(&str, &str)| {
        both(&scratch.call(args), &format!("{file}: {args:?}"), form)
    };
    call(&["validate", file], is_plain);
    call(&["run", file], is_plain);
    call(&["run", file, "--format", "json"], is_json);
    for args in [
        &["run", file, "--color", "always"][..],
        &["explain", file, "node/b", "--color", "always"],
        &["test", file, "--color", "always"],
    ] {
        let called = scratch.call(args);
        is_plain(&without_colours(&called.stdout), &format!("{args:?}"));
        is_plain(&without_colours(&called.stderr), &format!("{args:?}"));
    }
    for form in ["text", "klog"] {
        call(&["report", folder, "--as", form], is_plain);
    }
    call(&["report", folder, "--as", "csv"], is_csv);
    call(&["report", folder, "--as", "json"], is_json);
    call(&["report", folder, "--as", "perfetto"], is_json);
    for object in ["node/b", "p", "zone/a"] {
        call(&["explain", file, object], is_plain);
        call(&["explain", file, object, "--format", "mermaid"], |text, what| {
            is_plain(text, what);
            // Only our own tags stand in labels.
            let bare = text
                .replace("<br/>", "")
                .replace("<i>", "")
                .replace("</i>", "")
                .replace("-->", "")
                .replace("-.->", "");
            assert!(!bare.contains(['<', '>']), "{what}: {text}");
        });
        call(&["explain", file, object, "--format", "json"], is_json);
    }
    call(&["test", file, "--reporter", "human"], is_plain);
    call(&["test", file, "--reporter", "tap"], |text, what| {
        is_plain(text, what);
        // The scenario's own case and that of its expectation; all else is the plan and comments.
        let points =
            text.lines().filter(|l| l.starts_with("ok ") || l.starts_with("not ok ")).count();
        assert_eq!(points, 2, "{what}: {text}");
        let others = text.lines().skip(2).filter(|l| !l.starts_with('#')).count();
        assert_eq!((others, text.lines().nth(1)), (points, Some("1..2")), "{what}: {text}");
    });
    call(&["test", file, "--reporter", "github"], |text, what| {
        is_plain(text, what);
        assert!(
            text.lines()
                .filter(|l| l.trim_start().starts_with("::"))
                .all(|l| l.starts_with("::error file=") || l.starts_with("::warning file=")),
            "{what}: {text}"
        );
    });
    call(&["test", file, "--reporter", "junit=out.xml", "--reporter", "json=out.json"], is_plain);
    is_xml(&scratch.text("out.xml"), file);
    is_json(&scratch.text("out.json"), file);
    call(&["diff", file, "a.ron"], is_plain);
    call(&["diff", file, "a.ron", "--format", "json"], is_json);
    call(&["diff", file, "--against", "1.30", "--seeds", "2"], is_plain);
    call(&["sweep", file, "--set", "horizon=9m,10m", "--seeds", "2", "--quiet"], is_plain);
    call(&["sweep", file, "--seeds", "1", "--format", "csv"], is_csv);
    call(&["sweep", file, "--seeds", "1", "--format", "json"], is_json);
    call(&["explore", file, "--runs", "3", "--quiet"], is_plain);
    let summary = scratch.path("summary.md");
    let called = scratch
        .command(&["test", file, "--reporter", "github"])
        .env("GITHUB_STEP_SUMMARY", &summary)
        .output()
        .expect("it runs");
    assert!(called.status.code().is_some());
    let text = fs::read_to_string(&summary).expect("it was written");
    is_plain(&text, "summary");
    assert!(!text.contains("<b>") && text.lines().all(|l| !l.starts_with("::")), "{text}");
    fs::remove_file(summary).expect("it is there");
    written(&scratch.path("output"));
}

/// Every file of every folder of results.
fn written(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let what = path.display().to_string();
        if path.is_dir() {
            written(&path);
            continue;
        }
        let text = || fs::read_to_string(&path).unwrap_or_else(|e| panic!("{what}: {e}"));
        match path.extension().and_then(|e| e.to_str()) {
            Some("csv") => is_csv(&text(), &what),
            Some("svg") => is_xml(&text(), &what),
            Some("json") => is_json(&text(), &what),
            Some("jsonl") => text().lines().for_each(|line| is_json(line, &what)),
            _ => {}
        }
    }
}

/// Where the texts in quotes are.
fn texts(scenario: &str) -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = scenario.match_indices('"').map(|(i, _)| i).collect();
    quotes.chunks(2).map(|pair| (pair[0], pair[1] + 1)).collect()
}

/// As a scenario writes it: raw, as somebody may paste it, or with escapes.
fn literal(raw: bool) -> String {
    if raw {
        format!("\"{}\"", HOSTILE.replace('\\', "\\\\").replace('"', "\\\""))
    } else {
        format!("\"{}\"", HOSTILE.escape_default())
    }
}

#[test]
fn hostile_texts_in_every_field() {
    let scratch = Scratch::new();
    scratch.write("a.ron", SCENARIO);
    assert_eq!(scratch.call(&["validate", "a.ron"]).stderr, "", "the scenario itself is fine");
    let mut taken = 0;
    for (i, (from, to)) in texts(SCENARIO).into_iter().enumerate() {
        let text = format!("{}{}{}", &SCENARIO[..from], literal(i % 2 == 0), &SCENARIO[to..]);
        scratch.write("x.ron", &text);
        let called = scratch.call(&["validate", "x.ron"]);
        let what = &SCENARIO[from..to];
        is_plain(&called.stdout, what);
        is_plain(&called.stderr, what);
        let coloured = scratch.call(&["validate", "x.ron", "--color", "always"]);
        is_plain(&without_colours(&coloured.stderr), what);
        if called.code == 0 {
            taken += 1;
            outputs(&scratch, "x.ron", "output/x");
        } else {
            assert_eq!(called.code, 2, "{what}: {}", called.stderr);
            // The reporters of tests tell mistakes, too.
            for reporter in ["tap", "github", "human"] {
                is_plain(&scratch.call(&["test", "x.ron", "--reporter", reporter]).stdout, what);
            }
            scratch.call(&["test", "x.ron", "--reporter", "junit=out.xml"]);
            is_xml(&scratch.text("out.xml"), what);
        }
    }
    // The words about it, the name of an entry, what a pod belongs to.
    assert!(taken >= 2, "{taken}");
}

#[test]
fn values_of_a_sweep_are_no_formulas() {
    let scratch = Scratch::new();
    scratch.write("a.ron", SCENARIO);
    let called = scratch.call(&[
        "sweep",
        "a.ron",
        "--set",
        "horizon=+9m,10m",
        "--seeds",
        "1",
        "--format",
        "csv",
        "--quiet",
    ]);
    let first: Vec<&str> =
        called.stdout.lines().map(|l| l.split(',').next().unwrap_or_default()).collect();
    // Go reads a sign before a duration, and a spreadsheet a formula.
    assert_eq!(first, ["horizon", "'+9m", "10m"], "{}", called.stderr);
    written(&scratch.path("output"));
}

#[cfg(target_os = "linux")]
#[test]
fn hostile_names_of_files() {
    let scratch = Scratch::new();
    scratch.write("a.ron", SCENARIO);
    let name = HOSTILE.replace('/', "_");
    let file = format!("{name}.ron");
    scratch.write(&file, SCENARIO);
    outputs(&scratch, &file, &format!("output/{name}"));
    for args in [
        &["run", "missing \u{1b}[2J\u{202e}.ron"][..],
        &["import", &file],
        &["replay", &file],
        &["report", &file],
        &["run", "a.ron", "--set", HOSTILE],
        &["run", "a.ron", "--out", &file],
        &["run", HOSTILE],
        &["\u{1b}[2J\u{202e}"],
        &["run", "a.ron", "--\u{1b}[2J"],
        &["run", "a.ron", "--seed", "\u{1b}[2J\u{9b}"],
        &["explain", "a.ron", HOSTILE],
        &["sweep", "a.ron", "--show", HOSTILE],
        &["shrink", "a.ron", "--property", HOSTILE],
    ] {
        let called = scratch.call(args);
        assert!(called.code != 0, "{args:?}");
        is_plain(&called.stdout, &format!("{args:?}"));
        is_plain(&called.stderr, &format!("{args:?}"));
        let coloured = scratch.call(&[args, &["--color", "always"]].concat());
        is_plain(&without_colours(&coloured.stderr), &format!("{args:?}"));
    }
}

#[test]
fn hostile_names_in_exports() {
    let scratch = Scratch::new();
    let text: serde_json::Value = serde_json::from_slice(
        &fs::read(super::repository().join("tests/exports/every-field.json")).expect("it is there"),
    )
    .expect("JSON");
    let mut paths = Vec::new();
    strings(&text, &mut Vec::new(), &mut paths);
    for path in paths {
        let mut changed = text.clone();
        *path.iter().fold(&mut changed, |v, step| match step {
            Step::Key(k) => &mut v[k],
            Step::Index(i) => &mut v[*i],
        }) = HOSTILE.into();
        scratch.write("x.json", changed.to_string());
        let called = scratch.call(&["import", "x.json"]);
        assert!([0, 2].contains(&called.code), "{path:?}: {}", called.stderr);
        is_plain(&called.stderr, &format!("{path:?}"));
        is_plain(&called.stdout, &format!("{path:?}"));
        if called.code == 0 {
            scratch.write("x.ron", called.stdout);
            let fine = scratch.call(&["validate", "x.ron"]);
            assert_eq!(fine.code, 0, "{path:?}: {}", fine.stderr);
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Where the texts of a document are.
fn strings(value: &serde_json::Value, at: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let mut below = |step: Step, value: &serde_json::Value| {
        at.push(step);
        strings(value, at, found);
        at.pop();
    };
    match value {
        serde_json::Value::Array(all) => {
            all.iter().enumerate().for_each(|(i, v)| below(Step::Index(i), v))
        }
        serde_json::Value::Object(all) => {
            all.iter().for_each(|(k, v)| below(Step::Key(k.clone()), v))
        }
        serde_json::Value::String(_) => found.push(at.clone()),
        _ => {}
    }
}
