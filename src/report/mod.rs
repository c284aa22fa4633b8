//! What people and programs read of a finished run: text, JSON, records, evictions, a manifest,
//! charts.
//!
//! Every function takes a [`Report`] or the [`Analysis`](crate::analysis::Analysis) of a run and
//! writes to what it is given; nothing here looks at a terminal, the environment or a clock.
//! `output` writes the folder of a run as a whole. The same run gives the same bytes.

pub mod again;
pub mod charts;
pub(crate) mod diff;
pub mod events;
pub mod evictions_csv;
pub mod explain;
pub(crate) mod explore;
mod file_error;
pub(crate) mod files;
pub mod json;
pub mod klog;
pub mod manifest;
mod model;
pub(crate) mod output;
pub mod perfetto;
pub(crate) mod replay;
pub mod sweep;
#[cfg(test)]
mod tests;
pub mod text;
pub mod trace_json;
pub mod trials;

pub(crate) use crate::analysis::clock::{absolute, short};
pub(crate) use file_error::FileError;
pub(crate) use files::Folder;
pub use model::{Report, Source};
pub(crate) use output::{OutputError, Written, write_folder};
pub use text::Style;
