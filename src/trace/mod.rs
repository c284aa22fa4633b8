//! What happened in a run: records with causes.
//!
//! The simulation writes records and nothing else. Timelines, metrics, charts and explanations are
//! functions of a [`Trace`] and cannot see the simulator. A record's id is its place in the trace.

mod drains;
mod event;
mod fields;
mod note;
mod record;
mod records;
mod verdicts;

pub(crate) use drains::{BudgetState, NO_BUDGET, Refusal};
pub use drains::{DrainEnd, DrainOutcome, EvictionCause};
pub use event::{EventBody, EventText, Message};
pub(crate) use fields::{Fields, Told};
pub(crate) use note::ObjectKind;
pub use note::{Note, Unmade};
pub(crate) use record::ZoneState;
pub use record::{Actor, NO_RECORD, Plugin, Record, RecordId, What};
pub(crate) use records::keep;
pub use records::{TaintChange, Trace};
pub(crate) use verdicts::{Rejection, Verdicts};
