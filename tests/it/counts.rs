//! How long functions and files are, counted and printed, and held to limits: as rustfmt writes
//! them, at its own width of 100 columns.
//!
//! `cargo test --test it counts -- --nocapture` prints the counts.

use crate::tidy::{fail_if_any, files};

/// Half of the functions are no longer than this.
const MEDIAN: usize = 11;
/// Nine of ten functions are no longer than this.
const NINE_OF_TEN: usize = 38;
/// No function is longer, but for tables.
const LONGEST: usize = 100;
/// No file of code is longer.
const FILE: usize = 640;
/// No file of tests or benches is longer.
const TEST_FILE: usize = 900;

/// Functions that are one table: a match with an arm for each word, or a list of literals.
const TABLES: [&str; 3] = [
    // The switches of the oldest release, and what tests hold them to.
    "oldest",
    "node_lifecycle_switches",
    // What each kind of step of a plan is, in words.
    "words",
];

struct Function {
    file: String,
    line: usize,
    name: String,
    lines: usize,
}

/// The name of the function that a line begins to define.
fn defined(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = match after.strip_prefix('(') {
            Some(inner) => inner.split_once(')')?.1,
            None => after,
        };
        rest = rest.trim_start();
    }
    for word in ["const ", "async "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    Some(&name[..name.find(|c: char| !(c.is_alphanumeric() || c == '_'))?])
}

/// The functions of a file with a body, each from the line with its name to its closing brace.
fn functions(file: &str, text: &str) -> Vec<Function> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some(name) = defined(line) else { continue };
        let opens = |l: &&&str| l.trim_end().ends_with('{') || l.contains("{}");
        let whole = |l: &&&str| l.trim_end().ends_with([';', '}']) && !l.trim().starts_with('}');
        let Some(head) = lines[i..].iter().position(|l| opens(&l) || whole(&l)) else {
            continue;
        };
        let last = lines[i + head].trim_end();
        let indent = &line[..line.len() - line.trim_start().len()];
        let body = match last.chars().last() {
            Some('{') => lines[i + head..].iter().position(|l| l.strip_prefix(indent) == Some("}")),
            Some('}') => Some(0),
            _ => None,
        };
        if let Some(body) = body {
            found.push(Function {
                file: file.to_owned(),
                line: i + 1,
                name: name.to_owned(),
                lines: head + body + 1,
            });
        }
    }
    found
}

#[test]
#[expect(clippy::print_stdout, reason = "the counts are meant to be read")]
fn functions_and_files_are_short() {
    let sources = files("src", "rs");
    let mut all: Vec<Function> =
        sources.iter().flat_map(|(file, text)| functions(file, text)).collect();
    all.sort_by_key(|f| std::cmp::Reverse(f.lines));
    let at = |share: usize| all[all.len() * share / 100].lines;
    let over = |lines: usize| all.iter().filter(|f| f.lines > lines).count();
    let lines: usize = sources.iter().map(|(_, text)| text.lines().count()).sum();
    println!(
        "{} files, {lines} lines, {} functions: median {}, nine of ten at most {}, {} over 60, \
         {} over 100, longest {}",
        sources.len(),
        all.len(),
        at(50),
        at(10),
        over(60),
        over(100),
        all[0].lines,
    );
    let mut complaints: Vec<String> = all
        .iter()
        .filter(|f| f.lines > LONGEST && !TABLES.contains(&f.name.as_str()))
        .map(|f| format!("{}:{}: {} has {} lines", f.file, f.line, f.name, f.lines))
        .collect();
    let others = files("tests", "rs").into_iter().chain(files("benches", "rs"));
    for (file, text) in sources.into_iter().chain(others) {
        let is_test = !file.starts_with("src/") || file.contains("/tests");
        let (length, most) = (text.lines().count(), if is_test { TEST_FILE } else { FILE });
        if length > most {
            complaints.push(format!("{file} has {length} lines"));
        }
    }
    fail_if_any("too long", &complaints);
    assert!(at(50) <= MEDIAN, "the median function has {} lines", at(50));
    assert!(at(10) <= NINE_OF_TEN, "one of ten functions has more than {} lines", at(10));
}

#[test]
fn functions_are_counted_from_name_to_brace() {
    let text = "fn one() {}\n\nimpl A {\n    pub(crate) const fn two(\n        a: u8,\n    ) -> u8 {\n        \
                a\n    }\n\n    fn three(&self);\n}\n";
    let found: Vec<(String, usize)> =
        functions("f", text).into_iter().map(|f| (f.name, f.lines)).collect();
    assert_eq!(found, [("one".to_owned(), 1), ("two".to_owned(), 5)]);
}
