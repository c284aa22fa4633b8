//! What a table is.

use super::cells::{Cell, Column, Kind};
use serde_json::{Map, Value};
use std::io;

/// Which columns tables have, and what they hold: raised when one goes away, is called otherwise or
/// holds something else. More columns do not raise it.
pub(crate) const SCHEMA: u32 = 1;

/// What takes the rows of a table, one after the other; each has as many cells as there are columns.
pub type Each<'e> = dyn FnMut(&[Cell<'_>]) -> io::Result<()> + 'e;

/// Columns and rows.
pub trait Table {
    /// Its name, and that of its files without their ending.
    fn name(&self) -> &'static str;

    /// Its columns.
    fn columns(&self) -> Vec<Column>;

    /// Hands over all rows in their order.
    ///
    /// # Errors
    /// Those of `each`, at once.
    fn rows(&self, each: &mut Each<'_>) -> io::Result<()>;
}

/// A table that is in memory: the result of a command.
#[derive(Clone, Debug)]
pub struct Rows {
    pub(crate) name: &'static str,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell<'static>>>,
}

impl Table for Rows {
    fn name(&self) -> &'static str {
        self.name
    }

    fn columns(&self) -> Vec<Column> {
        self.columns.clone()
    }

    fn rows(&self, each: &mut Each<'_>) -> io::Result<()> {
        self.rows.iter().try_for_each(|row| each(row))
    }
}

/// A field of what a row is made of: its name, what it holds, and what stands in its cell.
pub(crate) type Field<R> = (&'static str, Kind, fn(R) -> Cell<'static>);

/// The columns of these fields.
pub(crate) fn columns<R>(fields: &[Field<R>]) -> Vec<Column> {
    fields.iter().map(|(name, kind, _)| Column::new(*name, *kind)).collect()
}

/// The cells of these fields.
pub(crate) fn cells<R: Copy>(fields: &[Field<R>], row: R) -> Vec<Cell<'static>> {
    fields.iter().map(|(_, _, cell)| cell(row)).collect()
}

/// The same as an object of JSON.
pub(crate) fn object<R: Copy>(fields: &[Field<R>], row: R) -> Value {
    let field = |(name, _, cell): &Field<R>| ((*name).to_owned(), cell(row).json());
    fields.iter().map(field).collect::<Map<String, Value>>().into()
}
