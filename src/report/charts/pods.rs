//! Pods over time: how many are available, and what became of the others.
//!
//! Two panels share the axis of time, because an outage of a twentieth of a cluster would not be
//! seen in one: those that are available, as an area, or as a line where the axis begins above
//! zero, which it then says; below, those that are not, stacked, on average over each column of the
//! picture, and what was evicted and turned away so far.

use super::axis::means;
use super::prelude::*;
use crate::analysis::curves::{Curve, Curves, Steps, value_at};

/// Where the data begin.
pub(super) const LEFT: f64 = 84.0;
/// The title of a panel stands above it.
const PANEL_TITLE: f64 = 26.0;
const UPPER: f64 = 160.0;
const LOWER: f64 = 220.0;
const BETWEEN: f64 = 8.0;

/// The height of the chart, in points.
pub(super) fn height(names: &Names) -> f64 {
    names.top + PANEL_TITLE + UPPER + BETWEEN + PANEL_TITLE + LOWER + FOOT
}

pub(super) fn draw(c: &mut Drawing, names: &Names, (curves, fault): (&Curves, Option<Time>)) {
    let time = names.time;
    let upper_top = names.top + PANEL_TITLE;
    let upper_bottom = upper_top + UPPER;
    let lower_top = upper_bottom + BETWEEN + PANEL_TITLE;
    let bottom = lower_top + LOWER;
    for (top, bottom) in [(upper_top, upper_bottom), (lower_top, bottom)] {
        names.back(c, top, bottom);
    }
    let (least, cut) = available(c, &time, (curves, fault), upper_top, upper_bottom);
    let mut ends = lost(c, &time, curves, lower_top, bottom);
    names.lines(c, bottom);
    if legend(curves, fault).iter().all(|(occurs, ..)| !occurs) {
        let middle = (time.left + time.width / 2.0, (upper_top + upper_bottom) / 2.0);
        c.text("no pods", middle, Anchor::Center, STRONG);
    }
    if least > 0 {
        let more = if cut { "; fewer at first, not drawn" } else { "" };
        let said = format!("axis begins at {}{more}", grouped(least.into()));
        note(c, (time.left + time.width, upper_top - 12.0), &said, SMALL);
    }
    // Lines of what came to be so far are named where they end, from the lowest on.
    ends.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut above = f64::INFINITY;
    for (y, said) in ends {
        above = (y - 10.0).min(above - 15.0);
        note(c, (time.left + time.width - 4.0, above), &said, STRONG);
    }
    title(c, &time, upper_top - 13.0, "pods running and ready");
    title(c, &time, lower_top - 13.0, "pods not running and ready, and evicted so far");
    time_axis(c, &time, bottom);
}

/// What the colours mean, from left to right: those that occur.
pub(super) fn legend(curves: &Curves, fault: Option<Time>) -> Vec<Explained<'static>> {
    let available = match least_available(curves.of(Curve::Available), fault) {
        0 => Swatch::Area(AVAILABLE_FILL),
        _ => Swatch::Line(AVAILABLE),
    };
    let area = Swatch::Area;
    [
        (curves.of(Curve::Available), available, "running and ready"),
        (curves.of(Curve::Dead), area(MISSING), "ready by the API, not up"),
        (curves.of(Curve::NotReady), area(NOT_READY), "running, not ready"),
        (curves.of(Curve::Terminating), area(TERMINATING), "terminating"),
        (curves.of(Curve::Pending), area(PENDING), "pending"),
        (curves.of(Curve::Evicted), Swatch::Line(EVICTION), "evicted so far"),
        (curves.of(Curve::TurnedAway), Swatch::Line(SAID), "turned away so far"),
    ]
    .map(|(steps, swatch, name)| (most(steps) > 0, swatch, name))
    .into()
}

/// The title of a panel, on paper of its own so that no line crosses it.
pub(super) fn title(c: &mut Drawing, time: &TimeScale, y: f64, text: &str) {
    c.rect((time.left, y - 8.0), (time.left + font::width(text, STRONG) + 8.0, y + 9.0), PAPER);
    c.text(text, (time.left, y), Anchor::Left, STRONG)
}

fn most(steps: &Steps) -> u32 {
    steps.iter().map(|s| s.1).max().unwrap_or(0)
}

/// The level lines and numbers of a panel.
pub(super) fn numbers(c: &mut Drawing, time: &TimeScale, scale: &CountScale) {
    for &tick in &scale.ticks {
        let y = scale.y(tick);
        let color = if tick == scale.least { RULE } else { GRID };
        c.rule((time.left, y), (time.left + time.width, y), color);
        c.text(&grouped(tick.into()), (time.left - 8.0, y), Anchor::Right, LABEL);
    }
}

/// A note that ends at `x`, on paper of its own so that no line crosses it.
pub(super) fn note(c: &mut Drawing, (x, y): (f64, f64), text: &str, ink: Ink) {
    c.rect((x - font::width(text, ink) - 4.0, y - 7.0), (x + 2.0, y + 7.0), PAPER);
    c.text(text, (x, y), Anchor::Right, ink)
}

/// Where the axis of the upper panel may begin; not far above zero it begins there. It holds every
/// value from the first fault on.
fn least_available(steps: &Steps, fault: Option<Time>) -> u32 {
    let most = most(steps);
    // Pods that have not started yet would pull the axis down to zero and hide what this is about.
    let reached = steps.iter().find(|s| s.1 == most).map_or(Time::ZERO, |s| s.0);
    let from = fault.map_or(reached, |fault| fault.min(reached));
    let later = steps.iter().filter(|s| s.0 > from).map(|s| s.1);
    let least = later.fold(value_at(steps, from), u32::min);
    if u64::from(least) * 2 < u64::from(most) || most < 10 { 0 } else { least }
}

/// Draws the upper panel; hands back where its axis begins, and whether the line is left out where
/// it was below that.
fn available(
    c: &mut Drawing,
    time: &TimeScale,
    (curves, fault): (&Curves, Option<Time>),
    top: f64,
    bottom: f64,
) -> (u32, bool) {
    let steps = curves.of(Curve::Available);
    let least = least_available(steps, fault);
    let scale = CountScale::new(bottom, bottom - top, least, most(steps), 4);
    let spans = spans(time, 1.0, steps, u32::min);
    // An area says how much; cut off below, it would say it wrongly.
    for &(from, to, n) in spans.iter().filter(|_| scale.least == 0) {
        c.rect((time.left + from, scale.y(n)), (time.left + to, bottom), AVAILABLE_FILL);
    }
    numbers(c, time, &scale);
    // A line along the edge would say that as many ran as the axis begins at.
    let below = |s: &(f64, f64, u32)| s.2 < scale.least;
    for piece in spans.split(below).filter(|piece| !piece.is_empty()) {
        c.line(&outline(time, &scale, piece, |n| *n), AVAILABLE, 1.5);
    }
    let cut = spans.iter().any(below);
    (scale.least, cut)
}

/// How high lines end, and what is said there.
type Ends = Vec<(f64, String)>;

/// Values of several step functions together, changing where any of them does.
fn together(parts: [&Steps; 4]) -> Vec<(Time, [u32; 4])> {
    let mut times: Vec<Time> = parts.iter().flat_map(|p| p.iter().map(|s| s.0)).collect();
    times.sort_unstable();
    times.dedup();
    times.into_iter().map(|t| (t, parts.map(|p| value_at(p, t)))).collect()
}

/// Draws the lower panel; hands back where its lines end, and at how many of what.
fn lost(c: &mut Drawing, time: &TimeScale, curves: &Curves, top: f64, bottom: f64) -> Ends {
    const COLORS: [RGBColor; 4] = [TERMINATING, MISSING, NOT_READY, PENDING];
    let lost = [Curve::Terminating, Curve::Dead, Curve::NotReady, Curve::Pending];
    let steps = together(lost.map(|curve| curves.of(curve)));
    let so_far = [(Curve::Evicted, EVICTION, "evicted"), (Curve::TurnedAway, SAID, "turned away")];
    let so_far = so_far.map(|(curve, color, name)| (curves.of(curve), color, name));
    let stacked = steps.iter().map(|s| s.1.iter().sum::<u32>()).max().unwrap_or(0);
    let highest = so_far.iter().map(|(steps, ..)| most(steps)).fold(stacked, u32::max);
    let scale = CountScale::new(bottom, bottom - top, 0, highest, 5);
    numbers(c, time, &scale);
    for (from, to, parts) in means(time, &steps) {
        let mut low = bottom;
        // Terminating at the bottom: it grows out of what was not ready.
        for (n, color) in parts.into_iter().zip(COLORS).filter(|(n, _)| *n > 0.0) {
            // What lasts for a moment is seen all the same.
            let high = low - scale.tall(n).max(1.0);
            c.rect((time.left + from, high), (time.left + to, low), color);
            low = high;
        }
    }
    c.rule((time.left, bottom), (time.left + time.width, bottom), RULE);
    let mut ends = Vec::new();
    for (steps, color, name) in so_far {
        let Some(&(_, last)) = steps.last().filter(|last| last.1 > 0) else { continue };
        let spans = spans(time, 1.0, steps, u32::max);
        c.line(&outline(time, &scale, &spans, |n| *n), color, 2.0);
        ends.push((scale.y(last), format!("{} {name}", grouped(last.into()))));
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A third of 300 goes at 60 s, when 299 of them run; the last one runs only at 90 s, and all
    /// are back at 120 s. The axis has to hold the 200 of the outage, which come before the most
    /// are reached; without a fault it holds what comes after that. What comes before the fault
    /// does not count: 10 at the start.
    #[test]
    fn the_axis_holds_every_value_from_the_first_fault_on() {
        let s = Time::from_secs;
        let steps = vec![(s(0), 10), (s(30), 299), (s(60), 200), (s(120), 300), (s(200), 290)];
        assert_eq!(least_available(&steps, Some(s(60))), 200);
        assert_eq!(least_available(&steps, Some(s(150))), 290);
        assert_eq!(least_available(&steps, None), 290);
        // Less than half of the most: zero.
        assert_eq!(least_available(&steps, Some(s(10))), 0);
    }
}
