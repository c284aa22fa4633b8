//! Numbers drawn for random scenarios and for searches: a seed gives the same ones on every machine.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of draws.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: u64) -> u64 {
        // The bias of a remainder makes no difference here.
        self.any() % n
    }

    /// A place in a list of this length; 0 if it is empty.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len.max(1) as u64) as usize
    }

    /// 0 half of the time, 1 a quarter of it, and so on.
    pub fn halving(&mut self) -> usize {
        self.any().trailing_zeros() as usize
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of several; there is at least one.
    pub fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u64) as usize]
    }
}
