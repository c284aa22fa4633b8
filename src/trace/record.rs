//! One record, 32 bytes, so that the largest outages fit in memory; who does things in a run, the
//! scheduler's plugins that can reject a pod, and the states of a zone.

use super::event::EventText;
use super::note::{Note, ObjectKind};
use crate::api::meta::ConditionStatus;
use crate::api::names::{NodeId, PodId, WorkloadId};
use crate::api::node::{NodeConditionType, NodeReason};
use crate::api::pod::{PodConditionType, PodPhase, PodReason};
use crate::api::words::words;
use crate::kernel::Time;

/// A record's place in its trace.
pub type RecordId = u32;

/// Stands for "no record": a first cause, or a version nobody read.
pub const NO_RECORD: RecordId = u32::MAX;

/// What happened. The object it happened to is the record's `object`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum What {
    /// A node was created. Object: node.
    NodeCreated,
    /// A node was deleted. Object: node.
    NodeDeleted,
    /// A node condition changed its status. Object: node.
    NodeCondition(NodeConditionType, ConditionStatus, NodeReason),
    /// One write changed a node's taints by more than timeAdded. Object: node; argument: the change
    /// in [`Trace::taints`](super::Trace).
    NodeTaints(u32),
    /// `spec.unschedulable` changed. Object: node.
    NodeUnschedulable(bool),
    /// A pod was created, bound to that node or to none. Object: pod.
    PodCreated(Option<std::num::NonZeroU32>),
    /// A pod was bound. Object: pod; argument: node.
    PodBound(u32),
    /// A pod's tolerations changed. Object: pod; they are in [`Trace::templates`](super::Trace)
    /// under the record's id.
    PodTolerations,
    /// A pod's phase changed. Object: pod.
    PodPhase(PodPhase),
    /// A pod condition changed its status. Object: pod.
    PodCondition(PodConditionType, ConditionStatus, PodReason),
    /// A kubelet's write took a pod's condition away.
    PodConditionGone(PodConditionType),
    /// deletionTimestamp was set or the grace period shortened. Object: pod; argument: the grace
    /// period in seconds.
    PodDeleting(u32),
    /// A pod object is gone. Object: pod.
    PodGone,
    /// An event about a node was stored: text, whether aggregated, count. Object: node.
    NodeEvent(EventText, bool, u32),
    /// An event about a node whose text has an argument was stored. Object: node; argument: the event
    /// in [`Trace::messages`](super::Trace).
    NodeMessage(u32),
    /// An event about a pod was stored: text, whether aggregated, count. Object: pod.
    PodEvent(EventText, bool, u32),
    /// An event about a pod whose text has an argument was stored. Object: pod; argument: the event
    /// in [`Trace::messages`](super::Trace).
    PodMessage(u32),
    /// An event about a workload was stored. Object: workload; argument: the event in
    /// [`Trace::messages`](super::Trace).
    WorkloadMessage(u32),
    /// A workload was created. Object: workload; argument: how many pods it asks for.
    WorkloadCreated(i32),
    /// A workload asks for another number of pods from now on. Object: workload; argument: the
    /// number.
    WorkloadScaled(i32),
    /// A workload was deleted. Object: workload.
    WorkloadDeleted,
    /// An action or fault of the timeline began. Object: the index of its entry in the plan's
    /// timeline.
    FaultBegan,
    /// A fault of the timeline ended. Object: the index of its entry in the plan's timeline.
    FaultEnded,
    /// The kubelet can no longer reach the API server. Object: node.
    NodeSilent,
    /// The kubelet reaches the API server again. Object: node.
    NodeHeard,
    /// A node's machine stops, and its containers with it. Object: node.
    MachineOff,
    /// A node's machine has booted: its kubelet runs and may start containers. Object: node.
    MachineOn,
    /// Clients no longer reach a node's pods. Object: node.
    NetworkLost,
    /// Clients reach a node's pods again. Object: node.
    NetworkBack,
    /// A pod's containers run from now on, whether or not the API says so yet. Those of pods that
    /// are Running at the start run from the start. Object: pod; argument: the node they run on.
    ContainersStarted(u32),
    /// A pod's containers have ended. There is none for those that [`What::MachineOff`] ends with
    /// their machine. Object: pod; argument: the node they ran on.
    ContainersStopped(u32),
    /// A zone is in a new state. Object: text of the zone key.
    Zone(ZoneState),
    /// Every zone is fully disrupted: taints are removed and tainting stops.
    MasterDisruptionEntered,
    /// Some node is ready again: tainting resumes.
    MasterDisruptionLeft,
    /// A node waits in its zone's queue for its NoExecute taint. Object: node.
    NodeQueued,
    /// An eviction timer was set. Object: pod; argument: the seconds from its start, 0 for at once.
    TimerSet(u32),
    /// An eviction timer was cancelled. Object: pod.
    TimerCancelled,
    /// An attempt to place a pod found no node. Object: pod; argument: what filters said, for
    /// [`Trace::verdicts`](super::Trace::verdicts).
    PodUnplaced(u32),
    /// Five tries to delete a pod failed; it stays until the next trigger. Object: pod.
    EvictionFailed,
    /// The controllers' process started.
    ControllersStarted,
    /// The controllers' process died; its timers are lost.
    ControllersStopped,
    /// A controller finds or decides something, and nothing changes. Object and argument by the
    /// note.
    Noted(Note, u32),
    /// kubectl refused what the timeline asked for. Object: the index of its entry in the plan's
    /// timeline; argument: the text of the refusal.
    Refused(u32),
    /// The eviction API grants a pod's eviction; its deletion follows in the same step. Object:
    /// pod; argument: the budget that was charged for it as it stood before, in
    /// [`Trace::budgets`](super::Trace), or `NO_BUDGET`.
    EvictionGranted(u32),
    /// The eviction API refuses a pod's eviction. Object: pod; argument: why, in
    /// [`Trace::budgets`](super::Trace).
    EvictionRefused(u32),
    /// `kubectl drain --disable-eviction` deletes a pod; that follows in the same step. Object:
    /// pod.
    DrainDeletes,
    /// kubectl has finished with a node that it drains, or gives it up. Object: node; argument: how it
    /// ended, in [`Trace::drains`](super::Trace).
    DrainEnded(u32),
    /// A disruption budget was created in the course of the run. Object: the budget's name, a
    /// workload's id; argument: what it asks for, in [`Trace::budgets`](super::Trace).
    BudgetCreated(u32),
    /// A disruption budget asks for something else from now on. Object and argument as of
    /// `BudgetCreated`.
    BudgetChanged(u32),
    /// A disruption budget was deleted. Object: the budget's name, a workload's id.
    BudgetDeleted,
    /// An entry of the timeline did not do all that it was to do. Object: the index of its entry in
    /// the plan's timeline; argument: the text that says what is left.
    CutShort(u32),
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
    pub(super) fn kind(self) -> (&'static str, ObjectKind) {
        match self {
            Self::NodeCreated => ("node-created", ObjectKind::Node),
            Self::NodeDeleted => ("node-deleted", ObjectKind::Node),
            Self::NodeCondition(..) => ("node-condition", ObjectKind::Node),
            Self::NodeTaints(_) => ("node-taints", ObjectKind::Node),
            Self::NodeUnschedulable(_) => ("node-unschedulable", ObjectKind::Node),
            Self::PodCreated(_) => ("pod-created", ObjectKind::Pod),
            Self::PodBound(_) => ("pod-bound", ObjectKind::Pod),
            Self::PodTolerations => ("pod-tolerations", ObjectKind::Pod),
            Self::PodPhase(_) => ("pod-phase", ObjectKind::Pod),
            Self::PodCondition(..) => ("pod-condition", ObjectKind::Pod),
            Self::PodConditionGone(_) => ("pod-condition-gone", ObjectKind::Pod),
            Self::PodDeleting(_) => ("pod-deleting", ObjectKind::Pod),
            Self::PodGone => ("pod-gone", ObjectKind::Pod),
            Self::NodeEvent(..) | Self::NodeMessage(_) => ("event", ObjectKind::Node),
            Self::PodEvent(..) => ("event", ObjectKind::Pod),
            Self::PodMessage(_) => ("event", ObjectKind::Pod),
            Self::WorkloadMessage(_) => ("event", ObjectKind::Workload),
            Self::WorkloadCreated(_) => ("workload-created", ObjectKind::Workload),
            Self::WorkloadScaled(_) => ("workload-scaled", ObjectKind::Workload),
            Self::WorkloadDeleted => ("workload-deleted", ObjectKind::Workload),
            Self::FaultBegan => ("fault-began", ObjectKind::Entry),
            Self::FaultEnded => ("fault-ended", ObjectKind::Entry),
            Self::NodeSilent => ("node-silent", ObjectKind::Node),
            Self::NodeHeard => ("node-heard", ObjectKind::Node),
            Self::MachineOff => ("machine-off", ObjectKind::Node),
            Self::MachineOn => ("machine-on", ObjectKind::Node),
            Self::NetworkLost => ("network-lost", ObjectKind::Node),
            Self::NetworkBack => ("network-back", ObjectKind::Node),
            Self::ContainersStarted(_) => ("containers-started", ObjectKind::Pod),
            Self::ContainersStopped(_) => ("containers-stopped", ObjectKind::Pod),
            Self::Zone(_) => ("zone-state", ObjectKind::Zone),
            Self::MasterDisruptionEntered => ("master-disruption-entered", ObjectKind::Nothing),
            Self::MasterDisruptionLeft => ("master-disruption-left", ObjectKind::Nothing),
            Self::NodeQueued => ("node-queued", ObjectKind::Node),
            Self::TimerSet(_) => ("timer-set", ObjectKind::Pod),
            Self::TimerCancelled => ("timer-cancelled", ObjectKind::Pod),
            Self::PodUnplaced(_) => ("pod-unplaced", ObjectKind::Pod),
            Self::EvictionFailed => ("eviction-failed", ObjectKind::Pod),
            Self::ControllersStarted => ("controllers-started", ObjectKind::Nothing),
            Self::ControllersStopped => ("controllers-stopped", ObjectKind::Nothing),
            Self::Noted(note, _) => (note.as_str(), note.object()),
            Self::Refused(_) => ("refused", ObjectKind::Entry),
            Self::CutShort(_) => ("cut-short", ObjectKind::Entry),
            Self::EvictionGranted(_) => ("eviction-granted", ObjectKind::Pod),
            Self::EvictionRefused(_) => ("eviction-refused", ObjectKind::Pod),
            Self::DrainDeletes => ("drain-deletes", ObjectKind::Pod),
            Self::DrainEnded(_) => ("drain-ended", ObjectKind::Node),
            Self::BudgetCreated(_) => ("budget-created", ObjectKind::Budget),
            Self::BudgetChanged(_) => ("budget-changed", ObjectKind::Budget),
            Self::BudgetDeleted => ("budget-deleted", ObjectKind::Budget),
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
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Actor {
        /// The scenario's user, and faults.
        User = "user",
        /// A kubelet.
        Kubelet = "kubelet",
        /// The node lifecycle controller.
        NodeLifecycle = "node-lifecycle",
        /// The taint eviction controller (up to 1.28 the taint manager within the node lifecycle
        /// controller).
        TaintEviction = "taint-eviction",
        /// The device taint eviction controller.
        DeviceTaintEviction = "device-taint-eviction",
        /// The resourceclaim controller.
        ResourceClaim = "resource-claim",
        /// The API server itself: admission.
        ApiServer = "api-server",
        /// The pod garbage collector.
        PodGc = "pod-gc",
        /// The garbage collector of owner references.
        GarbageCollector = "garbage-collector",
        /// The Deployment controller.
        Deployment = "deployment",
        /// The ReplicaSet controller.
        ReplicaSet = "replicaset",
        /// The StatefulSet controller.
        StatefulSet = "statefulset",
        /// The DaemonSet controller.
        DaemonSet = "daemonset",
        /// The Job controller.
        Job = "job",
        /// The cloud controllers.
        Cloud = "cloud",
        /// The disruption controller, which keeps the status of PodDisruptionBudgets.
        Disruption = "disruption",
        /// The scheduler.
        Scheduler = "scheduler",
        /// The attach/detach controller.
        AttachDetach = "attach-detach",
        /// The external-attacher of the volumes' driver.
        Attacher = "attacher",
        /// The node readiness controller.
        NodeReadiness = "node-readiness",
    }
}

words! {
    /// A plugin that can reject a pod.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
    }
}

words! {
    /// The state of a zone (`node_lifecycle_controller.go: ZoneState`).
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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
