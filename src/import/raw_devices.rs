//! What the importer reads of devices, claims on them, classes and rules, as the API prints them
//! (`k8s.io/api/resource/v1/types.go`, v1.37). `v1beta1` has a device's fields under `basic`, and those of a
//! request in the request itself (`v1beta1/types.go`, v1.33).

use super::selectors::Attributes;
use crate::import::prelude::*;

/// An exported claim on devices.
pub(super) type RawDeviceClaim = Object<RawDeviceClaimSpec, RawDeviceClaimStatus>;
/// An exported template of such claims.
pub(super) type RawTemplate = Object<RawDeviceClaimSpec, ()>;

raw! {
    /// `resource/v1 ResourceSliceSpec`
    struct RawSliceSpec {
        driver: String,
        pool: RawPool,
        node_name: String,
        shared_counters: Filled,
        devices: Vec<RawDevice>,
    }

    /// `resource/v1 ResourcePool`
    struct RawPool {
        name: String,
        generation: i64,
    }

    /// `resource/v1 Device`
    struct RawDevice {
        name: String,
        attributes: Attributes,
        taints: Vec<RawTaint>,
        consumes_counters: Filled,
        allow_multiple_allocations: bool,
        binding_conditions: Filled,
        /// Of `v1beta1`.
        basic: Option<Box<RawDevice>>,
    }

    /// `resource/v1 ResourceClaimTemplateSpec`
    struct RawTemplateSpec {
        spec: RawDeviceClaimSpec,
    }

    /// `resource/v1 ResourceClaimSpec`
    struct RawDeviceClaimSpec {
        devices: RawRequests,
    }

    /// `resource/v1 DeviceClaim`
    struct RawRequests {
        requests: Vec<RawRequest>,
        constraints: Filled,
    }

    /// `resource/v1 DeviceRequest`
    struct RawRequest {
        name: String,
        exactly: Option<RawExactly>,
        first_available: Vec<RawSubRequest>,
        /// Of `v1beta1`; without a class where there is a `firstAvailable`.
        #[serde(flatten)]
        itself: RawExactly,
    }

    /// `resource/v1 DeviceSubRequest`
    struct RawSubRequest {
        name: String,
        #[serde(flatten)]
        itself: RawExactly,
    }

    /// `resource/v1 ExactDeviceRequest`
    struct RawExactly {
        device_class_name: String,
        selectors: Vec<RawDeviceSelector>,
        allocation_mode: String,
        count: Option<u32>,
        admin_access: bool,
        tolerations: Vec<RawToleration>,
        capacity: Filled,
        derived_attributes: Filled,
    }

    /// `resource/v1 DeviceSelector`
    struct RawDeviceSelector {
        cel: RawCel,
    }

    /// `resource/v1 CELDeviceSelector`
    struct RawCel {
        expression: String,
    }

    /// `resource/v1 ResourceClaimStatus`
    struct RawDeviceClaimStatus {
        allocation: RawAllocation,
        reserved_for: Vec<NameOnly>,
    }

    /// `resource/v1 AllocationResult`
    struct RawAllocation {
        devices: RawAllocated,
    }

    /// `resource/v1 DeviceAllocationResult`
    struct RawAllocated {
        results: Vec<RawResult>,
    }

    /// `resource/v1 DeviceRequestAllocationResult`
    struct RawResult {
        request: String,
        driver: String,
        pool: String,
        device: String,
        admin_access: bool,
    }

    /// `resource/v1 DeviceClassSpec`
    struct RawClassSpec {
        selectors: Vec<RawDeviceSelector>,
    }

    /// `resource/v1 DeviceTaintRuleSpec`
    struct RawRuleSpec {
        device_selector: Option<BTreeMap<String, Value>>,
        taint: RawTaint,
    }
}

impl RawSliceSpec {
    /// The same as later versions have it.
    pub(super) fn of_today(mut self) -> Self {
        for device in &mut self.devices {
            if let Some(basic) = device.basic.take() {
                let name = std::mem::take(&mut device.name);
                *device = RawDevice { name, ..*basic };
            }
        }
        self
    }
}

impl RawDeviceClaimSpec {
    /// The same as later versions have it.
    pub(super) fn of_today(mut self) -> Self {
        for request in &mut self.devices.requests {
            let itself = std::mem::take(&mut request.itself);
            let has_class = !itself.device_class_name.is_empty();
            request.exactly = request.exactly.take().or(has_class.then_some(itself));
        }
        self
    }
}

impl RawRequest {
    /// What will do for it, the best first, each behind the name that its results have.
    pub(super) fn alternatives(&self) -> Vec<(String, &RawExactly)> {
        let of = |sub: &RawSubRequest| format!("{}/{}", self.name, sub.name);
        let list = self.first_available.iter().map(|sub| (of(sub), &sub.itself));
        self.exactly.iter().map(|exactly| (self.name.clone(), exactly)).chain(list).collect()
    }
}

/// All objects about devices.
#[derive(Default)]
pub(super) struct RawDevices {
    pub(super) slices: Named<RawSliceSpec>,
    pub(super) claims: Named<RawDeviceClaim>,
    pub(super) templates: Named<RawTemplate>,
    pub(super) classes: Named<RawClassSpec>,
    pub(super) rules: Named<RawRuleSpec>,
}

impl RawDevices {
    /// Whether there are taints of devices, or rules, which no API server keeps without their gates.
    pub(super) fn has_taints(&self) -> bool {
        let mut devices = self.slices.placed().flat_map(|(_, slice)| &slice.devices);
        self.rules.len() > 0 || devices.any(|device| !device.taints.is_empty())
    }

    /// Whether a claim has a request with alternatives, which no API server keeps without its gate.
    pub(super) fn has_lists(&self) -> bool {
        let of_templates = self.templates.iter().map(|template| &template.spec);
        let specs = self.claims.iter().map(|claim| &claim.spec).chain(of_templates);
        specs.flat_map(|spec| &spec.devices.requests).any(|r| !r.first_available.is_empty())
    }

    /// The times of taints go into `times`.
    pub(super) fn note_times(&self, times: &mut Times) -> Result<()> {
        let mut note = |place: &Place, taint: &RawTaint| {
            let added = time("timeAdded", &taint.time_added).map_err(at(place))?;
            added.into_iter().for_each(|t| times.other(t));
            Ok::<(), ImportError>(())
        };
        for (place, slice) in self.slices.placed() {
            slice.devices.iter().flat_map(|d| &d.taints).try_for_each(|t| note(place, t))?;
        }
        self.rules.placed().try_for_each(|(place, rule)| note(place, &rule.taint))
    }
}
