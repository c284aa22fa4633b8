//! Exports without ReplicaSets: their Deployments have them all the same, and no pods twice.

use super::{export, exports, good};
use crate::language::Workload;
use serde_json::Value;

/// `healthy-all.json.gz` without its ReplicaSets, after each of its pods was changed.
fn without_sets(change: impl Fn(&mut Value)) -> String {
    let mut list: Value = serde_json::from_str(&export("healthy-all.json.gz").text).unwrap();
    let items = list["items"].as_array_mut().unwrap();
    items.retain(|object| object["kind"] != "ReplicaSet");
    items.iter_mut().filter(|object| object["kind"] == "Pod").for_each(change);
    list.to_string()
}

fn by_name(mut all: Vec<Workload>) -> Vec<Workload> {
    all.sort_by_key(|w| (w.group().name.clone(), w.group().deployment.clone()));
    all
}

/// Of the three Deployments each has its one ReplicaSet; what is made is what the API server had printed. Nothing is
/// counted that is not in the file, and the summary says which were made.
#[test]
fn replica_sets_that_were_not_exported_are_made() {
    let whole = by_name(exports(&["healthy-all.json.gz"]).workloads);
    let cluster = good(&without_sets(|_| {}));
    assert_eq!(by_name(cluster.workloads), whole);
    assert_eq!(cluster.summary.ownerless, 0);
    let lines = cluster.summary.lines();
    assert!(!lines[0].contains("ReplicaSet"), "{lines:?}");
    let said = "3 ReplicaSets not in the files, made from the template of the Deployment that its name tells of, for the pods that name it \
                (add `replicasets` to the kubectl command): ml/train-76db657d65, shop/api-7c6dbd6bcd, shop/web-5468c74c4d";
    assert!(lines.iter().any(|l| l == said), "{lines:#?}");
}

/// The same where pods name no owners, as the start of their name is that of their ReplicaSet.
#[test]
fn so_are_those_of_pods_without_owners() {
    let cluster = good(&without_sets(|pod| {
        let metadata = pod["metadata"].as_object_mut().unwrap();
        metadata.retain(|field, _| field != "ownerReferences");
    }));
    assert_eq!(
        by_name(cluster.workloads.clone()),
        by_name(exports(&["healthy-all.json.gz"]).workloads)
    );
    let web = super::pod(&cluster, "shop", "web-5468c74c4d-2bcm8");
    assert_eq!(web.owner.as_ref().map(|o| &*o.name), Some("web-5468c74c4d"));
}

/// In the middle of a rollout pods tell of two ReplicaSets: each has as many replicas as pods. Four of `web`'s six are of
/// another template's hash here. Nothing is made of pods whose hash is not in their owner's name.
#[test]
fn of_several_each_has_its_pods() {
    let other = |pod: &mut Value, hash: &str, set: &str| {
        pod["metadata"]["labels"]["pod-template-hash"] = hash.into();
        pod["metadata"]["ownerReferences"][0]["name"] = set.into();
    };
    let of = std::cell::Cell::new(0);
    let rollout = good(&without_sets(|pod| {
        if pod["metadata"]["labels"]["app"] == "web" && of.replace(of.get() + 1) < 4 {
            other(pod, "abc", "web-abc");
        }
    }));
    let sets = |all: &[Workload]| -> Vec<(String, Option<i32>)> {
        let sets = all.iter().filter(|w| matches!(w, Workload::ReplicaSet(_))).map(Workload::group);
        let web = sets.filter(|g| g.deployment.as_deref() == Some("web"));
        web.map(|g| (g.name.clone().unwrap_or_default(), g.replicas)).collect()
    };
    let expected = [("web-5468c74c4d".to_owned(), Some(2)), ("web-abc".to_owned(), Some(4))];
    assert_eq!(sets(&rollout.workloads), expected);
    let foreign = good(&without_sets(|pod| {
        if pod["metadata"]["labels"]["app"] == "web" {
            other(pod, "abc", "web-xyz");
        }
    }));
    assert_eq!(sets(&foreign.workloads), []);
    assert_eq!(foreign.summary.ownerless, 6);
}

/// Amid a rollout with both of its ReplicaSets in the file, each says of which revision it is, and the Deployment how many
/// pods there may be beyond its own; where there is one set, nothing is said of that.
#[test]
fn a_rollout_is_taken_as_it_stands() {
    let mut list: Value = serde_json::from_str(&export("healthy-all.json.gz").text).unwrap();
    let items = list["items"].as_array_mut().unwrap();
    for object in items.iter_mut().filter(|o| o["metadata"]["name"] == "web") {
        if object["kind"] == "Deployment" {
            object["spec"]["strategy"]["rollingUpdate"]["maxSurge"] = 2.into();
        }
    }
    let is_new = |o: &&Value| o["kind"] == "ReplicaSet" && o["metadata"]["labels"]["app"] == "web";
    let mut newer = items.iter().find(is_new).unwrap().clone();
    newer["metadata"]["name"] = "web-newer".into();
    newer["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = "12".into();
    newer["metadata"]["annotations"]["deployment.kubernetes.io/max-replicas"] = "9".into();
    newer["spec"]["replicas"] = 2.into();
    items.push(newer);
    let cluster = good(&list.to_string());
    let mut of_rollout: Vec<(&str, Option<i64>, Option<String>)> = Vec::new();
    for group in cluster.workloads.iter().map(Workload::group) {
        if group.revision.is_some() || group.max_surge.is_some() {
            let surge = group.max_surge.as_ref().map(ToString::to_string);
            of_rollout.push((group.name.as_deref().unwrap_or_default(), group.revision, surge));
        }
    }
    let newer = cluster.workloads.iter().map(Workload::group);
    let newer: Vec<_> = newer.filter(|g| g.revision == Some(12)).map(|g| g.max_replicas).collect();
    assert_eq!(newer, [Some(9)]);
    let expected = [
        ("web", None, Some("2".to_owned())),
        ("web-5468c74c4d", Some(1), None),
        ("web-newer", Some(12), None),
    ];
    assert_eq!(of_rollout, expected);
}
