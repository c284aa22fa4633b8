//! Which scenarios a command line means: files, folders that hold them, patterns, standard input;
//! and what reports call them.

use super::prelude::*;
use std::path::Component;

/// The scenarios that the paths mean, each once, in the order of the paths; those of a folder by
/// name.
///
/// # Errors
/// A path that is not there, a pattern that nothing matches or that is none, a folder that cannot
/// be read.
pub(crate) fn scenarios(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut add = |path: &Path| -> Result<()> {
        let failed =
            |e| Failure::Io(format!("cannot read {}: {}", path.display(), files::said(&e)));
        if path.is_dir() {
            return collect(path, &mut files).map_err(failed);
        }
        files.push(path.to_owned());
        Ok(())
    };
    for path in paths {
        let text = path.to_string_lossy();
        if path.exists() || file::is_stdin(path) {
            add(path)?;
        } else if text.contains(['*', '?', '[']) {
            let found = glob::glob(&text).map_err(|e| {
                Failure::Input(Problem::new(format!("`{text}` is not a pattern: {}", e.msg)))
            })?;
            let found: Vec<PathBuf> = found.flatten().collect();
            if found.is_empty() {
                return Err(Failure::Input(Problem::new(format!("no file matches {text}"))));
            }
            found.iter().try_for_each(|file| add(file))?;
        } else {
            file::there(path)?;
            // It is there after all; reading it will show what is wrong with it.
            add(path)?;
        }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file::place(file)));
    Ok(files)
}

/// What scenarios are called on every machine: below the working folder by the path from there,
/// elsewhere by the path from the folder that was asked for, or by the file's name. Several of one
/// name are numbered.
pub(crate) fn ids(files: &[PathBuf], paths: &[PathBuf]) -> Vec<String> {
    let here = std::env::current_dir().unwrap_or_default();
    let mut ids: Vec<String> = Vec::new();
    for file in files {
        let below = |folder: &PathBuf| {
            file.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty())
        };
        let stable = match file.strip_prefix(&here) {
            Ok(rest) => rest,
            Err(_) if file.is_relative() => file,
            Err(_) => {
                paths.iter().find_map(below).or(file.file_name().map(Path::new)).unwrap_or(file)
            }
        };
        let parts = stable.components().filter(|c| *c != Component::CurDir);
        let parts = parts.map(|c| c.as_os_str().to_string_lossy());
        let name = parts.collect::<Vec<_>>().join("/");
        let again = |n: usize| {
            if n == 1 { name.clone() } else { format!("{name} ({n})") }
        };
        ids.extend((1..).map(again).find(|id| !ids.contains(id)));
    }
    ids
}

/// The scenarios in a folder and its folders, sorted by name.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // The type of the entry itself: a link to a folder is not followed, so that a loop of links
        // ends.
        if entry.file_type()?.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "ron") {
            files.push(path);
        }
    }
    Ok(())
}
