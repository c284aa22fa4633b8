//! Tests of `prove`, without a recorder: what the model itself writes down is judged as a recording.

use super::judge::{By, Judged, Tape, by};
use super::runs::{Run, read};
use super::steer::{Steered, moved};
use super::told::told;
use crate::conformance::{as_written, lines};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, check};
use taintsim::kernel::Choices;
use taintsim::plan::{Plan, Whom};
use taintsim::scenario::{Overrides, build, load};
use taintsim::sim;
use taintsim::trace::Trace;

fn catalogue() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/races");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("it is there")
        .map(|e| e.expect("a file").path())
        .collect();
    files.sort();
    files
}

fn race(name: &str, release: &str) -> Plan {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/races").join(name);
    let overrides = Overrides { kubernetes: Some(release.to_owned()), ..Overrides::default() };
    build(&load(&file).expect("it loads"), &overrides).expect("it builds")
}

/// What a recorder would have of a run of the model.
fn recorded(trace: &Trace) -> Run {
    Run { lines: lines(trace), written: as_written(trace), unmet: 0 }
}

/// Records alone say of a run what the whole of it says, over the catalogue in three releases, in the default order
/// and with a seed; where they show less, they say nothing.
#[test]
fn properties_are_judged_by_records_as_by_the_whole_run() {
    let (mut violated, mut held) = (0, 0);
    for file in catalogue() {
        for release in ["1.20", "1.32", "1.34"] {
            let overrides =
                Overrides { kubernetes: Some(release.to_owned()), ..Overrides::default() };
            let Ok(plan) = build(&load(&file).expect("it loads"), &overrides) else { continue };
            for choices in [Choices::default_order(), Choices::seeded(1)] {
                let trace = sim::run(&plan, choices);
                for property in Property::NAMES.map(|name| Property::parse(name).expect("a name")) {
                    if by(&property) != By::Records {
                        continue;
                    }
                    let whole = !check(&property, &Analysis::new(&plan, &trace)).is_empty();
                    let tape = Tape::new(&plan, &trace, property);
                    let judged = tape.judge(&recorded(&trace));
                    let name = format!("{} {release} {property}", file.display());
                    assert!(judged.equal, "{name}");
                    assert_eq!(judged.unknown, None, "{name}");
                    assert!(whole || judged.violates.is_none(), "{name}: {judged:?}");
                    if whole {
                        // When master disruption begins is certain only half a minute later.
                        let late = matches!(property, Property::TaintStale { .. });
                        assert!(late || judged.violates.is_some(), "{name}");
                        violated += 1;
                    } else {
                        held += 1;
                    }
                }
            }
        }
    }
    assert!(violated >= 60 && held > 1000, "{violated} {held}");
}

/// Three runs of v1.34.4 that were steered: the watch of pods breaks when it would deliver that `db-0` is gone.
const RELISTED: &[u8] = include_bytes!("../../tests/proved/relisted.json");

/// The eviction's countdown ends at 15.001 s, as the watch took 1 ms. Its event is there 1 ms later, and the reply to that as much later; so are
/// the pod's condition, at 15.004 s, and its deletion, at 15.006 s. The kubelet takes a second, and the watch 1 ms: 16.007 s.
#[test]
fn a_tape_is_told_by_the_times_of_its_choices() {
    let plan = race("relisted.ron", "1.34");
    let told = told(&plan, "v1.34.4").expect("the recorder can say it");
    let mut meant = told.plan;
    let (run, unmet) = moved(&sim::replay(&plan), &mut meant, false);
    let steered = Steered::of(&run);
    assert_eq!((unmet, steered.left.len()), (0, 0));
    let said = json!({"what": "watch-broken", "object": "pods", "at": "16.007s", "takes": "1s"});
    assert_eq!(steered.said, std::slice::from_ref(&said));
    let scenario = steered.scenario(&told.text).expect("it is JSON");
    assert_eq!(scenario["steer"], json!([said]));
    assert_eq!(scenario, read(RELISTED).expect("runs").scenario, "as it was recorded");
}

#[test]
fn recorded_runs_confirm_a_tape() {
    let plan = race("relisted.ron", "1.34");
    let mut meant = told(&plan, "v1.34.4").expect("the recorder can say it").plan;
    let (run, _) = moved(&sim::replay(&plan), &mut meant, false);
    let judged = |property: &str| -> Vec<Judged> {
        let property = Property::parse(property).expect("a name");
        let tape = Tape::new(&meant, &run.trace, property);
        read(RELISTED).expect("runs").runs.iter().map(|run| tape.judge(run)).collect()
    };
    let stuck = judged("pod-stuck");
    assert_eq!(stuck.len(), 3);
    // The second pod is there from 17 s on and tolerates 5 s; a minute after that it is stuck.
    let says = |j: &Judged| j.violates.as_ref().is_some_and(|text| text.contains("at 1m22"));
    assert!(stuck.iter().all(|j| j.equal && j.unknown.is_none() && says(j)), "{stuck:?}");
    let kept = judged("needless-eviction");
    assert!(kept.iter().all(|j| j.equal && j.violates.is_none() && j.unknown.is_none()));
}

/// A run that comes out as the tape to the millisecond, but of which nothing shows that the deletion hit the wrong pod.
#[test]
fn what_does_not_show_is_not_known() {
    let plan = race("successor-killed.ron", "1.34");
    let run = sim::replay(&plan);
    let tape = Tape::new(&plan, &run.trace, Property::WrongPod);
    let whole = tape.judge(&recorded(&run.trace));
    assert!(whole.equal && whole.violates.is_some() && whole.unknown.is_none(), "{whole:?}");
    let mut hidden = recorded(&run.trace);
    hidden.written.retain(|(_, line)| line.what != "pod-deleting");
    let judged = tape.judge(&hidden);
    assert!(judged.violates.is_none() && judged.unknown.is_some(), "{judged:?}");
    // One that parts from the tape before the violation says nothing of it, and one that does so behind it confirms it.
    let mut early = recorded(&run.trace);
    early.lines.remove(0);
    assert_eq!(tape.judge(&early), Judged::default());
    let mut late = recorded(&run.trace);
    late.lines.pop();
    assert_eq!(tape.judge(&late), Judged { equal: false, ..whole });
}

/// Of the trouble that a tape may have each kind is said as the recorder has it, and what upstream draws is left to it.
#[test]
fn trouble_is_said_and_jitter_is_not() {
    let mut plan = race("restart-before-timer.ron", "1.34");
    (plan.perturb.crash, plan.perturb.request, plan.perturb.stale) =
        (Whom::ALL, Whom::ALL, Whom::ALL);
    let (mut said, mut left) = (BTreeSet::new(), BTreeSet::new());
    for seed in 1..=32 {
        let run = sim::search(&plan, Choices::seeded(seed));
        let steered = Steered::of(&run);
        let all = run.choices.iter().filter(|c| c.deviates()).count();
        assert_eq!(steered.all(), all);
        for one in &steered.said {
            let has = |key: &str| one[key].as_str().is_some_and(|text| !text.is_empty());
            assert!(has("object") && has("at") && has("takes") != has("becomes"), "{one}");
            said.extend(one["what"].as_str().map(str::to_owned));
        }
        left.extend(steered.left);
    }
    let kinds = ["crash", "request-fails", "request-late", "watch-held"].map(str::to_owned);
    assert_eq!(said, BTreeSet::from(kinds));
    // Answers of an API server that could not do it, 500 and 504, are not among the recorder's.
    left.remove("request-fails");
    assert!(!left.is_empty() && !left.iter().any(|point| said.contains(*point)), "{left:?}");
}

#[test]
fn what_is_not_recorded_run_by_run_is_refused() {
    let error = |text: &str| read(text.as_bytes()).err().expect("it is refused");
    assert!(error("[]").contains("record --each"));
    let with = |rest: &str| {
        format!(r#"{{"kubernetes": "v1.34.4", "scenario": {{}}, "outcomes": [{rest}]}}"#)
    };
    assert_eq!(error(&with("")), "has no runs");
    assert!(error(&with(r#"{"events": []}"#)).contains("in which order"));
    let line = r#"{"t_ns": 0, "actor": "user", "what": "node-created", "node": "n1"}"#;
    let twice = format!(r#"{{"events": [{line}, {line}], "written": [[0, 1], [0, 1]]}}"#);
    assert!(error(&with(&twice)).contains("not one of its records"));
}
