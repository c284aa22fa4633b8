//! TAP, version 14: a test point per scenario, failures as YAML blocks.

use super::{Status, Tested};
use std::io::{self, Write};

/// Writes all of it.
///
/// # Errors
/// Those of `out`.
pub fn tap(out: &mut dyn Write, all: &[Tested]) -> io::Result<()> {
    writeln!(out, "TAP version 14\n1..{}", all.len())?;
    for (i, t) in all.iter().enumerate() {
        // A hash would begin a directive, a backslash an escape.
        let name = t.file.replace('\\', "\\\\").replace('#', "\\#");
        let (ok, directive) = match t.status {
            Status::Passed => ("ok", ""),
            Status::NotRun => ("ok", " # SKIP another scenario failed"),
            _ => ("not ok", ""),
        };
        writeln!(out, "{ok} {} - {name}{directive}", i + 1)?;
        let messages: Vec<(String, &[String])> = match &t.status {
            Status::Passed | Status::NotRun => Vec::new(),
            Status::NoExpectations => vec![("the scenario expects nothing".to_owned(), &[])],
            Status::Wrong(problems) => problems.0.iter().map(|p| (p.to_string(), &[][..])).collect(),
            Status::Failed(failed) => failed.iter().map(|f| (f.problem.to_string(), &f.notes[..])).collect(),
        };
        if messages.is_empty() {
            continue;
        }
        writeln!(out, "  ---\n  failures:")?;
        for (message, notes) in messages {
            writeln!(out, "    - message: {}", serde_json::Value::from(message))?;
            if !notes.is_empty() {
                writeln!(out, "      notes:")?;
            }
            for note in notes {
                writeln!(out, "        - {}", serde_json::Value::from(note.as_str()))?;
            }
        }
        writeln!(out, "  ...")?;
    }
    Ok(())
}
