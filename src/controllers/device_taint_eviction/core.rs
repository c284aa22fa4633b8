//! What the controller knows, and the mutex that guards it; when the pods that have devices are to be evicted,
//! and why (`claimEvictionTime`, `podEvictionTime`).

use crate::api::device::{
    Allocation, Device, DeviceId, DeviceResult, DeviceTaintRule, SharedClaim, tolerates,
};
use crate::api::toleration::Toleration;
use crate::controllers::prelude::*;
use crate::kernel::Lock;
use crate::plan::switches::device_taint_eviction::Switches;

/// The least time between two updates of a rule's status (`ruleStatusPeriod`).
pub(super) const RULE_STATUS_PERIOD: Dur = Dur::from_secs(10);

/// The taint behind an eviction (`trackedTaint`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Reason {
    /// That of a rule, of which life of it, and of which generation of its spec.
    Rule(TextId, Uid, u32),
    /// A driver's, by its place among those of the device.
    Slice(DeviceId, usize),
}

/// When eviction begins, with all reasons (`evictionAndReason`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Eviction {
    pub(super) when: Timestamp,
    pub(super) reasons: BTreeSet<Reason>,
}

/// A NoExecute taint of a device of a pod, which makes that go at a time.
struct Due {
    when: Timestamp,
    reason: Reason,
    taint: Taint,
    device: (NodeId, String),
}

/// The rules that evict, by their names.
pub(super) type Rules = BTreeMap<TextId, Rc<DeviceTaintRule>>;

/// When a taint makes a pod go, by what the device was allocated with: never if it is tolerated for ever.
fn starts(taint: &Taint, tolerations: &[Toleration]) -> Option<Timestamp> {
    let added = taint.time_added.unwrap_or(Timestamp(0));
    // A toleration without an effect is none of NoExecute.
    let of_effect = |t: &&Toleration| t.effect == Some(Effect::NoExecute);
    let tolerations = tolerations.iter().filter(of_effect).filter(|t| tolerates(t, taint));
    let seconds: Option<Vec<i64>> = tolerations.map(|t| t.toleration_seconds).collect();
    let least = seconds?.into_iter().min().unwrap_or(0).max(0);
    Some(Timestamp(added.0.saturating_add(least)))
}

/// All NoExecute taints of a device: first its driver's, then those of rules (`allEvictingDeviceTaints`). From 1.35 on
/// rules taint a device that is no longer published, too.
fn evicting_taints(
    id: DeviceId,
    device: &Device,
    rules: &Rules,
    core: &Core,
) -> Vec<(Reason, Taint)> {
    let informers = &core.informers;
    let slices = informers.slices_of(id.node);
    let has_rules = core.switches.work_queue || slices.is_some();
    let published = slices.iter().filter_map(|s| s.taints.get(id.place as usize)).flatten();
    let of_driver = published.enumerate().filter(|(_, t)| t.effect == Effect::NoExecute);
    let pool = informers.name_of(id.node);
    let of_rules = rules.values().filter(|r| has_rules && r.selector.matches(device, &pool));
    of_driver
        .map(|(i, taint)| (Reason::Slice(id, i), taint.clone()))
        .chain(of_rules.map(|r| (Reason::Rule(r.name, r.uid, r.generation), r.taint.clone())))
        .collect()
}

/// What the controller knows beside its caches.
#[derive(Default)]
pub(super) struct State {
    /// When lives of pods are to be deleted (`deletePodAt`).
    pub(super) delete_pod_at: BTreeMap<(PodId, Uid), Eviction>,
    /// Lives of pods that it has evicted.
    pub(super) evicted_pods: BTreeSet<Uid>,
    /// The evictions of pods with devices as they were found last (`allocatedClaims`).
    pub(super) claims: BTreeMap<Uid, (PodId, Option<Eviction>)>,
    /// The rules that evict.
    pub(super) evicting_rules: Rules,
    /// How many pods were evicted by rules.
    pub(super) evicted_by: BTreeMap<Uid, u32>,
}

/// What its parts share.
pub(super) struct Core {
    pub(super) ctx: Ctx,
    pub(super) client: Client,
    pub(super) informers: Rc<InformerFactory>,
    pub(super) switches: Switches,
    pub(super) state: Shared<State>,
    /// Who looks at pods waits while the status of a rule is written: that is done with the mutex held.
    pub(super) mutex: Lock,
}

impl Core {
    /// The pod that has these devices, if it is that life of it.
    pub(super) fn consumer(&self, of: &Allocation) -> Option<Rc<Pod>> {
        self.informers.pod(of.pod).filter(|p| p.uid == of.uid)
    }

    /// Whether whoever looks at the pods of a claim comes to this one (`handlePods`).
    pub(super) fn is_reached(&self, of: &Allocation) -> bool {
        let comes_to = |claim: &Rc<SharedClaim>| {
            let all = self.informers.reserved_for(&claim.name);
            all.iter().take_while(|other| other.uid != of.uid).all(|o| self.consumer(o).is_some())
        };
        self.switches.every_consumer || of.shared.iter().flatten().all(comes_to)
    }

    /// The eviction of a pod that has been allocated devices, if it has a node, under these rules.
    pub(super) fn pod_eviction_time(&self, pod: &Pod, rules: &Rules) -> Option<Eviction> {
        let dues = self.dues(pod, rules);
        let when = dues.iter().map(|due| due.when).min()?;
        Some(Eviction { when, reasons: dues.into_iter().map(|due| due.reason).collect() })
    }

    /// Which taint of which device makes a pod go first, whose it is, and for how long the pod tolerates it.
    pub(super) fn why(&self, pod: &Pod, rules: &Rules) -> String {
        let first = self.dues(pod, rules).into_iter().min_by_key(|due| due.when);
        let Some(due) = first else { return String::new() };
        let by = match due.reason {
            Reason::Rule(name, ..) => {
                self.client.api().names(|n| format!("the rule {}", n.text_of(name)))
            }
            Reason::Slice(..) => "its ResourceSlice".to_owned(),
        };
        let added = due.taint.time_added.unwrap_or(Timestamp(0)).0;
        let tolerated = match due.when.0.saturating_sub(added) {
            0 => "not tolerated".to_owned(),
            seconds => {
                let sign = if added < 0 { "-" } else { "" };
                let added = Dur::from_secs(added.unsigned_abs());
                format!("tolerated for {seconds} s from its timeAdded on, {sign}{added}")
            }
        };
        let (node, device) = (self.informers.name_of(due.device.0), due.device.1);
        format!("{} of {device} of {node}, by {by}, {tolerated}", due.taint)
    }

    /// The NoExecute taints that make a pod go, if it has a node, under these rules.
    fn dues(&self, pod: &Pod, rules: &Rules) -> Vec<Due> {
        let allocation = pod.node.and_then(|_| self.informers.allocation(pod.uid));
        let Some(allocation) = allocation else { return Vec::new() };
        let mut dues = Vec::new();
        let all = allocation.devices.iter().zip(&allocation.of);
        let all = all.flat_map(|(devices, of)| devices.iter().map(move |device| (device, of)));
        for (DeviceResult { device: id, tolerations }, of) in all {
            let is_told = self.switches.allocated_tolerations;
            let tolerations = if is_told { &**tolerations } else { &[] };
            let Some(device) = of.get(id.place as usize) else { continue };
            for (reason, taint) in evicting_taints(*id, device, rules, self) {
                let Some(when) = starts(&taint, tolerations) else { continue };
                let device = (id.node, device.name.clone());
                dues.push(Due { when, reason, taint, device });
            }
        }
        dues
    }
}
