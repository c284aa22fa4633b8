//! What became of a pod: evicted, and by which rule; not evicted, and why not; deleted by somebody
//! else; pending.

mod evicted;
mod imported;
mod inquiry;
mod outcome;
mod remedies;
mod seen;
mod stayed;
mod steps;
mod untainted;

pub(super) use outcome::{explain, explain_all};
