//! The pods of one budget, counted.

use crate::controllers::prelude::*;

/// A pod's controller, and which life of that.
pub(super) type Owner = (WorkloadId, Uid);

/// What is known of how many pods a controller should have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scale {
    /// The workload at the top, and its replicas.
    Of(Uid, i32),
    /// The caches do not tell.
    Unknown,
}

/// Pods of one controller.
#[derive(Default)]
struct Group {
    pods: BTreeSet<PodId>,
    scale: Option<Scale>,
}

/// What is known of a budget's pods.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) selector: Rc<Selector>,
    /// How many it selects.
    pub(super) pods: usize,
    /// Ready and not being deleted.
    pub(super) healthy: i32,
    groups: BTreeMap<Owner, Group>,
    /// Groups whose scale is to be found out, and those that have none.
    unknown: BTreeSet<Owner>,
    unscaled: BTreeSet<Owner>,
    /// Pods that have no controller.
    pub(super) unmanaged: BTreeSet<PodId>,
    /// The workloads at the top: how many groups each has, and its replicas.
    tops: BTreeMap<Uid, (usize, i32)>,
    /// How many pods there should be, of all workloads whose scale is known.
    pub(super) expected: i32,
    /// How many changes of scales have been taken in; none before the first call of
    /// [`Self::take_scales`].
    pub(super) seen_changes: Option<usize>,
}

impl Tally {
    /// Nothing is counted yet.
    pub(super) fn new(selector: &Rc<Selector>) -> Self {
        Tally { selector: selector.clone(), ..Self::default() }
    }

    /// Counts a pod in.
    pub(super) fn add(&mut self, pod: &Pod) {
        self.pods += 1;
        self.healthy += i32::from(is_healthy(pod));
        if pod.template.owner.is_none() {
            self.unmanaged.insert(pod.id);
        }
        let Some(owner) = pod.controller() else { return };
        let group = self.groups.entry(owner).or_default();
        group.pods.insert(pod.id);
        if group.pods.len() == 1 {
            self.unknown.insert(owner);
        }
    }

    /// Counts a pod out.
    pub(super) fn remove(&mut self, pod: &Pod) {
        self.pods -= 1;
        self.healthy -= i32::from(is_healthy(pod));
        self.unmanaged.remove(&pod.id);
        let Some(owner) = pod.controller() else { return };
        let Some(group) = self.groups.get_mut(&owner) else { return };
        group.pods.remove(&pod.id);
        if group.pods.is_empty() {
            self.set_scale(owner, None);
            self.unknown.remove(&owner);
            self.groups.remove(&owner);
        }
    }

    /// Another version of a pod that stays: most changes are of that kind.
    pub(super) fn replace(&mut self, old: &Pod, new: &Pod) {
        if old.template.owner != new.template.owner {
            self.remove(old);
            self.add(new);
            return;
        }
        self.healthy += i32::from(is_healthy(new)) - i32::from(is_healthy(old));
    }

    /// Takes in the scale of a controller, or that it has none any more.
    pub(super) fn set_scale(&mut self, owner: Owner, scale: Option<Scale>) {
        let Some(group) = self.groups.get_mut(&owner) else { return };
        match std::mem::replace(&mut group.scale, scale) {
            Some(Scale::Of(top, _)) => {
                if let Some((groups, replicas)) = self.tops.get_mut(&top) {
                    *groups -= 1;
                    if *groups == 0 {
                        self.expected -= *replicas;
                        self.tops.remove(&top);
                    }
                }
            }
            Some(_) => drop(self.unscaled.remove(&owner)),
            None => {}
        }
        match scale {
            Some(Scale::Of(top, replicas)) => {
                let (groups, known) = self.tops.entry(top).or_insert((0, 0));
                *groups += 1;
                self.expected += replicas - *known;
                *known = replicas;
            }
            Some(_) => drop(self.unscaled.insert(owner)),
            None => {}
        }
    }

    /// Finds out the scales of new controllers, and again of those that a change concerns.
    /// `changes`: how many there have been.
    pub(super) fn take_scales(
        &mut self,
        changes: usize,
        concerned: &[WorkloadId],
        find: impl Fn(Owner) -> Scale,
    ) {
        self.seen_changes = Some(changes);
        for id in concerned {
            let of_it = self.groups.range((*id, Uid(0))..=(*id, Uid(u64::MAX)));
            self.unknown.extend(of_it.map(|(owner, _)| *owner));
        }
        for owner in std::mem::take(&mut self.unknown) {
            let scale = find(owner);
            self.set_scale(owner, Some(scale));
        }
    }

    /// Pods of whose controllers no scale is known.
    pub(super) fn unscaled(&self) -> Vec<(PodId, Owner)> {
        let pods = |owner: &Owner| {
            let of = self.groups.get(owner).into_iter().flat_map(|g| &g.pods);
            let owner = *owner;
            of.map(move |pod| (*pod, owner))
        };
        self.unscaled.iter().flat_map(pods).collect()
    }
}

/// Ready and not being deleted.
pub(super) fn is_healthy(pod: &Pod) -> bool {
    !pod.is_terminating() && pod.is_ready()
}
