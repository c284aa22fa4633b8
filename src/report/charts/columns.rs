//! Step functions brought down to the points of a chart.
//!
//! A chart has a fixed number of columns. Each shows the worst of what happened in it, so that a
//! state of a millisecond shows and the size of a chart does not depend on how often things change.

use super::axis::TimeScale;
use crate::kernel::Time;

/// A run of columns with one value: from, to (in points from the left edge of the chart), value.
pub(super) type Spans<T> = Vec<(f64, f64, T)>;

/// Brings steps down to columns of `width` points; `worst` picks of two values the one to show.
pub(super) fn spans<T: Copy + PartialEq>(
    scale: &TimeScale,
    width: f64,
    steps: &[(Time, T)],
    horizon: Time,
    worst: impl Fn(T, T) -> T,
) -> Spans<T> {
    let last = ((scale.width / width).ceil() as usize).max(1);
    let mut columns: Vec<Option<T>> = vec![None; last];
    for (i, &(from, value)) in steps.iter().enumerate() {
        let to = steps.get(i + 1).map_or(horizon, |next| next.0);
        let begin = ((scale.offset(from) / width) as usize).min(last - 1);
        let end = ((scale.offset(to) / width).ceil() as usize).clamp(begin + 1, last);
        // A value that ends within a column shares it with the next one, which does so only if it
        // begins there.
        for column in &mut columns[begin..end] {
            *column = Some(column.map_or(value, |old| worst(old, value)));
        }
    }
    let mut spans: Spans<T> = Vec::new();
    for (i, value) in columns.into_iter().enumerate() {
        let Some(value) = value else { continue };
        let (from, to) = (i as f64 * width, ((i + 1) as f64 * width).min(scale.width));
        match spans.last_mut() {
            Some(s) if s.1 == from && s.2 == value => s.1 = to,
            _ => spans.push((from, to, value)),
        }
    }
    spans
}

/// Counts at instants, added up in columns of `width` points: the middle of each column in points,
/// and its sum.
pub(super) fn bins(scale: &TimeScale, width: f64, counts: &[(Time, u32)]) -> Vec<(f64, u32)> {
    let mut bins: Vec<(f64, u32)> = Vec::new();
    for &(at, n) in counts {
        let column = (scale.offset(at) / width).floor().min((scale.width / width).ceil() - 1.0);
        let middle = (column + 0.5) * width;
        match bins.last_mut() {
            Some(b) if b.0 == middle => b.1 += n,
            _ => bins.push((middle, n)),
        }
    }
    bins
}

/// Counts at instants as marks that are at least `gap` points apart: a mark stands where its first
/// count is, and takes in those that are too near for one of their own.
pub(super) fn marks(scale: &TimeScale, gap: f64, counts: &[(Time, u32)]) -> Vec<(f64, u32)> {
    let mut marks: Vec<(f64, u32)> = Vec::new();
    for &(at, n) in counts {
        let x = scale.offset(at);
        match marks.last_mut() {
            Some(m) if x < m.0 + gap => m.1 += n,
            _ => marks.push((x, n)),
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_state_shows_and_many_changes_stay_few_spans() {
        let horizon = Time::from_secs(100);
        let scale = TimeScale::new(0.0, 100.0, Time::ZERO, horizon);
        let steps =
            [(Time::ZERO, 0), (Time::from_millis(50_100), 1), (Time::from_millis(50_101), 0)];
        // One point is one second: the millisecond in second 50 takes all of it.
        assert_eq!(
            spans(&scale, 1.0, &steps, horizon, i32::max),
            [(0.0, 50.0, 0), (50.0, 51.0, 1), (51.0, 100.0, 0)]
        );
        let often: Vec<(Time, i32)> =
            (0..100_000).map(|i| (Time::from_millis(i), (i % 2) as i32)).collect();
        assert_eq!(spans(&scale, 1.0, &often, horizon, i32::max), [(0.0, 100.0, 1)]);
    }

    #[test]
    fn marks_stand_where_their_first_count_is() {
        let scale = TimeScale::new(0.0, 100.0, Time::ZERO, Time::from_secs(100));
        let counts = [(Time::from_secs(3), 1), (Time::from_secs(9), 2), (Time::from_secs(12), 4)];
        assert_eq!(marks(&scale, 9.0, &counts), [(3.0, 3), (12.0, 4)]);
    }

    #[test]
    fn counts_add_up_in_their_column() {
        let scale = TimeScale::new(0.0, 100.0, Time::ZERO, Time::from_secs(100));
        let counts = [
            (Time::from_secs(0), 1),
            (Time::from_secs(3), 2),
            (Time::from_secs(4), 4),
            (Time::from_secs(100), 8),
        ];
        assert_eq!(bins(&scale, 4.0, &counts), [(2.0, 3), (6.0, 4), (98.0, 8)]);
    }
}
