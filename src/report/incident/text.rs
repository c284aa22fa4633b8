//! The verdict for people.

use super::verdict::Verdict;
use crate::analysis::matching::Pair;
use crate::files::line;
use crate::report::text::{BOLD, DIM, GREEN, PLAIN, Printer, RED, Style};
use std::io::{self, Write};

/// Writes what was, each eviction with its own, and the verdict.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(out: &mut dyn Write, verdict: &Verdict, style: Style) -> io::Result<()> {
    let mut p = Printer { out, style };
    let title = format!("An outage from {} on", verdict.clock.begins());
    writeln!(p.out, "{}", p.painted(&title, BOLD))?;
    p.notes(&verdict.notes)?;
    for told in &verdict.told {
        write!(p.out, "  ")?;
        p.folded(&line(told), 4, PLAIN)?;
    }
    if verdict.told.is_empty() {
        writeln!(
            p.out,
            "  Nobody did anything, and no node fell silent while it lasted."
        )?;
    }
    p.held_against(verdict)?;
    p.others(verdict)?;
    writeln!(p.out)?;
    p.folded(&line(&format!("Verdict: {}.", verdict.sentence())), 0, BOLD)
}

impl Printer<'_> {
    fn held_against(&mut self, verdict: &Verdict) -> io::Result<()> {
        if verdict.matched.pairs.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        let title = format!(
            "Evictions: recorded, and simulated (of {} seeds the nearest, and in how many it is so)",
            verdict.seeds
        );
        writeln!(self.out, "{}", self.painted(&title, BOLD))?;
        for pair in &verdict.matched.pairs {
            let explained = pair.is_explained(verdict.tolerance);
            let said = said(verdict, pair);
            let text = format!(
                "  {:<36} {}  {said}",
                line(&pair.pod),
                verdict.clock.clock(pair.recorded)
            );
            let colour = if explained { GREEN } else { RED };
            self.folded(&text, 4, colour)?;
        }
        Ok(())
    }

    fn others(&mut self, verdict: &Verdict) -> io::Result<()> {
        for (pod, at) in &verdict.matched.only_simulated {
            let at = verdict.clock.clock(*at);
            let text = format!("  {:<36} not recorded, simulated {at}", line(pod));
            self.folded(&text, 4, RED)?;
        }
        if verdict.deletions.is_empty() {
            return Ok(());
        }
        writeln!(self.out)?;
        writeln!(self.out, "{}", self.painted("Deleted by others", BOLD))?;
        for (pod, (at, by)) in &verdict.deletions {
            let text = format!(
                "  {:<36} {}  by {}",
                line(pod),
                verdict.clock.clock(*at),
                line(by)
            );
            self.folded(&text, 4, DIM)?;
        }
        Ok(())
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
