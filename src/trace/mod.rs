//! What happened in a run: records with causes.
//!
//! The simulation writes records and nothing else. Timelines, metrics, charts and explanations are
//! functions of a [`Trace`] and cannot see the simulator. A record's id is its place in the trace.

mod drains;
mod plugin;
mod record;
mod records;
mod render;
mod verdicts;

pub use drains::{BudgetState, DrainEnd, DrainOutcome, EvictionCause, NO_BUDGET, Refusal};
pub use plugin::Plugin;
pub use record::{
    Actor, EventBody, EventText, Message, NO_RECORD, Note, Record, RecordId, What, ZoneState,
};
pub use records::{TaintChange, Trace};
pub use render::{Fields, Stand, Told, event_message};
pub use verdicts::{Rejection, Verdicts};
