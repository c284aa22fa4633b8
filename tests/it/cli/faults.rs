//! The system fails, or kills the program, at each of its calls about files: what it writes is the
//! old or the new as a whole, every time.
//!
//! `strace` injects the faults. Where there is none, or it may not look at other processes, the
//! tests say so and pass. A few faults of every kind are tried in each run of the tests; `cargo
//! test --test it every_fault -- --ignored` tries all of them.

use super::Scratch;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// What is done to a call.
const FAULTS: [&str; 4] = ["signal=KILL", "error=ENOSPC", "error=EIO", "error=EINTR"];

/// The calls that are looked at: about names, and about what is open.
const CALLS: &str = "%file,read,write,fsync,close,fchmod,fchown,flock,ftruncate,getdents64";

/// A command that replaces something.
struct Case {
    name: &'static str,
    /// What leaves the old behind.
    before: &'static [&'static [&'static str]],
    /// What replaces it.
    args: &'static [&'static str],
    /// The file or the folder.
    place: &'static str,
}

const CASES: [Case; 7] = [
    Case {
        name: "run",
        before: &[&["run", "a.ron"]],
        args: &["run", "a.ron", "--seed", "2"],
        place: "output/a",
    },
    Case {
        name: "sweep",
        before: &[&["sweep", "a.ron", "--seeds", "1"]],
        args: &["sweep", "a.ron", "--seeds", "2", "--jobs", "1"],
        place: "output/a-sweep",
    },
    Case {
        name: "explore",
        before: &[&[
            "explore",
            "rapid.ron",
            "--property",
            "pod-stuck",
            "--depth",
            "1",
            "--until-found",
            "--quiet",
        ]],
        args: &[
            "explore",
            "rapid.ron",
            "--property",
            "pod-stuck(10s)",
            "--depth",
            "1",
            "--until-found",
            "--jobs",
            "1",
            "--quiet",
        ],
        place: "output/rapid-explore",
    },
    Case {
        name: "test --update",
        before: &[&["test", "golden.ron", "--update"]],
        args: &["test", "second.ron", "--update", "--jobs", "1"],
        place: "golden.timeline",
    },
    Case {
        name: "import",
        before: &[&["init", "out.ron"]],
        args: &["import", "nodes.json", "--out", "out.ron", "--force"],
        place: "out.ron",
    },
    Case {
        name: "report",
        before: &[&["run", "a.ron"], &["init", "out.csv"]],
        args: &["report", "output/a", "--as", "csv", "--out", "out.csv"],
        place: "out.csv",
    },
    Case {
        name: "shrink",
        before: &[&["init", "out.ron"]],
        args: &["shrink", "stuck.ron", "--property", "pod-stuck", "--out", "out.ron", "--force"],
        place: "out.ron",
    },
];

/// The files of a folder, or the file, with what they hold; nothing if it is not there.
fn snapshot(path: &Path) -> BTreeMap<String, Vec<u8>> {
    if path.is_file() {
        return BTreeMap::from([(String::new(), fs::read(path).expect("it is there"))]);
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|e| {
            (e.file_name().to_string_lossy().into_owned(), fs::read(e.path()).unwrap_or_default())
        })
        .collect()
}

/// Everything below a folder that is no leftover of ours, by its path.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            fs::copy(entry.path(), target).map(drop).expect("a copy")
        }
    }
}

fn traced(scratch: &Scratch, strace: &[&str], args: &[&str]) -> Option<Output> {
    let mut program = Command::new("strace");
    program
        .current_dir(&scratch.0)
        .args(["-f", "-qq", "-o", "strace.log", "-e", &format!("trace={CALLS}")])
        .args(strace);
    program
        .arg(env!("CARGO_BIN_EXE_taintsim"))
        .args(args)
        .env_remove("RUST_BACKTRACE")
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .ok()
}

/// The calls of the program, each with its number among those of its name, from the first that is
/// about a file of ours on.
fn calls(log: &str) -> Vec<(String, usize)> {
    let main = log.split_whitespace().next().unwrap_or_default();
    let (mut counts, mut all, mut ours) = (BTreeMap::<String, usize>::new(), Vec::new(), false);
    for line in log.lines() {
        let Some((pid, call)) = line.split_once(' ') else {
            continue;
        };
        let Some((name, rest)) = call.trim_start().split_once('(') else {
            continue;
        };
        // What other threads do is counted for each of them.
        if pid != main || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            continue;
        }
        let n = counts.entry(name.to_owned()).or_default();
        *n += 1;
        // The first call has the whole command line.
        ours |= name != "execve"
            && [
                "\"a.ron\"",
                "\"rapid.ron\"",
                "\"second.ron\"",
                "\"nodes.json\"",
                "\"output",
                "\"stuck.ron\"",
                "\"out.",
            ]
            .iter()
            .any(|f| rest.contains(f));
        if ours {
            all.push((name.to_owned(), *n));
        }
    }
    all
}

fn prepared() -> Scratch {
    let scratch = Scratch::with_starter();
    let rapid = super::repository().join("scenarios/rapid.ron");
    scratch.write("rapid.ron", fs::read(rapid).expect("it is shipped"));
    scratch.write("stuck.ron", super::shrink::STUCK);
    scratch
        .write("nodes.json", r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}"#);
    let golden = "golden: \"golden.timeline\",\n    timeline: [";
    scratch.edited("golden.ron", "timeline: [", golden);
    scratch.edited("second.ron", "timeline: [", &format!("seed: 2, {golden}"));
    scratch
}

/// Tries the faults of a case, `most` of them or all; `always` is injected all the time.
fn try_faults(case: &Case, most: Option<usize>, always: &[&str]) {
    let start = prepared();
    for args in case.before {
        assert!([0, 1].contains(&start.call(args).code), "{args:?}");
    }
    let old = snapshot(&start.path(case.place));
    assert!(!old.is_empty(), "{}", case.name);
    let done = Scratch::new();
    copy(&start.0, &done.0);
    let Some(output) =
        traced(&done, always, case.args).filter(|o| [Some(0), Some(1)].contains(&o.status.code()))
    else {
        // Written past the harness, which keeps what a test that passes prints to itself.
        use std::io::Write;
        let _ = writeln!(
            std::io::stderr(),
            "skipped: there is no strace that may look at other processes"
        );
        return;
    };
    drop(output);
    let new = snapshot(&done.path(case.place));
    assert!(new != old && !new.is_empty(), "{}: nothing is replaced", case.name);
    let mut tries: Vec<(String, usize, &str)> = calls(&done.text("strace.log"))
        .into_iter()
        .flat_map(|(call, n)| FAULTS.map(|fault| (call.clone(), n, fault)))
        // An error of `closedir` is an assertion of the standard library, and none of any other
        // `close` is heard of.
        .filter(|(call, _, fault)| call != "close" || *fault == "signal=KILL")
        .collect();
    assert!(tries.len() > 40, "{}: {tries:?}", case.name);
    if let Some(most) = most {
        // Spread over all, with a step that is odd so that every kind of fault has its turn; those
        // about names come last and all of them.
        let step = (tries.len() / most).max(1) | 1;
        let (names, others): (Vec<_>, Vec<_>) = tries
            .into_iter()
            .partition(|(call, _, fault)| call.starts_with("rename") && *fault != "error=EINTR");
        tries = others.into_iter().step_by(step).chain(names.into_iter().take(6)).collect();
    }
    for (call, n, fault) in tries {
        let scratch = Scratch::new();
        copy(&start.0, &scratch.0);
        let inject = format!("inject={call}:{fault}:when={n}");
        let output = traced(&scratch, &[always, &["-e", &inject]].concat(), case.args)
            .expect("strace was there");
        let (code, said) =
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned());
        let what = format!("{}, {inject}: {code:?} {said}", case.name);
        assert!(!said.contains("internal error") && !said.contains("panicked"), "{what}");
        let killed = fault == "signal=KILL";
        assert!(if killed { code != Some(101) } else { matches!(code, Some(0..=3)) }, "{what}");
        let found = snapshot(&scratch.path(case.place));
        let aside = || {
            let names = scratch.names("output");
            names.iter().any(|n| {
                n.ends_with(".old") && snapshot(&scratch.path(&format!("output/{n}"))) == old
            })
        };
        // Where names cannot be swapped there is a moment in which the old has another name.
        let kept = found == old
            || found == new
            || found.is_empty() && !always.is_empty() && killed && aside();
        assert!(kept, "{what}: neither the old nor the new, but {:?}", found.keys());
        let succeeded =
            matches!(code, Some(0)) || case.name == "explore" && code == Some(1) && said.is_empty();
        assert!(!succeeded || killed || found == new, "{what}: it said nothing and is the old");
        assert_eq!(scratch.text("a.ron"), start.text("a.ron"), "{what}");
        if killed {
            // The next one ends well and leaves nothing but the new.
            let next = scratch.call(case.args);
            assert!([0, 1].contains(&next.code), "{what}; then {}", next.stderr);
            assert!(snapshot(&scratch.path(case.place)) == new, "{what}: then not the new");
            let folder = Path::new(case.place).parent().map_or(".", |p| p.to_str().expect("UTF-8"));
            let left: Vec<String> = scratch
                .names(if folder.is_empty() { "." } else { folder })
                .into_iter()
                .filter(|n| n.starts_with('.'))
                .collect();
            assert!(left.is_empty(), "{what}: {left:?} are left");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn some_faults_of_every_command() {
    CASES.iter().for_each(|case| try_faults(case, Some(9), &[]));
}

#[cfg(target_os = "linux")]
#[test]
fn some_faults_where_names_cannot_be_swapped() {
    try_faults(&CASES[0], Some(6), &["-e", "inject=renameat2:error=EINVAL"]);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "some minutes: every fault at every call"]
fn every_fault_of_every_command() {
    CASES.iter().for_each(|case| try_faults(case, None, &[]));
    try_faults(&CASES[0], None, &["-e", "inject=renameat2:error=EINVAL"]);
}
