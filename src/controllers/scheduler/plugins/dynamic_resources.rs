//! DynamicResources (`plugins/dynamicresources/dynamicresources.go`, with the allocator of
//! `k8s.io/dynamic-resource-allocation/structured`), as far as claims for so many devices of one driver go: a
//! node has to have them free, and without taints that the claim does not tolerate. A claim that is allocated holds the
//! pod to its node; one that pods share is allocated for the first of them, and the others wait until it is.
//!
//! Left out: everything that an expression selects by.

use crate::api::device::{DeviceId, ResourceSlices, tolerates};
use crate::controllers::scheduler::prelude::*;

/// What the filter knows of devices, for one pod.
pub struct PodDevices<'a> {
    /// What the pod claims.
    pub(crate) claims: &'a [DeviceClaim],
    /// By claim, one that pods share, as the scheduler knows it.
    pub(crate) shared: Vec<Option<Rc<SharedClaim>>>,
    pub(crate) informers: &'a InformerFactory,
    /// The devices that others have, or are about to get.
    pub(crate) taken: BTreeSet<DeviceId>,
    /// By claim, what it has been allocated: by an attempt whose binding failed, or for another pod that shares it.
    pub(crate) allocated: Vec<Option<Vec<DeviceId>>>,
    /// A claim that is being allocated for another pod.
    pub(crate) pending: Option<Rc<str>>,
}

impl PodDevices<'_> {
    /// The devices of a node that the pod gets there, by claim: of those that are left the first.
    fn allocate(&self, node: NodeId) -> Option<Vec<Vec<DeviceId>>> {
        let slices = self.informers.slices_of(node);
        let pool = self.informers.name_of(node);
        let mut taken = self.taken.clone();
        let mut all = Vec::new();
        for (claim, allocated) in self.claims.iter().zip(&self.allocated) {
            if let Some(devices) = allocated {
                all.push(devices.clone());
                continue;
            }
            let mut got = Vec::new();
            let devices = slices.iter().flat_map(|s| s.devices.iter());
            for (place, device) in (0..).zip(devices) {
                let id = DeviceId { node, place };
                let is_free = device.driver == claim.driver
                    && !taken.contains(&id)
                    && !self.is_kept_off(claim, slices.as_deref(), id, &pool);
                if is_free && got.len() < claim.count as usize {
                    taken.insert(id);
                    got.push(id);
                }
            }
            if got.len() < claim.count as usize {
                return None;
            }
            all.push(got);
        }
        Some(all)
    }

    /// Whether a taint keeps a device from being allocated (`taintPreventsAllocation`).
    fn is_kept_off(
        &self,
        claim: &DeviceClaim,
        slices: Option<&ResourceSlices>,
        id: DeviceId,
        pool: &str,
    ) -> bool {
        let Some(slices) = slices else { return true };
        let place = id.place as usize;
        let keeps_off = |taint: &Taint| {
            taint.effect != Effect::PreferNoSchedule
                && !claim.tolerations.iter().any(|t| tolerates(t, taint))
        };
        slices.taints[place].iter().any(keeps_off)
            || self.informers.rules().iter().any(|rule| {
                !rule.previews
                    && rule.selector.matches(&slices.devices[place], pool)
                    && keeps_off(&rule.taint)
            })
    }

    /// Rejects the pod as long as one of its claims is being allocated for another one (`PreFilter`).
    pub(crate) fn pre_filter(&self) -> Verdict {
        let Some(name) = &self.pending else { return Ok(()) };
        let reason = format!("resource claim {name} is in the process of being allocated");
        let (plugin, reasons) = (Plugin::DynamicResources, vec![reason.into()]);
        Err(Rejection { plugin, unresolvable: true, reasons })
    }

    /// Rejects a node other than that of a claim that is allocated, and one that has not enough devices left.
    pub(crate) fn filter(&self, node: NodeId) -> Verdict {
        let no = |reason| Err(Rejection::unresolvable(Plugin::DynamicResources, reason));
        let mut allocated = self.allocated.iter().flatten().flatten();
        match () {
            () if allocated.any(|d| d.node != node) => {
                no("resourceclaim not available on the node")
            }
            () if self.allocate(node).is_none() => no("cannot allocate all claims"),
            () => Ok(()),
        }
    }

    /// `Reserve`: what the pod gets on the node that was chosen.
    pub(crate) fn reserve(&self, pod: &Pod, node: NodeId) -> Option<Allocation> {
        let (devices, slices) = (self.allocate(node)?, self.informers.slices_of(node)?);
        let shared = self.shared.clone();
        Some(Allocation { pod: pod.id, uid: pod.uid, devices, shared, of: slices.devices.clone() })
    }
}

/// Whether the plugin hears of a kind of change.
pub(crate) fn hears(event: ClusterEvent) -> bool {
    use ClusterEvent as E;
    matches!(
        event,
        E::NodeAdd
            | E::NodeLabel
            | E::NodeAllocatable
            | E::ResourceClaimUpdate
            | E::ResourceSliceUpdate
            | E::OwnClaims
    )
}
