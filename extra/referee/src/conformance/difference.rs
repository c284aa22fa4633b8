//! Where two runs part: the records merged in time, with what only one of them has, and a hint
//! where the other has the same record at another time.

use crate::recorded::Line;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Equal records around a difference that are shown for orientation.
const CONTEXT: usize = 3;

/// On which side a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Both,
    Recorded,
    Ours,
}

/// A recorded outcome and a run of the model, merged.
#[derive(Debug)]
pub(crate) struct Difference<'a> {
    rows: Vec<(Side, &'a Line)>,
    /// How many records only the recording has.
    pub missing: usize,
    /// How many records only the model has.
    pub surplus: usize,
}

impl<'a> Difference<'a> {
    /// Merges two runs, each sorted as the recorder sorts.
    pub(crate) fn new(recorded: &'a [Line], ours: &'a [Line]) -> Self {
        let mut rows = Vec::with_capacity(recorded.len().max(ours.len()));
        let (mut i, mut j) = (0, 0);
        while i < recorded.len() || j < ours.len() {
            let order = match (recorded.get(i), ours.get(j)) {
                (Some(r), Some(o)) if r == o => std::cmp::Ordering::Equal,
                (Some(r), Some(o)) => (r.t_ns, r.json()).cmp(&(o.t_ns, o.json())),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            match order {
                std::cmp::Ordering::Equal => {
                    rows.push((Side::Both, &recorded[i]));
                    (i, j) = (i + 1, j + 1);
                }
                std::cmp::Ordering::Less => {
                    rows.push((Side::Recorded, &recorded[i]));
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    rows.push((Side::Ours, &ours[j]));
                    j += 1;
                }
            }
        }
        let count = |side| rows.iter().filter(|(s, _)| *s == side).count();
        let (missing, surplus) = (count(Side::Recorded), count(Side::Ours));
        Self { rows, missing, surplus }
    }

    /// The outcome that a run is nearest to: the fewest records apart.
    pub(crate) fn nearest(
        outcomes: impl Iterator<Item = &'a [Line]>,
        ours: &'a [Line],
    ) -> Option<(usize, Self)> {
        outcomes.map(|o| Self::new(o, ours)).enumerate().min_by_key(|(_, d)| d.missing + d.surplus)
    }

    /// The first difference, and around it at most `rows` rows: `-` is recorded only, `+` the model
    /// only.
    pub(crate) fn render(&self, rows: usize) -> String {
        let mut out = String::new();
        let Some(first) = self.rows.iter().position(|(side, _)| *side != Side::Both) else {
            return "no record differs\n".to_owned();
        };
        let equal = self.rows.len() - self.missing - self.surplus;
        let _ = writeln!(
            out,
            "first difference at {} s; {} recorded not in the model (-), {} of the model not recorded (+), {equal} equal",
            seconds(self.rows[first].1.t_ns),
            self.missing,
            self.surplus
        );
        let elsewhere = self.elsewhere();
        let mut shown = 0;
        let mut skipped = 0;
        for i in first.saturating_sub(CONTEXT)..self.rows.len() {
            let (side, line) = self.rows[i];
            let near = self.rows[i.saturating_sub(CONTEXT)..(i + CONTEXT + 1).min(self.rows.len())]
                .iter()
                .any(|(s, _)| *s != Side::Both);
            if !near {
                skipped += 1;
                continue;
            }
            if shown >= rows {
                let left = self.rows[i..].iter().filter(|(s, _)| *s != Side::Both).count();
                if left > 0 {
                    let _ = writeln!(out, "  … {left} more records differ");
                }
                break;
            }
            if skipped > 0 {
                let _ = writeln!(out, "  … {skipped} equal");
                skipped = 0;
            }
            shown += 1;
            let sign = match side {
                Side::Both => ' ',
                Side::Recorded => '-',
                Side::Ours => '+',
            };
            let _ = writeln!(out, "{sign} {}{}", show(line), self.hint(side, line, &elsewhere));
        }
        out
    }

    /// The times of the records that only one side has, by their text without the time.
    fn elsewhere(&self) -> BTreeMap<(bool, String), Vec<u64>> {
        let mut out: BTreeMap<(bool, String), Vec<u64>> = BTreeMap::new();
        for (side, line) in self.rows.iter().filter(|(s, _)| *s != Side::Both) {
            out.entry((*side == Side::Ours, timeless(line))).or_default().push(line.t_ns);
        }
        out
    }

    /// When the other side has the same record, if it has it at another time.
    fn hint(
        &self,
        side: Side,
        line: &Line,
        elsewhere: &BTreeMap<(bool, String), Vec<u64>>,
    ) -> String {
        let other = match side {
            Side::Both => return String::new(),
            Side::Recorded => true,
            Side::Ours => false,
        };
        let whose = if other { "the model has it" } else { "recorded" };
        let nearest = elsewhere
            .get(&(other, timeless(line)))
            .and_then(|times| times.iter().min_by_key(|t| t.abs_diff(line.t_ns)));
        match nearest {
            Some(&t) if t > line.t_ns => format!("   [{whose} {} s later]", seconds(t - line.t_ns)),
            Some(&t) => format!("   [{whose} {} s earlier]", seconds(line.t_ns - t)),
            None => String::new(),
        }
    }
}

fn seconds(ns: u64) -> String {
    format!("{}.{:03}", ns / 1_000_000_000, ns / 1_000_000 % 1000)
}

fn timeless(line: &Line) -> String {
    Line { t_ns: 0, ..line.clone() }.json()
}

/// A record on one line: time, actor, kind, then whatever else it says.
pub(crate) fn show(l: &Line) -> String {
    let mut out = format!("{:>9} {:<14} {:<14}", seconds(l.t_ns), l.actor, l.what);
    for part in [&l.pod, &l.node, &l.object, &l.kind, &l.status, &l.reason]
        .into_iter()
        .filter(|p| !p.is_empty())
    {
        let _ = write!(out, " {part}");
    }
    if !l.message.is_empty() {
        let _ = write!(out, " {:?}", l.message);
    }
    if let Some(value) = l.value {
        let _ = write!(out, " {value}");
    }
    if let Some(grace) = l.grace {
        let _ = write!(out, " grace={grace}");
    }
    if l.count > 0 {
        let _ = write!(out, " count={}", l.count);
    }
    for (sign, taints) in [('+', &l.added), ('-', &l.removed)] {
        for taint in taints {
            let _ = write!(out, " {sign}{taint}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gone(ms: u64, pod: &str) -> Line {
        Line {
            t_ns: ms * 1_000_000,
            actor: "kubelet".into(),
            what: "pod-gone".into(),
            pod: pod.into(),
            ..Line::default()
        }
    }

    #[test]
    fn a_difference_shows_both_sides_and_where_a_record_went() {
        let recorded =
            [gone(1_000, "default/a"), gone(2_000, "default/b"), gone(3_000, "default/c")];
        let ours = [
            gone(1_000, "default/a"),
            gone(2_500, "default/b"),
            gone(3_000, "default/c"),
            gone(4_000, "default/d"),
        ];
        let difference = Difference::new(&recorded, &ours);
        let expected = "\
first difference at 2.000 s; 1 recorded not in the model (-), 2 of the model not recorded (+), 2 equal
      1.000 kubelet        pod-gone       default/a
-     2.000 kubelet        pod-gone       default/b   [the model has it 0.500 s later]
+     2.500 kubelet        pod-gone       default/b   [recorded 0.500 s earlier]
      3.000 kubelet        pod-gone       default/c
+     4.000 kubelet        pod-gone       default/d
";
        assert_eq!(difference.render(10), expected);
        assert!(difference.render(2).ends_with(
            "default/b   [the model has it 0.500 s later]\n  … 2 more records differ\n"
        ));
    }

    #[test]
    fn equal_stretches_are_left_out() {
        let recorded: Vec<Line> = (1..=20).map(|s| gone(s * 1_000, "default/a")).collect();
        let ours: Vec<Line> =
            recorded.iter().filter(|l| ![5_000, 18_000].contains(&l.ms())).cloned().collect();
        let text = Difference::new(&recorded, &ours).render(100);
        // Three equal records before and after each difference: 2 to 4, 6 to 8; 15 to 17, 19 and
        // 20. Between them 9 to 14.
        assert_eq!(text.lines().count(), 1 + 7 + 1 + 6);
        assert!(text.contains("  … 6 equal\n"), "{text}");
    }

    #[test]
    fn the_nearest_outcome_has_the_fewest_differences() {
        let (a, b) = (
            [gone(1, "default/a"), gone(2, "default/b")],
            [gone(1, "default/a"), gone(3, "default/b")],
        );
        let ours = [gone(1, "default/a"), gone(3, "default/b")];
        let (i, d) = Difference::nearest([&a[..], &b[..]].into_iter(), &ours).unwrap();
        assert_eq!((i, d.missing + d.surplus), (1, 0));
    }
}
