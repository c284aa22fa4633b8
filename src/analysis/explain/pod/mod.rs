//! What became of a pod: evicted, and by which rule; not evicted, and why not; deleted by somebody
//! else; pending.

mod case;
mod evicted;
mod inquiry;
mod outcome;
mod seen;
mod stayed;
mod volumes;

pub(super) use outcome::explain_all;
