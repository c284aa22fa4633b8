//! What controllers remember of pods that wait, of Jobs and of disruption budgets, from an export
//! to what becomes of it. Expected times are arithmetic on upstream's constants.

use crate::analysis::course::{Course, Happening};
use crate::import::{ImportedCluster, Input};
use crate::kernel::Time;
use crate::lab::{Forecast, Forecasting};
use crate::scenario::{Loaded, Overrides, what_if};
use crate::trace::Note;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The time of the export.
const NOW: &str = "2026-01-01T00:10:00Z";

pub(super) fn node(name: &str, cordoned: bool) -> [Value; 2] {
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
        "spec": {"unschedulable": cordoned}, "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True",
                "lastHeartbeatTime": NOW, "lastTransitionTime": "2026-01-01T00:00:00Z"}]}});
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": name, "namespace": "kube-node-lease"},
        "spec": {"leaseDurationSeconds": 40, "renewTime": "2026-01-01T00:09:58.000000Z"}});
    [node, lease]
}

fn pod(name: &str, status: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "web"},
            "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {}, "status": status})
}

pub(super) fn running(name: &str) -> Value {
    let mut pod = pod(
        name,
        json!({"phase": "Running", "conditions": [{"type": "Ready", "status": "True",
            "lastTransitionTime": "2026-01-01T00:00:00Z"}]}),
    );
    pod["spec"]["nodeName"] = "a".into();
    pod
}

fn owned(mut pod: Value, kind: &str, owner: &str) -> Value {
    pod["metadata"]["ownerReferences"] = json!([{"kind": kind, "name": owner, "controller": true}]);
    pod
}

fn cluster(items: Vec<Value>) -> ImportedCluster {
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let input = Input::from_bytes("export", text.into_bytes()).unwrap();
    ImportedCluster::read(&[input]).unwrap()
}

/// What five seeds have after the export, with a command of somebody at one second.
pub(super) fn courses(items: Vec<Value>, release: &str, command: Option<&str>) -> Vec<Course> {
    let mut loaded = Loaded::of_cluster("forecast", cluster(items), "2m", Vec::new());
    loaded.spec.kubernetes = Some(release.to_owned());
    if let Some(command) = command {
        let entries = what_if(command, &loaded.spec).unwrap();
        loaded.spec.timeline.extend(entries);
    }
    let forecasting = Forecasting {
        loaded: &loaded,
        overrides: Overrides::default(),
        first: 1,
        seeds: 5,
        told_from: None,
    };
    forecasting.courses(2, &|_| true).unwrap()
}

/// The earliest and the latest time at which that happens to any object whose name begins so, in
/// seconds.
pub(super) fn when(courses: &[Course], what: Happening, object: &str) -> (f64, f64) {
    let of_any = |((w, o), _): &(&(Happening, String), &Time)| *w == what && o.starts_with(object);
    let times = || {
        let all = courses.iter().flat_map(|c| &c.happenings);
        all.filter(of_any).map(|(_, at)| at.as_nanos() as f64 / 1e9)
    };
    (times().fold(f64::INFINITY, f64::min), times().fold(0.0, f64::max))
}

/// Two pods failed, the last 5 s before the export: the Job waits 10 s, doubled once, from then on
/// (`DefaultJobPodFailureBackOff`), so that its next pod comes 15 s after the export.
#[test]
fn a_job_backs_off_from_its_last_failure() {
    let failed = |name: &str, at: &str| {
        let status = json!({"phase": "Failed", "containerStatuses":
            [{"state": {"terminated": {"exitCode": 1, "finishedAt": at}}}]});
        let mut pod = owned(pod(name, status), "Job", "sum");
        pod["spec"]["nodeName"] = "a".into();
        pod
    };
    let job = json!({"apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": "sum", "namespace": "shop"},
        "spec": {"parallelism": 1, "completions": 1, "backoffLimit": 6,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"restartPolicy": "Never"}}},
        "status": {"failed": 2, "startTime": "2026-01-01T00:09:00Z"}});
    let mut items = node("a", false).to_vec();
    items.extend([
        job,
        failed("sum-1", "2026-01-01T00:09:30Z"),
        failed("sum-2", "2026-01-01T00:09:55Z"),
    ]);
    let imported = cluster(items.clone());
    let failures = &imported.memory.failures["shop/sum"];
    assert_eq!((failures.least, failures.most), (2, 2));
    assert_eq!(&*failures.until, "-5s");
    let (low, high) = when(&courses(items, "1.34.4", None), Happening::PodCreated, "shop/sum");
    assert!((15.0..15.5).contains(&low) && (15.0..15.5).contains(&high), "{low} to {high}");
}

/// A pod was tried five times, 1 s before the export for the last time: its back-off of 10 s ends
/// 9 s after it, and until then an uncordoned node does not help. In 1.34 an idle scheduler takes
/// pods from the back-off queue at once (`SchedulerPopFromBackoffQ`).
#[test]
fn a_pod_that_waits_backs_off_from_its_last_try() {
    let waits = pod(
        "web-1",
        json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
            "reason": "Unschedulable", "lastTransitionTime": "2026-01-01T00:05:00Z"}]}),
    );
    let event = json!({"apiVersion": "v1", "kind": "Event", "reason": "FailedScheduling",
        "metadata": {"name": "web-1.1", "namespace": "shop"}, "count": 5,
        "involvedObject": {"kind": "Pod", "namespace": "shop", "name": "web-1"},
        "firstTimestamp": "2026-01-01T00:05:00Z", "lastTimestamp": "2026-01-01T00:09:59Z"});
    let items = || {
        let mut items = node("a", true).to_vec();
        items.extend([waits.clone(), event.clone()]);
        items
    };
    let memory = cluster(items()).memory.waiting["shop/web-1"].clone();
    assert_eq!(&*memory.since, "-5m");
    assert_eq!((memory.tries, &*memory.last.unwrap()), (Some(5), "-1s"));
    let bound = |release| {
        let courses = courses(items(), release, Some("kubectl uncordon a"));
        when(&courses, Happening::PodBound, "shop/web-1")
    };
    // The back-off queue is looked at once a second.
    let (low, high) = bound("1.32.13");
    assert!(low >= 9.0 && high < 10.5, "{low} to {high}");
    let (low, high) = bound("1.34.4");
    assert!(low >= 1.0 && high < 1.5, "{low} to {high}");
    // Nobody does anything: it is pending, for the reason that a try would find.
    let left = Forecast::of(&courses(items(), "1.34.4", None)).pending;
    assert_eq!(left.len(), 1);
    assert!(left[0].said.contains("unschedulable"), "{left:?}");
}

/// Three pods are ready, two have to be, and the eviction of one was granted 100 s ago and has not
/// been seen since: for 20 s more it counts as disrupted (`DeletionTimeout`, two minutes), and a
/// drain, which asks every 5 s, waits.
#[test]
fn a_granted_eviction_counts_for_two_minutes() {
    let budget = |status: Value| {
        json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": {"name": "web", "namespace": "shop", "generation": 1},
            "spec": {"minAvailable": 2, "selector": {"matchLabels": {"app": "web"}}}, "status": status})
    };
    let counted = |allowed: i32, disrupted: Value| {
        json!({"observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": 2 + allowed,
            "desiredHealthy": 2, "expectedPods": 3, "disruptedPods": disrupted})
    };
    let first_eviction = |status: Value| {
        let mut items = node("a", false).to_vec();
        items.extend(node("b", false));
        let mut others =
            ["web-1", "web-2", "web-3"].map(|n| owned(running(n), "ReplicaSet", "web"));
        others[0]["spec"]["nodeName"] = "b".into();
        items.extend(others);
        items.extend([replica_set(3), budget(status)]);
        let courses = courses(items, "1.34.4", Some("kubectl drain a"));
        when(&courses, Happening::PodDeleted, "shop/web").0
    };
    let first = first_eviction(counted(1, json!({})));
    assert!((1.0..2.0).contains(&first), "{first}");
    let first = first_eviction(counted(0, json!({"web-1": "2026-01-01T00:08:20Z"})));
    assert!((20.0..26.5).contains(&first), "{first}");
}

/// Of pods of a node that was tainted 100 s ago one tolerates it for 30 s, so that it should have
/// gone 70 s ago: its timer ends in 30 s at the latest. Another tolerates it for 300 s: it is known
/// to go in 200 s. A taint without a time tells nothing: 300 s at the latest. A second after
/// an eviction the controller is at work on those that are overdue.
#[test]
fn timers_that_are_drawn_are_told() {
    let drawn = |evicted: bool| {
        let mut items = Vec::new();
        for (name, added) in [("c", Some("2026-01-01T00:08:20Z")), ("d", None)] {
            let mut both = node(name, false);
            let mut taint = json!({"key": "k", "effect": "NoExecute"});
            if let Some(added) = added {
                taint["timeAdded"] = added.into();
            }
            both[0]["spec"]["taints"] = json!([taint]);
            items.extend(both);
        }
        for (name, node, seconds) in [("late", "c", 30), ("known", "c", 300), ("any", "d", 300)] {
            let mut pod = running(name);
            pod["spec"]["nodeName"] = node.into();
            pod["spec"]["tolerations"] = json!([{"key": "k", "operator": "Exists",
                "effect": "NoExecute", "tolerationSeconds": seconds}]);
            items.push(pod);
        }
        if evicted {
            let mut pod = running("gone");
            pod["spec"]["nodeName"] = "c".into();
            pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:10:29Z".into();
            pod["metadata"]["deletionGracePeriodSeconds"] = 30.into();
            pod["status"]["conditions"] = json!([{"type": "DisruptionTarget", "status": "True",
                "reason": "DeletionByTaintManager", "lastTransitionTime": "2026-01-01T00:09:59Z"}]);
            items.push(pod);
        }
        Forecast::of(&courses(items, "1.34.4", None)).drawn
    };
    let of = |why, pod: &str, most: u32| ((why, pod.to_owned()), most);
    let told = [of(Note::TimerUndated, "shop/any", 300), of(Note::TimerOverdue, "shop/late", 30)];
    assert_eq!(drawn(false), BTreeMap::from(told));
    assert_eq!(drawn(true), BTreeMap::new());
}

/// A timer begins with the first update in which the controller sees both the pod on its node and the
/// taint (`processPodOnNode`: `startTime := now`). Of pods that tolerate a taint of 100 s ago for
/// 150 s, one that was there goes in 50 s, and one that was bound 60 s ago in 90 s, be it by its
/// condition or as it was made for its node. One with a second taint of 90 s ago for 70 s was there with
/// both: 70 s from 60 s ago. Of a taint without a time, and a pod that was bound 20 s ago and tolerates
/// it for 30 s, no more is known than that it goes in 10 s to 30 s.
#[test]
fn a_timer_begins_no_sooner_than_its_pod_is_bound() {
    let taint = |key: &str, added: Option<&str>| {
        let mut taint = json!({"key": key, "effect": "NoExecute"});
        added.into_iter().for_each(|added| taint["timeAdded"] = added.into());
        taint
    };
    let (k, l) = (Some("2026-01-01T00:08:20Z"), Some("2026-01-01T00:08:30Z"));
    let mut items = Vec::new();
    for (name, taints) in [
        ("one", vec![taint("k", k)]),
        ("both", vec![taint("k", k), taint("l", l)]),
        ("undated", vec![taint("k", None)]),
    ] {
        let mut both = node(name, false);
        both[0]["spec"]["taints"] = json!(taints);
        items.extend(both);
    }
    for (name, node, bound, seconds) in [
        ("there", "one", "2026-01-01T00:08:00Z", 150),
        ("later", "one", "2026-01-01T00:09:00Z", 150),
        ("made", "one", "2026-01-01T00:09:00Z", 150),
        ("second", "both", "2026-01-01T00:09:00Z", 150),
        ("any", "undated", "2026-01-01T00:09:40Z", 30),
    ] {
        let mut pod = running(name);
        pod["spec"]["nodeName"] = node.into();
        let for_a_while = |key: &str, seconds: i64| json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds});
        pod["spec"]["tolerations"] = json!([for_a_while("k", seconds), for_a_while("l", 70)]);
        if name == "made" {
            pod["metadata"]["creationTimestamp"] = bound.into();
        } else {
            let scheduled =
                json!({"type": "PodScheduled", "status": "True", "lastTransitionTime": bound});
            pod["status"]["conditions"].as_array_mut().unwrap().push(scheduled);
        }
        items.push(pod);
    }
    let remembered = cluster(items.clone()).memory.bound;
    let bound: Vec<String> =
        remembered.iter().map(|(pod, at)| format!("{pod} {}", &**at)).collect();
    assert_eq!(bound, ["shop/any -20s", "shop/later -1m", "shop/made -1m", "shop/second -1m"]);
    let courses = courses(items, "1.34.4", None);
    for (pod, low, high) in [
        ("there", 50.0, 51.0),
        ("later", 90.0, 91.0),
        ("made", 90.0, 91.0),
        ("second", 10.0, 11.0),
        ("any", 10.0, 30.0),
    ] {
        let (first, last) = when(&courses, Happening::PodDeleted, &format!("shop/{pod}"));
        assert!(low <= first && last < high + 0.5, "{pod}: {first} to {last}");
    }
}

/// A ReplicaSet of so many pods of the label `app: web`.
fn replica_set(replicas: usize) -> Value {
    json!({"apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {}}}})
}

/// Of how many courses that happens to the object.
fn count(courses: &[Course], what: Happening, object: &str) -> usize {
    courses.iter().filter(|c| c.happenings.contains_key(&(what, object.to_owned()))).count()
}

/// The node of a pod is deleted: others have leases, and it has none. The pod garbage collector, whose pass comes every 20 s, has
/// missed it for up to two passes, and deletes the pod 40 s after it first did (`quarantineTime`), which is within a minute. Its
/// successor is made then. Where a lease says that the node is there the pod is left out, and is replaced at once.
#[test]
fn pods_of_a_deleted_node_go_within_a_minute() {
    let items = |more: Option<Value>| {
        let mut items = node("a", false).to_vec();
        let mut pod = owned(running("web-1"), "ReplicaSet", "web");
        pod["spec"]["nodeName"] = "gone".into();
        items.extend([pod, replica_set(1)]);
        items.extend(more);
        items
    };
    let cluster_of = cluster(items(None));
    assert_eq!(cluster_of.summary.deleted, ["gone"]);
    assert!(cluster_of.summary.orphans.is_empty());
    let notes = cluster_of.summary.notes();
    assert!(notes.iter().any(|n| n.starts_with("The export: 1 node deleted, ")), "{notes:?}");
    let all = courses(items(None), "1.34.4", None);
    let (low, high) = when(&all, Happening::PodDeleted, "shop/web-1");
    assert_eq!(count(&all, Happening::PodDeleted, "shop/web-1"), 5);
    assert!(low >= 0.0 && high > low + 1.0 && high < 62.0, "{low} to {high}");
    for course in &all {
        let at = |what| {
            let mut of = course.happenings.iter().filter(|((w, _), _)| *w == what);
            of.next().map(|(_, at)| at.as_nanos() as f64 / 1e9)
        };
        let (deleted, created) = (at(Happening::PodDeleted), at(Happening::PodCreated));
        let later = created.zip(deleted).map(|(c, d)| c - d);
        assert!(later.is_some_and(|l| l.abs() < 1.0), "{deleted:?} and {created:?}");
    }
    let [_, lease] = node("gone", false);
    let cluster = cluster(items(Some(lease)));
    assert!(cluster.summary.deleted.is_empty());
    assert_eq!(cluster.summary.orphans, ["shop/web-1"]);
}

/// Four pods have been Ready for ten minutes, or one of them for 57 s. It goes when three are wanted: the binary logarithm of its age
/// in nanoseconds is 35, that of the others 39 (`ActivePodsWithRanks`, LogarithmicScaleDown).
#[test]
fn the_youngest_pod_goes_when_fewer_are_wanted() {
    for young in ["web-1", "web-2", "web-3", "web-4"] {
        let mut items = vec![replica_set(4)];
        for (on, name) in [("a", "web-1"), ("b", "web-2"), ("c", "web-3"), ("d", "web-4")] {
            items.extend(node(on, false));
            let mut pod = owned(running(name), "ReplicaSet", "web");
            pod["spec"]["nodeName"] = on.into();
            if name == young {
                pod["metadata"]["creationTimestamp"] = "2026-01-01T00:09:00Z".into();
                pod["status"]["conditions"][0]["lastTransitionTime"] =
                    "2026-01-01T00:09:03Z".into();
            }
            items.push(pod);
        }
        let age = cluster(items.clone()).memory.ages[&format!("shop/{young}")].clone();
        assert_eq!((&*age.created, age.started, &*age.ready.unwrap()), ("-1m", None, "-57s"));
        let all = courses(items, "1.34.4", Some("kubectl scale -n shop rs/web --replicas=3"));
        let gone = ["web-1", "web-2", "web-3", "web-4"]
            .map(|pod| count(&all, Happening::PodDeleted, &format!("shop/{pod}")));
        let wanted = ["web-1", "web-2", "web-3", "web-4"].map(|pod| 5 * usize::from(pod == young));
        assert_eq!(gone, wanted, "{young}");
    }
}

/// A pod of a higher priority fits where one of two is preempted: with equal budgets, priorities and numbers it is the one that started
/// last (`pickOneNodeForPreemption`: the latest earliest start time of the most important victims).
#[test]
fn the_pod_that_started_last_is_preempted() {
    let asks = |mut pod: Value, priority: i32| {
        pod["spec"]["priority"] = priority.into();
        pod["spec"]["containers"] =
            json!([{"name": "main", "resources": {"requests": {"cpu": "3"}}}]);
        pod
    };
    for young in ["low-a", "low-b"] {
        let mut items = vec![asks(pod("high", json!({"phase": "Pending"})), 1_000)];
        for (on, name) in [("a", "low-a"), ("b", "low-b")] {
            items.extend(node(on, false));
            let mut low = asks(running(name), 0);
            low["spec"]["nodeName"] = on.into();
            low["status"]["startTime"] = match name == young {
                true => "2026-01-01T00:09:00Z".into(),
                false => "2026-01-01T00:00:01Z".into(),
            };
            items.push(low);
        }
        let all = courses(items, "1.34.4", None);
        for name in ["low-a", "low-b"] {
            let gone = count(&all, Happening::PodDeleted, &format!("shop/{name}"));
            assert_eq!(gone, 5 * usize::from(name == young), "{name}");
        }
    }
}
