//! When the pods that have devices are to be evicted, and why (`claimEvictionTime`, `podEvictionTime`).

use crate::api::device::{Allocation, Device, DeviceClaim, DeviceId, DeviceTaintRule, tolerates};
use crate::api::toleration::Toleration;
use crate::controllers::prelude::*;

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

/// The rules that evict, by their names.
pub(super) type Rules = BTreeMap<TextId, Rc<DeviceTaintRule>>;

impl Eviction {
    /// That of a pod two of whose claims, or of a claim two of whose taints, have one.
    pub(super) fn join(&mut self, other: &Self) {
        self.when = self.when.min(other.when);
        self.reasons.extend(&other.reasons);
    }
}

/// When a taint makes a claim's pod go: never if it is tolerated for ever.
fn starts(taint: &Taint, claim: &DeviceClaim) -> Option<Timestamp> {
    let added = taint.time_added.unwrap_or(Timestamp(0));
    let mut least: Option<i64> = None;
    // A toleration without an effect is none of NoExecute.
    let of_effect = |t: &&Toleration| t.effect == Some(Effect::NoExecute);
    for toleration in claim.tolerations.iter().filter(of_effect).filter(|t| tolerates(t, taint)) {
        let seconds = toleration.toleration_seconds?.max(0);
        least = Some(least.map_or(seconds, |l| l.min(seconds)));
    }
    Some(Timestamp(added.0.saturating_add(least.unwrap_or(0))))
}

/// All NoExecute taints of a device: first its driver's, then those of rules (`allEvictingDeviceTaints`). Rules
/// taint a device that is no longer published, too.
fn evicting_taints(
    id: DeviceId,
    device: &Device,
    rules: &Rules,
    informers: &InformerFactory,
) -> Vec<(Reason, Taint)> {
    let slices = informers.slices_of(id.node);
    let published = slices.iter().filter_map(|s| s.taints.get(id.place as usize)).flatten();
    let of_driver = published.enumerate().filter(|(_, t)| t.effect == Effect::NoExecute);
    let pool = informers.name_of(id.node);
    let of_rules = rules.values().filter(|r| r.selector.matches(device, &pool));
    of_driver
        .map(|(i, taint)| (Reason::Slice(id, i), taint.clone()))
        .chain(of_rules.map(|r| (Reason::Rule(r.name, r.uid, r.generation), r.taint.clone())))
        .collect()
}

/// The eviction of a pod that has been allocated devices, if it has a node.
pub(super) fn pod_eviction_time(
    claims: &[DeviceClaim],
    allocation: &Allocation,
    rules: &Rules,
    informers: &InformerFactory,
) -> Option<Eviction> {
    let mut eviction: Option<Eviction> = None;
    for (claim, devices) in claims.iter().zip(&allocation.devices) {
        for id in devices {
            let Some(device) = allocation.of.get(id.place as usize) else { continue };
            for (reason, taint) in evicting_taints(*id, device, rules, informers) {
                let Some(when) = starts(&taint, claim) else { continue };
                let new = Eviction { when, reasons: BTreeSet::from([reason]) };
                match &mut eviction {
                    Some(eviction) => eviction.join(&new),
                    None => eviction = Some(new),
                }
            }
        }
    }
    eviction
}
