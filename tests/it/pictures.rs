//! What the picture of a run has marks for, and that its labels tell names apart.

use assert_cmd::Command;
use std::fs;
use std::path::Path;

/// The texts of the `timeline.svg` of a scenario, in their order.
fn texts(name: &str, scenario: &str) -> Vec<String> {
    texts_of(name, scenario, "timeline")
}

/// The same of another chart.
fn texts_of(name: &str, scenario: &str, chart: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pictures-{name}-{chart}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("{name}.ron"));
    fs::write(&file, scenario).unwrap();
    let mut run = Command::cargo_bin("taintsim").unwrap();
    run.current_dir(&folder).arg("run").arg(&file).arg("-q");
    run.assert().success();
    let svg =
        fs::read_to_string(folder.join("output").join(name).join(format!("{chart}.svg"))).unwrap();
    let inside = svg.split("<text ").skip(1).filter_map(|part| {
        let (_, text) = part.split_once('>')?;
        Some(text.split_once("</text>")?.0.trim().to_owned())
    });
    inside.collect()
}

fn shipped(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(format!("scenarios/{name}.ron"))).unwrap()
}

#[test]
fn a_preempted_pod_has_its_mark_and_a_state_that_does_not_occur_none() {
    let texts = texts("preemption", &shipped("preemption-after-loss"));
    for there in ["pods evicted", "pods preempted", "Unknown", "waiting for taint"] {
        assert!(texts.iter().any(|t| t == there), "{there}: {texts:?}");
    }
    assert!(!texts.iter().any(|t| t == "NotReady"), "{texts:?}");
}

/// One after the other is made, bound to the node under pressure and Failed, and all but the first are no evictions: `run`
/// tells of 444 that are not admitted.
#[test]
fn pods_that_a_kubelet_does_not_admit_have_a_mark() {
    let texts = texts("loop", &shipped("pressure-loop"));
    for there in ["pods evicted", "pods turned away", "444 in all"] {
        assert!(texts.iter().any(|t| t == there), "{there}: {texts:?}");
    }
    let texts = texts_of("loop", &shipped("pressure-loop"), "pods");
    for there in ["1 evicted", "444 turned away"] {
        assert!(texts.iter().any(|t| t == there), "{there}: {texts:?}");
    }
}

/// Six pods of the node that is told to go off end with it (the head of the scenario has when), and six of
/// its DaemonSet are refused, which run at no time: these have marks of their own.
#[test]
fn pods_that_end_with_their_node_have_a_mark() {
    let texts = texts("shutdown", &shipped("graceful-shutdown"));
    for there in ["pods shut down", "pods turned away"] {
        assert!(texts.iter().any(|t| t == there), "{there}: {texts:?}");
    }
    assert!(!texts.iter().any(|t| t == "pods evicted"), "{texts:?}");
}

#[test]
fn a_run_without_pods_says_so_where_they_would_be() {
    let empty = r#"Scenario(version: 1, horizon: "2m", nodes: [(name: "a")])"#;
    let has = |texts: Vec<String>| texts.iter().any(|t| t == "no pods");
    assert!(has(texts_of("empty", empty, "pods")));
    assert!(!has(texts_of("shutdown", &shipped("graceful-shutdown"), "pods")));
}

#[test]
fn the_label_of_a_taint_keeps_its_key() {
    let texts = texts("taint", &shipped("stateful-set-stuck"));
    let label = "taint node-1 out-of-service=nodeshutdown:NoExecute";
    assert!(texts.iter().any(|t| t == label), "{texts:?}");
}

#[test]
fn trouble_of_the_control_plane_has_bands_with_names() {
    let text = shipped("controller-restart").replace(
        "    timeline: [",
        "    timeline: [(at: \"4m\", name: \"API servers down\", do: ApiOutage(duration: \"2m\")),",
    );
    let texts = texts("trouble", &text);
    for there in ["control plane", "controllers down", "API servers down"] {
        assert!(texts.iter().any(|t| t == there), "{there}: {texts:?}");
    }
}

/// Three zones as clouds call them, with few nodes and with many, of which nothing happens before
/// the tenth minute.
#[test]
fn zones_of_a_cloud_are_told_apart_and_a_quiet_beginning_is_left_out() {
    for (name, last) in [("few", 1), ("many", 29)] {
        let zones = ["a", "b", "c"].map(|z| {
            format!("(names: \"ip-10-0-{{0..{last}}}-{z}.eu-central-1.compute.internal\", zone: \"eu-central-1{z}\")")
        });
        let text = format!(
            "Scenario(version: 1, kubernetes: \"1.34\", horizon: \"20m\", nodes: [{}],
                timeline: [(at: \"10m\", name: \"cut\", do: Partition(nodes: Zone(\"eu-central-1b\"), duration: \"3m\"))])",
            zones.join(", ")
        );
        let texts = texts(name, &text);
        for zone in ["a", "b", "c"] {
            let shown = |t: &&String| t.ends_with(&format!("1{zone}")) && t.contains("eu-c");
            assert!(texts.iter().any(|t| shown(&t)), "{zone}: {texts:?}");
        }
        assert!(texts.iter().any(|t| t.contains("nothing happens before 9:00")), "{texts:?}");
    }
}

/// Zone a is cut off for eight minutes, and for some of them zone b is, too: then no zone has a Ready node and evictions stop, but each is in
/// FullDisruption once.
#[test]
fn a_zone_whose_pace_alone_changes_has_one_band() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", horizon: "20m",
        nodes: [(names: "a-{0..2}", zone: "a"), (names: "b-{0..2}", zone: "b")],
        timeline: [(at: "1m", do: Partition(nodes: Zone("a"), duration: "8m")), (at: "4m", do: Partition(nodes: Zone("b"), duration: "3m"))])"#;
    let texts = texts("master", text);
    assert!(texts.iter().any(|t| t == "master disruption: evictions stop"), "{texts:?}");
    assert_eq!(texts.iter().filter(|t| *t == "FullDisruption").count(), 2, "{texts:?}");
}

/// Two pods of which nothing ever comes have no state but one.
#[test]
fn a_legend_has_what_occurs() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Ideal, horizon: "5m", nodes: [(names: "n-{0..1}")],
        workloads: [Deployment(name: "web", replicas: 2, placement: Nodes(["n-0", "n-1"]))])"#;
    for (chart, there, not) in [
        (
            "pods",
            &["running and ready"][..],
            &[
                "ready by the API, not up",
                "running, not ready",
                "terminating",
                "pending",
                "evicted so far",
            ][..],
        ),
        ("workloads", &["up", "desired"], &["missing", "deleted or gone, and still up"]),
    ] {
        let texts = texts_of("legend", text, chart);
        for name in there {
            assert!(texts.iter().any(|t| t == name), "{chart}: {name}: {texts:?}");
        }
        for name in not {
            assert!(!texts.iter().any(|t| t == name), "{chart}: {name}: {texts:?}");
        }
    }
}

/// The drain of `drain-with-budget` begins at 60 s and has its last pod gone at 66 s.
#[test]
fn a_drain_has_its_mark_and_how_long_it_took() {
    let texts = texts("drain", &shipped("drain-with-budget"));
    for there in ["drain", "drained in 6s"] {
        assert!(texts.iter().any(|t| t == there), "{there}: {texts:?}");
    }
}

/// Of 41 workloads one has a pod on the node that crashes for five minutes; the others are on
/// another one.
#[test]
fn of_many_workloads_those_that_were_not_always_up_have_panels() {
    let nodes = "nodes: [(name: \"a-0\", zone: \"a\"), (name: \"b-0\", zone: \"b\")]";
    let calm = "Deployment(names: \"calm-{10..49}\", placement: Spread(Zone(\"a\")))";
    let hit = "Deployment(name: \"hit\", placement: Spread(Zone(\"b\")))";
    let scenario = |workloads: &str| {
        let crash = "(at: \"1m\", do: Crash(node: \"b-0\", duration: \"5m\"))";
        format!(
            "Scenario(version: 1, horizon: \"10m\", {nodes}, workloads: [{workloads}], timeline: [{crash}])"
        )
    };
    let panels = |texts: &[String]| {
        texts.iter().filter(|t| t.starts_with("Deployment ")).cloned().collect::<Vec<_>>()
    };
    let texts = texts_of("hit", &scenario(&format!("{calm}, {hit}")), "workloads");
    assert_eq!(panels(&texts), ["Deployment default/hit"]);
    assert!(texts.iter().any(|t| t == "40 workloads were always up"), "{texts:?}");
    let texts = texts_of("calm", &scenario(calm), "workloads");
    assert_eq!(panels(&texts).len(), 3);
    assert!(texts.iter().any(|t| t == "all 40 workloads were always up"), "{texts:?}");
    assert!(!texts.iter().any(|t| t == "missing"), "{texts:?}");
}

/// Thirty nodes are cordoned within half a minute, and then one crashes for some time.
#[test]
fn of_many_entries_those_that_last_have_their_names_and_the_others_are_counted() {
    let cordons: Vec<String> = (10..40)
        .map(|i| format!("(at: \"{i}s\", name: \"cordon {i}\", do: Cordon(node: \"n-{i}\"))"))
        .collect();
    let texts = texts(
        "many-entries",
        &format!(
            "Scenario(version: 1, horizon: \"10m\", nodes: [(names: \"n-{{10..40}}\")], workloads: [], \
             timeline: [{}, (at: \"50s\", name: \"node 40 dies\", do: Crash(node: \"n-40\", duration: \"5m\"))])",
            cordons.join(", ")
        ),
    );
    assert!(texts.iter().any(|t| t == "node 40 dies"), "{texts:?}");
    let named = texts.iter().filter(|t| t.starts_with("cordon ")).count();
    // Each of the 31 entries has its name, or is counted.
    let others = format!("… and {} more entries", 31 - 1 - named);
    assert!(named > 0 && texts.contains(&others), "{named} {texts:?}");
}

/// A crash evicts all seven pods of a node at once. From 31 nodes on lanes are 18 points high, in which a number of nine has room.
#[test]
fn marks_of_many_nodes_have_their_numbers() {
    for last in [29, 30] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "1.34", horizon: "10m", nodes: [(names: "n-{{0..{last}}}")],
            workloads: [ReplicaSet(name: "web", replicas: 7, placement: Nodes(["n-0"]))],
            timeline: [(at: "1m", do: Crash(node: "n-0"))])"#
        );
        let texts = texts(&format!("lanes-{last}"), &text);
        assert!(texts.iter().any(|t| t == "7"), "{texts:?}");
    }
}
