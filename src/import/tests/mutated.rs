//! Whatever is done to an export: it is refused with the place, and mostly with the object's name,
//! or the scenario that is written builds.

use super::super::{ImportError, ImportedCluster, Input};
use crate::scenario::{Overrides, build, parse};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

/// Objects of every kind, with every field that is read.
fn every_field() -> Value {
    serde_json::from_str(&std::fs::read_to_string("tests/exports/every-field.json").unwrap())
        .unwrap()
}

/// Nodes with devices, claims on them, and a rule.
fn with_devices() -> Value {
    let text = std::fs::read_to_string("tests/exports/devices.json").unwrap();
    let mut document: Value = serde_json::from_str(&text).unwrap();
    let taint = json!({"key": "ecc", "value": "bad", "effect": "NoExecute", "timeAdded": "2026-11-20T09:59:30Z"});
    document["items"].as_array_mut().unwrap().push(json!({
        "apiVersion": "resource.k8s.io/v1", "kind": "DeviceTaintRule", "metadata": {"name": "broken"},
        "spec": {"deviceSelector": {"pool": "n-1", "driver": "gpu.example.com", "device": "gpu-a"}, "taint": taint},
    }));
    let slice =
        document["items"].as_array_mut().unwrap().iter_mut().find(|o| o["kind"] == "ResourceSlice");
    slice.unwrap()["spec"]["devices"][1]["taints"] = json!([taint]);
    document
}

/// Rules of the node readiness controller, and nodes with what they ask for.
fn with_rules() -> Value {
    serde_json::from_str(&std::fs::read_to_string("tests/exports/readiness.json").unwrap()).unwrap()
}

fn import(document: &Value) -> Result<ImportedCluster, ImportError> {
    let input = Input::from_bytes("f.json", serde_json::to_vec(document).unwrap())?;
    ImportedCluster::read(&[input])
        .and_then(ImportedCluster::simulable)
        .and_then(ImportedCluster::builds)
}

/// The scenario is what `validate` calls fine.
fn check(document: &Value) -> Result<(), String> {
    match import(document) {
        Ok(cluster) => {
            let text = cluster.to_scenario();
            let built = parse("x.ron", text.clone().into_bytes(), Path::new(""))
                .and_then(|l| build(&l, &Overrides::default()));
            built.map(drop).map_err(|p| format!("{p}\n{text}"))
        }
        Err(error) if error.to_string().contains("f.json") => Ok(()),
        Err(error) => Err(format!("no place: {error}")),
    }
}

/// How many values there are in a document, itself among them.
fn size(value: &Value) -> usize {
    1 + match value {
        Value::Array(all) => all.iter().map(size).sum(),
        Value::Object(all) => all.values().map(size).sum(),
        _ => 0,
    }
}

/// Does something to the nth value.
fn edit(value: &mut Value, n: &mut usize, work: &mut dyn FnMut(&mut Value)) -> bool {
    if *n == 0 {
        work(value);
        return true;
    }
    *n -= 1;
    match value {
        Value::Array(all) => all.iter_mut().any(|v| edit(v, n, work)),
        Value::Object(all) => all.values_mut().any(|v| edit(v, n, work)),
        _ => false,
    }
}

/// What stands in the place of something.
fn another() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!("")),
        Just(json!([])),
        Just(json!({})),
        Just(json!(true)),
        prop_oneof![
            Just(0),
            Just(-1),
            Just(1),
            Just(i64::MAX),
            Just(i64::MIN),
            Just(i64::from(i32::MAX))
        ]
        .prop_map(|n| json!(n)),
        prop_oneof![
            Just("In"),
            Just("Exists"),
            Just("default"),
            Just("a"),
            Just("A_b."),
            Just("-1"),
            Just("101%"),
            Just("1e99"),
            Just("2024-02-30T00:00:00Z"),
            Just("a/b/c"),
            Just("{0..9}"),
            Just("\u{1b}[2J\"\n"),
            Just("kubernetes.io/hostname"),
            Just("node.kubernetes.io/not-ready"),
        ]
        .prop_map(|s| json!(s)),
        Just(json!("x".repeat(300))),
    ]
}

#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    /// The first entry, or element, goes.
    Shorten,
    /// The last element comes twice.
    Double,
    /// It has the place of another value.
    Copy(prop::sample::Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => another().prop_map(Change::Replace),
        2 => Just(Change::Shorten),
        1 => Just(Change::Double),
        1 => any::<prop::sample::Index>().prop_map(Change::Copy),
    ]
}

fn apply(document: &mut Value, at: prop::sample::Index, change: &Change) {
    let all = size(document);
    let mut copied = Value::Null;
    if let Change::Copy(from) = change {
        edit(document, &mut from.index(all), &mut |v| copied = v.clone());
    }
    edit(document, &mut at.index(all), &mut |v| match (change, v) {
        (Change::Replace(other), v) => *v = other.clone(),
        (Change::Copy(_), v) => *v = copied.clone(),
        (Change::Shorten, Value::Array(all)) if !all.is_empty() => drop(all.remove(0)),
        (Change::Shorten, Value::Object(all)) => {
            let first = all.keys().next().cloned();
            first.map(|key| all.shift_remove(&key));
        }
        (Change::Double, Value::Array(all)) => all.extend(all.last().cloned()),
        _ => {}
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_mutated_export_is_refused_or_builds(document in prop::sample::select(vec![every_field(), with_devices(), with_rules()]), changes in prop::collection::vec((any::<prop::sample::Index>(), change()), 1..4)) {
        let mut document = document;
        changes.iter().for_each(|(at, change)| apply(&mut document, *at, change));
        prop_assert_eq!(check(&document), Ok(()), "{}", document);
    }
}

#[test]
fn what_only_the_whole_shows_is_said_of_its_object() {
    assert_eq!(check(&every_field()), Ok(()));
    assert_eq!(check(&with_devices()), Ok(()));
    assert_eq!(check(&with_rules()), Ok(()));
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}});
    let pod = |spec: Value| {
        let mut pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "shop", "labels": {"app": "p"}}, "spec": {"nodeName": "n1"}});
        pod["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        pod
    };
    let deployment = |selector: Value| {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"},
            "spec": {"selector": selector, "template": {"metadata": {"labels": {"app": "web"}}, "spec": {}}}})
    };
    let required = |terms: Value| json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}});
    let spread = |skew: i32, key: &str| json!({"topologySpreadConstraints": [{"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "DoNotSchedule"}]});
    for (object, name, said) in [
        (
            deployment(json!({"matchLabels": {"app": "api"}})),
            "Deployment \"shop/web\"",
            "does not match template",
        ),
        (deployment(json!({})), "Deployment \"shop/web\"", "selector"),
        (pod(required(json!([]))), "Pod \"shop/p\"", "must have at least one node selector term"),
        (pod(spread(0, "zone")), "Pod \"shop/p\"", "maxSkew: must be greater than zero"),
        (pod(spread(1, "")), "Pod \"shop/p\"", "topologyKey"),
        (pod(spread(1, "no key")), "Pod \"shop/p\"", "topologyKey"),
    ] {
        let error = import(&json!({"kind": "List", "apiVersion": "v1", "items": [node, object]}))
            .map(|c| c.to_scenario())
            .expect_err(name)
            .to_string();
        assert!(
            error.starts_with("f.json, item 2, ") && error.contains(name) && error.contains(said),
            "{error}"
        );
    }
}
