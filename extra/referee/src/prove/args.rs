//! Arguments of `taintsim prove`.

use std::path::PathBuf;
use taintsim::analysis::properties::Property;
use taintsim::cli::{CheckFormat, OutputArg, duration};
use taintsim::kernel::Dur;

/// Say whether upstream's own controllers do what a tape does
#[derive(Clone, Debug, clap::Args)]
pub struct ProveArgs {
    /// A tape that `explore` wrote, or a scenario, with a tape in it or without
    #[arg(value_name = "TAPE")]
    pub file: PathBuf,
    /// What is to be seen violated [default: the property of the tape, or the first that the
    /// scenario expects to be violated]
    #[arg(long, short, value_name = "PROPERTY", value_parser = |text: &str| Property::parse(text).map_err(|e| e.to_string()))]
    pub property: Option<Property>,
    /// The release [default: the tape's or scenario's, or 1.34]. Of each minor release the recorder
    /// has one patch, which is taken
    #[arg(long, value_name = "RELEASE")]
    pub kubernetes: Option<String>,
    /// Try a tape on these releases, whichever it is of: 1.36,1.37. Its deviations are found there
    /// by what they are about
    #[arg(long, value_name = "RELEASES", value_delimiter = ',', conflicts_with_all = ["kubernetes", "recorded", "print", "patch"])]
    pub on: Vec<String>,
    /// Build the release with a pull request's change as well, a unified diff with paths of
    /// kubernetes/kubernetes, and say what comes about without and with it, and which of the kept
    /// recordings of that release it moves
    #[arg(long, value_name = "FILE", conflicts_with_all = ["recorded", "print"])]
    pub patch: Option<PathBuf>,
    /// With --patch: the recordings to make again with it, a file or a folder. Of timelines those of
    /// the release are taken, the ones written by hand first
    #[arg(long, value_name = "PATH", default_value = "tests/traces/timelines", requires = "patch")]
    pub recordings: PathBuf,
    /// With --patch: how long to make recordings again, by the clock on the wall; 0s makes none
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "5m", requires = "patch")]
    pub time: Dur,
    /// How many runs of upstream's controllers to record
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub runs: u32,
    /// How many of them at a time
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub jobs: u32,
    /// The folder of the recorder
    #[arg(long, value_name = "FOLDER", default_value = "extra/recorder")]
    pub recorder: PathBuf,
    /// Judge runs that were recorded before, with `record --each`, and record none
    #[arg(long, value_name = "FILE", conflicts_with_all = ["runs", "jobs"])]
    pub recorded: Option<PathBuf>,
    /// Print the scenario that the recorder is given, and record nothing
    #[arg(long, conflicts_with = "recorded")]
    pub print: bool,
    /// Lines to show of a difference
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub diff: usize,
    #[command(flatten)]
    pub(crate) output: OutputArg<CheckFormat>,
}
