//! Jobs that end: what is said of them, and of the pods that go with one that fails.

use super::{Scratch, unfolded};
use serde_json::Value;

const FAILED: &str = "failed: BackoffLimitExceeded (Job has reached the specified backoff limit)";

/// Of four pods one is lost for good at 61 s, evicted at 405.1 s, and counted a second later, which is more
/// failures than the Job may have: its controller deletes the other three. Failed, and the event, wait for
/// the pod on the dead node, and so for ever.
fn fails(scratch: &Scratch) {
    scratch.write(
        "fails.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "1h",
        nodes: [(names: "a-{0..3}", zone: "a", lease_offset: "3s", status_offset: "4s")],
        workloads: [Job(name: "sum", parallelism: 4, completions: 4, backoffLimit: 0, placement: Spread(All), template: (ends: (after: "40m")))],
        timeline: [(at: "61s", do: Crash(node: "a-0"))])"#,
    );
}

/// What is printed, without line breaks.
fn said(scratch: &Scratch, args: &[&str]) -> String {
    let called = scratch.call(args);
    assert_eq!(called.code, 0, "{args:?}: {}", called.stderr);
    unfolded(&called.stdout)
}

#[track_caller]
fn has(said: &str, part: &str) {
    assert!(said.contains(part), "no {part:?} in {said}");
}

/// 3,539 + 3 · 3,193.9 replica-seconds are 218.7 minutes: the one from 61 s on, three from 406.1 s on.
#[test]
fn a_run_says_that_a_job_has_failed() {
    let scratch = Scratch::new();
    fails(&scratch);
    let run = said(&scratch, &["run", "fails.ron"]);
    has(&run, &format!("Job default/sum {FAILED}"));
    has(
        &run,
        &format!(
            "Job default/sum: {FAILED}, but its condition Failed waits for its Terminating pods; 0 of 4 up at the end, at worst 0; 218.7 replica-minutes missing; below need for 53m13.9s"
        ),
    );
    let json = said(&scratch, &["run", "fails.ron", "-o", "json"]);
    let json: Value = serde_json::from_str(&json).expect("is JSON");
    let ended = &json["workloads"][0]["ended"];
    assert_eq!(
        (&ended["failed"], &ended["reason"]),
        (&true.into(), &"BackoffLimitExceeded".into())
    );
}

/// Two pods were started again once each before, and one is so again when its machine is back: 1 + 1 + 1 restarts are the three
/// that the Job allows (`pastBackoffLimitOnFailure`). Without those before, there is one.
#[test]
fn what_was_started_again_before_counts() {
    let scratch = Scratch::new();
    let run = |restarts: &str| {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "30m", nodes: [(names: "n-{{0..1}}")],
                pods: [(names: "sum-{{0..1}}", on: Spread(All), owner: (kind: "Job", name: "sum"), restartPolicy: OnFailure, {restarts} ends: (after: "2h"))],
                workloads: [Job(name: "sum", parallelism: 2, completions: 2, backoffLimit: 3, template: (restartPolicy: OnFailure, ends: (after: "2h")))],
                timeline: [(at: "1m", do: Reboot(node: "n-0"))])"#
        );
        scratch.write("again.ron", &text);
        said(&scratch, &["run", "again.ron"])
    };
    has(&run("restartCount: 1,"), &format!("Job default/sum {FAILED}"));
    assert!(!run("").contains(FAILED));
    let text = r#"Scenario(version: 1, nodes: [(name: "n")], horizon: "1m", pods: [(name: "p", on: Unbound, restartCount: 1)])"#;
    scratch.write("wrong.ron", text);
    let called = scratch.call(&["validate", "wrong.ron"]);
    has(&called.stderr, "only containers that run from the start were started again before");
}

/// The controller deletes the pods a second after the one was evicted, and writes the status with the next sync.
#[test]
fn an_explanation_says_that_a_job_has_failed() {
    let scratch = Scratch::new();
    fails(&scratch);
    let job = said(&scratch, &["explain", "fails.ron", "Job/sum"]);
    has(
        &job,
        &format!(
            "{FAILED} at 6:46.100, but its condition Failed waits for its Terminating pods; 0 of 4 pods available at 1:00:00.000"
        ),
    );
    assert!(!job.contains("enough pods are available again"), "{job}");
    let pod = said(&scratch, &["explain", "fails.ron", "sum-1"]);
    has(
        &pod,
        &format!("deleted at 6:46.100 by the Job controller on a-1, as Job default/sum {FAILED}"),
    );
    // The one that was evicted did not go with it.
    let pod = said(&scratch, &["explain", "fails.ron", "sum-0"]);
    assert!(!pod.contains("as Job"), "{pod}");
}

/// Its only pod runs for ten minutes.
#[test]
fn a_run_says_that_a_job_is_complete() {
    let scratch = Scratch::new();
    scratch.write(
        "done.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "20m", nodes: [(name: "n")],
        workloads: [Job(name: "sum", placement: Spread(All), template: (ends: (after: "10m")))])"#,
    );
    let run = said(&scratch, &["run", "done.ron"]);
    has(&run, "Job default/sum completed");
    has(&run, "all pods of 1 workload were always up");
    has(&said(&scratch, &["explain", "done.ron", "Job/sum"]), "completed at 10:0");
}

/// Two at a time: as they are done after two minutes the next two start, which takes some three seconds; in the end `mesh` takes
/// four seconds to stop after the work is done. What fails, or finds no node, is too few all the same.
#[test]
fn a_job_that_goes_on_does_not_lack_pods() {
    let scratch = Scratch::new();
    let jobs = r#"Job(name: "turn", parallelism: 2, completions: 6, placement: Spread(All), template: (ends: (after: "2m"))),
        Job(name: "mesh", placement: Node("a-0"), template: (ends: (after: "3m"), pod_stop: "4s", initContainers: [(name: "mesh", restartPolicy: Always)])),
        Job(name: "big", template: (requests: {"cpu": "100"}, ends: (after: "2m"))),
        Job(name: "fails", placement: Node("a-1"), template: (restartPolicy: OnFailure, ends: (after: "2m", exit_code: 1)))"#;
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20m", nodes: [(names: "a-{{0..1}}")], workloads: [{jobs}])"#
    );
    scratch.write("jobs.ron", &text);
    let explained = |job: &str| said(&scratch, &["explain", "jobs.ron", job]);
    for (job, has_few) in [("turn", false), ("mesh", false), ("big", true), ("fails", true)] {
        let said = explained(job);
        let turns =
            "it never had too few but while the next ones started after those that were done";
        assert_eq!(
            (said.contains("too few from"), said.contains(turns)),
            (has_few, !has_few),
            "{said}"
        );
    }
}

/// `taint-eviction` clears away what has ended, and evicts nobody by that.
#[test]
fn who_had_ended_is_told_apart_from_who_was_evicted() {
    let scratch = Scratch::new();
    scratch.write(
        "ended.ron",
        r#"Scenario(version: 1, horizon: "15m", nodes: [(names: "a-{0..2}")],
        workloads: [Job(name: "sum", parallelism: 3, completions: 3, placement: Spread(All), template: (ends: (after: "2m")))],
        timeline: [(at: "5m", do: Partition(node: "a-0", duration: "8m"))])"#,
    );
    let run = said(&scratch, &["run", "ended.ron"]);
    has(&run, "evicted 0 pods");
    has(&run, "deletions taint-eviction 1 (1 had ended)");
}

/// Each of two pods works for 20 minutes, and one is drained after five. It stops within a second, which is before its controller syncs
/// (`job_controller.go: syncJobBatchPeriod`), and Succeeded is no failure (`isPodFailed`): 15 minutes of work are not done, and the Job
/// is complete at 20:00. One that takes ten seconds has failed by then, as has one that exits with 143: it is made anew 10 s after that
/// (`DefaultJobPodFailureBackOff`).
#[test]
fn a_pod_that_counts_as_done_with_work_left_is_told() {
    let scratch = Scratch::new();
    let told = |more: &str, version: &str| {
        scratch.write(
            "drained.ron",
            format!(
                r#"Scenario(version: 1, kubernetes: "{version}", horizon: "30m", nodes: [(names: "a-{{0..3}}", zone: "a")],
                workloads: [Job(name: "etl", parallelism: 2, completions: 2, placement: Nodes(["a-0", "a-1"]),
                    template: (restartPolicy: Never, ends: (after: "20m"){more}))],
                timeline: [(at: "5m", do: Drain(node: "a-0"))])"#
            ),
        );
        ["run", "explain"].map(|command| match command {
            "run" => said(&scratch, &["run", "drained.ron"]),
            _ => ["etl", "etl-0"]
                .map(|of| said(&scratch, &["explain", "drained.ron", of]))
                .join("\n"),
        })
    };
    let assumed = "exit with 0 when they are asked to stop, so that a pod that is evicted with work left may count as done";
    let why = "its containers ended with 0, so that its Job counts it as done and makes none in its place";
    let [run, explained] = told("", "1.34");
    has(&run, assumed);
    assert_eq!(explained.matches(why).count(), 2, "{explained}");
    has(
        &explained,
        &format!("{why}. That they do is assumed: `template.exit_code` says otherwise"),
    );
    has(&explained, "completed at 20:0");
    let [run, explained] = told(", exit_code: 0", "1.34");
    assert!(!run.contains(assumed), "{run}");
    assert!(explained.contains(why) && !explained.contains("is assumed"), "{explained}");
    // Up to 1.26 the pod goes without a phase of its own.
    for (more, version) in
        [(r#", pod_stop: "10s""#, "1.34"), (", exit_code: 143", "1.34"), ("", "1.26")]
    {
        let [run, explained] = told(more, version);
        assert_eq!(run.contains(assumed), more.contains("10s"), "{run}");
        assert!(!explained.contains("counts it as done"), "{explained}");
        has(&explained, "its workload made default/etl-");
    }
}

/// With a failure policy nothing takes the place of a pod before its phase says how it ended (`onlyReplaceFailedPods`). Who collects
/// the pods of a deleted node writes that (`gc_controller.go: markFailedAndDeletePod`); one that is deleted by force keeps the Job's
/// finalizer and its phase.
#[test]
fn what_a_job_waits_for_before_it_replaces_a_pod_is_told() {
    let scratch = Scratch::new();
    let explained_by = |action: &str, version: &str, then: &str, of: &str| {
        scratch.write(
            "waits.ron",
            format!(
                r#"Scenario(version: 1, kubernetes: "{version}", horizon: "40m", nodes: [(names: "a-{{0..3}}", zone: "a")],
                workloads: [Job(name: "sum", placement: Node("a-0"), template: (restartPolicy: Never),
                    podFailurePolicy: (rules: [(action: {action}, onPodConditions: [(type: DisruptionTarget)])]))],
                timeline: [(at: "5m", do: Partition(node: "a-0")){then}])"#
            ),
        );
        said(&scratch, &["explain", "waits.ron", of])
    };
    let explained = |version: &str, then: &str, of: &str| explained_by("Ignore", version, then, of);
    // Whoever collects the pods of a node that is gone says that they have failed, which this rule makes the end of the Job.
    let fails = "deleting the pod by force does not; but the out-of-service taint and deleting the node fail the pods, and by that the \
        Job for good; the node's return does, too, unless their containers end with 0";
    has(&explained_by("FailJob", "1.34", "", "sum-0"), fails);
    assert!(!explained("1.34", "", "sum-0").contains("for good; the node's return"));
    let why = "none is made in its place before it has Failed or Succeeded, as a Job with a podFailurePolicy has it (from 1.28 on); \
        the node's return, the out-of-service taint (only for a machine that is off for certain), or deleting the node changes that; \
        deleting the pod by force does not";
    let force = r#", (at: "20m", do: DeletePod(pods: All, gracePeriodSeconds: 0))"#;
    for of in ["sum", "sum-0"] {
        has(&explained("1.28", "", of), why);
        has(&explained("1.34", force, of), why);
        for (version, then) in
            [("1.27", ""), ("1.34", r#", (at: "20m", do: DeleteNode(node: "a-0"))"#)]
        {
            let said = explained(version, then, of);
            assert!(!said.contains(why), "{said}");
            assert!(
                said.contains("in place of a lost one") || said.contains("its workload made"),
                "{said}"
            );
        }
    }
}

/// The pod of a node that is dead for good stays Terminating, and the one that takes its place succeeds. From 1.31 on the Job has met its
/// criteria then, and is not Complete (`enactJobFinished`: `if *jobCtx.terminating > 0`); up to 1.30 it is.
#[test]
fn a_job_that_waits_for_a_dead_nodes_pod_is_not_complete() {
    let scratch = Scratch::new();
    scratch.write(
        "dead.ron",
        r#"Scenario(version: 1, horizon: "20m", nodes: [(names: "n-{0..1}")],
        workloads: [Job(name: "w", placement: Node("n-0"), template: (restartPolicy: Never, ends: (after: "1m"), tolerations: [
            (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)]))],
        timeline: [(at: "10s", do: Crash(node: "n-0"))])"#,
    );
    let lacks =
        "completed (SuccessCriteriaMet), but its condition Complete waits for its Terminating pods";
    for (release, waits) in [("1.34", true), ("1.30", false)] {
        let run = said(&scratch, &["run", "dead.ron", "--kubernetes", release]);
        assert_eq!(run.contains(lacks), waits, "{release}: {run}");
        let summary: Value =
            serde_json::from_str(&scratch.text("output/dead/summary.json")).unwrap();
        let ended = &summary["workloads"][0]["ended"];
        assert_eq!(
            (ended["failed"].as_bool(), ended["finished"].as_bool()),
            (Some(false), Some(!waits))
        );
        let told = said(&scratch, &["explain", "dead.ron", "Job/w", "--kubernetes", release]);
        assert_eq!(told.contains(", but its condition Complete waits"), waits, "{release}: {told}");
    }
    // Older ones tell the end before they write it.
    let told = said(&scratch, &["explain", "dead.ron", "Job/w", "--kubernetes", "1.18"]);
    assert!(told.contains("completed at ") && !told.contains("waits for its"), "{told}");
}
