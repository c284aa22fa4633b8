//! What becomes of pods whose containers are started again, or are not, by `restartPolicy`: when their machine has
//! stopped, how often a Job allows it, and when a kubelet forgets how often it was.

use super::plans::plan;
use super::probes::told_of;
use taintsim::kernel::Choices;
use taintsim::sim::run;
use taintsim::trace::Trace;

/// A pod that runs from the start on.
fn pod(version: &str, more: &str, timeline: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "100m", timing: Ideal, nodes: [(name: "n")],
            pods: [(name: "p", on: Node("n"), {more})], timeline: [{timeline}])"#
    )
}

/// Whether something was told.
fn says(told: &[String], line: &str) -> bool {
    told.iter().any(|l| l == line)
}

/// `computePodActions`, `getPhase`: with `Never` no sandbox is made where containers were, and all of them have stopped, not
/// with 0. The machine is off from 60 to 90 s.
#[test]
fn a_machine_that_stops_ends_pods_that_are_not_restarted() {
    let crash = r#"(at: "60s", do: Crash(node: "n", duration: "30s"))"#;
    for version in ["1.18", "1.27", "1.34", "1.37"] {
        for (policy, restarts) in [("Never", false), ("OnFailure", true), ("Always", true)] {
            let told = told_of(&pod(version, &format!("restartPolicy: {policy}"), crash));
            assert_eq!(says(&told, "90 runs"), restarts, "{version} {policy}: {told:?}");
            assert_eq!(says(&told, "90 Failed"), !restarts, "{version} {policy}: {told:?}");
        }
    }
}

/// A kubelet that dies and is started anew finds the containers running.
#[test]
fn a_kubelet_that_is_started_anew_ends_nothing() {
    let restart = r#"(at: "60s", do: KubeletRestart(nodes: Nodes(["n"]), downtime: "30s"))"#;
    let told = told_of(&pod("1.34", "restartPolicy: Never", restart));
    let after = |l: &&String| l.ends_with("runs") && !l.starts_with("0 ") || l.ends_with("Failed");
    assert_eq!(told.iter().find(after), None, "{told:?}");
}

/// Its container ends at 5 s, of which the API server hears nothing before 123 s; its machine is off from 60 to 90 s. What it
/// exited with is known even so: with 0 it has Succeeded, and is not started again unless it always is.
#[test]
fn what_had_ended_before_its_machine_did_is_known() {
    let timeline = r#"(at: "3s", do: Partition(node: "n", duration: "2m")), (at: "60s", do: Crash(node: "n", duration: "30s"))"#;
    for (policy, code, phase) in [
        ("Never", 0, Some("123 Succeeded")),
        ("OnFailure", 0, Some("123 Succeeded")),
        ("Never", 1, Some("123 Failed")),
        ("Always", 0, None),
        ("OnFailure", 1, None),
    ] {
        let more = format!(r#"restartPolicy: {policy}, ends: (after: "5s", exit_code: {code})"#);
        let told = told_of(&pod("1.34", &more, timeline));
        let ended = told.iter().find(|l| l.ends_with("Succeeded") || l.ends_with("Failed"));
        assert_eq!(ended.map(String::as_str), phase, "{policy} {code}: {told:?}");
        let again = told.iter().any(|l| l.ends_with("runs") && !l.starts_with("0 "));
        assert_eq!(again, phase.is_none(), "{policy} {code}: {told:?}");
    }
}

/// The milliseconds of the records whose fields have these words.
fn times(trace: &Trace, what: &str, word: &str) -> Vec<u64> {
    let is_it = |r: &&taintsim::trace::Record| {
        let f = trace.fields(r);
        let words = [f.status, f.reason.as_deref(), f.pod.as_deref()];
        f.what == what && (word.is_empty() || words.contains(&Some(word)))
    };
    trace.iter().filter(is_it).map(|r| r.at.as_millis()).collect()
}

/// The machine goes off at 120 s and has booted at 150 s; its kubelet asks 0.6 to 1.1 s later, and from 1.27 on at the
/// latest hears of its pods a second after that. A Job's pod has Failed then. With no failure allowed so has the Job, within
/// the second of a batch, or with the back-off of ten seconds of releases that make a Job wait before it looks. Otherwise its
/// next pod comes ten seconds after the whole second of the failure.
#[test]
fn a_job_loses_its_pod_with_the_machine() {
    let of = |version: &str, limit: u32| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "5m", nodes: [(names: "a-{{0..1}}", zone: "a")],
                workloads: [Job(name: "j", backoffLimit: {limit}, placement: Node("a-0"), template: (ends: (after: "1h")))],
                timeline: [(at: "2m", do: Reboot(node: "a-0"))])"#
        );
        run(&plan(&text), Choices::seeded(1))
    };
    for version in ["1.18", "1.27", "1.34", "1.37"] {
        let trace = of(version, 0);
        let failed = times(&trace, "pod-phase", "Failed");
        assert!(
            failed.len() == 1 && (150_600..=152_200).contains(&failed[0]),
            "{version}: {failed:?}"
        );
        let ends = times(&trace, "job-failed", "BackoffLimitExceeded");
        let within = failed[0]..=failed[0] + 12_000;
        assert!(ends.len() == 1 && within.contains(&ends[0]), "{version}: {ends:?}");
        assert_eq!(
            times(&trace, "pod-created", "").into_iter().filter(|ms| *ms > 0).count(),
            0,
            "{version}"
        );
    }
    let trace = of("1.34", 6);
    let made: Vec<u64> =
        times(&trace, "pod-created", "").into_iter().filter(|ms| *ms > 0).collect();
    assert!(made.len() == 1 && (161_000..=163_500).contains(&made[0]), "{made:?}");
}

/// `exceedsBackoffLimit` (S112): five pods that fail together at 10 s are more than a limit of 4 from 1.20 on. Up to 1.19 syncs that find
/// failures are counted; five pods that fail at a time are found by two at the most, and those that replace them live for another ten
/// seconds, so that the fifth such sync comes after 30 s at the earliest. Up to 1.7 there is no limit.
#[test]
fn pods_that_fail_together_are_one_failure_of_an_old_job() {
    let ends = |version: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "10m", timing: Ideal, nodes: [(names: "n-{{0..4}}")],
                workloads: [Job(name: "j", backoffLimit: 4, parallelism: 5, completions: 5,
                    template: (restartPolicy: Never, ends: (after: "10s", exit_code: 1)))])"#
        );
        times(&run(&plan(&text), Choices::seeded(1)), "job-failed", "BackoffLimitExceeded")
    };
    for version in ["1.20", "1.24", "1.34"] {
        let at = ends(version);
        assert!(at.len() == 1 && (10_000..=13_000).contains(&at[0]), "{version}: {at:?}");
    }
    for version in ["1.8", "1.18", "1.19"] {
        let at = ends(version);
        assert!(at.len() == 1 && at[0] > 30_000, "{version}: {at:?}");
    }
    assert!(ends("1.7").is_empty());
}

/// `pastBackoffLimitOnFailure`: pods run from the start, for 5 s each time. They are started again at 5 s at once, at 20 s 10 s
/// after the end at 10 s, at 45 s 20 s after the end at 25 s. The restarts of all pods together are as many as the limit, or 1
/// where that is 0: the Job is over, and its pods are deleted. A sync comes up to a second after a change, the kubelet takes
/// a second to stop a pod, for which a Job waits from 1.31 on, and is looked at again a second later.
#[test]
fn restarts_count_as_failures_of_a_job() {
    for version in ["1.18", "1.24", "1.28", "1.34", "1.37"] {
        for (limit, pods, at) in
            [(0, 1, 5), (1, 1, 5), (2, 1, 20), (3, 1, 45), (2, 2, 5), (3, 2, 20)]
        {
            let text = format!(
                r#"Scenario(version: 1, kubernetes: "{version}", horizon: "3m", timing: Ideal, nodes: [(name: "n")],
                    workloads: [Job(name: "j", backoffLimit: {limit}, parallelism: {pods}, completions: {pods}, placement: Node("n"),
                        template: (restartPolicy: OnFailure, ends: (after: "5s", exit_code: 1)))])"#
            );
            let trace = run(&plan(&text), Choices::seeded(1));
            let ends = times(&trace, "job-failed", "BackoffLimitExceeded");
            let within = at * 1_000..=at * 1_000 + 4_500;
            let case = format!("{version}, limit {limit}, {pods} pods");
            assert!(ends.len() == 1 && within.contains(&ends[0]), "{case}: {ends:?}");
            let gone = times(&trace, "pod-deleting", "");
            assert!(
                gone.len() >= pods && gone.iter().all(|ms| within.contains(ms)),
                "{case}: {gone:?}"
            );
            assert_eq!(
                times(&trace, "containers-started", "")
                    .into_iter()
                    .filter(|ms| *ms > 50_000)
                    .count(),
                0,
                "{case}"
            );
        }
    }
}

/// `syncJob`: the sync that deletes the pod of a Job that has failed counts it neither as active nor, from 1.31 on (S98), as ready, so
/// that the API server takes the status: the Job has failed, though its pod ends in order before the next sync, a second later. Up to
/// 1.30 no status is refused, and the Job has failed with the deletion.
#[test]
fn a_job_that_fails_stays_so_where_its_pod_ends_in_order() {
    for version in ["1.30", "1.31", "1.32", "1.34", "1.37"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "1m", nodes: [(name: "n")],
                workloads: [Job(name: "j", backoffLimit: 0,
                    template: (restartPolicy: OnFailure, pod_stop: "500ms", ends: (after: "10s", exit_code: 1)))])"#
        );
        for seed in 1..=5 {
            let trace = run(&plan(&text), Choices::seeded(seed));
            let ended = ["job-failed", "job-complete"].map(|what| times(&trace, what, "").len());
            assert_eq!(ended, [1, 0], "{version}, seed {seed}");
        }
    }
}

/// The same of containers of a pod that is Pending (`InitContainerStatuses`). From a second on each runs for 10 s, fails, and is started again
/// at once at 11 s, after 10 s at 31 s and after 20 s at 61 s. The Job's syncs and the end of its pod take up to five seconds more; real
/// kubelets look for the end of a back-off every 10 to 15 s up to 1.34.
#[test]
fn restarts_of_init_containers_count_as_failures_of_a_job() {
    let fails = r#"ends: (after: "10s", exit_code: 1)"#;
    let init = format!(r#"(name: "i", {fails})"#);
    let sidecar = format!(
        r#"(name: "s", restartPolicy: Always, {fails}), (name: "i", ends: (after: "200s"))"#
    );
    for (version, limit, containers, at) in [
        ("1.24", 2, &init, 31),
        ("1.34", 0, &init, 11),
        ("1.34", 2, &init, 31),
        ("1.37", 3, &init, 61),
        ("1.34", 3, &sidecar, 61),
    ] {
        for (timing, late) in [("Ideal", 5), ("Typical", 10 + 12 * limit.max(1))] {
            let text = format!(
                r#"Scenario(version: 1, kubernetes: "{version}", horizon: "3m", timing: {timing}, nodes: [(name: "n")],
                    workloads: [Job(name: "j", backoffLimit: {limit}, template: (restartPolicy: OnFailure,
                        pod_start: "1s", pod_stop: "1s", ends: (after: "60s"), initContainers: [{containers}]))])"#
            );
            let trace = run(&plan(&text), Choices::seeded(1));
            let ends = times(&trace, "job-failed", "BackoffLimitExceeded");
            let within = at * 1_000..=(at + late) * 1_000;
            let case = format!("{version}, {timing}, limit {limit}, {containers}");
            assert!(ends.len() == 1 && within.contains(&ends[0]), "{case}: {ends:?}");
        }
    }
}

/// In 80 s it is started again three times, at 5, 20 and 45 s: less often than four times.
#[test]
fn restarts_below_the_limit_end_nothing() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "80s", timing: Ideal, nodes: [(name: "n")],
        workloads: [Job(name: "j", backoffLimit: 4, placement: Node("n"),
            template: (restartPolicy: OnFailure, ends: (after: "5s", exit_code: 1)))])"#;
    let trace = run(&plan(text), Choices::seeded(1));
    assert_eq!(times(&trace, "job-failed", "BackoffLimitExceeded"), Vec::<u64>::new());
    assert_eq!(times(&trace, "pod-deleting", ""), Vec::<u64>::new());
}

/// A real kubelet says that a container was started again when it has listed it, up to a second later, and not when it starts
/// it: the Job cannot know before.
#[test]
fn a_job_knows_of_restarts_what_the_kubelet_has_said() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "3m", nodes: [(names: "a-{0..1}")],
        workloads: [Job(name: "j", backoffLimit: 2, template: (restartPolicy: OnFailure, ends: (after: "5s", exit_code: 1)))])"#;
    let trace = run(&plan(text), Choices::seeded(1));
    let starts = times(&trace, "containers-started", "");
    let deleted = times(&trace, "pod-deleting", "");
    // The third start is the second restart; a batch comes a second after the kubelet has said so.
    assert!(starts.len() == 3 && !deleted.is_empty(), "{starts:?} {deleted:?}");
    assert!((starts[2] + 1_000..starts[2] + 2_300).contains(&deleted[0]), "{starts:?} {deleted:?}");
    assert_eq!(times(&trace, "job-failed", "BackoffLimitExceeded").len(), 1);
}

/// `Backoff.GC`: a back-off is forgotten ten minutes after the start that began it. Of 6 min each time: ends at 360 s (started
/// at once), 720 s (10 s), 1090 s (20 s), 1470 s (40 s), 1870 s (80 s), 2310 s (160 s); started at 2470 s it ends at 2830 s, waits
/// for 300 s, and is started after 240 of them, at 3070 s; it ends at 3430 s, and waits for 10 s again. Of 4 min each time it
/// waits for 300 s from 1990 s on, which are over 540 s after its start, each time.
#[test]
fn a_back_off_is_forgotten_ten_minutes_after_the_start() {
    for version in ["1.20", "1.34", "1.37"] {
        let six = told_of(&pod(version, r#"ends: (after: "6m", exit_code: 1)"#, ""));
        let waits = |told: &[String]| -> Vec<String> {
            told.iter().filter(|l| l.contains("back-off")).take(7).cloned().collect()
        };
        assert_eq!(
            waits(&six),
            [(720, 10), (1090, 20), (1470, 40), (1870, 80), (2310, 160), (2830, 300), (3430, 10)]
                .map(|(at, lasts)| format!("{at} back-off {lasts}")),
            "{version}"
        );
        assert!(says(&six, "3070 runs"), "{version}: {six:?}");
        let four = told_of(&pod(version, r#"ends: (after: "4m", exit_code: 1)"#, ""));
        assert_eq!(
            waits(&four),
            [(480, 10), (730, 20), (990, 40), (1270, 80), (1590, 160), (1990, 300), (2530, 300)]
                .map(|(at, lasts)| format!("{at} back-off {lasts}")),
            "{version}"
        );
    }
}

/// The same of real kubelets, which do their housekeeping every 2 s, and look again every 10 to 15 s and up to a second later; from
/// 1.35 on after a minute at most, half as much more, and that second.
#[test]
fn a_back_off_is_forgotten_with_the_housekeeping() {
    for (version, latest) in [("1.20", 618_100), ("1.34", 618_100), ("1.37", 693_100)] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "70m", nodes: [(name: "n")],
                pods: [(name: "p", on: Node("n"), ends: (after: "6m", exit_code: 1))])"#
        );
        let trace = run(&plan(&text), Choices::seeded(1));
        let waits: Vec<(u64, u32)> = trace
            .iter()
            .filter(|r| trace.fields(r).what == "back-off")
            .filter_map(|r| Some((r.at.as_millis(), trace.fields(r).seconds?)))
            .collect();
        let lasts: Vec<u32> = waits.iter().map(|w| w.1).collect();
        assert_eq!(lasts[..7], [10, 20, 40, 80, 160, 300, 10], "{version}: {waits:?}");
        let starts = times(&trace, "containers-started", "");
        let next = starts.iter().position(|ms| *ms > waits[5].0).unwrap();
        let after = starts[next] - starts[next - 1];
        assert!((600_000..=latest).contains(&after), "{version}: {after} ms, {waits:?}");
    }
}

/// `podWorkerLoop`, `GetNewerThan`: a pod is synced again once containers were listed after the sync before, each second. The
/// mirror of a static pod from a URL, which has no toleration of its own (`applyDefaults`), is evicted at 0 with 30 s of grace.
/// Each that is made in its place is evicted at once, and nothing runs of it that would have to stop.
#[test]
fn a_mirror_that_is_evicted_at_once_is_made_again_once_a_second() {
    for version in ["1.14", "1.34", "1.37"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "40.5s", timing: Ideal,
                nodes: [(name: "n", taints: ["example.com/gpu:NoExecute"])],
                pods: [(name: "p", on: Node("n"), static: Url, containers: [(name: "c")], pod_stop: "40s")])"#
        );
        let made = times(&run(&plan(&text), Choices::seeded(1)), "pod-created", "");
        let made: Vec<u64> = made.into_iter().filter(|ms| *ms > 0).collect();
        let expected: Vec<u64> = (30..=40).map(|second| second * 1_000).collect();
        assert_eq!(made, expected, "{version}");
    }
}
