//! From a scenario's text to a [`Plan`](crate::plan::Plan), with every mistake of a file named with
//! its place.

mod attach;
mod damage;
mod existing;
pub mod expectations;
mod form;
mod import_check;
mod load;
mod loaded;
#[cfg(test)]
mod mangled;
mod paths;
mod resolve;
mod starter;
#[cfg(test)]
mod tests;

pub use load::{FILE_BYTES_MAX, load, parse, parse_file, parse_stored, read};
pub use loaded::Loaded;
pub use paths::split_values;
pub use resolve::{NODES_MAX, Overrides, PODS_MAX, build, changed, expecting, object_hash, seed};
pub(crate) use starter::starter;
