//! Arguments of `taintsim forecast`.

use crate::cli::args::{ChangeArgs, duration};
use crate::cli::html::HtmlArg;
use crate::cli::kubectl::KubectlArgs;
use crate::cli::output::{OutputArg, TableFormat};
use crate::kernel::Dur;
use std::path::PathBuf;

/// Arguments of `taintsim forecast`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ForecastArgs {
    /// What `kubectl get
    /// nodes,pods,leases,deployments,replicasets,statefulsets,daemonsets,jobs,pdb,priorityclasses
    /// -A -o json` (or yaml) printed just now, also gzipped; `-` is standard input. Several files
    /// make one cluster. As `kubectl taintsim forecast` it calls kubectl itself where none is given
    #[arg(value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Silent nodes come back after this time, and those that die so long after they died; otherwise
    /// they stay silent
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub(super) heal_after: Option<Dur>,
    /// These nodes die at the time of the export, beside those that are silent: names and ranges,
    /// `b-03`, `b-{00..04}`, or a zone, `zone/b`; with a time behind a `@`, so long after it:
    /// `b-03@2m`. May be given several times
    #[arg(long, value_name = "NODES[@TIME]")]
    pub(super) dies: Vec<String>,
    /// Another course to put beside the first, such as `kubectl taint nodes b-03 a=b:NoExecute`,
    /// `patch tolerations web 600`, `kube-controller-manager restart`; may be given several times
    #[arg(long, value_name = "COMMAND")]
    pub(super) what_if: Vec<String>,
    /// How far to look ahead
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30m")]
    pub(super) horizon: Dur,
    /// How many seeds: --seed and those after it
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(super) seeds: u64,
    /// How many runs at once; it does not change the results [default: one for each processor]
    #[arg(long, short, value_name = "J", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    #[command(flatten)]
    pub(super) change: ChangeArgs,
    /// Another value for something in the cluster; may be given several times
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub(super) sets: Vec<String>,
    /// Run this command for a new export again and again, and say what has changed; with `kubectl`
    /// alone it is the usual `kubectl get`
    #[arg(long, value_name = "COMMAND", conflicts_with = "files")]
    pub(super) watch: Option<String>,
    /// How long to wait between two exports
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "30s", requires = "watch")]
    pub(super) every: Dur,
    /// End after so many exports
    #[arg(long, value_name = "N", requires = "watch", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) times: Option<u64>,
    #[command(flatten)]
    pub(super) kubectl: KubectlArgs,
    /// Tell every node and every pod, however many they are
    #[arg(long)]
    pub(super) all: bool,
    /// Draw how many are evicted by when, as PNG or SVG by the name's ending
    #[arg(long, value_name = "FILE")]
    pub(super) chart: Option<PathBuf>,
    /// Replace the chart's file where it is there
    #[arg(long, requires = "chart")]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) output: OutputArg<TableFormat>,
    /// End with exit code 1 if a pod will be deleted in half of the seeds or more
    #[arg(long)]
    pub(super) exit_code: bool,
    #[command(flatten)]
    pub(super) html: HtmlArg,
    /// Show no progress, nor what was taken from the export and what was left out
    #[arg(long, short)]
    pub(super) quiet: bool,
}
