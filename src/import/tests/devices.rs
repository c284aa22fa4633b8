//! Devices, claims on them and rules: what becomes of them, and what is said of the others.

use super::{ImportedCluster, error, export, exports, good, node, pod};
use crate::language::{AllocationMode, DeviceClaim, Toleration};
use crate::scenario::{Overrides, build, parse};
use serde_json::Value;
use std::path::Path;

const FILE: &str = "devices.json";

/// The export with one text in place of another.
fn with(changes: &[(&str, &str)]) -> ImportedCluster {
    good(&changed(changes))
}

fn changed(changes: &[(&str, &str)]) -> String {
    let mut text = export(FILE).text;
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    text
}

/// The export and one more object, in YAML.
fn and(object: &str) -> ImportedCluster {
    good(&format!("{}---\n{object}", yaml()))
}

/// JSON is YAML, if it does not begin as JSON does.
fn yaml() -> String {
    format!("# as YAML\n---\n{}", export(FILE).text)
}

fn rule(spec: &str) -> String {
    format!(
        "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {{name: broken}}\nspec: {spec}\n"
    )
}

/// Whether a line of the summary is that.
#[track_caller]
fn says(cluster: &ImportedCluster, line: &str) {
    let lines = cluster.summary.lines();
    assert!(lines.iter().any(|l| l.contains(line)), "{line}: {lines:#?}");
}

/// Each node has two devices, in a pool that is named as the node; `train` claims one for each pod, which has
/// the one that its claim says; and new pods claim what the template of the claims says.
#[test]
fn pods_have_the_devices_of_their_claims() {
    let cluster = exports(&[FILE]);
    let claim = DeviceClaim {
        tolerations: vec![Toleration {
            key: "ecc".to_owned(),
            operator: Some(crate::api::toleration::Operator::Exists),
            effect: Some(crate::api::taint::Effect::NoExecute),
            toleration_seconds: Some(60),
            ..Toleration::default()
        }],
        ..DeviceClaim::default()
    };
    for (name, has) in [("a", "gpu-b"), ("b", "gpu-a"), ("c", "gpu-a"), ("d", "gpu-a")] {
        let pod = pod(&cluster, "ml", &format!("train-7c9-{name}"));
        assert_eq!(
            (&*pod.devices, &*pod.resource_claims),
            (&[has.to_owned()][..], &[claim.clone()][..])
        );
    }
    for workload in &cluster.workloads {
        assert_eq!(workload.group().template.resource_claims, std::slice::from_ref(&claim));
    }
    let devices = &node(&cluster, "n-2").devices;
    assert_eq!(devices.len(), 1);
    assert_eq!(devices[0].names.texts(), ["gpu-a", "gpu-b"]);
    assert_eq!((&devices[0].driver, &devices[0].pool), (&None, &None));
    assert_eq!(cluster.summary.pod_fields.get("resourceClaims"), None);
    says(
        &cluster,
        "1 Deployment, 1 DeviceClass, 1 ReplicaSet, 4 ResourceClaims, 1 ResourceClaimTemplate, 3 ResourceSlices",
    );
    // What is written is a scenario, in which the pods have these devices.
    let loaded = parse("x.ron", cluster.to_scenario().into_bytes(), Path::new(".")).unwrap();
    let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
    let first = plan.pods.iter().find(|p| &*p.name == "ml/train-7c9-a").unwrap();
    assert_eq!(first.devices.as_deref(), Some(&["gpu-b".to_owned()][..]));
    assert!(plan.controllers.device_taint_eviction && plan.controllers.resource_claim);
}

/// Without the template what was made from it tells what it asks for.
#[test]
fn claims_tell_of_their_template() {
    let cluster = with(&[("\"kind\": \"ResourceClaimTemplate\"", "\"kind\": \"Secret\"")]);
    assert_eq!(cluster.workloads[0].group().template.resource_claims.len(), 1);
}

/// The taint of a driver, of 10 s before the newest heartbeat; that with the effect None is there to be read.
#[test]
fn what_drivers_publish_is_there_from_the_start() {
    let taints = r#""taints": [{"key": "ecc", "value": "bad", "effect": "NoExecute", "timeAdded": "2026-11-20T09:59:50Z"},
        {"key": "hot", "effect": "None"}], "name": "gpu-a""#;
    let text = changed(&[]);
    let at = text.find("\"index\": {").unwrap();
    let (head, tail) = text.split_at(at);
    let cluster = good(&format!("{head}{}", tail.replacen("\"name\": \"gpu-a\"", taints, 1)));
    let devices = &node(&cluster, "n-1").devices;
    let alike: Vec<_> =
        devices.iter().map(|d| (d.names.texts().to_vec(), d.taints.clone())).collect();
    let text = |t: &str| vec![t.to_owned()];
    assert_eq!(alike, [(text("gpu-a"), text("ecc=bad:NoExecute")), (text("gpu-b"), vec![])]);
    assert_eq!(&*devices[0].taints_added["ecc:NoExecute"], "-10s");
}

/// Rules come with the time of their taint, 30 s before; one that selects nothing that is there is said, and one
/// without a selector selects nothing.
#[test]
fn rules_are_there_from_the_start() {
    let taint =
        "taint: {key: ecc, value: bad, effect: NoExecute, timeAdded: \"2026-11-20T09:59:30Z\"}";
    let cluster = and(&rule(&format!("{{deviceSelector: {{pool: n-1}}, {taint}}}")));
    let [only] = &*cluster.device_taint_rules else { panic!("{:?}", cluster.device_taint_rules) };
    assert_eq!((&*only.name, &*only.taint), ("broken", "ecc=bad:NoExecute"));
    assert_eq!(only.added.as_deref(), Some("-30s"));
    let all = and(&rule(&format!("{{deviceSelector: {{}}, {taint}}}")));
    assert_eq!(all.device_taint_rules[0].pool, None);
    let stale = and(&rule(&format!("{{deviceSelector: {{pool: n-9, device: gpu-a}}, {taint}}}")));
    assert!(stale.device_taint_rules.is_empty());
    says(
        &stale,
        "1 DeviceTaintRule left out, as no device that was taken has the pool n-9 and the name gpu-a: broken (f, document 2)",
    );
    let none = and(&rule(&format!("{{{taint}}}")));
    assert!(none.device_taint_rules.is_empty());
    says(&none, "1 DeviceTaintRule without a deviceSelector, which evicts nobody, left out");
}

/// What the API does not know it drops, and an empty selector is left. `resource/v1alpha3` of 1.33 and 1.34 has `deviceClassName` and `selectors`.
#[test]
fn a_selector_that_is_not_known_is_a_mistake() {
    let refused = |key: &str| {
        let selector = format!("deviceSelector: {{{key}: gpu}}");
        let text = rule(&format!("{{{selector}, taint: {{key: ecc, effect: NoExecute}}}}"));
        error(&format!("{}---\n{text}", yaml()))
    };
    let empty = "and a selector that is empty then selects every device";
    for key in ["deviceClassName", "selectors"] {
        let e = refused(key);
        assert!(e.contains(&format!("DeviceTaintRule \"broken\": spec.deviceSelector.{key}: 1.33 and 1.34 select by it, which is not simulated; from 1.35 on the API drops it, {empty}")), "{e}");
    }
    let e = refused("pools");
    assert!(
        e.contains(&format!(
            "spec.deviceSelector.pools: the API does not know it and drops it, {empty}"
        )),
        "{e}"
    );
    let text = rule("{deviceSelector: {pool: n-1}, taint: {key: ecc, effect: Evict}}");
    let e = error(&format!("{}---\n{text}", yaml()));
    assert!(e.contains("spec.taint.effect is \"Evict\""), "{e}");
}

/// Each with the line that is said, and whether the pod `train-7c9-a` still claims.
#[test]
fn what_is_not_simulated_is_said_with_its_place() {
    let exactly = "\"deviceClassName\": \"gpu\",";
    for (from, to, line) in [
        (
            exactly.to_owned(),
            format!("{exactly} \"adminAccess\": true,"),
            "1 ResourceClaim not simulated, as adminAccess is not: ml/train-7c9-a-gpu-x (f, item 13)",
        ),
        (
            "\"allocationMode\": \"ExactCount\"".to_owned(),
            "\"allocationMode\": \"All\"".to_owned(),
            "1 ResourceClaim not simulated, as they have other than they ask for: ml/train-7c9-a-gpu-x (f, item 13)",
        ),
        (
            "\"exactly\": {".to_owned(),
            "\"roughly\": {".to_owned(),
            "1 ResourceClaim not simulated, as a request of theirs is of an unknown kind: ml/train-7c9-a-gpu-x (f, item 13)",
        ),
        (
            "\"deviceClassName\": \"gpu\"".to_owned(),
            "\"deviceClassName\": \"other\"".to_owned(),
            "1 ResourceClaim not simulated, as their DeviceClass other is not in the files: ml/train-7c9-a-gpu-x (f, item 13)",
        ),
        (
            "\"count\": 1".to_owned(),
            "\"count\": 33".to_owned(),
            "1 ResourceClaim not simulated, as they ask for more than 32 devices: ml/train-7c9-a-gpu-x (f, item 13)",
        ),
        (
            "\"pool\": \"n-1\"".to_owned(),
            "\"pool\": \"n-7\"".to_owned(),
            "1 ResourceClaim not simulated, as no ResourceSlice in the files has the device gpu.example.com/n-7/gpu-b of n-1: ml/train-7c9-a-gpu-x (f, item 13)",
        ),
        (
            "\"resourceClaimName\": \"train-7c9-a-gpu-x\"".to_owned(),
            "\"resourceClaimName\": \"lost\"".to_owned(),
            "1 pod whose ResourceClaim ml/lost is not in the files, so that its devices are not simulated: ml/train-7c9-a (f, item 6)",
        ),
        (
            "device.driver == ".to_owned(),
            "device.attributes['x'].y == ".to_owned(),
            "4 ResourceClaims not simulated, as DeviceClass gpu selects no driver: ml/train-7c9-a-gpu-x (f, item 13)",
        ),
        (
            "\"nodeName\": \"n-3\",\n                \"pool\"".to_owned(),
            "\"allNodes\": true,\n                \"pool\"".to_owned(),
            "1 ResourceSlice left out, as devices that no single node has (allNodes, nodeSelector) are not simulated: n-3-gpu.example.com-x (f, item 12)",
        ),
    ] {
        let cluster = with(&[(&from, &to)]);
        says(&cluster, line);
        says(&cluster, "not modelled yet, left out of pods: resourceClaims (");
        assert!(cluster.builds().is_ok(), "{line}");
    }
}

/// A claim that two pods have is not simulated, and nobody else gets its device.
#[test]
fn devices_of_shared_claims_are_not_free() {
    let both = "\"resource\": \"pods\",\n                        \"uid\": \"0f9d0d1c-0000-4000-8000-00000000000a\"\n                    }";
    let cluster = with(&[(both, &format!("{both}, {{\"name\": \"other\"}}"))]);
    says(
        &cluster,
        "1 ResourceClaim not simulated, as several pods share them, though they were made for one: ml/train-7c9-a-gpu-x (f, item 13)",
    );
    says(
        &cluster,
        "1 device left out, as claims that are not simulated have them: n-1/gpu-b (f, item 13)",
    );
    assert_eq!(node(&cluster, "n-1").devices[0].names.texts(), ["gpu-a"]);
    assert!(pod(&cluster, "ml", "train-7c9-a").resource_claims.is_empty());
}

/// Without ResourceSlices nothing is simulated of claims, and it is said what to add; without taints nor is anything in 1.33.
#[test]
fn what_lacks_slices_or_a_release() {
    let text = changed(&[]).replace("\"kind\": \"ResourceSlice\"", "\"kind\": \"Secret\"");
    let without = good(&text);
    says(
        &without,
        "4 pods with claims on devices, of which nothing is simulated without ResourceSlices (add `resourceslices,",
    );
    assert!(without.workloads[0].group().template.resource_claims.is_empty());
    let alpha = good(&changed(&[]).replace("resource.k8s.io/v1\"", "resource.k8s.io/v1alpha3\""));
    says(
        &alpha,
        "of which nothing is simulated as ResourceSlices are read in v1, v1beta1 and v1beta2",
    );
    let older = good(&changed(&[]).replace("v1.37.1", "v1.33.0"));
    says(&older, "3 ResourceSlices not simulated in v1.33.");
    assert!(older.nodes[0].devices.is_empty() && older.builds().is_ok());
}

/// The export as 1.33 prints it in `v1beta1`: a device's fields are under `basic`, those of a request in the request
/// itself. The cluster is the same. A taint tells that its gates are on, of which 1.33 needs two and 1.34 one; in 1.32
/// there are none.
#[test]
fn the_first_beta_of_the_api_says_the_same() {
    let mut list: Value = serde_json::from_str(&export(FILE).text).unwrap();
    let taint = serde_json::json!([{"key": "ecc", "effect": "NoExecute", "timeAdded": "2026-11-20T09:59:50Z"}]);
    list["items"]
        .as_array_mut()
        .unwrap()
        .iter_mut()
        .filter(|o| o["kind"] == "ResourceSlice")
        .for_each(|slice| {
            slice["spec"]["devices"][0]["taints"] = taint.clone();
        });
    let as_it_is = list.to_string();
    for object in list["items"].as_array_mut().unwrap() {
        if object["apiVersion"] != "resource.k8s.io/v1" {
            continue;
        }
        object["apiVersion"] = "resource.k8s.io/v1beta1".into();
        let claim = if object["kind"] == "ResourceClaim" {
            "/spec/devices/requests"
        } else {
            "/spec/spec/devices/requests"
        };
        for request in object.pointer_mut(claim).and_then(Value::as_array_mut).into_iter().flatten()
        {
            let Value::Object(exactly) = request["exactly"].take() else { panic!("{request}") };
            let request = request.as_object_mut().unwrap();
            request.remove("exactly");
            request.extend(exactly);
        }
        if object["kind"] == "ResourceSlice" {
            for device in object["spec"]["devices"].as_array_mut().unwrap() {
                let Value::Object(mut basic) = device.take() else { panic!("{device}") };
                let name = basic.remove("name");
                *device = serde_json::json!({"name": name, "basic": basic});
            }
        }
    }
    let beta = list.to_string();
    assert!(beta.contains("basic") && !beta.contains("exactly"));
    for (version, gates) in [
        ("v1.34.4", r#"feature_gates: {"DRADeviceTaints": true}"#),
        (
            "v1.33.13",
            r#"feature_gates: {"DRADeviceTaints": true, "DynamicResourceAllocation": true}"#,
        ),
    ] {
        let [today, first] = [&as_it_is, &beta].map(|text| good(&text.replace("v1.37.1", version)));
        let written = today.to_scenario();
        assert_eq!(first.to_scenario(), written, "{version}");
        assert!(written.contains(gates) && written.contains("ecc:NoExecute"), "{written}");
        let loaded = parse("x.ron", written.into_bytes(), Path::new(".")).unwrap();
        let plan = build(&loaded, &Overrides::default()).unwrap_or_else(|p| panic!("{p}"));
        assert!(plan.controllers.device_taint_eviction, "{version}");
    }
    let older = good(&beta.replace("v1.37.1", "v1.32.9"));
    says(&older, "3 ResourceSlices not simulated in v1.32.");
    says(&older, "but from 1.33 on, with the gate DRADeviceTaints");
}

/// In 1.36 rules need a gate, which a cluster that has rules has.
#[test]
fn rules_bring_their_gate() {
    let text = format!(
        "{}---\n{}",
        yaml(),
        rule("{deviceSelector: {pool: n-1}, taint: {key: ecc, effect: NoExecute}}")
    );
    let cluster = good(&text.replace("v1.37.1", "v1.36.3"));
    assert!(cluster.to_scenario().contains("feature_gates: {\"DRADeviceTaintRules\": true}"));
    assert!(cluster.builds().is_ok());
    // In 1.35 taints need one, too, and in 1.34 both need only that.
    let both = "feature_gates: {\"DRADeviceTaintRules\": true, \"DRADeviceTaints\": true}";
    for (version, gates) in
        [("v1.35.4", both), ("v1.34.4", "feature_gates: {\"DRADeviceTaints\": true}")]
    {
        let cluster = good(&text.replace("v1.37.1", version));
        assert!(cluster.to_scenario().contains(gates), "{}", cluster.to_scenario());
        assert!(cluster.builds().is_ok(), "{version}");
    }
}

/// Attributes do not matter where all devices of the driver have them: the class selects the driver. Where only some have
/// them, claims are not simulated.
#[test]
fn classes_may_select_by_attributes() {
    let class = "device.driver == \\\"gpu.example.com\\\"";
    let and = |more: &str| with(&[(class, &format!("{class} && {more}"))]);
    let all = and("device.attributes['gpu.example.com'].model == 'a'");
    assert_eq!(pod(&all, "ml", "train-7c9-a").devices, ["gpu-b"]);
    let also = and(
        "(device.attributes['gpu.example.com'].model in ['a', 'b'] || !device.attributes['x'].y)",
    );
    assert_eq!(pod(&also, "ml", "train-7c9-a").devices, ["gpu-b"]);
    let some = and("device.attributes['gpu.example.com'].index >= 1");
    says(
        &some,
        "4 ResourceClaims not simulated, as DeviceClass gpu or a request selects only some devices of gpu.example.com, by `device.driver == \"gpu.example.com\" && device.attributes['gpu.example.com'].index >= 1`",
    );
    let other = and("device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('1Gi'))");
    says(&other, "4 ResourceClaims not simulated, as DeviceClass gpu or a request selects by `");
}

/// A claim that pods name themselves is theirs together, with its devices, and a workload's new pods name it, too. One of
/// which a pod that runs says that it has it, and the claim does not, is not simulated.
#[test]
fn pods_may_share_a_claim() {
    let pod = |name: &str| {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, namespace: ml}}\nspec: {{nodeName: n-2, containers: [{{name: c}}], resourceClaims: [{{name: gpu, resourceClaimName: both}}]}}\nstatus: {{phase: Running}}\n"
        )
    };
    let request = "{name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1, tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: 9}]}}";
    let claim = |requests: &str, of: &str| {
        format!(
            "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {{name: both, namespace: ml}}\nspec: {{devices: {{requests: [{requests}]}}}}\nstatus: {{allocation: {{devices: {{results: [{{request: gpu, driver: gpu.example.com, pool: n-2, device: gpu-b}}]}}}}, reservedFor: [{of}]}}\n"
        )
    };
    let workload = "---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: s, namespace: ml}\nspec: {replicas: 0, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}], resourceClaims: [{name: gpu, resourceClaimName: both}]}}}\n";
    let reserved = "{resource: pods, name: p}, {resource: pods, name: q}";
    let with = |claim: &str| good(&format!("{}{}{}{workload}{claim}", yaml(), pod("p"), pod("q")));
    let cluster = with(&claim(request, reserved));
    let [only] = &*cluster.resource_claims else { panic!("{:?}", cluster.resource_claims) };
    assert_eq!((&*only.name, only.namespace.as_deref()), ("both", Some("ml")));
    assert_eq!(only.spec.tolerations[0].toleration_seconds, Some(9));
    for name in ["p", "q"] {
        let pod = super::pod(&cluster, "ml", name);
        assert_eq!(pod.resource_claims[0].resource_claim_name.as_deref(), Some("both"));
        assert_eq!(pod.devices, ["gpu-b"]);
    }
    let set = cluster.workloads.iter().find(|w| w.group().name.as_deref() == Some("s")).unwrap();
    assert_eq!(set.group().template.resource_claims.len(), 1);
    let text = cluster.to_scenario();
    let plan =
        build(&parse("x.ron", text.into_bytes(), Path::new(".")).unwrap(), &Overrides::default());
    let plan = plan.unwrap_or_else(|p| panic!("{p}"));
    for name in ["ml/p", "ml/q"] {
        let pod = plan.pods.iter().find(|p| &*p.name == name).unwrap();
        let claims = &plan.templates[pod.template as usize].devices;
        assert_eq!(claims[0].shared.as_deref(), Some("ml/both"));
    }
    let unreserved = with(&claim(request, "{resource: pods, name: p}"));
    says(
        &unreserved,
        "1 ResourceClaim not simulated, as they are not reserved for all pods that name them and run: ml/both (f, document ",
    );
    let several =
        with(&claim(&format!("{request}, {}", request.replacen("gpu", "more", 1)), reserved));
    says(
        &several,
        "1 ResourceClaim not simulated, as they have other than they ask for: ml/both (f, document ",
    );
    assert!(several.builds().is_ok() && unreserved.builds().is_ok());
}

/// A claim for a device of one driver and, in place of four of another, for all that the node has of it, which are three. In
/// 1.33 a claim with alternatives tells that the gate is on which they need.
#[test]
fn claims_may_have_several_requests() {
    let more = r#"---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n-2-nic}
spec: {driver: nic.example.com, nodeName: n-2, pool: {name: n-2, generation: 1, resourceSliceCount: 1}, devices: [{name: nic-0}, {name: nic-1}, {name: nic-2}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: nic}
spec: {selectors: [{cel: {expression: "device.driver == 'nic.example.com'"}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: ml}
spec: {nodeName: n-2, containers: [{name: c}], resourceClaims: [{name: all, resourceClaimName: several}]}
status: {phase: Running}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: several, namespace: ml}
spec:
  devices:
    requests:
    - {name: gpu, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}
    - name: net
      firstAvailable:
      - {name: four, deviceClassName: nic, allocationMode: ExactCount, count: 4}
      - {name: all, deviceClassName: nic, allocationMode: All, tolerations: [{operator: Exists, effect: NoExecute}]}
status:
  reservedFor: [{resource: pods, name: p}]
  allocation:
    devices:
      results:
      - {request: gpu, driver: gpu.example.com, pool: n-2, device: gpu-b}
      - {request: net/all, driver: nic.example.com, pool: n-2, device: nic-0}
      - {request: net/all, driver: nic.example.com, pool: n-2, device: nic-1}
      - {request: net/all, driver: nic.example.com, pool: n-2, device: nic-2}
"#;
    let text = format!("{}{more}", yaml());
    let cluster = good(&text);
    let [only] = &*cluster.resource_claims else { panic!("{:?}", cluster.resource_claims) };
    let [gpu, net] = only.spec.requests.as_deref().unwrap() else { panic!("{:?}", only.spec) };
    let list = net.first_available.as_ref().unwrap();
    assert_eq!((gpu, list[0].count), (&Default::default(), Some(4)));
    assert_eq!(list[1].allocation_mode, Some(AllocationMode::All));
    assert_eq!(pod(&cluster, "ml", "p").devices, ["gpu-b", "nic-0", "nic-1", "nic-2"]);
    assert!(cluster.builds().is_ok());
    // One of the three is not the claim's.
    let fewer = good(&text.replace(", {name: nic-2}]", ", {name: nic-2}, {name: nic-3}]"));
    says(&fewer, "1 ResourceClaim not simulated, as they have other than they ask for: ml/several");
    assert!(fewer.builds().is_ok());
    // Up to 1.35 one counts as the one of the first alternative, and is all that the claim gets (S123).
    let one = text
        .replace(
            "{name: four, deviceClassName: nic, allocationMode: ExactCount, count: 4}",
            "{name: one, deviceClassName: gpu, allocationMode: ExactCount, count: 1}",
        )
        .replace(
            "      - {request: net/all, driver: nic.example.com, pool: n-2, device: nic-1}\n",
            "",
        )
        .replace(
            "      - {request: net/all, driver: nic.example.com, pool: n-2, device: nic-2}\n",
            "",
        );
    let one = good(&one);
    assert_eq!(pod(&one, "ml", "p").devices, ["gpu-b", "nic-0"]);
    assert!(one.builds().is_ok());
    let rule = rule("{deviceSelector: {pool: n-1}, taint: {key: ecc, effect: NoExecute}}");
    let older = good(&format!("{text}---\n{rule}").replace("v1.37.1", "v1.33.13"));
    assert!(older.to_scenario().contains("\"DRAPrioritizedList\": true"));
    assert!(older.builds().is_ok());
}
