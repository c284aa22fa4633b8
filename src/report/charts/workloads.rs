//! Workloads over time: a panel for each, with how many of its pods are desired, up, ready by the
//! API, and ghosts.
//!
//! Where there are more than fit, those that were not always up are drawn, or those of them with the
//! most missing pods, and the rest is counted below.

use super::pods;
use super::prelude::*;
use crate::analysis::Serving;
use crate::analysis::serving::{Count, Served};
use crate::report::text::{counted_from, tenths};

/// More workloads are not drawn.
const MOST: usize = 24;
/// So many stand for more than that which were always up.
const FEW: usize = 3;
/// The title of a panel stands above it.
const TITLE: f64 = 24.0;
const GAP: f64 = 10.0;
/// The line that counts those that are not drawn.
const MORE: f64 = 20.0;

fn panel(shown: usize) -> f64 {
    match shown {
        0..=3 => 130.0,
        4..=8 => 80.0,
        _ => 54.0,
    }
}

/// The workloads that are drawn, by their places, and what is said of the others.
fn shown(analysis: &Analysis<'_>, all: &[Served]) -> (Vec<usize>, String) {
    if all.len() <= MOST {
        return ((0..all.len()).collect(), String::new());
    }
    let down = |i: &usize| !said_of(analysis, &all[*i]).is_empty();
    let mut order: Vec<usize> = (0..all.len()).filter(down).collect();
    if order.is_empty() {
        let said = format!("all {} were always up", counted(all.len(), "workload"));
        return ((0..FEW).collect(), said);
    }
    let up = all.len() - order.len();
    let fewer = order.len().saturating_sub(MOST);
    order.sort_by_key(|&i| std::cmp::Reverse(all[i].costs.missing_ns));
    order.truncate(MOST);
    order.sort_unstable();
    (order, rest(fewer, up))
}

/// What is said of so many workloads with fewer missing pods, and so many that were always up.
fn rest(fewer: usize, up: usize) -> String {
    let count = |n: usize| counted(n, "workload");
    let fewer = (fewer > 0).then(|| format!("and {} with fewer missing pods", count(fewer)));
    let was = if up == 1 { "was" } else { "were" };
    let up = (up > 0).then(|| format!("{} {was} always up", count(up)));
    fewer.into_iter().chain(up).collect::<Vec<_>>().join("; ")
}

/// The height of the chart, in points.
pub(super) fn height(analysis: &Analysis<'_>, names: &Names, all: &Serving) -> f64 {
    let (order, more) = shown(analysis, &all.workloads);
    bottom(names, order.len(), &more) + FOOT
}

/// Where the axis of time is below so many panels and what is said of the rest.
fn bottom(names: &Names, shown: usize, more: &str) -> f64 {
    let more = if more.is_empty() { 0.0 } else { MORE };
    (names.top + shown as f64 * (TITLE + panel(shown) + GAP) + more).ceil()
}

pub(super) fn draw(
    c: &mut Drawing,
    heading: &Heading,
    analysis: &Analysis<'_>,
    names: &Names,
    all: &Serving,
) {
    let (order, more) = shown(analysis, &all.workloads);
    let of_shown = order.iter().map(|&i| &all.workloads[i]);
    head(c, heading, pods::LEFT, &legend(of_shown));
    let shown = order.len();
    let mut top = names.top + TITLE;
    let bottom_of_all = bottom(names, shown, &more);
    for &i in &order {
        let bottom = top + panel(shown);
        names.back(c, top, bottom);
        one(c, &names.time, &all.workloads[i], top, bottom);
        top = bottom + GAP + TITLE;
    }
    names.lines(c, bottom_of_all);
    // Titles come last, on paper of their own so that no line crosses them.
    let mut top = names.top + TITLE;
    let called: Vec<String> =
        order.iter().map(|&i| all.workloads[i].name.replacen('/', " ", 1)).collect();
    let called = font::fit_all(&called, STRONG, names.time.width * 0.6);
    for (&i, called) in order.iter().zip(&called) {
        title(c, names, analysis, &all.workloads[i], called, top);
        top += panel(shown) + GAP + TITLE;
    }
    if !more.is_empty() {
        let right = names.time.left + font::width(&more, SMALL);
        pods::note(c, (right, bottom_of_all - MORE / 2.0), &more, SMALL);
    }
    time_axis(c, &names.time, bottom_of_all);
}

/// What the colours mean, from left to right: those that occur.
fn legend<'a>(shown: impl Iterator<Item = &'a Served> + Clone) -> Vec<Explained<'static>> {
    let occurs = |is: fn(&Count) -> bool| shown.clone().flat_map(|w| &w.counts).any(|s| is(&s.1));
    let area = Swatch::Area;
    vec![
        (occurs(|n| n.up > 0), area(AVAILABLE_FILL), "up"),
        (occurs(|n| n.desired > n.up), area(MISSING), "missing"),
        (occurs(|n| n.ghosts > 0), area(GHOST), "deleted or gone, and still up"),
        (true, Swatch::Line(NO_EXECUTE), "desired"),
        (true, Swatch::Line(SAID), "ready, says the API"),
    ]
}

/// What was amiss with a workload; nothing of one that was always up.
fn said_of(analysis: &Analysis<'_>, w: &Served) -> Vec<String> {
    let least =
        w.spans(analysis.horizon()).filter(|(.., n)| n.up < n.desired).map(|(.., n)| n.up).min();
    let missing = tenths(w.costs.missing_ns, "replica-minute");
    let worst = least.map(|n| format!("at worst {} up, {missing} missing", grouped(n.into())));
    counted_from(analysis, w).into_iter().chain(worst).collect()
}

fn title(
    c: &mut Drawing,
    names: &Names,
    analysis: &Analysis<'_>,
    w: &Served,
    called: &str,
    top: f64,
) {
    let (left, y) = (names.time.left, top - 12.0);
    pods::title(c, &names.time, y, called);
    let note = said_of(analysis, w);
    if !note.is_empty() {
        pods::note(c, (left + names.time.width, y), &note.join("; "), SMALL)
    }
}

/// Draws one workload's panel.
fn one(c: &mut Drawing, time: &TimeScale, w: &Served, top: f64, bottom: f64) {
    let ticks = if bottom - top < 60.0 { 2 } else { 4 };
    let height = |(_, n): &(Time, Count)| (n.up.max(n.desired) + n.ghosts).max(n.ready);
    let highest = w.counts.iter().map(height).max().unwrap_or(0);
    let scale = CountScale::new(bottom, bottom - top, 0, highest, ticks);
    let missing = |n: Count| n.desired.saturating_sub(n.up);
    let worse = |a: Count, b: Count| if missing(b) >= missing(a) { b } else { a };
    let spans = spans(time, 1.0, &w.counts, worse);
    for &(from, to, n) in &spans {
        let (left, right) = (time.left + from, time.left + to);
        // What nobody asks for any more stands above what is asked for, so that it hides nothing
        // that is missing.
        let asked = n.up.max(n.desired);
        let layers = [
            (0, n.up, AVAILABLE_FILL),
            (n.up, n.desired, MISSING),
            (asked, asked + n.ghosts, GHOST),
        ];
        for (low, high, color) in layers.into_iter().filter(|(low, high, _)| high > low) {
            c.rect((left, scale.y(high)), (right, scale.y(low)), color);
        }
    }
    pods::numbers(c, time, &scale);
    let outline = |of: fn(&Count) -> u32| outline(time, &scale, &spans, of);
    c.line(&outline(|n| n.desired), NO_EXECUTE, 1.0);
    c.line(&outline(|n| n.ready), SAID, 1.0);
    c.line(&outline(|n| n.up), AVAILABLE, 1.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_counted_by_what_it_is() {
        assert_eq!(rest(0, 38), "38 workloads were always up");
        assert_eq!(rest(6, 0), "and 6 workloads with fewer missing pods");
        let both = "and 1 workload with fewer missing pods; 1 workload was always up";
        assert_eq!(rest(1, 1), both);
    }
}
