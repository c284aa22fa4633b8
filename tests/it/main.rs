//! The integration tests, one binary: each module is a file of this folder.

mod conformance;
mod pack_traces;
mod scenarios;
mod tidy;
