//! `explain`: pods that their kubelet evicts for node pressure or does not admit, and who clears them away.

use super::Scratch;
use super::explain::{json, scenario, steps, verdict};

/// By the scenario's own arithmetic logs-node-1 has Failed at 61 s, and its controller deletes it in that instant. The one that
/// is made at 188 s is turned away, and is deleted as its back-off is over, at 316 s: what it began with was about the first one.
#[test]
fn what_a_kubelet_ended_is_told_before_who_cleared_it_away() {
    let scratch = Scratch::new();
    let of = |pod: &str| json(&scratch, &[&scenario("pressure-daemon-set.ron"), pod]);
    let first = of("pod/default/logs-node-1");
    assert_eq!(
        first["verdict"],
        "evicted at 1:01.000 from node-1 by its kubelet: node pressure; cleared away at 1:01.000 by the DaemonSet controller"
    );
    let turned_away = of("pod/default/logs-z74l8");
    assert_eq!(
        turned_away["verdict"],
        "not admitted at 3:08.000 by its kubelet: node pressure; cleared away at 5:16.000 by the DaemonSet controller"
    );
    let texts: Vec<String> = steps(&turned_away).into_iter().map(|s| s.1).collect();
    assert!(texts.iter().all(|text| text.contains("logs-z74l8")), "{texts:?}");
    assert!(texts[0].contains("created"), "{texts:?}");
}

/// 10,000 MiB, of which 1,000 are used and 40 more each second: from 222.5 s on less than 100 MiB are left, which the kubelet
/// finds at 3:50, and the pod has a second. Its StatefulSet makes the next one of its name once it is cleared away.
#[test]
fn a_stateful_sets_pod_that_its_kubelet_evicted_is_said_to_be() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "5m",
        nodes: [(names: "n-{0..1}", capacity: {"memory": "10000Mi"}, lease_offset: "3s", status_offset: "4s")],
        workloads: [StatefulSet(name: "st", replicas: 1, placement: Node("n-0"), template: (requests: {"memory": "1000Mi"},
            usage: {"memory": "1000Mi + 40Mi/s"}))])"#;
    scratch.write("st.ron", text);
    assert_eq!(
        verdict(&scratch, &["st.ron", "pod/st-0"]),
        "evicted at 3:51.000 from n-0 by its kubelet: node pressure; cleared away at 3:51.000 by the StatefulSet controller"
    );
}

/// A kubelet evicts no critical pod (`kubelettypes.IsCriticalPod`), and the DaemonSet controller deletes itself what does not
/// tolerate the taint of its node.
#[test]
fn of_static_pods_and_of_daemon_sets_it_is_said_who_does_not_evict_them() {
    let scratch = Scratch::new();
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "10m",
        nodes: [(name: "a", capacity: {"ephemeral-storage": "100Gi"}, usage: {"ephemeral-storage": "95Gi"}), (name: "b")],
        workloads: [DaemonSet(name: "own", placement: Each(All))], pods: [(name: "st", on: Node("a"), static: File)],
        timeline: [(at: "5m", do: Taint(node: "b", taint: "k=v:NoExecute"))])"#;
    scratch.write("own.ron", text);
    let told = json(&scratch, &["own.ron", "pod/st", "--at", "2m"]);
    let said = "a has DiskPressure, and its kubelet evicts no critical pods: static pods, and those of a priority of 2000000000 and more";
    assert!(told["notes"].to_string().contains(said), "{told}");
    let told = json(&scratch, &["own.ron", "pod/own-b"]);
    let verdict = told["verdict"].as_str().expect("a verdict");
    let off = "b tainted k=v:NoExecute, which is not tolerated";
    let ends = format!(" by the DaemonSet controller on b: {off}");
    assert!(verdict.ends_with(&ends), "{told}");
    let rules = json(&scratch, &["own.ron", "daemonset/own"])["steps"].to_string();
    assert!(rules.contains("b tainted k=v:NoExecute"), "{rules}");
}
