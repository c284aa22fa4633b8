//! The chart of a sweep: a row per combination of values as in the table, a panel per figure; in each the median over the seeds
//! as a dot, and the range as a bar behind it.

use super::canvas::{Anchor, Canvas};
use super::frame::{FOOT, HEAD, LABEL, RIGHT, SMALL, STRONG, Swatch, WIDTH, head};
use super::palette::{AVAILABLE, AVAILABLE_FILL, EVICTION, GRID, NOT_READY, PENDING, RULE, health};
use super::{ChartError, font};
use crate::analysis::state::Health;
use crate::analysis::{Spread, grouped};
use crate::kernel::Dur;
use crate::report::short;
use crate::report::sweep::{Figures, Heading, Row};
use plotters::backend::DrawingBackend;
use plotters::style::RGBColor;

/// More rows are left to the table.
const ROWS_MAX: usize = 100;
const ROW: f64 = 24.0;
/// The names of panels and of the columns of values.
const TITLES: f64 = 26.0;
/// Free space between two panels.
const BETWEEN: f64 = 34.0;
/// Free space at the left.
const LEFT: f64 = 28.0;
/// The names of rows take no more than this.
const NAME_MAX: f64 = 300.0;
/// Between the names of rows and the first panel.
const NAME_GAP: f64 = 14.0;

/// A figure as it is drawn: in whole units, seconds or minutes.
type Value = fn(&Figures) -> Option<Spread<Number>>;

/// A number with an order, in thousandths.
type Number = u128;

/// How numbers of a panel are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Count,
    Minutes,
    Seconds,
}

struct Series {
    value: Value,
    dot: RGBColor,
    range: RGBColor,
}

struct Panel {
    title: &'static str,
    unit: Unit,
    series: Vec<Series>,
}

fn panels() -> Vec<Panel> {
    fn scaled<T: Copy>(s: Option<Spread<T>>, to: impl Fn(T) -> Number) -> Option<Spread<Number>> {
        s.map(|s| Spread { count: s.count, min: to(s.min), median: to(s.median), max: to(s.max) })
    }
    fn seconds(d: Dur) -> Number {
        u128::from(d.as_millis())
    }
    let needless: Series =
        Series { value: |f| scaled(f.needless, |n| u128::from(n) * 1000), dot: health(Health::Unknown), range: NOT_READY };
    let evicted: Series = Series { value: |f| scaled(f.evicted, |n| u128::from(n) * 1000), dot: EVICTION, range: PENDING };
    let plain = |value: Value| vec![Series { value, dot: AVAILABLE, range: AVAILABLE_FILL }];
    vec![
        Panel { title: "pods evicted, and needlessly", unit: Unit::Count, series: vec![evicted, needless] },
        Panel { title: "replica-minutes missing", unit: Unit::Minutes, series: plain(|f| scaled(f.missing_ns, |ns| ns / 60_000_000)) },
        Panel { title: "detection: fault to Unknown", unit: Unit::Seconds, series: plain(|f| scaled(f.detection, seconds)) },
        Panel { title: "eviction: fault to deletion", unit: Unit::Seconds, series: plain(|f| scaled(f.eviction, seconds)) },
    ]
}

/// The size of the chart, in points.
pub(super) fn size(rows: &[Row]) -> (u32, u32) {
    let rows = rows.len().min(ROWS_MAX) as f64;
    (WIDTH as u32, (HEAD + TITLES + ROW * rows + FOOT) as u32)
}

pub(super) fn draw<B: DrawingBackend>(c: &Canvas<B>, heading: &Heading, rows: &[Row]) -> Result<(), ChartError> {
    let left_out = rows.len().saturating_sub(ROWS_MAX);
    let rows = &rows[..rows.len().min(ROWS_MAX)];
    let mut subtitle = heading.line.clone();
    if left_out > 0 {
        subtitle.push_str(&format!("; {left_out} more rows are in the table"));
    }
    let legend = [
        (Swatch::Dot(EVICTION), "median over the seeds"),
        (Swatch::Area(PENDING), "least to greatest"),
        (Swatch::Dot(health(Health::Unknown)), "needless: the node was soon back"),
    ];
    head(c, &super::Heading { title: heading.name.clone(), subtitle }, LEFT, &legend)?;

    let columns = heading.columns();
    let title = columns.join(" / ");
    let names: Vec<String> = rows.iter().map(|r| r.values.join(" / ")).collect();
    let mut name_width = font::width(&title, STRONG)?;
    for name in &names {
        name_width = name_width.max(font::width(name, LABEL)?);
    }
    let name_width = name_width.min(NAME_MAX);
    let top = HEAD + TITLES;
    let bottom = top + ROW * rows.len() as f64;
    let names_end = LEFT + name_width;
    c.text(&font::fit(&title, STRONG, name_width)?, (names_end, top - TITLES / 2.0), Anchor::Right, STRONG)?;
    let middle = |i: usize| top + ROW * (i as f64 + 0.5);
    for (i, name) in names.iter().enumerate() {
        c.text(&font::fit(name, LABEL, name_width)?, (names_end, middle(i)), Anchor::Right, LABEL)?;
    }

    let panels = panels();
    let room = WIDTH - RIGHT - names_end - NAME_GAP;
    let width = (room - BETWEEN * (panels.len() - 1) as f64) / panels.len() as f64;
    for (p, panel) in panels.iter().enumerate() {
        let left = names_end + NAME_GAP + (width + BETWEEN) * p as f64;
        let spreads = panel.series.iter().flat_map(|s| rows.iter().filter_map(|r| (s.value)(&r.figures)));
        let scale = Scale::new(left, width, spreads.map(|s| s.max).max().unwrap_or(0), panel.unit);
        c.text(&font::fit(panel.title, STRONG, width)?, (left, top - TITLES / 2.0), Anchor::Left, STRONG)?;
        for i in 0..=rows.len() {
            let y = top + ROW * i as f64;
            c.rule((left, y), (left + width, y), if i == rows.len() { RULE } else { GRID })?;
        }
        for &tick in &scale.ticks {
            let x = scale.x(tick);
            c.rule((x, top), (x, bottom + 5.0), if tick == 0 { RULE } else { GRID })?;
            c.text(&scale.name(tick), (x, bottom + 14.0), Anchor::Middle, SMALL)?;
        }
        for (i, row) in rows.iter().enumerate() {
            let several = panel.series.len() > 1;
            for (k, series) in panel.series.iter().enumerate() {
                // Two series of a panel stand above and below the middle of the row, so that equal ones are both seen.
                let y = middle(i) + if several { 4.5 * (2.0 * k as f64 - 1.0) } else { 0.0 };
                match (series.value)(&row.figures) {
                    Some(spread) => figure(c, &scale, series, spread, y, several)?,
                    None if k == 0 => c.text("none", (left + 6.0, middle(i)), Anchor::Left, SMALL)?,
                    None => {}
                }
            }
        }
    }
    c.present()
}

/// A figure: its range, its median, and the median as a number where nothing is in the way.
fn figure<B: DrawingBackend>(
    c: &Canvas<B>,
    scale: &Scale,
    series: &Series,
    spread: Spread<Number>,
    y: f64,
    small: bool,
) -> Result<(), ChartError> {
    let (half, radius) = if small { (2.5, 3.0) } else { (4.0, 4.5) };
    let (from, at, to) = (scale.x(spread.min), scale.x(spread.median), scale.x(spread.max));
    c.rect((from - 1.0, y - half), (to + 1.0, y + half), series.range)?;
    c.disc((at, y), radius, series.dot)?;
    if small {
        return Ok(());
    }
    let name = scale.name(spread.median);
    let end = to.max(at + radius) + 5.0;
    let (x, anchor) = if end + font::width(&name, SMALL)? <= scale.left + scale.width + BETWEEN - 8.0 {
        (end, Anchor::Left)
    } else {
        (from.min(at - radius) - 5.0, Anchor::Right)
    };
    c.text(&name, (x, y), anchor, SMALL)
}

/// A scale from zero to the right, in thousandths.
struct Scale {
    left: f64,
    width: f64,
    most: Number,
    ticks: Vec<Number>,
    unit: Unit,
}

/// About so many round numbers are named in a panel.
const TICKS: Number = 4;

impl Scale {
    fn new(left: f64, width: f64, most: Number, unit: Unit) -> Self {
        let rough = most.max(1).div_ceil(TICKS);
        let decimal = |least: u32| (least..30).flat_map(|e| [1, 2, 5].map(|m| m * 10u128.pow(e))).find(|&s| s >= rough).unwrap_or(rough);
        let step = match unit {
            Unit::Count => decimal(3),
            Unit::Minutes => decimal(0),
            // Up to a day; days from there on.
            Unit::Seconds => [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]
                .map(|s| s * 1000)
                .into_iter()
                .find(|&s| s >= rough)
                .unwrap_or_else(|| rough.div_ceil(86_400_000) * 86_400_000),
        };
        let most = most.max(1).div_ceil(step) * step;
        Scale { left, width, most, ticks: (0..=most / step).map(|i| i * step).collect(), unit }
    }

    fn x(&self, value: Number) -> f64 {
        self.left + value as f64 / self.most as f64 * self.width
    }

    fn name(&self, value: Number) -> String {
        match self.unit {
            Unit::Count => grouped((value / 1000) as u64),
            Unit::Minutes if value >= 10_000 || value.is_multiple_of(1000) => grouped(((value + 500) / 1000) as u64),
            Unit::Minutes => format!("{:.1}", value as f64 / 1000.0),
            // What is at once differs by milliseconds.
            Unit::Seconds if value < 1000 => short(Dur::from_millis(value as u64)),
            Unit::Seconds => short(Dur::from_millis(((value + 50) / 100 * 100) as u64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let names = |most, unit| {
            let scale = Scale::new(0.0, 100.0, most, unit);
            scale.ticks.iter().map(|&t| scale.name(t)).collect::<Vec<_>>()
        };
        // 30 pods in four steps: 7.5, so tens.
        assert_eq!(names(30_000, Unit::Count), ["0", "10", "20", "30"]);
        // Nothing at all still has a scale, and no fraction of a pod is named.
        assert_eq!(names(0, Unit::Count), ["0", "1"]);
        // 345 s in four steps: 86 s, so two minutes.
        assert_eq!(names(345_000, Unit::Seconds), ["0s", "2m", "4m", "6m"]);
        // 1.3 minutes: steps of half a minute.
        assert_eq!(names(1_300, Unit::Minutes), ["0", "0.5", "1", "1.5"]);
        assert!(names(u128::from(u64::MAX), Unit::Count).len() <= 6);
    }
}
