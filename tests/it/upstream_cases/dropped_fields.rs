//! Fields that a release's API server drops (`pkg/api/pod/util_test.go: TestDrop…`, and the tests of the strategies under
//! `pkg/registry`): with the gate off or unknown an object is stored without the field.

use super::ron;
use std::collections::BTreeSet;
use taintsim::plan::Plan;

/// Objects with every field that some release drops.
const ALL: &str = r#"horizon: "1m", nodes: [(name: "n")],
    workloads: [
        Deployment(name: "web", template: (
            topologySpreadConstraints: [(
                maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: DoNotSchedule,
                minDomains: 2, nodeTaintsPolicy: Honor, matchLabelKeys: ["app"],
            )],
            affinity: (podAntiAffinity: (requiredDuringSchedulingIgnoredDuringExecution: [
                (labelSelector: (matchLabels: {"app": "db"}), namespaceSelector: (), topologyKey: "zone"),
            ])),
            schedulingGates: [(name: "g")],
            priority: 5,
            preemptionPolicy: Never,
            startupProbe: (periodSeconds: 5),
            initContainers: [(name: "mesh", restartPolicy: Always)],
            livenessProbe: (terminationGracePeriodSeconds: 5),
        )),
        StatefulSet(name: "db", ordinals: (start: 5), minReadySeconds: 3),
        Job(name: "sum", podReplacementPolicy: Failed, podFailurePolicy: (
            rules: [(action: Ignore, onPodConditions: [(type: DisruptionTarget)])],
        )),
    ],
    podDisruptionBudgets: [(
        name: "web", selector: (matchLabels: {"app": "web"}), minAvailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow,
    )],"#;

fn plan(release: &str, gates: &str) -> Plan {
    ron(release, &format!("feature_gates: {{{gates}}}, {ALL}"))
}

/// The fields that a plan says were dropped.
fn told(plan: &Plan) -> BTreeSet<&str> {
    let notes = plan.notes.iter().filter(|note| note.contains("'s API server "));
    notes.filter_map(|note| note.split('`').nth(1)).collect()
}

/// By `pkg/features/kube_features.go` of each release. In 1.17 the constraints are gone with all that they say.
#[test]
fn each_release_drops_what_it_does_not_store() {
    let rows: [(&str, &[&str]); 8] = [
        ("1.29", &[]),
        ("1.28", &["podReplacementPolicy", "restartPolicy of init containers"]),
        (
            "1.26",
            &[
                "minDomains",
                "matchLabelKeys",
                "schedulingGates",
                "ordinals",
                "unhealthyPodEvictionPolicy",
            ],
        ),
        ("1.25", &["nodeAffinityPolicy, nodeTaintsPolicy", "podFailurePolicy"]),
        ("1.24", &["terminationGracePeriodSeconds of probes"]),
        ("1.22", &["minReadySeconds"]),
        ("1.21", &["namespaceSelector"]),
        ("1.18", &["preemptionPolicy"]),
    ];
    let mut dropped: BTreeSet<&str> = BTreeSet::new();
    for (release, more) in rows {
        dropped.extend(more);
        assert_eq!(told(&plan(release, "")), dropped, "{release}");
    }
    for of_constraints in ["minDomains", "matchLabelKeys", "nodeAffinityPolicy, nodeTaintsPolicy"] {
        dropped.remove(of_constraints);
    }
    dropped.extend(["topologySpreadConstraints", "startupProbe"]);
    assert_eq!(told(&plan("1.17", "")), dropped);
    assert_eq!(told(&plan("1.11", "")), dropped);
    dropped.insert("priority");
    assert_eq!(told(&plan("1.10", "")), dropped);
    assert_eq!(told(&plan("1.6", "")), dropped);
}

/// What is dropped is not there: no gate holds the pods, taints do not count, pods are numbered from 0, and unready ones
/// are not let go. With the gates on in a release that has them, all of that holds.
#[test]
fn what_is_dropped_does_nothing() {
    let of = |plan: &Plan| {
        let scheduling = plan.templates.iter().find_map(|t| t.scheduling.clone()).unwrap();
        let constraint = &scheduling.topology_spread[0];
        let first = if plan.pods.iter().any(|p| &*p.name == "default/db-0") { 0 } else { 5 };
        (
            scheduling.gates.len(),
            (constraint.min_domains, constraint.honor_taints, constraint.match_label_keys.len()),
            first,
            plan.budgets[0].always_allow_unhealthy,
        )
    };
    assert_eq!(of(&plan("1.25", "")), (0, (1, false, 0), 0, false));
    assert_eq!(of(&plan("1.26", "")), (0, (1, true, 0), 0, false));
    assert_eq!(of(&plan("1.27", "")), (1, (2, true, 1), 5, true));
    let gates = r#""PodSchedulingReadiness": true, "MinDomainsInPodTopologySpread": true, "MatchLabelKeysInPodTopologySpread": true,
        "StatefulSetStartOrdinal": true, "PDBUnhealthyPodEvictionPolicy": true"#;
    assert_eq!(of(&plan("1.26", gates)), (1, (2, true, 1), 5, true));
}

/// The gate PodPriority is off from 1.8 to 1.10: pods are all alike to the scheduler.
#[test]
fn a_priority_is_one_with_its_gate() {
    let of = |release: &str, gates: &str| {
        plan(release, gates).templates.iter().filter_map(|t| t.priority).max()
    };
    assert_eq!(of("1.7", ""), None);
    assert_eq!(of("1.10", ""), None);
    assert_eq!(of("1.10", r#""PodPriority": true"#), Some(5));
    assert_eq!(of("1.11", ""), Some(5));
    assert_eq!(of("1.11", r#""PodPriority": false"#), None);
}

/// Whose field it is, and why it is dropped: the gate of a release that has it, or the release itself.
#[test]
fn it_is_said_whose_field_is_dropped() {
    let says = |release: &str, note: &str| {
        let plan = plan(release, "");
        assert!(plan.notes.iter().any(|n| n == note), "{note}: {:?}", plan.notes);
    };
    says(
        "1.26",
        "1.26's API server drops `unhealthyPodEvictionPolicy` of default/web: the feature gate PDBUnhealthyPodEvictionPolicy is off.",
    );
    says("1.25", "1.25's API server does not know `ordinals` of default/db, and drops it.");
    says(
        "1.25",
        "1.25's API server drops `podFailurePolicy` of default/sum: the feature gate JobPodFailurePolicy is off.",
    );
}
