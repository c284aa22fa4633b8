//! Time does not go back, nothing leads to what was before it, and nobody acts on a version that
//! does not exist yet.

use super::checker::Checker;
use crate::kernel::Time;
use crate::trace::{NO_RECORD, Record, RecordId, Trace};

pub(super) struct Causality<'a> {
    trace: &'a Trace,
    now: Time,
}

impl<'a> Causality<'a> {
    pub(super) fn new(trace: &'a Trace) -> Self {
        Causality { trace, now: Time::ZERO }
    }
}

impl Checker for Causality<'_> {
    fn see(&mut self, id: RecordId, record: &Record) -> Option<String> {
        if record.at < self.now {
            return Some(format!("it is earlier than the one before it, {}", self.now));
        }
        self.now = record.at;
        if record.at > self.trace.horizon {
            return Some(format!("the run ends at {}", self.trace.horizon));
        }
        [("cause", record.cause), ("saw", record.saw)].into_iter().find_map(|(field, other)| {
            (other != NO_RECORD && other >= id)
                .then(|| format!("its {field} is {other}, which was not yet there"))
        })
    }
}
