//! `pkg/controller/job/job_controller_test.go`, `test/integration/job`.
//!
//! Pods of a Job end because of a taint; kubelets take five seconds to end one. A sync gathers
//! changes for a second (1.24 on).

use super::{done_by, scenario_of};
use taintsim::plan::Plan;

/// A Job `j` of pods on nodes `n` and `m`, and pulses of a NoExecute taint of half a second on one
/// of them, at these seconds.
fn job(release: &str, job: &str, pulses: &[(u32, &str)]) -> Plan {
    let taint = |(at, node): &(u32, &str)| {
        format!(
            r#"(at: "{at}s", do: Taint(node: "{node}", taint: "k:NoExecute")), (at: "{at}s500ms", do: Untaint(node: "{node}", taint: "k:NoExecute"))"#
        )
    };
    job_of(release, job, &pulses.iter().map(taint).collect::<Vec<_>>().join(", "))
}

/// The same with this timeline. What runs in the pods does not end in order when it is asked to
/// (128 + SIGTERM): a pod that ends so has Failed.
fn job_of(release: &str, job: &str, timeline: &str) -> Plan {
    let timing = r#"Custom(request: "0s", response: "0s", watch: "0s", kubelet: Real(pod_start: "1s", pod_stop: "5s"), user: Raw)"#;
    scenario_of(
        release,
        timing,
        &format!(
            r#"horizon: "8m", nodes: [(names: ["n", "m"])], workloads: [Job(name: "j", template: (exit_code: 143), {job})], timeline: [{timeline}]"#
        ),
    )
}

/// The milliseconds of what the Job's controller did that contains these words, after the first two
/// seconds.
fn times(plan: &Plan, words: &str) -> Vec<u64> {
    let done = done_by("job", plan).into_iter().filter(|l| l.contains(words));
    done.map(|l| l.split(' ').next().unwrap().parse().unwrap()).filter(|ms| *ms >= 2_000).collect()
}

const TWO: &str = "parallelism: 2, completions: 2";

/// `TestJobPodReplacementPolicy`: a pod whose deletion begins at 10 s has failed there and then,
/// or, with `Failed`, when it has ended at 15 s; its replacement comes ten seconds after that, the
/// first back-off of a Job. From 1.32 on the API refuses the status of a Job in back-off whose other pod
/// is ready, so that the failure is dated anew when the pod has ended.
#[test]
fn when_a_pod_is_replaced_is_a_policy() {
    let replaced = |policy: &str| {
        times(
            &job("1.31", &format!("{TWO}, podReplacementPolicy: {policy}"), &[(10, "n")]),
            " pod-created ",
        )
    };
    assert_eq!(replaced("TerminatingOrFailed"), [20_000]);
    assert_eq!(replaced("Failed"), [25_000]);
}

/// `getPhase` of kubelets goes by exit codes and by nothing else: of a Job that replaces pods that have
/// Failed, one that ends with 0 when it is evicted has Succeeded, and is counted as done.
#[test]
fn a_pod_that_ends_in_order_has_succeeded() {
    let ended = |exit_code: i32| {
        let timing = r#"Custom(request: "0s", response: "0s", watch: "0s", kubelet: Real(pod_start: "1s", pod_stop: "5s"), user: Raw)"#;
        let plan = scenario_of(
            "1.31",
            timing,
            &format!(
                r#"horizon: "2m", nodes: [(names: ["n", "m"])],
                workloads: [Job(name: "j", template: (exit_code: {exit_code}), podReplacementPolicy: Failed)],
                timeline: [
                    (at: "10s", do: Taint(nodes: All, taint: "k:NoExecute")),
                    (at: "10s500ms", do: Untaint(nodes: All, taint: "k:NoExecute")),
                ]"#
            ),
        );
        let [completed, created] = [" Completed ", " pod-created "].map(|w| times(&plan, w).len());
        (completed, created)
    };
    assert_eq!(ended(0), (1, 0));
    assert_eq!(ended(143), (0, 1));
}

/// `TestJobPodsCreatedWithExponentialBackoff`: each failure doubles the wait, of 10 s, 20 s and 40
/// s. A Job with one pod loses it at 10, 60 and 120 s, wherever it is.
#[test]
fn the_wait_for_a_replacement_doubles() {
    let pulses = [(10, "n"), (10, "m"), (60, "n"), (60, "m"), (120, "n"), (120, "m")];
    assert_eq!(times(&job("1.34", "", &pulses), " pod-created "), [20_000, 80_000, 160_000]);
}

/// `TestJobPodFailurePolicy`: a pod that is disrupted does not count where the policy says so, and
/// is replaced although no failure is allowed; with such a policy only a pod that has ended is
/// replaced. Without it the Job has failed.
#[test]
fn disruptions_may_be_ignored() {
    let pulses = [(10, "n"), (10, "m")];
    let policy = "podFailurePolicy: (rules: [(action: Ignore, onPodConditions: [(type: DisruptionTarget)])])";
    let ignoring = job("1.34", &format!("backoffLimit: 0, {policy}"), &pulses);
    assert_eq!(
        (times(&ignoring, " pod-created "), times(&ignoring, " BackoffLimitExceeded ")),
        (vec![25_000], Vec::new())
    );
    let counting = job("1.34", "backoffLimit: 0", &pulses);
    assert_eq!(
        (times(&counting, " pod-created "), times(&counting, " BackoffLimitExceeded ").len()),
        (Vec::new(), 1)
    );
}

/// `TestDelayTerminalPhaseCondition`: the Job has failed with the deletion at 10 s, and that is
/// told by the sync a second later. From 1.31 on it is told when no pod is terminating: both have
/// ended by 16 s, the second of them deleted by the Job's own sync at 11 s, and the finalizers are
/// gone with that.
#[test]
fn a_job_ends_with_its_pods() {
    let failed = |release| {
        times(
            &job(release, &format!("{TWO}, backoffLimit: 0"), &[(10, "n")]),
            " BackoffLimitExceeded ",
        )
    };
    assert_eq!(failed("1.30"), [11_000]);
    assert_eq!(failed("1.31"), [16_000]);
}

/// The failure time of a pod that lost its node is when it stopped being Ready (`getFinishedTime`),
/// five minutes before its deletion: the back-off is over by then, and its replacement comes with
/// the next sync, a second later.
#[test]
fn a_pod_of_a_dead_node_failed_long_ago() {
    let plan = job_of("1.34", TWO, r#"(at: "10s", do: Partition(node: "n"))"#);
    let deleted: Vec<u64> = done_by("taint-eviction", &plan)
        .into_iter()
        .filter(|l| l.contains(" pod-deleting "))
        .filter_map(|l| l.split(' ').next()?.parse().ok())
        .collect();
    assert_eq!((deleted.len(), times(&plan, " pod-created ")), (1, vec![deleted[0] + 1_000]));
}

/// `syncJob`: a status is written where it changes, and up to 1.23 it does not count pods that are Ready
/// (JobReadyPods). A taint is seen after 1 ms, the deletion that it leads to arrives a millisecond later and is seen
/// one after that: at 3 ms the controller knows that one of two pods is being deleted. Its replacement arrives at
/// 4 ms and is answered at 6 ms. There are two active pods as before, so that nothing is written, and the
/// second pod, whose deletion is known since 5 ms, is replaced at once: that arrives at 7 ms.
#[test]
fn a_job_whose_pods_are_as_many_as_before_has_no_status_to_write() {
    let plan = scenario_of(
        "1.23",
        r#"Custom(request: "1ms", response: "2ms", watch: "1ms", kubelet: Real(pod_start: "1s", pod_stop: "5s"), user: Raw)"#,
        &format!(
            r#"horizon: "1m", nodes: [(names: ["n", "m"])], workloads: [Job(name: "j", {TWO})], timeline: [
                (at: "10s", do: Taint(node: "n", taint: "k:NoExecute")),
                (at: "10s2ms", do: Taint(node: "m", taint: "k:NoExecute")),
            ]"#
        ),
    );
    assert_eq!(times(&plan, " pod-created "), [10_004, 10_007]);
}
