//! DynamicResources (`plugins/dynamicresources/dynamicresources.go`), as far as requests for devices of one driver go: a
//! node has to have them free, and without taints that the request does not tolerate. A claim that is allocated holds the
//! pod to its node; one that pods share is allocated for the first of them, and the others wait until it is.
//!
//! Left out: everything that an expression selects by.

use crate::api::allocator::{Solution, allocate};
use crate::api::device::{
    DeviceId, DeviceRequest, DeviceResult, DeviceTaintRule, ExactDeviceRequest, ResourceSlices,
    tolerates,
};
use crate::controllers::scheduler::prelude::*;

/// What is said of a node where a claim that is allocated is not.
const NOT_AVAILABLE: &str = "resourceclaim not available on the node";

/// What the filter knows of devices, for one pod.
pub struct PodDevices<'a> {
    /// What the pod claims.
    pub(crate) claims: &'a [DeviceClaim],
    /// By claim, one that pods share, as the scheduler knows it.
    pub(crate) shared: Vec<Option<Rc<SharedClaim>>>,
    pub(crate) informers: &'a InformerFactory,
    /// Later alternatives may be for all devices.
    pub(crate) whole: bool,
    /// The devices that others have, or are about to get.
    pub(crate) taken: BTreeSet<DeviceId>,
    /// By claim, what it has been allocated: by an attempt whose binding failed, or for another pod that shares it.
    pub(crate) allocated: Vec<Option<Vec<DeviceResult>>>,
    /// By claim, whether it is reserved for the pod.
    pub(crate) reserved: Vec<bool>,
    /// A claim that is being allocated for another pod.
    pub(crate) pending: Option<Rc<str>>,
}

/// What the claims of a pod are to be on the node that was chosen.
pub(crate) struct Reservation {
    /// The devices that it gets there.
    pub(crate) allocation: Rc<Allocation>,
    /// By claim, whether it was allocated before.
    pub(crate) had: Vec<bool>,
    /// By claim, whether it is reserved for the pod by now.
    pub(crate) reserved: Vec<bool>,
}

impl Reservation {
    /// What is being allocated (`SignalClaimPendingAllocation`): a claim that was allocated before is only reserved.
    pub(crate) fn pending(&self) -> Option<Rc<Allocation>> {
        let mut new = (*self.allocation).clone();
        let had = new.devices.iter_mut().zip(&self.had).filter(|(_, had)| **had);
        had.for_each(|(devices, _)| devices.clear());
        let is_new = new.all().next().is_some();
        is_new.then(|| Rc::new(new))
    }
}

impl PodDevices<'_> {
    /// What the claims that are not allocated yet get on a node, if that is all that they ask for.
    fn allocate(&self, node: NodeId) -> Option<Solution> {
        let waits = self.claims.iter().zip(&self.allocated).filter(|(_, had)| had.is_none());
        let claims: Vec<&DeviceClaim> = waits.map(|(claim, _)| claim).collect();
        let slices = self.informers.slices_of(node);
        let pool = self.informers.name_of(node);
        let rules = self.informers.rules();
        let devices = slices.as_ref().map_or(&[][..], |slices| &*slices.devices);
        let is_in_use = |place| self.taken.contains(&DeviceId { node, place: place as u32 });
        let is_kept_off = |request: &ExactDeviceRequest, place| {
            let Some(slices) = &slices else { return true };
            let rules = rules.iter().map(|rule| &**rule);
            taint_prevents_allocation(request, (slices, place, &pool), rules)
        };
        allocate(&claims, (node, devices), self.whole, is_in_use, is_kept_off)
    }

    /// Rejects the pod as long as one of its claims is being allocated for another one (`PreFilter`). That a claim is
    /// reserved for as many as may be is nothing to it: "no restrictions on sharing" (`resourceclaim: CanBeReserved`).
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
            () if self.allocate(node).is_none() => no("cannot allocate all claims"),
            () if allocated.any(|result| result.device.node != node) => no(NOT_AVAILABLE),
            () => Ok(()),
        }
    }

    /// How near to the first the alternatives of requests stand that a pod gets on each of these nodes (`Score`,
    /// `NormalizeScore`); none where it has no alternatives.
    pub(crate) fn score(&self, nodes: &[NodeId]) -> Option<Vec<i64>> {
        let mut requests = self.claims.iter().flat_map(|claim| &claim.requests);
        if !requests.any(|r| matches!(r, DeviceRequest::FirstAvailable(_))) {
            return None;
        }
        let score = |node: &NodeId| self.allocate(*node).map_or(0, |solution| solution.score);
        let mut scores: Vec<i64> = nodes.iter().map(score).collect();
        let most = scores.iter().copied().max().filter(|most| *most > 0)?;
        scores.iter_mut().for_each(|score| *score = *score * MAX_NODE_SCORE / most);
        Some(scores)
    }

    /// `Reserve`: what the pod gets on the node that was chosen.
    pub(crate) fn reserve(&self, pod: &Pod, node: NodeId) -> Option<Reservation> {
        let (solution, slices) = (self.allocate(node)?, self.informers.slices_of(node)?);
        let mut new = solution.devices.into_iter();
        let devices = self.allocated.iter().map(|had| had.clone().or_else(|| new.next()));
        let devices = devices.collect::<Option<_>>()?;
        let (shared, reserved) = (self.shared.clone(), self.reserved.clone());
        let of = vec![slices.devices.clone(); self.claims.len()];
        let (pod, uid) = (pod.id, pod.uid);
        let allocation = Rc::new(Allocation { pod, uid, devices, reserved, shared, of });
        let had = self.allocated.iter().map(Option::is_some).collect();
        Some(Reservation { allocation, had, reserved: self.reserved.clone() })
    }

    /// The claims that are allocated elsewhere than on a node that was rejected for that, and that nobody else has, so that
    /// it may help to deallocate one (`PostFilter`).
    pub(crate) fn idle<'r>(
        &self,
        pod: &Pod,
        rejected: impl Iterator<Item = (NodeId, &'r Rejection)>,
    ) -> Vec<usize> {
        let is_for_that = |r: &Rejection| r.reasons.iter().any(|reason| reason == NOT_AVAILABLE);
        let nodes = rejected.filter(|(_, r)| is_for_that(r)).map(|(node, _)| node);
        let nodes: Vec<NodeId> = nodes.collect();
        let is_elsewhere =
            |result: &DeviceResult| nodes.iter().any(|node| *node != result.device.node);
        let is_idle = |shared: &Option<Rc<SharedClaim>>| {
            let Some(claim) = shared else { return true };
            self.informers.reserved_for(&claim.name).iter().all(|a| a.uid == pod.uid)
        };
        let all = self.allocated.iter().zip(&self.shared).enumerate();
        let idle = all.filter(|(_, (had, shared))| {
            had.as_ref().is_some_and(|had| had.iter().any(is_elsewhere)) && is_idle(shared)
        });
        idle.map(|(claim, _)| claim).collect()
    }
}

/// Whether a taint keeps a device from being allocated for a request (`taintPreventsAllocation`).
fn taint_prevents_allocation<'r>(
    request: &ExactDeviceRequest,
    (slices, place, pool): (&ResourceSlices, usize, &str),
    mut rules: impl Iterator<Item = &'r DeviceTaintRule>,
) -> bool {
    let keeps_off = |taint: &Taint| {
        taint.effect != Effect::PreferNoSchedule
            && !request.tolerations.iter().any(|t| tolerates(t, taint))
    };
    slices.taints[place].iter().any(keeps_off)
        || rules.any(|rule| {
            !rule.previews
                && rule.selector.matches(&slices.devices[place], pool)
                && keeps_off(&rule.taint)
        })
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
