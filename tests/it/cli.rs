//! The command line as people and scripts meet it: exit codes, what goes to which stream, files,
//! and that nothing of it depends on chance, threads or what was there before.

mod bad_input;
mod cannot_fail;
mod determinism;
mod diff;
mod explain;
mod explain_pressure;
mod explain_remedies;
mod explain_start;
mod explain_waits;
mod explore;
mod explore_finds;
mod export_zone_lost;
mod exports;
mod faults;
mod files;
mod folders;
mod hostile;
mod html;
mod interrupt;
mod jobs;
mod odds;
mod output;
mod packed;
mod plan;
mod playground;
mod report;
mod shards;
mod shrink;
#[cfg(target_os = "linux")]
mod strangers;
mod streams;
mod survey;
mod sweep;
mod test;
mod test_reasons;
mod timeline;
mod volumes;
mod warnings;

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A folder of its own, gone at the end.
pub(crate) struct Scratch(PathBuf);

/// What a call came to.
pub(crate) struct Called {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A text without the line breaks that the width of a terminal makes.
pub(crate) fn unfolded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let path = std::env::temp_dir().join(format!(
            "taintsim-cli-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Relaxed)
        ));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    /// With a scenario of two zones and two groups of pods.
    fn with_starter() -> Self {
        let scratch = Self::new();
        scratch.write("a.ron", include_str!("../scenarios/valid/bare-pods.ron"));
        scratch
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path(name), text).expect("can be written");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).expect("UTF-8")
    }

    /// Replaces a text that stands in the starter, and writes the result under another name.
    fn edited(&self, name: &str, from: &str, to: &str) {
        let text = self.text("a.ron");
        assert!(text.contains(from), "the starter has {from:?}");
        self.write(name, text.replacen(from, to, 1));
    }

    /// The names in a folder, sorted.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::cargo_bin("taintsim").expect("the program");
        command
            .current_dir(&self.0)
            .args(args)
            .env_remove("COLUMNS")
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR_FORCE")
            .env_remove("RUST_BACKTRACE");
        command
    }

    /// Calls the program in this folder.
    pub(crate) fn call(&self, args: &[&str]) -> Called {
        self.call_with(args, "")
    }

    /// Calls the program with room for eighty columns.
    fn narrow(&self, args: &[&str]) -> Called {
        let output = self.command(args).env("COLUMNS", "80").output().expect("the program runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Called {
            code: output.status.code().expect("an exit code"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Calls the program with a standard input.
    fn call_with(&self, args: &[&str], stdin: impl Into<Vec<u8>>) -> Called {
        let output = self.command(args).write_stdin(stdin).output().expect("the program runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Called {
            code: output.status.code().expect("an exit code"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Called {
    /// That it failed with a code, said this on standard error, and nothing on standard output.
    fn fails(&self, code: i32, said: &[&str]) {
        assert_eq!(self.code, code, "{}", self.stderr);
        for words in said {
            assert!(self.stderr.contains(words), "{words:?} in: {}", self.stderr);
        }
        assert_eq!(self.stdout, "");
        assert!(
            !self.stderr.contains("internal error") && !self.stderr.contains("panicked"),
            "{}",
            self.stderr
        );
    }
}

/// The repository.
fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
