//! Containers of a pod whose object is gone: how long they have once their kubelet hears of that
//! (`pkg/kubelet/pod_workers.go: calculateEffectiveGracePeriod`, `kubelet_pods.go: HandlePodCleanups`).

use crate::disks::{ran, times, within};

/// When the containers of a pod on `a-0` stop, which would take `stop` to do so, and have a minute; in milliseconds.
fn stopped(head: &str, stop: &str, timeline: &str) -> Vec<u64> {
    let text = format!(
        r#"Scenario(version: 1, horizon: "12m", {head}, nodes: [(names: "a-{{0..1}}")],
            workloads: [Deployment(name: "p", replicas: 1, placement: Node("a-0"), template: ({stop} terminationGracePeriodSeconds: 60))],
            timeline: [{timeline}])"#
    );
    times(&ran(&text).1, "containers-stopped")
}

const SLOW: &str = r#"pod_stop: "10m","#;
const CUT_OFF: &str = r#"(at: "60s", do: Partition(node: "a-0", duration: "2m"))"#;
const BY_FORCE: &str = r#"(at: "90s", do: DeletePod(pods: Group("p"), gracePeriodSeconds: 0))"#;

/// The pod is deleted by force while its kubelet is cut off, from one minute to three. The kubelet ends it within the grace of the
/// pod that it knows, once its connection is back. In ideal timing that is at once; a pod without a time of its own ends at once then.
#[test]
fn a_kubelet_that_was_cut_off_heeds_the_grace_of_a_pod_that_is_gone() {
    let timeline = format!("{CUT_OFF}, {BY_FORCE}");
    let real = stopped(r#"kubernetes: "1.34""#, SLOW, &timeline);
    assert_eq!(real.len(), 1);
    within(real[0], 240_000, 300_000);
    let ideal = r#"kubernetes: "1.34", timing: Ideal"#;
    assert_eq!(stopped(ideal, SLOW, &timeline), [240_000]);
    assert_eq!(stopped(ideal, "", &timeline), [180_000]);
}

/// Its node is deleted at 90 s, while it is cut off, and the pod by the pod garbage collector before its kubelet is back at 180 s: it
/// runs on, and then for the pod's 60 s. Where the kubelet is not back it does not end.
#[test]
fn a_kubelet_that_is_cut_off_goes_on_without_its_node() {
    let deleted = r#"(at: "90s", do: DeleteNode(node: "a-0"))"#;
    let real = stopped(r#"kubernetes: "1.34""#, SLOW, &format!("{CUT_OFF}, {deleted}"));
    assert_eq!(real.len(), 1);
    within(real[0], 240_000, 300_000);
    let ideal = r#"kubernetes: "1.34", timing: Ideal"#;
    assert_eq!(stopped(ideal, SLOW, &format!("{CUT_OFF}, {deleted}")), [240_000]);
    let for_good = r#"(at: "60s", do: Partition(node: "a-0"))"#;
    assert!(stopped(ideal, SLOW, &format!("{for_good}, {deleted}")).is_empty());
}

/// The node is deleted at 90 s. Up to 1.16 the next pass, at most 20 s later, deletes its pod; from 1.17 on that pass puts the node
/// in quarantine for 40 s, and it is one after that.
#[test]
fn pods_of_a_node_that_is_gone_wait_in_quarantine() {
    for (release, least, most) in [
        ("1.8", 90_000, 111_000),
        ("1.16", 90_000, 111_000),
        ("1.17", 130_000, 171_000),
        ("1.34", 130_000, 171_000),
    ] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{release}", horizon: "4m", nodes: [(names: "a-{{0..1}}")],
                pods: [(name: "p", on: Node("a-0"))], timeline: [(at: "90s", do: DeleteNode(node: "a-0"))])"#
        );
        let gone = times(&ran(&text).1, "pod-gone");
        assert_eq!(gone.len(), 1, "{release}");
        within(gone[0], least, most);
    }
}

/// One that is ended already, since 90 s and for 20, ends no later for being deleted by force.
#[test]
fn a_pod_that_is_being_ended_ends_as_it_was_to() {
    let timeline = r#"(at: "90s", do: DeletePod(pods: Group("p"))), (at: "100s", do: DeletePod(pods: Group("p"), gracePeriodSeconds: 0))"#;
    for timing in ["Ideal", "Typical"] {
        let head = format!(r#"kubernetes: "1.34", timing: {timing}"#);
        let at = stopped(&head, r#"pod_stop: "20s","#, timeline);
        assert_eq!(at.len(), 1, "{timing}");
        within(at[0], 110_000, 110_500);
    }
}

/// The pod is deleted by force at 90 s, and its kubelet hears that no seconds are left: up to 1.21 containers have two at least
/// (`killContainer`); up to 1.30 none is taken for none given, and they have the pod's own 60; then it is one, and they have two.
#[test]
fn no_seconds_of_grace_are_what_the_release_makes_of_them() {
    for (version, stops) in [
        ("1.11", 92_000),
        ("1.21", 92_000),
        ("1.22", 150_000),
        ("1.30", 150_000),
        ("1.31", 92_000),
        ("1.37", 92_000),
    ] {
        let real = stopped(&format!(r#"kubernetes: "{version}""#), SLOW, BY_FORCE);
        assert_eq!(real.len(), 1, "{version}");
        within(real[0], stops, stops + 500);
        let ideal = format!(r#"kubernetes: "{version}", timing: Ideal"#);
        assert_eq!(stopped(&ideal, SLOW, BY_FORCE), [stops], "{version}");
    }
}

/// One that is being ended since 90 s, for its 60: up to 1.21 a second stop of two seconds begins when it is deleted by force at 100 s
/// (`podKiller`), later the pod's worker is busy with the first.
#[test]
fn a_pod_that_is_being_ended_is_hurried_up_to_1_21() {
    let timeline = r#"(at: "90s", do: DeletePod(pods: Group("p"))), (at: "100s", do: DeletePod(pods: Group("p"), gracePeriodSeconds: 0))"#;
    for (version, stops) in [("1.21", 102_000), ("1.22", 150_000), ("1.37", 150_000)] {
        let at = stopped(&format!(r#"kubernetes: "{version}""#), SLOW, timeline);
        assert_eq!(at.len(), 1, "{version}");
        within(at[0], stops, stops + 500);
    }
}

/// A grace of one second: two up to 1.21 and from 1.28 on.
#[test]
fn containers_have_two_seconds_but_from_1_22_to_1_27() {
    let timeline = r#"(at: "90s", do: DeletePod(pods: Group("p"), gracePeriodSeconds: 1))"#;
    for (version, stops) in
        [("1.21", 92_000), ("1.22", 91_000), ("1.27", 91_000), ("1.28", 92_000), ("1.37", 92_000)]
    {
        let at = stopped(&format!(r#"kubernetes: "{version}""#), SLOW, timeline);
        assert_eq!(at.len(), 1, "{version}");
        within(at[0], stops, stops + 500);
    }
}

/// The kubelet that knew the pod dies. The next one asks for its pods within 1.1 s, has them 1.1 s later at most, and finds the
/// containers with its housekeeping, every 2 s: it gives them a second, from 1.28 on two, and up to 1.21 their grace.
#[test]
fn a_kubelet_that_was_started_since_does_not_know_their_grace() {
    let restart = r#"(at: "60s", do: KubeletRestart(node: "a-0", downtime: "2m"))"#;
    let amid = r#"(at: "120s", do: KubeletRestart(node: "a-0", downtime: "5s"))"#;
    for (version, grace) in
        [("1.21", 60_000), ("1.22", 1_000), ("1.27", 1_000), ("1.28", 2_000), ("1.37", 2_000)]
    {
        let head = format!(r#"kubernetes: "{version}""#);
        let at = stopped(&head, SLOW, &format!("{restart}, {BY_FORCE}"));
        assert_eq!(at.len(), 1, "{version}");
        within(at[0], 180_600 + grace, 184_300 + grace);
        // It starts while it is cut off, and hears of its pods after that.
        let at = stopped(&head, SLOW, &format!("{CUT_OFF}, {BY_FORCE}, {amid}"));
        assert_eq!(at.len(), 1, "{version}");
        within(at[0], 180_000 + grace, 225_000 + grace);
    }
}

/// A kubelet that starts at 180 s no longer admits a pod whose node has lost its label. It asks for its pods 0.6 to 1.1 s later, and
/// does its housekeeping for the first time 2 s after that. Up to 1.21 the pod has its grace from then on, from 1.22 to 1.26 its
/// containers run on, and then they are orphans: a second, of which containers make two from 1.28 on.
#[test]
fn a_pod_that_is_not_admitted_any_more_has_the_seconds_of_an_orphan() {
    let timeline = r#"(at: "60s", do: KubeletRestart(node: "a", downtime: "2m")), (at: "90s", do: Label(node: "a", labels: {"disk": None}))"#;
    for (version, grace) in [
        ("1.21", Some(60_000)),
        ("1.22", None),
        ("1.26", None),
        ("1.27", Some(1_000)),
        ("1.28", Some(2_000)),
        ("1.37", Some(2_000)),
    ] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "12m", kubernetes: "{version}", nodes: [(names: "a", labels: {{"disk": "ssd"}})],
                pods: [(name: "p", on: Node("a"), nodeSelector: {{"disk": "ssd"}}, {SLOW} terminationGracePeriodSeconds: 60)],
                timeline: [{timeline}])"#
        );
        let at = times(&ran(&text).1, "containers-stopped");
        assert_eq!(at.len(), usize::from(grace.is_some()), "{version}: {at:?}");
        if let Some(grace) = grace {
            within(at[0], 182_600 + grace, 183_100 + grace);
        }
    }
}
