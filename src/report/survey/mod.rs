//! What people and programs read of a survey.

mod board;
mod json;
mod table;

pub(crate) use board::board;
pub(crate) use json::{document, losses, workloads};
pub(crate) use table::{Called, SurveyReport, write};
