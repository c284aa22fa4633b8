//! A run as log lines: klog's form, the words of several releases, and each message that a person
//! looks for in an incident.

use std::path::Path;
use taintsim::analysis::Analysis;
use taintsim::kernel::Choices;
use taintsim::report::klog;
use taintsim::scenario::{self, Overrides};
use taintsim::sim;

fn log(file: &str, release: &str, level: u8) -> String {
    log_with(file, release, level, Vec::new())
}

fn log_with(file: &str, release: &str, level: u8, sets: Vec<String>) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(file);
    let loaded = scenario::load(&path).unwrap();
    let kubernetes = Some(release.to_owned());
    let overrides = Overrides { kubernetes, sets, ..Overrides::default() };
    let plan = scenario::build(&loaded, &overrides).unwrap();
    let trace = sim::run(&plan, Choices::seeded(1));
    let mut out = Vec::new();
    klog::write(&mut out, &Analysis::new(&plan, &trace), level).unwrap();
    String::from_utf8(out).unwrap()
}

/// The messages without their headers, and the files they come from.
fn messages(log: &str) -> Vec<(&str, &str)> {
    log.lines()
        .map(|l| l.split_once("] ").unwrap())
        .map(|(header, message)| (header.rsplit_once(' ').unwrap().1, message))
        .collect()
}

/// `Lmmdd hh:mm:ss.uuuuuu threadid file:line] message`, the thread's number padded to seven.
fn check_header(line: &str) {
    let (header, _) = line.split_once("] ").unwrap_or_else(|| panic!("{line}"));
    let bytes = header.as_bytes();
    assert!(matches!(bytes[0], b'I' | b'W' | b'E'), "{line}");
    for (i, c) in header.bytes().enumerate().take(30).skip(1) {
        match i {
            5 | 21..=28 => assert_eq!(c, if i == 28 { b'1' } else { b' ' }, "{line}"),
            8 | 11 => assert_eq!(c, b':', "{line}"),
            14 => assert_eq!(c, b'.', "{line}"),
            29 => assert_eq!(c, b' ', "{line}"),
            _ => assert!(c.is_ascii_digit(), "{line}"),
        }
    }
    let (file, number) = header[30..].split_once(':').unwrap_or_else(|| panic!("{line}"));
    assert!(file.ends_with(".go") && number.parse::<u32>().is_ok(), "{line}");
}

/// A run that begins at midnight: every time is of another day, and of the same time of day.
#[test]
fn a_log_goes_by_the_clock_of_its_scenario() {
    for release in ["1.21", "1.34"] {
        let begins = vec!["begins=2026-11-20T00:00:00Z".to_owned()];
        let told = log_with("one-node-lost.ron", release, 4, begins);
        let plain = log("one-node-lost.ron", release, 4);
        let plain = plain.replace("I0101 ", "I1120 ").replace("2000-01-01", "2026-11-20");
        assert!(told.contains("I1120 00:") && told.contains("2026-11-20"), "{told}");
        assert_eq!(told, plain);
    }
}

#[test]
fn every_line_is_klogs_and_time_does_not_go_back() {
    for release in
        ["1.10", "1.15", "1.18", "1.20", "1.22", "1.25", "1.27", "1.29", "1.32", "1.34", "1.37"]
    {
        let log = log("zone-lost-without-room.ron", release, 4);
        let mut before = "";
        for line in log.lines() {
            check_header(line);
            assert!(before <= &line[1..21], "{release}: {line}");
            before = &line[1..21];
        }
        assert!(log.lines().count() > 40, "{release}");
    }
}

/// One node is lost (scenarios/one-node-lost.ron): 105 s is the pass, 105.1 s the taint, 165.1 s
/// the first timer. The words are those of pkg/controller/nodelifecycle and
/// pkg/controller/tainteviction of v1.34.4.
#[test]
fn the_messages_of_an_outage() {
    let log = log("one-node-lost.ron", "1.34", 4);
    let find = |text: &str| {
        log.lines().find(|l| l.contains(text)).unwrap_or_else(|| panic!("no {text} in\n{log}"))
    };
    for (time, text) in [
        (
            "00:01:45.000022",
            r#""Node hasn't been updated" node="node-0" duration="50s" nodeConditionType="Ready" currentCondition="&NodeCondition{Type:Ready,Status:True,Reason:KubeletReady,}""#,
        ),
        (
            "00:01:45.000022",
            r#""Node is unresponsive. Adding it to the Taint queue" node="node-0" timeStamp="2000-01-01 00:01:45.0000"#,
        ),
        ("00:01:45.000022", r#""Update ready status of pods on node" node="node-0""#),
        ("00:01:45.000022", r#""Updating ready status of pod to false" pod="default/web-0""#),
        (
            "00:01:45.000022",
            r#""Recording status change event message for node" status="NodeNotReady" node="node-0""#,
        ),
        (
            "00:01:45.100001",
            r#""Added taint to node" taint=[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2000-01-01T00:01:45Z"}] node="node-0""#,
        ),
        (
            "00:01:45.100001",
            r#""Updating known taints on node" node="node-0" taints=[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2000-01-01T00:01:45Z"}]"#,
        ),
        (
            "00:01:45.100001",
            r#""Current tolerations for pod tolerate forever, cancelling any scheduled deletion" pod="default/agent-node-0""#,
        ),
        (
            "00:01:45.100001",
            r#""Adding TimedWorkerQueue item and to be fired at firedTime" item="default/impatient-0" createTime="2000-01-01 00:01:45.100001001 +0000 UTC" firedTime="2000-01-01 00:02:45.100001001 +0000 UTC""#,
        ),
        (
            "00:01:45.100001",
            r#""Made sure that node has no taint" node="node-0" taint=[{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"}]"#,
        ),
        (
            "00:02:45.100001",
            r#""Firing worker" item="default/impatient-0" firedTime="2000-01-01 00:02:45.100001001 +0000 UTC""#,
        ),
        (
            "00:02:45.100001",
            r#""Deleting pod" controller="taint-eviction-controller" pod="default/impatient-0""#,
        ),
    ] {
        let line = find(text);
        assert!(line.contains(&format!("I0101 {time} ")), "{line}");
    }
    // Level 2 leaves out what is told at 4, and level 0 all but the states of zones and deletions.
    let (two, none) =
        (self::log("one-node-lost.ron", "1.34", 2), self::log("one-node-lost.ron", "1.34", 0));
    assert!(
        two.contains("Adding it to the Taint queue")
            && !two.contains("TimedWorkerQueue")
            && !two.contains("Event occurred")
    );
    let all = messages(&none);
    assert!(
        all.iter().all(|(_, m)| ["Controller detected", "Deleting pod", "Initializing"]
            .iter()
            .any(|s| m.contains(s))),
        "{all:?}"
    );
}

/// A taint comes off, a zone changes, all zones are dark, pods do not tolerate, pods wait for a
/// node.
#[test]
fn the_messages_of_other_incidents() {
    for (file, release, text) in [
        (
            "flapping-node.ron",
            "1.34",
            r#""All taints were removed from the node. Cancelling all evictions..." node="long""#,
        ),
        (
            "flapping-node.ron",
            "1.34",
            r#""Cancelling TimedWorkerQueue item" item="default/patient" time="2000-01-01 00:07:15"#,
        ),
        ("flapping-node.ron", "1.34", r#""Node is healthy again, removed all taints" node="long""#),
        (
            "flapping-node.ron",
            "1.25",
            "Cancelling TimedWorkerQueue item default/patient at 2000-01-01 00:07:1",
        ),
        (
            "whole-zone.ron",
            "1.34",
            r#""Controller detected that zone is now in new state" zone=":\x00:"#,
        ),
        ("whole-zone.ron", "1.25", "is now in state FullDisruption."),
        (
            "master-disruption.ron",
            "1.34",
            r#""Controller detected that all Nodes are not-Ready. Entering master disruption mode""#,
        ),
        (
            "master-disruption.ron",
            "1.25",
            "Controller detected that some Nodes are Ready. Exiting master disruption mode.",
        ),
        (
            "noexecute-taint.ron",
            "1.34",
            r#""Not all taints are tolerated after update for pod on node" pod="default/stranger" node="node-0""#,
        ),
        (
            "noexecute-taint.ron",
            "1.17.0",
            "New tolerations for default/for-ever tolerate forever. Scheduled deletion won't be cancelled if already scheduled.",
        ),
        (
            "zone-lost-without-room.ron",
            "1.34",
            r#""Too few replicas" replicaSet="default/web-vpzhh7zqb4" need=6 creating=1"#,
        ),
        (
            "zone-lost-without-room.ron",
            "1.34",
            r#""Unable to schedule pod; no fit; waiting" pod="default/web-"#,
        ),
        (
            "zone-lost-without-room.ron",
            "1.34",
            r#""Successfully bound pod to node" pod="default/web-"#,
        ),
    ] {
        let log = log(file, release, 4);
        let found = messages(&log);
        assert!(found.iter().any(|(_, m)| m.contains(text)), "{file} under {release}: no {text}");
    }
}

/// A recorded scenario in which the entry of an earlier eviction is in the way (switch S19, up to
/// 1.32): the pod is never evicted, and the log says why.
#[test]
fn work_that_exists_already() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/traces/timelines/statefulset-stale-entry.json.gz");
    let all = taintsim_referee::recorded::read(&path).unwrap();
    let mut checked = 0;
    for recorded in &all {
        let text = match recorded.release.as_str() {
            r if r.starts_with("v1.32.") => {
                r#""Trying to add already existing work, skipping" args={"NamespacedName":{"Namespace":"default","Name":"web-0"}}"#
            }
            r if r.starts_with("v1.24.") => {
                "Trying to add already existing work for &{NamespacedName:default/web-0}. Skipping."
            }
            _ => continue,
        };
        let plan = recorded.plan().unwrap();
        let trace = sim::run(&plan, Choices::default_order());
        let mut out = Vec::new();
        klog::write(&mut out, &Analysis::new(&plan, &trace), 4).unwrap();
        let log = String::from_utf8(out).unwrap();
        assert!(log.contains(text), "{}: no {text} in\n{log}", recorded.release);
        checked += 1;
    }
    assert_eq!(checked, 2);
}

/// The words of a message, by release: free ones up to 1.26, keys and values from 1.27 on; the
/// taint manager's from 1.21 on.
#[test]
fn the_words_of_a_release() {
    for (release, place, text) in [
        (
            "1.20",
            "taint_manager.go:440",
            "Updating known taints on node node-0: [{node.kubernetes.io/unreachable  NoExecute 2000-01-01 00:01:40 +0000 UTC}]",
        ),
        (
            "1.26",
            "taint_manager.go:472",
            r#""Updating known taints on node" node="node-0" taints=[{Key:node.kubernetes.io/unreachable Value: Effect:NoExecute TimeAdded:2000-01-01 00:01:40 +0000 UTC}]"#,
        ),
        (
            "1.31",
            "taint_eviction.go:556",
            r#""Updating known taints on node" node="node-0" taints=[{"key":"node.kubernetes.io/unreachable","effect":"NoExecute","timeAdded":"2000-01-01T00:01:40Z"}]"#,
        ),
    ] {
        let log = log("one-node-lost.ron", release, 4);
        let found = messages(&log);
        assert!(
            found.iter().any(|(file, m)| *file == place && *m == text),
            "{release}: no {text} in\n{log}"
        );
    }
}

/// A line without what is left out: the process, the number of the line, and of conditions all but
/// their type.
fn normal(line: &str) -> Option<String> {
    let (header, message) = line.split_once("] ")?;
    let time = &header[6..18];
    // A node that waited for its taint and is back without one is told of, but nothing records
    // that.
    let waited = time.starts_with("00:05:05.000") && message.contains("healthy again");
    if waited || time < "00:00:01" || message.contains("Status:Unknown") {
        return None;
    }
    let file = header[30..].split(':').next()?;
    let message = match message.split_once("hasn't been updated") {
        // How long is to the millisecond in ours, and all at once in a pass.
        Some((before, after)) => {
            let kinds = [
                "nodeConditionType=\"Ready\"",
                "MemoryPressure",
                "DiskPressure",
                "PIDPressure",
                "Last Ready",
            ];
            let kind = kinds
                .iter()
                .find(|k| after.contains(**k))?
                .trim_start_matches("nodeConditionType=")
                .trim_start_matches("Last ");
            format!("{before} {}", kind.trim_matches('"'))
        }
        None => message.to_owned(),
    };
    Some(format!("{time} {file} {message}"))
}

/// Logs of upstream's own controllers at -v=4, made by the recorder from the scenarios of
/// tests/traces, beside ours.
#[test]
fn upstreams_own_logs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut compared = 0;
    let mut files: Vec<_> =
        std::fs::read_dir(root.join("tests/logs")).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "log")) {
        let (name, release) =
            file.file_stem().unwrap().to_str().unwrap().rsplit_once("-v").unwrap();
        let recordings = taintsim_referee::recorded::read(
            &root.join(format!("tests/traces/timelines/{name}.json.gz")),
        )
        .unwrap();
        let recorded = recordings.iter().find(|r| r.release == format!("v{release}")).unwrap();
        let plan = recorded.plan().unwrap();
        let trace = sim::run(&plan, Choices::default_order());
        let mut out = Vec::new();
        klog::write(&mut out, &Analysis::new(&plan, &trace), 4).unwrap();
        let sorted = |log: &str| {
            let mut queued = std::collections::BTreeSet::new();
            let mut all: Vec<String> = log.lines().filter_map(normal).collect();
            // Each pass finds a silent node again.
            all.retain(|l| {
                !l.contains("Taint queue")
                    || queued.insert(l[13..].split("timeStamp").next().unwrap().to_owned())
            });
            all.sort();
            all
        };
        let (theirs, ours) = (
            sorted(&std::fs::read_to_string(file).unwrap()),
            sorted(&String::from_utf8(out).unwrap()),
        );
        let only = |a: &[String], b: &[String]| {
            a.iter().filter(|l| !b.contains(l)).cloned().collect::<Vec<_>>().join("\n")
        };
        assert!(
            theirs == ours,
            "{name} {release}\nonly upstream:\n{}\nonly ours:\n{}\n{} and {} lines",
            only(&theirs, &ours),
            only(&ours, &theirs),
            theirs.len(),
            ours.len()
        );
        compared += theirs.len();
    }
    assert!(compared > 250, "{compared}");
}
