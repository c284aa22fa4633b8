//! One record, 32 bytes, so that the largest outages fit in memory; who does things in a run, the
//! scheduler's plugins that can reject a pod, and the states of a zone.

use super::note::ObjectKind::{self, Budget, Claim, Entry, Node, Nothing, Pod, Workload, Zone};
use super::{EventText, Note};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId, WorkloadId};
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::pod::{PodConditionType, PodPhase, PodReason};
use crate::api::words::{rows, words};
use crate::kernel::Time;

/// A record's place in its trace.
pub type RecordId = u32;

/// Stands for "no record": a first cause, or a version nobody read.
pub const NO_RECORD: RecordId = u32::MAX;

rows! {
    /// What happened. The object it happened to is the record's `object`.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    #[repr(u8)]
    pub enum What {
        /// A node was created. Object: node.
        NodeCreated = ("node-created", Node),
        /// A node was deleted. Object: node.
        NodeDeleted = ("node-deleted", Node),
        /// A node condition changed its status. Object: node.
        NodeCondition(NodeConditionType, ConditionStatus, NodeReason) = ("node-condition", Node),
        /// One write changed a node's taints by more than timeAdded. Object: node; argument: the change
        /// in [`Trace::taints`](super::Trace).
        NodeTaints(u32) = ("node-taints", Node),
        /// `spec.unschedulable` changed. Object: node.
        NodeUnschedulable(bool) = ("node-unschedulable", Node),
        /// A pod was created, bound to that node or to none. Object: pod.
        PodCreated(Option<std::num::NonZeroU32>) = ("pod-created", Pod),
        /// A pod was bound. Object: pod; argument: node.
        PodBound(u32) = ("pod-bound", Pod),
        /// A pod's tolerations changed. Object: pod; they are in [`Trace::templates`](super::Trace)
        /// under the record's id.
        PodTolerations = ("pod-tolerations", Pod),
        /// A pod's phase changed. Object: pod.
        PodPhase(PodPhase) = ("pod-phase", Pod),
        /// A pod condition changed its status. Object: pod.
        PodCondition(PodConditionType, ConditionStatus, PodReason) = ("pod-condition", Pod),
        /// A kubelet's write took a pod's condition away.
        PodConditionGone(PodConditionType) = ("pod-condition-gone", Pod),
        /// deletionTimestamp was set or the grace period shortened. Object: pod; argument: the grace
        /// period in seconds.
        PodDeleting(u32) = ("pod-deleting", Pod),
        /// A pod object is gone. Object: pod.
        PodGone = ("pod-gone", Pod),
        /// An event about a node was stored: text, whether aggregated, count. Object: node.
        NodeEvent(EventText, bool, u32) = ("event", Node),
        /// An event about a node whose text has an argument was stored. Object: node; argument: the event
        /// in [`Trace::messages`](super::Trace).
        NodeMessage(u32) = ("event", Node),
        /// An event about a pod was stored: text, whether aggregated, count. Object: pod.
        PodEvent(EventText, bool, u32) = ("event", Pod),
        /// An event about a pod whose text has an argument was stored. Object: pod; argument: the event
        /// in [`Trace::messages`](super::Trace).
        PodMessage(u32) = ("event", Pod),
        /// An event about a workload was stored. Object: workload; argument: the event in
        /// [`Trace::messages`](super::Trace).
        WorkloadMessage(u32) = ("event", Workload),
        /// An event about a claim was stored. Object: text of the claim's name; argument: the event in
        /// [`Trace::messages`](super::Trace).
        ClaimMessage(u32) = ("event", Claim),
        /// A workload was created. Object: workload; argument: how many pods it asks for.
        WorkloadCreated(i32) = ("workload-created", Workload),
        /// A workload asks for another number of pods from now on. Object: workload; argument: the
        /// number.
        WorkloadScaled(i32) = ("workload-scaled", Workload),
        /// A workload was deleted. Object: workload.
        WorkloadDeleted = ("workload-deleted", Workload),
        /// An action or fault of the timeline began. Object: the index of its entry in the plan's
        /// timeline.
        FaultBegan = ("fault-began", Entry),
        /// A fault of the timeline ended. Object: the index of its entry in the plan's timeline.
        FaultEnded = ("fault-ended", Entry),
        /// The kubelet can no longer reach the API server. Object: node.
        NodeSilent = ("node-silent", Node),
        /// The kubelet reaches the API server again. Object: node.
        NodeHeard = ("node-heard", Node),
        /// A node's machine stops, and its containers with it. Object: node.
        MachineOff = ("machine-off", Node),
        /// A node's machine has booted: its kubelet runs and may start containers. Object: node.
        MachineOn = ("machine-on", Node),
        /// Clients no longer reach a node's pods. Object: node.
        NetworkLost = ("network-lost", Node),
        /// Clients reach a node's pods again. Object: node.
        NetworkBack = ("network-back", Node),
        /// A pod's containers run from now on, whether or not the API says so yet. Those of pods that
        /// are Running at the start run from the start. Of several it is said once all of `spec.containers` have been
        /// started, and of one that is started again. Object: pod; argument: the node they run on.
        ContainersStarted(u32) = ("containers-started", Pod),
        /// A pod's containers have ended, all of them. There is none for those that [`What::MachineOff`] ends with
        /// their machine. Object: pod; argument: the node they ran on.
        ContainersStopped(u32) = ("containers-stopped", Pod),
        /// A zone is in a new state. Object: text of the zone key.
        Zone(ZoneState) = ("zone-state", Zone),
        /// Every zone is fully disrupted: taints are removed and tainting stops.
        MasterDisruptionEntered = ("master-disruption-entered", Nothing),
        /// Some node is ready again: tainting resumes.
        MasterDisruptionLeft = ("master-disruption-left", Nothing),
        /// A node waits in its zone's queue for its NoExecute taint. Object: node.
        NodeQueued = ("node-queued", Node),
        /// An eviction timer was set. Object: pod; argument: the seconds from its start, 0 for at once.
        TimerSet(u32) = ("timer-set", Pod),
        /// An eviction timer was cancelled. Object: pod.
        TimerCancelled = ("timer-cancelled", Pod),
        /// An attempt to place a pod found no node. Object: pod; argument: what filters said, for
        /// [`Trace::verdicts`](super::Trace::verdicts).
        PodUnplaced(u32) = ("pod-unplaced", Pod),
        /// Five tries to delete a pod failed; it stays until the next trigger. Object: pod.
        EvictionFailed = ("eviction-failed", Pod),
        /// The controllers' process started.
        ControllersStarted = ("controllers-started", Nothing),
        /// The controllers' process died; its timers are lost.
        ControllersStopped = ("controllers-stopped", Nothing),
        /// A controller finds or decides something, and nothing changes. Object and argument by the
        /// note.
        Noted(Note, u32) = ("", Nothing),
        /// kubectl refused what the timeline asked for. Object: the index of its entry in the plan's
        /// timeline; argument: the text of the refusal.
        Refused(u32) = ("refused", Entry),
        /// The eviction API grants a pod's eviction; its deletion follows in the same step. Object:
        /// pod; argument: the budget that was charged for it as it stood before, in
        /// [`Trace::budgets`](super::Trace), or `NO_BUDGET`.
        EvictionGranted(u32) = ("eviction-granted", Pod),
        /// The eviction API refuses a pod's eviction. Object: pod; argument: why, in
        /// [`Trace::budgets`](super::Trace).
        EvictionRefused(u32) = ("eviction-refused", Pod),
        /// `kubectl drain --disable-eviction` deletes a pod; that follows in the same step. Object:
        /// pod.
        DrainDeletes = ("drain-deletes", Pod),
        /// kubectl has finished with a node that it drains, or gives it up. Object: node; argument: how it
        /// ended, in [`Trace::drains`](super::Trace).
        DrainEnded(u32) = ("drain-ended", Node),
        /// A disruption budget was created in the course of the run. Object: the budget's name, a
        /// workload's id; argument: what it asks for, in [`Trace::budgets`](super::Trace).
        BudgetCreated(u32) = ("budget-created", Budget),
        /// A disruption budget asks for something else from now on. Object and argument as of
        /// `BudgetCreated`.
        BudgetChanged(u32) = ("budget-changed", Budget),
        /// A disruption budget was deleted. Object: the budget's name, a workload's id.
        BudgetDeleted = ("budget-deleted", Budget),
        /// An entry of the timeline did not do all that it was to do. Object: the index of its entry in
        /// the plan's timeline; argument: the text that says what is left.
        CutShort(u32) = ("cut-short", Entry),
    }

    #[inline]
    fn row -> (&'static str, ObjectKind);
}

/// A fact, when it became true, who made it so, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The instant of the step that wrote it.
    pub at: Time,
    /// The record that led to this one, or [`NO_RECORD`].
    pub cause: RecordId,
    /// The record of the version of the object that the actor had seen when it decided, or
    /// [`NO_RECORD`].
    pub saw: RecordId,
    /// The node, pod, text or action it is about, by kind of record.
    pub object: u32,
    /// The kind of change, with its values.
    pub what: What,
    /// Who made the change.
    pub actor: Actor,
}

impl Record {
    /// The node this record is about, if it is about one.
    #[inline]
    pub fn node(&self) -> Option<NodeId> {
        (self.what.kind().1 == ObjectKind::Node).then_some(NodeId(self.object))
    }

    /// The pod this record is about, if it is about one.
    #[inline]
    pub fn pod(&self) -> Option<PodId> {
        (self.what.kind().1 == ObjectKind::Pod).then_some(PodId(self.object))
    }

    /// The workload this record is about, if it is about one.
    #[inline]
    pub(crate) fn workload(&self) -> Option<WorkloadId> {
        (self.what.kind().1 == ObjectKind::Workload).then_some(WorkloadId(self.object))
    }
}

impl What {
    /// The name of the kind of record, as `events.jsonl` has it, and what its object is.
    #[inline]
    pub(crate) fn kind(self) -> (&'static str, ObjectKind) {
        match self {
            Self::Noted(note, _) => (note.as_str(), note.row().0),
            what => what.row(),
        }
    }

    /// A pod's creation on a node (stored one higher, so that the record stays small) or on none.
    pub(crate) fn pod_created(node: Option<NodeId>) -> Self {
        Self::PodCreated(node.and_then(|n| std::num::NonZeroU32::new(n.0 + 1)))
    }

    /// The node a pod was created on.
    pub fn created_on(node: Option<std::num::NonZeroU32>) -> Option<NodeId> {
        node.map(|n| NodeId(n.get() - 1))
    }
}

words! {
    /// Who did it, under the name that recorded timelines use.
    pub enum Actor {
        /// The scenario's user, and faults.
        User = "user": "the user",
        /// A kubelet.
        Kubelet = "kubelet": "the kubelet",
        /// The node lifecycle controller.
        NodeLifecycle = "node-lifecycle": "the node lifecycle controller",
        /// The taint eviction controller (up to 1.28 the taint manager within the node lifecycle
        /// controller).
        TaintEviction = "taint-eviction": "the taint eviction controller",
        /// The device taint eviction controller.
        DeviceTaintEviction = "device-taint-eviction": "the device taint eviction controller",
        /// The resourceclaim controller.
        ResourceClaim = "resource-claim": "the resourceclaim controller",
        /// The API server itself: admission.
        ApiServer = "api-server": "the API server",
        /// The pod garbage collector.
        PodGc = "pod-gc": "the pod garbage collector",
        /// The garbage collector of owner references.
        GarbageCollector = "garbage-collector": "the garbage collector",
        /// The Deployment controller.
        Deployment = "deployment": "the Deployment controller",
        /// The ReplicaSet controller.
        ReplicaSet = "replicaset": "the ReplicaSet controller",
        /// The StatefulSet controller.
        StatefulSet = "statefulset": "the StatefulSet controller",
        /// The DaemonSet controller.
        DaemonSet = "daemonset": "the DaemonSet controller",
        /// The Job controller.
        Job = "job": "the Job controller",
        /// The cloud controllers.
        Cloud = "cloud": "the cloud controllers",
        /// The disruption controller, which keeps the status of PodDisruptionBudgets.
        Disruption = "disruption": "the disruption controller",
        /// The scheduler.
        Scheduler = "scheduler": "the scheduler",
        /// The attach/detach controller.
        AttachDetach = "attach-detach": "the attach/detach controller",
        /// The external-attacher of the volumes' driver.
        Attacher = "attacher": "the external-attacher",
        /// The node readiness controller.
        NodeReadiness = "node-readiness": "the node readiness controller",
        /// The external-provisioner of the volumes' driver, and the controller that binds claims.
        Provisioner = "provisioner": "the external-provisioner",
    }

    /// Who it is, in a sentence: "the kubelet".
    pub(crate) fn by -> &'static str;
}

words! {
    /// A plugin that can reject a pod.
    pub enum Plugin {
        /// SchedulingGates
        SchedulingGates = "SchedulingGates",
        /// NodeUnschedulable
        NodeUnschedulable = "NodeUnschedulable",
        /// TaintToleration
        TaintToleration = "TaintToleration",
        /// NodeAffinity
        NodeAffinity = "NodeAffinity",
        /// NodePorts
        NodePorts = "NodePorts",
        /// NodeResourcesFit
        NodeResourcesFit = "NodeResourcesFit",
        /// VolumeRestrictions
        VolumeRestrictions = "VolumeRestrictions",
        /// NodeVolumeLimits
        NodeVolumeLimits = "NodeVolumeLimits",
        /// VolumeBinding
        VolumeBinding = "VolumeBinding",
        /// PodTopologySpread
        PodTopologySpread = "PodTopologySpread",
        /// InterPodAffinity
        InterPodAffinity = "InterPodAffinity",
        /// DynamicResources
        DynamicResources = "DynamicResources",
        /// DefaultPreemption, which holds a pod back while its preemption is under way.
        DefaultPreemption = "DefaultPreemption",
        /// CheckNodeCondition, up to 1.16 as the next three.
        CheckNodeCondition = "CheckNodeCondition",
        /// CheckNodeMemoryPressure
        CheckNodeMemoryPressure = "CheckNodeMemoryPressure",
        /// CheckNodePIDPressure
        CheckNodePidPressure = "CheckNodePIDPressure",
        /// CheckNodeDiskPressure
        CheckNodeDiskPressure = "CheckNodeDiskPressure",
    }
}

words! {
    /// The state of a zone (`node_lifecycle_controller.go: ZoneState`).
    pub enum ZoneState {
        /// Not looked at yet.
        Initial = "Initial",
        /// Normal.
        Normal = "Normal",
        /// At least the unhealthy-zone threshold of its nodes, and more than two, are not ready.
        PartialDisruption = "PartialDisruption",
        /// No node is ready.
        FullDisruption = "FullDisruption",
        /// The empty string upstream leaves for a zone that lost its nodes between two loops.
        Empty = "",
    }
}

#[cfg(test)]
mod tests {

    #[test]
    fn a_record_is_32_bytes() {
        assert_eq!(size_of::<super::Record>(), 32);
    }
}
