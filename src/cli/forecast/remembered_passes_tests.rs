//! What the node lifecycle and the taint eviction controller remember, from an export to what becomes
//! of it. Expected times are arithmetic on upstream's constants: passes begin 5 s after the end of the
//! one before, a node is given up by the first that has heard nothing of it for more than 50 s, and a
//! zone has one token in 10 s.

use super::remembered_tests::{courses, node, running, when};
use crate::analysis::course::Happening;
use serde_json::{Value, json};

fn at(clock: &str) -> String {
    format!("2026-01-01T00:{clock}Z")
}

/// A node whose lease was last renewed then, and whose status was posted at that second.
fn silent(name: &str, renewed: &str, posted: &str) -> [Value; 2] {
    let [mut object, mut lease] = node(name, false);
    lease["spec"]["renewTime"] = at(renewed).into();
    object["status"]["conditions"][0]["lastHeartbeatTime"] = at(posted).into();
    [object, lease]
}

/// Given up at that second, with the taint that follows at once.
fn unknown(name: &str, since: &str) -> [Value; 2] {
    let [mut object, lease] = silent(name, "09:00.000000", "08:00");
    object["status"]["conditions"][0]["status"] = "Unknown".into();
    object["status"]["conditions"][0]["lastTransitionTime"] = at(since).into();
    object["spec"]["taints"] = json!([{"key": "node.kubernetes.io/unreachable",
        "effect": "NoSchedule", "timeAdded": at(since)}]);
    [object, lease]
}

/// The controller registered a node in a pass at 09:58.
fn passed_at_58() -> Value {
    let ns = 1_767_226_198_000_000_000_i64;
    json!({"apiVersion": "v1", "kind": "Event", "reason": "RegisteredNode",
        "metadata": {"name": format!("a.{ns:x}"), "namespace": "default"}, "count": 1,
        "source": {"component": "node-controller"},
        "involvedObject": {"kind": "Node", "name": "a"},
        "firstTimestamp": at("09:58"), "lastTimestamp": at("09:58")})
}

fn cluster(nodes: &[[Value; 2]]) -> Vec<Value> {
    let healthy = ["a", "b"].map(|n| node(n, false));
    healthy.iter().chain(nodes).flatten().cloned().collect()
}

/// Passes came at 09:23, :28, :33. The first heard of the last renewal of 09:20: ten passes later,
/// at 10:13, which is 13 s after the export and a little, the node is given up. Without the event some
/// pass between 09:20 and 09:25 did.
#[test]
fn an_event_tells_when_passes_come() {
    let silent = [silent("s", "09:20.000000", "05:00")];
    let mut items = cluster(&silent);
    let (low, high) = when(&courses(items.clone(), "1.34.4", None), Happening::NodeUnknown, "s");
    assert!(low >= 10.0 && high <= 15.2 && high - low > 1.0, "{low} to {high}");
    items.push(passed_at_58());
    let (low, high) = when(&courses(items, "1.34.4", None), Happening::NodeUnknown, "s");
    assert!(low >= 13.0 && high < 13.3, "{low} to {high}");
}

/// Up to 1.13 kubelets have no leases (gate NodeLease, off), post their status every 10 s, and have 40 s of grace. The pass of
/// 09:23 was the first to see the status of 09:20, and eight passes later, at 10:03, it is over. One of 09:46 is not late yet.
#[test]
fn statuses_tell_who_is_silent_where_there_are_no_leases() {
    let [late, fresh] = [("s", "09:20"), ("f", "09:46")].map(|(n, at)| silent(n, "09:00", at));
    let mut items = cluster(&[late, fresh]);
    items.retain(|item| item["kind"] == "Node");
    for node in &mut items {
        node["status"]["nodeInfo"]["kubeletVersion"] = "v1.13.12".into();
    }
    items.push(passed_at_58());
    let courses = courses(items, "1.13.12", None);
    let (low, high) = when(&courses, Happening::NodeUnknown, "s");
    assert!(low >= 3.0 && high < 3.3, "{low} to {high}");
    assert_eq!(when(&courses, Happening::NodeUnknown, "f"), (f64::INFINITY, 0.0));
}

/// A leader that took office at 09:51 had its controllers started 1.2 s to 4.5 s later, at 09:52.2 to 09:55.5, and its first
/// pass came then. Ten passes later, 42.2 s to 45.5 s after the export, it gives up a node that has been silent since
/// before; a pod that tolerates a taint of 09:00 for 60 s goes 60 s after the start.
#[test]
fn a_new_leader_counts_from_the_start_of_its_controllers() {
    let mut tainted = node("t", false);
    tainted[0]["spec"]["taints"] =
        json!([{"key": "k", "effect": "NoExecute", "timeAdded": at("09:00")}]);
    let mut items = cluster(&[silent("s", "09:20.000000", "05:00"), tainted]);
    let mut pod = running("p");
    pod["spec"]["nodeName"] = "t".into();
    pod["spec"]["tolerations"] =
        json!([{"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]);
    let lease = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
        "metadata": {"name": "kube-controller-manager", "namespace": "kube-system"},
        "spec": {"leaseDurationSeconds": 15, "acquireTime": at("09:51.000000"),
            "renewTime": at("09:59.500000")}});
    items.extend([pod, lease]);
    let courses = courses(items, "1.34.4", None);
    let (low, high) = when(&courses, Happening::NodeUnknown, "s");
    assert!(low >= 42.2 && high < 45.8 && high - low > 0.5, "{low} to {high}");
    let (low, high) = when(&courses, Happening::PodDeleted, "shop/p");
    assert!(low >= 52.2 && high < 56.0 && high - low > 0.5, "{low} to {high}");
}

/// The status of 09:24 was seen by the pass of 09:28, which made a record without a lease; so that of
/// 09:33 took the lease for renewed (`tryUpdateNodeHealth`), and the pass of 10:23 gives the node up.
#[test]
fn a_status_after_the_last_renewal_counts_two_passes_more() {
    let mut items = cluster(&[silent("s", "09:20.000000", "09:24")]);
    items.push(passed_at_58());
    let (low, high) = when(&courses(items, "1.34.4", None), Happening::NodeUnknown, "s");
    assert!(low >= 23.0 && high < 23.3, "{low} to {high}");
}

/// A node that was given up 4 s ago and has no NoExecute taint found a token for nothing: the next one
/// comes 10 s after it, 6 to 7 s after the export. One of a second ago is tainted at once.
#[test]
fn a_token_that_went_for_nothing_is_missing() {
    let tainted = |since: &str| {
        let courses = courses(cluster(&[unknown("s", since)]), "1.34.4", None);
        when(&courses, Happening::NodeNoExecute, "s")
    };
    let (low, high) = tainted("09:56");
    assert!(low >= 6.0 && high < 7.3, "{low} to {high}");
    let (low, high) = tainted("09:59");
    assert!(high < 0.5, "{low} to {high}");
}

/// Sixty pods were marked in the second of the taint: 61 requests and as many events for a bucket of
/// 30 and 20 a second. The taint may have come up to two seconds later; a pod that tolerated it for
/// 30 s and was evicted 32 s after `timeAdded` says that it came in the second after the next.
#[test]
fn an_eviction_tells_when_a_late_taint_was_seen() {
    let pod = |name: &str, seconds: u32, evicted: bool| {
        let mut conditions = vec![json!({"type": "Ready", "status": "False",
            "lastTransitionTime": at("09:20")})];
        let mut meta = json!({"name": name, "namespace": "shop",
            "creationTimestamp": "2026-01-01T00:00:00Z"});
        if evicted {
            conditions.push(json!({"type": "DisruptionTarget", "status": "True",
                "reason": "DeletionByTaintManager", "lastTransitionTime": at("09:52")}));
            meta["deletionTimestamp"] = at("10:22").into();
            meta["deletionGracePeriodSeconds"] = 30.into();
        }
        let toleration = json!({"key": "node.kubernetes.io/unreachable", "operator": "Exists",
            "effect": "NoExecute", "tolerationSeconds": seconds});
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": meta,
            "spec": {"nodeName": "s", "tolerations": [toleration]},
            "status": {"phase": "Running", "conditions": conditions}})
    };
    let items = |told: bool| {
        let [mut object, lease] = unknown("s", "09:20");
        let taints = object["spec"]["taints"].as_array_mut().unwrap();
        taints.push(json!({"key": "node.kubernetes.io/unreachable", "effect": "NoExecute",
            "timeAdded": at("09:20")}));
        let mut items = cluster(&[[object, lease]]);
        items.extend((0..60).map(|i| pod(&format!("busy-{i}"), 3600, false)));
        items.extend([pod("slow", 60, false), pod("quick", 30, told)]);
        items
    };
    let slow =
        |told| when(&courses(items(told), "1.34.4", None), Happening::PodDeleted, "shop/slow");
    let (low, high) = slow(false);
    assert!(low >= 20.0 && high < 23.5 && high - low > 0.5, "{low} to {high}");
    let (low, high) = slow(true);
    assert!(low >= 22.0 && high < 23.5, "{low} to {high}");
}
