//! What changed in the controller that binds claims from release to release.

/// What changed in the controller that binds claims from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Switches {
    /// A claim that pods wait for has the event WaitForPodScheduled, "waiting for pod P to be scheduled" (S87, 1.19.0
    /// on); before, that its first consumer is to be created, whether or not it was.
    pub(crate) names_waiting_pods: bool,
    /// The event ExternalProvisioning says what to look at where a volume takes long (S88, 1.28.0 on).
    pub(crate) says_what_to_verify: bool,
}
