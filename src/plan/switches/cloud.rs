//! What changed in the cloud controllers from release to release.

/// What changed in the cloud controllers from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// A patch of a node's taints carries the version that was read, and so may conflict
    /// (1.23.13, 1.24.8, 1.25.4, 1.26.0 on).
    pub(crate) taint_patch_has_version: bool,
    /// A new node is initialized by the handler that hears of it, which reads it twice and says
    /// nothing, up to 1.19; later by a queue's worker, from its cache, with the event Synced.
    pub(crate) initializes_in_handler: bool,
    /// The event of a node's deletion has its message for its reason, up to 1.20.
    pub(crate) message_as_reason: bool,
}
