//! What is said of workloads whose pods have disks; and of volumes of which nothing is known, which are not
//! simulated, whoever gives a figure of a workload that has some says so.

use super::Scratch;

/// A Deployment of one pod on `a1`, whose claim is not in the file: it is taken for a cloud's disk.
const ASSUMED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/one-claim.json");
/// The same, with a volume that is reached from a zone in which no node is.
const EXPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/unreached-claim.json");
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

/// a1 is lost for ten minutes. Whatever is tolerated, the disk stays attached to it until its machine has booted (30 s)
/// and its kubelet has ended the old pod (within 1.1 s of its start and a second of its sync) and said with a status
/// report that the disk is not in use (every 10 s, 4 % jitter); it is detached and attached (5 s and up to 0.8 s until
/// that is seen, each), and the new pod starts (2 s). So below need for 10m30s to 11m10s; of a zone that is lost as
/// well, and Pending meanwhile, to within its next try (up to 5m) of that.
#[test]
fn a_lost_node_keeps_the_disk_of_its_pod() {
    let scratch = Scratch::new();
    let words = ["survey", ASSUMED, "-q", "--lose", "node,zone", "-o", "json"];
    let called = scratch.call(&words);
    assert_eq!(called.code, 0, "{}", called.stderr);
    let told: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    let losses = told["rows"].as_array().unwrap();
    let of = |name: &str| losses.iter().find(|l| l["lost"] == name).unwrap();
    let down = of("node/a1")["workloads"][0]["down_minutes"].as_f64().unwrap();
    assert!((10.5..=11.2).contains(&down), "{down}");
    assert_eq!(of("node/a1")["workloads"][0]["unattached"], 1, "{}", of("node/a1"));
    let zone = &of("zone/a")["workloads"][0];
    assert_eq!(zone["pending"], 1, "{zone}");
    let why = zone["why_pending"].as_str().unwrap();
    assert!(why.contains("didn't match PersistentVolume's node affinity"), "{why}");
    let notes = told["notes"].to_string();
    assert!(notes.contains("Assumed: volumes of shop/db are a cloud's disks"), "{notes}");
    let text = scratch.call(&["survey", ASSUMED, "-q", "--lose", "node"]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "the volume stays attached to the lost node; no tolerationSeconds changes that"
        ),
        "{text}"
    );
}

/// Of a claim that is not in the file a plan says what it takes it for.
#[test]
fn a_plan_says_what_it_takes_a_claim_for() {
    let scratch = Scratch::new();
    let chosen = "workloads.db.template.tolerations[unreachable].tolerationSeconds=0,300";
    let words = ["plan", ASSUMED, "-q", "--preset", "cloud", "--budget", "3s", "--choose", chosen];
    let planned = scratch.call(&words);
    assert!(planned.stdout.contains("Assumed: volumes of shop/db"), "{}", planned.stdout);
    assert!(planned.stdout.contains("Assumed: volumes take 5s to attach"), "{}", planned.stdout);
    assert!(!planned.stderr.contains("not simulated"), "{}", planned.stderr);
}

/// a1 has been silent for 50 s when the export is taken, and stays so: its pod is evicted, and its successor, which has
/// a node, is down for as long as that lasts. With the taint it is not.
#[test]
fn a_forecast_says_who_waits_for_a_disk() {
    let scratch = Scratch::new();
    let export = std::fs::read_to_string(ASSUMED).unwrap();
    let fresh = r#""a1", "leaseDurationSeconds": 40, "renewTime": "2026-11-22T12:00:00.000000Z""#;
    assert!(export.contains(fresh));
    let old = fresh.replace("12:00:00", "11:59:10");
    scratch.write("silent.json", export.replace(fresh, &old));
    let taint = "kubectl taint nodes a1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";
    let words = ["forecast", "silent.json", "-q", "--seeds", "3", "--what-if", taint];
    let said = scratch.call(&words).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for wanted in [
        "1 pod is Pending at the end",
        "Multi-Attach error for volume",
        "After the last two a volume stays attached for 6 minutes",
        "1 stuck, 1 Pending at the end",
        "0 stuck, 0 Pending at the end",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// How long a driver takes is assumed until it is said: ten seconds more to attach, after it was detached as before, and
/// what is down is down for as much longer; to within what passes until that is seen (up to 0.8 s each, 4 % of the 10 s
/// of a status report).
#[test]
fn what_a_driver_takes_can_be_said() {
    let scratch = Scratch::new();
    let down = |set: &[&str]| {
        let words = ["survey", ASSUMED, "-q", "--lose", "node", "-o", "json"];
        let called = scratch.call(&[&words[..], set].concat());
        assert_eq!(called.code, 0, "{}", called.stderr);
        let told: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
        let all = told["rows"].as_array().unwrap();
        let of = all.iter().find(|l| l["lost"] == "node/a1").unwrap();
        let notes = told["notes"].to_string();
        (60.0 * of["workloads"][0]["down_minutes"].as_f64().unwrap(), notes)
    };
    let (usual, notes) = down(&[]);
    assert!(notes.contains("volumes take 5s to attach and 5s to detach"), "{notes}");
    let both = ["--set", "timing.attacher.attach=15s", "--set", "timing.attacher.detach=5s"];
    let (slow, notes) = down(&both);
    assert!(!notes.contains("to attach"), "{notes}");
    assert!((8.0..=12.5).contains(&(slow - usual)), "{usual} s, {slow} s");
}
