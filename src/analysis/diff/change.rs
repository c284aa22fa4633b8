//! What differs between two runs: of which objects, and in what way.

use crate::analysis::prelude::*;
use serde::Serialize;

/// When a fact became true in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Occurrence {
    pub(crate) at: Time,
    /// The record that says so.
    pub(crate) record: RecordId,
}

/// An object of which a fact differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    /// The pod, `namespace/name`.
    pub(crate) pod: Option<String>,
    /// The node it is about, or that the pod is on.
    pub(crate) node: Option<String>,
    /// When in the first run.
    pub(crate) a: Option<Occurrence>,
    /// When in the second run.
    pub(crate) b: Option<Occurrence>,
}

impl Pair {
    /// When in one of the runs, 0 or 1.
    pub(crate) fn on(&self, side: usize) -> Option<Occurrence> {
        if side == 0 { self.a } else { self.b }
    }
}

/// In what way a fact differs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Way {
    /// It is true in the first run only.
    OnlyA,
    /// It is true in the second run only.
    OnlyB,
    /// It is true earlier in the second run.
    Earlier,
    /// It is true later in the second run.
    Later,
    /// Over seeds: of some objects earlier, and of others later.
    #[serde(rename = "earlier-or-later")]
    Both,
    /// It is true at the same time, but differs in its detail or its place.
    Otherwise,
}

impl Way {
    /// The other way round, where there is such a way.
    pub(super) fn opposite(self) -> Option<Self> {
        match self {
            Self::OnlyA => Some(Self::OnlyB),
            Self::OnlyB => Some(Self::OnlyA),
            Self::Earlier => Some(Self::Later),
            Self::Later => Some(Self::Earlier),
            Self::Both | Self::Otherwise => None,
        }
    }
}

/// Objects of which the same fact differs alike.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    /// What it is: `evicted`, `tainted unreachable:NoExecute`; of facts without an object all that
    /// there is to say.
    pub(crate) what: String,
    /// In what way it differs.
    pub(crate) way: Way,
    /// The workload of its pods, or what their names have in common.
    pub(crate) of: Option<String>,
    /// Its detail in each run where that is the same for all: how long the timer was, where
    /// a pod was bound.
    pub(crate) details: [Option<String>; 2],
    /// Why nobody needs to know of it first; none if it matters.
    pub(crate) noise: Option<Noise>,
    /// Its objects.
    pub(crate) pairs: Vec<Pair>,
}

/// Why a difference says next to nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Noise {
    /// The same is said in other words: why a pod that is pending in both runs is, or once more of
    /// one that has been for long.
    Words,
    /// The times are less than a second apart, and nothing else differs.
    Slight,
    /// Another object of the same kind or workload instead: one in the first run only, and another
    /// one in the second run only.
    Another,
}

impl Group {
    /// By how much its objects differ in time: the least and the most.
    pub(crate) fn shift(&self) -> Option<(Dur, Dur)> {
        let shifts = self.pairs.iter().filter_map(|p| Some(apart(p.a?.at, p.b?.at)));
        Some((shifts.clone().min()?, shifts.max()?))
    }
}
