//! The scenario language: RON in, [`Plan`](crate::plan::Plan) out, and every mistake of a file
//! named with its place.

mod attach;
mod build;
pub mod duration;
mod existing;
pub mod expectations;
mod fingerprint;
pub mod import;
pub mod layout;
mod load;
#[cfg(test)]
mod mangled;
pub mod names;
mod paths;
mod problem;
pub mod profiles;
pub mod recorded;
mod schema;
pub mod spec;
mod starter;
mod syntax;
#[cfg(test)]
mod tests;

pub use build::{
    NODES_MAX, Overrides, PODS_MAX, build, changed, expecting, known_flags, object_hash, seed,
};
pub use existing::Exported;
pub use fingerprint::{COPIED, Fingerprint, InputFile};
pub use load::{FILE_BYTES_MAX, Loaded, load, parse, parse_file, parse_stored, read};
pub use paths::{known_paths, split_values};
pub use problem::{Problem, Problems, Source};
pub use schema::schema;
pub use starter::starter;
