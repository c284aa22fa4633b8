//! For people: a line per scenario, the failures in full, and one line at the end.

use super::case::Came;
use super::tested::{Status, Tested, counted};
use crate::language::Problems;
use crate::report::Style;
use crate::report::diagnostics::draw_folded;
use crate::report::text::fold;
use anstyle::{AnsiColor, Style as Ansi};
use std::io::{self, Write};

fn painted(text: &str, ansi: Ansi, style: Style) -> String {
    if style.colour { format!("{ansi}{text}{ansi:#}") } else { text.to_owned() }
}

/// `passed  scenarios/zone-partition.ron (12 expectations, 1 run)`
///
/// # Errors
/// Those of `out`.
pub(crate) fn line(out: &mut dyn Write, t: &Tested, style: Style) -> io::Result<()> {
    let status = t.status();
    let ansi = match status {
        Status::Passed => AnsiColor::Green.on_default(),
        Status::Failed | Status::Wrong => AnsiColor::Red.on_default().bold(),
        Status::NoExpectations | Status::NotRun => AnsiColor::Yellow.on_default(),
    };
    let mistakes = || {
        t.cases
            .iter()
            .map(|c| if let Came::Wrong(p) = &c.came { p.0.len() } else { 0 })
            .sum::<usize>()
    };
    let detail = match status {
        Status::Passed => format!(" ({})", t.size()),
        Status::Failed => {
            format!(
                " ({} failed of {})",
                t.cases.iter().filter(|c| matches!(c.came, Came::Failed(_))).count(),
                t.size()
            )
        }
        Status::Wrong => {
            format!(" ({})", if mistakes() == 1 { "1 mistake" } else { "several mistakes" })
        }
        Status::NoExpectations | Status::NotRun => String::new(),
    };
    writeln!(out, "{}  {}{detail}", painted(&format!("{:<7}", status.word()), ansi, style), t.file)
}

/// Everything that was not as it should be, in full; before it what is to be known of those that
/// passed.
///
/// # Errors
/// Those of `out`.
pub(crate) fn details(out: &mut dyn Write, all: &[Tested], style: Style) -> io::Result<()> {
    for t in all {
        for (i, warning) in t.warned().iter().enumerate() {
            if i == 0 {
                writeln!(out)?;
            }
            let said = format!("warning: {}: {warning}", t.file);
            let said = said.replacen(&format!("{0}: {0}", t.file), &t.file, 1);
            for (n, line) in said.lines().flat_map(|l| fold(l, style.width.max(40) - 4)).enumerate()
            {
                let line = painted(&line, AnsiColor::Yellow.on_default(), style);
                writeln!(out, "{}{line}", if n == 0 { "" } else { "    " })?;
            }
        }
    }
    for (t, case) in all.iter().flat_map(|t| t.cases.iter().map(move |c| (t, c))) {
        match &case.came {
            Came::Met | Came::NotRun | Came::Undecided(_) => {}
            Came::Nothing => {
                writeln!(
                    out,
                    "\n{}: the scenario expects nothing, so that nothing can fail",
                    t.file
                )?;
                writeln!(
                    out,
                    "  help: add `expect: [Evicted(…), Never(PodStuck)]`; docs/expectations.md lists what there is"
                )?;
            }
            Came::Wrong(problems) => {
                write!(out, "\n{}", draw_folded(problems, style.colour, style.width))?
            }
            Came::Failed(f) => {
                write!(
                    out,
                    "\n{}",
                    draw_folded(&Problems::one(f.problem.clone()), style.colour, style.width)
                )?;
                for note in f.notes(&t.file) {
                    // What can be pasted stays in one line.
                    let room =
                        if note.contains('`') { usize::MAX } else { style.width.max(40) - 6 };
                    for (n, line) in fold(&note, room).iter().enumerate() {
                        writeln!(out, "{}{line}", if n == 0 { "    " } else { "      " })?;
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
pub(crate) fn summary(out: &mut dyn Write, all: &[Tested]) -> io::Result<()> {
    writeln!(out, "{}", counted(all))
}
