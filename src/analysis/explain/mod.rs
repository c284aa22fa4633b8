//! Why something happened to an object, or did not: the chain of causes with the rule behind each
//! step, and what would have changed it.
//!
//! An explanation is made from the records alone. Steps that no record is about, such as the last
//! heartbeat, come from the notes that controllers leave when they decide. What would have changed
//! the outcome is only said where it follows from the records by arithmetic;
//! `tests/it/cli/explain.rs` runs scenarios again with the change and looks.
//!
//! Left out: what another order of events, another seed or another cluster would have done.

mod answer;
mod drain;
mod explanation;
mod node;
mod object;
mod pending;
mod pod;
mod prelude;
mod rules;
mod workload;
mod zone;

pub use answer::explain;
pub(crate) use answer::{explain_nodes, explain_pods, explain_workloads, explain_zones};
pub use explanation::{Explanation, Question, Remedy, Step};
pub(crate) use node::Stories;
pub(crate) use object::names;
pub use object::{Object, ObjectError, find};
pub(super) use pending::is_of_filter;
