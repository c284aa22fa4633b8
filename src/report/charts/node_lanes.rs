//! A lane for each node: its health as a bar, its NoSchedule and NoExecute taints as two strips
//! below, and evictions as marks with the number of pods.

use super::axis::{Spans, marks};
use super::prelude::*;
use crate::analysis::lanes::{NodeLane, Tainted, Volumes};

/// The height of all lanes, in points.
pub(super) fn height(analysis: &Analysis<'_>, nodes: &[NodeLane]) -> f64 {
    let named = (0..nodes.len()).filter(|i| begins_zone(analysis, nodes, *i));
    nodes.len() as f64 * node_height(nodes.len()) + named.count() as f64 * ZONE + 10.0
}

/// Half the width of a mark.
const SIGN: f64 = 7.0;
/// How the number of a mark is written.
const NUMBER: Ink = Ink { size: 9.0, bold: true, color: EVICTION };

/// The height of the name of a zone.
const ZONE: f64 = 17.0;

/// Whether this is the first node of its zone, and there are others.
fn begins_zone(analysis: &Analysis<'_>, nodes: &[NodeLane], i: usize) -> bool {
    let zone = |i: usize| analysis.zone_name(nodes[i].node);
    let several = zone(0) != zone(nodes.len() - 1);
    several && (i == 0 || zone(i) != zone(i - 1))
}

fn node_height(nodes: usize) -> f64 {
    match nodes {
        0..=12 => 38.0,
        13..=30 => 26.0,
        _ => 18.0,
    }
}

/// The heights of a lane's bar, of a strip below it, and of the gap between them.
fn bar_of(height: f64) -> (f64, f64, f64) {
    match height {
        h if h > 30.0 => (18.0, 4.0, 1.0),
        h if h > 20.0 => (13.0, 3.0, 1.0),
        _ => (9.0, 2.0, 0.5),
    }
}

/// What is said of a mark, from where on, and in which colour.
type Said = (String, f64, RGBColor);

/// Where something may begin, and where it may end.
type Places<'a> = (&'a [f64], &'a [f64]);

/// The pods of a lane that are marked together.
pub(super) struct Marked {
    /// The middle of its bar.
    at: (f64, f64),
    /// How many pods; where there is room to say so.
    said: Option<Said>,
    sign: Swatch,
}

/// Draws the lanes from `top` on, but for the marks of evictions, which are to lie over all else.
pub(super) fn draw(
    c: &mut Drawing,
    analysis: &Analysis<'_>,
    time: &TimeScale,
    nodes: &[NodeLane],
    top: f64,
) -> Vec<Marked> {
    let height = node_height(nodes.len());
    let mut y = top + 8.0;
    let mut marked = Vec::new();
    let begins = (0..nodes.len()).filter(|i| begins_zone(analysis, nodes, *i));
    let zones: Vec<&str> = begins.map(|i| analysis.zone_name(nodes[i].node)).collect();
    let mut zones = zone_labels(&zones, LANES_LEFT - 20.0).into_iter();
    let ink = Ink { size: if height > 20.0 { 11.0 } else { 9.0 }, ..LABEL };
    let names: Vec<&str> = nodes.iter().map(|n| analysis.node_name(n.node)).collect();
    let names = font::fit_all(&names, ink, LANES_LEFT - 20.0);
    for (i, (lane, name)) in nodes.iter().zip(&names).enumerate() {
        if begins_zone(analysis, nodes, i)
            && let Some(zone) = zones.next()
        {
            c.text(&zone, (LANES_LEFT - 8.0, y + 5.0), Anchor::Right, STRONG);
            y += ZONE;
        }
        let bar = bar_of(height).0;
        c.text(name, (LANES_LEFT - 8.0, y + bar / 2.0), Anchor::Right, ink);
        marked.extend(draw_node(c, time, lane, (y, height)));
        y += height;
    }
    marked
}

fn draw_node(
    c: &mut Drawing,
    time: &TimeScale,
    lane: &NodeLane,
    (y, height): (f64, f64),
) -> Vec<Marked> {
    let (bar, strip, gap) = bar_of(height);
    // Many lanes with many changes would make a large file: at most some ten thousand rectangles in
    // all.
    let column = if height > 20.0 { 1.0 } else { 2.0 };
    let bars = spans(time, column, &lane.health, Health::max);
    for &(from, to, h) in &bars {
        if h != Health::Absent {
            c.rect((time.left + from, y), (time.left + to, y + bar), health(h));
        }
    }
    if height > 20.0 {
        for (from, to, n) in spans(time, column, &lane.timers, u32::max) {
            // At the foot of the bar, below the numbers in its middle.
            let (left, right, foot) = (time.left + from, time.left + to, y + bar - 2.0);
            if n > 0 {
                c.rule((left, foot), (right, foot), TIMER);
            }
        }
    }
    // Above the bar, where no taint has its strip.
    let either =
        |a: Volumes, b: Volumes| Volumes { held: a.held | b.held, awaited: a.awaited | b.awaited };
    for (from, to, v) in spans(time, column, &lane.volumes, either) {
        if v.held || v.awaited {
            let color = if v.held { HELD } else { AWAITED };
            c.rect((time.left + from, y - gap - strip), (time.left + to, y - gap), color);
        }
    }
    for d in &lane.drains {
        let (x0, x1) = (time.x(d.from), time.x(d.to).max(time.x(d.from) + 2.0));
        c.rect((x0, y - gap - strip), (x1, y - gap), DRAIN);
    }
    let both = |a: Tainted, b: Tainted| Tainted {
        no_schedule: a.no_schedule | b.no_schedule,
        no_execute: a.no_execute | b.no_execute,
    };
    for (from, to, t) in spans(time, column, &lane.taints, both) {
        let (x0, x1) = (time.left + from, time.left + to);
        let first = y + bar + gap;
        if t.no_schedule {
            c.rect((x0, first), (x1, first + strip), NO_SCHEDULE);
        }
        if t.no_execute {
            c.rect((x0, first + strip + gap), (x1, first + 2.0 * strip + gap), NO_EXECUTE);
        }
    }
    evicted(time, lane, &bars, y + bar / 2.0)
}

/// What happened to a node's pods, with the number of pods where there is room beside their mark.
fn evicted(time: &TimeScale, lane: &NodeLane, bars: &Spans<Health>, middle: f64) -> Vec<Marked> {
    // Marks between which a number has no room are a run.
    let wide = |n: u32| font::width(&grouped(n.into()), NUMBER);
    let close = |a: &(f64, u32), b: &(f64, u32)| b.0 - a.0 < 2.0 * SIGN + wide(a.1);
    let of = |counts: &[(Time, u32)], sign: Swatch| {
        let marks = marks(time, 9.0, counts);
        marks.chunk_by(close).map(|run| (run.to_vec(), sign)).collect::<Vec<_>>()
    };
    let runs = [
        of(&lane.replacements, Swatch::Risen(REPLACED)),
        of(&lane.evictions, Swatch::Mark(EVICTION)),
        of(&lane.preemptions, Swatch::Hollow(EVICTION)),
        of(&lane.shut_down, Swatch::Square(EVICTION)),
        of(&lane.turned_away, Swatch::Cross(EVICTION)),
    ]
    .concat();
    // What numbers must not touch: marks, and other numbers, which would be read as one.
    let signs = runs.iter().flat_map(|(run, _)| run);
    let mut taken: Vec<(f64, f64)> = signs.map(|s| (s.0 - SIGN, s.0 + SIGN)).collect();
    let mut marked = Vec::new();
    let color = |middle: f64| {
        let is_dark = |bar: &(f64, f64, Health)| {
            bar.2 == Health::NotReady && (bar.0..bar.1).contains(&middle)
        };
        if bars.iter().any(is_dark) { PAPER } else { EVICTION }
    };
    let put = |taken: &mut Vec<(f64, f64)>, said: String, places: Places<'_>, most: f64| {
        let wide = font::width(&said, NUMBER);
        let at = place(taken, wide, places, most)?;
        taken.push((at, at + wide));
        Some((said, time.left + at, color(at + wide / 2.0)))
    };
    let at = |x: f64| (time.left + x, middle);
    for (run, sign) in runs {
        let before = taken.len();
        let mut number = |(x, n): &(f64, u32)| {
            let places = (&[x + SIGN][..], &[x - SIGN][..]);
            let said = (*n > 1).then(|| grouped((*n).into()))?;
            put(&mut taken, said, places, f64::INFINITY)
        };
        let mut said: Vec<Option<Said>> = run.iter().map(&mut number).collect();
        let lacks = |((_, n), said): (&(f64, u32), &Option<Said>)| *n > 1 && said.is_none();
        if let [first, .., last] = run[..]
            && run.iter().zip(&said).any(lacks)
        {
            // Where not each has its number, what they come to stands behind the last or before the first, or the sign before that.
            let own = taken.split_off(before);
            let all: u32 = run.iter().map(|m| m.1).sum();
            let all = format!("{} in all", grouped(all.into()));
            let places = (&[last.0 + SIGN][..], &[first.0 - SIGN, first.0 - 3.0 * SIGN][..]);
            match put(&mut taken, all, places, time.width) {
                Some(all) => {
                    said.fill(None);
                    said[0] = Some(all);
                }
                None => taken.extend(own),
            }
        }
        let mark = |((x, _), said): (&(f64, u32), Option<Said>)| Marked { at: at(*x), said, sign };
        marked.extend(run.iter().zip(said).map(mark));
    }
    for d in &lane.drains {
        let (from, to) = (time.offset(d.from), time.offset(d.to));
        let places = (&[to, to + SIGN][..], &[from, from - SIGN][..]);
        let said = put(&mut taken, d.words(), places, time.width);
        // The strip of a drain is its mark.
        marked.push(Marked { at: at(to), said, sign: Swatch::Strip(DRAIN) });
    }
    marked
}

/// Where something so wide stands that is said of a mark: behind it or its end, or before it where
/// the chart ends there; it touches nothing that is taken, and ends no further right than `most`.
fn place(taken: &[(f64, f64)], wide: f64, (after, before): Places<'_>, most: f64) -> Option<f64> {
    let free = |at: &f64| {
        let fits = *at >= 0.0 && at + wide <= most;
        fits && taken.iter().all(|t| t.1 <= *at || t.0 >= at + wide)
    };
    after.iter().copied().chain(before.iter().map(|at| at - wide)).find(free)
}

/// Draws the marks of what happened to pods.
pub(super) fn draw_marks(c: &mut Drawing, marked: &[Marked]) {
    for Marked { at, said, sign: swatch } in marked {
        sign(c, *at, *swatch);
        if let Some((said, from, color)) = said {
            let ink = Ink { color: *color, ..NUMBER };
            c.text(said, (*from, at.1), Anchor::Left, ink);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::names::NodeId;

    /// Of a mark with three pods at 50 s and others of as many ten seconds later, and at once, no
    /// two numbers touch, and each that has room is there.
    #[test]
    fn two_numbers_are_not_read_as_one() {
        let end = Time::from_secs(100);
        let time = TimeScale::new(0.0, 100.0, Time::ZERO, end, end);
        let lane = |evictions: &[u64], replacements: &[u64]| NodeLane {
            node: NodeId(0),
            health: Vec::new(),
            volumes: Vec::new(),
            taints: Vec::new(),
            evictions: evictions.iter().map(|s| (Time::from_secs(*s), 3)).collect(),
            preemptions: Vec::new(),
            shut_down: Vec::new(),
            turned_away: Vec::new(),
            drains: Vec::new(),
            replacements: replacements.iter().map(|s| (Time::from_secs(*s), 3)).collect(),
            timers: Vec::new(),
        };
        for (evictions, replacements, room) in [
            (&[50][..], &[][..], 1),
            (&[50, 60], &[], 2),
            (&[50], &[55], 2),
            (&[50], &[50], 2),
            (&[50, 60], &[55], 2),
            (&[2], &[], 1),
            (&[2, 12], &[], 1),
        ] {
            let lane = lane(evictions, replacements);
            let marked = evicted(&time, &lane, &Vec::new(), 0.0);
            let marks: Vec<f64> = marked.iter().map(|m| m.at.0).collect();
            let mut said: Vec<_> = marked.into_iter().filter_map(|m| m.said).collect();
            assert_eq!(said.len(), room, "{evictions:?} {replacements:?}");
            said.sort_by(|a, b| a.1.total_cmp(&b.1));
            let wide = font::width("3", NUMBER);
            assert!(said.windows(2).all(|s| s[1].1 > s[0].1 + wide));
            for (_, from, _) in said {
                assert!(from >= 0.0 && marks.iter().all(|x| (from + wide / 2.0 - x).abs() > SIGN));
            }
        }
        // Of three in a row the middle one has no room: nine pods.
        let marked = evicted(&time, &lane(&[50, 60, 70], &[]), &Vec::new(), 0.0);
        let said: Vec<String> = marked.into_iter().filter_map(|m| m.said).map(|s| s.0).collect();
        assert_eq!(said, ["9 in all"]);
    }
}
