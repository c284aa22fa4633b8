//! What sets two runs apart: what they cost, who was evicted and when, taints and conditions of
//! nodes, settings, and where it began.
//!
//! Objects are the same if they have the same name, whatever their ids; so runs compare in which a
//! node was added. What is compared are the facts of a timeline (`facts`): the
//! first eviction of a pod in one run with its first in the other, and so on; where one run has
//! more of them, those are paired that lie nearest to each other. Facts that differ alike are one
//! `Group`. One pair of runs is one sample; `Gathered` finds over many seeds what always
//! differs from what is chance.
//!
//! Left out: records that are no facts, such as most events, and times that differ by no more than
//! a tolerance.

mod change;
mod compare;
mod costs;
mod found;
mod one_seed;
mod patterns;
mod seeds;
mod settings;

pub(crate) use change::{Group, Noise, Occurrence, Pair, Way};
pub use compare::{Difference, compare};
pub(crate) use costs::{Bill, COUNTS, Fate, Paired};
pub(crate) use one_seed::OneSeed;
pub(crate) use patterns::Pattern;
pub(crate) use seeds::{FEWEST, Gathered, LEVEL, NEARLY_ALL, OverSeeds, WorkloadOverSeeds};
pub use settings::switch_names;
pub(crate) use settings::{SettingChange, Settings};
