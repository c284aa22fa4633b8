//! What people and programs read of a plan: the recommendation and what it rests on, JSON, charts.

mod board;
mod charts;
mod folder;
mod json;
mod table;
mod text;
mod together;
mod told;
mod years;

pub(crate) use board::board;
pub(crate) use folder::write_folder;
pub(crate) use json::document;
pub(crate) use text::write;
pub(crate) use together::{together, touching};
pub(crate) use told::{Source, Told};
pub(crate) use years::years;
