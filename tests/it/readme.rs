//! What README.md and docs/first-run.md show is what the program prints and draws.
//!
//! When it changes on purpose: `cargo test --test it write_the_readme_anew -- --ignored` writes
//! all of it.

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the README's example in a folder of its own and returns what it printed, and that folder.
fn example(name: &str) -> (String, PathBuf) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut command = Command::cargo_bin("taintsim").unwrap();
    let output = command
        .env_remove("COLUMNS")
        .current_dir(&folder)
        .arg("run")
        .arg(root().join("scenarios/zone-partition.ron"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned(),
        folder.join("output/zone-partition"),
    )
}

/// A document up to its block of output, the block, and the rest.
fn parts(document: &str) -> (&str, &str, &str) {
    let (before, rest) = document.split_once("```text\n").unwrap();
    let (block, after) = rest.split_once("\n```").unwrap();
    (before, block, after)
}

/// What the README shows of the output: the summary of the whole cluster.
fn summary(printed: &str) -> &str {
    let from = printed.find("Summary\n").unwrap();
    let length = printed[from..].find("\n\n").unwrap();
    &printed[from..from + length]
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn the_readme_shows_what_is_printed_and_drawn() {
    let (printed, folder) = example("readme");
    assert_eq!(printed, parts(&read("docs/first-run.md")).1);
    assert_eq!(summary(&printed), parts(&read("README.md")).1);
    let (drawn, shown) = (folder.join("timeline.svg"), root().join("docs/img/timeline.svg"));
    assert!(
        fs::read(drawn).unwrap() == fs::read(shown).unwrap(),
        "docs/img/timeline.svg is not the chart of the README's example"
    );
}

#[test]
#[ignore = "rewrites README.md, docs/first-run.md and docs/img"]
fn write_the_readme_anew() {
    let (printed, folder) = example("readme-anew");
    for (name, shown) in [("docs/first-run.md", &*printed), ("README.md", summary(&printed))] {
        let document = read(name);
        let (before, _, after) = parts(&document);
        let anew = format!("{before}```text\n{shown}\n```{after}");
        fs::write(root().join(name), anew).unwrap();
    }
    fs::copy(folder.join("timeline.svg"), root().join("docs/img/timeline.svg")).unwrap();
}
