//! Cases that a part of upstream's kubelets was run over, and what came of each.
//!
//! A folder has `cases.jsonl`, as `extra/recorder/gen` makes them, and for each release what `extra/recorder/build --cases` wrote: what that
//! part, unchanged, linked with an imitation of all that it asks, and run in virtual time, did. A case has no outcome where Go's maps
//! or its scheduler decide (forty runs were not alike), and where the release does not know what the case sets.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
struct Outcome {
    name: String,
    told: Option<Vec<String>>,
}

fn lines<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Compares what comes of each case of a folder here, under each release that has told, with what that told.
pub(super) fn hold<C: DeserializeOwned>(folder: &str, told: impl Fn(&C, &str) -> Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let cases: Vec<C> = lines(&folder.join("cases.jsonl"));
    let mut wrong = Vec::new();
    let mut compared = BTreeMap::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let Some(version) = stem.strip_prefix('v') else { continue };
        let outcomes: Vec<Outcome> = lines(&path);
        assert_eq!(outcomes.len(), cases.len(), "{version}");
        for (case, Outcome { name, told: wanted }) in cases.iter().zip(outcomes) {
            let Some(wanted) = wanted else { continue };
            *compared.entry(version.to_owned()).or_insert(0) += 1;
            let ours = told(case, version);
            if ours != wanted {
                wrong.push(format!("{version} {name}: {ours:#?} in place of {wanted:#?}"));
            }
        }
    }
    assert!(
        !compared.is_empty() && wrong.is_empty(),
        "{} of {compared:?}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
