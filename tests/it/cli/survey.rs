//! Surveys: the table, findings with commands that work, exports as they stand, limits.

use super::Scratch;

#[test]
fn an_export_as_it_stands() {
    let scratch = Scratch::new();
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/healthy-all.json.gz");
    let called = scratch.call(&["survey", export, "-q", "--lose", "zone"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("zone/"), "{}", called.stdout);
    assert!(called.stdout.contains("Findings"), "{}", called.stdout);
}

#[test]
fn a_limit_that_is_broken_ends_with_one() {
    let scratch = Scratch::with_starter();
    let run =
        |limit| scratch.call(&["survey", "a.ron", "-q", "--lose", "node,zone", "--fail-on", limit]);
    let broken = run("evicted>0");
    assert_eq!(broken.code, 1, "{}", broken.stderr);
    assert!(broken.stdout.contains("--fail-on 'evicted>0'"), "{}", broken.stdout);
    assert_eq!(run("evicted>1000").code, 0);
    let refused = run("down>5");
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("missing unit"), "{}", refused.stderr);
}

/// The command below a finding, taken apart at its pipe, shows it.
#[test]
fn what_is_printed_below_a_finding_can_be_called() {
    let scratch = Scratch::new();
    let planning = include_str!("../../../scenarios/planning.ron");
    scratch.write("planning.ron", planning);
    let called = scratch.call(&["survey", "planning.ron", "-q", "-o", "json"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let document: serde_json::Value = serde_json::from_str(&called.stdout).expect("JSON");
    let findings = document["findings"].as_array().expect("findings");
    assert!(!findings.is_empty());
    for finding in findings {
        let command = finding["command"].as_str().expect("a command");
        let (write, tell) = command.split_once(" | ").expect("two commands");
        let words: Vec<&str> = write.split(' ').skip(1).collect();
        let written = scratch.call(&words);
        assert_eq!(written.code, 0, "{command}: {}", written.stderr);
        scratch.write("loss.ron", &written.stdout);
        let tell = tell.replace(" -", " loss.ron");
        let words: Vec<&str> = tell.split(' ').skip(1).collect();
        let told = scratch.call(&words);
        assert_eq!(told.code, 0, "{command}: {}", told.stderr);
    }
}
