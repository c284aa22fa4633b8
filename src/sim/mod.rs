//! Assembly of a cluster and its run: one [`Plan`](crate::plan::Plan) in, one
//! [`Trace`](crate::trace::Trace) out.

mod attacher;
mod awake;
mod bounds;
mod claims;
mod cluster;
mod controller_manager;
mod controllers;
mod leader;
mod maintenance;
mod objects;
mod prelude;
mod remakes;
mod run;
mod shared_plan;
mod user;
mod world;

pub(crate) use run::{GoesOn, replay_watched};
pub use run::{
    Known, Progress, Searched, Searcher, draw, play, replay, run, run_eager, run_eager_watched,
    run_watched, search,
};
pub(crate) use shared_plan::admitted;
