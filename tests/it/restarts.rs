//! What becomes of pods whose containers are started again, or are not, by `restartPolicy`: when their machine has stopped.

use super::probes::{plan, told_of};
use taintsim::kernel::Choices;
use taintsim::sim::run;
use taintsim::trace::Trace;

/// A pod that runs from the start on.
fn pod(version: &str, more: &str, timeline: &str) -> String {
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "5m", timing: Ideal, nodes: [(name: "n")],
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
        let again = told.iter().filter(|l| l.ends_with("runs") && !l.starts_with("0 ")).count() > 0;
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
        let ends = times(&trace, "event", "BackoffLimitExceeded");
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
