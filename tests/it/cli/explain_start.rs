//! `explain` of what began before the run: controllers that have been running for long, timers that run already, nodes
//! that are silent, pods that are being deleted.

use super::Scratch;
use super::explain::{by, json, remedies, steps, verdict};

/// A taint of 10 s before, a heartbeat of 40.25 s before, and a pod whose deletion was asked for 5 s before.
const IMPORTED: &str = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "4m", memory: (),
    timeline: [(at: "2m", do: Untaint(node: "n-0", taint: "k:NoExecute"))],
    nodes: [(name: "a-0", zone: "a"), (name: "n-0", zone: "n", taints: ["k=v:NoExecute"], taintsAdded: {"k:NoExecute": "-10s"}),
        (name: "z-0", zone: "z", start: Imported(renewTime: "-40.25s", cut_off: true,
            conditions: [(type: Ready, status: True, reason: "KubeletReady", lastHeartbeatTime: "-2m40s", lastTransitionTime: "-1h")]))],
    workloads: [StatefulSet(name: "db", replicas: 1)],
    pods: [(name: "ever", on: Node("n-0"), tolerations: [(key: "k", operator: Exists, effect: NoExecute)]),
        (name: "minute", on: Node("n-0"), tolerations: [(key: "k", operator: Exists, effect: NoExecute, tolerationSeconds: 60)]),
        (name: "db-0", on: Node("a-0"), labels: {"app": "db"}, owner: (kind: "StatefulSet", name: "db"),
            start: Imported(phase: Running, ready: (status: True, lastTransitionTime: "-1h"), deletion: (timestamp: "25s", gracePeriodSeconds: 30)))])"#;

fn imported() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("i.ron", IMPORTED);
    scratch
}

/// The pod tolerates what its node had before the run.
#[test]
fn a_pod_that_tolerates_a_taint_of_the_start_is_said_to() {
    let told = json(&imported(), &["i.ron", "ever"]);
    assert_eq!(told["verdict"], "not evicted: it tolerates the NoExecute taints of n-0 for ever");
    let [began, tolerates] = &steps(&told)[..] else { panic!("{told}") };
    assert_eq!(began.1, "when the run began, n-0 was tainted k=v:NoExecute, since 10s before");
    assert_eq!(tolerates.2, "toleration of k:NoExecute for ever");
}

/// The timer of 60 s began in the second from -10 s on, and ends in that from 50 s on: when in it is drawn, and nobody
/// waits for the client, which has one pod to evict. The taint is seen to be gone at 2 min, by when the pod has waited
/// for 129 to 130 s: with the seconds that are named it stays, and with one less it does not.
#[test]
fn a_timer_from_before_the_run_ends_when_it_has_to() {
    let scratch = imported();
    for seed in ["1", "2", "3", "4", "5"] {
        let told = json(&scratch, &["i.ron", "minute", "--seed", seed]);
        let step = |said: &str| steps(&told).into_iter().find(|s| s.1.contains(said));
        // Of 60 s it had run for 9 s to 10.1 s as the run began.
        let (_, _, rule) = step("eviction timer of").expect("the timer");
        let ran = rule.strip_prefix("toleration of k:NoExecute for 60 s, set ").expect("it ran");
        assert!(["9s before: this is left", "10s before: this is left"].contains(&ran), "{rule}");
        let (at, _, rule) = step("deleted by the taint").expect("the deletion");
        assert!((50.0..51.1).contains(&at), "seed {seed}: {at}");
        assert_eq!(rule, "the timer ran out", "seed {seed}");
        let [set] = &remedies(&told)[..] else { panic!("{told}") };
        let less = by(set, -1);
        let with = |set: &str| json(&scratch, &["i.ron", "minute", "--seed", seed, "--set", set]);
        let stays = with(set);
        assert!(stays["verdict"].to_string().contains("not evicted: its timer"), "{set}: {stays}");
        assert_eq!(remedies(&stays), [&*less], "seed {seed}");
        assert!(with(&less)["verdict"].to_string().contains("\"evicted at 1:5"), "{less}");
    }
}

/// The first pass after the renewal at -40.25 s comes within 5 s of it, and the first one that is more than 50 s after
/// that finds the node expired, which is 5 s later at most.
#[test]
fn a_silence_from_before_the_run_is_counted_from_its_heartbeat() {
    let scratch = imported();
    let told = json(&scratch, &["i.ron", "node/z-0"]);
    let all = steps(&told);
    let found = |what: &str| {
        all.iter().find(|s| s.1.contains(what)).unwrap_or_else(|| panic!("no {what}: {all:?}"))
    };
    let before = |what: &str| {
        let (_, said) = found(what).1.rsplit_once(", ").expect("a time");
        let seconds = said.strip_suffix("s before the run began").expect("before the run");
        seconds.parse::<f64>().expect("seconds")
    };
    let (renewed, seen) = (before("its lease is renewed"), before("its grace period begins"));
    assert!((renewed - 40.25).abs() < 1e-9 && (35.25..=40.25).contains(&seen), "{renewed} {seen}");
    let unknown = found("Ready is Unknown").0;
    assert!((50.0..55.1).contains(&(unknown + seen)), "{unknown} and {seen}");
    let zone: Vec<String> =
        steps(&json(&scratch, &["i.ron", "zone/z"])).into_iter().map(|s| s.1).collect();
    assert_eq!(zone[..2], ["z-0 silent when the run began", "z-0 not Ready any more"]);
}

/// Its node's taint of the start is told once, and nobody else's.
#[test]
fn a_zone_tells_of_a_taint_of_the_start_once() {
    let all = steps(&json(&imported(), &["i.ron", "zone/n"]));
    let said: Vec<&str> = all.iter().map(|s| &*s.1).collect();
    assert_eq!(said, ["n-0 tainted NoExecute when the run began"]);
}

/// The one that the export has is being deleted, and stops; its StatefulSet makes it anew.
#[test]
fn a_pod_that_was_being_deleted_and_is_made_anew_is_told_as_both() {
    let said = verdict(&imported(), &["i.ron", "db-0"]);
    let began =
        "deleted from a-0, by whom the export does not say before the run began; it is gone at 0:0";
    assert!(said.starts_with(began), "{said}");
    let again = "; it was made anew at 0:0";
    assert!(
        said.contains(again) && said.ends_with(" by the StatefulSet controller on a-0"),
        "{said}"
    );
}
