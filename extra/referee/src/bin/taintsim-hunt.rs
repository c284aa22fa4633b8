//! Hunts for races in clusters that are drawn, for as long as it may, and keeps what it finds.

use std::process::ExitCode;
use taintsim_referee::hunt;

fn main() -> ExitCode {
    taintsim::cli::program("taintsim-hunt", std::env::args_os(), hunt::command)
}
