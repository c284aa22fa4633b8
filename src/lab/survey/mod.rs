//! Every single loss of a cluster, one after the other: each node, each zone, each rack, the
//! controllers, the API server; and pairs of them.
//!
//! ```text
//! placed   which pods are where when a loss begins
//! losses   what can be lost, and which losses are alike
//! run      a run for each, beside a run in which nothing is lost
//! hit      what a loss did to a workload, and why it does not recover; a loss with all that it did
//! findings what a person should know of it, in words of cases
//! still    why pods are not replaced
//! freed    what seeing to lost nodes does for pods that wait for them
//! holder   what keeps pods that room would not help, and budgets that stop drains
//! pressed  what runs short on the nodes that are left
//! limit    what a loss must not come to
//! tainted  taints of devices, and told: what they and node pressure did in words
//! ```
//!
//! A loss begins in the third minute, when an export's controllers have found their feet, and what
//! it cost is what differs from the run without a loss. Both have the same seed, so that nothing
//! else differs.

mod cases;
mod findings;
mod freed;
#[cfg(test)]
mod freed_tests;
mod hit;
mod holder;
mod limit;
mod losses;
mod placed;
mod pressed;
mod run;
#[cfg(test)]
mod said_tests;
mod still;
mod tainted;
#[cfg(test)]
mod tests;
mod told;

pub(crate) use findings::Finding;
pub(crate) use hit::{Hit, Lost};
pub(crate) use limit::{Limit, Measure, Unit};
pub(crate) use losses::{How, Kind, Wanted, losses};
pub(crate) use pressed::PressedNode;
pub(crate) use run::{Survey, Surveyed};
pub(crate) use still::Why;
pub(crate) use tainted::{Evicted, EvictedPod};
