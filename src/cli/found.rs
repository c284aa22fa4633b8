//! What a command found, for a program that asked for it in place of having it printed.

use crate::report::html::Page;
use crate::report::tables::Table;
use serde_json::Value;
use std::cell::RefCell;

/// What a command found.
pub(crate) struct Found {
    /// The document that it prints as JSON.
    pub(crate) document: Value,
    /// Its page, which also says it in plain text.
    pub(crate) page: Page,
    /// Its tables by name.
    pub(crate) tables: Tables,
}

/// The tables of a command: `rows`, and what else it has.
pub(crate) type Tables = Vec<(&'static str, Box<dyn Table + Send + Sync>)>;

/// Where it is kept for whoever asked.
pub(crate) type Keeping = RefCell<Option<Found>>;
