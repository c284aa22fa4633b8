//! Devices of nodes, what pods claim of them, and their taints (dynamic resource allocation).
//!
//! `k8s.io/api/resource/v1/types.go`, v1.37. A driver publishes the devices of a node in a pool that is mostly named
//! as the node. Each request of a claim asks for so many devices of one driver. A claim is made for each pod from a template,
//! or exists by itself and is named by the pods that share it. Left out: attributes and selectors, devices that several
//! claims share or that no node has, capacity.

use super::meta::{Timestamp, Uid};
use super::taint::{Effect, Taint};
use super::toleration::Toleration;
use crate::api::prelude::*;

/// For how many pods a claim may be reserved (`ResourceClaimReservedForMaxSize`).
pub(crate) const RESERVED_FOR_MAX: usize = 256;

/// The driver of devices of which none is said.
pub const DEFAULT_DEVICE_DRIVER: &str = "gpu.example.com";

/// A device of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Device {
    /// Its driver (`spec.driver` of its ResourceSlice).
    pub driver: String,
    /// Its name in its pool.
    pub name: String,
    /// Its pool, where that is not named as its node.
    pub pool: Option<String>,
    /// What its driver publishes of it from the start.
    pub taints: Vec<Taint>,
}

impl Device {
    /// Its pool, if it is a device of that node.
    pub(crate) fn pool<'a>(&'a self, node: &'a str) -> &'a str {
        self.pool.as_deref().unwrap_or(node)
    }
}

/// A device: its node, and its place among those of the node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct DeviceId {
    pub(crate) node: NodeId,
    pub(crate) place: u32,
}

/// The ResourceSlices of a node: its devices with the taints that their drivers publish.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ResourceSlices {
    /// Where they are.
    pub(crate) node: NodeId,
    /// In the order in which they are allocated.
    pub(crate) devices: Rc<[Device]>,
    /// By device.
    pub(crate) taints: Vec<Vec<Taint>>,
}

/// A claim of the pods of a template (`spec.resourceClaims`, with the template of the claim).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceClaim {
    /// What it asks for, in the order in which that is allocated (`spec.devices.requests`).
    pub requests: Vec<DeviceRequest>,
    /// The claim that exists by itself, `namespace/name`, which all pods that name it share; none where one is made for
    /// each pod.
    pub shared: Option<Rc<str>>,
}

impl DeviceClaim {
    /// How many devices it is allocated at least.
    pub(crate) fn least(&self) -> usize {
        let of = |r: &DeviceRequest| r.alternatives().iter().map(|a| a.count.unwrap_or(1)).min();
        self.requests.iter().filter_map(of).map(|count| count as usize).sum()
    }

    /// How many devices of a node a request or alternative of it is for that wants all of a driver.
    pub(crate) fn all_of(&self, devices: &[Device]) -> usize {
        let alternatives = self.requests.iter().flat_map(DeviceRequest::alternatives);
        let all = alternatives.filter(|a| a.count.is_none());
        let counts = all.map(|a| devices.iter().filter(|d| d.driver == a.driver).count());
        counts.max().unwrap_or(0)
    }
}

/// A request of a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceRequest {
    /// `exactly`
    Exactly(ExactDeviceRequest),
    /// The first of these that can be had (`firstAvailable`).
    FirstAvailable(Vec<ExactDeviceRequest>),
}

impl DeviceRequest {
    /// What will do for it, the best first.
    pub(crate) fn alternatives(&self) -> &[ExactDeviceRequest] {
        match self {
            Self::Exactly(only) => std::slice::from_ref(only),
            Self::FirstAvailable(list) => list,
        }
    }
}

/// So many devices of a driver (`ExactDeviceRequest`, `DeviceSubRequest`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExactDeviceRequest {
    /// Of which driver.
    pub driver: String,
    /// How many devices; none for all that the node has (`allocationMode: All`).
    pub count: Option<u32>,
    /// Which taints of devices are tolerated. PreferNoSchedule, `Lt` and `Gt` are not among them.
    pub tolerations: Rc<[Toleration]>,
}

/// A device that a claim has been allocated (`DeviceRequestAllocationResult`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DeviceResult {
    /// Which.
    pub(crate) device: DeviceId,
    /// What the request tolerates for which it was allocated.
    pub(crate) tolerations: Rc<[Toleration]>,
}

/// The devices that a life of a pod has (`status.allocation` of its claims).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Allocation {
    /// Whose they are.
    pub(crate) pod: PodId,
    /// Of which life of it.
    pub(crate) uid: Uid,
    /// By claim; those of one are all of one node.
    pub(crate) devices: Vec<Vec<DeviceResult>>,
    /// By claim, whether it is reserved for this life of a pod (`status.reservedFor`). One that is not stays allocated where
    /// the scheduler has taken the reservation back.
    pub(crate) reserved: Vec<bool>,
    /// By claim, one that pods share, as it was when its devices were chosen. It is allocated as long as a life of a pod has
    /// its devices.
    pub(crate) shared: Vec<Option<Rc<SharedClaim>>>,
    /// By claim, the devices of that node, which their places are those of.
    pub(crate) of: Vec<Rc<[Device]>>,
}

impl Allocation {
    /// Which of its claims is one that pods share, if that is allocated by it.
    pub(crate) fn place_of_shared(&self, name: &str) -> Option<usize> {
        let mut all = self.shared.iter().zip(&self.devices);
        all.position(|(shared, devices)| {
            shared.as_ref().is_some_and(|claim| &*claim.name == name) && !devices.is_empty()
        })
    }

    /// The devices of a claim that pods share, if that is allocated by it.
    pub(crate) fn of_shared(&self, name: &str) -> Option<&Vec<DeviceResult>> {
        self.place_of_shared(name).map(|claim| &self.devices[claim])
    }

    /// Whether a claim that pods share is reserved for this one.
    pub(crate) fn has_reserved(&self, name: &str) -> bool {
        self.place_of_shared(name).is_some_and(|claim| self.reserved[claim])
    }

    /// The devices of all its claims.
    pub(crate) fn all(&self) -> impl Iterator<Item = DeviceId> {
        self.devices.iter().flatten().map(|result| result.device)
    }
}

/// A version of a claim that pods share. For whom it is reserved, and its devices, stand with the pods that have them. By
/// default nobody has written to it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SharedClaim {
    /// `namespace/name`
    pub(crate) name: Rc<str>,
    /// `metadata.resourceVersion`, counted for each claim.
    pub(crate) version: u64,
    /// It has the finalizer of an allocation (`resource.kubernetes.io/delete-protection`).
    pub(crate) has_finalizer: bool,
    /// It is allocated (`status.allocation`).
    pub(crate) is_allocated: bool,
}

/// Which devices a rule taints (`DeviceTaintSelector`): those of which all that is given is true, all of
/// them where nothing is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DeviceSelector {
    /// Those of a driver.
    pub driver: Option<String>,
    /// Those of a pool.
    pub pool: Option<String>,
    /// Those of that name.
    pub device: Option<String>,
}

impl DeviceSelector {
    /// Whether it selects a device of that node (`ruleMatchesDevice`).
    pub(crate) fn matches(&self, device: &Device, node: &str) -> bool {
        let is = |wanted: &Option<String>, has: &str| wanted.as_ref().is_none_or(|w| w == has);
        is(&self.driver, &device.driver)
            && is(&self.pool, device.pool(node))
            && is(&self.device, &device.name)
    }
}

/// A rule that taints devices (`DeviceTaintRule`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct DeviceTaintRule {
    /// Its name.
    pub(crate) name: TextId,
    /// This life of it.
    pub(crate) uid: Uid,
    /// `metadata.generation`: how often its spec has changed.
    pub(crate) generation: u32,
    /// Whom it taints.
    pub(crate) selector: Rc<DeviceSelector>,
    /// How; with the effect `None` it only says what NoExecute would do.
    pub(crate) taint: Taint,
    /// Its effect is `None`.
    pub(crate) previews: bool,
    /// The condition EvictionInProgress.
    pub(crate) status: Option<RuleCondition>,
}

impl DeviceTaintRule {
    /// Its effect is NoExecute.
    pub(crate) fn evicts(&self) -> bool {
        !self.previews && self.taint.effect == Effect::NoExecute
    }
}

/// The condition EvictionInProgress of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RuleCondition {
    /// `status`: True or False.
    pub(crate) is_true: bool,
    /// `reason`
    pub(crate) reason: &'static str,
    /// `message`
    pub(crate) message: String,
    /// `observedGeneration`
    pub(crate) observed_generation: u32,
    /// When anything of it changed last.
    pub(crate) last_transition_time: Timestamp,
}

/// Whether a taint of a device is tolerated (`resourceclaim: ToleratesTaint`).
pub(crate) fn tolerates(toleration: &Toleration, taint: &Taint) -> bool {
    toleration.tolerates(taint, false)
}
