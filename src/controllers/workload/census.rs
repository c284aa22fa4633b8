//! How many pods a workload has in which state, kept as its pods change: a sync that neither deletes pods nor waits for one to
//! have been ready for long enough needs no more than these numbers, and most are of that kind.

use crate::api::meta::Uid;
use crate::api::names::WorkloadId;
use crate::api::pod::Pod;

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

/// The numbers of every owner; seldom has a workload more than one life.
#[derive(Default)]
pub(super) struct Census(Vec<Vec<(Uid, Numbers)>>);

impl Census {
    /// Takes another version of a pod in the place of the old one.
    pub(super) fn take(&mut self, old: Option<&Pod>, new: Option<&Pod>) {
        for (pod, by) in old.map(|p| (p, -1)).into_iter().chain(new.map(|p| (p, 1))) {
            let Some((owner, uid)) = pod.controller() else { continue };
            if self.0.len() <= owner.index() {
                self.0.resize(owner.index() + 1, Vec::new());
            }
            let lives = &mut self.0[owner.index()];
            let at = lives.iter().position(|(u, _)| *u == uid).unwrap_or_else(|| {
                lives.push((uid, Numbers::default()));
                lives.len() - 1
            });
            let numbers = &mut lives[at].1;
            if pod.is_active() {
                numbers.active += by;
                numbers.ready += if pod.is_ready() { by } else { 0 };
            } else if !pod.phase.is_terminal() {
                numbers.terminating += by;
            }
        }
    }

    /// The numbers of one life of a workload.
    pub(super) fn of(&self, owner: WorkloadId, uid: Uid) -> Numbers {
        let lives = self.0.get(owner.index()).map_or(&[][..], Vec::as_slice);
        lives.iter().find(|(u, _)| *u == uid).map_or_else(Numbers::default, |(_, numbers)| *numbers)
    }
}
