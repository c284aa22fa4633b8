//! `taintsim shrink`: what it writes passes as a test, and what it cannot do it says.

use super::Scratch;

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
