//! What changed in the disruption controller from release to release.

/// What changed in the disruption controller from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// The condition DisruptionTarget of a pod that was not deleted after all is set to False after
    /// two minutes (1.26 on).
    pub resets_stale_condition: bool,
}
