//! A file that appears as a whole or not at all, and takes the place of no other unasked.

use super::failure::Failure;
use super::interrupt;
use super::terminal::Terminal;
use crate::files;
use crate::language::Problem;
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
    /// The file; none for standard output. One that is there is refused, before any work is done
    /// for it.
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
    Err(Failure::Input(problem.help(
        "name another file, or replace this one with --force",
    )))
}

/// Writes a text to a file, as [`write_whole`] does, or to standard output.
pub(crate) fn write_text(
    file: Option<&Path>,
    text: &str,
    terminal: &Terminal,
) -> Result<(), Failure> {
    // In a scenario such characters stand in its strings, which mean the same with them escaped.
    let text = files::shown(text);
    let Some(path) = file else {
        let mut out = terminal.out();
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    };
    write_whole(path, text.as_bytes())
}

/// Writes a file as a whole or not at all, as [`files::replace`] does.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = interrupt::heeding(|| {
        let written = files::replace(path, bytes, interrupt::unfinished);
        interrupt::finished();
        written
    });
    written.map_err(|error| match error.kind() {
        _ if interrupt::asked() => {
            Failure::Interrupted(format!("interrupted; {} was not written", path.display()))
        }
        io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
        _ => Failure::write(path, &error),
    })
}
