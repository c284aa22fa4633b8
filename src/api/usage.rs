//! What pods, and nodes themselves, use of a node's resources, as a function of time.
//!
//! Upstream's kubelet measures it (`pkg/kubelet/server/stats`); here a scenario states it. It is linear piece by piece, so
//! that it can be told when a threshold could be crossed without looking every ten seconds.

use crate::api::prelude::*;

words! {
    /// What is used up, under the names that Kubernetes has for it. Those of the image filesystem count where a node has one of
    /// its own, and with the node's filesystem otherwise.
    pub enum Used {
        /// The working set, in bytes.
        Memory = "memory",
        /// Bytes of the node's filesystem: logs and local volumes, and the writable layer where there is no image filesystem.
        NodeFs = "ephemeral-storage",
        /// Inodes of the same.
        NodeFsInodes = "inodes",
        /// Bytes of the image filesystem: the writable layer, where there is one.
        ImageFs = "imagefs",
        /// Inodes of the same.
        ImageFsInodes = "imagefs-inodes",
        /// Processes.
        Pids = "pids",
    }
}

/// Nanoseconds in an hour.
const HOUR: i128 = 3_600_000_000_000;

/// What is used from some time on, until the next piece begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// From so long after the start on.
    pub(crate) from: Dur,
    /// How much at that time.
    pub(crate) amount: i64,
    /// How much more with each hour.
    pub(crate) per_hour: i64,
}

/// What is used of one resource, from the start of the containers, or of the run, on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage(pub(crate) Vec<Piece>);

/// What is used of each resource, by [`Used`]; nothing is said of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usages(pub(crate) [Option<Usage>; Used::ALL.len()]);

/// What a node itself uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeUsage {
    /// What runs there beside pods, from the start of the run on.
    pub(crate) own: Usages,
    /// Bytes of images that no container uses. The first time that a kubelet deletes unused images, they are gone.
    pub(crate) unused_images: i64,
}

impl Usage {
    /// How much is used so long after the start.
    pub(crate) fn at(&self, since: Dur) -> i64 {
        let Some(piece) = self.0.iter().rev().find(|p| p.from <= since) else { return 0 };
        let passed = i128::from((since.as_nanos() - piece.from.as_nanos()).min(i64::MAX as u64));
        let grown = i128::from(piece.per_hour) * passed / HOUR;
        i64::try_from(i128::from(piece.amount) + grown).unwrap_or(i64::MAX).max(0)
    }

    /// How much more is used with each hour, at that time; and until when that holds.
    pub(crate) fn slope(&self, since: Dur) -> (i64, Option<Dur>) {
        let rate = self.0.iter().rev().find(|p| p.from <= since).map_or(0, |p| p.per_hour);
        (rate, self.0.iter().map(|p| p.from).find(|from| *from > since))
    }
}

impl Usages {
    /// What is used of one of them.
    pub(crate) fn of(&self, used: Used) -> Option<&Usage> {
        self.0[used as usize].as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MI: i64 = 1 << 20;

    /// 1000 MiB and 10 MiB a second: 2100 MiB after 110 s; then 3 GiB from two minutes on.
    #[test]
    fn usage_is_linear_piece_by_piece() {
        let leak = Piece { from: Dur::ZERO, amount: 1000 * MI, per_hour: 36_000 * MI };
        let step = Piece { from: Dur::from_secs(120), amount: 3072 * MI, per_hour: 0 };
        let usage = Usage(vec![leak, step]);
        assert_eq!(usage.at(Dur::from_secs(110)), 2100 * MI);
        assert_eq!(usage.at(Dur::from_secs(120)), 3072 * MI);
        assert_eq!(usage.slope(Dur::from_secs(1)), (36_000 * MI, Some(Dur::from_secs(120))));
        assert_eq!(usage.slope(Dur::from_secs(121)), (0, None));
        assert_eq!(Usage::default().at(Dur::from_secs(5)), 0);
    }
}
