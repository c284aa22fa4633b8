//! `taintsim import`: turns what `kubectl get nodes,pods,… -A -o json` prints into a scenario.
//!
//! stdout has the scenario, or the file of `--out`; stderr has what was taken and what was left
//! out.

use super::failure::{Exit, Failure, Outcome};
use super::file::{self, ScenarioOut, write_text};
use super::terminal::Terminal;
use crate::import::{ImportError, ImportedCluster, Input};
use crate::language::Problem;
use std::io;
use std::path::{Path, PathBuf};

/// Arguments of `taintsim import`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// What `kubectl get
    /// nodes,pods,leases,deployments,replicasets,statefulsets,daemonsets,jobs,pdb,priorityclasses
    /// -A -o json` (or yaml) printed, also gzipped; `-` is standard input. Several files make one
    /// cluster
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    out: ScenarioOut,
    /// Do not say what was taken and what was left out
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn import(args: &ImportArgs, terminal: &Terminal) -> Outcome {
    args.out.only_scenarios()?;
    let to_file = args.out.file()?;
    let inputs = args.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let cluster = ImportedCluster::read(&inputs)
        .and_then(ImportedCluster::simulable)
        .and_then(ImportedCluster::builds)
        .map_err(|e| refused(&e))?;
    let text = cluster.to_scenario();
    write_text(to_file, &text, terminal)?;
    if !args.quiet {
        for line in cluster.summary.lines() {
            terminal.note(&line);
        }
        if let Some(out) = to_file.map(Path::display) {
            terminal.note(&format!("Wrote {out}. Nothing goes wrong in it yet: its `timeline` is commented out. Then: taintsim run {out}"));
        }
    }
    Ok(Exit::Fine)
}

pub(super) fn read(file: &Path) -> Result<Input, Failure> {
    if let Some(problem) = (file.as_os_str() != "-").then(|| file::missing(file)).flatten() {
        return Err(Failure::Input(problem));
    }
    match file.to_str() {
        Some(name) => Input::read(name, &mut io::stdin().lock()).map_err(|e| refused(&e)),
        None => Err(Failure::Input(Problem::new(format!(
            "the name of {} is not UTF-8",
            file.display()
        )))),
    }
}

fn refused(error: &ImportError) -> Failure {
    Failure::Input(Problem::new(error.to_string()))
}
