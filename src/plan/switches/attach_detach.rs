//! What changed in the attach/detach controller from release to release.

use crate::kernel::Dur;

/// What changed in the attach/detach controller from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// After how long an operation looks for its VolumeAttachment's status in the cache, and then ever more seldom, where it
    /// watched the object before (S36).
    pub(crate) looks_after: Option<Dur>,
    /// A volume that is in use on a node is detached after six minutes only where the node is not
    /// ready (S37).
    pub(crate) spares_healthy: bool,
    /// A volume is detached at once from a node that is tainted out-of-service (S38, gate
    /// NodeOutOfServiceVolumeDetach).
    pub(crate) out_of_service: bool,
    /// A pod whose volume another node has is told "Waiting for detach" (S42), before "Multi-Attach error".
    pub(crate) waiting_text: bool,
    /// A volume whose detaching failed may be attached or not; before, it counts as attached (S120).
    pub(crate) failed_detach_is_uncertain: bool,
    /// What an attachment that took too long is said to have been, before the volume's name, where it is not said who was waited
    /// for (S121).
    pub(crate) timeout_text: Option<&'static str>,
    /// The end of a pod that no watch showed is heard of by the list that it is not in; before, the populator finds it (S122).
    pub(crate) hears_of_unseen_ends: bool,
    /// `--disable-force-detach-on-timeout` is known (S39).
    pub(crate) force_detach_flag: bool,
}
