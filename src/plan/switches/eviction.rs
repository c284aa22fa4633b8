//! What changed in the eviction subresource from release to release.

/// What of the eviction subresource changed from release to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvictionRules {
    /// A pod that is Pending or being deleted goes without a look at its budget (1.19 on).
    pub unstarted_pods_are_free: bool,
    /// A pod that is not ready goes while the budget is met without it (1.20 on).
    pub unready_pods_are_free: bool,
    /// The pod gets the condition DisruptionTarget first (1.26 on).
    pub adds_disruption_target: bool,
}
