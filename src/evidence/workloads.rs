//! Workloads of which an export has the pods alone, as `kubectl get nodes,pods` leaves them: made of
//! their pods, so that what is evicted is replaced as it was.

use super::cluster::LABEL;
use crate::evidence::prelude::*;
use serde_json::Map;

/// The kinds whose controllers replace a pod elsewhere, or under its own name.
const KINDS: [&str; 2] = ["ReplicaSet", "StatefulSet"];

/// More pods of a StatefulSet are not taken to be elsewhere.
const MISSING_MAX: usize = 1_000;

/// Adds the workloads of the pods among these objects that have none, and says so. Of a kind of
/// which there are objects nothing is made: a workload that is not among them is gone.
pub(super) fn of_pods(all: &mut Vec<Value>, notes: &mut Vec<String>) {
    let exported = |kind: &str| {
        let mut of_kind = all.iter().filter(|o| o["kind"] == kind);
        of_kind.any(|o| o["spec"]["selector"]["matchLabels"][LABEL].is_null())
    };
    let kinds: BTreeSet<&str> = KINDS.into_iter().filter(|kind| !exported(kind)).collect();
    let mut pods: BTreeMap<(String, String), Vec<&Value>> = BTreeMap::new();
    let lives = |o: &&Value| o["kind"] == "Pod" && o["metadata"]["deletionTimestamp"].is_null();
    for pod in all.iter().filter(lives) {
        if let Some((kind, name)) = owner(pod).filter(|(kind, _)| kinds.contains(kind)) {
            let full = full_name(pod);
            let namespace = full.split('/').next().unwrap_or_default();
            pods.entry((kind.to_owned(), format!("{namespace}/{name}"))).or_default().push(pod);
        }
    }
    let made = pods.into_iter().filter_map(|(key, pods)| {
        let object = workload(&key.0, &key.1, &pods)?;
        Some((key, object))
    });
    let made: Vec<((String, String), Value)> = made.collect();
    let mut added = 0;
    for ((kind, name), object) in made {
        let known = all.iter_mut().find(|o| o["kind"] == *kind && full_name(o) == name);
        match known {
            // One that events alone told of was made of the pods that are gone.
            Some(known) => known["spec"]["replicas"] = object["spec"]["replicas"].clone(),
            None => {
                all.push(object);
                added += 1;
            }
        }
    }
    if added > 0 {
        notes.push(format!(
            "{} in no export: made of {} pods, so that these are replaced",
            are(added, "workload"),
            form(added, "its", "their")
        ));
    }
}

/// The kind and name of a pod's controller.
fn owner(pod: &Value) -> Option<(&str, &str)> {
    let owners = pod["metadata"]["ownerReferences"].as_array()?;
    let owner = owners.iter().find(|o| o["controller"] == true)?;
    Some((owner["kind"].as_str()?, owner["name"].as_str()?))
}

/// How many replicas a workload with these pods has. Of a StatefulSet some may be on nodes that are
/// not known: it has as many as the highest number says, or it would delete that pod.
fn replicas(kind: &str, pods: &[&Value]) -> usize {
    let number = |pod: &&Value| {
        usize::try_from(parent_and_ordinal(pod["metadata"]["name"].as_str()?)?.1).ok()
    };
    let highest = pods.iter().filter_map(number).max();
    match highest.filter(|_| kind == "StatefulSet") {
        Some(highest) => highest.saturating_add(1).min(pods.len() + MISSING_MAX),
        None => pods.len(),
    }
}

/// A workload whose pods these are: as many, with the labels that all of them have, and made like
/// the first of them.
fn workload(kind: &str, full: &str, pods: &[&Value]) -> Option<Value> {
    let (namespace, name) = full.split_once('/')?;
    let first = pods.first()?;
    let labels = first["metadata"]["labels"].as_object()?;
    let mut common: Map<String, Value> = labels.clone();
    common.retain(|key, value| {
        pods.iter().all(|pod| pod["metadata"]["labels"][key.as_str()] == *value)
            && !key.starts_with("statefulset.kubernetes.io/")
            && key != "apps.kubernetes.io/pod-index"
    });
    let mut spec = first["spec"].as_object().cloned().unwrap_or_default();
    // What admission and the scheduler give each pod anew.
    for field in ["nodeName", "priority", "preemptionPolicy", "hostname"] {
        spec.remove(field);
    }
    (!common.is_empty()).then(|| {
        json!({"apiVersion": "apps/v1", "kind": kind,
            "metadata": {"name": name, "namespace": namespace},
            "spec": {"replicas": replicas(kind, pods), "selector": {"matchLabels": common},
                "template": {"metadata": {"labels": common}, "spec": spec}}})
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str, index: &str) -> Value {
        json!({"kind": "Pod", "metadata": {"name": name, "namespace": "shop",
                "labels": {"app": "db", "apps.kubernetes.io/pod-index": index},
                "ownerReferences": [{"kind": "StatefulSet", "name": "db", "controller": true}]},
            "spec": {"nodeName": "a", "tolerations": [{"operator": "Exists"}]}})
    }

    /// The pod with the number 4 is the fifth, wherever the others are. Of a ReplicaSet the last part of
    /// a name tells nothing.
    #[test]
    fn a_stateful_set_has_as_many_as_its_highest_number_says() {
        let pod = pod("db-4", "4");
        assert_eq!(replicas("StatefulSet", &[&pod]), 5);
        assert_eq!(replicas("ReplicaSet", &[&pod]), 1);
    }

    /// Two pods of a StatefulSet: two replicas, with the label that both have and what they tolerate,
    /// on no node.
    #[test]
    fn a_workload_is_made_of_its_pods() {
        let (mut all, mut notes) = (vec![pod("db-0", "0"), pod("db-1", "1")], Vec::new());
        of_pods(&mut all, &mut notes);
        let made = json!({"apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": {"name": "db", "namespace": "shop"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "db"}},
                "template": {"metadata": {"labels": {"app": "db"}},
                    "spec": {"tolerations": [{"operator": "Exists"}]}}}});
        assert_eq!(all[2..], [made]);
        assert!(notes[0].starts_with("1 workload is in no export: made of its pods"));
        // A StatefulSet among the objects: one that is not is gone.
        let other = json!({"kind": "StatefulSet", "metadata": {"name": "x", "namespace": "shop"},
            "spec": {"selector": {"matchLabels": {"app": "x"}}}});
        let mut all = vec![pod("db-0", "0"), other];
        of_pods(&mut all, &mut notes);
        assert_eq!(all.len(), 2);
    }
}
