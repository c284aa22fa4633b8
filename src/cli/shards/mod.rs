//! Work that several machines share: `--plan-shards`, `taintsim shard`, `taintsim gather`.
//!
//! ```text
//! inputs   the files of a command, from where they lie or as they were packed
//! work     how a command with many runs does them: here, or as a part of a work plan
//! pack     writes a work plan: a folder with the command, its inputs, and hashes of them
//! packed   reads one
//! kept     result files of shards, each whole or not there
//! shard    `taintsim shard`: does one shard
//! gather   `taintsim gather`: what one machine would have printed and written
//! engines  scripts and manifests for what runs shards
//! ```
//!
//! A shard and whoever gathers call the command itself, with the arguments that the plan keeps; only
//! the runs come from elsewhere. That is why what is gathered cannot differ from what one machine
//! writes.

mod engines;
pub(super) mod gather;
mod inputs;
mod kept;
mod pack;
mod packed;
pub(super) mod shard;
mod work;

pub(super) use engines::work_plan;
pub(super) use inputs::Inputs;
pub(super) use kept::result;
pub(super) use work::{Again, PlanShardsArgs, ReadAgain, With, Work};
