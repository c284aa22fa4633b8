//! taintsim: the program. The command line is in [`taintsim::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    taintsim::cli::main(std::env::args_os())
}
