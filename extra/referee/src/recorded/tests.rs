//! Plans of recorded scenarios, compared with the recorder's documentation and source.

use super::{PlanError, Recorded, parse, scenario_of};
use taintsim::api::probe::RestartPolicy;
use taintsim::api::quantity::Quantity;
use taintsim::api::taint::{Effect, Taint};
use taintsim::kernel::{Dur, Time};
use taintsim::plan::{
    Connections, Delay, Do, Imitated, KubeletMode, Limits, NodeFault, NodeStart, Plan, PodStart,
    Resource, UserMode,
};

fn recorded(release: &str, fields: &str) -> Recorded {
    let text = format!(
        r#"{{"kubernetes": "{release}", "runs": 1, "distinct": 1, "outcomes": [{{"count": 1, "events": []}}],
            "scenario": {{"name": "s", "horizon": "600s"{fields}}}}}"#
    );
    parse(text.as_bytes()).unwrap().remove(0)
}

fn plan(release: &str, fields: &str) -> Plan {
    recorded(release, fields).plan().unwrap_or_else(|e| panic!("{fields}: {e}"))
}

fn acts(fields: &str) -> Vec<(u64, Do)> {
    plan("v1.34.4", fields).actions.into_iter().map(|a| (a.at.as_millis(), a.act)).collect()
}

const NODES: &str =
    r#", "nodes": [{"name": "n1"}, {"name": "n2"}], "pods": [{"name": "p1", "node": "n1"}]"#;

#[test]
fn an_empty_scenario_has_the_recorders_defaults() {
    let p = plan("v1.34.4", "");
    assert_eq!(p.horizon, Time::from_secs(600));
    assert_eq!(p.controllers_start, Time::ZERO);
    let f = &p.flags;
    assert_eq!(
        (f.node_monitor_period, f.node_startup_grace_period),
        (Dur::from_secs(5), Dur::from_secs(60))
    );
    assert_eq!(
        (f.node_eviction_rate, f.secondary_node_eviction_rate, f.unhealthy_zone_threshold),
        (0.1, 0.01, 0.55)
    );
    assert_eq!(f.large_cluster_size_threshold, 50);
    assert_eq!(
        (f.default_not_ready_toleration_seconds, f.default_unreachable_toleration_seconds),
        (300, 300)
    );
    let constant = |ns| Delay { min: Dur::from_nanos(ns), max: Dur::from_nanos(ns) };
    let t = &p.timing;
    assert_eq!(
        (t.request, t.response, t.watch, t.pass_overhead),
        (constant(0), constant(1), constant(0), Dur::from_micros(1))
    );
    assert_eq!(
        (t.node_lifecycle_client, t.taint_eviction_client, t.user),
        (None, None, UserMode::Raw)
    );
    let second = Dur::from_secs(1);
    let kubelet = Imitated {
        start: second,
        stop: second,
        status_report: Dur::from_secs(300),
        repost_pod_ready: true,
    };
    assert_eq!(t.kubelet, KubeletMode::Imitated(kubelet));
    assert!(p.admission.default_toleration_seconds);
}

#[test]
fn the_grace_period_is_that_of_the_release() {
    for (release, seconds) in [("v1.31.14", 40), ("v1.32.13", 50)] {
        assert_eq!(
            plan(release, "").flags.node_monitor_grace_period,
            Dur::from_secs(seconds),
            "{release}"
        );
        let stated = plan(
            release,
            r#", "flags": {"node-monitor-grace-period": "20s", "node-eviction-rate": 0}"#,
        )
        .flags;
        assert_eq!(
            (stated.node_monitor_grace_period, stated.node_eviction_rate),
            (Dur::from_secs(20), 0.0)
        );
    }
}

#[test]
fn limits_go_by_actor_and_have_client_gos_defaults() {
    let limits = |clients: &str| {
        let t = plan("v1.34.4", &format!(r#", "clients": {clients}"#)).timing;
        (t.node_lifecycle_client, t.taint_eviction_client)
    };
    let of = |qps, burst| Some(Limits { qps, burst });
    assert_eq!(limits(r#"{"*": {"qps": 20, "burst": 30}}"#), (of(20.0, 30), of(20.0, 30)));
    assert_eq!(
        limits(r#"{"*": {"qps": 20, "burst": 30}, "taint-eviction": {"qps": -1}}"#),
        (of(20.0, 30), None)
    );
    // `rest.Config` with zeros: 5 requests per second, burst 10.
    assert_eq!(limits(r#"{"node-lifecycle": {}}"#), (of(5.0, 10), None));
}

#[test]
fn nodes_have_the_recorders_labels_and_offsets() {
    let p = plan(
        "v1.34.4",
        r#", "nodes": [
            {"name": "n1", "region": "r", "zone": "a", "labels": {"x": "y"}, "taints": ["k=v:NoExecute"], "capacity": {"cpu": "8"},
             "lease_offset": "1.3s", "status_offset": "3.7s"},
            {"name": "n2", "silent": true, "unschedulable": true, "lease_period": "20s"}]"#,
    );
    let [n1, n2] = &p.nodes[..] else { panic!("two nodes") };
    let labels: Vec<String> = n1.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    // `objects.go: nodeObject`, sorted.
    let expected = [
        "beta.kubernetes.io/arch=amd64",
        "beta.kubernetes.io/os=linux",
        "failure-domain.beta.kubernetes.io/region=r",
        "failure-domain.beta.kubernetes.io/zone=a",
        "kubernetes.io/arch=amd64",
        "kubernetes.io/hostname=n1",
        "kubernetes.io/os=linux",
        "topology.kubernetes.io/region=r",
        "topology.kubernetes.io/zone=a",
        "x=y",
    ];
    assert_eq!(labels, expected);
    assert_eq!(n1.taints, [Taint { value: "v".into(), ..Taint::new("k", Effect::NoExecute) }]);
    assert_eq!(
        (n1.lease_offset, n1.lease_period, n1.status_offset),
        (Dur::from_millis(1300), Dur::from_secs(10), Dur::from_millis(3700))
    );
    assert_eq!(
        (n1.allocatable["cpu"], n1.allocatable["pods"]),
        (Quantity::from_units(8), Quantity::from_units(110))
    );
    // `kubelet.go: every`: an offset of zero is one period.
    assert_eq!(
        (n2.lease_offset, n2.lease_period, n2.status_offset),
        (Dur::from_secs(20), Dur::from_secs(20), Dur::from_secs(10))
    );
    assert_eq!(
        (&n1.start, &n2.start, n2.unschedulable),
        (&NodeStart::Ready, &NodeStart::Silent, true)
    );
}

#[test]
fn actions_become_primitive_steps() {
    let fields = format!(
        r#"{NODES}, "actions": [
            {{"at": "10s", "do": "cut", "node": "n2", "nodes": ["n1"]}},
            {{"at": "11s", "do": "taint", "node": "n1", "taint": "a=b:NoExecute,c:NoSchedule,a=d:NoExecute"}},
            {{"at": "12s", "do": "untaint", "node": "n1", "taint": "a,c:NoSchedule"}},
            {{"at": "13s", "do": "delete-pod", "pod": "p1", "grace": -5}},
            {{"at": "13s", "do": "delete-pod", "pod": "nobody"}},
            {{"at": "14s", "do": "taint", "node": "nobody", "taint": "a:NoExecute"}},
            {{"at": "15s", "do": "stall-watches", "resource": "pods", "downtime": "5s"}},
            {{"at": "15s", "do": "stall-watches", "resource": "configmaps", "downtime": "5s"}},
            {{"at": "9s", "do": "restart-controllers", "downtime": "2s"}}]"#
    );
    let a = |value: &str| Taint { value: value.into(), ..Taint::new("a", Effect::NoExecute) };
    let acts = acts(&fields);
    assert_eq!(acts[0], (10_000, Do::Fail(vec![1, 0], NodeFault::Cut(Connections::Dropped))));
    let Do::Taint(nodes, edit) = &acts[1].1 else { panic!("{:?}", acts[1]) };
    assert_eq!(
        (nodes, &edit.add),
        (&vec![0], &vec![Taint::new("c", Effect::NoSchedule), a("d")]),
        "the later of two stands, at its place"
    );
    let Do::Taint(_, edit) = &acts[2].1 else { panic!("{:?}", acts[2]) };
    assert_eq!(edit.remove, [("a".into(), None), ("c".into(), Some(Effect::NoSchedule))]);
    assert_eq!(
        acts[3],
        (13_000, Do::DeletePod(0, Some(0))),
        "the recorder takes a negative grace period as zero"
    );
    assert!(
        matches!(&acts[4], (14_000, Do::Taint(nodes, _)) if nodes.is_empty()),
        "a pod or node that never was changes nothing"
    );
    assert_eq!(acts[5], (15_000, Do::StallWatches(Resource::Pods, Dur::from_secs(5))));
    assert_eq!(
        acts[6],
        (15_000, Do::RestartControllers(Dur::from_secs(2))),
        "the recorder works through its list in order"
    );
    assert_eq!(acts.len(), 7);
}

#[test]
fn a_name_means_the_latest_node_or_pod_of_it() {
    let p = plan(
        "v1.34.4",
        &format!(
            r#"{NODES}, "actions": [
                {{"at": "1s", "do": "delete-node", "node": "n1"}},
                {{"at": "2s", "do": "create-node", "spec": {{"name": "n1", "zone": "b"}}}},
                {{"at": "3s", "do": "cut", "node": "n1"}},
                {{"at": "4s", "do": "create-pod", "pod_spec": {{"name": "p1", "node": "later", "grace": 5}}}},
                {{"at": "5s", "do": "create-node", "spec": {{"name": "later"}}}},
                {{"at": "6s", "do": "delete-pod", "pod": "p1"}}]"#
        ),
    );
    let acts: Vec<&Do> = p.actions.iter().map(|a| &a.act).collect();
    assert_eq!(
        acts,
        [
            &Do::DeleteNode(vec![0]),
            &Do::AddNode(2),
            &Do::Fail(vec![2], NodeFault::Cut(Connections::Dropped)),
            &Do::CreatePod(1),
            &Do::AddNode(3),
            &Do::DeletePod(1, None)
        ]
    );
    assert_eq!((p.nodes[2].start.clone(), p.nodes[3].name.as_str()), (NodeStart::Absent, "later"));
    assert_eq!(
        (p.pods[1].node, p.pods[1].start, &*p.pods[1].name),
        (Some(3), PodStart::Absent, "default/p1")
    );
    assert_eq!(p.templates[p.pods[1].template as usize].termination_grace_period_seconds, Some(5));
}

#[test]
fn the_run_lasts_until_its_last_action() {
    let late = format!(r#"{NODES}, "actions": [{{"at": "700s", "do": "cut", "node": "n1"}}]"#);
    assert_eq!(plan("v1.34.4", &late).horizon, Time::from_secs(700));
}

#[test]
fn what_is_not_modelled_is_named() {
    let check = |release, fields, expected: &[&str]| {
        let expected: Vec<String> = expected.iter().map(|s| (*s).to_owned()).collect();
        assert_eq!(
            recorded(release, fields).plan().unwrap_err(),
            PlanError::NotModelled(expected),
            "{fields}"
        );
    };
    check(
        "v1.34.4",
        r#", "controllers": ["node-lifecycle", "taint-eviction", "endpointslice", "cronjob"]"#,
        &["endpointslice", "cronjob"],
    );
    let alone = r#", "controllers": ["node-lifecycle"]"#;
    check("v1.34.4", alone, &["a run without node-lifecycle or taint-eviction"]);
    // Up to 1.28 taint eviction comes with the node lifecycle controller.
    assert!(recorded("v1.27.16", alone).plan().is_ok());
}

#[test]
fn what_cannot_be_is_refused() {
    let check = |fields: &str, reason: &str| {
        let error = recorded("v1.34.4", fields).plan().unwrap_err().to_string();
        assert!(error.contains(reason), "{fields}: {error}");
    };
    check(r#", "nodes": [{"name": ""}]"#, "no name");
    check(r#", "nodes": [{"name": "n", "taints": ["k:NoExcute"]}]"#, "k:NoExcute");
    check(r#", "nodes": [{"name": "n", "taints": ["k"]}]"#, "invalid taint spec");
    check(r#", "nodes": [{"name": "n", "capacity": {"cpu": "many"}}]"#, "cpu");
    check(r#", "nodes": [{"name": "n", "lease_period": "1ns"}]"#, "shorter");
    check(r#", "flags": {"node-monitor-period": "1ns"}"#, "shorter");
    check(r#", "pods": [{"name": "p", "grace": -1}]"#, "grace period of -1 s");
    check(
        r#", "pods": [{"name": "p", "tolerations": [{"operator": "Sometimes"}]}]"#,
        "no operator",
    );
    check(r#", "pods": [{"name": "p", "tolerations": [{"effect": "NoExcute"}]}]"#, "no effect");
    check(r#", "actions": [{"do": "explode"}]"#, "explode");
    check(r#", "actions": [{"do": "cut", "node": "n9"}]"#, "n9");
    check(r#", "actions": [{"do": "condition", "type": "Ready", "status": "Perhaps"}]"#, "Perhaps");
    check(r#", "actions": [{"at": "9000h", "do": "restart-controllers"}]"#, "longer than");
    assert!(recorded("v1.5.0", "").plan().is_err(), "a release without a profile");
}

/// A plan that is said and read again is the same, apart from the labels that the recorder adds to
/// nodes.
#[test]
fn what_is_said_is_read_again() {
    for fields in [
        "",
        r#", "controllers": ["node-lifecycle", "taint-eviction", "replicaset", "disruption", "scheduler"],
            "nodes": [{"name": "n1", "zone": "a", "taints": ["a=b:NoSchedule"], "clock_offset": "-30s"}, {"name": "n2", "silent": true}],
            "pods": [{"name": "p", "node": "n1", "running": true, "grace": 5, "priority": 3, "preemptionPolicy": "Never",
                      "tolerations": [{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": -3}]}],
            "workloads": [{"kind": "ReplicaSet", "name": "web", "replicas": 2, "template": {"requests": {"cpu": "1500m"}}}],
            "budgets": [{"name": "b", "labels": {"app": "web"}, "minAvailable": 1}],
            "actions": [{"at": "1s", "do": "drain", "node": "n1"}, {"at": "2s", "do": "api-outage", "downtime": "3s"},
                        {"at": "2.5s", "do": "taint", "node": "n1", "taint": "x:NoExecute,y=z:NoSchedule"},
                        {"at": "3s", "do": "untaint", "node": "n1", "taint": "x:NoExecute,y"},
                        {"at": "4s", "do": "delete-pod", "pod": "p"}, {"at": "5s", "do": "create-node", "spec": {"name": "n3"}}]"#,
        r#", "controllers": ["node-lifecycle", "taint-eviction", "replicaset", "deployment", "daemonset", "disruption"],
            "flags": {"default-not-ready-toleration-seconds": 20, "default-unreachable-toleration-seconds": 0},
            "nodes": [{"name": "n1"}],
            "workloads": [{"kind": "Deployment", "name": "web", "replicas": 2, "minReadySeconds": 7},
                          {"kind": "ReplicaSet", "name": "web-5d4", "owner": "Deployment/web", "replicas": 2},
                          {"kind": "DaemonSet", "name": "agent"}],
            "pods": [{"name": "web-5d4-0", "node": "n1", "running": true, "owner": "ReplicaSet/web-5d4", "labels": {"app": "web"}},
                     {"name": "agent-n1", "node": "n1", "running": true, "owner": "DaemonSet/agent", "labels": {"app": "agent"}},
                     {"name": "lone", "node": "n1", "running": true, "owner": "StatefulSet/elsewhere"}],
            "budgets": [{"name": "b", "labels": {"app": "web"}, "maxUnavailable": "50%"}],
            "actions": [{"at": "1s", "do": "scale", "workload": "Deployment/web", "replicas": 5},
                        {"at": "2s", "do": "create-workload", "workload_spec": {"kind": "Job", "name": "late", "replicas": 1}},
                        {"at": "3s", "do": "create-budget", "budget": {"name": "late", "labels": {"app": "late"}, "minAvailable": 1}},
                        {"at": "4s", "do": "change-budget", "budget": {"name": "b", "labels": {"app": "web"}, "minAvailable": "30%"}},
                        {"at": "5s", "do": "delete-budget", "budget": {"name": "b", "labels": {"app": "web"}, "maxUnavailable": "50%"}}]"#,
        r#", "flags": {"pod-eviction-timeout": "90s", "enable-taint-manager": false, "terminated-pod-gc-threshold": 3},
            "admission": ["PodTolerationRestriction", "ExtendedResourceToleration"],
            "namespaces": {"shop": {"defaultTolerations": [{"key": "k", "operator": "Exists"}], "tolerationsWhitelist": []}},
            "nodes": [{"name": "n1"}],
            "workloads": [{"kind": "StatefulSet", "name": "db", "namespace": "shop", "replicas": 2, "spec": {"minReadySeconds": 4, "ordinals": {"start": 7}},
                           "selector": {"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "NotIn", "values": ["d"]}]},
                           "template": {"labels": {"a": "b"}, "annotations": {"controller.kubernetes.io/pod-deletion-cost": "-5"}, "spec": {
                               "affinity": {"nodeAffinity": {
                                   "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
                                       {"matchExpressions": [{"key": "cores", "operator": "Gt", "values": ["8"]}],
                                        "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n1"]}]}]},
                                   "preferredDuringSchedulingIgnoredDuringExecution": [
                                       {"weight": 3, "preference": {"matchExpressions": [{"key": "ssd", "operator": "Exists"}]}}]},
                                  "podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
                                      {"weight": 9, "podAffinityTerm": {"namespaces": ["x"], "topologyKey": "zone"}}]},
                                  "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                                      {"labelSelector": {"matchLabels": {"a": "b"}}, "namespaceSelector": {}, "topologyKey": "host"}]}},
                               "topologySpreadConstraints": [{"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 3,
                                   "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor", "matchLabelKeys": ["hash"]}],
                               "schedulingGates": [{"name": "g"}], "priorityClassName": "high", "volumes": [{"name": "v", "emptyDir": {}}],
                               "containers": [{"name": "a", "image": "i", "resources": {"requests": {"cpu": "100m"}},
                                               "ports": [{"containerPort": 80, "hostPort": 80, "protocol": "UDP", "hostIP": "10.0.0.1"}]},
                                              {"name": "b", "image": "i", "resources": {"requests": {"cpu": "50m", "memory": "1Gi"}}}]}}},
                          {"kind": "Job", "name": "j", "replicas": 2, "template": {"spec": {"restartPolicy": "OnFailure"}}, "spec": {"completions": null,
                           "backoffLimit": 2, "podReplacementPolicy": "Failed", "podFailurePolicy": {"rules": [
                               {"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}}}],
            "budgets": [{"name": "b", "namespace": "shop", "selector": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}, "minAvailable": 1}],
            "actions": [{"at": "1s", "do": "crash", "node": "n1"}, {"at": "2s", "do": "cut", "node": "n1"}, {"at": "3s", "do": "boot", "node": "n1"},
                        {"at": "4s", "do": "taint", "node": "n1", "taint": "a:NoExecute", "untaint": "b"},
                        {"at": "5s", "do": "lag-watches", "resource": "pods", "lag": "3s"},
                        {"at": "6s", "do": "scale", "namespace": "shop", "workload": "StatefulSet/db", "replicas": 5},
                        {"at": "7s", "do": "drain", "node": "n1", "drain": {"delete-emptydir-data": false, "skip-wait-for-delete-timeout": 9}},
                        {"at": "8s", "do": "slow-heartbeats", "node": "n1", "period": "45s"}, {"at": "9s", "do": "slow-heartbeats", "node": "n1"}]"#,
    ] {
        is_said_and_read_again(fields);
    }
}

/// The same of what is not of every scenario: a scheduler's configuration, a cloud, static pods, a
/// maintenance, and a cluster as an export shows it.
#[test]
fn what_few_have_is_said_and_read_again() {
    is_said_and_read_again(
        r#", "controllers": ["node-lifecycle", "taint-eviction", "scheduler", "cloud"],
            "scheduler": {"percentageOfNodesToScore": 70, "scoringStrategy": "MostAllocated", "preemption": false},
            "nodes": [{"name": "n1", "lease_renewed": "-8.5s", "cut": true, "conditions": [
                          {"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "heartbeat": "-90s", "transition": "-40s"}]},
                      {"name": "n2", "conditions": []}, {"name": "n3", "silent": true}],
            "pods": [{"name": "file", "node": "n1", "static": "file"}, {"name": "url", "node": "n1", "static": "url", "running": true},
                     {"name": "ending", "node": "n1", "phase": "Running", "deletion": {"at": "12s", "grace": 30}, "conditions": [
                         {"type": "Ready", "status": "False", "reason": "", "transition": "-40s"},
                         {"type": "DisruptionTarget", "status": "True", "reason": "DeletionByTaintManager", "transition": "-18s"}]},
                     {"name": "over", "node": "n2", "phase": "Failed"}],
            "actions": [{"at": "1s", "do": "instance", "nodes": ["n1", "n2"], "state": "shut-down"}, {"at": "2s", "do": "instance", "node": "n1", "state": "gone"},
                        {"at": "3s", "do": "instance", "node": "n1", "state": "running"},
                        {"at": "4s", "do": "maintain", "nodes": ["n1", "n2"], "at-a-time": 2, "off": "90s", "uncordon": false, "if-not-drained": "go-on",
                         "drain": {"timeout": "30s", "force": true}},
                        {"at": "5s", "do": "maintain", "node": "n2", "off": "1s", "if-not-drained": "skip"}]"#,
    );
}

/// And of claims on devices: one request or several, alternatives, all devices of a node, and one that is shared.
#[test]
fn claims_on_devices_are_said_and_read_again() {
    is_said_and_read_again(
        r#", "resourceClaims": [{"name": "both", "requests": [{"driver": "gpu", "count": 2}, {"driver": "nic", "allocationMode": "All"}]}],
            "nodes": [{"name": "n1", "devices": [{"driver": "gpu", "names": ["gpu-0", "gpu-1"]}, {"driver": "nic", "names": ["nic-0"]}]}],
            "workloads": [{"kind": "ReplicaSet", "name": "web", "replicas": 1, "template": {"deviceClaims": [
                {"resourceClaimName": "both"}, {"driver": "gpu", "tolerations": [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9}]},
                {"requests": [{"firstAvailable": [{"driver": "gpu", "count": 4}, {"driver": "nic"}]}, {"driver": "gpu"}]}]}}]"#,
    );
}

fn is_said_and_read_again(fields: &str) {
    let first = plan("v1.34.4", fields);
    let text = scenario_of(&first).unwrap_or_else(|missing| panic!("{fields}: {missing:?}"));
    let file = format!(
        r#"{{"kubernetes": "v1.34.4", "runs": 1, "outcomes": [{{"count": 1, "events": []}}], "scenario": {text}}}"#
    );
    let again = parse(file.as_bytes()).unwrap().remove(0).plan().unwrap();
    assert_eq!(first.actions, again.actions, "{fields}");
    assert_eq!(first.timing, again.timing, "{fields}");
    assert_eq!(first.flags, again.flags, "{fields}");
    assert_eq!(first.controllers, again.controllers, "{fields}");
    assert_eq!(first.templates, again.templates, "{fields}");
    assert_eq!(first.admission, again.admission, "{fields}");
    assert_eq!(first.namespaces, again.namespaces, "{fields}");
    assert_eq!(first.scheduler, again.scheduler, "{fields}");
    let debug = |p: &Plan| format!("{:?} {:?} {:?}", p.pods, p.workloads, p.budgets);
    assert_eq!(debug(&first), debug(&again), "{fields}");
    let nodes = |p: &Plan| -> Vec<String> {
        p.nodes.iter().map(|n| format!("{:?}", (&n.name, &n.taints, &n.start))).collect()
    };
    assert_eq!(nodes(&first), nodes(&again), "{fields}");
}

#[test]
fn what_the_recorder_cannot_say_is_named() {
    let crash = r#", "actions": [{"at": "1s", "do": "crash", "node": "n1"}]"#;
    let mut p = plan("v1.34.4", &format!("{NODES}{crash}"));
    p.timing.user = UserMode::Kubectl;
    let kubectl = "a user who writes with kubectl (`timing: Ideal`)";
    assert_eq!(scenario_of(&p).unwrap_err(), [kubectl]);
    p.templates[0].restart_policy = RestartPolicy::Never;
    let ends = "pods that end with their machine (restartPolicy Never)";
    assert_eq!(scenario_of(&p).unwrap_err(), [kubectl, ends]);
    p.actions[0].act = Do::Fail(vec![0], NodeFault::NoKubelet);
    let restarts = "kubelets that restart, which imitated ones do not";
    assert_eq!(scenario_of(&p).unwrap_err(), [kubectl, restarts]);
}

#[test]
fn words_that_the_recorder_does_not_have_are_refused() {
    for (fields, why) in [
        (
            r#", "scheduler": {"scoringStrategy": "Best"}"#,
            "LeastAllocated or MostAllocated, not \"Best\"",
        ),
        (r#", "pods": [{"name": "p", "static": "web"}]"#, "a file or a url, not \"web\""),
        (r#", "pods": [{"name": "p", "phase": "Gone"}]"#, "\"Gone\" is no phase of a pod"),
        (
            r#", "nodes": [{"name": "n", "conditions": [{"type": "Ready", "status": "Maybe"}]}]"#,
            "\"Maybe\" is no status of a condition",
        ),
        (
            r#", "actions": [{"at": "1s", "do": "instance", "node": "n1", "state": "off"}]"#,
            "running, shut-down or gone, not \"off\"",
        ),
        (
            r#", "actions": [{"at": "1s", "do": "maintain", "node": "n1", "off": "0s"}]"#,
            "off for 1s at least",
        ),
        (
            r#", "actions": [{"at": "1s", "do": "maintain", "node": "n1", "off": "9s", "if-not-drained": "wait"}]"#,
            "goes on (go-on), not \"wait\"",
        ),
    ] {
        let nodes = r#", "nodes": [{"name": "n1"}]"#;
        let fields =
            if fields.contains("nodes") { fields.to_owned() } else { format!("{nodes}{fields}") };
        let said = recorded("v1.34.4", &fields).plan().unwrap_err().to_string();
        assert!(said.contains(why), "{said}");
    }
}

/// Of two containers the requests count together; what the recorder's fields have beside them does not.
#[test]
fn the_rest_of_a_spec_is_read_as_the_api_has_it() {
    let p = plan(
        "v1.34.4",
        r#", "pods": [{"name": "p", "spec": {"containers": [
                {"name": "a", "resources": {"requests": {"cpu": "1500m"}}, "ports": [{"containerPort": 1}, {"containerPort": 2, "hostPort": 2}]},
                {"name": "b", "resources": {"requests": {"cpu": "500m"}}}],
            "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]}}]"#,
    );
    let template = &p.templates[0];
    assert_eq!(template.requests["cpu"], Quantity::from_units(2));
    let scheduling = template.scheduling.as_ref().expect("a port and a spread");
    let ports: Vec<_> =
        scheduling.host_ports.iter().map(|p| (p.port, p.protocol.as_str())).collect();
    assert_eq!(
        ports,
        [(2, "TCP")],
        "the default of `protocol`; a port without hostPort takes none"
    );
    // `nodeAffinityPolicy` is Honor and `nodeTaintsPolicy` Ignore where they are not given.
    let spread = &scheduling.topology_spread[0];
    assert!(!spread.hard && spread.honor_affinity && !spread.honor_taints);
    assert_eq!(scheduling.container_requests.len(), 2);
}

#[test]
fn kubelets_with_loops_of_their_own_begin_at_their_nodes_offsets_and_are_refused() {
    let fields = r#", "kubelets": "upstream", "kubelet": {"start": "3s", "stop": "2s"},
        "nodes": [{"name": "n1", "lease_offset": "4s"}],
        "actions": [{"at": "9s", "do": "cut", "node": "n1"}, {"at": "20s", "do": "crash", "node": "n1"},
                    {"at": "30s", "do": "boot", "node": "n1"}]"#;
    let p = plan("v1.34.4", fields);
    let KubeletMode::Real(real) = p.timing.kubelet else { panic!("{:?}", p.timing.kubelet) };
    let s = Dur::from_secs;
    assert_eq!((real.pod_start, real.pod_stop, real.boot), (s(3), s(2), Dur::ZERO));
    assert_eq!(real.node_status_report_frequency, s(300));
    assert!(real.recorded);
    // An offset that is not given is anywhere in the period.
    assert_eq!((p.nodes[0].lease_offset, p.nodes[0].status_offset), (s(4), Dur::ZERO));
    let acts: Vec<Do> = p.actions.into_iter().map(|a| a.act).collect();
    assert_eq!(
        acts,
        [
            Do::Fail(vec![0], NodeFault::Cut(Connections::Refused)),
            Do::Fail(vec![0], NodeFault::Off),
            Do::Recover(vec![0], NodeFault::Off)
        ]
    );
    let of = |fields: &str| recorded("v1.34.4", fields).plan().unwrap_err().to_string();
    assert!(of(r#", "kubelets": "own""#).contains("imitated or upstream, not \"own\""));
}
