//! What is said of workloads whose pods have disks; and of volumes of which nothing is known, which are not
//! simulated, whoever gives a figure of a workload that has some says so.

use super::{Scratch, unfolded};

/// A Deployment of one pod on `a1`, whose claim is not in the file: it is taken for a cloud's disk.
const ASSUMED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/one-claim.json");
/// The same, with a volume that is reached from a zone in which no node is.
const EXPORT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/unreached-claim.json");
/// n1 has been silent for ten minutes; `web-1-old` and `db-0` are Terminating there, each with a disk, and `web-1-new`
/// has been bound to n2.
const OUTAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports/disk-outage.json");
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
    let zone = &of("zone/r/a")["workloads"][0];
    assert_eq!(zone["pending"], 1, "{zone}");
    let why = zone["why_pending"].as_str().unwrap();
    assert!(why.contains("didn't match PersistentVolume's node affinity"), "{why}");
    let notes = told["notes"].to_string();
    assert!(notes.contains("Assumed: volumes of shop/db are a cloud's disks"), "{notes}");
    let text = unfolded(&scratch.call(&["survey", ASSUMED, "-q", "--lose", "node"]).stdout);
    assert!(
        text.contains(
            "as volume of claim shop/db stays attached to the lost node; no tolerationSeconds changes that"
        ),
        "{text}"
    );
}

/// Of a claim that is not in the file a plan says what it takes it for.
#[test]
fn a_plan_says_what_it_takes_a_claim_for() {
    let scratch = Scratch::new();
    let chosen = "workloads.db.template.tolerations[unreachable].tolerationSeconds=0,300";
    let words =
        ["plan", ASSUMED, "-q", "--preset", "cloud", "--precision", "25%", "--choose", chosen];
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
    let said = unfolded(&scratch.call(&words).stdout);
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

/// When things happen on a course, in seconds after noon, by the middle of the seeds; a node that is back may get the
/// StatefulSet's pod again, so that its disk stays.
fn medians(course: &serde_json::Value) -> std::collections::BTreeMap<String, f64> {
    let seconds = |text: &str| {
        let of = |i: usize| text[i..].trim_end_matches('Z').parse::<f64>().unwrap();
        assert!(text.starts_with("2026-11-22T12:"), "{text}");
        60.0 * text[14..16].parse::<f64>().unwrap() + of(17)
    };
    let events = course["events"].as_array().unwrap().iter().map(|e| {
        let word = |field: &str| e[field].as_str().unwrap();
        assert!(e["share"] == 1.0 || course["course"] == "heal n1 @5m", "{e}");
        (format!("{} {}", word("what"), word("object")), seconds(word("median")))
    });
    events.collect()
}

#[track_caller]
fn within(at: f64, from: f64, to: f64) {
    assert!((from..=to).contains(&at), "{at} is not within {from} to {to}");
}

/// What people may do about two disks of a silent node, each by arithmetic from upstream's constants:
///
/// * nothing: `IsPodTerminated` is false of pods that are said to run, and nothing detaches what they want;
/// * the taint out-of-service at 2:00: a pass of the pod garbage collector, every 20 s (`gcCheckPeriod`), deletes the
///   pods, and the next turn of the reconciler (100 ms) detaches;
/// * `kubectl delete pod --force` at 0:01: the turn after it begins to wait, and the first more than six minutes later
///   (`ReconcilerMaxWaitForUnmountDuration`) detaches, as n1 is not Ready;
/// * `kubectl delete node` at 0:01: a pass within 20 s finds its pods without a node, and the first that is 40 s later
///   (`quarantineTime`) deletes them, at 0:41 to 1:02; six minutes begin;
/// * n1 is back at 5:00: its kubelet hears of its pods once its reflector has listed (a pause of at most a minute), ends
///   them (1 s), and says with a status (10 s and up to 4 %) that the disks are not in use.
///
/// A driver takes 5 s to detach. It is seen after one of pauses of up to 0.82 s, the loop turns, and the driver takes 5 s to
/// attach; after as long a pause and a turn of the kubelet's loop, 100 ms, the pod starts, in 2 s. Half a second is left
/// for requests.
#[test]
fn what_people_do_about_a_disk_decides_when_it_moves() {
    let scratch = Scratch::new();
    let words = [
        "forecast",
        OUTAGE,
        "-q",
        "--what-if",
        "kubectl taint nodes n1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute @2m",
        "--what-if",
        "kubectl delete pod web-1-old db-0 -n shop --force",
        "--what-if",
        "kubectl delete node n1",
        "--what-if",
        "heal n1 @5m",
    ];
    let called = scratch.call(&[&words[..], &["-o", "json"]].concat());
    assert_eq!(called.code, 0, "{}", called.stderr);
    let told: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert!(medians(&told).is_empty(), "{}", told["events"]);
    let count = |what: &str| told[what].as_array().map(Vec::len);
    assert_eq!((count("held"), count("what_if")), (Some(2), Some(4)));
    for (held, claim) in
        told["held"].as_array().unwrap().iter().zip(["shop/data-db-0", "shop/data-web"])
    {
        assert_eq!((&held["claim"], &held["share"]), (&claim.into(), &1.0.into()));
        let said = held["said"].as_str().unwrap();
        assert!(said.starts_with("is attached to n1, whose pod shop/"), "{said}");
        assert!(
            said.contains("the 6 minutes after which a volume is detached by force have not begun"),
            "{said}"
        );
    }
    let ranges = [
        (120.0 + 5.0, 120.0 + 20.0 + 0.1 + 5.0 + 0.5),
        (1.0 + 360.0 + 5.0, 1.0 + 360.0 + 0.2 + 5.0 + 0.5),
        (41.0 + 360.0 + 5.0, 62.0 + 360.0 + 0.2 + 5.0 + 0.5),
        (300.0 + 1.0 + 5.0, 300.0 + 60.0 + 1.0 + 10.4 + 5.0 + 0.5),
    ];
    for (course, (from, to)) in told["what_if"].as_array().unwrap().iter().zip(ranges) {
        assert!(course["held"].is_null(), "{course}");
        let at = medians(course);
        for (claim, pod) in [("shop/data-web", "shop/web-1-new"), ("shop/data-db-0", "shop/db-0")] {
            if course["course"] == "heal n1 @5m" && pod == "shop/db-0" {
                continue;
            }
            let of = |what: &str, object: &str| at[&format!("{what} {object}")];
            let (detached, attached) = (of("volume-detached", claim), of("volume-attached", claim));
            within(detached, from, to);
            within(attached, detached + 5.0, detached + 0.82 + 0.1 + 5.0 + 0.5);
            let ready = of("pod-ready", pod);
            // That of the StatefulSet is new on its node, whose next status first says that it wants the disk.
            let bound = at.get(&format!("pod-bound {pod}")).copied().unwrap_or_default();
            // That of the Deployment waits from the start: its kubelet gives up now and then, and looks again 10 to 15 s later.
            let pause = if pod == "shop/web-1-new" { 15.0 } else { 0.0 };
            let latest = (attached + 0.82 + 0.1 + 0.1 + pause).max(bound + 10.4 + 0.1);
            within(ready, attached + 2.0, latest + 2.0 + 0.5);
        }
    }
    // In the seeds in which its disk comes to n3 the pod is there, and on n1 in the others.
    let healed = told["what_if"][3]["events"].as_array().unwrap();
    let is_moved = |e: &&serde_json::Value| {
        e["what"] == "volume-attached" && e["object"] == "shop/data-db-0" && e["node"] == "n3"
    };
    let share = healed.iter().find(is_moved).and_then(|e| e["share"].as_f64()).unwrap();
    assert!(share < 1.0, "{share}");
    let on = format!("in {:.0} % of the seeds) on n3", share * 100.0);
    let said = unfolded(&scratch.call(&words).stdout);
    for wanted in [
        &*on,
        "Volumes, and the pods that have them shop/data-db-0 is attached to n1, whose pod shop/db-0 is being deleted",
        "A volume begins to be detached when its node is back and says so, within 10s;",
        "shop/data-web: detached 12:06:06 (in 6m6s) from n1; attached 12:06:1",
        "shop/web-1-new: Ready 12:06:1",
    ] {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
}

/// The pod that has the disk is deleted by force at 8:00, and its node at 10:00: nobody can do more than wait then.
#[test]
fn what_frees_a_disk_is_what_is_left_to_do() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "12m",
        nodes: [(names: "n{0..1}", zone: "a")],
        pods: [(name: "old", on: Node("n1"), volumes: [(claim: "data", zone: "a")]),
            (name: "new", on: Node("n0"), start: Pending, volumes: [(claim: "data", zone: "a")])],
        timeline: [(at: "1m", do: Crash(node: "n1")),
            (at: "8m", do: DeletePod(pods: Group("old"), gracePeriodSeconds: 0)),
            (at: "10m", do: DeleteNode(nodes: Node("n1")))])"#;
    scratch.write("disk.ron", text);
    for (at, left) in
        [("5m", [true, true, false]), ("9m", [true, false, true]), ("11m", [false, false, true])]
    {
        let called = scratch.call(&["explain", "disk.ron", "pod/default/new", "--at", at]);
        let said = unfolded(&called.stdout);
        let (_, frees) = said.split_once("what frees it: ").expect(&said);
        let ways = ["n1 is back", "deleted by force", "waiting, until the 6 minutes are over"];
        assert_eq!(ways.map(|way| frees.contains(way)), left, "{at}: {said} {}", called.stderr);
    }
}

/// n1 is well: its kubelet ends the pod that has the disk, which is to have 300 s from 2:00 on, and then says that it no longer uses
/// it. From 1.24 on nothing is detached by force from a node that is Ready (`reconciler.go: reconcile`, `isHealthy`), so that neither
/// a deletion by force, as at 3:00, nor a wait of six minutes frees anything; out of service is a node that is off.
#[test]
fn a_node_that_is_well_frees_a_disk_itself() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "12m",
        nodes: [(names: "n{0..1}", zone: "a")],
        pods: [(name: "old", on: Node("n1"), pod_stop: "200s", terminationGracePeriodSeconds: 300, volumes: [(claim: "data", zone: "a")]),
            (name: "new", on: Node("n0"), start: Pending, volumes: [(claim: "data", zone: "a")])],
        timeline: [(at: "2m", do: DeletePod(pods: Group("old"))),
            (at: "3m", do: DeletePod(pods: Group("old"), gracePeriodSeconds: 0))])"#;
    scratch.write("disk.ron", text);
    let told = |at: &str, release: &str, pod: &str| {
        let pod = format!("pod/default/{pod}");
        let release = format!("kubernetes={release}");
        let called = scratch.call(&["explain", "disk.ron", &pod, "--at", at, "--set", &release]);
        assert_eq!(called.code, 0, "{}", called.stderr);
        unfolded(&called.stdout)
    };
    for (at, frees) in [
        ("1m", "default/old ends or is deleted, and n1's kubelet says that it no longer uses it"),
        (
            "2m30s",
            "n1's kubelet stops the containers of default/old, which have 300 s from 2:00.000 on, and says that it no longer uses it",
        ),
        ("4m", "n1's kubelet says that it no longer uses it, once what still runs of the pod"),
    ] {
        let said = told(at, "1.34", "new");
        assert!(said.contains(&format!("what frees it: {frees}")), "{at}: {said}");
        assert!(!said.contains("out-of-service") && !said.contains("6 minutes"), "{at}: {said}");
        let old = told(at, "1.23", "new");
        assert!(old.contains(frees) && old.contains("6 minutes"), "{at}: {old}");
        assert!(!old.contains("unless"), "{at}: {old}");
    }
    let old = told("4m", "1.34", "old");
    assert!(
        old.contains("by force: no kubelet has said that its containers have stopped"),
        "{old}"
    );
}

/// n1 dies at 1:00, its pods are deleted at once when it is tainted, and their successors are bound to n0: that with the
/// disk waits for it, that without one has begun to start, which takes it longer than the run; a third finds no node.
#[test]
fn a_bound_pod_is_not_pending() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "3m",
        nodes: [(names: "n{0..1}", zone: "a")],
        workloads: [
            Deployment(name: "disk", replicas: 1, placement: Node("n1"), template: (volumes: [(claim: "data", zone: "a")],
                tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 0)])),
            Deployment(name: "slow", replicas: 1, placement: Node("n1"), template: (pod_start: "10m",
                tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 0)])),
            Deployment(name: "large", replicas: 1, template: (requests: {"cpu": "1k"})),
        ],
        timeline: [(at: "1m", do: Crash(node: "n1"))])"#;
    scratch.write("bound.ron", text);
    let ran = scratch.call(&["run", "bound.ron"]);
    let said = unfolded(&ran.stdout);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for wanted in
        ["; 1 waiting for a volume (Multi-Attach error", "; 1 starting", "; 1 pending (0/2 nodes"]
    {
        assert!(said.contains(wanted), "{wanted} in {said}");
    }
    let explained =
        unfolded(&scratch.call(&["explain", "bound.ron", "deployment/default/disk"]).stdout);
    let wanted = "1 of its pods is waiting for a volume at the end: Multi-Attach error";
    assert!(explained.contains(wanted), "{explained}");
}

/// The disk is detached from n0 once the drained pod has stopped, by 2:30, and attached to n1: from then on the pod waits for its init
/// container, which takes an hour, and for no volume, whatever was said of one.
#[test]
fn a_pod_that_has_its_disk_waits_for_none() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "20m",
        nodes: [(names: "n{0..1}", zone: "a")],
        workloads: [Deployment(name: "web", replicas: 1, placement: Node("n0"), template: (pod_stop: "20s", volumes: [(claim: "data")],
            initContainers: [(name: "migrate", ends: (after: "1h"))]))],
        timeline: [(at: "2m", do: Drain(node: "n0"))])"#;
    scratch.write("init.ron", text);
    let ran = unfolded(&scratch.call(&["run", "init.ron"]).stdout);
    assert!(ran.contains("waits for a volume that is attached elsewhere"), "{ran}");
    assert!(ran.contains("; 1 starting"), "{ran}");
    assert!(!ran.contains("waiting for a volume"), "{ran}");
    let lost = ["survey", "init.ron", "-q", "--only", "node/n0"];
    let lost = unfolded(&scratch.call(&lost).stdout);
    assert!(lost.contains("1: on their way"), "{lost}");
}

/// The driver takes 118 s to attach the disk of a cluster's only node, and is looked at every 7 s, so that after 2 minutes
/// (`csiTimeout`) the try has failed: no other node has it. After 124 s the kubelet has given up, and does not look at once.
#[test]
fn a_slow_driver_is_no_other_node() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, horizon: "10m", kubernetes: "1.36", timing: Custom(attacher: (attach: "118s", detach: "5s")),
        nodes: [(name: "n-0")],
        timeline: [(at: "1m", do: CreatePod(pod: (name: "p", on: Unbound, pod_start: "2s", volumes: [(claim: "d")])))])"#;
    scratch.write("slow.ron", text);
    let ran = unfolded(&scratch.call(&["run", "slow.ron"]).stdout);
    assert!(ran.contains("waits for a volume that could not be attached yet"), "{ran}");
    assert!(!ran.contains("attached elsewhere"), "{ran}");
    scratch.write("slower.ron", text.replace("118s", "124s"));
    let told = unfolded(&scratch.call(&["explain", "slower.ron", "pod/default/p"]).stdout);
    for part in [
        "; it waited from 1:00.",
        " for its volume default/d, which could not be attached sooner",
        "AttachVolume.Attach failed for volume",
        "which had given up waiting for them after 2m3s, looks again in ",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// A machine that is told to die for good is not brought back by `heal`, and what comes after the end is not looked at.
#[test]
fn a_course_that_cannot_be_is_refused() {
    let scratch = Scratch::new();
    for (more, said) in [
        (&["--dies", "n2", "--what-if", "heal n2 @5m"][..], "--heal-after"),
        (&["--what-if", "kubectl delete node n1 @30m"], "--horizon"),
        (&["--what-if", "heal @soon"], "@soon"),
        (&["--what-if", "heal"], "names no node"),
    ] {
        let called = scratch.call(&[&["forecast", OUTAGE, "-q", "--seeds", "1"], more].concat());
        assert_eq!(called.code, 2, "{more:?}: {}", called.stdout);
        assert!(called.stderr.contains(said), "{more:?}: {}", called.stderr);
    }
}
