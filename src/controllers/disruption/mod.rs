//! The disruption controller (`pkg/controller/disruption`): keeps the status of
//! PodDisruptionBudgets, and takes back the condition DisruptionTarget of pods that were spared.
//!
//! Left out: the condition DisruptionAllowed except for a failed sync, and
//! scales of kinds that are not modelled.

mod census;
mod controller;
mod map_walk;
mod tally;

pub(crate) use controller::Controller;
