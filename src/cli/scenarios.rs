//! Which scenarios a command line means: files, folders that hold them, patterns, standard input;
//! and what reports call them.

use super::prelude::*;
use crate::language::few;
use crate::report::is_results;
use std::path::Component;

/// The scenarios that paths mean.
#[derive(Default)]
pub(crate) struct Scenarios {
    /// Each once, in the order of the paths; those of a folder by name.
    pub(crate) files: Vec<PathBuf>,
    /// Folders that were not looked into.
    passed_over: Vec<PathBuf>,
}

impl Scenarios {
    /// What may help where there is none.
    pub(crate) fn help(&self) -> Option<String> {
        let names = few(3, self.passed_over.iter().map(|folder| shown(folder)));
        (!names.is_empty()).then(|| {
            format!("hidden folders and results of runs are passed over ({names}); name the file that is meant")
        })
    }

    /// Those in a folder and its folders, sorted by name; `asked` is the path that was given.
    fn collect(&mut self, folder: &Path, asked: &str) -> io::Result<()> {
        if is_passed_over(folder, asked) {
            self.passed_over.push(folder.to_owned());
            return Ok(());
        }
        let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            // The type of the entry itself: a link to a folder is not followed, so that a loop of links
            // ends.
            if entry.file_type()?.is_dir() {
                self.collect(&path, asked)?;
            } else if path.extension().is_some_and(|e| e == "ron") {
                self.files.push(path);
            }
        }
        Ok(())
    }
}

/// Whether a folder is hidden and not asked for by its name, or holds results: their copies of scenarios are nobody's own.
fn is_passed_over(folder: &Path, asked: &str) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && !asked.contains(&*name) || is_results(folder)
}

/// The scenarios that the paths mean.
///
/// # Errors
/// A path that is not there, a pattern that nothing matches or that is none, a folder that cannot
/// be read.
pub(crate) fn scenarios(paths: &[PathBuf]) -> Result<Scenarios> {
    let mut all = Scenarios::default();
    let add = |all: &mut Scenarios, path: &Path, asked: &str| -> Result<()> {
        let failed =
            |e| Failure::Io(format!("cannot read {}: {}", path.display(), files::said(&e)));
        if path.is_dir() {
            return all.collect(path, asked).map_err(failed);
        }
        all.files.push(path.to_owned());
        Ok(())
    };
    for path in paths {
        // What begins as an option does can be given again so.
        let is_like_option = path.to_string_lossy().starts_with('-') && !file::is_stdin(path);
        let path = &if is_like_option { Path::new(".").join(path) } else { path.clone() };
        let text = path.to_string_lossy();
        if path.exists() || file::is_stdin(path) {
            add(&mut all, path, &text)?;
        } else if text.contains(['*', '?', '[']) {
            let found = glob::glob(&text).map_err(|e| {
                Failure::Input(Problem::new(format!("`{text}` is not a pattern: {}", e.msg)))
            })?;
            let found: Vec<PathBuf> = found.flatten().collect();
            if found.is_empty() {
                return Err(Failure::Input(Problem::new(format!("no file matches {text}"))));
            }
            for path in &found {
                match path.ancestors().skip(1).find(|folder| is_passed_over(folder, &text)) {
                    Some(folder) => all.passed_over.push(folder.to_owned()),
                    None => add(&mut all, path, &text)?,
                }
            }
        } else {
            file::there(path)?;
            // It is there after all; reading it will show what is wrong with it.
            add(&mut all, path, &text)?;
        }
    }
    let mut seen = BTreeSet::new();
    all.files.retain(|file| seen.insert(file::place(file)));
    Ok(all)
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
