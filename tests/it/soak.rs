//! Random scenarios of the whole language hold everything that must hold. A little of it here;
//! hours of it by `taintsim soak --time 8h`.

use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use taintsim::profiles::Release;
use taintsim::scenario::{self, Overrides};
use taintsim_referee::soak::{self, Soaked, Verdict};

/// What no random scenario has: it names files, says what only `taintsim test` does with the
/// scenario, is written by being left out, or is always refused, as of states of zones and of the
/// whole cluster no node is named.
const LEFT_OUT: [&str; 24] = [
    "Scenario.cluster",
    "Cluster.From",
    "Distribution.Empirical",
    "FaultModel.trace",
    "FaultTrace.file",
    "FaultTrace.format",
    "HistoryFormat=Csv",
    "HistoryFormat=Fta",
    "HistoryFormat=Google",
    "HistoryFormat=Prometheus",
    "HistoryFormat=SimGrid",
    "Scenario.golden",
    "Scenario.guards",
    "Cut=Network",
    "Connections=Dropped",
    "WatchCache=Lost",
    "RegistryFails=Refused",
    "ProvisioningFails=Internal",
    "Each=Object",
    "DisruptionSeen.node",
    "DisruptionSeen.nodes",
    "DisruptionSeen.zone",
    "ZoneSeen.node",
    "ZoneSeen.nodes",
];

/// How many random scenarios are run. Two thousand took a sixth of the time of all integration tests; what a thousand do
/// not find is for `taintsim-soak --runs 200000`.
const RUN: u64 = 1_000;
/// Among how many random scenarios the whole language is used.
const DRAWN: u64 = 20_000;

/// The scenarios that are run, and what they use: two tests ask for it.
fn soaked() -> &'static Soaked {
    static SOAKED: OnceLock<Soaked> = OnceLock::new();
    SOAKED.get_or_init(|| {
        let schema = taintsim::language::schema();
        let pool = rayon::ThreadPoolBuilder::new().build().unwrap();
        soak::soak(&schema, (1, RUN), &pool, &soak::results, &mut |_, _| true)
    })
}

#[test]
fn random_scenarios_hold_everything() {
    let Soaked { runs, too_long, found, .. } = soaked();
    assert_eq!(*found, [], "write the scenario with `taintsim soak --print --seed N`");
    assert!(*too_long < runs / 50, "{too_long} of {runs} took too long");
}

/// A little of `taintsim-soak --healthy 1000`.
#[test]
fn no_property_is_violated_where_nothing_is_wrong() {
    let found: Vec<_> = (1..=20_u64).into_par_iter().flat_map_iter(|s| soak::alarms(s).0).collect();
    assert_eq!(found, [], "write the scenario with `taintsim-soak --healthy 1 --print --seed N`");
}

/// What random scenarios and others found, each made as small as it goes.
#[test]
fn what_soaking_found_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/soaked");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(&folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    let failed: Vec<(PathBuf, Verdict)> = files
        .into_par_iter()
        .map(|file| {
            let loaded = scenario::load(&file).unwrap();
            let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
            let verdict = soak::check(
                &loaded,
                &plan,
                scenario::seed(&loaded, &Overrides::default()).unwrap(),
                &soak::results,
            );
            (file, verdict)
        })
        .filter(|(_, verdict)| !matches!(verdict, Verdict::Fine(_)))
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn random_scenarios_use_the_whole_language() {
    let schema = taintsim::language::schema();
    let mut unused: BTreeSet<String> = soak::everything();
    unused.extend(Release::all_minors().map(|r| format!("release 1.{}", r.minor)));
    unused.retain(|word| !LEFT_OUT.contains(&word.as_str()) && !soaked().used.contains_key(word));
    // What is rare is looked for in more scenarios, which need not be run.
    let more: Vec<u64> = (RUN + 1..=DRAWN).collect();
    for seeds in more.chunks(250) {
        if unused.is_empty() {
            break;
        }
        let used: BTreeSet<String> =
            seeds.par_iter().flat_map_iter(|seed| soak::random(&schema, *seed).used).collect();
        unused.retain(|word| !used.contains(word));
    }
    assert!(unused.is_empty(), "no random scenario has {unused:?}");
}
