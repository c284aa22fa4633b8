//! `taintsim explore`, `replay` and `shrink`: a hunt from beginning to end, as the README tells it.

use super::{Scratch, repository};
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
    for words in
        ["exhausted: every run with up to 1 deviation", "pod-stuck(1m), with 1 deviation", "output/rapid-explore/pod-stuck-1.tape.ron"]
    {
        assert!(found.stdout.contains(words), "{words}: {}", found.stdout);
    }
    // The report is the same on any number of threads; how fast it was is no part of it.
    for jobs in ["1", "3"] {
        assert_eq!(dir.call(&[&hunt[..], &["--jobs", jobs]].concat()).stdout, found.stdout);
    }
    let tape = "output/rapid-explore/pod-stuck-1.tape.ron";
    let shown = dir.call(&["replay", tape]);
    assert_eq!((shown.code, shown.stderr.as_str()), (1, ""), "it is violated again");
    // The step at fault is the taint that comes again, and the cancelled deletion comes before it.
    let at_fault = shown.stdout.lines().position(|l| l.starts_with(" ►  60.0")).expect("a step at fault");
    let cancelled = shown.stdout.lines().position(|l| l.contains("timer-cancelled default/db-0")).expect("the cancelled timer");
    assert!(cancelled < at_fault, "{}", shown.stdout);
    assert_eq!(dir.call(&["replay", tape]).stdout, shown.stdout);

    let shrunk = dir.call(&["shrink", tape, "--property", "pod-stuck", "--out", "small.ron", "-q"]);
    assert_eq!(shrunk.code, 0, "{}", shrunk.stderr);
    assert!(dir.text("small.ron").contains("Violates pod-stuck(1m) on Kubernetes 1.32"), "{}", dir.text("small.ron"));
    assert_eq!(dir.call(&["test", "-q", "small.ron"]).code, 0);
}

#[test]
fn releases_that_do_not_have_it_are_exhausted() {
    let dir = with_rapid();
    let out = dir.call(&["explore", "rapid.ron", "--property", "pod-stuck", "--depth", "1", "-q", "--kubernetes", "1.32..1.33"]);
    assert_eq!(out.code, 1, "{}", out.stderr);
    let row = out.stdout.lines().find(|l| l.trim_start().starts_with("pod-stuck(1m)")).expect("a row for the property");
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["pod-stuck(1m)", "violated", "exhausted"]);
    // Where nothing is violated there is nothing to tell CI.
    let fixed = ["explore", "rapid.ron", "--property", "pod-stuck", "--depth", "1", "-q", "--kubernetes", "1.34"];
    assert_eq!(dir.call(&fixed).code, 0);
    let json = dir.call(&[&fixed[..], &["--format", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&json.stdout).expect("one JSON document");
    assert!(document.to_string().contains("exhausted"), "{document}");
}

#[test]
fn a_search_whose_time_is_over_says_that_there_is_more() {
    let dir = with_rapid();
    // Whatever the machine, the time is over when the first runs are.
    let args = ["explore", "rapid.ron", "--property", "pod-stuck", "--depth", "64", "--time", "1ns"];
    for strategy in ["exhaustive", "pct", "random"] {
        let out = dir.call(&[&args[..], &["--strategy", strategy, "-q"]].concat());
        assert!(out.code < 2, "{}", out.stderr);
        assert!(out.stdout.contains("not exhausted: there are more runs"), "{strategy}: {}", out.stdout);
    }
    let json = dir.call(&[&args[..], &["--format", "json", "-q"]].concat());
    let document: serde_json::Value = serde_json::from_str(&json.stdout).expect("one JSON document");
    assert!(document.to_string().contains("\"exhausted\":false"), "{document}");
}

#[test]
fn what_cannot_be_searched_or_replayed_is_said() {
    let dir = with_rapid();
    dir.call(&["explore", "rapid.ron", "--property", "no-such"]).fails(2, &["no-such"]);
    dir.call(&["explore", "rapid.ron", "--kubernetes", "1.34..1.32"]).fails(2, &["write the older one first"]);
    dir.call(&["explore", "nobody.ron"]).fails(2, &["nobody.ron"]);
    dir.call(&["replay", "rapid.ron"]).fails(2, &["tape"]);
    dir.call(&["explore", "rapid.ron", "--property", "pod-stuck", "--depth", "1", "-q"]);
    let tape = dir.text("output/rapid-explore/pod-stuck-1.tape.ron");
    assert!(tape.contains("choices: 1"), "{tape}");
    dir.write("other.tape.ron", tape.replacen("choices: 1", "choices: 99", 1));
    dir.call(&["replay", "other.tape.ron"]).fails(2, &["99"]);
}

#[test]
fn the_guided_search_reaches_what_upstream_did() {
    let dir = Scratch::new();
    let recorded = |name: &str| repository().join("tests/traces/timelines").join(name).display().to_string();
    // Recorded with several outcomes: two zones that go dark together, and with latencies; the default order has one of each only.
    let files = [recorded("all-zones-down.json.gz"), recorded("conditions-to-taints-lat.json.gz")];
    let out = dir.call(&["conform", "--search", "20", &files[0], &files[1]]);
    assert_eq!(out.code, 0, "{}", out.stdout);
    let told: Vec<&str> = out.stdout.lines().filter_map(|l| Some(l.split_once("; reached ")?.1)).collect();
    assert!(told.len() >= 8, "{}", out.stdout);
    for line in &told {
        let (reached, of) = line.split_once(" of ").expect("k of n");
        assert_eq!(reached, of, "{}", out.stdout);
    }
}
