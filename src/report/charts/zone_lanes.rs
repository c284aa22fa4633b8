//! A lane for each zone: the shares of its nodes that are not healthy, stacked from the bottom, the
//! share with a NoExecute taint as a line, and evictions as bars below.

use super::axis::bins;
use super::prelude::*;
use crate::analysis::lanes::ZoneLane;
use std::cmp::Reverse;

/// More zones are not drawn: those in which least happens are left out.
const MOST_ZONES: usize = 16;
/// The gap between the lanes of zones.
const ZONE_GAP: f64 = 16.0;
/// Where the names of zones end; the scale stands between them and the lanes.
const NAMES_RIGHT: f64 = LANES_LEFT - 44.0;

/// The least width of a bar of evictions with the gap to the next one; it stands for a round time.
const BAR: f64 = 4.0;
/// Between the nodes and the highest bar.
const BAR_GAP: f64 = 4.0;

/// The height of all lanes, in points.
pub(super) fn height(zones: &[ZoneLane]) -> f64 {
    let shown = zones.len().min(MOST_ZONES);
    let more = if zones.len() > MOST_ZONES { 20.0 } else { 0.0 };
    shown as f64 * (zone_height(shown) + ZONE_GAP) + more
}

fn zone_height(zones: usize) -> f64 {
    match zones {
        0..=4 => 120.0,
        5..=8 => 88.0,
        _ => 62.0,
    }
}

/// How much happens in a zone: the most of its nodes that are not Ready or tainted at a time, and
/// all that is done to its pods.
fn trouble(zone: &ZoneLane) -> u32 {
    let sick = zone.health.iter().map(|h| zone.nodes.saturating_sub(h.1[Health::Ready.index()]));
    let most = sick.chain(zone.tainted.iter().map(|t| t.1)).max().unwrap_or(0);
    let evicted: u32 = zone.evictions.iter().map(|e| e.1).sum();
    most + evicted + zone.preempted + zone.shut_down + zone.turned_away + zone.drains
}

/// The zones that are drawn, in their order, and how many others there are, in which nothing or less
/// happens.
fn chosen(zones: &[ZoneLane]) -> (Vec<&ZoneLane>, Option<String>) {
    let mut order = Vec::from_iter(0..zones.len());
    order.sort_by_key(|i| Reverse(trouble(&zones[*i])));
    let left = order.split_off(zones.len().min(MOST_ZONES));
    order.sort_unstable();
    let said = left.first().map(|worst| {
        let what = if trouble(&zones[*worst]) == 0 { "nothing" } else { "less" };
        format!("and {} in which {what} happens", counted(left.len(), "more zone"))
    });
    (order.into_iter().map(|i| &zones[i]).collect(), said)
}

/// Draws the lanes from `top` on.
pub(super) fn draw(c: &mut Drawing, time: &TimeScale, zones: &[ZoneLane], top: f64) {
    let (shown, more) = chosen(zones);
    let height = zone_height(shown.len());
    let mut y = top + ZONE_GAP / 2.0;
    // All zones on one scale, so that their evictions can be compared.
    let bar = time.round_span(BAR).1;
    let bars = shown.iter().flat_map(|z| bins(time, bar, &z.evictions));
    let most = bars.map(|b| b.1).max().unwrap_or(0).max(1);
    let names: Vec<&str> = shown.iter().map(|z| z.zone.as_str()).collect();
    let names = zone_labels(&names, NAMES_RIGHT - 6.0);
    // Evictions take the lowest quarter of a lane, or what the two ends of their scale need.
    let area = height - (height / 4.0).round().max(22.0) - 4.0;
    for (zone, name) in shown.into_iter().zip(&names) {
        let lane = Lane { zone, name, time, top: y, area, base: y + area, floor: y + height };
        draw_zone(c, &lane, most);
        y += height + ZONE_GAP;
    }
    if let Some(more) = more {
        c.text(&more, (time.left, y + 2.0), Anchor::Left, SMALL);
    }
}

/// A zone's lane on the chart.
struct Lane<'a> {
    zone: &'a ZoneLane,
    name: &'a str,
    time: &'a TimeScale,
    /// Its upper edge.
    top: f64,
    /// The height of the part that shows nodes.
    area: f64,
    /// The lower edge of that part; evictions stand below it.
    base: f64,
    /// Its lower edge.
    floor: f64,
}

fn draw_zone(c: &mut Drawing, lane: &Lane<'_>, most: u32) {
    let bars = lane.floor - lane.base - 4.0;
    let (left, right) = (lane.time.left, lane.time.left + lane.time.width);
    lane.names(c);
    lane.nodes(c);
    lane.tainted(c);
    if !lane.zone.evictions.is_empty() {
        lane.scale(c, bars, most);
    }
    lane.evictions(c, bars, most);
    c.rule((left, lane.base), (right, lane.base), RULE);
    c.rule((left, lane.floor), (right, lane.floor), GRID)
}

impl Lane<'_> {
    /// The names at the left: the zone, its size, and the ends of the scale.
    fn names(&self, c: &mut Drawing) {
        let middle = self.top + self.area / 2.0;
        c.text(self.name, (NAMES_RIGHT, middle - 8.0), Anchor::Right, STRONG);
        let nodes = counted(self.zone.nodes, "node");
        c.text(&nodes, (NAMES_RIGHT, middle + 8.0), Anchor::Right, SMALL);
        let small = Ink { size: 9.0, ..SMALL };
        c.text("100 %", (LANES_LEFT - 6.0, self.top + 5.0), Anchor::Right, small);
        c.text("0", (LANES_LEFT - 6.0, self.base - 4.0), Anchor::Right, small)
    }

    /// How high a number of the zone's nodes is.
    fn share(&self, n: u32) -> f64 {
        self.base - f64::from(n) / f64::from(self.zone.nodes.max(1)) * self.area
    }

    /// The health of the nodes.
    fn nodes(&self, c: &mut Drawing) {
        let (time, zone) = (self.time, self.zone);
        let ready = Health::Ready.index();
        let sicker = |a: [u32; Health::ALL.len()], b: [u32; Health::ALL.len()]| {
            if b[ready] < a[ready] { b } else { a }
        };
        // Ready is what lies below, in one piece, so that no viewer shows seams in it.
        let end = time.left + time.width;
        c.rect((time.left, self.top), (end, self.base), health(Health::Ready));
        for (from, to, counts) in spans(time, 1.0, &zone.health, sicker) {
            let (left, right) = (time.left + from, time.left + to);
            let mut below = 0;
            for h in [Health::NotReady, Health::Unknown, Health::Silent] {
                let n = counts[h.index()];
                c.rect((left, self.share(below + n)), (right, self.share(below)), health(h));
                below += n;
            }
            let present = zone.nodes.saturating_sub(counts[Health::Absent.index()]);
            c.rect((left, self.top), (right, self.share(present)), health(Health::Absent));
        }
    }

    /// The share of nodes with a NoExecute taint, as a line wherever there are any.
    fn tainted(&self, c: &mut Drawing) {
        let tainted = spans(self.time, 1.0, &self.zone.tainted, u32::max);
        for line in wherever_some(&tainted, self.time.width) {
            let points = line.into_iter().map(|(x, n)| (self.time.left + x, self.share(n)));
            c.line(&points.collect::<Vec<_>>(), NO_EXECUTE, 1.5);
        }
    }

    /// How many evictions the highest bar of all zones is, and what time a bar stands for.
    fn scale(&self, c: &mut Drawing, bars: f64, most: u32) {
        let y = self.floor - (bars - BAR_GAP);
        let (left, right) = (self.time.left, self.time.left + self.time.width);
        c.rule((left, y), (right, y), GRID);
        let said = format!("{} in {}", grouped(most.into()), short(self.time.round_span(BAR).0));
        c.text(&said, (LANES_LEFT - 6.0, y + 1.0), Anchor::Right, Ink { size: 9.0, ..SMALL })
    }

    /// The evictions as bars no higher than `bars`, which is as high as `most` of them are, and
    /// their sum.
    fn evictions(&self, c: &mut Drawing, bars: f64, most: u32) {
        let (left, floor) = (self.time.left, self.floor);
        let total: u64 = self.zone.evictions.iter().map(|e| u64::from(e.1)).sum();
        let bar = self.time.round_span(BAR).1;
        let half = (bar - 1.0) / 2.0;
        for (x, n) in bins(self.time, bar, &self.zone.evictions) {
            let tall = (f64::from(n) / f64::from(most) * (bars - BAR_GAP)).max(1.0);
            c.rect((left + x - half, floor - tall), (left + x + half, floor), EVICTION);
        }
        let evicted = if total == 0 { "none".to_owned() } else { grouped(total) };
        let mut said = format!("{evicted} evicted");
        let others = [
            (self.zone.preempted, "preempted"),
            (self.zone.shut_down, "shut down"),
            (self.zone.turned_away, "turned away"),
        ];
        for (n, what) in others.into_iter().filter(|(n, _)| *n > 0) {
            said += &format!(", {} {what}", grouped(n.into()));
        }
        if self.zone.drains > 0 {
            said += &format!(", {}", counted(self.zone.drains, "drain"));
        }
        c.text(&said, (LANES_LEFT - 6.0, floor - 6.0), Anchor::Right, Ink { size: 9.0, ..SMALL })
    }
}

/// The lines of a number wherever it is not zero, which they come from and go to, but for the edges
/// of the chart: there the number was the same before, and is the same after.
fn wherever_some(spans: &[(f64, f64, u32)], width: f64) -> Vec<Vec<(f64, u32)>> {
    let some = spans.split(|s| s.2 == 0).filter(|s| !s.is_empty());
    let line = |some: &[(f64, f64, u32)]| {
        let (from, to) = (some[0].0, some[some.len() - 1].1);
        let rises = (from > 0.0).then_some((from, 0));
        let level = some.iter().flat_map(|&(from, to, n)| [(from, n), (to, n)]);
        let falls = (to < width).then_some((to, 0));
        rises.into_iter().chain(level).chain(falls).collect()
    };
    some.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 18 zones the third loses its node, and of the two last one loses two nodes and one has three
    /// pods evicted: without two of those in which nothing happens, the last by name.
    #[test]
    fn zones_in_which_nothing_happens_are_left_out_first() {
        let zone = |i: u32| {
            let mut counts = [0; Health::ALL.len()];
            let lost = [(2, 1), (16, 2)].iter().find(|z| z.0 == i).map_or(0, |z| z.1);
            (counts[Health::Ready.index()], counts[Health::Unknown.index()]) = (2 - lost, lost);
            ZoneLane {
                zone: format!("z{i:02}"),
                nodes: 2,
                health: vec![(Time::ZERO, counts)],
                tainted: Vec::new(),
                evictions: if i == 17 { vec![(Time::ZERO, 3)] } else { Vec::new() },
                preempted: 0,
                shut_down: 0,
                turned_away: 0,
                drains: 0,
            }
        };
        let zones = Vec::from_iter((0..18).map(zone));
        let (shown, more) = chosen(&zones);
        let shown = Vec::from_iter(shown.iter().map(|z| z.zone.as_str()));
        let first = Vec::from_iter((0..14).chain(16..18).map(|i| format!("z{i:02}")));
        assert_eq!(shown, first);
        assert_eq!(more.as_deref(), Some("and 2 more zones in which nothing happens"));
    }

    #[test]
    fn a_line_falls_to_zero_only_where_its_number_does() {
        let spans = [(0.0, 5.0, 2), (5.0, 10.0, 0), (10.0, 20.0, 3), (20.0, 30.0, 1)];
        let first = vec![(0.0, 2), (5.0, 2), (5.0, 0)];
        let rise = [(10.0, 0), (10.0, 3), (20.0, 3), (20.0, 1), (30.0, 1)];
        assert_eq!(wherever_some(&spans, 30.0), [first.clone(), rise.to_vec()]);
        let fallen = [&rise[..], &[(30.0, 0)]].concat();
        assert_eq!(wherever_some(&spans, 40.0), [first, fallen]);
    }
}
