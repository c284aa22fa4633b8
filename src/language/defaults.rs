//! What holds for a scenario that does not say it: its release, its seed, the value of a field.

/// The release of a scenario that names none: the newest one that timelines were recorded from and
/// that is still common.
pub(crate) const KUBERNETES: &str = "1.34";
/// The seed of a scenario that names none.
pub(crate) const SEED: u64 = 1;

/// Whether a value is the one that stands for a field that is not written.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
