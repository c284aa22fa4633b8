//! What happened in a run: records with causes.
//!
//! The simulation writes records and nothing else. Timelines, metrics, charts and explanations are
//! functions of a [`Trace`] and cannot see the simulator. A record's id is its place in the trace.

mod actor;
mod drains;
mod event;
mod event_texts;
mod fields;
mod note;
mod plugin;
mod record;
mod records;
mod sentence;
mod unplaced;
mod verdicts;
mod zone_state;

pub use actor::Actor;
pub(crate) use drains::{BudgetState, NO_BUDGET, Refusal};
pub use drains::{DrainEnd, DrainOutcome, EvictionCause};
pub use event::{EventBody, EventText, Message};
pub(crate) use fields::{Fields, Stand, Told};
pub(crate) use note::Note;
pub use plugin::Plugin;
pub use record::{NO_RECORD, Record, RecordId, What};
pub use records::{TaintChange, Trace};
pub(crate) use verdicts::{Rejection, Verdicts};
pub(crate) use zone_state::ZoneState;
