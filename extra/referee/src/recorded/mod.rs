//! Recorded timelines: what upstream's own controllers did in virtual time with a scenario.
//!
//! A recorded file holds a scenario in JSON and what came of it in one release, either the distinct
//! outcomes of several runs record for record, or, where no two runs are equal, an envelope of
//! counts and times. [`read`] takes such files, alone or packed by scenario; [`Recorded::plan`]
//! makes the scenario a [`Plan`](taintsim::plan::Plan) with exactly the delays it states.
//! [`scenario_of`] goes the other way: a plan as a scenario that can be recorded.
//! Comparing is the business of [`conformance`](crate::conformance).
//!
//! Left out: scenarios that need controllers or objects that are not modelled are read, and named
//! as such by [`Recorded::plan`].

mod actions;
mod build;
mod builder;
mod exported;
mod file;
mod format;
mod line;
mod missing;
mod objects;
mod plan_error;
mod pod_spec;
mod say;
mod say_actions;
mod say_objects;
mod settings;
#[cfg(test)]
mod tests;
mod workload_spec;

pub use file::{FileError, KindRange, KubeletLoops, Observed, Outcome, Recorded, parse, read};
pub use line::{Line, sort_lines, without_uids};
pub(crate) use plan_error::PlanError;
pub use say::scenario_of;
