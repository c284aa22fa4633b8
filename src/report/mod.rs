//! What people and programs read of a finished run: text, JSON, records, evictions, a manifest,
//! charts.
//!
//! Every function takes a [`Report`] or the [`Analysis`](crate::analysis::Analysis) of a run and
//! writes to what it is given; nothing here looks at a terminal, the environment or a clock.
//! `output` writes the folder of a run as a whole. The same run gives the same bytes.

mod being_made;
#[cfg(feature = "cli")]
pub mod charts;
#[cfg(feature = "cli")]
pub mod diagnostics;
pub(crate) mod diff;
pub mod events;
pub mod explain;
#[cfg(feature = "cli")]
pub(crate) mod explore;
#[cfg(feature = "cli")]
pub(crate) mod faults;
pub(crate) mod files;
#[cfg(feature = "cli")]
pub(crate) mod finding;
#[cfg(feature = "cli")]
pub(crate) mod forecast;
pub mod html;
#[cfg(feature = "cli")]
pub(crate) mod incident;
pub mod json;
pub mod klog;
pub mod manifest;
mod model;
#[cfg(feature = "cli")]
pub(crate) mod odds;
#[cfg(feature = "cli")]
pub(crate) mod outages;
#[cfg(feature = "cli")]
pub(crate) mod output;
pub mod perfetto;
#[cfg(feature = "cli")]
mod places;
#[cfg(feature = "cli")]
pub(crate) mod planner;
#[cfg(feature = "cli")]
pub(crate) mod playground;
mod prelude;
#[cfg(feature = "cli")]
pub(crate) mod replay;
mod results;
#[cfg(feature = "cli")]
pub(crate) mod settings;
#[cfg(feature = "cli")]
pub(crate) mod survey;
#[cfg(feature = "cli")]
pub mod sweep;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod text;
#[cfg(feature = "cli")]
pub mod trials;

pub(crate) use crate::analysis::clock::{absolute, short};
pub(crate) use being_made::not_whole_yet;
pub(crate) use files::{FileError, Folder, Written, is_results};
pub(crate) use model::WallClock;
pub use model::{Heading, Report, Source};
#[cfg(feature = "cli")]
pub(crate) use output::{TableForms, write_folder, write_tables};
pub use text::Style;
