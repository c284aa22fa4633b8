//! What a table is.

use super::cells::{Cell, Column};
use std::io;

/// Which columns tables have, and what they hold: raised when one goes away, is called otherwise or
/// holds something else. More columns do not raise it.
pub const SCHEMA: u32 = 1;

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
