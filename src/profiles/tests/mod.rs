//! Every switch at its boundaries: the release before a change, and the first one with it. The
//! releases are those of the reference's list of switches, written out again here and not computed
//! from the table under test.

mod api_fields;
mod controllers;
mod kubelets;
mod releases;

use super::gates::gates_of;
use super::lookup::steps;
use super::oldest::oldest;
use super::*;
use crate::plan::Profile;
use crate::plan::switches::node_lifecycle::{ConditionTaints, EvictionMode};
use crate::plan::switches::scheduler::PreemptionWrites;
use crate::plan::switches::taint_eviction::DisruptionTarget;
use std::fmt::Debug;

fn check<T: PartialEq + Debug>(row: &str, read: fn(&Profile) -> T, expected: &[(&str, T)]) {
    for (version, value) in expected {
        let profile = profile(version).unwrap_or_else(|e| panic!("{row}: {version}: {e}"));
        assert_eq!(&read(&profile), value, "{row} in {version}");
    }
}

/// A change that holds from certain patches on: `before` are the releases without it, `from` those
/// with it.
fn boundary(row: &str, read: fn(&Profile) -> bool, before: &[&str], from: &[&str]) {
    let without = before.iter().map(|v| (*v, false));
    let with = from.iter().map(|v| (*v, true));
    check(row, read, &without.chain(with).collect::<Vec<_>>());
}

/// A later step overrides an earlier one of the same switch: in the order of releases they have to
/// say what they say in the order of the table, for every release.
#[test]
fn steps_of_one_switch_stand_in_release_order() {
    let mut sorted: Vec<_> = steps().collect();
    sorted.sort_by_key(|step| step.since.iter().max());
    for release in Release::all_minors() {
        let (mut as_listed, mut in_order) = (oldest(), oldest());
        for (listed, next) in steps().zip(&sorted) {
            for (step, profile) in [(listed, &mut as_listed), (*next, &mut in_order)] {
                if release.has(step.since) {
                    (step.change)(profile);
                }
            }
        }
        assert!(as_listed == in_order, "{release}");
    }
}

fn gated(version: &str, settings: &[(&str, bool)]) -> Result<Profile, ProfileError> {
    with_gates(version, &settings.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect())
}

#[test]
fn gates_switch_what_they_switch_upstream() {
    let read = |version: &str, gate: &str, on: bool, read: fn(&Profile) -> bool| {
        read(&gated(version, &[(gate, on)]).unwrap())
    };
    assert!(read("1.12", "TaintBasedEvictions", true, |p| p.node_lifecycle.eviction_mode
        == EvictionMode::Taints));
    assert!(read("1.17", "TaintBasedEvictions", false, |p| p.node_lifecycle.eviction_mode
        == EvictionMode::Timeout));
    assert!(read("1.8", "TaintNodesByCondition", true, |p| p.node_lifecycle.condition_taints
        == ConditionTaints::TrueOnly));
    assert!(read("1.16", "TaintNodesByCondition", false, |p| p.node_lifecycle.condition_taints
        == ConditionTaints::Off));
    assert!(read("1.16", "TaintNodesByCondition", false, |p| !p.taint_nodes_by_condition));
    // S89: 1.8 to 1.10 take CheckNodeCondition away with the gate, 1.11 the predicates of pressure, too.
    let read_both = |version, on| {
        let of = gated(version, &[("TaintNodesByCondition", on)]).unwrap().scheduler;
        (of.checks_node_condition, of.checks_pressure)
    };
    assert_eq!(["1.8", "1.10", "1.11", "1.16"].map(|v| read_both(v, false)), [(true, true); 4]);
    assert_eq!(
        ["1.8", "1.10", "1.11"].map(|v| read_both(v, true)),
        [(false, true), (false, true), (false, false)]
    );
    assert!(read("1.11", "ScheduleDaemonSetPods", true, |p| p.workload.daemon_set.scheduled));
    assert!(read("1.16", "ScheduleDaemonSetPods", false, |p| !p.workload.daemon_set.scheduled));
    assert!(read("1.12", "NodeLease", true, |p| p.kubelet.leases && !p.node_lifecycle.leases));
    assert!(read("1.13", "NodeLease", true, |p| p.kubelet.leases && p.node_lifecycle.leases));
    assert!(read("1.16", "NodeLease", false, |p| !p.kubelet.leases && !p.node_lifecycle.leases));
    assert!(read("1.20", "LegacyNodeRoleBehavior", false, |p| !p
        .node_lifecycle
        .exclude_master_names));
    assert!(read("1.18", "NodeDisruptionExclusion", true, |p| p.node_lifecycle.exclude_label));
    assert!(read("1.20", "NodeDisruptionExclusion", false, |p| !p.node_lifecycle.exclude_label));
    // 1.25 patches what changed; server-side apply came with 1.26.
    assert!(read("1.25", "PodDisruptionConditions", true, |p| {
        p.taint_eviction.disruption_target == DisruptionTarget::PatchIfChanged
            && p.pod_gc.marks_failed
    }));
    assert!(read("1.30", "PodDisruptionConditions", false, |p| p.taint_eviction.disruption_target
        == DisruptionTarget::Off));
    assert!(read("1.33", "SeparateTaintEvictionController", false, |p| !p
        .taint_eviction
        .separate_controller));
    assert!(read("1.35", "TaintTolerationComparisonOperators", true, |p| p
        .taint_eviction
        .comparison_operators));
    assert!(read("1.37", "NodeControllerLeaseCircuitBreaker", false, |p| !p
        .node_lifecycle
        .lease_circuit_breaker));
    assert!(read("1.19", "CSIStorageCapacity", true, |p| p.scheduler.storage_capacity));
    assert!(!read("1.21", "CSIStorageCapacity", false, |p| p.scheduler.storage_capacity));
    assert!(read("1.24", "NodeOutOfServiceVolumeDetach", true, |p| p.pod_gc.out_of_service));
    assert!(read("1.28.5", "SchedulerQueueingHints", true, |p| p.scheduler.queueing_hints));
    assert!(read("1.26", "PodSchedulingReadiness", true, |p| p.scheduler.scheduling_gates));
    assert!(read("1.29", "PodSchedulingReadiness", false, |p| !p.scheduler.scheduling_gates));
    assert!(read("1.32", "SchedulerAsyncPreemption", true, |p| p.scheduler.preemption_writes
        == PreemptionWrites::Async));
    assert!(read("1.37", "SchedulerAsyncPreemption", false, |p| p.scheduler.preemption_writes
        == PreemptionWrites::DeletionsFirst));
    assert!(read("1.33", "SchedulerPopFromBackoffQ", false, |p| !p.scheduler.pops_from_backoff));
}

#[test]
fn a_gate_set_to_its_default_changes_nothing() {
    for release in Release::all_minors() {
        let version = release.to_string();
        for (name, gate) in gates_of(release) {
            assert_eq!(
                gated(&version, &[(name, gate.default)]),
                Ok(profile(&version).unwrap()),
                "{version} {name}"
            );
        }
    }
}

/// The last release whose source has a gate, and where (`pkg/features`), and the first whose source has not.
#[test]
fn a_gate_ends_where_the_source_has_it_no_more() {
    for (gate, last, first_without) in [
        ("EvenPodsSpread", "1.20.15", "1.21.14"), // kube_features.go:806, locked
        ("JobTrackingWithFinalizers", "1.28.15", "1.29.15"), // kube_features.go:1053, locked
        ("JobPodFailurePolicy", "1.32.13", "1.33.13"), // versioned_kube_features.go:435, locked
        ("SchedulerQueueingHints", "1.36.3", "1.37.1"), // kube_features.go:1948, locked
    ] {
        assert_eq!(gated(last, &[(gate, true)]), Ok(profile(last).unwrap()), "{gate}");
        let is_locked = format!("{gate} to false, feature is locked to true in v{last}");
        assert!(gated(last, &[(gate, false)]).unwrap_err().to_string().ends_with(&is_locked));
        let without =
            format!("unrecognized feature gate: {gate}: v{first_without} does not have it");
        assert_eq!(gated(first_without, &[(gate, true)]).unwrap_err().to_string(), without);
    }
}

/// `defaultKubernetesFeatureGateDependencies` of 1.35.4 (`kube_features.go:2217`, `:2257`, `:2489`) and 1.37.1 (`:2593`); 1.34 has
/// no such map. The words are those of `featuregate/feature_gate.go:432` of component-base 0.35.4.
#[test]
fn gates_that_need_another_are_refused_without_it() {
    let graceful = ("GracefulNodeShutdown", false);
    let by_priority = ("GracefulNodeShutdownBasedOnPodPriority", false);
    let windows = ("WindowsGracefulNodeShutdown", false);
    let (taints, rules) = (("DRADeviceTaints", false), ("DRADeviceTaintRules", true));
    let refused = |version: &str, gates: &[(&str, bool)]| {
        let error = gated(version, gates).expect_err(version);
        (error.to_string(), error.hint.unwrap_or_default())
    };
    let text = |name: &str, needed: &str| {
        format!("{name} is enabled, but depends on features that are disabled: [{needed}]")
    };
    for version in ["1.35", "1.37"] {
        let (said, hint) = refused(version, &[graceful]);
        assert_eq!(said, text(by_priority.0, graceful.0));
        assert!(hint.ends_with(&format!("set {} and {} to false", by_priority.0, windows.0)));
        assert_eq!(refused(version, &[graceful, by_priority]).0, text(windows.0, graceful.0));
        assert!(gated(version, &[graceful, by_priority, windows]).is_ok());
    }
    // DRADeviceTaints is off by default in 1.35, and DRADeviceTaintRules is in 1.36.
    assert_eq!(refused("1.35", &[rules]).0, text(rules.0, taints.0));
    assert_eq!(refused("1.37", &[taints]).0, text(rules.0, taints.0));
    assert!(gated("1.36", &[taints]).is_ok());
    assert!(gated("1.34", &[graceful]).is_ok());
}

#[test]
fn gates_that_cannot_be_set_are_refused() {
    for (version, gate, value, message, hint) in [
        (
            "1.34",
            "TaintBasedEviction",
            true,
            "TaintBasedEviction is no feature gate that changes anything here",
            Some("did you mean TaintBasedEvictions?"),
        ),
        (
            "1.34",
            "TaintBasedEvictions",
            true,
            "unrecognized feature gate: TaintBasedEvictions: v1.34.12 does not have it",
            Some("TaintBasedEvictions exists 1.6 to 1.19"),
        ),
        (
            "1.34.4",
            "TaintTolerationComparisonOperators",
            true,
            "unrecognized feature gate: TaintTolerationComparisonOperators: v1.34.4 does not have it",
            Some("TaintTolerationComparisonOperators exists from 1.35 on"),
        ),
        (
            "1.34.4",
            "SeparateTaintEvictionController",
            false,
            "cannot set feature gate SeparateTaintEvictionController to false, feature is locked to true in v1.34.4",
            None,
        ),
        (
            "1.21",
            "LegacyNodeRoleBehavior",
            true,
            "cannot set feature gate LegacyNodeRoleBehavior to true, feature is locked to false in v1.21.14",
            None,
        ),
        (
            "1.23",
            "Nonsense",
            true,
            "Nonsense is no feature gate that changes anything here",
            Some(
                "gates that change something here: CSIStorageCapacity, ReadWriteOncePod, GracefulNodeShutdown, GracefulNodeShutdownBasedOnPodPriority, LogarithmicScaleDown, PodDeletionCost, JobTrackingWithFinalizers, StatefulSetMinReadySeconds, \
                 ProxyTerminatingEndpoints, NonPreemptingPriority, PodAffinityNamespaceSelector, ProbeTerminationGracePeriod",
            ),
        ),
        (
            "1.33",
            "AllAlpha", // upstream has it
            true,
            "AllAlpha is no feature gate that changes anything here",
            Some(
                "gates that change something here: PodDisruptionConditions, ReduceDefaultCrashLoopBackOffDecay, KubeletCrashLoopBackOffMax, KubeletEnsureSecretPulledImages, ImageMaximumGCAge, GracefulNodeShutdown, GracefulNodeShutdownBasedOnPodPriority, WindowsGracefulNodeShutdown, SeparateTaintEvictionController, SchedulerQueueingHints, DynamicResourceAllocation, \
                 DRADeviceTaints, DRAPrioritizedList, PodSchedulingReadiness, SchedulerAsyncPreemption, SchedulerPopFromBackoffQ, LogarithmicScaleDown, PodDeletionCost, DeploymentReplicaSetTerminatingReplicas, JobManagedBy, JobPodReplacementPolicy, \
                 NodeInclusionPolicyInPodTopologySpread, MatchLabelKeysInPodTopologySpread, StatefulSetStartOrdinal, SidecarContainers",
            ),
        ),
        (
            "1.99",
            "NodeLease",
            true,
            "Kubernetes 1.99 is not known",
            Some("1.6 to 1.37 and the pre-release \"1.38-alpha\" (v1.38.0-alpha.0) are known"),
        ),
    ] {
        let error = gated(version, &[(gate, value)]).expect_err(gate);
        assert_eq!((error.to_string().as_str(), error.hint.as_deref()), (message, hint));
    }
}
