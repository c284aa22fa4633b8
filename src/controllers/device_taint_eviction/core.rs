//! What the controller knows, and the mutex that guards it; when the pods that have devices are to be evicted,
//! and why (`claimEvictionTime`, `podEvictionTime`).

use crate::api::device::{Device, DeviceClaim, DeviceId, DeviceTaintRule, tolerates};
use crate::api::toleration::Toleration;
use crate::controllers::prelude::*;
use crate::kernel::Lock;

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

/// The rules that evict, by their names.
pub(super) type Rules = BTreeMap<TextId, Rc<DeviceTaintRule>>;

/// When a taint makes a claim's pod go: never if it is tolerated for ever.
fn starts(taint: &Taint, claim: &DeviceClaim) -> Option<Timestamp> {
    let added = taint.time_added.unwrap_or(Timestamp(0));
    // A toleration without an effect is none of NoExecute.
    let of_effect = |t: &&Toleration| t.effect == Some(Effect::NoExecute);
    let tolerations = claim.tolerations.iter().filter(of_effect).filter(|t| tolerates(t, taint));
    let seconds: Option<Vec<i64>> = tolerations.map(|t| t.toleration_seconds).collect();
    let least = seconds?.into_iter().min().unwrap_or(0).max(0);
    Some(Timestamp(added.0.saturating_add(least)))
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
    pub(super) state: Shared<State>,
    /// Who looks at pods waits while the status of a rule is written: that is done with the mutex held.
    pub(super) mutex: Lock,
}

impl Core {
    pub(super) fn new(ctx: Ctx, client: Client, informers: Rc<InformerFactory>) -> Self {
        Self { mutex: Lock::new(&ctx), state: Shared::default(), ctx, client, informers }
    }

    /// The eviction of a pod that has been allocated devices, if it has a node, under these rules.
    pub(super) fn pod_eviction_time(&self, pod: &Pod, rules: &Rules) -> Option<Eviction> {
        pod.node?;
        let allocation = self.informers.allocation(pod.uid)?;
        let mut eviction: Option<Eviction> = None;
        for (claim, devices) in pod.template.devices.iter().zip(&allocation.devices) {
            for id in devices {
                let Some(device) = allocation.of.get(id.place as usize) else { continue };
                for (reason, taint) in evicting_taints(*id, device, rules, &self.informers) {
                    let Some(when) = starts(&taint, claim) else { continue };
                    let new = Eviction { when, reasons: BTreeSet::new() };
                    let eviction = eviction.get_or_insert(new);
                    eviction.when = eviction.when.min(when);
                    eviction.reasons.insert(reason);
                }
            }
        }
        eviction
    }
}
