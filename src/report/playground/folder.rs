//! The playground as a folder: the page, its modules, the examples, the simulation.

use super::editor::PACKAGES;
use super::{examples, module::Module, page};
use crate::report::file_error::FileError;
use crate::report::files::Folder;
use crate::report::html::{UPLOT, UPLOT_LICENCE, shared, style};
use crate::report::json;
use serde_json::json;
use std::path::Path;

/// Modules of the playground alone, beside those that every page of a run has.
macro_rules! modules {
    ($($file:literal),* $(,)?) => {
        [$(($file, include_str!(concat!("../../../extra/web/", $file)))),*]
    };
}

/// Those that the page loads.
const OWN: [(&str, &str); 6] =
    modules!["door.js", "asks.js", "share.js", "complete.js", "editor.js", "playground.js",];

/// The one that runs beside it.
const WORKER: (&str, &str) = ("worker.js", include_str!("../../../extra/web/worker.js"));

const LOOK: &str = include_str!("../../../extra/web/playground.css");
const ICON: &str = include_str!("../../../extra/web/icon.svg");

/// Writes the folder `parent/name`; an earlier playground there is replaced as a whole. `begun` gets
/// the temporary folder as soon as it exists, so that it can be removed if the process is ended
/// early.
///
/// # Errors
/// The folder is not ours, or it or a file in it cannot be written; what stood there stays.
pub(crate) fn write(
    (parent, name): (&Path, &str),
    module: &Module,
    begun: impl FnOnce(&Path),
) -> Result<(), FileError> {
    let mut folder = Folder::create(parent, name)?;
    begun(folder.temporary());
    for (file, text) in files() {
        folder.write(&file, |out| out.write_all(text.as_bytes()))?;
    }
    for (file, text) in examples::all() {
        folder.write(&file, |out| out.write_all(text.as_bytes()))?;
    }
    folder.write("examples.json", |out| json::write(out, &examples::listed()))?;
    folder.write("simulation.bin", |out| out.write_all(&module.packed()?))?;
    folder.finish_with(json!({ "playground": true })).map(drop)
}

/// The page and all that it runs, but for the simulation.
fn files() -> Vec<(String, String)> {
    let modules: Vec<(&str, &str)> =
        shared().chain(OWN).chain(PACKAGES.iter().map(|p| (p.file, p.text))).collect();
    let names: Vec<&str> = modules.iter().map(|(name, _)| *name).collect();
    let own = [
        ("index.html", page::page(&names)),
        ("style.css", style()),
        ("playground.css", LOOK.to_owned()),
        ("uplot.js", UPLOT.to_owned()),
        ("icon.svg", ICON.to_owned()),
        ("LICENSES.txt", licences()),
        (WORKER.0, WORKER.1.to_owned()),
    ];
    let own = own.map(|(name, text)| (name.to_owned(), text));
    let modules = modules.into_iter();
    own.into_iter().chain(modules.map(|(name, text)| (name.to_owned(), text.to_owned()))).collect()
}

/// The licences of what others wrote.
fn licences() -> String {
    let mut text = format!("uPlot\n\n{UPLOT_LICENCE}");
    for package in &PACKAGES {
        text.push_str(&format!("\n\n{}\n\n{}", package.name, package.licence));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a module imports is in the folder, or is a package of the editor.
    #[test]
    fn no_module_is_missing() {
        let files = files();
        for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".js")) {
            for part in text.split(" from './").skip(1) {
                let needed = part.split('\'').next().unwrap_or("");
                assert!(files.iter().any(|(file, _)| file == needed), "{name} imports {needed}");
            }
        }
        for (name, text) in OWN {
            for part in text.split(" from '@").skip(1) {
                let needed = format!("@{}", part.split('\'').next().unwrap_or(""));
                assert!(PACKAGES.iter().any(|p| p.name == needed), "{name} imports {needed}");
            }
        }
    }

    /// Names of files are told apart however a server or a disk writes them.
    #[test]
    fn every_file_has_a_name_of_its_own() {
        let mut names: Vec<String> = files().into_iter().map(|(name, _)| name).collect();
        names.extend(examples::all().map(|(name, _)| name));
        let count = names.len();
        names.iter_mut().for_each(|n| *n = n.to_lowercase());
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
