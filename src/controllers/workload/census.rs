//! How many pods a workload has in which state, kept as its pods change: a sync that neither
//! deletes pods nor waits for one to have been ready for long enough needs no more than these
//! numbers, and most are of that kind.

use crate::controllers::prelude::*;

/// The pods of one life of a workload, as the cache has them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Numbers {
    /// Not ended and not being deleted.
    pub(super) active: i32,
    /// Active and ready.
    pub(super) ready: i32,
    /// Being deleted and not ended.
    pub(super) terminating: i32,
}

/// What is known of an owner, side by side, as it is all looked up for each change of a pod.
#[derive(Clone, Copy, Default)]
struct Owner {
    /// The life of the workload that the cache has, and its `minReadySeconds`.
    life: Option<(Uid, i32)>,
    /// The life that had the first pod seen; seldom is there another.
    first: Option<(Uid, Numbers)>,
}

/// The numbers of every owner.
#[derive(Default)]
pub(super) struct Census {
    owners: Vec<Owner>,
    /// Of other lives.
    others: BTreeMap<(WorkloadId, Uid), Numbers>,
}

impl Census {
    /// Takes another version of a pod in the place of the old one.
    pub(super) fn take(&mut self, old: Option<&Pod>, new: Option<&Pod>) {
        for (pod, by) in old.map(|p| (p, -1)).into_iter().chain(new.map(|p| (p, 1))) {
            let Some((owner, uid)) = pod.controller() else { continue };
            let numbers = self.numbers(owner, uid);
            if pod.is_active() {
                numbers.active += by;
                numbers.ready += if pod.is_ready() { by } else { 0 };
            } else if !pod.phase.is_terminal() {
                numbers.terminating += by;
            }
        }
    }

    fn owner(&mut self, owner: WorkloadId) -> &mut Owner {
        slot(&mut self.owners, owner.index())
    }

    /// Notes which life of a workload the cache has, with its `minReadySeconds`.
    pub(super) fn set_life(&mut self, owner: WorkloadId, life: Option<(Uid, i32)>) {
        self.owner(owner).life = life;
    }

    /// Which life of a workload the cache has, with its `minReadySeconds`.
    pub(super) fn life(&self, owner: WorkloadId) -> Option<(Uid, i32)> {
        self.owners.get(owner.index())?.life
    }

    fn numbers(&mut self, owner: WorkloadId, uid: Uid) -> &mut Numbers {
        self.owner(owner);
        match self.owners[owner.index()].first.get_or_insert((uid, Numbers::default())) {
            (first, numbers) if *first == uid => numbers,
            _ => self.others.entry((owner, uid)).or_default(),
        }
    }

    /// The numbers of one life of a workload.
    pub(super) fn of(&self, owner: WorkloadId, uid: Uid) -> Numbers {
        match self.owners.get(owner.index()).and_then(|o| o.first) {
            Some((first, numbers)) if first == uid => numbers,
            _ => self.others.get(&(owner, uid)).copied().unwrap_or_default(),
        }
    }
}
