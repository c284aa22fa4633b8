//! `taintsim forecast`: what comes of an outage that is under way, from an export alone.
//!
//! stdout has the forecast, stderr progress and what was taken from the export.

mod courses;
#[cfg(test)]
mod remembered_passes_tests;
#[cfg(test)]
mod remembered_tests;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use courses::ForecastArgs;
pub(crate) use watch::forecast;
