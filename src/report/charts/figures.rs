//! Figures of several rows side by side: a panel for each figure, and in it a dot for the mean of
//! each row, with its interval and its range as bars behind it.

use super::axis::{round_ms, round_step};
use super::prelude::*;

const ROW: f64 = 24.0;
/// The names of panels and of the columns of values.
const TITLES: f64 = 26.0;
/// From a line of what stands above the names of rows to the next.
const TITLE_LINE: u32 = 15;
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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unit {
    /// A number of things.
    Count,
    /// Minutes.
    Minutes,
    /// Seconds, written as `1m30s`.
    Seconds,
    /// Hundredths.
    Percent,
}

/// A figure over many runs: its mean, the 95 % interval of the mean, the least and the greatest
/// value, all in thousandths of the unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    /// The least value.
    pub(crate) least: Number,
    /// The lower end of the interval.
    pub(crate) low: Number,
    pub(crate) mean: Number,
    /// The upper end of the interval.
    pub(crate) high: Number,
    /// The greatest value.
    pub(crate) greatest: Number,
}

/// One figure of every row.
pub(crate) struct Panel {
    /// What the figure is called.
    pub(crate) name: String,
    /// What it is counted in.
    pub(crate) unit: Unit,
    /// Its value in each row; none where it did not happen.
    pub(crate) ranges: Vec<Option<Range>>,
}

/// Figures of several rows.
pub(crate) struct Figures {
    /// What stands above the chart.
    pub(crate) heading: Heading,
    /// What stands above the names of the rows.
    pub(crate) title: String,
    /// The names of the rows.
    pub(crate) rows: Vec<String>,
    /// The panels from left to right.
    pub(crate) panels: Vec<Panel>,
    /// What a dot, the bar around it, and the bar behind both mean.
    pub(crate) legend: [&'static str; 3],
    /// Which number stands beside a row.
    pub(crate) beside: Beside,
}

/// Which number stands beside a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Beside {
    /// The mean.
    Mean,
    /// The least and the greatest value.
    Ends,
}

/// Where the rows begin, in points from the top.
const TOP: f64 = HEAD + TITLES;

fn middle(row: usize) -> f64 {
    TOP + ROW * (row as f64 + 0.5)
}

pub(crate) fn draw_figures(all: &Figures) -> Drawing {
    let panels: Vec<&str> = all.panels.iter().map(|p| p.name.as_str()).collect();
    let shows = format!("by {}: {}", all.title, panels.join("; "));
    let height = HEAD + TITLES + ROW * all.rows.len() as f64 + FOOT;
    let mut drawing = Drawing::new((WIDTH, height), &all.heading, &shows);
    let c = &mut drawing;
    // What has no name is not shown.
    let looks = [Swatch::Dot(AVAILABLE), Swatch::Area(INTERVAL), Swatch::Area(AVAILABLE_FILL)];
    let legend =
        looks.into_iter().zip(all.legend).map(|(look, name)| (!name.is_empty(), look, name));
    head(c, &all.heading, LEFT, &legend.collect::<Vec<_>>());
    let titles = titles(&all.title);
    c.lower(TITLE_LINE * (titles.len() as u32 - 1));
    let names_end = names(c, all, &titles);
    let room = WIDTH - RIGHT - names_end - NAME_GAP;
    let count = all.panels.len();
    let width = (room - BETWEEN * count.saturating_sub(1) as f64) / count.max(1) as f64;
    for (p, panel) in all.panels.iter().enumerate() {
        let left = names_end + NAME_GAP + (width + BETWEEN) * p as f64;
        draw_panel(c, panel, all.beside, left, width);
    }
    drawing
}

/// What stands above the names of the rows: where it is too long, each of the settings has a line.
fn titles(title: &str) -> Vec<&str> {
    match font::width(title, STRONG) <= NAME_MAX {
        true => vec![title],
        false => title.split_inclusive(" / ").map(str::trim_end).collect(),
    }
}

/// Draws the names of the rows; gives where they end.
fn names(c: &mut Drawing, all: &Figures, titles: &[&str]) -> f64 {
    let widths = all.rows.iter().map(|name| font::width(name, LABEL));
    let titles_wide = titles.iter().map(|title| font::width(title, STRONG));
    let width = widths.chain(titles_wide).fold(0.0, f64::max).min(NAME_MAX);
    let end = LEFT + width;
    for (i, title) in titles.iter().rev().enumerate() {
        let y = TOP - TITLES / 2.0 - f64::from(TITLE_LINE) * i as f64;
        c.text(&font::fit(title, STRONG, width), (end, y), Anchor::Right, STRONG);
    }
    for (i, name) in font::fit_all(&all.rows, LABEL, width).iter().enumerate() {
        c.text(name, (end, middle(i)), Anchor::Right, LABEL);
    }
    end
}

fn draw_panel(c: &mut Drawing, panel: &Panel, beside: Beside, left: f64, width: f64) {
    let ranges = &panel.ranges;
    let bottom = TOP + ROW * ranges.len() as f64;
    let most = ranges.iter().flatten().map(|r| r.greatest.max(r.high)).max().unwrap_or(0);
    let scale = Scale::new(left, width, most, panel.unit);
    let name = font::fit(&panel.name, STRONG, width);
    c.text(&name, (left, TOP - TITLES / 2.0), Anchor::Left, STRONG);
    for i in 0..=ranges.len() {
        let y = TOP + ROW * i as f64;
        let color = if i == ranges.len() { RULE } else { GRID };
        c.rule((left, y), (left + width, y), color);
    }
    for &tick in &scale.ticks {
        let x = scale.x(tick);
        let color = if tick == 0 { RULE } else { GRID };
        c.rule((x, TOP), (x, bottom + 5.0), color);
        c.text(&scale.tick_name(tick), (x, bottom + 14.0), Anchor::Center, SMALL);
    }
    for (i, range) in ranges.iter().enumerate() {
        match range {
            Some(range) => figure(c, &scale, *range, beside, middle(i)),
            None => c.text("none", (left + 6.0, middle(i)), Anchor::Left, SMALL),
        }
    }
}

/// A figure: its range, the interval of its mean, and the mean; and in numbers what is asked for,
/// where nothing is in the way.
fn figure(c: &mut Drawing, scale: &Scale, d: Range, beside: Beside, y: f64) {
    const RADIUS: f64 = 4.0;
    let (from, at, to) = (scale.x(d.least), scale.x(d.mean), scale.x(d.greatest));
    let (low, high) = (scale.x(d.low), scale.x(d.high));
    c.rect((from - 1.0, y - 4.0), (to + 1.0, y + 4.0), AVAILABLE_FILL);
    // Flatter than the range, which it may reach beyond and must not hide.
    c.rect((low - 1.0, y - 2.0), (high + 1.0, y + 2.0), INTERVAL);
    c.disc((at, y), RADIUS, AVAILABLE);
    let name = match beside {
        Beside::Mean => scale.name(d.mean),
        Beside::Ends => format!("{} to {}", scale.name(d.least), scale.name(d.greatest)),
    };
    let end = to.max(high).max(at + RADIUS) + 5.0;
    let room = scale.left + scale.width + BETWEEN - 8.0;
    let (x, anchor) = match end + font::width(&name, SMALL) <= room {
        true => (end, Anchor::Left),
        false => (from.min(low).min(at - RADIUS) - 5.0, Anchor::Right),
    };
    c.text(&name, (x, y), anchor, SMALL)
}

/// A scale from zero to the right, in thousandths.
struct Scale {
    left: f64,
    width: f64,
    most: Number,
    /// From one tick to the next.
    step: Number,
    ticks: Vec<Number>,
    unit: Unit,
}

/// About how many round numbers are named in a panel.
const TICKS: Number = 4;

impl Scale {
    fn new(left: f64, width: f64, most: Number, unit: Unit) -> Self {
        // Where all is zero one tick more says in what it is counted.
        let rough = if most == 0 { 1000 } else { most.div_ceil(TICKS) };
        let step = match unit {
            Unit::Count => round_step(rough, 3),
            Unit::Minutes | Unit::Percent => round_step(rough, 0),
            Unit::Seconds => round_ms(rough.max(1000) as u64).into(),
        };
        let most = most.max(1).div_ceil(step) * step;
        let ticks = (0..=most / step).map(|i| i * step).collect();
        Scale { left, width, most, step, ticks, unit }
    }

    fn x(&self, value: Number) -> f64 {
        self.left + value as f64 / self.most as f64 * self.width
    }

    /// The name of a tick, which is round.
    fn tick_name(&self, value: Number) -> String {
        match self.unit {
            Unit::Percent => format!("{} %", value as f64 / 1000.0),
            Unit::Minutes if self.step < 1000 => format!("{}", value as f64 / 1000.0),
            _ => self.name(value),
        }
    }

    /// A number below one with two digits behind the point, or with all three where two do not tell
    /// it from zero or from others on this scale.
    fn fraction(&self, value: Number) -> String {
        let digits = if self.step < 100 || value < 10 { 3 } else { 2 };
        let text = format!("{:.digits$}", value as f64 / 1000.0);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    fn name(&self, value: Number) -> String {
        let (whole, exact) = (((value + 500) / 1000) as u64, value as f64 / 1000.0);
        let is_whole = |from: Number| value >= from || value.is_multiple_of(1000);
        match self.unit {
            Unit::Count if is_whole(1_000_000) => grouped(whole),
            Unit::Minutes if is_whole(100_000) => grouped(whole),
            Unit::Minutes if value < 1_000 => self.fraction(value),
            Unit::Count if (1..50).contains(&value) => self.fraction(value),
            Unit::Count | Unit::Minutes => format!("{exact:.1}"),
            Unit::Percent if self.step < 10 || (1..10).contains(&value) => format!("{exact} %"),
            Unit::Percent if value < 10_000 => format!("{exact:.2} %"),
            Unit::Percent => format!("{exact:.1} %"),
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
            scale.ticks.iter().map(|&t| scale.tick_name(t)).collect::<Vec<_>>()
        };
        // 30 pods in four steps: 7.5, so tens.
        assert_eq!(names(30_000, Unit::Count), ["0", "10", "20", "30"]);
        // Nothing at all still has a scale, and no fraction of a pod is named.
        assert_eq!(names(0, Unit::Count), ["0", "1"]);
        // 345 s in four steps: 86 s, so two minutes.
        assert_eq!(names(345_000, Unit::Seconds), ["0s", "2m", "4m", "6m"]);
        // 10.7 % in four steps: 2.7, so fives. 0.32 %: steps of a tenth.
        assert_eq!(names(10_700, Unit::Percent), ["0 %", "5 %", "10 %", "15 %"]);
        assert_eq!(names(320, Unit::Percent), ["0 %", "0.1 %", "0.2 %", "0.3 %", "0.4 %"]);
        // 1.3 minutes: steps of half a minute.
        assert_eq!(names(1_300, Unit::Minutes), ["0", "0.5", "1", "1.5"]);
        // 0.007 minutes in four steps: 0.00175, so 0.002; of 0.09: 0.0225, so 0.05.
        assert_eq!(names(7, Unit::Minutes), ["0", "0.002", "0.004", "0.006", "0.008"]);
        assert_eq!(names(90, Unit::Minutes), ["0", "0.05", "0.1"]);
        for unit in [Unit::Minutes, Unit::Percent] {
            let zero = names(0, unit);
            assert!(zero == ["0", "1"] || zero == ["0 %", "1 %"], "{zero:?}");
        }
        assert!(names(u128::from(u64::MAX), Unit::Count).len() <= 6);
    }

    #[test]
    fn values_differ_as_far_as_the_scale_tells_them_apart() {
        let names = |most, unit: Unit, values: &[Number]| {
            let scale = Scale::new(0.0, 100.0, most, unit);
            values.iter().map(|&v| scale.name(v)).collect::<Vec<_>>()
        };
        assert_eq!(names(7, Unit::Minutes, &[0, 3, 7]), ["0", "0.003", "0.007"]);
        // Steps of a fifth of a minute: hundredths, but nothing that is some is called none.
        assert_eq!(names(800, Unit::Minutes, &[3, 124, 500, 998]), ["0.003", "0.12", "0.5", "1"]);
        // Rows that are 0.2 minutes or 0.2 % apart have dots beside each other.
        let twelve = [12_000, 12_200, 12_400];
        assert_eq!(names(12_400, Unit::Minutes, &twelve), ["12", "12.2", "12.4"]);
        assert_eq!(names(12_400, Unit::Percent, &twelve), ["12.0 %", "12.2 %", "12.4 %"]);
        assert_eq!(names(320, Unit::Percent, &[0, 4, 320]), ["0.00 %", "0.004 %", "0.32 %"]);
        assert_eq!(names(30_000, Unit::Count, &[0, 40, 50]), ["0", "0.04", "0.1"]);
    }

    /// Three settings have no room in one line above the rows: each has its own, and the paper is two lines higher.
    #[test]
    fn settings_that_are_too_long_for_a_line_have_one_each() {
        let names = ["tolerationSeconds", "node-monitor-grace-period", "node-eviction-rate"];
        let drawn = |title: String| {
            let figures = Figures {
                heading: Heading { title: "t".into(), subtitle: "s".into(), doc: String::new() },
                title,
                rows: vec!["60 / 40s / 0.1".to_owned()],
                panels: Vec::new(),
                legend: ["mean", "", ""],
                beside: Beside::Mean,
            };
            draw_figures(&figures).svg().unwrap()
        };
        let svg = drawn(names.join(" / "));
        for line in ["tolerationSeconds /", "node-monitor-grace-period /", "node-eviction-rate"] {
            assert!(svg.lines().any(|text| text == line), "{line} in {svg}");
        }
        let height = |svg: &str| {
            let of = svg.split("height=\"").nth(1).unwrap();
            of.split('"').next().unwrap().parse::<u32>().unwrap()
        };
        assert_eq!(height(&svg), height(&drawn(names[0].to_owned())) + 2 * TITLE_LINE);
    }
}
