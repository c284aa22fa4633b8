//! Groups of nodes whose kubelets have flags of their own: each kubelet goes by its group's, and by those of all where its group
//! says nothing. What each flag comes to is what it comes to where all have it.

use super::plans::{built, plan, ran};
use taintsim::kernel::Choices;
use taintsim::plan::Plan;
use taintsim::sim::run;
use taintsim::trace::Trace;

/// The seconds of records of a kind, with their pods or nodes; of phases those of Failed.
fn when(trace: &Trace, what: &str) -> Vec<(f64, String)> {
    let line = |r: &taintsim::trace::Record| {
        let f = trace.fields(r);
        let is_so = f.what == what && (what != "pod-phase" || f.status == Some("Failed"));
        let of = f.pod.or(f.node).filter(|_| is_so)?;
        Some((r.at.as_millis() as f64 / 1000.0, of.trim_start_matches("default/").to_owned()))
    };
    trace.iter().filter_map(line).collect()
}

/// The seconds of those of one pod or node.
fn of(all: &[(f64, String)], name: &str) -> Vec<f64> {
    all.iter().filter(|(_, of)| of == name).map(|(at, _)| *at).collect()
}

/// 8 GiB, of which 500 MiB are used and a leak takes 1000 MiB and 10 MiB a second: 6692 - 10 t MiB are left. They are fewer than
/// 100 after 659.2 s, as all have it, and fewer than 2048 after 464.4 s; looks are ten seconds apart.
#[test]
fn each_node_has_its_thresholds() {
    let text = r#"Scenario(version: 1, kubernetes: "1.37", horizon: "12m", timing: Ideal,
        nodes: [
            (name: "late", capacity: {"memory": "8Gi"}, usage: {"memory": "500Mi"}),
            (name: "early", capacity: {"memory": "8Gi"}, usage: {"memory": "500Mi"}, kubelet: {"eviction-hard": "memory.available<2Gi"}),
        ],
        pods: [
            (name: "on-late", on: Node("late"), usage: {"memory": "1000Mi + 10Mi/s"}),
            (name: "on-early", on: Node("early"), usage: {"memory": "1000Mi + 10Mi/s"}),
        ])"#;
    let evicted = |plan: &Plan| when(&ran(plan, 1), "pod-phase");
    let found = evicted(&plan(text));
    // A second after the look, which is the pod's grace.
    let expected = [(471.0, "on-early".to_owned()), (661.0, "on-late".to_owned())];
    assert_eq!(found, expected);
    let set = "nodes.early.kubelet.eviction-hard=memory.available<100Mi";
    let alike = evicted(&built(text, &[set]).unwrap());
    assert_eq!(alike.iter().map(|(at, _)| *at).collect::<Vec<f64>>(), [661.0, 661.0]);
}

/// Those of all have 30 s, the last 10 of them for critical pods, of which there are none; those of `m` have none.
#[test]
fn each_node_has_its_grace_periods() {
    let text = r#"Scenario(version: 1, kubernetes: "1.37", horizon: "5m",
        flags: (kubelet: {"shutdown-grace-period": "30s", "shutdown-grace-period-critical-pods": "10s"}),
        nodes: [(name: "n"), (name: "m", kubelet: {"shutdown-grace-period": "0s", "shutdown-grace-period-critical-pods": "0s"})],
        pods: [(name: "slow", count: 2, on: Nodes(["n", "m"]), pod_stop: "5m", terminationGracePeriodSeconds: 300)],
        timeline: [(at: "60s", do: Shutdown(node: "n")), (at: "60s", do: Shutdown(node: "m"))])"#;
    let both = plan(text);
    let off = when(&ran(&both, 1), "machine-off");
    assert_eq!((of(&off, "n"), of(&off, "m")), (vec![80.0], vec![60.0]));
    let told = both.notes.join("\n");
    assert!(told.contains("Those of m have none, so that a machine"), "{told}");
    let gone =
        plan(&text.replace(r#", (at: "60s", do: Shutdown(node: "m"))"#, "")).notes.join("\n");
    assert!(gone.contains("logind grants") && !gone.contains("Those of"), "{gone}");
}

/// Without jitter, as up to 1.20.7: a lease of 40 s is renewed each 10 s, one of 10 s each 2.5 s. A run of 100 s has ten and forty of
/// them, wherever in its period it begins.
#[test]
fn each_node_has_its_heartbeats() {
    let text = r#"Scenario(version: 1, kubernetes: "1.19.16", horizon: "100s", lease_records: true,
        nodes: [(name: "n"), (name: "m", kubelet: {"node-lease-duration-seconds": 10})])"#;
    let both = plan(text);
    let renewed = when(&run(&both, Choices::seeded(3)), "lease-renewed");
    assert_eq!((of(&renewed, "n").len(), of(&renewed, "m").len()), (10, 40));
    // Whether heartbeats are computed or simulated, with outages, is the same.
    for version in ["1.19.16", "1.34", "1.12"] {
        let text = format!(
            r#"Scenario(version: 1, kubernetes: "{version}", horizon: "20m",
                nodes: [(names: "n-{{0..2}}"), (names: "m-{{0..2}}", kubelet: {{"node-status-update-frequency": "4s", "node-status-report-frequency": "1m"}})],
                timeline: [(at: "3m", do: Partition(nodes: Nodes(["n-0", "m-0"]), duration: "5m")), (at: "5m", do: Crash(node: "m-1", duration: "2m"))])"#
        );
        ran(&plan(&text), 1);
    }
    // Renewed every 15 s, and up to 4 % later.
    let slow = text.replace("seconds\": 10", "seconds\": 60");
    let slow = slow.replace(
        "nodes:",
        r#"flags: (kube-controller-manager: {"node-monitor-grace-period": "15s"}), nodes:"#,
    );
    let told = plan(&slow).notes.join("\n");
    assert!(told.contains("a kubelet renews its lease every 15s and up to 4 % later"), "{told}");
}

/// Images of 10 and 20 s, one after the other on `n`, and at once on `m`; a container starts a second later.
#[test]
fn each_node_pulls_in_its_way() {
    let pods = ["n", "m"].map(|node| {
        format!(
            r#"(name: "{node}-1", on: Node("{node}"), start: Pending, image: (name: "i:1", pull: "10s")),
            (name: "{node}-2", on: Node("{node}"), start: Pending, image: (name: "i:2", pull: "20s")),"#
        )
    });
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "2m", timing: Ideal,
            nodes: [(name: "n"), (name: "m", kubelet: {{"serialize-image-pulls": false}})], pods: [{}])"#,
        pods.concat()
    );
    let runs = when(&ran(&plan(&text), 1), "containers-started");
    let at = |pod: &str| of(&runs, pod);
    assert_eq!([at("n-1"), at("n-2")], [[11.0], [31.0]]);
    assert_eq!([at("m-1"), at("m-2")], [[11.0], [21.0]]);
}

/// A container that runs 5 s and fails, from 2 s on: started at once, then after 10, 20 and 40 s; where a second is the most, after a
/// second each time.
#[test]
fn each_node_has_its_longest_back_off() {
    let pod = |node: &str| {
        format!(
            r#"(name: "on-{node}", on: Node("{node}"), start: Pending, pod_start: "2s", ends: (after: "5s", exit_code: 1)),"#
        )
    };
    let text = format!(
        r#"Scenario(version: 1, kubernetes: "1.37", horizon: "50s", timing: Ideal,
            nodes: [(name: "n"), (name: "m", kubelet: {{"max-container-restart-period": "1s"}})], pods: [{}{}])"#,
        pod("n"),
        pod("m")
    );
    let runs = when(&ran(&plan(&text), 1), "containers-started");
    assert_eq!(of(&runs, "on-n"), [2.0, 7.0, 22.0, 47.0]);
    assert_eq!(of(&runs, "on-m"), [2.0, 7.0, 13.0, 19.0, 25.0, 31.0, 37.0, 43.0, 49.0]);
}

/// As for the flags of all, at the group's place.
#[test]
fn mistakes_have_their_place() {
    let refused = |flags: &str, more: &str| {
        let text = format!(
            "Scenario(version: 1, kubernetes: \"1.31\", horizon: \"1m\", {more}\nnodes: [(name: \"n\"),\n(name: \"m\", kubelet: {{{flags}}})])"
        );
        built(&text, &[]).map(drop).unwrap_err()
    };
    let cases = [
        (r#""eviction-hrad": "x""#, "", "did you mean `eviction-hard`?"),
        (r#""node-monitor-period": "5s""#, "", "it is a flag of kube-controller-manager"),
        (r#""max-pods": 30"#, "", "`capacity: {\"pods\": …}` of nodes says how many they take"),
        (r#""registry-qps": -1"#, "", "--registry-qps: -1 is not between 0 and 1000000"),
        (r#""eviction-soft": "memory.available<1Gi""#, "", "grace period must be specified"),
        (
            r#""max-parallel-image-pulls": 3"#,
            r#"flags: (kubelet: {"serialize-image-pulls": true}),"#,
            "maxParallelImagePulls cannot be larger than 1",
        ),
        (
            r#""node-status-update-frequency": "5s""#,
            "timing: Ideal,",
            "imitated kubelets check their status every 10 s",
        ),
        (
            r#""max-container-restart-period": "1m""#,
            "",
            "has no flag --max-container-restart-period",
        ),
    ];
    for (flags, more, said) in cases {
        let told = refused(flags, more);
        assert!(told.contains(said), "{flags}: {told}");
        assert!(told.starts_with("case.ron:3:"), "{flags}: {told}");
    }
}

/// Of flags of eviction that change nothing, whoever has them.
#[test]
fn flags_that_change_nothing_are_told() {
    let text = r#"Scenario(version: 1, horizon: "1m", nodes: [(name: "n", kubelet: {"eviction-hard": "memory.available<1Gi"})])"#;
    let told = plan(text).notes.join("\n");
    assert!(told.contains("the kubelets' eviction flags change nothing"), "{told}");
    // A disk may fill with images, whose size is known.
    for (flag, change) in [("memory.available<1Gi", true), ("nodefs.available<5Gi", false)] {
        let text = format!(
            r#"Scenario(version: 1, horizon: "1m", flags: (kubelet: {{"eviction-hard": "{flag}"}}), nodes: [(name: "n", capacity: {{"ephemeral-storage": "100Gi"}})],
                pods: [(name: "p", on: Node("n"), image: (name: "web", pull: "5s", size: "1Gi"))])"#
        );
        let told = plan(&text).notes.join("\n");
        assert_eq!(
            told.contains("eviction flags of memory, inodes and process ids change nothing"),
            change,
            "{told}"
        );
    }
}
