//! What `taintsim test` found, for people, for CI systems and for programs.
//!
//! Every format is a function of `Tested`; nothing here runs anything. Times of the machine
//! appear in JUnit files only, and its folders only where people read: a scenario is called
//! `Tested::id` elsewhere, and its test cases have the same names whatever becomes of them.

mod case;
mod github;
mod golden;
mod programs;
mod tested;
mod text;

pub use case::{Came, Case, Failed, SCENARIO, cases};
pub(crate) use case::{Status, quoted};
pub(crate) use github::{annotations, step_summary};
pub use golden::{Difference, compare, golden, is_golden, may_replace};
pub use programs::junit;
pub(crate) use programs::{document, tap};
pub use tested::Tested;
pub(crate) use tested::tally;
pub(crate) use text::{board, details, line, table, warned};
