//! What the timeline on the terminal says of faults of the control plane: that they begin, and that
//! they end.

use super::Scratch;

const FAULTS: &str = r#"Scenario(
    version: 1,
    horizon: "12m",
    nodes: [(names: "n-{0..3}")],
    pods: [(name: "web", count: 4, on: Spread(All))],
    timeline: [
        (at: "1m", do: WatchStall(resource: Leases, duration: "20s")),
        (at: "2m", do: WatchLag(resource: Nodes, lag: "1s", duration: "30s")),
        (at: "3m", do: ApiOutage(duration: "10s")),
        (at: "4m", do: ControllerRestart(downtime: "15s")),
        // Two that overlap: the second keeps the controllers down until 5m50s.
        (at: "5m", name: "first", do: ControllerRestart(downtime: "20s")),
        (at: "5m10s", name: "second", do: ControllerRestart(downtime: "40s")),
        // For longer than the grace period: nodes turn Unknown, and their pods NotReady.
        (at: "7m", do: WatchStall(resource: Leases, duration: "2m")),
    ],
)
"#;

#[test]
fn every_fault_of_the_control_plane_begins_and_ends() {
    let scratch = Scratch::new();
    scratch.write("a.ron", FAULTS);
    let run = scratch.call(&["run", "a.ron"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let expected = [
        "1:00.000|watch stall of leases begins",
        "1:20.000|watch stall of leases ends",
        "2:00.000|watch lag of nodes (1s) begins",
        "2:30.000|watch lag of nodes (1s) ends",
        "3:00.000|API server outage begins",
        "3:10.000|API server outage ends",
        "4:00.000|controller restart begins",
        "4:15.000|controller restart ends",
        "4:15.000|controllers started",
        "5:00.000|first begins",
        "5:10.000|second begins",
        "5:20.000|first ends",
        "5:50.000|second ends",
        "5:50.000|controllers started",
        "7:00.000|watch stall of leases begins",
        "9:00.000|watch stall of leases ends",
    ];
    let lines: Vec<&str> = run.stdout.lines().map(str::trim).collect();
    let found: Vec<String> = lines
        .iter()
        .filter_map(|l| {
            let at = l.split_whitespace().next()?;
            let l = l.split(" (+").next()?;
            let what = expected.iter().find_map(|e| {
                e.split_once('|').filter(|(t, what)| *t == at && l.ends_with(what))
            })?;
            Some(format!("{}|{}", what.0, what.1))
        })
        .collect();
    assert_eq!(found, expected, "{}", run.stdout);
    // Kubelets that were never cut off set back what was said of their pods.
    assert!(run.stdout.contains("4 Ready; pods: 4 running and ready"), "{}", run.stdout);
    assert!(
        scratch.text("output/a/events.jsonl").contains("NotReady"),
        "pods were marked NotReady during the stall"
    );
}

/// An entry lets another of its instant go first, by a nanosecond: a restart then ends that much later than it was
/// to, and the controllers are back all the same.
#[test]
fn a_restart_in_the_instant_of_another_entry_ends() {
    let scratch = Scratch::new();
    let add = r#"AddNode(node: (name: "n-2"))"#;
    for (first, downtime, back) in [
        (add, "1s", "3:01.000"),
        (add, "0s", "3:00.000"),
        (r#"ControllerRestart(downtime: "1s")"#, "1s", "3:01.000"),
    ] {
        scratch.write(
            "b.ron",
            format!(
                r#"Scenario(version: 1, horizon: "10m", nodes: [(names: "n-{{0..1}}")],
                    workloads: [Deployment(name: "web", replicas: 2)],
                    timeline: [
                        (at: "3m", do: {first}),
                        (at: "3m", do: ControllerRestart(downtime: "{downtime}")),
                        (at: "6m", do: Scale(workload: "web", replicas: 4)),
                    ])"#
            ),
        );
        // The odds that none of them lets the other go first are 7 in 100 to the power of 3.
        for seed in ["1", "2", "3"] {
            let run = scratch.call(&["run", "b.ron", "--seed", seed]);
            let is_back = |l: &str| l.contains(back) && l.contains("controllers started");
            assert!(run.stdout.lines().any(is_back), "{first} {downtime}: {}", run.stdout);
            let end = "pods: 4 running and ready";
            assert!(run.stdout.contains(end), "{first} {downtime}: {}", run.stdout);
        }
    }
}

/// A pod without a workload is told as others are: to which node it is bound, and not of which it is.
#[test]
fn a_pod_of_nobody_is_bound_to_its_node() {
    let scratch = Scratch::new();
    scratch.write(
        "solo.ron",
        r#"Scenario(version: 1, horizon: "1m", nodes: [(name: "n-0")], pods: [(name: "solo", on: Unbound)])"#,
    );
    let run = scratch.call(&["run", "solo.ron"]);
    assert!(run.stdout.contains("default/solo bound to n-0"), "{}", run.stdout);
}

/// A character may take two columns: what happened begins in one column all the same.
#[test]
fn names_of_wide_characters_are_padded_by_their_columns() {
    let scratch = Scratch::new();
    let text = r#"(version: 1, horizon: "3m", nodes: [(names: "n-{0..3}")], timeline: [
        (at: "1m", name: "断断断断", do: Partition(node: "n-0")),
        (at: "2m", name: "c", do: Cordon(node: "n-1")),
    ])"#;
    scratch.write("wide.ron", text);
    let run = scratch.call(&["run", "wide.ron"]);
    let rows = run.stdout.lines().filter(|l| l.contains("s after 断") || l.contains("s after c "));
    let column = |row: &str| {
        let (before, _) = row.rsplit_once("  ").expect("two spaces between columns");
        before.chars().count() + before.matches('断').count()
    };
    let columns: Vec<usize> = rows.map(column).collect();
    assert!(columns.len() > 3 && columns.iter().all(|c| *c == columns[0]), "{}", run.stdout);
}

/// Two pods on a node that is cut off, one with a probe that always succeeds: both are marked NotReady for their node, and Ready
/// again with it, which the node tells.
#[test]
fn a_pod_that_is_marked_for_its_node_is_told_by_that_whatever_its_probes() {
    let dir = Scratch::new();
    dir.write(
        "two.ron",
        r#"Scenario(version: 1, horizon: "5m", nodes: [(name: "n-1"), (name: "n-2")],
            pods: [(name: "web", on: Node("n-1"), livenessProbe: ()), (name: "old", on: Node("n-1"))],
            timeline: [(at: "60s", do: Partition(node: "n-1", duration: "70s"))])"#,
    );
    let told = dir.call(&["run", "two.ron"]).stdout;
    assert!(told.contains("n-1 Unknown") && told.contains("n-1 Ready again"), "{told}");
    assert!(!told.contains("not Ready") && !told.contains("default/web"), "{told}");
}
