//! The scenario language: RON in, [`Plan`](crate::sim::plan::Plan) out, and every mistake of a file named with its place.

pub mod spec;
