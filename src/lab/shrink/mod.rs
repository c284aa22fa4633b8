//! Shrinking: takes away from a scenario what a violation does not need, until nothing more can go.
//!
//! It works on the scenario's text as a tree ([`Tree`](crate::language::text::Tree)): every
//! item of a list, every optional field and every entry of a map is left out once to see what
//! happens, larger stretches of lists first; then times and numbers are rounded. The deviations of
//! its tape are a list like any other. What no longer is a scenario, or no longer violates the
//! property, is put back. At the end each single removal has been tried on the result itself, and
//! none violates.
//!
//! Taking a node or an action away may shift the order that a tape asks for. When nothing more can
//! go, the items of lists are tried once more, and a candidate that does not violate is searched
//! with as many deviations; what is found brings its own tape along. The result depends on the
//! input alone: candidates are tried one after another.

mod judge;
mod leaves;
mod search;

pub use judge::{Failed, Goal, Shrink, Shrunk, Size, Watch};
pub use search::shrink;
