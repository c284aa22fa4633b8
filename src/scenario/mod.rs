//! The scenario language: RON in, [`Plan`](crate::plan::Plan) out, and every mistake of a file
//! named with its place.

mod attach;
mod build;
mod complaints;
mod crowded;
mod damage;
mod defaults;
pub mod duration;
mod existing;
pub mod expectations;
mod explain;
mod fingerprint;
mod flags;
mod form;
pub mod import;
mod import_check;
pub mod layout;
mod load;
mod loaded;
#[cfg(test)]
mod mangled;
pub mod names;
mod paths;
mod place;
mod problem;
pub mod profiles;
pub mod recorded;
mod ron_options;
mod schema;
pub mod spec;
mod starter;
mod syntax;
#[cfg(test)]
mod tests;
mod tokens;
mod undashed;
mod values;

pub use build::{NODES_MAX, Overrides, PODS_MAX, build, changed, expecting, object_hash, seed};
pub(crate) use fingerprint::{COPIED, Fingerprint, InputFile};
pub(crate) use flags::known as known_flags;
pub use load::{FILE_BYTES_MAX, load, parse, parse_file, parse_stored, read};
pub use loaded::Loaded;
pub use paths::split_values;
pub use problem::{Problem, Problems, Source};
pub use schema::schema;
pub(crate) use starter::starter;
