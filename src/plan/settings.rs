//! Settings of the components, and which of them run.

use super::eviction::Eviction;
use super::profile::Profile;
use super::timing::KubeletMode;
use crate::kernel::Dur;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which controllers run beside node lifecycle and taint eviction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Controllers {
    /// The pod garbage collector.
    pub pod_gc: bool,
    /// The garbage collector of owner references.
    pub garbage_collector: bool,
    /// The Deployment controller.
    pub deployment: bool,
    /// The ReplicaSet controller.
    pub replica_set: bool,
    /// The StatefulSet controller.
    pub stateful_set: bool,
    /// The DaemonSet controller.
    pub daemon_set: bool,
    /// The Job controller.
    pub job: bool,
    /// The cloud controllers.
    pub cloud: bool,
    /// The disruption controller.
    pub disruption: bool,
    /// The scheduler.
    pub scheduler: bool,
    /// The attach/detach controller.
    pub attach_detach: bool,
    /// The device taint eviction controller.
    pub device_taint_eviction: bool,
    /// The resourceclaim controller.
    pub resource_claim: bool,
    /// The node readiness controller.
    pub node_readiness: bool,
}

/// What of `KubeSchedulerConfiguration` may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchedulerSettings {
    /// `percentageOfNodesToScore`; 0 is the default, which depends on the size of the cluster.
    pub percentage_of_nodes_to_score: u32,
    /// `scoringStrategy` of NodeResourcesFit.
    pub strategy: Strategy,
    /// The plugin DefaultPreemption is on.
    pub preemption: bool,
}

impl Default for SchedulerSettings {
    fn default() -> Self {
        SchedulerSettings {
            percentage_of_nodes_to_score: 0,
            strategy: Strategy::LeastAllocated,
            preemption: true,
        }
    }
}

/// Which nodes are liked better.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "ScoringStrategy")]
pub enum Strategy {
    /// Emptier ones.
    #[default]
    LeastAllocated,
    /// Fuller ones.
    MostAllocated,
}

/// Settings of the components under their real names.
#[derive(Clone, Debug, PartialEq)]
pub struct Flags {
    /// kube-controller-manager `--node-monitor-period`
    pub node_monitor_period: Dur,
    /// kube-controller-manager `--node-monitor-grace-period`
    pub node_monitor_grace_period: Dur,
    /// kube-controller-manager `--node-startup-grace-period`
    pub node_startup_grace_period: Dur,
    /// kube-controller-manager `--node-eviction-rate`, nodes per second
    pub node_eviction_rate: f32,
    /// kube-controller-manager `--secondary-node-eviction-rate`
    pub secondary_node_eviction_rate: f32,
    /// kube-controller-manager `--large-cluster-size-threshold`
    pub large_cluster_size_threshold: i32,
    /// kube-controller-manager `--unhealthy-zone-threshold`
    pub unhealthy_zone_threshold: f32,
    /// kube-controller-manager `--pod-eviction-timeout`, up to 1.26
    pub pod_eviction_timeout: Dur,
    /// kube-controller-manager `--enable-taint-manager`, up to 1.26
    pub enable_taint_manager: bool,
    /// kube-controller-manager `--terminated-pod-gc-threshold`; zero and less is no limit
    pub terminated_pod_gc_threshold: i32,
    /// kube-controller-manager `--disable-force-detach-on-timeout`, from 1.30
    pub disable_force_detach_on_timeout: bool,
    /// kube-apiserver `--default-not-ready-toleration-seconds`
    pub default_not_ready_toleration_seconds: i64,
    /// kube-apiserver `--default-unreachable-toleration-seconds`
    pub default_unreachable_toleration_seconds: i64,
    /// The kubelets' own.
    pub kubelet: KubeletSettings,
}

/// The configuration of a kubelet.
#[derive(Clone, Debug, PartialEq)]
pub struct KubeletConfig {
    /// How it behaves, and how often it is heard.
    pub mode: KubeletMode,
    /// When it evicts pods.
    pub eviction: Eviction,
    /// All else.
    pub settings: KubeletSettings,
}

/// Settings of a kubelet under their names in `KubeletConfiguration`.
#[derive(Clone, Debug, PartialEq)]
pub struct KubeletSettings {
    /// `shutdownGracePeriod`; none where a machine simply goes off
    pub shutdown_grace_period: Dur,
    /// `shutdownGracePeriodCriticalPods`, a part of it
    pub shutdown_grace_period_critical_pods: Dur,
    /// `shutdownGracePeriodByPodPriority`, in place of both
    pub shutdown_grace_period_by_pod_priority: PriorityPeriods,
    /// `serializeImagePulls`; where it is not given, unless `maxParallelImagePulls` is 2 or more
    pub serialize_image_pulls: Option<bool>,
    /// `maxParallelImagePulls`, from 1.27
    pub max_parallel_image_pulls: Option<u32>,
    /// `registryPullQPS`: pulls a second; zero is no limit
    pub registry_qps: u32,
    /// `registryBurst`
    pub registry_burst: u32,
    /// `imageGCHighThresholdPercent`; 85 where it is not given
    pub image_gc_high_threshold: Option<u8>,
    /// `imageGCLowThresholdPercent`; 80 where it is not given
    pub image_gc_low_threshold: Option<u8>,
    /// `imageMinimumGCAge`; two minutes where it is not given
    pub minimum_image_ttl_duration: Option<Dur>,
    /// `imageMaximumGCAge`, with the gate ImageMaximumGCAge; none where it is not given
    pub image_maximum_gc_age: Option<Dur>,
    /// `crashLoopBackOff.maxContainerRestartPeriod`, with the gate KubeletCrashLoopBackOffMax; that of the
    /// release where it is not given
    pub max_container_restart_period: Option<Dur>,
}

/// How long pods have to end by their priority, lowest first: from which priority on, and seconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PriorityPeriods(pub Vec<(i32, i64)>);

impl fmt::Display for PriorityPeriods {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.iter().map(|(priority, seconds)| format!("{priority}={seconds}"));
        f.write_str(&all.collect::<Vec<_>>().join(","))
    }
}

impl Flags {
    /// The defaults of a release (`config/v1alpha1/defaults.go`).
    pub fn defaults(profile: &Profile) -> Self {
        Flags {
            node_monitor_period: Dur::from_secs(5),
            node_monitor_grace_period: profile.node_monitor_grace_period,
            node_startup_grace_period: Dur::from_secs(60),
            node_eviction_rate: 0.1,
            secondary_node_eviction_rate: 0.01,
            large_cluster_size_threshold: 50,
            unhealthy_zone_threshold: 0.55,
            pod_eviction_timeout: Dur::from_secs(300),
            enable_taint_manager: true,
            terminated_pod_gc_threshold: 12_500,
            disable_force_detach_on_timeout: false,
            default_not_ready_toleration_seconds: 300,
            default_unreachable_toleration_seconds: 300,
            kubelet: KubeletSettings::default(),
        }
    }
}

impl Default for KubeletSettings {
    fn default() -> Self {
        KubeletSettings {
            shutdown_grace_period: Dur::ZERO,
            shutdown_grace_period_critical_pods: Dur::ZERO,
            shutdown_grace_period_by_pod_priority: PriorityPeriods::default(),
            serialize_image_pulls: None,
            max_parallel_image_pulls: None,
            registry_qps: 5,
            registry_burst: 10,
            image_gc_high_threshold: None,
            image_gc_low_threshold: None,
            minimum_image_ttl_duration: None,
            image_maximum_gc_age: None,
            max_container_restart_period: None,
        }
    }
}

impl KubeletSettings {
    /// Whether there is any time for pods before the machine goes off.
    pub(crate) fn has_shutdown_periods(&self) -> bool {
        let by_priority = &self.shutdown_grace_period_by_pod_priority.0;
        !self.shutdown_grace_period.is_zero() || !by_priority.is_empty()
    }

    /// How many images a kubelet pulls at a time (`SetDefaults_KubeletConfiguration`, `newParallelImagePuller`).
    pub(crate) fn image_pulls_at_a_time(&self) -> usize {
        let most = self.max_parallel_image_pulls;
        match self.serialize_image_pulls.unwrap_or(most.is_none_or(|n| n < 2)) {
            true => 1,
            false => most.map_or(usize::MAX, |n| n as usize),
        }
    }

    /// When images that nobody uses are deleted (`SetDefaults_KubeletConfiguration`).
    pub(crate) fn image_gc_policy(&self) -> ImageGcPolicy {
        ImageGcPolicy {
            high: self.image_gc_high_threshold.unwrap_or(85),
            low: self.image_gc_low_threshold.unwrap_or(80),
            min_age: self.minimum_image_ttl_duration.unwrap_or(Dur::from_secs(120)),
            max_age: self.image_maximum_gc_age,
        }
    }

    /// Whether anything is said of that.
    pub(crate) fn states_image_gc(&self) -> bool {
        let thresholds = [self.image_gc_high_threshold, self.image_gc_low_threshold];
        let ages = [self.minimum_image_ttl_duration, self.image_maximum_gc_age];
        thresholds.iter().any(Option::is_some) || ages.iter().any(Option::is_some)
    }
}

/// When images that nobody uses are deleted (`ImageGCPolicy`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImageGcPolicy {
    /// From so many percent of the disk on that are used.
    pub(crate) high: u8,
    /// Down to so many.
    pub(crate) low: u8,
    /// Not before they have been there for so long.
    pub(crate) min_age: Dur,
    /// In any case once they have not been used for longer than that.
    pub(crate) max_age: Option<Dur>,
}

impl ImageGcPolicy {
    /// Whether none ever is, unless disk is short (`StartGarbageCollection`).
    pub(crate) fn is_off(&self) -> bool {
        self.high == 100 && self.max_age.is_none()
    }
}

/// Admission plugins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// DefaultTolerationSeconds
    pub default_toleration_seconds: bool,
    /// TaintNodesByCondition
    pub taint_nodes_by_condition: bool,
    /// PodTolerationRestriction
    pub pod_toleration_restriction: bool,
    /// ExtendedResourceToleration
    pub extended_resource_toleration: bool,
}
