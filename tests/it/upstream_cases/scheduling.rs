//! `test/integration/scheduler`: whole runs in which a node's taints, its being cordoned, or a port
//! that is taken keep a pod pending.

use super::{done_by, ron, scenario_of};

/// The pods that were bound within a minute, each behind the second in which it was.
fn bound(fields: &str) -> Vec<String> {
    let done = done_by(
        "scheduler",
        &ron("1.34", &format!(r#"horizon: "1m", nodes: [(name: "n")], {fields}"#)),
    );
    let bound =
        done.iter().filter_map(|l| l.trim_end_matches(" n").split_once("000 pod-bound default/"));
    bound.map(|(second, pod)| format!("{second} {pod}")).collect()
}

/// `TestUnschedulableNodes`: a cordoned node takes no pod until it is uncordoned, when the pod's
/// first back-off is over.
#[test]
fn a_cordoned_node_takes_no_pod() {
    let timeline = r#"(at: "5s", do: Cordon(node: "n")), (at: "10s", do: CreatePod(pod: (name: "p", on: Unbound)))"#;
    assert!(bound(&format!("timeline: [{timeline}]")).is_empty());
    assert_eq!(
        bound(&format!(r#"timeline: [{timeline}, (at: "20s", do: Uncordon(node: "n"))]"#)),
        ["20 p"]
    );
}

/// `TestTaintTolerationFilter`: a pod that tolerates one of two taints fits no better than one that
/// tolerates none.
#[test]
fn a_pod_must_tolerate_all_taints() {
    let pod = |name: &str, keys: &[&str]| {
        let tolerations: Vec<String> = keys
            .iter()
            .map(|k| format!(r#"(key: "{k}", operator: Exists, effect: NoSchedule)"#))
            .collect();
        format!(
            r#"(at: "10s", do: CreatePod(pod: (name: "{name}", on: Unbound, tolerations: [{}])))"#,
            tolerations.join(", ")
        )
    };
    let pods = [pod("none", &[]), pod("one", &["a"]), pod("both", &["a", "b"])].join(", ");
    let taints = r#"(at: "5s", do: Taint(node: "n", taint: "a=x:NoSchedule")), (at: "5s", do: Taint(node: "n", taint: "b:NoSchedule"))"#;
    assert_eq!(bound(&format!("timeline: [{taints}, {pods}]")), ["10 both"]);
}

/// `TestTaintNodeByCondition`: what the kubelet reports becomes a taint, and which pods fit in
/// spite of it. Pods of a QoS class other than BestEffort tolerate memory pressure as upstream's
/// test switches PodTolerationRestriction on.
#[test]
fn conditions_become_taints() {
    let fits = |flags: &str, conditions: &[(&str, &str)]| {
        let reports = conditions.iter().map(|(kind, status)| {
            format!(r#"(at: "5s", do: Condition(node: "n", type: {kind}, status: {status}))"#)
        });
        let keys = [
            "not-ready",
            "memory-pressure",
            "disk-pressure",
            "network-unavailable",
            "pid-pressure",
            "network-unavailable not-ready",
        ];
        let pods = ["", r#"requests: { "cpu": "100m", "memory": "100Mi" }"#]
            .into_iter()
            .zip(["besteffort", "burstable"])
            .map(|(requests, name)| {
                format!(
                    r#"(at: "10s", do: CreatePod(pod: (name: "{name}", on: Unbound, {requests})))"#
                )
            });
        let tolerant = keys.into_iter().map(|keys| {
            let tolerations: Vec<String> =
                keys.split(' ').map(|k| format!(r#"(key: "node.kubernetes.io/{k}", operator: Exists, effect: NoSchedule)"#)).collect();
            let name = keys.replace(' ', "-and-");
            format!(r#"(at: "10s", do: CreatePod(pod: (name: "{name}", on: Unbound, tolerations: [{}])))"#, tolerations.join(", "))
        });
        let entries: Vec<String> = reports.chain(pods).chain(tolerant).collect();
        let mut fit = bound(&format!("{flags} timeline: [{}]", entries.join(", ")));
        fit.sort();
        fit.join(" ").replace("10 ", "")
    };
    let restricted =
        r#"flags: (kube-apiserver: { "enable-admission-plugins": "PodTolerationRestriction" }),"#;
    assert_eq!(
        fits(restricted, &[("Ready", "False")]),
        "network-unavailable-and-not-ready not-ready"
    );
    assert_eq!(fits(restricted, &[("MemoryPressure", "True")]), "burstable memory-pressure");
    assert_eq!(fits("", &[("MemoryPressure", "True")]), "memory-pressure");
    assert_eq!(fits(restricted, &[("DiskPressure", "True")]), "disk-pressure");
    assert_eq!(fits(restricted, &[("PIDPressure", "True")]), "pid-pressure");
    assert_eq!(
        fits(restricted, &[("NetworkUnavailable", "True")]),
        "network-unavailable network-unavailable-and-not-ready"
    );
    assert_eq!(
        fits(restricted, &[("NetworkUnavailable", "True"), ("Ready", "False")]),
        "network-unavailable-and-not-ready"
    );
    assert_eq!(
        fits(
            restricted,
            &[("PIDPressure", "True"), ("MemoryPressure", "True"), ("DiskPressure", "True")]
        ),
        ""
    );
}

/// `CheckNodeConditionPredicate` of 1.8 to 1.11 and `getNodeConditionPredicate` of 1.6 and 1.7 do what taints do from 1.12
/// on: the node is not ready from 5 s to 20 s, and takes no pod meanwhile. In 1.14 the pod is tried as the condition changes, right
/// before its taint is taken away, and is in a back-off of two seconds then. Up to 1.10 it sleeps for 1, 2, 4 and 8 s from 10 s on.
#[test]
fn a_node_that_is_not_ready_takes_no_pod() {
    let fields = r#"horizon: "1m", nodes: [(name: "n")], timeline: [(at: "5s", do: Condition(node: "n", type: Ready, status: False)),
        (at: "10s", do: CreatePod(pod: (name: "p", on: Unbound))), (at: "20s", do: Condition(node: "n", type: Ready, status: True))]"#;
    for (release, second) in [("1.6", 25), ("1.7", 25), ("1.8", 25), ("1.11", 20), ("1.14", 22)] {
        let done = done_by("scheduler", &ron(release, fields));
        let bound: Vec<_> = done.iter().filter(|l| l.contains("pod-bound")).collect();
        assert_eq!(bound, [&format!("{second}000 pod-bound default/p n")], "{release}");
    }
}

/// `TestHostPorts`: a pod waits for the port that another one has, until that has ended, a second
/// after its deletion at 20 s.
#[test]
fn a_port_is_free_when_its_pod_is_gone() {
    let pod =
        |name: &str, on: &str| format!(r#"(name: "{name}", on: {on}, ports: [(hostPort: 80)])"#);
    let pods = [pod("had", r#"Node("n")"#), pod("waits", "Unbound")].join(", ");
    assert!(bound(&format!("pods: [{pods}],")).is_empty());
    assert_eq!(
        bound(&format!(r#"pods: [{pods}], timeline: [(at: "20s", do: DeletePod(pod: "had"))]"#)),
        ["21 waits"]
    );
}

/// `BindingREST.assignPod` (`pkg/registry/core/pod/storage`): from 1.23 on a binding is for one
/// life of a pod. A pod of 10 s is tried at 10.001 s, and its binding arrives at 10.101 s; by then
/// it was replaced by another of its name, which was tried at 10.061 s.
#[test]
fn a_binding_is_for_one_life_of_a_pod() {
    let timing = r#"Custom(request: "100ms", response: "10ms", watch: "1ms", user: Raw)"#;
    let pod = r#"do: CreatePod(pod: (name: "p", on: Unbound))"#;
    let timeline = format!(
        r#"timeline: [(at: "10s", {pod}), (at: "10.05s", do: DeletePod(pod: "p")), (at: "10.06s", {pod})]"#
    );
    let bound = |release: &str| {
        let done = done_by(
            "scheduler",
            &scenario_of(
                release,
                timing,
                &format!(r#"horizon: "1m", nodes: [(name: "n")], {timeline}"#),
            ),
        );
        done.into_iter().filter(|l| l.contains("pod-bound")).collect::<Vec<_>>()
    };
    assert_eq!(
        bound("1.22"),
        ["10101 pod-bound default/p n"],
        "the first one's binding, and the second one's is refused"
    );
    assert_eq!(bound("1.23"), ["10161 pod-bound default/p n"]);
}

/// When a pod is tried again (S113). One whose only node is opened at 65 s: `MakeDefaultErrorFunc` sleeps 1, 2, 4, 8, 16, 32 and 60 s
/// up to 1.10, so that it is tried at 0, 1, 3, 7, 15, 31, 63 and 123 s; later the change wakes it. One that four changes woke in vain, when
/// its node is opened at 26 s: at once up to 1.13, which have no back-off; from 1.14 on its fifth back-off of ten seconds begins at 24 s.
#[test]
fn when_a_pod_is_tried_again() {
    let bound = |release: &str, fields: &str| {
        let done = done_by("scheduler", &ron(release, &format!(r#"horizon: "4m", {fields}"#)));
        let at = done.iter().find(|l| l.contains(" pod-bound ")).expect("it is bound");
        at.split(' ').next().map(|ms| ms.parse::<u64>().expect("milliseconds") / 1_000)
    };
    let closed = r#"nodes: [(name: "n", unschedulable: true)], workloads: [ReplicaSet(name: "web", replicas: 1)],
        timeline: [(at: "65s", do: Uncordon(node: "n"))]"#;
    for (release, second) in [("1.6", 123), ("1.8", 123), ("1.10", 123), ("1.11", 65), ("1.14", 65)]
    {
        assert_eq!(bound(release, closed), Some(second), "{release}");
    }
    let opened: Vec<String> = [(5, 6), (7, 9), (10, 14), (15, 24)]
        .iter()
        .map(|(shut, open)| {
            format!(r#"(at: "{shut}s", do: Cordon(node: "small")), (at: "{open}s", do: Uncordon(node: "small"))"#)
        })
        .collect();
    let woken = format!(
        r#"nodes: [(name: "small", capacity: {{"cpu": "100m"}}), (name: "n", unschedulable: true)],
        workloads: [ReplicaSet(name: "web", replicas: 1, template: (requests: {{"cpu": "1"}}))],
        timeline: [{}, (at: "26s", do: Uncordon(node: "n"))]"#,
        opened.join(", ")
    );
    for release in ["1.11", "1.12", "1.13"] {
        assert_eq!(bound(release, &woken), Some(26), "{release}");
    }
    assert!(bound("1.14", &woken) > Some(26));
}

/// On which node of a cluster a pod comes, by release, and after how many whole seconds.
fn bound_to(release: &str, fields: &str) -> Option<(u64, String)> {
    let done = done_by("scheduler", &ron(release, fields));
    let mut words = done.iter().rfind(|l| l.contains(" pod-bound "))?.split(' ');
    let ms: u64 = words.next()?.parse().expect("milliseconds");
    Some((ms / 1_000, words.next_back()?.to_owned()))
}

/// Preferred affinity (S115). Raw scores of 200 and 100 are 100 and 50 up to 1.20, where they begin at nothing, and 100 and 0 later. Up to
/// 1.20 n-1 has 95 + 99 + 100 + 50 and what is equal, n-0, whose taint is not preferred, 99 + 99 + 0 + 100; later n-1 has 50 less, or 100 less.
#[test]
fn preferred_affinity_is_scored_from_nothing_up_to_1_20() {
    let fields = r#"horizon: "2m", nodes: [
            (name: "n-0", taints: ["x=y:PreferNoSchedule"], capacity: {"cpu": "64", "memory": "256Gi", "pods": "110"}),
            (name: "n-1", capacity: {"cpu": "4", "memory": "16Gi", "pods": "110"})],
        workloads: [
            ReplicaSet(name: "a", replicas: 3, placement: Nodes(["n-0", "n-0", "n-1"]), template: (labels: {"app": "a"}, requests: {"cpu": "100m", "memory": "400Mi"})),
            ReplicaSet(name: "w", replicas: 0, template: (labels: {"app": "w"}, requests: {"cpu": "100m", "memory": "400Mi"},
                affinity: (podAffinity: (preferredDuringSchedulingIgnoredDuringExecution: [
                    (weight: 100, podAffinityTerm: (labelSelector: (matchLabels: {"app": "a"}), topologyKey: "kubernetes.io/hostname"))]))))],
        timeline: [(at: "10s", do: Scale(workload: "w", replicas: 1))]"#;
    for (release, node) in [("1.18", "n-1"), ("1.20", "n-1"), ("1.21", "n-0"), ("1.22", "n-0")] {
        assert_eq!(bound_to(release, fields), Some((10, node.to_owned())), "{release}");
    }
}

/// Pods that want to be together by a label that no node has (S116): in 1.18 the first goes anywhere, later nowhere.
#[test]
fn the_first_of_pods_that_want_to_be_together_needs_the_label_from_1_19_on() {
    let fields = r#"horizon: "1m", nodes: [(names: "n-{0..1}")],
        workloads: [ReplicaSet(name: "w", replicas: 0, template: (labels: {"app": "w"},
            affinity: (podAffinity: (requiredDuringSchedulingIgnoredDuringExecution: [
                (labelSelector: (matchLabels: {"app": "w"}), topologyKey: "topology.kubernetes.io/zone")]))))],
        timeline: [(at: "10s", do: Scale(workload: "w", replicas: 1))]"#;
    assert_eq!(bound_to("1.18", fields).map(|b| b.0), Some(10));
    assert_eq!(bound_to("1.19", fields), None);
}

/// Zone a has three pods on a node on which the new one cannot be, and none where it can, zone b one (S117). Where all count, a would have
/// 3 + 1 - 1 = 3 more than the emptiest, b 1; where only its nodes' do, a has 0 + 1 - 0 = 1 more, b 2.
#[test]
fn a_required_spread_counts_other_nodes_from_1_19_to_1_23() {
    let fields = r#"horizon: "1m", nodes: [(name: "n-0", zone: "a", labels: {"pool": "x"}), (name: "n-1", zone: "a"), (name: "n-2", zone: "b", labels: {"pool": "x"})],
        workloads: [
            ReplicaSet(name: "old", selector: (matchLabels: {"v": "old"}), replicas: 4, placement: Nodes(["n-1", "n-1", "n-1", "n-2"]), template: (labels: {"app": "w", "v": "old"})),
            ReplicaSet(name: "w", selector: (matchLabels: {"v": "new"}), replicas: 0, template: (labels: {"app": "w", "v": "new"}, nodeSelector: {"pool": "x"},
                topologySpreadConstraints: [(maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: DoNotSchedule, labelSelector: (matchLabels: {"app": "w"}))]))],
        timeline: [(at: "10s", do: Scale(workload: "w", replicas: 1))]"#;
    for (release, node) in [("1.18", "n-0"), ("1.19", "n-2"), ("1.23", "n-2"), ("1.24", "n-0")] {
        assert_eq!(bound_to(release, fields), Some((10, node.to_owned())), "{release}");
    }
}

/// The only node of zone b, too small for the second pod, is deleted at 40 s, by which that may go to zone a (S118). From 1.32 on it is woken;
/// before, it waits for the flush, which looks every 30 s for what has waited for more than 60 s, and from 1.24 on for more than five minutes.
#[test]
fn a_deleted_node_wakes_from_1_32_on() {
    let fields = r#"horizon: "8m", nodes: [(name: "n-0", zone: "a", capacity: {"cpu": "4", "memory": "16Gi", "pods": "110"}),
            (name: "n-1", zone: "b", capacity: {"cpu": "100m", "memory": "16Gi", "pods": "110"})],
        workloads: [ReplicaSet(name: "w", replicas: 2, template: (labels: {"app": "w"}, requests: {"cpu": "200m"},
            topologySpreadConstraints: [(maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: DoNotSchedule, labelSelector: (matchLabels: {"app": "w"}))]))],
        timeline: [(at: "40s", do: DeleteNode(node: "n-1"))]"#;
    for (release, at) in [("1.21", 90), ("1.23", 90), ("1.24", 330), ("1.31", 330), ("1.32", 40)] {
        assert_eq!(bound_to(release, fields).map(|b| b.0), Some(at), "{release}");
    }
}
