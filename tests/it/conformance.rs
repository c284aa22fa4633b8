//! The model against what upstream's own controllers did: all recordings of `tests/traces`.
//!
//! None may differ; undecided is allowed only where several outcomes were recorded, and so chance
//! plays a part.

use super::invariants;
use super::scenarios::scenarios_of;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taintsim::api::kubectl_taint::TaintEdit;
use taintsim::kernel::Dur;
use taintsim::plan::{Connections, Do, NodeFault, Plan};
use taintsim::scenario::{Overrides, build, load};
use taintsim_referee::conform::{Counts, MODELS};
use taintsim_referee::conformance::{Checked, Models, Options, Verdict, check};
use taintsim_referee::recorded::{Observed, Recorded, parse, read, scenario_of};

fn recordings(folder: &str) -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    files.iter().flat_map(|f| read(f).unwrap_or_else(|e| panic!("{} {e}", f.display()))).collect()
}

fn replay(recordings: &[Recorded]) -> Vec<Checked> {
    recordings
        .par_iter()
        .map(|r| {
            let seeded = |plan: &Plan, seed| {
                let trace = (MODELS.seeded)(plan, seed);
                invariants::hold(plan, &trace, &format!("{} {}", r.release, r.scenario.name));
                trace
            };
            check(r, Models { seeded: &seeded, ..MODELS }, Options::default())
        })
        .collect()
}

/// Counts by release, and says of each recording that differs where it does.
#[expect(
    clippy::print_stdout,
    reason = "the counts are shown with --nocapture and when the test fails"
)]
fn judge(recordings: &[Recorded], checked: &[Checked]) -> (Counts, Vec<String>) {
    let (mut all, mut by_release, mut wrong) =
        (Counts::default(), BTreeMap::<&str, Counts>::new(), Vec::new());
    for (r, c) in recordings.iter().zip(checked) {
        all.add(&c.verdict);
        by_release.entry(&r.release).or_default().add(&c.verdict);
        // No two of the runs behind an envelope are equal.
        let several = matches!(
            r.observed,
            Observed::Timelines { distinct: 2.., .. } | Observed::Envelope { .. }
        );
        match &c.verdict {
            Verdict::Differs(how) => {
                wrong.push(format!("{} {} differs: {how}", r.release, r.scenario.name))
            }
            v if v.is_undecided() && !several => {
                wrong.push(format!(
                    "{} {} is undecided, but has one outcome: {}",
                    r.release, r.scenario.name, c.detail
                ));
            }
            _ => {}
        }
    }
    for (release, counts) in &by_release {
        println!("{release:<9} {counts}");
    }
    println!("all       {all}");
    (all, wrong)
}

#[test]
fn no_recorded_timeline_differs() {
    let recordings = recordings("timelines");
    let (counts, wrong) = judge(&recordings, &replay(&recordings));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));

    assert_eq!((counts.total(), counts.not_modelled), (3317, 0));
    // Some scenarios, most of them with latencies, have more outcomes than are kept.
    assert!(counts.conform >= 3130, "only {counts}");
}

#[test]
fn the_seeds_stay_inside_the_envelopes() {
    let recordings = recordings("envelopes");
    let (counts, wrong) = judge(&recordings, &replay(&recordings));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Eight leave room for chance: when pods that share a claim are evicted, under 1.33 and 1.34 (`device-shared`); how
    // long after an outage of the API server the cache hears again, under 1.34 (`disk-outage`); which of 31 dead nodes of a
    // large zone are tainted first, under 1.23 and 1.35; which of three nodes gets each token, under 1.33. In all of them the
    // default order of everything is the least likely one. And which of a budget's two events comes first, under 1.19 and 1.20.
    assert!(counts.total() == 507 && counts.conform >= 499, "only {counts}");
}

/// What the recorder has none of in the scenarios of machines that go off.
const GO_OFF: &str = "machines that are told to go off; pods that take their own time to start or stop (`pod_start`, `pod_stop`)";

/// The recorder has no node readiness controller.
const READINESS: &str = "node readiness rules";

/// What the recorder cannot say of scenarios that ship, even with `timing: Ideal`.
const UNSAID: [(&str, &str); 15] = [
    ("cold-images", "pulls of images (`image`)"),
    ("crash-while-marking-pods", "trouble that is left to the choices, and tapes"),
    ("drain-or-shutdown", GO_OFF),
    ("graceful-shutdown", GO_OFF),
    ("memory-leak", "what pods or nodes use"),
    ("node-readiness", READINESS),
    ("pressure-daemon-set", "what pods or nodes use"),
    ("pressure-gap", "what pods or nodes use"),
    ("pressure-loop", "what pods or nodes use"),
    ("readiness-bootstrap-orphan", READINESS),
    ("readiness-label-change", READINESS),
    ("readiness-rule-deleted", READINESS),
    ("relisted", "trouble that is left to the choices, and tapes"),
    ("slow-start", "probes, and containers that end by themselves"),
    ("successor-evicted", "trouble that is left to the choices, and tapes"),
];

/// `conform --record` hands over every scenario that ships, but for those; what it hands over is read again with all of its
/// objects and actions.
#[test]
fn scenarios_that_ship_can_be_recorded() {
    let ideal = Overrides { timing: Some("ideal".to_owned()), ..Overrides::default() };
    let mut unsaid = Vec::new();
    for file in scenarios_of(&["scenarios", "scenarios/races"]) {
        let plan = build(&load(&file).expect("it loads"), &ideal).expect("it is right");
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        match scenario_of(&plan) {
            Err(missing) => unsaid.push((name.into_owned(), missing.join("; "))),
            Ok(text) => {
                let release = &plan.profile.release;
                let whole = format!(
                    r#"{{"kubernetes": "{release}", "outcomes": [{{"count": 1, "events": []}}], "scenario": {text}}}"#
                );
                let again = parse(whole.as_bytes()).expect("it is whole")[0]
                    .plan()
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                assert_eq!(objects(&plan), objects(&again), "{name}");
                // What clients reach, and the end of something that ends by itself, are of no concern to the API.
                let said = |act: &Do| {
                    !matches!(
                        act,
                        Do::Fail(_, NodeFault::Isolated)
                            | Do::Recover(_, NodeFault::Isolated)
                            | Do::Over
                    )
                };
                let acts = |p: &Plan| -> Vec<_> {
                    let all = p.actions.iter().map(|a| match a.act.clone() {
                        // The recorder's user replaces what is there.
                        Do::Taint(nodes, edit) => {
                            Do::Taint(nodes, TaintEdit { overwrite: true, ..edit })
                        }
                        // What it sets has no value from before to go back to.
                        Do::Recover(nodes, NodeFault::Condition(kind, _)) => {
                            Do::Fail(nodes, NodeFault::Condition(kind, kind.healthy()))
                        }
                        Do::Recover(nodes, NodeFault::ClockSkew(_)) => {
                            Do::Fail(nodes, NodeFault::ClockSkew(0))
                        }
                        Do::Recover(nodes, NodeFault::SlowHeartbeats(_)) => {
                            Do::Recover(nodes, NodeFault::SlowHeartbeats(Dur::ZERO))
                        }
                        Do::Recover(nodes, NodeFault::Cut(_)) => {
                            Do::Recover(nodes, NodeFault::Cut(Connections::Dropped))
                        }
                        act => act,
                    });
                    all.filter(said).collect()
                };
                assert_eq!(acts(&plan), acts(&again), "{name}");
            }
        }
    }
    unsaid.sort();
    let expected: Vec<_> =
        UNSAID.iter().map(|(name, what)| ((*name).to_owned(), (*what).to_owned())).collect();
    assert_eq!(unsaid, expected);
}

/// The objects of a plan, with their templates in place of those' numbers.
fn objects(p: &Plan) -> Vec<String> {
    let template = |i: u32| {
        let mut t = p.templates[i as usize].clone();
        // Which of a plan's workloads it is follows from its name.
        if let Some(owner) = &mut t.owner {
            owner.object = None;
        }
        t
    };
    let pods = p.pods.iter().map(|pod| {
        let of = (&pod.name, pod.node, &pod.start, template(pod.template));
        format!("{of:?}")
    });
    let workloads = p.workloads.iter().map(|w| {
        let of = (&w.name, w.owner, &w.selector, template(w.template), w.node);
        format!("{of:?} {:?} {:?}", w.min_ready_seconds, w.spec)
    });
    let nodes = p.nodes.iter().map(|n| {
        let of = (&n.name, &n.taints, n.unschedulable, &n.start);
        format!("{of:?}")
    });
    let others = format!(
        "{:?} {:?} {:?} {:?} {:?}",
        p.budgets, p.namespaces, p.admission, p.scheduler, p.controllers
    );
    nodes.chain(pods).chain(workloads).chain([others]).collect()
}
