//! Commands that pages show can be called: the scenarios that they name are there, and those that run one
//! end well, with the settings that they give it.

use crate::cli::Scratch;
use crate::tidy::root;
use std::fs;

/// The pages, each with its text.
fn pages() -> Vec<(String, String)> {
    let folder = fs::read_dir(root().join("docs")).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<_> = folder.filter(|f| f.extension().is_some_and(|e| e == "md")).collect();
    files.push(root().join("README.md"));
    files.sort();
    let read = |f: &std::path::PathBuf| {
        (f.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(f).unwrap())
    };
    files.iter().map(read).collect()
}

/// What is called in the `console` blocks of a page, without the name of the program.
fn commands(page: &str) -> Vec<String> {
    let (mut all, mut inside) = (Vec::<String>::new(), false);
    for line in page.lines() {
        if let Some(kind) = line.strip_prefix("```") {
            inside = kind == "console";
            continue;
        }
        let begins = line.strip_prefix("$ taintsim ").filter(|_| inside);
        match all.last_mut() {
            // It goes on in the next line.
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push_str(line.trim_start());
            }
            _ => all.extend(begins.map(str::to_owned)),
        }
    }
    all
}

/// The words of a command as a shell takes them, up to a comment.
fn words(command: &str) -> Vec<String> {
    let (mut all, mut quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => all.push(String::new()),
            c => all.last_mut().unwrap().push(c),
        }
    }
    all.retain(|word| !word.is_empty());
    let comment = all.iter().position(|word| word.starts_with('#'));
    all.truncate(comment.unwrap_or(all.len()));
    all
}

fn is_scenario(word: &str) -> bool {
    word.starts_with("scenarios/") && word.ends_with(".ron") && !word.contains('*')
}

/// Whether it is one run, or one for each value, of a scenario of this repository. A name that ends in `…` is
/// the reader's to fill in.
fn is_quick(words: &[String]) -> bool {
    let is_known = |word: &str| ["run", "sweep", "explain"].contains(&word);
    let is_left_out = |word: &String| word.contains('…') || word == "--seeds" || word == "|";
    is_known(&words[0]) && words.iter().any(|w| is_scenario(w)) && !words.iter().any(is_left_out)
}

#[test]
fn commands_of_pages_can_be_called() {
    let scratch = Scratch::new();
    let mut called = 0;
    for (page, text) in pages() {
        for command in commands(&text) {
            let words = words(&command);
            for scenario in words.iter().filter(|word| is_scenario(word)) {
                assert!(root().join(scenario).exists(), "{page}: there is no {scenario}");
            }
            if !is_quick(&words) {
                continue;
            }
            let in_place = |word: &String| match is_scenario(word) {
                true => root().join(word).to_string_lossy().into_owned(),
                false => word.clone(),
            };
            let mut all: Vec<String> = words.iter().map(in_place).collect();
            if words[0] == "sweep" {
                all.extend(["--seeds".to_owned(), "1".to_owned()]);
            }
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            let done = scratch.call(&all);
            assert_eq!(done.code, 0, "{page}: taintsim {command}\n{}", done.stderr);
            called += 1;
        }
    }
    // As many as six pages had when this was written.
    assert!(called >= 12, "{called} commands");
}
