//! Forecasts from exports of a real outage, held against what the cluster's watches saw afterwards.
//!
//! `tests/real/README.md` has what the files are. Times inside of the seeds' range are counted over
//! all three exports; of medians those are held that are not one of several nodes' in a queue whose
//! order is chance.

use super::cli::unfolded;
use assert_cmd::Command;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::PathBuf;

type Times = BTreeMap<(&'static str, String), f64>;

const WOKEN: f64 = 69.5; // 02:31:09.5, in seconds of 02:30

fn real(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/real").join(file)
}

/// Seconds after 02:30 of the day.
fn seconds(text: &str) -> f64 {
    let clock: Vec<f64> =
        text[11..].trim_end_matches('Z').split(':').map(|part| part.parse().unwrap()).collect();
    (clock[0] - 2.0) * 3600.0 + (clock[1] - 30.0) * 60.0 + clock[2]
}

/// What the watches saw until the nodes came back: each thing when it first happened.
fn seen() -> Times {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(real("watch.jsonl.gz")).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let mut times = Times::new();
    for line in text.lines() {
        let v: Value = serde_json::from_str(line).unwrap();
        let word = |field: &str| v[field].as_str().unwrap_or_default();
        let at = seconds(word("t"));
        let what = match (word("kind"), word("what")) {
            ("node", "condition Ready") if word("new").starts_with("Unknown") => "node-unknown",
            ("node", taint) if taint.starts_with("taint+") && taint.ends_with("NoExecute") => {
                "node-noexecute"
            }
            ("pod", "deletionTimestamp") => "pod-deleted",
            _ => continue,
        };
        if at < WOKEN {
            times.entry((what, word("name").to_owned())).or_insert(at);
        }
    }
    times
}

struct Foreseen {
    low: f64,
    median: f64,
    high: f64,
    share: f64,
}

fn forecast(args: &[&str]) -> (f64, BTreeMap<(String, String), Foreseen>) {
    let out = Command::cargo_bin("taintsim")
        .unwrap()
        .arg("forecast")
        .args(args)
        .args(["-o", "json", "--seeds", "40", "--horizon", "4m", "--quiet"])
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let v: Value = serde_json::from_slice(&out.stdout).unwrap();
    let events = v["events"].as_array().unwrap().iter().map(|e| {
        let word = |field: &str| e[field].as_str().unwrap().to_owned();
        // What one seed alone has has no range.
        let end = |field: &str| seconds(e[field].as_str().unwrap_or(&word("median")));
        let foreseen = Foreseen {
            low: end("low"),
            median: seconds(&word("median")),
            high: end("high"),
            share: e["share"].as_f64().unwrap(),
        };
        ((word("what"), word("object")), foreseen)
    });
    (seconds(v["at"].as_str().unwrap()), events.collect())
}

#[test]
fn the_real_times_are_inside_and_who_is_evicted_is_exact() {
    let seen = seen();
    assert_eq!(seen.len(), 5 + 5 + 12, "nodes given up and tainted, pods evicted");
    let (mut inside, mut all, mut outside) = (0, 0, Vec::new());
    for (file, more) in [
        ("healthy.json.gz", vec!["--dies", "a-{0..3},s-2"]),
        ("f30.json.gz", vec![]),
        ("f62.json.gz", vec![]),
    ] {
        let path = real(file);
        let mut args = vec![path.to_str().unwrap()];
        args.extend(more);
        let (at, foreseen) = forecast(&args);
        let ahead = seen.iter().filter(|(_, t)| **t > at);
        let mut evicted = BTreeSet::new();
        for ((what, object), t) in ahead {
            let key = ((*what).to_owned(), object.clone());
            let f = foreseen
                .get(&key)
                .unwrap_or_else(|| panic!("{file}: {what} {object} is not foreseen"));
            assert!(f.share > 0.99, "{file}: {what} {object} in {} of the seeds", f.share);
            all += 1;
            if (f.low..=f.high).contains(t) {
                inside += 1;
            } else {
                outside.push(format!("{file}: {what} {object} {t} not in {}..{}", f.low, f.high));
            }
            // The nodes of zone a wait in a queue; s-2 is alone in its own.
            let alone = *what == "node-unknown" || object == "s-2" || object == "default/sto-1";
            if alone {
                assert!(
                    (f.median - t).abs() <= 2.0,
                    "{file}: {what} {object} {t}, median {}",
                    f.median
                );
            }
            if *what == "pod-deleted" {
                evicted.insert(object.clone());
            }
        }
        let said: BTreeSet<String> = foreseen
            .keys()
            .filter(|(what, _)| what == "pod-deleted")
            .map(|(_, object)| object.clone())
            .collect();
        assert_eq!(said, evicted, "{file}");
    }
    assert!(inside * 10 >= all * 9, "{inside} of {all}: {outside:#?}");
}

#[test]
fn silent_nodes_that_come_back_in_time_lose_nobody() {
    // 30 s after silence; they are back 10 s later, 10 s before they would have been given up.
    let path = real("f30.json.gz");
    let (_, foreseen) = forecast(&[path.to_str().unwrap(), "--heal-after", "5s"]);
    assert!(foreseen.keys().all(|(what, _)| what != "pod-deleted"), "{:?}", foreseen.keys());
}

#[test]
fn another_course_stands_beside() {
    let path = real("f62.json.gz");
    let out = Command::cargo_bin("taintsim")
        .unwrap()
        .args(["forecast", path.to_str().unwrap(), "--quiet", "--seeds", "5", "--horizon", "4m"])
        .args(["--what-if", "kube-controller-manager restart"])
        .args(["--what-if", "patch tolerations soft 600"])
        .args(["--what-if", "kubectl cordon e-0"])
        .args(["--exit-code"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let text = unfolded(&text);
    assert_eq!(out.status.code(), Some(1), "{text}");
    // s-2 has been tainted since 02:29:46, and its pods tolerate 20 s. Of soft one pod is on a-3, which
    // was tainted at 02:29:55, and the others on a-1 and a-2, which are from 02:30:04 to 02:30:17 on.
    for part in [
        "Forecast as of 2026-11-21T02:29:57Z",
        "5 nodes silent: a-0..a-3, s-2; they stay silent",
        "on s-2, evicted 02:30:06 (in 9s; ",
        "of StatefulSet default/sto: no successor until it is gone",
        // Pods of ReplicaSets terminate on a-1 to a-3, too; they keep nobody from being replaced.
        "taint nodes s-2",
        "Side by side",
        "kube-controller-manager restart",
        "whatever seconds their pods tolerate by now: default/soft-89ff4bf56-2v4wk",
        "patch tolerations soft 600: default/soft-",
        "(5 in all) not before the end; due 02:40:",
        "node/e-0 already cordoned",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

/// Which five of six pods a smaller ReplicaSet deletes differs from seed to seed; they are five in each.
#[test]
fn what_a_course_deletes_is_counted_in_each_seed() {
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/healthy-all.json.gz");
    let out = Command::cargo_bin("taintsim")
        .unwrap()
        .args(["forecast", export, "--quiet", "--seeds", "5", "--horizon", "2m"])
        .args(["--what-if", "kubectl scale deployment/web -n shop --replicas=1"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("0 nodes tainted NoExecute, 5 pods deleted "), "{text}");
    assert!(text.contains("--replicas=1 costs 5 of 6 pods of Deployment shop/web"), "{text}");
}

/// What kubectl would refuse must not look like what harms nobody.
#[test]
fn what_comes_to_nothing_is_said() {
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/disk-outage.json");
    let out = Command::cargo_bin("taintsim")
        .unwrap()
        .args(["forecast", export, "--quiet", "--seeds", "2", "--horizon", "2m"])
        .args(["--what-if", "heal n2", "--what-if", "heal n1"])
        .args(["--what-if", "kubectl taint nodes n2 a=b:NoExecute-"])
        .args(["--what-if", "kubectl uncordon n2", "--what-if", "kubectl cordon n2"])
        .env("COLUMNS", "200")
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("n2 is not silent") && !text.contains("n1 is not silent"), "{text}");
    assert!(text.contains("taint \"a:NoExecute\" not found"), "{text}");
    assert!(text.contains("node/n2 already uncordoned"), "{text}");
    assert!(!text.contains("node/n2 already cordoned"), "{text}");
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/healthy-all.json.gz");
    let out = Command::cargo_bin("taintsim")
        .unwrap()
        .args(["forecast", export, "--quiet", "--seeds", "2", "--horizon", "2m"])
        .args(["--what-if", "kubectl drain worker-a1"])
        .env("COLUMNS", "200")
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("worker-a1 not drained: cannot delete"), "{text}");
}

/// The second export fails: it is said, and the next one is the second forecast.
#[test]
fn an_export_that_fails_is_asked_for_again() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("forecast-watch");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("n"), "0").unwrap();
    let export = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/disk-outage.json");
    let watched = format!("n=$(cat n); echo $((n+1)) > n; [ $n != 1 ] && cat '{export}'");
    let out = Command::cargo_bin("taintsim")
        .unwrap()
        .current_dir(&dir)
        .args(["forecast", "--watch", &watched, "--every", "1ms", "--times", "2"])
        .args(["--quiet", "--seeds", "2", "--horizon", "2m"])
        .output()
        .unwrap();
    let (text, said) =
        (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
    assert_eq!(out.status.code(), Some(0), "{said}");
    assert_eq!(text.matches("Forecast as of").count(), 2, "{text}");
    assert!(
        said.contains("ended with exit status: 1") && said.contains("looks again in 0.001s"),
        "{said}"
    );
}

#[test]
fn what_is_wrong_is_said() {
    let path = real("f62.json.gz");
    let run = |args: &[&str]| {
        let out =
            Command::cargo_bin("taintsim").unwrap().arg("forecast").args(args).output().unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, said) = run(&[]);
    assert_eq!(code, Some(2));
    assert!(said.contains("no export is given"), "{said}");
    let file = path.to_str().unwrap();
    let (code, said) = run(&[file, "--what-if", "kubectl tain nodes a-0 a=b:NoExecute"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("did you mean `kubectl taint`?"), "{said}");
    let (code, said) = run(&[file, "--dies", "a-1@1h", "--quiet"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--horizon"), "{said}");
    for (args, part) in [
        (["--heal-after", "60m"], "--heal-after: 1h is not before the end of the forecast, 30m"),
        (
            ["--heal-after", "0s"],
            "for '--heal-after <DURATION>': this duration must be longer than zero",
        ),
        (["--horizon", "8785h"], "for '--horizon <DURATION>': 8785h is longer than a year"),
        (
            ["--what-if", "kube-controller-manager restart 1x"],
            "`kube-controller-manager restart 1x`: ",
        ),
        (["--set", "horizon=5m"], "with --horizon"),
        (["--seed", "18446744073709551615"], "100000 seeds, up to 18446744073709551615"),
        // Of a file there is one forecast.
        (["--times", "2"], "cannot be used with"),
        (["--every", "5s"], "cannot be used with"),
    ] {
        let (code, said) = run(&[&[file, "--quiet"], &args[..]].concat());
        assert_eq!(code, Some(2), "{args:?}");
        assert!(said.contains(part), "{said}");
    }
    let (code, said) = run(&[file, "--dies", "a-1@1x", "--quiet"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("1x"), "{said}");
    let (code, said) = run(&[file, "--dies", "zz-9", "--quiet"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("zz-9"), "{said}");
}

#[test]
fn a_node_that_dies_later_is_given_up_so_much_later() {
    let path = real("healthy.json.gz");
    let (at, foreseen) = forecast(&[path.to_str().unwrap(), "--dies", "s-2@1m"]);
    let unknown = &foreseen[&("node-unknown".to_owned(), "s-2".to_owned())];
    // Its last heartbeat was up to 10 s before its death, the grace period is 50 s, and one pass comes
    // every 5 s; ranges end at whole seconds.
    let (first, last) = (at + 60.0 + 40.0, at + 60.0 + 50.0 + 5.0);
    assert!(
        unknown.low >= first - 1.0 && unknown.high <= last + 1.0 && unknown.share > 0.99,
        "{} to {}, {first} to {last}",
        unknown.low,
        unknown.high
    );
    // The newest heartbeat of the export is of 02:28:55. What was asked for is said with the figures.
    for (more, then) in [
        (&["--dies", "s-2@1m"][..], "for good"),
        (&["--dies", "s-2@1m", "--heal-after", "90s"], "and comes back 1m30s later"),
    ] {
        let mut command = Command::cargo_bin("taintsim").unwrap();
        command.arg("forecast").arg(&path).args(more);
        let out = command.args(["-o", "json", "--seeds", "2", "-q"]).output();
        let v: Value = serde_json::from_slice(&out.unwrap().stdout).unwrap();
        let said = format!("Asked for: s-2 dies at 02:29:55 (in 1m) {then}.");
        assert_eq!(v["notes"][0], said.as_str());
    }
    // In an outage some that are asked for are silent already.
    let path = real("f62.json.gz");
    let mut command = Command::cargo_bin("taintsim").unwrap();
    command.arg("forecast").arg(&path).args(["--dies", "b-0,s-2@1m", "-o", "json"]);
    let out = command.args(["--seeds", "1", "--horizon", "2m", "-q"]).output();
    let v: Value = serde_json::from_slice(&out.unwrap().stdout).unwrap();
    let said = v["notes"][0].as_str().unwrap();
    assert!(said.ends_with("for good. Silent already: s-2."), "{said}");
}

/// Of five nodes of zone b three turned Unknown 7 s before the export, which is PartialDisruption and tainted at no rate
/// in so small a zone, and the last two 2 s before it: FullDisruption, whose limiter begins without a token at 0.1 a second
/// (`SwapLimiter`), within the second that the conditions say. So the first taint comes 7 s to 8 s after the export, and a round of the loop is
/// 0.1 s. Where all five turned Unknown 7 s before it, the zone never was without a rate.
#[test]
fn a_zone_that_was_partly_disrupted_a_moment_ago_has_no_token() {
    let time = |ago: u64| format!("2026-01-01T02:29:{:02}Z", 60 - ago);
    let node = |name: String, zone: &str, unknown: Option<u64>| {
        let (status, since) = match unknown {
            Some(ago) => ("Unknown", time(ago)),
            None => ("True", "2025-12-31T12:00:00Z".to_owned()),
        };
        let renewed = match unknown {
            Some(_) => "2026-01-01T02:29:00.000000Z",
            None => "2026-01-01T02:29:59.900000Z",
        };
        [
            serde_json::json!({
                "kind": "Node", "apiVersion": "v1",
                "metadata": { "name": name, "labels": { "topology.kubernetes.io/zone": zone } },
                "status": {
                    "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "110" },
                    "conditions": [{ "type": "Ready", "status": status, "reason": "", "lastTransitionTime": since,
                        "lastHeartbeatTime": "2026-01-01T02:28:00Z" }],
                },
            }),
            serde_json::json!({
                "kind": "Lease", "apiVersion": "coordination.k8s.io/v1",
                "metadata": { "name": name, "namespace": "kube-node-lease" },
                "spec": { "holderIdentity": name, "leaseDurationSeconds": 40, "renewTime": renewed },
            }),
        ]
    };
    let first_taint = |last_two: u64| {
        let a = (0..5).flat_map(|i| node(format!("a-{i}"), "a", None));
        let b = (0..5)
            .flat_map(|i| node(format!("b-{i}"), "b", Some(if i < 3 { 7 } else { last_two })));
        let list = serde_json::json!({ "kind": "List", "apiVersion": "v1", "items": a.chain(b).collect::<Vec<_>>() });
        let file =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("partly-{last_two}.json"));
        std::fs::write(&file, list.to_string()).unwrap();
        let (at, foreseen) = forecast(&[file.to_str().unwrap()]);
        let taints = foreseen.iter().filter(|((what, _), _)| what == "node-noexecute");
        taints.map(|(_, f)| f.low).fold(f64::INFINITY, f64::min) - at
    };
    // The low end of a range is a second or so before the least of the seeds.
    let first = first_taint(2);
    assert!((5.5..=8.2).contains(&first), "{first}");
    let first = first_taint(7);
    assert!((0.5..=4.2).contains(&first), "{first}");
}

#[cfg(unix)]
#[test]
fn a_command_is_asked_again_and_as_a_plugin_kubectl_is() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let file = real("f62.json.gz");
    let file = file.to_str().unwrap();
    let out = Command::cargo_bin("taintsim")
        .unwrap()
        .args(["forecast", "--watch", &format!("cat '{file}'"), "--every", "10ms"])
        .args(["--times", "2", "--seeds", "2", "--horizon", "2m", "--quiet"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(text.matches("Forecast as of").count(), 2, "{text}");
    // A program of kubectl's name that prints the export when it is asked to get one; in one context
    // nobody may read events, and in one the cluster has readiness rules and no devices.
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("plugin");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let kubectl = dir.join("kubectl");
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n'--context green get '*,events*) exit 1 ;;\n'--context blue get '*,events' -A'*|'--context teal get '*,events,nodereadinessrules' -A'*|'--context green get'*) gzip -dc '{file}' ;;\n*) exit 7 ;;\nesac\n"
    );
    std::fs::write(&kubectl, script).unwrap();
    std::fs::set_permissions(&kubectl, std::fs::Permissions::from_mode(0o755)).unwrap();
    let plugin = dir.join("kubectl-taintsim");
    symlink(assert_cmd::cargo::cargo_bin("taintsim"), &plugin).unwrap();
    let path = format!("{}:/usr/bin:/bin", dir.display());
    let asks = |command: &str, context: &str, words: &[&str]| {
        let mut plugin = Command::new(&plugin);
        plugin.env("PATH", &path).args([command, "--context", context, "-q"]);
        plugin.args(words).output().unwrap()
    };
    let run = |context: &str| asks("forecast", context, &["--seeds", "2", "--horizon", "2m"]);
    for context in ["blue", "green", "teal"] {
        let text = String::from_utf8(run(context).stdout).unwrap();
        assert!(text.contains("default/sto-1"), "{text}");
    }
    let surveyed = asks("survey", "blue", &["--lose", "controller"]);
    let text = String::from_utf8(surveyed.stdout).unwrap();
    assert!(text.contains("controller"), "{text}");
    // What shows a finding is called as the survey was: there is no export on its standard input.
    let surveyed = asks("survey", "blue", &["--lose", "node"]);
    let text = String::from_utf8(surveyed.stdout).unwrap();
    let words = unfolded(&text);
    let called = "kubectl taintsim survey --context blue --lose node --only node/";
    assert!(words.contains(called), "{text}");
    assert!(!words.contains("survey - "), "{text}");
    let planned = asks("survey", "blue", &["--plan-shards", "2", "--out", "p"]);
    let said = String::from_utf8(planned.stderr).unwrap();
    assert!(said.contains("a work plan cannot have a cluster that kubectl is asked for"), "{said}");
    let out = run("red");
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("`kubectl get` ended with exit status: 7"), "{said}");
}
