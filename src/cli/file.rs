//! A file that appears as a whole or not at all, and takes the place of no other unasked.

use super::failure::Failure;
use super::interrupt;
use super::terminal::Terminal;
use crate::scenario::Problem;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where a command writes the scenario that it makes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ScenarioOut {
    /// The scenario to write [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace a scenario that is there
    #[arg(long, requires = "out")]
    force: bool,
}

impl ScenarioOut {
    /// The file; none for standard output. One that is there is refused, before any work is done for it.
    pub(crate) fn file(&self) -> Result<Option<&Path>, Failure> {
        let file = self.out.as_deref().filter(|out| out.as_os_str() != "-");
        file.map_or(Ok(()), |path| replaces_only_by_force(path, self.force))?;
        Ok(file)
    }
}

/// Refuses to replace a file that is there, unless by force.
pub(crate) fn replaces_only_by_force(path: &Path, force: bool) -> Result<(), Failure> {
    if force || path.symlink_metadata().is_err() {
        return Ok(());
    }
    let problem = Problem::new(format!("{} exists; it is left as it is", path.display()));
    Err(Failure::Input(problem.help("name another file, or replace this one with --force")))
}

/// Writes a text to a file, as [`write_whole`] does, or to standard output.
pub(crate) fn write_text(file: Option<&Path>, text: &str, terminal: &Terminal) -> Result<(), Failure> {
    let Some(path) = file else {
        let mut out = terminal.out();
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    };
    write_whole(path, text.as_bytes())
}

/// Writes a file under a temporary name beside it and renames it. What is there and no plain file, `/dev/stdout` say, is
/// written to directly.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    interrupt::heeding(|| write(path, bytes)).map_err(|error| {
        if interrupt::asked() { Failure::Interrupted(format!("interrupted; {} was not written", path.display())) } else { error }
    })
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::write(path, &error),
    };
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path).and_then(|mut f| f.write_all(bytes)).map_err(failed);
    }
    let Some(name) = path.file_name().filter(|_| !path.is_dir()) else {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    };
    let temporary = path.with_file_name(format!(".{}.{}.tmp", name.to_string_lossy(), std::process::id()));
    interrupt::unfinished(&temporary);
    let written = File::create(&temporary).and_then(|mut f| f.write_all(bytes)).and_then(|()| fs::rename(&temporary, path));
    interrupt::finished();
    if written.is_err() {
        // Nothing is left behind, if the file was created at all.
        let _ = fs::remove_file(&temporary);
    }
    written.map_err(failed)
}
