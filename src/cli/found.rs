//! What a command found, for a program that asked for it in place of having it printed.

use crate::lab::Case;
use crate::report::html::Page;
use crate::report::sweep::{Heading, RunsTable};
use crate::report::tables::Table;
use serde_json::Value;
use std::cell::RefCell;

/// What a command found.
pub(crate) struct Found {
    /// The document that it prints as JSON.
    pub(crate) document: Value,
    /// Its page, which also says it in plain text.
    pub(crate) page: Page,
    /// Of a sweep, its runs.
    pub(crate) runs: Option<Runs>,
}

/// Where it is kept for whoever asked.
pub(crate) type Keeping = RefCell<Option<Found>>;

/// The runs of a sweep.
pub struct Runs {
    pub(super) heading: Heading,
    pub(super) cases: Vec<Case>,
}

impl Runs {
    /// Looks at them as a table: a row for each run.
    pub fn with_table<T>(&self, look: impl FnOnce(&dyn Table) -> T) -> T {
        look(&RunsTable::new(&self.heading, &self.cases))
    }
}
