//! TAP, version 13, which `prove` reads: a test point per test case, and comments on those that
//! failed.

use super::case::Came;
use super::tested::Tested;
use crate::files::line;
use std::io::{self, Write};

/// Writes all of it.
///
/// # Errors
/// Those of `out`.
pub(crate) fn tap(out: &mut dyn Write, all: &[Tested]) -> io::Result<()> {
    let cases: usize = all.iter().map(|t| t.cases.len()).sum();
    writeln!(out, "TAP version 13\n1..{cases}")?;
    let of_all = all.iter().flat_map(|t| t.cases.iter().map(move |c| (t, c)));
    for (i, (t, case)) in of_all.enumerate() {
        // A hash would begin a directive, a backslash an escape.
        let name =
            line(&format!("{}: {}", t.id, case.name)).replace('\\', "\\\\").replace('#', "\\#");
        let (ok, directive) = match case.came {
            Came::Met => ("ok", ""),
            Came::NotRun => ("ok", " # SKIP another scenario failed"),
            Came::Undecided(_) => ("ok", " # SKIP undecided"),
            Came::Failed(_) | Came::Wrong(_) | Came::Nothing => ("not ok", ""),
        };
        writeln!(out, "{ok} {} - {name}{directive}", i + 1)?;
        if case.name == super::case::SCENARIO {
            for line in t.warned().iter().flat_map(|w| w.lines()) {
                writeln!(out, "# warning: {line}")?;
            }
        }
        // Comments, not YAML: readers of version 13 know little of that.
        for (message, notes) in t.told(case) {
            for comment in std::iter::once(&message).chain(&notes).flat_map(|text| text.lines()) {
                writeln!(out, "# {comment}")?;
            }
        }
    }
    Ok(())
}
