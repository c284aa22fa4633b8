//! A forecast, for people and for programs.

mod board;
mod json;
mod said;
mod text;

pub(crate) use board::{board, chart};
pub(crate) use json::{document, put_what_if, table};
pub(crate) use said::{Basis, Outlook, changes, number};
pub(crate) use text::{write, write_beside};
