//! Feature gates (`--feature-gates`): which release has which, with which default, and what they
//! switch.
//!
//! `pkg/features/kube_features.go` of each release. Only gates that change something here are
//! known. A gate is set for all components at once.

use super::release::{Release, UnknownRelease};
use crate::api::spelling;
use crate::plan::Profile;
use crate::plan::switches::node_lifecycle::{ConditionTaints, EvictionMode};
use crate::plan::switches::scheduler::PreemptionWrites;
use crate::plan::switches::taint_eviction::DisruptionTarget;
use std::collections::BTreeMap;
use thiserror::Error;

/// How a gate stands from some release on.
struct Stage {
    /// The first release, minor and patch.
    since: (u32, u32),
    /// Its value where nobody sets it.
    default: bool,
    /// It cannot be set to anything else.
    locked: bool,
}

const fn off(minor: u32) -> Stage {
    Stage { since: (minor, 0), default: false, locked: false }
}

const fn on(minor: u32) -> Stage {
    Stage { since: (minor, 0), default: true, locked: false }
}

const fn locked(minor: u32, value: bool) -> Stage {
    Stage { since: (minor, 0), default: value, locked: true }
}

/// A feature gate.
struct Gate {
    name: &'static str,
    /// How it stands, oldest first.
    stages: &'static [Stage],
    /// The first minor release without it.
    removed: Option<u32>,
    /// What its value does to the profile that the steps made.
    apply: fn(&mut Profile, bool),
}

const GATES: &[Gate] = &[
    // S31
    Gate {
        name: "TaintBasedEvictions",
        stages: &[off(6), on(13), locked(18, true)],
        removed: Some(20),
        apply: |p, on| {
            p.node_lifecycle.eviction_mode =
                if on { EvictionMode::Taints } else { EvictionMode::Timeout }
        },
    },
    Gate {
        name: "TaintNodesByCondition",
        stages: &[off(8), on(12), locked(17, true)],
        removed: Some(18),
        apply: |p, on| {
            if !on {
                p.node_lifecycle.condition_taints = ConditionTaints::Off;
                p.taint_nodes_by_condition = false;
            }
        },
    },
    Gate {
        name: "NodeLease",
        stages: &[off(12), on(14), locked(17, true)],
        removed: Some(23),
        apply: |p, on| {
            p.node_lifecycle.leases &= on;
            p.kubelet.leases &= on;
        },
    },
    // S4
    Gate {
        name: "LegacyNodeRoleBehavior",
        stages: &[on(16), locked(21, false)],
        removed: Some(22),
        apply: |p, on| p.node_lifecycle.exclude_master_names &= on,
    },
    // S5
    Gate {
        name: "NodeDisruptionExclusion",
        stages: &[off(16), on(19), locked(21, true)],
        removed: Some(22),
        apply: |p, on| p.node_lifecycle.exclude_label &= on,
    },
    // S10
    Gate {
        name: "NodeOutOfServiceVolumeDetach",
        stages: &[off(24), on(26), locked(28, true)],
        removed: Some(32),
        apply: |p, on| {
            p.pod_gc.out_of_service &= on;
            p.attach_detach.out_of_service &= on;
        },
    },
    // S43
    Gate {
        name: "ReadWriteOncePod",
        stages: &[off(22), on(27), locked(29, true)],
        removed: Some(31),
        apply: |p, on| p.scheduler.read_write_once_pod &= on,
    },
    // S11
    Gate {
        name: "PodDisruptionConditions",
        stages: &[off(25), on(26), locked(31, true)],
        removed: Some(34),
        apply: |p, on| {
            if !on {
                p.taint_eviction.disruption_target = DisruptionTarget::Off;
                p.pod_gc.marks_failed = false;
                p.eviction.adds_disruption_target = false;
                p.disruption.resets_stale_condition = false;
                p.pod_gc.disruption_target = false;
                p.kubelet.shutdown_disruption_target = false;
                p.kubelet.eviction.disruption_target = false;
            }
        },
    },
    // S44
    Gate {
        name: "GracefulNodeShutdown",
        stages: &[off(20), on(21)],
        removed: None,
        apply: |p, on| p.kubelet.graceful_shutdown &= on,
    },
    // S45
    Gate {
        name: "GracefulNodeShutdownBasedOnPodPriority",
        stages: &[off(23), on(24)],
        removed: None,
        apply: |p, on| p.kubelet.shutdown_by_priority &= on && p.kubelet.graceful_shutdown,
    },
    // S15
    Gate {
        name: "SeparateTaintEvictionController",
        stages: &[on(29), locked(34, true)],
        removed: None,
        apply: |p, on| p.taint_eviction.separate_controller &= on,
    },
    // S24
    Gate {
        name: "TaintTolerationComparisonOperators",
        stages: &[off(35)],
        removed: None,
        apply: |p, on| {
            p.taint_eviction.comparison_operators = on;
            p.scheduler.comparison_operators = on;
            p.workload.daemon_set.comparison_operators = on;
        },
    },
    // S25
    Gate {
        name: "NodeControllerLeaseCircuitBreaker",
        stages: &[on(37)],
        removed: None,
        apply: |p, on| p.node_lifecycle.lease_circuit_breaker = on,
    },
    // S27
    Gate {
        name: "SchedulerQueueingHints",
        stages: &[
            on(28),
            Stage { since: (28, 5), default: false, locked: false },
            on(32),
            locked(34, true),
        ],
        removed: None,
        apply: |p, on| p.scheduler.queueing_hints &= on,
    },
    Gate {
        name: "DRADeviceTaints",
        // Upstream has it from 1.33 on, and the next from 1.35 on; nothing of that is simulated.
        stages: &[on(36)],
        removed: None,
        apply: |p, on| p.device_taint_eviction.taints &= on,
    },
    Gate {
        name: "DRADeviceTaintRules",
        stages: &[off(36), on(37)],
        removed: None,
        // Upstream asks for the other gate, too.
        apply: |p, on| p.device_taint_eviction.rules &= on && p.device_taint_eviction.taints,
    },
    Gate {
        name: "PodSchedulingReadiness",
        stages: &[off(26), on(27), locked(30, true)],
        removed: None,
        apply: |p, on| p.scheduler.scheduling_gates &= on,
    },
    Gate {
        name: "SchedulerAsyncPreemption",
        stages: &[off(32), on(33)],
        removed: None,
        apply: |p, on| {
            if !on {
                p.scheduler.preemption_writes = PreemptionWrites::DeletionsFirst;
            }
        },
    },
    Gate {
        name: "SchedulerPopFromBackoffQ",
        stages: &[on(33)],
        removed: None,
        apply: |p, on| p.scheduler.pops_from_backoff &= on,
    },
    Gate {
        name: "LogarithmicScaleDown",
        stages: &[off(21), on(22), locked(31, true)],
        removed: Some(37),
        apply: |p, on| p.workload.logarithmic_scale_down &= on,
    },
    Gate {
        name: "PodDeletionCost",
        stages: &[off(21), on(22)],
        removed: None,
        apply: |p, on| p.workload.pod_deletion_cost &= on,
    },
    Gate {
        name: "DeploymentReplicaSetTerminatingReplicas",
        stages: &[off(33), on(35)],
        removed: None,
        apply: |p, on| p.workload.terminating_replicas &= on,
    },
    Gate {
        name: "JobTrackingWithFinalizers",
        stages: &[off(22), on(25), locked(26, true)],
        removed: Some(28),
        apply: |p, on| p.workload.job.tracking_finalizers &= on,
    },
    Gate {
        name: "JobPodFailurePolicy",
        stages: &[off(25), on(26), locked(31, true)],
        removed: Some(32),
        apply: |p, on| p.workload.job.pod_failure_policy &= on,
    },
    Gate {
        name: "JobManagedBy",
        stages: &[off(30), on(32), locked(35, true)],
        removed: None,
        apply: |p, on| p.workload.job.validates_ready &= on,
    },
    Gate {
        name: "JobPodReplacementPolicy",
        stages: &[off(28), on(29), locked(34, true)],
        removed: Some(37),
        // After PodDisruptionConditions: either makes the pod garbage collector mark pods.
        apply: |p, on| {
            p.workload.job.pod_replacement_policy &= on;
            p.pod_gc.marks_failed |= on;
        },
    },
    Gate {
        name: "StatefulSetMinReadySeconds",
        stages: &[off(22), on(23), locked(25, true)],
        removed: Some(27),
        apply: |p, on| p.workload.stateful_set.min_ready_seconds &= on,
    },
    Gate {
        name: "StaleControllerConsistencyDaemonSet",
        stages: &[on(36)],
        removed: None,
        apply: |p, on| p.workload.daemon_set.waits_for_own_writes &= on,
    },
    Gate {
        name: "StaleControllerConsistencyJob",
        stages: &[on(36)],
        removed: None,
        apply: |p, on| p.workload.job.waits_for_own_writes &= on,
    },
    Gate {
        name: "StaleControllerConsistencyReplicaSet",
        stages: &[on(36)],
        removed: None,
        apply: |p, on| p.workload.waits_for_own_writes &= on,
    },
    Gate {
        name: "StaleControllerConsistencyStatefulSet",
        stages: &[on(36)],
        removed: None,
        apply: |p, on| p.workload.stateful_set.waits_for_own_writes &= on,
    },
];

impl Gate {
    /// How the gate stands in a release that has it.
    fn stage(&self, release: Release) -> Option<&Stage> {
        if self.removed.is_some_and(|minor| release.minor >= minor) {
            return None;
        }
        self.stages.iter().rev().find(|stage| stage.since <= (release.minor, release.patch))
    }

    /// `1.25 to 1.33`, `from 1.35 on`
    fn range(&self) -> String {
        let first = self.stages[0].since.0;
        match self.removed {
            Some(minor) => format!("1.{first} to 1.{}", minor - 1),
            None => format!("from 1.{first} on"),
        }
    }
}

/// Why gates cannot be set so.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GateError {
    /// The release is not known.
    #[error(transparent)]
    Release(#[from] UnknownRelease),
    /// No release has such a gate, or it changes nothing here.
    #[error("unrecognized feature gate: {name}")]
    Unknown {
        /// As it was written.
        name: String,
        /// What may have been meant.
        nearest: Option<&'static str>,
        /// The gates that this release has.
        known: Vec<&'static str>,
    },
    /// Other releases have it.
    #[error("unrecognized feature gate: {name}: {release} does not have it")]
    OtherRelease {
        /// The gate.
        name: &'static str,
        /// The release that was asked for.
        release: Release,
        /// The releases that have it.
        range: String,
    },
    /// It cannot be set to that any more.
    #[error("cannot set feature gate {name} to {}, feature is locked to {locked} in {release}", !locked)]
    Locked {
        /// The gate.
        name: &'static str,
        /// What it is locked to.
        locked: bool,
        /// The release that was asked for.
        release: Release,
    },
}

impl GateError {
    /// What to write instead.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Release(e) => Some(e.hint()),
            Self::Unknown { nearest: Some(near), .. } => Some(format!("did you mean {near}?")),
            Self::Unknown { known, .. } if known.is_empty() => {
                Some("no gate of that release changes anything here".to_owned())
            }
            Self::Unknown { known, .. } => {
                Some(format!("gates that change something here: {}", known.join(", ")))
            }
            Self::OtherRelease { name, range, .. } => Some(format!("{name} exists {range}")),
            Self::Locked { .. } => None,
        }
    }
}

/// A gate as a release has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateSetting {
    pub name: &'static str,
    /// Its value where nobody sets it.
    pub default: bool,
    /// It cannot be set to anything else.
    pub locked: bool,
}

/// The names of all gates that change something here in some release.
pub fn gate_names() -> impl Iterator<Item = &'static str> {
    GATES.iter().map(|gate| gate.name)
}

/// The gates of a release.
pub(super) fn of(release: Release) -> Vec<GateSetting> {
    let setting = |gate: &Gate| {
        gate.stage(release).map(|stage| GateSetting {
            name: gate.name,
            default: stage.default,
            locked: stage.locked,
        })
    };
    GATES.iter().filter_map(setting).collect()
}

/// Whether these gates can be set so in this release.
pub(super) fn check(release: Release, settings: &BTreeMap<String, bool>) -> Result<(), GateError> {
    for (name, &value) in settings {
        let Some(gate) = GATES.iter().find(|gate| gate.name == name) else {
            let known = of(release).into_iter().map(|gate| gate.name).collect();
            return Err(GateError::Unknown {
                name: name.clone(),
                nearest: spelling::nearest(name, gate_names()),
                known,
            });
        };
        match gate.stage(release) {
            None => {
                return Err(GateError::OtherRelease {
                    name: gate.name,
                    release,
                    range: gate.range(),
                });
            }
            Some(stage) if stage.locked && stage.default != value => {
                return Err(GateError::Locked { name: gate.name, locked: stage.default, release });
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Does to a profile what the release's gates do, those set and those left at their defaults.
pub(super) fn apply(profile: &mut Profile, release: Release, settings: &BTreeMap<String, bool>) {
    for gate in GATES {
        if let Some(stage) = gate.stage(release) {
            (gate.apply)(profile, settings.get(gate.name).copied().unwrap_or(stage.default));
        }
    }
}
