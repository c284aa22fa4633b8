//! `taintsim hunt`: clusters are drawn one after the other and searched for what must never happen, for as
//! long as there is time; what is found is told apart by its cause and kept in a folder that grows.
//!
//! From the bottom up: `cause` (what tells one find from another), `cluster` (a cluster that is drawn, and the
//! runs of one), `small` (what a find does not need), `known` (causes that are no news), `corpus` (the folder),
//! `results` (what is said at the end), `command`.
//!
//! What a cluster comes to depends on its seed alone. So neither the number of threads nor where one call ends and the
//! next begins changes what is kept.

mod cause;
mod cluster;
mod command;
mod corpus;
mod known;
mod results;
mod small;
#[cfg(test)]
mod tests;

pub use command::{HuntArgs, command};
