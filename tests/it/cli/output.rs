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
        assert!(
            !new.stdout.is_empty() && new.stdout == old.stdout,
            "{}",
            new.stderr
        );
    };
    same(
        &["run", "a.ron", "-o", "json"],
        &["run", "a.ron", "--format", "json"],
    );
    same(
        &["report", "output/a", "-o", "csv"],
        &["report", "output/a", "--as", "csv"],
    );
    same(
        &["explain", "a.ron", "b-1", "-o", "json"],
        &["explain", "a.ron", "b-1", "--format=json"],
    );
    same(
        &["explain", "a.ron", "b-1", "--output", "mermaid"],
        &[
            "explain", "a.ron", "b-1", "-o", "text", "--format", "mermaid",
        ],
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
    assert_eq!(
        (&mistake["line"], &mistake["column"]),
        (&1.into(), &23.into())
    );
    assert!(
        called.stderr.contains("in 1 of 2 files"),
        "{}",
        called.stderr
    );

    let called = scratch.call(&["test", "a.ron", "-o", "json"]);
    let found: Value = serde_json::from_str(&called.stdout).expect("JSON");
    assert_eq!(found["scenarios"][0]["file"], "a.ron");
    let called = scratch.call(&["test", "a.ron", "-o", "junit"]);
    assert!(called.stdout.contains("<testsuites"), "{}", called.stdout);
}

#[test]
fn what_a_command_cannot_print_is_refused_with_what_it_can() {
    let scratch = Scratch::with_starter();
    scratch
        .call(&["run", "a.ron", "-o", "csv"])
        .fails(2, &["text, json"]);
    scratch
        .call(&["import", "a.ron", "-o", "json"])
        .fails(2, &["as json", "scenario", "--out json"]);
    scratch
        .call(&["faults", "a.ron", "-o", "yaml"])
        .fails(2, &["text, json, scenario, csv"]);
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    scratch
        .call(&["report", "output/a", "--table", "curves"])
        .fails(2, &["-o csv or -o parquet"]);
    let plan = [
        "sweep",
        "a.ron",
        "--seeds",
        "2",
        "--plan-shards",
        "1",
        "--out",
        "work",
    ];
    assert_eq!(scratch.call(&plan).code, 0);
    assert_eq!(scratch.call(&["shard", "work", "0"]).code, 0);
    scratch
        .call(&["gather", "work", "-o", "xml"])
        .fails(2, &["\"xml\"", "text, csv, json"]);
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
            let out = format!("again.{form}");
            let called = scratch.call(&[
                "report", "output/a", "-o", form, "--table", table, "--out", &out,
            ]);
            assert_eq!(called.code, 0, "{}", called.stderr);
            assert!(
                scratch.read(&out) == scratch.read(&format!("output/a/{table}.{form}")),
                "{table}.{form}"
            );
        }
    }
}
