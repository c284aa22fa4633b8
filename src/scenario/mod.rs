//! The scenario language: RON in, [`Plan`](crate::sim::plan::Plan) out, and every mistake of a file named with its place.

mod load;
pub mod names;
mod problem;
pub mod spec;
mod syntax;

pub use load::{Loaded, load, parse};
pub use problem::{Problem, Problems, Source};
