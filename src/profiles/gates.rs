//! Feature gates (`--feature-gates`): which release has which, with which default, and what they
//! switch.
//!
//! `pkg/features/kube_features.go` of each release. Only gates that change something here are
//! known. A gate is set for all components at once.

use super::release::{ProfileError, Release};
use crate::api::spelling;
use crate::kernel::Dur;
use crate::plan::Profile;
use crate::plan::switches::api_fields::ApiField;
use crate::plan::switches::node_lifecycle::{ConditionTaints, EvictionMode};
use crate::plan::switches::scheduler::PreemptionWrites;
use crate::plan::switches::taint_eviction::DisruptionTarget;
use std::collections::BTreeMap;

/// How a gate stands from some release on.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stage {
    /// The first release, minor and patch.
    since: (u32, u32),
    /// Its value where nobody sets it.
    pub(super) default: bool,
    /// It cannot be set to anything else.
    locked: bool,
    /// There is no such gate any more.
    gone: bool,
}

const fn off(minor: u32) -> Stage {
    Stage { since: (minor, 0), default: false, locked: false, gone: false }
}

const fn on(minor: u32) -> Stage {
    Stage { default: true, ..off(minor) }
}

const fn locked(minor: u32, value: bool) -> Stage {
    Stage { default: value, locked: true, ..off(minor) }
}

const fn gone(minor: u32) -> Stage {
    Stage { gone: true, ..off(minor) }
}

/// A feature gate.
struct Gate {
    name: &'static str,
    /// How it stands, oldest first.
    stages: &'static [Stage],
    /// What its value does to the profile that the steps made.
    apply: fn(&mut Profile, bool),
    /// The field that the API server stores only with it.
    stores: Option<ApiField>,
}

const fn gate(name: &'static str, stages: &'static [Stage], apply: fn(&mut Profile, bool)) -> Gate {
    Gate { name, stages, apply, stores: None }
}

/// A table of gates: the name of each, how it stands, the field that is stored only with it, the
/// switches that are as they are only with it, those that are what it is, and what else it does.
macro_rules! gates {
    ($($name:literal [$($stage:tt)+] $(stores $field:ident)?
        $(with $($($with:ident).+),+)? $(sets $($($set:ident).+),+)? $(does $does:expr)?;)*) => {
        &[$(gate($name, &[$($stage)+], |p, on| {
            _ = (&p, on);
            $($(p.$($with).+ &= on;)+)?
            $($(p.$($set).+ = on;)+)?
            $(let does: fn(&mut Profile, bool) = $does; does(p, on);)?
        })$(.storing(ApiField::$field))?),*]
    };
}

const GATES: &[Gate] = gates! {
    // S31
    "TaintBasedEvictions" [off(6), on(13), locked(18, true), gone(20)] does |p, on| {
        p.node_lifecycle.eviction_mode =
            if on { EvictionMode::Taints } else { EvictionMode::Timeout }
    };
    // S89
    "TaintNodesByCondition" [off(8), on(12), locked(17, true), gone(18)] does |p, on| if !on {
        (p.scheduler.checks_node_condition, p.scheduler.checks_pressure) = (true, true);
        p.node_lifecycle.condition_taints = ConditionTaints::Off;
        p.taint_nodes_by_condition = false;
    };
    "NodeLease" [off(12), on(14), locked(17, true), gone(23)]
        with node_lifecycle.leases, kubelet.leases;
    // S4
    "LegacyNodeRoleBehavior" [on(16), locked(21, false), gone(22)]
        with node_lifecycle.exclude_master_names;
    // S5
    "NodeDisruptionExclusion" [off(16), on(19), locked(21, true), gone(22)]
        with node_lifecycle.exclude_label;
    // S10
    "NodeOutOfServiceVolumeDetach" [off(24), on(26), locked(28, true), gone(32)]
        with pod_gc.out_of_service, attach_detach.out_of_service;
    // S84
    "CSIStorageCapacity" [off(19), on(21), locked(24, true), gone(28)]
        with scheduler.storage_capacity;
    // S43
    "ReadWriteOncePod" [off(22), on(27), locked(29, true), gone(31)]
        with scheduler.read_write_once_pod;
    // S124
    "VolumeLimitScaling" [off(35), on(37)] sets scheduler.misses_drivers;
    // S71
    "NominatedNodeNameForExpectation" [off(34), on(35)] with scheduler.nominates_expected;
    // S11
    "PodDisruptionConditions" [off(25), on(26), locked(31, true), gone(34)] does |p, on| if !on {
        p.taint_eviction.disruption_target = DisruptionTarget::Off;
        p.pod_gc.marks_failed = false;
        p.eviction.adds_disruption_target = false;
        p.disruption.resets_stale_condition = false;
        p.pod_gc.disruption_target = false;
        p.kubelet.shutdown_disruption_target = false;
        p.kubelet.eviction.disruption_target = false;
    };
    // S44
    "ChangeContainerStatusOnKubeletRestart" [off(35)]
        does |p, on| p.kubelet.life.keeps_results &= !on;
    "ReduceDefaultCrashLoopBackOffDecay" [off(33)] does |p, on| if !on {
        p.kubelet.life.crash_loop_backoff = (Dur::from_secs(10), Dur::from_secs(300));
    };
    // `crashLoopBackOff.maxContainerRestartPeriod` is 300 s by default, which goes before the reduced one's 60 s.
    "KubeletCrashLoopBackOffMax" [off(32), on(35)] does |p, on| {
        p.kubelet.life.max_container_restart_period = on;
        if on {
            p.kubelet.life.crash_loop_backoff.1 = Dur::from_secs(300);
        }
    };
    // S73
    "KubeletEnsureSecretPulledImages" [off(33), on(35)] with kubelet.life.checks_pulled_secrets;
    // S95
    "ImageMaximumGCAge" [off(29), on(30), locked(35, true)] sets kubelet.images.maximum_age;
    "GracefulNodeShutdown" [off(20), on(21)] with kubelet.graceful_shutdown;
    // S45
    "GracefulNodeShutdownBasedOnPodPriority" [off(23), on(24)]
        does |p, on| p.kubelet.shutdown_by_priority &= on && p.kubelet.graceful_shutdown;
    // It changes nothing here, and has to be off where GracefulNodeShutdown is.
    "WindowsGracefulNodeShutdown" [off(32), on(34)];
    // S15
    "SeparateTaintEvictionController" [on(29), locked(34, true)]
        with taint_eviction.separate_controller;
    // S24
    "TaintTolerationComparisonOperators" [off(35)]
        sets taint_eviction.comparison_operators, scheduler.comparison_operators,
            workload.daemon_set.comparison_operators;
    // S25
    "NodeControllerLeaseCircuitBreaker" [on(37)] sets node_lifecycle.lease_circuit_breaker;
    // S27
    "SchedulerQueueingHints"
        [on(28), Stage { since: (28, 5), ..off(28) }, on(32), locked(34, true), gone(37)]
        with scheduler.queueing_hints;
    // Upstream has it from 1.26 on; nothing before taints of devices is simulated.
    "DynamicResourceAllocation" [off(33), on(34), locked(35, true)]
        with device_taint_eviction.taints, scheduler.dynamic_resources, scheduler.claims_text;
    "DRADeviceTaints" [off(33), on(36)] does |p, on| {
        p.device_taint_eviction.taints &= on;
        p.device_taint_eviction.rules &= p.device_taint_eviction.taints;
    };
    // S90
    "DRAPrioritizedList" [off(33), on(34), locked(37, true)] with scheduler.prioritized_list;
    "DRADeviceTaintRules" [off(35), on(37)] with device_taint_eviction.rules;
    "PodSchedulingReadiness" [off(26), on(27), locked(30, true)]
        stores SchedulingGates with scheduler.scheduling_gates;
    "SchedulerAsyncPreemption" [off(32), on(33)] does |p, on| if !on {
        p.scheduler.preemption_writes = PreemptionWrites::DeletionsFirst;
    };
    "SchedulerPopFromBackoffQ" [on(33)] with scheduler.pops_from_backoff;
    "LogarithmicScaleDown" [off(21), on(22), locked(31, true), gone(37)]
        with workload.logarithmic_scale_down;
    "PodDeletionCost" [off(21), on(22)] with workload.pod_deletion_cost;
    "DeploymentReplicaSetTerminatingReplicas" [off(33), on(35)] with workload.terminating_replicas;
    "JobTrackingWithFinalizers" [off(22), on(25), locked(26, true), gone(29)]
        with workload.job.tracking_finalizers;
    "JobPodFailurePolicy" [off(25), on(26), locked(31, true), gone(33)]
        stores PodFailurePolicy with workload.job.pod_failure_policy;
    "JobManagedBy" [off(30), on(32), locked(35, true)] with workload.job.validates_ready;
    // After PodDisruptionConditions: either makes the pod garbage collector mark pods.
    "JobPodReplacementPolicy" [off(28), on(29), locked(34, true), gone(37)]
        stores PodReplacementPolicy does |p, on| {
            p.workload.job.pod_replacement_policy &= on;
            p.pod_gc.marks_failed |= on;
        };
    // S102
    "ScheduleDaemonSetPods" [off(11), on(12), locked(17, true), gone(18)]
        sets workload.daemon_set.scheduled;
    "StatefulSetMinReadySeconds" [off(22), on(23), locked(25, true), gone(27)]
        stores MinReadySeconds with workload.stateful_set.min_ready_seconds;
    "StaleControllerConsistencyDaemonSet" [on(36)] with workload.daemon_set.waits_for_own_writes;
    "StaleControllerConsistencyJob" [on(36)] with workload.job.waits_for_own_writes;
    "StaleControllerConsistencyReplicaSet" [on(36)] with workload.waits_for_own_writes;
    "StaleControllerConsistencyStatefulSet" [on(36)]
        with workload.stateful_set.waits_for_own_writes;
    // S119
    "ProxyTerminatingEndpoints" [off(22), on(26), locked(28, true), gone(30)]
        with proxy_terminating_endpoints;
    // S86: gates that have a field stored, and change nothing else here
    "EvenPodsSpread" [off(16), on(18), locked(19, true), gone(21)] stores TopologySpreadConstraints;
    "StartupProbe" [off(16), on(18), locked(20, true), gone(23)] stores StartupProbe;
    "PodPriority" [off(8), on(11), locked(16, true), gone(18)] stores Priority;
    "NonPreemptingPriority" [off(15), on(19), locked(24, true), gone(26)] stores PreemptionPolicy;
    "PodAffinityNamespaceSelector" [off(21), on(22), locked(24, true), gone(26)]
        stores NamespaceSelector;
    "ProbeTerminationGracePeriod" [off(21), on(25), locked(28, true), gone(29)]
        stores ProbeGracePeriod;
    "MinDomainsInPodTopologySpread" [off(24), on(27), locked(30, true), gone(32)] stores MinDomains;
    "NodeInclusionPolicyInPodTopologySpread" [off(25), on(26), locked(33, true)]
        stores NodeInclusionPolicies;
    "MatchLabelKeysInPodTopologySpread" [off(25), on(27)] stores MatchLabelKeys;
    "StatefulSetStartOrdinal" [off(26), on(27), locked(31, true), gone(34)] stores Ordinals;
    "PDBUnhealthyPodEvictionPolicy" [off(26), on(27), locked(31, true), gone(33)]
        stores UnhealthyPodEvictionPolicy;
    "SidecarContainers" [off(28), on(29), locked(33, true), gone(37)] stores ContainerRestartPolicy;
};

impl Gate {
    const fn storing(self, field: ApiField) -> Self {
        Self { stores: Some(field), ..self }
    }

    /// How the gate stands in a release that has it.
    fn stage(&self, release: Release) -> Option<&Stage> {
        let mut stages = self.stages.iter().rev();
        stages.find(|stage| stage.since <= (release.minor, release.patch)).filter(|s| !s.gone)
    }

    /// `1.25 to 1.33`, `from 1.35 on`
    fn range(&self) -> String {
        let first = self.stages[0].since.0;
        match self.stages.last() {
            Some(Stage { since, gone: true, .. }) => format!("1.{first} to 1.{}", since.0 - 1),
            _ => format!("from 1.{first} on"),
        }
    }
}

/// Which gate is on only with which (`defaultKubernetesFeatureGateDependencies`), looked at from 1.35 on. Left out are those that
/// need DynamicResourceAllocation, which is locked there.
const NEEDS: [(&str, &str); 3] = [
    ("DRADeviceTaintRules", "DRADeviceTaints"),
    ("GracefulNodeShutdownBasedOnPodPriority", "GracefulNodeShutdown"),
    ("WindowsGracefulNodeShutdown", "GracefulNodeShutdown"),
];

/// The names of all gates that change something here in some release.
pub fn gate_names() -> impl Iterator<Item = &'static str> {
    GATES.iter().map(|gate| gate.name)
}

/// The gates a release has, and how they stand there.
pub(super) fn gates_of(release: Release) -> Vec<(&'static str, &'static Stage)> {
    GATES.iter().filter_map(|gate| Some((gate.name, gate.stage(release)?))).collect()
}

/// Whether these gates can be set so in this release, all together (`featuregate/feature_gate.go: unsafeSetFromMap`).
pub(super) fn check(
    release: Release,
    settings: &BTreeMap<String, bool>,
) -> Result<(), ProfileError> {
    settings.iter().try_for_each(|(name, &value)| check_one(release, name, value))?;
    let gates = gates_of(release);
    let is_on = |name: &str| {
        let default = || gates.iter().any(|(gate, stage)| *gate == name && stage.default);
        settings.get(name).copied().unwrap_or_else(default)
    };
    let lacks = |&(name, needed): &(&str, &str)| is_on(name) && !is_on(needed);
    let lacking: Vec<_> = NEEDS.into_iter().filter(lacks).collect();
    let Some((name, needed)) = lacking.first().filter(|_| release.minor >= 35) else {
        return Ok(());
    };
    let all: Vec<&str> = lacking.iter().filter(|of| of.1 == *needed).map(|of| of.0).collect();
    let text = format!("{name} is enabled, but depends on features that are disabled: [{needed}]");
    Err(ProfileError::new(text, format!("with {needed} off, set {} to false", all.join(" and "))))
}

/// Whether a gate can be set so in this release, whatever others are.
pub(super) fn check_one(release: Release, name: &str, value: bool) -> Result<(), ProfileError> {
    let Some(gate) = GATES.iter().find(|gate| gate.name == name) else {
        let known: Vec<&str> = gates_of(release).into_iter().map(|(name, _)| name).collect();
        let hint = match spelling::nearest(name, gate_names()) {
            Some(near) => format!("did you mean {near}?"),
            None if known.is_empty() => "no gate of that release changes anything here".to_owned(),
            None => format!("gates that change something here: {}", known.join(", ")),
        };
        let text = format!("{name} is no feature gate that changes anything here");
        return Err(ProfileError::new(text, hint));
    };
    let Some(stage) = gate.stage(release) else {
        let text = format!("unrecognized feature gate: {name}: {release} does not have it");
        return Err(ProfileError::new(text, format!("{name} exists {}", gate.range())));
    };
    if stage.locked && stage.default != value {
        let text = format!(
            "cannot set feature gate {name} to {value}, feature is locked to {} in {release}",
            stage.default
        );
        return Err(ProfileError::new(text, None));
    }
    Ok(())
}

/// Does to a profile what the release's gates do, those set and those left at their defaults.
pub(super) fn apply(profile: &mut Profile, release: Release, settings: &BTreeMap<String, bool>) {
    for gate in GATES {
        if let Some(stage) = gate.stage(release) {
            let on = settings.get(gate.name).copied().unwrap_or(stage.default);
            (gate.apply)(profile, on);
            if let Some(field) = gate.stores {
                profile.stores_if(field, gate.name, on);
            }
        }
    }
}
