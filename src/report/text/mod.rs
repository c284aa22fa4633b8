//! The report as text for a terminal or a log: header, timeline, summary, workloads, where the
//! files are.

mod costs;
mod printer;
mod style;
mod summary;
mod timeline;
mod workloads;
mod write;

pub(crate) use costs::tenths;
pub(crate) use printer::Printer;
pub use style::Style;
pub(crate) use style::fold;
pub(super) use style::{BOLD, DIM, GREEN, PLAIN, RED, YELLOW, counted, painted};
pub(crate) use summary::summary_lines;
pub(crate) use workloads::{counted_from, workload_lines};
pub use write::write;
pub(crate) use write::write_summary;
