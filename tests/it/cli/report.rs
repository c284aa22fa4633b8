//! `report` on folders of results: the same bytes as the run printed, and what is said of folders
//! that cannot be read.

use super::{Scratch, unfolded};
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

/// Whatever a run needs beside its scenario's text is in the folder: values that were set, a tape,
/// drawn faults and a drawn seed.
#[test]
fn a_folder_has_what_it_takes_to_run_again() {
    let scratch = Scratch::with_starter();
    scratch.write(
        "drawn.ron",
        r#"Scenario(version: 1, horizon: "40h", nodes: [(names: "n-{0..3}")],
        workloads: [Deployment(name: "web", replicas: 3)],
        faults: (models: [(name: "mine", nodes: All, do: Crash, rate: PerNodeYear(300), lasts: Exponential(mean: "10m"))]))"#,
    );
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let tapes = fs::read_dir(root.join("scenarios/races")).expect("there are some");
    let mut tapes: Vec<_> = tapes.map(|e| e.expect("a file").path()).collect();
    tapes.retain(|path| fs::read_to_string(path).is_ok_and(|text| text.contains("tape:")));
    tapes.sort();
    let taped = tapes.first().expect("one has a tape").display().to_string();
    for (n, run) in [
        &[
            "a.ron",
            "--timing",
            "Typical",
            "--set",
            "flags.kube-controller-manager.node-eviction-rate=1",
        ][..],
        &["drawn.ron", "--seed", "77"],
        &["drawn.ron"],
        &[taped.as_str()],
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("out-{n}");
        let printed = scratch.call(&[&["run", "--out", &out][..], run].concat());
        assert_eq!(printed.code, 0, "{}", printed.stderr);
        let folder = format!("{out}/{}", scratch.names(&out)[0]);
        let again = scratch.call(&["report", &folder]);
        assert_eq!((again.code, again.stderr.as_str()), (0, ""), "{run:?}");
        assert_eq!(again.stdout, printed.stdout, "{run:?}");
    }
}

#[test]
fn what_a_folder_cannot_give_is_said_with_its_place() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let original = |name: &str| scratch.text(&format!("output/a/{name}"));
    let (manifest, scenario) = (original("manifest.json"), original("scenario.ron"));
    let restore = || {
        scratch.write("output/a/manifest.json", &manifest);
        scratch.write("output/a/scenario.ron", &scenario);
    };
    let hash = manifest.find("\"records_hash\": \"fnv1a64:").expect("it has one") + 25;
    let other = format!("{}0123456789abcdef{}", &manifest[..hash], &manifest[hash + 16..]);
    // `run` would leave such a folder as it is.
    let elsewhere = "again into another folder with --out, or remove this one first";
    for (file, text, said) in [
        ("manifest.json", "{".to_owned(), &["not the manifest of a run", elsewhere][..]),
        (
            "manifest.json",
            manifest.replace("\"format\": 3", "\"format\": 99"),
            &["form 99", "reads form 3", "run the scenario again"],
        ),
        ("manifest.json", manifest.replace("  \"format\": 3,\n", ""), &["an older form"]),
        ("scenario.ron", scenario.replace("duration", "Duration"), &["scenario.ron"]),
        ("scenario.ron", format!("{scenario}\n// later"), &["scenario.ron", "hash"]),
        ("manifest.json", other, &["other records", "somebody", "run the scenario again"]),
    ] {
        scratch.write(&format!("output/a/{file}"), text);
        scratch.call(&["report", "output/a"]).fails(2, said);
        restore();
    }
    for file in ["manifest.json", "scenario.ron"] {
        fs::remove_file(scratch.path(&format!("output/a/{file}"))).expect("can be removed");
        let help = if file == "manifest.json" { elsewhere } else { "run` replaces the folder" };
        scratch.call(&["report", "output/a"]).fails(2, &[file, help]);
        restore();
    }
    // The records are an export, which nobody reads.
    fs::remove_file(scratch.path("output/a/events.jsonl")).expect("can be removed");
    assert_eq!(scratch.call(&["report", "output/a"]).code, 0);
    scratch.call(&["report", "a.ron"]).fails(2, &["a file, not a folder"]);
    scratch.call(&["report", "output/b"]).fails(2, &["no such file or folder", "output/a"]);
    assert_eq!(scratch.call(&["sweep", "a.ron", "--seeds", "1"]).code, 0);
    scratch.call(&["report", "output/a-sweep"]).fails(2, &["a sweep, not of a run"]);
    scratch.call(&["report", "output/a", "--as", "yaml"]).fails(2, &["perfetto"]);
}

/// Three machines are told to go off: a Job's pods end there with exit code 0, which is what the Job is for,
/// and the pods of a Deployment are lost and made anew.
#[test]
fn a_pod_of_a_job_that_succeeded_is_not_lost() {
    let scratch = Scratch::new();
    scratch.write(
        "off.ron",
        r#"Scenario(version: 1, horizon: "10m", flags: (kubelet: {"shutdown-grace-period": "30s"}), nodes: [(names: "a-{0..2}")],
        workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All)), Job(name: "j", completions: 3, parallelism: 3)],
        timeline: [(at: "1m", do: Shutdown(nodes: All, duration: "3m"))])"#,
    );
    let said = unfolded(&scratch.call(&["run", "off.ron", "--summary"]).stdout);
    assert_eq!(said.matches("3 lost, ").count(), 1, "{said}");
    assert!(said.contains("3 lost, 3 replaced") && !said.contains("0 replaced"), "{said}");
}
