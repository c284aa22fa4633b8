//! Machines that are told to go off: what becomes of their pods, and when, by arithmetic from upstream's steps.
//!
//! `pkg/kubelet/nodeshutdown` of 1.20 to 1.37: groups by priority, each with its seconds; a pod's containers have the least of
//! its own grace period and its group's seconds. Every time here is the time that a pod was given to stop (`pod_stop`) or that
//! least, counted from 60 s, when the machine is told.

use super::plans::{drawn, plan};
use taintsim::kernel::Choices;
use taintsim::sim::{run, run_eager, search};
use taintsim::trace::Trace;

/// A machine with these pods that is told to go off at 60 s, and another without any.
fn scenario(version: &str, flags: &str, pods: &str, more: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "10m", flags: (kubelet: {{{flags}}}),
            nodes: [(names: "n-{{0..1}}")], pods: [{pods}], {more})"#
    )
}

const TOLD: &str = r#"timeline: [(at: "60s", do: Shutdown(node: "n-0"))]"#;
/// 20 s for all but critical pods, then 10 s for those.
const PERIODS: &str =
    r#""shutdown-grace-period": "30s", "shutdown-grace-period-critical-pods": "10s""#;
const QUICK: &str = r#"(name: "quick", on: Node("n-0"), pod_stop: "3s"),"#;
const CRITICAL: &str =
    r#"(name: "critical", on: Node("n-0"), pod_stop: "4s", priority: 2000000000),"#;
/// Takes longer than anybody has, and may.
const SLOW: &str =
    r#"(name: "slow", on: Node("n-0"), pod_stop: "5m", terminationGracePeriodSeconds: 300),"#;

fn ran(text: &str) -> Trace {
    run(&plan(text), Choices::seeded(1))
}

/// Records of these kinds from 60 s on: the second, and its words.
fn told(trace: &Trace, kinds: &[&str]) -> Vec<String> {
    let lines = trace.iter().filter(|r| r.at.as_millis() >= 60_000).filter_map(|r| {
        let f = trace.fields(r);
        let object = f.pod.as_deref().or(f.node.as_deref()).unwrap_or_default().to_owned();
        let object = object.trim_start_matches("default/");
        let words = [Some(f.what), f.status, f.reason.as_deref()];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        let at = r.at.as_millis() as f64 / 1000.0;
        kinds.contains(&f.what).then(|| format!("{at} {object} {}", words.join(" ")))
    });
    lines.collect()
}

/// Whether an event of that object is about a pod.
fn is_of_a_pod(object: Option<String>) -> bool {
    object.is_some_and(|o| o.starts_with("Pod/"))
}

/// When pods come into a phase, and when the machine is off.
fn ends(text: &str) -> Vec<String> {
    told(&ran(text), &["pod-phase", "machine-off"])
}

/// A group waits for its pods' workers (`killPodNow`: `<-ch`, which `completeTerminating` closes) however things of one instant
/// come: two that stop in 3 s have told their ends before the third begins to end, and that one, 4 s later, before the
/// machine is off.
#[test]
fn a_machine_waits_for_its_pods_in_any_order_of_things() {
    let other = QUICK.replace("quick", "other");
    let plan = plan(&scenario("1.37", PERIODS, &format!("{QUICK}{other}{CRITICAL}"), TOLD));
    for choices in [Choices::natural, Choices::free] {
        for seed in 0..20 {
            let told = told(&search(&plan, choices(seed)).trace, &["pod-phase", "machine-off"]);
            assert_eq!(told.len(), 4, "{told:?}");
            assert_eq!(told[2], "67 critical pod-phase Succeeded");
            assert_eq!(told[3], "67 n-0 machine-off");
            assert!(told[..2].iter().all(|t| t.starts_with("63 ") && t.ends_with("Succeeded")));
        }
    }
}

/// 1.23 on, as upstream's own manager does in virtual time (quick ended at 3, critical at 7): the critical pod is ended when nothing of the group before it is left, at 63 s. Before, it is when the 20 s of the
/// others are over, whether they need them or not.
#[test]
fn critical_pods_come_last() {
    let pods = format!("{QUICK}{CRITICAL}");
    let of = |version| ends(&scenario(version, PERIODS, &pods, TOLD));
    for version in ["1.27", "1.34", "1.37"] {
        assert_eq!(
            of(version),
            [
                "63 quick pod-phase Succeeded",
                "67 critical pod-phase Succeeded",
                "67 n-0 machine-off"
            ]
        );
    }
    assert_eq!(
        of("1.23"),
        ["63 quick pod-phase Failed", "67 critical pod-phase Failed", "67 n-0 machine-off"]
    );
    assert_eq!(
        of("1.22"),
        ["63 quick pod-phase Failed", "84 critical pod-phase Failed", "84 n-0 machine-off"]
    );
    // Where there is no critical pod, nobody waits for one.
    assert_eq!(
        ends(&scenario("1.22", PERIODS, QUICK, TOLD)),
        ["63 quick pod-phase Failed", "63 n-0 machine-off"]
    );
}

/// What upstream's manager, unchanged and in virtual time with an imitated D-Bus, does with these pods (1.37.1 and 1.34.4): the
/// second in which it asks for each to be killed, with which grace, the second in which it has ended, and when it lets go of its
/// lock. `quick` takes 3 s, `brief` and `slow` 45 s, `critical` 4 s.
#[test]
fn upstreams_own_manager_does_the_same() {
    // own-grace 0 kill quick grace 20; 0 kill brief grace 5; 0 kill slow grace 20; 3 ended quick; 5 ended brief; 20 ended slow;
    // 20 kill critical grace 10; 24 ended critical; 24 lock released
    let brief =
        r#"(name: "brief", on: Node("n-0"), pod_stop: "45s", terminationGracePeriodSeconds: 5),"#;
    let slow =
        r#"(name: "slow", on: Node("n-0"), pod_stop: "45s", terminationGracePeriodSeconds: 60),"#;
    let pods = [QUICK, brief, slow, CRITICAL].concat();
    for version in ["1.34.4", "1.37.1"] {
        assert_eq!(
            ends(&scenario(version, PERIODS, &pods, TOLD)),
            [
                "63 quick pod-phase Succeeded",
                "65 brief pod-phase Failed",
                "80 slow pod-phase Failed",
                "84 critical pod-phase Succeeded",
                "84 n-0 machine-off",
            ]
        );
        // nobody 0 node status; 0 lock released
        let trace = ran(&scenario(version, PERIODS, "", TOLD));
        assert_eq!(
            told(&trace, &["node-condition", "machine-off"])[..2],
            ["60 n-0 node-condition False KubeletNotReady", "60 n-0 machine-off"]
        );
    }
}

/// What is written of a pod whose containers exit with 0: Failed before they end up to 1.21, Failed up to 1.26, Succeeded since
/// (k/k#118310); of a Job's pod the exit code counts since 1.22. One that is killed has failed in every release.
#[test]
fn what_is_written_of_a_pod_by_release() {
    let job =
        r#"workloads: [Job(name: "sum", placement: Node("n-0"), template: (pod_stop: "2s"))],"#;
    let cases = [
        ("1.21", "60 quick pod-phase Failed", "60 sum-0 pod-phase Failed"),
        ("1.22", "63 quick pod-phase Failed", "62 sum-0 pod-phase Succeeded"),
        ("1.26", "63 quick pod-phase Failed", "62 sum-0 pod-phase Succeeded"),
        ("1.27", "63 quick pod-phase Succeeded", "62 sum-0 pod-phase Succeeded"),
        ("1.37", "63 quick pod-phase Succeeded", "62 sum-0 pod-phase Succeeded"),
    ];
    for (version, quick, of_job) in cases {
        let pods = format!("{QUICK}{SLOW}");
        let found = ends(&scenario(version, PERIODS, &pods, &format!("{job}{TOLD}")));
        let slow = if version == "1.21" { 60 } else { 80 };
        let slow = format!("{slow} slow pod-phase Failed");
        for line in [quick, &slow, "80 n-0 machine-off"] {
            assert!(found.iter().any(|l| l == line), "{version}: {line} in {found:?}");
        }
        let name = |line: &String| line.contains(" sum-");
        let tail = |line: &str| line.split(' ').next_back().map(str::to_owned);
        let first = found.iter().find(|l| name(l)).expect("the Job's pod ends");
        assert_eq!(tail(first), tail(of_job), "{version}: {first}");
        assert_eq!(first.split(' ').next(), of_job.split(' ').next(), "{version}: {first}");
    }
}

/// The condition DisruptionTarget comes with the phase, from 1.26 on and with its gate.
#[test]
fn the_condition_says_who_ended_a_pod() {
    let condition = |version: &str, more: &str| {
        let text = scenario(version, PERIODS, QUICK, &format!("{more}{TOLD}"));
        let all = told(&ran(&text), &["pod-condition"]);
        all.into_iter().filter(|l| l.contains("TerminationByKubelet")).collect::<Vec<_>>()
    };
    let there = ["63 quick pod-condition True TerminationByKubelet"];
    for version in ["1.26", "1.31", "1.37"] {
        assert_eq!(condition(version, ""), there, "{version}");
    }
    assert!(condition("1.25", r#"feature_gates: {"PodDisruptionConditions": true},"#).is_empty());
    assert!(condition("1.26", r#"feature_gates: {"PodDisruptionConditions": false},"#).is_empty());
}

/// As upstream's own manager does in virtual time (low ended at 7, mid at 187, top at 197). Periods by priority: a group has its seconds at most, one without pods takes none (1,000 is nobody's here), and pods below
/// the lowest go with it.
#[test]
fn periods_by_priority() {
    let flags = r#""shutdown-grace-period-by-pod-priority": "100000=10,10000=180,1000=120,0=60""#;
    let pod = |name: &str, priority: i32, stop: u32| {
        format!(
            r#"(name: "{name}", on: Node("n-0"), priority: {priority}, pod_stop: "{stop}s", terminationGracePeriodSeconds: 600),"#
        )
    };
    let pods = [pod("low", -5, 7), pod("mid", 10_000, 200), pod("top", 2_000_000_000, 20)].concat();
    assert_eq!(
        ends(&scenario("1.34", flags, &pods, TOLD)),
        [
            "67 low pod-phase Succeeded",
            // 67 + 180
            "247 mid pod-phase Failed",
            // 247 + 10
            "257 top pod-phase Failed",
            "257 n-0 machine-off",
        ]
    );
}

/// All of the time is for critical pods, so that others get none. Up to 1.21 they are killed at once; up to 1.30 no seconds mean
/// the pod's own 300, and the machine is off before: in 1.22, which waits for all pods together, when the 10 s are over. Since 1.31
/// they mean one, and containers always get two.
#[test]
fn a_grace_period_of_no_seconds() {
    let flags = r#""shutdown-grace-period": "10s", "shutdown-grace-period-critical-pods": "10s""#;
    let pods = format!("{SLOW}{CRITICAL}");
    let of = |version| ends(&scenario(version, flags, &pods, TOLD));
    let at = |second: u32, version| {
        let off = format!("{second} n-0 machine-off");
        let found: Vec<String> = of(version);
        assert_eq!(found.last(), Some(&off), "{version}: {found:?}");
        found.into_iter().filter(|l| l.contains("slow")).collect::<Vec<_>>()
    };
    assert_eq!(at(64, "1.21"), ["60 slow pod-phase Failed"]);
    assert!(at(70, "1.22").is_empty());
    assert!(at(64, "1.23").is_empty() && at(64, "1.30").is_empty());
    assert_eq!(at(64, "1.31"), ["62 slow pod-phase Failed"]);
    assert_eq!(at(64, "1.37"), ["62 slow pod-phase Failed"]);
}

/// Up to 1.22 a kubelet waits for all pods together, for ten seconds where it asks for none (`killPodNow`), until all of the time is
/// over, and critical pods sleep for fractions of seconds, too: in 1.22.17's own manager, in virtual time, pods that have no time
/// of their group's end as they do by themselves, and a critical one is ended at 60 + 20.7 - 10.2 s.
#[test]
fn how_long_a_kubelet_waited_for_pods_before_there_were_groups() {
    let off = |flags: &str, pods: &str| ends(&scenario("1.22", flags, pods, TOLD)).pop();
    let critical =
        r#""shutdown-grace-period": "30s", "shutdown-grace-period-critical-pods": "30s""#;
    assert_eq!(off(critical, QUICK).as_deref(), Some("63 n-0 machine-off"));
    assert_eq!(off(critical, SLOW).as_deref(), Some("70 n-0 machine-off"));
    let fraction =
        r#""shutdown-grace-period": "20700ms", "shutdown-grace-period-critical-pods": "10200ms""#;
    let pods = format!("{QUICK}{CRITICAL}");
    assert_eq!(off(fraction, &pods).as_deref(), Some("74.5 n-0 machine-off"));
}

/// A cloud grants 15 s, less than the kubelet's 20: the pod still runs then, says so in the API, and starts anew after the boot.
#[test]
fn a_machine_that_is_off_too_soon() {
    let timeline =
        r#"timeline: [(at: "60s", do: Shutdown(node: "n-0", at_most: "15s", duration: "2m"))]"#;
    let trace = ran(&scenario("1.34", PERIODS, SLOW, timeline));
    assert_eq!(
        told(&trace, &["pod-phase", "machine-off", "machine-on"]),
        [
            "75 n-0 machine-off",
            // 60 + 120, and 30 to boot
            "210 n-0 machine-on",
        ]
    );
    let runs = told(&trace, &["containers-started", "containers-stopped"]);
    assert_eq!(runs.len(), 1, "{runs:?}");
    assert!(runs[0].ends_with("slow containers-started"), "{runs:?}");
}

/// Without grace periods, as upstream's default has it, the machine is off at once, and a note says so; so it is where the
/// kubelet does not run, and when it dies meanwhile, as its lock dies with it.
#[test]
fn nothing_keeps_a_machine_on_but_its_kubelet() {
    let bare = scenario("1.34", "", QUICK, TOLD);
    assert_eq!(ends(&bare), ["60 n-0 machine-off"]);
    assert!(plan(&bare).notes.iter().any(|n| n.contains("no grace periods")));
    // The recorder's kubelets have none either.
    let ideal = scenario("1.34", PERIODS, QUICK, &format!("timing: Ideal, {TOLD}"));
    assert_eq!(ends(&ideal), ["60 n-0 machine-off"]);
    assert!(plan(&ideal).notes.iter().any(|n| n.contains("Imitated kubelets")));
    let dead = |at: &str| {
        format!(
            r#"timeline: [(at: "{at}", do: KubeletRestart(node: "n-0", downtime: "5m")), (at: "60s", do: Shutdown(node: "n-0"))]"#
        )
    };
    assert_eq!(ends(&scenario("1.34", PERIODS, SLOW, &dead("50s"))), ["60 n-0 machine-off"]);
    assert_eq!(ends(&scenario("1.34", PERIODS, SLOW, &dead("66s"))), ["66 n-0 machine-off"]);
}

/// Where all others have grace periods, the flag of all would say nothing: the node's own is named.
#[test]
fn a_node_without_the_grace_periods_of_others_is_told_its_own_flag() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "5m", flags: (kubelet: {"shutdown-grace-period": "30s"}),
        nodes: [(names: "a", kubelet: {"shutdown-grace-period": "0s"}), (names: "b")],
        timeline: [(at: "1m", do: Shutdown(node: "a"))])"#;
    let notes = plan(text).notes.join("\n");
    assert!(
        notes.contains("the kubelets of a have no grace periods, as their own flags"),
        "{notes}"
    );
    assert!(notes.contains("`nodes[…].kubelet.shutdown-grace-period` says"), "{notes}");
}

/// A machine that is to boot after a second is off first, when its pods have ended, and boots then: 63 + 30 s.
#[test]
fn a_reboot_waits_for_the_pods() {
    let timeline = r#"timeline: [(at: "60s", do: Shutdown(node: "n-0", duration: "1s"))]"#;
    let trace = ran(&scenario("1.34", PERIODS, QUICK, timeline));
    assert_eq!(
        told(&trace, &["pod-phase", "machine-off", "machine-on"]),
        ["63 quick pod-phase Succeeded", "63 n-0 machine-off", "93 n-0 machine-on"]
    );
    // Crashed meanwhile, and on again: it boots once, when both have ended.
    let timeline = r#"timeline: [(at: "60s", do: Shutdown(node: "n-0", duration: "2m")), (at: "62s", do: Crash(node: "n-0", duration: "10s"))]"#;
    assert_eq!(
        told(&ran(&scenario("1.34", PERIODS, QUICK, timeline)), &["machine-off", "machine-on"]),
        ["62 n-0 machine-off", "210 n-0 machine-on"]
    );
}

/// A pod that is bound to the node meanwhile is refused, in the words of the release; the node says that it is told to go off
/// from 1.23 on.
#[test]
fn new_pods_are_refused() {
    let later = r#"timeline: [
        (at: "60s", do: Shutdown(node: "n-0")),
        (at: "65s", do: CreatePod(pod: (name: "late", on: Node("n-0"))))]"#;
    let old = "Node is in progress of shutting down, not admitting any new pods";
    let new = "Pod was rejected as the node is shutting down.";
    let cases = [
        ("1.21", "Shutdown", old, 0),
        ("1.22", "NodeShutdown", new, 0),
        ("1.23", "NodeShutdown", new, 1),
        ("1.37", "NodeShutdown", new, 1),
    ];
    for (version, reason, words, of_node) in cases {
        let trace = ran(&scenario(version, PERIODS, SLOW, later));
        let fields = || trace.iter().map(|r| (r.at.as_millis(), trace.fields(r)));
        let said: Vec<_> = fields()
            .filter(|(_, f)| f.reason.as_deref() == Some(reason) && is_of_a_pod(f.object.clone()))
            .filter_map(|(at, f)| Some((at, f.message?)))
            .collect();
        assert_eq!(said, [(65_000, words.to_owned())], "{version}");
        // `events.NodeShutdown`, which is "Shutdown" (`pkg/kubelet/events/event.go`).
        let detected = [Some("Shutdown"), Some("Shutdown manager detected shutdown event")];
        let told =
            fields().filter(|(_, f)| [f.reason.as_deref(), f.message.as_deref()] == detected);
        assert_eq!(told.count(), of_node, "{version}");
        let failed = fields().any(|(at, f)| {
            f.pod.as_deref() == Some("default/late") && f.status == Some("Failed") && at < 65_100
        });
        assert!(failed, "{version}");
    }
}

/// A DaemonSet whose pods tolerate everything makes them again and again for a node that refuses them. Its back-off counts
/// failures and begins with the first refusal at r = 61 s: deleted at once, then after 1, 2, 4, 8 s and so on. While the node goes
/// off, at 60 to 180 s, that is refusals at r, r, r + 1, + 3, + 7, + 15, + 31, + 63 s; the next is due at r + 127 s. Up to 1.26 the
/// pod that the kubelet ends has failed itself, which is the first failure, so that there is one refusal less.
#[test]
fn a_daemon_set_makes_pods_for_a_node_that_refuses_them() {
    let flags = r#""shutdown-grace-period": "130s", "shutdown-grace-period-critical-pods": "10s""#;
    let more = format!(
        r#"workloads: [DaemonSet(name: "agent", template: (tolerations: [(operator: Exists)]))], {TOLD}"#
    );
    let refused = |version: &str| {
        let trace = ran(&scenario(version, flags, SLOW, &more));
        let all = trace.iter().filter(|r| {
            let f = trace.fields(r);
            f.reason.as_deref() == Some("NodeShutdown") && is_of_a_pod(f.object)
        });
        all.map(|r| r.at.as_secs()).collect::<Vec<_>>()
    };
    for version in ["1.28", "1.34", "1.37"] {
        assert_eq!(refused(version), [61, 61, 62, 64, 68, 76, 92, 124], "{version}");
    }
    for version in ["1.23", "1.26"] {
        assert_eq!(refused(version), [61, 62, 64, 68, 76, 92, 124], "{version}");
    }
}

/// Settings that upstream refuses (`pkg/kubelet/apis/config/validation`).
#[test]
fn grace_periods_that_are_refused() {
    let refused = |version: &str, flags: &str, more: &str| {
        let text = scenario(version, flags, QUICK, &format!("{more}{TOLD}"));
        drawn(&text).err().unwrap_or_default()
    };
    let longer = r#""shutdown-grace-period": "10s", "shutdown-grace-period-critical-pods": "30s""#;
    let said = "shutdownGracePeriodCriticalPods 30s must be <= shutdownGracePeriod 10s";
    assert!(refused("1.34", longer, "").contains(said));
    let both = r#""shutdown-grace-period": "10s", "shutdown-grace-period-by-pod-priority": "0=10""#;
    assert!(refused("1.34", both, "").contains("Cannot specify both"));
    let short = r#""shutdown-grace-period": "999ms""#;
    assert!(refused("1.34", short, "").contains("either zero or otherwise >= 1 sec"));
    let words = r#""shutdown-grace-period-by-pod-priority": "high=10""#;
    assert!(refused("1.34", words, "").contains("priorities with their seconds"));
    assert!(refused("1.20", PERIODS, "").contains("GracefulNodeShutdown"));
    assert!(refused("1.19", PERIODS, "").contains("those from 1.21 on have it"));
    let on = r#"feature_gates: {"GracefulNodeShutdown": true},"#;
    assert_eq!(refused("1.20", PERIODS, on), "");
    let by_priority = r#""shutdown-grace-period-by-pod-priority": "0=10""#;
    assert!(refused("1.23", by_priority, "").contains("BasedOnPodPriority"));
    assert_eq!(refused("1.24", by_priority, ""), "");
}

/// A rolling maintenance tells the machine to go off, as `systemctl reboot` does: what is left on it has the same periods, 3 s and then
/// 4 s of them needed. It is off for four minutes from then on, and boots for 30 s more.
#[test]
fn a_maintenance_tells_the_machine() {
    let maintain = r#"timeline: [(at: "60s", name: "roll", do: Maintain(node: "n-0", if_not_drained: GoOn, off: "4m"))]"#;
    let trace = ran(&scenario("1.34", PERIODS, &format!("{QUICK}{CRITICAL}"), maintain));
    let all = told(&trace, &["pod-phase", "machine-off", "machine-on"]);
    let at = |words: &str| {
        let line = all.iter().find_map(|l| l.strip_suffix(words)).expect(words);
        line.trim().parse::<f64>().unwrap()
    };
    // kubectl does not delete pods without a controller, and says so in less than a second.
    let off = at("n-0 machine-off");
    assert!((67.0..68.0).contains(&off), "{all:?}");
    for (words, before) in
        [("quick pod-phase Succeeded", 4.0), ("critical pod-phase Succeeded", 0.0)]
    {
        assert!((off - at(words) - before).abs() < 0.002, "{words}: {all:?}");
    }
    let on = at("n-0 machine-on");
    // It is looked once a second whether it is off.
    assert!((off + 270.0..=off + 271.0).contains(&on), "{all:?}");
    let plain = told(&ran(&scenario("1.34", "", QUICK, maintain)), &["pod-phase", "machine-off"]);
    assert!(plain.len() == 1 && plain[0].ends_with("n-0 machine-off"), "{plain:?}");
}

/// A spot machine that nobody drains is told 30 s before it is taken. What stops in 5 s has done so 25 s before that, where its kubelet
/// has grace periods, and goes with its machine else.
#[test]
fn a_reclaimed_machine_is_told() {
    let ends = |flags: &str| {
        let more = r#"faults: (models: [(name: "spot", nodes: Nodes(["n-0"]), do: Reclaim(notice: "30s", unheeded: true, replaced: "5m"), up: Fixed("100s"))])"#;
        let pods = r#"(name: "p", on: Node("n-0"), pod_stop: "5s")"#;
        let all = told(
            &ran(&scenario("1.34", flags, pods, more)),
            &["pod-phase", "machine-off", "node-deleted"],
        );
        let at = |words: &str| {
            let line = all.iter().find_map(|l| l.strip_suffix(words)).expect(words);
            (line.trim().parse::<f64>().unwrap() * 1000.0) as i64
        };
        let taken = at("n-0 node-deleted");
        (taken - at("n-0 machine-off"), all.iter().any(|l| l.ends_with("p pod-phase Succeeded")))
    };
    assert_eq!((ends(PERIODS), ends("")), ((25_000, true), (0, false)));
}

/// Skipped heartbeats and passes are not to be seen in it.
#[test]
fn it_is_the_same_where_every_heartbeat_is_simulated() {
    let more = r#"workloads: [Deployment(name: "web", replicas: 4), DaemonSet(name: "agent", template: (tolerations: [(operator: Exists)]))],
        timeline: [(at: "3m", do: Shutdown(node: "n-0", duration: "1m")), (at: "185s", do: Partition(node: "n-0", duration: "10s"))]"#;
    for version in ["1.21", "1.34"] {
        let plan = plan(&scenario(version, PERIODS, &format!("{QUICK}{SLOW}{CRITICAL}"), more));
        for seed in 1..=5 {
            let lazy = run(&plan, Choices::seeded(seed));
            let eager = run_eager(&plan, Choices::seeded(seed));
            assert!(lazy.iter().eq(eager.iter()), "{version}, seed {seed}");
        }
    }
}

/// A disk is let go of with a status after its pod has ended (every 10 s), if the machine is on until then. A pod that ends
/// as the last of all takes its disk along: it is detached by force 6 minutes after the pod is gone (85 s), and takes 5 s to be
/// detached and 5 s to be attached. One that ends 20 s before the others has let go of it within 10 s.
#[test]
fn a_disk_is_let_go_of_with_a_status() {
    let text = |db: &str, other: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "12m",
                flags: (kubelet: {{"shutdown-grace-period": "60s", "shutdown-grace-period-critical-pods": "10s"}}),
                nodes: [(names: "n-{{0..2}}")], pods: [(name: "other", on: Node("n-0"), pod_stop: "{other}")],
                workloads: [StatefulSet(name: "db", replicas: 1, placement: Node("n-0"), template: (volumes: [(claim: "data")], pod_stop: "{db}"))],
                timeline: [(at: "60s", do: Shutdown(node: "n-0"))])"#
        )
    };
    let detached = |text: &str| {
        let trace = ran(text);
        let gone = trace.iter().find(|r| trace.fields(r).what == "attachment-gone");
        gone.map_or(0, |r| r.at.as_millis())
    };
    let (last, first) = (detached(&text("25s", "5s")), detached(&text("5s", "25s")));
    assert!((85_000 + 360_000 + 5_000..85_000 + 360_000 + 7_000).contains(&last), "{last}");
    assert!((65_000..65_000 + 10_000 + 7_000).contains(&first), "{first}");
}
