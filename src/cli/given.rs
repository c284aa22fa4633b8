//! A cluster as a person has it: a scenario, or what kubectl printed, as it stands.

use super::failure::Failure;
use super::kubectl::{self, KubectlArgs};
use super::run;
use super::shards::Inputs;
use super::suggest;
use super::terminal::Terminal;
use crate::import::KUBECTL;
use crate::language::Problem;
use crate::scenario::{self, Loaded};
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

/// The cluster that kubectl is asked for, as its plugin is where no file is given.
pub(super) fn asked(
    args: &KubectlArgs,
    command: &str,
    quiet: bool,
    terminal: &Terminal,
) -> Result<Loaded, Failure> {
    if !kubectl::is_plugin() {
        let problem = Problem::new("no cluster is given");
        return Err(Failure::Input(problem.help(format!(
            "`{KUBECTL} | taintsim {command} -`, or `kubectl taintsim {command}`"
        ))));
    }
    let loaded = scenario::parse(kubectl::SAID, args.get()?, Path::new(""))?;
    run::tell_imported(&loaded.imported, quiet, terminal);
    Ok(loaded)
}
