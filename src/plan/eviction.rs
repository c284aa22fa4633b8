//! When kubelets evict pods because their node runs short of something (`pkg/kubelet/eviction/api/types.go`).

use super::profile::Profile;
use crate::api::node::NodeConditionType;
use crate::api::quantity::Quantity;
use crate::api::usage::Used;
use crate::api::words::words;
use crate::kernel::Dur;
use std::fmt;

words! {
    /// What is watched. Left out are those of a container filesystem, which upstream sets to those of the filesystem that it
    /// is on.
    pub enum Signal {
        /// The node's memory.
        MemoryAvailable = "memory.available",
        /// The memory that pods may use together.
        AllocatableMemoryAvailable = "allocatableMemory.available",
        /// Bytes of the node's filesystem.
        NodeFsAvailable = "nodefs.available",
        /// Inodes of the same.
        NodeFsInodesFree = "nodefs.inodesFree",
        /// Bytes of the filesystem that images are on.
        ImageFsAvailable = "imagefs.available",
        /// Inodes of the same.
        ImageFsInodesFree = "imagefs.inodesFree",
        /// Process ids.
        PidAvailable = "pid.available",
    }
}

impl Signal {
    /// The condition that is True while it is short (`signalToNodeCondition`).
    pub(crate) fn condition(self) -> NodeConditionType {
        match self.resource() {
            Used::Memory => NodeConditionType::MemoryPressure,
            Used::Pids => NodeConditionType::PidPressure,
            _ => NodeConditionType::DiskPressure,
        }
    }

    /// The resource that is reclaimed (`signalToResource`): of both filesystems it is called the same.
    pub(crate) fn resource(self) -> Used {
        match self {
            Self::MemoryAvailable | Self::AllocatableMemoryAvailable => Used::Memory,
            Self::NodeFsAvailable | Self::ImageFsAvailable => Used::NodeFs,
            Self::NodeFsInodesFree | Self::ImageFsInodesFree => Used::NodeFsInodes,
            Self::PidAvailable => Used::Pids,
        }
    }
}

/// An amount, or a share of what there is (`ThresholdValue`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    /// So much.
    Quantity(Quantity),
    /// That part of the capacity, 0 to 1.
    Share(f32),
}

impl Amount {
    /// How much it is of that capacity (`GetThresholdQuantity`).
    pub(crate) fn of(self, capacity: i64) -> Quantity {
        match self {
            Self::Quantity(quantity) => quantity,
            Self::Share(share) => {
                Quantity::from_binary((capacity as f64 * f64::from(share)) as i64)
            }
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quantity(quantity) => write!(f, "{quantity}"),
            Self::Share(share) => write!(f, "{}%", (f64::from(*share) * 1e4).round() / 100.0),
        }
    }
}

/// Below which amount something is short.
#[derive(Clone, Copy, PartialEq)]
pub struct Threshold {
    /// What is watched.
    pub(crate) signal: Signal,
    /// Less than that is short.
    pub(crate) value: Amount,
    /// How much more than that is to be there before it is no longer short.
    pub(crate) min_reclaim: Option<Amount>,
    /// For how long it has to be short before pods are evicted; none of a hard threshold.
    pub(crate) grace_period: Dur,
}

/// As a flag says it; a soft one with its grace period, both with what is to be there beyond it.
impl fmt::Debug for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}<{}", self.signal.as_str(), self.value)?;
        if !self.is_hard() {
            write!(f, " for {}", self.grace_period)?;
        }
        self.min_reclaim.map_or(Ok(()), |more| write!(f, " and {more} more"))
    }
}

impl Threshold {
    /// Whether pods are evicted at once (`isHardEvictionThreshold`).
    pub(crate) fn is_hard(&self) -> bool {
        self.grace_period.is_zero()
    }
}

/// The kubelets' settings of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Eviction {
    /// Hard ones before soft ones, each in the order in which they are written.
    pub(crate) thresholds: Vec<Threshold>,
    /// For how long a condition stays True after it was last so (`--eviction-pressure-transition-period`).
    pub(crate) pressure_transition_period: Dur,
    /// The longest grace of a pod at a soft threshold, in seconds (`--eviction-max-pod-grace-period`).
    pub(crate) max_pod_grace_period_seconds: i64,
}

impl Eviction {
    /// What a release does where no flag says otherwise (`defaults_linux.go`, `kubelet/apis/config/v1beta1/defaults.go`).
    pub fn defaults(profile: &Profile) -> Self {
        let hard =
            |signal, value| Threshold { signal, value, min_reclaim: None, grace_period: Dur::ZERO };
        let memory = Amount::Quantity(Quantity::from_binary(100 << 20));
        let mut thresholds = vec![
            hard(Signal::MemoryAvailable, memory),
            hard(Signal::NodeFsAvailable, Amount::Share(0.10)),
            hard(Signal::NodeFsInodesFree, Amount::Share(0.05)),
            hard(Signal::ImageFsAvailable, Amount::Share(0.15)),
        ];
        if profile.kubelet.eviction.image_inodes_by_default {
            thresholds.push(hard(Signal::ImageFsInodesFree, Amount::Share(0.05)));
        }
        Self {
            thresholds: with_allocatable(thresholds),
            pressure_transition_period: Dur::from_secs(300),
            max_pod_grace_period_seconds: 0,
        }
    }
}

/// Thresholds with one for the memory of all pods together for each hard one of memory (`addAllocatableThresholds`): kubelets
/// enforce what pods may use together unless they are told not to.
pub(crate) fn with_allocatable(mut thresholds: Vec<Threshold>) -> Vec<Threshold> {
    let of_memory = |t: &&Threshold| t.signal == Signal::MemoryAvailable && t.is_hard();
    let signal = Signal::AllocatableMemoryAvailable;
    let more: Vec<Threshold> =
        thresholds.iter().filter(of_memory).map(|t| Threshold { signal, ..*t }).collect();
    thresholds.extend(more);
    thresholds
}
