//! Folders of results: `manifest.json`.

use crate::runs::source_of;
use crate::target::{Kind, Outcome, Target, refused, shape, taken};
use taintsim::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
use taintsim::kernel::Choices;
use taintsim::report::{Report, manifest};
use taintsim::scenario::{self, Overrides};
use taintsim::sim;

const JSON: &[&str] = &[
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
    "\\u0000",
    "\\ud800",
    "\"files\":",
    "\"name\":",
    "\"bytes\":",
    "\"format\":3",
    "\"taintsim\":",
];

pub(crate) static TARGETS: [Target; 1] = [Target {
    name: "manifests",
    kind: Kind::File,
    text: true,
    long: 1_000_000,
    seeds: manifests,
    words: JSON,
    check: || Box::new(manifest_of),
}];

fn manifests() -> Vec<Vec<u8>> {
    let scenario = include_bytes!("../corpus/folder.ron");
    let loaded = scenario::parse("folder.ron", scenario.to_vec(), std::path::Path::new(""))
        .expect("the folder's scenario is whole");
    let plan =
        scenario::build(&loaded, &Overrides::default()).expect("the folder's scenario builds");
    let trace = sim::run(&plan, Choices::seeded(1));
    let (analysis, source) = (Analysis::new(&plan, &trace), source_of(&loaded));
    let report = Report::new(&analysis, &source, DEFAULT_NEEDLESS_WINDOW);
    let files = [("events.jsonl".to_owned(), 10), ("summary.json".to_owned(), 20)];
    vec![
        manifest::whole(manifest::of_run(&report, 1), &files).to_string().into_bytes(),
        br#"{"taintsim":"0.1.0","format":3,"files":[{"name":"a"}]}"#.to_vec(),
    ]
}

fn manifest_of(input: &[u8]) -> Outcome {
    match manifest::files(input) {
        Ok(files) => taken(files.len() as u64),
        Err(error) => refused(shape(&error)),
    }
}
