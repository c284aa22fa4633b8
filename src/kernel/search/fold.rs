//! The hash that fingerprints are made with.

/// Mixes a number into a hash; the order of several matters.
pub const fn fold(hash: u64, x: u64) -> u64 {
    let z = (hash.rotate_left(5) ^ x).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z ^ z >> 29
}
