//! Folders of results: `names.json`, `events.jsonl` and `manifest.json`, and what is made of a run
//! that was read from them.

use crate::target::{Check, Kind, Target, refused, shape, taken};
use std::sync::Arc;
use taintsim::analysis::curves::curves;
use taintsim::analysis::diff::compare;
use taintsim::analysis::explain::{Question, explain, find};
use taintsim::analysis::lanes::lanes;
use taintsim::analysis::properties::{self, Property};
use taintsim::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
use taintsim::kernel::{Choices, Dur};
use taintsim::plan::Plan;
use taintsim::report::charts::{self, Chart};
use taintsim::report::{
    Report, Source, Style, events, json, klog, manifest, names_json, perfetto, tables, text,
};
use taintsim::scenario::{self, Overrides};
use taintsim::sim;
use taintsim::trace::Trace;

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
    "\"id\":",
    "\"t_ns\":",
    "\"actor\":",
    "\"what\":",
    "\"node\":",
    "\"pod\":",
    "\"object\":",
    "\"reason\":",
    "\"value\":",
    "\"count\":",
    "\"cause\":",
    "\"saw\":",
    "\"added\":",
    "\"removed\":",
    "\"entry_index\":",
    "\"a-0\"",
    "\"b-0\"",
    "\"default/solo-0\"",
    "\"node-taints\"",
    "\"pod-deleted\"",
    "\"node-ready\"",
    "\"pod-bound\"",
    "\"eviction-scheduled\"",
    "\"kubelet\"",
    "\"node-lifecycle\"",
    "\"taint-eviction\"",
    "\"user\"",
    "\"x:NoExecute\"",
    "\"files\":",
    "\"name\":",
    "\"bytes\":",
    "\"format\":2",
    "\"taintsim\":",
];

pub(crate) static TARGETS: [Target; 3] = [
    Target {
        name: "records",
        kind: Kind::File,
        text: true,
        long: 2_500_000,
        seeds: records,
        words: JSON,
        check: || reading(false),
    },
    Target {
        name: "finished-runs",
        kind: Kind::File,
        text: true,
        long: 500_000,
        seeds: records,
        words: JSON,
        check: || reading(true),
    },
    Target {
        name: "manifests",
        kind: Kind::File,
        text: true,
        long: 1_000_000,
        seeds: manifests,
        words: JSON,
        check: || Box::new(manifest_of),
    },
];

/// A small run, and all of it once more with a part of its records, so that inputs are short.
struct Run {
    plan: Plan,
    source: Source,
    trace: Trace,
}

impl Run {
    fn analysis(&self) -> Analysis<'_> {
        Analysis::new(&self.plan, &self.trace)
    }
}

fn run() -> Run {
    let scenario = include_bytes!("../corpus/folder.ron");
    let loaded = scenario::parse("folder.ron", scenario.to_vec(), std::path::Path::new(""))
        .expect("the folder's scenario is whole");
    let plan =
        scenario::build(&loaded, &Overrides::default()).expect("the folder's scenario builds");
    let trace = sim::run(&plan, Choices::seeded(1));
    let fingerprint = loaded.fingerprint();
    let text = Arc::clone(&loaded.source.text);
    Run {
        plan,
        source: Source {
            file: "folder.ron".to_owned(),
            text,
            fingerprint,
            set: Vec::new(),
            seed: 1,
        },
        trace,
    }
}

fn written(run: &Run) -> (Vec<u8>, Vec<u8>) {
    let (mut names, mut lines) = (Vec::new(), Vec::new());
    let analysis = Analysis::new(&run.plan, &run.trace);
    names_json::write(&mut names, &run.trace)
        .and_then(|()| events::write(&mut lines, &analysis))
        .expect("a vector takes everything");
    (names, lines)
}

/// `names.json` in one line, and the first records; those of later parts have causes in the earlier
/// ones, and are left out.
fn records() -> Vec<Vec<u8>> {
    let (names, lines) = written(&run());
    let lines = String::from_utf8_lossy(&lines).into_owned();
    let all: Vec<&str> = lines.split_inclusive('\n').collect();
    let most = all.len();
    [1, 5, 12, 20, 30, most]
        .map(|n| [&names[..], all[..n.min(most)].concat().as_bytes()].concat())
        .into()
}

fn manifests() -> Vec<Vec<u8>> {
    let run = run();
    let analysis = Analysis::new(&run.plan, &run.trace);
    let report = Report::new(&analysis, &run.source, DEFAULT_NEEDLESS_WINDOW);
    let files = [("events.jsonl".to_owned(), 10), ("summary.json".to_owned(), 20)];
    vec![
        manifest::manifest(&report, &files).to_string().into_bytes(),
        br#"{"taintsim":"0.1.0","format":2,"files":[{"name":"a"}]}"#.to_vec(),
    ]
}

/// Reads a trace and its records, and if so wished makes all that is made of a run of what can be
/// read.
fn reading(reports: bool) -> Check {
    let whole = run();
    Box::new(move |input| {
        let Run { plan, source, .. } = &whole;
        let end = input.iter().position(|b| *b == b'\n').map_or(input.len(), |i| i + 1);
        let (names, lines) = input.split_at(end);
        let mut trace = match names_json::read(names) {
            Ok(trace) => trace,
            Err(error) => return refused(shape(&error)),
        };
        trace.horizon = plan.horizon;
        let lines = String::from_utf8_lossy(lines);
        let trace = match events::read(&lines, trace) {
            Ok(trace) => trace,
            Err(error) => return refused(shape(&error)),
        };
        if reports {
            let analysis = Analysis::new(plan, &trace);
            let report = Report::new(&analysis, source, DEFAULT_NEEDLESS_WINDOW);
            let mut out = Vec::new();
            let style = Style { colour: false, width: 100 };
            let all = text::write(&mut out, &report, None, style)
                .and_then(|()| {
                    tables::csv::write(
                        &mut out,
                        &tables::EvictionsTable::new(
                            &analysis,
                            &report.workloads,
                            DEFAULT_NEEDLESS_WINDOW,
                        ),
                    )
                })
                .and_then(|()| klog::write(&mut out, &analysis, 4))
                .and_then(|()| perfetto::write(&mut out, &analysis))
                .and_then(|()| events::write(&mut out, &analysis));
            all.map_err(|e| format!("a report cannot be written: {e}"))?;
            _ = json::document(&report, None, &[]);
            questions(&analysis);
            compare([&whole.analysis(), &analysis], DEFAULT_NEEDLESS_WINDOW, Dur::ZERO, 100);
            let (lanes, curves) = (lanes(&analysis, 50), curves(&analysis));
            for chart in
                [Chart::Timeline(&lanes), Chart::Pods(&curves), Chart::Workloads(&report.serving)]
            {
                charts::svg(chart, &report.heading(), &analysis)
                    .map_err(|e| format!("a chart: {e}"))?;
            }
        }
        taken(trace.len() as u64)
    })
}

/// What became of every object, and which properties do not hold.
fn questions(analysis: &Analysis<'_>) {
    let names = &analysis.trace.names;
    let nodes = names.node_ids().map(|n| names.node_name(n));
    let pods = names.pod_ids().map(|p| names.pod_name(p));
    let workloads = names.workload_ids().map(|w| names.workload_name(w));
    for name in nodes.chain(pods).chain(workloads).take(20) {
        if let Ok(object) = find(analysis, name) {
            explain(Question { analysis, until: analysis.horizon(), groups: &[] }, &object);
        }
    }
    for property in Property::NAMES.iter().filter_map(|name| Property::parse(name).ok()) {
        properties::check(&property, analysis);
    }
}

fn manifest_of(input: &[u8]) -> crate::target::Outcome {
    match manifest::files(input) {
        Ok(files) => taken(files.len() as u64),
        Err(error) => refused(shape(&error)),
    }
}
