//! What runs cost, by arithmetic, and which way each figure must move.
//!
//! The cluster: nodes `a-0` and `b-0`, four pods on each of `web`'s nodes or two, as each test
//! says; `timing: Ideal` unless said otherwise, where a container runs a second after its pod was
//! bound. Leases are renewed at 3 s, 13 s, …; the pass of 55 s sees the renewal of 53 s, so that a
//! node that falls silent at 61 s is Unknown at 105 s, 44 s later, and has its NoExecute taint at
//! 105.1 s.

use std::path::Path;
use taintsim::analysis::{Costs, DEFAULT_NEEDLESS_WINDOW, Figure, Metrics, metrics};
use taintsim::kernel::Choices;
use taintsim::scenario::{Overrides, build, parse};
use taintsim::sim::run;

/// What a run of a scenario comes to.
fn ran(text: &str, sets: &[&str], seed: u64) -> Metrics {
    let loaded = parse("s.ron", text.as_bytes().to_vec(), Path::new(""))
        .unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 120)));
    let overrides =
        Overrides { sets: sets.iter().map(|s| (*s).to_owned()).collect(), ..Overrides::default() };
    let plan = build(&loaded, &overrides)
        .unwrap_or_else(|p| panic!("{}", taintsim::report::diagnostics::draw(&p, false, 120)));
    metrics(&plan, &run(&plan, Choices::seeded(seed)), DEFAULT_NEEDLESS_WINDOW)
}

/// Two nodes, four pods of a workload, two on each, and what is done; `more` are further fields.
fn scenario(kind: &str, seconds: &str, timing: &str, step: &str, more: &str) -> String {
    let tolerations = format!(
        r#"tolerations: [(key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute{})]"#,
        if seconds == "none" { String::new() } else { format!(", tolerationSeconds: {seconds}") }
    );
    format!(
        r#"Scenario(version: 1, kubernetes: "1.34", timing: {timing}, horizon: "30m",
    nodes: [(names: "{{a,b}}-0", zone: "a", lease_offset: "3s", status_offset: "4s")],
    workloads: [{kind}(name: "web", replicas: 4, placement: Spread(All), template: ({tolerations}) {more})],
    timeline: [(at: "61s", name: "cut", do: {step})])"#
    )
}

fn seconds(ns: u128) -> f64 {
    ns as f64 / 1e9
}

#[track_caller]
fn near(measured: f64, expected: f64, within: f64, what: &str) {
    assert!((measured - expected).abs() <= within, "{what}: {measured}, by hand {expected}");
}

#[test]
fn a_node_lost_for_good_costs_detection_toleration_and_replacement() {
    let mut before = -1.0;
    for toleration in [0, 30, 60, 300, 600] {
        let m = ran(
            &scenario("Deployment", &toleration.to_string(), "Ideal", r#"Crash(node: "b-0")"#, ""),
            &[],
            1,
        );
        // Two pods, each for 44.1 s until the taint, its toleration, and a second until the
        // replacement runs.
        let by_hand = 2.0 * (44.1 + f64::from(toleration) + 1.0);
        near(seconds(m.costs.missing_ns), by_hand, 0.1, "replica-seconds missing");
        near(
            Figure::ReplicaMinutesMissing.of(&m.costs) * 60.0,
            by_hand,
            0.1,
            "the same in minutes",
        );
        assert!(seconds(m.costs.missing_ns) > before);
        before = seconds(m.costs.missing_ns);
        assert_eq!((m.costs.evicted, m.costs.needless, m.costs.pending_at_end), (2, 0, 0));
        // One is needed, and two stay up.
        assert_eq!(m.costs.below_need.as_nanos(), 0);
    }
    // Never evicted, never replaced: two pods from 61 s to 1800 s.
    let m = ran(&scenario("Deployment", "none", "Ideal", r#"Crash(node: "b-0")"#, ""), &[], 1);
    near(seconds(m.costs.missing_ns), 2.0 * 1739.0, 0.001, "replica-seconds missing");
}

#[test]
fn a_shorter_detection_is_never_worse() {
    let text = scenario("Deployment", "30", "Typical", r#"Crash(node: "b-0")"#, "");
    for seed in 1..6 {
        let missing = |grace: u32| {
            let set = format!("flags.kube-controller-manager.node-monitor-grace-period={grace}s");
            ran(&text, &[&set], seed).costs.missing_ns
        };
        let all: Vec<u128> = [20, 30, 50, 100, 300, 600].into_iter().map(missing).collect();
        assert!(all.is_sorted(), "seed {seed}: {all:?}");
        assert!(all[0] < all[5]);
    }
}

#[test]
fn a_cut_from_the_api_server_costs_nothing_until_somebody_is_evicted() {
    for duration in [20, 120, 600] {
        let step = format!(r#"Partition(node: "b-0", cut: ApiServer, duration: "{duration}s")"#);
        let m = ran(&scenario("Deployment", "none", "Typical", &step, ""), &[], 3);
        assert_eq!(
            Costs { requests: 0, observed: m.costs.observed, ..m.costs },
            Costs { observed: m.costs.observed, ..Costs::default() }
        );
    }
    // Evicted at 165.1 s: two replacements run a second later, and the two that they replace run on
    // until their kubelet is heard again at 661 s: ghosts for 495.9 s each.
    let step = r#"Partition(node: "b-0", cut: ApiServer, duration: "600s")"#;
    let m = ran(&scenario("Deployment", "60", "Ideal", step, ""), &[], 1);
    near(seconds(m.costs.missing_ns), 2.0, 0.1, "replica-seconds missing");
    near(seconds(m.costs.ghost_ns), 2.0 * 495.9, 2.0, "ghost-seconds");
    assert_eq!(m.costs.requests_lost, 0);
}

#[test]
fn nobody_reaches_the_pods_of_a_partition() {
    let m = ran(
        &scenario("Deployment", "none", "Ideal", r#"Partition(node: "b-0", duration: "120s")"#, ""),
        &[],
        1,
    );
    // Two of four pods for 120 s. While the API still has them as ready, until 105 s, half of the
    // requests go to them: 22 s of all 1,800. Then they are no endpoints.
    near(seconds(m.costs.missing_ns), 240.0, 0.001, "replica-seconds missing");
    near(Figure::RequestsLostShare.of(&m.costs), 22.0 / 1800.0, 0.0001, "share of requests lost");
    near(Figure::RequestsLostMinutes.of(&m.costs) * 60.0, 22.0, 0.01, "seconds of requests lost");
    assert_eq!((m.costs.ghost_ns, m.costs.evicted, m.costs.restarts), (0, 0, 0));
    // All four on the node that is cut off: none is up for 120 s, and after 105 s there is no
    // endpoint either.
    let all =
        scenario("Deployment", "none", "Ideal", r#"Partition(node: "b-0", duration: "120s")"#, "");
    let m = ran(&all.replace("Spread(All)", r#"Node("b-0")"#), &[], 1);
    near(Figure::MinutesNoneUp.of(&m.costs), 2.0, 0.001, "minutes none up");
    near(Figure::MinutesBelowNeed.of(&m.costs), 2.0, 0.001, "minutes below need");
    near(Figure::LongestBelowNeed.of(&m.costs), 120.0, 0.001, "longest below need");
    assert!(Figure::RequestsLostMinutes.of(&m.costs) * 60.0 >= 120.0);
}

#[test]
fn a_machine_that_boots_is_down_from_the_first_second() {
    let timing = r#"Custom(kubelet: Real(pod_start: "5s", pod_stop: "1s", boot: "30s"))"#;
    let m = ran(&scenario("Deployment", "300", timing, r#"Reboot(node: "b-0")"#, ""), &[], 1);
    // Nobody notices: 30 s are less than the grace period. Two pods, 30 s of boot and 5 s until
    // their containers run again; the kubelet takes 0.6 to 1.1 s to start, and finds them stopped at
    // its next relist, within another second: 2 · 35.6 to 2 · 37.1.
    near(seconds(m.costs.missing_ns), 2.0 * 36.35, 2.0 * 0.75, "replica-seconds missing");
    assert_eq!((m.costs.restarts, m.costs.evicted, m.detection), (2, 0, None));
    // Off for 40 s, and then it boots.
    let m = ran(
        &scenario("Deployment", "300", timing, r#"Crash(node: "b-0", duration: "40s")"#, ""),
        &[],
        1,
    );
    near(seconds(m.costs.missing_ns), 2.0 * 76.35, 2.0 * 0.75, "replica-seconds missing");
    assert_eq!(m.costs.restarts, 2);
}

#[test]
fn a_stateful_sets_pods_wait_for_their_node_whatever_they_tolerate() {
    let missing = |toleration: &str| {
        let m =
            ran(&scenario("StatefulSet", toleration, "Ideal", r#"Crash(node: "b-0")"#, ""), &[], 1);
        seconds(m.costs.missing_ns)
    };
    // Nobody confirms their end, so that they are Terminating to the end of the run, and no
    // replacement is made: 61 s to 1800 s.
    for toleration in ["0", "60", "300", "none"] {
        near(missing(toleration), 2.0 * 1739.0, 0.001, "replica-seconds missing");
    }
}

#[test]
fn what_is_needed_is_said_or_demanded_by_a_budget_or_one() {
    let below = |more: &str, budget: &str| {
        let text = scenario(
            "Deployment",
            "none",
            "Ideal",
            r#"Partition(node: "b-0", duration: "120s")"#,
            more,
        );
        let text = text.replace("timeline:", &format!("{budget} timeline:"));
        Figure::MinutesBelowNeed.of(&ran(&text, &[], 1).costs)
    };
    let budget = |rule: &str| {
        format!(
            r#"podDisruptionBudgets: [(name: "web", selector: (matchLabels: {{"app": "web"}}), {rule})],"#
        )
    };
    // Two of four stay up.
    assert_eq!(below("", ""), 0.0);
    assert_eq!(below(", needs: 2", ""), 0.0);
    near(below(", needs: 3", ""), 2.0, 0.001, "needs 3");
    // 51 % of four are 2.04, rounded up 3; 50 % are 2.
    near(below(r#", needs: "51%""#, ""), 2.0, 0.001, "needs 51 %");
    assert_eq!(below(r#", needs: "50%""#, ""), 0.0);
    near(below("", &budget("minAvailable: 3")), 2.0, 0.001, "a budget of 3");
    near(below("", &budget("maxUnavailable: 1")), 2.0, 0.001, "a budget of all but 1");
    assert_eq!(below("", &budget("maxUnavailable: 2")), 0.0);
    // What is said counts before what a budget demands.
    assert_eq!(below(", needs: 1", &budget("minAvailable: 3")), 0.0);
}

#[test]
fn pods_that_find_no_room_are_pending_and_missing() {
    // Each node has room for the two pods that it has, so that the two of b-0 find none.
    let text = scenario("Deployment", "0", "Ideal", r#"Crash(node: "b-0")"#, "");
    let text = text.replace(r#"zone: "a","#, r#"zone: "a", capacity: {"pods": "2"},"#);
    let m = ran(&text, &[], 1);
    assert_eq!((m.costs.pending_at_end, m.costs.most_pending), (2, 2));
    near(seconds(m.costs.missing_ns), 2.0 * 1739.0, 0.001, "replica-seconds missing");
    // Since their eviction at 105.1 s.
    near(seconds(m.costs.pending_ns), 2.0 * 1694.9, 0.1, "pending seconds");
    near(Figure::LongestPending.of(&m.costs), 1694.9, 0.1, "longest pending");
}

#[test]
fn the_figures_of_all_follow_from_those_of_each() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "30m",
    nodes: [(names: "{a,b}-0", zone: "a", lease_offset: "3s", status_offset: "4s")],
    workloads: [
        Deployment(name: "one", replicas: 2, placement: Node("a-0")),
        Deployment(name: "two", replicas: 2, placement: Node("b-0")),
    ],
    pods: [(name: "bare", on: Node("b-0"))],
    timeline: [
        (at: "61s", do: Partition(node: "b-0", duration: "20s")),
        (at: "71s", do: Partition(node: "a-0", duration: "20s")),
    ])"#;
    let m = ran(text, &[], 1);
    let names: Vec<&str> = m.workloads.iter().map(|w| w.0.as_str()).collect();
    assert_eq!(
        names,
        ["Deployment/default/one", "Deployment/default/two", "pods without a workload"]
    );
    let missing: Vec<f64> = m.workloads.iter().map(|w| seconds(w.1.missing_ns)).collect();
    assert_eq!(missing, [40.0, 40.0, 20.0]);
    assert_eq!(seconds(m.costs.missing_ns), 100.0);
    // From 61 s to 91 s some workload had none up; no one of them for longer than 20 s.
    assert_eq!(
        (
            m.costs.none_up.as_secs(),
            m.costs.below_need.as_secs(),
            m.costs.longest_below_need.as_secs()
        ),
        (30, 30, 20)
    );
    for figure in Figure::ALL {
        assert_eq!(Figure::parse(figure.name()), Some(figure));
    }
}

#[test]
fn a_daemon_that_is_away_is_missing_whatever_its_pods_are() {
    // Its pod is evicted at 61 s. The nine that follow are turned away and fail at once; that of
    // 572 s runs a second later: 573 - 61 = 512 s. Upstream counts nodes, so that two pods are
    // desired throughout (`daemon_controller.go: updateDaemonSetStatus`).
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/pressure-daemon-set.ron");
    let text = std::fs::read_to_string(file).unwrap();
    for version in ["1.34", "1.37"] {
        let m = ran(&text.replace("1.34", version), &[], 1);
        near(seconds(m.costs.missing_ns), 512.0, 0.001, "replica-seconds missing");
    }
}

/// The seconds for which pods without a workload are missing of ten minutes: `bare` on `n-0`, to which `step` is done, and
/// another. Kubelets take their time, as only those say that a pod has Succeeded.
fn bare(version: &str, flags: &str, pod: &str, step: &str) -> f64 {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "{version}", horizon: "10m", flags: (kubelet: {{{flags}}}),
    nodes: [(names: "n-{{0..1}}", zone: "a")],
    pods: [(name: "bare", on: Node("n-0"){pod}), (name: "other", on: Node("n-1"))],
    timeline: [{step}])"#
    );
    seconds(ran(&text, &[], 1).costs.missing_ns)
}

#[test]
fn a_pod_that_nothing_replaces_is_missing_to_the_end_whatever_it_ended_with() {
    // It has Failed up to 1.26, and Succeeded from 1.27 on, as it ends with 0.
    for version in ["1.26", "1.34", "1.37"] {
        // It is being deleted from 60 s on: 540 s to the end.
        let taint = r#"(at: "60s", do: Taint(node: "n-0", taint: "x=y:NoExecute"))"#;
        near(bare(version, "", "", taint), 540.0, 0.5, "evicted");
        // Told at 60 s, it ends within 3 s.
        let periods =
            r#""shutdown-grace-period": "30s", "shutdown-grace-period-critical-pods": "10s""#;
        let off = r#"(at: "60s", do: Shutdown(node: "n-0"))"#;
        near(bare(version, periods, r#", pod_stop: "3s""#, off), 537.0, 0.5, "shut down");
    }
    // One that ends with 0 by itself is done, also before its kubelet has looked.
    let ends = r#", restartPolicy: Never, ends: (after: "60s")"#;
    near(bare("1.34", "", ends, ""), 0.0, 0.001, "done");
}

/// Two nodes, two pods of a Job on each, that are done after ten minutes; five are to be done.
fn five_of_a_job(step: &str) -> Metrics {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "30m",
    nodes: [(names: "{{a,b}}-0", zone: "a", lease_offset: "3s", status_offset: "4s")],
    workloads: [Job(name: "sum", parallelism: 4, completions: 5, placement: Spread(All), template: (ends: (after: "10m")))],
    timeline: [{step}])"#
    );
    ran(&text, &[], 1)
}

/// At 600 s four are done, and the Job asks for the fifth alone: its controller makes it a second later,
/// and it runs after another. Nothing else is missing.
#[test]
fn a_job_lacks_no_pods_that_are_done() {
    let m = five_of_a_job("");
    near(seconds(m.costs.missing_ns), 2.0, 0.1, "replica-seconds missing");
    near(m.costs.below_need.as_nanos() as f64 / 1e9, 2.0, 0.1, "seconds below need");
}

/// Two are lost at 61 s. As above they are evicted 44.1 s and 300 s later, the Job's controller makes others
/// after a second, and these run after another. At 600 s the two that stayed are done and the fifth is made:
/// three are asked for, and the third is missing for 2 s.
#[test]
fn losing_a_node_is_never_cheaper_for_a_job_than_losing_none() {
    let lost = five_of_a_job(r#"(at: "61s", do: Crash(node: "b-0"))"#);
    near(seconds(lost.costs.missing_ns), 2.0 * 346.1 + 2.0, 0.1, "replica-seconds missing");
    assert!(lost.costs.missing_ns > five_of_a_job("").costs.missing_ns);
}

/// Two are cut off from 61 s to 461 s and work on, so that nothing is missing of them until they are evicted at 405.1 s; then the
/// others take 2 s each. At 600 s the fifth is missing for 2 s, as without a fault. Until 461 s both do their work twice.
#[test]
fn a_job_lacks_no_pods_that_work_on_where_nobody_reaches_them() {
    let cut = five_of_a_job(r#"(at: "61s", do: Partition(node: "b-0", duration: "400s"))"#);
    near(seconds(cut.costs.missing_ns), 2.0 * 2.0 + 2.0, 0.1, "replica-seconds missing");
    near(seconds(cut.costs.ghost_ns), 2.0 * 55.9, 2.0, "ghost-seconds");
    // Done while they are cut off, and not told before 661 s: after 600 s only the fifth, 2 s of it.
    let sooner = five_of_a_job(r#"(at: "361s", do: Partition(node: "b-0", duration: "300s"))"#);
    near(seconds(sooner.costs.missing_ns), 2.0, 0.1, "replica-seconds missing");
    assert_eq!(sooner.costs.ghost_ns, 0);
}

/// A Job of four pods, on a node each, of which the first is lost for good at 61 s; each takes 40 minutes.
fn a_job_that_loses_a_pod(release: &str, backoff_limit: u32) -> Metrics {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "{release}", timing: Ideal, horizon: "1h",
    nodes: [(names: "a-{{0..3}}", zone: "a", lease_offset: "3s", status_offset: "4s")],
    workloads: [Job(name: "sum", parallelism: 4, completions: 4, backoffLimit: {backoff_limit}, placement: Spread(All), template: (ends: (after: "40m")))],
    timeline: [(at: "61s", do: Crash(node: "a-0"))])"#
    );
    ran(&text, &[], 1)
}

/// At 405.1 s the pod is evicted. A second later its Job makes another one, which runs after one more; or it
/// fails, and its other pods go with it. Then the one is missing from 61 s on and three are from 406.1 s on,
/// to the end at 3,600 s.
#[test]
fn a_job_that_fails_costs_more_than_one_that_goes_on() {
    let (goes_on, fails) = (a_job_that_loses_a_pod("1.34", 6), a_job_that_loses_a_pod("1.34", 0));
    near(seconds(goes_on.costs.missing_ns), 346.1, 0.1, "replica-seconds missing");
    let by_hand = 3539.0 + 3.0 * 3193.9;
    near(seconds(fails.costs.missing_ns), by_hand, 0.1, "replica-seconds missing");
    near(fails.costs.below_need.as_nanos() as f64 / 1e9, 3193.9, 0.1, "seconds below need");
    // Earlier releases find the node a pass sooner, and write Failed at once.
    for release in ["1.26", "1.30", "1.37"] {
        let missing = |limit| seconds(a_job_that_loses_a_pod(release, limit).costs.missing_ns);
        near(missing(6), 346.1, 6.0, release);
        near(missing(0), by_hand, 20.0, release);
    }
}

/// The seconds of requests that a drain of `a-0` at 61 s loses a workload that has all its pods there; they take 25 s to stop.
fn lost_in_drain(release: &str, kind: &str, replicas: u32, pod_start: &str) -> f64 {
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "{release}", timing: Ideal, horizon: "10m", nodes: [(names: "{{a,b}}-0")],
    workloads: [{kind}(name: "web", replicas: {replicas}, placement: Node("a-0"), template: (pod_start: "{pod_start}", pod_stop: "25s"))],
    timeline: [(at: "61s", do: Drain(node: "a-0"))])"#
    );
    Figure::RequestsLostMinutes.of(&ran(&text, &[], 1).costs) * 60.0
}

/// Pods that are being deleted stay Ready until they have stopped: where no other pod is, kube-proxy sends requests there from 1.26 on
/// (`pkg/proxy/topology.go: CategorizeEndpoints`).
#[test]
fn who_stops_is_asked_where_nobody_else_is_there() {
    // The pod of a StatefulSet stops from 61 s to 86 s, and the next one starts in 2 s: 2 s without a container, 27 s without a Ready one.
    near(lost_in_drain("1.36", "StatefulSet", 1, "2s"), 2.0, 0.2, "one pod, 1.36");
    near(lost_in_drain("1.25", "StatefulSet", 1, "2s"), 27.0, 0.2, "one pod, 1.25");
    // Those of a Deployment start beside those that stop: in 2 s, and in 20 s.
    for (replicas, pod_start, ready_after) in [(1, "2s", 2.0), (2, "20s", 20.0)] {
        near(lost_in_drain("1.36", "Deployment", replicas, pod_start), 0.0, 0.01, "1.36");
        near(lost_in_drain("1.25", "Deployment", replicas, pod_start), ready_after, 0.2, "1.25");
    }
}
