//! Files and folders of results: as a whole or not at all.

use super::Scratch;
use std::fs;

#[test]
fn a_rerun_replaces_the_folder_as_a_whole() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    scratch.write("output/a/left-over", "");
    assert_eq!(scratch.call(&["run", "a.ron", "--seed", "2"]).code, 0);
    let names = scratch.names("output/a");
    let expected =
        "events.jsonl evictions.csv manifest.json pods.png pods.svg scenario.ron summary.json timeline.png timeline.svg trace.json";
    let expected: Vec<&str> = expected.split(' ').collect();
    assert_eq!(names, expected);
    // Nothing temporary is left beside it.
    assert_eq!(scratch.names("output"), ["a"]);
}

#[test]
fn a_failed_run_leaves_earlier_results_alone() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let before = scratch.read("output/a/events.jsonl");
    scratch.call(&["run", "a.ron", "--set", "horizon=never"]).fails(2, &["never"]);
    assert!(before == scratch.read("output/a/events.jsonl"));
}

#[test]
fn folders_of_others_are_left_alone() {
    let scratch = Scratch::with_starter();
    fs::create_dir_all(scratch.path("output/a")).expect("a folder");
    scratch.write("output/a/thesis.txt", "years of work");
    scratch.call(&["run", "a.ron"]).fails(2, &["output/a", "left as it is", "--out"]);
    assert_eq!(scratch.names("output/a"), ["thesis.txt"]);
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_before_anything_runs() {
    let scratch = Scratch::with_starter();
    scratch.write("file", "");
    scratch.call(&["run", "a.ron", "--out", "file"]).fails(3, &["cannot create the folder file"]);
    scratch.call(&["sweep", "a.ron", "--out", "file/below"]).fails(3, &["cannot create the folder file/below"]);
    assert_eq!(scratch.read("file"), b"");
}

#[test]
fn two_scenarios_of_one_name_are_refused() {
    let scratch = Scratch::with_starter();
    scratch.call(&["run", "a.ron", "./a.ron"]).fails(2, &["would both be output/a"]);
    assert!(!scratch.path("output").exists());
}

#[test]
fn init_replaces_nothing_unasked() {
    let scratch = Scratch::new();
    assert_eq!(scratch.call(&["init"]).code, 0);
    assert_eq!(scratch.names("."), ["scenario.ron"]);
    scratch.write("scenario.ron", "mine");
    scratch.call(&["init"]).fails(2, &["scenario.ron exists", "--force"]);
    assert_eq!(scratch.text("scenario.ron"), "mine");
    assert_eq!(scratch.call(&["init", "--force"]).code, 0);
    let text = scratch.text("scenario.ron");
    assert!(text.contains("Scenario("));
    let printed = scratch.call(&["init", "-"]);
    assert_eq!(printed.stdout, text);
    scratch.call(&["init", "none/such.ron"]).fails(3, &["cannot write none/such.ron"]);
    assert_eq!(scratch.names("."), ["scenario.ron"]);
}

/// Every write to this device fails as on a full disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    use std::process::{Command, Stdio};
    let scratch = Scratch::with_starter();
    scratch.call(&["init", "--force", "/dev/full"]).fails(3, &["cannot write /dev/full", "No space left"]);
    for args in [&["run", "a.ron"][..], &["--help"], &["init", "-"], &["validate", "a.ron"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
        let output = program.current_dir(&scratch.0).args(args).stdout(full).stderr(Stdio::piped()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
        assert!(said.contains("cannot write to standard output"), "{said}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let scratch = Scratch::with_starter();
    for args in [&["run", "a.ron"][..], &["sweep", "a.ron", "--seeds", "1"], &["--help"], &["init", "-"], &["completions", "bash"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
        let output = program.current_dir(&scratch.0).args(args).stdout(writer).stderr(Stdio::piped()).output().expect("it runs");
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""), "{args:?}");
    }
    // What was asked for is there all the same.
    assert_eq!(scratch.names("output"), ["a", "a-sweep"]);
}
