//! A scenario's text: its words, the tree of its values with the bytes they cover, places in it,
//! what is wrong at a place, and how values are written and laid out.

pub(crate) mod crowded;
pub mod layout;
pub(crate) mod place;
mod problem;
pub(crate) mod ron_options;
pub(crate) mod syntax;
pub(crate) mod tokens;
pub(crate) mod undashed;

pub use problem::{Problem, Problems, Source};
pub(crate) use problem::{did_you_mean, did_you_mean_or_list};
