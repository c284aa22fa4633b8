//! Which recordings there are: their files, their releases, their kinds.

use crate::recorded::{Observed, Recorded};
use std::io;
use std::path::{Path, PathBuf};

/// The recordings at a path: the file itself, or those in a folder and its folders, sorted by name.
pub(crate) fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
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

/// The numbers in a release's name, to sort by: a pre-release, whose stages follow one another in the
/// alphabet, comes before its release.
pub(crate) fn numbers(release: &str) -> Vec<u64> {
    let (numbers, stage) = release.trim_start_matches('v').split_once('-').unwrap_or((release, ""));
    let numbers = numbers.trim_start_matches('v').split('.');
    let stage = (stage.bytes().next().map_or(u64::MAX, u64::from), stage.split('.').nth(1));
    let number = |n: &str| n.parse().unwrap_or(u64::MAX);
    numbers.map(number).chain([stage.0, stage.1.map_or(0, number)]).collect()
}

/// Whether a release is the wanted one, or a patch of the wanted minor release, or of the wanted stage
/// before it (`1.38-alpha`).
pub(crate) fn is_release(release: &str, wanted: &str) -> bool {
    let wanted = wanted.trim_start_matches('v');
    let release = release.trim_start_matches('v');
    [release.to_owned(), release.replacen(".0-", "-", 1)].iter().any(|name| {
        name == wanted || name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'))
    })
}

/// The kind of scenario, as recordings are named.
pub(crate) fn kind(recorded: &Recorded) -> &'static str {
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
            ("v1.38.0-alpha.1", "1.38", true),
            ("v1.38.0-alpha.1", "1.38-alpha", true),
            ("v1.38.0-beta.0", "1.38-alpha", false),
        ] {
            assert_eq!(is_release(release, wanted), is, "{release} {wanted}");
        }
    }

    #[test]
    fn releases_sort_by_number() {
        assert!(numbers("v1.9.11") < numbers("v1.10.0"));
        assert!(numbers("v1.34.4") < numbers("v1.34.10"));
        let all = ["v1.37.1", "v1.38.0-alpha.0", "v1.38.0-alpha.10", "v1.38.0-beta.0", "v1.38.0"];
        assert!(all.map(numbers).is_sorted());
    }
}
