//! `taintsim conform`: replays recorded timelines in the model and says where it parts from
//! upstream.
//!
//! stdout has one line per recording, under those that differ where they do, then the counts by
//! release and by kind of scenario and a last line with the totals; stderr has what could not be
//! read.

mod args;
mod counts;
mod odds;
mod record;
mod recordings;
mod report;
mod run;

pub(crate) use args::ConformArgs;
pub use counts::Counts;
pub use run::{model, run};
