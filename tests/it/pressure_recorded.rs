//! What kubelets evict for want of something, and when, beside upstream's own eviction manager.
//!
//! `tests/pressure` has cases as `extra/recorder/gen --pressure` makes them, and what came of each on a release: what the manager, linked
//! with imitated statistics and run in virtual time, said of pods that it evicted, and which conditions it had whenever the node's
//! status was posted. Cases in which Go's maps decide (forty runs were not alike) have no outcome there.

use super::plans::plan;
use super::pressure::told;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use taintsim::kernel::Choices;
use taintsim::sim::run;

#[derive(Deserialize)]
struct Case {
    name: String,
    seconds: u32,
    flags: BTreeMap<String, String>,
    capacity: BTreeMap<String, String>,
    usage: BTreeMap<String, String>,
    unused_images: Option<String>,
    pods: Vec<CasePod>,
}

#[derive(Deserialize)]
struct CasePod {
    name: String,
    priority: i32,
    requests: BTreeMap<String, String>,
    usage: BTreeMap<String, String>,
    stop: u32,
}

#[derive(Deserialize)]
struct Outcome {
    name: String,
    told: Option<Vec<String>>,
}

impl Case {
    fn scenario(&self, version: &str) -> String {
        let pods: Vec<String> = self.pods.iter().map(CasePod::line).collect();
        let images = self.unused_images.iter().map(|i| format!("unused_images: {i:?}, "));
        format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "{}s", timing: Ideal, flags: (kubelet: {:?}),
            nodes: [(name: "n", capacity: {:?}, usage: {:?}, {} lease_offset: "3s", status_offset: "4s")], pods: [{}])"#,
            self.seconds,
            self.flags,
            self.capacity,
            self.usage,
            images.collect::<String>(),
            pods.join(", ")
        )
    }
}

impl CasePod {
    fn line(&self) -> String {
        let Self { name, priority, requests, usage, stop } = self;
        format!(
            r#"(name: "{name}", on: Node("n"), priority: {priority}, requests: {requests:?}, usage: {usage:?}, pod_stop: "{stop}ms")"#
        )
    }
}

fn lines<T: for<'a> Deserialize<'a>>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn evictions_are_those_of_upstreams_manager() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pressure");
    let cases: Vec<Case> = lines(&folder.join("cases.jsonl"));
    let mut wrong = Vec::new();
    let mut compared = BTreeMap::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some(version) = stem.strip_prefix('v') else { continue };
        let outcomes: Vec<Outcome> = lines(&path);
        assert_eq!(outcomes.len(), cases.len(), "{version}");
        for (case, outcome) in cases.iter().zip(outcomes) {
            assert_eq!(case.name, outcome.name, "{version}");
            let Some(wanted) = outcome.told else { continue };
            *compared.entry(version.to_owned()).or_insert(0) += 1;
            let trace = run(&plan(&case.scenario(version)), Choices::seeded(1));
            let ours = told(&trace).into_iter().filter(|line| !line.ends_with(" Failed"));
            let ours: Vec<String> = ours.collect();
            if ours != wanted {
                wrong.push(format!("{version} {}: {ours:#?} in place of {wanted:#?}", case.name));
            }
        }
    }
    println!("{compared:?}");
    assert!(wrong.is_empty(), "{} of {compared:?}:\n{}", wrong.len(), wrong.join("\n"));
}
