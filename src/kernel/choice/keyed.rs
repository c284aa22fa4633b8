//! Counter-based draws: 64 bits from (seed, point's name, object's hash, ordinal), with no stream
//! to be kept.
//!
//! `ChaCha8` derives one key per point name from the seed; a draw mixes key, object and ordinal. A
//! stream per object would cost 300 bytes and 80 ns each. Of the generator only `next_u64` is used:
//! samplers of a crate may change between releases, these numbers may not.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The finaliser of splitmix64, with its step.
const fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// The hash of an object's name: FNV-1a, 64 bits.
pub(crate) fn hash_name(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// The key of a choice point under a seed.
pub(super) fn key_of(seed: u64, name: &str) -> u64 {
    // 128 bits of the name and its length, so that no two points of a program share a key by
    // accident.
    let hash = hash_name(name);
    let second = name.bytes().fold(0, |h, b| mix(h ^ u64::from(b)));
    let mut bytes = [0; 32];
    for (i, word) in [seed, hash, second, name.len() as u64].into_iter().enumerate() {
        bytes[8 * i..8 * i + 8].copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(bytes).next_u64()
}

/// The draw of an ordinal of an object at a point.
pub(super) const fn bits(key: u64, object: u64, ordinal: u32) -> u64 {
    Draws::new(key, object).bits(ordinal)
}

/// The draws of an object at a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws(u64);

impl Draws {
    pub(super) const fn new(key: u64, object: u64) -> Self {
        Self(mix(mix(key).wrapping_add(object)))
    }

    pub(super) const fn bits(self, ordinal: u32) -> u64 {
        mix(self.0.wrapping_add(ordinal as u64))
    }
}

/// Scales 64 uniform bits to `0..=last`.
pub(super) const fn up_to(bits: u64, last: u64) -> u64 {
    ((bits as u128 * (last as u128 + 1)) >> 64) as u64
}

/// The most seldom that something is which is drawn by [`seldom`]: one time in two to the power of this.
const MOST_SELDOM: u64 = 12;

/// From 1 to `last`, each time with a probability that is drawn for the point itself, and otherwise 0. So one run has
/// much of one kind and nothing of another (swarm testing: Groce et al., ISSTA 2012).
pub(super) fn seldom(key: u64, drawn: u64, last: u64) -> u64 {
    let seldom = up_to(bits(key, u64::MAX, u32::MAX), MOST_SELDOM);
    if u64::from(drawn.trailing_zeros()) < seldom {
        return 0;
    }
    1 + up_to(drawn, last.saturating_sub(1))
}

/// Draws outside of a run, of what a run is given: like those of a choice point of this name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keyed(u64);

impl Keyed {
    /// The draws of a point under a seed.
    pub(crate) fn new(seed: u64, name: &str) -> Self {
        Self(key_of(seed, name))
    }

    /// 64 uniform bits.
    pub(crate) fn bits(self, object: u64, ordinal: u32) -> u64 {
        bits(self.0, object, ordinal)
    }

    /// A number above 0 and below 1, of 53 bits.
    pub(crate) fn unit(self, object: u64, ordinal: u32) -> f64 {
        ((self.bits(object, ordinal) >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_chacha8() {
        // First eight bytes of the eSTREAM test vector for ChaCha8 with a key and nonce of zeros:
        // 3e 00 ef 2f 89 5f 40 d6.
        assert_eq!(ChaCha8Rng::from_seed([0; 32]).next_u64(), 0xd640_5f89_2fef_003e);
    }

    #[test]
    fn the_mixer_is_splitmix64() {
        // The first outputs of splitmix64 seeded with 0, from its reference implementation.
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0x9E37_79B9_7F4A_7C15), 0x6e78_9e6a_a1b9_65f4);
    }

    /// Each of thirteen rates, one time in two to the power of 0 to 12, has a key in thirteen: of 130 keys 10 have it
    /// always, and 30 at most some four times of 4,096, within four deviations of a binomial (12 and 19).
    #[test]
    fn what_is_seldom_is_so_by_key() {
        let of = |key: u64| (0..4_096).map(move |i| seldom(key, bits(key, 1, i), 3));
        assert!((0..13).all(|key| of(mix(key)).all(|drawn| drawn <= 3)));
        let often: Vec<usize> =
            (0..130).map(|key| of(mix(key)).filter(|drawn| *drawn > 0).count()).collect();
        let always = often.iter().filter(|n| **n == 4_096).count();
        let hardly = often.iter().filter(|n| **n <= 11).count();
        assert!(always.abs_diff(10) <= 12 && always > 0, "{often:?}");
        assert!(hardly.abs_diff(30) <= 19, "{often:?}");
    }

    #[test]
    fn names_hash_as_fnv_says() {
        // FNV's own test vectors.
        assert_eq!(hash_name(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash_name("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash_name("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn scaling_covers_the_whole_range() {
        assert_eq!(up_to(0, 5), 0);
        assert_eq!(up_to(u64::MAX, 5), 5);
        assert_eq!(up_to(u64::MAX, 6), 6);
        assert_eq!(up_to(u64::MAX, u64::MAX), u64::MAX);
        assert_eq!(up_to(1 << 63, u64::MAX), 1 << 63);
        assert_eq!(up_to(1 << 63, 9), 5);
    }

    #[test]
    fn golden_draws() {
        // Worked out by a second implementation, apart from this one. Committed so that no change
        // of a crate or of the compiler goes unnoticed: every digest of a seeded run depends on
        // them.
        let check = |seed, name, object, ordinal, expected: u64| {
            assert_eq!(
                bits(key_of(seed, name), hash_name(object), ordinal),
                expected,
                "{seed} {name} {object} {ordinal}"
            );
        };
        check(0, "kubelet.lease.jitter", "node-0", 0, 0x692f_0334_1c1a_ded2);
        check(0, "kubelet.lease.jitter", "node-0", 1, 0x14a0_1ff5_d28c_d8da);
        check(0, "kubelet.lease.jitter", "node-1", 0, 0x9067_d7a7_e5cb_18d9);
        check(1, "kubelet.lease.jitter", "node-0", 0, 0x8a12_b7f4_b514_4893);
        check(0, "kubelet.status.offset", "node-0", 0, 0x5401_5e2a_03de_44ee);
    }
}
