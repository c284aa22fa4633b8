//! Tables: what a run or a command comes to, row by row, for spreadsheets and data frames.
//!
//! Each table is described once: its columns with their kinds, and its rows. CSV ([`csv`]) and
//! Parquet ([`parquet`], behind the feature of that name) are two ways to write it, so that they
//! cannot differ in what they say. docs/data.md tells every column; a test holds the two together.

mod cells;
pub mod csv;
mod curves;
#[cfg(feature = "cli")]
pub mod documents;
#[cfg(all(test, feature = "cli"))]
mod documents_tests;
mod evictions;
#[cfg(feature = "parquet")]
pub mod parquet;
mod records;
mod table;
#[cfg(test)]
mod tests;

pub use cells::{Cell, Column, Kind, are_numbers};
pub use curves::CurvesTable;
pub use evictions::EvictionsTable;
pub use records::RecordsTable;
pub use table::{Each, SCHEMA, Table};

/// Whether this build writes Parquet.
pub const HAS_PARQUET: bool = cfg!(feature = "parquet");
