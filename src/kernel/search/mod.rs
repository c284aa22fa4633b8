//! What a run notes for a search: which steps there were, what each of them read and wrote, and
//! which could have come instead.
//!
//! Nothing of this happens unless the kernel was made to search; then each event carries the hash
//! of what led to it, so that two runs whose steps happened before one another in the same way have
//! equal fingerprints, in whatever order independent steps came.

mod name;
mod notes;
mod searched;

pub(super) use name::Hashes;
pub use name::fold;
pub(crate) use name::{Key, Keys, Name};
pub(super) use notes::Notes;
pub use searched::{Answer, Asked, Searched, Step, Wanted};
