//! What a shard found, as bytes.
//!
//! Numbers are kept bit by bit: whoever gathers reckons with the very numbers that were found, and
//! comes to the same last digit.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The results of pieces of work, each with the number of its piece, from 0.
pub(crate) type Results<T> = Vec<(u64, T)>;

/// Results as bytes.
pub(super) fn packed<T: Serialize>(results: &Results<T>) -> Vec<u8> {
    postcard::to_allocvec(results).unwrap_or_else(|_| unreachable!("memory takes whatever it gets"))
}

/// Results as they were; none if the bytes are of something else, or of another number of pieces.
pub(crate) fn unpacked<T: DeserializeOwned>(bytes: &[u8], pieces: usize) -> Option<Results<T>> {
    // How many there are comes first, and is looked at before there is room for them.
    let (found, _) = postcard::take_from_bytes::<usize>(bytes).ok()?;
    if found != pieces {
        return None;
    }
    let (results, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.is_empty().then_some(results)
}
