//! Sweeps: the table, its files, what is refused.

use super::Scratch;

const TOLERATION: &str = "pods.web.tolerations[unreachable].tolerationSeconds";

#[test]
fn a_row_for_each_value_and_the_same_seeds_in_each() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&["sweep", "a.ron", "--set", &format!("{TOLERATION}=0,600"), "--seeds", "3", "--seed", "5", "--quiet"]);
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("seeds 5 to 7"), "{}", called.stdout);
    assert_eq!(scratch.names("output/a-sweep"), ["manifest.json", "runs.csv", "sweep.csv", "sweep.png", "sweep.svg"]);
    let table = scratch.text("output/a-sweep/sweep.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(rows[0][..4], [TOLERATION, "seeds", "evicted_median", "evicted_min"]);
    // Ten web pods are in the zone that is cut off for seven minutes, and two with an agent on a-3, which is tainted by hand:
    // who tolerates nothing is evicted from the zone, who tolerates ten minutes is not.
    assert_eq!(rows[1][..5], ["0", "3", "13", "13", "13"]);
    assert_eq!(rows[2][..5], ["600", "3", "3", "3", "3"]);
    let runs = scratch.text("output/a-sweep/runs.csv");
    let runs: Vec<(&str, &str)> = runs.lines().skip(1).filter_map(|l| l.split_once(',')).collect();
    let seeds: Vec<(&str, &str)> = runs.iter().map(|(value, rest)| (*value, rest.split(',').next().unwrap_or_default())).collect();
    assert_eq!(seeds, [("0", "5"), ("0", "6"), ("0", "7"), ("600", "5"), ("600", "6"), ("600", "7")]);
}

#[test]
fn several_settings_make_every_combination() {
    let scratch = Scratch::with_starter();
    let args =
        ["sweep", "a.ron", "--set", "pods.web.count=2,4", "--set", "horizon=20m", "--set", "timeline.cut b.duration=1m,2m", "--seeds", "1"];
    let called = scratch.call(&[&args[..], &["--format", "csv"]].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let heads: Vec<String> = called.stdout.lines().map(|l| l.split(',').take(2).collect::<Vec<_>>().join(" ")).collect();
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
    refused(&["--set", "horizon=1m,2m", "--set", "horizon=3m,4m"], &["`horizon` has values twice"]);
    refused(&["--seeds", "0"], &["0"]);
    refused(&["--seeds", "many"], &["many"]);
    refused(&["--jobs", "0"], &["0"]);
    refused(&["--seed", "18446744073709551615", "--seeds", "2"], &["seeds"]);
    refused(&["--seeds", "1000000", "--set", "pods.web.count=1,2"], &["1000000 runs"]);
    assert!(!scratch.path("output/a-sweep").exists());
}
