//! Readers of whole files: scenarios, tapes, exports in three forms, recorded timelines.
//!
//! Nothing touches the file system but the reading of the first inputs. Those are the scenarios,
//! exports and recordings that the repository has anyway, the small ones, without the comments of
//! scenarios: a change to a comment is a change to nothing.

use crate::target::{Kind, Outcome, Target, of_text, refused, same, shape, taken};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use taintsim::files;
use taintsim::import::{ImportedCluster, Input};
use taintsim::kernel::choice::FORMAT;
use taintsim::lab::tape::Tape;
use taintsim::lab::tape::VERSION;
use taintsim::language::{self, Problems};
use taintsim::scenario::{self, Loaded, Overrides};
use taintsim_referee::recorded;

/// Tokens of scenarios.
pub(crate) const RON: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "\"",
    "//",
    "/*",
    "r#\"",
    "None",
    "Some(",
    "All",
    "Zone(\"a\")",
    "Nodes([\"a-0\"])",
    "\"a-{0..9}\"",
    "true",
    "false",
    "\"1m\"",
    "\"10s\"",
    "\"-5s\"",
    "\"0s\"",
    "at: ",
    "name: ",
    "do: ",
    "nodes: ",
    "pods: ",
    "node: ",
    "duration: ",
    "every: ",
    "times: ",
    "Partition",
    "Heal",
    "Crash",
    "Reboot",
    "KubeletRestart",
    "Flap",
    "SlowHeartbeats",
    "Condition",
    "ApiOutage",
    "TooManyRequests",
    "WatchLag",
    "WatchStall",
    "ControllerRestart",
    "ClockSkew",
    "AddNode",
    "DeleteNode",
    "Taint",
    "Untaint",
    "Cordon",
    "Uncordon",
    "CreatePod",
    "DeletePod",
    "PatchTolerations",
    "Drain",
    "Scale",
    "Maintain",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "Job",
    "ReplicaSet",
    "replicas: ",
    "template: ",
    "tolerations: ",
    "tolerationSeconds: ",
    "operator: Exists",
    "key: ",
    "effect: NoExecute",
    "labels: ",
    "requests: ",
    "placement: ",
    "Spread(All)",
    "Each(All)",
    "kubernetes: \"1.18\"",
    "kubernetes: \"1.37\"",
    "timing: Ideal",
    "horizon: ",
    "expect: ",
    "Never(PodStuck)",
];

const KUBERNETES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "false",
    "{}",
    "[]",
    "- ",
    "  ",
    "\n",
    "---\n",
    "&a ",
    "*a",
    "<<: ",
    "!!str ",
    "|\n",
    ">-\n",
    "# ",
    "\"kind\":",
    "\"Node\"",
    "\"Pod\"",
    "\"List\"",
    "\"metadata\":",
    "\"name\":",
    "\"spec\":",
    "\"status\":",
    "\"items\":",
    "\"labels\":",
    "\"tolerationSeconds\":",
    "\"2024-01-01T00:00:00Z\"",
    "\"9999-12-31T23:59:59Z\"",
    "\"100m\"",
    "\"1e99\"",
    "\"50%\"",
    "\"In\"",
    "\"Exists\"",
    "\"NoExecute\"",
    "\"replicas\":",
    "\"ownerReferences\":",
    "\"priority\":",
    "\"namespace\":",
    "kind: ",
    "name: ",
    "metadata:\n",
    "\\ud800",
    "\\u0000",
];

const RECORDED: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "null",
    "true",
    "\"at\":",
    "\"do\":",
    "\"spec\":",
    "\"nodes\":",
    "\"pods\":",
    "\"t_ns\":",
    "\"actor\":",
    "\"what\":",
    "\"10s\"",
    "\"1h\"",
    "\"node\":",
    "\"crash\"",
    "\"taint\"",
    "\"create-node\"",
    "\"delete-pod\"",
    "\"api\":",
    "\"flags\":",
    "\"timeline\":0",
    "\"count\":",
    "\"kubernetes\":\"v1.37.1\"",
    "\"kubernetes\":\"v1.18.20\"",
    "\"outcomes\":",
    "\"kinds\":",
    "\"workloads\":",
    "\"horizon\":",
    "\"n{1..9}\"",
];

pub(crate) static TARGETS: [Target; 6] = [
    Target {
        name: "scenarios",
        kind: Kind::File,
        text: true,
        long: 1_500_000,
        seeds: scenarios,
        words: RON,
        check: || Box::new(scenario),
    },
    Target {
        name: "tapes",
        kind: Kind::File,
        text: true,
        long: 700_000,
        seeds: tapes,
        words: RON,
        check: || of_text(tape),
    },
    Target {
        name: "exports-json",
        kind: Kind::File,
        text: true,
        long: 1_500_000,
        seeds: json,
        words: KUBERNETES,
        check: || Box::new(export),
    },
    Target {
        name: "exports-yaml",
        kind: Kind::File,
        text: true,
        long: 600_000,
        seeds: yaml,
        words: KUBERNETES,
        check: || Box::new(export),
    },
    Target {
        name: "exports-gzip",
        kind: Kind::File,
        text: false,
        long: 500_000,
        seeds: packed,
        words: KUBERNETES,
        check: || Box::new(gzip),
    },
    Target {
        name: "recordings",
        kind: Kind::File,
        text: true,
        long: 1_500_000,
        seeds: recordings,
        words: RECORDED,
        check: || Box::new(recording),
    },
];

/// The files of a folder of the repository with an ending, by name.
pub(crate) fn shipped(folder: &str, ending: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder);
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|e| panic!("cannot read {}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.to_string_lossy().ends_with(ending))
        .collect();
    paths.sort();
    paths.into_iter().filter_map(|p| Some((p.clone(), fs::read(&p).ok()?))).collect()
}

/// The shipped scenarios that are small once their comments are gone.
pub(crate) fn scenarios() -> Vec<Vec<u8>> {
    const SMALL: usize = 1_800;
    let folders = ["scenarios", "scenarios/races", "scenarios/measured", "tests/scenarios/valid"];
    let all = folders.iter().flat_map(|folder| shipped(folder, ".ron"));
    let bare = all.map(|(_, bytes)| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let kept: Vec<&str> =
            text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//")).collect();
        kept.join("\n").into_bytes()
    });
    bare.filter(|text| text.len() <= SMALL).collect()
}

fn tapes() -> Vec<Vec<u8>> {
    let deviations = [
        ("next", "eviction:default/db-0", 0, 1),
        ("list-order", "#7", 3, u64::MAX),
        ("", "", u32::MAX, 0),
    ];
    let deviations = deviations.map(|(point, object, n, value)| {
        language::Deviation(point.to_owned(), object.to_owned(), n, value)
    });
    let of = |text: Vec<u8>| Tape {
        version: VERSION,
        doc: "A race.".to_owned(),
        file: "race.ron".to_owned(),
        kubernetes: Some("1.33".to_owned()),
        timing: Some("typical".to_owned()),
        set: vec!["horizon=5m".to_owned()],
        tape: language::Tape {
            choices: FORMAT,
            release: Some("1.33.13".to_owned()),
            perturb: vec!["stale".to_owned()],
            property: Some("pod-stuck".to_owned()),
            deviations: deviations.to_vec(),
        },
        scenario: String::from_utf8_lossy(&text).into_owned(),
    };
    scenarios()
        .into_iter()
        .filter(|text| text.len() < 900)
        .map(|text| of(text).write().into_bytes())
        .collect()
}

/// The objects of an export that has every field, each in a list with its node.
fn json() -> Vec<Vec<u8>> {
    let (_, text) = shipped("tests/exports", "every-field.json").remove(0);
    let text = String::from_utf8_lossy(&text).into_owned();
    let objects: Vec<&str> = text
        .lines()
        .filter(|l| l.starts_with("{\"apiVersion\"") && !l.contains("\"List\""))
        .map(|l| l.trim_end_matches(','))
        .collect();
    let list = |items: &str| format!("{{\"kind\":\"List\",\"items\":[{items}]}}").into_bytes();
    let of_each = objects.iter().map(|o| list(&format!("{},{o}", objects[0])));
    of_each.chain(objects.iter().map(|o| o.as_bytes().to_vec())).collect()
}

fn yaml() -> Vec<Vec<u8>> {
    let text = include_str!("../corpus/export.yaml");
    text.split("---\n").chain([text]).map(|t| t.as_bytes().to_vec()).collect()
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to a vector cannot fail.
    gz.write_all(bytes).and_then(|()| gz.finish()).unwrap_or_default()
}

fn packed() -> Vec<Vec<u8>> {
    let bomb = zipped(&vec![b' '; 300_000]);
    let wide: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("kind: Ü\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    let twice = zipped(&zipped(b"{}"));
    let two = [zipped(b"{\"kind\":\"List\","), zipped(b"\"items\":[]}")].concat();
    let (json, yaml) = (json(), yaml());
    let plain = json.iter().take(3).chain(&yaml[..2]);
    plain
        .clone()
        .map(|t| zipped(t))
        .chain([bomb, zipped(&wide), wide, twice, two])
        .chain(plain.cloned())
        .collect()
}

fn recordings() -> Vec<Vec<u8>> {
    const MOST: usize = 5_000;
    let all =
        shipped("tests/traces/timelines", ".json.gz").into_iter().filter(|(_, b)| b.len() < 1_000);
    all.filter_map(|(_, bytes)| files::unpack(bytes, 1 << 20).ok())
        .filter(|text| text.len() <= MOST)
        .collect()
}

/// Problems have words and places inside the text, and can be shown.
pub(crate) fn said(problems: &Problems) -> Outcome {
    let Some(first) = problems.0.first() else {
        return Err("refused without a problem".to_owned());
    };
    if problems.0.iter().any(|p| p.message.is_empty()) {
        return Err("a problem without words".to_owned());
    }
    // Drawing takes ten times as long as reading; one in some is drawn.
    let way = shape(&first.message);
    if first.message.len() % 16 == 3
        && taintsim::report::diagnostics::draw(problems, false, 80).is_empty()
    {
        return Err("problems that show nothing".to_owned());
    }
    refused(way)
}

pub(crate) fn built(bytes: &[u8]) -> Result<(Loaded, taintsim::plan::Plan), Problems> {
    let loaded = scenario::parse("f.ron", bytes.to_vec(), Path::new("no-such-folder"))?;
    let (plan, _) = scenario::expecting(&loaded, &Overrides::default())?;
    Ok((loaded, plan))
}

pub(crate) fn scenario(bytes: &[u8]) -> Outcome {
    match built(bytes) {
        Ok((_, plan)) => taken(
            (plan.nodes.len() as u64).min(9) << 16
                ^ (plan.pods.len() as u64).min(9) << 8
                ^ plan.timeline.len() as u64,
        ),
        Err(problems) => {
            if let Some(at) = problems
                .0
                .iter()
                .filter_map(|p| p.bytes())
                .find(|at| at.start > at.end || at.end > bytes.len() + 4)
            {
                return Err(format!("a problem outside of the text: {at:?}"));
            }
            said(&problems)
        }
    }
}

fn tape(text: &str) -> Outcome {
    _ = Tape::is_one(text);
    let read = match Tape::read("f.tape", text) {
        Ok(read) => read,
        Err(problem) => return refused(shape(&problem.message)),
    };
    let written = read.write();
    let again = Tape::read("f.tape", &written)
        .map_err(|p| format!("a tape written cannot be read: {}", p.message))?;
    same("a tape written and read", &again, &read)?;
    match read
        .loaded(Path::new("no-such-folder"))
        .and_then(|loaded| scenario::build(&loaded, &read.overrides()))
    {
        Ok(plan) => taken(plan.timeline.len() as u64),
        Err(problems) => said(&problems),
    }
}

fn export(bytes: &[u8]) -> Outcome {
    let cluster =
        Input::from_bytes("f", bytes.to_vec()).and_then(|input| ImportedCluster::read(&[input]));
    match cluster.and_then(ImportedCluster::builds) {
        Ok(cluster) => {
            if let Err(problems) = built(cluster.to_scenario().as_bytes()) {
                return Err(format!(
                    "an import that does not build: {}",
                    problems.0.first().map_or("", |p| &p.message)
                ));
            }
            taken(
                cluster.nodes.len() as u64
                    ^ (cluster.pods.len() as u64) << 8
                    ^ (cluster.summary.lines().len() as u64) << 16,
            )
        }
        Err(error) => refused(shape(&error)),
    }
}

/// What is packed already as it is, and what is not packed: a checksum hides every change behind
/// it.
fn gzip(bytes: &[u8]) -> Outcome {
    if bytes.starts_with(&[0x1f, 0x8b]) { export(bytes) } else { export(&zipped(bytes)) }
}

fn recording(bytes: &[u8]) -> Outcome {
    let all = match recorded::parse(bytes) {
        Ok(all) => all,
        Err(error) => return refused(shape(&error)),
    };
    let mut way = all.len() as u64;
    // The first and the last release differ most.
    for one in all.first().into_iter().chain(all.last()) {
        match one.plan() {
            Ok(plan) => way ^= (plan.timeline.len() as u64) << 8,
            Err(error) => way ^= shape(&error),
        }
    }
    taken(way)
}
