//! What changed from release to release in evictions: in the API server's subresource, and in the
//! `kubectl drain` that comes with a release.

/// What of evictions changed from release to release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EvictionRules {
    /// A pod that has ended goes without a look at its budget (S114, 1.12 on).
    pub(crate) ended_pods_are_free: bool,
    /// A pod that is Pending or being deleted goes without a look at its budget (1.19 on).
    pub(crate) unstarted_pods_are_free: bool,
    /// A pod that is not ready goes while the budget is met without it (1.20 on).
    pub(crate) unready_pods_are_free: bool,
    /// The pod gets the condition DisruptionTarget first (1.26 on).
    pub(crate) adds_disruption_target: bool,
    /// The answer to an eviction whose budget has not been counted yet has a Retry-After of ten
    /// seconds (1.21 on), which client-go waits for by itself.
    pub(crate) uncounted_has_retry_after: bool,
    /// Before it evicts, kubectl asks for the API groups, in two requests, then for the resources
    /// of one (up to 1.21); after that for the resources only.
    pub(crate) drain_asks_for_groups: bool,
    /// A node that could not be drained ends kubectl's work on several (up to 1.22).
    pub(crate) drain_stops_at_failure: bool,
    /// kubectl counts the seconds between its looks at a pod from before the first one (1.32 on),
    /// not from after it.
    pub(crate) drain_polls_from_start: bool,
    /// What kubectl says of pods without a controller that it may not delete (`unmanagedFatal`, S111).
    pub(crate) drain_unmanaged: &'static str,
    /// The flag is `--delete-emptydir-data`, and no longer `--delete-local-data`; a failed eviction is told with the pod's
    /// namespace (1.20 on).
    pub(crate) drain_says_emptydir: bool,
    /// A failed wait is told with the pod's namespace (1.27 on).
    pub(crate) drain_says_terminate: bool,
    /// What comes before an error (1.23 on, and from 1.31 on with a blank).
    pub(crate) drain_error: &'static str,
    /// kubectl reads a pod again whose eviction was refused, and waits for the end of the one that
    /// has its name by then (1.35 on).
    pub(crate) drain_rereads_refused_pods: bool,
}
