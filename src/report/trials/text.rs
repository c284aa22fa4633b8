//! For people: a line per scenario, the failures in full, and one line at the end.

use super::{Status, Tested, counted};
use crate::report::Style;
use crate::scenario::Problems;
use anstyle::{AnsiColor, Style as Ansi};
use std::io::{self, Write};

fn painted(text: &str, ansi: Ansi, style: Style) -> String {
    if style.colour { format!("{ansi}{text}{ansi:#}") } else { text.to_owned() }
}

/// `passed  scenarios/zone-partition.ron (12 expectations, 1 run)`
///
/// # Errors
/// Those of `out`.
pub fn line(out: &mut dyn Write, t: &Tested, style: Style) -> io::Result<()> {
    let ansi = match t.status {
        Status::Passed => AnsiColor::Green.on_default(),
        Status::Failed(_) | Status::Wrong(_) => AnsiColor::Red.on_default().bold(),
        Status::NoExpectations | Status::NotRun => AnsiColor::Yellow.on_default(),
    };
    let detail = match &t.status {
        Status::Passed => format!(" ({})", t.size()),
        Status::Failed(failed) => format!(" ({} failed of {})", failed.len(), t.size()),
        Status::Wrong(problems) => format!(" ({})", if problems.0.len() == 1 { "1 mistake" } else { "several mistakes" }),
        Status::NoExpectations | Status::NotRun => String::new(),
    };
    writeln!(out, "{}  {}{detail}", painted(&format!("{:<7}", t.status.word()), ansi, style), t.file)
}

/// Everything that was not as it should be, in full.
///
/// # Errors
/// Those of `out`.
pub fn details(out: &mut dyn Write, all: &[Tested], style: Style) -> io::Result<()> {
    for t in all {
        match &t.status {
            Status::Passed | Status::NotRun => {}
            Status::NoExpectations => {
                writeln!(out, "\n{}: the scenario expects nothing, so that nothing can fail", t.file)?;
                writeln!(out, "  help: add `expect: [Evicted(…), Never(PodStuck)]`; docs/expectations.md lists what there is")?;
            }
            Status::Wrong(problems) => write!(out, "\n{}", problems.render(style.colour, style.width))?,
            Status::Failed(failed) => {
                for f in failed {
                    write!(out, "\n{}", Problems::one(f.problem.clone()).render(style.colour, style.width))?;
                    for note in &f.notes {
                        writeln!(out, "    {note}")?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// One line on all of it.
///
/// # Errors
/// Those of `out`.
pub fn summary(out: &mut dyn Write, all: &[Tested]) -> io::Result<()> {
    writeln!(out, "{}", counted(all))
}
