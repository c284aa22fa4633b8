//! Taints (`v1.Taint`) and the well-known keys that the control plane itself writes.

use super::meta::Timestamp;
use crate::api::prelude::*;

/// Taint key for a node whose Ready condition is False.
pub const NOT_READY: &str = "node.kubernetes.io/not-ready";
/// Taint key for a node whose Ready condition is Unknown.
pub const UNREACHABLE: &str = "node.kubernetes.io/unreachable";
/// The taint of a node whose instance is shut down; it evicts nobody.
pub(crate) const SHUTDOWN: &str = "node.cloudprovider.kubernetes.io/shutdown";
/// The taint with which a kubelet with an external cloud provider registers.
pub(crate) const UNINITIALIZED: &str = "node.cloudprovider.kubernetes.io/uninitialized";
/// Taint key for a cordoned node.
pub(crate) const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
/// Taint key for memory pressure.
pub(crate) const MEMORY_PRESSURE: &str = "node.kubernetes.io/memory-pressure";
/// Taint key for disk pressure.
pub(crate) const DISK_PRESSURE: &str = "node.kubernetes.io/disk-pressure";
/// Taint key for PID pressure.
pub(crate) const PID_PRESSURE: &str = "node.kubernetes.io/pid-pressure";
/// Taint key for an unavailable network.
pub(crate) const NETWORK_UNAVAILABLE: &str = "node.kubernetes.io/network-unavailable";
/// Taint key for OutOfDisk, up to 1.13.
pub(crate) const OUT_OF_DISK: &str = "node.kubernetes.io/out-of-disk";
/// Taint key that an administrator sets on a node that is known to be off.
pub(crate) const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";
/// `not-ready` in 1.6 to 1.8.
pub(crate) const NOT_READY_ALPHA: &str = "node.alpha.kubernetes.io/notReady";
/// `unreachable` in 1.6 to 1.8.
pub(crate) const UNREACHABLE_ALPHA: &str = "node.alpha.kubernetes.io/unreachable";

/// The keys of taints that some release's controllers or kubelets set by themselves.
pub(crate) const SET_BY_KUBERNETES: [&str; 12] = [
    NOT_READY,
    UNREACHABLE,
    SHUTDOWN,
    UNINITIALIZED,
    UNSCHEDULABLE,
    MEMORY_PRESSURE,
    DISK_PRESSURE,
    PID_PRESSURE,
    NETWORK_UNAVAILABLE,
    OUT_OF_DISK,
    NOT_READY_ALPHA,
    UNREACHABLE_ALPHA,
];

words! {
    /// The effect of a taint.
    #[derive(Deserialize, Serialize, JsonSchema)]
    pub enum Effect {
        /// New pods stay away.
        NoSchedule = "NoSchedule",
        /// New pods stay away if possible.
        PreferNoSchedule = "PreferNoSchedule",
        /// New pods stay away, and running ones are evicted.
        NoExecute = "NoExecute",
    }
}

/// A taint of a node. Its identity is key and effect.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Taint {
    /// The taint's key.
    pub key: String,
    /// The taint's value, often empty.
    pub value: String,
    /// What it does.
    pub effect: Effect,
    /// When a controller added it; kubectl writes none. The eviction controller does not read it.
    pub time_added: Option<Timestamp>,
}

impl Taint {
    /// A taint without a value.
    pub fn new(key: &str, effect: Effect) -> Self {
        Taint { key: key.to_owned(), value: String::new(), effect, time_added: None }
    }

    /// Same key and effect (`Taint.MatchTaint`).
    pub fn matches(&self, other: &Taint) -> bool {
        self.effect == other.effect && self.key == other.key
    }
}

/// `AddOrUpdateTaint` (`pkg/util/taints/taints.go`): a taint of the same key and effect is
/// replaced, else this one is appended.
pub(crate) fn add_or_update(taints: &mut Vec<Taint>, taint: &Taint) {
    match taints.iter_mut().find(|old| old.matches(taint)) {
        Some(old) => old.clone_from(taint),
        None => taints.push(taint.clone()),
    }
}

/// `key=value:Effect`, or `key:Effect` where there is no value.
impl fmt::Display for Taint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.value.is_empty() {
            write!(f, "{}:{}", self.key, self.effect)
        } else {
            write!(f, "{}={}:{}", self.key, self.value, self.effect)
        }
    }
}
