//! What every checker of an invariant can do.

use crate::trace::{Record, RecordId};

/// A checker, which sees one record after another.
pub(super) trait Checker {
    /// What is wrong with this record, after all of those before it.
    fn see(&mut self, id: RecordId, record: &Record) -> Option<String>;
}
