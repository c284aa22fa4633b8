//! What holds for a scenario that does not say it: its release and its seed.

/// The release of a scenario that names none: the newest one that timelines were recorded from and
/// that is still common.
pub(crate) const KUBERNETES: &str = "1.34";
/// The seed of a scenario that names none.
pub(crate) const SEED: u64 = 1;
