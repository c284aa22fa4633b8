//! Node-pressure eviction: what upstream's unchanged eviction manager of 1.37.1 did in virtual time, and what follows from its
//! source by arithmetic.
//!
//! The recorded figures are those of `pkg/kubelet/eviction`, linked with imitated statistics and run in `testing/synctest`: a node of
//! 8 GiB of which it uses 500 MiB itself, a loop of 10 s that begins with the run. When a pod is killed and what is said of it, and
//! when the node is under pressure, came out of that program; a condition is posted here with the next status, every 10 s from
//! 4 s on.

use super::plans::plan;
use taintsim::analysis::Analysis;
use taintsim::analysis::evictions::evictions;
use taintsim::kernel::{Choices, Endless, Time};
use taintsim::sim::{run, run_eager};
use taintsim::trace::Trace;

/// A node of 8 GiB that uses 500 MiB itself, under these flags, with these pods.
fn node(version: &str, flags: &str, horizon: &str, pods: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "{horizon}", timing: Ideal, flags: (kubelet: {{{flags}}}),
            nodes: [(name: "n", capacity: {{"memory": "8Gi"}}, usage: {{"memory": "500Mi"}}, lease_offset: "3s", status_offset: "4s")],
            pods: [{pods}])"#
    )
}

/// A pod on that node.
fn pod(name: &str, request: &str, priority: i32, usage: &str, more: &str) -> String {
    format!(
        r#"(name: "{name}", on: Node("n"), requests: {{"memory": "{request}"}}, priority: {priority}, usage: {{"memory": "{usage}"}}, {more}),"#
    )
}

/// What kubelets did, in seconds: pods that they evicted, with what they said of them, pods that failed, conditions.
pub(super) fn told(trace: &Trace) -> Vec<String> {
    let line = |r: &taintsim::trace::Record| {
        let f = trace.fields(r);
        let at = r.at.as_millis() as f64 / 1000.0;
        let short = |name: Option<String>| {
            let name = name.unwrap_or_default();
            name.rsplit('/').next().unwrap_or_default().to_owned()
        };
        match (f.what, f.reason.as_deref(), f.kind) {
            ("event", Some("Evicted"), _) => Some(format!(
                "{at} {} {}",
                short(f.pod.or(f.object)),
                f.message.unwrap_or_default()
            )),
            ("pod-phase", ..) if f.status == Some("Failed") => {
                Some(format!("{at} {} Failed", short(f.pod)))
            }
            ("node-condition", _, Some(kind)) if kind.ends_with("Pressure") => {
                Some(format!("{at} {kind}={}", f.status.unwrap_or_default()))
            }
            _ => None,
        }
    };
    trace.iter().filter_map(line).collect()
}

fn told_of(text: &str) -> Vec<String> {
    told(&run(&plan(text), Choices::seeded(1)))
}

/// The message of an eviction for want of memory, as recorded, with the container's name that pods have here.
fn said(threshold: &str, available: &str, used: &str, request: &str) -> String {
    format!(
        "The node was low on resource: memory. Threshold quantity: {threshold}, available: {available}. \
         Container main was using {used}, request is {request}, has larger consumption of memory. "
    )
}

/// Recorded: `110.000s kill leaky`, `110.000s MemoryPressure=true`; where the kill took 2 s `413.000s MemoryPressure=false`, where it took
/// 1 s `412.000s`. In 1.30 a pod has its own grace, so that it takes the 2 s that it needs; in 1.37 it is given one, and containers
/// have two at least.
#[test]
fn a_leak_is_seen_by_the_loop_and_forgotten_after_the_transition_period() {
    let pods = [
        pod("leaky", "1Gi", 0, "1000Mi + 10Mi/s", r#"pod_stop: "2s""#),
        pod("web", "3Gi", 0, "3000Mi", ""),
        pod("db", "3Gi", 1000, "2500Mi", ""),
    ]
    .concat();
    let killed = format!("110 leaky {}", said("100Mi", "92Mi", "2100Mi", "1Gi"));
    // 413 is looked at after the status of 414 has not: both have the condition until the status after it.
    for version in ["1.30", "1.37"] {
        assert_eq!(
            told_of(&node(version, "", "15m", &pods)),
            [
                killed.clone(),
                "112 leaky Failed".to_owned(),
                "114 MemoryPressure=True".to_owned(),
                "414 MemoryPressure=False".to_owned(),
            ],
            "{version}"
        );
    }
}

/// Recorded: `180.000s MemoryPressure=true`, `270.000s kill leaky grace=20`, `572.000s MemoryPressure=false`: 500 MiB are not there from
/// 173 s on, and the grace of the threshold is 90 s. The condition comes first, so that there is time to move away.
#[test]
fn a_soft_threshold_has_its_grace() {
    let flags = r#""eviction-soft": "memory.available<500Mi", "eviction-soft-grace-period": "memory.available=90s", "eviction-max-pod-grace-period": 20"#;
    let pods = [
        pod("leaky", "1Gi", 0, "1000Mi + 4Mi/s", ""),
        pod("web", "3Gi", 0, "3000Mi", ""),
        pod("db", "3Gi", 1000, "2500Mi", ""),
    ]
    .concat();
    assert_eq!(
        told_of(&node("1.37", flags, "15m", &pods)),
        [
            "184 MemoryPressure=True".to_owned(),
            format!("270 leaky {}", said("500Mi", "112Mi", "2080Mi", "1Gi")),
            "271 leaky Failed".to_owned(),
            "574 MemoryPressure=False".to_owned(),
        ]
    );
}

/// The same pod takes 40 s to stop: up to 1.31 it has the 60 s of the flag, from 1.32 on no more than its own 30 s.
#[test]
fn the_grace_of_a_soft_threshold_is_no_longer_than_the_pods_own_from_1_32_on() {
    let flags = r#""eviction-soft": "memory.available<500Mi", "eviction-soft-grace-period": "memory.available=90s", "eviction-max-pod-grace-period": 60"#;
    let leaky = pod("leaky", "1Gi", 0, "1000Mi + 4Mi/s", r#"pod_stop: "40s""#);
    let pods = format!("{leaky}{}", pod("web", "6Gi", 0, "5500Mi", ""));
    for (version, failed) in [("1.31", "310 leaky Failed"), ("1.32", "300 leaky Failed")] {
        assert!(
            told_of(&node(version, flags, "8m", &pods)).contains(&failed.to_owned()),
            "{version}"
        );
    }
}

/// Recorded: `0.000s kill c`, `2.000s kill a`, `304.000s MemoryPressure=false`. a, c and d use more than they ask for, of which c has the
/// lowest priority and then a; b asks for more than it uses; the critical pod is never evicted though it asks for nothing. The
/// status of 304 s is posted before the look of that instant.
#[test]
fn one_pod_goes_at_a_time_and_the_rank_decides_which() {
    let pods = [
        pod("a", "1Gi", 100, "1500Mi", ""),
        pod("b", "2Gi", 0, "1500Mi", ""),
        pod("c", "500Mi", 0, "600Mi", ""),
        pod("d", "0", 5000, "800Mi", ""),
        pod("crit", "0", 2_000_000_000, "3000Mi", ""),
    ]
    .concat();
    assert_eq!(
        told_of(&node("1.37", r#""eviction-hard": "memory.available<1Gi""#, "400s", &pods)),
        [
            format!("0 c {}", said("1Gi", "292Mi", "600Mi", "500Mi")),
            "1 c Failed".to_owned(),
            format!("2 a {}", said("1Gi", "892Mi", "1500Mi", "1Gi")),
            "3 a Failed".to_owned(),
            "4 MemoryPressure=True".to_owned(),
            "314 MemoryPressure=False".to_owned(),
        ]
    );
}

/// Recorded: `200.000s kill leaky`, `502.000s MemoryPressure=false`: the one pod frees 2192 MiB, more than 100 MiB and the 2 GiB that are to
/// be reclaimed. With 3 GiB to be reclaimed a
/// second one goes, though it is not short any more: so that the pressure was last seen at 202 s, and the look of 504 s is behind that instant's status.
#[test]
fn more_is_reclaimed_where_that_is_asked_for() {
    let pods = [
        pod("leaky", "1Gi", 0, "100Mi + 10Mi/s", ""),
        pod("web", "2Gi", 0, "3000Mi", ""),
        pod("db", "3Gi", 1000, "2500Mi", ""),
    ]
    .concat();
    let run = |reclaim: &str| {
        let flags = format!(r#""eviction-minimum-reclaim": "memory.available={reclaim}""#);
        told_of(&node("1.37", &flags, "10m", &pods))
    };
    let first = [
        format!("200 leaky {}", said("100Mi", "92Mi", "2100Mi", "1Gi")),
        "201 leaky Failed".to_owned(),
    ];
    let with = |rest: &[String]| [&first[..], rest].concat();
    let condition = |text: &str| text.to_owned();
    assert_eq!(
        run("2Gi"),
        with(&[condition("204 MemoryPressure=True"), condition("504 MemoryPressure=False")])
    );
    assert_eq!(
        run("3Gi"),
        with(&[
            format!("202 web {}", said("100Mi", "2192Mi", "3000Mi", "2Gi")),
            condition("203 web Failed"),
            condition("204 MemoryPressure=True"),
            condition("514 MemoryPressure=False"),
        ])
    );
}

/// Recorded: `100.000s kill x`, available 0: a step to more than there is. The kernel would have killed at 95 s, which is said with each such run.
#[test]
fn usage_beyond_the_nodes_memory_leaves_nothing() {
    let pods =
        [pod("x", "1Gi", 0, "500Mi, 95s: 7700Mi", ""), pod("y", "4Gi", 0, "2000Mi", "")].concat();
    let text = node("1.37", r#""eviction-hard": "memory.available<100Mi""#, "3m", &pods);
    let told = told_of(&text);
    assert_eq!(told[0], format!("100 x {}", said("100Mi", "0", "7700Mi", "1Gi")));
    assert!(plan(&text).notes.iter().any(|n| n.contains("OOM killer")), "{text}");
}

/// A pod that takes 20 s to stop: up to 1.21 it has failed when it is killed, and nothing is waited for; from 1.22 to 1.30 a grace of none is taken for its
/// own of 30 s, so that it has its 20 s; from 1.31 on one second is asked for, of which containers make two. From 1.26 on it has the condition DisruptionTarget.
#[test]
fn the_grace_at_a_hard_threshold_differs_by_release() {
    let leaky = pod("leaky", "1Gi", 0, "1000Mi + 10Mi/s", r#"pod_stop: "20s""#);
    let pods = format!("{leaky}{}", pod("web", "6Gi", 0, "5500Mi", ""));
    for (version, failed, disrupted) in [
        ("1.18", "110 leaky Failed", false),
        ("1.21", "110 leaky Failed", false),
        ("1.22", "130 leaky Failed", false),
        ("1.25", "130 leaky Failed", false),
        ("1.26", "130 leaky Failed", true),
        ("1.30", "130 leaky Failed", true),
        ("1.31", "112 leaky Failed", true),
        ("1.37", "112 leaky Failed", true),
    ] {
        let trace = run(&plan(&node(version, "", "3m", &pods)), Choices::seeded(1));
        assert!(told(&trace).contains(&failed.to_owned()), "{version}: {:?}", told(&trace));
        let target = trace.iter().any(|r| {
            let f = trace.fields(r);
            f.kind == Some("DisruptionTarget")
                && f.reason.as_deref() == Some("TerminationByKubelet")
        });
        assert_eq!(target, disrupted, "{version}");
    }
}

/// Under memory pressure alone a BestEffort pod is turned away unless it tolerates the taint; one that asks for something is admitted, and a critical one.
#[test]
fn admission_under_memory_pressure() {
    let pods = pod("a", "6Gi", 0, "7700Mi", "");
    let base = node("1.34", "", "40s", &pods);
    let new = |name: &str, more: &str| {
        format!(r#"(at: "12s", do: CreatePod(pod: (name: "{name}", on: Node("n"), {more}))),"#)
    };
    let tolerates = r#"tolerations: [(key: "node.kubernetes.io/memory-pressure", operator: Exists, effect: NoSchedule)]"#;
    let timeline = [
        new("best-effort", ""),
        new("burstable", r#"requests: {"cpu": "100m"}"#),
        new("tolerant", tolerates),
        new("critical", "priority: 2000000000"),
    ]
    .concat();
    let text = base.replace("pods: [", &format!("timeline: [{timeline}], pods: ["));
    let told = told_of(&text);
    let refused: Vec<_> = told.iter().filter(|l| l.starts_with("12 ")).collect();
    assert_eq!(
        refused,
        ["12 best-effort The node had condition: [MemoryPressure]. ", "12 best-effort Failed",]
    );
}

/// A node's disk: 100 GiB, of which 99 are used from 15 s on, 20 of them by images that nobody uses. They are deleted first, and no pod goes; without them a pod does, and each
/// new one is turned away, whatever it asks for. 15 % are a float32 upstream, so that they are some bytes more than 15 GiB.
#[test]
fn images_go_before_pods_where_disk_is_short() {
    let text = |images: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "1m", timing: Ideal,
                nodes: [(name: "n", capacity: {{"ephemeral-storage": "100Gi"}}, usage: {{"ephemeral-storage": "40Gi, 15s: 60Gi"}}, {images} status_offset: "4s")],
                pods: [(name: "a", on: Node("n"), usage: {{"ephemeral-storage": "10Gi"}}), (name: "b", on: Node("n"), usage: {{"ephemeral-storage": "9Gi"}})],
                timeline: [(at: "22s", do: CreatePod(pod: (name: "new", on: Node("n"), requests: {{"cpu": "1"}})))])"#
        )
    };
    let with = told_of(&text(r#"unused_images: "20Gi","#));
    assert_eq!(
        with,
        [
            "22 new The node had condition: [DiskPressure]. ",
            "22 new Failed",
            "24 DiskPressure=True",
        ],
        "upstream's condition lasts for its transition period even so"
    );
    let full = text("").replace("15s: 60Gi", "15s: 70Gi");
    let message = "20 a The node was low on resource: ephemeral-storage. Threshold quantity: 16106128000, available: 11Gi. \
        Container main was using 10Gi, request is 0, has larger consumption of ephemeral-storage. ";
    let without = told_of(&full);
    assert_eq!(&without[..2], [message, "21 a Failed"]);
    assert!(!without.iter().any(|l| l.contains(" b ")), "21 GiB are enough: {without:?}");
}

/// Whether the looks of calm nodes are left out or not, the same happens: with leaks, steps, soft thresholds, crashes and cuts.
#[test]
fn looks_that_are_left_out_would_have_found_nothing() {
    let soft = r#""eviction-soft": "memory.available<1500Mi", "eviction-soft-grace-period": "memory.available=45s", "eviction-max-pod-grace-period": 5"#;
    let mut evictions = 0;
    for (timing, seed) in [("Ideal", 1), ("Typical", 1), ("Typical", 2), ("Typical", 3)] {
        for flags in ["", soft] {
            let text = format!(
                r#"Scenario(version: 1, kubernetes: "1.34", horizon: "25m", timing: {timing}, flags: (kubelet: {{{flags}}}),
                    nodes: [(names: "n-{{0..3}}", capacity: {{"memory": "4Gi", "pids": "1000"}}, usage: {{"memory": "300Mi + 1Mi/m"}})],
                    workloads: [
                        Deployment(name: "leak", replicas: 3, placement: Spread(All), template: (requests: {{"memory": "500Mi"}}, usage: {{"memory": "400Mi + 7Mi/s", "pids": "20"}})),
                        Deployment(name: "step", replicas: 3, placement: Spread(All), template: (requests: {{"memory": "700Mi"}}, usage: {{"memory": "50%, 4m: 170%, 9m: 1Gi + 3Mi/s up to 2Gi"}})),
                        DaemonSet(name: "agent", placement: Each(All), template: (usage: {{"pids": "10 + 2/s", "memory": "10Mi"}})),
                    ],
                    timeline: [
                        (at: "5m", do: Crash(node: "n-1", duration: "90s")),
                        (at: "9m", do: Partition(nodes: Node("n-2"), duration: "3m")),
                    ])"#
            );
            let plan = plan(&text);
            let lines = |trace: &Trace| -> Vec<String> {
                trace.iter().map(|r| format!("{} {:?}", r.at.as_nanos(), r.what)).collect()
            };
            let (lazy, eager) =
                (run(&plan, Choices::seeded(seed)), run_eager(&plan, Choices::seeded(seed)));
            let (lazy_lines, eager_lines) = (lines(&lazy), lines(&eager));
            let differ = lazy_lines.iter().zip(&eager_lines).find(|(a, b)| a != b);
            assert_eq!(differ, None, "{timing} {seed} {flags}");
            assert_eq!(lazy_lines.len(), eager_lines.len());
            evictions += told(&lazy).iter().filter(|l| l.contains("low on resource")).count();
        }
    }
    assert!(evictions > 40, "{evictions} evictions are too few to show anything");
}

/// Flags alone change nothing, and it is said that they do not.
#[test]
fn where_nothing_is_used_nothing_happens() {
    let text = |flags: &str| {
        format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "10m", flags: (kubelet: {{{flags}}}), nodes: [(names: "n-{{0..2}}")],
                workloads: [Deployment(name: "web", replicas: 3, placement: Spread(All))], timeline: [(at: "1m", do: Crash(node: "n-1"))])"#
        )
    };
    let lines = |text: &str| -> Vec<String> {
        let trace = run(&plan(text), Choices::seeded(1));
        trace.iter().map(|r| format!("{r:?}")).collect()
    };
    let flags = text(r#""eviction-hard": "memory.available<90%""#);
    assert_eq!(lines(&text("")), lines(&flags));
    assert!(plan(&flags).notes.iter().any(|n| n.contains("eviction flags change nothing")));
}

/// 500 MiB of the node's own and a pod's 100 MiB that grows by 50 MiB a second: 100 MiB are left of 4 GiB after
/// (4096 - 600 - 100) / 50 = 67.9 s, none after 69.9 s. A look at 70 s comes too late, and it is said that the
/// kernel would have killed; with 5 MiB a second there are 20 s between both, so that a look comes in time.
#[test]
fn a_leak_that_is_too_quick_is_said_to_be() {
    let used_up = |leak: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.36", horizon: "15m", timing: Ideal,
                nodes: [(name: "n", capacity: {{"memory": "4Gi"}}, usage: {{"memory": "500Mi"}})],
                pods: [(name: "leaky", on: Node("n"), usage: {{"memory": "100Mi + {leak}/s"}})])"#
        );
        let trace = run(&plan(&text), Choices::seeded(1));
        trace.iter().filter(|r| trace.fields(r).what == "memory-used-up").count()
    };
    assert_eq!((used_up("50Mi"), used_up("5Mi")), (1, 0));
}

/// The pod has 15 GiB and 100 MiB more each second, so that of 100 GiB with 40 GiB of the node's own less than 15 % are left
/// from (85 - 55) GiB / 100 MiB/s = 307.2 s on, which the loop sees within 10 s. Until the scheduler hears of it, every
/// successor comes to the same node and is refused there, which takes a nanosecond without delays.
#[test]
fn pods_that_are_refused_and_made_again_at_once_end_the_run() {
    let plan = plan(
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "10m", timing: Ideal, nodes: [(name: "n", capacity: {"ephemeral-storage": "100Gi"},
            usage: {"ephemeral-storage": "40Gi"}, lease_offset: "3s", status_offset: "4s")],
            workloads: [Deployment(name: "logger", replicas: 1, template: (usage: {"ephemeral-storage": "15Gi + 100Mi/s"}))])"#,
    );
    let run = std::panic::AssertUnwindSafe(|| run(&plan, Choices::default_order()));
    let ended = std::panic::catch_unwind(run).err().unwrap_or_else(|| panic!("it went on"));
    let Some(Endless::Remakes { at, workload, node, .. }) = ended.downcast_ref() else {
        panic!("something else ended it")
    };
    assert_eq!((&**workload, node.as_deref()), ("Deployment/default/logger", Some("n")));
    let seconds = (Time::from_millis(307_200), Time::from_millis(317_201));
    assert!(*at >= seconds.0 && *at <= seconds.1, "{at}");
}

/// Any number of pods that somebody asks for is made at once, and stays.
#[test]
fn a_burst_of_pods_ends_no_run() {
    let plan = plan(
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20s", timing: Ideal, nodes: [(name: "n", capacity: {"pods": "20000"})],
            workloads: [Deployment(name: "web", replicas: 1)], timeline: [(at: "10s", do: Scale(workload: "web", replicas: 12000))])"#,
    );
    let trace = run(&plan, Choices::default_order());
    let bound = trace.iter().filter(|r| trace.fields(r).what == "pod-bound").count();
    assert_eq!(bound, 12_000);
}

/// Of 10,000 MiB another pod has 7,000 and the leak 1,000 + 10 MiB/s, so that less than 100 MiB are left from 190 s on. The
/// kubelet is cut off from 150 s to 270 s: it kills the pod, and what it says of it then is lost. Its status manager keeps
/// that the pod has failed, and posts it at 270 s. A pod that was deleted for its taint meanwhile, 20 s after that of 195.1 s,
/// was evicted by that and by nothing more.
#[test]
fn an_eviction_that_nobody_heard_of_is_one() {
    let causes = |tolerations: &str| {
        let plan = plan(&format!(
            r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "6m",
                nodes: [(names: "n-{{0..2}}", capacity: {{"memory": "10000Mi"}}, lease_offset: "3s", status_offset: "4s")],
                workloads: [
                    Deployment(name: "leaky", replicas: 1, placement: Node("n-0"), template: ({tolerations} usage: {{"memory": "1000Mi + 10Mi/s"}})),
                    Deployment(name: "big", replicas: 1, placement: Node("n-0"), template: (requests: {{"memory": "7000Mi"}}, usage: {{"memory": "7000Mi"}})),
                ],
                timeline: [(at: "150s", name: "cut", do: Partition(node: "n-0", duration: "2m"))])"#
        ));
        let trace = run(&plan, Choices::default_order());
        let analysis = Analysis::new(&plan, &trace);
        let causes: Vec<_> = evictions(&analysis).iter().map(|e| e.cause.as_str()).collect();
        let failed = told(&trace).into_iter().find(|l| l.ends_with("Failed"));
        (causes, failed.and_then(|l| Some(l.split_once(' ')?.0.to_owned())))
    };
    assert_eq!(causes(""), (vec!["node-pressure"], Some("270".to_owned())));
    let brief = r#"tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 20)],"#;
    assert_eq!(causes(brief).0, ["taint-eviction"]);
}
