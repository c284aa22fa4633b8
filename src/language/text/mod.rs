//! A scenario's text: its words, the tree of its values with the bytes they cover, the types that
//! the tree stands for, places in it, what is wrong at a place, and how values are written and laid
//! out.

mod hints;
pub(crate) mod layout;
mod mistake;
mod problem;
mod read;
pub mod tree;
mod typed;
mod words;

pub(crate) use mistake::Mistake;
pub use problem::{Problem, Problems, Source};
pub(crate) use problem::{ambiguous, did_you_mean, did_you_mean_or_list, names_several, one_of};
pub use tree::Tree;
