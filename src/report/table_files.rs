//! The tables of a folder of results.

use super::file_error::FileError;
use super::files::Folder;
use super::tables::{self, Form, Table};
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
        for (form, is_asked) in [(Form::Csv, forms.csv), (Form::Parquet, forms.parquet)] {
            let name = format!("{}.{}", table.name(), form.ending());
            if !is_asked || folder.has(&name) {
                continue;
            }
            // Parquet is packed already.
            let packing = match form {
                Form::Csv => forms.packing,
                Form::Parquet => Packing::Never,
            };
            folder.write_large(&name, packing, |out| tables::write(out, *table, form, about))?;
        }
    }
    Ok(())
}
