//! Runs: scenarios that build after a change are run, and what they record is written, or everything
//! that is made of a run.

use crate::files::{RON, built, said, scenarios};
use crate::target::{Check, Kind, Outcome, Target, refused, taken};
use std::sync::Arc;
use taintsim::analysis::curves::curves;
use taintsim::analysis::diff::compare;
use taintsim::analysis::explain::{Question, explain, find};
use taintsim::analysis::lanes::lanes;
use taintsim::analysis::properties::{self, Property};
use taintsim::analysis::{Analysis, DEFAULT_NEEDLESS_WINDOW};
use taintsim::kernel::{Choices, Dur, Time};
use taintsim::plan::Plan;
use taintsim::report::charts::{self, Chart};
use taintsim::report::{Report, Source, Style, events, json, klog, perfetto, tables, text};
use taintsim::scenario::Loaded;
use taintsim::sim;

/// The largest cluster that is run.
const NODES_MAX: usize = 60;
const PODS_MAX: usize = 400;
const ENTRIES_MAX: usize = 200;

/// So much virtual time is run at most.
pub(crate) const HORIZON_MAX: Dur = Dur::from_secs(900);

pub(crate) static TARGETS: [Target; 2] = [
    target("runs", 200_000, || Box::new(|input| run(input, &records))),
    target("finished-runs", 50_000, || Box::new(|input| run(input, &reports))),
];

const fn target(name: &'static str, long: u64, check: fn() -> Check) -> Target {
    Target { name, kind: Kind::Run, text: true, long, seeds: scenarios, words: RON, check }
}

/// Whether a cluster and its timeline are small enough to be run often.
pub(crate) fn is_small(plan: &Plan) -> bool {
    plan.nodes.len() <= NODES_MAX
        && plan.pods.len() <= PODS_MAX
        && plan.timeline.len() <= ENTRIES_MAX
}

/// What is made of a run.
type Made<'a> = &'a dyn Fn(&Analysis<'_>, &Source) -> Result<(), String>;

fn run(input: &[u8], made: Made<'_>) -> Outcome {
    let (loaded, mut plan) = match built(input) {
        Ok(built) => built,
        Err(problems) => return said(&problems),
    };
    if !is_small(&plan) {
        return refused(0);
    }
    plan.horizon = plan.horizon.min(Time::ZERO + HORIZON_MAX);
    let mut looks = 0;
    // A run is watched every 65,536 events, and ended at the second look.
    let (trace, finished) =
        sim::run_watched(&plan, Choices::seeded(plan.timeline.len() as u64), &mut |_| {
            looks += 1;
            looks < 2
        });
    made(&Analysis::new(&plan, &trace), &source_of(&loaded))?;
    taken(
        1 ^ u64::from(trace.len().checked_ilog2().unwrap_or(0)) << 8
            ^ u64::from(finished) << 16
            ^ (plan.timeline.len() as u64) << 24,
    )
}

pub(crate) fn source_of(loaded: &Loaded) -> Source {
    Source {
        file: "f.ron".to_owned(),
        text: Arc::clone(&loaded.source.text),
        fingerprint: loaded.fingerprint(),
        set: Vec::new(),
        seed: 1,
    }
}

fn records(analysis: &Analysis<'_>, _: &Source) -> Result<(), String> {
    events::write(&mut std::io::sink(), analysis)
        .map(drop)
        .map_err(|e| format!("records cannot be written: {e}"))
}

fn reports(analysis: &Analysis<'_>, source: &Source) -> Result<(), String> {
    let report = Report::new(analysis, source, DEFAULT_NEEDLESS_WINDOW);
    let evictions = tables::evictions_table(&report);
    let (mut out, style) = (Vec::new(), Style { colour: false, width: 100 });
    text::write(&mut out, &report, None, style)
        .and_then(|()| tables::csv::write(&mut out, &evictions))
        .and_then(|()| klog::write(&mut out, analysis, 4))
        .and_then(|()| perfetto::write(&mut out, analysis))
        .map_err(|e| format!("a report cannot be written: {e}"))?;
    _ = json::document(&report, None, &[]);
    questions(analysis);
    compare([analysis, analysis], DEFAULT_NEEDLESS_WINDOW, Dur::ZERO, 100);
    let (lanes, curves) = (lanes(analysis, 50), curves(analysis));
    for chart in [Chart::Timeline(&lanes), Chart::Pods(&curves), Chart::Workloads(&report.serving)]
    {
        charts::draw(chart, &report.heading(), analysis)
            .svg()
            .map_err(|e| format!("a chart: {e}"))?;
    }
    Ok(())
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
