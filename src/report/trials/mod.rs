//! What `taintsim test` found, for people, for CI systems and for programs.
//!
//! Every format is a function of `Tested`; nothing here runs anything. Times of the machine
//! appear in JUnit files only, and its folders only where people read: a scenario is called
//! `Tested::id` elsewhere, and its test cases have the same names whatever becomes of them.

mod board;
mod case;
mod github;
mod golden;
mod json;
mod junit;
mod table;
mod tap;
mod tested;
mod text;

pub(crate) use board::board;
pub use case::{Came, Case, Failed, SCENARIO, cases};
pub(crate) use github::{annotations, step_summary};
pub use golden::{Difference, compare, golden, may_replace};
pub(crate) use json::document;
pub use junit::junit;
pub(crate) use table::CasesTable;
pub(crate) use tap::tap;
pub(crate) use tested::Status;
pub use tested::Tested;
pub(crate) use text::{details, line, summary};
