//! What the controller knows, and the mutex that guards it.

use super::eviction_time::{Eviction, Rules, pod_eviction_time};
use crate::controllers::prelude::*;
use crate::kernel::Lock;

/// The least time between two updates of a rule's status (`ruleStatusPeriod`).
pub(super) const RULE_STATUS_PERIOD: Dur = Dur::from_secs(10);

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
        let (state, mutex) = (Shared::new(State::default()), Lock::new(&ctx));
        Self { ctx, client, informers, state, mutex }
    }

    /// The eviction of a pod, under these rules.
    pub(super) fn pod_eviction_time(&self, pod: &Pod, rules: &Rules) -> Option<Eviction> {
        pod.node?;
        let allocation = self.informers.allocation(pod.uid)?;
        pod_eviction_time(&pod.template.devices, &allocation, rules, &self.informers)
    }
}
