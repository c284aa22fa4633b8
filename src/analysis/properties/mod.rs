//! Properties: what must never happen, named, and found in a trace.
//!
//! A property is a function of the trace (and of the plan that it refers to) and of nothing else;
//! [`check`] walks through the records once. What the API's words leave open is read in the
//! controllers' favour: a violation is one under every reading. Bounds stand behind a name in
//! brackets, `pod-stuck(10s)`, and have defaults.
//!
//! Left out: [`Property::Deterministic`] is about two runs, which only those who run them can
//! compare, and [`Property::Expect`] about what a scenario expects
//! ([`expect::violations`](super::expect::violations)); [`check`] finds nothing there.

mod budgets;
mod check;
mod evictions;
mod false_unknown;
mod never_tainted;
mod overdue;
mod placed;
mod property;
mod readiness;
mod replaced;
mod taints;
#[cfg(test)]
mod tests;
mod walk;

pub use check::{Harm, check};
pub use property::{Property, PropertyError, Violation};
