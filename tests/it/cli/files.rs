//! Files and folders of results: as a whole or not at all.

use super::Scratch;
use std::fs;

#[test]
fn a_rerun_replaces_the_folder_as_a_whole() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    assert_eq!(scratch.call(&["run", "a.ron", "--seed", "2"]).code, 0);
    let names = scratch.names("output/a");
    let expected = "events.jsonl evictions.csv manifest.json names.json pods.png pods.svg scenario.ron summary.json timeline.png timeline.svg";
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
fn what_somebody_put_beside_results_is_left_alone() {
    let scratch = Scratch::with_starter();
    for (args, folder) in [
        (&["run", "a.ron"][..], "output/a"),
        (&["sweep", "a.ron", "--seeds", "1"], "output/a-sweep"),
        (
            &["explore", "rapid.ron", "--property", "pod-stuck", "--runs", "40", "--quiet"],
            "output/rapid-explore",
        ),
    ] {
        scratch.write(
            "rapid.ron",
            fs::read(super::repository().join("scenarios/rapid.ron")).expect("it is shipped"),
        );
        assert!([0, 1].contains(&scratch.call(args).code), "{args:?}");
        if !scratch.path(folder).exists() {
            // The search found nothing.
            continue;
        }
        let before = scratch.names(folder);
        scratch.write(&format!("{folder}/notes.txt"), "years of work");
        scratch.call(args).fails(2, &[folder, "\"notes.txt\"", "left as it is", "--out"]);
        assert_eq!(scratch.text(&format!("{folder}/notes.txt")), "years of work");
        fs::remove_file(scratch.path(&format!("{folder}/notes.txt"))).expect("it is there");
        assert!([0, 1].contains(&scratch.call(args).code), "{args:?}");
        assert_eq!(scratch.names(folder), before);
    }
}

#[test]
fn a_strangers_folder_with_a_manifest_is_left_alone() {
    let scratch = Scratch::with_starter();
    fs::create_dir_all(scratch.path("output/a")).expect("a folder");
    for manifest in [r#"{"name": "My app", "icons": []}"#, "", "[1, 2]", r#"{"taintsim": "0.1.0"}"#]
    {
        scratch.write("output/a/manifest.json", manifest);
        scratch.call(&["run", "a.ron"]).fails(2, &["output/a", "left as it is", "--out"]);
        assert_eq!(scratch.text("output/a/manifest.json"), manifest);
    }
    assert_eq!(scratch.names("output/a"), ["manifest.json"]);
}

/// Modes stay what they are, whatever writes the file.
#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::with_starter();
    let junit = r#"<testsuites name="taintsim""#;
    for (file, text) in [("old.ron", "old"), ("old.csv", "time_s,pod,"), ("old.xml", junit)] {
        scratch.write(file, text);
        fs::set_permissions(scratch.path(file), fs::Permissions::from_mode(0o600))
            .expect("it is ours");
    }
    scratch
        .write("nodes.json", r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}"#);
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    for args in [
        &["import", "nodes.json", "--out", "old.ron", "--force"][..],
        &["init", "old.ron", "--force"],
        &["report", "output/a", "--as", "csv", "--out", "old.csv"],
        &["test", "a.ron", "--reporter", "junit=old.xml"],
    ] {
        let file = args.iter().find_map(|arg| arg.find("old.").map(|at| &arg[at..])).expect("one");
        let before = scratch.text(file);
        let called = scratch.call(args);
        assert!([0, 1, 4].contains(&called.code), "{args:?}: {}", called.stderr);
        assert_ne!(scratch.text(file), before, "{args:?}");
        let mode = fs::metadata(scratch.path(file)).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{args:?}");
    }
}

/// Earlier reports are replaced; scenarios, notes and each other's are not.
#[test]
fn a_report_takes_the_place_of_reports_only() {
    let scratch = Scratch::with_starter();
    scratch.write("notes.txt", "years of work");
    scratch.write("package.json", "{\n  \"name\": \"web\"\n}\n");
    scratch.write("own.html", "<!doctype html>\n<title>My own</title>\n");
    // As process 1 of its container writes it on the first of January.
    scratch.write("kcm.log", "I0101 03:12:45.123456       1 a.go:1035] \"Node is NotReady\"\n");
    scratch.write("notes.md", "Postmortem\n\n- Cluster\n  Kubernetes 1.34, 22 nodes\n");
    scratch.write("x.parquet", "PAR1somebody else's");
    let records = ["report", "output/a", "--table", "records", "-o"];
    let scenario = scratch.text("a.ron");
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let left = "is no such report; it is left as it is";
    for (args, said) in [
        (&["test", "a.ron", "--reporter", "junit=notes.txt"][..], left),
        (&["test", "a.ron", "--reporter", "json=a.ron"], left),
        (&["test", "a.ron", "--reporter", "json=t", "--reporter", "junit=./t"], "two reports"),
        (&["test", "a.ron", "--reporter", "json=t", "--html=t"], "two reports"),
        (&["report", "output/a", "-o", "csv", "--out", "a.ron"], left),
        (&["report", "output/a", "-o", "html", "--out", "notes.txt"], left),
        (&["report", "output/a", "-o", "json", "--out", "notes.txt"], left),
        (&["report", "output/a", "-o", "json", "--out", "package.json"], left),
        (&["report", "output/a", "-o", "html", "--out", "own.html"], left),
        (&["report", "output/a", "-o", "text", "--out", "notes.txt"], left),
        (&["report", "output/a", "-o", "csv", "--out", "notes.txt"], left),
        (&["report", "output/a", "-o", "klog", "--out", "notes.txt"], left),
        (&["report", "output/a", "-o", "klog", "--out", "kcm.log"], left),
        (&["report", "output/a", "--out", "notes.md"], left),
        (&["report", "output/a", "-o", "parquet", "--out", "x.parquet"], left),
        (&[&records[..], &["csv", "--out", "output/a/evictions.csv"]].concat(), left),
        (&["test", "a.ron", "--reporter", "json=package.json"], left),
    ] {
        scratch.call(args).fails(2, &[said, "name another file"]);
    }
    assert_eq!(scratch.text("notes.txt"), "years of work");
    assert_eq!(scratch.text("a.ron"), scenario);
    assert!(!scratch.path("t").exists());
    for args in [
        &["test", "a.ron", "--reporter", "json=t.json", "--reporter", "junit=t.xml"][..],
        &["report", "output/a", "-o", "text", "--out", "t.txt"],
        &["report", "output/a", "-o", "csv", "--out", "t.csv"],
        &[&records[..], &["csv", "--out", "r.csv"]].concat(),
        &["report", "output/a", "-o", "csv", "--table", "curves", "--out", "c.csv"],
        &["report", "output/a", "-o", "json", "--out", "r.json"],
        &["report", "output/a", "-o", "html", "--out", "r.html"],
        &["report", "output/a", "-o", "parquet", "--out", "e.parquet"],
        &[&records[..], &["parquet", "--out", "r.parquet"]].concat(),
        &["report", "output/a", "-o", "perfetto", "--out", "r.perfetto"],
        &["report", "output/a", "-o", "klog", "--out", "r.log"],
    ] {
        for _ in 0..2 {
            let called = scratch.call(args);
            assert!(called.code < 2 || called.code == 4, "{args:?}: {}", called.stderr);
        }
    }
}

/// --force is about an earlier scenario, and not about what is read.
#[test]
fn what_is_read_is_not_written_over() {
    let scratch = Scratch::new();
    let node = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}"#;
    for (command, option) in [
        ("import", "--out"),
        ("incident", "--out"),
        ("faults", "--out"),
        ("shrink", "--out"),
        ("outages", "--chart"),
        ("forecast", "--chart"),
    ] {
        scratch.write("x.svg", node);
        let args = [command, "x.svg", option, "./x.svg", "--force"];
        scratch.call(&args).fails(2, &["./x.svg is what is read; it is left as it is"]);
        assert_eq!(scratch.text("x.svg"), node);
    }
}

#[test]
fn two_runs_into_one_folder_both_end_well() {
    let scratch = Scratch::with_starter();
    for round in 0..6 {
        let runs: Vec<_> = (0..4)
            .map(|i| {
                let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_taintsim"));
                let seed = (round * 4 + i).to_string();
                program.current_dir(&scratch.0).args(["run", "a.ron", "--quiet", "--seed", &seed]);
                program.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
                program.spawn().expect("it starts")
            })
            .collect();
        for run in runs {
            let output = run.wait_with_output().expect("it ends");
            assert_eq!(
                output.status.code(),
                Some(0),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        assert_eq!(scratch.call(&["report", "output/a"]).code, 0);
        assert_eq!(scratch.names("output"), ["a"]);
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_before_anything_runs() {
    let scratch = Scratch::with_starter();
    scratch.write("file", "");
    scratch.call(&["run", "a.ron", "--out", "file"]).fails(3, &["cannot create the folder file"]);
    scratch
        .call(&["sweep", "a.ron", "--out", "file/below"])
        .fails(3, &["cannot create the folder file/below"]);
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
    scratch
        .call(&["init", "--force", "/dev/full"])
        .fails(3, &["cannot write /dev/full", "no space left"]);
    for args in [&["run", "a.ron"][..], &["--help"], &["init", "-"], &["validate", "a.ron"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
        let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
        let output = program
            .current_dir(&scratch.0)
            .args(args)
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{args:?}: {said}");
        assert!(said.contains("cannot write to standard output"), "{said}");
    }
}

/// Opened anew, the file that standard output goes to would be written to from its beginning, over what
/// stands there. It gets what a pipe gets, behind what it had.
#[cfg(target_os = "linux")]
#[test]
fn the_file_of_standard_output_keeps_what_it_has() {
    use std::process::{Command, Stdio};
    let scratch = Scratch::with_starter();
    scratch
        .write("nodes.json", r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}"#);
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let (old, diff) = ("one\ntwo\n", ["diff", "a.ron", "--against-set", "horizon=19m"]);
    for args in [
        &["report", "output/a", "-o", "csv", "--out", "/dev/stdout"][..],
        &["import", "nodes.json", "--force", "--out", "/dev/fd/1"],
        &["report", "output/a", "-o", "json", "--out", "/proc/self/fd/1"],
        &[&diff[..], &["--html=/dev/stdout"]].concat(),
    ] {
        let piped = scratch.call(args);
        assert!([0, 1, 4].contains(&piped.code), "{args:?}: {}", piped.stderr);
        assert!(!piped.stdout.is_empty(), "{args:?}");
        for (adds, before) in [(true, old), (false, "")] {
            scratch.write("log", old);
            let mut log = fs::OpenOptions::new();
            let log = log.append(adds).write(true).truncate(!adds).open(scratch.path("log"));
            let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
            let program = program.current_dir(&scratch.0).args(args).stderr(Stdio::null());
            let program = program.env_remove("COLUMNS").env_remove("CLICOLOR_FORCE");
            let ended = program.stdout(log.expect("it is there")).status().expect("it runs");
            assert_eq!(ended.code(), Some(piped.code), "{args:?}");
            let found = scratch.text("log");
            assert!(found == format!("{before}{}", piped.stdout), "{args:?}: {found:.500}");
        }
    }
}

/// Whoever opened a file writes on where it was, over what another one adds. A pipe has no place that it was at.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_open_under_another_number_is_left() {
    let scratch = Scratch::with_starter();
    assert_eq!(scratch.call(&["run", "a.ron"]).code, 0);
    let piped = scratch.call(&["report", "output/a", "-o", "csv"]).stdout;
    for (to, code, found) in
        [("3> log", 3, "code 3\n".to_owned()), ("3>&1 | cat > log", 0, piped + "code 0\n")]
    {
        let call =
            format!("{{ \"$0\" report output/a -o csv --out /dev/fd/3; echo code $? >&3; }} {to}");
        let mut shell = std::process::Command::new("sh");
        let shell = shell.current_dir(&scratch.0).args(["-c", &call]);
        let output = shell.arg(env!("CARGO_BIN_EXE_taintsim")).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(scratch.text("log"), found, "{said}");
        let refused = "cannot write /dev/fd/3: it is a link; nothing is written through one";
        assert_eq!(said.contains(refused), code == 3, "{said}");
    }
}

/// `ulimit -f` lets a file have a block or two: said as a full disk is, and nothing is left of it.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_may_not_be_so_large_is_said() {
    let scratch = Scratch::with_starter();
    let call = "ulimit -f 2; exec \"$0\" run a.ron -q --out results";
    let mut shell = std::process::Command::new("sh");
    let shell = shell.current_dir(&scratch.0).args(["-c", call, env!("CARGO_BIN_EXE_taintsim")]);
    let output = shell.output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("cannot write results/a/") && said.contains("file too large"), "{said}");
    assert_eq!(scratch.names("results"), [""; 0]);
}

#[test]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let scratch = Scratch::with_starter();
    for args in [
        &["run", "a.ron"][..],
        &["sweep", "a.ron", "--seeds", "1"],
        &["--help"],
        &["init", "-"],
        &["completions", "bash"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
        let output = program
            .current_dir(&scratch.0)
            .args(args)
            .stdout(writer)
            .stderr(Stdio::piped())
            .output()
            .expect("it runs");
        assert_eq!(
            (output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()),
            (Some(0), ""),
            "{args:?}"
        );
    }
    // What was asked for is there all the same.
    assert_eq!(scratch.names("output"), ["a", "a-sweep"]);
}

/// docs/commands.md, exit codes: 1 where an expectation is not met, runs differ, a property is violated or a limit is
/// broken, and 2 for a mistake. Whether somebody reads to the end is none of these.
#[cfg(unix)]
#[test]
fn a_closed_pipe_changes_no_verdict() {
    use std::process::{Command, Stdio};
    let scratch = Scratch::with_starter();
    // A pod of a node that is cut off for good is evicted after a minute, which is not to be; three nodes, and each
    // may be lost.
    scratch.write(
        "lost.ron",
        r#"(version: 1, horizon: "10m", nodes: [(names: "n-{0..2}")],
            pods: [(name: "w", on: Node("n-0"), tolerations: [
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 60)])],
            timeline: [(at: "1m", do: Partition(node: "n-0"))], expect: [NotEvicted(pod: "w")])"#,
    );
    scratch.write("empty.ron", "()");
    let choose = "pods.w.tolerations[unreachable].tolerationSeconds=0,60";
    let plan = ["plan", "lost.ron", "--preset", "cloud", "--choose", choose, "--budget", "1h"];
    let broken = ["--precision", "90%", "--within", "evicted<=0/y"];
    let survey = ["survey", "lost.ron", "--lose", "node", "--fail-on", "missing>1"];
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/real/f30.json.gz");
    let look = format!("echo x >> looks; gzip -dc '{export}'");
    let watch = ["forecast", "-q", "--seeds", "2", "--watch", &look, "--every", "1ms"];
    for (args, code) in [
        (&["test", "lost.ron"][..], 1),
        (&["test", "lost.ron", "-o", "json"], 1),
        (&["test", "lost.ron", "-o", "csv"], 1),
        (&["test", "lost.ron", "-o", "junit"], 1),
        (&["test", "lost.ron", "--html=/dev/stdout"], 1),
        (&["diff", "lost.ron", "--against-set", "horizon=9m"], 1),
        (&["diff", "lost.ron", "--against-set", "horizon=9m", "-o", "csv"], 1),
        (&survey, 1),
        (&[&plan[..], &broken].concat(), 1),
        (&["validate", "empty.ron"], 2),
        (&["validate", "empty.ron", "-o", "json"], 2),
        (&[&watch[..], &["--exit-code", "--times", "3"]].concat(), 1),
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
        let program = program.current_dir(&scratch.0).args(args).stdout(writer);
        let ended = program.stderr(Stdio::null()).status().expect("it runs");
        assert_eq!(ended.code(), Some(code), "{args:?}");
    }
    // Three looks at the cluster were asked for, and nobody reads what comes after the first.
    assert_eq!(scratch.text("looks"), "x\n");
}
