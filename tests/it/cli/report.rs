//! `report` on folders of results: the same bytes as the run printed, and what is said of folders
//! that cannot be read.

use super::Scratch;
use std::fs;

#[test]
fn a_report_is_what_the_run_printed() {
    let scratch = Scratch::with_starter();
    let printed = scratch.call(&[
        "run",
        "a.ron",
        "--seed",
        "3",
        "--kubernetes",
        "1.32",
        "--needless-within",
        "90s",
        "--set",
        "horizon=20m",
    ]);
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    for folder in ["output/a", "output/a/"] {
        let again = scratch.call(&["report", folder]);
        assert_eq!((again.code, again.stderr.as_str()), (0, ""));
        assert_eq!(again.stdout, printed.stdout, "{folder}");
    }
    let csv = scratch.call(&["report", "output/a", "--as", "csv"]);
    assert_eq!(csv.stdout, scratch.text("output/a/evictions.csv"));
    let json = scratch.call(&["report", "output/a", "--as", "json"]).stdout;
    let printed = scratch.call(&[
        "run",
        "a.ron",
        "--seed",
        "3",
        "--kubernetes",
        "1.32",
        "--needless-within",
        "90s",
        "--set",
        "horizon=20m",
        "--format",
        "json",
    ]);
    assert_eq!(json, printed.stdout);
    assert_eq!(
        scratch.call(&["report", "output/a", "--as", "perfetto", "--out", "trace.json"]).stdout,
        ""
    );
    assert!(scratch.text("trace.json").contains("\"process_name\""));
}

#[test]
fn the_file_that_a_scenario_points_at_goes_with_it() {
    let scratch = Scratch::new();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::copy(root.join("tests/exports/healthy-all.json.gz"), scratch.path("all.json.gz"))
        .expect("can be copied");
    scratch.write("c.ron", r#"Scenario(version: 1, horizon: "10m", cluster: From("all.json.gz"))"#);
    let printed = scratch.call(&["run", "c.ron"]);
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    // Neither scenario nor export is needed any more.
    fs::remove_file(scratch.path("all.json.gz")).expect("can be removed");
    fs::remove_file(scratch.path("c.ron")).expect("can be removed");
    assert_eq!(scratch.call(&["report", "output/c"]).stdout, printed.stdout);
    scratch.write(
        "output/c/input-all.json.gz",
        r#"{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}}"#,
    );
    scratch.call(&["report", "output/c"]).fails(2, &["input-all.json.gz", "hash"]);
    fs::remove_file(scratch.path("output/c/input-all.json.gz")).expect("can be removed");
    scratch
        .call(&["report", "output/c"])
        .fails(2, &["input-all.json.gz", "missing", "run the scenario again"]);
}

/// The names of a run were in a file `trace.json` once, as its manifest says.
#[test]
fn a_folder_with_the_former_name_of_its_names_is_read() {
    let scratch = Scratch::with_starter();
    let printed = scratch.call(&["run", "a.ron"]);
    assert_eq!(printed.code, 0, "{}", printed.stderr);
    let new = scratch.call(&["report", "output/a"]).stdout;
    fs::rename(scratch.path("output/a/names.json"), scratch.path("output/a/trace.json"))
        .expect("it is there");
    let manifest = scratch.text("output/a/manifest.json");
    scratch.write("output/a/manifest.json", manifest.replace("names.json", "trace.json"));
    let old = scratch.call(&["report", "output/a"]);
    assert_eq!(old.code, 0, "{}", old.stderr);
    assert_eq!(old.stdout, new.replace("names.json", "trace.json"));
}

#[test]
fn what_a_folder_cannot_give_is_said_with_its_place() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let original = |name: &str| scratch.text(&format!("output/a/{name}"));
    let (manifest, events, scenario, names) = (
        original("manifest.json"),
        original("events.jsonl"),
        original("scenario.ron"),
        original("names.json"),
    );
    let restore = || {
        scratch.write("output/a/manifest.json", &manifest);
        scratch.write("output/a/events.jsonl", &events);
        scratch.write("output/a/scenario.ron", &scenario);
        scratch.write("output/a/names.json", &names);
    };
    for (file, text, said) in [
        ("manifest.json", "{".to_owned(), &["not the manifest of a run"][..]),
        (
            "manifest.json",
            manifest.replace("\"format\": 2", "\"format\": 99"),
            &["form 99", "reads form 2", "run the scenario again"],
        ),
        ("manifest.json", manifest.replace("  \"format\": 2,\n", ""), &["an older form"]),
        ("scenario.ron", scenario.replace("duration", "Duration"), &["scenario.ron"]),
        ("scenario.ron", format!("{scenario}\n// later"), &["scenario.ron", "hash"]),
        (
            "events.jsonl",
            events[..events.len() - 20].to_owned(),
            &["events.jsonl: line", "not a record"],
        ),
        (
            "events.jsonl",
            events[..events.trim_end().rfind('\n').unwrap() + 1].to_owned(),
            &["records, and the manifest says"],
        ),
        ("events.jsonl", events.replacen("pod-", "pot-", 1), &["events.jsonl: line", "pot-"]),
        ("names.json", "{}".to_owned(), &["names.json"]),
    ] {
        scratch.write(&format!("output/a/{file}"), text);
        scratch.call(&["report", "output/a"]).fails(2, said);
        restore();
    }
    for file in ["manifest.json", "events.jsonl", "scenario.ron", "names.json"] {
        fs::remove_file(scratch.path(&format!("output/a/{file}"))).expect("can be removed");
        scratch.call(&["report", "output/a"]).fails(2, &[file]);
        restore();
    }
    assert_eq!(scratch.call(&["report", "output/a"]).code, 0);
    scratch.call(&["report", "a.ron"]).fails(2, &["a file, not a folder"]);
    scratch.call(&["report", "output/b"]).fails(2, &["no such file or folder", "output/a"]);
    assert_eq!(scratch.call(&["sweep", "a.ron", "--seeds", "1"]).code, 0);
    scratch.call(&["report", "output/a-sweep"]).fails(2, &["a sweep, not of a run"]);
    scratch.call(&["report", "output/a", "--as", "yaml"]).fails(2, &["perfetto"]);
}
