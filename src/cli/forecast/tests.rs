//! Forecasts held against the rest of a run: the state of a run at some moment is written as an
//! export would have it, whole seconds and all, and forecast; then the run itself goes on.

use crate::analysis::Analysis;
use crate::analysis::course::{Course, Happening, Way};
use crate::api::meta::ConditionStatus;
use crate::api::node::NodeConditionType;
use crate::api::pod::PodConditionType;
use crate::api::taint::Taint;
use crate::import::{ImportedCluster, Input, Stamp};
use crate::kernel::{Choices, Dur, Time};
use crate::lab::{Forecast, Forecasting};
use crate::plan::Plan;
use crate::scenario::{self, Loaded, Overrides};
use crate::sim;
use crate::trace::{Note, Trace, What, ZoneState};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// 2026-01-01T00:00:00Z
const BASE_US: i64 = 1_767_225_600_000_000;

/// Zone a loses 12 of its 30 nodes, zone b all of its 8, at 1m; each node has three pods, which
/// tolerate that for 30 s.
const OUTAGE: &str = r#"Scenario(version: 1, horizon: "7m",
    nodes: [(names: "a-{00..29}", zone: "a"), (names: "b-{0..7}", zone: "b"), (names: "c-{0..4}", zone: "c")],
    pods: [(name: "p", count: 129, on: Spread(All), tolerations: [
        (key: "node.kubernetes.io/not-ready", operator: Exists, effect: NoExecute, tolerationSeconds: 30),
        (key: "node.kubernetes.io/unreachable", operator: Exists, effect: NoExecute, tolerationSeconds: 30)])],
    timeline: [(at: "1m", do: Partition(nodes: Nodes(["a-{00..11}", "b-{0..7}"])))])"#;

fn micro(at_us: i64) -> String {
    Stamp(BASE_US + at_us).to_rfc3339()
}

/// A time as objects have it: the second in which it is.
fn second(at: Time) -> String {
    micro(at.as_secs() as i64 * 1_000_000)
}

struct NodeAt {
    ready: (ConditionStatus, Time),
    taints: Vec<(Taint, Time)>,
    silent_from: Option<Time>,
}

/// A node's condition, taints and lease at a moment of the run.
fn node_at(plan: &Plan, trace: &Trace, index: usize, until: Time) -> [Value; 2] {
    let name = &plan.nodes[index].name;
    let id = trace.names.find_node(name);
    let mut node = NodeAt {
        ready: (ConditionStatus::True, Time::ZERO),
        taints: Vec::new(),
        silent_from: None,
    };
    let mut heard: Option<Time> = None;
    for r in trace.iter().filter(|r| r.node().is_some() && r.node() == id) {
        // What the controller says of the last heartbeat when it gives the node up.
        if let What::Noted(Note::LastHeartbeat, ms) = r.what {
            heard =
                heard.or(Some(Time::from_millis(r.at.as_millis().saturating_sub(u64::from(ms)))));
        }
        if r.at > until {
            continue;
        }
        match r.what {
            What::NodeCondition(NodeConditionType::Ready, status, _) => node.ready = (status, r.at),
            What::NodeSilent => node.silent_from = Some(r.at),
            What::NodeTaints(number) => {
                let change = &trace.taints[number as usize];
                node.taints.retain(|(t, _)| !change.removed.iter().any(|o| o.matches(t)));
                node.taints.extend(change.added.iter().map(|t| (t.clone(), r.at)));
            }
            _ => {}
        }
    }
    // A kubelet that lives renewed its lease some time in the last ten seconds.
    let alive_us = until.as_nanos() as i64 / 1_000 - (index as i64 * 733_000) % 10_000_000;
    let renewed_us = match (node.silent_from, heard) {
        (Some(_), Some(at)) => at.as_nanos() as i64 / 1_000,
        (Some(at), None) => at.as_nanos() as i64 / 1_000 - 5_000_000,
        (None, _) => alive_us,
    };
    let taints: Vec<Value> = node
        .taints
        .iter()
        .map(|(t, at)| json!({"key": t.key, "value": t.value, "effect": t.effect.as_str(), "timeAdded": second(*at)}))
        .collect();
    let object = json!({"apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": *plan.nodes[index].labels},
        "spec": {"taints": taints},
        "status": {"nodeInfo": {"kubeletVersion": "v1.34.4"}, "conditions": [{"type": "Ready", "status": node.ready.0.as_str(),
            "lastHeartbeatTime": micro(-200_000_000), "lastTransitionTime": second(node.ready.1)}]}});
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": name, "namespace": "kube-node-lease"},
        "spec": {"leaseDurationSeconds": 40, "renewTime": micro(renewed_us)}});
    [object, lease]
}

/// A pod's conditions and deletion at a moment of the run; none if it is gone.
fn pod_at(plan: &Plan, trace: &Trace, index: usize, until: Time) -> Option<Value> {
    let pod = &plan.pods[index];
    let id = trace.names.find_pod(&pod.name);
    let (mut ready, mut target, mut deletion) = (("True", Time::ZERO), None, None);
    for r in trace.iter().filter(|r| r.pod().is_some() && r.pod() == id && r.at <= until) {
        match r.what {
            What::PodCondition(PodConditionType::Ready, status, _) => {
                ready = (status.as_str(), r.at)
            }
            What::PodCondition(PodConditionType::DisruptionTarget, ..) => target = Some(r.at),
            What::PodDeleting(grace) => deletion = Some((r.at, grace)),
            What::PodGone => return None,
            _ => {}
        }
    }
    let (namespace, name) = pod.name.split_once('/')?;
    let mut meta = json!({"name": name, "namespace": namespace});
    if let Some((at, grace)) = deletion {
        meta["deletionTimestamp"] = second(at + Dur::from_secs(grace.into())).into();
        meta["deletionGracePeriodSeconds"] = grace.into();
    }
    let mut conditions =
        vec![json!({"type": "Ready", "status": ready.0, "lastTransitionTime": second(ready.1)})];
    if let Some(at) = target {
        conditions.push(json!({"type": "DisruptionTarget", "status": "True",
            "reason": "DeletionByTaintManager", "lastTransitionTime": second(at)}));
    }
    let tolerations: Vec<Value> = plan.templates[pod.template as usize]
        .tolerations
        .iter()
        .map(|t| json!({"key": t.key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": t.toleration_seconds}))
        .collect();
    let node = &plan.nodes[pod.node? as usize].name;
    Some(json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta,
        "spec": {"nodeName": node, "tolerations": tolerations},
        "status": {"phase": "Running", "conditions": conditions}}))
}

/// What `kubectl get nodes,pods,leases -A -o json` would have printed then.
fn export_at(plan: &Plan, trace: &Trace, until: Time) -> ImportedCluster {
    let nodes = (0..plan.nodes.len()).flat_map(|i| node_at(plan, trace, i, until));
    let pods = (0..plan.pods.len()).filter_map(|i| pod_at(plan, trace, i, until));
    let manager = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "kube-controller-manager", "namespace": "kube-system"},
        "spec": {"leaseDurationSeconds": 15, "acquireTime": micro(-3_600_000_000),
            "renewTime": micro(until.as_nanos() as i64 / 1_000)}});
    let items: Vec<Value> = nodes.chain(pods).chain([manager]).collect();
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let input = Input::from_bytes("export", text.into_bytes()).unwrap();
    ImportedCluster::read(&[input]).unwrap()
}

/// A lease is renewed within 10 s and 4 %, and the grace period of 1.34 is 50 s: a node that was well cannot be given up before
/// 50 s - 10.4 s.
#[test]
fn a_node_that_was_well_is_not_given_up_before_its_lease_can_be_old() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Typical, horizon: "2m", nodes: [(names: "n-{0..2}", zone: "a")],
        timeline: [(at: "0s", do: Crash(node: "n-0"))])"#;
    let loaded = scenario::parse("run", text.as_bytes().to_vec(), Path::new("")).unwrap();
    let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
    let trace = sim::run(&plan, Choices::seeded(1));
    let course = Course::of(&Analysis::new(&plan, &trace));
    let expected = BTreeMap::from([("n-0".to_owned(), Time::from_millis(39_600))]);
    assert_eq!(course.least, expected);
}

/// One of which the lease is known cannot be given up before 50 s after that: it was renewed 0.5 s before the start.
#[test]
fn a_node_whose_lease_is_known_is_not_given_up_before_that_is_old() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Typical, horizon: "2m", nodes: [(names: "n-{0..2}", zone: "a")],
        memory: (leases: {"n-0": "-0.5s", "n-1": "-9s"}), timeline: [(at: "0s", do: Crash(node: "n-0")), (at: "0s", do: Crash(node: "n-1"))])"#;
    let loaded = scenario::parse("run", text.as_bytes().to_vec(), Path::new("")).unwrap();
    let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
    let trace = sim::run(&plan, Choices::seeded(1));
    let course = Course::of(&Analysis::new(&plan, &trace));
    let of = |(node, ms): (&str, u64)| (node.to_owned(), Time::from_millis(ms));
    let expected = BTreeMap::from([("n-0", 49_500), ("n-1", 41_000)].map(of));
    assert_eq!(course.least, expected);
    let unknown = |node: &String| course.happenings[&(Happening::NodeUnknown, node.clone())];
    assert!(expected.iter().all(|(node, least)| unknown(node) >= *least));
}

/// Four of eight nodes are cut off for five minutes. On the way to FullDisruption their zone may be PartialDisruption for
/// some seconds, and on the way back: those are two times, of which either is on its own side.
#[test]
fn the_states_of_a_zone_on_its_way_back_are_others() {
    let text = r#"Scenario(version: 1, kubernetes: "1.34", timing: Typical, horizon: "10m",
        nodes: [(names: "a-{0..3}", zone: "a"), (names: "b-{0..3}", zone: "b")],
        timeline: [(at: "1m", do: Partition(nodes: Zone("a"), duration: "5m"))])"#;
    let loaded = scenario::parse("run", text.as_bytes().to_vec(), Path::new("")).unwrap();
    let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
    let mut seen = BTreeSet::new();
    for seed in 1..=40 {
        let trace = sim::run(&plan, Choices::seeded(seed));
        let zones = Course::of(&Analysis::new(&plan, &trace)).zones;
        let of = |state, way| {
            let is_it = |(key, _): &(&(String, ZoneState, Way), &Time)| {
                key.0.ends_with('a') && (key.1, key.2) == (state, way)
            };
            zones.iter().find(is_it).map(|(_, at)| *at)
        };
        let full = of(ZoneState::FullDisruption, Way::There).expect("all of it is lost");
        assert!(of(ZoneState::Normal, Way::Back).is_some_and(|at| at > full));
        for (way, is_before) in [(Way::There, true), (Way::Back, false)] {
            let partial = of(ZoneState::PartialDisruption, way);
            assert!(partial.is_none_or(|at| (at < full) == is_before), "{seed}: {zones:?}");
            seen.extend(partial.map(|_| way));
        }
    }
    assert!(!seen.is_empty());
}

/// Runs the outage with that seed, and holds a forecast from its state after so many seconds
/// against the rest of it.
fn check(seed: u64, after_s: u64) -> (usize, usize, Vec<String>) {
    let loaded = scenario::parse("run", OUTAGE.as_bytes().to_vec(), Path::new("")).unwrap();
    let plan = scenario::build(&loaded, &Overrides::default()).unwrap();
    let trace = sim::run(&plan, Choices::seeded(seed));
    let truth = Course::of(&Analysis::new(&plan, &trace));
    let until = Time::from_secs(after_s);
    let cluster = export_at(&plan, &trace, until);
    let zero_us = cluster.summary.time_zero.unwrap().0 - BASE_US;
    let loaded =
        Loaded::of_cluster("forecast", cluster, &format!("{}s", 400 - after_s), Vec::new());
    let forecasting = Forecasting {
        loaded: &loaded,
        overrides: Overrides::default(),
        first: 1000,
        seeds: 20,
        told_from: None,
    };
    let forecast = Forecast::of(&forecasting.courses(2, &|_| true).unwrap());
    let (mut inside, mut all, mut outside) = (0, 0, Vec::new());
    for ((what, object), at) in truth.happenings.iter().filter(|(_, at)| **at > until) {
        let at_us = at.as_nanos() as i64 / 1_000 - zero_us;
        let Some(f) = forecast.happenings.iter().find(|f| f.what == *what && f.object == *object)
        else {
            panic!("seed {seed}, {after_s} s: {what:?} {object} at {at} is not foreseen");
        };
        all += 1;
        let us = |t: Time| t.as_nanos() as i64 / 1_000;
        if (us(f.when.low)..=us(f.when.high)).contains(&at_us) {
            inside += 1;
        } else {
            outside.push(format!(
                "{what:?} {object}: {:.2} s not in {:.2} to {:.2}",
                at_us as f64 / 1e6,
                us(f.when.low) as f64 / 1e6,
                us(f.when.high) as f64 / 1e6
            ));
        }
    }
    let deleted = |all: &mut dyn Iterator<Item = (&Happening, &String)>| -> BTreeSet<String> {
        all.filter(|(what, _)| **what == Happening::PodDeleted)
            .map(|(_, object)| object.clone())
            .collect()
    };
    let mut later = truth.happenings.iter().filter(|(_, at)| **at > until);
    let was = deleted(&mut later.by_ref().map(|((what, object), _)| (what, object)));
    let said = deleted(&mut forecast.happenings.iter().map(|f| (&f.what, &f.object)));
    assert_eq!(said, was, "seed {seed}, {after_s} s");
    (inside, all, outside)
}

/// Before anybody is given up, while a pass gives nodes up, while zones' queues are worked off,
/// and while timers run out: nine in ten of what then happens is inside of the range of the seeds.
#[test]
fn the_rest_of_a_run_is_as_forecast() {
    let (mut inside, mut all, mut outside) = (0, 0, Vec::new());
    let moments = [(1, 90), (2, 108), (3, 116), (4, 140), (5, 170), (6, 220), (7, 104), (8, 112)];
    for (seed, after_s) in moments {
        let (i, n, out) = check(seed, after_s);
        inside += i;
        all += n;
        outside
            .push(format!("seed {seed}, {after_s} s: {i} of {n}, {:?}", &out[..out.len().min(4)]));
    }
    assert!(inside * 10 >= all * 9, "{inside} of {all} inside: {outside:#?}");
}

#[test]
fn commas_in_brackets_are_of_ranges() {
    assert_eq!(super::names("a-{0..3}, s-{2,5},b"), ["a-{0..3}", "s-{2,5}", "b"]);
}
