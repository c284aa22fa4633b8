//! Packs recorded timelines for the tests: a scenario once, each distinct timeline once, the
//! outcomes per release.
//!
//! Not a check, so it is ignored by default; `tests/traces/README.md` says how to run it.

use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder with the recordings, searched as a whole.
const FROM: &str = "TAINTSIM_RECORDINGS";

#[test]
#[expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a tool in the guise of a test: it is told where to read, and tells what it wrote"
)]
#[ignore = "rewrites tests/traces from a folder of recordings"]
fn pack_traces() {
    let from = PathBuf::from(
        std::env::var(FROM)
            .unwrap_or_else(|_| panic!("set {FROM} to the folder with the recordings")),
    );
    let to = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let mut files = Vec::new();
    collect(&from, &mut files);
    let mut packs: BTreeMap<(&str, String), Pack> = BTreeMap::new();
    for file in &files {
        let text = std::fs::read(file).unwrap();
        let mut recording: Map<String, Value> = serde_json::from_slice(&text)
            .unwrap_or_else(|e| panic!("{} is no recording: {e}", file.display()));
        let scenario = recording
            .remove("scenario")
            .unwrap_or_else(|| panic!("{} has no scenario", file.display()));
        let folder = if recording.contains_key("kinds") { "envelopes" } else { "timelines" };
        let name = scenario["name"].as_str().expect("a scenario has a name").to_owned();
        let pack = packs
            .entry((folder, name))
            .or_insert_with(|| Pack { scenario: scenario.clone(), ..Pack::default() });
        assert_eq!(
            pack.scenario,
            scenario,
            "{} has another scenario of the same name",
            file.display()
        );
        pack.add(recording);
    }
    for folder in ["timelines", "envelopes"] {
        // Whatever is no longer recorded must not stay behind.
        let _ = std::fs::remove_dir_all(to.join(folder));
        std::fs::create_dir_all(to.join(folder)).unwrap();
    }
    let mut bytes = 0;
    for ((folder, name), pack) in packs {
        let mut packed = serde_json::to_vec(&pack.json()).unwrap();
        packed.push(b'\n');
        // No time and no name in the header, so that the same recordings give the same bytes.
        let mut gz = GzBuilder::new().write(Vec::new(), Compression::best());
        gz.write_all(&packed).unwrap();
        let gz = gz.finish().unwrap();
        bytes += gz.len();
        std::fs::write(to.join(folder).join(format!("{name}.json.gz")), gz).unwrap();
    }
    println!("{} recordings in {bytes} bytes", files.len());
    assert!(bytes < 3_000_000, "the packed recordings have grown to {bytes} bytes");
}

/// Recordings of one scenario.
#[derive(Default)]
struct Pack {
    scenario: Value,
    timelines: Vec<Value>,
    numbers: BTreeMap<String, usize>,
    releases: Vec<(Vec<u64>, Value)>,
}

impl Pack {
    fn add(&mut self, mut recording: Map<String, Value>) {
        let release =
            recording["kubernetes"].as_str().expect("a recording names its release").to_owned();
        if let Some(Value::Array(outcomes)) = recording.get_mut("outcomes") {
            for outcome in outcomes {
                let events = outcome
                    .as_object_mut()
                    .and_then(|o| o.remove("events"))
                    .expect("an outcome has events");
                let next = self.timelines.len();
                let number = *self.numbers.entry(events.to_string()).or_insert(next);
                if number == next {
                    self.timelines.push(events);
                }
                outcome["timeline"] = json!(number);
            }
        }
        let numbers = release
            .trim_start_matches('v')
            .split('.')
            .map(|n| n.parse().unwrap_or(u64::MAX))
            .collect();
        self.releases.push((numbers, Value::Object(recording)));
    }

    fn json(mut self) -> Value {
        self.releases.sort_by(|a, b| a.0.cmp(&b.0));
        let releases: Vec<Value> = self.releases.into_iter().map(|(_, r)| r).collect();
        let mut out = Map::from_iter([
            ("scenario".to_owned(), self.scenario),
            ("releases".to_owned(), Value::Array(releases)),
        ]);
        if !self.timelines.is_empty() {
            out.insert("timelines".to_owned(), Value::Array(self.timelines));
        }
        Value::Object(out)
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            collect(&entry, files);
        } else if entry.extension().is_some_and(|e| e == "json") {
            files.push(entry);
        }
    }
}
