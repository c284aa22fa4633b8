//! Assembly of a cluster and its run: one [`Plan`] in, one [`Trace`](crate::trace::Trace) out.

mod awake;
mod cluster;
mod faults;
mod maintenance;
mod process;
mod run;
mod search;

pub use run::{Progress, run, run_eager, run_eager_watched, run_watched};
pub use search::{
    GoesOn, Known, Searched, Searcher, play, replay, replay_watched, search, search_watched,
};
