//! Golden timelines: what happened in a run, to the millisecond, as a text to keep beside a scenario and to compare.
//!
//! A line per fact and moment: nodes and pods that share both are counted together. Records that only repeat what another one says are
//! left out, as in the timeline that `run` prints.

use crate::analysis::Analysis;
use crate::analysis::timeline::moments;
use crate::report::absolute;
use similar::{ChangeTag, TextDiff};

/// The first line of a golden file; the number is that of the format.
const HEAD: &str = "# taintsim golden timeline 1";

/// The golden timeline of a run. It does not name the release: two releases that do the same have the same timeline.
pub fn golden(analysis: &Analysis<'_>, seed: u64) -> String {
    let mut out = format!("{HEAD}\n# {}, seed {seed}\n", analysis.plan.name);
    for row in moments(analysis) {
        let last = if row.last.as_millis() == row.first.as_millis() { String::new() } else { format!(" … {}", absolute(row.last)) };
        out.push_str(&format!("{:>12}{last}  {}\n", absolute(row.first), row.text));
    }
    out
}

/// The lines in which a run differs from a golden file: none if it does not.
///
/// # Errors
/// The file is no golden timeline, or one of another version of the format.
pub fn compare(file: &str, run: &str) -> Result<Option<Vec<String>>, String> {
    // A checkout may have made the ends of lines those of another system.
    let file = file.replace("\r\n", "\n");
    match file.lines().next() {
        Some(HEAD) => {}
        Some(head) if head.starts_with("# taintsim golden timeline") => {
            return Err(format!("it begins with `{head}`, this version reads and writes `{HEAD}`"));
        }
        _ => return Err(format!("it does not begin with `{HEAD}`")),
    }
    if file == run {
        return Ok(None);
    }
    let diff = TextDiff::from_lines(file.as_str(), run);
    let mut lines = Vec::new();
    for (i, group) in diff.grouped_ops(2).iter().enumerate() {
        if i > 0 {
            lines.push("…".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            lines.push(format!("{sign} {}", change.value().trim_end_matches('\n')));
        }
    }
    Ok(Some(lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_shown_with_what_is_around_them() {
        let file = format!("{HEAD}\na\nb\nc\nd\ne\n");
        assert_eq!(compare(&file, &file), Ok(None));
        assert_eq!(compare(&file.replace('\n', "\r\n"), &file), Ok(None));
        let lines = compare(&file, &file.replace("d\n", "x\n")).unwrap().unwrap();
        assert_eq!(lines, ["  b", "  c", "- d", "+ x", "  e"]);
        assert!(compare("# taintsim golden timeline 9\n", &file).unwrap_err().contains("timeline 9"));
        assert!(compare("hello\n", &file).unwrap_err().contains("does not begin"));
    }
}
