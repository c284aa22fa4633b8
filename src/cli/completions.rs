//! `taintsim completions`: prints a shell's completions.

use super::exit::Exit;
use super::failure::Outcome;
use super::terminal::Terminal;
use std::io::Write;

/// Arguments of `taintsim completions`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: clap_complete::Shell,
}

/// Runs the command; `program` is the command line to complete.
pub(crate) fn completions(
    args: &CompletionsArgs,
    mut program: clap::Command,
    terminal: &Terminal,
) -> Outcome {
    // Into memory first: the generator panics where its writer fails.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut program, "taintsim", &mut text);
    let mut out = terminal.out();
    out.write_all(&text)?;
    out.flush()?;
    Ok(Exit::Fine)
}
