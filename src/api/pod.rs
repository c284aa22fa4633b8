//! Pods (`v1.Pod`): what eviction and scheduling read of them.

use super::container::{Container, Image, Restarts, Role};
use super::device::DeviceClaim;
use super::labels::Labels;
use super::meta::{ConditionStatus, OwnerReference, Timestamp, Uid};
use super::probe::{Life, Probe, ProbeType, RestartPolicy};
use super::quantity::Resources;
use super::scheduling::SchedulingSpec;
use super::toleration::Toleration;
use super::usage::Usages;
use super::volume::Claim;
use crate::api::prelude::*;

/// What many pods have in common: labels, owner and spec. Pods of a group share one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PodTemplate {
    /// `metadata.labels`
    pub labels: Labels,
    /// The controlling owner.
    pub owner: Option<OwnerReference>,
    /// How the kubelet came by the pod, where not from the API server.
    pub source: PodSource,
    /// `spec.tolerations`
    pub tolerations: Vec<Toleration>,
    /// `spec.terminationGracePeriodSeconds`; 30 where none is given.
    pub termination_grace_period_seconds: Option<i64>,
    /// `spec.nodeSelector`
    pub node_selector: Labels,
    /// The sum of the containers' requests.
    pub requests: Resources,
    /// `spec.volumes` holds an emptyDir.
    pub empty_dir: bool,
    /// `spec.volumes` holds one that outlives the pod and is not described. It is not simulated: only
    /// results read this.
    pub persistent_volumes: bool,
    /// The claims among `spec.volumes`, and `volumeClaimTemplates`.
    pub claims: Vec<Claim>,
    /// The claims on devices: `spec.resourceClaims`, each from a template.
    pub devices: Vec<DeviceClaim>,
    /// The annotation `controller.kubernetes.io/pod-deletion-cost`.
    pub deletion_cost: i32,
    /// From a pod's binding to Running and Ready, where it is not what the kubelets say.
    pub start: Option<Spread>,
    /// How long containers take to stop once asked to, where it is not what the kubelets say; the
    /// grace period cuts it short.
    pub stop: Option<Spread>,
    /// With what containers exit when they end because they were asked to; where it is not said, 0.
    pub exit_code: Option<i32>,
    /// What its containers use, where that is said.
    pub usage: Option<Rc<Usages>>,
    /// Its container's image, where pulls are simulated; where it is not said, a pull is part of the start.
    pub image: Option<Rc<Image>>,
    /// Its container's probes, and what is said of that one's life, where there is any of it.
    pub life: Option<Rc<Life>>,
    /// The containers beside its main one, whose image and life stand above: init containers first, in the order in which
    /// they start, then those that start after the main one.
    pub containers: Vec<Container>,
    /// `spec.restartPolicy`
    pub restart_policy: RestartPolicy,
    /// `spec.priority`
    pub priority: Option<i32>,
    /// `spec.priorityClassName`
    pub priority_class_name: String,
    /// What the scheduler alone reads, where there is any of it.
    pub scheduling: Option<Rc<SchedulingSpec>>,
}

/// The grace period of a pod that says none (`corev1.DefaultTerminationGracePeriodSeconds`).
pub(crate) const GRACE_PERIOD_S: i64 = 30;

/// The priority from which on a pod is critical (`scheduling.SystemCriticalPriority`).
pub(crate) const SYSTEM_CRITICAL_PRIORITY: i32 = 2_000_000_000;

impl PodTemplate {
    /// Whether no kubelet evicts it, and each admits it (`kubelettypes.IsCriticalPod`).
    pub(crate) fn is_critical(&self) -> bool {
        self.source != PodSource::Api
            || self.priority.is_some_and(|p| p >= SYSTEM_CRITICAL_PRIORITY)
    }

    /// The names of its `spec.schedulingGates`.
    pub(crate) fn gates(&self) -> &[String] {
        self.scheduling.as_ref().map_or(&[], |s| &s.gates)
    }

    /// The place of its main container in the order in which all of them start: init containers come before it.
    pub(crate) fn main(&self) -> usize {
        self.containers.iter().take_while(|c| c.role != Role::Beside).count()
    }

    /// An init container fails each time, or never ends, as a sidecar whose release drops that it is one: nothing follows it.
    pub(crate) fn never_starts(&self) -> bool {
        let fails = |c: &Container| c.life.ends.as_ref().is_none_or(|(_, code)| *code != 0);
        self.containers.iter().any(|c| c.role == Role::Init && fails(c))
    }

    /// The container at a place of that order, unless it is the main one.
    pub(crate) fn beside_main(&self, place: usize) -> Option<&Container> {
        match place.checked_sub(self.main()) {
            None => self.containers.get(place),
            Some(0) => None,
            Some(_) => self.containers.get(place - 1),
        }
    }

    /// The image of the container at a place of that order.
    pub(crate) fn image_of(&self, place: usize) -> Option<&Rc<Image>> {
        self.beside_main(place).map_or(self.image.as_ref(), |c| c.image.as_ref())
    }

    /// The images of all its containers.
    pub(crate) fn images(&self) -> impl Iterator<Item = &Rc<Image>> {
        self.image.iter().chain(self.containers.iter().filter_map(|c| c.image.as_ref()))
    }

    /// What is said of the lives of all its containers.
    pub(crate) fn lives(&self) -> impl Iterator<Item = &Rc<Life>> {
        self.life.iter().chain(self.containers.iter().map(|c| &c.life))
    }

    /// Something of its own containers may have it be not ready.
    pub(crate) fn has_lives(&self) -> bool {
        self.lives().next().is_some()
    }

    /// A probe has to succeed before it is ready.
    pub(crate) fn is_probed_first(&self) -> bool {
        let first = [ProbeType::Startup, ProbeType::Readiness];
        self.lives().any(|life| first.iter().any(|which| life.probe(*which).is_some()))
    }

    /// How long its probes may take to find that a container serves that was started; none where something of its own may have it
    /// be not ready for longer, or later.
    pub(crate) fn probed(&self) -> Option<Dur> {
        let fails =
            |l: &Life| l.serves_after.is_some() || l.serves_for.is_some() || l.ends.is_some();
        let is_other = self.lives().any(|l| fails(l)) || self.images().any(|image| image.always);
        if is_other || !self.containers.is_empty() {
            return None;
        }
        let which = [ProbeType::Startup, ProbeType::Readiness];
        let probes = self.lives().flat_map(|l| which.iter().filter_map(move |w| l.probe(*w)));
        let takes = |p: &Probe| {
            p.initial_delay
                .saturating_add(p.period.saturating_mul(u64::from(p.success_threshold) + 1))
        };
        Some(probes.map(takes).fold(Dur::ZERO, Dur::saturating_add))
    }

    /// Whether it takes time to make a volume of such a pod.
    pub fn provisions(&self) -> bool {
        self.claims.iter().any(|c| c.provision.is_some())
    }

    /// Whether node selector and required node affinity admit a node
    /// (`component-helpers/scheduling/corev1/nodeaffinity: RequiredNodeAffinity.Match`).
    pub(crate) fn admits_node(&self, name: &str, labels: &Labels) -> bool {
        let selected = self.node_selector.iter().all(|(k, v)| labels.get(k) == Some(v));
        let required = self.scheduling.as_ref().and_then(|s| s.required_nodes.as_ref());
        selected && required.is_none_or(|terms| terms.iter().any(|t| t.matches(name, labels)))
    }

    /// The name of the node that a daemon pod is pinned to by affinity
    /// (`pkg/controller/daemon/util/daemonset_util.go: GetTargetNodeName`).
    pub(crate) fn target_node_name(&self) -> Option<&str> {
        let terms = self.scheduling.as_ref()?.required_nodes.as_ref()?;
        let [field] = &*terms.iter().find(|t| !t.match_fields.is_empty())?.match_fields else {
            return None;
        };
        field.is.then_some(&*field.name)
    }

    /// The QoS class is BestEffort: nothing of CPU or memory is asked for
    /// (`pkg/apis/core/v1/helper/qos`).
    pub(crate) fn is_best_effort(&self) -> bool {
        ["cpu", "memory"].iter().all(|r| self.requests.get(*r).is_none_or(|q| q.is_zero()))
    }
}

/// Where a kubelet has a static pod from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename = "StaticPod")]
pub enum PodSource {
    /// It has it from the API server, as nearly all pods: it is no static pod.
    #[default]
    #[serde(skip)]
    Api,
    /// A file; such pods tolerate every NoExecute taint.
    File,
    // Its mirror in the API has no such toleration, and is created again when it is deleted.
    /// A URL.
    Url,
}

/// What keeps a pod as it is, from outside of what is simulated.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
pub enum Stuck {
    /// A finalizer that nobody takes off: once it is being deleted it is never gone.
    Finalizer,
    /// Its kubelet gets nowhere with it: it does not start until it is deleted, and if it is being deleted
    /// already it does not end, unless by force.
    Kubelet,
}

words! {
    /// `status.phase`
    #[derive(Deserialize, Serialize, JsonSchema)]
    #[serde(rename = "Phase")]
    pub enum PodPhase {
        /// Not all containers run yet.
        Pending = "Pending",
        /// Running.
        Running = "Running",
        /// Ended well.
        Succeeded = "Succeeded",
        /// Ended badly.
        Failed = "Failed",
    }

    /// The type of a pod's condition.
    #[derive(Deserialize, Serialize, JsonSchema)]
    pub enum PodConditionType {
        /// Its containers are ready.
        Ready = "Ready",
        /// It was evicted, preempted or removed for its node's failure.
        DisruptionTarget = "DisruptionTarget",
    }

    /// Why a pod condition has its status.
    pub enum PodReason {
        /// No reason given.
        None = "",
        /// `DeletionByTaintManager`
        DeletionByTaintManager = "DeletionByTaintManager",
        /// `DeletionByDeviceTaintManager`
        DeletionByDeviceTaintManager = "DeletionByDeviceTaintManager",
        /// `DeletionByPodGC`
        DeletionByPodGc = "DeletionByPodGC",
        /// `PreemptionByScheduler`
        PreemptionByScheduler = "PreemptionByScheduler",
        /// `PreemptionByKubeScheduler`, as 1.26 calls it.
        PreemptionByKubeScheduler = "PreemptionByKubeScheduler",
        /// `EvictionByEvictionAPI`
        EvictionByEvictionApi = "EvictionByEvictionAPI",
        /// `TerminationByKubelet`
        TerminationByKubelet = "TerminationByKubelet",
        /// `ContainersNotReady`
        ContainersNotReady = "ContainersNotReady",
        /// `PodCompleted`
        PodCompleted = "PodCompleted",
        /// `PodFailed`
        PodFailed = "PodFailed",
    }
}

impl PodPhase {
    /// `Succeeded` or `Failed`.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }
}

/// A condition of a pod. Messages are left out: they follow from the reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PodCondition {
    /// Its status.
    pub status: ConditionStatus,
    /// Why the status is what it is.
    pub reason: PodReason,
    /// When the status last changed.
    pub last_transition_time: Timestamp,
}

impl PodCondition {
    /// One whose status changed then.
    pub(crate) fn new(status: ConditionStatus, reason: PodReason, at: Timestamp) -> Self {
        PodCondition { status, reason, last_transition_time: at }
    }
}

/// `metadata.deletionTimestamp` and `metadata.deletionGracePeriodSeconds`, which are set together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deletion {
    /// When the grace period is over.
    pub timestamp: Timestamp,
    /// The grace period, in seconds.
    pub grace_period_seconds: i64,
}

/// The condition PodScheduled=False, and the node that the scheduler makes room on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unscheduled {
    /// The condition's reason, `Unschedulable` say; empty where there is no such condition.
    pub reason: &'static str,
    /// The condition's message.
    pub message: String,
    /// `status.nominatedNodeName`
    pub nominated: Option<NodeId>,
}

/// A pod object, one version of it.
#[derive(Clone, Debug)]
pub struct Pod {
    /// Its namespace and name.
    pub id: PodId,
    /// This life of the object.
    pub uid: Uid,
    /// The version of the object.
    pub resource_version: u64,
    /// The trace record that made this version.
    pub record: u32,
    /// What it shares with others of its group.
    pub template: Rc<PodTemplate>,
    /// `metadata.creationTimestamp`
    pub creation_timestamp: Timestamp,
    /// `status.startTime`: when a kubelet first took it up.
    pub start_time: Option<Timestamp>,
    /// The finalizer `batch.kubernetes.io/job-tracking` is there: the object stays until its
    /// controller takes it off.
    pub job_finalizer: bool,
    /// What keeps it as it is.
    pub stuck: Option<Stuck>,
    /// Its claims on devices have been made (`status.resourceClaimStatuses`).
    pub has_claims: bool,
    /// What the scheduler said of a pod that it could not place.
    pub unscheduled: Option<Rc<Unscheduled>>,
    /// `spec.nodeName`
    pub node: Option<NodeId>,
    /// Set once a deletion has begun.
    pub deletion: Option<Deletion>,
    /// `status.phase`
    pub phase: PodPhase,
    /// `status.reason` is `Evicted`: its kubelet was short of something.
    pub evicted: bool,
    /// How often its containers were started again, as far as its kubelet has said so.
    pub restarts: Restarts,
    /// The condition `Ready`.
    pub ready: Option<PodCondition>,
    /// The condition `DisruptionTarget`.
    pub disruption_target: Option<PodCondition>,
}

impl Pod {
    /// One to be created: it is Pending and has no conditions yet.
    pub(crate) fn pending(id: PodId, template: Rc<PodTemplate>, node: Option<NodeId>) -> Self {
        Pod {
            id,
            uid: Uid::default(),
            resource_version: 0,
            record: u32::MAX,
            template,
            creation_timestamp: Timestamp::default(),
            start_time: None,
            job_finalizer: false,
            stuck: None,
            has_claims: false,
            unscheduled: None,
            node,
            deletion: None,
            phase: PodPhase::Pending,
            evicted: false,
            restarts: Restarts::default(),
            ready: None,
            disruption_target: None,
        }
    }

    /// A deletion has begun.
    pub(crate) fn is_terminating(&self) -> bool {
        self.deletion.is_some()
    }

    /// Neither ended nor being deleted (`controller.IsPodActive`).
    pub(crate) fn is_active(&self) -> bool {
        !self.phase.is_terminal() && self.deletion.is_none()
    }

    /// The condition Ready is True.
    pub(crate) fn is_ready(&self) -> bool {
        self.ready.is_some_and(|c| c.status == ConditionStatus::True)
    }

    /// The workload that owns it, and which life of that.
    pub(crate) fn controller(&self) -> Option<(WorkloadId, Uid)> {
        self.template.owner.as_ref().and_then(|o| o.object)
    }

    /// The grace period that a deletion without options gets, in seconds.
    pub(crate) fn termination_grace_period_seconds(&self) -> i64 {
        self.template.termination_grace_period_seconds.unwrap_or(GRACE_PERIOD_S)
    }
}
