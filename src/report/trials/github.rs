//! GitHub Actions: an annotation at file and line for each failure, and a summary of the step in
//! Markdown.

use super::case::{Came, MISTAKE, Status};
use super::tested::{Tested, tally};
use crate::language::Problem;
use std::io::{self, Write};

/// Writes a workflow command per failure: `::error file=…,line=…,col=…,title=…::…`.
///
/// # Errors
/// Those of `out`.
pub(crate) fn annotations(out: &mut dyn Write, all: &[Tested]) -> io::Result<()> {
    for t in all {
        let mut tell = |level: &str, problem: &Problem, title: &str, notes: &[String]| {
            let place = t.place(problem).map(|(l, c)| format!(",line={l},col={c}"));
            let elsewhere = problem.source().filter(|_| place.is_none());
            let mut text = elsewhere.map_or(String::new(), |source| format!("{source}: "));
            text.push_str(&problem.message);
            let help = problem.help.iter().map(|h| format!("\nhelp: {h}"));
            text.extend(help.chain(notes.iter().map(|note| format!("\n{note}"))));
            let (file, title) = (property(t.file.trim_start_matches("./")), property(title));
            let place = place.unwrap_or_default();
            writeln!(out, "::{level} file={file}{place},title={title}::{}", message(&text))
        };
        for warning in &t.warnings {
            tell("warning", warning, "warning", &[])?;
        }
        for (kind, problem, notes) in t.cases.iter().flat_map(|c| c.came.faults(&t.file)) {
            let title = if kind == MISTAKE { "wrong scenario" } else { kind };
            tell("error", &problem, title, &notes)?;
        }
    }
    Ok(())
}

/// What is written of the step's summary: a table, and the failures.
///
/// # Errors
/// Those of `out`.
pub(crate) fn step_summary(out: &mut dyn Write, all: &[Tested]) -> io::Result<()> {
    writeln!(out, "### taintsim: {}\n", tally(all))?;
    writeln!(out, "| | Scenario | Expectations | Runs |\n|---|---|---|---|")?;
    for t in all {
        let mark = match t.status() {
            Status::Passed => "✅",
            Status::NotRun => "⏭️",
            Status::Failed | Status::Wrong | Status::NoExpectations => "❌",
        };
        let (status, file, expectations) = (t.status().word(), html(&t.file), t.expectations);
        writeln!(out, "| {mark} {status} | {file} | {expectations} | {} |", t.runs)?;
    }
    for t in all {
        // Between tags, and not between fences, which a text could close.
        let told = t.cases.iter().filter(|c| !matches!(c.came, Came::Nothing));
        let told = told.flat_map(|c| t.told(c));
        let text =
            |(message, notes): (String, Vec<String>)| [vec![message], notes].concat().join("\n");
        let texts: Vec<String> = told.map(text).collect();
        if !texts.is_empty() {
            let (file, text) = (html(&t.file), html(&texts.join("\n\n")));
            writeln!(
                out,
                "\n<details><summary>{file}</summary>\n\n<pre>{text}</pre>\n\n</details>"
            )?;
        }
    }
    Ok(())
}

/// Escapes what HTML in Markdown would take for markup, and lines that would end it.
fn html(text: &str) -> String {
    const MARKUP: &str = "&<>\"|`*_[]\\!@#\n";
    let safe = |c: char| match MARKUP.contains(c) {
        true => format!("&#{};", u32::from(c)),
        false => c.to_string(),
    };
    text.chars().map(safe).collect()
}

/// Escapes the text of a command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property of a command.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
