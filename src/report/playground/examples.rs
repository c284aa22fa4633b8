//! The scenarios that ship, as examples to pick.

use crate::scenario;
use serde_json::{Value, json};
use std::path::Path;

/// A scenario that ships: its name below `scenarios/`, and its text.
type Example = (&'static str, &'static str);

/// Scenarios with their texts, by the folder below `scenarios/`.
macro_rules! shipped {
    ($($folder:literal: [$($name:literal)*])*) => {
        &[$($((
            concat!($folder, $name),
            include_str!(concat!("../../../scenarios/", $folder, $name, ".ron")),
        )),*),*]
    };
}

/// All of them, in the order of the list.
const SHIPPED: &[Example] = shipped! {
    "": [
        "cold-images" "controller-restart" "cordon-by-hand" "daemon-set-unharmed" "dedicated-nodes" "device-taint"
        "disk-stuck" "drain-or-shutdown" "drain-with-budget" "evicted-again-and-again"
        "flapping-node" "gpu-nodes" "graceful-shutdown" "half-a-zone" "hundred-dead-nodes"
        "master-disruption" "memory-leak" "memory-pressure" "namespace-tolerations" "node-readiness"
        "noexecute-taint" "one-node-lost" "planning" "preemption-after-loss" "prefer-no-schedule"
        "pressure-daemon-set" "pressure-gap" "pressure-loop" "rapid-taint-1.32" "rapid-taint"
        "rapid" "rolling-maintenance" "several-taints" "slow-start" "stateful-set-stuck" "toleration-sweep"
        "whole-zone" "zone-lost-with-room" "zone-lost-without-room" "zone-partition" "zone-sizes"
    ]
    "measured/": [
        "all-dark" "leases" "one-node" "replaced" "restart" "restart-in-full-outage" "three-of-four"
        "two-of-four" "whole-zone"
    ]
    "races/": [
        "cancelled-but-evicted" "countdown-outlives-node" "crash-while-marking-pods" "drain-hits-successor"
        "end-and-successor-seen-as-one" "evicted-by-stale-node" "finite-taint-removed" "five-refusals" "foreign-taint-lost"
        "grace-shorter-than-broken-connection" "heap-duplicates" "kivi-eviction-loop"
        "longer-toleration-ignored" "master-disruption-leak" "noexecute-one-period-late"
        "pods-stay-not-ready" "pods-stay-ready" "rate-of-one"
        "readiness-bootstrap-orphan" "readiness-label-change" "readiness-rule-deleted" "relisted" "removed-taint-never-back"
        "replacement-lost" "restart-before-timer" "restart-resets-countdown" "stale-leases"
        "standing-taint" "successor-elsewhere-seen-as-one" "successor-elsewhere" "successor-evicted"
        "successor-killed" "taint-untaint-taint" "tainting-beside-master-disruption"
    ]
};

/// The scenario that `taintsim init` writes.
const STARTER: &str = "starter";

/// The examples: the file of each, and its text.
pub(super) fn all() -> impl Iterator<Item = (String, &'static str)> {
    list().map(|(name, text)| (file(name), text))
}

fn list() -> impl Iterator<Item = Example> {
    std::iter::once((STARTER, scenario::starter())).chain(SHIPPED.iter().copied())
}

/// The list of examples for the page: the name of each, its file, and the first sentence of what it says of itself.
pub(super) fn listed() -> Value {
    let one =
        |(name, text): Example| json!({ "name": name, "file": file(name), "doc": doc(name, text) });
    list().map(one).collect()
}

/// The name of a file beside the page, where there are no folders.
fn file(name: &str) -> String {
    format!("{}.ron", name.replace('/', "."))
}

/// What a scenario says of itself.
fn doc(name: &str, text: &str) -> String {
    let loaded = scenario::parse(name, text.as_bytes().to_vec(), Path::new(""));
    loaded.map(|loaded| loaded.spec.doc).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn every_scenario_that_ships_is_an_example() {
        let root = Path::new("scenarios");
        let mut folders = vec![PathBuf::new()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(root.join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let path = folder.join(entry.file_name());
                if entry.file_type().unwrap().is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "ron") {
                    let name = path.with_extension("").display().to_string();
                    found.push(name.replace('\\', "/"));
                }
            }
        }
        found.sort();
        let mut listed: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
        listed.sort_unstable();
        assert_eq!(listed, found);
    }

    /// In a browser there are no files that a scenario could point at.
    #[test]
    fn every_example_stands_alone_and_says_what_it_is() {
        for (name, text) in list() {
            let loaded = scenario::parse(name, text.as_bytes().to_vec(), Path::new("")).unwrap();
            assert!(loaded.inputs.is_empty(), "{name} points at a file");
            assert!(!loaded.spec.doc.is_empty(), "{name} has no doc");
        }
    }
}
