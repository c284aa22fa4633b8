//! `taintsim man`: prints a page of the manual, as roff.

use super::exit::Exit;
use super::failure::{Failure, Outcome};
use super::terminal::Terminal;
use crate::language::Problem;
use std::io::Write;

/// Arguments of `taintsim man`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// The command whose page to print; without, that of the program
    command: Option<String>,
}

/// Runs the command; `program` is the command line that the manual describes.
pub(crate) fn man(args: &ManArgs, mut program: clap::Command, terminal: &Terminal) -> Outcome {
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                return Err(Failure::Input(Problem::new(format!(
                    "there is no command `{name}`"
                ))));
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page)
        .source(concat!("taintsim ", env!("CARGO_PKG_VERSION")))
        .render(&mut text)?;
    let mut out = terminal.out();
    out.write_all(&text)?;
    out.flush()?;
    Ok(Exit::Fine)
}
