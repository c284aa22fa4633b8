//! The playground as a folder: the page, which says what it may use and no more, its modules, the
//! examples, CodeMirror as the modules of its packages that their authors ship, and the simulation
//! as a module, which `extra/web/playground` is built into.

use super::examples;
use crate::report::files::{FileError, Folder};
use crate::report::html::{SHARED, UPLOT, UPLOT_LICENCE, modules, style};
use crate::report::json;
use crate::report::prelude::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use hmac_sha256::Hash;

/// The modules that the page loads beside those that every page of a run has.
const OWN: &[(&str, &str)] = modules! {
    "door.js" "asks.js" "share.js" "complete.js" "editor.js" "playground.js"
};

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
    let examples = examples::all().map(|(file, text)| (file, text.to_owned()));
    for (file, text) in files().into_iter().chain(examples) {
        folder.write(&file, |out| out.write_all(text.as_bytes()))?;
    }
    folder.write("examples.json", |out| json::pretty(out, &examples::listed()))?;
    folder.write("simulation.bin", |out| out.write_all(&module.packed()?))?;
    folder.finish_with(json!({ "playground": true })).map(drop)
}

/// The page and all that it runs, but for the simulation.
fn files() -> Vec<(String, String)> {
    let packages = PACKAGES.iter().map(|p| (p.file, p.text));
    let modules: Vec<_> = SHARED.iter().chain(OWN).copied().chain(packages).collect();
    let names: Vec<&str> = modules.iter().map(|(name, _)| *name).collect();
    let own = [
        ("index.html", page(&names)),
        ("style.css", style()),
        ("playground.css", LOOK.to_owned()),
        ("uplot.js", UPLOT.to_owned()),
        ("icon.svg", ICON.to_owned()),
        ("LICENSES.txt", licences()),
        (WORKER.0, WORKER.1.to_owned()),
    ];
    let modules = modules.into_iter().map(|(name, text)| (name, text.to_owned()));
    own.into_iter().chain(modules).map(|(name, text)| (name.to_owned(), text)).collect()
}

/// The licences of what others wrote.
fn licences() -> String {
    let mut text = format!("uPlot\n\n{UPLOT_LICENCE}");
    for package in &PACKAGES {
        text += &format!("\n\n{}\n\n{}", package.name, package.licence);
    }
    text
}

/// The page. `modules` are the files of those that it loads, so that the browser asks for all of
/// them at once.
fn page(modules: &[&str]) -> String {
    let names = import_map();
    let allowed = STANDARD.encode(Hash::hash(names.as_bytes()));
    // Attributes of style are what Chromium's own editing writes into text that is typed over coloured text, before the editor takes it away again.
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-{allowed}'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self'; worker-src 'self'; \
         img-src 'self' data:; base-uri 'none'; form-action 'none'"
    );
    let preload = |file: &&str| format!("<link rel=\"modulepreload\" href=\"{file}\">\n");
    let preloads: String = modules.iter().map(preload).collect();
    format!(
        "<!doctype html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
<meta name=\"referrer\" content=\"no-referrer\">
<meta name=\"generator\" content=\"taintsim {}\">
<title>taintsim playground</title>
<link rel=\"icon\" href=\"icon.svg\">
<link rel=\"preload\" href=\"simulation.bin\" as=\"fetch\" crossorigin>
<script type=\"importmap\">{names}</script>
{preloads}<link rel=\"stylesheet\" href=\"style.css\">
<link rel=\"stylesheet\" href=\"playground.css\">
<script src=\"uplot.js\"></script>
<script type=\"module\" src=\"playground.js\"></script>
</head>
<body>
<noscript><p>The playground simulates in the browser, for which it needs JavaScript. The program does without: taintsim run FILE.</p></noscript>
<main id=\"page\" tabindex=\"-1\"></main>
</body>
</html>
",
        env!("CARGO_PKG_VERSION")
    )
}

/// Where the packages are that modules import by name.
fn import_map() -> String {
    let file = |p: &Package| (p.name.to_owned(), format!("./{}", p.file).into());
    json!({ "imports": PACKAGES.iter().map(file).collect::<Map<_, _>>() }).to_string()
}

/// Its name beside the program, where a release has it.
pub(crate) const FILE: &str = "taintsim-playground.wasm";

/// What every module begins with.
const MAGIC: &[u8] = b"\0asm";

/// A module of this release.
pub(crate) struct Module(Vec<u8>);

impl Module {
    /// Takes the bytes of a file.
    ///
    /// # Errors
    /// What they are instead, as the predicate of a sentence about the file.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, &'static str> {
        let own = concat!("taintsim-playground ", env!("CARGO_PKG_VERSION"), ";");
        if !bytes.starts_with(MAGIC) {
            Err("is no WebAssembly module")
        } else if !contains(&bytes, b"taintsim-playground ") {
            Err("is not taintsim's simulation for a browser")
        } else if !contains(&bytes, own.as_bytes()) {
            Err("is that of another release of taintsim")
        } else {
            Ok(Self(bytes))
        }
    }

    /// The module deflated, so that it is small from every server.
    ///
    /// # Errors
    /// None in memory.
    fn packed(&self) -> io::Result<Vec<u8>> {
        let mut out = DeflateEncoder::new(Vec::new(), Compression::best());
        out.write_all(&self.0)?;
        out.finish()
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// A package: the name under which modules import it, the name of its file, its module and its
/// licence.
struct Package {
    /// As modules import it.
    name: &'static str,
    /// The name of its file beside the page.
    file: &'static str,
    /// Its module.
    text: &'static str,
    licence: &'static str,
}

/// Packages of `extra/web/vendor/codemirror`, by their names and their folders there.
macro_rules! packages {
    ($($name:literal in $folder:literal),* $(,)?) => {
        [$(Package {
            name: $name,
            file: concat!($folder, ".js"),
            text: include_str!(concat!("../../../extra/web/vendor/codemirror/", $folder, "/index.js")),
            licence: include_str!(concat!("../../../extra/web/vendor/codemirror/", $folder, "/LICENSE")),
        }),*]
    };
}

const PACKAGES: [Package; 14] = packages![
    "@codemirror/autocomplete" in "codemirror-autocomplete",
    "@codemirror/commands" in "codemirror-commands",
    "@codemirror/language" in "codemirror-language",
    "@codemirror/lint" in "codemirror-lint",
    "@codemirror/search" in "codemirror-search",
    "@codemirror/state" in "codemirror-state",
    "@codemirror/streamparser" in "codemirror-streamparser",
    "@codemirror/view" in "codemirror-view",
    "@lezer/common" in "lezer-common",
    "@lezer/highlight" in "lezer-highlight",
    "@marijn/find-cluster-break" in "find-cluster-break",
    "crelt" in "crelt",
    "style-mod" in "style-mod",
    "w3c-keyname" in "w3c-keyname",
];

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

    #[test]
    fn the_policy_allows_the_map_of_names_and_nothing_else_within_the_page() {
        let text = page(&["a.js"]);
        let (_, rest) = text.split_once("<script type=\"importmap\">").unwrap();
        let (map, _) = rest.split_once("</script>").unwrap();
        let hash = STANDARD.encode(Hash::hash(map.as_bytes()));
        assert!(text.contains(&format!("'sha256-{hash}'")));
        assert_eq!(text.matches("unsafe-inline").count(), 1);
        assert!(
            text.contains("style-src-attr 'unsafe-inline';") && !text.contains("'unsafe-eval'")
        );
        assert_eq!(text.matches("<script>").count(), 0, "no script within the page");
    }

    #[test]
    fn only_a_module_of_this_release_is_taken() {
        let of = |text: &str| Module::new(text.as_bytes().to_vec()).map(drop);
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(of("#!/bin/sh"), Err("is no WebAssembly module"));
        assert_eq!(of("\0asm of others"), Err("is not taintsim's simulation for a browser"));
        assert_eq!(
            of(&format!("\0asm taintsim-playground {version}.1;")),
            Err("is that of another release of taintsim")
        );
        assert_eq!(of(&format!("\0asm taintsim-playground {version};")), Ok(()));
    }

    /// A package that another one needs is there, too.
    #[test]
    fn no_package_is_missing() {
        for package in &PACKAGES {
            let needed = package.text.split(" from '").skip(1);
            let needed = needed.chain(package.text.split(" from \"").skip(1));
            for name in needed.filter_map(|rest| rest.split(['\'', '"']).next()) {
                let known = PACKAGES.iter().any(|p| p.name == name);
                let prose = name.contains([' ', '\n']);
                assert!(known || prose, "{} needs {name}", package.name);
            }
        }
    }
}
