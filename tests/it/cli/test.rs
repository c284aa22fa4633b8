//! `taintsim test`: what passes, what fails, what is neither, and who is told.

use super::Scratch;
use std::fs;

/// A node is lost at 61 s and tainted at 105.1 s; its pod tolerates that for 60 s.
const PASSES: &str = r#"Scenario(
    version: 1,
    doc: "One node is lost.",
    timing: Ideal,
    horizon: "5m",
    nodes: [(names: "a-{0..2}", zone: "a", lease_offset: "3s", status_offset: "4s")],
    pods: [(name: "web", on: Node("a-0"), tolerations: [
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60),
    ])],
    timeline: [(at: "61s", name: "loss", do: Partition(node: "a-0"))],
    expect: [Evicted(pod: "web", at: "165.1s")],
)"#;

fn scratch() -> Scratch {
    let dir = Scratch::new();
    dir.write("passes.ron", PASSES);
    dir.write("fails.ron", PASSES.replace("165.1s", "166.1s"));
    dir
}

#[test]
fn exit_codes_tell_failures_from_mistakes_and_from_nothing() {
    let dir = scratch();
    dir.write("expects-nothing.ron", PASSES.replace("expect: [Evicted(pod: \"web\", at: \"165.1s\")],", ""));
    dir.write("wrong.ron", PASSES.replace("pod: \"web\", at", "pod: \"wbe\", at"));
    fs::create_dir(dir.path("empty")).unwrap();
    for (args, code, says) in [
        (vec!["passes.ron"], 0, "1 scenario: 1 passed"),
        (vec!["passes.ron", "fails.ron"], 1, "2 scenarios: 1 passed, 1 failed"),
        (vec!["wrong.ron", "fails.ron"], 2, "did you mean `web`?"),
        (vec!["expects-nothing.ron", "passes.ron"], 4, "the scenario expects nothing"),
        (vec!["missing.ron"], 4, "no such file"),
        (vec!["empty"], 4, "there is no scenario"),
        (vec!["none-*.ron"], 4, "no file matches"),
        (vec!["pass*.ron"], 0, "1 passed"),
        (vec![".", "--filter", "passes"], 0, "1 passed"),
        (vec![".", "--filter", "nobody"], 4, "--filter and --partition leave none"),
        (vec!["passes.ron", "--set", "pods.web.tolerations[unreachable].tolerationSeconds=61"], 1, "got 1 of 1 at other times, at 2m46.1s"),
        (vec!["passes.ron", "--reporter", "xml"], 2, "junit=FILE"),
        (vec!["passes.ron", "--partition", "3/2"], 2, "i from 1 to n"),
    ] {
        let mut all = vec!["test", "-q"];
        all.extend(&args);
        let out = dir.call(&all);
        let text = format!("{}{}", out.stdout, out.stderr);
        assert_eq!(out.code, code, "{args:?}: {text}");
        assert!(text.contains(says), "{args:?}: {text}");
    }
}

#[test]
fn parts_share_out_the_scenarios_and_the_first_failure_may_end_it() {
    let dir = Scratch::new();
    for i in 0..7 {
        dir.write(&format!("s-{i}.ron"), PASSES);
    }
    let listed = |args: &[&str]| {
        let out = dir.call(&[&["test", "-q", "."], args].concat());
        out.stdout
            .lines()
            .filter_map(|l| l.strip_prefix("passed "))
            .map(|l| l.split_whitespace().next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let parts: Vec<Vec<String>> = (1..=3).map(|i| listed(&["--partition", &format!("{i}/3")])).collect();
    assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2, 2]);
    let mut together: Vec<String> = parts.concat();
    together.sort();
    assert_eq!(together, listed(&["--jobs", "2"]));
    dir.write("r.ron", PASSES.replace("165.1s", "1s"));
    let out = dir.call(&["test", "-q", ".", "--fail-fast", "--jobs", "1"]);
    let text = out.stdout;
    assert_eq!(out.code, 1);
    assert!(text.contains("8 scenarios: 1 failed, 7 not run"), "{text}");
}

#[test]
fn golden_timelines_are_written_compared_and_shown() {
    let dir = Scratch::new();
    let scenario = PASSES.replace("expect: [", "golden: \"g.timeline\",\n    expect: [");
    dir.write("s.ron", scenario);
    let missing = dir.call(&["test", "-q", "s.ron"]);
    assert_eq!(missing.code, 2);
    assert!(missing.stdout.contains("taintsim test --update"), "{}", missing.stdout);
    assert_eq!(dir.call(&["test", "-q", "--update", "s.ron"]).code, 0);
    let golden = fs::read_to_string(dir.path("g.timeline")).unwrap();
    // The loss, Unknown at 105 s, NoExecute at 105.1 s, the timer, the eviction; NoSchedule and the zone beside them.
    for line in ["1:01.000  loss", "1:45.000  a-0 Unknown", "1:45.100  a-0 tainted unreachable:NoExecute", "evicted after 60 s"] {
        assert!(golden.contains(line), "{line}: {golden}");
    }
    assert_eq!(dir.call(&["test", "-q", "s.ron"]).code, 0);
    fs::write(dir.path("g.timeline"), golden.replace("1:45.100", "1:45.200")).unwrap();
    let out = dir.call(&["test", "-q", "s.ron"]);
    let text = out.stdout;
    assert_eq!(out.code, 1, "{text}");
    assert!(text.contains("-     1:45.200  a-0 tainted") && text.contains("+     1:45.100  a-0 tainted"), "{text}");
    fs::write(dir.path("g.timeline"), golden.replace("golden timeline 1", "golden timeline 2")).unwrap();
    assert_eq!(dir.call(&["test", "-q", "s.ron"]).code, 2);
}

#[test]
fn guards_that_guard_nothing_fail() {
    let dir = Scratch::new();
    let with = |guard: &str| PASSES.replace("expect: [", &format!("guards: [\"{guard}\"],\n    expect: ["));
    for (guard, code) in [
        ("pods.web.tolerations[unreachable].tolerationSeconds=90", 0),
        ("flags.kube-apiserver.default-unreachable-toleration-seconds=7", 1),
        ("flags.kube-apiserver.default-unreachable-seconds=7", 2),
    ] {
        dir.write("s.ron", with(guard));
        let out = dir.call(&["test", "-q", "--guards", "s.ron"]);
        assert_eq!(out.code, code, "{guard}: {}", out.stdout);
        assert_eq!(dir.call(&["test", "-q", "s.ron"]).code, 0);
    }
}

#[test]
fn junit_is_read_back_and_has_what_the_schema_asks_for() {
    let dir = scratch();
    dir.write("wrong.ron", PASSES.replace("expect: [", "expekt: ["));
    let out = dir.call(&["test", "-q", "--reporter", "junit=j.xml", "fails.ron", "passes.ron", "wrong.ron"]);
    assert_eq!((out.code, out.stdout.as_str()), (2, ""));
    let xml = fs::read_to_string(dir.path("j.xml")).unwrap();
    let report = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((report.tests, report.failures, report.errors), (3, 1, 1));
    let suites: Vec<&str> = report.test_suites.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(suites, ["fails.ron", "passes.ron", "wrong.ron"]);
    let case = &report.test_suites[0].test_cases[0];
    assert_eq!((case.name.as_str(), case.classname.as_ref().map(|c| c.as_str())), ("fails: Evicted, line 11", Some("fails.ron")));
    assert!(
        xml.contains("fails.ron:11:14: Evicted: expected evictions of pod web: 1, at 2m46.1s, got 1 of 1 at other times, at 2m45.1s"),
        "{xml}"
    );
    // The elements and attributes of the schema that Jenkins and others publish (junit-4.xsd); the first two are required where they are.
    let schema: [(&str, &[&str], &[&str]); 4] = [
        ("testsuites", &[], &["name", "time", "tests", "failures", "disabled", "errors"]),
        ("testsuite", &["name", "tests"], &["failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id", "package"]),
        ("testcase", &["name"], &["assertions", "time", "classname", "status"]),
        ("failure", &[], &["type", "message"]),
    ];
    let mut seen = Vec::new();
    for tag in xml.split('<').skip(1).filter(|t| !t.starts_with(['?', '/'])) {
        let (name, rest) = tag.split_once([' ', '>']).unwrap();
        let rest = &rest[..rest.find(">").unwrap_or(rest.len())];
        let name = if name == "error" { "failure" } else { name };
        let (_, required, optional) = schema.iter().find(|s| s.0 == name).unwrap_or_else(|| panic!("{name} is no element"));
        // What stands before each `="` is an attribute's name, behind the value before it.
        let names: Vec<&str> =
            rest.split("=\"").filter_map(|part| part.rsplit([' ', '"']).next()).filter(|n| n.starts_with(char::is_alphabetic)).collect();
        assert!(required.iter().all(|r| names.contains(r)), "{tag}");
        assert!(names.iter().all(|n| required.contains(n) || optional.contains(n)), "{name}: {names:?}");
        seen.push(name);
    }
    assert!(schema.iter().all(|s| seen.contains(&s.0)), "{seen:?}");
}

#[test]
fn github_gets_annotations_and_a_summary_of_the_step() {
    let dir = scratch();
    let summary = dir.path("summary.md");
    fs::write(&summary, "before\n").unwrap();
    let args = ["test", "-q", "--reporter", "github", "fails.ron", "passes.ron"];
    let out = dir.command(&args).env("GITHUB_STEP_SUMMARY", &summary).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let expected = "::error file=fails.ron,line=11,col=14,title=Evicted::Evicted: expected evictions of pod web: 1, at 2m46.1s, got 1 of 1 at \
                    other times, at 2m45.1s%0Arecord ";
    assert!(text.starts_with(expected), "{text}");
    let summary = fs::read_to_string(&summary).unwrap();
    assert!(summary.starts_with("before\n### taintsim: 2 scenarios: 1 passed, 1 failed\n"), "{summary}");
    assert!(summary.contains("| ✅ passed | passes.ron | 1 | 1 |"), "{summary}");
}

#[test]
fn tap_and_json_say_the_same() {
    let dir = scratch();
    let out = dir.call(&["test", "-q", "--reporter", "tap", "--reporter", "json=out.json", "fails.ron", "passes.ron"]);
    let tap = out.stdout;
    let mut lines = tap.lines();
    assert_eq!(lines.next(), Some("TAP version 14"));
    assert_eq!(lines.next(), Some("1..2"));
    assert_eq!(lines.next(), Some("not ok 1 - fails.ron"));
    assert_eq!(lines.next(), Some("  ---"));
    assert_eq!(tap.lines().last(), Some("ok 2 - passes.ron"));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(dir.path("out.json")).unwrap()).unwrap();
    assert_eq!((&json["passed"], &json["failed"], &json["wrong"]), (&1.into(), &1.into(), &0.into()));
    let failure = &json["scenarios"][0]["failures"][0];
    assert_eq!((&failure["kind"], &failure["line"], &failure["column"]), (&"Evicted".into(), &11.into(), &14.into()));
    // Twice the same bytes: no times of the machine.
    let before = fs::read(dir.path("out.json")).unwrap();
    dir.call(&["test", "-q", "--reporter", "json=out.json", "fails.ron", "passes.ron"]);
    assert_eq!(fs::read(dir.path("out.json")).unwrap(), before);
}

#[test]
fn standard_input_is_a_scenario_too() {
    let dir = Scratch::new();
    let out = dir.call_with(&["test", "-q", "-"], PASSES);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stdout.starts_with("passed   - (1 expectation, 1 run)"), "{}", out.stdout);
}
