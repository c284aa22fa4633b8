//! The tables of a folder of results.

use super::file_error::FileError;
use super::files::Folder;
use super::tables::{self, Table};
use crate::files::Packing;

/// In which forms tables are written, beside those that are always there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct TableForms {
    /// When what is text is packed.
    pub(crate) packing: Packing,
    /// As CSV.
    pub(crate) csv: bool,
    /// As Parquet; nothing where [`tables::HAS_PARQUET`] is false.
    pub(crate) parquet: bool,
}

/// Writes these tables in those forms; one that is there already is left out. `about` is what a
/// Parquet file says of itself.
pub(crate) fn write_tables(
    folder: &mut Folder,
    forms: TableForms,
    all: &[&dyn Table],
    about: &[(&str, String)],
) -> Result<(), FileError> {
    for table in all {
        let name = format!("{}.csv", table.name());
        if forms.csv && !folder.has(&name) {
            folder.write_large(&name, forms.packing, |out| tables::csv::write(out, *table))?;
        }
        if forms.parquet {
            write_parquet(folder, *table, about)?;
        }
    }
    Ok(())
}

#[cfg(feature = "parquet")]
fn write_parquet(
    folder: &mut Folder,
    table: &dyn Table,
    about: &[(&str, String)],
) -> Result<(), FileError> {
    let name = format!("{}.parquet", table.name());
    folder.write(&name, |out| tables::parquet::write(out, table, about))
}

#[cfg(not(feature = "parquet"))]
fn write_parquet(_: &mut Folder, _: &dyn Table, _: &[(&str, String)]) -> Result<(), FileError> {
    Ok(())
}
