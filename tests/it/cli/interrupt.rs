//! Ctrl-C in the middle of a run, of a sweep and of a search, and the signals that end a program
//! from outside.

use super::Scratch;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};

/// Sends a signal to a call at its first line of progress; gives its exit code, its standard
/// output, and what it said after that.
fn stopped(scratch: &Scratch, signal: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
    program.current_dir(&scratch.0).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().expect("the program starts");
    let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    stderr.read_line(&mut line).expect("UTF-8");
    assert!(line.contains('%') || line.ends_with(" runs\n"), "progress: {line}");
    let killed =
        Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("UTF-8");
    let output = child.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8(output.stdout).expect("UTF-8"), rest)
}

/// The same for a call that prints nothing.
fn interrupted(scratch: &Scratch, args: &[&str]) -> (Option<i32>, String) {
    let (code, stdout, said) = stopped(scratch, "-INT", args);
    assert_eq!(stdout, "");
    (code, said)
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_and_leaves_earlier_results_alone() {
    let scratch = Scratch::with_starter();
    scratch.edited("long.ron", "horizon: \"30m\"", "horizon: \"30m\", seed: 3");
    assert_eq!(scratch.call(&["run", "long.ron"]).code, 0);
    let before = scratch.read("output/long/events.jsonl");
    // A node that comes and goes for months keeps the controllers busy.
    scratch.edited("long.ron", "horizon: \"30m\"", "horizon: \"8000h\"");
    let flap = "timeline: [(at: \"1h\", do: Flap(node: \"a-1\", down: \"55s\", up: \"30s\", times: 100000)),";
    let text = scratch.text("long.ron").replacen("timeline: [", flap, 1);
    scratch.write("long.ron", text);
    let (code, said) = interrupted(&scratch, &["run", "long.ron"]);
    assert_eq!(code, Some(130), "{said}");
    assert!(
        said.contains("interrupted after") && said.contains("nothing was written to output/long"),
        "{said}"
    );
    assert!(before == scratch.read("output/long/events.jsonl"));
    assert_eq!(scratch.names("output"), ["long"]);
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_sweep_with_what_it_has_run() {
    let scratch = Scratch::with_starter();
    let args = [
        "sweep",
        "a.ron",
        "--set",
        "horizon=30m,40m",
        "--seeds",
        "500000",
        "--jobs",
        "2",
        "--format",
        "json",
    ];
    // Results that are there stay: the next ones have a folder of their own.
    for (signal, folder) in
        [("-INT", "a-sweep"), ("-TERM", "a-sweep-interrupted"), ("-HUP", "a-sweep-interrupted")]
    {
        if signal == "-HUP" && hangups_are_ignored() {
            let _ = writeln!(
                std::io::stderr(),
                "skipped: SIGHUP is ignored here, as under nohup, and so it is by the program"
            );
            continue;
        }
        let (code, stdout, said) = stopped(&scratch, signal, &args);
        assert_eq!(code, Some(130), "{signal}: {said}");
        assert!(
            said.contains("interrupted after") && said.contains(&format!("are in output/{folder}")),
            "{signal}: {said}"
        );
        let printed: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
        let written: serde_json::Value =
            serde_json::from_slice(&scratch.read(&format!("output/{folder}/sweep.json")))
                .expect("JSON");
        assert_eq!(printed, written, "{signal}");
        let seeds = written["seeds"].as_u64().expect("a number");
        assert!(seeds > 0 && seeds < 500_000, "{signal}: {seeds}");
        // A row for each value, each with all of these seeds.
        let runs = scratch.text(&format!("output/{folder}/runs.csv"));
        assert_eq!(runs.lines().count() as u64, 1 + 2 * seeds, "{signal}");
    }
    assert_eq!(scratch.names("output"), ["a-sweep", "a-sweep-interrupted"]);
}

/// Whether who started the tests ignores SIGHUP, and with them the programs that they start.
#[cfg(unix)]
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|l| l.strip_prefix("SigIgn:"))
        .and_then(|m| u64::from_str_radix(m.trim(), 16).ok());
    mask.is_some_and(|m| m & 1 != 0)
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_goes_away_does_not_end_what_nohup_started() {
    let scratch = Scratch::with_starter();
    let mut program = Command::new("sh");
    // The signal comes first, so that a program that heeds it is gone before it is done.
    let script = "trap '' HUP; \"$0\" sweep a.ron --seeds 600 --jobs 2 --quiet >out.txt 2>err.txt & \
                  until grep -q SigCgt:.*[1-9a-f] /proc/$!/status; do :; done; kill -HUP $!; wait $!";
    let status = program
        .current_dir(&scratch.0)
        .args(["-c", script, env!("CARGO_BIN_EXE_taintsim")])
        .status()
        .expect("a shell");
    assert_eq!(status.code(), Some(0), "{}", scratch.text("err.txt"));
    assert_eq!(scratch.names("output"), ["a-sweep"]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_difference_over_seeds() {
    let scratch = Scratch::with_starter();
    let (code, said) = interrupted(
        &scratch,
        &["diff", "a.ron", "--against", "1.33", "--seeds", "500000", "--jobs", "2"],
    );
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("interrupted after"), "{said}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_odds_in_the_middle_of_their_runs() {
    let scratch = Scratch::new();
    let file = super::repository().join("scenarios/rapid-taint-1.32.ron");
    let file = file.to_str().expect("a path");
    let args = ["odds", file, "--of", "pod-stuck", "--runs", "10000000", "--jobs", "2"];
    let (code, stdout, said) = stopped(&scratch, "-INT", &args);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("interrupted; this is what was found so far"), "{said}");
    assert!(stdout.contains("stopped before all was known"), "{stdout}");
}

#[cfg(unix)]
#[test]
fn a_signal_ends_a_search_with_what_it_found() {
    let scratch = Scratch::new();
    scratch.write(
        "rapid.ron",
        std::fs::read(super::repository().join("scenarios/rapid.ron")).unwrap(),
    );
    // No machine comes to the end of that.
    let args = [
        "explore",
        "rapid.ron",
        "--property",
        "pod-stuck",
        "--depth",
        "64",
        "--runs",
        "1000000000000",
        "--jobs",
        "2",
    ];
    let (code, stdout, said) = stopped(&scratch, "-TERM", &args);
    assert_eq!(code, Some(130), "{said}");
    assert!(said.contains("interrupted"), "{said}");
    assert!(stdout.contains("not exhausted: there are more runs"), "{stdout}");
    // What a violation needs to be replayed is there as a whole, and nothing beside it.
    let tape = stdout.lines().find_map(|l| l.trim().strip_prefix("taintsim replay "));
    match tape {
        Some(tape) => {
            assert_eq!(scratch.names("output"), ["rapid-explore"]);
            assert_eq!(scratch.call(&["replay", tape]).code, 1);
        }
        None => assert!(scratch.names("output").is_empty()),
    }
}

/// A command whose export never comes ends with whoever waits for it, also where the signal is for the one alone.
#[cfg(target_os = "linux")]
#[test]
fn a_command_that_is_waited_for_does_not_live_on() {
    let scratch = Scratch::new();
    let mut program = Command::new(env!("CARGO_BIN_EXE_taintsim"));
    let program = program.current_dir(&scratch.0).stderr(Stdio::piped());
    program.args(["forecast", "--watch", "echo $$ > id.tmp; mv id.tmp id; exec sleep 470"]);
    let child = program.spawn().expect("the program starts");
    while !scratch.path("id").exists() {
        std::thread::yield_now();
    }
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("kill").success());
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(said.starts_with("interrupted"), "{said}");
    // Nobody may have asked how it ended yet.
    let stat = format!("/proc/{}/stat", scratch.text("id").trim());
    let is_gone = || std::fs::read_to_string(&stat).map_or(true, |s| s.contains(") Z"));
    assert!((0..1_000_000).any(|_| is_gone()));
}
