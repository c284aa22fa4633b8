//! Lists of resources.

use super::amount::Quantity;
use std::collections::BTreeMap;

/// Resource name to amount, `v1.ResourceList`.
pub type Resources = BTreeMap<String, Quantity>;

/// Adds the resources of `more` to `total`; false, and `total` in part as it was, if a sum does not
/// fit.
pub(crate) fn add_resources(total: &mut Resources, more: &Resources) -> bool {
    for (name, amount) in more {
        let sum = total.entry(name.clone()).or_default();
        match sum.checked_add(*amount) {
            Some(new) => *sum = new,
            None => return false,
        }
    }
    true
}
