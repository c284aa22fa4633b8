//! Replays recorded timelines in the model, and says where it parts from upstream.

use std::process::ExitCode;
use taintsim_referee::conform::conform;

fn main() -> ExitCode {
    taintsim::cli::program("taintsim-conform", std::env::args_os(), conform)
}
