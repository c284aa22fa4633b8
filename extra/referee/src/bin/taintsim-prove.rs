//! Says whether upstream's own controllers do what a tape does.

use std::process::ExitCode;
use taintsim_referee::prove::prove;

fn main() -> ExitCode {
    taintsim::cli::program("taintsim-prove", std::env::args_os(), prove)
}
