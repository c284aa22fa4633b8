//! The report of a sweep: a table as text and as CSV, the figures of every run, a chart, a manifest, all in one folder.

mod csv;
mod figures;
mod folder;
mod table;

pub use self::csv::{cases as write_csv, runs as write_runs};
pub use figures::{Figures, Heading, Row};
pub use folder::write_folder;
pub use table::write as write_table;
