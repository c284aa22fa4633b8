//! What the importer reads of an object, as the API prints it: all else in an export is passed
//! over.
//!
//! Field names and meaning: `k8s.io/api/core/v1/types.go` and
//! `k8s.io/api/coordination/v1/types.go`, v1.34, and the CRD of the node readiness controller. What
//! is needed is checked when it is converted, where the object's name is known.

use super::annotations::RawAnnotations;
use super::fields::{self, Filled, RawResources, Texts, Wrong, raw};
use crate::api::labels::{LabelSelector, LabelSelectorRequirement};
use serde_json::Value;
use std::collections::BTreeMap;

raw! {
    /// `metav1.ObjectMeta`
    struct RawMeta {
        name: String,
        uid: String,
        namespace: Option<String>,
        labels: Texts,
        annotations: RawAnnotations,
        owner_references: Vec<RawOwner>,
        deletion_timestamp: String,
        deletion_grace_period_seconds: Option<i64>,
        creation_timestamp: String,
        generation: i64,
        finalizers: Vec<Option<String>>,
        /// `metav1.ListMeta`
        r#continue: String,
    }

    /// The name of an object that is only counted, or of something else of which nothing but its name is read.
    struct NameOnly {
        name: String,
        namespace: Option<String>,
        /// `metav1.ListMeta`
        r#continue: String,
    }

    /// `metav1.OwnerReference`
    struct RawOwner {
        kind: String,
        name: String,
        controller: bool,
    }

    /// `v1.NodeSpec`
    struct RawNodeSpec {
        taints: Vec<RawTaint>,
        unschedulable: bool,
    }

    /// `v1.Taint`
    struct RawTaint {
        key: String,
        value: String,
        effect: String,
        time_added: String,
    }

    /// `v1.NodeStatus`
    struct RawNodeStatus {
        allocatable: Option<RawResources>,
        capacity: RawResources,
        conditions: Vec<RawCondition>,
        node_info: RawNodeInfo,
        volumes_in_use: Vec<String>,
        images: Vec<RawImage>,
    }

    /// `v1.ContainerImage`
    struct RawImage {
        names: Vec<Option<String>>,
        size_bytes: i64,
    }

    /// `v1.NodeSystemInfo`
    struct RawNodeInfo {
        kubelet_version: String,
    }

    /// `v1.NodeCondition` and `v1.PodCondition`
    struct RawCondition {
        r#type: String,
        status: String,
        reason: String,
        message: String,
        last_heartbeat_time: String,
        last_transition_time: String,
    }

    /// `v1.PodSpec`
    struct RawPodSpec {
        node_name: String,
        node_selector: Texts,
        tolerations: Vec<RawToleration>,
        termination_grace_period_seconds: Option<i64>,
        priority: Option<i32>,
        priority_class_name: String,
        containers: Vec<RawContainer>,
        init_containers: Vec<RawContainer>,
        overhead: Option<RawResources>,
        resources: Option<RawRequirements>,
        affinity: Option<RawAffinity>,
        topology_spread_constraints: Vec<RawSpread>,
        scheduling_gates: Vec<NameOnly>,
        readiness_gates: Vec<NameOnly>,
        resource_claims: Vec<RawPodClaim>,
        volumes: Vec<RawVolume>,
        scheduler_name: String,
        preemption_policy: String,
        restart_policy: String,
        active_deadline_seconds: Option<i64>,
    }

    /// `v1.PodResourceClaim`, and `v1.PodResourceClaimStatus`, which has no template.
    struct RawPodClaim {
        name: String,
        resource_claim_name: Option<String>,
        resource_claim_template_name: String,
    }

    /// `v1.Toleration`
    struct RawToleration {
        key: String,
        operator: String,
        value: String,
        effect: String,
        toleration_seconds: Option<i64>,
    }

    /// `v1.Container`
    struct RawContainer {
        name: String,
        image: String,
        image_pull_policy: String,
        command: Vec<Option<String>>,
        args: Vec<Option<String>>,
        restart_policy: String,
        resources: RawRequirements,
        ports: Vec<RawPort>,
        readiness_probe: Option<RawProbe>,
        liveness_probe: Option<RawProbe>,
        startup_probe: Option<RawProbe>,
        lifecycle: RawLifecycle,
    }

    /// `v1.Lifecycle`
    struct RawLifecycle {
        pre_stop: Option<RawHandler>,
    }

    /// `v1.LifecycleHandler`
    struct RawHandler {
        sleep: Option<RawSleep>,
        exec: Option<RawExec>,
    }

    /// `v1.SleepAction`
    struct RawSleep {
        seconds: i64,
    }

    /// `v1.ExecAction`
    struct RawExec {
        command: Vec<Option<String>>,
    }

    /// `v1.Probe`
    struct RawProbe {
        initial_delay_seconds: i32,
        period_seconds: i32,
        success_threshold: i32,
        failure_threshold: i32,
        timeout_seconds: i32,
        termination_grace_period_seconds: Option<i64>,
    }

    /// `v1.ContainerPort`
    struct RawPort {
        host_port: i32,
        protocol: String,
        #[serde(rename = "hostIP")]
        host_ip: String,
    }

    /// `v1.ResourceRequirements`
    struct RawRequirements {
        requests: RawResources,
        limits: RawResources,
    }

    /// `v1.Volume`
    struct RawVolume {
        persistent_volume_claim: RawClaimName,
        empty_dir: Option<Filled>,
        ephemeral: Filled,
        #[serde(rename = "awsElasticBlockStore")]
        aws: Filled,
        #[serde(rename = "azureDisk")]
        azure: Filled,
        cinder: Filled,
        #[serde(rename = "gcePersistentDisk")]
        gce: Filled,
        vsphere_volume: Filled,
    }

    /// `v1.PersistentVolumeClaimVolumeSource`
    struct RawClaimName {
        claim_name: Option<String>,
    }

    /// `v1.PodStatus`
    struct RawPodStatus {
        phase: String,
        start_time: String,
        conditions: Vec<RawCondition>,
        container_statuses: Vec<RawContainerStatus>,
        init_container_statuses: Vec<RawContainerStatus>,
        resource_claim_statuses: Vec<RawPodClaim>,
    }

    /// `v1.ContainerStatus`
    struct RawContainerStatus {
        name: String,
        state: RawContainerState,
        last_state: RawContainerState,
        restart_count: i64,
        ready: Option<bool>,
        started: Option<bool>,
    }

    /// `v1.ContainerState`
    struct RawContainerState {
        waiting: Option<RawWaiting>,
        running: Option<RawRunning>,
        terminated: Option<RawTerminated>,
    }

    /// `v1.ContainerStateWaiting`
    struct RawWaiting {
        reason: String,
    }

    /// `v1.ContainerStateRunning`
    struct RawRunning {
        started_at: String,
    }

    /// `v1.ContainerStateTerminated`
    struct RawTerminated {
        exit_code: i64,
        reason: String,
        started_at: String,
        finished_at: String,
    }

    /// `coordination/v1.LeaseSpec`
    struct RawLeaseSpec {
        renew_time: String,
        acquire_time: String,
        lease_duration_seconds: Option<i64>,
    }

    /// `v1.Affinity`
    struct RawAffinity {
        node_affinity: RawNodeAffinity,
        pod_affinity: RawPodAffinity,
        pod_anti_affinity: RawPodAffinity,
    }

    /// `v1.NodeAffinity`
    struct RawNodeAffinity {
        required_during_scheduling_ignored_during_execution: Option<RawNodeTerms>,
        preferred_during_scheduling_ignored_during_execution: Vec<RawPreferredNodes>,
    }

    /// `v1.NodeSelector`
    struct RawNodeTerms {
        node_selector_terms: Vec<RawNodeTerm>,
    }

    /// `v1.PreferredSchedulingTerm`
    struct RawPreferredNodes {
        weight: i32,
        preference: RawNodeTerm,
    }

    /// `v1.NodeSelectorTerm`
    struct RawNodeTerm {
        match_expressions: Vec<RawRequirement>,
        match_fields: Vec<RawRequirement>,
    }

    /// `v1.NodeSelectorRequirement` and `metav1.LabelSelectorRequirement`, and
    /// `v1.TopologySelectorLabelRequirement`, which has no operator
    struct RawRequirement {
        key: String,
        operator: String,
        values: Vec<String>,
    }

    /// `v1.PodAffinity` and `v1.PodAntiAffinity`
    struct RawPodAffinity {
        required_during_scheduling_ignored_during_execution: Vec<RawPodAffinityTerm>,
        preferred_during_scheduling_ignored_during_execution: Vec<RawWeightedPods>,
    }

    /// `v1.WeightedPodAffinityTerm`
    struct RawWeightedPods {
        weight: i32,
        pod_affinity_term: RawPodAffinityTerm,
    }

    /// `v1.PodAffinityTerm`
    struct RawPodAffinityTerm {
        label_selector: Option<RawSelector>,
        namespaces: Vec<String>,
        namespace_selector: Option<Filled>,
        mismatch_label_keys: Filled,
        match_label_keys: Filled,
        topology_key: String,
    }

    /// `v1.TopologySpreadConstraint`
    struct RawSpread {
        max_skew: i32,
        topology_key: String,
        when_unsatisfiable: String,
        label_selector: Option<RawSelector>,
        min_domains: Option<i32>,
        node_affinity_policy: String,
        node_taints_policy: String,
        match_label_keys: Vec<String>,
    }

    /// `metav1.LabelSelector`
    struct RawSelector {
        match_labels: Texts,
        match_expressions: Vec<RawRequirement>,
    }

    /// `readiness.node.x-k8s.io/v1alpha1 NodeReadinessRuleSpec` (0.5.0, with `conditionPolicy`)
    struct RawReadinessSpec {
        conditions: Vec<RawConditionRequirement>,
        condition_policy: String,
        enforcement_mode: String,
        taint: RawTaint,
        node_selector: RawSelector,
        dry_run: bool,
        /// What other versions have beside these.
        #[serde(flatten)]
        others: BTreeMap<String, Value>,
    }

    /// `ConditionRequirement`
    struct RawConditionRequirement {
        r#type: String,
        required_status: String,
        default_status: String,
        #[serde(flatten)]
        others: BTreeMap<String, Value>,
    }
}

/// The fields of a `scheduling/v1.PriorityClass`, beside its name.
pub(super) const CLASS_FIELDS: [&str; 3] = ["value", "globalDefault", "preemptionPolicy"];

/// An exported pod.
pub(super) type RawPod = Object<RawPodSpec, RawPodStatus>;

/// An exported node, which has no namespace.
pub(super) type RawNode = Object<RawNodeSpec, RawNodeStatus>;

/// An exported lease.
pub(super) type RawLease = Object<RawLeaseSpec, ()>;

/// An exported rule.
pub(super) type RawRule = Object<RawReadinessSpec, ()>;

/// An exported object of a namespace.
#[derive(Debug, PartialEq)]
pub(super) struct Object<Spec, Status> {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) meta: RawMeta,
    pub(crate) spec: Spec,
    pub(crate) status: Status,
}

impl<Spec, Status> Object<Spec, Status> {
    /// `namespace/name`, or the name of one that is in no namespace.
    pub(super) fn full_name(&self) -> String {
        match &*self.namespace {
            "" => self.name.clone(),
            namespace => format!("{namespace}/{}", self.name),
        }
    }
}

impl RawMeta {
    /// The owner that made it.
    pub(super) fn controller(&self) -> Option<&RawOwner> {
        self.owner_references.iter().find(|o| o.controller)
    }
}

impl RawCondition {
    pub(super) fn is(&self, kind: &str, status: &str) -> bool {
        self.r#type == kind && self.status == status
    }
}

impl RawWaiting {
    /// Whether a container waits for an image that could not be pulled (`pkg/kubelet/images/types.go`).
    pub(super) fn lacks_image(&self) -> bool {
        let reasons = ["ErrImagePull", "ErrImageNeverPull", "ImagePullBackOff", "InvalidImageName"];
        reasons.contains(&&*self.reason)
    }
}

impl RawPodSpec {
    /// Its priority class, if it has one.
    pub(super) fn priority_class(&self) -> Option<String> {
        Some(self.priority_class_name.clone()).filter(|c| !c.is_empty())
    }

    /// The claims that its volumes name.
    pub(super) fn claims(&self) -> impl Iterator<Item = &str> {
        self.volumes.iter().filter_map(|v| v.persistent_volume_claim.claim_name.as_deref())
    }
}

impl RawVolume {
    /// A disk that is attached to the pod's node, and not by the name of a claim.
    pub(super) fn is_persistent(&self) -> bool {
        let Self { ephemeral, aws, azure, cinder, gce, vsphere_volume, .. } = self;
        [ephemeral, aws, azure, cinder, gce, vsphere_volume].iter().any(|v| v.0)
    }
}

/// The selector of that field as a scenario has it.
pub(super) fn selector(field: &str, raw: &RawSelector) -> Result<LabelSelector, Wrong> {
    let expressions = raw.match_expressions.iter().map(|e| {
        Ok::<_, Wrong>(LabelSelectorRequirement {
            key: e.key.clone(),
            operator: fields::word(&format!("{field}: operator"), &e.operator)?,
            values: e.values.clone(),
        })
    });
    Ok(LabelSelector {
        match_labels: fields::labels(&format!("{field}.matchLabels"), &raw.match_labels)?,
        match_expressions: expressions.collect::<Result<_, _>>()?,
    })
}
