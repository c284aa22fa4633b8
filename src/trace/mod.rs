//! What happened in a run: records with causes, and the sinks that take them.
//!
//! The simulation writes records and nothing else. Timelines, metrics, charts and explanations are functions of
//! a [`Trace`] and cannot see the simulator. A record's id is its place in the trace.

mod record;
mod render;
mod sink;

pub use record::{Actor, EventText, NO_RECORD, Record, RecordId, What, ZoneState};
pub use render::{Fields, event_message};
pub use sink::{Sink, TaintChange, Trace};
