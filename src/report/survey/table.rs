//! A survey as text: a table, the worst loss first, and what a person should know.

use super::Called;
use crate::analysis::clock::short;
use crate::analysis::{grouped, size_in_words};
use crate::kernel::Dur;
use crate::lab::survey::{Lost, Surveyed};
use crate::report::Style;
use crate::report::text::{BOLD, DIM, RED, YELLOW, counted, fold, painted};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use std::io::{self, Write};

/// What stands above the table.
#[derive(Clone, Debug)]
pub(crate) struct Heading {
    /// The scenario's name.
    pub name: String,
    /// Release, timing and seed.
    pub line: String,
    /// How long everything was lost.
    pub lasts: Dur,
    /// How many rows are shown.
    pub rows: usize,
}

/// Writes a survey; `broken` says which limits which losses break.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write(
    out: &mut dyn Write,
    heading: &Heading,
    survey: &Surveyed,
    called: &Called,
    broken: &[String],
    style: Style,
) -> io::Result<()> {
    writeln!(out, "{}", painted(&heading.name, BOLD, style))?;
    writeln!(out, "  {}; {}", size_in_words(&survey.size), heading.line)?;
    let mut runs = format!(
        "{} for {} each",
        losses(survey.losses),
        short(heading.lasts)
    );
    if survey.lost.len() < survey.losses {
        runs.push_str(&format!("; {} told as one run each", losses_alike(survey)));
    }
    writeln!(out, "  {runs}")?;
    if survey.losses < survey.asked {
        let text = format!(
            "Interrupted: {} of {} losses.",
            grouped(survey.losses as u64),
            grouped(survey.asked as u64)
        );
        writeln!(out, "  {}", painted(&text, YELLOW, style))?;
    }
    if survey.left_out > 0 {
        let text = format!(
            "The scenario's own timeline ({}) is left out.",
            counted(survey.left_out as u64, "entry").replace("entrys", "entries")
        );
        writeln!(out, "  {}", painted(&text, YELLOW, style))?;
    }
    let table = table(&survey.lost[..survey.lost.len().min(heading.rows)]);
    writeln!(out, "\n{}", table.trim_fmt())?;
    if survey.lost.len() > heading.rows {
        let text = format!(
            "{} more cost less; --rows {} shows them.",
            losses(survey.lost.len() - heading.rows),
            survey.lost.len()
        );
        writeln!(out, "{}", painted(&text, DIM, style))?;
    }
    writeln!(out)?;
    let words = "Below need: workloads of which fewer pods were up than they need, the longest time of one of them. Missing: desired pods that were not up, summed over time. \
        Pending, stuck: pods that wait for a node, or whose deletion does not end, when the loss ends. All beyond what it is without the loss.";
    for line in fold(words, style.width) {
        writeln!(out, "{}", painted(&line, DIM, style))?;
    }
    findings(out, survey, called, style)?;
    for text in broken {
        writeln!(out, "{}", painted(text, RED, style))?;
    }
    Ok(())
}

fn findings(
    out: &mut dyn Write,
    survey: &Surveyed,
    called: &Called,
    style: Style,
) -> io::Result<()> {
    writeln!(out, "\n{}", painted("Findings", BOLD, style))?;
    if survey.findings.is_empty() {
        return writeln!(
            out,
            "  none: no workload is below what it needs, whatever of these is lost\n"
        );
    }
    for finding in &survey.findings {
        for (i, line) in fold(&finding.text, style.width.saturating_sub(4))
            .iter()
            .enumerate()
        {
            writeln!(out, "{}{line}", if i == 0 { "  - " } else { "    " })?;
        }
        if let Some(command) = called.command(finding) {
            writeln!(out, "      {}", painted(&command, DIM, style))?;
        }
    }
    writeln!(out)
}

fn losses(n: usize) -> String {
    let text = counted(n as u64, "loss");
    text.strip_suffix("losss")
        .map_or(text.clone(), |t| format!("{t}losses"))
}

fn losses_alike(survey: &Surveyed) -> String {
    let alike = survey.lost.iter().filter(|l| !l.loss.like.is_empty());
    let count: usize = alike.map(|l| 1 + l.loss.like.len()).sum();
    format!("{} of them are alike and", grouped(count as u64))
}

fn table(lost: &[Lost]) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header([
            "lost",
            "nodes",
            "pods",
            "below need",
            "missing",
            "requests\nlost",
            "pending",
            "evicted",
            "needless",
            "stuck",
        ]);
    for l in lost {
        table.add_row(row(l).map(Cell::new));
    }
    for (i, column) in table.column_iter_mut().enumerate() {
        let alignment = if i == 0 {
            CellAlignment::Left
        } else {
            CellAlignment::Right
        };
        column.set_cell_alignment(alignment);
        column.set_padding((0, 2));
    }
    table
}

fn row(l: &Lost) -> [String; 10] {
    let f = &l.figures;
    let name = match l.loss.like.len() {
        0 => l.loss.name(),
        more => format!("{} and {} like it", l.loss.name(), grouped(more as u64)),
    };
    let down = if f.workloads_down == 0 {
        "-".to_owned()
    } else {
        format!(
            "{} for {}",
            grouped(f.workloads_down as u64),
            short(whole(f.down))
        )
    };
    [
        name,
        grouped(l.size.0 as u64),
        grouped(l.size.1 as u64),
        down,
        minutes(f.missing_minutes),
        minutes(f.lost_minutes),
        count(f.pending),
        count(f.evicted),
        count(f.needless),
        count(f.stuck),
    ]
}

/// `12.3m`, nothing as `-`.
fn minutes(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    match tenths {
        0.0 if value.abs() < 1e-9 => "-".to_owned(),
        0.0 if value * 60.0 < 0.05 => "<0.1s".to_owned(),
        0.0 => format!("{:.1}s", value * 60.0),
        _ => format!("{tenths:.1}m"),
    }
}

fn count(n: i64) -> String {
    if n == 0 {
        "-".to_owned()
    } else {
        n.to_string()
    }
}

fn whole(d: Dur) -> Dur {
    Dur::from_secs((d.as_millis() + 500) / 1000)
}
