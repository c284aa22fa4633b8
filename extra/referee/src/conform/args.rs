//! Arguments of `taintsim conform`.

use std::path::PathBuf;
use taintsim::cli::{CheckFormat, OutputArg};

/// Hold the model to recordings of what upstream's own controllers did
#[derive(Clone, Debug, clap::Args)]
pub struct ConformArgs {
    /// Recorded timelines or envelopes (*.json, *.json.gz), or folders to search for them
    #[arg(required_unless_present = "record", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Record what Kubernetes' own controllers do with this scenario of ours (*.ron), and compare.
    /// It takes the project's recorder, Go, and a while for a release that is not built yet
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["paths", "release"])]
    pub record: Option<PathBuf>,
    /// With --record: the release [default: the scenario's, or 1.34]
    #[arg(long, value_name = "RELEASE", requires = "record")]
    pub kubernetes: Option<String>,
    /// With --record: delays and limits [default: the scenario's, or "ideal" where the recorder
    /// does not have those]
    #[arg(long, value_name = "TIMING", requires = "record")]
    pub timing: Option<String>,
    /// With --record: the folder of the recorder
    #[arg(long, value_name = "FOLDER", default_value = "extra/recorder")]
    pub recorder: PathBuf,
    /// Seeds that have to stay inside an envelope [default: 10], and over which to count the
    /// recorded outcomes that are reached where there are several [default: not counted]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: Option<u64>,
    /// Only recordings of this release: "1.34" is any of its patches, "v1.34.4" is that one
    #[arg(long, value_name = "RELEASE")]
    pub release: Option<String>,
    /// Search for each recorded outcome of a timeline with several, with at most this many runs for
    /// each that draws do not reach, and count those that are reached; a timeline with one that is
    /// reached conforms [default: with --record 300, where it does not conform]
    #[arg(long, value_name = "RUNS", num_args = 0..=1, default_missing_value = "3000", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub search: Option<u64>,
    /// Compare how often: of each timeline with several outcomes, in how many of upstream's runs and of
    /// so many seeds each came about
    #[arg(long, value_name = "SEEDS", num_args = 0..=1, default_missing_value = "60", conflicts_with_all = ["record", "seeds", "search", "diff"], value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    pub odds: Option<u64>,
    /// Say what moved since this release: each recording that it would not give, and which of the
    /// changes between it and the recording's own release explain that
    #[arg(long, value_name = "RELEASE", conflicts_with_all = ["record", "seeds", "search", "odds"])]
    pub since: Option<String>,
    /// Lines to show of each difference
    #[arg(long, value_name = "N", default_value_t = 24)]
    pub diff: usize,
    #[command(flatten)]
    pub(crate) output: OutputArg<CheckFormat>,
}
