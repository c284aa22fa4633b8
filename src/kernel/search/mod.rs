//! What a run notes for a search: which steps there were, what each of them read and wrote, and
//! which could have come instead.
//!
//! Nothing of this happens unless the kernel was made to search; then each event carries the hash
//! of what led to it, so that two runs whose steps happened before one another in the same way have
//! equal fingerprints, in whatever order independent steps came.

mod fold;
mod keys;
mod name;
mod notes;
mod searched;

pub use fold::fold;
pub(crate) use keys::{Key, Keys};
pub(super) use name::Hashes;
pub(crate) use name::Name;
pub(super) use notes::Notes;
pub use searched::{Answer, Asked, Searched, Step, Wanted};
