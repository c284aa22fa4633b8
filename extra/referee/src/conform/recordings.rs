//! Which recordings there are: their files, their releases, their kinds.

use crate::recorded::{Observed, Recorded};
use std::io;
use std::path::{Path, PathBuf};

/// The recordings at a path: the file itself, or those in a folder and its folders, sorted by name.
pub(super) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !std::fs::metadata(path)?.is_dir() {
        files.push(path.to_owned());
        return Ok(());
    }
    let mut entries = std::fs::read_dir(path)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        // The type of the entry itself: a link to a folder is not followed, so that a loop of links
        // ends.
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else if name.to_str().is_some_and(|n| n.ends_with(".json") || n.ends_with(".json.gz")) {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The numbers in a release's name, to sort by.
pub(super) fn numbers(release: &str) -> Vec<u64> {
    release.trim_start_matches('v').split('.').map(|n| n.parse().unwrap_or(u64::MAX)).collect()
}

/// Whether a release is the wanted one, or a patch of the wanted minor release.
pub(super) fn is_release(release: &str, wanted: &str) -> bool {
    let (release, wanted) = (release.trim_start_matches('v'), wanted.trim_start_matches('v'));
    release == wanted || release.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
}

/// The kind of scenario, as recordings are named.
pub(super) fn kind(recorded: &Recorded) -> &'static str {
    let name = &recorded.scenario.name;
    match &recorded.observed {
        Observed::Envelope { .. } => "envelopes",
        Observed::Timelines { .. } if name.starts_with("random-") => "random",
        Observed::Timelines { .. } if name.ends_with("-lat") => "with latencies",
        Observed::Timelines { .. } => "by hand",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_selects_its_patches() {
        for (release, wanted, is) in [
            ("v1.34.4", "1.34", true),
            ("v1.34.4", "v1.34.4", true),
            ("v1.34.4", "1.3", false),
            ("v1.34.4", "1.34.40", false),
            ("v1.34.4", "1", true),
        ] {
            assert_eq!(is_release(release, wanted), is, "{release} {wanted}");
        }
    }

    #[test]
    fn releases_sort_by_number() {
        assert!(numbers("v1.9.11") < numbers("v1.10.0"));
        assert!(numbers("v1.34.4") < numbers("v1.34.10"));
    }
}
