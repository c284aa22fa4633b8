//! The difference of two runs as text.

use super::printer::{ROWS, header, notes};
use super::words::{Side, changed, colour, group_text, steps, subject_of, times};
use crate::analysis::clock::absolute;
use crate::analysis::diff::{Difference, Noise};
use crate::report::results::*;

/// The lines on both sides.
pub(super) fn headers(sides: [Side<'_>; 2]) -> [String; 2] {
    sides.map(|s| header(s.analysis.plan, s.source, &format!("seed {}", s.source.seed)))
}

/// Where two runs part, if they do.
pub(super) fn parting(d: &Difference) -> Option<String> {
    let first = d.first.as_ref()?;
    let subject = subject_of(first.pairs.first()?);
    let space = if subject.is_empty() { "" } else { " " };
    let changed = changed(first.way, &first.details, first.shift());
    Some(format!("{subject}{space}{}: {changed}", first.what))
}

/// Writes the difference for people.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(p: &mut Printer<'_>, sides: [Side<'_>; 2], d: &Difference) -> io::Result<()> {
    p.of_sentences();
    p.sides(headers(sides), &notes(sides.map(|s| s.analysis.plan), &d.late))?;
    if d.is_empty() {
        let same = "Both runs came to the same: nobody was evicted, tainted or placed otherwise.";
        writeln!(p.out, "{}", p.painted(same, GREEN))?;
        if d.settings.others.is_empty() && d.settings.switches.is_empty() {
            return Ok(());
        }
        writeln!(p.out)?;
        p.causes(&d.settings)?;
        return p.switches(&d.settings);
    }
    p.causes(&d.settings)?;
    p.costs(d)?;
    p.first(sides, d)?;
    p.groups(d)?;
    p.noise(&noise(d))?;
    p.switches(&d.settings)
}

/// How often there is noise of each kind, and about what.
fn noise(d: &Difference) -> Vec<(Noise, String, u64)> {
    let mut found: BTreeMap<(Noise, &str), u64> = BTreeMap::new();
    for (noise, g) in d.groups.iter().filter_map(|g| Some((g.noise?, g))) {
        *found.entry((noise, &g.what)).or_default() += g.pairs.len() as u64;
    }
    found.into_iter().map(|((noise, what), n)| (noise, what.to_owned(), n)).collect()
}

impl Printer<'_> {
    fn first(&mut self, sides: [Side<'_>; 2], d: &Difference) -> io::Result<()> {
        let (Some(first), Some(said)) = (&d.first, parting(d)) else { return Ok(()) };
        self.title("Where they part")?;
        self.indented(&said, 2, YELLOW)?;
        for (i, letter) in ["A", "B"].into_iter().enumerate() {
            match first.pairs[0].on(i) {
                None => writeln!(self.out, "  {letter}  {}", self.painted("does not happen", DIM))?,
                Some(o) => {
                    let steps = steps(sides[i].analysis, o.record);
                    for (n, (at, text)) in steps.iter().enumerate() {
                        let letter = if n == 0 { letter } else { " " };
                        write!(self.out, "  {letter}  {:>10}  ", absolute(*at))?;
                        self.folded(text, 17, PLAIN)?;
                    }
                }
            }
        }
        writeln!(self.out)
    }

    fn groups(&mut self, d: &Difference) -> io::Result<()> {
        // Noise is last.
        let groups = &d.groups[..d.groups.iter().take_while(|g| g.noise.is_none()).count()];
        if groups.is_empty() {
            return Ok(());
        }
        self.title("What differs")?;
        let shown = &groups[..groups.len().min(ROWS)];
        let cells: Vec<[String; 2]> = shown.iter().map(|g| [0, 1].map(|i| times(g, i))).collect();
        let width = |i: usize| cells.iter().map(|c| c[i].chars().count()).max().unwrap_or(0).max(1);
        let (first, second) = (width(0), width(1));
        let heads = format!("{:>first$}  {:>second$}", "A", "B");
        writeln!(self.out, "  {}", self.painted(&heads, DIM))?;
        for (group, [a, b]) in shown.iter().zip(&cells) {
            write!(self.out, "  {a:>first$}  {b:>second$}  ")?;
            let ansi = colour(group.way, &group.what);
            self.folded(&group_text(group), first + second + 6, ansi)?;
        }
        if groups.len() > ROWS {
            let rest: usize = groups[ROWS..].iter().map(|g| g.pairs.len()).sum();
            writeln!(self.out, "  {} more like these; -o json has all", grouped(rest as u64))?;
        }
        writeln!(self.out)
    }
}
