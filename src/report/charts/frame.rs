//! What all charts have in common: heading, legend, the names and shades of the entries of the
//! timeline, the axis of time.

use super::axis::TimeScale;
use super::drawing::{Anchor, Drawing, FAINT, FAULT, FAULT_EDGE, GRID, INK, PAPER, RULE};
use super::font::{self, Ink};
use crate::analysis::lanes::{busy_from, quiet_from};
use crate::analysis::setting::short_key;
use crate::api::taint::Effect;
use crate::plan::TimelineEntry;
use crate::report::Heading;
use crate::report::prelude::*;
use plotters::style::RGBColor;

/// The width of every chart, in points.
pub(super) const WIDTH: f64 = 1_200.0;
/// Where the data of lanes begin; the names of the lanes stand at the left of it.
pub(super) const LANES_LEFT: f64 = 132.0;
/// Free space at the right.
pub(super) const RIGHT: f64 = 28.0;
/// The height of heading and legend, where that is one line; [`head`] moves all else down for more.
pub(super) const HEAD: f64 = 88.0;
/// The height of a line of the legend.
const LEGEND_LINE: u32 = 18;
/// The width of what stands before a name in the legend, and where the name begins.
const SWATCH: f64 = 18.0;
const NAMED: f64 = SWATCH + 6.0;
/// The least room between two entries of the legend.
const LEAST_GAP: f64 = 8.0;
/// The height of the axis of time.
pub(super) const FOOT: f64 = 46.0;
/// The height of a row of names of entries.
const ROW: f64 = 16.0;
/// About how many round times are named.
const TICKS: u64 = 15;
/// More rows of names are not drawn; the bands are, and how many have no name is said.
const ROWS: usize = 6;
/// Of more entries than these so many are named, those that last first.
const MOST_NAMED: usize = 24;
/// The width that a name of an entry may have, and where each has a row of its own.
const NAME: f64 = 220.0;
const NAME_ALONE: f64 = 440.0;

pub(super) const LABEL: Ink = Ink { size: 11.0, bold: false, color: INK };
pub(super) const SMALL: Ink = Ink { size: 10.0, bold: false, color: FAINT };
pub(super) const STRONG: Ink = Ink { size: 11.0, bold: true, color: INK };

/// What zones are called beside their lanes: without the word where their names are too long for it,
/// and different where the zones are.
pub(super) fn zone_labels(zones: &[&str], room: f64) -> Vec<String> {
    let called = |word: &str| -> Vec<String> {
        let name =
            |zone: &&str| if zone.is_empty() { "no zone".into() } else { format!("{word}{zone}") };
        zones.iter().map(name).collect()
    };
    let mut names = called("zone ");
    if names.iter().any(|name| font::width(name, STRONG) > room) {
        names = called("");
    }
    font::fit_all(&names, STRONG, room)
}

/// How an entry of a legend looks.
#[derive(Clone, Copy)]
pub(super) enum Swatch {
    Area(RGBColor),
    Line(RGBColor),
    Strip(RGBColor),
    Mark(RGBColor),
    Hollow(RGBColor),
    Square(RGBColor),
    Cross(RGBColor),
    Risen(RGBColor),
    Dot(RGBColor),
}

/// An entry of a legend: whether it occurs in the drawing, how it looks, and what it means.
pub(super) type Explained<'n> = (bool, Swatch, &'n str);

/// How wide an entry of a legend is.
fn width_of(entry: &Explained<'_>) -> f64 {
    NAMED + font::width(entry.2, LABEL)
}

/// The entries of a legend that occur, in lines: one, for which there is the room beside the title,
/// too, or as many as it takes where the data begin at `left`.
fn legend_lines<'n>(legend: &[Explained<'n>], left: f64) -> Vec<Vec<Explained<'n>>> {
    let all: Vec<Explained<'n>> = legend.iter().copied().filter(|entry| entry.0).collect();
    let wide = |entry: &Explained<'_>| width_of(entry) + LEAST_GAP;
    if all.iter().map(wide).sum::<f64>() <= WIDTH - RIGHT {
        return vec![all];
    }
    let (mut lines, mut end): (Vec<Vec<Explained<'n>>>, f64) = (Vec::new(), f64::INFINITY);
    for entry in all {
        if end + wide(&entry) > WIDTH - RIGHT + LEAST_GAP {
            lines.push(Vec::new());
            end = left;
        }
        end += wide(&entry);
        if let Some(line) = lines.last_mut() {
            line.push(entry);
        }
    }
    lines
}

/// Draws title, subtitle and legend onto clean paper. What is drawn afterwards lies lower by as much
/// as the legend takes more than one line.
pub(super) fn head(c: &mut Drawing, heading: &Heading, left: f64, legend: &[Explained<'_>]) {
    let title = Ink { size: 18.0, bold: true, color: INK };
    let width = WIDTH - left - RIGHT;
    // With a line of the scenario's own below the title, the rest goes to its right.
    let (below, ink, beside) = match heading.doc.as_str() {
        "" => (heading.subtitle.as_str(), SMALL, ""),
        doc => (doc, LABEL, heading.subtitle.as_str()),
    };
    let beside = font::fit(beside, SMALL, width * 0.6);
    let room = width - font::width(&beside, SMALL) - 24.0;
    c.text(&font::fit(&heading.title, title, room), (left, 22.0), Anchor::Left, title);
    if !beside.is_empty() {
        c.text(&beside, (left + width, 22.0), Anchor::Right, SMALL);
    }
    c.text(&font::fit(below, ink, width), (left, 44.0), Anchor::Left, ink);
    let lines = legend_lines(legend, left);
    for (line, y) in lines.iter().zip((70_u32..).step_by(LEGEND_LINE as usize)) {
        draw_legend(c, line, (left, width), y.into());
    }
    c.lower(LEGEND_LINE * (lines.len() as u32).saturating_sub(1));
}

/// Draws a line of a legend, spread where there is room.
fn draw_legend(c: &mut Drawing, line: &[Explained<'_>], (left, width): (f64, f64), y: f64) {
    let taken: f64 = line.iter().map(width_of).sum();
    let gaps = line.len().saturating_sub(1).max(1) as f64;
    let gap = ((width - taken) / gaps).clamp(LEAST_GAP, 22.0);
    // Where so much occurs that it needs more, it has the room beside the title, too.
    let mut x = (left + width - taken - gaps * gap).min(left).max(LEAST_GAP);
    for entry in line {
        let (_, swatch, name) = *entry;
        match swatch {
            Swatch::Area(color) => {
                c.rect((x, y - 6.0), (x + SWATCH, y + 6.0), GRID);
                c.rect((x + 0.5, y - 5.5), (x + SWATCH - 0.5, y + 5.5), color);
            }
            Swatch::Line(color) => c.rect((x, y - 1.0), (x + SWATCH, y + 1.0), color),
            Swatch::Strip(color) => c.rect((x, y - 2.0), (x + SWATCH, y + 2.0), color),
            of_a_point => sign(c, (x + SWATCH / 2.0, y), of_a_point),
        }
        c.text(name, (x + NAMED, y), Anchor::Left, LABEL);
        x += width_of(entry) + gap;
    }
}

/// Draws what marks a point, with its middle there; what stands for a span marks none.
pub(super) fn sign(c: &mut Drawing, (x, y): (f64, f64), swatch: Swatch) {
    match swatch {
        Swatch::Area(_) | Swatch::Line(_) | Swatch::Strip(_) => {}
        Swatch::Dot(color) => c.disc((x, y), 4.5, color),
        Swatch::Mark(color) => mark(c, (x, y + 4.0), color),
        Swatch::Risen(color) => risen(c, (x, y - 4.0), color),
        Swatch::Square(color) => square(c, (x, y), color),
        Swatch::Cross(color) => cross(c, (x, y), color),
        Swatch::Hollow(color) => hollow(c, (x, y + 4.0), color),
    }
}

/// A small triangle that points down at a point.
fn mark(c: &mut Drawing, (x, y): (f64, f64), color: RGBColor) {
    // A rim of paper keeps it visible on any colour.
    c.polygon(&[(x - 6.5, y - 9.2), (x + 6.5, y - 9.2), (x, y + 2.3)], PAPER);
    c.polygon(&[(x - 4.5, y - 8.0), (x + 4.5, y - 8.0), (x, y)], color)
}

/// The same with nothing in it.
fn hollow(c: &mut Drawing, (x, y): (f64, f64), color: RGBColor) {
    mark(c, (x, y), color);
    c.polygon(&[(x - 2.2, y - 6.7), (x + 2.2, y - 6.7), (x, y - 2.8)], PAPER)
}

/// A small square around a point.
fn square(c: &mut Drawing, (x, y): (f64, f64), color: RGBColor) {
    c.rect((x - 5.0, y - 5.0), (x + 5.0, y + 5.0), PAPER);
    c.rect((x - 3.5, y - 3.5), (x + 3.5, y + 3.5), color)
}

/// A small cross over a point.
fn cross(c: &mut Drawing, (x, y): (f64, f64), color: RGBColor) {
    for (color, reach, width) in [(PAPER, 4.8, 4.6), (color, 4.0, 2.2)] {
        c.line(&[(x - reach, y - reach), (x + reach, y + reach)], color, width);
        c.line(&[(x - reach, y + reach), (x + reach, y - reach)], color, width);
    }
}

/// A small triangle that points up at a point.
fn risen(c: &mut Drawing, (x, y): (f64, f64), color: RGBColor) {
    let around = [(x - 6.0, y + 9.0), (x + 6.0, y + 9.0), (x, y - 2.2)];
    c.polygon(&around, PAPER);
    c.polygon(&[(x - 4.2, y + 7.8), (x + 4.2, y + 7.8), (x, y)], color)
}

/// An entry of the timeline on the axis of time, with the place of its name.
struct Band {
    from: f64,
    to: Option<f64>,
    name: String,
    /// The row that its name stands in, from the lowest; none if it has no room.
    row: Option<usize>,
    /// The name stands left of its line, because the chart ends.
    before: bool,
}

/// The name of an entry as a label: taints without the prefix of Kubernetes' own, as texts have
/// them. Of one that is too wide several taints become the first and how many more, and then the
/// names of nodes are cut: what is done says more.
fn label_of(name: &str, most: f64) -> String {
    let wide = |text: &str| font::width(text, SMALL);
    let words: Vec<&str> = name.split(' ').map(short_key).collect();
    let whole = words.join(" ");
    let is_taint = |word: &&&str| {
        word.rsplit_once(':').is_some_and(|(_, effect)| Effect::parse(effect).is_some())
    };
    let taints = words.iter().rev().take_while(is_taint).count();
    if wide(&whole) <= most || taints == 0 || taints + 2 > words.len() {
        return whole;
    }
    let (on, taints) = words.split_at(words.len() - taints);
    let more = taints.len() - 1;
    let said =
        if more > 0 { format!("{} and {more} more", taints[0]) } else { taints[0].to_owned() };
    let (done, nodes) = (on[0], on[1..].join(" "));
    let nodes = font::fit(&nodes, SMALL, most - wide(&format!("{done}  {said}")));
    format!("{done} {nodes} {said}")
}

/// The entries of a run's timeline, laid out.
pub(super) struct Names {
    bands: Vec<Band>,
    /// How many of them have no room for their names; that is said above all names.
    rest: usize,
    /// Where the area of data begins, in points from the top.
    pub(super) top: f64,
    /// The axis of time.
    pub(super) time: TimeScale,
}

impl Names {
    /// Lays out the entries of a chart whose data begin at `left`.
    pub(super) fn new(analysis: &Analysis<'_>, left: f64) -> Self {
        let horizon = analysis.horizon();
        let quiet = quiet_from(analysis);
        let busy = busy_from(analysis, quiet);
        let time = TimeScale::new(left, WIDTH - left - RIGHT, busy, quiet, horizon);
        let ends = ends(analysis);
        let mut entries: Vec<_> =
            analysis.plan.timeline.iter().zip(&ends).filter(|(e, _)| e.at <= horizon).collect();
        entries.sort_by_key(|(e, _)| e.at);
        let mut bands: Vec<Band> =
            entries.iter().map(|(e, ends)| band(&time, e.at, **ends)).collect();
        let mut order: Vec<usize> = (0..bands.len()).collect();
        if order.len() > MOST_NAMED {
            order.sort_by_key(|&i| bands[i].to.is_none());
            order.truncate(MOST_NAMED);
        }
        let most = if order.len() <= ROWS { NAME_ALONE } else { NAME };
        let called = order.iter().map(|&i| label_of(&entries[i].0.name, most));
        let called = font::fit_all(&called.collect::<Vec<_>>(), SMALL, most);
        name(&mut bands, order.into_iter().zip(called));
        let rows = bands.iter().filter_map(|b| b.row).max().map_or(0, |row| row + 1);
        // What comes first stands highest.
        for row in bands.iter_mut().filter_map(|b| b.row.as_mut()) {
            *row = rows - 1 - *row;
        }
        let rest = bands.iter().filter(|b| b.row.is_none()).count();
        let rows = rows + usize::from(rest > 0);
        Names { bands, rest, top: HEAD + ROW * rows as f64 + 4.0, time }
    }

    /// The entries in words: those that have names, and how many others there are.
    pub(super) fn said(&self) -> Vec<String> {
        let named = self.bands.iter().filter(|b| !b.name.is_empty());
        let mut said: Vec<String> = named.map(|b| b.name.clone()).collect();
        if said.len() < self.bands.len() {
            said.push(others(self.bands.len() - said.len()));
        }
        said
    }

    /// Draws from `top` to `bottom` what is behind everything else: shades where entries last, and the
    /// upright lines of round times.
    pub(super) fn back(&self, c: &mut Drawing, top: f64, bottom: f64) {
        for (from, to) in self.bands.iter().filter_map(|b| Some((b.from, b.to?))) {
            c.rect((from, top), (to, bottom), FAULT);
        }
        for (at, _) in self.time.ticks(TICKS) {
            c.rule((self.time.x(at), top), (self.time.x(at), bottom), GRID);
        }
    }

    /// Marks where entries begin and end down to `bottom`, over everything else, and names them
    /// above the data.
    pub(super) fn lines(&self, c: &mut Drawing, bottom: f64) {
        for b in &self.bands {
            let foot = self.top - ROW * b.row.unwrap_or(0) as f64 - 2.0;
            if let Some(to) = b.to {
                // A line below its name leads to its end, which several entries may have near it.
                let head = if b.row.is_some() { foot } else { self.top };
                c.rule((to, head - 5.0), (to, bottom), FAULT_EDGE);
                if b.row.is_some() {
                    c.rule((b.from, foot), (to, foot), FAULT_EDGE);
                }
            }
            let head = if b.row.is_some() { foot - ROW } else { self.top };
            c.rule((b.from, head), (b.from, bottom), FAULT_EDGE);
        }
        // Lines of later entries with higher names may pass here: they give way to the names.
        for b in &self.bands {
            let Some(row) = b.row else { continue };
            let y = self.top - ROW * row as f64 - 2.0 - ROW / 2.0;
            let width = font::width(&b.name, SMALL);
            let left = if b.before { b.from - 4.0 - width } else { b.from + 5.0 };
            c.rect((left - 2.0, y - 6.0), (left + width + 2.0, y + 6.0), PAPER);
            c.text(&b.name, (left, y), Anchor::Left, SMALL);
        }
        if self.rest > 0 {
            let (said, y) = (format!("… {}", others(self.rest)), HEAD + 2.0 + ROW / 2.0);
            let first = self.bands.iter().find(|b| b.row.is_none()).map_or(0.0, |b| b.from);
            let x = first.min(WIDTH - RIGHT - font::width(&said, SMALL));
            c.text(&said, (x, y), Anchor::Left, SMALL);
        }
    }
}

/// What is said of so many entries without names.
fn others(rest: usize) -> String {
    format!("and {}", counted(rest, "more entry"))
}

/// An entry from one time to another, without a name.
fn band(time: &TimeScale, at: Time, ends: Option<Time>) -> Band {
    let from = time.x(at);
    let to = ends.map(|t| time.x(t).max(from + 1.0));
    Band { from, to, name: String::new(), row: None, before: false }
}

/// Names bands, each in the first row in which its name touches none of those before.
fn name(bands: &mut [Band], names: impl Iterator<Item = (usize, String)>) {
    let mut taken: [Vec<(f64, f64)>; ROWS] = Default::default();
    for (i, name) in names {
        let b = &mut bands[i];
        let width = font::width(&name, SMALL);
        b.before = b.from + width + 6.0 > WIDTH;
        let (begin, end) = match b.before {
            true => (b.from - width - 6.0, b.from),
            false => (b.from, b.from + width + 10.0),
        };
        // The row is taken as long as the entry lasts, too, where there are enough of them.
        let end = end.max(b.to.unwrap_or(end));
        b.row = taken.iter().position(|row| row.iter().all(|t| t.1 <= begin || t.0 > end));
        if let Some(row) = b.row {
            taken[row].push((begin, end));
        }
        b.name = name;
    }
}

/// When each entry of the timeline ends: as planned, or of one whose end only the run can tell,
/// when it did, or at the end of the run.
fn ends(analysis: &Analysis<'_>) -> Vec<Option<Time>> {
    let plan = analysis.plan;
    let ended = analysis.trace.iter().filter(|r| r.what == What::FaultEnded);
    let ended: BTreeMap<u32, Time> = ended.map(|r| (r.object, r.at)).collect();
    let end = |(i, e): (u32, &TimelineEntry)| {
        let open = || ended.get(&i).copied().unwrap_or(analysis.horizon());
        e.ends.or_else(|| plan.lasts(i).then(open))
    };
    (0..).zip(&plan.timeline).map(end).collect()
}

/// Draws the axis of time below `y`.
pub(super) fn time_axis(c: &mut Drawing, time: &TimeScale, y: f64) {
    c.rule((time.left, y), (time.left + time.width, y), RULE);
    for (at, name) in time.ticks(TICKS) {
        c.rule((time.x(at), y), (time.x(at), y + 5.0), RULE);
        c.text(&name, (time.x(at), y + 14.0), Anchor::Center, LABEL);
    }
    c.text(&time.caption(TICKS), (time.left + time.width, y + 32.0), Anchor::Right, SMALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_taints_keep_their_keys() {
        let stuck = "taint node-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute";
        let short = "taint node-1 out-of-service=nodeshutdown:NoExecute";
        assert_eq!(label_of(stuck, font::width(short, SMALL)), short);
        let several = "taint n k=v:NoSchedule k=v:NoExecute other=value:NoSchedule";
        assert_eq!(label_of(several, NAME_ALONE), several);
        let short = "taint n k=v:NoSchedule and 2 more";
        assert_eq!(label_of(several, font::width(short, SMALL)), short);
        let cloud = stuck.replace("node-1", "ip-10-0-1-10.eu-central-1.compute.internal");
        let cut = label_of(&cloud, 340.0);
        assert!(font::width(&cut, SMALL) <= 340.0 && cut.starts_with("taint ip-10-"), "{cut}");
        assert!(cut.ends_with("… out-of-service=nodeshutdown:NoExecute"), "{cut}");
        assert_eq!(label_of("cut b: all of it", 1.0), "cut b: all of it");
    }

    /// Thirty entries within ten points, of which the last one lasts to the end.
    #[test]
    fn of_many_entries_those_that_last_are_named_first() {
        let end = Time::from_secs(1_000);
        let time = TimeScale::new(0.0, 1_000.0, Time::ZERO, end, end);
        let at = |i: u64| band(&time, Time::from_millis(i * 300), (i == 29).then_some(end));
        let mut bands: Vec<Band> = (0..30).map(at).collect();
        let named = [29, 0, 1, 2, 3, 4, 5].map(|i| (i, format!("entry {i}")));
        name(&mut bands, named.into_iter());
        // It has the first row, five others have those below it, and the next one has none.
        let rows = [29, 0, 4, 5].map(|i| bands[i].row);
        assert_eq!(rows, [Some(0), Some(1), Some(5), None]);
        // Before it there is room in its row.
        let mut bands =
            vec![band(&time, Time::from_secs(500), Some(end)), band(&time, Time::ZERO, None)];
        name(&mut bands, [(0, "lasts".to_owned()), (1, "before".to_owned())].into_iter());
        assert_eq!((bands[0].row, bands[1].row), (Some(0), Some(0)));
        assert_eq!(
            (others(1), others(25)),
            ("and 1 more entry".into(), "and 25 more entries".into())
        );
    }

    /// Nothing of a legend is beyond the edges, whatever occurs, and nothing of it is lost.
    #[test]
    fn a_legend_takes_as_many_lines_as_it_needs() {
        let names = ["Ready", "silent, not noticed yet", "NoSchedule taint", "pods shut down"];
        for count in 0..40 {
            let entry = |i: usize| (i != 2, Swatch::Line(INK), names[i % names.len()]);
            let all: Vec<Explained<'_>> = (0..count).map(entry).collect();
            let lines = legend_lines(&all, LANES_LEFT);
            let shown: Vec<&str> = lines.iter().flatten().map(|e| e.2).collect();
            let occurring: Vec<&str> = all.iter().filter(|e| e.0).map(|e| e.2).collect();
            assert_eq!(shown, occurring);
            let left = if lines.len() > 1 { LANES_LEFT } else { LEAST_GAP };
            for line in &lines {
                let gaps = LEAST_GAP * line.len().saturating_sub(1) as f64;
                let taken = line.iter().map(width_of).sum::<f64>() + gaps;
                assert!(left + taken <= WIDTH - RIGHT + 1e-6, "{count} entries: {taken}");
            }
        }
        // Forty entries of at least 24 points each, and eight between them: more than 1,200.
        assert!(legend_lines(&[(true, Swatch::Line(INK), "pods shut down"); 40], 0.0).len() > 1);
    }

    /// A second line of the legend makes the paper higher, and all below the head lies lower.
    #[test]
    fn what_is_below_a_long_legend_lies_lower() {
        let heading = Heading { title: "t".into(), subtitle: "s".into(), doc: String::new() };
        let drawn = |count: usize| {
            let mut c = Drawing::new((WIDTH, 200.0), &heading, "");
            head(&mut c, &heading, 92.0, &vec![(true, Swatch::Line(INK), "pods shut down"); count]);
            c.text("below", (100.0, 150.0), Anchor::Left, SMALL);
            let lines =
                legend_lines(&vec![(true, Swatch::Line(INK), "pods shut down"); count], 92.0);
            (c.svg().unwrap(), lines.len())
        };
        let ((one, _), (more, lines)) = (drawn(1), drawn(20));
        let higher = 200 + 18 * (lines - 1);
        assert!(lines > 1 && one.contains("height=\"200\""));
        assert!(more.contains(&format!("height=\"{higher}\"")), "{more}");
    }
}
