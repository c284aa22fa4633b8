//! The table of a sweep as text.

use super::columns::{Column, Measure};
use super::heading::{Cells, Heading, Layout};
use crate::analysis::{Figure, Interval, Sample, grouped};
use crate::kernel::Dur;
use crate::lab::Case;
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
pub fn write(
    out: &mut dyn Write,
    heading: &Heading,
    layout: &Layout,
    cases: &[Case],
    written: Option<&Written>,
    style: Style,
) -> io::Result<()> {
    let painted = |text: &str, ansi: Ansi| if style.colour { format!("{ansi}{text}{ansi:#}") } else { text.to_owned() };
    writeln!(out, "{}", painted(&heading.scenario, BOLD))?;
    if !heading.doc.is_empty() {
        for line in fold(&heading.doc, style.width.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    for line in fold(&heading.line, style.width.saturating_sub(2)) {
        writeln!(out, "  {line}")?;
    }
    if heading.unchecked {
        writeln!(out, "  {}", painted("This release was not checked against recordings.", YELLOW))?;
    }
    for note in &heading.notes {
        for line in fold(note, style.width.saturating_sub(2)) {
            writeln!(out, "  {}", painted(&line, YELLOW))?;
        }
    }
    for fixed in &heading.fixed {
        writeln!(out, "  {fixed}")?;
    }
    let columns = heading.columns();
    for (axis, column) in heading.axes.iter().zip(&columns).filter(|(a, c)| a.path != **c) {
        for line in fold(&format!("{column} is {}", axis.path), style.width.saturating_sub(2)) {
            writeln!(out, "  {line}")?;
        }
    }
    let rows: Vec<Vec<String>> =
        cases.iter().map(|case| layout.columns.iter().map(|c| said(c, c.sample(case).as_ref(), layout.cells)).collect()).collect();
    writeln!(out, "\n{}\n", table(&columns, &layout.columns, cases, &rows).trim_fmt())?;
    if let Some(from) = layout.against.and_then(|i| cases.get(i)) {
        let name = if from.values.is_empty() { "the row".to_owned() } else { format!("the row {}", from.values.join(" / ")) };
        let head = format!("Differences from {name}, seed by seed: the draws are the same, so that what differs is the setting's doing.");
        for line in fold(&head, style.width) {
            writeln!(out, "{line}")?;
        }
        let rows: Vec<Vec<String>> =
            cases.iter().map(|case| layout.columns.iter().map(|c| signed(c, c.difference(case, from).as_ref())).collect()).collect();
        writeln!(out, "\n{}\n", table(&columns, &layout.columns, cases, &rows).trim_fmt())?;
    }
    for line in fold(&notes(heading, layout, cases), style.width) {
        writeln!(out, "{line}")?;
    }
    if let Some(written) = written {
        let names: Vec<&str> = written.files.iter().map(|f| f.0.as_str()).collect();
        for line in fold(&format!("Files in {}: {}", written.folder.display(), names.join(", ")), style.width) {
            writeln!(out, "{line}")?;
        }
    }
    if heading.seeds == 1 {
        writeln!(out, "{}", painted("One seed is one sample: --seeds 20 shows how much is chance.", DIM))?;
    }
    Ok(())
}

fn notes(heading: &Heading, layout: &Layout, cases: &[Case]) -> String {
    let mut notes = String::new();
    if heading.seeds > 1 {
        let seeds = grouped(heading.seeds);
        notes.push_str(&match layout.cells {
            Cells::Mean => format!("Mean over {seeds} seeds; ± is its 95 % interval. "),
            Cells::Median => format!("Median over {seeds} seeds, its 95 % interval in brackets. "),
            Cells::P95 => format!("95th percentile over {seeds} seeds, its 95 % interval in brackets. "),
            Cells::Range => format!("Median over {seeds} seeds, least and greatest in brackets. "),
        });
    }
    let shows = |m: Measure| layout.columns.iter().any(|c| c.measure == m);
    if shows(Measure::Cost(Figure::ReplicaMinutesMissing)) {
        notes.push_str("Missing: desired pods that were not up, summed over time. ");
    }
    if [Measure::Detection, Measure::Tainting, Measure::Eviction].into_iter().any(shows) {
        notes.push_str("Detection, tainting, eviction: from the fault to Unknown, NoExecute and the deletion, the median of a run. ");
    }
    if shows(Measure::Cost(Figure::Needless)) {
        notes.push_str(&format!("Needless: the node was back within {}. ", short(heading.window)));
    }
    let undecided: u64 = cases.iter().flat_map(|c| &c.runs).map(|r| r.metrics.undecided).sum();
    if undecided > 0 && shows(Measure::Cost(Figure::Needless)) {
        notes.push_str(&format!("Of {} evictions the runs ended too early to tell.", grouped(undecided)));
    }
    notes
}

fn table(names: &[String], columns: &[Column], cases: &[Case], rows: &[Vec<String>]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    // Two words each in a line of their own, so that headings are no wider than what is below them.
    let heads = columns.iter().map(|c| fold(&c.heading(), 16).join("\n"));
    table.set_header(names.iter().cloned().chain(heads));
    for (case, row) in cases.iter().zip(rows) {
        table.add_row(case.values.iter().chain(row).map(Cell::new));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
        column.set_padding((0, 2));
    }
    table
}

/// `12.1 ±0.4`, `12 (10–14)`, `12` where all are the same, `-` where it never happened.
fn said(column: &Column, sample: Option<&Sample>, cells: Cells) -> String {
    let Some(s) = sample else { return "-".to_owned() };
    let text = |v: f64| value(column.measure, v, false);
    let ranged = |at: f64, interval: Option<Interval>| match interval {
        Some(i) if text(i.low) != text(i.high) => format!("{} ({}–{})", text(at), text(i.low), text(i.high)),
        _ => text(at),
    };
    match cells {
        Cells::Mean if s.min() == s.max() => text(s.mean()),
        Cells::Mean => {
            let mean = value(column.measure, s.mean(), true);
            s.mean_interval().map_or(mean.clone(), |i| format!("{mean} ±{}", value(column.measure, i.high - s.mean(), true)))
        }
        Cells::Median => ranged(s.quantile(50), s.quantile_interval(50)),
        Cells::P95 => ranged(s.quantile(95), s.quantile_interval(95)),
        Cells::Range => ranged(s.quantile(50), Some(Interval { low: s.min(), high: s.max() })),
    }
}

/// A difference with its interval: `+1.2 ±0.3`, `0`.
fn signed(column: &Column, sample: Option<&Sample>) -> String {
    let Some(s) = sample else { return "-".to_owned() };
    if s.min() == 0.0 && s.max() == 0.0 {
        return "0".to_owned();
    }
    let sign = if s.mean() < 0.0 { "−" } else { "+" };
    let mean = format!("{sign}{}", value(column.measure, s.mean().abs(), true));
    match s.mean_interval() {
        Some(i) if i.high > i.low => format!("{mean} ±{}", value(column.measure, i.high - s.mean(), true)),
        _ => mean,
    }
}

/// A value in words: times as `1m30s`, shares in per cent, counts whole unless they are means.
fn value(measure: Measure, v: f64, mean: bool) -> String {
    let tenths = |v: f64| {
        let tenths = (v * 10.0).round() as u64;
        format!("{}.{}", grouped(tenths / 10), tenths % 10)
    };
    match measure {
        m if m.is_time() => latency(v),
        Measure::Cost(Figure::RequestsLostShare) => format!("{:.2} %", v * 100.0),
        Measure::Cost(figure) if figure.is_count() && (!mean || v.fract() == 0.0) => grouped(v.round() as u64),
        _ => tenths(v),
    }
}

/// To a tenth of a second from ten seconds on.
fn latency(seconds: f64) -> String {
    let ms = (seconds * 1000.0).round() as u64;
    short(Dur::from_millis(if ms < 10_000 { ms } else { (ms + 50) / 100 * 100 }))
}
