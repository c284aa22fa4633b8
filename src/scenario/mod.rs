//! Scenarios: the language, and what a file of it comes down to.

pub mod duration;
pub mod profiles;
pub mod recorded;
pub mod spec;
