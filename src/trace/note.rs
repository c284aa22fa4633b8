//! What controllers find or decide without anything changing, and changes that are told on request.

use crate::api::names::TextId;
use crate::api::words::words;
use ObjectKind::{Node, Nothing, Pod, Workload, Zone};
use std::ops::RangeInclusive;

/// What the object of a record is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ObjectKind {
    Node,
    Pod,
    Workload,
    /// A disruption budget.
    Budget,
    /// An entry of the plan's timeline.
    Entry,
    /// A PersistentVolumeClaim, by the text of its name.
    Claim,
    /// A zone, by the text of its key.
    Zone,
    Nothing,
}

const RENEWAL_UNSEEN: &str =
    "{object}: the API server has a renewal of {ms} ago that the controller has not seen";
const LEASE_FORGOTTEN: &str = "{object}: with a status report of {ms} ago the controller forgot the lease, and took it for renewed after";
const TIMER_UNDATED: &str = "{object}: its node's taint has no `timeAdded`: when its eviction timer is over is drawn, in {arg} s at the latest";
const TIMER_OVERDUE: &str = "{object}: by the `timeAdded` of its node's taint it should be gone: when its eviction timer is over is drawn, in {arg} s at the latest";
const MEMORY_USED_UP: &str = "{object} has no memory left; the kernel's OOM killer, which is not simulated, kills before that";

const VOLUMES_UNSEEN: &str = "{object}: its volumes are there, and its kubelet, which had given up waiting for them after 2m3s, looks again in {ms}";

words! {
    /// Why a volume was not made: the code with which its driver has refused, and what becomes of its claim.
    pub enum Unmade {
        /// The node is gone that it was for: the claim is given back.
        NodeGone = "NodeGone",
        /// The driver is asked again.
        Internal = "Internal",
        /// The driver is asked again.
        ResourceExhausted = "ResourceExhausted",
        /// The claim is given back: the scheduler chooses a node anew.
        GivenBack = "ResourceExhausted, given back",
        /// The driver is asked again after a longer pause.
        InvalidArgument = "InvalidArgument",
    }
}

words! {
    /// What a controller finds or decides without anything changing: its log has it, but no
    /// timeline. And what happens too often to be told unasked. The words are those of `events.jsonl`.
    pub enum Note {
        /// A node was not heard of for longer than its grace period. Object: node; argument: how long,
        /// in milliseconds.
        NodeExpired = "node-expired": (Node, "{object} was not heard of for {ms}"),
        /// The last heartbeat that is known of such a node. Object: node; argument: how long ago it
        /// was, in milliseconds.
        LastHeartbeat = "last-heartbeat": (Node, "{object}: the last known heartbeat is {ms} old"),
        /// The controller took the last known renewal of such a node's lease for a new one once more: it had forgotten the
        /// lease with the status report that came after. Object: node; argument: how long ago that was, in milliseconds.
        LeaseForgotten = "lease-forgotten": (Node, LEASE_FORGOTTEN),
        /// The API server has a newer renewal of such a node's lease than the controller has seen.
        /// Object: node; argument: how long ago it came, in milliseconds.
        RenewalUnseen = "renewal-unseen": (Node, RENEWAL_UNSEEN),
        /// A kubelet renewed the lease of its node; noted where the scenario asks for it. Object: node.
        LeaseRenewed = "lease-renewed": (Node, "{object} renews its lease"),
        /// A zone gets its queue. Object: text of the zone key.
        ZoneQueue = "zone-queue": (Zone, ""),
        /// The taint eviction controller knows these NoExecute taints of a node. Object: node;
        /// argument: they are those added by that change in [`Trace::taints`](super::Trace).
        TaintsKnown = "taints-known": (Node, ""),
        /// The taint eviction controller knows of no NoExecute taint of a node any more. Object: node;
        /// argument: 1 if pods are on it.
        TaintsGone = "taints-gone":
            (Node, "{object}: the taint eviction controller knows of no NoExecute taint any more"),
        /// A pod does not tolerate all taints of its node. Object: pod.
        NotTolerated = "not-tolerated": (Pod, "{object} does not tolerate all taints of its node"),
        /// A pod tolerates all taints of its node for ever. Object: pod.
        ToleratesForever = "tolerates-forever":
            (Pod, "{object} tolerates all taints of its node for ever"),
        /// A pod's timer was set before the start of the run, and by how much it has longer left than the seconds of its
        /// record, which comes before. Object: pod; argument: milliseconds.
        TimerRecalled = "timer-recalled":
            (Pod, "{object}: its eviction timer was set before the run, and has {ms} more"),
        /// When such a timer is over is drawn, for the taint that set it tells no time. Object: pod; argument: in how many
        /// seconds at the latest.
        TimerUndated = "timer-undated": (Pod, TIMER_UNDATED),
        /// When such a timer is over is drawn, for by the time of the taint it should be over. Object and argument as above.
        TimerOverdue = "timer-overdue": (Pod, TIMER_OVERDUE),
        /// A pod's eviction is not scheduled, as it was before. Object: pod.
        WorkExists = "work-exists": (Pod, "{object}: an eviction was scheduled before"),
        /// A volume is being made for a node that is chosen for a pod. Object: node; argument: the text of its
        /// claim's name; of the following, too.
        Provisioning = "provisioning":
            (Node, "External provisioner is provisioning volume for claim {text}, for {object}"),
        /// The volume is made, and its claim bound.
        Provisioned = "provisioning-succeeded":
            (Node, "Successfully provisioned volume for claim {text}, for {object}"),
        /// A volume is being made for no node. Object: nothing; argument: the text of its claim's name; of the following,
        /// too.
        ProvisioningImmediately = "provisioning-immediately":
            (Nothing, "External provisioner is provisioning volume for claim {text}"),
        /// The volume is made, and its claim bound.
        ProvisionedImmediately = "provisioned-immediately":
            (Nothing, "Successfully provisioned volume for claim {text}"),
        /// A driver has refused to make a volume, or the node is gone that it is for. Object: nothing, but an [`Unmade`] by
        /// its place; argument: the text of its claim's name.
        ProvisioningFailed = "provisioning-failed":
            (Nothing, "failed to provision volume for claim {text}"),
        /// A VolumeAttachment was created: the volume is to be attached. Object: node; argument: the text
        /// of its claim's name; of the following, too.
        AttachmentCreated = "attachment-created":
            (Node, "volume {text} is to be attached to {object}"),
        /// A volume is attached to a node.
        AttachmentAttached = "attachment-attached": (Node, "volume {text} is attached to {object}"),
        /// A VolumeAttachment is being deleted: the volume is to be detached.
        AttachmentDeleting = "attachment-deleting":
            (Node, "volume {text} is to be detached from {object}"),
        /// A VolumeAttachment is gone: the volume is detached.
        AttachmentGone = "attachment-gone": (Node, "volume {text} is detached from {object}"),
        /// The volumes of a pod are there, and its kubelet has given up waiting for them (`podAttachAndMountTimeout`). Object: pod;
        /// argument: in how many milliseconds it looks again.
        VolumesUnseen = "volumes-unseen": (Pod, VOLUMES_UNSEEN),
        /// A kubelet that is to evict finds no memory left at all: before that the kernel's OOM killer, which is not
        /// simulated, would have killed. Object: node.
        MemoryUsedUp = "memory-used-up": (Node, MEMORY_USED_UP),
        /// A kubelet evicts a pod while it does not reach the API server, so that no event tells it. Object: pod; argument:
        /// the text of what the event would say.
        EvictedUnheard = "evicted-unheard":
            (Pod, "{object}: its kubelet, which is cut off, evicts it: {text}"),
        /// A pod's claims have been allocated devices. Object: pod; argument: the text of their names.
        DevicesAllocated = "devices-allocated": (Pod, "{object} has been allocated {text}"),
        /// The devices of a claim of a pod are free again. Object: pod; argument: which of its claims.
        DevicesFreed = "devices-freed": (Pod, "{object}: its devices are free"),
        /// The scheduler takes the reservation of a claim back, which stays allocated. Object: pod; argument: which of its
        /// claims.
        ClaimUnreserved = "claim-unreserved":
            (Pod, "{object}: a claim is reserved for it no longer, and stays allocated"),
        /// Why a pod is to be evicted for a taint of its devices, and when; that it is follows. Object: pod; argument: the
        /// text of the taint, the device, whose it is, and for how long it is tolerated.
        DeviceEvictionReason = "device-eviction-reason":
            (Pod, "{object} has a tainted device: {text}"),
        /// A pod is to be evicted for a taint of its devices. Object: pod; argument: in how many seconds.
        DeviceEvictionSet = "device-eviction-set":
            (Pod, "{object} is to be evicted in {arg} s, for its devices"),
        /// It is not to be evicted any more. Object: pod.
        DeviceEvictionCancelled = "device-eviction-cancelled":
            (Pod, "{object} is not to be evicted any more"),
        /// The condition EvictionInProgress of a DeviceTaintRule changed. Object: nothing; argument: the text of
        /// the rule's name, and of the condition's reason, status and message, a line each.
        RuleCondition = "rule-condition": (Nothing, ""),
        /// A Job is complete: its status has the condition SuccessCriteriaMet or, up to 1.30, Complete. Object:
        /// workload; argument: the text of the reason and the message of the event that follows, a line each.
        JobComplete = "job-complete": (Workload, ""),
        /// A Job has failed: its status has the condition FailureTarget or, up to 1.30, Failed. From then on its
        /// controller makes no pods. Object and argument as above; the event, and Failed, may wait for ever for pods
        /// on a dead node.
        JobFailed = "job-failed": (Workload, ""),
        /// A NodeReadinessRule was created. Object: nothing; argument: the text of its name.
        ReadinessRuleCreated = "readiness-rule-created": (Nothing, "readiness rule {text} created"),
        /// A NodeReadinessRule is gone. Object: nothing; argument: the text of its name.
        ReadinessRuleGone = "readiness-rule-gone": (Nothing, "readiness rule {text} is gone"),
        /// The node readiness controller is to taint a node, or to untaint it. Object: node; argument: the text of
        /// the rule and of the conditions that it found.
        ReadinessEvaluated = "readiness-evaluated": (Node, "{object}: {text}"),
        /// A rule's bootstrap is completed at a node. Object: node; argument: the text of the rule's name.
        BootstrapCompleted = "bootstrap-completed":
            (Node, "{object}: the bootstrap of rule {text} is completed"),
        /// A container, or all of several, serves from now on, or not yet or no more; one of which nothing is noted serves
        /// while it runs.
        /// Object: pod; argument: 1 or 0.
        ContainerServes = "container-serves": (Pod, "{object}: its container serves"),
        /// A container has ended by itself. Object: pod; argument: its exit code, and which it is (`Note::parts`).
        ContainerEnded = "container-ended":
            (Pod, "{object}: its container has ended, with exit code {arg}"),
        /// A container is started before all of `spec.containers` have been: of several, or an init container. Object: pod;
        /// argument: the text of its name.
        ContainerStarted = "container-started": (Pod, "{object}: its container {text} is started"),
        /// The same of one that has run before.
        ContainerRestarted = "container-restarted":
            (Pod, "{object}: its container {text} is started again"),
        /// A container's probe has failed, so that it is killed. Object: pod; argument: 0 for its liveness probe, 2 for its
        /// startup probe, and which it is.
        ContainerUnhealthy = "container-unhealthy": (Pod, ""),
        /// CrashLoopBackOff: a container is not started again yet. Object: pod; argument: for how many seconds since its end,
        /// and which it is.
        BackOff = "back-off": (Pod, "{object}: CrashLoopBackOff, {arg} s from its container's end on"),
        /// The pull of the image of a pod's container is asked for. Object: pod; argument: how many are before it on its node.
        ImagePulling = "image-pulling":
            (Pod, "{object}: the pull of its image is asked for, {arg} before it on its node"),
        /// It was pulled. Object: pod; argument: how long that took since it was first asked for, in milliseconds.
        ImagePulled = "image-pulled": (Pod, "{object}: its image was pulled in {ms}, waiting included"),
        /// ErrImagePull: it could not be pulled. Object: pod; argument: for how many seconds it is not tried again.
        ImagePullFailed = "image-pull-failed":
            (Pod, "{object}: ErrImagePull, not tried again for {arg} s"),
        /// An agent posted a condition. Object: node; argument: the text `Type=Status`.
        AgentCondition = "agent-condition": (Node, "{object}: an agent posts {text}"),
        /// A kubelet deleted an image that no container uses, or several. Object: node; argument: the text that says which.
        ImageDeleted = "image-deleted": (Node, "{object}: {text} deleted, as no container uses it"),
    }
    /// What its object is, and what it says: of `{object}`, and of its argument as a `{text}`, in
    /// milliseconds (`{ms}`), or as it is (`{arg}`).
    pub(crate) fn row -> (ObjectKind, &'static str);
}

impl Note {
    /// Those of a claim's volume: their argument is the text of the claim's name.
    pub(crate) const OF_VOLUMES: RangeInclusive<Self> = Self::Provisioning..=Self::AttachmentGone;
    /// Those of the VolumeAttachment of such a volume.
    pub(crate) const OF_ATTACHMENTS: RangeInclusive<Self> =
        Self::AttachmentCreated..=Self::AttachmentGone;
    /// How many bits of its argument a note of one container has for what it tells: an exit code, a probe, at most the 300
    /// seconds of a back-off.
    const TOLD: u32 = 9;

    /// The argument of a note of one container: what it tells, and the name of the container where its pod has several.
    pub(crate) fn of_one(told: u32, name: Option<TextId>) -> u32 {
        let most = (1 << Self::TOLD) - 1;
        let name = name.filter(|name| name.0 < u32::MAX >> Self::TOLD);
        name.map_or(0, |name| (name.0 + 1) << Self::TOLD) | told.min(most)
    }

    /// What the argument of a note tells, without the container that it may name.
    pub(crate) fn parts(self, arg: u32) -> (u32, Option<TextId>) {
        match self {
            Self::ContainerEnded | Self::ContainerUnhealthy | Self::BackOff => {
                let name = (arg >> Self::TOLD).checked_sub(1).map(TextId);
                (arg & ((1 << Self::TOLD) - 1), name)
            }
            _ => (arg, None),
        }
    }

    /// Those of a pod's containers, and of its image.
    pub(crate) const OF_CONTAINERS: RangeInclusive<Self> =
        Self::ContainerServes..=Self::ImagePullFailed;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 137 in the lower nine bits, and above them one more than the text: 6 · 512 + 137.
    #[test]
    fn a_note_of_one_container_names_it_where_there_are_several() {
        let (ended, name) = (Note::ContainerEnded, TextId(5));
        assert_eq!(Note::of_one(137, Some(name)), 3_209);
        assert_eq!(ended.parts(3_209), (137, Some(name)));
        assert_eq!((Note::of_one(300, None), Note::BackOff.parts(300)), (300, (300, None)));
        assert_eq!(Note::ImagePulled.parts(3_209), (3_209, None), "in milliseconds");
    }
}
