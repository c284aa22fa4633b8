//! Taints of devices from release to release: the last one with a behaviour beside the first one without it, by
//! arithmetic from upstream's constants and with what its source says.

use super::devices::{deletions, ran, told};
use super::plans::drawn;

/// A pod on each of two nodes, which has the device there and tolerates NoExecute taints for 60 s.
fn cluster(version: &str, timeline: &str) -> String {
    let gates = match version {
        v if v.starts_with("1.33") => {
            r#""DynamicResourceAllocation": true, "DRADeviceTaints": true"#
        }
        v if v.starts_with("1.34") => r#""DRADeviceTaints": true"#,
        _ => r#""DRADeviceTaints": true, "DRADeviceTaintRules": true"#,
    };
    let claims = "[(tolerations: [(operator: Exists, effect: NoExecute, tolerationSeconds: 60)])]";
    format!(
        r#"Scenario(version: 1, kubernetes: "{version}", feature_gates: {{{gates}}}, horizon: "3m", timing: Ideal,
            nodes: [(names: "{{a,b}}", devices: [(names: "gpu-0")])],
            pods: [(name: "p", on: Node("a"), resourceClaims: {claims}), (name: "q", on: Node("b"), resourceClaims: {claims})],
            timeline: [{timeline}])"#
    )
}

fn rule(at: &str, step: &str, effect: &str) -> String {
    format!(
        r#"(at: "{at}", do: {step}DeviceTaintRule(rule: (name: "x", pool: "a", taint: "ecc:{effect}"))),"#
    )
}

/// When the pod is evicted, in milliseconds, up to 20 ms late.
fn evicted(version: &str, timeline: &str) -> Vec<u64> {
    deletions(&ran(&cluster(version, timeline))).iter().map(|(at, ..)| at / 20 * 20).collect()
}

/// kubernetes/kubernetes#134434: up to 1.34 the allocator does not write the tolerations of a claim into its status, where the
/// controller looks for them, in every patch: #134479 was not taken back. Also of a taint that the driver publishes.
#[test]
fn up_to_1_34_nobody_tolerates() {
    let taint = r#"(at: "10.7s", do: TaintDevices(node: "a", taint: "ecc:NoExecute"))"#;
    for timeline in [&rule("10.7s", "Create", "NoExecute"), taint] {
        for version in ["1.33.0", "1.33.13", "1.34.0", "1.34.11"] {
            assert_eq!(evicted(version, timeline), [10_700], "{version}");
        }
        for version in ["1.35.0", "1.35.8", "1.36.0", "1.37.1"] {
            assert_eq!(evicted(version, timeline), [70_000], "{version}");
        }
    }
}

/// Both pods are evicted by a rule that selects all devices. Up to 1.34 only the first has an event: the controller forgets how to
/// tell (`*emitEventFunc = nil` in `addConditionAndDeletePod`).
#[test]
fn up_to_1_34_one_pod_has_an_event() {
    let timeline = rule("10.7s", "Create", "NoExecute").replace("pool: \"a\", ", "");
    for (version, events) in [("1.33.13", 1), ("1.34.11", 1), ("1.35.0", 2), ("1.36.0", 2)] {
        let trace = ran(&cluster(version, &timeline));
        let all = told(&trace, "event");
        let count = all.iter().filter(|(_, text)| text.contains("Marking for deletion")).count();
        assert_eq!((deletions(&trace).len(), count), (2, events), "{version}");
    }
}

/// A rule becomes one that evicts at 40.3 s. From 1.36 on its taint is of that second, before of 10 s.
#[test]
fn the_time_of_a_taint_follows_its_effect() {
    let timeline = rule("10.7s", "Create", "NoSchedule") + &rule("40.3s", "Update", "NoExecute");
    assert_eq!(evicted("1.35.8", &timeline), [70_000]);
    assert_eq!(evicted("1.36.0", &timeline), [100_000]);
}

/// A rule has a status from 1.35 on. When its key changes that says what it said before, of another generation: that is no news.
#[test]
fn what_a_status_says() {
    let rule = |step: &str| rule("10.7s", step, "NoSchedule");
    let timeline = rule("Create") + &rule("Update").replace("10.7", "30.3").replace("ecc", "hot");
    let said = "OtherEffect Eviction only happens for the NoExecute effect.";
    for (version, expected) in [("1.34.11", vec![]), ("1.35.0", vec![said]), ("1.35.3", vec![said])]
    {
        let all = told(&ran(&cluster(version, &timeline)), "rule-condition");
        let texts: Vec<&str> = all.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, expected, "{version}");
    }
}

/// What a release lacks is said.
#[test]
fn what_a_release_lacks_is_a_mistake() {
    let preview = cluster("1.34", &rule("1s", "Create", "None"));
    assert!(drawn(&preview).unwrap_err().contains("the effect None from 1.35 on"));
    let gates = ["1.33", "1.34", "1.35"];
    for version in gates {
        let off = cluster(version, "").replace("\"DRADeviceTaints\": true", "");
        let problem = drawn(&off.replace("{, ", "{").replace(", }", "}")).unwrap_err();
        assert!(problem.contains("with the gate DRADeviceTaints"), "{problem}");
    }
    let rules = cluster("1.35", &rule("1s", "Create", "NoExecute"));
    let off = rules.replace(", \"DRADeviceTaintRules\": true", "");
    assert!(drawn(&off).unwrap_err().contains("with the gate DRADeviceTaintRules"));
}
