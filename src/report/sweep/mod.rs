//! The report of a sweep: a table as text, CSV and JSON, the figures of every run, a chart, a
//! manifest, all in one folder.

mod board;
mod cases;
pub mod columns;
mod folder;
mod heading;
mod table;

pub(crate) use board::board;
pub(crate) use cases::{table, tidy};
pub(crate) use folder::{document, runs_table, write_folder};
pub use heading::{Cells, Heading};
pub(crate) use heading::{Layout, Swept};
pub(crate) use table::write as write_table;
