//! What two sides cost, as tables: a row for each figure that differs.

use super::printer::ROWS;
use super::words::fates;
use crate::analysis::below_need::left_out;
use crate::analysis::diff::{Bill, Difference, OverSeeds, Paired};
use crate::report::results::*;
use crate::report::text::decimal;
use std::cmp::Ordering;

/// A row: the figure, its values, and whether that is worse in the second side, better, or neither.
/// It has no values if the figure differs by less than is shown.
pub(super) type Cells = (String, Vec<String>, Ordering);

/// A title, the rows below it, and what is said behind them.
type Block = (String, Vec<Cells>, String);

/// The heads of the columns of one pair of runs.
pub(super) const ONE: [&str; 3] = ["A", "B", "B - A"];
pub(super) const MANY: [&str; 6] = ["A", "B", "B - A", "B less", "B more", ""];
/// The columns that are left out where there is no room for all.
const COUNTS: [&str; 2] = [MANY[3], MANY[4]];
/// What stands behind a figure that may differ by chance.
const CHANCE: &str = "~";
/// Workloads with their figures over seeds; the rest is counted.
const WORKLOADS: usize = 5;

impl Printer<'_> {
    /// What two runs cost.
    pub(super) fn costs(&mut self, d: &Difference) -> io::Result<()> {
        let [a, b] = &d.costs;
        self.title("What it costs; more is worse")?;
        let rows = |a: &Bill, b: &Bill| rows_of_one(a, b, d.tolerance);
        let all_along = left_out(&d.all_along).unwrap_or_default();
        let mut blocks = vec![("all workloads".to_owned(), rows(a, b), all_along)];
        for w in d.workloads.iter().take(ROWS) {
            blocks.push(match &w.sides {
                [Some(a), Some(b)] => (w.name.clone(), rows(&a.bill, &b.bill), fates(a, b)),
                [Some(_), None] => (w.name.clone(), Vec::new(), "only in A".to_owned()),
                _ => (w.name.clone(), Vec::new(), "only in B".to_owned()),
            });
        }
        self.of_workloads(&ONE, blocks, (d.workloads.len(), ROWS))
    }

    /// What runs over many seeds cost.
    pub(super) fn costs_over_seeds(&mut self, d: &OverSeeds) -> io::Result<()> {
        self.title("What it costs; means over the seeds, more is worse")?;
        let all = grouped(d.seeds);
        let all_along = left_out(&d.all_along).unwrap_or_default();
        let mut blocks = vec![("all workloads".to_owned(), rows_of_many(&d.costs, d), all_along)];
        for w in d.workloads.iter().take(WORKLOADS) {
            let only = |side: usize, letter: char| match w.only[side] {
                0 => None,
                n if n == d.seeds => Some(format!("only in {letter}")),
                n => Some(format!("only in {letter} in {} of {all} seeds", grouped(n))),
            };
            let said: Vec<String> = [only(0, 'A'), only(1, 'B')].into_iter().flatten().collect();
            blocks.push((w.name.clone(), rows_of_many(&w.costs, d), said.join("; ")));
        }
        self.of_workloads(&MANY, blocks, (d.workloads.len(), WORKLOADS))
    }

    /// Writes the block of all workloads, and those of as many as are shown, of all that differ.
    fn of_workloads(
        &mut self,
        heads: &[&str],
        mut blocks: Vec<Block>,
        (all, shown): (usize, usize),
    ) -> io::Result<()> {
        // One that stands for all says the same twice.
        if matches!(&blocks[..], [all, one] if all.1 == one.1 && one.2.is_empty()) {
            blocks.pop();
        }
        self.blocks(heads, &blocks)?;
        if blocks.iter().flat_map(|b| &b.1).any(is_chance) {
            writeln!(self.out, "  {CHANCE} may be chance")?;
        }
        if all > shown {
            let more = counted(all - shown, "more workload");
            writeln!(self.out, "  {more}; -o json has all")?;
        }
        writeln!(self.out)
    }

    fn blocks(&mut self, heads: &[&str], blocks: &[Block]) -> io::Result<()> {
        let cells = || blocks.iter().flat_map(|b| &b.1);
        let names = cells().map(|c| &c.0).chain(blocks.iter().take(1).map(|b| &b.0));
        let name = names.map(|n| n.chars().count()).max().unwrap_or(0) + 2;
        let width = |i: usize| {
            let values = cells().filter_map(|c| c.1.get(i)).map(|v| v.chars().count());
            values.chain([heads[i].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        let all: usize = widths.iter().map(|wide| wide + 2).sum();
        let is_left_out = |head: &&&str| 2 + name + all > self.style.width && COUNTS.contains(head);
        let left_out = heads.iter().filter(is_left_out).copied().collect::<Vec<_>>();
        let right = |values: &[&str]| {
            let columns = values.iter().zip(&widths).zip(heads);
            let shown = columns.filter(|(_, head)| !left_out.contains(head));
            let cells: String = shown.map(|((v, w), _)| format!("  {v:>w$}")).collect();
            cells.trim_end().to_owned()
        };
        for (i, (title, rows, said)) in blocks.iter().enumerate() {
            if i == 0 {
                writeln!(self.out, "  {title:name$}{}", self.painted(&right(heads), DIM))?;
            } else {
                writeln!(self.out, "  {}", self.painted(title, BOLD))?;
            }
            for (figure, values, way) in rows.iter().filter(|r| !r.1.is_empty()) {
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                let ansi = match way {
                    Ordering::Greater => RED,
                    Ordering::Less => GREEN,
                    Ordering::Equal => PLAIN,
                };
                let rest = name - 2;
                let values = self.painted(&right(&values), ansi);
                writeln!(self.out, "    {figure:rest$}{values}")?;
            }
            if i == 0 {
                self.not_shown(rows)?;
            }
            if !said.is_empty() {
                self.indented(said, 4, PLAIN)?;
            }
        }
        match left_out.is_empty() {
            true => Ok(()),
            false => {
                writeln!(self.out, "  no room for {}; -o json has them", left_out.join(" and "))
            }
        }
    }

    /// Names the figures that have no row: those that hardly differ, and those that are the same.
    fn not_shown(&mut self, rows: &[Cells]) -> io::Result<()> {
        let shown = |h: &str| rows.iter().any(|r| r.0 == h && !r.1.is_empty());
        let slight = |h: &str| rows.iter().any(|r| r.0 == h && r.1.is_empty());
        let headings = || Figure::ALL.into_iter().map(Figure::heading);
        let hardly: Vec<&str> = headings().filter(|h| slight(h)).collect();
        let same: Vec<&str> = headings().filter(|h| !slight(h) && !shown(h)).collect();
        for (said, list) in [("hardly differ", hardly), ("the same", same)] {
            let text = match list.len() {
                0 => continue,
                n if n == Figure::ALL.len() => format!("{said}: every figure"),
                _ => format!("{said}: {}", list.join(", ")),
            };
            self.indented(&text, 4, DIM)?;
        }
        Ok(())
    }
}

/// What the second side costs more than the first one, and less, in a sentence each, and what may be
/// chance.
pub(super) fn answer(rows: &[Cells]) -> Vec<String> {
    let said = |head: &str, rows: Vec<&Cells>| {
        let shown = rows.into_iter().filter(|c| !c.1.is_empty());
        let list = joined(shown.map(|c| format!("{} {}", c.0, c.1[2])), ", ")?;
        Some(format!("{head}: {list}"))
    };
    let (chance, sure): (Vec<&Cells>, Vec<&Cells>) = rows.iter().partition(|c| is_chance(c));
    let of = |way| sure.iter().copied().filter(|c| c.2 == way).collect();
    let worse = said("Worse in B", of(Ordering::Greater));
    let better = said("Better in B", of(Ordering::Less));
    worse.into_iter().chain(better).chain(said("May be chance", chance)).collect()
}

pub(super) fn rows_of_one(a: &Bill, b: &Bill, tolerance: Dur) -> Vec<Cells> {
    let row = |figure: Figure| {
        let (of_a, of_b) = (a.of(figure), b.of(figure));
        let worse = a.compared(b, figure, tolerance);
        let more = of_b - of_a;
        let cells = match is_slight(figure, more) {
            true => Vec::new(),
            false => cells(figure, [of_a, of_b], more),
        };
        // What is not counted is neither worse nor better.
        let way = if more.is_nan() { Ordering::Equal } else { worse };
        (worse.is_ne() || more.is_nan()).then(|| (figure.heading().to_owned(), cells, way))
    };
    Figure::ALL.into_iter().filter_map(row).collect()
}

pub(super) fn rows_of_many(costs: &[(Figure, Paired)], d: &OverSeeds) -> Vec<Cells> {
    let row = |&(figure, p): &(Figure, Paired)| {
        let ((least, greatest), is_uncounted) = (p.range, p.difference.is_nan());
        let mut cells = cells(figure, p.means, p.difference);
        cells.extend([
            grouped(p.less),
            grouped(p.more),
            if differs(&p, d) || is_uncounted { "" } else { CHANCE }.to_owned(),
        ]);
        if is_slight(figure, least) && is_slight(figure, greatest) {
            cells.clear();
        }
        let way = match p.less.cmp(&p.more) {
            way if differs(&p, d) => way.reverse(),
            _ => Ordering::Equal,
        };
        (p.less > 0 || p.more > 0 || is_uncounted)
            .then(|| (figure.heading().to_owned(), cells, way))
    };
    costs.iter().filter_map(row).collect()
}

/// The values of two sides and the second one's difference: where one has decimals, the others have.
fn cells(figure: Figure, [a, b]: [f64; 2], more: f64) -> Vec<String> {
    let mut cells = vec![value(figure, a), value(figure, b), difference(figure, more)];
    if cells.iter().any(|cell| cell.contains('.')) {
        let whole = cells.iter_mut().filter(|cell| !cell.contains('.'));
        whole.filter(|cell| !["0", "-"].contains(&cell.as_str())).for_each(|cell| *cell += ".00");
    }
    cells
}

/// Whether a row says of its figure that it may differ by chance.
fn is_chance(row: &Cells) -> bool {
    row.1.last().is_some_and(|v| v == CHANCE)
}

/// Whether a figure differs by more than chance.
fn differs(p: &Paired, d: &OverSeeds) -> bool {
    p.chance() <= d.differs_up_to
}

/// What a figure's values are multiplied with, how many digits they have behind the point, and what
/// stands behind them.
fn form(figure: Figure, value: f64) -> (f64, usize, &'static str) {
    match figure {
        _ if figure.is_count() => (1.0, if value.fract() == 0.0 { 0 } else { 2 }, ""),
        Figure::RequestsLostShare => (100.0, 3, " %"),
        Figure::LongestBelowNeed | Figure::LongestPending => (1.0, 1, " s"),
        _ => (1.0, 2, ""),
    }
}

/// Whether nothing is left of a difference with the digits that are shown.
fn is_slight(figure: Figure, difference: f64) -> bool {
    let (factor, digits, _) = form(figure, difference);
    let least = 0.5 / 10_f64.powi(digits as i32);
    (difference * factor).abs() < least
}

/// `11.57`, `340.0 s`, `0.125 %`, `1,234`; `-` of what is not counted
fn value(figure: Figure, value: f64) -> String {
    let (factor, digits, unit) = form(figure, value);
    match digits {
        _ if value.is_nan() => "-".to_owned(),
        0 => grouped(value as u64),
        _ => format!("{}{unit}", decimal(value * factor, digits)),
    }
}

/// The same with its sign; none is `0`.
fn difference(figure: Figure, value: f64) -> String {
    let (factor, digits, unit) = form(figure, value);
    let sign = if value < 0.0 { "-" } else { "+" };
    match value.abs() {
        value if value.is_nan() => "-".to_owned(),
        0.0 => "0".to_owned(),
        value if digits == 0 => format!("{sign}{}", grouped(value as u64)),
        value => format!("{sign}{}{unit}", decimal(value * factor, digits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_of_a_row_are_the_same() {
        assert_eq!(cells(Figure::Evicted, [24.0, 24.2], 0.2), ["24.00", "24.20", "+0.20"]);
        assert_eq!(cells(Figure::Evicted, [24.0, 1_025.0], 1_001.0), ["24", "1,025", "+1,001"]);
        let none = cells(Figure::RequestsLostShare, [0.025, 0.025], 0.0);
        assert_eq!(none, ["2.500 %", "2.500 %", "0"]);
    }

    #[test]
    fn figures_keep_their_sign_and_unit() {
        assert_eq!(value(Figure::ReplicaMinutesMissing, 694.0 / 60.0), "11.57");
        assert_eq!(value(Figure::LongestBelowNeed, 340.0), "340.0 s");
        assert_eq!(value(Figure::RequestsLostShare, 0.00125), "0.125 %");
        assert_eq!(
            (value(Figure::Evicted, 1234.0), value(Figure::Evicted, 2.5)),
            ("1,234".to_owned(), "2.50".to_owned())
        );
        assert_eq!(difference(Figure::Evicted, -3.0), "-3");
        assert_eq!(difference(Figure::GhostMinutes, 0.25), "+0.25");
        assert_eq!(difference(Figure::GhostMinutes, 0.0), "0");
        // Too little for two digits, and not nothing.
        assert_eq!(difference(Figure::GhostMinutes, -0.0004), "-0.0004");
        assert_eq!(difference(Figure::RequestsLostShare, -0.5), "-50.000 %");
        assert!(
            is_slight(Figure::GhostMinutes, 0.0049) && !is_slight(Figure::GhostMinutes, -0.0051)
        );
        assert!(is_slight(Figure::LongestPending, -0.049) && !is_slight(Figure::Evicted, 1.0));
    }
}
