//! The report of a sweep: a table as text, CSV and JSON, the figures of every run, a chart, a
//! manifest, all in one folder.

mod chart;
pub mod columns;
mod csv;
mod folder;
mod heading;
mod json;
mod table;

pub use self::csv::{cases as write_csv, runs as write_runs};
pub use columns::Column;
pub use folder::write_folder;
pub use heading::{Cells, Heading, Layout};
pub use json::document;
pub use table::write as write_table;
