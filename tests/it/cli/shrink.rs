//! `taintsim shrink`: what it writes passes as a test, and what it cannot do it says.

use super::{Scratch, unfolded};

/// The pod does not tolerate the taint, and the API server does not answer when it is to be
/// deleted.
pub(super) const STUCK: &str = r#"Scenario(
    version: 1,
    horizon: "5m",
    timing: Ideal,
    nodes: [(names: "node-{1..4}", zone: "a")],
    pods: [(name: "web", count: 3, on: Nodes(["node-2"]))],
    timeline: [
        (at: "10s", do: Cordon(node: "node-3")),
        (at: "20.5s", do: Taint(node: "node-2", taint: "maintenance:NoExecute")),
        (at: "20.5s", do: ApiOutage(duration: "1s")),
    ],
)"#;

#[test]
fn what_is_written_violates_and_is_small() {
    let dir = Scratch::new();
    dir.write("stuck.ron", STUCK);
    let out = dir.call(&["shrink", "stuck.ron", "--property", "pod-stuck", "--out", "small.ron"]);
    assert_eq!((out.code, out.stdout.as_str()), (0, ""), "{}", out.stderr);
    assert!(
        out.stderr.contains("From 4 nodes, 3 pods, 3 entries to 1 node, 1 pod, 2 entries"),
        "{}",
        out.stderr
    );
    let said = unfolded(&out.stderr);
    assert!(said.contains("Another seed may not violate it, as it has no tape."), "{said}");
    let text = dir.text("small.ron");
    assert!(
        text.starts_with(
            "Scenario(\n    version: 1,\n    doc: \"Violates pod-stuck(1m) on Kubernetes 1.34"
        ),
        "{text}"
    );
    assert_eq!(dir.call(&["test", "-q", "small.ron"]).code, 0, "{text}");
    // To standard output, and by default without a word too many.
    let again = dir.call(&["shrink", "-q", "stuck.ron", "--property", "PodStuck"]);
    assert_eq!((again.code, again.stdout, again.stderr), (0, text, String::new()));
    let kept = dir.call(&["shrink", "stuck.ron", "--property", "pod-stuck", "--out", "small.ron"]);
    assert!(kept.code == 2 && kept.stderr.contains("--force"), "{}", kept.stderr);
}

#[test]
fn what_cannot_be_shrunk_is_said() {
    let dir = Scratch::new();
    dir.write("stuck.ron", STUCK);
    for (args, says) in [
        (vec!["--property", "wrong-pod"], "does not violate wrong-pod"),
        (vec!["--property", "pod-stick"], "did you mean pod-stuck?"),
        (vec!["--property", "deterministic"], "two runs"),
        (vec![], "which property"),
        (vec!["--property", "pod-stuck", "--set", "nodes[9].zone=b"], "nodes[9]"),
    ] {
        let out = dir.call(&[&["shrink", "stuck.ron"], args.as_slice()].concat());
        assert!(
            out.code == 2 && out.stdout.is_empty() && out.stderr.contains(says),
            "{args:?}: {}",
            out.stderr
        );
    }
}

/// As `shrink` writes it for Kubernetes 1.32: the tape has the cancelled timer fire. The same tape
/// with a watch that there is none of, and with more behind than there are, is not of this run.
#[test]
fn a_tape_that_is_not_of_the_run_is_told() {
    let dir = Scratch::new();
    let taped = r#"Scenario(version: 1, kubernetes: "1.32", horizon: "2m30s", timing: Custom(response: "5ms"),
        nodes: [(name: "node-1")],
        workloads: [StatefulSet(name: "db", template: (
            tolerations: [(operator: Exists, effect: NoExecute, tolerationSeconds: 30)],
            terminationGracePeriodSeconds: 0,
        ))],
        timeline: [
            (at: "10s", do: Taint(node: "node-1", taint: "maintenance:NoExecute")),
            (at: "40s", do: Untaint(node: "node-1", taint: "maintenance:NoExecute")),
            (at: "60s", do: Taint(node: "node-1", taint: "maintenance:NoExecute")),
        ],
        tape: (choices: 1, release: "1.32", deviations: [("next", "watch:nodes", 1, 2)]),
        expect: [Evicted(workload: "db", count: "..5")])"#;
    for (from, to, says) in [
        ("watch:nodes", "watch:nodes", None),
        ("watch:nodes", "watch:nods", Some("a choice of the tape did not come up")),
        ("1, 2)", "1, 99)", Some("here 2 is the most there is")),
    ] {
        dir.write("t.ron", taped.replace(from, to));
        for command in ["test", "run"] {
            let called = dir.call(&[command, "t.ron"]);
            let said = unfolded(&format!("{}{}", called.stdout, called.stderr));
            assert_eq!(called.code, 0, "{said}");
            let departs = said.find("the run departs from its tape: ").map(|at| &said[at..]);
            assert_eq!(departs.is_some(), says.is_some(), "{command} {to}: {said}");
            assert!(says.is_none_or(|says| departs.is_some_and(|d| d.contains(says))), "{said}");
        }
    }
}
