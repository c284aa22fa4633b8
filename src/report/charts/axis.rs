//! Scales: where a time or a number is, and the ticks that name round ones.
//!
//! Step functions brought down to the points of a chart.
//!
//! A chart has a fixed number of columns. Each shows the worst of what happened in it, so that a
//! state of a millisecond shows and the size of a chart does not depend on how often things change;
//! of areas, which say how much of the time, the mean.

use crate::analysis::clock::{short, whole};
use crate::kernel::{Dur, Time};

/// Time from left to right, in points.
#[derive(Clone, Copy)]
pub(super) struct TimeScale {
    pub(super) left: f64,
    pub(super) width: f64,
    from: Time,
    horizon_ns: f64,
    /// The end of the run; the scale ends before it where nothing happens any more.
    pub(super) end: Time,
}

/// Steps of ticks up to four weeks, as multiples of so many milliseconds; longer ones are multiples
/// of the last.
const STEPS: [(u64, &[u64]); 5] = [
    (1, &[1, 2, 5, 10, 20, 50, 100, 200, 500]),
    (1_000, &[1, 2, 5, 10, 15, 30]),
    (60_000, &[1, 2, 5, 10, 15, 30]),
    (3_600_000, &[1, 2, 3, 6, 12]),
    (DAY_MS, &[1, 2, 7, 14, 28]),
];

const DAY_MS: u64 = 86_400_000;

impl TimeScale {
    /// From one time to another, of a run that goes on until the last, in which nothing happens.
    pub(super) fn new(left: f64, width: f64, from: Time, horizon: Time, end: Time) -> Self {
        let horizon_ns = (horizon.as_nanos() as f64).max(1.0);
        TimeScale { left, width, from, horizon_ns, end }
    }

    /// How far from the left edge a time is, in points; within the width.
    pub(super) fn offset(&self, at: Time) -> f64 {
        let passed = at.as_nanos() as f64 - self.from.as_nanos() as f64;
        (passed / self.span_ns()).clamp(0.0, 1.0) * self.width
    }

    /// How long the time is that is shown.
    fn span_ns(&self) -> f64 {
        (self.horizon_ns - self.from.as_nanos() as f64).max(1.0)
    }

    pub(super) fn x(&self, at: Time) -> f64 {
        self.left + self.offset(at)
    }

    /// Round times and their names, no more than about `most` of them.
    pub(super) fn ticks(&self, most: u64) -> Vec<(Time, String)> {
        let horizon_ms = (self.horizon_ns / 1e6) as u64;
        let step = self.step(most);
        (self.from.as_millis().div_ceil(step)..=horizon_ms / step)
            .map(|i| (Time::from_millis(i * step), self.name(i * step, step)))
            .collect()
    }

    /// How far these ticks are apart, in milliseconds.
    fn step(&self, most: u64) -> u64 {
        round_ms((self.span_ns() / 1e6 / most.max(1) as f64).ceil() as u64)
    }

    fn hours(&self) -> bool {
        self.horizon_ns > 3_600e9
    }

    /// What the names of so many ticks mean, and what is not shown.
    pub(super) fn caption(&self, most: u64) -> String {
        let step = self.step(most);
        let names = match (self.hours(), step < 60_000) {
            _ if step >= DAY_MS => "days",
            (true, true) => "hours:minutes:seconds",
            (true, false) => "hours:minutes",
            (false, _) => "minutes:seconds",
        };
        let before = match self.from {
            Time::ZERO => String::new(),
            from => format!("; nothing happens before {}", whole(from)),
        };
        let run = short(self.end.since(Time::ZERO));
        let after = match self.end.as_nanos() as f64 > self.horizon_ns {
            true => format!("; nothing more happens in this run of {run}"),
            false => String::new(),
        };
        format!("{names} since the start{before}{after}")
    }

    /// The shortest round span that takes at least that many points, and how many it takes.
    pub(super) fn round_span(&self, points: f64) -> (Dur, f64) {
        let span_ms = self.span_ns() / 1e6;
        let least = span_ms * points / self.width;
        let ms = round_ms(least.ceil() as u64);
        (Dur::from_millis(ms), ms as f64 / span_ms * self.width)
    }

    fn name(&self, ms: u64, step: u64) -> String {
        let s = ms / 1_000;
        let whole = match (self.hours(), step < 60_000) {
            _ if step >= DAY_MS => format!("{}d", ms / DAY_MS),
            (true, true) => format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60),
            (true, false) => format!("{}:{:02}", s / 3_600, s / 60 % 60),
            (false, _) => format!("{}:{:02}", s / 60, s % 60),
        };
        if step < 1_000 { format!("{whole}.{:03}", ms % 1_000) } else { whole }
    }
}

/// A number from bottom to top.
pub(super) struct CountScale {
    bottom: f64,
    height: f64,
    pub(super) least: u32,
    most: u32,
    pub(super) ticks: Vec<u32>,
}

impl CountScale {
    /// A scale that holds `least` to `most`, widened to round numbers, with some `ticks`.
    pub(super) fn new(bottom: f64, height: f64, least: u32, most: u32, ticks: u32) -> Self {
        let span = u64::from(most.saturating_sub(least).max(1));
        let rough = span.div_ceil(u64::from(ticks.max(1)));
        let step = round_step(rough.into(), 0) as u64;
        let low = u64::from(least) / step * step;
        let high = u64::from(most).max(low + 1).div_ceil(step) * step;
        let ticks = (0..=(high - low) / step).map(|i| (low + i * step) as u32).collect();
        CountScale { bottom, height, least: low as u32, most: high as u32, ticks }
    }

    /// How high an area of so many is.
    pub(super) fn tall(&self, value: f64) -> f64 {
        value / f64::from(self.most - self.least).max(1.0) * self.height
    }

    pub(super) fn y(&self, value: u32) -> f64 {
        let above = value.clamp(self.least, self.most) - self.least;
        self.bottom - self.tall(above.into())
    }
}

/// The least of 1, 2, 5, 10 and so on, from ten to the power of `least` on, that is no less.
pub(super) fn round_step(rough: u128, least: u32) -> u128 {
    let mut steps = (least..30).flat_map(|e| [1, 2, 5].map(|m| m * 10_u128.pow(e)));
    steps.find(|step| *step >= rough).unwrap_or(rough)
}

/// The least of the steps of ticks, in milliseconds, that is no less.
pub(super) fn round_ms(least: u64) -> u64 {
    const LAST: u64 = 28 * 86_400_000;
    let mut steps = STEPS.into_iter().flat_map(|(ms, of)| of.iter().map(move |n| n * ms));
    steps.find(|s| *s >= least).unwrap_or_else(|| least.div_ceil(LAST) * LAST)
}

/// A run of columns with one value: from, to (in points from the left edge of the chart), value.
pub(super) type Spans<T> = Vec<(f64, f64, T)>;

/// Brings steps down to columns of `width` points; `worst` picks of two values the one to show.
pub(super) fn spans<T: Copy + PartialEq>(
    scale: &TimeScale,
    width: f64,
    steps: &[(Time, T)],
    worst: impl Fn(T, T) -> T,
) -> Spans<T> {
    let last = ((scale.width / width).ceil() as usize).max(1);
    let mut columns: Vec<Option<T>> = vec![None; last];
    for (i, &(from, value)) in steps.iter().enumerate() {
        let to = steps.get(i + 1).map_or(scale.end, |next| next.0);
        let begin = ((scale.offset(from) / width) as usize).min(last - 1);
        let end = ((scale.offset(to) / width).ceil() as usize).clamp(begin + 1, last);
        // A value that ends within a column shares it with the next one, which does so only if it
        // begins there.
        for column in &mut columns[begin..end] {
            *column = Some(column.map_or(value, |old| worst(old, value)));
        }
    }
    joined(scale, width, columns)
}

/// The same for columns of one point, with the mean of each number over the time of a column.
pub(super) fn means<const N: usize>(
    scale: &TimeScale,
    steps: &[(Time, [u32; N])],
) -> Spans<[f64; N]> {
    let last = (scale.width.ceil() as usize).max(1);
    let mut columns = vec![[0.0; N]; last];
    for (i, &(from, values)) in steps.iter().enumerate() {
        let to = steps.get(i + 1).map_or(scale.end, |next| next.0);
        let (from, to) = (scale.offset(from), scale.offset(to));
        let end = (to.ceil() as usize).min(last);
        for (place, means) in columns.iter_mut().enumerate().take(end).skip(from as usize) {
            let left = place as f64;
            let right = (left + 1.0).min(scale.width);
            let share = (to.min(right) - from.max(left)) / (right - left);
            means.iter_mut().zip(values).for_each(|(mean, n)| *mean += share * f64::from(n));
        }
    }
    joined(scale, 1.0, columns.into_iter().map(Some))
}

/// Columns of one value that stand beside each other as one span; some have none.
fn joined<T: PartialEq>(
    scale: &TimeScale,
    width: f64,
    columns: impl IntoIterator<Item = Option<T>>,
) -> Spans<T> {
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

/// The line through the values of spans, each as `of` counts it.
pub(super) fn outline<T>(
    time: &TimeScale,
    scale: &CountScale,
    spans: &[(f64, f64, T)],
    of: impl Fn(&T) -> u32,
) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (from, to, value) in spans {
        let (from, to, y) = (time.left + from, time.left + to, scale.y(of(value)));
        match points.last_mut() {
            // A stroke through points of one level comes out bent.
            Some(last) if *last == (from, y) => last.0 = to,
            _ => points.extend([(from, y), (to, y)]),
        }
    }
    points
}

/// Counts at instants, added up in columns of `width` points: the middle of each column in points,
/// and its sum.
pub(super) fn bins(scale: &TimeScale, width: f64, counts: &[(Time, u32)]) -> Vec<(f64, u32)> {
    let middle = |&(at, _): &(Time, u32)| {
        let column = (scale.offset(at) / width).floor().min((scale.width / width).ceil() - 1.0);
        (column + 0.5) * width
    };
    let bins = counts.chunk_by(|a, b| middle(a) == middle(b));
    bins.map(|bin| (middle(&bin[0]), bin.iter().map(|c| c.1).sum())).collect()
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
    fn ticks_are_round_and_named_by_the_length_of_the_run() {
        let names = |seconds, most| {
            let end = Time::from_secs(seconds);
            let ticks = TimeScale::new(0.0, 100.0, Time::ZERO, end, end).ticks(most);
            ticks.into_iter().map(|t| t.1).collect::<Vec<_>>()
        };
        // 600 s in at most 10: every minute, 0:00 to 10:00.
        assert_eq!(names(600, 10)[..3], ["0:00", "1:00", "2:00"]);
        assert_eq!(names(600, 10).len(), 11);
        // A day in 12: every two hours.
        assert_eq!(names(86_400, 12).last().map(String::as_str), Some("24:00"));
        assert_eq!(names(86_400, 12)[1], "2:00");
        // 8,000 hours in 26: every two weeks, that is 14 days.
        assert_eq!(names(8_000 * 3_600, 26)[1], "14d");
        let end = Time::from_secs(8_000 * 3_600);
        let weeks = TimeScale::new(0.0, 100.0, Time::ZERO, end, end).caption(26);
        assert!(weeks.starts_with("days since the start"), "{weeks}");
        // A second in 10: every 0.1 s.
        assert_eq!(names(1, 10)[1], "0:00.100");
        // 20 ms in 15: every 2 ms, as every one would be 20.
        let end = Time::from_millis(20);
        let short = TimeScale::new(0.0, 100.0, Time::ZERO, end, end).ticks(15);
        assert_eq!((short.len(), short[1].1.as_str()), (11, "0:00.002"));
        // From 65 to 70 minutes in 15: every 20 s = 300 / 15 is none of the steps, so every 30.
        let end = Time::from_secs(4_200);
        let hour = TimeScale::new(0.0, 100.0, Time::from_secs(3_900), end, end);
        assert_eq!(hour.ticks(15)[1].1, "1:05:30");
        assert!(hour.caption(15).starts_with("hours:minutes:seconds since"));
        // What is not shown is said.
        // From 9 to 20 minutes: a tick each minute, and the middle is at 14.5.
        let end = Time::from_secs(1_200);
        let late = TimeScale::new(0.0, 110.0, Time::from_secs(540), end, end);
        assert_eq!(
            late.ticks(11)[..2].iter().map(|t| t.1.as_str()).collect::<Vec<_>>(),
            ["9:00", "10:00"]
        );
        assert_eq!((late.x(Time::from_secs(870)), late.x(Time::ZERO)), (55.0, 0.0));
        assert!(late.caption(11).ends_with("; nothing happens before 9:00"));
        let same = Time::from_secs(600);
        let until = |end| TimeScale::new(0.0, 100.0, Time::ZERO, same, end);
        let cut = until(same);
        assert!(cut.caption(10).ends_with("the start"));
        assert!(until(Time::from_secs(7_200)).caption(10).ends_with("in this run of 2h"));
        // 4 of 100 points are 24 s: half a minute, which takes 5.
        assert_eq!(cut.round_span(4.0), (Dur::from_secs(30), 5.0));
        // Nothing at all, and a year, do not hang.
        assert_eq!(names(0, 10).len(), 1);
        assert!(names(31_536_000, 10).len() <= 11);
    }

    #[test]
    fn counts_widen_to_round_numbers() {
        let scale = CountScale::new(100.0, 100.0, 0, 147, 5);
        // 147 / 5 = 30 rounds up to 50.
        assert_eq!(scale.ticks, [0, 50, 100, 150]);
        assert_eq!((scale.y(0), scale.y(75), scale.y(150)), (100.0, 50.0, 0.0));
        assert_eq!(CountScale::new(0.0, 1.0, 0, 0, 5).ticks, [0, 1]);
        let narrow = CountScale::new(0.0, 1.0, 149_000, 150_000, 4);
        assert_eq!(narrow.ticks, [149_000, 149_500, 150_000]);
        assert!(CountScale::new(0.0, 1.0, 0, u32::MAX, 4).ticks.len() >= 2);
    }

    #[test]
    fn a_short_state_shows_and_many_changes_stay_few_spans() {
        let horizon = Time::from_secs(100);
        let scale = TimeScale::new(0.0, 100.0, Time::ZERO, horizon, horizon);
        let steps =
            [(Time::ZERO, 0), (Time::from_millis(50_100), 1), (Time::from_millis(50_101), 0)];
        // One point is one second: the millisecond in second 50 takes all of it.
        assert_eq!(
            spans(&scale, 1.0, &steps, i32::max),
            [(0.0, 50.0, 0), (50.0, 51.0, 1), (51.0, 100.0, 0)]
        );
        let often: Vec<(Time, i32)> =
            (0..100_000).map(|i| (Time::from_millis(i), (i % 2) as i32)).collect();
        assert_eq!(spans(&scale, 1.0, &often, i32::max), [(0.0, 100.0, 1)]);
    }

    /// A point is a second. A quarter of one of four pods is one pod; what goes on changes nothing.
    #[test]
    fn an_area_has_the_mean_of_each_column() {
        let end = Time::from_secs(128);
        let scale = TimeScale::new(0.0, 128.0, Time::ZERO, end, end);
        let at = |ms, n| (Time::from_millis(ms), [n, 2]);
        assert_eq!(
            means(&scale, &[at(0, 0), at(50_250, 4), at(50_500, 0)]),
            [(0.0, 50.0, [0.0, 2.0]), (50.0, 51.0, [1.0, 2.0]), (51.0, 128.0, [0.0, 2.0])]
        );
    }

    #[test]
    fn marks_stand_where_their_first_count_is() {
        let end = Time::from_secs(100);
        let scale = TimeScale::new(0.0, 100.0, Time::ZERO, end, end);
        let counts = [(Time::from_secs(3), 1), (Time::from_secs(9), 2), (Time::from_secs(12), 4)];
        assert_eq!(marks(&scale, 9.0, &counts), [(3.0, 3), (12.0, 4)]);
    }

    #[test]
    fn counts_add_up_in_their_column() {
        let end = Time::from_secs(100);
        let scale = TimeScale::new(0.0, 100.0, Time::ZERO, end, end);
        let counts = [
            (Time::from_secs(0), 1),
            (Time::from_secs(3), 2),
            (Time::from_secs(4), 4),
            (Time::from_secs(100), 8),
        ];
        assert_eq!(bins(&scale, 4.0, &counts), [(2.0, 3), (6.0, 4), (98.0, 8)]);
    }
}
