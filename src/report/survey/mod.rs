//! What people and programs read of a survey.

mod called;
mod json;
mod table;

pub(crate) use called::Called;
pub(crate) use json::document;
pub(crate) use table::{Heading, write};
