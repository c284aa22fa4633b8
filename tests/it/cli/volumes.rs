//! Volumes are not simulated, and whoever gives a figure of a workload that has some says so.

use super::Scratch;

/// A Deployment whose pod mounts a PersistentVolumeClaim.
const EXPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/one-claim.json");
const SAID: &str = "Not simulated: volumes of shop/db.";

#[test]
fn an_import_keeps_whose_volumes_there_are() {
    let scratch = Scratch::new();
    let imported = scratch.call(&["import", EXPORT]);
    assert_eq!(imported.code, 0, "{}", imported.stderr);
    let said = "not simulated: volumes of shop/db";
    assert!(imported.stdout.contains(said), "{}", imported.stdout);
    scratch.write("a.ron", &imported.stdout);
    let ran = scratch.call(&["run", "a.ron"]);
    assert!(ran.stdout.contains(SAID), "{}", ran.stdout);
    let summary = scratch.read("output/a/summary.json");
    let summary = String::from_utf8_lossy(&summary);
    assert!(summary.contains(SAID), "{summary}");
}

#[test]
fn every_command_with_a_figure_says_so() {
    let scratch = Scratch::new();
    let imported = scratch.call(&["import", EXPORT]);
    scratch.write("a.ron", &imported.stdout);
    for words in [
        &["forecast", EXPORT, "-q", "--seeds", "2"][..],
        &["forecast", EXPORT, "-q", "--seeds", "2", "-o", "json"],
        &["sweep", "a.ron", "-q", "--seeds", "2"],
        &["diff", "a.ron", "--against-seed", "2", "-q"],
        &["survey", EXPORT, "-q", "--lose", "zone"],
        &["survey", EXPORT, "-q", "--lose", "zone", "-o", "json"],
    ] {
        let called = scratch.call(words);
        assert!(called.stdout.contains(SAID), "{words:?}: {}{}", called.stdout, called.stderr);
    }
}

#[test]
fn explain_says_so_of_who_has_volumes_alone() {
    let scratch = Scratch::new();
    let imported = scratch.call(&["import", EXPORT]);
    scratch.write("a.ron", &imported.stdout);
    let says = |object: &str| {
        let called = scratch.call(&["explain", "a.ron", object]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        called.stdout.contains("Not simulated: volumes.")
    };
    let says = ["db", "db-abc-x1", "a1"].map(says);
    assert_eq!(says, [true, true, false]);
}

/// The only pod has a volume that stays with its lost node: when to evict it is not known.
#[test]
fn a_toleration_of_a_pod_with_a_volume_is_not_chosen() {
    let scratch = Scratch::new();
    let chosen = "workloads.db.template.tolerations[unreachable].tolerationSeconds=0,300";
    let planned = scratch
        .call(&["plan", EXPORT, "-q", "--preset", "cloud", "--budget", "2s", "--choose", chosen]);
    assert_eq!(planned.code, 2, "{}", planned.stdout);
    assert!(planned.stderr.contains("not simulated"), "{}", planned.stderr);
    assert!(!planned.stdout.contains("Recommendation"), "{}", planned.stdout);
}

/// The figure is the least that it can be, so that being below a limit says nothing.
#[test]
fn a_limit_is_not_kept_by_what_is_not_known() {
    let scratch = Scratch::new();
    for (limit, code) in [("down>2h", 1), ("evicted>100", 0)] {
        let words = ["survey", EXPORT, "-q", "--lose", "node", "--fail-on", limit];
        let called = scratch.call(&words);
        let open = called.stdout.contains("not known of node/");
        assert_eq!((called.code, open), (code, code == 1), "{}", called.stdout);
    }
}
