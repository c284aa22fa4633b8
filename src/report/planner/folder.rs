//! The folder of a plan, written as a whole, and its charts: what each value costs, downtime beside
//! needless evictions, what the answer leans on, and how often a year is how bad.

use super::json::document;
use super::text;
use super::told::{Told, seldom};
use crate::lab::planner::{FIGURES, Kept, MISSING, NEEDLESS, Row, Sensitivity};
use crate::report::charts::{
    Beside, Figures, Line, Panel, Plane, Range, Unit, draw_figures, draw_plane,
};
use crate::report::json::extend;
use crate::report::output::write_drawing;
use crate::report::results::*;
use crate::report::{FileError, Folder, Heading, Style, Written, html, json};

/// Writes the folder `parent/NAME` of a plan; an earlier one of that name is replaced as a whole;
/// a `page` is part of it where one is given.
///
/// # Errors
/// [`FileError`]; nothing is left behind then, and an earlier folder stays as it was.
pub(crate) fn write_folder(
    all: &[Told<'_>],
    kept: &Kept,
    parent: &Path,
    name: &str,
    page: Option<&html::Page>,
) -> Result<Written, FileError> {
    let mut folder = Folder::create(parent, name)?;
    folder.write("plan.txt", |out| text::write(&mut Printer::new(out, Style::default()), all))?;
    folder.write("plan.json", |out| json::write(out, &document(all, kept)))?;
    // Of several settings each has charts of its own.
    for (i, told) in all.iter().enumerate() {
        let before = if all.len() == 1 { String::new() } else { format!("{}-", i + 1) };
        charts_of(&mut folder, told, &before)?;
    }
    page.map_or(Ok(()), |page| folder.write(html::FILE, |out| html::write(out, page)))?;
    let mut came_from = json!({ "plan": kept.scenario });
    extend(&mut came_from, all.first().map_or(Value::Null, |told| told.source.basis.clone()));
    folder.finish_with(came_from)
}

/// Writes the charts of a plan, their names with something before them.
fn charts_of(folder: &mut Folder, told: &Told<'_>, before: &str) -> Result<(), FileError> {
    let planes = [("cost", Some(cost(told))), ("front", Some(front(told))), ("years", years(told))];
    for (name, plane) in planes.into_iter().filter_map(|(name, plane)| Some((name, plane?))) {
        write_drawing(folder, &format!("{before}{name}"), &draw_plane(&plane))?;
    }
    if !told.answer.sensitivities.is_empty() {
        let drawing = draw_figures(&tornado(told));
        write_drawing(folder, &format!("{before}tornado"), &drawing)?;
    }
    Ok(())
}

/// What each value costs more than the best, with its band, as that is what is decided by and known far
/// better than the costs themselves; values that cannot be told apart from the best are marked.
pub(super) fn cost(told: &Told<'_>) -> Plane {
    let a = told.answer;
    let of_best = a.rows[a.best].closed;
    // In the order of the table; the row of what is set now stands in its place if it is a value.
    let at = |row: usize| row as f64;
    let rows = (0..a.rows.len()).map(at).zip(&a.rows);
    let line = Line {
        name: "simulated".to_owned(),
        points: rows.clone().map(|(x, r)| (x, r.more)).collect(),
        band: a.rows.iter().map(|r| (r.more_interval.low, r.more_interval.high)).collect(),
        dots: true,
        ..Line::default()
    };
    let closed = rows.map(|(x, r)| Some((x, r.closed? - of_best?))).collect::<Option<_>>();
    let name = "by formula".to_owned();
    let closed = closed.map(|points| Line { name, points, dots_only: true, ..Line::default() });
    Plane {
        heading: heading(told, &title(told)),
        across: told.settings(),
        up: format!("{} a year", told.objective.unit),
        ticks: (0..a.rows.len()).map(|r| (at(r), told.name(r))).collect(),
        lines: std::iter::once(line).chain(closed).collect(),
        span: flat(told)
            .map(|(from, to)| (at(from), at(to), "cannot be told apart from the best".to_owned())),
        marks: vec![(at(a.best), 0.0, best(told))],
        highest: [None, highest(a.rows.iter().map(|r| (r.more, r.more_interval)))],
        ..Plane::default()
    }
}

/// The first and the last row of those that cannot be told apart from the best.
pub(super) fn flat(told: &Told<'_>) -> Option<(usize, usize)> {
    let same = &told.answer.same;
    let (from, to) = same.iter().min().zip(same.iter().max())?;
    (from != to).then_some((*from, *to))
}

/// The highest that is on an axis, where not all of these are.
fn highest(all: impl Iterator<Item = (f64, Interval)> + Clone) -> Option<f64> {
    let costs: Vec<f64> = all.clone().map(|(cost, _)| cost).collect();
    let highest = competes(&costs)?;
    let bands = all.filter(|(cost, _)| *cost <= highest);
    Some(bands.map(|(_, band)| band.high.min(2.0 * highest)).fold(highest, f64::max))
}

/// What the chart of costs is about.
pub(super) fn title(told: &Told<'_>) -> String {
    let best = told.name(told.answer.best);
    format!("What a year costs more than with {best}")
}

/// What the row that costs least is called.
pub(super) fn best(told: &Told<'_>) -> String {
    format!("{}: {}", told.least(), told.name(told.answer.best))
}

/// The highest of the costs that compete, where others are so far off that the differences between
/// these could not be seen beside them.
fn competes(costs: &[f64]) -> Option<f64> {
    const FAR: f64 = 5.0;
    let mut sorted = costs.to_vec();
    sorted.sort_by(f64::total_cmp);
    let least = *sorted.first()?;
    let beyond = |i: usize, other: usize| sorted[i] - least > FAR * (sorted[other] - least);
    let middle = sorted.len() / 2;
    // Behind a gap; or far from the middle one, however many lie between.
    let gap = (3..sorted.len()).find(|i| beyond(*i, *i - 1));
    let far = (middle + 1..sorted.len()).find(|i| sorted[middle] > least && beyond(*i, middle));
    let from = gap.into_iter().chain(far).min()?;
    (sorted[from - 1] > least).then(|| sorted[from - 1])
}

/// Replica-minutes missing beside needless evictions, each as far as it is known.
pub(super) fn front(told: &Told<'_>) -> Plane {
    let rows = &told.answer.rows;
    let mut points: Vec<(f64, f64)> =
        rows.iter().map(|r| (r.figures[NEEDLESS], r.figures[MISSING])).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // What no other value is better than in both.
    points.dedup_by(|p, kept| p.1 >= kept.1);
    let mark = |(i, r): (usize, &Row)| (r.figures[NEEDLESS], r.figures[MISSING], told.name(i));
    const AXES: [usize; 2] = [NEEDLESS, MISSING];
    let span = |r: &Row| AXES.map(|figure| (r.spans[figure].low, r.spans[figure].high));
    let highest =
        |figure: usize| highest(rows.iter().map(move |r| (r.figures[figure], r.spans[figure])));
    let highest = AXES.map(highest);
    // No line leads off the scale.
    let is_off = |value: f64, axis: usize| highest[axis].is_some_and(|most| value > most);
    let marks: Vec<_> = rows.iter().enumerate().map(mark).collect();
    let off = marks.iter().filter(|m| is_off(m.0, 0) || is_off(m.1, 1));
    let off = off.filter(|m| points.contains(&(m.0, m.1))).map(|m| m.2.clone());
    let off = joined(off, ", ").map_or(String::new(), |off| format!(" (off the scale: {off})"));
    let name = format!("no other value is better in both{off}");
    Plane {
        heading: heading(told, "Downtime beside needless evictions"),
        across: "needless evictions a year".to_owned(),
        up: "replica-minutes missing a year".to_owned(),
        lines: vec![Line { name, points, dots: true, ..Line::default() }],
        marks,
        spans: rows.iter().map(span).collect(),
        highest,
        ..Plane::default()
    }
}

/// What the chart of [`tornado`] is about, and what its marks are.
pub(super) const LEANS: &str = "What the cost leans on: a third and three times of each";
pub(super) const AS_IT_IS: &str = "as it is";

/// What costs of the value that costs least are counted in; it may not be what is recommended.
pub(super) fn unit_of_best(told: &Told<'_>) -> String {
    let so_far = if told.answer.wanted.is_some() { " so far" } else { "" };
    let (unit, best) = (&told.objective.unit, told.name(told.answer.best));
    format!("{unit} a year, of {best}, which costs least{so_far}")
}

/// What a third and three times of each price and rate make of the cost.
fn tornado(told: &Told<'_>) -> Figures {
    let a = told.answer;
    let thousandths = |v: f64| (v.max(0.0) * 1e3).round() as u128;
    let range = |s: &Sensitivity| {
        let ([least, greatest], mean) = (s.range().map(thousandths), thousandths(s.costs[1]));
        Some(Range { least, low: mean, mean, high: mean, greatest })
    };
    let ranges = a.sensitivities.iter().map(range).collect();
    Figures {
        heading: heading(told, LEANS),
        title: String::new(),
        legend: [AS_IT_IS, "", "a third to three times"],
        beside: Beside::Ends,
        rows: a.sensitivities.iter().map(|s| s.name.clone()).collect(),
        panels: vec![Panel { name: unit_of_best(told), unit: Unit::Count, ranges }],
    }
}

/// How often so much is missing in a year, or more, with the best value and with what is set now;
/// none where years were not counted.
pub(super) fn years(told: &Told<'_>) -> Option<Plane> {
    let (kept, a) = (told.kept, told.answer);
    let n = kept.years.len();
    if n < 2 {
        return None;
    }
    let line = |row: usize, name: String| {
        let missing = kept.years.iter().map(|y| y[row * FIGURES.len()]);
        Line { name, points: steps(missing.collect()), ..Line::default() }
    };
    let mut lines = vec![line(a.best, format!("best: {}", told.name(a.best)))];
    if a.now != a.best {
        lines.push(line(a.now, format!("now: {}", told.name(a.now))));
    }
    let without = seldom(kept).map_or_else(String::new, |names| format!(", without {names}"));
    Some(Plane {
        heading: heading(told, "How bad a year may be"),
        across: "replica-minutes missing in a year".to_owned(),
        up: format!("% of {n} years in which so many are missing, or more{without}"),
        lines,
        from_zero: true,
        ..Plane::default()
    })
}

/// The share in percent of some values that are as large as that, or larger: a step down behind each
/// of them.
fn steps(mut values: Vec<f64>) -> Vec<(f64, f64)> {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let share = |i: usize| (1.0 - i as f64 / n) * 100.0;
    let step = |(i, v): (usize, &f64)| [(*v, share(i)), (*v, share(i + 1))];
    values.iter().enumerate().flat_map(step).collect()
}

fn heading(told: &Told<'_>, title: &str) -> Heading {
    let yet = if told.answer.wanted.is_some() { "not known yet; " } else { "" };
    let title = format!("{}: {title}", told.kept.scenario);
    Heading { title, subtitle: format!("{yet}{}", told.subtitle()), doc: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3,429 to 3,680 are what is decided by; 13,302 is 9,873 above the least, and the next one 251.
    #[test]
    fn what_is_far_off_is_not_on_the_axis() {
        let costs = [3_429.0, 3_450.0, 3_520.0, 3_680.0, 13_302.0];
        assert_eq!(competes(&costs), Some(3_680.0));
        assert_eq!(competes(&costs[..4]), None);
        assert_eq!(competes(&[1.0, 100.0]), None);
        assert_eq!(competes(&[0.0, 100.0, 13_302.0]), Some(100.0));
        // Each four times the one before: the middle one, 160, stands for what is decided by, and
        // 2,560 is sixteen times as far as that.
        let steady = [0.0, 10.0, 40.0, 160.0, 640.0, 2_560.0, 10_240.0];
        assert_eq!(competes(&steady), Some(640.0));
        assert_eq!(competes(&[0.0, 1.0, 6.0, 7.0, 8.0]), None);
    }

    /// Of 1, 1, 2 and 5 all are 1 or more, half are more than 1, a quarter are more than 2.
    #[test]
    fn a_share_falls_behind_each_value() {
        let points = [
            (1.0, 100.0),
            (1.0, 75.0),
            (1.0, 75.0),
            (1.0, 50.0),
            (2.0, 50.0),
            (2.0, 25.0),
            (5.0, 25.0),
            (5.0, 0.0),
        ];
        assert_eq!(steps(vec![5.0, 1.0, 2.0, 1.0]), points);
    }
}
