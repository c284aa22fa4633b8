//! What people and programs read of a plan: the recommendation and what it rests on, JSON, charts.

mod board;
mod changes;
mod closed_form;
mod doubts;
mod folder;
mod json;
mod table;
mod text;
mod together;
mod told;

pub(crate) use board::board;
pub(crate) use folder::write_folder;
pub(crate) use json::{document, table};
pub(crate) use text::write;
pub(crate) use together::{together, touching, years};
pub(crate) use told::{Source, Told};
