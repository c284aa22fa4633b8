//! Lines of audit logs, written by hand from upstream's types (`k8s.io/apiserver/pkg/apis/audit/v1:
//! Event`, v1.34) as kubectl's and the controllers' requests leave them at each level, and what
//! they come to.

use super::file::Evidence;
use super::heard::Heard;
use super::statement::Said;
use serde_json::{Value, json};

const CONTROLLER: &str = "system:serviceaccount:kube-system:node-controller";
const KUBELET: &str = "system:node:a-1";

/// A line at that level; the body is there from Request up.
pub(super) fn line(
    at: &str,
    level: &str,
    user: &str,
    verb: &str,
    path: &str,
    body: Value,
) -> Value {
    let mut parts = path.split('/');
    let resource = parts.next().unwrap();
    let rest: Vec<&str> = parts.collect();
    let (namespace, name, subresource) = match (resource, rest.as_slice()) {
        ("nodes", [name]) => (None, *name, None),
        ("nodes", [name, sub]) => (None, *name, Some(*sub)),
        (_, [namespace, name]) => (Some(*namespace), *name, None),
        (_, [namespace, name, sub]) => (Some(*namespace), *name, Some(*sub)),
        _ => panic!("{path}"),
    };
    let mut line = json!({"kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": level,
        "auditID": "5e2d6f1c", "stage": "ResponseComplete",
        "requestURI": format!("/api/v1/{resource}/{name}?fieldManager=kubectl"), "verb": verb,
        "user": {"username": user, "groups": ["system:authenticated"],
            "extra": {"authentication.kubernetes.io/credential-id": ["JTI=secret-token"]}},
        "sourceIPs": ["10.0.0.9"], "userAgent": "kubectl/v1.34.4",
        "objectRef": {"resource": resource, "name": name, "apiVersion": "v1"},
        "responseStatus": {"metadata": {}, "code": 200},
        "requestReceivedTimestamp": at, "stageTimestamp": at,
        "annotations": {"authorization.k8s.io/decision": "allow"}});
    if let Some(namespace) = namespace {
        line["objectRef"]["namespace"] = namespace.into();
    }
    if let Some(sub) = subresource {
        line["objectRef"]["subresource"] = sub.into();
    }
    if level != "Metadata" {
        line["requestObject"] = body;
    }
    if level == "RequestResponse" {
        line["responseObject"] = json!({"kind": "Status", "status": "Success"});
    }
    line
}

pub(super) fn at(s: u32) -> String {
    format!("2026-11-20T04:{:02}:{:02}.250000Z", 40 + s / 60, s % 60)
}

pub(super) fn log(lines: &[Value]) -> Evidence {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    Evidence { file: "audit.log".to_owned(), text: lines.join("\n") }
}

fn said(lines: &[Value]) -> Vec<Said> {
    let heard = Heard::of(&[log(lines)]);
    heard.statements.into_iter().map(|s| s.said).collect()
}

fn one(level: &str, user: &str, verb: &str, path: &str, body: Value) -> Vec<Said> {
    said(&[line(&at(0), level, user, verb, path, body)])
}

fn name(text: &str) -> String {
    text.to_owned()
}

/// `kubectl taint` patches all taints, `kubectl cordon` one field, which `uncordon` takes away:
/// strategic merge patches, in which that is null.
#[test]
fn taints_and_cordons_are_read_from_the_level_request_up() {
    let taint = json!({"spec": {"taints": [{"key": "team", "value": "x", "effect": "NoExecute"}]}});
    for level in ["Request", "RequestResponse"] {
        let is = Said::TaintsAre {
            node: name("b-03"),
            taints: vec![name("team=x:NoExecute")],
            by: name("jane"),
        };
        assert_eq!(one(level, "jane", "patch", "nodes/b-03", taint.clone()), [is]);
        for (value, cordoned) in [(json!(true), true), (json!(null), false), (json!(false), false)]
        {
            let is = Said::Cordoned { node: name("b-03"), cordoned, by: name("jane") };
            let body = json!({"spec": {"unschedulable": value}});
            assert_eq!(one(level, "jane", "patch", "nodes/b-03", body), [is]);
        }
    }
    let none = json!({"spec": {"taints": null}});
    let is = Said::TaintsAre { node: name("b-03"), taints: Vec::new(), by: name("jane") };
    assert_eq!(one("Request", "jane", "patch", "nodes/b-03", none), [is]);
    // Without a body it is known that something was written.
    let is = Said::NodeWritten { node: name("b-03"), by: name("jane") };
    assert_eq!(one("Metadata", "jane", "patch", "nodes/b-03", taint.clone()), [is]);
    // A label is no taint.
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    assert_eq!(one("Request", "jane", "patch", "nodes/b-03", label), []);
    // A program of somebody's is a person; the node lifecycle controller is not.
    let robot = "system:serviceaccount:ops:drainer";
    assert!(matches!(&one("Request", robot, "patch", "nodes/b-03", taint.clone())[..],
        [Said::TaintsAre { by, .. }] if by == robot));
    // Its patch has the taints of others, too, which were there before.
    let mut both = taint;
    let own = json!({"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"});
    both["spec"]["taints"].as_array_mut().unwrap().push(own);
    let taints = vec![name("node.kubernetes.io/unreachable:NoExecute")];
    let is = Said::Tainted { node: name("b-03"), taints };
    assert_eq!(one("Request", CONTROLLER, "patch", "nodes/b-03", both), [is]);
}

/// The API server refuses each of these but the first one.
#[test]
fn taints_that_nobody_can_have_are_left_out() {
    let of = |key: &str, value: &str, effect: &str| json!({"key": key, "value": value, "effect": effect});
    let taints = json!([
        of("team", "x", "NoExecute"),
        json!({}),
        of("team", "", ""),
        of("", "", "NoExecute"),
        of("a b", "", "NoSchedule"),
        of("a", "", "NoExcute"),
        of("team", "y", "NoExecute"),
        of("team", "", "NoSchedule-"),
    ]);
    let body = json!({"spec": {"taints": taints}});
    assert_eq!(
        one("Request", "jane", "patch", "nodes/b-03", body),
        [Said::TaintsAre {
            node: name("b-03"),
            taints: vec![name("team=x:NoExecute")],
            by: name("jane"),
        }]
    );
}

/// At every level: who deletes and who evicts is in the metadata.
#[test]
fn deletions_and_evictions_need_no_body() {
    for level in ["Metadata", "Request", "RequestResponse"] {
        let by = |user: &str, verb: &str, path: &str| one(level, user, verb, path, json!({}));
        let deleted =
            |by: &str| Said::Deleted { pod: name("shop/web-0"), by: name(by), grace: None };
        assert_eq!(by("jane", "delete", "pods/shop/web-0"), [deleted("jane")]);
        assert_eq!(
            by("jane", "create", "pods/shop/web-0/eviction"),
            [deleted("jane through the eviction API")]
        );
        for user in [
            "system:serviceaccount:kube-system:taint-eviction-controller",
            "system:serviceaccount:kube-system:device-taint-eviction-controller",
            CONTROLLER,
            "system:kube-controller-manager",
        ] {
            let is = Said::Evicted { pod: name("shop/web-0") };
            assert_eq!(by(user, "delete", "pods/shop/web-0"), [is], "{user}");
        }
        // What a run does by itself, and what only ends what is over.
        for user in [
            "system:kube-scheduler",
            KUBELET,
            "system:serviceaccount:kube-system:replicaset-controller",
            "system:serviceaccount:kube-system:pod-garbage-collector",
        ] {
            assert_eq!(by(user, "delete", "pods/shop/web-0"), [], "{user}");
        }
        let is = Said::NodeRegistered { node: name("a-1") };
        assert_eq!(by(KUBELET, "create", "nodes/a-1"), [is]);
        let is = Said::NodeDeleted { node: name("b-03"), by: name("jane") };
        assert_eq!(by("jane", "delete", "nodes/b-03"), [is]);
        let is = Said::WorkloadDeleted { workload: name("StatefulSet/shop/db"), by: name("jane") };
        assert_eq!(by("jane", "delete", "statefulsets/shop/db"), [is]);
        let is = Said::NodeHeard { node: name("a-1") };
        assert_eq!(by(KUBELET, "update", "leases/kube-node-lease/a-1"), [is]);
        let is = Said::NodeUnknown { node: name("a-1") };
        assert_eq!(by(CONTROLLER, "patch", "nodes/a-1/status"), [is]);
    }
}

/// Without `--use-service-account-credentials` all controllers are one user; which it was stands at the end of the
/// client's name (`SimpleControllerClientBuilder.Config`).
#[test]
fn controllers_of_one_user_are_told_apart() {
    let by = |controller: &str| {
        let user = "system:kube-controller-manager";
        let mut line = line(&at(0), "Metadata", user, "delete", "pods/shop/web-0", json!({}));
        let agent =
            format!("kube-controller-manager/v1.34.4 (linux/amd64) kubernetes/5d1a07/{controller}");
        line["userAgent"] = agent.into();
        said(&[line])
    };
    assert_eq!(by("node-controller"), [Said::Evicted { pod: name("shop/web-0") }]);
    assert_eq!(by("replicaset-controller"), []);
    assert_eq!(by("pod-garbage-collector"), []);
}

#[test]
fn replicas_kubelets_and_leaders_are_in_bodies() {
    let three = json!({"spec": {"replicas": 3}});
    let is = |by: &str| Said::Scaled {
        workload: name("Deployment/shop/web"),
        replicas: 3,
        by: name(by),
    };
    let scale = "deployments/shop/web/scale";
    assert_eq!(one("Request", "jane", "patch", scale, three.clone()), [is("jane")]);
    // The autoscaler is no part of a run.
    let hpa = "system:serviceaccount:kube-system:horizontal-pod-autoscaler";
    assert_eq!(one("Request", hpa, "update", scale, three.clone()), [is(hpa)]);
    // `kubectl edit` and `kubectl apply` patch the workload itself.
    let whole = "deployments/shop/web";
    assert_eq!(one("Request", "jane", "patch", whole, three.clone()), [is("jane")]);
    assert_eq!(one("Metadata", "jane", "patch", scale, three.clone()), []);
    // A Deployment's own controller scales ReplicaSets, as it does in a run.
    let controller = "system:serviceaccount:kube-system:deployment-controller";
    assert_eq!(one("Request", controller, "update", "replicasets/shop/web-5c", three), []);
    let status =
        |ready: &str| json!({"status": {"conditions": [{"type": "Ready", "status": ready}]}});
    let node = || name("a-1");
    assert_eq!(
        one("Request", KUBELET, "patch", "nodes/a-1/status", status("False")),
        [Said::KubeletNotReady { node: node() }]
    );
    assert_eq!(
        one("Request", KUBELET, "patch", "nodes/a-1/status", status("True")),
        [Said::NodeReady { node: node() }]
    );
    // A leader that takes over acquires its lease; one that leads renews it.
    let lease = "leases/kube-system/kube-controller-manager";
    let acquired = |at: &str| json!({"spec": {"acquireTime": at, "holderIdentity": "cp-2_1"}});
    let manager = "system:kube-controller-manager";
    let is = Said::Leader { component: name("kube-controller-manager") };
    let now = "2026-11-20T04:40:00.100000Z";
    assert_eq!(one("Request", manager, "update", lease, acquired(now)), [is]);
    let long_ago = "2026-11-19T04:40:00.100000Z";
    assert_eq!(one("Request", manager, "update", lease, acquired(long_ago)), []);
    let is = Said::Bound { pod: name("shop/web-1"), node: name("a-1") };
    let body = json!({"target": {"kind": "Node", "name": "a-1"}});
    assert_eq!(
        one("Request", "system:kube-scheduler", "create", "pods/shop/web-1/binding", body),
        [is]
    );
}

/// A request that was refused, a dry run, a stage that is not the last, and reading tell nothing;
/// somebody who asks in another's name is that other.
#[test]
fn what_did_not_happen_tells_nothing() {
    let change = |field: &str, value: Value| {
        let mut line = line(&at(0), "Metadata", "jane", "delete", "pods/shop/web-0", json!({}));
        line[field] = value;
        said(&[line])
    };
    assert_eq!(change("responseStatus", json!({"code": 429})), []);
    assert_eq!(change("stage", json!("RequestReceived")), []);
    assert_eq!(change("requestURI", json!("/api/v1/namespaces/shop/pods/web-0?dryRun=All")), []);
    assert_eq!(change("verb", json!("get")), []);
    assert_eq!(change("stageTimestamp", json!(null)).len(), 1, "when it came is known");
    let by = change("impersonatedUser", json!({"username": "root"}));
    assert!(matches!(&by[..], [Said::Deleted { by, .. }] if by == "root"));
    // A webhook gets lists.
    let of = |s| line(&at(s), "Metadata", "jane", "delete", "pods/shop/web-0", json!({}));
    let list =
        json!({"kind": "EventList", "apiVersion": "audit.k8s.io/v1", "items": [of(0), of(1)]});
    assert_eq!(said(&[list]).len(), 2);
}

#[test]
fn what_is_left_out_is_told() {
    let whole = line(&at(0), "Metadata", "jane", "delete", "pods/shop/web-0", json!({}));
    let unclear = line(&at(1), "Metadata", "jane", "patch", "deployments/shop/web", json!({}));
    let mut log = log(&[whole, unclear]);
    log.text += "\n{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"level\":\"Meta\n";
    log.text += "I1120 04:40:00.000000       1 kubelet.go:186] \"SyncLoop\"\n";
    let heard = Heard::of(&[log]);
    assert_eq!(heard.statements.len(), 1);
    let notes = heard.notes.join("\n");
    for part in [
        "an audit log of 4 lines, of which 1 tells something",
        "1 request of people whose bodies are not in the log, or that are not modelled, left out: patch deployments shop/web by jane",
        "2 lines are no whole line of an audit log, the first of them line 3: left out",
    ] {
        assert!(notes.contains(part), "{part}\n{notes}");
    }
}
