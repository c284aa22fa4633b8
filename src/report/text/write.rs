//! The whole report, part by part.

use super::printer::Printer;
use super::style::{BOLD, DIM, PLAIN, Style, YELLOW};
use crate::analysis::clock::short;
use crate::analysis::size_in_words;
use crate::files::PACKED;
use crate::kernel::Dur;
use crate::report::files::Written;
use crate::report::model::Report;
use std::io::{self, Write};

/// Writes the report; `written` says where its files are, if there are any.
///
/// # Errors
/// Those of `out`.
pub fn write(
    out: &mut dyn Write,
    report: &Report<'_>,
    written: Option<&Written>,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer { out, style };
    p.header(report)?;
    p.timeline(report)?;
    p.rest(report, written)
}

/// Writes the report without its timeline.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_summary(
    out: &mut dyn Write,
    report: &Report<'_>,
    written: Option<&Written>,
    style: Style,
) -> io::Result<()> {
    let mut p = Printer { out, style };
    p.header(report)?;
    p.rest(report, written)
}

impl Printer<'_> {
    /// What follows the timeline.
    fn rest(&mut self, report: &Report<'_>, written: Option<&Written>) -> io::Result<()> {
        self.summary(report)?;
        self.workloads(report)?;
        self.files(written)
    }

    fn header(&mut self, report: &Report<'_>) -> io::Result<()> {
        let plan = report.analysis.plan;
        writeln!(self.out, "{}", self.painted(&plan.name, BOLD))?;
        if !plan.doc.is_empty() {
            write!(self.out, "  ")?;
            self.folded(&plan.doc, 2, PLAIN)?;
        }
        let line = format!(
            "Kubernetes {}, timing {}, seed {}, {}, {}",
            report.release(),
            plan.timing.name,
            report.source.seed,
            size_in_words(&report.size()),
            short(Dur::from_nanos(report.analysis.horizon().as_nanos()))
        );
        write!(self.out, "  ")?;
        self.folded(&line, 2, PLAIN)?;
        if !plan.profile.recorded {
            write!(self.out, "  ")?;
            self.folded("This release was not checked against recordings.", 2, YELLOW)?;
        }
        self.notes(&report.notes())?;
        writeln!(self.out)
    }

    fn files(&mut self, written: Option<&Written>) -> io::Result<()> {
        if let Some(w) = written {
            let names: Vec<&str> = w.files.iter().map(|f| f.0.as_str()).collect();
            self.folded(
                &format!("Files in {}: {}", w.folder.display(), names.join(", ")),
                0,
                PLAIN,
            )?;
            self.packed(&names)?;
        }
        self.folded("One seed is one sample: another draws other delays and orders.", 0, DIM)
    }
    /// Says which files are packed, and how to have them otherwise.
    fn packed(&mut self, names: &[&str]) -> io::Result<()> {
        let packed: Vec<&str> = names.iter().copied().filter(|n| n.ends_with(PACKED)).collect();
        if packed.is_empty() {
            return Ok(());
        }
        let are = if packed.len() == 1 { "is" } else { "are" };
        let text = format!(
            "{} {are} packed: `--records jsonl` leaves them as text, `--records parquet` writes tables for DuckDB, pandas and Polars.",
            packed.join(", ")
        );
        self.folded(&text, 0, DIM)
    }
}
