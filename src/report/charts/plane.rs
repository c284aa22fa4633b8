//! Lines and points over a plane of two numbers: what an outage or a year costs by a setting,
//! downtime beside needless evictions, how often a downtime is exceeded.

use super::labels::{Paper, beside};
use super::prelude::*;

const HEIGHT: f64 = 520.0;
const LEFT: f64 = 92.0;
const BOTTOM: f64 = HEIGHT - 62.0;
const TOP: f64 = HEAD + 26.0;
/// The colours of lines, in their order.
const COLORS: [RGBColor; 4] = [AVAILABLE, SAID, STOPPED, NOT_READY];

/// What a band is, and what crosses a mark, in the legend.
const INTERVAL: &str = "its 95 % interval";

/// A line with, where it is known, the band in which it may lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    /// What it is called.
    pub(crate) name: String,
    /// Its points, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
    /// For each point the lowest and the highest that it may be; empty where that is not known.
    pub(crate) band: Vec<(f64, f64)>,
    /// What the band is, where it is not the 95 % interval.
    pub(crate) band_of: Option<&'static str>,
    /// Its points are drawn, too.
    pub(crate) dots: bool,
    /// Only its points are drawn.
    pub(crate) dots_only: bool,
}

/// A plane with lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plane {
    /// What stands above it.
    pub(crate) heading: Heading,
    /// What is counted from left to right.
    pub(crate) across: String,
    /// What is counted from bottom to top.
    pub(crate) up: String,
    /// Places on the lower axis with their names; numbers stand there where none is given.
    pub(crate) ticks: Vec<(f64, String)>,
    pub(crate) lines: Vec<Line>,
    /// A part of the lower axis that is marked, with its name.
    pub(crate) span: Option<(f64, f64, String)>,
    /// Points that are marked, with their names.
    pub(crate) marks: Vec<(f64, f64, String)>,
    /// From where to where each of these may lie, from left to right and from bottom to top; empty where that is not known.
    pub(crate) spans: Vec<[(f64, f64); 2]>,
    /// The scale at the left begins at zero.
    pub(crate) from_zero: bool,
    /// Points beyond these, from left to right and from bottom to top, are off the scale: they are
    /// named at its end, and no line leads there.
    pub(crate) highest: [Option<f64>; 2],
}

/// What it shows, for those who cannot see it.
fn shows(plane: &Plane) -> String {
    let lines: Vec<&str> = plane.lines.iter().map(|l| l.name.as_str()).collect();
    let marks: Vec<&str> = plane.marks.iter().map(|m| m.2.as_str()).collect();
    let mut shows = format!("{}, by {}", plane.up, plane.across);
    for (what, names) in [("lines", lines), ("marked", marks)] {
        let names: Vec<&str> = names.into_iter().filter(|n| !n.is_empty()).collect();
        if !names.is_empty() {
            shows += &format!("; {what}: {}", names.join(", "));
        }
    }
    shows
}

/// From a number to a place.
struct Scale {
    from: f64,
    to: f64,
    begin: f64,
    end: f64,
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let share = (value - self.from) / (self.to - self.from);
        self.begin + share.clamp(0.0, 1.0) * (self.end - self.begin)
    }

    /// A round number: about that many of it are between its ends.
    fn step(&self, about: f64) -> f64 {
        let raw = (self.to - self.from) / about;
        let mut power = 1.0;
        while power > raw {
            power /= 10.0;
        }
        while power * 10.0 <= raw {
            power *= 10.0;
        }
        let mut steps = [1.0, 2.0, 5.0, 10.0].into_iter().map(|f| f * power);
        steps.find(|s| *s >= raw).unwrap_or(power * 10.0)
    }

    /// About that many round numbers within it, that far apart or further.
    fn ticks(&self, about: f64, least: f64) -> Vec<f64> {
        let step = self.step(about).max(least);
        let first = (self.from / step).ceil() as i64;
        (first..).map(|i| i as f64 * step).take_while(|v| *v <= self.to + step * 1e-9).collect()
    }
}

/// About how many ticks the axes have.
const UP: f64 = 8.0;
const ACROSS: f64 = 12.0;

/// A scale that begins at zero rather than so near that nobody sees it, or else at a round number.
fn from_round(scale: Scale, about: f64) -> Scale {
    const NEAR: f64 = 0.1;
    let step = scale.step(about);
    let from = match scale.from {
        below if below <= 0.0 => below,
        near if near < (scale.to - near) * NEAR => 0.0,
        far => (far / step).floor() * step,
    };
    Scale { from, ..scale }
}

fn scales(plane: &Plane) -> (Scale, Scale) {
    let points = plane.lines.iter().flat_map(|l| &l.points);
    let marks = plane.marks.iter().map(|m| (m.0, m.1));
    let all: Vec<(f64, f64)> = points.copied().chain(marks).collect();
    let bands = plane.lines.iter().flat_map(|l| &l.band).chain(plane.spans.iter().map(|s| &s[1]));
    let mut ups = all.iter().map(|p| p.1).chain(bands.flat_map(|b| [b.0, b.1]));
    let sides = plane.spans.iter().flat_map(|s| [s[0].0, s[0].1]);
    let sides = sides.chain(plane.ticks.iter().map(|t| t.0));
    let mut acrosses = all.iter().map(|p| p.0).chain(sides);
    // What is off one of the scales has its place on the other one all the same.
    let range = |values: &mut dyn Iterator<Item = f64>, highest: Option<f64>| {
        let on = values.filter(|v| highest.is_none_or(|highest| *v <= highest));
        on.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let (left, right) = range(&mut acrosses, plane.highest[0]);
    let (mut low, high) = range(&mut ups, plane.highest[1]);
    if plane.from_zero {
        low = low.min(0.0);
    }
    let room = match high > low {
        true => (high - low) * 0.06,
        false if high == 0.0 => 1.0,
        false => high.abs().max(1.0) * 0.1,
    };
    let low = if plane.from_zero && low >= 0.0 { 0.0 } else { low - room };
    let part = if plane.ticks.is_empty() { 0.02 } else { 0.06 };
    let side = if right > left { (right - left) * part } else { 1.0 };
    let across = Scale { from: left - side, to: right + side, begin: LEFT, end: WIDTH - RIGHT };
    let up = Scale { from: low, to: high + room, begin: BOTTOM, end: TOP };
    // Names stand where they are.
    let across = if plane.ticks.is_empty() { from_round(across, ACROSS) } else { across };
    (across, from_round(up, UP))
}

pub(crate) fn draw_plane(plane: &Plane) -> Drawing {
    let mut drawing = Drawing::new((WIDTH, HEIGHT), &plane.heading, &shows(plane));
    let c = &mut drawing;
    let mut legend: Vec<Explained<'_>> = Vec::new();
    let coloured = || plane.lines.iter().zip(COLORS.into_iter().cycle());
    for (line, color) in coloured() {
        let swatch = if line.dots_only { Swatch::Dot(color) } else { Swatch::Strip(color) };
        legend.push((true, swatch, &line.name));
    }
    if let Some(line) = plane.lines.iter().find(|l| !l.band.is_empty()) {
        let name = line.band_of.unwrap_or(INTERVAL);
        legend.push((true, Swatch::Area(AVAILABLE_FILL), name));
    }
    legend.push((!plane.spans.is_empty(), Swatch::Line(RULE), INTERVAL));
    if let Some((_, _, name)) = &plane.span {
        legend.push((true, Swatch::Area(FAULT), name));
    }
    head(c, &plane.heading, LEFT, &legend);
    let (across, up) = scales(plane);
    let ends = (across.to, up.to);
    grid(c, plane, &across, &up);
    // First, so that no line lies below the band of another one.
    let parts = || plane.lines.iter().flat_map(|line| on_scale(line, ends));
    for part in parts() {
        draw_band(c, &part, &across, &up);
    }
    for (line, color) in coloured() {
        for part in on_scale(line, ends) {
            draw_line(c, &part, color, &across, &up);
        }
    }
    off_scale(c, plane, &across, &up);
    let place = |(x, y): (f64, f64)| (across.at(x.min(across.to)), up.at(y.min(up.to)));
    let crossed = plane.marks.iter().zip(&plane.spans);
    for ((x, y), [side, rise]) in crossed.map(|((x, y, _), span)| (place((*x, *y)), span)) {
        c.rule((across.at(side.0), y), (across.at(side.1), y), RULE);
        c.rule((x, up.at(rise.0)), (x, up.at(rise.1)), RULE);
    }
    for (x, y, _) in &plane.marks {
        c.disc(place((*x, *y)), 5.5, INK);
    }
    let at = |(x, y, name): &(f64, f64, String)| {
        let off = [(*x, across.to), (*y, up.to)].into_iter().filter(|(v, to)| v > to);
        let off: Vec<String> = off.map(|(v, _)| about(v)).collect();
        let (left, top) = place((*x, *y));
        if off.is_empty() {
            return (left, top, name.clone());
        }
        (left, top.max(TOP + 22.0), format!("{name} (off the scale: {})", off.join(", ")))
    };
    let lines: Vec<Vec<(f64, f64)>> = parts().map(|part| placed(&part, &across, &up)).collect();
    let paper = Paper { left: LEFT, right: WIDTH - RIGHT, top: TOP, bottom: BOTTOM };
    let dots: Vec<(f64, f64)> = plane.marks.iter().map(|(x, y, _)| place((*x, *y))).collect();
    for (place, name) in beside(plane.marks.iter().map(at).collect(), &paper, (&lines, &dots)) {
        c.text(&name, place, Anchor::Left, STRONG);
    }
    drawing
}

/// A line in the parts of it that are not beyond the ends of the scales.
fn on_scale(line: &Line, (right, top): (f64, f64)) -> Vec<Line> {
    let places: Vec<usize> = (0..line.points.len()).collect();
    let is_off = |place: &usize| line.points[*place].0 > right || line.points[*place].1 > top;
    let part = |places: &[usize]| Line {
        points: places.iter().map(|place| line.points[*place]).collect(),
        band: places.iter().filter_map(|place| line.band.get(*place).copied()).collect(),
        ..line.clone()
    };
    places.split(is_off).filter(|part| !part.is_empty()).map(part).collect()
}

/// Says of what is off the scale what it is.
fn off_scale(c: &mut Drawing, plane: &Plane, across: &Scale, up: &Scale) {
    // Of the first line alone: others are beside it.
    let all = plane.lines.first().into_iter().flat_map(|l| &l.points);
    // Marks are named already.
    let is_marked = |p: &(f64, f64)| plane.marks.iter().any(|m| (m.0, m.1) == *p);
    for (x, y) in all.filter(|p| p.1 > up.to && !is_marked(p)) {
        let name = format!("off the scale: {}", about(*y));
        let half = font::width(&name, SMALL) / 2.0;
        let x = across.at(*x).min(WIDTH - RIGHT - half);
        c.text(&name, (x, TOP + 8.0), Anchor::Center, SMALL);
    }
}

fn grid(c: &mut Drawing, plane: &Plane, across: &Scale, up: &Scale) {
    if let Some((from, to, _)) = &plane.span {
        let (a, b) = (across.at(*from) - 4.0, across.at(*to) + 4.0);
        c.rect((a, TOP), (b, BOTTOM), FAULT);
        c.rule((a, TOP), (a, BOTTOM), FAULT_EDGE);
        c.rule((b, TOP), (b, BOTTOM), FAULT_EDGE);
    }
    // Where all are counts, a half is none.
    let ups = plane.lines.iter().flat_map(|l| &l.points).map(|p| p.1);
    let mut ups = ups.chain(plane.marks.iter().map(|m| m.1));
    let least = if ups.all(|v| v.fract() == 0.0) { 1.0 } else { 0.0 };
    for tick in up.ticks(UP, least) {
        let y = up.at(tick);
        c.rule((LEFT, y), (WIDTH - RIGHT, y), GRID);
        c.text(&number(tick), (LEFT - 8.0, y), Anchor::Right, SMALL);
    }
    let round = || across.ticks(ACROSS, 0.0).into_iter().map(|t| (t, number(t))).collect();
    let ticks = if plane.ticks.is_empty() { round() } else { plane.ticks.clone() };
    let mut free = 0.0;
    for (at, name) in &ticks {
        let x = across.at(*at);
        c.rule((x, BOTTOM), (x, BOTTOM + 5.0), RULE);
        let half = font::width(name, SMALL) / 2.0;
        if x - half >= free {
            c.text(name, (x, BOTTOM + 15.0), Anchor::Center, SMALL);
            free = x + half + 8.0;
        }
    }
    c.rule((LEFT, BOTTOM), (WIDTH - RIGHT, BOTTOM), RULE);
    // What lies far apart on an axis that begins above zero may differ by little.
    let named = |name: &str, scale: &Scale| match scale.from > 0.0 {
        true => format!("{name} (axis begins at {})", about(scale.from)),
        false => name.to_owned(),
    };
    c.text(&named(&plane.up, up), (LEFT, TOP - 14.0), Anchor::Left, STRONG);
    let name =
        if plane.ticks.is_empty() { named(&plane.across, across) } else { plane.across.clone() };
    c.text(&name, ((LEFT + WIDTH - RIGHT) / 2.0, BOTTOM + 38.0), Anchor::Center, STRONG)
}

/// Where the points of a line are.
fn placed(line: &Line, across: &Scale, up: &Scale) -> Vec<(f64, f64)> {
    line.points.iter().map(|p| (across.at(p.0), up.at(p.1))).collect()
}

/// Fills the band of a line, if it has one. What lies below it is not seen any more.
fn draw_band(c: &mut Drawing, line: &Line, across: &Scale, up: &Scale) {
    let points = placed(line, across, up);
    if line.band.len() != points.len() || points.len() < 2 {
        return;
    }
    let of = points.iter().zip(&line.band);
    let upper = of.clone().map(|(p, b)| (p.0, up.at(b.1)));
    let lower = of.rev().map(|(p, b)| (p.0, up.at(b.0)));
    let outline: Vec<(f64, f64)> = upper.chain(lower).collect();
    c.polygon(&outline, AVAILABLE_FILL)
}

fn draw_line(c: &mut Drawing, line: &Line, color: RGBColor, across: &Scale, up: &Scale) {
    let points = placed(line, across, up);
    if points.len() > 1 && !line.dots_only {
        c.line(&points, color, 2.0);
    }
    // A band of nearly nothing is seen by its ends; one that goes on as it is needs them once.
    let mut before = None;
    for (point, band) in points.iter().zip(&line.band) {
        if before.replace(band) == Some(band) {
            continue;
        }
        let ends = [band.0, band.1].into_iter().filter(|end| *end <= up.to);
        for end in ends.map(|end| up.at(end)) {
            c.rule((point.0 - 6.0, end), (point.0 + 6.0, end), color);
            c.rule((point.0, end), (point.0, point.1), color);
        }
    }
    if line.dots || line.dots_only {
        // What is drawn by its points alone stands beside a line that it may agree with.
        let aside = if line.dots_only { 9.0 } else { 0.0 };
        for point in points {
            c.disc((point.0 + aside, point.1), 3.5, color);
        }
    }
}

/// A number with three digits that mean something.
fn about(value: f64) -> String {
    let part = match value.abs() {
        v if v >= 100.0 => 1.0,
        v if v >= 10.0 => 10.0,
        _ => 100.0,
    };
    number((value * part).round() / part)
}

/// A number of an axis, without needless zeros.
fn number(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    match rounded.abs() {
        whole if whole >= 1_000.0 => {
            let sign = if rounded < 0.0 { "-" } else { "" };
            format!("{sign}{}", grouped(whole.round() as u64))
        }
        0.0 => "0".to_owned(),
        _ => rounded.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        let scale = |from, to| Scale { from, to, begin: 0.0, end: 1.0 };
        assert_eq!(scale(0.0, 100.0).ticks(8.0, 0.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        // -0.2, 0, 0.2, 0.4, 0.6
        assert_eq!(scale(-0.3, 0.7).ticks(8.0, 0.0).len(), 5);
        assert_eq!(scale(0.0, 1.06).ticks(8.0, 1.0), [0.0, 1.0]);
        // 0.31 is a hundredth of the way; 2,712 to 3,260 has 8 steps of 100, of which the first is before it.
        let from = |from, to| from_round(scale(from, to), 8.0).from;
        assert_eq!(
            [from(0.31, 57.0), from(2_712.0, 3_260.0), from(-3.0, 9.0)],
            [0.0, 2_700.0, -3.0]
        );
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(12_345.6), "12,346");
    }

    /// 600 is off the scale that ends at 2, and stands at its own 0.5 on the other one.
    #[test]
    fn what_is_off_one_scale_keeps_its_place_on_the_other() {
        let marks = [(2.0, 1.0), (4.0, 2.0), (0.5, 614.508_86)];
        let plane = Plane {
            marks: marks.map(|(x, y)| (x, y, String::new())).to_vec(),
            highest: [None, Some(2.0)],
            ..Plane::default()
        };
        let (across, up) = scales(&plane);
        assert!(across.from < 0.5 && across.to > 4.0 && up.to > 2.0 && up.to < 3.0);
        // (2 - 0.5) / (4 - 0.5)
        let at = |v: f64| (across.at(v) - across.at(0.5)) / (across.at(4.0) - across.at(0.5));
        assert!((at(2.0) - 3.0 / 7.0).abs() < 1e-9);
        let svg = draw_plane(&plane).svg().unwrap();
        assert!(svg.contains("off the scale: 615)"), "{svg}");
        assert!(!svg.contains("its 95 % interval"));
        assert_eq!(
            (about(12.345), about(1.234), about(1_234.6)),
            ("12.3".to_owned(), "1.23".to_owned(), "1,235".to_owned())
        );
    }

    /// 280 and 320 lie 40 apart, and so the axis begins 6 % of that below: at 277.6, or at the round 270 before that; where they may
    /// be anything from 0 to 700, it begins at zero, and they are a seventeenth of it apart.
    #[test]
    fn an_axis_holds_what_its_points_may_be_or_says_where_it_begins() {
        let marks = [(4.0, 280.0), (2.0, 320.0)].map(|(x, y)| (x, y, String::new())).to_vec();
        let known = Plane { marks, up: "minutes".to_owned(), ..Plane::default() };
        let svg = draw_plane(&known).svg().unwrap();
        assert!(svg.contains("minutes (axis begins at 270)"), "{svg}");
        let spans = vec![[(0.0, 38.5), (0.0, 700.0)]; 2];
        let (across, up) = scales(&Plane { spans: spans.clone(), ..known.clone() });
        assert!(across.from < 0.0 && across.to > 38.5 && up.from < 0.0 && up.to > 700.0);
        let svg = draw_plane(&Plane { spans, ..known }).svg().unwrap();
        assert!(svg.contains("its 95 % interval") && !svg.contains("axis begins"), "{svg}");
    }

    #[test]
    fn no_line_lies_below_the_band_of_another() {
        let line = |at: f64| Line {
            points: vec![(0.0, at), (1.0, at)],
            band: vec![(0.0, 4.0); 2],
            ..Line::default()
        };
        let (title, subtitle, doc) = (String::new(), String::new(), String::new());
        let plane = Plane {
            heading: Heading { title, subtitle, doc },
            across: String::new(),
            up: String::new(),
            ticks: Vec::new(),
            lines: vec![line(1.0), line(2.0)],
            span: None,
            marks: Vec::new(),
            spans: Vec::new(),
            from_zero: true,
            highest: [None; 2],
        };
        let svg = draw_plane(&plane).svg().unwrap();
        let places = |of: &str| svg.match_indices(of).map(|(at, _)| at).collect::<Vec<_>>();
        let (bands, lines) = (places("<polygon"), places("<polyline"));
        assert_eq!((bands.len(), lines.len()), (2, 2));
        assert!(bands.iter().all(|band| lines.iter().all(|line| band < line)));
    }

    /// Of four bands each has two ends and what joins them to the point, unless it is as the one before: two of them are.
    #[test]
    fn a_band_that_goes_on_has_its_ends_once() {
        let rules = |highest: [f64; 4]| {
            let points = (0..4).map(|i| (f64::from(i), 8.0)).collect();
            let band = highest.map(|high| (7.0, high)).to_vec();
            let line = Line { points, band, ..Line::default() };
            let svg = draw_plane(&Plane { lines: vec![line], ..Plane::default() }).svg().unwrap();
            svg.matches("<rect").count()
        };
        assert_eq!(rules([9.0, 10.0, 9.0, 10.0]) - rules([9.0, 9.0, 10.0, 10.0]), 2 * 4);
    }

    #[test]
    fn both_formats_are_drawn() {
        let plane = Plane {
            heading: Heading {
                title: "t".to_owned(),
                subtitle: "s".to_owned(),
                doc: String::new(),
            },
            across: "x".to_owned(),
            up: "y".to_owned(),
            ticks: vec![(0.0, "none".to_owned())],
            lines: vec![Line {
                name: "l".to_owned(),
                points: vec![(0.0, 1.0), (1.0, 2.0)],
                band: vec![(0.5, 1.5), (1.5, 2.5)],
                dots: true,
                ..Line::default()
            }],
            span: Some((0.0, 1.0, "flat".to_owned())),
            marks: vec![(1.0, 2.0, "here".to_owned())],
            spans: Vec::new(),
            from_zero: true,
            highest: [None; 2],
        };
        let svg = draw_plane(&plane).svg().unwrap();
        assert!(
            svg.contains("<title>t</title>") && svg.contains("y, by x; lines: l; marked: here"),
            "{svg}"
        );
        assert!(["none", "flat", "here"].iter().all(|t| svg.contains(t)), "{svg}");
        assert!(draw_plane(&plane).png().unwrap().len() > 1_000);
    }
}
