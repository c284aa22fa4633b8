//! What controllers find or decide without anything changing, and changes that are told on request.

use crate::api::words::words;

/// What the object of a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ObjectKind {
    Node,
    Pod,
    Workload,
    /// A disruption budget.
    Budget,
    /// An entry of the plan's timeline.
    Entry,
    /// A zone, by the text of its key.
    Zone,
    Nothing,
}

words! {
    /// What a controller finds or decides without anything changing: its log has it, but no
    /// timeline. And what happens too often to be told unasked. The words are those of `events.jsonl`.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Note {
        /// A node was not heard of for longer than its grace period. Object: node; argument: how long,
        /// in milliseconds.
        NodeExpired = "node-expired",
        /// The last heartbeat that is known of such a node. Object: node; argument: how long ago it
        /// was, in milliseconds.
        LastHeartbeat = "last-heartbeat",
        /// The API server has a newer renewal of such a node's lease than the controller has seen.
        /// Object: node; argument: how long ago it came, in milliseconds.
        RenewalUnseen = "renewal-unseen",
        /// A kubelet renewed the lease of its node; noted where the scenario asks for it. Object: node.
        LeaseRenewed = "lease-renewed",
        /// A zone gets its queue. Object: text of the zone key.
        ZoneQueue = "zone-queue",
        /// The taint eviction controller knows these NoExecute taints of a node. Object: node;
        /// argument: they are those added by that change in [`Trace::taints`](super::Trace).
        TaintsKnown = "taints-known",
        /// The taint eviction controller knows of no NoExecute taint of a node any more. Object: node;
        /// argument: 1 if pods are on it.
        TaintsGone = "taints-gone",
        /// A pod does not tolerate all taints of its node. Object: pod.
        NotTolerated = "not-tolerated",
        /// A pod tolerates all taints of its node for ever. Object: pod.
        ToleratesForever = "tolerates-forever",
        /// A pod's eviction is not scheduled, as it was before. Object: pod.
        WorkExists = "work-exists",
        /// A VolumeAttachment was created: the volume is to be attached. Object: node; argument: the text
        /// of its claim's name; of the following, too.
        AttachmentCreated = "attachment-created",
        /// A volume is attached to a node.
        AttachmentAttached = "attachment-attached",
        /// A VolumeAttachment is being deleted: the volume is to be detached.
        AttachmentDeleting = "attachment-deleting",
        /// A VolumeAttachment is gone: the volume is detached.
        AttachmentGone = "attachment-gone",
        /// A kubelet that is to evict finds no memory left at all: before that the kernel's OOM killer, which is not
        /// simulated, would have killed. Object: node.
        MemoryUsedUp = "memory-used-up",
        /// A pod's claims have been allocated devices. Object: pod; argument: the text of their names.
        DevicesAllocated = "devices-allocated",
        /// The devices of a claim of a pod are free again. Object: pod; argument: which of its claims.
        DevicesFreed = "devices-freed",
        /// A pod is to be evicted for a taint of its devices. Object: pod; argument: in how many seconds.
        DeviceEvictionSet = "device-eviction-set",
        /// It is not to be evicted any more. Object: pod.
        DeviceEvictionCancelled = "device-eviction-cancelled",
        /// The condition EvictionInProgress of a DeviceTaintRule changed. Object: nothing; argument: the text of
        /// the rule's name, and of the condition's reason, status and message, a line each.
        RuleCondition = "rule-condition",
        /// A NodeReadinessRule was created. Object: nothing; argument: the text of its name.
        ReadinessRuleCreated = "readiness-rule-created",
        /// A NodeReadinessRule is gone. Object: nothing; argument: the text of its name.
        ReadinessRuleGone = "readiness-rule-gone",
        /// The node readiness controller is to taint a node, or to untaint it. Object: node; argument: the text of
        /// the rule and of the conditions that it found.
        ReadinessEvaluated = "readiness-evaluated",
        /// A rule's bootstrap is completed at a node. Object: node; argument: the text of the rule's name.
        BootstrapCompleted = "bootstrap-completed",
        /// An agent posted a condition. Object: node; argument: the text `Type=Status`.
        AgentCondition = "agent-condition",
    }
}

impl Note {
    pub(super) fn object(self) -> ObjectKind {
        match self {
            Self::ZoneQueue => ObjectKind::Zone,
            Self::RuleCondition | Self::ReadinessRuleCreated | Self::ReadinessRuleGone => {
                ObjectKind::Nothing
            }
            Self::NotTolerated
            | Self::ToleratesForever
            | Self::WorkExists
            | Self::DevicesAllocated
            | Self::DevicesFreed
            | Self::DeviceEvictionSet
            | Self::DeviceEvictionCancelled => ObjectKind::Pod,
            Self::NodeExpired
            | Self::LastHeartbeat
            | Self::RenewalUnseen
            | Self::LeaseRenewed
            | Self::TaintsKnown
            | Self::TaintsGone
            | Self::AttachmentCreated
            | Self::AttachmentAttached
            | Self::AttachmentDeleting
            | Self::AttachmentGone
            | Self::ReadinessEvaluated
            | Self::BootstrapCompleted
            | Self::AgentCondition
            | Self::MemoryUsedUp => ObjectKind::Node,
        }
    }
}
