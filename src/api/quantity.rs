//! Kubernetes quantities, "500m", "32Gi", and lists of resources.
//!
//! `apimachinery/pkg/api/resource/quantity.go`. A quantity is kept in thousandths, rounded up as upstream does
//! when it takes `MilliValue`.

use std::collections::BTreeMap;

/// Resource name to amount, `v1.ResourceList`.
pub type Resources = BTreeMap<String, Quantity>;

/// An amount of a resource, in thousandths of its unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Quantity {
    /// Thousandths: `500m` is 500, `1Gi` is 1073741824000.
    pub milli: i128,
}
