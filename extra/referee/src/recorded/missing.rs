//! What the recorder cannot say of a plan.

use std::collections::BTreeSet;

/// Each a few words, sorted.
pub(super) type Missing = BTreeSet<String>;

/// Notes what is missing, unless all is fine.
pub(super) fn unless(fine: bool, what: &str, missing: &mut Missing) {
    if !fine {
        missing.insert(what.to_owned());
    }
}
