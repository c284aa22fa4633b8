//! Scenarios that point at an export of kubectl: what is said of it, and that the manifest tells
//! one from another.

use super::{Scratch, unfolded};
use serde_json::Value;

const CLUSTER: &str = r#"{"apiVersion": "v1", "kind": "List", "items": [
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-1"}, "status": {"conditions":
        [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T12:00:00Z", "lastTransitionTime": "2026-03-01T11:00:00Z"}]}},
    {"apiVersion": "apps/v1", "kind": "Gadget", "metadata": {"name": "g", "namespace": "default"}}
]}"#;

fn scenario(manifest: &str) -> Value {
    serde_json::from_str::<Value>(manifest).expect("a manifest")["scenario"].clone()
}

#[test]
fn what_was_left_out_is_said_once_and_not_among_the_results() {
    let scratch = Scratch::new();
    scratch.write("cluster.json", CLUSTER);
    scratch
        .write("a.ron", "Scenario(version: 1, horizon: \"1m\", cluster: From(\"cluster.json\"))");
    let run = scratch.call(&["run", "a.ron"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.stderr.matches("left out: 1 Gadget").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains("1 node, 0 pods from cluster.json; time zero"), "{}", run.stderr);
    assert!(!run.stdout.contains("Gadget"), "{}", run.stdout);
    let sweep = scratch.call(&["sweep", "a.ron", "--set", "seed=1", "--seeds", "2"]);
    assert_eq!((sweep.code, sweep.stderr.matches("1 Gadget").count()), (0, 1), "{}", sweep.stderr);
    assert_eq!(scratch.call(&["run", "a.ron", "--quiet"]).stderr, "");
    // One file on both sides.
    for more in [&[][..], &["--seeds", "2"]] {
        let diff = scratch.call(&[&["diff", "a.ron", "--against", "1.30"], more].concat());
        let said = diff.stderr.matches("1 Gadget").count();
        assert_eq!(said, 1, "{}", diff.stderr);
    }
}

#[test]
fn the_hash_of_a_scenario_covers_what_it_points_at() {
    let scratch = Scratch::new();
    scratch.write("cluster.json", CLUSTER);
    scratch
        .write("a.ron", "Scenario(version: 1, horizon: \"1m\", cluster: From(\"cluster.json\"))");
    let of = |folder: &str| {
        assert_eq!(scratch.call(&["run", "a.ron", "--quiet", "--out", folder]).code, 0);
        scenario(&scratch.text(&format!("{folder}/a/manifest.json")))
    };
    let (one, again) = (of("one"), of("again"));
    assert_eq!(one, again);
    assert_eq!(
        (&one["inputs"][0]["file"], &one["inputs"][0]["bytes"]),
        (&Value::from("cluster.json"), &Value::from(CLUSTER.len()))
    );
    scratch.write("cluster.json", CLUSTER.replace("n-1", "n-2"));
    let other = of("other");
    assert_ne!(one["hash"], other["hash"]);
    assert_ne!(one["inputs"][0]["hash"], other["inputs"][0]["hash"]);
    assert_eq!(one["bytes"], other["bytes"]);
}

/// A cluster in an outage, as two files show it: nodes, and the pods on them.
fn degraded(scratch: &Scratch) {
    let export = |name: &str| format!("{}/tests/exports/{name}", env!("CARGO_MANIFEST_DIR"));
    let called = scratch.call(&[
        "import",
        &export("degraded-nodes.yaml.gz"),
        &export("degraded-pods.yaml.gz"),
        "--out",
        "d.ron",
    ]);
    assert_eq!(called.code, 0, "{}", called.stderr);
}

#[test]
fn explain_tells_what_the_export_shows_of_the_start() {
    let scratch = Scratch::new();
    degraded(&scratch);
    // Its DisruptionTarget is True with DeletionByTaintManager, and its deletionTimestamp is before
    // time zero.
    let pod = scratch.call(&["explain", "d.ron", "pod/shop/api-7c6dbd6bcd-5mxr5", "--quiet"]);
    assert_eq!(pod.code, 0, "{}", pod.stderr);
    let said = unfolded(&pod.stdout);
    assert!(
        said.contains(
            "evicted from worker-a1 by the taint eviction controller before the run began"
        ),
        "{said}"
    );
    assert!(said.contains("DeletionByTaintManager") && !said.contains("not evicted"), "{said}");
    let node = scratch.call(&["explain", "d.ron", "node/worker-a1", "--quiet"]).stdout;
    let said = unfolded(&node);
    assert!(
        said.contains("when the run began, worker-a1 was Unknown, since")
            && said.contains("tainted unreachable:NoExecute"),
        "{said}"
    );
    let cordoned = scratch.call(&["explain", "d.ron", "node/worker-c3", "--quiet"]).stdout;
    assert!(
        cordoned.contains("worker-c3 was cordoned") && !cordoned.contains("nothing happened"),
        "{cordoned}"
    );
}

#[test]
fn events_are_no_cluster() {
    let scratch = Scratch::new();
    let events = format!("{}/tests/exports/healthy-events.json.gz", env!("CARGO_MANIFEST_DIR"));
    let called = scratch.call(&["import", &events]);
    called.fails(
        2,
        &["neither nodes nor pods", "85 Events", "kubectl get nodes,pods,leases,deployments,"],
    );
    scratch.write("e.ron", format!("(version: 1, horizon: \"1m\", cluster: From({events:?}))"));
    scratch.call(&["run", "e.ron"]).fails(2, &["neither nodes nor pods"]);
    // With nodes of its own a scenario may take no more than workloads from a file.
    let web =
        format!("{}/tests/exports/healthy-deployment-web.yaml.gz", env!("CARGO_MANIFEST_DIR"));
    scratch.write("w.ron", format!("(version: 1, horizon: \"1m\", nodes: [(names: \"n-{{0..5}}\")], cluster: From({web:?}))"));
    let run = scratch.call(&["run", "w.ron"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    scratch.call(&["import", &web]).fails(2, &["1 Deployment"]);
}

#[test]
fn settings_reach_pods_that_exist_and_say_so() {
    let scratch = Scratch::new();
    let export = format!("{}/tests/exports/healthy-all.json.gz", env!("CARGO_MANIFEST_DIR"));
    let cut = "timeline: [(at: \"1m\", name: \"cut\", do: Partition(nodes: Zone(\"eu-west-1c\"), duration: \"5m\"))]";
    scratch.write(
        "z.ron",
        format!("(version: 1, horizon: \"15m\", cluster: From({export:?}), {cut})"),
    );
    for (set, note) in [
        (
            "workloads.web.template.tolerations[unreachable].tolerationSeconds=10,600",
            "6 existing pods of Deployment shop/web changed as by a",
        ),
        (
            "flags.kube-apiserver.default-unreachable-toleration-seconds=10,600",
            "12 existing pods changed as by a rollout",
        ),
    ] {
        let sweep = scratch.call(&["sweep", "z.ron", "--set", set, "--seeds", "1", "--quiet"]);
        assert_eq!(sweep.code, 0, "{}", sweep.stderr);
        assert!(sweep.stdout.contains(note), "{}", sweep.stdout);
        let row = |value: &str| {
            let line = sweep
                .stdout
                .lines()
                .find(|l| l.split_whitespace().next() == Some(value))
                .map(str::to_owned);
            line.unwrap_or_else(|| panic!("{}", sweep.stdout))
                .replacen(value, "", 1)
                .trim()
                .to_owned()
        };
        assert_ne!(row("10"), row("600"), "{}", sweep.stdout);
        let run = scratch.call(&["run", "z.ron", "--set", &set.replace(",600", "")]);
        assert!(run.stdout.contains(note), "{}", run.stdout);
    }
}

/// Two nodes of 1.31 and a Deployment whose pods took 12 and 14 s to start: a median of 13 s.
const WEB: &str = r#"[
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-1"}, "status": {"nodeInfo": {"kubeletVersion": "v1.31.4"}, "conditions":
        [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-03-01T12:00:00Z", "lastTransitionTime": "2026-03-01T11:00:00Z"}]}},
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n-2"}, "status": {"nodeInfo": {"kubeletVersion": "v1.31.4"}, "conditions":
        [{"type": "Ready", "status": "Unknown", "lastHeartbeatTime": "2026-03-01T11:30:00Z", "lastTransitionTime": "2026-03-01T11:31:00Z"}]},
        "spec": {"taints": [{"key": "maintenance", "effect": "NoExecute"}]}},
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {}}}},
    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web-1", "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "controller": true}]},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {}}}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1-a", "labels": {"app": "web"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "controller": true}]},
        "spec": {"nodeName": "n-1"}, "status": {"phase": "Running", "conditions": [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-03-01T11:00:00Z"},
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-01T11:00:12Z"}]}},
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-1-b", "labels": {"app": "web"}, "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "controller": true}]},
        "spec": {"nodeName": "n-2"}, "status": {"phase": "Running", "conditions": [
        {"type": "PodScheduled", "status": "True", "lastTransitionTime": "2026-03-01T11:00:00Z"},
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-01T11:00:14Z"}]}}
]"#;

/// A bare array of objects, as `jq .items` prints it, where a scenario is expected.
#[test]
fn an_export_is_a_scenario_to_every_command() {
    let scratch = Scratch::new();
    scratch.write("cluster.json", WEB);
    let said = "an export, taken as `taintsim import` takes it";
    for (args, wanted) in [
        (&["run", "cluster.json"][..], "Kubernetes 1.31."),
        (&["explain", "cluster.json", "node/n-2"], "n-2"),
        (&["survey", "cluster.json", "--lose", "node"], "node/n-1"),
        (&["validate", "cluster.json"], "fine (2 nodes, 2 pods"),
        (&["sweep", "cluster.json", "--set", "horizon=20m,30m", "--seeds", "1"], "horizon"),
        (&["diff", "cluster.json", "--kubernetes", "1.31", "--against", "1.34"], "1.34"),
    ] {
        let called = scratch.call(args);
        assert!(called.code <= 1, "{args:?}: {}", called.stderr);
        assert!(called.stdout.contains(wanted), "{args:?}: {}", called.stdout);
        if args[0] != "validate" {
            assert!(called.stderr.contains(said), "{args:?}: {}", called.stderr);
        }
    }
}

/// What is assumed and what the export brought along stands in the text and in JSON.
#[test]
fn what_an_export_brought_along_is_in_the_result() {
    let scratch = Scratch::new();
    let scaler = r#", {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}}]"#;
    scratch.write("cluster.json", format!("{}{scaler}", WEB.trim_end().trim_end_matches(']')));
    scratch
        .write("a.ron", "Scenario(version: 1, horizon: \"1m\", cluster: From(\"cluster.json\"))");
    for file in ["cluster.json", "a.ron"] {
        let json = scratch.call(&["run", file, "-q", "-o", "json"]).stdout;
        let text = unfolded(&scratch.call(&["run", file]).stdout);
        for wanted in [
            "taken in an outage. 1 of 2 nodes was silent or not Ready (n-2)",
            "Evicted at second 0: 1 pod (default/web-1-b)",
            "Assumed: pods take 1s to stop.",
            "Not simulated: 1 HorizontalPodAutoscaler, which the export has.",
            "as the median of the few that the export shows: default/web 13s (median of 2).",
        ] {
            assert!(text.contains(wanted), "{file}: {wanted} in {text}");
            assert!(json.contains(wanted), "{file}: {wanted} in {json}");
        }
        assert!(text.contains("Kubernetes 1.31."), "{text}");
    }
    // What is imported to a file takes along what no run of it has.
    assert_eq!(scratch.call(&["import", "cluster.json", "--out", "i.ron"]).code, 0);
    for args in [&["run", "i.ron"][..], &["run", "i.ron", "-q", "-o", "json"], &["survey", "i.ron"]]
    {
        let said = unfolded(&scratch.call(args).stdout);
        for wanted in [
            "Not simulated: 1 HorizontalPodAutoscaler, which the export has.",
            "as the median of the few that the export shows: default/web 13s (median of 2).",
        ] {
            assert_eq!(said.matches(wanted).count(), 1, "{args:?}: {said}");
        }
    }
    let run = scratch.call(&["run", "a.ron"]);
    assert!(run.stderr.contains("of 1 workload: default/web 13s (median of 2)"), "{}", run.stderr);
    let set = scratch.call(&["run", "a.ron", "--set", "timing.kubelet.pod_stop=3s"]);
    assert_eq!(set.code, 0, "{}", set.stderr);
    assert!(!set.stdout.contains("Assumed: pods"), "{}", set.stdout);
    let asked = scratch.call(&["run", "a.ron", "--kubernetes", "1.30"]);
    assert!(asked.stdout.contains("Kubernetes 1.30."), "{}", asked.stdout);
}

/// An export that does not say its release, nor how large a node is: what is simulated instead stands
/// beside the figures.
#[test]
fn what_an_export_does_not_say_is_said() {
    let scratch = Scratch::new();
    let said = |cluster: &str, more: &[&str]| {
        scratch.write("cluster.json", cluster);
        let called = scratch.call(&[&["run", "cluster.json"], more].concat());
        assert_eq!(called.code, 0, "{}", called.stderr);
        unfolded(&called.stdout)
    };
    let silent = said(CLUSTER, &[]);
    assert!(
        silent.contains("of which release it is, it does not say. Kubernetes 1.34"),
        "{silent}"
    );
    assert!(silent.contains("the size of n-1 is not in it"), "{silent}");
    let asked = said(CLUSTER, &["--kubernetes", "1.33"]);
    assert!(!asked.contains("which release"), "{asked}");
    let of = |version: &str| {
        let info = format!(
            r#""status": {{"nodeInfo": {{"kubeletVersion": "{version}"}}, "allocatable": {{"cpu": "2", "memory": "4Gi", "pods": "9"}},"#
        );
        CLUSTER.replacen(r#""status": {"#, &info, 1)
    };
    for (version, minor) in
        [("v1.99.0", "1.99"), ("v1.38.1", "1.38"), ("v1.38.0-alpha.2", "a 1.38 pre-release")]
    {
        let newer = said(&of(version), &[]);
        let taken = format!(
            "its newest kubelet is of {minor}, which is not known here. Kubernetes 1.38-alpha is simulated, the newest that is; --kubernetes"
        );
        assert!(newer.contains(&taken) && !newer.contains("the size of"), "{newer}");
    }
    let older = said(&of("v1.5.0"), &[]);
    assert!(
        older.contains("of 1.5, which is not known here. Kubernetes 1.34 is simulated; --k"),
        "{older}"
    );
}

/// kubectl's own complaint behind the objects: some of them are missing.
#[test]
fn standard_error_in_the_file_is_named() {
    let scratch = Scratch::new();
    let error = "Error from server (Forbidden): leases.coordination.k8s.io is forbidden";
    scratch.write("cluster.json", format!("{CLUSTER}\n{error}\n"));
    let called = scratch.call(&["survey", "cluster.json"]);
    assert_eq!(called.code, 2);
    let said = unfolded(&called.stderr);
    assert!(said.contains(error) && said.contains("2>/dev/null"), "{said}");
}

/// Deleted at 1:00 with 20 s to stop, replaced by a pod with 40 s to start: gone at 1:20 and Running
/// at 1:40, within the relist and the status sync of a second each. With what is assumed it is 1 s and
/// 2 s.
#[test]
fn workloads_say_how_long_their_pods_take() {
    let scratch = Scratch::new();
    scratch.write(
        "a.ron",
        r#"Scenario(version: 1, kubernetes: "1.34", horizon: "5m", timing: Custom(request: "0s", response: "0s", watch: "0s"),
        nodes: [(name: "a")],
        workloads: [
            Deployment(name: "slow", placement: Node("a"), template: (pod_start: "40s", pod_stop: "20s")),
            Deployment(name: "plain", placement: Node("a")),
        ],
        timeline: [(at: "1m", do: DeletePod(pods: Group("slow"))), (at: "2m", do: DeletePod(pods: Group("plain")))],
        expect: [
            Gone(workload: "slow", count: 1, after: "80s", before: "83s"),
            Phase(workload: "slow", phase: Running, count: 2, before: "103s"),
            Never(During(between: ("82s", "99s"), that: AtLeast(of: available("slow"), is: 1))),
            Gone(workload: "plain", count: 1, after: "121s", before: "124s"),
            Phase(workload: "plain", phase: Running, count: 2, before: "125s"),
            Never(During(between: ("121s", "121900ms"), that: AtLeast(of: available("plain"), is: 1))),
        ])"#,
    );
    let called = scratch.call(&["test", "a.ron"]);
    assert_eq!(called.code, 0, "{}{}", called.stdout, called.stderr);
}
