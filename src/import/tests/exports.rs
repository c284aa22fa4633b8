//! The exports in `tests/exports`, as `kubectl get … -o json` and `-o yaml` printed them.

use super::super::ImportedCluster;
use super::{export, exports, node, node_names, pod, pod_names};
use crate::api::meta::ConditionStatus;
use crate::api::pod::PodPhase;
use crate::language::{
    Condition, ConditionKind, Deletion, NodeStart, Owner, Placement, PodCondition, PodReason,
    PodStart, Scenario, Tree,
};

/// File, nodes, pods, kinds left out.
const ALL: [(&str, usize, usize, &str); 15] = [
    ("healthy-all.json.gz", 12, 35, OTHERS),
    ("healthy-all.yaml.gz", 12, 35, OTHERS),
    ("healthy-nodes.json.gz", 12, 0, ""),
    ("healthy-nodes.yaml.gz", 12, 0, ""),
    // Without nodes, those that pods name are made up.
    ("healthy-pods.json.gz", 12, 35, ""),
    ("healthy-pods.yaml.gz", 12, 35, ""),
    ("healthy-pods-one-namespace.yaml.gz", 8, 13, ""),
    ("healthy-two-lists.yaml.gz", 12, 35, ""),
    ("healthy-node-worker-a1.json.gz", 1, 0, ""),
    ("healthy-node-worker-a1.yaml.gz", 1, 0, ""),
    ("healthy-node-worker-a1-managed.yaml.gz", 1, 0, ""),
    ("healthy-deployment-web.yaml.gz", 0, 0, ""),
    ("healthy-pod-cache.json.gz", 1, 1, ""),
    ("manifest-multidoc.yaml.gz", 0, 3, "3 Namespaces"),
    ("degraded-nodes.yaml.gz", 24, 0, ""),
];
const OTHERS: &str = "2 Leases";

#[test]
fn every_export_loads() {
    for (file, nodes, pods, kinds) in ALL {
        let cluster = exports(&[file]);
        assert_eq!((cluster.summary.nodes, cluster.summary.pods), (nodes, pods), "{file}");
        assert_eq!(
            cluster.nodes.iter().map(|g| node_names(g).len()).sum::<usize>(),
            nodes,
            "{file}"
        );
        assert_eq!(cluster.pods.iter().map(|g| pod_names(g).len()).sum::<usize>(), pods, "{file}");
        let lines = cluster.summary.lines();
        let line: Vec<&String> =
            lines.iter().filter(|l| l.starts_with("not modelled yet, left out: ")).collect();
        match kinds {
            "" => assert!(line.is_empty(), "{file}: {line:?}"),
            kinds => assert_eq!(line, [&format!("not modelled yet, left out: {kinds}")], "{file}"),
        }
    }
}

#[test]
fn json_and_yaml_say_the_same() {
    for (one, other) in [
        ("healthy-all.json.gz", "healthy-all.yaml.gz"),
        ("healthy-nodes.json.gz", "healthy-nodes.yaml.gz"),
        ("healthy-pods.json.gz", "healthy-pods.yaml.gz"),
        ("healthy-node-worker-a1.json.gz", "healthy-node-worker-a1.yaml.gz"),
        ("healthy-node-worker-a1.json.gz", "healthy-node-worker-a1-managed.yaml.gz"),
    ] {
        let (one, other) = (exports(&[one]), exports(&[other]));
        assert_eq!(one.nodes, other.nodes);
        assert_eq!(one.pods, other.pods);
        assert_eq!(one.summary.lines()[1..], other.summary.lines()[1..]);
    }
}

#[test]
fn two_lists_in_a_file_are_as_two_files() {
    let (one, two) = (
        exports(&["healthy-two-lists.yaml.gz"]),
        exports(&["healthy-nodes.json.gz", "healthy-pods.yaml.gz"]),
    );
    assert_eq!(one.nodes, two.nodes);
    assert_eq!(one.pods, two.pods);
}

#[test]
fn alike_copies_in_overlapping_files_are_taken_once() {
    let alone = exports(&["healthy-all.json.gz"]);
    let twice = exports(&[
        "healthy-all.json.gz",
        "healthy-pods-one-namespace.yaml.gz",
        "healthy-node-worker-a1.yaml.gz",
    ]);
    assert_eq!((&twice.nodes, &twice.pods), (&alone.nodes, &alone.pods));
    assert!(
        twice
            .summary
            .lines()
            .contains(&"14 objects in the files more than once, alike, and taken once".to_owned()),
        "13 pods, 1 node"
    );
}

#[test]
fn exports_of_different_times_do_not_mix() {
    let inputs = [export("healthy-nodes.json.gz"), export("degraded-nodes.yaml.gz")];
    let e = ImportedCluster::read(&inputs).unwrap_err().to_string();
    assert_eq!(
        e,
        "Node \"cp-1\" is there twice and differs (healthy-nodes.json.gz, item 1; degraded-nodes.yaml.gz, item 1): \
         exports of different times or clusters? Keep one of them"
    );
}

/// The newest of the twelve node leases is 04:41:10.706542, that of an API server's 04:41:16.164478;
/// conditions are of 04:40:49 and 04:40:50.
#[test]
fn time_zero_is_the_newest_heartbeat() {
    assert_eq!(
        exports(&["healthy-all.json.gz"]).summary.time_zero.unwrap().to_rfc3339(),
        "2026-11-20T04:41:17Z"
    );
    assert_eq!(
        exports(&["healthy-nodes.json.gz"]).summary.time_zero.unwrap().to_rfc3339(),
        "2026-11-20T04:40:50Z"
    );
    assert_eq!(
        exports(&["degraded-nodes.yaml.gz"]).summary.time_zero.unwrap().to_rfc3339(),
        "2026-11-20T04:51:27Z"
    );
    let lines = exports(&["healthy-pods.json.gz"]).summary.lines();
    assert!(lines[0].contains("no heartbeat in the files"), "{lines:?}");
}

#[test]
fn a_healthy_cluster_is_plain() {
    let cluster = exports(&["healthy-all.json.gz"]);
    assert!(cluster.nodes.iter().all(|g| g.start.is_none()));
    let gpu = node(&cluster, "gpu-b1");
    assert_eq!(gpu.taints, ["dedicated=gpu:NoSchedule"]);
    assert_eq!(&*gpu.capacity["nvidia.com/gpu"], "4");
    assert_eq!(&*gpu.capacity["memory"], "255Gi", "allocatable, not the capacity of 256Gi");
    assert_eq!(gpu.labels["topology.kubernetes.io/zone"], "eu-west-1b");
    let cordoned = node(&cluster, "worker-c3");
    assert!(cordoned.unschedulable);
    // 04:40:50 to 04:41:17 are 27 s.
    assert_eq!(&*cordoned.taints_added["node.kubernetes.io/unschedulable:NoSchedule"], "-27s");

    let web = pod(&cluster, "shop", "web-5468c74c4d-2bcm8");
    assert_eq!(pod_names(web).len(), 6, "one group for the six of the ReplicaSet");
    assert_eq!(
        web.owner,
        Some(Owner { kind: "ReplicaSet".to_owned(), name: "web-5468c74c4d".to_owned() })
    );
    assert_eq!(web.termination_grace_period_seconds, Some(10));
    assert_eq!(
        web.tolerations.iter().map(|t| t.toleration_seconds).collect::<Vec<_>>(),
        [Some(30), Some(30)]
    );
    assert_eq!(web.start, None, "Running and Ready");
    let agent = pod(&cluster, "kube-system", "node-agent-5x7cm");
    assert_eq!(
        (agent.priority, agent.priority_class_name.as_deref()),
        (Some(2_000_001_000), Some("system-node-critical"))
    );
    let cache = pod(&cluster, "default", "cache");
    assert_eq!(
        (&cache.on, &cache.node_selector["disktype"]),
        (&Placement::Node("worker-a2".to_owned()), &"ssd".to_owned())
    );
    let done = pod(&cluster, "batch", "import-4ljct");
    assert!(matches!(done.start, Some(PodStart::Imported { phase: PodPhase::Succeeded, .. })));
    assert_eq!(pod(&cluster, "default", "too-big").on, Placement::Unbound);
    assert_eq!(cluster.summary.unbound, ["default/too-big"]);
}

/// extra-d1: Ready Unknown since 04:42:51, last heartbeat 04:41:17, tainted at 04:42:51 and
/// 04:43:02; zero is 04:51:27.
#[test]
fn a_degraded_cluster_stays_as_it_is() {
    let cluster = exports(&["degraded-nodes.yaml.gz", "degraded-pods.yaml.gz"]);
    let cut = [
        "extra-d1", "extra-d2", "extra-d3", "extra-d4", "extra-e1", "extra-e2", "extra-e3",
        "extra-f1", "extra-f2",
    ];
    let mut silent = cluster.summary.cut_off.clone();
    silent.sort();
    assert_eq!(silent, [&cut[..], &["worker-a1", "worker-b1", "worker-c1"]].concat());
    assert_eq!(cluster.summary.terminating, 56);
    assert_eq!(cluster.summary.pods, 233);

    let d1 = node(&cluster, "extra-d1");
    assert_eq!(
        d1.taints,
        ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"]
    );
    assert_eq!(&*d1.taints_added["node.kubernetes.io/unreachable:NoExecute"], "-8m25s");
    let Some(NodeStart::Imported { conditions, renew_time, cut_off, .. }) = &d1.start else {
        panic!("{:?}", d1.start)
    };
    assert!(*cut_off);
    assert_eq!(
        renew_time.as_deref().unwrap(),
        "-10m10s",
        "no lease was exported: the last heartbeat"
    );
    assert_eq!(
        conditions[0],
        Condition {
            kind: ConditionKind::Ready,
            status: ConditionStatus::Unknown,
            reason: "NodeStatusUnknown".to_owned(),
            last_heartbeat_time: "-10m10s".into(),
            last_transition_time: "-8m36s".into(),
        }
    );
    assert!(node(&cluster, "worker-a2").start.is_none(), "its kubelet posts Ready");

    // NotReady since 04:43:00, evicted at 04:43:30 with 10 s of grace: its node never confirmed.
    let web = pod(&cluster, "shop", "web-5468c74c4d-5sgsw");
    assert_eq!(web.on, Placement::Node("worker-c1".to_owned()));
    let condition = |status, reason, at: &str| {
        Some(PodCondition { status, reason, last_transition_time: at.into() })
    };
    assert_eq!(
        web.start,
        Some(PodStart::Imported {
            phase: PodPhase::Running,
            ready: condition(ConditionStatus::False, None, "-8m27s"),
            disruption_target: condition(
                ConditionStatus::True,
                Some(PodReason::DeletionByTaintManager),
                "-7m57s"
            ),
            deletion: Some(Deletion { timestamp: "-7m46s".into(), grace_period_seconds: 10 }),
        })
    );
}

/// Everything that is written can be read back, and says what the import said.
#[test]
fn what_is_written_reads_back() {
    let files = ALL
        .iter()
        .map(|e| vec![e.0])
        .chain([vec!["degraded-nodes.yaml.gz", "degraded-pods.yaml.gz"]]);
    for files in files {
        let cluster = exports(&files);
        let text = cluster.to_scenario();
        let back: Scenario = Tree::read(&text)
            .and_then(|t| t.typed())
            .unwrap_or_else(|e| panic!("{files:?}: {e}\n{text}"));
        assert_eq!(
            (back.nodes, back.pods),
            (cluster.nodes.clone(), cluster.pods.clone()),
            "{files:?}"
        );
        assert_eq!(
            (back.workloads, back.priority_classes),
            (cluster.workloads.clone(), cluster.priority_classes.clone()),
            "{files:?}"
        );
        assert_eq!(back.pod_disruption_budgets, cluster.budgets, "{files:?}");
        assert_eq!(back.timeline, [], "nothing goes wrong before somebody wants it");
        // A note is one text, however long.
        let is_short = |l: &str| l.chars().count() <= 160 || l.starts_with("        \"");
        assert!(text.lines().all(is_short), "{files:?}");

        // Without the slashes there is a fault.
        let begun = text
            .replace("    // timeline: [", "    timeline: [")
            .replace("    // ],", "    ],")
            .replace("    //     ", "        ");
        let back: Scenario = Tree::read(&begun)
            .and_then(|t| t.typed())
            .unwrap_or_else(|e| panic!("{files:?}: {e}\n{begun}"));
        let expected = usize::from(cluster.summary.nodes > 0)
            + usize::from(!cluster.summary.cut_off.is_empty());
        assert_eq!(back.timeline.len(), expected, "{begun}");
    }
}

#[test]
fn the_printed_table_is_refused() {
    let e = super::super::Input::open("tests/exports/healthy-table.txt".as_ref())
        .unwrap_err()
        .to_string();
    assert_eq!(
        e,
        format!(
            "tests/exports/healthy-table.txt is the table that kubectl prints for people, with only a part of each object; \
             use `{} > cluster.json` instead",
            super::super::error::KUBECTL
        )
    );
}

/// Events, an empty list, an audit log, a manifest of a Deployment: none of them is a cluster.
#[test]
fn what_has_neither_nodes_nor_pods_is_no_cluster() {
    let advice =
        format!("; use `{} > cluster.json`, and import that file", super::super::error::KUBECTL);
    let refused = |read: Result<ImportedCluster, super::super::ImportError>| {
        let e =
            read.and_then(ImportedCluster::simulable).map(|c| c.summary).unwrap_err().to_string();
        e.strip_suffix(&advice).unwrap_or_else(|| panic!("{e}")).to_owned()
    };
    let but = "neither nodes nor pods, of which a cluster is made, but";
    let events = ImportedCluster::read(&[export("healthy-events.json.gz")]);
    assert_eq!(refused(events), format!("healthy-events.json.gz: {but} 85 Events"));
    let deployment = ImportedCluster::read(&[export("healthy-deployment-web.yaml.gz")]);
    assert_eq!(refused(deployment), format!("healthy-deployment-web.yaml.gz: {but} 1 Deployment"));
    assert_eq!(
        refused(super::read(r#"{"kind": "List", "items": []}"#)),
        format!("f: {but} no object at all")
    );
    let audit = r#"{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","verb":"get","objectRef":{"resource":"nodes"}}"#;
    assert_eq!(refused(super::read(&format!("{audit}\n{audit}\n"))), format!("f: {but} 2 Events"));
    // Together with a file that has nodes it is one file of several.
    let both =
        ImportedCluster::read(&[export("healthy-events.json.gz"), export("healthy-nodes.json.gz")]);
    assert_eq!(both.unwrap().simulable().unwrap().summary.nodes, 12);
}

/// The six pods of `web` are those of a controller that is not simulated; the owners of all others are.
#[test]
fn pods_of_controllers_that_are_not_simulated_are_told() {
    let mut list: serde_json::Value =
        serde_json::from_str(&export("healthy-all.json.gz").text).unwrap();
    let items = list["items"].as_array_mut().unwrap().iter_mut();
    let is_its =
        |o: &&mut serde_json::Value| o["kind"] == "Pod" && o["metadata"]["labels"]["app"] == "web";
    for pod in items.filter(is_its) {
        pod["metadata"]["ownerReferences"][0]["kind"] = "StrimziPodSet".into();
    }
    let cluster = super::good(&list.to_string());
    let said = "The export: nothing replaces 6 pods here, as their owners are not simulated: StrimziPodSet (6).";
    let notes = cluster.summary.notes();
    assert!(notes.iter().any(|note| note == said), "{notes:#?}");
    let foreign: Vec<_> = cluster.summary.foreign.into_iter().collect();
    assert_eq!(foreign, [("StrimziPodSet".to_owned(), 6)]);
}
