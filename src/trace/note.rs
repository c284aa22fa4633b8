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
        NodeExpired = "node-expired": ObjectKind::Node,
        /// The last heartbeat that is known of such a node. Object: node; argument: how long ago it
        /// was, in milliseconds.
        LastHeartbeat = "last-heartbeat": ObjectKind::Node,
        /// The API server has a newer renewal of such a node's lease than the controller has seen.
        /// Object: node; argument: how long ago it came, in milliseconds.
        RenewalUnseen = "renewal-unseen": ObjectKind::Node,
        /// A kubelet renewed the lease of its node; noted where the scenario asks for it. Object: node.
        LeaseRenewed = "lease-renewed": ObjectKind::Node,
        /// A zone gets its queue. Object: text of the zone key.
        ZoneQueue = "zone-queue": ObjectKind::Zone,
        /// The taint eviction controller knows these NoExecute taints of a node. Object: node;
        /// argument: they are those added by that change in [`Trace::taints`](super::Trace).
        TaintsKnown = "taints-known": ObjectKind::Node,
        /// The taint eviction controller knows of no NoExecute taint of a node any more. Object: node;
        /// argument: 1 if pods are on it.
        TaintsGone = "taints-gone": ObjectKind::Node,
        /// A pod does not tolerate all taints of its node. Object: pod.
        NotTolerated = "not-tolerated": ObjectKind::Pod,
        /// A pod tolerates all taints of its node for ever. Object: pod.
        ToleratesForever = "tolerates-forever": ObjectKind::Pod,
        /// A pod's eviction is not scheduled, as it was before. Object: pod.
        WorkExists = "work-exists": ObjectKind::Pod,
        /// A VolumeAttachment was created: the volume is to be attached. Object: node; argument: the text
        /// of its claim's name; of the following, too.
        AttachmentCreated = "attachment-created": ObjectKind::Node,
        /// A volume is attached to a node.
        AttachmentAttached = "attachment-attached": ObjectKind::Node,
        /// A VolumeAttachment is being deleted: the volume is to be detached.
        AttachmentDeleting = "attachment-deleting": ObjectKind::Node,
        /// A VolumeAttachment is gone: the volume is detached.
        AttachmentGone = "attachment-gone": ObjectKind::Node,
        /// A kubelet that is to evict finds no memory left at all: before that the kernel's OOM killer, which is not
        /// simulated, would have killed. Object: node.
        MemoryUsedUp = "memory-used-up": ObjectKind::Node,
        /// A pod's claims have been allocated devices. Object: pod; argument: the text of their names.
        DevicesAllocated = "devices-allocated": ObjectKind::Pod,
        /// The devices of a claim of a pod are free again. Object: pod; argument: which of its claims.
        DevicesFreed = "devices-freed": ObjectKind::Pod,
        /// A pod is to be evicted for a taint of its devices. Object: pod; argument: in how many seconds.
        DeviceEvictionSet = "device-eviction-set": ObjectKind::Pod,
        /// It is not to be evicted any more. Object: pod.
        DeviceEvictionCancelled = "device-eviction-cancelled": ObjectKind::Pod,
        /// The condition EvictionInProgress of a DeviceTaintRule changed. Object: nothing; argument: the text of
        /// the rule's name, and of the condition's reason, status and message, a line each.
        RuleCondition = "rule-condition": ObjectKind::Nothing,
        /// A NodeReadinessRule was created. Object: nothing; argument: the text of its name.
        ReadinessRuleCreated = "readiness-rule-created": ObjectKind::Nothing,
        /// A NodeReadinessRule is gone. Object: nothing; argument: the text of its name.
        ReadinessRuleGone = "readiness-rule-gone": ObjectKind::Nothing,
        /// The node readiness controller is to taint a node, or to untaint it. Object: node; argument: the text of
        /// the rule and of the conditions that it found.
        ReadinessEvaluated = "readiness-evaluated": ObjectKind::Node,
        /// A rule's bootstrap is completed at a node. Object: node; argument: the text of the rule's name.
        BootstrapCompleted = "bootstrap-completed": ObjectKind::Node,
        /// An agent posted a condition. Object: node; argument: the text `Type=Status`.
        AgentCondition = "agent-condition": ObjectKind::Node,
    }
    pub(super) fn object -> ObjectKind;
}
