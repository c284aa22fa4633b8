//! Kubernetes quantities, "500m", "32Gi", "1e3", and lists of resources.
//!
//! `apimachinery/pkg/api/resource/quantity.go`, v1.34. A quantity is exact in billionths of its
//! unit and rounded up (away from zero) beyond that, as upstream does when it parses. It remembers
//! the kind of its suffix, and is written in canonical form: no fraction, and the largest suffix
//! that loses nothing.
//!
//! Where ours differs: more than 2^63-1 units is an error (upstream caps binary suffixes there and
//! lets decimal ones grow), a sign or a point without a digit is an error, and a text that upstream
//! would echo as it was written (`1.500`) is written in canonical form too (`1500m`).

mod amount;
mod digits;
mod error;
mod resources;
mod suffixes;
#[cfg(test)]
mod tests;

pub use amount::Quantity;
pub use resources::Resources;
pub(crate) use resources::add_resources;
