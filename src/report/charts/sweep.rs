//! The chart of a sweep: a row per combination of values as in the table, a panel for each of the
//! first figures; in each the mean over the seeds as a dot, its interval and the range as bars
//! behind it.

use super::canvas::{Anchor, Canvas};
use super::frame::{FOOT, HEAD, LABEL, RIGHT, SMALL, STRONG, Swatch, WIDTH, head};
use super::palette::{AVAILABLE, AVAILABLE_FILL, GRID, INTERVAL, RULE};
use super::{ChartError, font};
use crate::analysis::{Figure, grouped};
use crate::kernel::Dur;
use crate::lab::Case;
use crate::report::short;
use crate::report::sweep::columns::Measure;
use crate::report::sweep::{Column, Heading, Layout};
use plotters::backend::DrawingBackend;

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

/// A number with an order, in thousandths.
type Number = u128;

/// How numbers of a panel are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Count,
    Minutes,
    Seconds,
    Percent,
}

/// A figure over the seeds, as it is drawn: the mean, its 95 % interval, the least and the greatest
/// value.
#[derive(Clone, Copy)]
struct Drawn {
    least: Number,
    low: Number,
    mean: Number,
    high: Number,
    greatest: Number,
}

/// More figures are left to the table.
const PANELS_MAX: usize = 4;

fn unit(measure: Measure) -> Unit {
    match measure {
        m if m.is_time() => Unit::Seconds,
        Measure::Cost(Figure::RequestsLostShare) => Unit::Percent,
        Measure::Cost(figure) if figure.is_count() => Unit::Count,
        _ => Unit::Minutes,
    }
}

fn drawn(column: &Column, case: &Case) -> Option<Drawn> {
    let sample = column.sample(case)?;
    let scale = if unit(column.measure) == Unit::Percent {
        100_000.0
    } else {
        1_000.0
    };
    let of = |v: f64| (v.max(0.0) * scale).round() as Number;
    let (least, greatest) = (sample.min(), sample.max());
    // A mean's interval may reach beyond what can be.
    let interval = sample
        .mean_interval()
        .map_or((sample.mean(), sample.mean()), |i| {
            (i.low.max(least), i.high.min(greatest))
        });
    Some(Drawn {
        least: of(least),
        low: of(interval.0),
        mean: of(sample.mean()),
        high: of(interval.1),
        greatest: of(greatest),
    })
}

/// The size of the chart, in points.
pub(super) fn size(cases: &[Case]) -> (u32, u32) {
    let rows = cases.len().min(ROWS_MAX) as f64;
    (WIDTH as u32, (HEAD + TITLES + ROW * rows + FOOT) as u32)
}

pub(super) fn draw<B: DrawingBackend>(
    c: &Canvas<B>,
    heading: &Heading,
    layout: &Layout,
    rows: &[Case],
) -> Result<(), ChartError> {
    let left_out = rows.len().saturating_sub(ROWS_MAX);
    let rows = &rows[..rows.len().min(ROWS_MAX)];
    let mut subtitle = heading.line.clone();
    if left_out > 0 {
        subtitle.push_str(&format!("; {left_out} more rows are in the table"));
    }
    let undrawn: Vec<String> = layout
        .columns
        .iter()
        .skip(PANELS_MAX)
        .map(Column::heading)
        .collect();
    if !undrawn.is_empty() {
        subtitle.push_str(&format!("; in the table: {}", undrawn.join(", ")));
    }
    let legend = [
        (Swatch::Dot(AVAILABLE), "mean over the seeds"),
        (Swatch::Area(INTERVAL), "its 95 % interval"),
        (Swatch::Area(AVAILABLE_FILL), "least to greatest"),
    ];
    head(
        c,
        &super::Heading {
            title: heading.name.clone(),
            subtitle,
        },
        LEFT,
        &legend,
    )?;

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
    c.text(
        &font::fit(&title, STRONG, name_width)?,
        (names_end, top - TITLES / 2.0),
        Anchor::Right,
        STRONG,
    )?;
    let middle = |i: usize| top + ROW * (i as f64 + 0.5);
    for (i, name) in names.iter().enumerate() {
        c.text(
            &font::fit(name, LABEL, name_width)?,
            (names_end, middle(i)),
            Anchor::Right,
            LABEL,
        )?;
    }

    let panels = &layout.columns[..layout.columns.len().min(PANELS_MAX)];
    let room = WIDTH - RIGHT - names_end - NAME_GAP;
    let width =
        (room - BETWEEN * panels.len().saturating_sub(1) as f64) / panels.len().max(1) as f64;
    for (p, column) in panels.iter().enumerate() {
        let left = names_end + NAME_GAP + (width + BETWEEN) * p as f64;
        let figures: Vec<Option<Drawn>> = rows.iter().map(|r| drawn(column, r)).collect();
        let most = figures
            .iter()
            .flatten()
            .map(|d| d.greatest)
            .max()
            .unwrap_or(0);
        let scale = Scale::new(left, width, most, unit(column.measure));
        c.text(
            &font::fit(&column.heading(), STRONG, width)?,
            (left, top - TITLES / 2.0),
            Anchor::Left,
            STRONG,
        )?;
        for i in 0..=rows.len() {
            let y = top + ROW * i as f64;
            c.rule(
                (left, y),
                (left + width, y),
                if i == rows.len() { RULE } else { GRID },
            )?;
        }
        for &tick in &scale.ticks {
            let x = scale.x(tick);
            c.rule(
                (x, top),
                (x, bottom + 5.0),
                if tick == 0 { RULE } else { GRID },
            )?;
            c.text(
                &scale.tick_name(tick),
                (x, bottom + 14.0),
                Anchor::Middle,
                SMALL,
            )?;
        }
        for (i, one) in figures.iter().enumerate() {
            match one {
                Some(one) => figure(c, &scale, *one, middle(i))?,
                None => c.text("none", (left + 6.0, middle(i)), Anchor::Left, SMALL)?,
            }
        }
    }
    c.present()
}

/// A figure: its range, the interval of its mean, and the mean, as a number too where nothing is in
/// the way.
fn figure<B: DrawingBackend>(
    c: &Canvas<B>,
    scale: &Scale,
    d: Drawn,
    y: f64,
) -> Result<(), ChartError> {
    const RADIUS: f64 = 4.0;
    let (from, at, to) = (scale.x(d.least), scale.x(d.mean), scale.x(d.greatest));
    c.rect((from - 1.0, y - 4.0), (to + 1.0, y + 4.0), AVAILABLE_FILL)?;
    c.rect(
        (scale.x(d.low) - 1.0, y - 4.0),
        (scale.x(d.high) + 1.0, y + 4.0),
        INTERVAL,
    )?;
    c.disc((at, y), RADIUS, AVAILABLE)?;
    let name = scale.name(d.mean);
    let end = to.max(at + RADIUS) + 5.0;
    let (x, anchor) =
        if end + font::width(&name, SMALL)? <= scale.left + scale.width + BETWEEN - 8.0 {
            (end, Anchor::Left)
        } else {
            (from.min(at - RADIUS) - 5.0, Anchor::Right)
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
        let decimal = |least: u32| {
            (least..30)
                .flat_map(|e| [1, 2, 5].map(|m| m * 10u128.pow(e)))
                .find(|&s| s >= rough)
                .unwrap_or(rough)
        };
        let step = match unit {
            Unit::Count => decimal(3),
            Unit::Minutes | Unit::Percent => decimal(0),
            // Up to a day; days from there on.
            Unit::Seconds => [
                1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
                86400,
            ]
            .map(|s| s * 1000)
            .into_iter()
            .find(|&s| s >= rough)
            .unwrap_or_else(|| rough.div_ceil(86_400_000) * 86_400_000),
        };
        let most = most.max(1).div_ceil(step) * step;
        Scale {
            left,
            width,
            most,
            ticks: (0..=most / step).map(|i| i * step).collect(),
            unit,
        }
    }

    fn x(&self, value: Number) -> f64 {
        self.left + value as f64 / self.most as f64 * self.width
    }

    /// The name of a tick, which is round.
    fn tick_name(&self, value: Number) -> String {
        match self.unit {
            Unit::Percent => format!("{} %", value as f64 / 1000.0),
            _ => self.name(value),
        }
    }

    fn name(&self, value: Number) -> String {
        match self.unit {
            Unit::Count if value.is_multiple_of(1000) => grouped((value / 1000) as u64),
            Unit::Count => format!("{:.1}", value as f64 / 1000.0),
            Unit::Percent if value < 10_000 => format!("{:.2} %", value as f64 / 1000.0),
            Unit::Percent => format!("{:.0} %", value as f64 / 1000.0),
            Unit::Minutes if value >= 10_000 || value.is_multiple_of(1000) => {
                grouped(((value + 500) / 1000) as u64)
            }
            Unit::Minutes if value < 1_000 => format!("{:.2}", value as f64 / 1000.0)
                .trim_end_matches('0')
                .to_owned(),
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
            scale
                .ticks
                .iter()
                .map(|&t| scale.tick_name(t))
                .collect::<Vec<_>>()
        };
        // 30 pods in four steps: 7.5, so tens.
        assert_eq!(names(30_000, Unit::Count), ["0", "10", "20", "30"]);
        // Nothing at all still has a scale, and no fraction of a pod is named.
        assert_eq!(names(0, Unit::Count), ["0", "1"]);
        // 345 s in four steps: 86 s, so two minutes.
        assert_eq!(names(345_000, Unit::Seconds), ["0s", "2m", "4m", "6m"]);
        // 10.7 % in four steps: 2.7, so fives. 0.32 %: steps of a tenth.
        assert_eq!(names(10_700, Unit::Percent), ["0 %", "5 %", "10 %", "15 %"]);
        assert_eq!(
            names(320, Unit::Percent),
            ["0 %", "0.1 %", "0.2 %", "0.3 %", "0.4 %"]
        );
        // 1.3 minutes: steps of half a minute.
        assert_eq!(names(1_300, Unit::Minutes), ["0", "0.5", "1", "1.5"]);
        assert!(names(u128::from(u64::MAX), Unit::Count).len() <= 6);
    }
}
