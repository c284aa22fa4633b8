//! The report as text for a terminal or a log: header, timeline, summary, workloads, where the
//! files are.

#[cfg(feature = "cli")]
mod columns;
mod style;
mod timeline;
mod workloads;
mod write;

#[cfg(feature = "cli")]
pub(crate) use columns::{Filled, table, tables, width};
pub use style::Style;
pub(super) use style::{BOLD, DIM, GREEN, PLAIN, RED, YELLOW, painted};
pub(crate) use style::{Printer, fold, joined};
pub(crate) use timeline::{from_to, relative};
pub(crate) use workloads::{counted_from, decimal, tenths, workload_lines};
pub(crate) use write::summary_lines;
pub use write::write;
