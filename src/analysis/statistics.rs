//! Minimum, median and maximum by nearest rank, in whole nanoseconds or counts: no floats, no interpolation.

use crate::kernel::Dur;

/// The value of nearest rank: the smallest of `sorted` that at least `percent` per cent of them do not exceed.
///
/// With n values that is the ⌈n·percent/100⌉-th smallest, so that the median of an even number is the lower of the
/// two in the middle, and always a value that occurred. None without values.
pub fn nearest_rank<T: Copy>(sorted: &[T], percent: u64) -> Option<T> {
    let rank = (sorted.len() as u64 * percent.min(100)).div_ceil(100).max(1);
    sorted.get(rank as usize - 1).copied()
}

/// The least, the middle and the greatest of some values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spread<T = Dur> {
    /// How many values there were.
    pub count: usize,
    /// The least.
    pub min: T,
    /// The median by [`nearest_rank`].
    pub median: T,
    /// The greatest.
    pub max: T,
}

impl<T: Copy + Ord> Spread<T> {
    /// The spread of `values`, which are sorted for it; none without values.
    pub fn of(values: &mut [T]) -> Option<Self> {
        values.sort_unstable();
        Some(Spread { count: values.len(), min: *values.first()?, median: nearest_rank(values, 50)?, max: *values.last()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_rank_is_a_value_that_occurred() {
        // Ranks by ⌈n·p/100⌉: of 5 the 3rd is the median, of 4 the 2nd, of 1 the 1st.
        assert_eq!(nearest_rank(&[1, 2, 3, 4, 5], 50), Some(3));
        assert_eq!(nearest_rank(&[1, 2, 3, 4], 50), Some(2));
        assert_eq!(nearest_rank(&[7], 50), Some(7));
        assert_eq!(nearest_rank::<u64>(&[], 50), None);
        // ⌈10·0.95⌉ = 10, ⌈10·0.90⌉ = 9; zero per cent is the least.
        let ten: Vec<u64> = (1..=10).collect();
        assert_eq!((nearest_rank(&ten, 95), nearest_rank(&ten, 90), nearest_rank(&ten, 0)), (Some(10), Some(9), Some(1)));
        assert_eq!((nearest_rank(&ten, 100), nearest_rank(&ten, 1000)), (Some(10), Some(10)));
    }

    #[test]
    fn spread_sorts() {
        let s = Spread::of(&mut [9u64, 1, 5, 4]).expect("there are values");
        assert_eq!((s.count, s.min, s.median, s.max), (4, 1, 4, 9));
        assert_eq!(Spread::<u64>::of(&mut []), None);
    }
}
