//! The difference of two sides over many seeds as text.

use super::printer::{Printer, ROWS, header};
use super::words::{PENDING, rounded, why};
use crate::analysis::diff::{OverSeeds, Pattern, Settings, Way};
use crate::analysis::grouped;
use crate::analysis::words::ranges;
use crate::plan::Plan;
use crate::report::Source;
use crate::report::text::{BOLD, DIM, GREEN, PLAIN, RED, Style, YELLOW};
use std::io::{self, Write};

/// One of the two sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeedSide<'a> {
    /// What was run.
    pub plan: &'a Plan,
    /// Where it came from; its seed is the first one.
    pub source: &'a Source,
}

/// Rows of what is chance; the rest is counted.
const CHANCE: usize = 12;
/// With fewer seeds than this, what is chance may well look as if it always differed.
const FEW: u64 = 10;

/// Writes the difference for people.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(
    out: &mut dyn Write,
    sides: [SeedSide<'_>; 2],
    settings: &Settings,
    d: &OverSeeds,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer { out, style };
    let first = sides[0].source.seed;
    let seeds = format!(
        "seeds {first} to {}",
        first.saturating_add(d.seeds.saturating_sub(1))
    );
    p.header(
        sides.map(|s| header(s.plan, s.source, &seeds)),
        sides.map(|s| s.plan),
    )?;
    let all = grouped(d.seeds);
    if d.same == d.seeds {
        let same = p.paint(
            &format!("Both sides came to the same in each of {all} seeds."),
            GREEN,
        );
        writeln!(p.out, "{same}\n")?;
        return p.settings(settings);
    }
    if d.same > 0 {
        writeln!(
            p.out,
            "Both sides came to the same in {} of {all} seeds.\n",
            grouped(d.same)
        )?;
    }
    p.costs_over_seeds(d)?;
    if d.nearly_all.is_empty() {
        writeln!(
            p.out,
            "{}\n",
            p.paint("Nothing differs in nearly all seeds.", BOLD)
        )?;
    }
    p.patterns(
        "What differs in nearly all seeds",
        &d.nearly_all,
        d.seeds,
        ROWS,
    )?;
    p.patterns("What is chance", &d.chance, d.seeds, CHANCE)?;
    p.noise(&d.noise)?;
    p.settings(settings)?;
    if d.seeds < FEW {
        p.folded(&format!("With {all} seeds, what is chance may well look as if it always differed: --seeds 20 tells more."), 0, DIM)?;
    }
    Ok(())
}

impl Printer<'_> {
    fn patterns(
        &mut self,
        title: &str,
        list: &[Pattern],
        seeds: u64,
        most: usize,
    ) -> io::Result<()> {
        if list.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "{}", self.paint(title, BOLD))?;
        let shown = &list[..list.len().min(most)];
        let often = |p: &Pattern| format!("{} of {}", span(p.seeds), grouped(seeds));
        let width = shown
            .iter()
            .map(|p| often(p).chars().count())
            .max()
            .unwrap_or(0);
        for p in shown {
            write!(self.out, "  {:>width$}  ", often(p))?;
            let ansi = match p.way {
                Way::OnlyA | Way::OnlyB if p.what.starts_with("evicted") => RED,
                Way::OnlyA | Way::OnlyB => YELLOW,
                _ => PLAIN,
            };
            self.folded(&said(p), width + 4, ansi)?;
        }
        if list.len() > most {
            writeln!(
                self.out,
                "  {} more of these; -o json has all",
                grouped((list.len() - most) as u64)
            )?;
        }
        writeln!(self.out)
    }
}

/// `3`, `3 to 5`
fn span((least, most): (u64, u64)) -> String {
    if least == most {
        grouped(least)
    } else {
        format!("{} to {}", grouped(least), grouped(most))
    }
}

/// `10 pods of Deployment default/web evicted: 4m earlier in B`
pub(super) fn said(p: &Pattern) -> String {
    let thing = if p.of_pods { "pod" } else { "node" };
    let names: Vec<&str> = p.objects.iter().map(String::as_str).collect();
    let of = match &p.of {
        Some(of) if p.of_pods => format!(" of {of}"),
        Some(of) => format!(" {of}-…"),
        None => String::new(),
    };
    let counted_as = if p.in_one_seed == (1, 1) {
        format!("1 {thing}")
    } else {
        format!("{} {thing}s", span(p.in_one_seed))
    };
    let few = names.len() as u64;
    let subject = match &p.of {
        // What has no object belongs to nothing.
        None if names.is_empty() => String::new(),
        // Always these and no others.
        _ if few == 1 && p.in_one_seed == (1, 1) => names[0].to_owned(),
        Some(_) if p.in_one_seed == (few, few) && p.of_pods => {
            format!("{counted_as}{of} ({})", ranges(&names))
        }
        _ if p.in_one_seed == (few, few) => ranges(&names),
        _ if names.is_empty() => format!("{counted_as}{of}"),
        _ => format!(
            "{counted_as}{of}, nearly always among them {},",
            ranges(&names)
        ),
    };
    let beside = match (&p.details, p.way) {
        (details, _) if p.what == PENDING => why(details),
        (_, Way::Otherwise) | ([None, None], _) => String::new(),
        ([Some(a), Some(b)], _) if a == b => format!(" {a}"),
        ([Some(a), Some(b)], _) => format!(" ({a} in A, {b} in B)"),
        ([Some(one), None] | [None, Some(one)], _) => format!(" {one}"),
    };
    let by = p.shift.map_or(String::new(), |(least, most)| {
        let (least, most) = (rounded(least), rounded(most));
        if least == most {
            least
        } else {
            format!("{least} to {most}")
        }
    });
    let how = match (p.way, &p.details) {
        (Way::OnlyA, _) => "only in A".to_owned(),
        (Way::OnlyB, _) => "only in B".to_owned(),
        (Way::Earlier, _) => format!("{by} earlier in B"),
        (Way::Later, _) => format!("{by} later in B"),
        (Way::Both, _) => format!("{by} earlier or later in B"),
        (Way::Otherwise, [Some(a), Some(b)]) => format!("{a} in A, {b} in B"),
        (Way::Otherwise, _) => "otherwise in B".to_owned(),
    };
    let space = if subject.is_empty() { "" } else { " " };
    format!("{subject}{space}{}{beside}: {how}", p.what)
}
