//! What Perfetto shows of a run is well-formed: of every shipped scenario.

use std::fs;
use std::path::{Path, PathBuf};
use taintsim::analysis::Analysis;
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::report::perfetto;
use taintsim::scenario::{self, Overrides};
use taintsim::sim;
use taintsim::trace::Trace;

fn shipped() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut all: Vec<PathBuf> = [root.clone(), root.join("measured"), root.join("races")]
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()))
        .filter(|p| p.extension().is_some_and(|e| e == "ron"))
        .collect();
    all.sort();
    assert!(all.len() > 20, "{all:?}");
    all
}

fn run(path: &Path) -> (Plan, Trace) {
    let loaded = scenario::load(path).unwrap();
    let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
    let trace =
        sim::run(&plan, Choices::seeded(scenario::seed(&loaded, &Overrides::default()).unwrap()));
    (plan, trace)
}

/// Begins and ends pair up in each thread, times do not go back, every thread and process has its
/// name.
fn check_perfetto(path: &Path, plan: &Plan, trace: &Trace) {
    use std::collections::{BTreeMap, BTreeSet};
    let shown = path.display();
    let mut out = Vec::new();
    perfetto::write(&mut out, &Analysis::new(plan, trace)).unwrap();
    let document: serde_json::Value =
        serde_json::from_slice(&out).unwrap_or_else(|e| panic!("{shown}: {e}"));
    let (mut named, mut threads) = (BTreeSet::new(), BTreeSet::new());
    let mut open: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut at: BTreeMap<u64, f64> = BTreeMap::new();
    let (mut begun, mut led) = (0, 0);
    let (mut arrows, mut counted) = (BTreeMap::new(), BTreeSet::new());
    for event in document["traceEvents"].as_array().unwrap() {
        let (pid, tid) = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
        let name = event["name"].as_str().unwrap().to_owned();
        match event["ph"].as_str().unwrap() {
            "M" if name == "process_name" => drop(named.insert(pid)),
            "M" if name == "thread_name" => {
                assert!(threads.insert(tid), "{shown}: thread {tid} twice");
                assert!(!event["args"]["name"].as_str().unwrap().is_empty());
            }
            "M" => {}
            // An arrow leads from a cause to what comes at the same time or later.
            "s" => {
                let from = event["ts"].as_f64().unwrap();
                assert!(arrows.insert(event["id"].as_u64().unwrap(), from).is_none());
            }
            "f" => {
                let from = arrows.remove(&event["id"].as_u64().unwrap()).unwrap();
                assert!(from <= event["ts"].as_f64().unwrap(), "{shown}: {event}");
                led += 1;
            }
            "C" => {
                counted.insert(name);
                assert!(event["args"]["count"].is_u64(), "{shown}: {event}");
            }
            ph => {
                assert!(named.contains(&pid) && threads.contains(&tid), "{shown}: {event}");
                let ts = event["ts"].as_f64().unwrap();
                assert!(
                    at.insert(tid, ts).is_none_or(|before| before <= ts),
                    "{shown}: {event} goes back"
                );
                assert!(ts * 1e3 <= plan.horizon.as_nanos() as f64, "{shown}: {event}");
                match ph {
                    "B" => {
                        open.entry(tid).or_default().push(name);
                        begun += 1;
                    }
                    "E" => assert_eq!(open.get_mut(&tid).and_then(Vec::pop), Some(name), "{shown}"),
                    "i" => assert_eq!(event["s"], "t"),
                    other => panic!("{shown}: {other}"),
                }
            }
        }
    }
    assert!(open.values().all(Vec::is_empty), "{shown}");
    assert!(begun > 0, "{shown}: not one span");
    assert!(led > 0 && arrows.is_empty(), "{shown}: {led} arrows");
    assert_eq!(counted.len(), 2, "{shown}: {counted:?}");
}

#[test]
fn every_shipped_run_can_be_drawn() {
    for path in shipped() {
        let (plan, trace) = run(&path);
        check_perfetto(&path, &plan, &trace);
    }
}
