//! What controllers find or decide without anything changing, and changes that are told on request.

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

/// What a controller finds or decides without anything changing: its log has it, but no
/// timeline. And what happens too often to be told unasked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Note {
    /// A node was not heard of for longer than its grace period. Object: node; argument: how long,
    /// in milliseconds.
    NodeExpired,
    /// The last heartbeat that is known of such a node. Object: node; argument: how long ago it
    /// was, in milliseconds.
    LastHeartbeat,
    /// The API server has a newer renewal of such a node's lease than the controller has seen.
    /// Object: node; argument: how long ago it came, in milliseconds.
    RenewalUnseen,
    /// A kubelet renewed the lease of its node; noted where the scenario asks for it. Object: node.
    LeaseRenewed,
    /// A zone gets its queue. Object: text of the zone key.
    ZoneQueue,
    /// The taint eviction controller knows these NoExecute taints of a node. Object: node;
    /// argument: they are those added by that change in [`Trace::taints`](super::Trace).
    TaintsKnown,
    /// The taint eviction controller knows of no NoExecute taint of a node any more. Object: node;
    /// argument: 1 if pods are on it.
    TaintsGone,
    /// A pod does not tolerate all taints of its node. Object: pod.
    NotTolerated,
    /// A pod tolerates all taints of its node for ever. Object: pod.
    ToleratesForever,
    /// A pod's eviction is not scheduled, as it was before. Object: pod.
    WorkExists,
    /// A VolumeAttachment was created: the volume is to be attached. Object: node; argument: the text
    /// of its claim's name; of the following, too.
    AttachmentCreated,
    /// A volume is attached to a node.
    AttachmentAttached,
    /// A VolumeAttachment is being deleted: the volume is to be detached.
    AttachmentDeleting,
    /// A VolumeAttachment is gone: the volume is detached.
    AttachmentGone,
    /// A kubelet that is to evict finds no memory left at all: before that the kernel's OOM killer, which is not
    /// simulated, would have killed. Object: node.
    MemoryUsedUp,
}

impl Note {
    /// The kind of record, as `events.jsonl` has it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::NodeExpired => "node-expired",
            Self::LastHeartbeat => "last-heartbeat",
            Self::RenewalUnseen => "renewal-unseen",
            Self::LeaseRenewed => "lease-renewed",
            Self::ZoneQueue => "zone-queue",
            Self::TaintsKnown => "taints-known",
            Self::TaintsGone => "taints-gone",
            Self::NotTolerated => "not-tolerated",
            Self::ToleratesForever => "tolerates-forever",
            Self::WorkExists => "work-exists",
            Self::AttachmentCreated => "attachment-created",
            Self::AttachmentAttached => "attachment-attached",
            Self::AttachmentDeleting => "attachment-deleting",
            Self::AttachmentGone => "attachment-gone",
            Self::MemoryUsedUp => "memory-used-up",
        }
    }

    pub(super) fn object(self) -> ObjectKind {
        match self {
            Self::ZoneQueue => ObjectKind::Zone,
            Self::NotTolerated | Self::ToleratesForever | Self::WorkExists => ObjectKind::Pod,
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
            | Self::MemoryUsedUp => ObjectKind::Node,
        }
    }
}
