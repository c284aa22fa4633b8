//! Probes, and containers that end and are started again: what upstream's unchanged prober of 1.37.1 did in virtual time, and what
//! follows from upstream's source by arithmetic.
//!
//! The recorded figures are those of `pkg/kubelet/prober`, run in `testing/synctest` with a command that succeeds while the
//! container serves; its worker begins when the pod is synced first, its container two seconds later.

use super::cli::Scratch;
use super::plans::{built, plan, ran};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use taintsim::analysis::{DEFAULT_NEEDLESS_WINDOW, metrics};
use taintsim::kernel::Choices;
use taintsim::scenario::{self, Overrides};
use taintsim::sim::{run, run_eager};
use taintsim::trace::Trace;

/// A pod that a node's kubelet hears of when the run begins, and that starts in two seconds.
fn pod(version: &str, horizon: &str, more: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "{horizon}", timing: Ideal, nodes: [(name: "n")],
            pods: [(name: "p", on: Node("n"), start: Pending, pod_start: "2s", pod_stop: "1s", {more})])"#
    )
}

/// What becomes of pods, in seconds: containers, phases, readiness, what kubelets find.
pub(super) fn told(trace: &Trace) -> Vec<String> {
    let line = |r: &taintsim::trace::Record| {
        let f = trace.fields(r);
        let at = r.at.as_millis() as f64 / 1000.0;
        let what = match f.what {
            "containers-started" => "runs".to_owned(),
            "containers-stopped" => "stopped".to_owned(),
            "pod-phase" if r.at.as_millis() > 0 => f.status?.to_owned(),
            "pod-condition" if f.kind == Some("Ready") => format!("Ready={}", f.status?),
            "container-ended" => format!("exit {}", f.count?),
            "container-unhealthy" => format!("{} fails", f.kind?),
            "back-off" => format!("back-off {}", f.seconds?),
            _ => return None,
        };
        Some(format!("{at} {what}"))
    };
    trace.iter().filter_map(line).collect()
}

pub(super) fn told_of(text: &str) -> Vec<String> {
    told(&ran(&plan(text), 1))
}

/// Recorded: `12.000 probe ready false`, `22.000 probe ready true`, `22.000 READY=true`. The container is seen at 2 s, which
/// begins the period; it serves from 14 s on. Up to 1.31 the period goes on from 0: probes at 10 s (8 s of running, not yet
/// serving) and 20 s. Up to 1.20 the same here, where nothing is left to chance.
#[test]
fn a_pod_is_ready_when_a_probe_has_said_so() {
    let probe =
        r#"serves_after: "12s", readinessProbe: (initialDelaySeconds: 5, periodSeconds: 10)"#;
    for (version, ready) in [("1.37", 22), ("1.32", 22), ("1.31", 20), ("1.20", 20)] {
        assert_eq!(
            told_of(&pod(version, "1m", probe)),
            [
                "2 runs".to_owned(),
                "2 Running".to_owned(),
                "2 Ready=False".to_owned(),
                format!("{ready} Ready=True")
            ],
            "{version}"
        );
    }
}

/// A real kubelet sees the container at 2 s and syncs the pod for the first result of its probe with the next list, at 3 s, when it
/// is probed out of turn, and when the period begins from 1.32 on: 13 s is too soon, 23 s is not. Up to 1.31 it ticks at 20 s all
/// the same. What serves from 2.5 s on is found at 3 s in each.
#[test]
fn a_real_kubelet_probes_again_once_it_has_listed_containers() {
    let ready = |version: &str, probe: &str| {
        let timing =
            r#"timing: Custom(request: "0s", response: "0s", watch: "0s", pass_overhead: "0s")"#;
        let text = pod(version, "1m", probe).replace("timing: Ideal", timing);
        told_of(&text).into_iter().find(|l| l.ends_with("Ready=True"))
    };
    let late =
        r#"serves_after: "12s", readinessProbe: (initialDelaySeconds: 5, periodSeconds: 10)"#;
    let soon = r#"serves_after: "500ms", readinessProbe: (periodSeconds: 30)"#;
    for (version, at) in [("1.37", 23), ("1.32", 23), ("1.31", 20)] {
        assert_eq!(ready(version, late), Some(format!("{at} Ready=True")), "{version}");
        assert_eq!(ready(version, soon), Some("3 Ready=True".to_owned()), "{version}");
    }
}

/// Recorded: the container that serves from its start is ready in that instant, as it is probed once it is seen; up to 1.20
/// with the next tick.
#[test]
fn a_container_is_probed_as_soon_as_it_is_seen() {
    let probe = "readinessProbe: ()";
    assert_eq!(told_of(&pod("1.37", "1m", probe)), ["2 runs", "2 Running", "2 Ready=True"]);
    assert_eq!(
        told_of(&pod("1.20", "1m", probe)),
        ["2 runs", "2 Running", "2 Ready=False", "10 Ready=True"]
    );
}

/// Recorded: startup fails at 10 s and succeeds at 15 s, with which readiness is probed.
#[test]
fn a_startup_probe_holds_the_others_back() {
    let probes = r#"serves_after: "12s", readinessProbe: (),
        startupProbe: (initialDelaySeconds: 5, periodSeconds: 5, failureThreshold: 6)"#;
    assert_eq!(
        told_of(&pod("1.37", "1m", probes)),
        ["2 runs", "2 Running", "2 Ready=False", "15 Ready=True"]
    );
}

/// Recorded: `30.000 kill 1`, `60.000 kill 2`, `90.000 kill 3`. Liveness fails at 10, 20 and 30 s, the container stops in a
/// second. The first two are followed at once, and the second is the first that begins a back-off (10 s); the third is
/// followed at 91 s, 30 s after the second's end, and has the back-off at 20 s; then 40 s at 121 s, 80 s at 151 s, when the end
/// before was 30 s ago and 40 have to pass: the container that ends at 151 s waits until 191 s.
#[test]
fn a_liveness_probe_that_comes_too_soon_loops() {
    let probe = r#"serves_after: "60s", livenessProbe: (initialDelaySeconds: 5)"#;
    let told = told_of(&pod("1.37", "4m", probe));
    let fails: Vec<&str> = told
        .iter()
        .filter(|l| l.ends_with("fails"))
        .map(|l| l.split(' ').next().unwrap())
        .collect();
    assert_eq!(fails, ["30", "60", "90", "120", "150", "220"], "{told:?}");
}

/// `doBackOff`: a container that runs 5 s and exits with 1. Ends at 7; started at once (the first back-off begins, 10 s); ends at
/// 12: until 22; ends at 27: 20 s, until 47; ends at 52: 40 s, until 92; ends at 97: 80 s, until 177; ends at 182: 160 s.
#[test]
fn a_crash_loop_backs_off() {
    let told = told_of(&pod("1.37", "5m", r#"ends: (after: "5s", exit_code: 1)"#));
    let starts: Vec<&str> = told
        .iter()
        .filter(|l| l.ends_with("runs") || l.contains("back-off"))
        .map(String::as_str)
        .collect();
    assert_eq!(
        starts,
        [
            "2 runs",
            "7 runs",
            "12 back-off 10",
            "22 runs",
            "27 back-off 20",
            "47 runs",
            "52 back-off 40",
            "92 runs",
            "97 back-off 80",
            "177 runs",
            "182 back-off 160",
        ],
        "{told:?}"
    );
    // It is ready while it runs, and not while it waits.
    assert_eq!(told[..4], ["2 runs", "2 Running", "2 Ready=True", "7 exit 1"], "{told:?}");
    assert!(told.contains(&"12 Ready=False".to_owned()), "{told:?}");
    assert!(told.contains(&"22 Ready=True".to_owned()), "{told:?}");
}

/// A back-off counts from a container's end, and is forgotten where it was begun more than ten minutes before that
/// (`HasExpiredFunc`): a container that runs for 11 minutes is started again at once, each time; one that runs for 9 minutes is
/// not, from its second end on.
#[test]
fn what_runs_for_long_is_started_again_at_once() {
    for (minutes, backoffs) in [(9, vec!["10", "20", "40"]), (11, vec![])] {
        let told =
            told_of(&pod("1.37", "100m", &format!(r#"ends: (after: "{minutes}m", exit_code: 1)"#)));
        let told: Vec<&str> =
            told.iter().filter_map(|l| Some(l.split_once("back-off ")?.1)).collect();
        assert!(told.iter().take(3).eq(&backoffs), "{minutes}: {told:?}");
    }
}

/// `ShouldContainerBeRestarted`: by policy and exit code.
#[test]
fn restart_policies_decide_what_follows() {
    for (policy, code, phase) in [
        ("Never", 0, Some("7 Succeeded")),
        ("Never", 3, Some("7 Failed")),
        ("OnFailure", 0, Some("7 Succeeded")),
        ("OnFailure", 3, None),
        ("Always", 0, None),
    ] {
        let told = told_of(&pod(
            "1.37",
            "10s",
            &format!(r#"restartPolicy: {policy}, ends: (after: "5s", exit_code: {code})"#),
        ));
        let ended = told.iter().find(|l| l.ends_with("ed") && !l.contains("stopped"));
        assert_eq!(ended.map(String::as_str), phase, "{policy} {code}: {told:?}");
        assert_eq!(
            told.iter().any(|l| l == "7 runs"),
            phase.is_none(),
            "{policy} {code}: {told:?}"
        );
    }
}

/// A sidecar that starts with its pod at 2 s holds nothing up; it serves from 22 s on, and its probe of every 10 s, the first of
/// which is made as soon as it is seen, finds that at 22 s: until then the pod is not Ready, though its main container is.
#[test]
fn a_sidecar_has_its_pod_be_not_ready() {
    let sidecar = r#"initContainers: [(name: "proxy", restartPolicy: Always, serves_after: "20s", readinessProbe: ())]"#;
    assert_eq!(
        told_of(&pod("1.37", "1m", sidecar)),
        ["2 runs", "2 Running", "2 Ready=False", "22 Ready=True"]
    );
    let beside = r#"containers: [(name: "log", serves_after: "20s", readinessProbe: ())]"#;
    assert_eq!(
        told_of(&pod("1.37", "1m", beside)),
        ["2 runs", "2 Running", "2 Ready=False", "22 Ready=True"]
    );
}

/// It serves from 14 s on; its startup probe ticks at 5, 10 and 15 s. Until that has succeeded the main container waits. Up to
/// 1.28 the API server drops what makes a sidecar of it: its end is waited for, which never comes, and it may have no probe
/// (`validateInitContainers`), unless the API server drops that, too, as startup probes up to 1.17.
#[test]
fn what_comes_after_a_sidecar_waits_until_it_has_started() {
    let sidecar = r#"initContainers: [(name: "proxy", restartPolicy: Always, serves_after: "12s", startupProbe: (periodSeconds: 5))]"#;
    assert_eq!(told_of(&pod("1.37", "1m", sidecar)), ["15 runs", "15 Running", "15 Ready=True"]);
    let bare = r#"initContainers: [(name: "proxy", restartPolicy: Always)]"#;
    assert_eq!(told_of(&pod("1.28", "1m", bare)), Vec::<String>::new());
    let notes = plan(&pod("1.28", "1m", bare)).notes;
    let dropped = notes.iter().find(|n| n.contains("drops `restartPolicy of init containers`"));
    let told = "the feature gate SidecarContainers is off";
    assert!(dropped.is_some_and(|note| note.contains(told)), "{notes:?}");
    for (version, help) in [
        ("1.28", r#"leave it out, or `feature_gates: {"SidecarContainers": true}`"#),
        ("1.27", "leave it out; sidecars are there from 1.29 on"),
        ("1.18", "leave it out; sidecars are there from 1.29 on"),
    ] {
        let problem = built(&pod(version, "1m", sidecar), &[]).expect_err(version);
        let refused = problem.contains("may not be set for init containers in v1.");
        assert!(refused && problem.contains(help), "{version}: {problem}");
    }
    assert_eq!(told_of(&pod("1.17", "1m", sidecar)), Vec::<String>::new());
    let gate = r#"feature_gates: {"SidecarContainers": true}, nodes:"#;
    let on = pod("1.28", "1m", sidecar).replace("nodes:", gate);
    assert_eq!(told_of(&on), ["15 runs", "15 Running", "15 Ready=True"]);
}

/// As one alone does: ends at 7, 12 and 27 s, back-offs of 10 s and 20 s. The other runs on, so that the pod never stops.
#[test]
fn one_of_two_containers_crash_loops() {
    let log = r#"containers: [(name: "log", ends: (after: "5s", exit_code: 1))]"#;
    let told = told_of(&pod("1.37", "50s", log));
    let told: Vec<&str> = told.iter().map(String::as_str).filter(|l| !l.contains("exit")).collect();
    assert_eq!(
        told,
        [
            "2 runs",
            "2 Running",
            "2 Ready=True",
            "7 runs",
            "12 back-off 10",
            "12 Ready=False",
            "22 runs",
            "22 Ready=True",
            "27 back-off 20",
            "27 Ready=False",
            "47 runs",
            "47 Ready=True",
        ]
    );
}

/// It serves from 60 s after its start on, and fails at 10, 20 and 30 s: it alone is killed within a second, and started again.
#[test]
fn a_probe_kills_one_container_alone() {
    let log = r#"containers: [(name: "log", serves_after: "60s", livenessProbe: (initialDelaySeconds: 5))]"#;
    let told = told_of(&pod("1.37", "40s", log));
    assert_eq!(
        told,
        ["2 runs", "2 Running", "2 Ready=True", "30 liveness fails", "31 runs"],
        "{told:?}"
    );
    let killing = "Normal Killing: Container log failed liveness probe, will be restarted";
    let all = events("1.37", "50s", log);
    assert!(all.iter().any(|(_, text, _)| text == killing), "{all:?}");
}

/// The main container has done its work at 12 s; the sidecar is ended then, within the second that a pod takes to stop.
#[test]
fn a_sidecar_keeps_no_job_alive() {
    let work = r#"restartPolicy: OnFailure, ends: (after: "10s"),
        initContainers: [(name: "proxy", restartPolicy: Always)]"#;
    let told = told_of(&pod("1.37", "1m", work));
    for line in ["2 runs", "12 exit 0", "12 Ready=False", "13 stopped", "13 Succeeded"] {
        assert!(told.iter().any(|l| l == line), "{line}: {told:?}");
    }
    let text = r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m", timing: Ideal, nodes: [(name: "n")],
        workloads: [Job(name: "sum", completions: 4, parallelism: 2, template: (ends: (after: "30s"), initContainers: [
            (name: "load", ends: (after: "5s")), (name: "proxy", restartPolicy: Always),
        ]))])"#;
    let trace = run(&plan(text), Choices::seeded(1));
    let done = self::told(&trace).into_iter().filter(|l| l.ends_with("Succeeded")).count();
    assert_eq!(done, 4);
}

/// An init container that fails ends its pod where nothing is started again (`getPhase`), and is in a back-off otherwise; the
/// phase of a pod of two containers is known once both have ended.
#[test]
fn phases_follow_from_all_containers() {
    let init = |policy: &str| {
        format!(
            r#"restartPolicy: {policy}, initContainers: [(name: "a", ends: (after: "5s", exit_code: 3))]"#
        )
    };
    assert_eq!(told_of(&pod("1.37", "1m", &init("Never"))), ["7 exit 3", "7 Failed"]);
    for policy in ["OnFailure", "Always"] {
        assert_eq!(
            told_of(&pod("1.37", "30s", &init(policy))),
            ["7 exit 3", "12 exit 3", "12 back-off 10", "27 exit 3", "27 back-off 20"],
            "{policy}"
        );
    }
    for (codes, phase) in [((0, 0), "12 Succeeded"), ((1, 0), "12 Failed"), ((0, 1), "12 Failed")] {
        let two = format!(
            r#"restartPolicy: Never, ends: (after: "5s", exit_code: {}),
                containers: [(name: "log", ends: (after: "10s", exit_code: {}))]"#,
            codes.0, codes.1
        );
        let told = told_of(&pod("1.37", "1m", &two));
        assert!(told.iter().any(|l| l == phase), "{codes:?}: {told:?}");
    }
}

/// A real kubelet lists containers once a second: what has ended is followed within one, and what was started is seen one later.
#[test]
fn what_ends_is_noticed_within_a_second() {
    let more =
        r#"initContainers: [(name: "a", ends: (after: "5s")), (name: "b", ends: (after: "7s"))]"#;
    let all = events("1.37", "1m", more);
    let ended = all.iter().filter(|(_, text, _)| text == "container-ended");
    let before: Vec<f64> = ended.map(|(at, ..)| -at).collect();
    let [first, second] = before[..] else { panic!("{all:?}") };
    assert!((0.0..=1.0).contains(&second), "{all:?}");
    assert!((7.0..=8.0).contains(&(first - second)), "{all:?}");
    let told = told_of(&pod("1.37", "1m", more).replace("timing: Ideal, ", ""));
    let when = |what: &str| -> f64 {
        let line = told.iter().find_map(|l| l.strip_suffix(what));
        line.and_then(|at| at.trim().parse().ok()).unwrap_or_else(|| panic!("{what}: {told:?}"))
    };
    for what in [" Running", " Ready=True"] {
        assert!((when(what) - when(" runs") - 1.0).abs() < 0.002, "{told:?}");
    }
}

/// The same of pods of several containers, with pulls, a registry that fails and kubelets that die amid all of that; and in the
/// end each pod of the one workload that has nothing wrong with it is Ready.
#[test]
fn what_is_computed_of_several_containers_is_what_is_simulated() {
    for version in ["1.28", "1.31", "1.37"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", feature_gates: {{{}}}, horizon: "40m", nodes: [(names: "n-{{0..3}}", zone: "a")],
            workloads: [
                Deployment(name: "web", replicas: 6, placement: Spread(All), template: (
                    serves_after: Uniform("5s", "40s"), readinessProbe: (periodSeconds: 5), image: (name: "web:2", pull: "20s", imagePullPolicy: Always),
                    initContainers: [
                        (name: "load", image: (name: "load:1", pull: Uniform("5s", "20s")), ends: (after: Uniform("1s", "10s"))),
                        (name: "proxy", restartPolicy: Always, image: (name: "proxy:1", pull: "10s"), serves_after: "4s", startupProbe: (periodSeconds: 3, failureThreshold: 20)),
                    ],
                    containers: [(name: "log", image: (name: "log:1", pull: "5s"), readinessProbe: ())],
                )),
                Deployment(name: "loops", replicas: 3, template: (livenessProbe: (), containers: [
                    (name: "log", ends: (after: Uniform("10s", "2m"), exit_code: 1)), (name: "more", ends: (after: "1m")),
                ])),
                Job(name: "sum", completions: 9, parallelism: 3, template: (ends: (after: Uniform("30s", "2m")), initContainers: [
                    (name: "load", ends: (after: "5s")), (name: "proxy", restartPolicy: Always),
                ])),
            ],
            timeline: [
                (at: "2m", do: Crash(nodes: Nodes(["n-1"]), duration: "30s")),
                (at: "3m", do: RegistryOutage(duration: "2m")),
                (at: "4m", do: DeletePod(pods: Group("web"))),
                (at: "4m10s", do: KubeletRestart(nodes: Nodes(["n-0"]), downtime: "10s")),
                (at: "6m", do: Partition(nodes: Nodes(["n-2"]), duration: "8m")),
                (at: "7m", do: KubeletRestart(nodes: Nodes(["n-3"]), downtime: "2m")),
                (at: "15m", do: Crash(nodes: Nodes(["n-0"]), duration: "30s")),
            ])"#,
            if version == "1.28" { r#""SidecarContainers": true"# } else { "" }
        );
        for seed in 1..4 {
            let lazy = run(&plan(&text), Choices::seeded(seed));
            let same = lazy.iter().eq(run_eager(&plan(&text), Choices::seeded(seed)).iter());
            assert!(same, "{version}, seed {seed}");
            let mut ready: BTreeMap<String, bool> = BTreeMap::new();
            for r in lazy.iter() {
                let f = lazy.fields(r);
                let Some(pod) = f.pod.filter(|p| p.starts_with("default/web-")) else { continue };
                match f.what {
                    "pod-gone" => _ = ready.remove(&pod),
                    // Those from the start are Ready.
                    "pod-created" => _ = ready.insert(pod, r.at.as_millis() == 0),
                    "pod-condition" if f.kind == Some("Ready") => {
                        ready.insert(pod, f.status == Some("True"));
                    }
                    _ => {}
                }
            }
            let well = ready.len() == 6 && ready.values().all(|ready| *ready);
            assert!(well, "{version}, seed {seed}: {ready:?}");
        }
    }
}

/// Pods of a Job do their work and end: four completions, two at a time, of 30 s each after a second of start.
#[test]
fn a_job_ends_by_itself() {
    let text = r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m", timing: Ideal, nodes: [(name: "n")],
        workloads: [Job(name: "sum", completions: 4, parallelism: 2, template: (ends: (after: "30s")))])"#;
    let trace = run(&plan(text), Choices::seeded(1));
    let done = told(&trace).into_iter().filter(|l| l.ends_with("Succeeded")).count();
    assert_eq!(done, 4, "{:?}", told(&trace));
}

/// What real kubelets do with drawn times is the same whether heartbeats are computed or not, through an outage, a crash and a
/// kubelet that is started anew; and all is well in the end.
#[test]
fn what_is_computed_is_what_is_simulated() {
    for version in ["1.20", "1.31", "1.34", "1.37"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "30m", nodes: [(names: "n-{{0..3}}", zone: "a")],
            workloads: [
                Deployment(name: "web", replicas: 6, placement: Spread(All), template: (serves_after: Uniform("5s", "40s"), readinessProbe: (periodSeconds: 5),
                    startupProbe: (periodSeconds: 3, failureThreshold: 20), livenessProbe: ())),
                Deployment(name: "loops", replicas: 3, template: (ends: (after: Uniform("10s", "2m"), exit_code: 1), readinessProbe: ())),
                StatefulSet(name: "hangs", replicas: 2, template: (serves_for: Uniform("1m", "5m"), readinessProbe: (), livenessProbe: (periodSeconds: 7))),
            ],
            timeline: [
                (at: "2m", do: Crash(nodes: Nodes(["n-1"]), duration: "30s")),
                (at: "4m", do: DeletePod(pods: Group("hangs"))),
                (at: "6m", do: Partition(nodes: Nodes(["n-2"]), duration: "8m")),
                (at: "7m", do: KubeletRestart(nodes: Nodes(["n-3"]), downtime: "2m")),
            ])"#
        );
        for seed in 1..4 {
            let lazy = run(&plan(&text), Choices::seeded(seed));
            assert!(
                lazy.iter().eq(run_eager(&plan(&text), Choices::seeded(seed)).iter()),
                "{version}, seed {seed}"
            );
            let all = told(&lazy);
            assert!(all.iter().any(|l| l.contains("back-off")), "{version}: {all:?}");
            assert!(all.iter().any(|l| l.contains("liveness fails")), "{version}: {all:?}");
        }
    }
}

/// A pod on a node with a real kubelet, whose containers start at some time: what is told from its first start on, in seconds, with events.
fn events(version: &str, horizon: &str, more: &str) -> Vec<(f64, String, u32)> {
    let text = pod(version, horizon, more).replace("timing: Ideal, ", "");
    let trace = ran(&plan(&text), 1);
    let starts = trace.iter().find(|r| trace.fields(r).what == "containers-started");
    let first = starts.expect("the pod starts").at;
    let line = |r: &taintsim::trace::Record| {
        let f = trace.fields(r);
        let at = (r.at.as_nanos() as f64 - first.as_nanos() as f64) / 1e9;
        let text = match f.what {
            "event" => format!("{} {}: {}", f.kind?, f.reason?, f.message?),
            "containers-started" | "container-ended" | "back-off" => f.what.to_owned(),
            _ => return None,
        };
        Some((at, text, f.count.unwrap_or(1)))
    };
    trace.iter().filter_map(line).collect()
}

/// Recorded of 1.34.4 and 1.37.1, with a kubelet that is dead for a time and workers that wait for 0.625 of their period then: the probe out of turn that was asked
/// for meanwhile is made right after the first. So with two successes a pod is Ready with the first tick, and with three failures it is not with the second,
/// a period later. Up to 1.34 it is not Ready from the kubelet's start on; from 1.35 on what was said before holds.
#[test]
fn a_kubelet_that_has_started_probes_twice_at_first() {
    let text = |version: &str, more: &str| {
        let timeline =
            r#"timeline: [(at: "300s", do: KubeletRestart(node: "n", downtime: "10s"))], nodes:"#;
        pod(version, "10m", more).replace("timing: Ideal, ", "").replace("nodes:", timeline)
    };
    for seed in 1..9 {
        let told = |text: &str| -> Vec<(f64, String)> {
            let trace = ran(&plan(text), seed);
            let line = |r: &taintsim::trace::Record| {
                let f = trace.fields(r);
                let what = match f.what {
                    "pod-condition" if f.kind == Some("Ready") => format!("Ready={}", f.status?),
                    "event" if f.reason.as_deref() == Some("Unhealthy") => "fails".to_owned(),
                    _ => return None,
                };
                Some((r.at.as_millis() as f64 / 1000.0, what)).filter(|(at, _)| *at > 300.0)
            };
            trace.iter().filter_map(line).collect()
        };
        let all = told(&text("1.34", "readinessProbe: (periodSeconds: 100, successThreshold: 2)"));
        let [(from, not), (until, ready)] = &all[..] else { panic!("{seed}: {all:?}") };
        assert!(not == "Ready=False" && ready == "Ready=True" && until - from < 101.0, "{all:?}");
        let all = told(&text("1.37", r#"readinessProbe: (), serves_for: "305s""#));
        let first = all.iter().position(|(_, what)| what == "fails").expect("it fails");
        let not = all.iter().position(|(_, what)| what == "Ready=False").expect("it is not ready");
        assert!((9.9..11.0).contains(&(all[not].0 - all[first].0)), "{seed}: {all:?}");
        assert!(all.iter().all(|(_, what)| what != "Ready=True"), "{seed}: {all:?}");
    }
}

/// `prober.go: probe`: each probe that fails is told, at the tick that is 10 s after the pod was synced for the container that runs, a second after it
/// was seen, and not at once, as it has not run for 5 s then; of one without a delay also those two. 20 s after its start it is well.
#[test]
fn a_failed_probe_is_an_event() {
    for (delay, failed) in [(5, vec![(11.0, 1)]), (0, vec![(0.0, 1), (1.0, 2), (11.0, 3)])] {
        let probe =
            format!(r#"serves_after: "12s", readinessProbe: (initialDelaySeconds: {delay})"#);
        let all = events("1.37", "2m", &probe);
        let told: Vec<(f64, u32)> = all
            .iter()
            .filter(|(_, text, _)| text == "Warning Unhealthy: Readiness probe failed: ")
            .map(|(at, _, count)| (*at, *count))
            .collect();
        assert_eq!(told, failed, "{delay}: {all:?}");
        assert!(!all.iter().any(|(_, text, _)| text.contains("Killing")), "{all:?}");
    }
}

/// Serves from 60 s on, is probed each 10 s, and killed with the third failure (`computePodActions`): the event says whether it is started again.
#[test]
fn what_a_probe_kills_is_an_event() {
    for (probe, policy, message) in [
        ("liveness", "Always", "Container main failed liveness probe, will be restarted"),
        ("startup", "OnFailure", "Container main failed startup probe, will be restarted"),
        ("liveness", "Never", "Container main failed liveness probe"),
    ] {
        let more = format!(r#"serves_after: "60s", {probe}Probe: (), restartPolicy: {policy}"#);
        let all = events("1.37", "50s", &more);
        let killing =
            all.iter().position(|(_, text, _)| *text == format!("Normal Killing: {message}"));
        let killing = killing.unwrap_or_else(|| panic!("{probe} {policy}: {all:?}"));
        let upper = format!("{}{}", probe[..1].to_uppercase(), &probe[1..]);
        let unhealthy = format!("Warning Unhealthy: {upper} probe failed: ");
        let before: Vec<u32> = all[..killing]
            .iter()
            .filter(|(_, text, _)| *text == unhealthy)
            .map(|(.., n)| *n)
            .collect();
        assert_eq!(before, [1, 2, 3], "{probe} {policy}: {all:?}");
    }
}

/// Seen at 2 s, when its pod is synced, and found not to serve by the first probe, which is then, too: the pod is synced for that once
/// containers are listed anew, a second later (`GetNewerThan`). That sync has the container killed, and says so (`killContainer`);
/// it stops within another second. What has ended meanwhile, or goes with its pod, is not killed.
#[test]
fn a_container_is_killed_by_the_sync_for_what_a_probe_has_found() {
    let timing =
        r#"timing: Custom(request: "0s", response: "0s", watch: "0s", pass_overhead: "0s")"#;
    let fails = r#"serves_after: "60s", livenessProbe: (periodSeconds: 1, failureThreshold: 1)"#;
    let all = |more: &str, timeline: &str| -> Vec<String> {
        let nodes = format!("timeline: [{timeline}], nodes:");
        let text =
            pod("1.37", "4500ms", &format!("{fails}, {more}")).replace("timing: Ideal", timing);
        let trace = ran(&plan(&text.replace("nodes:", &nodes)), 1);
        let line = |r: &taintsim::trace::Record| {
            let f = trace.fields(r);
            let is_told = ["containers-started", "containers-stopped", "container-ended"];
            let what = match f.what {
                "event" => {
                    f.reason.filter(|r| ["Unhealthy", "Killing"].contains(&&**r))?.to_string()
                }
                what => is_told.contains(&what).then(|| what.to_owned())?,
            };
            Some(format!("{} {what}", r.at.as_millis() as f64 / 1000.0))
        };
        trace.iter().filter_map(line).collect()
    };
    let killed = all("", "");
    let expected = [
        "2 containers-started",
        "2 Unhealthy",
        "3 Killing",
        "4 containers-stopped",
        "4 containers-started",
    ];
    assert_eq!(killed[..5], expected, "{killed:?}");
    let ended = all(r#"ends: (after: "500ms", exit_code: 1)"#, "");
    assert!(ended.contains(&"2.5 container-ended".to_owned()), "{ended:?}");
    let deleted = all("", r#"(at: "2500ms", do: DeletePod(pod: "p"))"#);
    assert!(deleted.contains(&"3.5 containers-stopped".to_owned()), "{deleted:?}");
    for told in [ended, deleted] {
        assert!(!told.iter().any(|l| l.ends_with("Killing")), "{told:?}");
    }
}

/// `doBackOff` with each sync while it waits. Up to 1.34 a pod is synced 10 to 15 s after the sync before, and what is due is found up to
/// a second later: of the back-off of 80 s between its fifth end, which is noticed within a second or two, and its sixth start these are at least 1 + 78 / 16 and at most 1 + 80 / 10. From 1.35 on it
/// waits for what is left of that, 60 s at most, and half as much more: 1 or 2, as 60 to 91 s are followed by the 20 s that are left at most.
#[test]
fn each_sync_in_a_back_off_is_an_event() {
    for (version, text, least, most) in [
        ("1.25", "Back-off restarting failed container", 5, 9),
        ("1.34", "Back-off restarting failed container main in pod p_default(", 5, 9),
        ("1.37", "Back-off restarting failed container main in pod p_default(", 1, 2),
    ] {
        let all = events(version, "10m", r#"ends: (after: "5s", exit_code: 1)"#);
        let starts: Vec<usize> =
            (0..all.len()).filter(|i| all[*i].1 == "containers-started").collect();
        // The first is followed at once, and then 10, 20, 40 and 80 s.
        let waiting = &all[starts[4]..starts[5]];
        let text = format!("Warning BackOff: {text}");
        let told = waiting.iter().filter(|(_, t, _)| t.starts_with(&text)).count();
        assert!((least..=most).contains(&told), "{version}: {told} in {waiting:?}");
    }
}

/// A pod in CrashLoopBackOff, whose last container ran for 3 s and exited with 1, and one that runs.
fn crash_loop() -> String {
    let pod = |name: &str, ready: &str, status: Value| {
        let condition = |kind: &str, status: &str| json!({"type": kind, "status": status, "lastTransitionTime": "2026-11-20T11:58:03Z"});
        json!({"apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": name, "labels": {"app": "db"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "db", "controller": true}]},
            "spec": {"nodeName": "n", "containers": [{"name": "db"}]},
            "status": {"phase": "Running", "startTime": "2026-11-20T10:00:00Z", "containerStatuses": [status],
                "conditions": [condition("PodScheduled", "True"), condition("Ready", ready)]}})
    };
    let last = json!({"terminated": {"exitCode": 1, "reason": "Error", "startedAt": "2026-11-20T11:58:00Z", "finishedAt": "2026-11-20T11:58:03Z"}});
    let loops = json!({"restartCount": 31, "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "lastState": last});
    let runs =
        json!({"restartCount": 0, "state": {"running": {"startedAt": "2026-11-20T10:00:02Z"}}});
    let template =
        json!({"metadata": {"labels": {"app": "db"}}, "spec": {"containers": [{"name": "db"}]}});
    json!([
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"},
            "allocatable": {"cpu": "16", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-20T12:00:00Z", "lastTransitionTime": "2026-11-20T10:00:00Z"}]}},
        {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "db"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "db"}}, "template": template}},
        pod("db-0", "False", loops),
        pod("db-1", "True", runs),
    ])
    .to_string()
}

/// An export's loop goes on: 3 s of running, and back-offs that begin anew, 10, 20, 40, 80, 160 and 300 s, together 610 s. Each is over up to 16 s late (a sync each 10 to
/// 15 s, and a second), so that the first of 300 s begins between 310 + 8 · 3 and 310 + 5 · 16 + 8 · 4 s, and three more of 300 to 320 s do within half
/// an hour: 422 + 3 · 320 is less than 1800. A fifth begins at 334 + 4 · 303 s at the soonest, within it, too; a sixth at 1849 s is past it.
#[test]
fn a_crash_loop_of_an_export_goes_on_in_the_run() {
    let scratch = Scratch::new();
    scratch.write("crash.json", crash_loop());
    let text = r#"Scenario(version: 1, horizon: "30m", cluster: From("crash.json"))"#;
    let loaded = scenario::parse("a.ron", text.as_bytes().to_vec(), &scratch.path(""));
    let built = loaded.and_then(|l| scenario::build(&l, &Overrides::default()));
    let plan = built.unwrap_or_else(|p| panic!("{p}"));
    let trace = run(&plan, Choices::seeded(1));
    let of = |what: &str, pod: &str| -> Vec<u64> {
        let fields = trace.iter().map(|r| trace.fields(r));
        let of_pod = fields.filter(|f| f.what == what && f.pod.as_deref() == Some(pod));
        of_pod.filter_map(|f| f.seconds.or(f.count).map(u64::from)).collect()
    };
    let waits = of("back-off", "default/db-0");
    assert_eq!(waits[..9], [10, 20, 40, 80, 160, 300, 300, 300, 300], "{waits:?}");
    assert!(waits.len() <= 10, "{waits:?}");
    assert!(of("container-ended", "default/db-0").iter().all(|code| *code == 1));
    assert!(of("container-ended", "default/db-1").is_empty());
}

/// `newCrashLoopBackOff`: with 20 s at most ends at 7 (at once), 12 (10 s), 27, 52, 77 (20 s); with 8 s, less than the first of
/// 10 s, 8 s each time: ends at 12, 25, 38; with the reduced one from 1 s on to 30 s: ends at 12 (1 s), 18 (2), 25 (4), 34 (8),
/// 47 (16), 68 (30), 103 (30). Up to 1.34 there is no such field without its gate.
#[test]
fn a_crash_loop_backs_off_no_longer_than_kubelets_are_told_to() {
    let text = |version: &str, gates: &str, period: &str| {
        let ends = r#"ends: (after: "5s", exit_code: 1)"#;
        let set = format!(
            r#"timing: Ideal, feature_gates: {{{gates}}}, flags: (kubelet: {{"max-container-restart-period": "{period}"}}),"#
        );
        pod(version, "3m", ends).replace("timing: Ideal,", &set)
    };
    let waits = |text: &str| -> Vec<String> {
        let told = told_of(text);
        told.into_iter().filter(|l| l.contains("back-off")).take(7).collect()
    };
    let gate = r#""KubeletCrashLoopBackOffMax": true"#;
    let reduced = r#""ReduceDefaultCrashLoopBackOffDecay": true"#;
    for (version, gates) in [("1.37", ""), ("1.32", gate)] {
        assert_eq!(
            waits(&text(version, gates, "20s"))[..4],
            ["12 back-off 10", "27 back-off 20", "52 back-off 20", "77 back-off 20"]
        );
        assert_eq!(
            waits(&text(version, gates, "8s"))[..3],
            ["12 back-off 8", "25 back-off 8", "38 back-off 8"]
        );
    }
    let expected = [(12, 1), (18, 2), (25, 4), (34, 8), (47, 16), (68, 30), (103, 30)];
    let expected = expected.map(|(at, lasts)| format!("{at} back-off {lasts}"));
    assert_eq!(waits(&text("1.37", reduced, "30s")), expected);
    for (text, why) in [
        (text("1.37", "", "6m"), "(got: 360 seconds) must be set between 1s and 300s"),
        (text("1.37", "", "500ms"), "(got: 0.5 seconds) must be set between 1s and 300s"),
        (text("1.34", "", "1m"), "MaxContainerRestartPeriod must not be set"),
    ] {
        let problem = built(&text, &[]).expect_err(why);
        assert!(problem.contains(why), "{problem}");
    }
}

/// What the API refuses, and what would do nothing.
#[test]
fn mistakes_are_told() {
    for (more, expected) in [
        ("readinessProbe: (periodSeconds: -1)", "must be greater than or equal to 0"),
        ("livenessProbe: (successThreshold: 2)", "must be 1"),
        (
            "readinessProbe: (terminationGracePeriodSeconds: 5)",
            "must not be set for readinessProbes",
        ),
        ("livenessProbe: (terminationGracePeriodSeconds: 0)", "must be greater than 0"),
        (r#"serves_after: "5s""#, "nothing sees whether the container serves"),
        (r#"ends: (after: "0s")"#, "a container runs for some time before it ends"),
        (r#"ends: (after: "5s", exit_code: 256)"#, "must be between 0 and 255, inclusive"),
        ("exit_code: 300", "must be between 0 and 255, inclusive"),
        (
            r#"initContainers: [(name: "a")]"#,
            "what comes after an init container waits for its end",
        ),
        (
            r#"initContainers: [(name: "a", ends: (after: "5s"), livenessProbe: ())]"#,
            "may not be set for init containers without restartPolicy=Always",
        ),
        (
            r#"initContainers: [(name: "a", ends: (after: "5s", ran: "1s"))]"#,
            "no init container runs when the run begins",
        ),
        (
            r#"containers: [(name: "a", restartPolicy: Always)]"#,
            "may not be set for non-init containers",
        ),
        (
            r#"initContainers: [(name: "a", restartPolicy: Always)], containers: [(name: "a")]"#,
            "another container is called \"a\"",
        ),
        (r#"containers: [(name: "main")]"#, "another container is called \"main\""),
        (r#"containers: [(name: "a.b")]"#, "must not contain dots"),
        (
            r#"containers: [(name: "a", serves_for: "5s")]"#,
            "nothing sees whether the container serves",
        ),
    ] {
        let problem = built(&pod("1.37", "1m", more), &[]).expect_err(more);
        assert!(problem.contains(expected), "{more}: {problem}");
    }
}

/// A node of four crashes at 120 s, is Unknown 45 s later, and its pod is evicted at 195.1 s. Its successor runs at 199.1 s, serves at
/// 211.1 s, and has requests sent to it once a probe has found that: with a period of 1, 10 or 30 s, the first of which is 1, 10 or 30 s
/// after it was seen to run, at 211.1, 219.1 or 229.1 s. So 91.1, 99.1 or 109.1 s of one pod are missing. For 45 s a quarter of all requests is
/// lost, in all three alike; starting up at 0 s is no outage, whatever it takes.
#[test]
fn a_replica_is_missing_until_a_probe_has_found_it() {
    for (period, missing) in [(1, 91_100), (10, 99_100), (30, 109_100)] {
        let plan = plan(&format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20m", timing: Ideal, nodes: [(names: "n-{{0..3}}")],
                workloads: [Deployment(name: "api", replicas: 4, template: (
                    pod_start: "4s", serves_after: "12s", readinessProbe: (periodSeconds: {period}),
                    tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)],
                ))],
                timeline: [(at: "2m", do: Crash(node: "n-0", duration: "10m"))])"#
        ));
        let trace = run(&plan, Choices::seeded(1));
        let costs = metrics(&plan, &trace, DEFAULT_NEEDLESS_WINDOW).costs;
        // Each of four pods brings one request a nanosecond; one in four is lost.
        let in_ms = |ns: u128| ns / 1_000_000;
        assert_eq!((in_ms(costs.missing_ns), in_ms(costs.requests_lost)), (missing, 45_000));
    }
}

/// The API server is away from 220 s to 240 s. Meanwhile one container ends, at 230 s, and another fails its third probe in a row
/// (from 200 s on, with one each 10 s, at 220 to 230 s). What the status manager has not said yet it says with its next sync, of
/// which there is one each 10 s (`syncBatch`, `needsUpdate`), however long the watch of pods takes to come back.
#[test]
fn what_came_about_in_an_outage_is_said_with_the_next_sync_of_statuses() {
    let own = [
        (r#"restartPolicy: Never, ends: (after: "230s")"#, "Succeeded"),
        (
            r#"serves_for: "200s", readinessProbe: (periodSeconds: 10, failureThreshold: 3)"#,
            "Ready=False",
        ),
    ];
    for (pod, said) in own {
        let plan = plan(&format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "6m", nodes: [(name: "n")], pods: [(name: "p", on: Node("n"), {pod})],
                timeline: [(at: "220s", do: ApiOutage(duration: "20s"))])"#
        ));
        for seed in 1..7 {
            let told = told(&run(&plan, Choices::seeded(seed)));
            let at = told
                .iter()
                .filter_map(|l| l.strip_suffix(said)?.trim().parse::<f64>().ok())
                .next_back();
            assert!(at.is_some_and(|at| at > 220.0 && at <= 250.1), "{seed}: {told:?}");
        }
    }
}

/// Pods that run are past their start, however long one takes: a probe that succeeds within its 10 s has them be ready, and what
/// stops serving after a minute is found at the third failure, 20 to 30 s later.
#[test]
fn how_long_a_start_takes_does_not_concern_what_runs() {
    let not_ready =
        r#"start: Imported(phase: Running, ready: (status: False, lastTransitionTime: "-1h"))"#;
    let ready_at = |start: &str, probe: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "5m", nodes: [(names: "n-{{0..9}}")],
                pods: [(name: "p", count: 10, on: Spread(All), pod_start: "{start}", {probe} {not_ready})])"#
        );
        let seconds = |line: &String| line.strip_suffix(" Ready=True")?.parse().ok();
        told_of(&text).iter().filter_map(seconds).collect::<Vec<f64>>()
    };
    let at = ready_at("30s", "readinessProbe: (),");
    assert_eq!(ready_at("2s", "readinessProbe: (),"), at);
    assert!(at.len() == 10 && at.iter().all(|at| *at < 10.1), "{at:?}");
    // Without a probe it is set back with the next sync of pod statuses, which comes every 10 s.
    let at = ready_at("30s", "");
    assert!(at.len() == 10 && at.iter().all(|at| *at < 10.1), "{at:?}");

    let ends = |start: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "10m", nodes: [(name: "n-0")],
                pods: [(name: "p", on: Node("n-0"), pod_start: "{start}", readinessProbe: (), serves_for: "1m")])"#
        );
        told_of(&text)
    };
    let found = ends("1s");
    let at = found.iter().find_map(|line| line.strip_suffix(" Ready=False")).unwrap();
    let at: f64 = at.parse().unwrap();
    assert!((80.0..90.1).contains(&at), "{found:?}");
    assert_eq!(found, ends("20m"));
}
