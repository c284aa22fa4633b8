//! Profiles: which release of Kubernetes behaves how.
//!
//! A profile is what the table of `steps` makes of the oldest release known (`oldest`), one step after the
//! other, and what the feature gates of `gates` then leave of it. Those two tables and the list of
//! `release`s are the only places that know version numbers; everything else reads switches.
//!
//! The facts are those of Kubernetes' source at the first and last patch of every minor release
//! from 1.6 to 1.37, and at single patches where a change was carried back. Left out: differences
//! that cannot be seen here (logs, metrics, the components' names in events, how a kubelet closes
//! dead connections), and up to 1.13 the cloud provider's say in whether a node still exists, as
//! there is no cloud provider here.
//!
//! Releases before 1.18 rest on reading upstream's source alone: no recording checks them.

mod gates;
mod lookup;
mod oldest;
mod release;
mod steps;
mod storage;
#[cfg(test)]
mod tests;

pub use gates::gate_names;
pub use lookup::{check_gate, profile, with_gates, without_each};
pub use release::{ProfileError, Release};
