//! Runs random scenarios in every way there is, until something does not hold.

use std::process::ExitCode;
use taintsim_referee::soak;

fn main() -> ExitCode {
    taintsim::cli::program("taintsim-soak", std::env::args_os(), soak::command)
}
