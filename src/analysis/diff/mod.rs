//! What sets two runs apart: what they cost, who was evicted and when, taints and conditions of
//! nodes, settings, and where it began.
//!
//! Objects are the same if they have the same name, whatever their ids; so runs compare in which a
//! node was added. What is compared are the facts of a timeline ([`facts`](super::facts)): the
//! first eviction of a pod in one run with its first in the other, and so on; where one run has
//! more of them, those are paired that lie nearest to each other. Facts that differ alike are one
//! [`Group`]. One pair of runs is one sample; [`Gathered`] tells over many seeds what always
//! differs from what is chance.
//!
//! Left out: records that are no facts, such as most events, and times that differ by no more than
//! a tolerance.

mod compare;
mod costs;
mod groups;
mod prose;
mod seeds;
mod settings;

pub use compare::{Difference, First, WorkloadChange, compare};
pub use costs::{Bill, Fate};
pub use groups::{Change, Group, Noise, Occurrence, Pair};
pub use seeds::{
    Gathered, NEARLY_ALL, OneSeed, OverSeeds, Paired, Pattern, Way, WorkloadOverSeeds,
    is_nearly_all,
};
pub use settings::{SettingChange, Settings};
