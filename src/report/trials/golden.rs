//! Golden timelines: what happened in a run, to the millisecond, as a text to keep beside a
//! scenario and to compare.
//!
//! A line per fact and moment: nodes and pods that share both are counted together. Records that
//! only repeat what another one says are left out, as in the timeline that `run` prints.

use crate::analysis::Analysis;
use crate::analysis::timeline::moments;
use crate::report::absolute;
use similar::{ChangeTag, TextDiff};

/// What every golden file begins with, and the number of its form: 2 names the release, 1 did not.
const NAME: &str = "# taintsim golden timeline";
const HEAD: &str = "# taintsim golden timeline 2";

/// What the line of the release begins with.
const RELEASE: &str = "# Kubernetes ";

/// What sets a run apart from a golden timeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The lines that differ, with what is around them.
    pub(crate) lines: Vec<String>,
    /// The release of the file and that of the run, where they are two.
    pub(crate) releases: Option<(String, String)>,
}

/// The golden timeline of a run, whatever the scenario's file is called.
pub fn golden(analysis: &Analysis<'_>, seed: u64) -> String {
    let plan = analysis.plan;
    let mut out = format!("{HEAD}\n# seed {seed}\n{RELEASE}{}\n", plan.profile.release);
    for row in moments(analysis) {
        let last = match row.last.as_millis() == row.first.as_millis() {
            true => String::new(),
            false => format!(" … {}", absolute(row.last)),
        };
        out += &format!("{:>12}{last}  {}\n", absolute(row.first), row.text);
    }
    out
}

/// The release that a golden file names, and the text without it.
fn parted(text: &str) -> (Option<&str>, String) {
    // A checkout may have made the ends of lines those of another system.
    let mut lines: Vec<&str> = text.lines().collect();
    let place = lines.iter().take(4).position(|l| l.starts_with(RELEASE));
    let release = place.map(|i| &lines.remove(i)[RELEASE.len()..]);
    (release, lines.join("\n") + "\n")
}

/// Where a run differs from a golden file. Two releases that do the same have the same timeline:
/// the release itself is not compared.
///
/// # Errors
/// The file is no golden timeline, or one of another version of the format.
pub fn compare(file: &str, run: &str) -> Result<Option<Difference>, String> {
    match file.lines().next() {
        Some(HEAD) => {}
        Some(head) if head.starts_with(NAME) => {
            return Err(format!("it begins with `{head}`, this version reads and writes `{HEAD}`"));
        }
        _ => return Err(format!("it does not begin with `{HEAD}`")),
    }
    let ((of_file, file), (of_run, run)) = (parted(file), parted(run));
    if file == run {
        return Ok(None);
    }
    let diff = TextDiff::from_lines(&file, &run);
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
    let releases = of_file.zip(of_run).filter(|(file, run)| file != run);
    let releases = releases.map(|(file, run)| (file.to_owned(), run.to_owned()));
    Ok(Some(Difference { lines, releases }))
}

/// Whether a file is a golden timeline, of whatever release and form, or one that nothing was written to yet.
pub fn is_golden(file: &str) -> bool {
    file.is_empty() || file.starts_with(NAME)
}

/// Whether a run's golden timeline may take the place of what is there: an older one of the same
/// release, whatever its form.
///
/// # Errors
/// It is that of another release, or no golden timeline at all, which a scenario of a stranger may
/// well name.
pub fn may_replace(file: &str, run: &str) -> Result<(), String> {
    if !is_golden(file) {
        return Err(format!("it is no golden timeline: it does not begin with `{HEAD}`"));
    }
    match (parted(file).0, parted(run).0) {
        (Some(file), Some(run)) if file != run => {
            Err(format!("it is the golden timeline of Kubernetes {file}, and this run is of {run}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_shown_with_what_is_around_them() {
        let file = format!("{HEAD}\n# seed 1\n# Kubernetes v1.34.4\na\nb\nc\nd\ne\n");
        assert_eq!(compare(&file, &file), Ok(None));
        assert_eq!(compare(&file.replace('\n', "\r\n"), &file), Ok(None));
        let found = compare(&file, &file.replace("d\n", "x\n")).unwrap().unwrap();
        assert_eq!(
            (found.lines, found.releases),
            (["  b", "  c", "- d", "+ x", "  e"].map(str::to_owned).to_vec(), None)
        );
        assert!(
            compare("# taintsim golden timeline 9\n", &file).unwrap_err().contains("timeline 9")
        );
        assert!(compare("hello\n", &file).unwrap_err().contains("does not begin"));
    }

    #[test]
    fn a_release_does_not_replace_another_ones_file() {
        let file = format!("{HEAD}\n# seed 1\n# Kubernetes v1.34.4\na\n");
        let other = file.replace("1.34.4", "1.33.8");
        assert_eq!(compare(&file, &other), Ok(None), "they do the same");
        let found = compare(&file, &other.replace("a\n", "b\n")).unwrap().unwrap();
        assert_eq!(found.releases, Some(("v1.34.4".to_owned(), "v1.33.8".to_owned())));
        assert_eq!(may_replace(&file, &file.replace("a\n", "b\n")), Ok(()));
        assert_eq!(
            may_replace("# taintsim golden timeline 1\n# seed 1\na\n", &file),
            Ok(()),
            "it did not say"
        );
        assert_eq!(may_replace("", &file), Ok(()));
        assert!(may_replace(&file, &other).unwrap_err().contains("of Kubernetes v1.34.4"));
        assert!(may_replace("export PATH\n", &file).unwrap_err().contains("no golden timeline"));
    }
}
