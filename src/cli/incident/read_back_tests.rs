//! What a run says of itself, as its controllers' log lines and as events, read back: it is the
//! same incident, and the run that is put together from it explains each eviction.

use crate::analysis::Analysis;
use crate::analysis::course::{Course, Happening};
use crate::analysis::matching::Matched;
use crate::evidence::{Evidence, Heard, Reconstruction, reconstruct};
use crate::import::Asked;
use crate::kernel::{Choices, Dur, Time};
use crate::lab::Forecasting;
use crate::report::klog;
use crate::scenario::{self, Overrides};
use crate::sim;
use crate::trace::What;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// 2000-01-01T00:00:00Z, at which log lines of a run begin that has no time of its own.
const BASE_US: i64 = 946_684_800_000_000;
/// How far apart times may be: events wait for the client's limiter.
const NEAR: Dur = Dur::from_secs(2);

/// A scenario of five to eight nodes, of which one to three fall silent, each at its time.
fn outage(number: u64) -> String {
    let (nodes, silent) = (5 + number % 4, 1 + number % 3);
    let seconds = [0, 5, 20, 45][(number % 4) as usize];
    let cuts: Vec<String> = (0..silent)
        .map(|i| {
            let at = 20 + 17 * i * (1 + number % 2) + number;
            format!("(at: \"{at}s\", do: Partition(node: \"n-{i}\"))")
        })
        .collect();
    format!(
        r#"Scenario(version: 1, horizon: "5m", nodes: [(names: "n-{{0..{}}}")],
            workloads: [ReplicaSet(name: "web", replicas: {}, template: (tolerations: [
                (key: "node.kubernetes.io/not-ready", operator: Exists, effect: NoExecute, tolerationSeconds: {seconds}),
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: {seconds})]))],
            pods: [(name: "p", count: {nodes}, on: Spread(All), tolerations: [
                (key: "node.kubernetes.io/not-ready", operator: Exists, effect: NoExecute, tolerationSeconds: {seconds}),
                (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: {seconds})])],
            timeline: [{}])"#,
        nodes - 1,
        2 * nodes,
        cuts.join(", ")
    )
}

/// A run as its log, and as the events that it stored.
struct Said {
    log: Evidence,
    events: Evidence,
    /// Pods that were evicted, and nodes that were given up, and when.
    evicted: BTreeMap<String, Time>,
    unknown: BTreeMap<String, Time>,
}

fn said(number: u64) -> Said {
    let text = outage(number);
    let loaded = scenario::parse("run", text.into_bytes(), Path::new("")).unwrap();
    let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
    let trace = sim::run(&plan, Choices::seeded(number));
    let analysis = Analysis::new(&plan, &trace);
    let mut log = Vec::new();
    klog::write(&mut log, &analysis, 4).unwrap();
    let course = Course::of(&analysis);
    let all = |what: Happening| -> BTreeMap<String, Time> {
        let of = course.happenings.iter().filter(|((w, _), _)| *w == what);
        of.map(|((_, name), at)| (name.clone(), *at)).collect()
    };
    let of = |file: &str, text: String| Evidence { file: file.to_owned(), text };
    Said {
        log: of("kcm.log", String::from_utf8(log).unwrap()),
        events: of("events.json", events(&analysis)),
        evicted: all(Happening::PodDeleted),
        unknown: all(Happening::NodeUnknown),
    }
}

/// What `kubectl get events -A -o json` would have printed: whole seconds, and the nanoseconds in
/// the names.
fn events(analysis: &Analysis<'_>) -> String {
    let mut items: Vec<Value> = Vec::new();
    for r in analysis.trace.iter() {
        if !matches!(
            r.what,
            What::PodMessage(_)
                | What::PodEvent(..)
                | What::NodeEvent(..)
                | What::NodeMessage(_)
                | What::WorkloadMessage(_)
                | What::ClaimMessage(_)
        ) {
            continue;
        }
        let fields = analysis.trace.fields(r);
        let object = fields.object.unwrap_or_default();
        let (kind, name) = object.split_once('/').unwrap_or(("", &object));
        let (namespace, short) = name.split_once('/').unwrap_or(("default", name));
        let second = BASE_US + r.at.as_secs() as i64 * 1_000_000;
        let ns = BASE_US * 1_000 + r.at.as_nanos() as i64;
        items.push(json!({"apiVersion": "v1", "kind": "Event",
            "metadata": {"name": format!("{short}.{ns:x}"), "namespace": namespace},
            "involvedObject": {"kind": kind, "namespace": namespace, "name": short},
            "reason": fields.reason, "message": fields.message,
            "firstTimestamp": crate::import::Stamp(second).to_rfc3339(),
            "source": {"component": "controller"}}));
    }
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

fn read(files: &[Evidence]) -> Reconstruction {
    let Ok(watchfulness) = super::watchfulness(None, &Overrides::default()) else {
        panic!("the defaults are a plan")
    };
    reconstruct(Heard::of(files), watchfulness, ("test", &Asked::default())).unwrap()
}

fn near(stamp: crate::import::Stamp, at: Time) -> bool {
    let us = stamp.0 - BASE_US - (at.as_nanos() / 1_000) as i64;
    us.unsigned_abs() <= NEAR.as_nanos() / 1_000
}

#[test]
fn a_log_and_events_are_the_run_that_they_are_of() {
    for number in 0..12 {
        let said = said(number);
        let both = [said.log.clone(), said.events.clone()];
        for files in [&both[..1], &both[1..], &both[..]] {
            let was = read(files);
            let file = &files[0].file;
            let names = |all: &mut dyn Iterator<Item = &String>| -> BTreeSet<String> {
                all.cloned().collect()
            };
            assert_eq!(
                names(&mut was.outage.evictions.keys()),
                names(&mut said.evicted.keys()),
                "{number}, {file}"
            );
            assert_eq!(
                names(&mut was.outage.silences.iter().map(|s| &s.node)),
                names(&mut said.unknown.keys()),
                "{number}, {file}"
            );
            for (pod, known) in &was.outage.evictions {
                assert!(near(known.at, said.evicted[pod]), "{number}, {file}: {pod}");
            }
            for silence in &was.outage.silences {
                let at = said.unknown[&silence.node];
                assert!(near(silence.since.at, at), "{number}, {file}: {}", silence.node);
            }
        }
    }
}

/// Of the scenario that a log leads to, runs have each eviction within two seconds.
#[test]
fn what_is_read_back_explains_the_run() {
    let (mut explained, mut all, mut left) = (0, 0, Vec::new());
    for number in 0..12 {
        let was = read(&[said(number).log]);
        let text = was.text.clone().into_bytes();
        let loaded = scenario::parse("incident", text, Path::new("")).unwrap();
        let forecasting = Forecasting {
            loaded: &loaded,
            overrides: Overrides::default(),
            first: 1,
            seeds: 10,
            told_from: None,
        };
        let courses = forecasting.courses(2, &|_| true).unwrap();
        let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
        let pods = plan.pods.iter().map(|p| p.name.to_string()).collect();
        let matched = Matched::of(&was.evictions(), &courses, &pods, NEAR);
        all += matched.pairs.len();
        explained += matched.pairs.iter().filter(|p| p.is_explained()).count();
        let pairs = matched.pairs.iter().filter(|p| !p.is_explained());
        left.extend(pairs.map(|p| format!("{number}: {p:?}")));
    }
    assert!(explained * 100 >= all * 95, "{explained} of {all}: {left:#?}");
}
