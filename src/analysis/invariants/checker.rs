//! What every checker of an invariant can do.

use crate::trace::{Record, RecordId};

/// One record after another is shown to it.
pub(super) trait Checker {
    /// What is wrong with this record, after all of those before it.
    fn see(&mut self, id: RecordId, record: &Record) -> Option<String>;
}
