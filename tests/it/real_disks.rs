//! A forecast from an export of a real outage with disks, held against when they were detached and attached.
//!
//! `tests/real/README.md` has what the file is. The commands were given after it was taken. All times are seconds; those
//! that were seen are what a watch saw, after the command.

use assert_cmd::Command;
use serde_json::Value;
use std::path::PathBuf;

/// A command, how many milliseconds after the export it was given, whose disk, its pod, and when the disk was
/// detached and attached and the pod Ready. Of two disks the last.
type Course = (&'static str, u32, &'static str, &'static str, [f64; 3]);

const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";

const COURSES: [Course; 10] = [
    (
        "kubectl delete pod fd-56c96ffd9d-5vcc4 --force",
        14_758,
        "fd-data",
        "fd-56c96ffd9d-nk95k",
        [365.20, 370.25, 373.12],
    ),
    ("kubectl delete pod fs-0 --force", 18_756, "data-fs-0", "fs-0", [365.14, 370.29, 372.50]),
    ("kubectl taint nodes n-od-0", 22_756, "od-data", "od-6cb8c859cc-q2w8p", [22.10, 27.88, 30.06]),
    ("kubectl taint nodes n-os-1", 26_755, "data-os-0", "os-0", [18.15, 23.98, 26.16]),
    (
        "kubectl delete node n-xd-0",
        30_756,
        "xd-data",
        "xd-76784975b-pzs9t",
        [413.96, 419.73, 421.82],
    ),
    ("kubectl delete node n-xs-0", 34_758, "data-xs-0", "xs-0", [410.06, 415.13, 417.93]),
    ("kubectl taint nodes n-o2-1", 38_756, "o2-data", "o2-777c74757b-vwrf2", [6.15, 11.98, 14.66]),
    ("heal n-b3-0", 82_756, "b3-data", "b3-7b7588dfd9-g4gnh", [16.28, 22.03, 24.26]),
    ("heal n-sb-0", 104_758, "data-sb-0", "sb-0", [15.99, 21.74, 23.96]),
    ("heal n-b8-0", 383_758, "b8-data", "b8-78b6878fb6-lxj4c", [22.30, 27.34, 30.29]),
];

/// Seconds of the day.
fn seconds(text: &str) -> f64 {
    let clock =
        text[11..].trim_end_matches('Z').split(':').map(|part| part.parse::<f64>().unwrap());
    clock.fold(0.0, |sum, part| 60.0 * sum + part)
}

/// All of these times lie in the forecast's range, also that of a StatefulSet's pod which may come back to its old node, where its
/// disk stays.
#[test]
fn real_disks_move_within_their_forecast() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/real/disks.json.gz");
    let mut command = Command::cargo_bin("taintsim").unwrap();
    command.arg("forecast").arg(file).args(["-o", "json", "--quiet", "--horizon", "15m"]);
    for (what, after, ..) in COURSES {
        let taint = if what.contains("taint") { OUT_OF_SERVICE } else { "" };
        command.args(["--what-if", &format!("{what} {taint} @{after}ms")]);
    }
    let out = command.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let told: Value = serde_json::from_slice(&out.stdout).unwrap();
    let at = seconds(told["at"].as_str().unwrap());
    for ((what, after, claim, pod, seen), course) in
        COURSES.iter().zip(told["what_if"].as_array().unwrap())
    {
        let objects = [("volume-detached", claim), ("volume-attached", claim), ("pod-ready", pod)];
        for ((event, object), seen) in objects.into_iter().zip(seen) {
            let object = format!("default/{object}");
            let foreseen = course["events"].as_array().unwrap().iter();
            // One that may stay where it is has a row for each node.
            let rows = foreseen.filter(|e| e["what"] == event && e["object"] == *object);
            let end = |row: &Value, of: &str| {
                seconds(row[of].as_str().unwrap()) - at - f64::from(*after) / 1000.0
            };
            let ranges = rows.map(|row| end(row, "low")..=end(row, "high"));
            let ranges: Vec<_> = ranges.collect();
            let is_within = ranges.iter().any(|range| range.contains(seen));
            assert!(is_within, "{what}: {event} {object} {seen} not in {ranges:?}");
        }
    }
    // Nothing was done about this one: its disk was where it had been eight minutes later.
    let mut held = told["held"].as_array().unwrap().iter();
    assert!(held.any(|h| h["claim"] == "default/no-data" && h["share"] == 1.0), "{}", told["held"]);
}
