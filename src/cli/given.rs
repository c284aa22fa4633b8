//! A cluster as a person has it: a scenario, or what kubectl printed, as it stands.

use super::failure::Failure;
use super::run;
use super::shards::Inputs;
use super::suggest;
use super::terminal::Terminal;
use crate::scenario::Loaded;
use std::path::Path;

/// Reads a scenario or an export; `-` is standard input. Says what was taken of an export, unless
/// it is to be quiet.
pub(super) fn given(
    file: &Path,
    inputs: &Inputs,
    quiet: bool,
    terminal: &Terminal,
) -> Result<Loaded, Failure> {
    if file.as_os_str() != "-"
        && !inputs.has(file)
        && let Some(problem) = suggest::missing(file)
    {
        return Err(Failure::Input(problem));
    }
    let loaded = inputs.load(file)?;
    run::tell_imported(&loaded.imported, quiet, terminal);
    Ok(loaded)
}
