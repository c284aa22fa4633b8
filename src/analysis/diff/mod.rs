//! What sets two runs apart: settings, who was evicted and when, taints and conditions of nodes, workloads, and where it began.
//!
//! Objects are the same if they have the same name, whatever their ids; so runs compare in which a node was added. What is compared are
//! the facts of a timeline ([`facts`](super::facts)): the first eviction of a pod in one run with its first in the other, and so on; where
//! one run has more of them, those are paired that lie nearest to each other. Facts that differ alike are one [`Group`].
//!
//! Left out: records that are no facts, such as most events, and times that differ by no more than a tolerance.

mod compare;
mod groups;
mod settings;

pub use compare::{Difference, Fate, First, WorkloadChange, compare};
pub use groups::{Change, Group, Occurrence, Pair};
pub use settings::{SettingChange, Settings};
