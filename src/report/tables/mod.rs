//! Tables: what a run or a command comes to, row by row, for spreadsheets and data frames.
//!
//! Each table is described once: its columns with their kinds, and its rows. CSV ([`csv`]) and
//! Parquet (`parquet`, behind the feature of that name) are two ways to write it, so that they
//! cannot differ in what they say. docs/data.md tells every column; a test holds the two together.

use crate::api::words::rows;
use std::io;

pub mod csv;
mod curves;
mod evictions;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
mod records;
mod table;
#[cfg(test)]
pub(crate) mod tests;

pub use curves::curves_table;
pub use evictions::evictions_table;
pub use records::records_table;
pub(crate) use records::{FIELDS, Row};
pub(crate) use table::{About, Field, Streamed, cells, columns, distinct, object};
pub use table::{Cell, Column, Each, Kind, Rows, Table};

/// Whether this build writes Parquet.
pub(crate) const HAS_PARQUET: bool = cfg!(feature = "parquet");

rows! {
    /// How a table is written.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum Form {
        /// As CSV.
        Csv = "csv",
        /// As Parquet, where this build has it.
        Parquet = "parquet",
    }

    /// The ending of its files.
    pub(crate) fn ending -> &'static str;
}

/// Writes a table in a form; `about` is what a Parquet file says of itself, by name.
///
/// # Errors
/// Those of `out`, and Parquet in a build without.
pub(crate) fn write(
    out: &mut dyn io::Write,
    table: &dyn Table,
    form: Form,
    about: &About<'_>,
) -> io::Result<()> {
    match form {
        Form::Csv => csv::write(out, table),
        #[cfg(feature = "parquet")]
        Form::Parquet => parquet::write(out, table, about),
        #[cfg(not(feature = "parquet"))]
        Form::Parquet => {
            let _ = about;
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}
