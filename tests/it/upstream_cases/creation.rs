//! What the API server refuses, in kubectl's words (`kubectl/pkg/cmd/util/helpers.go:
//! StandardErrorMessage`).

use super::scenario_of;
use taintsim::kernel::Choices;
use taintsim::sim::run;
use taintsim::trace::{Trace, What};

/// What was refused, by the second in which it was.
fn refused(trace: &Trace) -> Vec<(u64, String)> {
    let all = trace.iter().filter(|r| matches!(r.what, What::Refused(_)));
    all.map(|r| (r.at.as_secs(), trace.fields(r).message.unwrap_or_default())).collect()
}

/// A name that is taken has a reason of its own; the admission plugin PodTolerationRestriction
/// answers with a plain error, which has none.
#[test]
fn a_pod_may_be_refused() {
    let fields = r#"horizon: "1m", nodes: [(name: "n")], pods: [(name: "there", on: Node("n"))],
        flags: (kube-apiserver: { "enable-admission-plugins": "PodTolerationRestriction" }),
        namespaces: [(name: "lab", tolerationsWhitelist: [(key: "other", operator: Exists)])],
        timeline: [
            (at: "10s", do: CreatePod(pod: (name: "there", on: Unbound))),
            (at: "20s", do: CreatePod(pod: (name: "greedy", namespace: "lab", on: Unbound, tolerations: [(key: "k", operator: Exists)]))),
            (at: "30s", do: CreatePod(pod: (name: "fine", on: Unbound))),
        ]"#;
    let trace = run(&scenario_of("1.34", "Typical", fields), Choices::default_order());
    let whitelist = "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
    let expected = [
        (10, "Error from server (AlreadyExists): pods \"there\" already exists".to_owned()),
        (20, format!("Error from server: {whitelist}")),
    ];
    assert_eq!(refused(&trace), expected);
}

/// Whatever is asked of a node that is gone, kubectl says the same.
#[test]
fn a_node_may_be_gone() {
    let fields = r#"horizon: "1m", nodes: [(names: "n-{0..1}")], timeline: [
        (at: "10s", do: DeleteNode(node: "n-1")),
        (at: "11s", do: DeleteNode(node: "n-1")),
        (at: "12s", do: Cordon(nodes: All)),
        (at: "13s", do: Uncordon(node: "n-1")),
        (at: "14s", do: Taint(node: "n-1", taint: "k=v:NoExecute")),
        (at: "15s", do: Untaint(node: "n-1", taint: "k:NoExecute")),
        (at: "16s", do: Label(node: "n-1", labels: {"a": "b"})),
    ]"#;
    let trace = run(&scenario_of("1.34", "Typical", fields), Choices::default_order());
    let gone = "Error from server (NotFound): nodes \"n-1\" not found";
    assert_eq!(refused(&trace), [11, 12, 13, 14, 15, 16].map(|at| (at, gone.to_owned())));
}

/// `cordon`, `uncordon` and `drain` read all nodes before they write one, and end at the first that is gone
/// (`drain.go: Complete`); `taint` and `label` ask for `ContinueOnError` (`taint.go`, `label.go`).
#[test]
fn one_of_several_nodes_may_be_gone() {
    let fields = r#"horizon: "1m", nodes: [(names: "n-{0..2}")], timeline: [
        (at: "10s", do: DeleteNode(node: "n-1")),
        (at: "20s", do: Cordon(nodes: All)),
        (at: "30s", do: Drain(nodes: Nodes(["n-0", "n-1"]))),
        (at: "40s", do: Taint(nodes: All, taint: "k=v:NoExecute")),
        (at: "50s", do: Label(nodes: All, labels: {"a": "b"})),
    ]"#;
    let trace = run(&scenario_of("1.34", "Typical", fields), Choices::default_order());
    let gone = "Error from server (NotFound): nodes \"n-1\" not found";
    assert_eq!(refused(&trace), [20, 30, 40, 50].map(|at| (at, gone.to_owned())));
    let count = |is: fn(&What) -> bool| trace.iter().filter(|r| is(&r.what)).count();
    assert_eq!(count(|what| matches!(what, What::NodeUnschedulable(_))), 0);
    assert_eq!(count(|what| matches!(what, What::NodeTaints(_))), 2, "n-0 and n-2");
}
