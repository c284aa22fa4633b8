//! Folders that somebody else made: what is written there goes through no link and waits for
//! nobody, and what a work plan says of itself lifts no bound.

use super::Scratch;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

/// A scratch folder with the work plan `evil` of a survey in two shards, and a file to lose.
fn with_plan() -> Scratch {
    let scratch = Scratch::with_starter();
    let args = ["survey", "a.ron", "--quiet", "--for", "5m"];
    let planned = scratch.call(&[&args[..], &["--plan-shards", "2", "--out", "evil"]].concat());
    assert_eq!(planned.code, 0, "{}", planned.stderr);
    scratch.write("victim", "precious");
    scratch
}

fn fifo(scratch: &Scratch, name: &str) {
    let made = Command::new("mkfifo").arg(scratch.path(name)).status();
    assert!(made.expect("mkfifo").success());
}

/// Changes the manifest of the work plan.
fn changed(scratch: &Scratch, change: impl FnOnce(&mut Value)) {
    let mut manifest = serde_json::from_slice(&scratch.read("evil/manifest.json")).expect("JSON");
    change(&mut manifest);
    scratch.write("evil/manifest.json", manifest.to_string());
}

#[test]
fn nothing_is_written_through_what_lies_in_the_place_of_a_file() {
    let result = "evil/round-0.shard-0.result";
    for (place, args) in [
        (result, &["shard", "evil", "0"][..]),
        ("evil/slurm.sh", &["shard", "evil", "--for", "slurm"]),
        ("evil/kubernetes.yaml", &["shard", "evil", "--for", "kubernetes"]),
        ("new.ron", &["init", "new.ron", "--force"]),
        ("page.html", &["survey", "a.ron", "--quiet", "--html=page.html"]),
        ("units.xml", &["test", "a.ron", "--reporter", "junit=units.xml"]),
    ] {
        let scratch = with_plan();
        let victim = scratch.path("victim");
        // A link to a file, one to what is not there, and one by way of another.
        symlink(&victim, scratch.path("second")).expect("a link");
        for to in [victim.clone(), scratch.path("nowhere"), scratch.path("second")] {
            symlink(&to, scratch.path(place)).expect("a link");
            let called = scratch.call(args);
            assert!(called.code >= 2, "{args:?}: {}", called.stderr);
            assert!(called.stderr.contains("it is a link"), "{args:?}: {}", called.stderr);
            assert!(!scratch.path("nowhere").exists(), "{args:?}");
            fs::remove_file(scratch.path(place)).expect("it is there still");
        }
        fifo(&scratch, place);
        let called = scratch.call(args);
        assert!(called.stderr.contains("it is a FIFO"), "{args:?}: {}", called.stderr);
        fs::remove_file(scratch.path(place)).expect("it is there still");
        fs::create_dir(scratch.path(place)).expect("nothing is there");
        assert!(scratch.call(args).code >= 2, "{args:?}");
        fs::remove_dir(scratch.path(place)).expect("it is there still");
        // Another name of a file: it gets a file of its own.
        fs::hard_link(&victim, scratch.path(place)).expect("a link");
        let called = scratch.call(args);
        assert_eq!(scratch.text("victim"), "precious", "{args:?}");
        // A page takes the place of pages only, and a report of reports.
        if place == "page.html" || place == "units.xml" {
            called.fails(2, &["is no ", "it is left as it is"]);
            continue;
        }
        // Nothing is expected of the scenario, which `test` says by a code of its own.
        assert!([0, 1, 4].contains(&called.code), "{args:?}: {}", called.stderr);
        assert_ne!(scratch.read(place), b"precious", "{args:?}");
    }
}

/// What stands where a run's manifest should is named: the folder does have one, of a kind.
#[test]
fn a_manifest_that_is_a_fifo_is_named() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.path("made")).expect("nothing is there");
    fifo(&scratch, "made/manifest.json");
    for args in [&["report", "made"][..], &["explain", "made", "web"]] {
        scratch.call(args).fails(2, &["manifest.json", "this is no plain file"]);
    }
}

/// What a killed process is said to have left, and is a FIFO or a link, is nobody's.
#[test]
fn what_only_looks_left_over_stays() {
    let scratch = with_plan();
    fifo(&scratch, "evil/.round-0.shard-0.result.77-1.tmp");
    symlink(scratch.path("victim"), scratch.path("evil/.round-0.shard-0.result.78-1.tmp"))
        .expect("a link");
    assert_eq!(scratch.call(&["shard", "evil", "0"]).code, 0);
    assert_eq!(scratch.text("victim"), "precious");
    assert_eq!(scratch.names("evil").iter().filter(|n| n.ends_with(".tmp")).count(), 2);
}

#[test]
fn a_work_plan_leads_to_nothing_beside_it() {
    type Change = fn(&mut Value);
    let changes: [(&str, Change); 9] = [
        ("no plain file of that folder", |m| m["inputs"][0]["copy"] = json!("../victim")),
        ("no plain file of that folder", |m| m["inputs"][0]["copy"] = json!("/dev/zero")),
        ("no plain file of that folder", |m| m["inputs"][0]["copy"] = json!("")),
        ("no plain file of that folder", |m| m["inputs"][0]["copy"] = json!(".")),
        ("not what was packed", |m| m["inputs"][0]["bytes"] = json!(1_u64 << 62)),
        ("from 1 to 100,000 shards", |m| m["work"]["shards"] = json!(u32::MAX)),
        ("from 1 to 100,000 shards", |m| m["work"]["shards"] = json!(0)),
        // It is named, and was not packed.
        ("victim was not packed", |m| m["work"]["arguments"][1] = json!("victim")),
        ("a.ron was not packed", |m| m["inputs"] = json!([])),
    ];
    for (said, change) in changes {
        let scratch = with_plan();
        changed(&scratch, change);
        for args in [&["shard", "evil", "0"][..], &["gather", "evil"]] {
            scratch.call(args).fails(2, &[said]);
        }
    }
    // A link that leads out of the folder, and what is endless.
    for to in ["victim", "/dev/zero"] {
        let scratch = with_plan();
        fs::remove_file(scratch.path("evil/input-0-a.ron")).expect("it is there");
        symlink(scratch.path(to), scratch.path("evil/input-0-a.ron")).expect("a link");
        scratch.call(&["shard", "evil", "0"]).fails(2, &["no plain file of that folder"]);
    }
    // A link within it is how a volume of Kubernetes has its files.
    let scratch = with_plan();
    fs::create_dir(scratch.path("evil/..data")).expect("a folder");
    for name in ["manifest.json", "input-0-a.ron"] {
        let to = scratch.path(&format!("evil/..data/{name}"));
        fs::rename(scratch.path(&format!("evil/{name}")), to).expect("it is there");
        symlink(format!("..data/{name}"), scratch.path(&format!("evil/{name}"))).expect("a link");
    }
    assert_eq!(scratch.call(&["shard", "evil", "0"]).code, 0);
}

#[test]
fn a_work_plan_does_not_say_where_a_page_goes() {
    let scratch = with_plan();
    let page = scratch.path("victim").display().to_string();
    changed(&scratch, |m| {
        let arguments = m["work"]["arguments"].as_array_mut().expect("a list");
        arguments.push(json!(format!("--html={page}")));
    });
    for shard in ["0", "1"] {
        assert_eq!(scratch.call(&["shard", "evil", shard]).code, 0);
    }
    let gathered = scratch.call(&["gather", "evil", "--out", "results"]);
    assert_eq!(gathered.code, 0, "{}", gathered.stderr);
    assert_eq!(scratch.text("victim"), "precious");
    assert!(scratch.text("results/victim").starts_with("<!doctype html>"));
}

#[test]
fn the_name_of_a_folder_ends_no_line_of_a_script() {
    for name in ["a\ntouch victim\n#", "a\rb", "a\u{2028}b"] {
        let scratch = with_plan();
        fs::rename(scratch.path("evil"), scratch.path(name)).expect("it is there");
        for engine in ["slurm", "kubernetes"] {
            scratch.call(&["shard", name, "--for", engine]).fails(2, &["rename the folder"]);
        }
    }
    // Whatever else a name has is a word of the shell's.
    let scratch = with_plan();
    let name = "a'b \"c\" $(touch x) `touch x` \\ !*;&";
    fs::rename(scratch.path("evil"), scratch.path(name)).expect("it is there");
    assert_eq!(scratch.call(&["shard", name, "--for", "slurm"]).code, 0);
    // A `taintsim` that says what it was given.
    scratch.write("taintsim", "#!/bin/sh\nprintf '%s|' \"$@\"\n");
    let made = Command::new("chmod").arg("+x").arg(scratch.path("taintsim")).status();
    assert!(made.expect("chmod").success());
    let output = Command::new("sh")
        .arg(scratch.path(name).join("slurm.sh"))
        .current_dir(&scratch.0)
        .env("PATH", format!("{}:/usr/bin:/bin", scratch.0.display()))
        .env("SLURM_ARRAY_TASK_ID", "1")
        .output()
        .expect("sh");
    let folder = fs::canonicalize(&scratch.0).expect("it is there").join(name);
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(said.ends_with(&format!("{name}|1|--jobs|1|")), "{said} {}", folder.display());
    assert!(!scratch.path("x").exists());
}

/// A right checksum over what no shard can have found: it is named, with what makes up for it.
#[test]
fn a_result_that_cannot_be_one_is_named() {
    let scratch = with_plan();
    for shard in ["0", "1"] {
        assert_eq!(scratch.call(&["shard", "evil", shard]).code, 0);
    }
    let file = "evil/round-0.shard-1.result";
    let of = scratch.read(file);
    let end = of.iter().position(|b| *b == b'\n').expect("a line");
    let mut head: Value = serde_json::from_slice(&of[..end]).expect("JSON");
    let fnv = |bytes: &[u8]| {
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    };
    for body in [&b""[..], b"\x03\x01\x02", &[0xff; 40]] {
        head["bytes"] = body.len().into();
        head["hash"] = format!("fnv1a64:{:016x}", fnv(body)).into();
        scratch.write(file, [head.to_string().as_bytes(), b"\n", body].concat());
        scratch.call(&["gather", "evil"]).fails(
            5,
            &[
                "evil lacks 1 of 2 shards: shard 1 is no good",
                "cannot be what a shard found",
                "`taintsim shard evil 1`",
            ],
        );
    }
    assert_eq!(scratch.call(&["shard", "evil", "1"]).code, 0);
    assert_eq!(scratch.call(&["gather", "evil"]).code, 0);
}

/// Opening a FIFO waits for whoever writes to it, and nobody does.
#[test]
fn no_input_is_waited_for() {
    let scratch = Scratch::with_starter();
    fifo(&scratch, "in");
    scratch.write("of.ron", "Scenario(version: 1, horizon: \"20m\", cluster: From(\"in\"))");
    fs::create_dir(scratch.path("results")).expect("a folder");
    fifo(&scratch, "results/manifest.json");
    for args in [
        &["run", "in"][..],
        &["run", "of.ron"],
        &["validate", "in"],
        &["test", "in"],
        &["import", "in"],
        &["incident", "in"],
        &["forecast", "in"],
        &["plan", "in"],
        &["plan", "--kept", "in"],
        &["survey", "in"],
        &["outages", "in"],
        &["explore", "in"],
        &["report", "results"],
        &["gather", "results"],
        &["shard", "results", "0"],
    ] {
        let called = scratch.call(args);
        assert!(called.code >= 2, "{args:?}: {}", called.stdout);
        let said = called.stderr + &called.stdout;
        assert!(
            ["FIFO", "no plain file", "has no manifest.json"].iter().any(|w| said.contains(w)),
            "{args:?}: {said}"
        );
    }
    // What a shell makes of `<(…)` is read.
    let output = Command::new("bash")
        .args(["-c", "\"$0\" validate <(cat a.ron)", env!("CARGO_BIN_EXE_taintsim")])
        .current_dir(&scratch.0)
        .output()
        .expect("bash");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn nobody_is_told_of_an_option_that_is_not_meant() {
    let scratch = Scratch::with_starter();
    let called = scratch.call(&["survey", "a.ron", "--out", "x"]);
    called.fails(2, &["survey writes no folder of results"]);
}
