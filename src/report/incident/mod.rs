//! A past outage, held against its simulation: for people and for programs.

mod board;
mod json;
mod text;
mod verdict;

pub(crate) use board::board;
pub(crate) use json::{document, table};
pub(crate) use text::write;
pub(crate) use verdict::Verdict;
