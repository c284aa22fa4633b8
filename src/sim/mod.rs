//! Assembly of a cluster and its run: one [`Plan`](crate::plan::Plan) in, one
//! [`Trace`](crate::trace::Trace) out.

mod attacher;
mod awake;
mod bounds;
mod cluster;
mod config;
mod controller_manager;
mod controllers;
mod leader;
mod machines;
mod maintenance;
mod objects;
mod prelude;
mod run;
mod search;
mod shared_plan;
mod timeline;
mod turn;
mod user;
mod world;

pub use run::{Progress, run, run_eager, run_eager_watched, run_watched};
pub(crate) use search::{GoesOn, replay_watched};
pub use search::{Known, Searched, Searcher, draw, play, replay, search};

pub(crate) use shared_plan::admitted;
