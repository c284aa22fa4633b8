//! The table of a sweep as text.

use super::figures::{Heading, Row};
use crate::analysis::{Spread, grouped};
use crate::kernel::Dur;
use crate::report::text::fold;
use crate::report::{Style, Written, short};
use anstyle::{AnsiColor, Style as Ansi};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, Write};

const BOLD: Ansi = Ansi::new().bold();
const DIM: Ansi = Ansi::new().dimmed();
const YELLOW: Ansi = AnsiColor::Yellow.on_default();

/// Writes heading and table; `written` says where its files are, if there are any.
///
/// # Errors
/// Those of `out`.
pub fn write(out: &mut dyn Write, heading: &Heading, rows: &[Row], written: Option<&Written>, style: Style) -> io::Result<()> {
    let painted = |text: &str, ansi: Ansi| if style.colour { format!("{ansi}{text}{ansi:#}") } else { text.to_owned() };
    writeln!(out, "{}", painted(&heading.scenario, BOLD))?;
    if !heading.doc.is_empty() {
        for line in fold(&heading.doc, style.width.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    writeln!(out, "  {}", heading.line)?;
    if heading.unchecked {
        writeln!(out, "  {}", painted("This release was not checked against recordings.", YELLOW))?;
    }
    for fixed in &heading.fixed {
        writeln!(out, "  {fixed}")?;
    }
    let columns = heading.columns();
    for (axis, column) in heading.axes.iter().zip(&columns).filter(|(a, c)| a.path != **c) {
        writeln!(out, "  {column} is {}", axis.path)?;
    }
    writeln!(out, "\n{}\n", table(&columns, rows).trim_fmt())?;
    let many = heading.seeds > 1;
    let mut notes = String::new();
    if many {
        notes.push_str(&format!("Median over {} seeds, least and greatest in brackets. ", grouped(heading.seeds)));
    }
    notes.push_str("Detection and eviction: from the fault to Unknown and to the deletion, the median of a run. ");
    notes.push_str(&format!("Needless: the node was back within {}.", short(heading.window)));
    let undecided: u64 = rows.iter().map(|r| r.figures.undecided).sum();
    if undecided > 0 {
        notes.push_str(&format!(" Of {} evictions the runs ended too early to tell.", grouped(undecided)));
    }
    for line in fold(&notes, style.width) {
        writeln!(out, "{line}")?;
    }
    if let Some(written) = written {
        let names: Vec<&str> = written.files.iter().map(|f| f.0.as_str()).collect();
        writeln!(out, "Files in {}: {}", written.folder.display(), names.join(", "))?;
    }
    if !many {
        writeln!(out, "{}", painted("One seed is one sample: --seeds 20 shows how much is chance.", DIM))?;
    }
    Ok(())
}

fn table(columns: &[String], rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let figures = ["evicted", "needless", "replica-minutes missing", "detection", "eviction"];
    table.set_header(columns.iter().map(String::as_str).chain(figures));
    for row in rows {
        let f = &row.figures;
        let cells = [
            said(f.evicted, grouped),
            said(f.needless, grouped),
            said(f.missing_ns, tenths_of_minutes),
            said(f.detection, latency),
            said(f.eviction, latency),
        ];
        table.add_row(row.values.iter().cloned().chain(cells).map(Cell::new));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
        column.set_padding((0, 2));
    }
    table
}

/// `12 (10–14)`, `12` where all are the same, `-` where it never happened.
fn said<T>(spread: Option<Spread<T>>, text: impl Fn(T) -> String) -> String {
    match spread {
        None => "-".to_owned(),
        Some(s) => {
            let (least, median, greatest) = (text(s.min), text(s.median), text(s.max));
            if least == greatest { median } else { format!("{median} ({least}–{greatest})") }
        }
    }
}

/// To a tenth of a second from ten seconds on.
fn latency(d: Dur) -> String {
    let ms = d.as_millis();
    short(Dur::from_millis(if ms < 10_000 { ms } else { (ms + 50) / 100 * 100 }))
}

fn tenths_of_minutes(ns: u128) -> String {
    let tenths = (ns + 3_000_000_000) / 6_000_000_000;
    format!("{}.{}", grouped((tenths / 10) as u64), tenths % 10)
}
