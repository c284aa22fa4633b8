//! The referee: holds the simulator against what upstream's own controllers were recorded to do, and
//! against itself over random scenarios. Those run it who work on taintsim; nobody else has to build
//! it.
//!
//! * [`recorded`]: timelines recorded from upstream's own controllers.
//! * [`conformance`]: a trace compared with a recording.
//! * `reach`: a guided search for the choices that lead to a recorded outcome.
//! * `decided`: which choices decide.
//! * [`invariants`]: what holds in every run.
//! * [`conform`]: the command `taintsim conform`.
//! * [`hunt`]: the command `taintsim hunt`.
//! * [`prove`]: the command `taintsim prove`.
//! * [`soak`]: random scenarios, run in every way there is, and the command `taintsim soak`.

mod classes;
pub mod conform;
pub mod conformance;
mod decided;
pub mod hunt;
pub mod invariants;
pub mod prove;
mod reach;
pub mod recorded;
pub mod soak;
