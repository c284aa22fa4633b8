//! What a run notes for a search: which steps there were, what each of them read and wrote, and
//! which could have come instead.
//!
//! Nothing of this happens unless the kernel was made to search; then each event carries the hash
//! of what led to it, so that two runs whose steps happened before one another in the same way have
//! equal fingerprints, in whatever order independent steps came.

mod name;
mod notes;

pub(super) use name::Hashes;
pub use name::Name;
pub(super) use notes::Notes;
pub use notes::{Asked, Key, Keys, Searched, Step, Touch, Wanted};

/// Mixes a number into a hash; the order of several matters.
pub const fn fold(hash: u64, x: u64) -> u64 {
    let z = (hash.rotate_left(5) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z ^ z >> 29
}
