//! Runs that are read again from their files are the runs that were written: every record of every
//! shipped scenario.

use std::fs;
use std::path::{Path, PathBuf};
use taintsim::analysis::Analysis;
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::report::{events, names_json, perfetto};
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

fn lines(plan: &Plan, trace: &Trace) -> String {
    let mut out = Vec::new();
    events::write(&mut out, &Analysis::new(plan, trace)).unwrap();
    String::from_utf8(out).unwrap()
}

/// Reads a run again and holds it to what was written.
fn check_again(path: &Path, plan: &Plan, trace: &Trace) {
    let shown = path.display();
    let written = lines(plan, trace);
    let mut names = Vec::new();
    names_json::write(&mut names, trace).unwrap();
    let again = events::read(&written, names_json::read(&names).unwrap())
        .unwrap_or_else(|e| panic!("{shown}: {e}"));
    assert_eq!(again.len(), trace.len(), "{shown}");
    for (id, (a, b)) in again.iter().zip(trace.iter()).enumerate() {
        assert_eq!(a, b, "{shown}: record {id}");
    }
    assert_eq!(again.messages, trace.messages, "{shown}");
    assert_eq!(again.requests, trace.requests, "{shown}");
    let tolerations = |t: &Trace| {
        t.templates.iter().map(|(id, of)| (*id, of.tolerations.clone())).collect::<Vec<_>>()
    };
    assert!(tolerations(&again) == tolerations(trace), "{shown}: tolerations");
    let texts = |t: &Trace| {
        t.taints
            .iter()
            .map(|c| format!("{:?}", [c.added.as_slice(), &c.removed]))
            .collect::<Vec<_>>()
    };
    // When a taint was added is not in the lines.
    let mut untimed = Trace::default();
    untimed.taints.clone_from(&trace.taints);
    untimed
        .taints
        .iter_mut()
        .flat_map(|c| c.added.iter_mut().chain(&mut c.removed))
        .for_each(|t| t.time_added = None);
    assert_eq!(texts(&again), texts(&untimed), "{shown}");
    assert!(lines(plan, &again) == written, "{shown}: written again, the records are others");
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
fn every_shipped_run_can_be_read_again_and_drawn() {
    for path in shipped() {
        let (plan, trace) = run(&path);
        check_again(&path, &plan, &trace);
        check_perfetto(&path, &plan, &trace);
    }
}

#[test]
fn a_damaged_line_is_named_and_nothing_panics() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/noexecute-taint.ron");
    let (plan, trace) = run(&path);
    let written = lines(&plan, &trace);
    let mut names = Vec::new();
    names_json::write(&mut names, &trace).unwrap();
    let read = |text: &str| {
        events::read(text, names_json::read(&names).unwrap()).map_err(|e| e.to_string())
    };
    let error = |text: &str| read(text).expect_err("it is damaged");
    let third = written.split_inclusive('\n').nth(2).unwrap();
    let before: usize = written.split_inclusive('\n').take(2).map(str::len).sum();
    let with =
        |line: &str| format!("{}{line}{}", &written[..before], &written[before + third.len()..]);
    for (text, said) in [
        (written[..written.len() - 9].to_owned(), "not a record"),
        (written[..written.len() - 1].to_owned(), "cut off"),
        (with(""), "line 3: record 2 is expected here"),
        (
            with(&third.replace("\"what\":\"", "\"what\":\"un")),
            "line 3: there are no records of the kind `un",
        ),
        (
            with(&third.replace("\"actor\":\"user\"", "\"actor\":\"you\"")),
            "line 3: `actor` cannot be \"you\"",
        ),
        (
            with(&third.replace("\"cause\":null", "\"cause\":2")),
            "line 3: `cause` is 2, a later record",
        ),
        (with("{}\n"), "line 3: not a record: missing field `id`"),
        (with("\u{0}\n"), "line 3: not a record"),
    ] {
        let error = error(&text);
        assert!(error.contains(said), "{error}");
    }
    // Cut anywhere, flipped anywhere: an error or a trace, never a panic.
    for at in (0..written.len().min(20_000)).step_by(7) {
        if written.is_char_boundary(at) {
            let _ = read(&written[..at]);
            let mut bytes = written.as_bytes()[..(at + 2_000).min(written.len())].to_vec();
            if let Some(b) = bytes.get_mut(at) {
                *b ^= 3;
            }
            let _ = read(&String::from_utf8_lossy(&bytes));
        }
    }
    let text = String::from_utf8(names).unwrap();
    let node = plan.nodes[0].name.as_str();
    for (from, to) in [
        ("{", "["),
        ("\"owners\":[", "\"owners\":[99999,"),
        ("\"templates\":[[", "\"templates\":[[0,77777],["),
        ("\"operator\":\"", "\"operator\":\"un"),
        ("\"requests\":{", "\"requests\":{\"you\":[],"),
        ("\"nodes\":[", &format!("\"nodes\":[\"{node}\",")),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(names_json::read(text.replacen(from, to, 1).as_bytes()).is_err(), "{from} as {to}");
    }
}
