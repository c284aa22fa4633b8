//! Work that several machines share: `--plan-shards`, `taintsim shard`, `taintsim gather`.
//!
//! ```text
//! work     how a command with many runs does them: here, or as a part of a work plan
//! packed   a work plan: a folder with the command, its inputs, and hashes of them
//! kept     result files of shards, each whole or not there
//! shard    `taintsim shard`: does one shard; scripts and manifests for what runs shards
//! gather   `taintsim gather`: what one machine would have printed and written
//! ```
//!
//! A shard and whoever gathers call the command itself, with the arguments that the plan keeps; only
//! the runs come from elsewhere. That is why what is gathered cannot differ from what one machine
//! writes.

pub(super) mod gather;
mod kept;
mod packed;
pub(super) mod shard;
mod work;

pub use kept::result;
pub(super) use packed::Inputs;
pub use shard::work_plan;
pub(super) use work::{Again, PlanShardsArgs, ReadAgain, With, Work};
