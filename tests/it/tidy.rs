//! Reads the source tree and holds it to what ARCHITECTURE.md says: the header of every module,
//! words that have no place here; and that nothing which ships is forgotten by
//! the tests or missing from the documents. Who imports whom is in `imports.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All files below a folder of the repository, by name, with their path from its root.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            panic!("{} cannot be read", folder.display())
        };
        for entry in entries {
            let path: PathBuf = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// Everything of ours that is text: code, documents, scenarios.
fn texts() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (folder, extension) in [
        ("src", "rs"),
        ("src", "ron"),
        ("tests", "rs"),
        ("tests", "ron"),
        ("benches", "rs"),
        ("scenarios", "ron"),
        ("docs", "md"),
    ] {
        all.extend(files(folder, extension));
    }
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "Cargo.toml",
        ".clippy.toml",
        ".ci/run",
    ] {
        all.push((
            name.to_owned(),
            fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}")),
        ));
    }
    all
}

pub(crate) fn fail_if_any(what: &str, complaints: &[String]) {
    assert!(complaints.is_empty(), "{what}:\n  {}", complaints.join("\n  "));
}

/// A file without its comments and the texts in it.
pub(crate) fn code_of(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in text.lines() {
        let mut in_text = false;
        let mut previous = ' ';
        for (i, c) in line.char_indices() {
            if c == '"' && previous != '\\' && previous != '\'' {
                in_text = !in_text;
            } else if !in_text && line[i..].starts_with("//") {
                break;
            }
            if !in_text {
                code.push(c);
            }
            previous = c;
        }
        code.push('\n');
    }
    code
}

#[test]
fn every_module_begins_with_its_header() {
    let mut complaints = Vec::new();
    for (file, text) in
        files("src", "rs").into_iter().chain(files("tests", "rs")).chain(files("benches", "rs"))
    {
        let header: String = text.lines().take_while(|l| l.starts_with("//!")).collect();
        if header.len() < 12 {
            complaints.push(file);
        }
    }
    fail_if_any("files that do not begin by saying what they are", &complaints);
}

/// Whether a text has a word. Upstream's files may be called what they are: `controller_utils.go`
/// and `utils.go` do not count.
fn has_word(text: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let ends_as_word = word.ends_with(part);
    text.match_indices(word).any(|(i, _)| {
        let rest = &text[i + word.len()..];
        let before = word.starts_with(part) && text[..i].ends_with(part);
        let after = ends_as_word && (rest.starts_with(part) || rest.starts_with(".go"));
        !before && !after
    })
}

#[test]
fn words_that_have_no_place_here_are_absent() {
    // Written in two parts, so that this list is not its own finding.
    let words = [
        concat!("to", "do!"),
        concat!("TO", "DO"),
        concat!("unimple", "mented!"),
        concat!("FIX", "ME"),
        concat!("X", "XX"),
        concat!("db", "g!"),
        concat!("ut", "ils"),
        concat!("To co", "me."),
        concat!("#[al", "low("),
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/Us", "ers/"),
        concat!("C:", "\\Users"),
    ];
    let mut complaints = Vec::new();
    for (file, text) in texts() {
        for (n, line) in text.lines().enumerate() {
            complaints.extend(
                words
                    .iter()
                    .filter(|w| has_word(line, w))
                    .map(|w| format!("{file}:{}: `{w}`", n + 1)),
            );
        }
    }
    fail_if_any("words that have no place here", &complaints);
}

#[test]
fn every_file_of_this_binary_is_declared() {
    let main = fs::read_to_string(root().join("tests/it/main.rs")).unwrap();
    let mut complaints = Vec::new();
    for (file, _) in files("tests/it", "rs") {
        let inner = file.strip_prefix("tests/it/").unwrap().strip_suffix(".rs").unwrap();
        // Files of folders are the business of the folder's own module.
        if inner != "main"
            && !inner.contains('/')
            && !main.lines().any(|l| l.trim() == format!("mod {inner};"))
        {
            complaints.push(file);
        }
    }
    fail_if_any("files that no test binary compiles", &complaints);
}

#[test]
fn every_shipped_scenario_is_run_by_a_test() {
    let read = |name: &str| fs::read_to_string(root().join("tests/it").join(name)).unwrap();
    let tests = read("scenarios.rs") + &read("races.rs");
    let mut complaints = Vec::new();
    for (file, text) in files("scenarios", "ron") {
        let (folder, _) = file.rsplit_once('/').unwrap();
        let runs = tests.split("scenarios_of(&[").skip(1).filter_map(|t| t.split(']').next());
        if !runs.flat_map(|list| list.split(", ")).any(|f| f == format!("\"{folder}\"")) {
            complaints.push(format!("{file}: no test runs the folder {folder}"));
        }
        if !text.starts_with("// ") {
            complaints.push(format!("{file}: does not begin by saying what it is for"));
        }
    }
    fail_if_any("scenarios", &complaints);
}

/// A file is named by its path, or by the end of it; a name in parentheses behind it stands in it.
#[test]
fn files_that_the_architecture_names_are_there() {
    let roots = ["src", "tests", "benches", "extra"].into_iter();
    let all: Vec<_> = roots.flat_map(|root| files(root, "rs")).collect();
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let parts: Vec<&str> = text.split('`').collect();
    let mut complaints = Vec::new();
    for (i, named) in parts.iter().enumerate().skip(1).step_by(2) {
        if !named.ends_with(".rs") || named.contains(['{', '*', ' ']) {
            continue;
        }
        let end = format!("/{named}");
        let meant: Vec<_> =
            (all.iter()).filter(|(file, _)| file == named || file.ends_with(&end)).collect();
        if meant.is_empty() {
            complaints.push(format!("{named} is not there"));
        }
        let Some([" (", name]) = parts.get(i + 1..i + 3) else {
            continue;
        };
        let name = name.rsplit("::").next().unwrap_or(name);
        if !meant.iter().any(|(_, text)| has_word(text, name)) {
            complaints.push(format!("{named} has no {name}"));
        }
    }
    fail_if_any("names of ARCHITECTURE.md", &complaints);
}

#[test]
fn links_of_the_documents_lead_somewhere() {
    let mut complaints = Vec::new();
    for (file, text) in texts() {
        if !file.ends_with(".md") {
            continue;
        }
        let folder = root().join(&file).parent().unwrap().to_path_buf();
        for (i, _) in text.match_indices("](") {
            let target = text[i + 2..].split(')').next().unwrap_or("");
            let path = target.split('#').next().unwrap_or("");
            if !path.is_empty() && !target.contains("://") && !folder.join(path).exists() {
                complaints.push(format!("{file}: {target}"));
            }
        }
    }
    fail_if_any("links that lead nowhere", &complaints);
}

/// What reads and writes files may do so.
const FILES: [&str; 2] = ["src/files/", "src/report/files.rs"];

#[test]
fn files_are_read_and_written_in_one_place() {
    let words = [
        "File::",
        "OpenOptions",
        "fs::read(",
        "read_to_string(",
        "read_to_end(",
        "fs::write(",
        "fs::rename",
        "fs::copy(",
        "fs::create_dir",
        "fs::remove_",
    ];
    let mut complaints = Vec::new();
    for (file, text) in files("src", "rs") {
        if FILES.iter().any(|own| file.starts_with(own))
            || file.ends_with("tests.rs")
            || file.contains("/tests/")
        {
            continue;
        }
        let code = code_of(&text);
        // Tests at the end of a file write what they read.
        let code = &code[..code.find("#[cfg(test)]").unwrap_or(code.len())];
        complaints
            .extend(words.iter().filter(|w| has_word(code, w)).map(|w| format!("{file}: `{w}`")));
    }
    fail_if_any("files that are read or written past src/files", &complaints);
}

#[test]
fn every_dependency_has_its_reason_in_the_architecture() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let architecture = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut section = "";
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if let Some((name, _)) = line.split_once(" = ") {
            sections.entry(section).or_default().push(name);
        }
    }
    let named = ["[dependencies]", "[dev-dependencies]"]
        .into_iter()
        .flat_map(|s| sections.get(s).cloned().unwrap_or_default());
    let complaints: Vec<String> = named
        .filter(|name| !architecture.contains(&format!("`{name}`")))
        .map(|name| format!("`{name}`"))
        .collect();
    fail_if_any("dependencies that ARCHITECTURE.md gives no reason for", &complaints);
}

/// Whoever adds a choice says in the table of `docs/model.md` what its odds are and where they come from.
#[test]
fn every_choice_point_has_its_odds_in_the_table() {
    let docs = fs::read_to_string(root().join("docs/model.md")).expect("the model");
    let table = docs.split("## Choices").nth(1).expect("a table of choices");
    let table = table.split("\n## ").next().unwrap_or_default();
    let parts = ["src/client", "src/controllers", "src/sim"];
    let code = parts.into_iter().flat_map(|part| files(part, "rs"));
    let mut missing = Vec::new();
    let mut seen = 0;
    for (file, text) in code {
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let named = ["point(\"", "draw(\""].into_iter().flat_map(|call| text.split(call).skip(1));
        for name in named.filter_map(|t| t.split('"').next()) {
            seen += 1;
            // Within a jitter, named by whoever has it.
            let is_told = ["each", "pairs"].contains(&name) || table.contains(&format!("`{name}`"));
            if !is_told {
                missing.push(format!("{file}: {name}"));
            }
        }
    }
    assert!(seen > 50, "{seen} choice points found");
    fail_if_any("choices without their odds", &missing);
}
