//! The catalogue of known races: each of its scenarios violates what it says on the releases that
//! it names, and on no other.
//!
//! Beside its expectations, which are held for the scenario's own release, a comment says
//!
//! ```text
//! //= violates PROPERTY on RELEASES     in each of these releases, in the default order and with three seeds
//! //= holds PROPERTY on RELEASES        in none of them
//! ```
//!
//! RELEASES are releases with commas between them, `1.32` the last patch of a minor, `1.20.4` a
//! patch, `1.18..1.32` the last patch of each.

use super::invariants;
use super::scenarios::{scenarios_of, unmet};
use std::path::Path;
use taintsim::analysis::Analysis;
use taintsim::analysis::properties::{Property, check};
use taintsim::kernel::Choices;
use taintsim::scenario::{Loaded, Overrides, build, load};
use taintsim::sim::{replay, run};

/// Whether a property is violated on some releases.
struct Verdict {
    violates: bool,
    property: Property,
    releases: Vec<String>,
}

fn verdict(text: &str) -> Option<Verdict> {
    let (violates, rest) = match text.split_once(' ')? {
        ("violates", rest) => (true, rest),
        ("holds", rest) => (false, rest),
        _ => return None,
    };
    let (property, releases) =
        rest.split_once(" on ").unwrap_or_else(|| panic!("{text}: on which releases?"));
    let property = Property::parse(property).unwrap_or_else(|e| panic!("{text}: {e}"));
    let minor = |r: &str| {
        r.trim()
            .strip_prefix("1.")
            .and_then(|m| m.parse::<u32>().ok())
            .unwrap_or_else(|| panic!("{text}: {r}"))
    };
    let releases = releases.split(',').flat_map(|r| match r.split_once("..") {
        Some((from, to)) => (minor(from)..=minor(to)).map(|m| format!("1.{m}")).collect(),
        None => vec![r.trim().to_owned()],
    });
    Some(Verdict { violates, property, releases: releases.collect() })
}

fn loaded(file: &Path) -> Loaded {
    load(file).unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 120)))
}

fn choices(seed: u64) -> Choices {
    if seed == 0 { Choices::default_order() } else { Choices::seeded(seed) }
}

/// What a scenario says and is not so.
fn broken(file: &Path) -> String {
    let loaded = loaded(file);
    let name = file.file_name().unwrap().to_string_lossy();
    let claims = loaded.source.text.lines().filter_map(|l| l.strip_prefix("//= "));
    let verdicts: Vec<Verdict> =
        claims.map(|text| verdict(text).unwrap_or_else(|| panic!("{name}: {text}"))).collect();
    assert!(!verdicts.is_empty(), "{name} names no property");
    assert!(loaded.spec.kubernetes.is_some(), "{name} names no release");
    let mut broken = String::new();
    let plan_for = |release: &str| {
        let overrides = Overrides { kubernetes: Some(release.to_owned()), ..Overrides::default() };
        build(&loaded, &overrides)
            .unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 120)))
    };
    for v in &verdicts {
        for release in &v.releases {
            let plan = plan_for(release);
            // A tape leaves nothing to chance.
            for seed in 0..if plan.tape.is_some() { 1 } else { 4 } {
                let trace = if plan.tape.is_some() {
                    replay(&plan).trace
                } else {
                    run(&plan, choices(seed))
                };
                invariants::hold(&plan, &trace, &format!("{name} on {release} (seed {seed})"));
                let found = check(&v.property, &Analysis::new(&plan, &trace));
                if found.is_empty() == v.violates {
                    let what = found.first().map_or("no violation", |f| &f.text);
                    broken.push_str(&format!(
                        "{name}: {} on {release} (seed {seed}): {what}\n",
                        v.property
                    ));
                }
            }
        }
    }
    broken.push_str(&unmet(file));
    broken
}

#[test]
fn every_race_is_where_it_is_said_to_be() {
    let files = scenarios_of(&["scenarios/races"]);
    assert!(files.len() >= 20);
    let broken: String = files.iter().map(|f| broken(f)).collect();
    assert!(broken.is_empty(), "\n{broken}");
}

/// The page lists every scenario of the folder.
#[test]
fn the_page_of_races_is_complete() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/races.md"))
        .unwrap();
    for file in scenarios_of(&["scenarios/races"]) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        assert!(page.contains(&name), "docs/races.md does not mention {name}");
    }
}
