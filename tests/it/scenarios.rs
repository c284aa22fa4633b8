//! Every scenario that ships meets its expectations, in the default order and with three seeds:
//! what is left to chance must not matter.
//!
//! Its golden timeline is that of its own seed, and each setting that it says it guards breaks an
//! expectation when it is changed.

use super::invariants;
use std::path::{Path, PathBuf};
use taintsim::analysis::Analysis;
use taintsim::analysis::expect::verdicts;
use taintsim::kernel::{Choices, Time};
use taintsim::lab::Trial;
use taintsim::report::trials;
use taintsim::scenario::{Loaded, Overrides, build, expecting, load};
use taintsim::sim::{replay, run};
use taintsim::trace::{Record, What};

/// The scenarios of folders, by name.
pub(crate) fn scenarios_of(folders: &[&str]) -> Vec<PathBuf> {
    let of = |folder: &&str| {
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap()
    };
    let mut files: Vec<PathBuf> = folders.iter().flat_map(of).map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ron"));
    files.sort();
    files
}

/// Those that are tests of the model as a whole; `races.rs` has the others.
fn scenarios() -> Vec<PathBuf> {
    scenarios_of(&["scenarios", "scenarios/measured"])
}

fn loaded(file: &Path) -> Loaded {
    load(file).unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 120)))
}

/// The expectations of a scenario that are not met, in the default order or with one of three
/// seeds. Each must expect something.
pub(crate) fn unmet(file: &Path) -> String {
    let mut broken = String::new();
    let loaded = loaded(file);
    let (plan, expectations) = expecting(&loaded, &Overrides::default())
        .unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 120)));
    assert!(!expectations.list.is_empty(), "{} expects nothing", loaded.name);
    assert!(!loaded.spec.doc.is_empty(), "{} does not say what it is about", loaded.name);
    // A tape leaves nothing to chance.
    for seed in
        [None, Some(1), Some(2), Some(3)].into_iter().take(if plan.tape.is_some() { 1 } else { 4 })
    {
        let choices = seed.map_or_else(Choices::default_order, Choices::seeded);
        let trace = if plan.tape.is_some() { replay(&plan).trace } else { run(&plan, choices) };
        let how = seed.map_or("default order".to_owned(), |s| format!("--seed {s}"));
        invariants::hold(&plan, &trace, &format!("{} ({how})", file.display()));
        for (verdict, e) in verdicts(&expectations.list, &Analysis::new(&plan, &trace))
            .into_iter()
            .zip(&expectations.list)
        {
            if !verdict.is_met() {
                let (line, _) = loaded.source.line_and_column(e.bytes.start);
                broken.push_str(&format!(
                    "{}:{line} ({how}): {}: {verdict:?}\n",
                    file.display(),
                    e.kind
                ));
            }
        }
        if trace.iter().any(|r| matches!(r.what, What::Refused(_))) {
            broken.push_str(&format!("{} ({how}): kubectl refuses an action\n", file.display()));
        }
    }
    broken
}

#[test]
fn every_scenario_meets_its_expectations_whatever_chance_does() {
    assert!(scenarios().len() >= 35);
    let broken: String = scenarios().iter().map(|f| unmet(f)).collect();
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn every_scenario_has_its_golden_timeline() {
    for file in scenarios() {
        let loaded = loaded(&file);
        let trial = Trial::new(&loaded, Overrides::default()).unwrap();
        let (name, _) = trial
            .expectations()
            .golden
            .as_ref()
            .unwrap_or_else(|| panic!("{} names no golden timeline", loaded.name));
        let golden = std::fs::read_to_string(file.with_file_name(name))
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let (_, timeline) = trial.run(&|| true, &trials::golden).unwrap();
        let timeline = timeline.unwrap();
        assert_eq!(trials::compare(&golden, &timeline), Ok(None), "{}", loaded.name);
        assert_eq!(
            trials::may_replace(&golden, &timeline),
            Ok(()),
            "{} is of another release",
            loaded.name
        );
    }
}

#[test]
fn every_scenario_guards_what_it_says() {
    for file in scenarios_of(&["scenarios", "scenarios/measured", "scenarios/races"]) {
        let loaded = loaded(&file);
        let trial = Trial::new(&loaded, Overrides::default()).unwrap();
        let guards = &trial.expectations().guards;
        assert!(!guards.is_empty(), "{} guards nothing", loaded.name);
        let (outcome, _) = trial.run(&|| true, &|_, _| ()).unwrap();
        for (guard, _) in guards {
            let broken = trial
                .is_guarded(guard, &outcome, &|| true)
                .unwrap_or_else(|p| panic!("{}: {guard}: {p}", loaded.name));
            assert_eq!(
                broken,
                Some(true),
                "{}: with {guard} every expectation is still met",
                loaded.name
            );
        }
    }
}

/// Of 100 starts in a full outage as many taint a node as are drawn to, 932 in a thousand with five
/// nodes (940 · 600 / 605), but for some eight of a hundred in which a node still has its taint of
/// before: 86, and three deviations of 3.5 to either side.
#[test]
fn controllers_that_start_in_a_full_outage_taint_as_often_as_was_measured() {
    let file = scenarios_of(&["scenarios/measured"]);
    let file = file.iter().find(|f| f.ends_with("restart-in-full-outage.ron"));
    let loaded = loaded(file.expect("it ships"));
    let plan = build(&loaded, &Overrides::default()).unwrap();
    let restart = Time::from_secs(244);
    let taints = |seed: &u64| {
        let trace = run(&plan, Choices::seeded(*seed));
        let is_late = |r: &Record| matches!(r.what, What::TimerSet(_)) && r.at > restart;
        trace.iter().any(is_late)
    };
    let tainted = (1..=100).filter(taints).count();
    assert!((75..=97).contains(&tainted), "{tainted}");
}
