//! How near a run comes to a recorded outcome.

use crate::recorded::Line;

/// A millisecond in nanoseconds: to it the times of records are cut.
pub(super) const MILLI: u64 = 1_000_000;

/// An outcome that was missed: where the nearest run parts from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Miss {
    /// How many records the run and the outcome share at the beginning.
    pub shared: usize,
    /// How many the outcome has.
    pub of: usize,
    /// The first that only the outcome has, and the first that only the run has.
    pub parts: (Option<Line>, Option<Line>),
}

impl Miss {
    pub(super) fn of(lines: &[Line], wanted: &[Line]) -> Self {
        let shared = common(lines, wanted);
        let only = |lines: &[Line], others: &[Line]| {
            let mut others: Vec<&Line> = others[shared..].iter().collect();
            let first = lines[shared..].iter().find(|l| match others.iter().position(|o| o == l) {
                Some(i) => {
                    others.swap_remove(i);
                    false
                }
                None => true,
            });
            first.cloned()
        };
        Self { shared, of: wanted.len(), parts: (only(wanted, lines), only(lines, wanted)) }
    }
}

/// How near a run comes to an outcome: to which millisecond, and how much of that one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) struct Near {
    /// The first millisecond that differs, in nanoseconds; none where nothing does.
    pub(super) until: u64,
    /// How many records of that millisecond are in both, minus those that only the run has.
    there: isize,
}

impl Near {
    pub(super) fn of(lines: &[Line], wanted: &[Line]) -> Self {
        let shared = common(lines, wanted);
        let until = lines[shared..]
            .iter()
            .chain(&wanted[shared..])
            .map(|l| l.t_ns)
            .min()
            .unwrap_or(u64::MAX);
        let from = wanted[..shared].partition_point(|l| l.t_ns < until);
        let there = |lines: &[Line]| {
            lines[from..].iter().take_while(|l| l.t_ns == until).cloned().collect::<Vec<Line>>()
        };
        let (ours, mut theirs) = (there(lines), there(wanted));
        let both = ours
            .iter()
            .filter(|l| {
                theirs.iter().position(|t| t == *l).map(|i| theirs.swap_remove(i)).is_some()
            })
            .count();
        Self { until, there: 2 * both as isize - ours.len() as isize }
    }
}

/// How many records two runs share at the beginning.
fn common(a: &[Line], b: &[Line]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}
