//! Labels of marks in a plane: each beside its mark, where it lies on nothing.

use super::prelude::*;

/// Where the paper of a plane ends.
pub(super) struct Paper {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A mark's place, and its name.
type Mark = (f64, f64, String);

/// Where something stands on the paper.
type Place = (f64, f64);

/// How far the letters of a label reach above and below its middle.
const HALF: f64 = 8.0;

/// Labels beside their marks, each with where it begins. One for which there is no room is in one with the one before it.
pub(super) fn beside(
    marks: Vec<Mark>,
    paper: &Paper,
    (lines, dots): (&[Vec<Place>], &[Place]),
) -> Vec<(Place, String)> {
    let mut told: Vec<(Place, String)> = Vec::new();
    for (x, y, name) in together(marks) {
        let wide = font::width(&name, STRONG);
        match (free(paper, (x, y), wide, (lines, dots, &told)), told.last_mut()) {
            (Some(place), _) => told.push((place, name)),
            (None, Some((_, last))) => *last = format!("{last}, {name}"),
            (None, None) => told.push((right_of(paper, (x, y - 12.0), wide), name)),
        }
    }
    told
}

/// Where a label begins that stands at the right of a mark, or as far at the right as there is paper.
fn right_of(paper: &Paper, (x, middle): (f64, f64), wide: f64) -> (f64, f64) {
    ((x + 10.0).min(paper.right - wide), middle)
}

/// What labels may not stand on: lines, marks, and labels that were placed before.
type Taken<'a> = (&'a [Vec<Place>], &'a [Place], &'a [(Place, String)]);

/// The place nearest to a mark at which a label of some width stands on nothing; where lines are everywhere, on a
/// line.
fn free(
    paper: &Paper,
    (x, y): (f64, f64),
    wide: f64,
    (lines, dots, told): Taken<'_>,
) -> Option<(f64, f64)> {
    // A mark may touch a label, and not lie on its letters.
    const DOT: f64 = 4.0;
    let crosses = |s: &[(f64, f64)], (left, middle): (f64, f64)| {
        let ((x0, y0), (x1, y1)) = (s[0], s[1]);
        let (from, to) = (x0.max(left), x1.min(left + wide));
        let at = |x: f64| if x1 > x0 { y0 + (y1 - y0) * (x - x0) / (x1 - x0) } else { y0 };
        let (low, high) = (at(from).min(at(to)), at(from).max(at(to)));
        from <= to && low < middle + HALF && high > middle - HALF
    };
    let is_uncrossed =
        |place: &(f64, f64)| !lines.iter().flat_map(|l| l.windows(2)).any(|s| crosses(s, *place));
    let is_on_paper = |(left, middle): &(f64, f64)| {
        *left >= paper.left && (paper.top..paper.bottom - HALF).contains(middle)
    };
    let is_on_other = |(left, middle): &(f64, f64)| {
        let is_on = |from: f64, to: f64, at: f64, half: f64| {
            from < left + wide && to > *left && (at - middle).abs() < HALF + half
        };
        let on_dot = dots.iter().any(|d| is_on(d.0 - DOT, d.0 + DOT, d.1, DOT));
        let end = |((x, _), name): &((f64, f64), String)| x + font::width(name, STRONG);
        on_dot || told.iter().any(|label| is_on(label.0.0, end(label), label.0.1, HALF))
    };
    let heights = [-12.0, 16.0, -28.0, 32.0, -44.0].map(|off| y + off);
    let right = heights.map(|middle| right_of(paper, (x, middle), wide));
    let left = heights.map(|middle| (x - 10.0 - wide, middle));
    let all =
        || right.into_iter().chain(left).filter(is_on_paper).filter(|place| !is_on_other(place));
    all().find(is_uncrossed).or_else(|| all().next())
}

/// Labels of marks; marks that lie over each other have one, at the first of their points.
fn together(mut points: Vec<Mark>) -> Vec<Mark> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut labels: Vec<Mark> = Vec::new();
    for (x, y, name) in points {
        if let Some(last) = labels.last_mut()
            && (last.1 - y).abs() < 16.0
            && x < last.0 + 14.0
        {
            last.1 = last.1.min(y);
            last.2 = format!("{}, {name}", last.2);
        } else {
            labels.push((x, y, name));
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: Paper = Paper { left: 92.0, right: 1_172.0, top: 100.0, bottom: 458.0 };

    /// A line that rises from a mark crosses what is written above it at its right, and not what is
    /// written below.
    #[test]
    fn no_line_crosses_a_label() {
        let (x, y) = (300.0, 300.0);
        let at = |lines: &[Vec<(f64, f64)>]| free(&PAPER, (x, y), 200.0, (lines, &[], &[]));
        let rising = vec![(290.0, 300.0), (690.0, 200.0)];
        assert_eq!(at(&[]), Some((310.0, y - 12.0)));
        assert_eq!(at(std::slice::from_ref(&rising)), Some((310.0, y + 16.0)));
        let falling = vec![(290.0, 305.0), (690.0, 405.0)];
        assert_eq!(at(std::slice::from_ref(&falling)), Some((310.0, y - 12.0)));
        // Between the two there is no place, and at the left no room: 300 - 10 - 200 is before the scale, at 92.
        assert_eq!(at(&[rising, falling]), Some((310.0, y - 12.0)));
    }

    /// Two marks side by side, of which the first one's name reaches over the second: that one's name stands below its own
    /// mark. At the right edge, where a long name would lie on its mark, it stands below.
    #[test]
    fn each_mark_has_a_label_of_its_own() {
        let name = "a name of some length".to_owned();
        let all = vec![(200.0, 200.0, name.clone()), (250.0, 205.0, "b".to_owned())];
        let told = beside(all, &PAPER, (&[], &[(200.0, 200.0), (250.0, 205.0)]));
        assert_eq!(told[0], ((210.0, 188.0), name.clone()));
        assert_eq!(told[1], ((260.0, 221.0), "b".to_owned()));
        let edge = (1_167.0, 200.0);
        let told = beside(vec![(edge.0, edge.1 + 6.0, name.clone())], &PAPER, (&[], &[edge]));
        // 206 - 12 = 194 is 6 above the mark, and letters reach 8 down; 206 + 16 is free.
        assert_eq!(told[0].0, (1_172.0 - font::width(&name, STRONG), 222.0));
    }

    /// Of three points five apart and one far off, the three lie over each other.
    #[test]
    fn marks_that_lie_over_each_other_have_one_label() {
        let points =
            [(105.0, 52.0, "b"), (100.0, 50.0, "a"), (110.0, 49.0, "c"), (400.0, 50.0, "d")];
        let points = points.map(|(x, y, name)| (x, y, name.to_owned())).to_vec();
        let drawn = together(points);
        let expected = [(100.0, 49.0, "a, b, c".to_owned()), (400.0, 50.0, "d".to_owned())];
        assert_eq!(drawn, expected);
    }
}
