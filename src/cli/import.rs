//! `taintsim import`: turns what `kubectl get nodes,pods,… -A -o json` prints into a scenario.
//!
//! stdout has the scenario, or the file of `--out`; stderr has what was taken and what was left
//! out.

use super::prelude::*;

/// Arguments of `taintsim import`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ImportArgs {
    /// What `kubectl get
    /// nodes,pods,leases,deployments,replicasets,statefulsets,daemonsets,jobs,pdb,priorityclasses,pv,pvc,storageclasses,csidrivers,csinodes,volumeattachments
    /// -A -o json` (or yaml) printed, also gzipped, and of clusters with DRA resourceslices,resourceclaims,
    /// resourceclaimtemplates,deviceclasses,devicetaintrules, too, and nodereadinessrules of those with the node
    /// readiness controller; `-` is standard input. Several files make one cluster
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
    let terminal = &terminal.quietly(args.quiet);
    args.out.only_scenarios()?;
    let to_file = args.out.file(&args.files)?;
    let inputs = args.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    let cluster = ImportedCluster::read(&inputs)
        .and_then(ImportedCluster::simulable)
        .and_then(ImportedCluster::builds)?;
    let text = cluster.to_scenario();
    write_text(to_file, &text, terminal)?;
    terminal.aside(cluster.summary.lines());
    if let Some(out) = to_file.filter(|f| file::is_kept(f)).map(Path::display) {
        terminal.aside([format!("Wrote {out}. Nothing goes wrong in it yet: its `timeline` is commented out. Then: taintsim run {out}")]);
    }
    Ok(Exit::Fine)
}

pub(super) fn read(file: &Path) -> Result<Input> {
    if file::is_stdin(file) {
        return Ok(Input::from_bytes(file::STDIN, file::stdin()?)?);
    }
    file::there(file)?;
    match file.to_str() {
        Some(_) => Ok(Input::open(file)?),
        None => Err(Problem::new(format!("the name of {} is not UTF-8", file.display())).into()),
    }
}
