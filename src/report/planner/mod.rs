//! What people and programs read of a plan: the recommendation and what it rests on, JSON, charts.

mod board;
mod charts;
mod folder;
mod json;
mod table;
mod text;
mod told;

pub(crate) use board::board;
pub(crate) use folder::write_folder;
pub(crate) use json::document;
pub(crate) use text::{plural, write};
pub(crate) use told::{Told, amount};
