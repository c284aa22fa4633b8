//! The verdict for people.

use super::verdict::Verdict;
use crate::analysis::matching::Pair;
use crate::files::line;
use crate::report::text::{BOLD, DIM, GREEN, PLAIN, Printer, RED, Style, counted};
use std::io::{self, Write};

/// At most this many evictions, and other events, are listed one by one by default.
const FEW: usize = 12;

/// Writes the verdict, what was, and each eviction with its own; of many only those that are not
/// explained, or `all`.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(
    out: &mut dyn Write,
    verdict: &Verdict,
    all: bool,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer { out, style };
    p.folded(&line(&format!("Verdict: {}.", verdict.sentence())), 0, BOLD)?;
    writeln!(p.out)?;
    let title = format!("An outage from {} on", verdict.clock.begins());
    writeln!(p.out, "{}", p.painted(&title, BOLD))?;
    p.notes(&verdict.notes)?;
    let most = if all { usize::MAX } else { FEW };
    for told in verdict.told.iter().take(most) {
        write!(p.out, "  ")?;
        p.folded(&line(told), 4, PLAIN)?;
    }
    p.more(verdict.told.len(), most, "thing")?;
    if verdict.told.is_empty() {
        writeln!(p.out, "  Nobody did anything, and no node fell silent while it lasted.")?;
    }
    p.held_against(verdict, most)?;
    p.others(verdict, most)
}

impl Printer<'_> {
    /// How many more there are than were told.
    fn more(&mut self, all: usize, most: usize, what: &str) -> io::Result<()> {
        if all <= most {
            return Ok(());
        }
        let n = counted((all - most) as u64, &format!("more {what}"));
        let said = format!("  {n}: `--all`, `-o json`");
        writeln!(self.out, "{}", self.painted(&said, DIM))
    }

    fn held_against(&mut self, verdict: &Verdict, most: usize) -> io::Result<()> {
        let pairs = &verdict.matched.pairs;
        if pairs.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        writeln!(self.out, "{}", self.painted("Evictions, recorded and simulated", BOLD))?;
        let said_of =
            format!("of {} the nearest, and in how many it is so", counted(verdict.seeds, "seed"));
        writeln!(self.out, "  {}", self.painted(&said_of, DIM))?;
        // What is not explained is what there is to look at.
        let mut shown: Vec<&Pair> = pairs.iter().collect();
        if shown.len() > most {
            shown.sort_by_key(|p| p.is_explained(verdict.tolerance));
        }
        for pair in shown.into_iter().take(most) {
            let explained = pair.is_explained(verdict.tolerance);
            let said = said(verdict, pair);
            let text =
                format!("  {:<36} {}  {said}", line(&pair.pod), verdict.clock.clock(pair.recorded));
            let colour = if explained { GREEN } else { RED };
            self.folded(&text, 4, colour)?;
        }
        self.more(pairs.len(), most, "eviction")
    }

    fn others(&mut self, verdict: &Verdict, most: usize) -> io::Result<()> {
        let only = &verdict.matched.only_simulated;
        for (pod, at) in only.iter().take(most) {
            let at = verdict.clock.clock(*at);
            let text = format!("  {:<36} not recorded, simulated {at}", line(pod));
            self.folded(&text, 4, RED)?;
        }
        self.more(only.len(), most, "simulated eviction")?;
        if verdict.deletions.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        writeln!(self.out, "{}", self.painted("Deleted by others", BOLD))?;
        for (pod, (at, by)) in verdict.deletions.iter().take(most) {
            let text = format!("  {:<36} {}  by {}", line(pod), verdict.clock.clock(*at), line(by));
            self.folded(&text, 4, DIM)?;
        }
        self.more(verdict.deletions.len(), most, "deletion")
    }
}

fn said(verdict: &Verdict, pair: &Pair) -> String {
    let (Some(simulated), Some(ms)) = (pair.simulated, pair.apart_ms()) else {
        return "not simulated".to_owned();
    };
    let word = if ms < 0 { "earlier" } else { "later" };
    let other = match (pair.stands_in, pair.reordered) {
        (true, _) => ", another pod of its workload",
        (false, true) => ", in its place in the zone's queue",
        (false, false) => "",
    };
    format!(
        "{}{other} ({}.{} s {word}; {:.0} %)",
        verdict.clock.clock(simulated),
        ms.abs() / 1_000,
        ms.abs() % 1_000 / 100,
        pair.share * 100.0
    )
}
