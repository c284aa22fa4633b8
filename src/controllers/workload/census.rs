//! How many pods a workload has in which state, kept as its pods change: a sync that neither deletes pods nor waits for one to
//! have been ready for long enough needs no more than these numbers, and most are of that kind.

use crate::api::meta::Uid;
use crate::api::names::WorkloadId;
use crate::api::pod::Pod;
use std::collections::BTreeMap;

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

/// The numbers of every owner, of its first life in a table; seldom has a workload more than one.
#[derive(Default)]
pub(super) struct Census {
    first: Vec<Option<(Uid, Numbers)>>,
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

    fn numbers(&mut self, owner: WorkloadId, uid: Uid) -> &mut Numbers {
        if self.first.len() <= owner.index() {
            self.first.resize(owner.index() + 1, None);
        }
        match self.first[owner.index()].get_or_insert((uid, Numbers::default())) {
            (first, numbers) if *first == uid => numbers,
            _ => self.others.entry((owner, uid)).or_default(),
        }
    }

    /// The numbers of one life of a workload.
    pub(super) fn of(&self, owner: WorkloadId, uid: Uid) -> Numbers {
        match self.first.get(owner.index()) {
            Some(Some((first, numbers))) if *first == uid => *numbers,
            _ => self.others.get(&(owner, uid)).copied().unwrap_or_default(),
        }
    }
}
